//! The operators of an assembled toolkit, called by name as frameworks do.
#![allow(dead_code)] // each test program uses a part

use half::{bf16, f16};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

pub const NULLPTR: i32 = 161_001;
pub const INVALID: i32 = 161_002;

pub struct Toolkit {
    pub acl: Library,
    pub nnopbase: Library,
    pub opapi: Library,
}

/// `target/hostcann`, which `cargo xtask build` assembles, or what ASCEND_HOME_PATH names.
pub fn home() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    std::env::var_os("ASCEND_HOME_PATH")
        .filter(|path| !path.is_empty())
        .map_or_else(|| workspace.join("target/hostcann"), PathBuf::from)
}

/// None with a real CANN, whose operators need a device.
pub fn toolkit() -> Option<&'static Toolkit> {
    static TOOLKIT: OnceLock<Option<Toolkit>> = OnceLock::new();
    let made = TOOLKIT.get_or_init(|| {
        let home = home();
        if home.is_dir() && !home.join("hostcann.toml").is_file() {
            return None;
        }
        let open = |name: &str| {
            let path = home.join("lib64").join(name);
            // SAFETY: the initialisers of the toolkit's libraries only make locks.
            unsafe { Library::new(&path) }
                .unwrap_or_else(|e| panic!("{}: {e}; `cargo xtask build` assembles the toolkit", path.display()))
        };
        let toolkit =
            Toolkit { acl: open("libascendcl.so"), nnopbase: open("libnnopbase.so"), opapi: open("libopapi.so") };
        // SAFETY: the documented signature; null takes the defaults.
        let code = unsafe { toolkit.acl("aclInit", [0; 8]) };
        assert_eq!(code, 0, "aclInit");
        Some(toolkit)
    });
    let toolkit = made.as_ref()?;
    // SAFETY: as above; a device is set for each thread.
    let code = unsafe { toolkit.acl("aclrtSetDevice", [0; 8]) };
    assert_eq!(code, 0, "aclrtSetDevice");
    Some(toolkit)
}

type Words = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> i32;
#[rustfmt::skip]
type Phase1 = unsafe extern "C" fn(
    f32, f32, f32,
    usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize,
) -> i32;

impl Toolkit {
    /// # Safety
    /// The function takes these words, and possibly fewer.
    pub unsafe fn acl(&self, name: &str, a: [usize; 8]) -> i32 {
        // SAFETY: by this function's contract.
        unsafe {
            let function = self.acl.get::<Words>(name.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
            function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
        }
    }

    /// # Safety
    /// `T` is the function's type.
    pub unsafe fn meta<T: Copy>(&self, name: &str) -> T {
        // SAFETY: by this function's contract.
        *unsafe { self.nnopbase.get::<T>(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn prepare(&self, name: &str, args: &[usize]) -> Result<(u64, *mut c_void), i32> {
        self.prepare_with(name, [0.0; 3], args)
    }

    /// Phase 1 with arguments of whole words; workspace size and executor come behind them. Floats have registers of their
    /// own: where they stand among the words is all one.
    pub fn prepare_with(&self, name: &str, f: [f32; 3], args: &[usize]) -> Result<(u64, *mut c_void), i32> {
        let (mut size, mut executor) = (u64::MAX, null_mut::<c_void>());
        let mut a = [0; 17];
        a[..args.len()].copy_from_slice(args);
        a[args.len()] = &raw mut size as usize;
        a[args.len() + 1] = &raw mut executor as usize;
        let full = format!("{name}GetWorkspaceSize");
        // SAFETY: the table's signatures; what is behind the last argument is not read.
        let code = unsafe {
            let function = self.opapi.get::<Phase1>(full.as_bytes()).unwrap_or_else(|e| panic!("{full}: {e}"));
            function(
                f[0], f[1], f[2], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                a[13], a[14], a[15], a[16],
            )
        };
        if code == 0 { Ok((size, executor)) } else { Err(code) }
    }

    /// Phase 2.
    pub fn launch(&self, name: &str, prepared: (u64, *mut c_void), stream: usize) -> i32 {
        let workspace = if prepared.0 > 0 { self.malloc(prepared.0 as usize) } else { 0 };
        type Phase2 = unsafe extern "C" fn(usize, u64, *mut c_void, usize) -> i32;
        // SAFETY: the documented signature; the workspace is not freed.
        unsafe {
            let function = self.opapi.get::<Phase2>(name.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
            function(workspace, prepared.0, prepared.1, stream)
        }
    }

    pub fn synchronize(&self, stream: usize) -> i32 {
        // SAFETY: the documented signature.
        unsafe { self.acl("aclrtSynchronizeStream", [stream, 0, 0, 0, 0, 0, 0, 0]) }
    }

    pub fn stream(&self) -> usize {
        let mut stream = 0usize;
        // SAFETY: the documented signature.
        let code = unsafe { self.acl("aclrtCreateStream", [&raw mut stream as usize, 0, 0, 0, 0, 0, 0, 0]) };
        assert_eq!(code, 0, "aclrtCreateStream");
        stream
    }

    /// Both phases on a stream of the thread's own, and the wait for it; the message of a failure.
    pub fn run(&self, name: &str, args: &[usize]) -> Result<(), (i32, String)> {
        self.run_with(name, [0.0; 3], args)
    }

    /// With floats among the arguments.
    pub fn run_with(&self, name: &str, floats: [f32; 3], args: &[usize]) -> Result<(), (i32, String)> {
        thread_local! {
            static STREAM: std::cell::OnceCell<usize> = const { std::cell::OnceCell::new() };
        }
        let stream = STREAM.with(|stream| *stream.get_or_init(|| self.stream()));
        self.message();
        let prepared = self.prepare_with(name, floats, args).map_err(|code| (code, self.message()))?;
        let code = match self.launch(name, prepared, stream) {
            0 => self.synchronize(stream),
            code => code,
        };
        if code == 0 { Ok(()) } else { Err((code, self.message())) }
    }

    /// aclGetRecentErrMsg, which clears it.
    pub fn message(&self) -> String {
        type Get = unsafe extern "C" fn() -> *const c_char;
        // SAFETY: the documented signature; the text is copied at once.
        unsafe {
            let text = self.acl.get::<Get>(b"aclGetRecentErrMsg").expect("aclGetRecentErrMsg")();
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    }

    pub fn malloc(&self, bytes: usize) -> usize {
        let mut address = 0usize;
        // SAFETY: the documented signature.
        let code = unsafe { self.acl("aclrtMalloc", [&raw mut address as usize, bytes.max(32), 0, 0, 0, 0, 0, 0]) };
        assert_eq!(code, 0, "aclrtMalloc");
        address
    }
}

pub trait Element: Copy + PartialEq + std::fmt::Debug {
    const DTYPE: i32;
    /// The same bits; NaNs are one.
    fn same(self, other: Self) -> bool {
        self == other
    }
}
macro_rules! elements {
    ($($ty:ty = $value:literal),+) => { $(impl Element for $ty { const DTYPE: i32 = $value; })+ };
}
elements! { i8 = 2, i32 = 3, u8 = 4, i16 = 6, u16 = 7, u32 = 8, i64 = 9, u64 = 10, bool = 12 }
macro_rules! floats {
    ($($ty:ty = $value:literal),+) => { $(impl Element for $ty {
        const DTYPE: i32 = $value;
        fn same(self, other: Self) -> bool {
            self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
        }
    })+ };
}
floats! { f32 = 0, f16 = 1, f64 = 11, bf16 = 27 }

/// A view of device memory.
pub struct Tensor<T> {
    pub handle: usize,
    pub memory: usize,
    elements: usize,
    dims: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
    of: std::marker::PhantomData<T>,
}

impl<T: Element> Tensor<T> {
    /// The view of `storage`, which is uploaded.
    pub fn view(kit: &Toolkit, storage: &[T], dims: &[i64], strides: &[i64], offset: i64) -> Tensor<T> {
        let bytes = size_of_val(storage);
        let memory = kit.malloc(bytes);
        // SAFETY: the documented signature; 1: host to device.
        let code = unsafe { kit.acl("aclrtMemcpy", [memory, bytes, storage.as_ptr() as usize, bytes, 1, 0, 0, 0]) };
        assert_eq!(code, 0, "aclrtMemcpy");
        Tensor::at(kit, memory, storage.len(), dims, strides, offset)
    }

    /// Another view of memory that is there.
    pub fn at(kit: &Toolkit, memory: usize, elements: usize, dims: &[i64], strides: &[i64], offset: i64) -> Tensor<T> {
        type Create = unsafe extern "C" fn(*const i64, u64, i32, *const i64, i64, i32, *const i64, u64, usize) -> usize;
        let storage = [elements as i64];
        // SAFETY: the documented signature; 2: format ND.
        let handle = unsafe {
            let create: Create = kit.meta("aclCreateTensor");
            let rank = dims.len() as u64;
            create(dims.as_ptr(), rank, T::DTYPE, strides.as_ptr(), offset, 2, storage.as_ptr(), 1, memory)
        };
        assert_ne!(handle, 0, "aclCreateTensor");
        let (dims, strides) = (dims.to_vec(), strides.to_vec());
        Tensor { handle, memory, elements, dims, strides, offset, of: std::marker::PhantomData }
    }

    pub fn new(kit: &Toolkit, dims: &[i64], values: &[T]) -> Tensor<T> {
        Tensor::view(kit, values, dims, &contiguous(dims), 0)
    }

    pub fn filled(kit: &Toolkit, dims: &[i64], value: T) -> Tensor<T> {
        Tensor::new(kit, dims, &vec![value; dims.iter().product::<i64>() as usize])
    }

    pub fn storage(&self, kit: &Toolkit) -> Vec<T> {
        let mut values: Vec<T> = Vec::with_capacity(self.elements);
        let bytes = self.elements * size_of::<T>();
        // SAFETY: the documented signature; 2: device to host; all elements are written.
        unsafe {
            let code = kit.acl("aclrtMemcpy", [values.as_mut_ptr() as usize, bytes, self.memory, bytes, 2, 0, 0, 0]);
            assert_eq!(code, 0, "aclrtMemcpy");
            values.set_len(self.elements);
        }
        values
    }

    /// The elements in row-major order.
    pub fn read(&self, kit: &Toolkit) -> Vec<T> {
        let storage = self.storage(kit);
        places(&self.dims, &self.strides).into_iter().map(|at| storage[(self.offset + at) as usize]).collect()
    }

    #[track_caller]
    pub fn expect(&self, kit: &Toolkit, what: &str, expected: &[T]) {
        let values = self.read(kit);
        assert_eq!(values.len(), expected.len(), "{what}: number of elements");
        let wrong = values.iter().zip(expected).position(|(value, expected)| !value.same(*expected));
        if let Some(i) = wrong {
            panic!("{what}: element {i}: got {:?}, expected {:?}", values[i], expected[i]);
        }
    }
}

pub fn contiguous(dims: &[i64]) -> Vec<i64> {
    (0..dims.len()).map(|i| dims[i + 1..].iter().product()).collect()
}

/// Offsets of all elements in row-major order.
pub fn places(dims: &[i64], strides: &[i64]) -> Vec<i64> {
    let mut all = vec![0];
    for (&dim, &stride) in dims.iter().zip(strides) {
        all = all.iter().flat_map(|at| (0..dim).map(move |i| at + i * stride)).collect();
    }
    all
}

pub fn scalar<T: Element>(kit: &Toolkit, mut value: T) -> usize {
    type Create = unsafe extern "C" fn(*mut c_void, i32) -> usize;
    // SAFETY: the documented signature.
    unsafe { kit.meta::<Create>("aclCreateScalar")((&raw mut value).cast(), T::DTYPE) }
}

pub fn ints(kit: &Toolkit, values: &[i64]) -> usize {
    type Create = unsafe extern "C" fn(*const i64, u64) -> usize;
    // SAFETY: the documented signature.
    unsafe { kit.meta::<Create>("aclCreateIntArray")(values.as_ptr(), values.len() as u64) }
}

pub fn list(kit: &Toolkit, tensors: &[usize]) -> usize {
    type Create = unsafe extern "C" fn(*const usize, u64) -> usize;
    // SAFETY: the documented signature.
    unsafe { kit.meta::<Create>("aclCreateTensorList")(tensors.as_ptr(), tensors.len() as u64) }
}

/// The shape that a tensor has now.
pub fn shape(kit: &Toolkit, handle: usize) -> Vec<i64> {
    type Get = unsafe extern "C" fn(usize, *mut *const i64, *mut u64) -> i32;
    let (mut dims, mut rank) = (null::<i64>(), 0u64);
    // SAFETY: the documented signature; the array is left to the process.
    unsafe {
        assert_eq!(kit.meta::<Get>("aclGetViewShape")(handle, &mut dims, &mut rank), 0);
        (0..rank as usize).map(|i| *dims.add(i)).collect()
    }
}

pub fn has(library: &Library, name: &str) -> bool {
    let name = CString::new(name).expect("a name");
    // SAFETY: the symbol is not used.
    unsafe { library.get::<*const c_void>(name.as_bytes_with_nul()) }.is_ok()
}

//! Interfaces of installed packages: aclnn's two phases on tensors of the host.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_NOW};

use hostcann_types::install::Install;
use hostcann_types::{DataType, Format, status};

/// A data type that the operator has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// ONNXTensorElementDataType.
    pub onnx: i32,
    pub data_type: DataType,
}

pub const DTYPES: [Dtype; 7] = [
    Dtype { onnx: 1, data_type: DataType::F32 },
    Dtype { onnx: 2, data_type: DataType::U8 },
    Dtype { onnx: 3, data_type: DataType::I8 },
    Dtype { onnx: 5, data_type: DataType::I16 },
    Dtype { onnx: 6, data_type: DataType::I32 },
    Dtype { onnx: 10, data_type: DataType::F16 },
    Dtype { onnx: 16, data_type: DataType::Bf16 },
];

/// Of fused operators, beside those; a bool is a byte 0 or 1 in their kernels.
pub const MORE: [Dtype; 5] = [
    Dtype { onnx: 4, data_type: DataType::U16 },
    Dtype { onnx: 7, data_type: DataType::I64 },
    Dtype { onnx: 9, data_type: DataType::U8 },
    Dtype { onnx: 12, data_type: DataType::U32 },
    Dtype { onnx: 13, data_type: DataType::U64 },
];

const TO_DEVICE: i32 = 1;
const TO_HOST: i32 = 2;

macro_rules! api {
    ($($name:ident: fn($($arg:ty),*) -> $result:ty;)*) => {
        /// What is called of the toolkit.
        #[allow(non_snake_case, reason = "names of the C API")]
        struct Api {
            $($name: unsafe extern "C" fn($($arg),*) -> $result,)*
        }

        impl Api {
            /// A package's library brings the toolkit's along.
            #[allow(non_snake_case, reason = "names of the C API")]
            fn of(library: &Library) -> Result<Api, String> {
                $(
                    // SAFETY: the type is that of the toolkit's headers.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($arg),*) -> $result>(stringify!($name).as_bytes()) }
                        .map_err(|error| reason(&error))?;
                )*
                Ok(Api { $($name: *$name.deref(),)* })
            }
        }
    };
}

type Handle = *mut c_void;

api! {
    aclInit: fn(*const c_char) -> i32;
    aclrtSetDevice: fn(i32) -> i32;
    aclrtMalloc: fn(*mut Handle, usize, i32) -> i32;
    aclrtFree: fn(Handle) -> i32;
    aclrtMemcpy: fn(Handle, usize, *const c_void, usize, i32) -> i32;
    aclrtCreateStream: fn(*mut Handle) -> i32;
    aclrtSynchronizeStream: fn(Handle) -> i32;
    aclrtDestroyStream: fn(Handle) -> i32;
    aclGetRecentErrMsg: fn() -> *const c_char;
    aclCreateTensor: fn(*const i64, u64, i32, *const i64, i64, i32, *const i64, u64, Handle) -> Handle;
    aclDestroyTensor: fn(*const c_void) -> i32;
}

/// The second phase of an interface.
type Second = unsafe extern "C" fn(Handle, u64, Handle, Handle) -> i32;

/// The first phase of an interface without attributes, called with its tensors and the two places of its results.
///
/// # Safety
/// `function` takes as many pointers as there are.
unsafe fn first(function: *const c_void, pointers: &[Handle]) -> Option<i32> {
    macro_rules! pointer {
        ($at:literal) => {
            Handle
        };
    }
    macro_rules! of_each_count {
        ($($count:literal: $($at:literal)+;)+) => {
            match pointers.len() {
                $($count => {
                    // SAFETY: by the caller.
                    let function = unsafe {
                        std::mem::transmute::<*const c_void, unsafe extern "C" fn($(pointer!($at)),+) -> i32>(function)
                    };
                    // SAFETY: by the caller.
                    Some(unsafe { function($(pointers[$at]),+) })
                })+
                _ => None,
            }
        };
    }
    of_each_count! {
        4: 0 1 2 3;
        5: 0 1 2 3 4;
        6: 0 1 2 3 4 5;
        7: 0 1 2 3 4 5 6;
        8: 0 1 2 3 4 5 6 7;
        9: 0 1 2 3 4 5 6 7 8;
        10: 0 1 2 3 4 5 6 7 8 9;
        11: 0 1 2 3 4 5 6 7 8 9 10;
        12: 0 1 2 3 4 5 6 7 8 9 10 11;
        13: 0 1 2 3 4 5 6 7 8 9 10 11 12;
        14: 0 1 2 3 4 5 6 7 8 9 10 11 12 13;
        15: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
        16: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
    }
}

/// A tensor of the runtime.
pub struct Given<'a, P> {
    pub dtype: Dtype,
    pub dims: &'a [i64],
    pub data: P,
}

/// Where an opened library lies.
type Package = (PathBuf, Library);

/// The toolkit and the packages, loaded and initialised.
pub struct Ascend {
    api: Api,
    /// In the order in which an interface is looked for.
    packages: Vec<Package>,
    /// Packages that could not be opened, and why.
    unopened: Vec<String>,
}

impl Ascend {
    /// Once for the process.
    pub fn get() -> Result<&'static Ascend, &'static str> {
        static ASCEND: OnceLock<Result<Ascend, String>> = OnceLock::new();
        ASCEND.get_or_init(Ascend::open).as_ref().map_err(String::as_str)
    }

    fn open() -> Result<Ascend, String> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let found = Install::find(&repository, |name| std::env::var_os(name));
        let (packages, unopened) = load(&found.libraries())?;
        let (_, any) = packages.first().ok_or("no package is installed")?;
        let api = Api::of(any)?;
        // SAFETY: no configuration file.
        let code = unsafe { (api.aclInit)(ptr::null()) };
        // Whoever else uses the device in this process has called it before.
        if code != status::SUCCESS && code != status::REPEAT_INITIALIZE {
            return Err(format!("aclInit returned {code}: {}", api.recent()));
        }
        Ok(Ascend { api, packages, unopened })
    }

    /// Both phases of an interface.
    fn interface(&self, name: &str) -> Result<(*const c_void, Second), String> {
        for (_, library) in &self.packages {
            // SAFETY: the type is what `op_build` and the operators' own interfaces give them; it is called in `call` alone.
            let both = unsafe {
                let first = library.get::<*const c_void>(format!("{name}GetWorkspaceSize").as_bytes());
                (first, library.get::<Second>(name.as_bytes()))
            };
            if let (Ok(first), Ok(second)) = both {
                return Ok((*first.deref(), *second.deref()));
            }
        }
        let looked = self.packages.iter().map(|(path, _)| path.display().to_string());
        let places: Vec<String> = looked.chain(self.unopened.iter().cloned()).collect();
        Err(format!("no installed package has {name}: looked in {}", places.join(", ")))
    }

    /// An interface without attributes: tensors, then results.
    ///
    /// # Safety
    /// The pointers are to as many elements of the type as the shapes say, and the interface takes as many tensors.
    pub unsafe fn call(
        &self,
        name: &str,
        inputs: &[Given<'_, *const c_void>],
        outputs: &[Given<'_, *mut c_void>],
    ) -> Result<(), String> {
        if outputs.iter().all(|out| elements(out.dims) == 0) {
            return Ok(());
        }
        let api = &self.api;
        let (one, two) = self.interface(name)?;
        // SAFETY: the device of the host toolkit, or the first one.
        self.done("aclrtSetDevice", unsafe { (api.aclrtSetDevice)(0) })?;
        let stream = Stream::new(self)?;
        let mut tensors = Vec::new();
        for of in inputs {
            // SAFETY: by the caller.
            tensors.push(unsafe { Tensor::new(self, of.dtype, of.dims, Some(of.data))? });
        }
        for of in outputs {
            // SAFETY: nothing is read.
            tensors.push(unsafe { Tensor::new(self, of.dtype, of.dims, None)? });
        }
        let (mut bytes, mut executor): (u64, Handle) = (0, ptr::null_mut());
        let mut pointers: Vec<Handle> = tensors.iter().map(|tensor| tensor.handle).collect();
        pointers.extend([(&raw mut bytes).cast(), (&raw mut executor).cast()]);
        // SAFETY: by the caller; the tensors are alive.
        let Some(code) = (unsafe { first(one, &pointers) }) else {
            return Err(format!("{name} has {} tensors, 2 to 14 are taken", tensors.len()));
        };
        self.done(&format!("{name}GetWorkspaceSize"), code)?;
        let workspace = Memory::new(self, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        // SAFETY: the executor is of this call, the workspace is as large as it asked.
        self.done(name, unsafe { two(workspace.at, bytes, executor, stream.0) })?;
        // SAFETY: the stream is alive.
        self.done(name, unsafe { (api.aclrtSynchronizeStream)(stream.0) })?;
        for (to, from) in outputs.iter().zip(&tensors[inputs.len()..]) {
            let (at, bytes) = (from.memory.at, from.memory.bytes);
            // SAFETY: by the caller, and the tensor's memory has as many bytes.
            self.done("aclrtMemcpy", unsafe { (api.aclrtMemcpy)(to.data, bytes, at, bytes, TO_HOST) })?;
        }
        Ok(())
    }

    fn done(&self, call: &str, code: i32) -> Result<(), String> {
        if code == 0 { Ok(()) } else { Err(format!("{call} returned {code}: {}", self.api.recent())) }
    }
}

impl Api {
    /// The toolkit's text about the last error of this thread.
    fn recent(&self) -> String {
        // SAFETY: no arguments.
        let text = unsafe { (self.aclGetRecentErrMsg)() };
        if text.is_null() {
            return "no further text".to_owned();
        }
        // SAFETY: a text of the toolkit that stays until the next call.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
    }
}

/// Those that can be opened, and why others cannot; which one is needed is not known before an interface is called.
fn load(candidates: &[PathBuf]) -> Result<(Vec<Package>, Vec<String>), String> {
    let (mut opened, mut failures) = (Vec::new(), Vec::new());
    for path in candidates {
        // SAFETY: the library of an op package has ordinary initialisers.
        match unsafe { Library::open(Some(path), RTLD_NOW) } {
            Ok(library) => opened.push((path.clone(), library)),
            Err(error) => failures.push(format!("{}: {}", path.display(), reason(&error))),
        }
    }
    if !opened.is_empty() {
        return Ok((opened, failures));
    }
    let tried = if failures.is_empty() { "no package is installed".to_owned() } else { failures.join("; ") };
    Err(format!("no package of an operator was found: {tried}. Install it, and source set_env.sh of the toolkit"))
}

/// libloading's Display hides the text of dlerror behind `source()`.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |source| source.to_string())
}

pub fn elements(dims: &[i64]) -> i64 {
    dims.iter().product()
}

struct Stream<'a>(Handle, &'a Ascend);

impl<'a> Stream<'a> {
    fn new(ascend: &'a Ascend) -> Result<Self, String> {
        let mut stream = ptr::null_mut();
        // SAFETY: a place for the handle.
        ascend.done("aclrtCreateStream", unsafe { (ascend.api.aclrtCreateStream)(&mut stream) })?;
        Ok(Stream(stream, ascend))
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: it is alive, and nobody else has it.
        unsafe { (self.1.api.aclrtDestroyStream)(self.0) };
    }
}

/// Memory of the device.
struct Memory<'a> {
    at: Handle,
    bytes: usize,
    ascend: &'a Ascend,
}

impl<'a> Memory<'a> {
    fn new(ascend: &'a Ascend, bytes: usize) -> Result<Self, String> {
        let mut at = ptr::null_mut();
        if bytes > 0 {
            // SAFETY: a place for the pointer; huge pages where possible (0).
            ascend.done("aclrtMalloc", unsafe { (ascend.api.aclrtMalloc)(&mut at, bytes, 0) })?;
        }
        Ok(Memory { at, bytes, ascend })
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        if !self.at.is_null() {
            // SAFETY: it is alive, and nobody else has it.
            unsafe { (self.ascend.api.aclrtFree)(self.at) };
        }
    }
}

/// A contiguous tensor on the device.
struct Tensor<'a> {
    handle: Handle,
    memory: Memory<'a>,
}

impl<'a> Tensor<'a> {
    /// # Safety
    /// `from` has as many elements of the type as the shape says.
    unsafe fn new(ascend: &'a Ascend, dtype: Dtype, dims: &[i64], from: Option<*const c_void>) -> Result<Self, String> {
        let count = usize::try_from(elements(dims)).unwrap_or(0);
        let memory = Memory::new(ascend, count * dtype.data_type.size())?;
        if let Some(from) = from {
            // SAFETY: by the caller, and the memory was just made as large.
            let code = unsafe { (ascend.api.aclrtMemcpy)(memory.at, memory.bytes, from, memory.bytes, TO_DEVICE) };
            ascend.done("aclrtMemcpy", code)?;
        }
        let strides = strides(dims);
        let rank = dims.len() as u64;
        // SAFETY: dimensions and strides are copied, the memory lives longer than the tensor.
        let handle = unsafe {
            let (dims, strides) = (dims.as_ptr(), strides.as_ptr());
            let (number, format) = (dtype.data_type.number(), Format::ND.number);
            (ascend.api.aclCreateTensor)(dims, rank, number, strides, 0, format, dims, rank, memory.at)
        };
        if handle.is_null() {
            return Err(format!("aclCreateTensor failed: {}", ascend.api.recent()));
        }
        Ok(Tensor { handle, memory })
    }
}

impl Drop for Tensor<'_> {
    fn drop(&mut self) {
        // SAFETY: it is alive, and nobody else has it.
        unsafe { (self.memory.ascend.api.aclDestroyTensor)(self.handle) };
    }
}

fn strides(dims: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis] * dims[axis].max(1);
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_strides() {
        assert_eq!(strides(&[]), Vec::<i64>::new());
        assert_eq!(strides(&[7]), [1]);
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!((elements(&[]), elements(&[2, 0, 3])), (1, 0));
    }

    #[test]
    fn every_candidate_is_told() {
        let error = load(&[PathBuf::from("/nowhere/a.so"), PathBuf::from("/nowhere/b.so")]).expect_err("no package");
        assert!(error.contains("/nowhere/a.so: ") && error.contains("/nowhere/b.so: "), "{error}");
        assert!(load(&[]).expect_err("no package").contains("no package is installed"));
    }
}

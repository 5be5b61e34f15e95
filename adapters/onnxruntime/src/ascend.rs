//! The installed operator: aclnn's two phases on tensors of the host.

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

const TO_DEVICE: i32 = 1;
const TO_HOST: i32 = 2;

macro_rules! api {
    ($($name:ident: fn($($arg:ty),*) -> $result:ty;)*) => {
        /// What is called of the toolkit and of the package.
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
    aclnnFmodTensorGetWorkspaceSize: fn(Handle, Handle, Handle, *mut u64, *mut Handle) -> i32;
    aclnnFmodTensor: fn(Handle, u64, Handle, Handle) -> i32;
}

/// The toolkit and the package, loaded and initialised.
pub struct Ascend {
    api: Api,
    /// Keeps the functions where they are.
    _library: Library,
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
        let library = load(&found.libraries())?;
        let api = Api::of(&library)?;
        // SAFETY: no configuration file.
        let code = unsafe { (api.aclInit)(ptr::null()) };
        // Whoever else uses the device in this process has called it before.
        if code != status::SUCCESS && code != status::REPEAT_INITIALIZE {
            return Err(format!("aclInit returned {code}: {}", api.recent()));
        }
        Ok(Ascend { api, _library: library })
    }

    /// `out` gets the remainders of `x` by `y`; shapes are those of broadcast operands.
    ///
    /// # Safety
    /// The pointers are to as many elements of the type as the shapes say.
    pub unsafe fn fmod(
        &self,
        dtype: Dtype,
        x: (&[i64], *const c_void),
        y: (&[i64], *const c_void),
        out: (&[i64], *mut c_void),
    ) -> Result<(), String> {
        if elements(out.0) == 0 {
            return Ok(());
        }
        let api = &self.api;
        // SAFETY: the device of the host toolkit, or the first one.
        self.done("aclrtSetDevice", unsafe { (api.aclrtSetDevice)(0) })?;
        let stream = Stream::new(self)?;
        // SAFETY: by the caller.
        let (x, y) = unsafe { (Tensor::new(self, dtype, x.0, Some(x.1))?, Tensor::new(self, dtype, y.0, Some(y.1))?) };
        // SAFETY: nothing is read.
        let result = unsafe { Tensor::new(self, dtype, out.0, None)? };
        let (mut bytes, mut executor) = (0, ptr::null_mut());
        // SAFETY: three tensors that are alive.
        let code = unsafe {
            (api.aclnnFmodTensorGetWorkspaceSize)(x.handle, y.handle, result.handle, &mut bytes, &mut executor)
        };
        self.done("aclnnFmodTensorGetWorkspaceSize", code)?;
        let workspace = Memory::new(self, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        // SAFETY: the executor is of this call, the workspace is as large as it asked.
        self.done("aclnnFmodTensor", unsafe { (api.aclnnFmodTensor)(workspace.at, bytes, executor, stream.0) })?;
        // SAFETY: the stream is alive.
        self.done("aclnnFmodTensor", unsafe { (api.aclrtSynchronizeStream)(stream.0) })?;
        let bytes = result.memory.bytes;
        // SAFETY: by the caller, and the tensor's memory has as many bytes.
        self.done("aclrtMemcpy", unsafe { (api.aclrtMemcpy)(out.1, bytes, result.memory.at, bytes, TO_HOST) })
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

fn load(candidates: &[PathBuf]) -> Result<Library, String> {
    let mut failures = Vec::new();
    for path in candidates {
        // SAFETY: the library of an op package has ordinary initialisers.
        match unsafe { Library::open(Some(path), RTLD_NOW) } {
            Ok(library) => return Ok(library),
            Err(error) => failures.push(format!("{}: {}", path.display(), reason(&error))),
        }
    }
    let tried = if failures.is_empty() { "no package is installed".to_owned() } else { failures.join("; ") };
    Err(format!("no package of the operator was found: {tried}. Install it, and source set_env.sh of the toolkit"))
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

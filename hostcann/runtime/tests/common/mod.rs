//! A toolkit root in a temporary directory, and the exported functions of the library that lies in it.
#![allow(dead_code, non_snake_case)]
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::OnceLock;

pub type Handle = *mut c_void;
pub type Kernel = unsafe extern "C-unwind" fn(*const Handle);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct TensorType {
    pub present: i32,
    pub dtype: i32,
    pub format: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Operand {
    pub present: i32,
    pub storage: u32,
    pub byte_offset: u64,
    pub bytes: u64,
    pub view: u32,
}

#[repr(C)]
pub struct Launch {
    pub tiling_key: u64,
    pub block_dim: u32,
    pub need_atomic: i32,
    pub tiling_data: *const c_void,
    pub tiling_size: u64,
    pub tiling_other: *const c_void,
    pub workspaces: *const u64,
    pub workspace_num: u64,
}

#[repr(C)]
pub struct Strided {
    pub at: Operand,
    pub strides: *const i64,
}

macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $ret:ty)?;)+) => {
        pub struct Api { $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?),+ }
        impl Api {
            fn load(library: &Library) -> Api {
                Api { $($name: unsafe { *library.get(stringify!($name).as_bytes()).unwrap() }),+ }
            }
        }
    };
}

#[repr(C)]
pub struct Pointer {
    pub index: u32,
    pub address: *const c_void,
}

functions! {
    hc_launch_kernel(Kernel, Handle, unsafe extern "C" fn(Handle), *const c_char, u32, *const Pointer, usize, Handle) -> i32;
    aclInit(*const c_char) -> i32;
    aclFinalize() -> i32;
    aclFinalizeReference(*mut u64) -> i32;
    aclrtGetVersion(*mut i32, *mut i32, *mut i32) -> i32;
    aclsysGetVersionStr(*const c_char, *mut c_char) -> i32;
    aclsysGetVersionNum(*const c_char, *mut i32) -> i32;
    aclGetRecentErrMsg() -> *const c_char;
    aclrtPeekAtLastError(i32) -> i32;
    aclrtGetLastError(i32) -> i32;
    aclrtGetSocName() -> *const c_char;
    rtGetSocSpec(*const c_char, *const c_char, *mut c_char, u32) -> i32;
    aclrtSetDevice(i32) -> i32;
    aclrtResetDevice(i32) -> i32;
    aclrtGetDevice(*mut i32) -> i32;
    aclrtGetDeviceCount(*mut u32) -> i32;
    aclrtGetDeviceInfo(u32, i32, *mut i64) -> i32;
    aclGetDeviceCapability(u32, i32, *mut i64) -> i32;
    aclrtGetResInCurrentThread(i32, *mut u32) -> i32;
    aclrtCreateContext(*mut Handle, i32) -> i32;
    aclrtDestroyContext(Handle) -> i32;
    aclrtSetCurrentContext(Handle) -> i32;
    aclrtGetCurrentContext(*mut Handle) -> i32;
    aclrtSynchronizeDevice() -> i32;
    aclrtSetSysParamOpt(i32, i64) -> i32;
    aclrtGetSysParamOpt(i32, *mut i64) -> i32;
    aclrtCtxSetSysParamOpt(i32, i64) -> i32;
    aclrtCtxGetSysParamOpt(i32, *mut i64) -> i32;
    aclrtCreateStream(*mut Handle) -> i32;
    aclrtCreateStreamWithConfig(*mut Handle, u32, u32) -> i32;
    aclrtDestroyStream(Handle) -> i32;
    aclrtDestroyStreamForce(Handle) -> i32;
    aclrtSynchronizeStream(Handle) -> i32;
    aclrtSynchronizeStreamWithTimeout(Handle, i32) -> i32;
    aclrtStreamQuery(Handle, *mut i32) -> i32;
    aclrtSetStreamFailureMode(Handle, u64) -> i32;
    aclrtLaunchHostFunc(Handle, Option<unsafe extern "C" fn(Handle)>, Handle) -> i32;
    aclrtCreateEvent(*mut Handle) -> i32;
    aclrtCreateEventWithFlag(*mut Handle, u32) -> i32;
    aclrtDestroyEvent(Handle) -> i32;
    aclrtRecordEvent(Handle, Handle) -> i32;
    aclrtResetEvent(Handle, Handle) -> i32;
    aclrtStreamWaitEvent(Handle, Handle) -> i32;
    aclrtQueryEvent(Handle, *mut i32) -> i32;
    aclrtQueryEventStatus(Handle, *mut i32) -> i32;
    aclrtQueryEventWaitStatus(Handle, *mut i32) -> i32;
    aclrtSynchronizeEvent(Handle) -> i32;
    aclrtSynchronizeEventWithTimeout(Handle, i32) -> i32;
    aclrtEventElapsedTime(*mut f32, Handle, Handle) -> i32;
    aclrtEventGetTimestamp(Handle, *mut u64) -> i32;
    aclrtSetDeviceSatMode(i32) -> i32;
    aclrtGetDeviceSatMode(*mut i32) -> i32;
    aclrtSetOpExecuteTimeOut(u32) -> i32;
    aclrtGetOpExecuteTimeout(*mut u32) -> i32;
    aclrtDeviceCanAccessPeer(*mut i32, i32, i32) -> i32;
    aclrtDeviceGetBareTgid(*mut i32) -> i32;
    aclrtReserveMemAddress() -> i32;
    aclrtProcessReport() -> i32;
    aclCreateTensorDesc(i32, i32, *const i64, i32) -> Handle;
    aclDestroyTensorDesc(Handle);
    aclGetTensorDescType(Handle) -> i32;
    aclGetTensorDescFormat(Handle) -> i32;
    aclGetTensorDescNumDims(Handle) -> usize;
    aclGetTensorDescDimV2(Handle, usize, *mut i64) -> i32;
    aclGetTensorDescElementCount(Handle) -> usize;
    aclGetTensorDescSize(Handle) -> usize;
    aclSetTensorFormat(Handle, i32) -> i32;
    aclSetTensorShape(Handle, i32, *const i64) -> i32;
    aclSetTensorPlaceMent(Handle, i32) -> i32;
    aclCreateDataBuffer(Handle, usize) -> Handle;
    aclDestroyDataBuffer(Handle) -> i32;
    aclGetDataBufferAddr(Handle) -> Handle;
    aclGetDataBufferSizeV2(Handle) -> usize;
    aclopCreateAttr() -> Handle;
    aclopDestroyAttr(Handle);
    aclopSetAttrInt(Handle, *const c_char, i64) -> i32;
    aclopSetAttrListListInt(Handle, *const c_char, i32, *const i32, *const *const i64) -> i32;
    aclSetCompileopt(i32, *const c_char) -> i32;
    aclGetCompileopt(i32, *mut c_char, usize) -> i32;
    aclGetCompileoptSize(i32) -> usize;
    aclopCompileAndExecute(
        *const c_char,
        i32,
        *const Handle,
        *const Handle,
        i32,
        *const Handle,
        *const Handle,
        Handle,
        i32,
        i32,
        *const c_char,
        Handle
    ) -> i32;
    aclopCompileAndExecuteV2(
        *const c_char,
        i32,
        *const Handle,
        *const Handle,
        i32,
        *const Handle,
        *const Handle,
        Handle,
        i32,
        i32,
        *const c_char,
        Handle
    ) -> i32;
    aclrtMalloc(*mut Handle, usize, i32) -> i32;
    aclrtMallocAlign32(*mut Handle, usize, i32) -> i32;
    aclrtFree(Handle) -> i32;
    aclrtMallocHost(*mut Handle, usize) -> i32;
    aclrtFreeHost(Handle) -> i32;
    aclrtGetMemInfo(i32, *mut usize, *mut usize) -> i32;
    aclrtMemset(Handle, usize, i32, usize) -> i32;
    aclrtMemsetAsync(Handle, usize, i32, usize, Handle) -> i32;
    aclrtMemcpy(Handle, usize, *const c_void, usize, i32) -> i32;
    aclrtMemcpy2d(Handle, usize, *const c_void, usize, usize, usize, i32) -> i32;
    aclrtMemcpy2dAsync(Handle, usize, *const c_void, usize, usize, usize, i32, Handle) -> i32;
    aclmdlRICaptureGetInfo(Handle, *mut i32, *mut Handle) -> i32;
    aclrtMemcpyAsync(Handle, usize, *const c_void, usize, i32, Handle) -> i32;
    hc_live_allocations() -> u64;
    hc_live_bytes() -> u64;
    hc_soc_name() -> *const c_char;
    hc_soc_value(*const c_char, *const c_char) -> *const c_char;
    hc_soc_folder() -> *const c_char;
    hc_report_error(*const c_char, *const c_char);
    hc_note_failure(i32, *const c_char);
    hc_host_enter(*const c_char, *const c_char, *const c_void);
    hc_host_leave();
    hc_dtype_size(i32) -> i64;
    hc_cast_supported(i32, i32) -> i32;
    hc_vendor_count() -> usize;
    hc_vendor_dir(usize) -> *const c_char;
    hc_find_kernel(*const c_char, *const TensorType, usize, *const TensorType, usize, *mut Handle) -> i32;
    hc_op_vendor_dir(*const c_char) -> *const c_char;
    hc_plan_new() -> Handle;
    hc_plan_free(Handle);
    hc_plan_add_external(Handle, Handle) -> u32;
    hc_plan_add_workspace(Handle, u64) -> u32;
    hc_plan_add_host(Handle, *const c_void, u64) -> u32;
    hc_plan_set_address(Handle, u32, Handle);
    hc_plan_redirect(Handle, u32, u32, u64) -> i32;
    hc_plan_add_kernel(Handle, Handle, *const Launch, *const Operand, usize, *const Operand, usize) -> i32;
    hc_plan_add_copy(Handle, *const Strided, *const Strided, *const i64, u64, u64) -> i32;
    hc_plan_add_cast(Handle, *const Operand, i32, *const Operand, i32, u64) -> i32;
    hc_plan_add_call(
        Handle,
        *const c_char,
        Option<unsafe extern "C" fn(Handle, *const Handle, usize, *mut c_char, usize) -> i32>,
        Handle,
        Option<unsafe extern "C" fn(Handle)>,
        *const Operand,
        usize,
        *const Operand,
        usize
    ) -> i32;
    hc_plan_workspace_size(Handle) -> u64;
    hc_plan_node_count(Handle) -> usize;
    hc_plan_text(Handle) -> *const c_char;
    hc_plan_run(Handle, Handle, u64, Handle) -> i32;
    hc_stream_wait(Handle, *mut i32) -> i32;
    hc_observe(Option<unsafe extern "C" fn(Handle, u32, *const c_char)>, Handle) -> i32;
    aic_icpu_run(Kernel, *const c_char, u64, u32, *const Handle, u32, *const c_void, u32) -> i32;
    aic_last_error() -> *const c_char;
}

/// The library that cargo built for this test run.
pub fn built_library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let candidates = [deps.join("libascendcl.so"), deps.parent().unwrap().join("libascendcl.so")];
    let built = candidates.iter().filter(|p| p.exists());
    built.max_by_key(|p| p.metadata().unwrap().modified().unwrap()).expect("libascendcl.so beside the tests").clone()
}

pub fn manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path).canonicalize().unwrap()
}

/// Makes the parts of a toolkit root that the library itself needs.
pub fn make_root(root: &Path) {
    use std::os::unix::fs::symlink;
    std::fs::create_dir_all(root.join("lib64")).unwrap();
    std::fs::create_dir_all(root.join("data")).unwrap();
    symlink(built_library(), root.join("lib64/libascendcl.so")).unwrap();
    symlink(manifest("../soc"), root.join("data/platform_config")).unwrap();
    symlink(manifest("../include"), root.join("include")).unwrap();
}

/// A directory of this process for as long as it lives: statics are not dropped, so later processes remove what is left
/// of those that have ended.
pub fn kept_dir(name: &str) -> PathBuf {
    let mine = format!("runtime-{name}-");
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for entry in std::fs::read_dir(base).unwrap().flatten() {
        let file = entry.file_name();
        let process = file.to_str().and_then(|file| file.strip_prefix(&mine)?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // Another process may have been faster.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let dir = base.join(format!("{mine}{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).unwrap();
    dir
}

pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let dir = kept_dir("root");
        make_root(&dir);
        dir
    })
}

pub fn api() -> &'static Api {
    static API: OnceLock<(Library, Api)> = OnceLock::new();
    let (_, api) = API.get_or_init(|| {
        let path = root().join("lib64/libascendcl.so");
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.unwrap();
        let api = Api::load(&library);
        (library, api)
    });
    api
}

/// The library with device 0 set in this thread and no old messages.
pub fn ready() -> &'static Api {
    let api = api();
    assert_eq!(unsafe { (api.aclrtSetDevice)(0) }, 0);
    message();
    api
}

/// The recent messages, empty when there are none.
pub fn message() -> String {
    text(unsafe { (api().aclGetRecentErrMsg)() })
}

pub fn text(pointer: *const c_char) -> String {
    if pointer.is_null() { String::new() } else { unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned() }
}

pub struct DeviceBuffer(pub Handle);

impl DeviceBuffer {
    pub fn new(bytes: usize) -> DeviceBuffer {
        let mut pointer = null_mut();
        assert_eq!(unsafe { (api().aclrtMalloc)(&mut pointer, bytes, 0) }, 0);
        DeviceBuffer(pointer)
    }

    pub fn from<T: Copy>(values: &[T]) -> DeviceBuffer {
        let bytes = size_of_val(values);
        let buffer = DeviceBuffer::new(bytes.max(1));
        assert_eq!(unsafe { (api().aclrtMemcpy)(buffer.0, bytes, values.as_ptr().cast(), bytes, 1) }, 0);
        buffer
    }

    pub fn read<T: Copy + Default>(&self, count: usize) -> Vec<T> {
        let mut out = vec![T::default(); count];
        let bytes = size_of_val(&out[..]);
        assert_eq!(unsafe { (api().aclrtMemcpy)(out.as_mut_ptr().cast(), bytes, self.0, bytes, 2) }, 0);
        out
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        unsafe { (api().aclrtFree)(self.0) };
    }
}

pub struct Stream(pub Handle);

impl Stream {
    pub fn new() -> Stream {
        let mut stream = null_mut();
        assert_eq!(unsafe { (api().aclrtCreateStream)(&mut stream) }, 0);
        Stream(stream)
    }

    pub fn sync(&self) -> i32 {
        unsafe { (api().aclrtSynchronizeStream)(self.0) }
    }

    /// Whether all of its tasks are done; asks for no failure.
    pub fn is_done(&self) -> bool {
        let mut status = -1;
        assert_eq!(unsafe { (api().aclrtStreamQuery)(self.0, &mut status) }, 0);
        status == 0
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        unsafe { (api().aclrtDestroyStream)(self.0) };
    }
}

/// A host function that holds its stream until the gate is opened.
pub struct Gate(std::sync::Mutex<bool>, std::sync::Condvar);

impl Gate {
    pub fn close(stream: Handle) -> &'static Gate {
        let gate: &'static Gate = Box::leak(Box::new(Gate(Default::default(), Default::default())));
        unsafe extern "C" fn hold(gate: Handle) {
            let gate = unsafe { &*gate.cast::<Gate>() };
            let mut open = gate.0.lock().unwrap();
            while !*open {
                open = gate.1.wait(open).unwrap();
            }
        }
        let argument = std::ptr::from_ref(gate).cast_mut().cast();
        assert_eq!(unsafe { (api().aclrtLaunchHostFunc)(stream, Some(hold), argument) }, 0);
        gate
    }

    pub fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }
}

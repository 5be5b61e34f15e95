//! Kernel unit tests: a host program runs a kernel function on the same engine (`tikicpulib.h`).

use crate::engine::{Engine, KernelFn, Launch};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_void},
    sync::{Arc, OnceLock},
};

type Provider = dyn Fn() -> Result<Arc<Engine>, String> + Send + Sync;

static PROVIDER: OnceLock<Box<Provider>> = OnceLock::new();

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Says where `aic_icpu_run` finds its engine; the first call wins and returns true.
pub fn set_icpu_engine(provider: impl Fn() -> Result<Arc<Engine>, String> + Send + Sync + 'static) -> bool {
    PROVIDER.set(Box::new(provider)).is_ok()
}

fn run(
    kernel: Option<KernelFn>,
    name: &str,
    tiling_key: u64,
    block_dim: u32,
    args: &[*mut c_void],
) -> Result<(), String> {
    let kernel = kernel.ok_or("ICPU_RUN_KF: the kernel function is null. Fix: pass the kernel's name")?;
    let provider = PROVIDER
        .get()
        .ok_or("ICPU_RUN_KF: no engine is set up in this process. Fix: link libascendcl.so of the hostcann toolkit")?;
    provider()?.run(&Launch::new(kernel, name, tiling_key, block_dim, args)).map_err(|f| f.to_string())
}

/// Runs `kernel` over `block_dim` blocks. 0 on success; otherwise `aic_last_error` has the text.
///
/// # Safety
/// `name` is null or a C string; `args` points to `arg_num` pointers that fit the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn aic_icpu_run(
    kernel: Option<KernelFn>,
    name: *const c_char,
    tiling_key: u64,
    block_dim: u32,
    args: *const *mut c_void,
    arg_num: u32,
) -> i32 {
    let name = if name.is_null() { "kernel".into() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy() };
    let args = if args.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(args, arg_num as usize) } };
    match run(kernel, &name, tiling_key, block_dim, args) {
        Ok(()) => 0,
        Err(text) => {
            let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            LAST_ERROR.with(|e| *e.borrow_mut() = text);
            1
        }
    }
}

/// Text of the calling thread's last error; valid until its next call.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn aic_last_error() -> *const c_char {
    LAST_ERROR.with(|e| e.borrow().as_ptr())
}

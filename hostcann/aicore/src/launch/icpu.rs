//! Kernel unit tests: a host program runs a kernel function on the same engine (`tikicpulib.h`).

use crate::launch::engine::{Engine, KernelFn, Launch};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    ffi::{CStr, CString, c_char, c_void},
    ptr::null_mut,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

type Runner = dyn Fn(&Launch<'_>, &[Param]) -> Result<(), String> + Send + Sync;

static RUNNER: OnceLock<Box<Runner>> = OnceLock::new();

/// Address and size asked for of every block of GmAlloc.
static BLOCKS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// A parameter of a kernel function that is a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Param {
    /// Its place among all parameters.
    pub index: u32,
    pub address: *mut c_void,
}

/// Says who runs the launches of `aic_icpu_run`; the first call wins and returns true.
pub fn set_icpu_runner(runner: impl Fn(&Launch<'_>, &[Param]) -> Result<(), String> + Send + Sync + 'static) -> bool {
    RUNNER.set(Box::new(runner)).is_ok()
}

/// Says where `aic_icpu_run` finds its engine; the first call wins and returns true.
pub fn set_icpu_engine(provider: impl Fn() -> Result<Arc<Engine>, String> + Send + Sync + 'static) -> bool {
    set_icpu_runner(move |launch, _| provider()?.run(launch).map_err(|f| f.to_string()))
}

fn blocks() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Start and size of the blocks of GmAlloc that were not freed.
pub fn gm_blocks() -> Vec<(usize, usize)> {
    blocks().iter().map(|(base, bytes)| (*base, *bytes)).collect()
}

fn page() -> usize {
    // SAFETY: no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Bytes of a block in whole pages.
fn pages(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(page())
}

/// The parts of a block that nobody has touched since GmAlloc, as far as its pages tell.
pub fn gm_untouched(base: usize, bytes: usize) -> Vec<(usize, usize)> {
    let (page, Some(all)) = (page(), pages(bytes)) else { return Vec::new() };
    let mut resident = vec![1u8; all / page];
    // SAFETY: the block consists of so many pages, and there is a byte for each.
    if !blocks().contains_key(&base) || unsafe { libc::mincore(base as *mut c_void, all, resident.as_mut_ptr()) } != 0 {
        return Vec::new();
    }
    let part = |i: usize| (base + i * page, (base + bytes).min(base + (i + 1) * page));
    resident.iter().enumerate().filter(|(_, r)| **r & 1 == 0).map(|(i, _)| part(i)).collect()
}

/// GmAlloc: cleared pages of its own for every block; null when there is no memory.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn aic_gm_alloc(bytes: u64) -> *mut c_void {
    let Some((asked, all)) = usize::try_from(bytes).ok().and_then(|asked| Some((asked, pages(asked)?))) else {
        return null_mut();
    };
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping that touches no other memory.
    let block = unsafe { libc::mmap(null_mut(), all, access, kind, -1, 0) };
    if block == libc::MAP_FAILED {
        return null_mut();
    }
    // Huge pages would be touched as a whole. Without the advice fewer untouched bytes are seen.
    // SAFETY: the mapping that was just made.
    unsafe { libc::madvise(block, all, libc::MADV_NOHUGEPAGE) };
    blocks().insert(block as usize, asked);
    block
}

/// GmFree: 1 when the address is not the start of a live block.
///
/// # Safety
/// Nobody uses the block any more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn aic_gm_free(block: *mut c_void) -> i32 {
    if block.is_null() {
        return 0;
    }
    let known = blocks().remove(&(block as usize));
    match known.and_then(pages) {
        Some(all) => {
            // SAFETY: `aic_gm_alloc` made the mapping, and it has just left the list.
            unsafe { libc::munmap(block, all) };
            0
        }
        None => 1,
    }
}

fn run(
    kernel: Option<KernelFn>,
    name: &str,
    tiling_key: u64,
    block_dim: u32,
    args: &[*mut c_void],
    params: &[Param],
) -> Result<(), String> {
    let kernel = kernel.ok_or("ICPU_RUN_KF: the kernel function is null. Fix: pass the kernel's name")?;
    let runner = RUNNER
        .get()
        .ok_or("ICPU_RUN_KF: no engine is set up in this process. Fix: link libascendcl.so of the hostcann toolkit")?;
    runner(&Launch::new(kernel, name, tiling_key, block_dim, args), params)
}

/// An array of a C caller.
///
/// # Safety
/// `data` is null or valid for `len` elements.
unsafe fn slice<'a, T>(data: *const T, len: u32) -> &'a [T] {
    // SAFETY: not null, so valid by the caller's promise.
    if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, len as usize) } }
}

/// For host programs: runs `kernel` over `block_dim` blocks. 0 on success; otherwise `aic_last_error` has the text. `params`:
/// the pointers among the kernel's parameters; check mode bounds them by the blocks of `aic_gm_alloc`.
///
/// # Safety
/// `name` is null or a C string; `args` points to `arg_num` pointers that fit the kernel, `params` to `param_num`
/// descriptions of the pointers that the kernel gets.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn aic_icpu_run(
    kernel: Option<KernelFn>,
    name: *const c_char,
    tiling_key: u64,
    block_dim: u32,
    args: *const *mut c_void,
    arg_num: u32,
    params: *const Param,
    param_num: u32,
) -> i32 {
    // SAFETY: not null, so a C string by the caller's promise.
    let name = if name.is_null() { "kernel".into() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy() };
    // SAFETY: as promised by the caller.
    let (args, params) = unsafe { (slice(args, arg_num), slice(params, param_num)) };
    match run(kernel, &name, tiling_key, block_dim, args, params) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Any address may be given.
    fn free(block: *mut c_void) -> i32 {
        // SAFETY: only a block that was handed out is freed.
        unsafe { aic_gm_free(block) }
    }

    #[test]
    fn blocks_are_known_by_the_size_asked_for() {
        let block = aic_gm_alloc(100);
        assert!((block as usize).is_multiple_of(512));
        assert!(gm_blocks().contains(&(block as usize, 100)));
        assert_eq!(free(block.wrapping_byte_add(8)), 1);
        assert_eq!(free(block), 0);
        assert_eq!(free(block), 1);
        assert_eq!(free(null_mut()), 0);
        assert!(aic_gm_alloc(u64::MAX).is_null());
    }

    #[test]
    fn pages_that_nobody_touched() {
        let page = page();
        let block = aic_gm_alloc(2 * page as u64 + 100);
        let base = block as usize;
        assert_eq!(
            gm_untouched(base, 2 * page + 100),
            [(base, base + page), (base + page, base + 2 * page), (base + 2 * page, base + 2 * page + 100)]
        );
        // SAFETY: the block has two pages and more.
        unsafe { block.cast::<u8>().add(page + 7).write(0) };
        let left = [(base, base + page), (base + 2 * page, base + 2 * page + 100)];
        assert_eq!(gm_untouched(base, 2 * page + 100), left);
        assert_eq!(gm_untouched(base + 8, 100), [], "no block");
        assert_eq!(free(block), 0);
    }
}

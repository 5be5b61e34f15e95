//! Copies and fills between host and device memory.

use crate::base::failure::{Failure, Outcome, codes, status};
use crate::device::context::resolve;
use crate::device::memory::{Kind, Range, classify};
use crate::launch::shadow::{copy_written, first_unwritten, mark_written};
use std::ffi::c_void;

const INNER_DEVICE: i32 = 6;
const INTER_DEVICE: i32 = 7;

/// An address that crosses to a stream thread; the caller keeps the memory alive until the task has run.
#[derive(Clone, Copy)]
struct Address(*mut u8);
// SAFETY: the memory is only touched by the task, as the asynchronous functions require of their callers.
unsafe impl Send for Address {}

fn in_bounds(function: &str, name: &str, address: *const c_void, count: usize) -> Outcome {
    match classify(address as usize, count as u64) {
        Range::Overruns { base, size } => fail!(
            RT_PARAM_INVALID,
            "{function}: {name} {address:p} + {count} bytes runs over the end of the block {base:#x} of {size} bytes"
        ),
        Range::Unallocated => fail!(RT_PARAM_INVALID, "{function}: {name} {address:p} was freed or never allocated"),
        _ => Ok(()),
    }
}

/// Ok(false): nothing to copy.
fn check(function: &str, dst: *mut c_void, room: usize, src: *const c_void, count: usize, kind: i32) -> Outcome<bool> {
    if count == 0 {
        return Ok(false);
    }
    for (name, address) in [("dst", dst.cast_const()), ("src", src)] {
        if address.is_null() {
            return Err(Failure::null(function, name));
        }
    }
    if !(0..INNER_DEVICE).contains(&kind) {
        let hint = if kind == INNER_DEVICE || kind == INTER_DEVICE { "; use ACL_MEMCPY_DEVICE_TO_DEVICE" } else { "" };
        fail!(INVALID_PARAM, "{function}: kind {kind} is not supported, expected 0 to 5{hint}");
    }
    if count > room {
        fail!(RT_PARAM_INVALID, "{function}: count {count} is more than destMax {room}");
    }
    crate::device::context::current()?;
    in_bounds(function, "dst", dst, count)?;
    in_bounds(function, "src", src, count)?;
    Ok(dst.cast_const() != src)
}

/// Keeps the record of written device memory; a host that reads bytes nobody wrote gets a note.
fn copied(function: &str, dst: *mut u8, src: *const u8, count: usize) {
    if !crate::base::env::checking() {
        return;
    }
    let (to, from) = (dst as usize, src as usize);
    copy_written(to, from, count);
    if classify(to, count as u64) == Range::Inside(Kind::Device) {
        return;
    }
    if let Some(at) = first_unwritten(from, count) {
        let text = format!(
            "{function}: the host reads {count} bytes at {from:#x}, but byte {} of them was never written",
            at - from
        );
        crate::base::log::note("CHECK", &text);
    }
}

/// The direction follows from the addresses. Does not wait for streams.
///
/// # Safety
/// `dst` and `src` are null or valid for `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy(
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: i32,
) -> i32 {
    refuse_forked!();
    match check("aclrtMemcpy", dst, dest_max, src, count, kind) {
        Ok(false) => codes::SUCCESS,
        Ok(true) => {
            // SAFETY: non-null and valid for `count` bytes by contract; the ranges may overlap.
            unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast(), count) };
            copied("aclrtMemcpy", dst.cast(), src.cast(), count);
            codes::SUCCESS
        }
        Err(failure) => failure.raise(),
    }
}

/// Pageable source memory is read at once, as the driver's staging does; other memory when the stream gets there.
///
/// # Safety
/// `dst`, and `src` if it is device or pinned memory, stay valid for `count` bytes until the task has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsync(
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: i32,
    stream: *mut c_void,
) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    status(unsafe { queue("aclrtMemcpyAsync", dst, dest_max, src, count, kind, stream) })
}

/// # Safety
/// As `aclrtMemcpyAsync`.
unsafe fn queue(
    function: &'static str,
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: i32,
    stream: *mut c_void,
) -> Outcome {
    if !check(function, dst, dest_max, src, count, kind)? {
        return Ok(());
    }
    let to = Address(dst.cast());
    if classify(src as usize, count as u64) == Range::Unknown {
        // SAFETY: non-null and valid for `count` bytes by contract.
        let staged = unsafe { std::slice::from_raw_parts(src.cast::<u8>(), count) }.to_vec();
        return resolve(stream)?.submit(Box::new(move || {
            let to = to;
            in_bounds(function, "dst", to.0.cast(), count)?;
            // SAFETY: the caller keeps dst valid until the task has run.
            unsafe { std::ptr::copy_nonoverlapping(staged.as_ptr(), to.0, count) };
            copied(function, to.0, staged.as_ptr(), count);
            Ok(())
        }));
    }
    let from = Address(src.cast_mut().cast());
    resolve(stream)?.submit(Box::new(move || {
        let (to, from) = (to, from);
        in_bounds(function, "dst", to.0.cast(), count)?;
        in_bounds(function, "src", from.0.cast(), count)?;
        // SAFETY: the caller keeps both valid until the task has run.
        unsafe { std::ptr::copy(from.0, to.0, count) };
        copied(function, to.0, from.0, count);
        Ok(())
    }))
}

/// Rows of `width` bytes that begin every so many bytes, on both sides.
#[derive(Clone, Copy)]
struct Rows {
    dst: *mut u8,
    dst_pitch: usize,
    src: *const u8,
    src_pitch: usize,
    width: usize,
    height: usize,
}

impl Rows {
    /// Where each row goes and where it comes from.
    fn each(self, function: &str) -> Outcome<impl Iterator<Item = (*mut c_void, *const c_void)>> {
        for (name, pitch) in [("dpitch", self.dst_pitch), ("spitch", self.src_pitch)] {
            if self.width > pitch {
                fail!(RT_PARAM_INVALID, "{function}: width {} is more than {name} {pitch}", self.width);
            }
        }
        let Rows { dst, dst_pitch, src, src_pitch, height, .. } = self;
        Ok((0..height).map(move |row| {
            (dst.wrapping_add(row * dst_pitch).cast::<c_void>(), src.wrapping_add(row * src_pitch).cast::<c_void>())
        }))
    }
}

/// # Safety
/// Each row is valid as `aclrtMemcpy` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy2d(
    dst: *mut c_void,
    dst_pitch: usize,
    src: *const c_void,
    src_pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
) -> i32 {
    refuse_forked!();
    const NAME: &str = "aclrtMemcpy2d";
    let rows = Rows { dst: dst.cast(), dst_pitch, src: src.cast(), src_pitch, width, height };
    status(rows.each(NAME).and_then(|mut all| {
        all.try_for_each(|(to, from)| {
            if check(NAME, to, width, from, width, kind)? {
                // SAFETY: non-null and valid for `width` bytes by contract; the ranges may overlap.
                unsafe { std::ptr::copy(from.cast::<u8>(), to.cast(), width) };
                copied(NAME, to.cast(), from.cast(), width);
            }
            Ok(())
        })
    }))
}

/// # Safety
/// Each row is valid as `aclrtMemcpyAsync` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy2dAsync(
    dst: *mut c_void,
    dst_pitch: usize,
    src: *const c_void,
    src_pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
    stream: *mut c_void,
) -> i32 {
    refuse_forked!();
    const NAME: &str = "aclrtMemcpy2dAsync";
    let rows = Rows { dst: dst.cast(), dst_pitch, src: src.cast(), src_pitch, width, height };
    status(rows.each(NAME).and_then(|mut all| {
        // SAFETY: by this function's contract.
        all.try_for_each(|(to, from)| unsafe { queue(NAME, to, width, from, width, kind, stream) })
    }))
}

fn check_fill(function: &str, address: *mut c_void, room: usize, count: usize) -> Outcome {
    if address.is_null() {
        return Err(Failure::null(function, "devPtr"));
    }
    if count > room {
        fail!(RT_PARAM_INVALID, "{function}: count {count} is more than maxCount {room}");
    }
    if count > 0 {
        crate::device::context::current()?;
    }
    in_bounds(function, "devPtr", address, count)
}

/// # Safety
/// `dev_ptr` is null or valid for `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemset(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize) -> i32 {
    refuse_forked!();
    status(check_fill("aclrtMemset", dev_ptr, max_count, count).map(|()| {
        // SAFETY: non-null and valid for `count` bytes by contract.
        unsafe { dev_ptr.cast::<u8>().write_bytes(value as u8, count) };
        mark_written(dev_ptr as usize, count);
    }))
}

/// # Safety
/// `dev_ptr` stays valid for `count` bytes until the task has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetAsync(
    dev_ptr: *mut c_void,
    max_count: usize,
    value: i32,
    count: usize,
    stream: *mut c_void,
) -> i32 {
    refuse_forked!();
    let queue = || {
        check_fill("aclrtMemsetAsync", dev_ptr, max_count, count)?;
        let to = Address(dev_ptr.cast());
        resolve(stream)?.submit(Box::new(move || {
            let to = to;
            in_bounds("aclrtMemsetAsync", "devPtr", to.0.cast(), count)?;
            // SAFETY: the caller keeps the memory valid until the task has run.
            unsafe { to.0.write_bytes(value as u8, count) };
            mark_written(to.0 as usize, count);
            Ok(())
        }))
    };
    status(queue())
}

//! The record of device bytes that were ever written, kept only in check mode.

use crate::device::memory::shadow_at;
use crate::plan::bound::Bound;
use crate::plan::copy::StridedCopy;

/// The bytes at `address` have been written. Nothing happens unless a shadow is kept.
pub fn mark_written(address: usize, bytes: usize) {
    if let Some((shadow, base)) = shadow_at(address) {
        shadow.mark(address - base, bytes);
    }
}

/// The address of the first of these bytes that was never written.
pub fn first_unwritten(address: usize, bytes: usize) -> Option<usize> {
    let (shadow, base) = shadow_at(address)?;
    shadow.first_unwritten(address - base, bytes).map(|at| base + at)
}

/// For every byte of a range, 1 if it counts as written.
pub fn written_map(address: usize, bytes: usize) -> Vec<u8> {
    match shadow_at(address) {
        Some((shadow, base)) => (0..bytes).map(|i| u8::from(shadow.get(address - base + i))).collect(),
        None => vec![1; bytes],
    }
}

/// Takes over what `written_map` gave.
pub fn set_written_map(address: usize, map: &[u8]) {
    if let Some((shadow, base)) = shadow_at(address) {
        for (i, &written) in map.iter().enumerate() {
            shadow.set(address - base + i, written != 0);
        }
    }
}

/// `dst` received a copy of `src`: what was never written stays so.
pub fn copy_written(dst: usize, src: usize, bytes: usize) {
    if shadow_at(dst).is_none() {
        return;
    }
    match first_unwritten(src, bytes) {
        None => mark_written(dst, bytes),
        Some(_) => set_written_map(dst, &written_map(src, bytes)),
    }
}

/// After a strided copy: the same copy over a byte per byte of both sides.
pub fn copied_strided(copy: &StridedCopy, dst: &Bound, src: &Bound) {
    let mut to = written_map(dst.address, dst.bytes as usize);
    let from = written_map(src.address, src.bytes as usize);
    // SAFETY: the maps have the lengths of the operands, whose extents were checked for this copy.
    unsafe { copy.run(to.as_mut_ptr(), from.as_ptr()) };
    set_written_map(dst.address, &to);
}

/// After a cast of `count` elements; each side with the bytes of its element. A result is written if all of its source
/// is.
pub fn cast_elements(dst: (&Bound, usize), src: (&Bound, usize), count: usize) {
    let from = written_map(src.0.address, count * src.1);
    let to: Vec<u8> = from.chunks(src.1).flat_map(|e| vec![u8::from(e.iter().all(|&b| b != 0)); dst.1]).collect();
    set_written_map(dst.0.address, &to);
}

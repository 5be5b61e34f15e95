//! The record of device bytes that were ever written, kept only in check mode.

use crate::memory::shadow_at;

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

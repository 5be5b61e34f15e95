//! Device memory: one reserved range of addresses per process, so that a device address never means host memory and
//! using a freed block is noticed instead of damaging the host heap.

use std::collections::BTreeMap;
use std::ptr::null_mut;

/// The documentation promises 64; L2 lines are 512 bytes.
const ALIGNMENT: usize = 512;
/// Pages become usable in steps of this size.
const STEP: usize = 64 << 20;
/// Freed blocks from this size on give their pages back to the host.
const RETURNED: usize = 32 << 20;
const PAGE: usize = 4096;
/// A host with a limit on addresses gets a smaller range, but not less than this.
const SMALLEST: usize = 1 << 30;

pub struct Arena {
    base: usize,
    size: usize,
    usable: usize,
    /// Offset and length of the gaps.
    free: BTreeMap<usize, usize>,
}

impl Arena {
    /// None: the host gives no addresses.
    pub fn reserve(mut size: usize) -> Option<Arena> {
        size = size.next_multiple_of(STEP);
        loop {
            // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
            let base = unsafe {
                libc::mmap(null_mut(), size, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
            };
            if base != libc::MAP_FAILED {
                return Some(Arena { base: base as usize, size, usable: 0, free: BTreeMap::from([(0, size)]) });
            }
            size = (size / 2).next_multiple_of(STEP);
            if size < SMALLEST {
                return None;
            }
        }
    }

    pub fn contains(&self, address: usize) -> bool {
        (self.base..self.base + self.size).contains(&address)
    }

    /// Lowest gap that fits.
    pub fn allocate(&mut self, bytes: usize) -> Option<usize> {
        let bytes = bytes.checked_next_multiple_of(ALIGNMENT)?;
        let (&offset, &length) = self.free.iter().find(|(_, length)| **length >= bytes)?;
        let end = offset + bytes;
        if end > self.usable {
            let usable = end.next_multiple_of(STEP).min(self.size);
            // SAFETY: the range lies in the mapping made by `reserve`.
            let done = unsafe {
                libc::mprotect(
                    (self.base + self.usable) as *mut libc::c_void,
                    usable - self.usable,
                    libc::PROT_READ | libc::PROT_WRITE,
                )
            };
            if done != 0 {
                return None;
            }
            self.usable = usable;
        }
        self.free.remove(&offset);
        if length > bytes {
            self.free.insert(end, length - bytes);
        }
        Some(self.base + offset)
    }

    /// `address` and `bytes` are those of an allocation that is still in place.
    pub fn release(&mut self, address: usize, bytes: usize) {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        if bytes >= RETURNED {
            let (from, to) = (address.next_multiple_of(PAGE), (address + bytes) / PAGE * PAGE);
            // SAFETY: whole pages of the freed block; their contents are not needed any more. Failure only means
            // that the host keeps the pages.
            unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_DONTNEED) };
        }
        let (mut offset, mut length) = (address - self.base, bytes);
        if let Some((&before, &len)) = self.free.range(..offset).next_back()
            && before + len == offset
        {
            self.free.remove(&before);
            (offset, length) = (before, len + length);
        }
        if let Some(after) = self.free.remove(&(offset + length)) {
            length += after;
        }
        self.free.insert(offset, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_reused_and_gaps_merge() {
        let mut arena = Arena::reserve(STEP).unwrap();
        let whole = arena.free.clone();
        let a = arena.allocate(1).unwrap();
        let b = arena.allocate(513).unwrap();
        let c = arena.allocate(512).unwrap();
        assert_eq!((b - a, c - b, a % 512), (512, 1024, 0));
        assert_eq!(arena.allocate(STEP), None);
        arena.release(b, 513);
        assert_eq!(arena.allocate(1024), Some(b), "the gap is filled first");
        for (address, bytes) in [(a, 1), (c, 512), (b, 1024)] {
            arena.release(address, bytes);
        }
        assert_eq!(arena.free, whole);
        assert!(arena.contains(a) && !arena.contains(a + STEP));
    }

    #[test]
    fn returned_pages_are_usable_again() {
        let mut arena = Arena::reserve(2 * STEP).unwrap();
        for _ in 0..2 {
            let block = arena.allocate(RETURNED).unwrap() as *mut u8;
            // SAFETY: the block has RETURNED bytes and nobody else uses it.
            unsafe {
                block.write_bytes(0x5a, RETURNED);
                assert_eq!(block.add(RETURNED - 1).read(), 0x5a);
            }
            arena.release(block as usize, RETURNED);
        }
    }
}

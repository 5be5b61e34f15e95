//! What a launch reads of its tiling data: needed to say whether bytes that nobody wrote matter.

use crate::base::{
    fault::{FaultClass, Raise},
    pipe::Pipe,
};
use std::sync::{Mutex, PoisonError};

/// The tiling data of one launch and the reads of its blocks.
#[derive(Debug)]
pub struct TilingUse {
    base: usize,
    bytes: usize,
    reads: Mutex<Reads>,
}

/// What the blocks have read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Per byte: read, and not padding of the struct it was read as.
    pub significant: Vec<bool>,
    /// End of the furthest read.
    pub end: usize,
    /// A pointer was handed out: what is read through it is not seen.
    pub pointer: bool,
}

impl TilingUse {
    /// Tiling data of `bytes` bytes at `base`.
    pub fn new(base: usize, bytes: usize) -> TilingUse {
        let reads = Reads { significant: vec![false; bytes], end: 0, pointer: false };
        TilingUse { base, bytes, reads: Mutex::new(reads) }
    }

    /// Address and length of the tiling data.
    pub fn range(&self) -> (usize, usize) {
        (self.base, self.bytes)
    }

    pub fn reads(&self) -> Reads {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A struct is read at `address`; `padding` has a nonzero byte for every byte of it that is padding.
    pub(crate) fn read(&self, address: usize, bytes: usize, padding: Option<&[u8]>) -> Result<(), Raise> {
        let Some(from) = address.checked_sub(self.base).filter(|&from| from <= self.bytes) else {
            return Ok(()); // not the tiling argument: a copy of it, or a test's own struct
        };
        if from + bytes > self.bytes {
            let what = "the kernel's struct is larger than the tiling data";
            return Err(Raise::new(FaultClass::Tiling, Pipe::S, "GET_TILING_DATA", what)
                .silent()
                .operand("tiling")
                .expected(format!("at most {}, the bytes of tiling data there are", self.bytes))
                .got(format!("bytes {from} to {}", from + bytes))
                .fix("use one header for the struct in op_host and op_kernel; the tiling data's size is that of the struct"));
        }
        let mut reads = self.lock();
        reads.end = reads.end.max(from + bytes);
        for (i, byte) in reads.significant[from..from + bytes].iter_mut().enumerate() {
            *byte |= padding.is_none_or(|p| p[i] == 0);
        }
        Ok(())
    }

    pub(crate) fn pointer(&self) {
        self.lock().pointer = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_leave_out_padding_and_are_bounded() {
        let data = TilingUse::new(1000, 16);
        data.read(1000, 8, Some(&[0, 0, 0, 0, 1, 1, 0, 0])).unwrap();
        data.read(1012, 2, None).unwrap();
        data.read(5000, 8, None).unwrap();
        let reads = data.reads();
        let want: Vec<usize> = vec![0, 1, 2, 3, 6, 7, 12, 13];
        assert_eq!((0..16).filter(|&i| reads.significant[i]).collect::<Vec<_>>(), want);
        assert_eq!((reads.end, reads.pointer), (14, false));
        let raise = data.read(1012, 8, None).unwrap_err();
        assert_eq!(raise.class, FaultClass::Tiling);
        assert!(raise.expected.contains("most 16,") && raise.got == "bytes 12 to 20", "{raise:?}");
    }
}

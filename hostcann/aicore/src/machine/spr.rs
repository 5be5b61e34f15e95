//! Special registers that instructions leave results in or take operands from.

use crate::base::{fault::Raise, ins::Spr, pipe::Pipe, switches::Saturation};

/// The control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ctrl(pub u64);

impl Ctrl {
    /// Set: infinity and NaN stay. Clear: half and bfloat16 results saturate.
    const FLOAT: u64 = 1 << 48;
    /// Set: integer arithmetic saturates.
    const INT: u64 = 1 << 53;
    /// Set: conversions to integers keep the low bits. Clear: they saturate.
    const CAST: u64 = 1 << 59;

    /// Conversions to integers saturate and integer arithmetic wraps, in either mode: only a kernel changes these.
    pub fn initial(saturation: Saturation) -> Ctrl {
        match saturation {
            Saturation::InfNan => Ctrl(Ctrl::FLOAT),
            Saturation::Saturate => Ctrl(0),
        }
    }
    /// Whether half and bfloat16 results saturate.
    #[inline]
    pub fn float_saturates(self) -> bool {
        self.0 & Ctrl::FLOAT == 0
    }
    #[inline]
    pub fn int_saturates(self) -> bool {
        self.0 & Ctrl::INT != 0
    }
    #[inline]
    pub fn cast_wraps(self) -> bool {
        self.0 & Ctrl::CAST != 0
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SprFile {
    /// Elements the last GatherMask kept.
    pub rsvd_cnt: u64,
    /// Bits of the last ReduceSum over a count.
    pub acc_val: u64,
    /// Bits of the last extreme, and its index.
    pub max_min: [u64; 2],
    /// Elements the last MrgSort took from each queue.
    pub mrg_sort: [u16; 4],
    /// CMPMASK: lane bits of the last Compare without a destination, or what SetCmpMask put there.
    pub cmp_mask: [u64; 2],
    /// Addresses of the blocks that the next TransDataTo5HD writes and reads.
    pub address_lists: [[u64; 16]; 2],
}

impl SprFile {
    pub fn read(&self, which: u32) -> Result<u64, Raise> {
        match Spr::from_code(which) {
            Some(Spr::RsvdCnt) => Ok(self.rsvd_cnt),
            Some(Spr::AccVal) => Ok(self.acc_val),
            Some(Spr::MaxMin) => Ok(self.max_min[0]),
            Some(Spr::MaxMinIndex) => Ok(self.max_min[1]),
            Some(Spr::MrgSort) => Ok(self.mrg_sort.iter().rev().fold(0, |bits, n| bits << 16 | *n as u64)),
            None => Err(Raise::unsupported(Pipe::S, &format!("special register {which}"))),
        }
    }
}

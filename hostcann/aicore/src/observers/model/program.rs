//! A launch as it was recorded: for every block the instructions in program order, each described once.

use super::{result::BufferAt, work::VectorWork};
use crate::{
    base::{ins::Dtype, pipe::Pipe, site::Site},
    machine::{event::HardEvent, observe::Product},
};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// One kind of step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepKind {
    Vector(VectorWork),
    Copy(CopyWork),
    SetFlag {
        event: HardEvent,
        id: i32,
    },
    WaitFlag {
        event: HardEvent,
        id: i32,
    },
    Barrier(Pipe),
    SyncAll,
    CrossSet {
        pipe: Pipe,
        flag: u32,
    },
    CrossWait {
        flag: u32,
    },
    /// A word in global memory is written for another core.
    Post(Word),
    /// The core waits until a word was written so often.
    Until {
        word: Word,
        count: usize,
    },
    /// The core waits for a multiplication of the cube core.
    Product(Product),
    /// The scalar unit waits for an earlier instruction, as the compiler makes it do.
    Await,
    Scalar(Scalar),
}

/// A word in global memory by which cores order each other, and whether it goes there or back. No result depends on where it
/// lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pub at: usize,
    pub back: bool,
}

/// What the scalar unit does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    Alloc,
    Enque,
    Deque,
    Free,
    Mask,
    UbRead,
    UbWrite,
    GmAccess,
    CleanCache,
    /// GET_TILING_DATA.
    Tiling,
    /// Looks at a word that another core writes, and writes one.
    Look,
    Signal,
}

impl Scalar {
    /// A call of a TQue.
    pub fn is_queue(self) -> bool {
        matches!(self, Scalar::Alloc | Scalar::Enque | Scalar::Deque | Scalar::Free)
    }

    pub fn name(self) -> &'static str {
        match self {
            Scalar::Alloc => "AllocTensor",
            Scalar::Enque => "EnQue",
            Scalar::Deque => "DeQue",
            Scalar::Free => "FreeTensor",
            Scalar::Mask => "SetMask",
            Scalar::UbRead => "GetValue",
            Scalar::UbWrite => "SetValue",
            Scalar::GmAccess => "GlobalTensor access",
            Scalar::CleanCache => "DataCacheCleanAndInvalid",
            Scalar::Tiling => "GET_TILING_DATA",
            Scalar::Look => "read of another core's word",
            Scalar::Signal => "write of a word for other cores",
        }
    }
}

/// What L2CacheHint says of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cache {
    Normal,
    /// Past the L2.
    Bypass,
}

/// A copy, apart from its address in global memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CopyWork {
    pub pipe: Pipe,
    pub dtype: Dtype,
    pub pad: bool,
    pub rows: u32,
    pub row_bytes: u32,
    /// Bytes from row to row in global memory.
    pub pitch: u64,
    pub cache: Cache,
}

impl CopyWork {
    pub fn bytes(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.row_bytes)
    }
}

/// A step and the call of the kernel that makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StepInfo {
    pub site: Site,
    pub what: StepKind,
}

/// One step of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub info: u32,
    /// Copies and accesses to global memory: index into `places`. WaitFlag: index of the SetFlag's op. Await: that of the
    /// instruction. AllocTensor and FreeTensor: bytes. GET_TILING_DATA: lines that the block had not read.
    pub more: u32,
}

/// `more` of a WaitFlag whose flag was set by nobody.
pub(super) const NOBODY: u32 = u32::MAX;

/// An address in global memory: an argument and the bytes from the start of its first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GmAddress {
    pub region: u32,
    pub offset: u64,
}

/// Bytes of a line of the L2.
pub(super) const LINE: u64 = 512;

/// Bytes of a line of the scalar unit's data cache.
pub(super) const DATA_LINE: u64 = 64;

/// `region` of an address in no argument.
pub(super) const NO_ARGUMENT: u32 = u32::MAX;

/// What one block did.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub index: u32,
    pub ops: Vec<Op>,
    pub places: Vec<GmAddress>,
    pub buffers: Vec<BufferAt>,
    /// It went past the data cache, as often as another core let it wait.
    pub bypass: bool,
    /// Bytes of the tiling data that it copied.
    pub tiling: u64,
}

impl Block {
    /// What TBufs take of the unified buffer. After a reset of the pipe others may lie where they were.
    pub fn tbuf_bytes(&self) -> u64 {
        let tbufs = self.buffers.iter().filter(|b| !b.queue);
        let from_to = |b: &BufferAt| (u64::from(b.addr), u64::from(b.addr) + u64::from(b.bytes) * u64::from(b.num));
        union(&mut tbufs.map(from_to).collect())
    }
}

/// Everything that was recorded of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub infos: Table<StepInfo>,
    /// By index; a block that ended with a fault may be missing.
    pub blocks: Vec<Block>,
}

impl Program {
    /// Whether a cube core takes part: each core of the launch is one of its own then.
    pub fn multiplies(&self) -> bool {
        self.infos.list().iter().any(|info| matches!(info.what, StepKind::Product(_)))
    }

    /// Takes in a block whose infos are numbered by its own table.
    pub fn add(&mut self, mut block: Block, infos: Table<StepInfo>) {
        let new: Vec<u32> = infos.into_list().into_iter().map(|i| self.infos.number(i)).collect();
        block.ops.iter_mut().for_each(|op| op.info = new[op.info as usize]);
        self.blocks.push(block);
    }
}

/// Sorts ranges and counts what they cover.
pub(super) fn union(ranges: &mut Vec<(u64, u64)>) -> u64 {
    ranges.sort_unstable();
    let mut covered = 0;
    let mut end = 0;
    for (from, to) in ranges.drain(..) {
        covered += to.saturating_sub(from.max(end));
        end = end.max(to);
    }
    covered
}

/// Numbers for equal values.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    list: Vec<T>,
    numbers: HashMap<T, u32, BuildHasherDefault<Mix>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { list: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(n) = self.numbers.get(&value) {
            return *n;
        }
        let n = self.list.len() as u32;
        self.list.push(value.clone());
        self.numbers.insert(value, n);
        n
    }

    pub fn list(&self) -> &[T] {
        &self.list
    }

    fn into_list(self) -> Vec<T> {
        self.list
    }
}

/// A quick hash of a few words.
#[derive(Clone, Copy, Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u16(&mut self, n: u16) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(26) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

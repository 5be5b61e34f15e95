//! The one seam of the core: every step passes here in program order, and whoever wants to know implements [`Observer`].
//!
//! Checker, statistics and trace log are observers; a timing model is another one. The units declare what they do and
//! know none of them. While nobody observes, a step costs one branch.

pub use crate::base::ins::GmAccess;

use crate::{
    base::{
        fault::{Fault, Raise},
        ins::{CopyIns, Dtype, Operand},
        mask::MaskRegs,
        pipe::Pipe,
        site::Site,
        spec::CoreSpec,
    },
    instruction::{shape::Shape, vector::Vector},
    machine::{atomic::Atomic, event::HardEvent},
};
use std::{ffi::c_void, sync::Arc};

/// How an instruction touches an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// An address in global memory as a place behind an argument of the kernel: the one that starts last before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAt {
    pub argument: usize,
    pub offset: usize,
}

/// What a core tells another, or waits for. Addresses are of words in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// IBSet, and IBWait, on a word.
    Set(usize),
    Wait(usize),
    /// InitDetermineComputeWorkspace.
    Turns,
    /// WaitPreBlock: `core` of `cores` waits for the one before it.
    WaitTurn {
        gm: usize,
        core: u32,
        cores: u32,
    },
    /// NotifyNextBlock.
    EndTurn {
        gm: usize,
        core: u32,
    },
    /// GroupBarrier: Arrive at every slot, and Wait for so many arrivals at one.
    Arrive {
        gm: usize,
        slots: u32,
        stride: usize,
    },
    Reach {
        at: usize,
        arrivals: u32,
    },
    /// CrossCoreSetFlag of mode 1 or 2, which joins cores of a block.
    Flag {
        pipe: Pipe,
        flag: u32,
    },
    /// ReadGmByPassDCache and WriteGmByPassDCache; a kernel may read again and again until another core has written.
    Bypass,
}

/// A multiplication of a Matmul object, as far as its time depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    pub dtype: Dtype,
    /// SetHF32.
    pub hf32: bool,
    /// M, N and K, and the base block.
    pub size: [u32; 3],
    pub base: [u32; 3],
    /// Bytes of A and of B that lie in a row where they are copied to L1.
    pub row: [u32; 2],
    /// The object multiplies for the first time since Init.
    pub is_first: bool,
    /// The rows of B that a column of blocks needs stay in L1.
    pub b_stays: bool,
    /// Bytes of an element of C.
    pub out: u32,
    /// Vector cores that share the cube core.
    pub share: u32,
}

/// Where an element of a sorted list comes from: the places of its score and of its index in the unified buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorted {
    pub score: u32,
    pub index: u32,
}

/// One step of a core.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The kernel function is about to be called.
    Enter,
    /// A vector instruction is issued and finds these mask registers. Its operands follow, then [`Step::Done`].
    Vector {
        ins: &'a Vector,
        mask: MaskRegs,
    },
    /// A copy is issued. Its operands follow, then [`Step::Done`].
    Copy {
        ins: &'a CopyIns,
        gm: Option<TensorAt>,
        atomic: Option<Atomic>,
    },
    /// A Matmul object moves rows of a matrix. Where they lie follows, then [`Step::Done`].
    Matmul {
        ins: &'a CopyIns,
        atomic: Option<Atomic>,
    },
    /// It has multiplied.
    Product(Product),
    /// The core has waited for its Matmul object.
    MatmulWaited,
    /// An operand of the current instruction in the unified buffer, and which of its bytes are touched.
    Operand {
        name: &'static str,
        operand: Operand,
        shape: Shape,
        access: Access,
    },
    /// The global side of the current copy.
    Global {
        addr: usize,
        shape: Shape,
        access: Access,
    },
    /// Sort32 or MrgSort has put these in this order, `together` of them are compared with each other. Those at the end that
    /// its result has no room for were compared only.
    Sorted {
        from: &'a [Sorted],
        together: usize,
    },
    /// The current instruction uses the reserved area at the top of the unified buffer.
    Reserved,
    /// A rule is broken where the device goes on, and so does this core.
    Broken(&'a Raise),
    /// The current instruction has run.
    Done,
    /// A high-level function is called; its instructions follow. Operands without bytes are not there.
    Call {
        name: &'a str,
        operands: [Operand; 3],
        tmp: Operand,
        /// Bytes of `tmp` that the function's page asks for at least.
        tmp_document: u32,
        /// dst may be a source.
        in_place: bool,
        /// It may not, and the device's function has read every source by the time it writes its place.
        reads_first: bool,
    },
    /// SetMaskCount and SetMaskNorm.
    MaskMode {
        counter: bool,
    },
    /// SetVectorMask.
    MaskSet {
        bits: [u64; 2],
    },
    /// ResetMask.
    MaskReset,
    /// What Compare or SetCmpMask has put into the CMPMASK register.
    CmpMask {
        bits: [u64; 2],
    },
    /// SetAtomic…: what later copies to global memory do.
    Atomic(Option<Atomic>),
    SetFlag {
        event: HardEvent,
        id: i32,
    },
    WaitFlag {
        event: HardEvent,
        id: i32,
    },
    /// AllocEventID, also by a queue.
    EventTaken {
        event: HardEvent,
        id: i32,
    },
    EventReleased {
        event: HardEvent,
        id: i32,
    },
    Barrier(Pipe),
    /// The core is at a meeting with the others; its own pipes are done.
    SyncAll,
    /// CrossCoreSetFlag of all cores: what the pipe has done so far comes before the flag.
    CrossSet {
        pipe: Pipe,
        flag: u32,
    },
    /// CrossCoreWaitFlag; the core waits after this.
    CrossWait {
        flag: u32,
    },
    /// A scalar read of global memory after DataCacheCleanAndInvalid of its line: what another core has stored is seen.
    Polled {
        addr: usize,
        bytes: u32,
    },
    /// The words of a workspace that SyncAll counts in, before it does.
    Cleared {
        gm: usize,
        bytes: usize,
    },
    /// A call that orders some cores of the launch and not all. It is made before the core waits.
    Paired(Pair),
    /// GetValue and SetValue of a LocalTensor.
    UbScalar {
        operand: Operand,
        write: bool,
    },
    /// GetValue, SetValue and operator() of a GlobalTensor.
    GmScalar {
        addr: usize,
        gm: Option<TensorAt>,
        bytes: u32,
        access: GmAccess,
    },
    /// CheckLocalMemoryIA: blocks of 32 bytes behind `start` up to `end`, and the accesses that raise an exception.
    LocalWatch {
        register: u32,
        start: u32,
        end: u32,
        kinds: u32,
    },
    /// DataCacheCleanAndInvalid of the line at an address, or of the whole cache.
    CleanCache {
        addr: Option<usize>,
        gm: Option<TensorAt>,
    },
    /// GET_TILING_DATA; 0 bytes hand out a pointer.
    Tiling {
        bytes: usize,
        at: usize,
    },
    /// TPipe; a second one while one is alive is legal here.
    PipeOpen,
    /// A TPipe ends; its last flags are waited for after this.
    PipeClose,
    /// InitBuffer: `num` buffers of `bytes` each, for a queue or a TBuf.
    InitBuffer {
        queue: bool,
        addr: u32,
        num: u32,
        bytes: u32,
    },
    /// PopStackBuffer.
    StackBuffer {
        addr: u32,
        bytes: u32,
        /// It is Fill's, which fills global memory through it.
        fills: bool,
    },
    /// The flags of a queue follow its call. The upper half of a handle is the queue's number.
    AllocTensor {
        handle: u32,
        addr: u32,
        bytes: u32,
        /// Of the tensor's operands.
        lease: u32,
    },
    EnQue {
        handle: u32,
    },
    DeQue {
        handle: u32,
    },
    FreeTensor {
        handle: u32,
        addr: u32,
        bytes: u32,
    },
    /// The kernel function has returned, with these flags set and an event id allocated if there is one.
    End {
        flags: &'a [(HardEvent, i32)],
        event: Option<(HardEvent, i32)>,
    },
}

/// Watches the steps of one block; an error stops the block like any other fault.
pub trait Observer {
    /// `site`: the kernel's call that makes the step.
    ///
    /// # Errors
    ///
    /// An error of the observer is a fault of this step: the block stops with it.
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise>;
}

/// One block of a launch.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    pub kernel: &'a str,
    pub index: u32,
    pub blocks: u32,
    pub tiling_key: u64,
    pub spec: &'a CoreSpec,
    /// What the kernel function is called with, see `Launch::addresses`.
    pub args: &'a [*mut c_void],
    /// The unified buffer; valid as long as the block runs.
    pub ub: *const u8,
    /// Address of the kernel function.
    pub entry: usize,
}

/// Watches the blocks of one launch.
pub trait WatchLaunch: Send + Sync {
    /// Whether it needs a block to run. A block that nobody who watches wants is skipped, and with it its results.
    fn wants(&self, index: u32) -> bool {
        let _ = index;
        true
    }

    /// Asked once, when all blocks that were wanted have ended without a fault: whether others are needed after all. `wants`
    /// is asked again then, and must not want a block that ran.
    fn wants_more(&self) -> bool {
        false
    }

    /// The observer of a block, made on the thread that runs the block and dropped when the block has ended.
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>>;

    /// Every block has ended, with this fault if there is one.
    ///
    /// # Errors
    ///
    /// An error becomes the launch's fault, unless the launch has one already.
    fn end(&self, fault: Option<&Fault>) -> Result<(), Fault> {
        let _ = fault;
        Ok(())
    }
}

/// Watches launches.
pub trait Watch: Send + Sync {
    /// A launch of `blocks` blocks is about to start.
    fn launch(&self, kernel: &str, tiling_key: u64, blocks: u32) -> Option<Arc<dyn WatchLaunch>>;
}

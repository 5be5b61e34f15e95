//! What the model says of a launch. All times are cycles of a vector core unless a name says µs.

use crate::base::{pipe::Pipe, site::Site};
use serde::Serialize;
use std::sync::Arc;

/// The times of one launch.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LaunchTime {
    pub kernel: String,
    pub tiling_key: u64,
    pub soc: String,
    pub caches: Caches,
    pub blocks: u32,
    /// Cores that have a block.
    pub cores: u32,
    pub clock_mhz: f64,
    pub task_us: f64,
    /// From the start of the first core to the end of the last.
    pub cycles: f64,
    /// Some blocks were not simulated but take the time of others.
    pub extrapolated: bool,
    pub simulated_blocks: u32,
    pub bound: Bound,
    pub core: Vec<CoreTime>,
    pub traffic: Traffic,
    /// Lanes of vector instructions, wider ones counted as lanes of 32 bits.
    pub vector_lanes: f64,
    /// Largest first.
    pub conflicts: Vec<Conflict>,
    pub error: ErrorBar,
    /// Where the launch uses about as much as the L2 has.
    pub l2_edge: Option<L2Edge>,
    /// Bytes of tiling data that every block copies.
    pub tiling_bytes: u64,
    /// What the model could not do or assumed.
    pub notes: Vec<String>,
}

/// What the caches hold of a launch before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Caches {
    /// Data and code: the launch has run before.
    #[default]
    Warm,
    /// Data in the L2, no code in the cores: a launch after other kernels, as an eager framework makes it.
    Eager,
    /// Neither.
    Cold,
}

impl Caches {
    pub const ALL: [Caches; 3] = [Caches::Warm, Caches::Eager, Caches::Cold];

    pub fn name(self) -> &'static str {
        match self {
            Caches::Warm => "warm",
            Caches::Eager => "eager",
            Caches::Cold => "cold",
        }
    }
}

/// How far the model is off for launches of this kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ErrorBar {
    pub class: &'static str,
    /// The mean error where somebody has measured such launches; None: no error is known.
    pub percent: Option<f64>,
    pub source: String,
}

/// A launch whose data just fits into the L2, or just does not: its time lies between these two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct L2Edge {
    /// What it uses, as a part of the L2.
    pub part: f64,
    /// Task Duration if all of the L2 can be used, and if only a part of it can.
    pub fits_us: f64,
    pub misses_us: f64,
}

/// What a launch spends its time on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    #[default]
    Launch,
    Imbalance,
    Memory,
    Vector,
    Scalar,
}

/// The times of one core.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CoreTime {
    pub core: u32,
    pub blocks: Vec<u32>,
    pub start: f64,
    pub end: f64,
    pub busy: Busy,
    pub instructions: Counts,
    pub read: u64,
    pub written: u64,
    pub conflict_cycles: f64,
    /// In order of issue; only when asked for.
    pub ops: Vec<OpTime>,
    /// From when to when every block is entered; only when asked for.
    pub entries: Vec<(f64, f64)>,
    /// Bytes of the unified buffer that TBufs and living tensors of queues hold; only when asked for.
    pub ub: Vec<UbUse>,
    pub buffers: Vec<BufferAt>,
}

impl CoreTime {
    pub fn cycles(&self) -> f64 {
        self.end - self.start
    }
}

/// Cycles in which a pipe has an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Busy {
    pub scalar: f64,
    pub vector: f64,
    pub mte2: f64,
    pub mte3: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub vector: u64,
    pub mte2: u64,
    pub mte3: u64,
    pub flags: u64,
}

/// Bytes of the whole launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Traffic {
    /// Moved by copies into and out of the unified buffers.
    pub read: u64,
    pub written: u64,
    /// Read bytes that were in the L2.
    pub l2_hit: f64,
    pub hbm_read: f64,
    pub hbm_written: f64,
}

/// One instruction on its pipe.
#[derive(Clone, Debug, Serialize)]
pub struct OpTime {
    #[serde(serialize_with = "pipe_name")]
    pub pipe: Pipe,
    pub name: Arc<str>,
    pub start: f64,
    pub end: f64,
    /// When the scalar unit had issued it.
    pub issued: f64,
    #[serde(skip)]
    pub site: Site,
    pub kind: OpKind,
    /// The instruction that it had to wait for: index into the core's `ops`.
    pub waited_for: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum OpKind {
    Vector { repeats: u64, ii: f64, fixed: f64, conflict_cycles: f64 },
    Copy { bytes: u64, bursts: u32, argument: Option<u32>, offset: u64 },
    SetFlag,
    WaitFlag,
    Barrier,
    Scalar,
    Queue,
    SyncAll,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UbUse {
    pub at: f64,
    pub bytes: u64,
}

/// What InitBuffer made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct BufferAt {
    pub addr: u32,
    /// Of one buffer; the next begins after it.
    pub bytes: u32,
    pub num: u32,
    pub queue: bool,
    #[serde(skip)]
    pub site: Site,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ConflictKind {
    /// Two sources in one bank group.
    ReadRead,
    /// A destination in the bank of a source, out of step.
    ReadWrite,
    /// Blocks of one operand in one bank group.
    Stride,
}

/// Bank conflicts of one call of the kernel, summed over the launch.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    #[serde(skip)]
    pub site: Site,
    pub instruction: String,
    pub kind: ConflictKind,
    /// Names and addresses of the two that meet; one twice where only its own blocks do.
    pub operands: [(&'static str, u32); 2],
    pub instructions: u64,
    pub repeats: u64,
    pub cycles: f64,
}

impl Conflict {
    /// Whether operands at other addresses would not meet: not where an instruction reads one tensor twice.
    pub fn avoidable(&self) -> bool {
        self.kind != ConflictKind::ReadRead || self.operands[0].1 != self.operands[1].1
    }
}

fn pipe_name<S: serde::Serializer>(pipe: &Pipe, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(pipe.name())
}

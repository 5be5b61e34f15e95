//! What the toolkit's timing model says of one launch: a line of JSON in the file of `HOSTCANN_SIM`.

use serde_json::{Map, Value};

use super::object::objects;

objects! {
    /// The prediction of a launch; nothing is measured. Times are in cycles of the core's clock unless their name says
    /// otherwise.
    pub struct Launch {
        /// Name of the kernel
        pub kernel: String,
        /// Not of a kernel that the program launches itself
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub op: Option<LaunchOp>,
        /// Tiling key
        pub tiling_key: u64,
        /// Name of the chip
        pub soc: String,
        /// `warm`, `eager` or `cold`
        pub mode: String,
        /// Blocks of the launch
        pub blocks: u32,
        /// Blocks that were simulated; the times of the others are those of blocks like them
        pub simulated: u32,
        /// AI cores of the chip, each with up to two vector cores
        #[serde(default)]
        pub ai_cores: u32,
        /// Clock of a core, in MHz
        pub mhz: f64,
        /// From the start of the task to its end, in µs
        pub task_us: f64,
        /// The part of `task_us` in which no core runs, in µs
        pub launch_us: f64,
        /// What the launch is bound by
        pub bound: String,
        /// Cores that ran
        pub cores: Vec<LaunchCore>,
        /// Traffic with global memory
        pub bytes: LaunchBytes,
        /// Lanes that vector instructions computed, a lane of 16 bits as half of one
        pub vec_ops: f64,
        /// What the chip can do
        pub roofs: Roofs,
        /// Conflicts of banks in the unified buffer
        #[serde(default)]
        pub conflicts: Vec<Conflict>,
        /// What source lines cost on the slowest core
        #[serde(default)]
        pub lines: Vec<LaunchLine>,
        /// The launch without one of its costs
        #[serde(default)]
        pub what_if: Vec<WhatIf>,
        /// Instructions, only of cores that were asked for; empty in reports
        #[serde(default)]
        pub trace: Vec<CoreTrace>,
        /// Size of the unified buffer, in bytes
        pub ub_size: u32,
        /// How far the model is off for such launches
        #[serde(default)]
        pub error: Option<ErrorBar>,
        /// Where the launch uses about as much as the L2 has
        #[serde(default)]
        pub l2_edge: Option<L2Edge>,
        /// Bytes of tiling data that every block copies
        #[serde(default)]
        pub tiling_bytes: u64,
        /// What the model could not do, or assumed
        #[serde(default)]
        pub notes: Vec<String>,
    }

    /// The operator of a launch.
    pub struct LaunchOp {
        /// OpType
        #[serde(rename = "type")]
        pub kind: String,
        /// Its tensors
        pub tensors: Vec<LaunchTensor>,
    }

    /// A tensor of an operator's launch.
    pub struct LaunchTensor {
        /// For example `input 0 (x1)`
        pub name: String,
        /// Null: a list, or not known
        pub dtype: Option<String>,
        /// Null: a list, or not known
        pub shape: Option<Vec<i64>>,
    }

    /// A core and the cycles in which its pipes have an instruction.
    pub struct LaunchCore {
        /// Its number
        pub core: u32,
        /// From its start to its end
        pub cycles: f64,
        /// Cycles of the vector unit
        pub vec: f64,
        /// Cycles of the scalar unit
        pub scalar: f64,
        /// Cycles of copies into the core
        pub mte2: f64,
        /// Cycles of copies out of the core
        pub mte3: f64,
    }

    /// Bytes that went between the cores and global memory, and where they were found.
    pub struct LaunchBytes {
        /// Read by cores
        pub read: u64,
        /// Written by cores
        pub write: u64,
        /// Of those read: found in the L2
        pub l2_hit: u64,
        /// Read from the memory
        pub hbm_read: u64,
        /// Written to the memory
        pub hbm_write: u64,
    }

    /// What the chip can do.
    #[serde(default)]
    pub struct Roofs {
        /// Lanes of 32 bits, 10^9 a second
        pub vec_gops: f64,
        /// L2, in GB/s
        pub l2_gbs: f64,
        /// Memory, in GB/s
        pub hbm_gbs: f64,
        /// Time of a launch of as many blocks that do nothing, in µs
        pub empty_us: f64,
        /// Reads from the L2, in GB/s
        pub l2_read_gbs: f64,
        /// Writes to the L2, in GB/s
        pub l2_write_gbs: f64,
        /// Writes to the memory, in GB/s
        pub hbm_write_gbs: f64,
        /// Copies into all cores, in GB/s
        pub cores_read_gbs: f64,
        /// Copies out of all cores, in GB/s
        pub cores_write_gbs: f64,
        /// Both directions together, in GB/s
        pub cores_gbs: f64,
        /// What all AI cores together can read, in GB/s
        pub pairs_read_gbs: f64,
        /// Size of the L2, in bytes
        pub l2_bytes: u64,
        /// Part of the foreign lines of a cold L2 that have to be written back
        pub l2_cold_dirty: f64,
    }

    /// Two operands of the instructions of a line that meet in the banks of the unified buffer.
    pub struct Conflict {
        /// The instruction
        pub op: String,
        /// `read-read`, `read-write` or `stride`
        pub kind: String,
        /// `file:line`
        #[serde(default)]
        pub line: Option<String>,
        /// The two operands
        pub operands: [String; 2],
        /// Where the first of them lie, as addresses in the unified buffer
        pub at: [u32; 2],
        /// Repeats that meet
        pub repeats: u64,
        /// Cycles that they lose
        pub cycles: f64,
    }

    /// What a source line costs on the slowest core.
    pub struct LaunchLine {
        /// `file:line`
        pub line: String,
        /// Its pipe
        pub pipe: String,
        /// Number of instructions
        pub instructions: u64,
        /// Cycles of them
        pub cycles: f64,
    }

    /// The launch without one of its costs.
    pub struct WhatIf {
        /// Which cost
        pub kind: String,
        /// `file:line` that it is about
        #[serde(default)]
        pub line: Option<String>,
        /// Time of the task without it, in µs
        pub task_us: f64,
        /// Of a change of the tile
        #[serde(default)]
        pub tiles: Option<Tiles>,
    }

    /// Tiles of another size, as far as the unified buffer has room.
    pub struct Tiles {
        /// How many times as large
        pub factor: f64,
        /// Tiles of the slowest core
        pub now: u64,
        /// Tiles of the slowest core with the other size
        pub then: u64,
        /// Free bytes of the unified buffer
        pub free: u64,
    }

    /// Instructions of a core.
    pub struct CoreTrace {
        /// Number of the core
        pub core: u32,
        /// Instructions
        pub events: Vec<TraceEvent>,
        /// Who waits for whom
        #[serde(default)]
        pub flows: Vec<Flow>,
        /// Bytes of the unified buffer that tensors hold, from a cycle on
        #[serde(default)]
        pub ub: Vec<(f64, u64)>,
        /// Buffers of TPipe
        #[serde(default)]
        pub buffers: Vec<Buffer>,
    }

    /// An instruction on its pipe.
    pub struct TraceEvent {
        /// Its pipe
        pub pipe: String,
        /// Its name
        pub name: String,
        /// Its first cycle
        pub start: f64,
        /// The cycle after its last
        pub end: f64,
        /// `file:line`
        #[serde(default)]
        pub line: Option<String>,
        /// Further facts by name
        #[serde(default)]
        pub args: Map<String, Value>,
    }

    /// From the instruction that something waits for to what waits: two of the events, by number.
    pub struct Flow {
        /// What is waited for
        pub name: String,
        /// Number of the event that is waited for
        pub from: usize,
        /// Number of the event that waits
        pub to: usize,
    }

    /// A buffer of TPipe.
    pub struct Buffer {
        /// Address in the unified buffer
        pub addr: u32,
        /// Its size in bytes
        pub bytes: u32,
        /// Its name
        pub name: String,
    }

    /// The class of a launch and the mean error of the model in it.
    pub struct ErrorBar {
        /// The class
        pub class: String,
        /// Mean error in percent; null where none is known
        pub percent: Option<f64>,
        /// Where the error is from
        pub source: String,
    }

    /// Between two times: with all of the L2, and with a part of it.
    pub struct L2Edge {
        /// Bytes in use by bytes of the L2
        pub part: f64,
        /// Time where all fits, in µs
        pub fits_us: f64,
        /// Time where it does not, in µs
        pub misses_us: f64,
    }
}

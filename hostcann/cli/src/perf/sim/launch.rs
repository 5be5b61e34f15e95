//! What the toolkit's timing model says of one launch: a line of JSON in the file of `HOSTCANN_SIM`.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::base::diag::{HintExt, Kind, failed};

pub use super::error_bar::{ErrorBar, L2Edge};

/// A program and its launches, in the order in which they ended.
pub struct Run {
    pub program: String,
    pub launches: Vec<Launch>,
}

/// Predictions, none of them measured. Times in cycles of the core's clock unless their name says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    pub kernel: String,
    /// None: a kernel that the program launches itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
    pub tiling_key: u64,
    pub soc: String,
    /// `warm`, `eager` or `cold`
    pub mode: String,
    pub blocks: u32,
    /// Blocks that were simulated; the times of the others are those of blocks like them.
    pub simulated: u32,
    /// Of the chip, each with up to two vector cores
    #[serde(default)]
    pub ai_cores: u32,
    pub mhz: f64,
    /// From the start of the task to its end
    pub task_us: f64,
    /// The part of it in which no core runs
    pub launch_us: f64,
    pub bound: String,
    pub cores: Vec<Core>,
    pub bytes: Bytes,
    /// Lanes that vector instructions computed, a lane of 16 bits as half of one
    pub vec_ops: f64,
    pub roofs: Roofs,
    #[serde(default)]
    pub conflicts: Vec<Conflict>,
    /// What source lines cost on the slowest core
    #[serde(default)]
    pub lines: Vec<Line>,
    /// The launch without one of its costs
    #[serde(default)]
    pub what_if: Vec<WhatIf>,
    /// Only of cores that were asked for
    #[serde(default)]
    pub trace: Vec<CoreTrace>,
    /// Of the unified buffer
    pub ub_size: u32,
    /// How far the model is off for such launches
    #[serde(default)]
    pub error: Option<ErrorBar>,
    /// Where the launch uses about as much as the L2 has
    #[serde(default)]
    pub l2_edge: Option<L2Edge>,
    /// That every block copies
    #[serde(default)]
    pub tiling_bytes: u64,
    /// What the model could not do, or assumed
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The operator of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Op {
    #[serde(rename = "type")]
    pub kind: String,
    pub tensors: Vec<Tensor>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tensor {
    /// `input 0 (x1)`
    pub name: String,
    /// None: a list, or not known
    pub dtype: Option<String>,
    pub shape: Option<Vec<i64>>,
}

impl Tensor {
    /// `float32[4, 1]`
    fn text(&self) -> String {
        let dtype = self.dtype.as_deref().unwrap_or("?");
        let dims = |shape: &Vec<i64>| shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        match &self.shape {
            Some(shape) => format!("{dtype}[{}]", dims(shape)),
            None => dtype.to_owned(),
        }
    }
}

/// A core and the cycles in which its pipes have an instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Core {
    pub core: u32,
    pub cycles: f64,
    pub vec: f64,
    pub scalar: f64,
    pub mte2: f64,
    pub mte3: f64,
}

/// What went between the cores and global memory, and where it was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bytes {
    pub read: u64,
    pub write: u64,
    /// Of those read: found in the L2
    pub l2_hit: u64,
    pub hbm_read: u64,
    pub hbm_write: u64,
}

/// What the chip can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Roofs {
    /// Lanes of 32 bits, 10^9 a second
    pub vec_gops: f64,
    pub l2_gbs: f64,
    pub hbm_gbs: f64,
    /// A launch of as many blocks that do nothing
    pub empty_us: f64,
    pub l2_read_gbs: f64,
    pub l2_write_gbs: f64,
    pub hbm_write_gbs: f64,
    /// The engines of all cores, and both directions together
    pub cores_read_gbs: f64,
    pub cores_write_gbs: f64,
    pub cores_gbs: f64,
    /// What all AI cores together can read
    pub pairs_read_gbs: f64,
    pub l2_bytes: u64,
    /// Part of the foreign lines of a cold L2 that have to be written back
    pub l2_cold_dirty: f64,
}

/// Two operands of the instructions of a line that meet in the banks of the unified buffer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    pub op: String,
    /// `read-read`, `read-write` or `stride`
    pub kind: String,
    #[serde(default)]
    pub line: Option<String>,
    pub operands: [String; 2],
    /// Where the first of them lie
    pub at: [u32; 2],
    pub repeats: u64,
    /// Lost by them
    pub cycles: f64,
}

impl Conflict {
    /// Who meets: two operands, or the blocks of one.
    pub fn operands_text(&self) -> String {
        let [(one, a), (other, b)] = [0, 1].map(|i| (&self.operands[i], self.at[i]));
        let both = format!("{one} at {a:#07x}, {other} at {b:#07x}");
        match self.kind.as_str() {
            "stride" if one == other => format!("{one} at {a:#07x}, by its stride"),
            "stride" => format!("{both}, each by its stride"),
            _ => both,
        }
    }

    /// Whether another place would help: an instruction that reads one tensor twice has no other.
    pub fn avoidable(&self) -> bool {
        self.kind != "read-read" || self.at[0] != self.at[1]
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub line: String,
    pub pipe: String,
    pub instructions: u64,
    pub cycles: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    pub kind: String,
    #[serde(default)]
    pub line: Option<String>,
    pub task_us: f64,
    #[serde(default)]
    pub tiles: Option<Tiles>,
}

/// Tiles of another size, as far as the unified buffer has room.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tiles {
    pub factor: f64,
    /// Of the slowest core
    pub now: u64,
    pub then: u64,
    /// Bytes of the unified buffer
    pub free: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreTrace {
    pub core: u32,
    pub events: Vec<Event>,
    #[serde(default)]
    pub flows: Vec<Flow>,
    /// Bytes of the unified buffer that tensors hold, from a cycle on
    #[serde(default)]
    pub ub: Vec<(f64, u64)>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
}

impl CoreTrace {
    /// Cycles between the start of the task and that of the core, where its own time begins.
    pub fn before(&self) -> f64 {
        self.events.iter().map(|event| -event.start).fold(0.0, f64::max)
    }
}

/// An instruction on its pipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub pipe: String,
    pub name: String,
    pub start: f64,
    pub end: f64,
    #[serde(default)]
    pub line: Option<String>,
    #[serde(default)]
    pub args: serde_json::Map<String, serde_json::Value>,
}

/// From the instruction that something waits for to what waits: two of the events, by number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    pub name: String,
    pub from: usize,
    pub to: usize,
}

/// A buffer of TPipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    pub addr: u32,
    pub bytes: u32,
    pub name: String,
}

/// Instead of a launch: the model cannot say what it costs.
#[derive(Deserialize)]
struct Unknown {
    kernel: String,
    error: String,
}

/// All lines of a file; a line that is cut off or foreign is a mistake of ours, not the user's.
pub fn read(text: &str) -> Result<Vec<Launch>> {
    let parse = |(at, line): (usize, &str)| {
        if let Ok(Unknown { kernel, error }) = serde_json::from_str(line) {
            return Err(failed(Kind::Tests, format!("the model cannot say what {kernel} costs: {error}"))
                .hint("its parameters are those of `cargo xtask sim --params`"));
        }
        serde_json::from_str(line)
            .with_context(|| format!("line {} of the model's file is not what is expected", at + 1))
    };
    text.lines().enumerate().map(parse).collect()
}

/// Smallest, mean and largest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub mean: f64,
    pub max: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Spread {
        let count = values.clone().count();
        if count == 0 {
            return Spread::default();
        }
        let mean = values.clone().sum::<f64>() / count as f64;
        let (min, max) = (values.clone().fold(f64::MAX, f64::min), values.fold(f64::MIN, f64::max));
        // Sums are rounded: of equal values the mean can be another one.
        Spread { min, mean: mean.max(min).min(max), max }
    }
}

/// The pipes of a vector core, by msprof's names.
pub const PIPES: [&str; 4] = ["aiv_vec", "aiv_scalar", "aiv_mte2", "aiv_mte3"];

impl Core {
    /// Busy cycles in the order of [`PIPES`].
    pub fn busy(&self) -> [f64; 4] {
        [self.vec, self.scalar, self.mte2, self.mte3]
    }
}

impl Launch {
    /// The Task Duration in µs, or the two that it lies between: `13.76`, `21.40 to 178.60`.
    pub fn us_text(&self) -> String {
        match &self.l2_edge {
            Some(edge) => format!("{:.2} to {:.2}", edge.fits_us, edge.misses_us),
            None => format!("{:.2}", self.task_us),
        }
    }

    /// By how much every time of the launch is off in the mean of its class; empty where nothing was said.
    pub fn error_text(&self) -> String {
        self.error.as_ref().map_or(String::new(), ErrorBar::text)
    }

    /// The longer of two times near the size of the L2, otherwise the only one.
    pub fn longest_us(&self) -> f64 {
        self.l2_edge.as_ref().map_or(self.task_us, |edge| edge.misses_us)
    }
}

impl Launch {
    pub fn us(&self, cycles: f64) -> f64 {
        if self.mhz > 0.0 { cycles / self.mhz } else { 0.0 }
    }

    /// The operator's name, or that of the kernel without the digits that make it unique.
    pub fn name(&self) -> String {
        if let Some(op) = &self.op {
            return op.kind.clone();
        }
        let is_hash = |part: &&str| part.len() == 32 && part.bytes().all(|b| b.is_ascii_hexdigit());
        self.kernel.split('_').filter(|part| !is_hash(part)).collect::<Vec<_>>().join("_")
    }

    /// `float32[4, 1], float32[4] -> float32[4, 4]`; empty where nobody knows.
    pub fn tensors(&self) -> String {
        let of = |kind: &str| {
            let tensors = self.op.iter().flat_map(|op| &op.tensors).filter(|tensor| tensor.name.starts_with(kind));
            tensors.map(Tensor::text).collect::<Vec<_>>().join(", ")
        };
        match (of("input"), of("output")) {
            (inputs, outputs) if inputs.is_empty() && outputs.is_empty() => String::new(),
            (inputs, outputs) => format!("{inputs} -> {outputs}"),
        }
    }

    /// From the first to the last instruction of a core, over all cores.
    pub fn core_us(&self) -> Spread {
        Spread::of(self.cores.iter().map(|core| self.us(core.cycles)))
    }

    /// Busy time of a pipe, over all cores.
    pub fn pipe_us(&self, pipe: usize) -> Spread {
        Spread::of(self.cores.iter().map(|core| self.us(core.busy()[pipe])))
    }

    /// Mean busy time of a pipe by mean time of a core.
    pub fn pipe_ratio(&self, pipe: usize) -> f64 {
        let core = self.core_us().mean;
        if core > 0.0 { self.pipe_us(pipe).mean / core } else { 0.0 }
    }

    /// 10^9 bytes a second over the whole task.
    pub fn gbs(&self, bytes: u64) -> f64 {
        if self.task_us > 0.0 { bytes as f64 / self.task_us / 1e3 } else { 0.0 }
    }

    /// Part of the task's time that a change saves.
    pub fn gain(&self, what: &WhatIf) -> f64 {
        if self.task_us > 0.0 { (self.task_us - what.task_us) / self.task_us } else { 0.0 }
    }

    /// Whether all that tables say is the same; timelines also hold which tensor a copy was for.
    pub fn same_as(&self, other: &Launch) -> bool {
        self.without_trace() == other.without_trace()
    }

    pub fn without_trace(&self) -> Launch {
        Launch { trace: Vec::new(), ..self.clone() }
    }
}

#[cfg(test)]
#[path = "launch_tests.rs"]
pub mod tests;

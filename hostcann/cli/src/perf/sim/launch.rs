//! What the toolkit's timing model says of one launch: a line of JSON in the file of `HOSTCANN_SIM`.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::diag::{HintExt, Kind, failed};

pub use crate::base::report::{
    Buffer, Conflict, CoreTrace, ErrorBar, Flow, L2Edge, Launch, LaunchBytes as Bytes, LaunchCore as Core,
    LaunchLine as Line, LaunchOp as Op, LaunchTensor as Tensor, Roofs, Tiles, TraceEvent as Event, WhatIf,
};

/// A program and its launches, in the order in which they ended.
pub struct Run {
    pub program: String,
    pub launches: Vec<Launch>,
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

impl CoreTrace {
    /// Cycles between the start of the task and that of the core, where its own time begins.
    pub fn before(&self) -> f64 {
        self.events.iter().map(|event| -event.start).fold(0.0, f64::max)
    }
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

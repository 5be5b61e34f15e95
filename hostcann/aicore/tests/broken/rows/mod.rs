//! The table: one row per pair of kernels.

mod copies;
mod limits;
mod matmul;
mod memory;
mod pipes;
mod queues;
mod tensors;

use aicore::{FaultClass, Pipe, Severity};

/// A broken kernel and its right twin.
pub struct Row {
    pub kernel: &'static str,
    pub class: FaultClass,
    pub severity: Severity,
    pub pipe: Pipe,
    pub instruction: &'static str,
    /// Parts of the text: operand, byte range, what to do.
    pub words: &'static [&'static str],
    /// Core the fault must name, where only some cores fail.
    pub core: Option<u32>,
    pub cores: u32,
    pub length: usize,
    pub tile: u32,
    /// As compiled without --cce-auto-sync=off.
    pub auto_sync: bool,
    /// Output of the right twin.
    pub want: fn(usize) -> Vec<f32>,
}

pub fn row(
    kernel: &'static str,
    class: FaultClass,
    pipe: Pipe,
    instruction: &'static str,
    words: &'static [&'static str],
) -> Row {
    Row {
        kernel,
        class,
        severity: Severity::Error,
        pipe,
        instruction,
        words,
        core: None,
        cores: 1,
        length: 1000,
        tile: 256,
        auto_sync: true,
        want: sum,
    }
}

impl Row {
    /// A rule whose breach has no effect: a finding of strict mode, a note otherwise.
    pub fn rule(mut self) -> Row {
        self.severity = Severity::Rule;
        self
    }
    pub fn size(mut self, length: usize, tile: u32) -> Row {
        (self.length, self.tile) = (length, tile);
        self
    }
    pub fn on(mut self, cores: u32) -> Row {
        self.cores = cores;
        self
    }
    /// On several cores, where only this one fails.
    pub fn cores(mut self, cores: u32, core: u32) -> Row {
        (self.cores, self.core) = (cores, Some(core));
        self
    }
    pub fn without_auto_sync(mut self) -> Row {
        self.auto_sync = false;
        self
    }
    pub fn want(mut self, want: fn(usize) -> Vec<f32>) -> Row {
        self.want = want;
        self
    }
}

/// What the output holds before the launch.
pub const UNTOUCHED: f32 = -12345.0;

/// First input: small integers, so that every result is exact.
pub fn x1(i: usize) -> f32 {
    (i % 97 + 1) as f32
}
/// Second input.
pub fn x2(i: usize) -> f32 {
    (i % 13 + 2) as f32
}

fn sum(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i) + x2(i)).collect()
}

/// Every source file with its rows.
pub fn all() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("events.cpp", queues::events()),
        ("queues.cpp", queues::rows()),
        ("limits.cpp", limits::rows()),
        ("copies.cpp", copies::rows()),
        ("pipes.cpp", pipes::manual()),
        ("order.cpp", pipes::order()),
        ("autosync.cpp", pipes::without_auto_sync()),
        ("unwritten.cpp", memory::unwritten()),
        ("bounds.cpp", memory::bounds()),
        ("cores.cpp", memory::cores()),
        ("state.cpp", memory::state()),
        ("tensors.cpp", tensors::rows()),
        ("matmul.cpp", matmul::rows()),
    ]
}

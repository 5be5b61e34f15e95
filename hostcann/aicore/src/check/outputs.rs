//! Results that no core wrote.

use super::{Extent, LaunchInfo, Role};
use crate::{
    fault::{FaultClass, Raise},
    pipe::Pipe,
    shadow::Shadow,
};

/// A result and what the launch has written of it.
struct Output {
    base: usize,
    written: Shadow,
    /// Its bytes before the launch: what changed without a step was written through a pointer.
    before: Vec<u8>,
}

pub(crate) struct Outputs(Vec<Output>);

fn meet(a: &Extent, b: &Extent) -> bool {
    a.base < b.end() && b.base < a.end()
}

/// What an extent holds while no block runs.
fn bytes(e: &Extent) -> &[u8] {
    // SAFETY: extents describe memory that the launch may use, and nothing else runs on it.
    unsafe { std::slice::from_raw_parts(e.base as *const u8, e.bytes) }
}

impl Outputs {
    /// The results that share no memory with an input or another result.
    pub fn of(info: &LaunchInfo) -> Outputs {
        if info.options.allow.contains(&FaultClass::OutputUnwritten) {
            return Outputs(Vec::new());
        }
        let alone = |e: &Extent| info.extents.iter().filter(|o| meet(e, o)).count() == 1;
        let whole = info.extents.iter().filter(|e| e.role == Role::Output && e.bytes > 0 && alone(e));
        let output = |e: &Extent| Output { base: e.base, written: Shadow::new(e.bytes), before: bytes(e).to_vec() };
        Outputs(whole.map(output).collect())
    }

    /// A core writes these bytes.
    pub fn cover(&self, start: usize, end: usize) {
        for o in &self.0 {
            let (from, to) = (start.max(o.base), end.min(o.base + o.written.len()));
            if from < to {
                o.written.mark(from - o.base, to - from);
            }
        }
    }

    /// The first byte that nobody wrote.
    pub fn missing(&self, info: &LaunchInfo) -> Option<Raise> {
        self.0.iter().find_map(|o| {
            let start = o.written.first_unwritten(0, o.written.len())?;
            let extent = info.extents.iter().find(|e| e.base == o.base && e.role == Role::Output)?;
            let after = bytes(extent);
            let same = |at: &usize| !o.written.get(*at) && after[*at] == o.before[*at];
            let first = (start..after.len()).find(same)?;
            let count = (first..after.len()).filter(same).count();
            Some(
                Raise::new(
                    FaultClass::OutputUnwritten,
                    Pipe::S,
                    "kernel end",
                    "a part of the result was written by no core",
                )
                .operand(&extent.name)
                .expected(format!("all of its {} bytes written", after.len()))
                .got(format!("byte {first} and {} more as they were before the launch", count - 1))
                .fix("write every element, or clear the output first (InitOutput, or InitValue in the OpDef)"),
            )
        })
    }
}

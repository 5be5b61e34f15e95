//! Results that no core wrote, and what was written between their elements.

use super::{Extent, LaunchInfo, Role};
use crate::base::{
    fault::{FaultClass, Raise},
    pipe::Pipe,
    shadow::Shadow,
};

/// A result and what the launch has written of it.
struct Output {
    base: usize,
    written: Shadow,
    /// Its elements, where some bytes are none's.
    elements: Option<Shadow>,
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
        let output = |e: &Extent| {
            let strided = info.elements.iter().find(|(base, _)| *base == e.base);
            Output {
                base: e.base,
                written: Shadow::new(e.bytes),
                elements: strided.map(|(_, elements)| elements.marked(e.bytes)),
                before: bytes(e).to_vec(),
            }
        };
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

    /// What the launch has left wrong in a result.
    pub fn judge(&self, info: &LaunchInfo) -> impl Iterator<Item = Raise> {
        self.0.iter().filter_map(|o| {
            let extent = info.extents.iter().find(|e| e.base == o.base && e.role == Role::Output)?;
            o.spoiled(extent).or_else(|| o.missing(extent))
        })
    }
}

impl Output {
    /// The first byte between elements that is not as it was.
    fn spoiled(&self, extent: &Extent) -> Option<Raise> {
        let (elements, after) = (self.elements.as_ref()?, bytes(extent));
        let spoiled = |at: &usize| !elements.get(*at) && after[*at] != self.before[*at];
        let first = (0..after.len()).find(spoiled)?;
        let count = (first..after.len()).filter(spoiled).count();
        Some(
            Raise::new(
                FaultClass::GmBounds,
                Pipe::S,
                "kernel end",
                "bytes between the elements of a strided result were changed; they belong to another tensor",
            )
            .operand(&extent.name)
            .expected("only the bytes of its elements written")
            .got(format!("byte {first} and {} more that are no element's", count - 1))
            .fix("copy row by row with the strides of the view (DataCopyExtParams: blockLen, dstStride)"),
        )
    }

    /// The first byte of an element that nobody wrote.
    fn missing(&self, extent: &Extent) -> Option<Raise> {
        let start = self.written.first_unwritten(0, self.written.len())?;
        let after = bytes(extent);
        let wanted = |at: usize| self.elements.as_ref().is_none_or(|elements| elements.get(at));
        let same = |at: &usize| wanted(*at) && !self.written.get(*at) && after[*at] == self.before[*at];
        let first = (start..after.len()).find(same)?;
        let count = (first..after.len()).filter(same).count();
        let all = match &self.elements {
            None => format!("all of its {} bytes written", after.len()),
            Some(_) => "every element written".to_owned(),
        };
        Some(
            Raise::new(
                FaultClass::OutputUnwritten,
                Pipe::S,
                "kernel end",
                "a part of the result was written by no core",
            )
            .operand(&extent.name)
            .expected(all)
            .got(format!("byte {first} and {} more as they were before the launch", count - 1))
            .fix("write every element, or clear the output first (InitOutput, or InitValue in the OpDef)"),
        )
    }
}

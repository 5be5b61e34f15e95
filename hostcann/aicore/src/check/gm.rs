//! Global memory as a core sees it: bounds, order, and which bytes hold a value.

use super::{
    Checker, Extent,
    launch::{Kind, Span},
    order::{self, Id},
    unordered,
};
use crate::{
    fault::{FaultClass, Raise},
    ins::CopyIns,
    lanes::BLOCK,
    observe::Access,
    pipe::Pipe,
    shape::Shape,
};

impl Checker {
    /// The extent that an access belongs to: the one that reaches farthest among those that hold its first byte.
    fn extent(&self, addr: usize, write: bool) -> Option<&Extent> {
        let holds = |e: &&Extent| e.base <= addr && addr < e.base + e.bytes;
        let all = self.launch.info.extents.iter().filter(holds);
        all.max_by_key(|e| (e.writable || !write, e.base + e.bytes))
    }

    /// A read may run to the end of the storage rounded up to a block, which aclrtMalloc pads; a write may not.
    pub(super) fn in_extent(
        &self,
        pipe: Pipe,
        name: &dyn Fn() -> String,
        start: usize,
        end: usize,
        write: bool,
    ) -> Result<(), Raise> {
        if self.launch.info.extents.is_empty() {
            return Ok(());
        }
        let raise = |what: &str| Raise::new(FaultClass::GmBounds, pipe, name(), what).operand("GlobalTensor");
        let Some(e) = self.extent(start, write) else {
            return self.found(
                raise("access outside of every tensor of the launch")
                    .expected("an address inside an input, an output or the workspace")
                    .got(format!("bytes {start:#x} to {end:#x}{}", self.nearest(start)))
                    .fix("check the offset and the pointer given to SetGlobalBuffer"),
            );
        };
        if write && !e.writable {
            return self.found(
                raise("write to a tensor that is only an input")
                    .expected("an output or the workspace")
                    .got(format!("bytes {} to {} of {}", start - e.base, end - e.base, e.name))
                    .fix("write to the output; the order of kernel arguments is inputs, outputs, workspace, tiling"),
            );
        }
        let limit = if write { e.bytes } else { e.bytes.next_multiple_of(BLOCK) };
        if end - e.base > limit {
            return self.found(
                raise("access beyond the end of a tensor")
                    .expected(format!("an end of at most {limit} bytes ({} has {})", e.name, e.bytes))
                    .got(format!("bytes {} to {}", start - e.base, end - e.base))
                    .fix("clip the last tile; DataCopyPad copies any number of bytes"),
            );
        }
        Ok(())
    }

    fn nearest(&self, addr: usize) -> String {
        let before = self.launch.info.extents.iter().filter(|e| e.base + e.bytes <= addr);
        match before.max_by_key(|e| e.base + e.bytes) {
            Some(e) => format!(", {} bytes past the end of {}", addr - (e.base + e.bytes), e.name),
            None => String::new(),
        }
    }

    /// Whether somebody may write here, so that order matters.
    fn tracked(&self, start: usize, end: usize) -> bool {
        let e = &self.launch.info.extents;
        e.is_empty() || e.iter().any(|e| e.writable && e.base < end && start < e.base + e.bytes)
    }

    /// Parts of a range that hold no value: never written according to the record of device memory, or behind the end of
    /// a tensor.
    pub(super) fn gm_undefined(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for (base, shadow) in &self.launch.info.shadows {
            let (mut at, to) = (start.max(*base), end.min(base + shadow.len()));
            while at < to
                && let Some(from) = shadow.first_unwritten(at - base, to - at).map(|i| base + i)
            {
                let run = (from..to).take_while(|a| !shadow.get(a - base)).count();
                out.push((from, from + run));
                at = from + run;
            }
        }
        if let Some(e) = self.extent(start, false) {
            let tail = (e.base + e.bytes).max(start);
            if tail < end {
                out.push((tail, end));
            }
        }
        out
    }

    /// The global side of a copy.
    pub(super) fn global(&mut self, addr: usize, shape: Shape, access: Access) -> Result<(), Raise> {
        let Some(ins) = self.now.copy else { return Ok(()) };
        let write = access == Access::Write;
        let name = || ins.name();
        let mut runs = Vec::new();
        shape.runs(|at, len| runs.push((addr + at, addr + at + len)));
        for (start, end) in &runs {
            self.in_extent(ins.pipe(), &name, *start, *end, write)?;
            self.line_in_the_way(&ins, *start, *end, write)?;
            if write && self.now.atomic {
                self.combined(&ins, *start, *end)?;
            }
            if self.tracked(*start, *end) {
                self.gm_race(*start, *end, write)?;
            }
        }
        self.gm_operand = Some((addr, shape));
        Ok(())
    }

    /// An atomic copy adds to what is there.
    fn combined(&mut self, ins: &CopyIns, start: usize, end: usize) -> Result<(), Raise> {
        let Some((from, to)) = self.gm_undefined(start, end).first().copied() else { return Ok(()) };
        let what = "an atomic copy combines with bytes that nobody wrote";
        let raise = Raise::new(FaultClass::Uninitialized, ins.pipe(), ins.name(), what)
            .operand("GlobalTensor")
            .expected("bytes that the kernel wrote before")
            .got(self.launch.info.place(from, to))
            .fix("clear the output first (InitOutput or InitGlobalMemory, then SyncAll)");
        self.defer(raise)
    }

    pub(super) fn gm_race(&mut self, start: usize, end: usize, write: bool) -> Result<(), Raise> {
        let (order, now) = (&mut self.order, self.now.id);
        let seen = self.gm_cells.visit(start, end, |from, n, cell| unordered(order, now, cell, write, from, n));
        match seen {
            Ok(()) => Ok(()),
            Err(c) => {
                let r = self.race_text(c, write, "GlobalTensor", "GM");
                self.found(r)
            }
        }
    }

    /// What is left to do after the copy: its global side becomes the last access.
    pub(super) fn record_gm(&mut self) {
        let Some((addr, shape)) = self.gm_operand.take() else { return };
        let write = self.now.id.pipe() == order::MTE3;
        let mut runs = Vec::new();
        shape.runs(|at, len| runs.push((addr + at, addr + at + len)));
        for (start, end) in runs {
            self.touch_gm(start, end, write);
            if write {
                self.cache.overwritten(start, end, self.now.site);
            }
        }
    }

    pub(super) fn touch_gm(&mut self, start: usize, end: usize, write: bool) {
        if write {
            for (base, shadow) in &self.launch.info.shadows {
                let (from, to) = (start.max(*base), end.min(base + shadow.len()));
                if from < to {
                    shadow.mark(from - base, to - from);
                }
            }
        }
        if !self.tracked(start, end) {
            return;
        }
        self.gm_cells.record(start, end, self.now.id, write);
        if self.launch.blocks > 1 {
            let kind = match (write, self.now.id.pipe()) {
                (false, _) => Kind::Read,
                (true, order::S) => Kind::Scalar,
                (true, _) if self.now.atomic => Kind::Atomic,
                (true, _) => Kind::Write,
            };
            self.log.push(Span { start, end, kind, what: self.now.what, site: self.now.site });
        }
    }

    /// Definedness of what a copy has written into the unified buffer.
    pub(super) fn spread_copy(&mut self, ins: &CopyIns) {
        if ins.pipe() == Pipe::V {
            return self.spread_ub_copy();
        }
        if ins.pipe() != Pipe::MTE2 {
            return;
        }
        let Some((gm, shape)) = self.gm_operand else { return };
        let Some(dst) = self.operands.iter().find(|o| o.access == Access::Write).copied() else { return };
        let size = crate::ins::Dtype::from_code(ins.dtype as u32).map_or(1, |t| t.size());
        let (left, right) = (ins.left_pad as usize * size, ins.right_pad as usize * size);
        let len = ins.block_len as usize;
        let (mut to, mut from) = (Vec::new(), Vec::new());
        dst.shape.blocks(|at, unit| to.push((dst.addr + at, unit)));
        shape.blocks(|at, _| from.push(gm + at));
        let id = self.now.id;
        // One range when nothing is padded and every byte is known: the common case.
        let dense = left + right == 0 && to.len() > 1 && to.iter().all(|(_, unit)| *unit == len);
        let (first, last) = (from[0], from[from.len() - 1] + len);
        if dense && self.gm_undefined(first, last).is_empty() {
            return dst.shape.runs(|at, n| self.taint.set(dst.addr + at, n, true, Id::NONE));
        }
        for ((at, unit), gm) in to.into_iter().zip(from) {
            self.taint.set(at, unit, true, Id::NONE);
            for (s, e) in self.gm_undefined(gm, gm + len) {
                self.taint.set(at + left + s - gm, e - s, false, id);
            }
            // The filler repeats the first element when there is no padding; pads and filler hold the padding value with
            // isPad and are undefined without (DataCopyPad page).
            let end = left + len;
            if left + right == 0 {
                if unit > len && !self.taint.is_defined(at, size.min(len)) {
                    self.taint.set(at + end, unit - end, false, id);
                }
            } else if ins.is_pad == 0 {
                self.taint.set(at, left, false, id);
                self.taint.set(at + end, unit - end, false, id);
            }
        }
    }
}

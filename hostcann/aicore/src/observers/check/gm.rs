//! Global memory as a core sees it: bounds, order, and which bytes hold a value.

use super::{
    Checker, Conflict, Extent, Role,
    launch::{Span, SpanKind},
    order::{self, Id},
    unordered,
};
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{CopyIns, CopyKind},
        lanes::BLOCK,
        pipe::Pipe,
        shadow::Shadow,
        site,
    },
    instruction::shape::Shape,
    machine::observe::{Access, Pair},
};
use std::sync::Arc;

/// Where accesses to a tensor have to end: aclrtMalloc rounds up to a block and adds one (aclrtMalloc page).
fn padded(e: &Extent, write: bool) -> usize {
    e.base + e.bytes.next_multiple_of(BLOCK) + if write { 0 } else { BLOCK }
}

/// What to do; a launch without enough workspace is the tiling function's doing.
fn fix(text: &str, beyond: Option<&Extent>) -> String {
    match beyond.filter(|e| e.role == Role::Workspace) {
        Some(e) => format!("{text}; the tiling function asked for {} bytes of workspace (GetWorkspaceSizes)", e.bytes),
        None => text.to_owned(),
    }
}

/// Calls `f` with the part of a range that each record covers.
fn each_part(shadows: &[(usize, Arc<Shadow>)], start: usize, end: usize, f: impl Fn(&Shadow, usize, usize)) {
    for (base, shadow) in shadows {
        let (from, to) = (start.max(*base), end.min(base + shadow.len()));
        if from < to {
            f(shadow, from - base, to - from);
        }
    }
}

/// Parts of a range that were never written.
fn unwritten(shadows: &[(usize, Arc<Shadow>)], start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (base, shadow) in shadows {
        let (mut at, to) = (start.max(*base), end.min(base + shadow.len()));
        while at < to
            && let Some(from) = shadow.first_unwritten(at - base, to - at).map(|i| base + i)
        {
            let run = (from..to).take_while(|a| !shadow.get(a - base)).count();
            out.push((from, from + run));
            at = from + run;
        }
    }
    out
}

impl Checker {
    /// The extent that an access belongs to: the one that reaches farthest among those that hold its first byte, or whose
    /// pad does.
    pub(super) fn extent(&self, addr: usize, write: bool) -> Option<&Extent> {
        let holds = |e: &&Extent| e.base <= addr && addr < e.end();
        let pads = |e: &&Extent| e.base <= addr && addr < padded(e, write);
        let all = self.launch.info.extents.iter().filter(pads);
        all.max_by_key(|e| (holds(e), e.writable() || !write, e.end()))
    }

    /// One rule for what lies behind a tensor: aclrtMalloc gives whole blocks of 32 bytes and one more, copies of whole
    /// blocks run into the pad, and a read may run on into the spare block.
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
            if !write && self.is_constant(start, end) {
                return Ok(());
            }
            let before = self.before(start);
            let place = before.map_or_else(
                || format!("GM bytes {start:#x} to {end:#x}, below every tensor"),
                |e| {
                    let (from, to, past) = (start - e.base, end - e.base, start - e.end());
                    format!("bytes {from} to {to} of {}, {past} bytes past the end of {}", e.name, e.name)
                },
            );
            return self.found(
                raise("access outside of every tensor of the launch")
                    .expected("an address inside an input, an output or the workspace")
                    .got(place)
                    .fix(fix("check the offset and the pointer given to SetGlobalBuffer", before)),
            );
        };
        if write && !e.writable() {
            return self.found(
                raise("write to a tensor that is only an input")
                    .expected("an output or the workspace")
                    .got(format!("bytes {} to {} of {}", start - e.base, end - e.base, e.name))
                    .fix("write to the output; the order of kernel arguments is inputs, outputs, workspace, tiling"),
            );
        }
        let limit = padded(e, write) - e.base;
        if end - e.base > limit {
            return self.found(
                raise("access beyond the end of a tensor")
                    .expected(format!("an end of at most {limit} bytes ({} has {})", e.name, e.bytes))
                    .got(format!("bytes {} to {}", start - e.base, end - e.base))
                    .fix(fix("clip the last tile; DataCopyPad copies any number of bytes", Some(e))),
            );
        }
        let tail = e.end()..end;
        let other =
            |o: &&Extent| write && o.base < tail.end && tail.start < o.end() && (o.base, o.bytes) != (e.base, e.bytes);
        if let Some(o) = self.launch.info.extents.iter().find(other) {
            return self.found(
                raise("writes behind the end of a tensor into another one")
                    .expected(format!("an end of at most {} bytes", e.bytes))
                    .got(format!(
                        "bytes {} to {} of {}, and {} begins there",
                        start - e.base,
                        end - e.base,
                        e.name,
                        o.name
                    ))
                    .fix("clip the last tile; DataCopyPad copies any number of bytes"),
            );
        }
        Ok(())
    }

    /// Whether the bytes are in the kernel's own object: a constant table that it declares with `__gm__`.
    fn is_constant(&self, start: usize, end: usize) -> bool {
        [start, end - 1].iter().all(|at| site::same_object(self.entry, *at))
    }

    /// The last extent that ends before an address.
    fn before(&self, addr: usize) -> Option<&Extent> {
        self.launch.info.extents.iter().filter(|e| e.end() <= addr).max_by_key(|e| e.end())
    }

    /// Whether somebody may write here, so that order matters.
    fn tracked(&self, start: usize, end: usize) -> bool {
        let e = &self.launch.info.extents;
        e.is_empty() || e.iter().any(|e| e.writable() && e.base < end && start < padded(e, true))
    }

    /// Parts of a range that hold no value: never written according to the record of device memory, or behind the end of
    /// a tensor.
    pub(super) fn gm_undefined(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut out = unwritten(&self.launch.info.shadows, start, end);
        if let Some(e) = self.extent(start, false) {
            let tail = e.end().max(start);
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
            if write && self.now.atomic.is_some() {
                self.combined(&ins, *start, *end)?;
            }
            if !write && ins.kind == CopyKind::Matmul as u8 {
                self.multiplied(*start, *end)?;
            }
            if self.tracked(*start, *end) {
                self.gm_race(*start, *end, write)?;
            }
        }
        self.gm_operand = Some((addr, shape));
        Ok(())
    }

    /// A product needs all of its values.
    fn multiplied(&mut self, start: usize, end: usize) -> Result<(), Raise> {
        let Some((from, to)) = self.gm_undefined(start, end).first().copied() else { return Ok(()) };
        let what = "the product depends on never-written bytes";
        let raise = Raise::new(FaultClass::Uninitialized, Pipe::MTE2, "Matmul", what)
            .operand("GlobalTensor")
            .expected("a matrix of which every element was written")
            .got(self.launch.info.place(from, to))
            .fix("write the matrix before, or shorten the shape to what is there (SetSingleShape)");
        self.defer(raise)
    }

    /// An atomic copy adds to what is there.
    fn combined(&mut self, ins: &CopyIns, start: usize, end: usize) -> Result<(), Raise> {
        let end = self.extent(start, true).map_or(end, |e| end.min(e.end().max(start)));
        let Some((from, to)) = self.gm_undefined(start, end).first().copied() else { return Ok(()) };
        let what = "an atomic copy combines with bytes that nobody wrote";
        let raise = Raise::new(FaultClass::Uninitialized, ins.pipe(), ins.name(), what)
            .operand("GlobalTensor")
            .expected("bytes that the kernel wrote before")
            .got(self.launch.info.place(from, to))
            .fix("clear the output first (InitOutput or InitGlobalMemory, then SyncAll)");
        self.defer(raise)
    }

    /// Cores count each other in words that have to be zero before the first call (SyncAll and IBSet pages).
    pub(super) fn cleared(&self, call: &str, start: usize, bytes: usize) -> Result<(), Raise> {
        let missing = unwritten(&self.launch.info.shadows, start, start + bytes);
        let Some((from, to)) = missing.first().copied() else { return Ok(()) };
        self.found(
            Raise::new(
                FaultClass::Uninitialized,
                Pipe::S,
                call,
                "cores wait for each other with words that nobody cleared",
            )
            .operand("gmWorkspace")
            .expected("0 in every word before the first call")
            .got(self.launch.info.place(from, to))
            .fix("clear the workspace on the host, or all of it on every core at the start of the kernel"),
        )
    }

    pub(super) fn pair_is_cleared(&self, pair: Pair) -> Result<(), Raise> {
        match pair {
            Pair::Set(word) => self.cleared("IBSet", word, 4),
            Pair::Wait(word) => self.cleared("IBWait", word, 4),
            _ => Ok(()),
        }
    }

    /// Atomic copies of one mode come to the same in either order, as those of several cores do.
    pub(super) fn gm_race(&mut self, start: usize, end: usize, write: bool) -> Result<(), Raise> {
        let (order, now, atomics) = (&mut self.order, self.now.id, &self.atomics);
        let mode = self.now.atomic.filter(|_| write);
        let combine = |c: &Conflict| c.was_write && mode.is_some_and(|mode| atomics.get(&c.id) == Some(&mode));
        let mut first = None;
        while let Err(conflict) = self.gm_cells.visit(start, end, |from, n, cell| {
            unordered(order, now, cell, write, from, n).or_else(|c| if combine(&c) { Ok(()) } else { Err(c) })
        }) {
            order.suppose(now, conflict.id);
            first.get_or_insert(conflict);
        }
        match first {
            None => Ok(()),
            Some(c) => {
                let r = self.race_text(c, write, "GlobalTensor", "GM");
                self.found(r)
            }
        }
    }

    /// The blocks of the current copy: bytes in the unified buffer, their number, and where they go.
    fn stored_blocks(&self, addr: usize, shape: Shape) -> Vec<(usize, usize, usize)> {
        let Some((gm, to)) = self.gm_operand else { return Vec::new() };
        let (mut from, mut blocks) = (Vec::new(), Vec::new());
        shape.blocks(|at, len| from.push((addr + at, len)));
        to.blocks(|at, _| blocks.push(gm + at));
        from.into_iter().zip(blocks).map(|((at, len), gm)| (at, len, gm)).collect()
    }

    /// A copy to global memory needs values, but not for the pad behind a tensor, and in a workspace not before somebody
    /// reads them.
    pub(super) fn stored_values(&mut self, name: &str, addr: usize, shape: Shape) -> Result<(), Raise> {
        for (at, len, gm) in self.stored_blocks(addr, shape) {
            let (role, len) = match self.extent(gm, true) {
                Some(e) if e.role == Role::Workspace => continue,
                Some(e) => (e.role, len.min(e.end().saturating_sub(gm))),
                None => (Role::Unknown, len),
            };
            if role == Role::Block && self.copies_blocks() {
                self.stored_by_block(name, at, at + len)?;
            } else if len > 0 {
                self.needs_defined(name, at, Shape::Bytes(len))?;
            }
        }
        Ok(())
    }

    /// DataCopy moves whole blocks: it cannot leave out what follows the last value in one.
    fn copies_blocks(&self) -> bool {
        self.now
            .copy
            .is_some_and(|ins| matches!(ins.kind, k if k == CopyKind::Count as u8 || k == CopyKind::Blocks as u8))
    }

    /// Blocks that begin with a value may end without: a rule, as long as nobody uses these bytes.
    fn stored_by_block(&mut self, name: &str, start: usize, end: usize) -> Result<(), Raise> {
        let mut at = start;
        while at < end {
            let stop = end.min((at / BLOCK + 1) * BLOCK);
            let bad = self.taint.first_undefined(at, stop - at, true);
            let pads = bad.is_some_and(|bad| bad > at && (bad..stop).all(|byte| !self.taint.is_defined(byte, 1)));
            match bad {
                Some(byte) if pads => {
                    let raise = self.undefined_text(name, byte).rule();
                    self.found(raise.fix("copy the values alone (DataCopyPad), or fill the block (Duplicate)"))?;
                }
                Some(byte) => self.undefined(name, byte)?,
                None => {}
            }
            at = stop;
        }
        Ok(())
    }

    /// What is left to do after the copy: its global side becomes the last access.
    pub(super) fn record_gm(&mut self) {
        let Some((addr, shape)) = self.gm_operand else { return };
        let write = self.now.id.pipe() == order::MTE3;
        let fill = if write && self.now.atomic.is_none() { self.stored_fill() } else { None };
        let mut runs = Vec::new();
        shape.runs(|at, len| runs.push((addr + at, addr + at + len)));
        for (start, end) in runs {
            self.touch_gm(start, end, write, fill);
            if write {
                self.cache.overwritten(start, end, self.now.site);
            }
        }
        if write {
            self.garbage_kept();
            self.now.atomic.map(|mode| self.atomics.insert(self.now.id, mode));
        }
        self.gm_operand = None;
    }

    /// Bytes without a value that went into a workspace, or to the end of a block, have none there.
    fn garbage_kept(&mut self) {
        let Some(src) = self.operands.first().copied() else { return };
        for (at, len, gm) in self.stored_blocks(src.addr, src.shape) {
            if !self.extent(gm, true).is_some_and(|e| matches!(e.role, Role::Workspace | Role::Block)) {
                continue;
            }
            let mut from = at;
            while let Some(bad) = self.taint.first_undefined(from, at + len - from, true) {
                let run = (bad..at + len).take_while(|b| !self.taint.is_defined(*b, 1)).count();
                each_part(&self.launch.info.shadows, gm + bad - at, gm + bad - at + run, Shadow::clear);
                from = bad + run;
            }
        }
    }

    /// What the current copy stores, if all of it is one byte.
    fn stored_fill(&self) -> Option<u8> {
        let src = self.operands.first()?;
        let mut fill = None;
        for (at, len, _) in self.stored_blocks(src.addr, src.shape) {
            // SAFETY: the core has checked that the operand lies in the buffer, which lives as long as the block.
            let bytes = unsafe { std::slice::from_raw_parts(self.ub.add(at), len) };
            let first = *fill.get_or_insert(*bytes.first()?);
            if bytes.iter().any(|byte| *byte != first) {
                return None;
            }
        }
        fill
    }

    pub(super) fn touch_gm(&mut self, start: usize, end: usize, write: bool, fill: Option<u8>) {
        if write {
            let info = &self.launch.info;
            each_part(&info.shadows, start, end, Shadow::mark);
            self.launch.cover(start, end);
        }
        if !self.tracked(start, end) {
            return;
        }
        self.gm_cells.record(start, end, self.now.id, write);
        if self.launch.blocks > 1 {
            let kind = match (write, self.now.id.pipe()) {
                (false, _) => SpanKind::Read,
                (true, order::S) => SpanKind::Scalar,
                (true, _) if self.now.atomic.is_some() => SpanKind::Atomic,
                (true, _) => SpanKind::Write,
            };
            self.log.push(Span { start, end, kind, fill, what: self.now.what, site: self.now.site });
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
        if ins.kind == CopyKind::Matmul as u8 {
            let written = self.operands.iter().filter(|o| o.access == Access::Write);
            return written.for_each(|o| o.shape.runs(|at, len| self.taint.set(o.addr + at, len, true, Id::NONE)));
        }
        let Some((gm, shape)) = self.gm_operand else { return };
        let Some(dst) = self.operands.iter().find(|o| o.access == Access::Write).copied() else { return };
        let size = crate::base::ins::Dtype::from_code(ins.dtype as u32).map_or(1, |t| t.size());
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

//! Accesses of the scalar unit: tensors in the unified buffer, and global memory through the data cache.

use super::{
    Checker,
    cache::{LINE, Line},
    order::{self, InstructionKind},
};
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{CopyIns, Operand},
        pipe::Pipe,
        site::Site,
    },
    instruction::shape::Shape,
    machine::observe::Access,
};

impl Checker {
    /// LocalTensor::GetValue, SetValue, operator().
    pub(super) fn ub_scalar(&mut self, o: Operand, write: bool, site: Site) -> Result<(), Raise> {
        let what = if write { InstructionKind::UbSet } else { InstructionKind::UbGet };
        self.begin(what, site)?;
        let (at, len) = (o.addr as usize, o.bytes as usize);
        let access = if write { Access::Write } else { Access::Read };
        let Some(end) = self.meant("tensor", o, len, access)? else { return Ok(()) };
        let ordered = self.not_freed("tensor", o, len)?;
        self.race("tensor", at, Shape::Bytes(len), access, end)?;
        if write {
            self.taint.set(at, len, true, order::Id::NONE);
        } else {
            self.needs_defined("tensor", at, Shape::Bytes(len))?;
        }
        if ordered {
            self.cells.record(at, len, self.now.id, write);
        }
        Ok(())
    }

    /// GlobalTensor::GetValue and SetValue.
    pub(super) fn gm_scalar(&mut self, addr: usize, bytes: u32, write: bool, site: Site) -> Result<(), Raise> {
        let what = if write { InstructionKind::GmSet } else { InstructionKind::GmGet };
        self.begin(what, site)?;
        self.gm_access(what, addr, bytes as usize, write)
    }

    fn gm_access(&mut self, what: InstructionKind, addr: usize, bytes: usize, write: bool) -> Result<(), Raise> {
        let end = addr + bytes;
        let name = || what.name();
        self.in_extent(Pipe::S, &name, addr, end, write)?;
        self.gm_race(addr, end, write)?;
        if write {
            self.line_is_current(addr, end)?;
            self.cache.store(addr, end, self.epoch, self.now.site);
        } else {
            self.fresh(addr, end)?;
            // Behind a tensor, where its memory is rounded up, lies nothing that anybody means; what becomes of it is
            // judged where it is used.
            let meant = self.extent(addr, false).map_or(end, |e| e.end().clamp(addr, end));
            if let Some((from, to)) = self.gm_undefined(addr, meant).first().copied() {
                let raise = Raise::new(FaultClass::Uninitialized, Pipe::S, name(), "reads bytes that nobody wrote")
                    .operand("GlobalTensor")
                    .expected("an input, or bytes the kernel wrote before")
                    .got(self.launch.info.place(from, to))
                    .fix("write the value before it is read");
                self.defer(raise)?;
            }
            self.cache.load(addr, end, self.epoch);
        }
        self.touch_gm(addr, end, write, None);
        Ok(())
    }

    /// A load must not hit a line that has changed in global memory since it was cached.
    fn fresh(&mut self, start: usize, end: usize) -> Result<(), Raise> {
        let lines: Vec<_> = self.cache.cached(start, end).collect();
        for (at, line) in lines {
            let other = match line.stale {
                None if line.epoch < self.epoch => {
                    self.launch.other_write(self.core, at, at + LINE, line.epoch, self.epoch)
                }
                _ => None,
            };
            let by = match (line.stale, other) {
                (Some(site), _) => format!("a copy{}", site.at()),
                (None, Some((core, s))) => format!("{} of core {core}{}", s.what.name(), s.site.at()),
                (None, None) => continue,
            };
            let raise = Raise::new(
                FaultClass::ScalarCache,
                Pipe::S,
                InstructionKind::GmGet.name(),
                "reads a line of the data cache that is older than global memory",
            )
            .operand("GlobalTensor")
            .expected("DataCacheCleanAndInvalid between the copy and this read")
            .got(format!("the line of {}, cached before {by} wrote it", self.launch.info.place(at, at + LINE)))
            .fix("call DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT> first");
            self.found(raise)?;
        }
        Ok(())
    }

    /// A store takes its whole line into the cache and writes the whole line back later: bytes that a copy has put there
    /// since, or is still putting there, are lost.
    fn line_is_current(&mut self, start: usize, end: usize) -> Result<(), Raise> {
        let name = InstructionKind::GmSet.name();
        let raise = |what: &str, expected: &str, got: String, fix: &str| {
            Raise::new(FaultClass::ScalarCache, Pipe::S, name.clone(), what)
                .operand("GlobalTensor")
                .expected(expected)
                .got(got)
                .fix(fix)
        };
        let old = self.cache.cached(start, end).find_map(|(at, line)| Some((at, line.stale?)));
        if let Some((at, site)) = old {
            self.found(raise(
                "stores into a line of the data cache that is older than global memory: its write-back puts old bytes over \
                 a copy's",
                "DataCacheCleanAndInvalid between the copy and this store",
                format!("the line of {}, cached before a copy{} wrote it", self.launch.info.place(at, at + LINE), site.at()),
                "call DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT> first",
            ))?;
        }
        let (from, to) = (start / LINE * LINE, end.next_multiple_of(LINE));
        let (cells, order) = (&self.gm_cells, &self.order);
        let under_way = cells.visit(from, to, |at, len, cell| {
            let write = cell.write;
            let known = !write.is_some() || write.pipe() != order::MTE3 || order.knows(order::S, write);
            if known { Ok(()) } else { Err((write, at, len)) }
        });
        let Err((write, at, len)) = under_way else { return Ok(()) };
        let got = format!("{} wrote {} of the same line", self.describe(write), self.launch.info.place(at, at + len));
        self.found(raise(
            "stores into a 64-byte line that a copy is still writing: the line's write-back puts old bytes over the copy's",
            "HardEvent::MTE3_S between the two",
            got,
            "SetFlag<HardEvent::MTE3_S>(id) after the copy and WaitFlag<HardEvent::MTE3_S>(id) before SetValue, or keep \
             the two in lines of their own",
        ))
    }

    /// A copy must not meet a line that the scalar unit has changed and not written back: a read its bytes, a write the
    /// whole line.
    pub(super) fn line_in_the_way(
        &mut self,
        ins: &CopyIns,
        start: usize,
        end: usize,
        write: bool,
    ) -> Result<(), Raise> {
        let meets = |at: usize, line: &Line| write || line.holds(at, start, end);
        let dirty = |(at, line): (usize, Line)| Some((at, line.dirty.filter(|_| meets(at, &line))?));
        let Some((at, site)) = self.cache.cached(start, end).find_map(dirty) else {
            return Ok(());
        };
        let what = if write {
            "writes a line of global memory that waits in the data cache: one of the two is lost"
        } else {
            "reads global memory whose newer value waits in the data cache"
        };
        self.found(
            Raise::new(FaultClass::ScalarCache, ins.pipe(), ins.name(), what)
                .operand("GlobalTensor")
                .expected("DataCacheCleanAndInvalid after GlobalTensor::SetValue")
                .got(format!(
                    "the line of {}, dirty since SetValue{}",
                    self.launch.info.place(at, at + LINE),
                    site.at()
                ))
                .fix("call DataCacheCleanAndInvalid on the element, then order the copy behind it (S_MTE2, S_MTE3)"),
        )
    }

    /// DataCacheCleanAndInvalid.
    pub(super) fn clean_cache(&mut self, addr: Option<usize>) -> Result<(), Raise> {
        self.settle_reference()?;
        self.cache.clean(addr);
        Ok(())
    }

    /// GlobalTensor::operator() gives out a reference: whether it is written shows when the next step comes.
    pub(super) fn gm_reference(&mut self, addr: usize, bytes: u32, site: Site) -> Result<(), Raise> {
        self.settle_reference()?;
        let bytes = bytes as usize;
        self.in_extent(Pipe::S, &|| "GlobalTensor::operator()".to_owned(), addr, addr + bytes, false)?;
        self.reference = Some((addr, bytes, load(addr, bytes), site));
        Ok(())
    }

    pub(super) fn settle_reference(&mut self) -> Result<(), Raise> {
        let Some((addr, bytes, before, site)) = self.reference.take() else { return Ok(()) };
        let write = load(addr, bytes) != before;
        // The same value again looks like a read.
        self.launch.cover(addr, addr + bytes);
        let what = if write { InstructionKind::GmSet } else { InstructionKind::GmGet };
        self.begin(what, site)?;
        let step = std::mem::replace(&mut self.site, site);
        let done = self.gm_access(what, addr, bytes, write).map_err(|mut r| {
            r.site = r.site.or(Some(site));
            r
        });
        self.site = step;
        done
    }
}

fn load(addr: usize, bytes: usize) -> u64 {
    let mut v = [0u8; 8];
    // SAFETY: the kernel is about to use, or has just used, this element of global memory itself.
    unsafe { std::ptr::copy_nonoverlapping(addr as *const u8, v.as_mut_ptr(), bytes.min(8)) };
    u64::from_le_bytes(v)
}

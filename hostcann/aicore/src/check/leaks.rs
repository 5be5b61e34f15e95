//! Flags, event ids and tensors: how they order the pipes, and what is left of them at the end.

use super::{Checker, scalar::place};
use crate::{
    event::HardEvent,
    fault::{FaultClass, Raise},
    pipe::Pipe,
    site::Site,
};

/// A flag that is set, or an id that is allocated.
type Flag = Option<(HardEvent, i32)>;

impl Checker {
    pub(super) fn set_flag(&mut self, e: HardEvent, id: i32, site: Site) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.set_flag(e, id, site);
        Ok(())
    }

    pub(super) fn wait_flag(&mut self, e: HardEvent, id: i32) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.wait_flag(e, id);
        Ok(())
    }

    pub(super) fn barrier(&mut self, pipe: Pipe) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.barrier(pipe);
        Ok(())
    }

    /// The end of a TPipe with a tensor in a queue: its flag stays set for the next kernel on this core.
    pub(super) fn left_in_queues(&mut self) -> Result<(), Raise> {
        let left = std::mem::take(&mut self.enqueued);
        // The first one of the first queue.
        let Some((_, site)) = left.iter().min_by_key(|(handle, _)| handle >> 16) else { return Ok(()) };
        let mut r = Raise::new(FaultClass::Leak, Pipe::S, "EnQue", "a tensor is enqueued and never dequeued")
            .operand("tensor")
            .expected("one DeQue for every EnQue before the TPipe ends")
            .got("a tensor in the queue, and its flag still set")
            .fix("DeQue and FreeTensor every tensor, also on the paths that leave early");
        r.site = Some(*site);
        self.found(r)
    }

    /// InitBuffer. It may reach the reserved area after an instruction has used it.
    pub(super) fn init_buffer(&mut self, start: u32, num: u32, bytes: u32) -> Result<(), Raise> {
        for i in 0..num {
            let at = (start + i * bytes) as usize;
            self.buffers.add(at, bytes as usize);
            // What an earlier pipe left here is no value of the new buffer.
            self.taint.set(at, bytes as usize, false, super::Id::NONE);
        }
        let end = (start + num * bytes) as usize;
        match self.reserved_by {
            Some((what, site)) if end > self.reserved_from => self.found(
                Raise::new(FaultClass::ReservedUb, Pipe::S, "InitBuffer", "the buffer reaches into the reserved area")
                    .silent()
                    .expected(format!("buffers below UB offset {}", self.reserved_from))
                    .got(format!("an end at {end}, and {}{} uses that area", what.name(), place(site)))
                    .fix("plan the buffers for 8 KiB less"),
            ),
            _ => Ok(()),
        }
    }

    /// PopStackBuffer.
    pub(super) fn stack_buffer(&mut self, start: u32, bytes: u32) {
        self.buffers.add_stack(start as usize, bytes as usize);
    }

    /// A TPipe begins or ends.
    pub(super) fn no_buffers(&mut self) {
        self.buffers.clear();
    }

    /// SyncAll, after the core's own PIPE_ALL: what this core did so far is ordered before what any core does next.
    pub(super) fn sync_epoch(&mut self) -> Result<(), Raise> {
        self.settle_reference()?;
        self.submit();
        self.epoch += 1;
        Ok(())
    }

    fn submit(&mut self) {
        let core = self.core;
        let log = std::mem::replace(&mut self.log, super::Log { core, ..Default::default() });
        self.launch.submit(self.epoch, log);
    }

    /// The kernel function has returned.
    pub(super) fn end(&mut self, flag: Flag, event: Flag) -> Result<(), Raise> {
        self.settle_reference()?;
        if let Some((e, id)) = flag {
            let what = "a flag is still set when the kernel ends: the next kernel on this core starts with it";
            let mut r = Raise::new(FaultClass::Leak, e.source(), "SetFlag", what)
                .operand("eventID")
                .expected(format!("WaitFlag<HardEvent::{}>({id}) before the end", e.name()))
                .got(format!("HardEvent::{} id {id} set", e.name()))
                .fix("pair every SetFlag with one WaitFlag on every path");
            r.site = Some(self.order.flag_site(e, id));
            self.found(r)?;
        }
        if let Some((e, id)) = event {
            let mut r = Raise::new(FaultClass::Leak, Pipe::S, "AllocEventID", "an event id is never released")
                .operand("id")
                .expected("ReleaseEventID for every AllocEventID")
                .got(format!("HardEvent::{} id {id} allocated when the kernel ends", e.name()))
                .fix("release the id after its last WaitFlag");
            r.site = self.event_ids.get(&(e, id)).copied();
            self.found(r)?;
        }
        if let Some((line, site)) = self.cache.first_dirty() {
            let what = "a scalar store to global memory is never written back";
            let mut r = Raise::new(FaultClass::ScalarCache, Pipe::S, "GlobalTensor::SetValue", what)
                .operand("GlobalTensor")
                .expected("DataCacheCleanAndInvalid after SetValue")
                .got(format!("line {line:#x} dirty when the kernel ends"))
                .fix("call DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT> on it");
            r.site = Some(site);
            self.found(r)?;
        }
        self.submit();
        Ok(())
    }
}

//! Flags, event ids and tensors: how they order the pipes, and what is left of them at the end.

use super::{Checker, Owner, scalar::place};
use crate::{
    event::{Events, HardEvent},
    fault::{FaultClass, Raise},
    pipe::Pipe,
    site::Site,
    vector::Head,
};

impl Checker {
    pub fn set_flag(&mut self, e: HardEvent, id: i32, site: Site) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.set_flag(e, id, site);
        Ok(())
    }

    pub fn wait_flag(&mut self, e: HardEvent, id: i32) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.wait_flag(e, id);
        Ok(())
    }

    pub fn barrier(&mut self, pipe: Pipe) -> Result<(), Raise> {
        self.settle_reference()?;
        self.order.barrier(pipe);
        Ok(())
    }

    pub fn event_taken(&mut self, event: u32, id: i32, site: Site) {
        self.sites.insert(Owner::EventId(event, id), site);
    }

    pub fn enqueued(&mut self, handle: u32, site: Site) {
        self.sites.insert(Owner::Enqueued(handle), site);
    }

    /// The end of a TPipe with a tensor in a queue: its flag stays set for the next kernel on this core.
    pub fn left_in_queue(&self, handle: u32) -> Result<(), Raise> {
        let site = self.sites.get(&Owner::Enqueued(handle)).copied().unwrap_or_default();
        let mut r = Raise::new(FaultClass::Leak, Pipe::S, "EnQue", "a tensor is enqueued and never dequeued")
            .operand("tensor")
            .expected("one DeQue for every EnQue before the TPipe ends")
            .got("a tensor in the queue, and its flag still set")
            .fix("DeQue and FreeTensor every tensor, also on the paths that leave early");
        r.site = Some(site);
        self.found(r)
    }

    pub fn buffers(&mut self, start: u32, num: u32, bytes: u32) {
        for i in 0..num {
            let at = (start + i * bytes) as usize;
            self.buffers.add(at, bytes as usize);
            // What an earlier pipe left here is no value of the new buffer.
            self.taint.set(at, bytes as usize, false, super::Id::NONE);
        }
    }

    /// InitBuffer reached the reserved area after an instruction had used it.
    pub fn init_buffer_end(&self, end: usize) -> Result<(), Raise> {
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
    pub fn stack_buffer(&mut self, start: u32, bytes: u32) {
        self.buffers.add_stack(start as usize, bytes as usize);
    }

    /// A TPipe begins or ends.
    pub fn no_buffers(&mut self) {
        self.buffers.clear();
    }

    /// The current instruction works in the reserved area.
    pub fn uses_reserved(&mut self) {
        self.reserved_by.get_or_insert((self.now.what, self.now.site));
    }

    pub fn mask_set(&mut self) {
        self.masks.set();
    }

    pub fn mask_reset(&mut self) {
        self.masks.reset();
    }

    pub fn count_form(&mut self, head: &Head, site: Site) {
        self.masks.count_form(head, site);
    }

    /// SyncAll, after the core's own PIPE_ALL: what this core did so far is ordered before what any core does next.
    pub fn sync_epoch(&mut self) -> Result<(), Raise> {
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
    pub fn end(&mut self, events: &Events) -> Result<(), Raise> {
        self.settle_reference()?;
        if let Some((e, id)) = events.first_set() {
            let what = "a flag is still set when the kernel ends: the next kernel on this core starts with it";
            let mut r = Raise::new(FaultClass::Leak, e.source(), "SetFlag", what)
                .operand("eventID")
                .expected(format!("WaitFlag<HardEvent::{}>({id}) before the end", e.name()))
                .got(format!("HardEvent::{} id {id} set", e.name()))
                .fix("pair every SetFlag with one WaitFlag on every path");
            r.site = Some(self.order.flag_site(e, id));
            self.found(r)?;
        }
        if let Some((e, id)) = events.first_allocated() {
            let mut r = Raise::new(FaultClass::Leak, Pipe::S, "AllocEventID", "an event id is never released")
                .operand("id")
                .expected("ReleaseEventID for every AllocEventID")
                .got(format!("HardEvent::{} id {id} allocated when the kernel ends", e.name()))
                .fix("release the id after its last WaitFlag");
            r.site = self.sites.get(&Owner::EventId(e.0 as u32, id)).copied();
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

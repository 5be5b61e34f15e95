//! Flags, event ids and tensors: how they order the pipes, and what is left of them at the end.

use super::Checker;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
        site::Site,
    },
    machine::event::HardEvent,
};

/// A flag that is set, or an id that is allocated.
type Flag = (HardEvent, i32);

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

    /// AllocEventID. The toolkit counts further than the hardware's flags go.
    pub(super) fn event_taken(&mut self, e: HardEvent, id: i32, site: Site) -> Result<(), Raise> {
        self.event_ids.insert((e, id), site);
        let most = self.hardware_ids;
        if id < most {
            return Ok(());
        }
        self.found(
            Raise::new(FaultClass::Event, Pipe::S, "AllocEventID", "no event id is free")
                .silent()
                .expected(format!("at most {most} ids of HardEvent::{} in use", e.name()))
                .got(format!("id {id}, which no flag of the hardware has"))
                .fix("release ids, or use fewer buffers per position: a freed queue buffer keeps its id until the next AllocTensor"),
        )
    }

    /// SyncAll, after the core's own PIPE_ALL: what this core did so far is ordered before what any core does next.
    pub(super) fn sync_epoch(&mut self) -> Result<(), Raise> {
        self.settle_reference()?;
        self.log.unclean = self.cache.dirty().collect();
        self.submit();
        self.epoch += 1;
        Ok(())
    }

    fn submit(&mut self) {
        let core = self.core;
        let log = std::mem::replace(&mut self.log, super::Log::of(core));
        self.launch.submit(self.epoch, log);
    }

    /// The kernel function has returned. Lines that are dirty now are written back: the device compiler puts a clean of the
    /// cache behind the kernel (`-cce-aicore-dcci-before-kernel-end`).
    pub(super) fn end(&mut self, flags: &[Flag], event: Option<Flag>) -> Result<(), Raise> {
        self.settle_reference()?;
        for &(e, id) in flags {
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
                .rule()
                .operand("id")
                .expected("ReleaseEventID for every AllocEventID")
                .got(format!("HardEvent::{} id {id} allocated when the kernel ends", e.name()))
                .fix("release the id after its last WaitFlag");
            r.site = self.event_ids.get(&(e, id)).copied();
            self.found(r)?;
        }
        self.atomic_left_on()?;
        self.masks.left_on().map_or(Ok(()), |r| self.found(r))?;
        self.submit();
        Ok(())
    }
}

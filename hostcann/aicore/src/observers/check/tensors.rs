//! Tensors of queues: who has them, and what is done with them after FreeTensor.

use super::Checker;
use crate::base::{
    fault::{FaultClass, Raise},
    ins::Operand,
    pipe::Pipe,
    site::Site,
};
use std::collections::HashMap;

/// A buffer that FreeTensor gave back and AllocTensor has not handed out again.
#[derive(Clone, Copy)]
struct Freed {
    start: usize,
    end: usize,
    site: Site,
}

/// The tensors of one core.
#[derive(Default)]
pub(crate) struct Tensors {
    freed: Vec<Freed>,
    /// In a queue, with their EnQue, the first one first.
    enqueued: Vec<(u32, Site)>,
    /// With the kernel: AllocTensor or DeQue, its name and call.
    owned: Vec<(u32, &'static str, Site)>,
    /// The AllocTensor that a handle stands for.
    leases: HashMap<u32, u32>,
    /// What FreeTensor ended, with its call. A DeQue goes on with the AllocTensor of its EnQue.
    ended: HashMap<u32, Site>,
}

impl Tensors {
    /// Bytes get a new owner.
    pub fn begin(&mut self, start: usize, bytes: usize) {
        self.freed.retain(|f| f.end <= start || start + bytes <= f.start);
    }

    pub fn alloc(&mut self, handle: u32, lease: u32, start: usize, bytes: usize, site: Site) {
        self.begin(start, bytes);
        self.leases.insert(handle, lease);
        self.owned.push((handle, "AllocTensor", site));
    }

    pub fn enque(&mut self, handle: u32, site: Site) {
        self.owned.retain(|(h, ..)| *h != handle);
        self.enqueued.push((handle, site));
    }

    pub fn deque(&mut self, handle: u32, site: Site) {
        self.enqueued.retain(|(h, _)| *h != handle);
        self.owned.push((handle, "DeQue", site));
    }

    pub fn free(&mut self, handle: u32, start: usize, bytes: usize, site: Site) {
        self.owned.retain(|(h, ..)| *h != handle);
        self.freed.push(Freed { start, end: start + bytes, site });
        if let Some(lease) = self.leases.get(&handle) {
            self.ended.insert(*lease, site);
        }
    }

    /// The buffer without an owner that holds some of these bytes.
    fn freed(&self, start: usize, end: usize) -> Option<Freed> {
        self.freed.iter().find(|f| f.start < end && start < f.end).copied()
    }
}

impl Checker {
    /// An access must come before the FreeTensor of its tensor: the next AllocTensor waits for nothing else, and then the
    /// buffer holds another tensor. Whether it is such an access, so that others have to wait for it.
    pub(super) fn not_freed(&mut self, name: &str, o: Operand, extent: usize) -> Result<bool, Raise> {
        let (pipe, instruction) = (self.now.what.pipe(), self.now.what.name());
        let raise = |what: &str| Raise::new(FaultClass::Freed, pipe, instruction.clone(), what).operand(name);
        let (addr, end) = (o.addr as usize, o.addr as usize + extent);
        if let Some(freed) = self.tensors.freed(addr, end) {
            let (from, to) = (addr.max(freed.start), end.min(freed.end));
            self.found(
                raise("a tensor is used after FreeTensor")
                    .expected("no access between FreeTensor and the next AllocTensor of the buffer")
                    .got(format!("UB bytes {from} to {to}, given back by FreeTensor{}", freed.site.at()))
                    .fix("call FreeTensor after the tensor's last use"),
            )?;
            // One early FreeTensor is one finding.
            self.tensors.freed.retain(|f| f.site != freed.site);
            self.tensors.ended.remove(&o.lease);
            return Ok(self.allows(FaultClass::Freed));
        }
        let Some(site) = self.tensors.ended.remove(&o.lease) else { return Ok(true) };
        self.found(
            raise("a tensor of an earlier AllocTensor is used: its buffer holds another tensor")
                .expected("the tensor that AllocTensor or DeQue returned last for this buffer")
                .got(format!("a tensor that was given back by FreeTensor{}", site.at()))
                .fix("use the tensor of this round, or keep what outlives FreeTensor in a buffer of its own (TBuf)"),
        )?;
        Ok(self.allows(FaultClass::Freed))
    }

    /// The end of a TPipe. The flag of a tensor in a queue stays set for the next kernel on this core; one that was
    /// taken out of its queue leaves nothing behind.
    pub(super) fn left_in_queues(&mut self) -> Result<(), Raise> {
        let mut left = std::mem::take(&mut self.tensors);
        left.enqueued.sort_by_key(|(handle, _)| handle >> 16);
        left.owned.sort_by_key(|(handle, ..)| handle >> 16);
        for (_, site) in left.enqueued {
            let mut r = Raise::new(FaultClass::Leak, Pipe::S, "EnQue", "a tensor is enqueued and never dequeued")
                .operand("tensor")
                .expected("one DeQue for every EnQue before the TPipe ends")
                .got("a tensor in the queue, and its flag still set")
                .fix("DeQue and FreeTensor every tensor, also on the paths that leave early");
            r.site = Some(site);
            self.found(r)?;
        }
        for (_, call, site) in left.owned {
            let mut r = Raise::new(FaultClass::Leak, Pipe::S, call, "a tensor is never freed")
                .rule()
                .operand("tensor")
                .expected("FreeTensor for every tensor before the TPipe ends")
                .got(format!("the tensor of this {call}"))
                .fix("FreeTensor every tensor after its last use, also on the paths that leave early");
            r.site = Some(site);
            self.found(r)?;
        }
        Ok(())
    }
}

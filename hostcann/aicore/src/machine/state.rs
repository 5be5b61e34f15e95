//! What a vector core is made of: the unified buffer, the registers, events and queues.

use crate::{
    base::{mask::MaskRegs, spec::CoreSpec, switches::Switches},
    instruction::ub::UbMemory,
    machine::{
        atomic::Atomic,
        event::Events,
        queue::Queues,
        spr::{Ctrl, SprFile},
    },
};
use std::sync::Arc;

pub(crate) struct MachineState {
    pub spec: Arc<CoreSpec>,
    pub switches: Switches,
    ub: UbMemory,
    pub mask: MaskRegs,
    /// DEQSCALE, once SetDeqScale was called.
    pub deq_scale: Option<u64>,
    /// What SetPadValue set.
    pub pad_value: Option<u64>,
    pub spr: SprFile,
    pub ctrl: Ctrl,
    /// What UB -> GM copies do with the bytes they find.
    pub atomic: Option<Atomic>,
    pub events: Events,
    pub queues: Queues,
}

impl MachineState {
    pub fn new(spec: Arc<CoreSpec>, switches: Switches) -> MachineState {
        MachineState {
            ub: UbMemory::new(spec.ub_size),
            events: Events::new(spec.event_ids),
            queues: Queues::new(&spec),
            spec,
            switches,
            mask: MaskRegs::RESET,
            deq_scale: None,
            pad_value: None,
            spr: SprFile::default(),
            ctrl: Ctrl::initial(switches.saturation),
            atomic: None,
        }
    }

    /// State at kernel entry. The buffer keeps its bytes, as on the device.
    pub fn reset(&mut self) {
        self.mask = MaskRegs::RESET;
        (self.deq_scale, self.pad_value) = (None, None);
        self.ctrl = Ctrl::initial(self.switches.saturation);
        self.spr = SprFile::default();
        self.atomic = None;
        self.events.reset();
        self.queues.reset();
    }

    #[inline]
    pub fn ub_at(&self, addr: u32) -> *mut u8 {
        debug_assert!((addr as usize) < self.spec.ub_size);
        // SAFETY: callers checked the address against the size.
        unsafe { self.ub.base().add(addr as usize) }
    }
}

//! One vector core: its state, its operands, and what its scalar unit does.

use crate::{
    base::{
        fault::{Fault, FaultClass, Raise},
        ins::Operand,
        lanes,
        mask::MaskRegs,
        pipe::Pipe,
        site,
        spec::CoreSpec,
        switches::Switches,
    },
    instruction::{
        shape::{Instruction, Shape},
        ub,
    },
    machine::{
        atomic::Atomic,
        gm_place::is_nowhere,
        launch_state::LaunchState,
        matmul::Matmuls,
        observation::Observation,
        observe::{Access, GmAccess, Step},
        state::MachineState,
        task_type::{Named, Place},
        tiling_use::TilingUse,
    },
};
use std::{cell::Cell, sync::Arc};

thread_local! {
    static CURRENT: Cell<*mut Core> = const { Cell::new(std::ptr::null_mut()) };
}

/// Bytes of a line of the scalar data cache.
const CACHE_LINE: usize = 64;

/// A vector core that runs a block. Another kind of core has the launch and the observation in common with it, and a
/// machine of its own.
pub(crate) struct Core {
    pub machine: MachineState,
    pub launch: LaunchState,
    pub matmuls: Matmuls,
    pub observation: Observation,
}

impl Core {
    pub fn new(spec: Arc<CoreSpec>, switches: Switches) -> Core {
        Core {
            machine: MachineState::new(spec, switches),
            launch: LaunchState::default(),
            matmuls: Matmuls::default(),
            observation: Observation::default(),
        }
    }

    /// State at kernel entry. The buffer keeps its bytes, as on the device.
    pub fn reset(&mut self, kernel: &str, place: Place, tiling_key: u64) {
        self.machine.reset();
        self.launch.reset(kernel, place, tiling_key);
        self.observation.reset();
        self.matmuls.clear();
    }

    /// Tiling data of `bytes` bytes is read at `from`; 0: a pointer to it is handed out.
    pub fn tiling_read(&mut self, from: usize, bytes: usize, padding: Option<&[u8]>) -> Result<(), Raise> {
        if from < 4096 {
            let mut r = self.launch.null_gm(Pipe::S, "GET_TILING_DATA", from);
            r.operand = Some("tiling".to_owned());
            r.expected = "the tiling argument of the kernel".to_owned();
            r.fix = "pass the kernel's last argument; register a tiling function for the operator".to_owned();
            return Err(r);
        }
        self.observe(Step::Tiling { bytes, at: from })?;
        // SAFETY: the engine set it for this block.
        match unsafe { self.launch.tiling.as_ref() } {
            None => {}
            Some(tiling) if bytes == 0 => tiling.pointer(),
            Some(tiling) => tiling.read(from, bytes, padding)?,
        }
        Ok(())
    }

    /// get_para_base: the arguments and behind them the bytes of the tiling data.
    pub fn parameters(&mut self) -> Result<*const usize, Raise> {
        // SAFETY: the engine set both for this block.
        let (arguments, tiling) = unsafe { (&*self.launch.arguments, self.launch.tiling.as_ref()) };
        let Some((base, bytes)) = tiling.map(TilingUse::range).or(self.launch.tiling_data) else {
            return Err(Raise::unsupported(Pipe::S, "get_para_base outside of an operator's launch"));
        };
        self.tiling_read(base, 0, None)?;
        self.launch.parameters.clear();
        self.launch.parameters.extend(arguments.iter().map(|a| *a as usize));
        let words = bytes.div_ceil(size_of::<usize>());
        let from = self.launch.parameters.len();
        self.launch.parameters.resize(from + words, 0);
        // SAFETY: the tiling data holds `bytes` bytes, and the words behind the arguments have room for them.
        unsafe {
            std::ptr::copy_nonoverlapping(base as *const u8, self.launch.parameters[from..].as_mut_ptr().cast(), bytes)
        };
        Ok(self.launch.parameters.as_ptr())
    }

    /// The core of the calling thread.
    pub fn current() -> *mut Core {
        CURRENT.get()
    }

    /// Makes `core` the thread's core while `f` runs.
    pub fn enter<R>(core: *mut Core, f: impl FnOnce() -> R) -> R {
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                CURRENT.set(std::ptr::null_mut());
            }
        }
        CURRENT.set(core);
        let _leave = Leave;
        f()
    }

    /// Completes a fault with its place.
    pub fn fault(&mut self, raise: Raise) -> Fault {
        self.launch.faulted = true;
        let location = match raise.site {
            Some(site) => site.location(),
            None => site::current(self.observation.site),
        };
        raise.into_fault(&self.launch.kernel, self.launch.block_idx, location)
    }

    /// Declares an operand that an instruction reads, checks it and gives its address.
    #[inline]
    pub fn read<I: Instruction>(
        &mut self,
        ins: &I,
        name: &'static str,
        o: impl Into<Aligned>,
        shape: Shape,
    ) -> Result<*const u8, Raise> {
        self.operand(ins, name, o.into(), shape, Access::Read).map(|p| p as *const u8)
    }

    /// Declares an operand that an instruction writes; every byte of `shape` is written.
    #[inline]
    pub fn write<I: Instruction>(
        &mut self,
        ins: &I,
        name: &'static str,
        o: impl Into<Aligned>,
        shape: Shape,
    ) -> Result<*mut u8, Raise> {
        self.operand(ins, name, o.into(), shape, Access::Write)
    }

    #[inline]
    fn operand<I: Instruction>(
        &mut self,
        ins: &I,
        name: &'static str,
        Aligned { operand: o, to: align }: Aligned,
        shape: Shape,
        access: Access,
    ) -> Result<*mut u8, Raise> {
        ub::check_aligned(self.machine.spec.ub_size, ins.pipe(), || ins.name(), name, o.addr, shape.extent(), align)
            .map_err(|raise| self.machine.queues.explain(raise, self.machine.spec.ub_size))?;
        if self.observed() {
            self.observe(Step::Operand { name, operand: o, shape, access })?;
        }
        Ok(self.machine.ub_at(o.addr))
    }

    /// Whether somebody watches.
    #[inline]
    pub fn observed(&self) -> bool {
        self.observation.observed()
    }

    /// Tells the observers.
    #[inline]
    pub fn observe(&mut self, step: Step<'_>) -> Result<(), Raise> {
        self.observation.observe(step)
    }

    pub fn set_flag(&mut self, event: u32, id: i32) -> Result<(), Raise> {
        let (event, twice) =
            self.machine.events.set(event, id, self.observation.site, self.machine.switches.second_set)?;
        if let Some(raise) = twice {
            self.observe(Step::Broken(&raise))?;
        }
        self.observe(Step::SetFlag { event, id })
    }

    pub fn wait_flag(&mut self, event: u32, id: i32) -> Result<(), Raise> {
        let event = self.machine.events.wait(event, id)?;
        self.observe(Step::WaitFlag { event, id })
    }

    pub fn barrier(&mut self, pipe: u32) -> Result<(), Raise> {
        match Pipe::from_code(pipe) {
            Some(p @ (Pipe::V | Pipe::MTE2 | Pipe::MTE3 | Pipe::ALL)) => self.observe(Step::Barrier(p)),
            p => Err(Raise::new(FaultClass::Event, Pipe::S, "PipeBarrier", "pipe has no barrier on a vector core")
                .expected("PIPE_V, PIPE_MTE2, PIPE_MTE3 or PIPE_ALL")
                .got(p.map_or(format!("pipe {pipe}"), |p| format!("PIPE_{p}")))
                .fix("name the pipe whose instructions must complete")),
        }
    }

    /// Address of an element of a tensor, aligned to its size. It wraps around, as on the device.
    pub fn ub_scalar(&mut self, tensor: Operand, index: u32, bytes: u32, write: bool) -> Result<*mut u8, Raise> {
        let addr = tensor.addr.wrapping_add(index.wrapping_mul(bytes));
        let name = || if write { "SetValue" } else { "GetValue" }.to_owned();
        if bytes == 0 || !addr.is_multiple_of(bytes) {
            return Err(Raise::new(
                FaultClass::Alignment,
                Pipe::S,
                name(),
                "scalar address is not aligned to its size",
            )
            .operand("tensor")
            .expected(format!("a multiple of {bytes}"))
            .got(format!("UB offset {addr}"))
            .fix("index tensors by whole elements"));
        }
        ub::in_range(self.machine.spec.ub_size, Pipe::S, name, "tensor", addr, bytes as usize)
            .map_err(|raise| self.machine.queues.explain(raise, self.machine.spec.ub_size))?;
        self.observe(Step::UbScalar { operand: tensor.part(addr, bytes), write })?;
        Ok(self.machine.ub_at(addr))
    }

    /// Checks a scalar access to global memory.
    pub fn gm_scalar(&mut self, addr: usize, bytes: u32, access: GmAccess) -> Result<(), Raise> {
        if is_nowhere(addr) {
            let read = access == GmAccess::Read;
            let name = if read { "GlobalTensor::GetValue" } else { "GlobalTensor::SetValue" };
            return Err(self.launch.null_gm(Pipe::S, name, addr));
        }
        self.observation.last_scalar = Some((addr, self.observation.site));
        self.launch.has_written |= access != GmAccess::Read;
        if access == GmAccess::Read && self.observation.cleaned.take() == Some(addr / CACHE_LINE) {
            self.poll(addr, bytes)?;
        }
        self.launch.settle_adds(addr, bytes as usize);
        if let Some(raise) =
            self.matmuls.read_early(|| "GlobalTensor::GetValue".to_owned(), addr, addr + bytes as usize)
        {
            self.observe(Step::Broken(&raise))?;
        }
        self.observe(Step::GmScalar { addr, gm: self.launch.tensor_at(addr), bytes, access })
    }

    /// A read after DataCacheCleanAndInvalid. The same once more is a loop that waits for another core, which has to run.
    fn poll(&mut self, addr: usize, bytes: u32) -> Result<(), Raise> {
        if self.launch.place.task.cores(self.launch.place.blocks) < 2 {
            return Ok(());
        }
        self.observe(Step::Polled { addr, bytes })?;
        let again = !self.observation.polled.insert((self.observation.site, addr));
        if again { self.launch.spread() } else { Ok(()) }
    }

    /// DataCacheCleanAndInvalid of the line at an address, or of the whole cache. Scalars go straight to memory here:
    /// the cache is what observers remember of it.
    pub fn clean_cache(&mut self, addr: Option<usize>) -> Result<(), Raise> {
        self.observation.cleaned = addr.map(|at| at / CACHE_LINE);
        match (addr, &self.launch.grid) {
            (Some(at), _) => self.launch.settle_adds(at / CACHE_LINE * CACHE_LINE, CACHE_LINE),
            (None, Some(grid)) => grid.adds().settle_all(),
            (None, None) => {}
        }
        self.observe(Step::CleanCache { addr, gm: addr.and_then(|a| self.launch.tensor_at(a)) })
    }

    pub fn event_alloc(&mut self, code: u32) -> Result<i32, Raise> {
        let (event, id) = self.machine.events.alloc(code)?;
        self.observe(Step::EventTaken { event, id })?;
        Ok(id)
    }

    pub fn event_release(&mut self, code: u32, id: i32) -> Result<(), Raise> {
        let event = self.machine.events.release(code, id)?;
        self.observe(Step::EventReleased { event, id })
    }

    pub fn mask_mode(&mut self, counter: bool) -> Result<(), Raise> {
        self.machine.mask.counter = counter;
        self.observe(Step::MaskMode { counter })
    }

    pub fn mask_set(&mut self, bits: [u64; 2]) -> Result<(), Raise> {
        self.machine.mask.bits = bits;
        self.observe(Step::MaskSet { bits })
    }

    /// All lanes on, mode unchanged.
    pub fn mask_reset(&mut self) -> Result<(), Raise> {
        self.machine.mask.bits = MaskRegs::RESET.bits;
        self.observe(Step::MaskReset)
    }

    pub fn set_atomic(&mut self, atomic: Option<Atomic>) -> Result<(), Raise> {
        self.machine.atomic = atomic;
        self.observe(Step::Atomic(atomic))
    }

    /// Whether this is a cube core, for which the device's compiler leaves out vector instructions and their copies.
    #[inline]
    pub fn is_cube(&self) -> bool {
        self.launch.place.is_cube()
    }

    /// KERNEL_TASK_TYPE: the launch goes on, or starts anew as one of these cores.
    pub fn named_type(&mut self, kind: u32, keyed: bool) {
        match self.launch.place.task.named(kind, keyed) {
            Named::Same(task) => self.launch.place.task = task,
            Named::Other(task) => self.launch.start_anew(task),
        }
    }

    /// What SetSysWorkspace set; on a device a launch with a cube core has one in any case.
    pub fn sys_workspace(&self) -> usize {
        static ANY: u64 = 0;
        let any = if self.launch.place.task.cubes > 0 { &raw const ANY as usize } else { 0 };
        if self.launch.sys_workspace == 0 { any } else { self.launch.sys_workspace }
    }

    /// The kernel function has returned.
    pub fn end(&mut self) -> Result<(), Raise> {
        if let Some(raise) = self.matmuls.left().filter(|_| self.observed()) {
            self.observe(Step::Broken(&raise))?;
        }
        let flags = self.machine.events.all_set();
        self.observe(Step::End { flags: &flags, event: self.machine.events.first_allocated() })
    }
}

/// An operand and what its address is a multiple of: a block's bytes, where nothing else is said.
#[derive(Clone, Copy)]
pub(crate) struct Aligned {
    operand: Operand,
    to: usize,
}

impl From<Operand> for Aligned {
    fn from(operand: Operand) -> Aligned {
        Aligned { operand, to: lanes::BLOCK }
    }
}

impl Operand {
    /// For the few operands that need another alignment than a block's.
    pub(crate) fn aligned(self, to: usize) -> Aligned {
        Aligned { operand: self, to }
    }
}

#[cfg(test)]
pub(crate) fn event_code(name: &str) -> u32 {
    crate::machine::event::HardEvent::by_name(name).map_or(u32::MAX, |e| e.0 as u32)
}

//! One vector core: its state, its operands, and what its scalar unit does.

use crate::{
    base::{
        fault::{Fault, FaultClass, Raise},
        ins::Operand,
        lanes,
        mask::MaskRegs,
        pipe::Pipe,
        site::{self, Site},
        spec::CoreSpec,
        switches::Switches,
    },
    instruction::{
        shape::{Instruction, Shape},
        ub::{self, UbMemory},
    },
    machine::{
        atomic::Atomic,
        barrier::{Grid, Released, Stop},
        event::Events,
        notes::Notes,
        observe::{Access, GmAccess, Observer, Step},
        queue::Queues,
        spr::{Ctrl, SprFile},
        task_type::TaskType,
        tiling_use::TilingUse,
    },
};
use std::{
    cell::Cell,
    collections::HashSet,
    ffi::c_void,
    panic::resume_unwind,
    sync::{Arc, atomic::AtomicBool},
};

thread_local! {
    static CURRENT: Cell<*mut Core> = const { Cell::new(std::ptr::null_mut()) };
}

/// Bytes of a line of the scalar data cache.
const CACHE_LINE: usize = 64;

pub(crate) struct Core {
    pub spec: Arc<CoreSpec>,
    pub switches: Switches,
    ub: UbMemory,
    pub kernel: String,
    pub block_idx: u32,
    pub block_num: u32,
    pub tiling_key: u64,
    pub mask: MaskRegs,
    /// DEQSCALE, once SetDeqScale was called.
    pub deq_scale: Option<u64>,
    /// What SetPadValue set.
    pub pad_value: Option<u64>,
    pub spr: SprFile,
    pub ctrl: Ctrl,
    /// What UB -> GM copies do with the bytes they find.
    pub atomic: Option<Atomic>,
    /// What SetSysWorkspace set.
    pub sys_workspace: usize,
    pub events: Events,
    pub queues: Queues,
    pub notes: Notes,
    /// Set once a fault is on its way: destructors that run during unwinding must not touch the core any more.
    pub faulted: bool,
    /// The kernel's call that is being executed.
    pub site: Site,
    /// The time limit is over: the next call faults. Set by a signal handler.
    pub late: AtomicBool,
    /// The call before the one that ended the TPipe's life; 0 while it lives.
    pub site_before_close: Site,
    /// Address of the kernel function.
    pub entry: usize,
    /// While bytes move at addresses that the kernel gave.
    pub copying: bool,
    /// A fault found where unwinding is not possible.
    pub pending: Option<Fault>,
    /// Whoever watches this block; nobody in fast mode.
    pub observers: Vec<Box<dyn Observer>>,
    /// The kernel's own exception registers are among the observers.
    pub watches_local: bool,
    /// Addresses of the kernel's arguments, while somebody watches.
    pub args: Vec<usize>,
    /// The same, always; valid while a block runs.
    pub addresses: *const [*mut c_void],
    /// The scalar access to global memory that the kernel was allowed last.
    pub last_scalar: Option<(usize, Site)>,
    /// Null, or valid while a block runs.
    pub tiling: *const TilingUse,
    /// What the kernel function is called with; valid while a block runs.
    pub arguments: *const [*mut c_void],
    /// Address and bytes of the tiling data, where the launch says so.
    pub tiling_data: Option<(usize, usize)>,
    /// What get_para_base points to.
    parameters: Vec<usize>,
    /// The launch, for what cores wait for.
    pub grid: Option<Box<dyn Grid>>,
    /// The cores that the kernel asks for.
    pub task_type: TaskType,
    /// Calls of the software SyncAll.
    pub soft_syncs: u32,
    /// The line that was cleaned last, and reads that followed such a clean.
    cleaned: Option<usize>,
    polled: HashSet<(Site, usize)>,
}

impl Core {
    pub fn new(spec: Arc<CoreSpec>, switches: Switches) -> Core {
        Core {
            ub: UbMemory::new(spec.ub_size),
            events: Events::new(spec.event_ids),
            queues: Queues::new(&spec),
            notes: Notes::default(),
            spec,
            switches,
            kernel: String::new(),
            block_idx: 0,
            block_num: 1,
            tiling_key: 0,
            mask: MaskRegs::RESET,
            deq_scale: None,
            pad_value: None,
            spr: SprFile::default(),
            ctrl: Ctrl::initial(switches.saturation),
            atomic: None,
            sys_workspace: 0,
            faulted: false,
            site: Site::default(),
            late: AtomicBool::new(false),
            site_before_close: Site::default(),
            entry: 0,
            copying: false,
            pending: None,
            observers: Vec::new(),
            watches_local: false,
            args: Vec::new(),
            addresses: &[],
            last_scalar: None,
            tiling: std::ptr::null(),
            arguments: &[],
            tiling_data: None,
            parameters: Vec::new(),
            grid: None,
            task_type: TaskType::default(),
            soft_syncs: 0,
            cleaned: None,
            polled: HashSet::new(),
        }
    }

    /// State at kernel entry. The buffer keeps its bytes, as on the device.
    pub fn reset(&mut self, kernel: &str, block_idx: u32, block_num: u32, tiling_key: u64) {
        if self.kernel != kernel {
            kernel.clone_into(&mut self.kernel);
        }
        (self.block_idx, self.block_num, self.tiling_key) = (block_idx, block_num, tiling_key);
        self.mask = MaskRegs::RESET;
        (self.deq_scale, self.pad_value) = (None, None);
        self.ctrl = Ctrl::initial(self.switches.saturation);
        self.spr = SprFile::default();
        self.atomic = None;
        self.sys_workspace = 0;
        self.events.reset();
        self.queues.reset();
        self.notes.clear();
        self.faulted = false;
        self.late = AtomicBool::new(false);
        self.site = Site::default();
        self.site_before_close = Site::default();
        self.copying = false;
        self.pending = None;
        self.observers.clear();
        self.watches_local = false;
        self.args.clear();
        (self.addresses, self.last_scalar) = (&[], None);
        self.tiling = std::ptr::null();
        self.task_type = TaskType::default();
        self.soft_syncs = 0;
        self.cleaned = None;
        self.polled.clear();
    }

    /// Tiling data of `bytes` bytes is read at `from`; 0: a pointer to it is handed out.
    pub fn tiling_read(&mut self, from: usize, bytes: usize, padding: Option<&[u8]>) -> Result<(), Raise> {
        if from < 4096 {
            let mut r = self.null_gm(Pipe::S, "GET_TILING_DATA", from);
            r.operand = Some("tiling".to_owned());
            r.expected = "the tiling argument of the kernel".to_owned();
            r.fix = "pass the kernel's last argument; register a tiling function for the operator".to_owned();
            return Err(r);
        }
        self.observe(Step::Tiling { bytes, at: from })?;
        // SAFETY: the engine set it for this block.
        match unsafe { self.tiling.as_ref() } {
            None => {}
            Some(tiling) if bytes == 0 => tiling.pointer(),
            Some(tiling) => tiling.read(from, bytes, padding)?,
        }
        Ok(())
    }

    /// get_para_base: the arguments and behind them the bytes of the tiling data.
    pub fn parameters(&mut self) -> Result<*const usize, Raise> {
        // SAFETY: the engine set both for this block.
        let (arguments, tiling) = unsafe { (&*self.arguments, self.tiling.as_ref()) };
        let Some((base, bytes)) = tiling.map(TilingUse::range).or(self.tiling_data) else {
            return Err(Raise::unsupported(Pipe::S, "get_para_base outside of an operator's launch"));
        };
        self.tiling_read(base, 0, None)?;
        self.parameters.clear();
        self.parameters.extend(arguments.iter().map(|a| *a as usize));
        let words = bytes.div_ceil(size_of::<usize>());
        let from = self.parameters.len();
        self.parameters.resize(from + words, 0);
        // SAFETY: the tiling data holds `bytes` bytes, and the words behind the arguments have room for them.
        unsafe { std::ptr::copy_nonoverlapping(base as *const u8, self.parameters[from..].as_mut_ptr().cast(), bytes) };
        Ok(self.parameters.as_ptr())
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
        self.faulted = true;
        let location = match raise.site {
            Some(site) => site.location(),
            None => site::current(self.site),
        };
        raise.into_fault(&self.kernel, self.block_idx, location)
    }

    /// Whether somebody watches. What every instruction passes asks this first: building a step costs more than the branch.
    #[inline]
    pub fn observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Tells the observers.
    #[inline]
    pub fn observe(&mut self, step: Step<'_>) -> Result<(), Raise> {
        if self.observed() { self.tell(&step) } else { Ok(()) }
    }

    #[cold]
    fn tell(&mut self, step: &Step<'_>) -> Result<(), Raise> {
        let site = self.site;
        self.observers.iter_mut().try_for_each(|o| o.step(site, step))
    }

    pub fn ub_at(&self, addr: u32) -> *mut u8 {
        debug_assert!((addr as usize) < self.spec.ub_size);
        // SAFETY: callers checked the address against the size.
        unsafe { self.ub.base().add(addr as usize) }
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
        ub::check_aligned(self.spec.ub_size, ins.pipe(), || ins.name(), name, o.addr, shape.extent(), align)
            .map_err(|raise| self.queues.explain(raise, self.spec.ub_size))?;
        if self.observed() {
            self.observe(Step::Operand { name, operand: o, shape, access })?;
        }
        Ok(self.ub_at(o.addr))
    }

    pub fn set_flag(&mut self, event: u32, id: i32) -> Result<(), Raise> {
        let (event, twice) = self.events.set(event, id, self.site, self.switches.second_set)?;
        if let Some(raise) = twice {
            self.observe(Step::Broken(&raise))?;
        }
        self.observe(Step::SetFlag { event, id })
    }

    pub fn wait_flag(&mut self, event: u32, id: i32) -> Result<(), Raise> {
        let event = self.events.wait(event, id)?;
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
        ub::in_range(self.spec.ub_size, Pipe::S, name, "tensor", addr, bytes as usize)
            .map_err(|raise| self.queues.explain(raise, self.spec.ub_size))?;
        self.observe(Step::UbScalar { operand: tensor.part(addr, bytes), write })?;
        Ok(self.ub_at(addr))
    }

    /// Checks a scalar access to global memory.
    pub fn gm_scalar(&mut self, addr: usize, bytes: u32, access: GmAccess) -> Result<(), Raise> {
        if addr < 4096 {
            let read = access == GmAccess::Read;
            let name = if read { "GlobalTensor::GetValue" } else { "GlobalTensor::SetValue" };
            return Err(self.null_gm(Pipe::S, name, addr));
        }
        self.last_scalar = Some((addr, self.site));
        if access == GmAccess::Read && self.cleaned.take() == Some(addr / CACHE_LINE) {
            self.poll(addr, bytes)?;
        }
        self.settle_adds(addr, bytes as usize);
        self.observe(Step::GmScalar { addr, gm: self.tensor_at(addr), bytes, access })
    }

    /// A read after DataCacheCleanAndInvalid. The same once more is a loop that waits for another core, which has to run.
    fn poll(&mut self, addr: usize, bytes: u32) -> Result<(), Raise> {
        if self.block_num < 2 {
            return Ok(());
        }
        self.observe(Step::Polled { addr, bytes })?;
        let again = !self.polled.insert((self.site, addr));
        if again { self.spread() } else { Ok(()) }
    }

    /// Lets other blocks run that may bring what this one looks for again and again.
    pub fn spread(&mut self) -> Result<(), Raise> {
        match self.grid.as_ref().map(|grid| grid.spread()) {
            None | Some(Ok(())) => Ok(()),
            Some(Err(Stop::Fault(raise))) => Err(raise),
            Some(Err(Stop::Released)) => self.released(),
        }
    }

    /// Ends this block: the launch has stopped, and what it waits for does not come any more.
    pub fn released(&mut self) -> ! {
        self.faulted = true;
        resume_unwind(Box::new(Released))
    }

    /// DataCacheCleanAndInvalid of the line at an address, or of the whole cache. Scalars go straight to memory here:
    /// the cache is what observers remember of it.
    pub fn clean_cache(&mut self, addr: Option<usize>) -> Result<(), Raise> {
        self.cleaned = addr.map(|at| at / CACHE_LINE);
        match (addr, &self.grid) {
            (Some(at), _) => self.settle_adds(at / CACHE_LINE * CACHE_LINE, CACHE_LINE),
            (None, Some(grid)) => grid.adds().settle_all(),
            (None, None) => {}
        }
        self.observe(Step::CleanCache { addr, gm: addr.and_then(|a| self.tensor_at(a)) })
    }

    pub fn event_alloc(&mut self, code: u32) -> Result<i32, Raise> {
        let (event, id) = self.events.alloc(code)?;
        self.observe(Step::EventTaken { event, id })?;
        Ok(id)
    }

    pub fn event_release(&mut self, code: u32, id: i32) -> Result<(), Raise> {
        let event = self.events.release(code, id)?;
        self.observe(Step::EventReleased { event, id })
    }

    pub fn mask_mode(&mut self, counter: bool) -> Result<(), Raise> {
        self.mask.counter = counter;
        self.observe(Step::MaskMode { counter })
    }

    pub fn mask_set(&mut self, bits: [u64; 2]) -> Result<(), Raise> {
        self.mask.bits = bits;
        self.observe(Step::MaskSet { bits })
    }

    /// All lanes on, mode unchanged.
    pub fn mask_reset(&mut self) -> Result<(), Raise> {
        self.mask.bits = MaskRegs::RESET.bits;
        self.observe(Step::MaskReset)
    }

    /// Atomic sums that wait for their turn are done before anything else reaches their bytes.
    pub fn settle_adds(&self, gm: usize, len: usize) {
        if let Some(grid) = &self.grid {
            grid.adds().settle(gm, len);
        }
    }

    /// Combines bytes with those in global memory, in the order of the launch's cores where that matters.
    ///
    /// # Safety
    /// As for [`Atomic::combine`].
    pub unsafe fn combine(&self, atomic: Atomic, src: *const u8, gm: *mut u8, len: usize) {
        // SAFETY: as promised by the caller.
        unsafe {
            match &self.grid {
                Some(grid) => grid.adds().combine(self.block_idx, atomic, src, gm, len),
                None => atomic.combine(src, gm, len),
            }
        }
    }

    pub fn set_atomic(&mut self, atomic: Option<Atomic>) -> Result<(), Raise> {
        self.atomic = atomic;
        self.observe(Step::Atomic(atomic))
    }

    /// Refuses a kernel of which the cube half is missing, with the line that asks for it.
    #[inline]
    pub fn vector_only(&mut self) -> Result<(), Raise> {
        let Some((raise, site)) = self.task_type.refused() else { return Ok(()) };
        self.site = site;
        Err(raise)
    }

    /// The kernel function has returned.
    pub fn end(&mut self) -> Result<(), Raise> {
        self.vector_only()?;
        let flags = self.events.all_set();
        self.observe(Step::End { flags: &flags, event: self.events.first_allocated() })
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

//! The checker: what a kernel does right on this host and wrong on the device.
//!
//! A launch that carries a [`LaunchInfo`] runs in check mode: every instruction declares its operands to the
//! `Checker` of its core, and a broken rule is a fault like any other. Without it the core takes one branch.

mod access;
mod atomic_mode;
mod auto_sync;
mod buffers;
mod cache;
mod cmp_mask;
mod elements;
mod findings;
mod gm;
mod lanes;
pub(crate) mod launch;
mod leaks;
mod masks;
mod order;
mod outputs;
mod overlap;
mod range;
mod rules;
mod scalar;
mod space;
mod taint;
mod tensor_bounds;
mod tensors;

pub use elements::Elements;
pub use findings::Findings;

use crate::{
    base::{
        fault::{Fault, FaultClass, Raise, Severity},
        ins::{CopyIns, CopyKind, Dtype, Opcode, Operand},
        mask::MaskRegs,
        pipe::Pipe,
        shadow::Shadow,
        site::Site,
    },
    instruction::{copy_units::with_units, shape::Shape, ub, vector::Vector},
    machine::{
        atomic::Atomic,
        event::HardEvent,
        observe::{Access, Block, GmAccess, Observer, Sorted, Step, WatchLaunch},
    },
};
use access::UbCells;
use buffers::Buffers;
use cache::Cache;
use cmp_mask::CmpMask;
use launch::{LaunchRecord, Log};
use masks::Masks;
use order::{Id, InstructionKind, Order};
use range::GmCells;
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use taint::Taint;
use tensors::Tensors;

/// What the checker assumes and lets pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The compiler orders scalar accesses and vector instructions by itself (`--cce-auto-sync`, on by default).
    pub auto_sync: bool,
    /// Findings of these classes are not reported.
    pub allow: Vec<FaultClass>,
    /// Findings of [`Severity::Rule`] stop the launch too.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { auto_sync: true, allow: FaultClass::ON_REQUEST.to_vec(), strict: false }
    }
}

/// What a launch does with its global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    /// A result of which the kernel writes every element.
    Output,
    /// A result that the kernel may write in part: it is cleared before, or its length is one of the results.
    PartOutput,
    /// Any bytes may go here; only those that are read again matter.
    Workspace,
    /// A block of device memory whose author launches the kernel himself: which of its bytes are read later is not known.
    Block,
    /// The caller does not know.
    Unknown,
}

/// Global memory that a launch may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    pub base: usize,
    /// Bytes of the tensor's storage.
    pub bytes: usize,
    /// "input 0 x1", "output 0 y", "workspace".
    pub name: String,
    pub role: Role,
}

impl Extent {
    pub fn writable(&self) -> bool {
        self.role != Role::Input
    }

    /// The end of its bytes.
    fn end(&self) -> usize {
        self.base + self.bytes
    }
}

/// What the checker knows about a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchInfo {
    pub options: Options,
    /// Empty: global memory is not known and its bounds are not checked.
    pub extents: Vec<Extent>,
    /// Base address of a result and which of its bytes are elements. Any other result: all.
    pub elements: Vec<(usize, Arc<Elements>)>,
    /// Base address and record of blocks of device memory: what was written before the launch, and where the launch
    /// marks what it writes. Memory in none of them counts as written.
    pub shadows: Vec<(usize, Arc<Shadow>)>,
    /// Where findings go that do not stop the launch.
    pub rules: Findings,
    /// Where errors go, so that the cores go on where they can and the launch fails at its end. None: the first one ends it.
    pub errors: Option<Findings>,
}

impl LaunchInfo {
    /// A range of global memory as the author knows it.
    pub(crate) fn place(&self, start: usize, end: usize) -> String {
        let holds = |e: &&Extent| e.base <= start && start < e.base + e.bytes;
        match self.extents.iter().filter(holds).max_by_key(|e| e.writable()) {
            Some(e) => format!("bytes {} to {} of {}", start - e.base, end - e.base, e.name),
            None => format!("GM bytes {start:#x} to {end:#x}"),
        }
    }
}

/// The instruction that declares operands.
#[derive(Clone, Copy)]
struct CurrentInstruction {
    id: Id,
    what: InstructionKind,
    site: Site,
    /// The mode of an atomic copy.
    atomic: Option<Atomic>,
    /// The copy, if it is one.
    copy: Option<CopyIns>,
}

/// An operand in the unified buffer.
#[derive(Clone, Copy)]
struct Declared {
    name: &'static str,
    addr: usize,
    shape: Shape,
    access: Access,
    /// Where the buffer ends that it starts in: what lies behind holds no value of it.
    end: usize,
    /// Others have to wait for this access: not for one that should not be.
    ordered: bool,
}

/// Errors, the same ones again counted, after which a core ends: what nobody wrote may be the end of its loop.
const MOST_ERRORS: u32 = 10_000;

/// The checker of one core during one block.
pub(crate) struct Checker {
    launch: Arc<LaunchRecord>,
    core: u32,
    /// An address in the object that the kernel was loaded with.
    entry: usize,
    /// The unified buffer.
    ub: *const u8,
    order: Order,
    cells: UbCells,
    taint: Taint,
    buffers: Buffers,
    masks: Masks,
    /// Where the reserved area at the top of the buffer starts, and the first instruction that used it.
    reserved_from: usize,
    reserved_by: Option<(InstructionKind, Site)>,
    ub_size: usize,
    /// Flags the hardware has for an event.
    hardware_ids: i32,
    /// TPipes that are alive.
    pipes: u32,
    tensors: Tensors,
    /// The atomic mode and the call that switched it on.
    atomic: Option<(Atomic, Site)>,
    /// What atomic copies do to the global memory that they were the last to write.
    atomics: BTreeMap<Id, Atomic>,
    /// The last instruction without repeats: where its result would have gone.
    no_repeats: Option<(usize, InstructionKind, Site)>,
    gm_cells: GmCells,
    cache: Cache,
    log: Log,
    epoch: usize,
    /// Errors that it went on after.
    errors: Cell<u32>,
    /// Calls whose reads of undefined global memory have been handed to the launch.
    deferred: HashSet<Site>,
    /// A reference that GlobalTensor::operator() gave out: address, bytes, value at that time, call.
    reference: Option<(usize, usize, u64, Site)>,
    /// AllocEventID of every event id that is taken.
    event_ids: HashMap<(HardEvent, i32), Site>,
    /// The kernel's call that makes the current step.
    site: Site,
    now: CurrentInstruction,
    operands: Vec<Declared>,
    /// The current instruction reads what is not its tensor's: nothing more is said of its result.
    garbage: bool,
    /// The sources of And, Or and a product of integers, as they were before the instruction.
    read_bits: Vec<Vec<u8>>,
    /// A race of a Duplicate, and what it writes over: the same bytes again change nothing.
    repeated: Option<(Raise, usize, Vec<u8>)>,
    cmp_mask: CmpMask,
    /// What Gather, Gatherb or GatherMask takes, in the order of its results.
    gathered: Vec<(usize, usize)>,
    /// The elements of a sorted list, and how many of them are compared with each other.
    sorted: (Vec<Sorted>, usize),
    /// Global side of a copy.
    gm_operand: Option<(usize, Shape)>,
}

impl Checker {
    pub fn new(launch: Arc<LaunchRecord>, block: &Block<'_>) -> Checker {
        let (core, spec, ub) = (block.index, block.spec, block.ub);
        let auto_sync = launch.info.options.auto_sync;
        Checker {
            launch,
            core,
            entry: block.entry,
            ub,
            order: Order::new(auto_sync),
            cells: UbCells::new(spec.ub_size),
            taint: Taint::new(spec.ub_size),
            buffers: Buffers::default(),
            masks: Masks::default(),
            reserved_from: spec.ub_size - spec.ub_reserved.min(spec.ub_size),
            reserved_by: None,
            ub_size: spec.ub_size,
            hardware_ids: spec.event_ids as i32,
            pipes: 0,
            tensors: Tensors::default(),
            atomic: None,
            atomics: BTreeMap::new(),
            no_repeats: None,
            gm_cells: GmCells::default(),
            cache: Cache::default(),
            log: Log::of(core),
            epoch: 0,
            errors: Cell::new(0),
            deferred: HashSet::new(),
            reference: None,
            event_ids: HashMap::new(),
            site: Site::default(),
            now: CurrentInstruction {
                id: Id::NONE,
                what: InstructionKind::UbGet,
                site: Site::default(),
                atomic: None,
                copy: None,
            },
            operands: Vec::new(),
            garbage: false,
            read_bits: Vec::new(),
            repeated: None,
            cmp_mask: CmpMask::default(),
            gathered: Vec::new(),
            sorted: (Vec::new(), 1),
            gm_operand: None,
        }
    }

    /// A finding; Ok when its class is allowed, or when the core goes on after it.
    fn found(&self, raise: Raise) -> Result<(), Raise> {
        let info = &self.launch.info;
        if self.allows(raise.class) {
            return Ok(());
        }
        let raise = match (raise.class, &self.now.copy) {
            (FaultClass::BufferBounds | FaultClass::GmBounds, Some(copy)) => with_units(raise, copy),
            _ => raise,
        };
        let kept = match &info.errors {
            _ if raise.severity != Severity::Error && !info.options.strict => &info.rules,
            Some(errors) if self.goes_on(&raise) && self.errors.get() < MOST_ERRORS => {
                self.errors.set(self.errors.get() + 1);
                errors
            }
            _ => return Err(raise),
        };
        kept.add(raise, &self.launch.name, self.core, self.site);
        Ok(())
    }

    fn allows(&self, class: FaultClass) -> bool {
        self.launch.info.options.allow.contains(&class)
    }

    /// Whether what a core does after an error still means something: not after an access to memory that is nobody's, and
    /// not with scalars and addresses that nobody wrote, which decide what comes next.
    fn goes_on(&self, raise: &Raise) -> bool {
        match raise.class {
            FaultClass::GmBounds => false,
            FaultClass::Uninitialized | FaultClass::BufferBounds if self.reads_addresses() => false,
            FaultClass::Uninitialized => raise.pipe != Pipe::S,
            _ => true,
        }
    }

    fn reads_addresses(&self) -> bool {
        matches!(self.opcode(), Some(Opcode::Gather | Opcode::Gatherb))
    }

    fn begin(&mut self, what: InstructionKind, site: Site) -> Result<(), Raise> {
        self.settle_reference()?;
        if self.order.is_full() {
            self.forget();
        }
        let id = self.order.issue(order::index(what.pipe()), what, site);
        self.now = CurrentInstruction { id, what, site, atomic: None, copy: None };
        self.operands.clear();
        self.garbage = false;
        self.read_bits.clear();
        self.gathered.clear();
        self.gm_operand = None;
        Ok(())
    }

    /// Forgets the instructions that no byte refers to: a long kernel needs no more memory than its data.
    #[cold]
    fn forget(&mut self) {
        let live: BTreeSet<Id> = self.cells.ids().chain(self.gm_cells.ids()).chain(self.taint.origins()).collect();
        self.atomics.retain(|id, _| live.contains(id));
        self.order.keep(&live);
    }

    /// Before a vector instruction declares its operands.
    fn begin_vector(&mut self, ins: &Vector, mask: MaskRegs, site: Site) -> Result<(), Raise> {
        self.begin(InstructionKind::Vector(*ins.head()), site)?;
        rules::vector(ins, mask).map_or(Ok(()), |r| self.found(r))?;
        if let Some(dst) = rules::without_repeats(ins, mask) {
            self.no_repeats = Some((dst, self.now.what, site));
        }
        if let Some(r) = self.cmp_mask.used(ins) {
            self.found(r)?;
            // What it selects is the same finding again.
            self.cmp_mask.set(self.cmp_mask.value);
            (self.cmp_mask.known, self.cmp_mask.undefined) = ([u64::MAX; 2], None);
        }
        match self.masks.used(ins, mask, site) {
            Some(r) => self.found(r),
            None => Ok(()),
        }
    }

    fn begin_copy(&mut self, ins: &CopyIns, atomic: Option<Atomic>, site: Site) -> Result<(), Raise> {
        self.begin(InstructionKind::copy(ins), site)?;
        (self.now.atomic, self.now.copy) = (atomic, Some(*ins));
        atomic.map_or(Ok(()), |mode| self.atomic_type(ins, mode))
    }

    /// The current instruction has run.
    fn done(&mut self) -> Result<(), Raise> {
        if let Some((race, at, before)) = self.repeated.take() {
            // SAFETY: `race` read the same bytes of the buffer, which lives as long as the block.
            let now = unsafe { std::slice::from_raw_parts(self.ub.add(at), before.len()) };
            let unchanged = now == before;
            self.found(if unchanged { race.rule() } else { race })?;
        }
        match (self.now.what, self.now.copy) {
            (InstructionKind::Vector(head), _) => {
                if let Some(r) = overlap::vector(&head, &self.operands, &self.gathered) {
                    self.found(r)?;
                }
                self.spread(head.op);
                self.record_operands();
            }
            (_, Some(copy)) => {
                if let Some(r) = overlap::copy(&copy, &self.operands) {
                    self.found(r)?;
                }
                self.spread_copy(&copy);
                self.record_operands();
                self.record_gm();
            }
            _ => {}
        }
        Ok(())
    }

    /// An operand in the unified buffer: inside its buffer, in order with earlier accesses, and defined where the
    /// instruction cannot do with less.
    fn operand(&mut self, name: &'static str, o: Operand, shape: Shape, access: Access) -> Result<(), Raise> {
        let (addr, extent) = (o.addr as usize, shape.extent());
        if extent == 0 {
            return Ok(());
        }
        self.has_buffer(name, o)?;
        let Some(end) = self.meant(name, o, extent, access)? else {
            self.garbage |= access == Access::Read;
            return Ok(());
        };
        let ordered = self.not_freed(name, o, extent.min(end - addr))?;
        self.race(name, addr, shape, access, end)?;
        if access == Access::Read && self.needs_values(name) {
            match self.now.copy {
                Some(copy) if copy.kind != CopyKind::Matmul as u8 => self.stored_values(name, addr, shape)?,
                _ => self.needs_defined(name, addr, shape)?,
            }
        }
        if access == Access::Read && self.values_decide() {
            // SAFETY: the core has checked that the operand lies in the buffer, which lives as long as the block.
            self.read_bits.push(unsafe { std::slice::from_raw_parts(self.ub.add(addr), extent) }.to_vec());
        }
        // These declare every element or block they move, one after the other.
        if name == "src" && self.opcode().is_some_and(lanes::moves_elements) {
            self.gathered.push((addr, extent));
        } else if access == Access::Read && end < addr + extent && !self.compares() {
            self.garbage = true;
            self.cells.record(addr, end - addr, self.now.id, false);
        } else {
            self.operands.push(Declared { name, addr, shape, access, end, ordered });
        }
        Ok(())
    }

    /// A LocalTensor that nobody gave a buffer lies at the start of the unified buffer.
    fn has_buffer(&self, name: &str, o: Operand) -> Result<(), Raise> {
        if o.addr != 0 || o.bytes != 0 || tensor_bounds::is_known(o) {
            return Ok(());
        }
        self.found(
            Raise::new(
                FaultClass::BufferBounds,
                self.now.what.pipe(),
                self.now.what.name(),
                "a tensor without a buffer",
            )
            .silent()
            .operand(name)
            .expected("a tensor of a queue, a TBuf or an allocator")
            .got("UB offset 0 and no length")
            .fix("assign the LocalTensor before its first use: tensor = buffer.Get<T>()"),
        )
    }

    /// Where the bytes end that the author can have meant: an operand stays in its tensor and in its buffer, and what it does
    /// to other bytes has been said. None: it means none of its bytes.
    fn meant(&self, name: &str, o: Operand, extent: usize, access: Access) -> Result<Option<usize>, Raise> {
        let (addr, report) = (o.addr as usize, !self.allows(FaultClass::BufferBounds));
        if !self.begins_in_tensor(name, o, extent)? && report {
            return Ok(None);
        }
        let end = self.in_buffer(name, addr, extent, access)?;
        Ok(match self.ends_in_tensor(name, o, extent, access)? {
            Some(limit) if report => end.map(|end| end.min(limit)),
            _ => end,
        })
    }

    /// The end of the bytes that the operand has; an operand stays in its buffer.
    fn in_buffer(&self, name: &str, addr: usize, extent: usize, access: Access) -> Result<Option<usize>, Raise> {
        let Err(outside) = self.buffers.check(addr, extent) else { return Ok(Some(addr + extent)) };
        // Whole repeats are compared and the bits of what lies behind the buffer are garbage, which matters where they are
        // used (mask of level 0: Compare page).
        if let (true, Access::Read, Some(end)) = (self.compares(), access, outside.end) {
            return Ok(Some(end));
        }
        self.found(
            Raise::new(FaultClass::BufferBounds, self.now.what.pipe(), self.now.what.name(), outside.what)
                .operand(name)
                .expected(outside.expected)
                .got(format!("bytes {addr} to {}", addr + extent))
                .fix(ub::compare_lengths(self.now.what.pipe(), "given to InitBuffer")),
        )?;
        Ok(if self.allows(FaultClass::BufferBounds) { Some(addr + extent) } else { outside.end })
    }

    fn race(&mut self, name: &str, addr: usize, shape: Shape, access: Access, end: usize) -> Result<(), Raise> {
        let (cells, order, now) = (&self.cells, &mut self.order, self.now.id);
        let write = access == Access::Write;
        let mut first = None;
        shape.runs(|at, len| {
            let len = len.min(end.saturating_sub(addr + at));
            while let Err(conflict) =
                cells.visit(addr + at, len, |from, n, cell| unordered(order, now, cell, write, from, n))
            {
                // One missing event is one finding: what comes later is judged as if it were there.
                order.suppose(now, conflict.id);
                first.get_or_insert(conflict);
            }
        });
        match first {
            None => Ok(()),
            Some(c) => {
                let r = self.race_text(c, write, name, "UB");
                if write && self.opcode() == Some(Opcode::Duplicate) {
                    let extent = shape.extent().min(end.saturating_sub(addr));
                    // SAFETY: the core has checked that the operand lies in the buffer, which lives as long as the block.
                    let before = unsafe { std::slice::from_raw_parts(self.ub.add(addr), extent) }.to_vec();
                    self.repeated = Some((r, addr, before));
                    return Ok(());
                }
                self.found(r)
            }
        }
    }

    fn race_text(&self, c: Conflict, write: bool, operand: &str, memory: &str) -> Raise {
        let (event, fix) = order::missing(c.id.pipe(), self.now.id.pipe());
        let verb = |w: bool| if w { "writes" } else { "reads" };
        let bytes = if memory == "UB" {
            format!("UB bytes {} to {}", c.from, c.from + c.len)
        } else {
            self.launch.info.place(c.from, c.from + c.len)
        };
        let what = format!("{} {bytes}, which {} {}", verb(write), self.describe(c.id), verb(c.was_write));
        Raise::new(FaultClass::Race, self.now.what.pipe(), self.now.what.name(), what)
            .operand(operand)
            .expected(format!("{event} between the two"))
            .got("nothing that makes the second wait for the first")
            .fix(fix)
    }

    /// `Add<float> at k.cpp:12`.
    fn describe(&self, id: Id) -> String {
        match self.order.step(id) {
            None => "an earlier instruction".to_owned(),
            Some(s) => s.site.location().map_or_else(|| s.what.name(), |l| format!("{} at {l}", s.what.name())),
        }
    }

    /// Reads whose value decides: copies to global memory, reductions and Gather offsets.
    fn needs_values(&self, name: &str) -> bool {
        match self.now.what {
            InstructionKind::Copy { .. } => self.now.id.pipe() == order::MTE3,
            InstructionKind::Vector(_) => match self.opcode() {
                Some(Opcode::ReduceMax | Opcode::ReduceMin | Opcode::ReduceSum) => true,
                Some(Opcode::Gather) => name == "srcOffset",
                Some(Opcode::Gatherb) => name == "offset",
                _ => false,
            },
            _ => true,
        }
    }

    /// One source may decide a result of the current instruction, whatever the other one is.
    fn values_decide(&self) -> bool {
        matches!(self.opcode(), Some(Opcode::And | Opcode::Or)) || self.multiplies_integers()
    }

    fn multiplies_integers(&self) -> bool {
        let what = self.now.what;
        self.opcode() == Some(Opcode::Mul) && (what.gives(Dtype::I16) || what.gives(Dtype::I32))
    }

    fn compares(&self) -> bool {
        matches!(self.opcode(), Some(Opcode::Compare | Opcode::CompareScalar))
    }

    /// Opcode of the current instruction.
    fn opcode(&self) -> Option<Opcode> {
        match self.now.what {
            InstructionKind::Vector(head) => Some(head.op),
            _ => None,
        }
    }

    fn needs_defined(&mut self, name: &str, addr: usize, shape: Shape) -> Result<(), Raise> {
        let mut first = None;
        let lenient = self.now.id.pipe() == order::MTE3;
        shape.runs(|at, len| {
            if first.is_none() {
                first = self.taint.first_undefined(addr + at, len, lenient);
            }
        });
        match first {
            None => Ok(()),
            Some(byte) => {
                self.undefined(name, byte)?;
                // Where they go is the same finding again.
                shape.runs(|at, len| self.taint.set(addr + at, len, true, Id::NONE));
                Ok(())
            }
        }
    }

    /// Never-written bytes reach the current instruction.
    fn undefined(&mut self, operand: &str, byte: usize) -> Result<(), Raise> {
        let raise = self.undefined_text(operand, byte);
        let origin = self.taint.origin(byte);
        let from_gm = origin.is_some() && matches!(origin.pipe(), order::MTE2 | order::S);
        if from_gm { self.defer(raise) } else { self.found(raise) }
    }

    fn undefined_text(&self, operand: &str, byte: usize) -> Raise {
        let (pipe, instruction) = (self.now.what.pipe(), self.now.what.name());
        let origin = self.taint.origin(byte);
        let what = match pipe {
            Pipe::MTE3 => "never-written bytes reach global memory",
            _ => "the result depends on never-written bytes",
        };
        let got = if origin.is_some() {
            format!("UB byte {byte}, which comes from bytes that {} read first", self.describe(origin))
        } else {
            format!("UB byte {byte}, which nothing wrote since InitBuffer{}", self.without_repeats(byte))
        };
        Raise::new(FaultClass::Uninitialized, pipe, instruction, what)
            .operand(operand)
            .expected("bytes that a copy or an instruction wrote")
            .got(got)
            .fix("fill the buffer before use (DataCopyPad, Duplicate), or shorten the length to the valid elements")
    }

    /// An instruction without repeats that would have written a byte: `uint8_t repeatTime = 256`.
    fn without_repeats(&self, byte: usize) -> String {
        match self.no_repeats {
            Some((dst, what, site)) if dst <= byte && self.buffers.check(dst, byte + 1 - dst).is_ok() => {
                format!("; {}{} to this buffer has a repeatTime of 0", what.name(), site.at())
            }
            _ => String::new(),
        }
    }

    /// A value from global memory that no earlier epoch wrote: with several cores another one may write it now, which
    /// the end of the launch tells.
    fn defer(&mut self, raise: Raise) -> Result<(), Raise> {
        if self.launch.blocks < 2 {
            return self.found(raise);
        }
        // Without a list of errors the first one is the launch's.
        let wanted = self.launch.info.errors.is_some() || self.deferred.is_empty();
        if !self.allows(raise.class) && wanted && self.deferred.insert(self.now.site) {
            let at = self.now.site.location();
            self.launch.defer(raise.into_fault(&self.launch.name, self.core, at));
        }
        Ok(())
    }

    fn record_operands(&mut self) {
        let (cells, id) = (&mut self.cells, self.now.id);
        for o in self.operands.iter().filter(|o| o.ordered) {
            let room = |at: usize| o.end.saturating_sub(o.addr + at);
            o.shape.runs(|at, len| cells.record(o.addr + at, len.min(room(at)), id, false));
        }
        for o in self.operands.iter().filter(|o| o.ordered && o.access == Access::Write) {
            let room = |at: usize| o.end.saturating_sub(o.addr + at);
            o.shape.runs(|at, len| cells.record(o.addr + at, len.min(room(at)), id, true));
        }
    }
}

/// A launch in check mode.
pub(crate) struct CheckedLaunch(Arc<LaunchRecord>);

impl CheckedLaunch {
    pub fn new(info: LaunchInfo, name: &str, blocks: u32) -> CheckedLaunch {
        CheckedLaunch(Arc::new(LaunchRecord::new(info, name, blocks)))
    }
}

impl WatchLaunch for CheckedLaunch {
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        Some(Box::new(Checker::new(self.0.clone(), block)))
    }

    fn end(&self, fault: Option<&Fault>) -> Result<(), Fault> {
        match fault {
            None => self.0.judge(),
            Some(fault) => {
                self.0.has_effect(fault);
                Ok(())
            }
        }
    }
}

impl Observer for Checker {
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise> {
        self.site = site;
        match *step {
            Step::Vector { ins, mask } => self.begin_vector(ins, mask, site),
            Step::Copy { ins, atomic, .. } => self.begin_copy(ins, atomic, site),
            Step::Matmul { ins, atomic } => {
                if ins.gm.is_null() {
                    self.pass(order::V, order::MTE3);
                } else {
                    // The cube core has its message from a copy of MTE3, which comes after those before it.
                    self.pass(order::MTE3, order::MTE2);
                }
                self.begin_copy(ins, atomic, site)
            }
            Step::MatmulWaited => {
                self.pass(order::MTE2, order::S);
                self.pass(order::MTE3, order::S);
                Ok(())
            }
            Step::Operand { name, operand, shape, access } => self.operand(name, operand, shape, access),
            Step::Global { addr, shape, access } => self.global(addr, shape, access),
            Step::Reserved => self.reserved(),
            Step::Broken(raise) => self.found(raise.clone()),
            Step::Done => self.done(),
            Step::Call { name, operands, tmp, tmp_document, in_place, reads_first } => {
                let overlap = if in_place { None } else { overlap::call(name, operands, reads_first) };
                overlap.map_or(Ok(()), |r| self.found(r))?;
                self.small_tmp(name, tmp, tmp_document)
            }
            Step::SetFlag { event, id } => self.set_flag(event, id, site),
            Step::WaitFlag { event, id } => self.wait_flag(event, id),
            Step::EventTaken { event, id } => self.event_taken(event, id, site),
            Step::Barrier(pipe) => self.barrier(pipe),
            // What comes before the flag is ordered before what other cores do after they waited for it.
            Step::SyncAll | Step::CrossSet { .. } => self.sync_epoch(),
            Step::Paired(pair) => {
                self.launch.pair();
                self.pair_is_cleared(pair)
            }
            Step::Polled { addr, bytes } => {
                self.log.polled.insert((addr, addr + bytes as usize));
                Ok(())
            }
            Step::Cleared { gm, bytes } => self.cleared("SyncAll", gm, bytes),
            Step::UbScalar { operand, write } => self.ub_scalar(operand, write, site),
            Step::GmScalar { addr, bytes, access: GmAccess::Reference, .. } => self.gm_reference(addr, bytes, site),
            Step::GmScalar { addr, bytes, access, .. } => self.gm_scalar(addr, bytes, access == GmAccess::Write, site),
            Step::CleanCache { addr, .. } => self.clean_cache(addr),
            Step::PipeOpen => self.pipe_open(),
            Step::PipeClose => self.pipe_close(),
            Step::InitBuffer { queue, addr, num, bytes } => self.init_buffer(queue, addr, num, bytes),
            Step::StackBuffer { addr, bytes, fills } => {
                self.buffers.add_stack(addr as usize, bytes as usize);
                if fills { self.fill() } else { Ok(()) }
            }
            Step::End { flags, event } => {
                self.launch.rely(self.core, std::mem::take(&mut self.order.relied));
                self.end(flags, event)
            }
            _ => {
                self.note(site, step);
                Ok(())
            }
        }
    }
}

impl Checker {
    /// What one pipe has issued is complete before what another one runs later.
    fn pass(&mut self, from: usize, to: usize) {
        let last = Id::new(from, self.order.count(from));
        self.order.suppose(Id::new(to, 0), last);
    }

    /// Steps that change what the checker knows and break no rule.
    fn note(&mut self, site: Site, step: &Step<'_>) {
        match *step {
            Step::MaskMode { counter } => self.masks.set_mode(counter, site),
            Step::MaskSet { bits } => self.masks.set(bits),
            Step::MaskReset => self.masks.reset(),
            Step::CmpMask { bits } => self.cmp_mask.set(bits),
            Step::Sorted { from, together } => self.sorted = (from.to_vec(), together),
            Step::Atomic(mode) => self.atomic_mode(mode, site),
            Step::AllocTensor { handle, addr, bytes, lease } => {
                self.tensors.alloc(handle, lease, addr as usize, bytes as usize, site);
            }
            Step::EnQue { handle } => self.tensors.enque(handle, site),
            Step::DeQue { handle } => self.tensors.deque(handle, site),
            Step::FreeTensor { handle, addr, bytes } => self.tensors.free(handle, addr as usize, bytes as usize, site),
            _ => {}
        }
    }
}

/// An earlier access that the current one does not know to be complete.
struct Conflict {
    id: Id,
    was_write: bool,
    from: usize,
    len: usize,
}

/// A conflict with another pipe comes first: the event it lacks orders the accesses of the own pipe as well, while the
/// barrier of the own pipe would not order the other one.
fn unordered(
    order: &mut Order,
    now: Id,
    cell: &access::Cell,
    write: bool,
    from: usize,
    len: usize,
) -> Result<(), Conflict> {
    let mut own = None;
    for (id, was_write) in cell.conflicts(write) {
        if !order.knows(now.pipe(), id) && !order.auto(now, id) {
            let conflict = Conflict { id, was_write, from, len };
            if id.pipe() != now.pipe() {
                return Err(conflict);
            }
            own.get_or_insert(conflict);
        }
    }
    own.map_or(Ok(()), Err)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

//! Launches: blocks of a kernel spread over a persistent pool of host threads.

use crate::{
    base::{
        fault::{Fault, FaultClass, FaultOwner, Raise},
        pipe::Pipe,
        site::{self, Site},
        spec::CoreSpec,
        switches::Switches,
    },
    launch::crash::{self, Crash, OnCore},
    machine::{
        atomic_order::Adds,
        barrier::{self, Barrier, Grid, Post, Released, Stop, Wait},
        core::Core,
        observe::{Block, Step, Watch, WatchLaunch},
        task_type::{Place, Retyped, TaskType, too_late},
        tiling_use::TilingUse,
    },
    observers::{
        check::{self, Findings},
        stats::{LaunchCounters, Stats},
    },
};
use std::{
    any::Any,
    collections::VecDeque,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock},
    thread::JoinHandle,
};

/// A kernel entry: one function per tiling key, called once per block.
pub type KernelFn = unsafe extern "C-unwind" fn(args: *const *mut c_void);

/// Blocks of a launch at most (SIMD-BuiltIn page).
const MAX_BLOCK_DIM: u32 = 65_535;

/// One launch.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub kernel: KernelFn,
    pub name: &'a str,
    pub tiling_key: u64,
    pub block_dim: u32,
    /// Inputs, outputs, workspace, tiling; an absent optional input is null.
    pub args: &'a [*mut c_void],
    /// What observers take for the arguments where `args` only leads to them; null for one that is no address.
    pub addresses: Option<&'a [*mut c_void]>,
    /// Address and bytes of the tiling data, for kernels that read it without a pointer (get_para_base).
    pub tiling_data: Option<(usize, usize)>,
    /// Records what the kernel reads of its tiling data.
    pub tiling: Option<&'a TilingUse>,
    /// Another run of a launch that has been made, under these switches: not counted and not observed.
    pub repeat: Option<Switches>,
    /// Turns check mode on.
    pub check: Option<&'a check::LaunchInfo>,
    /// Whoever else watches this launch.
    pub watch: &'a [Arc<dyn Watch>],
}

impl<'a> Launch<'a> {
    /// A launch without extras; name them with `..Launch::new(…)`.
    pub fn new(
        kernel: KernelFn,
        name: &'a str,
        tiling_key: u64,
        block_dim: u32,
        args: &'a [*mut c_void],
    ) -> Launch<'a> {
        Launch {
            kernel,
            name,
            tiling_key,
            block_dim,
            args,
            addresses: None,
            tiling_data: None,
            tiling: None,
            repeat: None,
            check: None,
            watch: &[],
        }
    }
}

/// A launch in flight. The pointers are only used while [`Engine::run`] waits for it.
struct Job {
    kernel: KernelFn,
    name: *const str,
    args: *const [*mut c_void],
    addresses: *const [*mut c_void],
    tiling_data: Option<(usize, usize)>,
    tiling_key: u64,
    block_dim: u32,
    task: TaskType,
    /// All of its cores.
    cores: u32,
    tiling: *const TilingUse,
    repeat: Option<Switches>,
    /// Where faults go of a launch that goes on without the core that they end.
    errors: Option<Findings>,
    /// Whoever watches, the checker last: the others see the step it stops.
    watch: Vec<Arc<dyn WatchLaunch>>,
    progress: Mutex<Progress>,
    done: Condvar,
    barrier: Barrier,
}

// SAFETY: `name`, `args`, `addresses` and `tiling` are borrowed from the caller of `run`, who stays there until every block
// has finished, and kernels are made to run on many cores at once.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

#[derive(Default)]
struct Progress {
    next: u32,
    finished: u32,
    fault: Option<Fault>,
    /// What the launch has to start anew as, and whether a core has written global memory.
    retyped: Option<TaskType>,
    has_written: bool,
}

/// How a block ended.
#[derive(Default)]
struct Ended {
    fault: Option<Fault>,
    retyped: Option<TaskType>,
    has_written: bool,
}

/// A lock whose data stays valid when a holder panics: every critical section leaves it consistent.
fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    /// Index of the next block; after a fault that stops the launch the rest counts as finished.
    fn claim(&self) -> Option<u32> {
        let mut p = lock(&self.progress);
        if p.next >= self.cores {
            return None;
        }
        let i = p.next;
        p.next += 1;
        Some(i)
    }

    /// A block that nobody who watches wants is skipped.
    fn wants(&self, block: u32) -> bool {
        self.watch.is_empty() || self.watch.iter().any(|w| w.wants(block))
    }

    fn finish(&self, ended: Ended) {
        let mut p = lock(&self.progress);
        p.finished += 1;
        p.has_written |= ended.has_written;
        if ended.retyped.is_some() {
            self.barrier.stop();
            p.finished += self.cores - p.next;
            p.next = self.cores;
            p.retyped = p.retyped.or(ended.retyped);
        }
        if let Some(f) = ended.fault {
            self.barrier.stop();
            if let Some(errors) = &self.errors {
                errors.keep(f.clone());
            } else {
                p.finished += self.cores - p.next;
                p.next = self.cores;
            }
            if p.fault.as_ref().is_none_or(|old| f.core < old.core) {
                p.fault = Some(f);
            }
        }
        if p.finished == self.cores {
            self.done.notify_all();
        }
    }
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Arc<Job>>,
    stop: bool,
}

struct Shared {
    spec: Arc<CoreSpec>,
    switches: Switches,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Cores not in use; a thread takes one per job.
    cores: Mutex<Vec<Core>>,
    watch: RwLock<Vec<Arc<dyn Watch>>>,
    stats: Arc<Stats>,
}

// SAFETY: cores are handed from thread to thread, never shared; an observer lives on the thread that runs its block.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Vector cores and the threads that run them.
pub struct Engine {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Engine {
    /// `threads` host threads work on one launch: the caller of [`Engine::run`] and `threads - 1` of the pool.
    pub fn new(spec: CoreSpec, switches: Switches, threads: usize) -> Engine {
        let shared = Arc::new(Shared {
            spec: Arc::new(spec),
            switches,
            queue: Mutex::default(),
            wake: Condvar::new(),
            cores: Mutex::default(),
            watch: RwLock::default(),
            stats: Arc::default(),
        });
        crash::install();
        // A host that gives no more threads runs the launch on those it has; the caller alone suffices.
        let spawn = |i: usize| {
            let shared = shared.clone();
            std::thread::Builder::new().name(format!("aicore-{i}")).spawn(move || worker(&shared)).ok()
        };
        let threads = (1..threads).map_while(spawn).collect();
        Engine { shared, threads }
    }

    pub fn spec(&self) -> &CoreSpec {
        &self.shared.spec
    }

    pub fn switches(&self) -> Switches {
        self.shared.switches
    }

    /// Counters of the launches made while they are enabled.
    pub fn stats(&self) -> &Stats {
        &self.shared.stats
    }

    /// Says who watches every later launch; repeats of a launch are not watched.
    pub fn watch(&self, watch: Vec<Arc<dyn Watch>>) {
        *self.shared.watch.write().unwrap_or_else(PoisonError::into_inner) = watch;
    }

    /// Whoever watches a launch: statistics, those of the engine, those of the launch, the checker.
    fn watchers(&self, launch: &Launch, cores: u32) -> Vec<Arc<dyn WatchLaunch>> {
        let mut all: Vec<Arc<dyn WatchLaunch>> = Vec::new();
        let start = |w: &Arc<dyn Watch>| w.launch(launch.name, launch.tiling_key, cores);
        if launch.repeat.is_none() {
            if self.shared.stats.enabled() {
                all.push(Arc::new(LaunchCounters::new(launch.name, self.shared.stats.clone())));
            }
            all.extend(self.shared.watch.read().unwrap_or_else(PoisonError::into_inner).iter().filter_map(start));
        }
        all.extend(launch.watch.iter().filter_map(start));
        if let Some(info) = launch.check {
            all.push(Arc::new(check::CheckedLaunch::new(info.clone(), launch.name, cores)));
        }
        all
    }

    /// Runs every block and waits for them. A fault stops the launch: blocks that have not started are skipped, unless
    /// the launch collects its errors ([`check::LaunchInfo::errors`]).
    ///
    /// # Errors
    ///
    /// `block_dim` is out of range, a block ends with a fault, or an observer of the launch reports one.
    pub fn run(&self, launch: &Launch) -> Result<(), Fault> {
        if !(1..=MAX_BLOCK_DIM).contains(&launch.block_dim) {
            let got = match launch.block_dim as i32 {
                negative @ ..0 => format!("{} ({negative} as a signed number)", launch.block_dim),
                n => n.to_string(),
            };
            let raise = Raise::new(FaultClass::Argument, Pipe::S, "launch", "no launch of so many blocks")
                .operand("blockDim")
                .expected(format!("1 to {MAX_BLOCK_DIM}"))
                .got(got)
                .fix("call SetBlockDim in the tiling function, with the cores that PlatformAscendC gives");
            return Err(raise.into_fault(launch.name, 0, None));
        }
        site::launch_begins();
        let mut task = TaskType::default();
        loop {
            match self.attempt(launch, task) {
                Ok(result) => return result,
                Err(other) => task = other,
            }
        }
    }

    /// A run of the launch as a type, which may turn out to be another one.
    fn attempt(&self, launch: &Launch, task: TaskType) -> Result<Result<(), Fault>, TaskType> {
        let cores = task.cores(launch.block_dim);
        let job = Arc::new(Job {
            kernel: launch.kernel,
            name: launch.name,
            args: launch.args,
            addresses: launch.addresses.unwrap_or(launch.args),
            tiling_data: launch.tiling_data,
            tiling_key: launch.tiling_key,
            block_dim: launch.block_dim,
            task,
            cores,
            tiling: launch.tiling.map_or(std::ptr::null(), std::ptr::from_ref),
            watch: self.watchers(launch, cores),
            repeat: launch.repeat,
            errors: launch.check.and_then(|info| info.errors.clone()),
            progress: Mutex::default(),
            done: Condvar::new(),
            barrier: Barrier::new(task, launch.block_dim, launch.repeat.unwrap_or(self.shared.switches).atomic_order),
        });
        let mut result = self.pass(&job);
        let Progress { retyped, has_written, .. } = *lock(&job.progress);
        if let Some(wanted) = retyped.filter(|_| result.is_ok()) {
            return if has_written { Ok(Err(too_late(wanted).into_fault(launch.name, 0, None))) } else { Err(wanted) };
        }
        if result.is_ok() && job.watch.iter().any(|w| w.wants_more()) {
            *lock(&job.progress) = Progress::default();
            result = self.pass(&job);
        }
        for watch in &job.watch {
            let seen = watch.end(result.as_ref().err());
            result = result.and(seen);
        }
        Ok(match job.errors.as_ref().and_then(Findings::first) {
            Some(first) => Err(first),
            None => result,
        })
    }

    /// Runs the blocks that are wanted.
    fn pass(&self, job: &Arc<Job>) -> Result<(), Fault> {
        let helpers = self.threads.len().min(job.cores as usize - 1);
        if helpers > 0 {
            lock(&self.shared.queue).jobs.push_back(job.clone());
            for _ in 0..helpers {
                self.shared.wake.notify_one();
            }
        }
        self.shared.work(job);
        let mut p = lock(&job.progress);
        while p.finished < job.cores {
            p = job.done.wait(p).unwrap_or_else(PoisonError::into_inner);
        }
        let fault = p.fault.take();
        drop(p);
        job.barrier.adds.finish();
        if helpers > 0 {
            lock(&self.shared.queue).jobs.retain(|j| !Arc::ptr_eq(j, job));
        }
        fault.map_or(Ok(()), Err)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        lock(&self.shared.queue).stop = true;
        self.shared.wake.notify_all();
        for t in self.threads.drain(..) {
            // A worker catches the panics of its blocks; nothing is left to report here.
            let _ = t.join();
        }
    }
}

fn worker(shared: &Arc<Shared>) {
    loop {
        let job = {
            let mut q = lock(&shared.queue);
            loop {
                if q.stop {
                    return;
                }
                // Exhausted jobs stay listed until their caller removes them.
                if let Some(j) = q.jobs.iter().find(|j| lock(&j.progress).next < j.cores) {
                    break j.clone();
                }
                q = shared.wake.wait(q).unwrap_or_else(PoisonError::into_inner);
            }
        };
        shared.work(&job);
    }
}

/// The launch a core takes part in.
struct Blocks {
    shared: Arc<Shared>,
    job: Arc<Job>,
}

impl Grid for Blocks {
    /// The first call starts the blocks that no thread has taken yet, each on a thread of its own.
    fn wait(&self, block: u32, site: Site, wait: Wait) -> Result<(), Stop> {
        if !self.fits() {
            let (soc, cores) = (&self.shared.spec.soc, self.shared.spec.vector_cores / self.job.task.vectors.max(1));
            return Err(Stop::Fault(barrier::too_many(&wait.name(), self.job.block_dim, cores, soc)));
        }
        if (0..self.job.cores).any(|block| !self.job.wants(block)) {
            return Err(Stop::Fault(barrier::left_out(&wait.name())));
        }
        self.start_all().map_err(Stop::Fault)?;
        self.job.barrier.wait(block, site, wait)
    }

    fn spread(&self) -> Result<(), Stop> {
        if self.job.barrier.is_stopped() {
            return Err(Stop::Released);
        }
        if self.fits() {
            self.start_all().map_err(Stop::Fault)?;
        }
        std::thread::yield_now();
        Ok(())
    }

    fn adds(&self) -> &Adds {
        &self.job.barrier.adds
    }

    fn post(&self, block: u32, post: &Post) -> Result<(), Raise> {
        self.job.barrier.post(block, post)
    }
}

impl Blocks {
    /// Whether the chip has a core for every one of the launch.
    fn fits(&self) -> bool {
        self.job.block_dim * self.job.task.vectors.max(1) <= self.shared.spec.vector_cores
    }

    fn start_all(&self) -> Result<(), Raise> {
        let mut p = lock(&self.job.progress);
        let from = std::mem::replace(&mut p.next, self.job.cores);
        for block in from..self.job.cores {
            let (shared, job) = (self.shared.clone(), self.job.clone());
            let thread = std::thread::Builder::new().name(format!("aicore-b{block}"));
            if let Err(e) = thread.spawn(move || shared.run_from(&job, block)) {
                p.finished += self.job.cores - block;
                return Err(barrier::no_thread(block, &e.to_string()));
            }
        }
        Ok(())
    }
}

impl Shared {
    fn work(self: &Arc<Self>, job: &Arc<Job>) {
        if let Some(block) = job.claim() {
            self.run_from(job, block);
        }
    }

    /// Runs `block` and then whatever is left to claim.
    fn run_from(self: &Arc<Self>, job: &Arc<Job>, mut block: u32) {
        let core = lock(&self.cores).pop();
        let mut core = core.unwrap_or_else(|| Core::new(self.spec.clone(), self.switches));
        let _on_core = OnCore::new();
        loop {
            let ended = self.block(job, &mut core, block);
            let stops = ended.retyped.is_some() || ended.fault.is_some() && job.errors.is_none();
            // The core goes back before the last block is reported, so that a caller that returns finds it.
            match job.claim_after(stops) {
                Some(next) => {
                    job.finish(ended);
                    block = next;
                }
                None => {
                    core.launch.grid = None;
                    lock(&self.cores).push(core);
                    job.finish(ended);
                    return;
                }
            }
        }
    }

    fn block(self: &Arc<Self>, job: &Arc<Job>, core: &mut Core, index: u32) -> Ended {
        if !job.wants(index) {
            job.barrier.adds.ended(index);
            return Ended::default();
        }
        // SAFETY: the caller of `run` keeps name and args alive until this block is reported.
        let name = unsafe { &*job.name };
        // Before the reset, which takes the saturation mode from them.
        core.machine.switches = job.repeat.unwrap_or(self.switches);
        core.reset(name, Place { task: job.task, blocks: job.block_dim, core: index }, job.tiling_key);
        core.launch.tiling = job.tiling;
        (core.launch.arguments, core.launch.addresses) = (job.args, job.addresses);
        core.launch.tiling_data = job.tiling_data;
        core.launch.entry = job.kernel as usize;
        if !job.watch.is_empty() {
            self.attach(job, core, name, index);
        }
        core.launch.grid = Some(Box::new(Blocks { shared: self.clone(), job: job.clone() }));
        if let Err(raise) = core.observe(Step::Enter) {
            core.observation.observers.clear();
            return Ended { fault: Some(core.fault(raise)), ..Ended::default() };
        }
        let core: *mut Core = core;
        // SAFETY: the caller of `run` vouches for the kernel and keeps its arguments alive.
        let call = || unsafe { (job.kernel)(job.args.cast()) };
        let result = Core::enter(core, || catch_unwind(AssertUnwindSafe(call)));
        // SAFETY: the kernel is done; nothing else refers to the core.
        let core = unsafe { &mut *core };
        let (mut released, mut retyped) = (false, None);
        let fault = match result {
            Ok(()) => core.launch.pending.take().or_else(|| core.end().err().map(|r| core.fault(r))),
            Err(payload) if payload.is::<Released>() => {
                released = true;
                None
            }
            Err(payload) if payload.is::<Retyped>() => {
                released = true;
                retyped = payload.downcast::<Retyped>().ok().map(|wanted| wanted.0);
                None
            }
            Err(payload) => Some(match payload.downcast::<Crash>() {
                Ok(crash) => core.fault(crash.raise(core)),
                Err(payload) => to_fault(payload, name, index),
            }),
        };
        if fault.is_none() && !released {
            job.barrier.end(index);
        }
        core.observation.observers.clear();
        Ended { fault, retyped, has_written: core.launch.has_written }
    }

    /// Attaches whoever watches the launch.
    #[cold]
    fn attach(&self, job: &Job, core: &mut Core, kernel: &str, index: u32) {
        // SAFETY: as for the name in `block`.
        let args = unsafe { &*job.addresses };
        core.launch.args.extend(args.iter().map(|a| *a as usize));
        let (blocks, tiling_key) = (job.cores, job.tiling_key);
        let (ub, entry) = (core.machine.ub_at(0), core.launch.entry);
        let block = Block { kernel, index, blocks, tiling_key, spec: &self.spec, args, ub, entry };
        core.observation.observers.extend(job.watch.iter().filter_map(|w| w.block(&block)));
    }
}

impl Job {
    fn claim_after(&self, stopped: bool) -> Option<u32> {
        if stopped { None } else { self.claim() }
    }
}

fn to_fault(payload: Box<dyn Any + Send>, kernel: &str, core: u32) -> Fault {
    let payload = match payload.downcast::<Fault>() {
        Ok(f) => return *f,
        Err(p) => p,
    };
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown panic".to_owned());
    let mut raise = Raise::new(FaultClass::Internal, Pipe::S, "block", format!("internal error of hostcann: {text}"))
        .fix("please report it with the kernel");
    raise.owner = FaultOwner::NotImplemented;
    raise.into_fault(kernel, core, None)
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;

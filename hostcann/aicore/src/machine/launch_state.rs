//! The block that a core runs and the launch that it is a part of.

use crate::{
    base::fault::{Fault, Raise},
    machine::{
        atomic::Atomic,
        barrier::{Grid, Released, Stop},
        notes::Notes,
        task_type::{Place, Retyped, TaskType},
        tiling_use::TilingUse,
    },
};
use std::{ffi::c_void, panic::resume_unwind, sync::atomic::AtomicBool};

pub(crate) struct LaunchState {
    pub kernel: String,
    /// Its number among all cores of the launch.
    pub block_idx: u32,
    /// Cores of its kind.
    pub block_num: u32,
    pub place: Place,
    pub tiling_key: u64,
    /// Address of the kernel function.
    pub entry: usize,
    /// Addresses of the kernel's arguments, while somebody watches.
    pub args: Vec<usize>,
    /// The same, always; valid while a block runs.
    pub addresses: *const [*mut c_void],
    /// What the kernel function is called with; valid while a block runs.
    pub arguments: *const [*mut c_void],
    /// Null, or valid while a block runs.
    pub tiling: *const TilingUse,
    /// Address and bytes of the tiling data, where the launch says so.
    pub tiling_data: Option<(usize, usize)>,
    /// What get_para_base points to.
    pub parameters: Vec<usize>,
    /// What SetSysWorkspace set.
    pub sys_workspace: usize,
    /// The launch, for what cores wait for.
    pub grid: Option<Box<dyn Grid>>,
    /// It has written global memory: the launch cannot start anew.
    pub has_written: bool,
    /// Calls of the software SyncAll.
    pub soft_syncs: u32,
    pub notes: Notes,
    /// Set once a fault is on its way: destructors that run during unwinding must not touch the core any more.
    pub faulted: bool,
    /// The time limit is over: the next call faults. Set by a signal handler.
    pub late: AtomicBool,
    /// While bytes move at addresses that the kernel gave.
    pub copying: bool,
    /// A fault found where unwinding is not possible.
    pub pending: Option<Fault>,
}

impl Default for LaunchState {
    fn default() -> LaunchState {
        LaunchState {
            kernel: String::new(),
            block_idx: 0,
            block_num: 1,
            place: Place { blocks: 1, ..Place::default() },
            tiling_key: 0,
            entry: 0,
            args: Vec::new(),
            addresses: &[],
            arguments: &[],
            tiling: std::ptr::null(),
            tiling_data: None,
            parameters: Vec::new(),
            sys_workspace: 0,
            grid: None,
            has_written: false,
            soft_syncs: 0,
            notes: Notes::default(),
            faulted: false,
            late: AtomicBool::new(false),
            copying: false,
            pending: None,
        }
    }
}

impl LaunchState {
    /// State at kernel entry.
    pub fn reset(&mut self, kernel: &str, place: Place, tiling_key: u64) {
        if self.kernel != kernel {
            kernel.clone_into(&mut self.kernel);
        }
        (self.place, self.block_idx, self.block_num, self.tiling_key) = (place, place.core, place.alike(), tiling_key);
        self.args.clear();
        self.addresses = &[];
        self.tiling = std::ptr::null();
        self.sys_workspace = 0;
        self.has_written = false;
        self.soft_syncs = 0;
        self.notes.clear();
        self.faulted = false;
        self.late = AtomicBool::new(false);
        self.copying = false;
        self.pending = None;
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

    /// Ends this block: the launch starts anew as another type.
    pub fn start_anew(&mut self, task: TaskType) -> ! {
        self.faulted = true;
        resume_unwind(Box::new(Retyped(task)))
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
}

//! A launch that can be made several times: one run of it, and how runs differ.

use crate::base::env::Settings;
use crate::device::memory::shadow_at;
use crate::launch::snapshot::{Difference, Region, Snapshot};
use crate::plan::bound::AlignedBytes;
use aicore::check::{Elements, Extent, Findings, LaunchInfo, Options, Role};
use aicore::{Engine, Fault, FaultClass, KernelFn, Launch, Pipe, Raise, Reads, Shadow, Switches, TilingUse};
use std::ffi::c_void;
use std::sync::Arc;

/// Everything a launch is made of, so that it can be made several times.
pub struct CheckedLaunch<'a> {
    pub kernel: KernelFn,
    pub name: &'a str,
    pub tiling_key: u64,
    pub block_dim: u32,
    /// Without the tiling data, if there is any.
    pub args: Vec<*mut c_void>,
    pub tiling: Option<&'a [u8]>,
    /// Where the tiling data lies when it is among the arguments already.
    pub tiling_at: Option<(usize, usize)>,
    /// See `KernelNode::tiling_other`.
    pub tiling_other: Option<&'a [u8]>,
    /// What it may read or write, without the tiling data. Empty: not known.
    pub extents: Vec<Extent>,
    /// What the launch may change.
    pub regions: Vec<Region>,
    /// See `LaunchInfo::elements`.
    pub elements: Vec<(usize, Arc<Elements>)>,
    /// Records of memory that no shadow of the process covers.
    pub shadows: Vec<(usize, Arc<Shadow>)>,
}

/// One run and what it left behind.
pub struct Ran {
    pub result: Result<(), Fault>,
    /// All errors of a checked run, core by core; the first one is the result.
    pub errors: Vec<Fault>,
    /// Broken rules that did not stop it.
    pub rules: Vec<Fault>,
    pub reads: Reads,
}

/// How a run differs from the one that counts.
pub enum Change {
    Result(Difference),
    /// It stops, or it does not stop any more.
    Fault,
}

/// A fault inside another message, which names kernel and core already.
pub fn brief(fault: &Fault) -> String {
    let place = fault.location.as_ref().map_or(String::new(), |l| format!(" at {l}"));
    format!("{}{place}: {}", fault.instruction, fault.message)
}

impl CheckedLaunch<'_> {
    pub fn tiling_checked(&self, settings: &Settings) -> bool {
        settings.check.as_ref().is_some_and(|c| !c.allow.contains(&FaultClass::Tiling))
    }

    /// What the checker is told about a run.
    fn info(&self, options: &Options, tiling: Option<&AlignedBytes>, bytes: usize) -> LaunchInfo {
        let mut extents = self.extents.clone();
        if !extents.is_empty()
            && let Some(tiling) = tiling
        {
            let name = "tiling data".to_owned();
            extents.push(Extent { base: tiling.address(), bytes, name, role: Role::Input });
        }
        let mut shadows = self.shadows.clone();
        for extent in &self.extents {
            if let Some((shadow, base)) = shadow_at(extent.base)
                && shadows.iter().all(|(known, _)| *known != base)
            {
                shadows.push((base, shadow));
            }
        }
        LaunchInfo {
            options: options.clone(),
            extents,
            elements: self.elements.clone(),
            shadows,
            rules: Findings::default(),
            errors: Some(Findings::default()),
        }
    }

    pub fn take(&self) -> Snapshot {
        // SAFETY: the regions are operands of the launch, checked before; the stream runs nothing else.
        unsafe { Snapshot::take(&self.regions) }
    }

    pub fn restore(&self, snapshot: &Snapshot) {
        // SAFETY: as for `take`.
        unsafe { snapshot.restore(&self.regions) };
    }

    /// One run. `repeat`: another one, not counted.
    pub fn once(&self, engine: &Engine, settings: &Settings, tiling: Option<&[u8]>, repeat: Option<Switches>) -> Ran {
        let copy = tiling.map(|bytes| AlignedBytes::new(bytes, 1));
        let mut args = self.args.clone();
        args.extend(copy.iter().map(|c| c.address() as *mut c_void));
        let bytes = tiling.map_or(0, <[u8]>::len);
        let data = copy.as_ref().map(|c| (c.address(), bytes)).or(self.tiling_at);
        let reads = data.map(|(address, bytes)| TilingUse::new(address, bytes));
        let info = settings.check.as_ref().map(|options| self.info(options, copy.as_ref(), bytes));
        let launch = Launch {
            tiling_data: data,
            tiling: reads.as_ref().filter(|_| self.tiling_checked(settings)),
            repeat,
            check: info.as_ref(),
            ..Launch::new(self.kernel, self.name, self.tiling_key, self.block_dim, &args)
        };
        let result = engine.run(&launch);
        let take = |kept: Option<&Findings>| kept.map_or(Vec::new(), Findings::take);
        let rules = take(info.as_ref().map(|info| &info.rules));
        let errors = take(info.as_ref().and_then(|info| info.errors.as_ref()));
        Ran { result, errors, rules, reads: reads.map(|r| r.reads()).unwrap_or_default() }
    }

    /// Runs again from `before` and compares with the run that counts, whose results are `after`.
    pub fn again(
        &self,
        engine: &Engine,
        settings: &Settings,
        (before, after): (&Snapshot, &Snapshot),
        first: &Result<(), Fault>,
        (tiling, switches): (Option<&[u8]>, Switches),
    ) -> (Ran, Option<Change>) {
        self.restore(before);
        let ran = self.once(engine, settings, tiling, Some(switches));
        let change = match (first, &ran.result) {
            // SAFETY: as for `take`.
            (Ok(()), Ok(())) => unsafe { after.difference(&self.regions) }.map(Change::Result),
            (Err(a), Err(b)) if a.class == b.class && a.message == b.message => None,
            _ => Some(Change::Fault),
        };
        (ran, change)
    }

    /// What the launch as a whole does that no device says anything about.
    pub fn finding(&self, raise: Raise) -> Fault {
        raise.silent().into_fault(self.name, 0, None)
    }
}

/// The parts of such a finding.
pub fn raise(class: FaultClass, instruction: &str, what: impl Into<String>, fix: impl Into<String>) -> Raise {
    Raise::new(class, Pipe::S, instruction, what).fix(fix)
}

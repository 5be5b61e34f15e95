//! A launch with the checker on, or repeated under other switches: what it may touch, and what its runs have in common.

use crate::engine::{engine, failure};
use crate::env::Settings;
use crate::failure::Outcome;
use crate::memory::shadow_at;
use crate::plan::KernelNode;
use crate::plan_run::{AlignedBytes, Bound, Place};
use crate::snapshot::{Difference, Region, Snapshot};
use aicore::check::{Extent, LaunchInfo, Options};
use aicore::{Engine, Fault, FaultClass, FaultOwner, KernelFn, Launch, Pipe, Reads, Shadow, Switches, TilingUse};
use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, OnceLock};

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
}

/// One run and what it left behind.
pub struct Ran {
    pub result: Result<(), Fault>,
    pub reads: Reads,
}

/// How a run differs from the one that counts.
pub enum Change {
    Result(Difference),
    /// It stops, or it does not stop any more.
    Fault,
}

/// Whether this process runs kernels checked; for `cargo xtask bench host`.
#[unsafe(no_mangle)]
pub extern "C" fn hc_check_enabled() -> u64 {
    crate::env::checking().into()
}

/// A fault inside another message, which names kernel and core already.
pub fn brief(fault: &Fault) -> String {
    let place = fault.location.as_ref().map_or(String::new(), |l| format!(" at {l}"));
    format!("{}{place}: {}", fault.instruction, fault.message)
}

/// Who reads the file knows that the checker was there; programs that die and processes side by side count as well.
fn count(settings: &Settings, good: bool) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let (Some(path), Some(_)) = (&settings.check_count, &settings.check) else {
        return;
    };
    let file = FILE.get_or_init(|| File::options().append(true).create(true).open(path).ok());
    if let Some(mut file) = file.as_ref() {
        // A count that cannot be kept is no reason to fail a launch.
        let _ = file.write_all(if good { b"." } else { b"!" });
    }
}

impl<'a> CheckedLaunch<'a> {
    pub fn of_node(
        kernel: &'a KernelNode,
        tensors: &[Option<Bound>],
        workspace: Option<&Bound>,
        args: Vec<*mut c_void>,
    ) -> CheckedLaunch<'a> {
        let mut extents = Vec::new();
        let mut regions = Vec::new();
        for (i, bound) in tensors.iter().enumerate() {
            let Some(bound) = bound.as_ref().filter(|b| b.bytes > 0) else {
                continue;
            };
            let info = &kernel.infos[i];
            let name = if info.name.is_empty() { kernel.tensor_name(i) } else { info.name.clone() };
            let mut tensor = |name: String, bound: &Bound, writable: bool| {
                let (address, bytes) = (bound.address, bound.bytes as usize);
                if writable {
                    regions.push(Region { name: name.clone(), address, bytes, dtype: info.dtype, result: true });
                }
                extents.push(Extent { base: address, bytes, name, writable });
            };
            let output = i >= kernel.input_num;
            let Place::List { tensors: listed, .. } = &bound.place else {
                tensor(name, bound, output);
                continue;
            };
            // What the argument points to describes the tensors; only these are the kernel's to write.
            for (at, member) in listed.iter().enumerate().filter(|(_, b)| b.bytes > 0) {
                tensor(format!("{name}, tensor {at}"), member, output);
            }
            tensor(format!("{name}, descriptor"), bound, false);
        }
        if let Some(bound) = workspace {
            let (address, bytes) = (bound.address, bound.bytes as usize);
            let name = "workspace".to_owned();
            regions.push(Region { name: name.clone(), address, bytes, dtype: None, result: false });
            extents.push(Extent { base: address, bytes, name, writable: true });
        }
        CheckedLaunch {
            kernel: kernel.kernel,
            name: &kernel.name,
            tiling_key: kernel.tiling_key,
            block_dim: kernel.block_dim,
            args,
            tiling: Some(&kernel.tiling),
            tiling_at: None,
            tiling_other: kernel.tiling_other.as_deref(),
            extents,
            regions,
        }
    }

    pub fn run(self, settings: &Settings) -> Outcome {
        let engine = engine()?;
        let result = self.run_on(&engine, settings);
        count(settings, result.is_ok());
        result.map_err(|fault| failure(self.with_workspace_hint(fault)))
    }

    /// A launch without enough workspace is the tiling function's doing.
    fn with_workspace_hint(&self, mut fault: Fault) -> Fault {
        if self.tiling.is_none() {
            return fault;
        }
        let asked = self.extents.iter().find(|e| e.name == "workspace").map(|e| e.bytes);
        match asked {
            Some(bytes) if fault.class == FaultClass::GmBounds && fault.message.contains("workspace") => {
                fault.message +=
                    &format!("; the tiling function asked for {bytes} bytes of workspace (GetWorkspaceSizes)");
            }
            None if fault.class == FaultClass::NullPointer => {
                fault.message += "; the tiling function asked for no workspace (GetWorkspaceSizes)";
            }
            _ => {}
        }
        fault
    }

    fn run_on(&self, engine: &Engine, settings: &Settings) -> Result<(), Fault> {
        let tiling_checked = self.tiling_checked(settings);
        let doubt = tiling_checked && self.tiling_other.is_some();
        let before = (doubt || !settings.flip.is_empty()).then(|| self.take());
        let ran = self.once(engine, settings, self.tiling, None);
        if let (true, Some(before)) = (doubt, &before) {
            crate::tiling_check::unset_bytes(self, engine, settings, before, &ran)?;
        }
        ran.result?;
        if tiling_checked && self.tiling.is_some() {
            crate::tiling_check::rest(self, &ran.reads)?;
        }
        match &before {
            Some(before) if !settings.flip.is_empty() => crate::flip::flip(self, engine, settings, before),
            _ => Ok(()),
        }
    }

    fn tiling_checked(&self, settings: &Settings) -> bool {
        settings.check.as_ref().is_some_and(|c| !c.allow.contains(&FaultClass::Tiling))
    }

    /// What the checker is told about a run.
    fn info(&self, options: &Options, tiling: Option<&AlignedBytes>, bytes: usize) -> LaunchInfo {
        let mut extents = self.extents.clone();
        if !extents.is_empty()
            && let Some(tiling) = tiling
        {
            let name = "tiling data".to_owned();
            extents.push(Extent { base: tiling.address(), bytes, name, writable: false });
        }
        let mut shadows: Vec<(usize, Arc<Shadow>)> = Vec::new();
        for extent in &self.extents {
            if let Some((shadow, base)) = shadow_at(extent.base)
                && shadows.iter().all(|(known, _)| *known != base)
            {
                shadows.push((base, shadow));
            }
        }
        LaunchInfo { options: options.clone(), extents, shadows }
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
            tiling: reads.as_ref().filter(|_| self.tiling_checked(settings)),
            repeat,
            check: info.as_ref(),
            ..Launch::new(self.kernel, self.name, self.tiling_key, self.block_dim, &args)
        };
        let result = engine.run(&launch);
        Ran { result, reads: reads.map(|r| r.reads()).unwrap_or_default() }
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

    pub fn finding(&self, class: FaultClass, instruction: &str, message: String) -> Fault {
        Fault {
            owner: FaultOwner::UpstreamSilent,
            class,
            kernel: self.name.to_owned(),
            core: 0,
            pipe: Pipe::S,
            instruction: instruction.to_owned(),
            location: None,
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::kernel_binary::TensorInfo;

    unsafe extern "C-unwind" fn nothing(_: *const *mut c_void) {}

    #[test]
    fn tensors_of_lists_are_known_and_their_descriptor_is_read_only() {
        let at = |address, bytes| Bound { address, bytes, place: Place::Device };
        let list = |address, tensors| {
            let block = Arc::new(AlignedBytes::new(&[0; 64], 1));
            Some(Bound { address, bytes: 64, place: Place::List { block, tensors } })
        };
        let info = |name: &str| TensorInfo { name: name.to_owned(), dtype: Some(DType::F32) };
        let kernel = KernelNode {
            kernel: nothing,
            op_type: "Op".to_owned(),
            name: "op_0".to_owned(),
            tiling_key: 0,
            block_dim: 1,
            tiling: [].into(),
            tiling_other: None,
            workspace: None,
            tensors: vec![None; 3],
            infos: vec![info("input 0 (x)"), info(""), info("output 0 (y)")],
            input_num: 2,
        };
        let tensors = [
            list(0x100, vec![at(0x1000, 8), at(0x2000, 0), at(0x3000, 16)]),
            Some(at(0x4000, 4)),
            list(0x200, vec![at(0x5000, 32)]),
        ];
        let launch = CheckedLaunch::of_node(&kernel, &tensors, Some(&at(0x6000, 100)), Vec::new());
        let extents: Vec<_> = launch.extents.iter().map(|e| (e.base, e.bytes, e.name.as_str(), e.writable)).collect();
        let want = [
            (0x1000, 8, "input 0 (x), tensor 0", false),
            (0x3000, 16, "input 0 (x), tensor 2", false),
            (0x100, 64, "input 0 (x), descriptor", false),
            (0x4000, 4, "input 1 of Op", false),
            (0x5000, 32, "output 0 (y), tensor 0", true),
            (0x200, 64, "output 0 (y), descriptor", false),
            (0x6000, 100, "workspace", true),
        ];
        assert_eq!(extents, want);
        let regions: Vec<_> = launch.regions.iter().map(|r| (r.address, r.dtype, r.result)).collect();
        assert_eq!(regions, [(0x5000, Some(DType::F32), true), (0x6000, None, false)]);
    }
}

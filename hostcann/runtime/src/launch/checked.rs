//! A launch with the checker on, or repeated under other switches: what it may touch, and in which order its runs go.

use crate::base::env::Settings;
use crate::base::failure::Outcome;
use crate::base::findings::{self, Repeated};
use crate::device::engine::engine;
use crate::launch::run::CheckedLaunch;
use crate::launch::snapshot::Region;
use crate::plan::bound::{Bound, Place};
use crate::plan::node::KernelNode;
use aicore::check::{Extent, Role};
use aicore::{Engine, Fault, FaultClass};
use std::ffi::c_void;

/// Whether this process runs kernels checked; for `cargo xtask bench host`.
#[unsafe(no_mangle)]
pub extern "C" fn hc_check_enabled() -> u64 {
    crate::base::env::checking().into()
}

/// The launch of a plan's kernel, with the memory that its operands mean.
pub fn of_node<'a>(
    kernel: &'a KernelNode,
    tensors: &[Option<Bound>],
    workspace: Option<&Bound>,
    args: Vec<*mut c_void>,
) -> CheckedLaunch<'a> {
    let mut extents = Vec::new();
    let mut regions = Vec::new();
    let mut elements = Vec::new();
    for (i, bound) in tensors.iter().enumerate() {
        let Some(bound) = bound.as_ref().filter(|b| b.bytes > 0) else {
            continue;
        };
        let info = &kernel.infos[i];
        let name = if info.name.is_empty() { kernel.tensor_name(i) } else { info.name.clone() };
        let mut tensor = |name: String, bound: &Bound, role: Role| {
            let (address, bytes) = (bound.address, bound.bytes as usize);
            if role != Role::Input {
                regions.push(Region { name: name.clone(), address, bytes, dtype: info.dtype, result: true });
                elements.extend(bound.elements.clone().map(|elements| (address, elements)));
            }
            extents.push(Extent { base: address, bytes, name, role });
        };
        let role = match i.checked_sub(kernel.input_num) {
            None => Role::Input,
            Some(_) if info.partial || info.init.is_some() => Role::PartOutput,
            // An output that an attribute or an absent input switches off is such a one; no bytes of it are missed.
            Some(_) if matches!(bound.place, Place::Unread) => Role::PartOutput,
            Some(_) => Role::Output,
        };
        let Place::List { tensors: listed, .. } = &bound.place else {
            tensor(name, bound, role);
            continue;
        };
        // What the argument points to describes the tensors; only these are the kernel's to write.
        for (at, member) in listed.iter().enumerate().filter(|(_, b)| b.bytes > 0) {
            tensor(format!("{name}, tensor {at}"), member, role);
        }
        tensor(format!("{name}, descriptor"), bound, Role::Input);
    }
    if let Some(bound) = workspace {
        let (address, bytes) = (bound.address, bound.bytes as usize);
        let name = "workspace".to_owned();
        regions.push(Region { name: name.clone(), address, bytes, dtype: None, result: false });
        extents.push(Extent { base: address, bytes, name, role: Role::Workspace });
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
        elements,
        shadows: Vec::new(),
    }
}

/// Runs it once, and again where the tiling data or a flipped switch ask for it; what is found is the stream's failure.
///
/// # Errors
///
/// `INVALID_PARAM` where there is no engine, `RT_FEATURE_NOT_SUPPORT` where the first finding is something that the
/// toolkit does not implement, `RT_VECTOR_CORE_EXCEPTION` after any other finding.
pub fn run(launch: &CheckedLaunch<'_>, settings: &Settings, repeated: Repeated) -> Outcome {
    let engine = engine()?;
    let number = findings::next_launch();
    let mut faults = run_on(launch, number, &engine, settings).err().unwrap_or_default();
    findings::count(settings, faults.len());
    if faults.is_empty() {
        return Ok(());
    }
    for fault in &mut faults {
        with_workspace_hint(launch, fault);
        findings::keep(settings, number, fault, true);
    }
    Err(findings::failure(number, &faults, repeated))
}

/// A launch without any workspace is the tiling function's doing.
fn with_workspace_hint(launch: &CheckedLaunch<'_>, fault: &mut Fault) {
    let none = launch.tiling.is_some() && !launch.extents.iter().any(|e| e.role == Role::Workspace);
    if none && fault.class == FaultClass::NullPointer {
        fault.said.fix += "; the tiling function asked for no workspace (GetWorkspaceSizes)";
        fault.message = fault.said.message();
    }
}

/// What stops nothing: a broken rule, a remark.
fn note(settings: &Settings, launch: usize, rule: &Fault) {
    let text = rule.to_string();
    let line = rule.location.as_ref().map_or_else(|| rule.kernel.clone(), ToString::to_string);
    if rule.class == FaultClass::AutoSync && !findings::is_first(&line) {
        return;
    }
    findings::keep(settings, launch, rule, false);
    if findings::is_first(&text) {
        crate::base::log::note("CHECK", &text);
    }
    crate::base::verdict::append(crate::base::verdict::Kind::Rule, 0, &text);
}

fn run_on(launch: &CheckedLaunch<'_>, number: usize, engine: &Engine, settings: &Settings) -> Result<(), Vec<Fault>> {
    let alone = |fault| vec![fault];
    let tiling_checked = launch.tiling_checked(settings);
    let doubt = tiling_checked && launch.tiling_other.is_some();
    let before = (doubt || !settings.flip.is_empty()).then(|| launch.take());
    let ran = launch.once(engine, settings, launch.tiling, None);
    ran.rules.iter().for_each(|rule| note(settings, number, rule));
    if let (true, Some(before)) = (doubt, &before) {
        crate::launch::tiling_check::unset_bytes(launch, engine, settings, before, &ran).map_err(alone)?;
    }
    if let Err(fault) = ran.result {
        return Err(if ran.errors.is_empty() { vec![fault] } else { ran.errors });
    }
    if tiling_checked && let Some(rule) = crate::launch::tiling_check::rest(launch, &ran.reads) {
        if settings.check.as_ref().is_some_and(|options| options.strict) {
            return Err(vec![rule]);
        }
        note(settings, number, &rule);
    }
    match &before {
        Some(before) if !settings.flip.is_empty() => {
            crate::launch::flip::flip(launch, engine, settings, before).map_err(alone)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::dtype::DType;
    use crate::package::kernel_binary::TensorInfo;
    use crate::plan::bound::AlignedBytes;
    use std::sync::Arc;

    unsafe extern "C-unwind" fn nothing(_: *const *mut c_void) {}

    #[test]
    fn tensors_of_lists_are_known_and_their_descriptor_is_read_only() {
        let at = |address, bytes| Bound { address, bytes, place: Place::Device, elements: None };
        let list = |address, tensors| {
            let block = Arc::new(AlignedBytes::new(&[0; 64], 1));
            Some(Bound { address, bytes: 64, place: Place::List { block, tensors }, elements: None })
        };
        let info = |name: &str| TensorInfo { name: name.to_owned(), dtype: Some(DType::F32), ..TensorInfo::default() };
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
        let launch = of_node(&kernel, &tensors, Some(&at(0x6000, 100)), Vec::new());
        let extents: Vec<_> = launch.extents.iter().map(|e| (e.base, e.bytes, e.name.as_str(), e.writable())).collect();
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

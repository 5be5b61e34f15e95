//! Running bound nodes on a stream.

use crate::base::cast::CastFn;
use crate::base::failure::Outcome;
use crate::base::findings::Repeated;
use crate::base::log::{self, Level};
use crate::launch::checked;
use crate::package::kernel_binary::TensorInfo;
use crate::plan::bound::{AlignedBytes, Bound, Place};
use crate::plan::copy::StridedCopy;
use crate::plan::host_call::HostCall;
use crate::plan::node::KernelNode;
use crate::timing::sim_launch;
use aicore::Launch;
use std::ffi::c_void;
use std::sync::Arc;

pub enum Job {
    Kernel { kernel: Arc<KernelNode>, tensors: Vec<Option<Bound>>, workspace: Option<Bound> },
    Copy { copy: Arc<StridedCopy>, dst: Bound, src: Bound },
    Cast { cast: CastFn, count: usize, sizes: (usize, usize), dst: Bound, src: Bound },
    Call { call: Arc<HostCall>, tensors: Vec<Option<Bound>>, input_num: usize },
}

impl Job {
    /// Does what the node says.
    ///
    /// # Errors
    ///
    /// `RT_VECTOR_CORE_EXCEPTION` where `Bound::check` refuses an operand or the kernel faults,
    /// `RT_FEATURE_NOT_SUPPORT` where the kernel needs what the toolkit does not implement, `INVALID_PARAM` where the
    /// environment or the SoC file is invalid; of a host function, its own status.
    pub fn run(self) -> Outcome {
        match self {
            Job::Kernel { kernel, tensors, workspace } => launch(&kernel, &tensors, workspace.as_ref()),
            Job::Call { call, tensors, input_num } => {
                call.run(&tensors, input_num)?;
                if crate::base::env::checking() {
                    for bound in tensors.iter().skip(input_num).flatten() {
                        crate::launch::shadow::mark_written(bound.address, bound.bytes as usize);
                    }
                }
                Ok(())
            }
            Job::Copy { copy, dst, src } => {
                if copy.empty {
                    return Ok(());
                }
                dst.check(&|| "destination of a copy".to_owned())?;
                src.check(&|| "source of a copy".to_owned())?;
                // SAFETY: the extents were checked against the operands when the node was added, and the operands
                // against live memory just now.
                unsafe { copy.run(dst.pointer(), src.pointer::<u8>()) };
                if crate::base::env::checking() {
                    crate::launch::shadow::copied_strided(&copy, &dst, &src);
                }
                Ok(())
            }
            Job::Cast { cast, count, sizes, dst, src } => {
                if count == 0 {
                    return Ok(());
                }
                dst.check(&|| "destination of a cast".to_owned())?;
                src.check(&|| "source of a cast".to_owned())?;
                let saturate = crate::device::engine::saturates()?;
                // SAFETY: as for the copy.
                unsafe { cast(dst.pointer(), src.pointer::<u8>(), count, saturate) };
                if crate::base::env::checking() {
                    crate::launch::shadow::cast_elements((&dst, sizes.0), (&src, sizes.1), count);
                }
                Ok(())
            }
        }
    }
}

/// SetNeedAtomic(true): fills an output, or every tensor of a list, that was checked just now.
fn fill(output: &Bound, pattern: &[u8]) {
    if let Place::List { tensors, .. } = &output.place {
        return tensors.iter().for_each(|tensor| fill(tensor, pattern));
    }
    if output.bytes == 0 {
        return;
    }
    let bytes = output.bytes as usize;
    // SAFETY: `Bound::check` found the range in device memory; on its stream nothing else runs.
    let memory = unsafe { std::slice::from_raw_parts_mut(output.pointer::<u8>(), bytes) };
    for element in memory.chunks_mut(pattern.len()) {
        element.copy_from_slice(&pattern[..element.len()]);
    }
    if crate::base::env::checking() {
        crate::launch::shadow::mark_written(output.address, bytes);
    }
}

fn launch(kernel: &KernelNode, tensors: &[Option<Bound>], workspace: Option<&Bound>) -> Outcome {
    let mut args: Vec<*mut c_void> = Vec::with_capacity(tensors.len() + 2);
    for (i, tensor) in tensors.iter().enumerate() {
        if let Some(bound) = tensor {
            bound.check(&|| kernel.tensor_name(i))?;
        }
        args.push(tensor.as_ref().map_or(std::ptr::null_mut(), Bound::pointer));
    }
    if let Some(bound) = workspace {
        bound.check(&|| format!("workspace of {}", kernel.op_type))?;
    }
    args.push(workspace.map_or(std::ptr::null_mut(), Bound::pointer));
    for (output, info) in tensors.iter().zip(&kernel.infos).skip(kernel.input_num) {
        if let (Some(output), Some(pattern)) = (output, &info.init) {
            fill(output, pattern);
        }
    }
    if log::enabled(Level::Info) {
        let KernelNode { op_type, name, tiling_key, block_dim, .. } = kernel;
        let bytes = workspace.map_or(0, |bound| bound.bytes);
        let text =
            format!("{op_type}: {name}, tiling key {tiling_key}, block dim {block_dim}, workspace {bytes} bytes");
        log::write(Level::Info, "LAUNCH", &text);
    }
    crate::base::verdict::append_kernel(&kernel.name);
    let settings = crate::base::env::settings()?;
    let _current = settings.sim.as_ref().map(|_| {
        let present = kernel.infos.iter().zip(tensors).filter(|(_, bound)| bound.is_some());
        let tensor = |(info, _): (&'_ TensorInfo, _)| (info.name.clone(), info.dtype, info.shape.clone());
        sim_launch::enter(&kernel.op_type, present.map(tensor))
    });
    if settings.check.is_some() || !settings.flip.is_empty() {
        return checked::run(&checked::of_node(kernel, tensors, workspace, args), settings, Repeated::Line);
    }
    let tiling = AlignedBytes::new(&kernel.tiling, 1);
    args.push(tiling.address() as *mut c_void);
    let launch = Launch {
        tiling_data: Some((tiling.address(), kernel.tiling.len())),
        ..Launch::new(kernel.kernel, &kernel.name, kernel.tiling_key, kernel.block_dim, &args)
    };
    crate::device::engine::run(&launch, Repeated::Line)
}

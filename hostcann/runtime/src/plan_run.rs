//! Running bound nodes on a stream.

use crate::cast::CastFn;
use crate::checked_launch::CheckedLaunch;
use crate::copy::StridedCopy;
use crate::failure::Outcome;
use crate::log::{self, Level};
use crate::memory::{Range, classify};
use crate::plan::KernelNode;
use aicore::Launch;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::sync::Arc;

/// Tiling data and host constants are read by 64-byte lines.
const ALIGNMENT: usize = 64;

/// Bytes at a 64-byte boundary, zero padded.
pub struct AlignedBytes {
    pointer: *mut u8,
    layout: Layout,
    len: usize,
}
// SAFETY: the bytes are owned and never written after construction, except through a kernel that gets a copy of its own.
unsafe impl Send for AlignedBytes {}
// SAFETY: as above.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// `padding`: the length is rounded up to a multiple of it.
    pub fn new(data: &[u8], padding: usize) -> AlignedBytes {
        let len = data.len().next_multiple_of(padding);
        let size = len.next_multiple_of(ALIGNMENT).max(ALIGNMENT);
        // No slice comes within a cache line of isize::MAX bytes.
        let layout = Layout::from_size_align(size, ALIGNMENT).expect("the size of a slice in memory");
        // SAFETY: the size is at least 64.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the block is new and has room for the data.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, data.len()) };
        AlignedBytes { pointer, layout, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn address(&self) -> usize {
        self.pointer as usize
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.pointer, self.layout) };
    }
}

pub enum Place {
    /// Memory of the caller, checked when the node runs.
    Device,
    /// Keeps the plan's own constants alive.
    Constant(Arc<AlignedBytes>),
    /// Keeps the descriptor of a tensor list alive.
    List { block: Arc<AlignedBytes>, tensors: Vec<Bound> },
}

pub struct Bound {
    pub address: usize,
    pub bytes: u64,
    pub place: Place,
}

impl Bound {
    /// What an MTE address error is on the device.
    fn check(&self, what: &dyn Fn() -> String) -> Outcome {
        if let Place::List { tensors, .. } = &self.place {
            return tensors
                .iter()
                .enumerate()
                .try_for_each(|(i, tensor)| tensor.check(&|| format!("tensor {i} of {}", what())));
        }
        if self.bytes == 0 || matches!(self.place, Place::Constant(_)) {
            return Ok(());
        }
        let (address, bytes) = (self.address, self.bytes);
        let problem = match classify(address, bytes) {
            Range::Inside(_) => return Ok(()),
            Range::Overruns { base, size } => {
                format!("runs over the end of the device memory block {base:#x} of {size} bytes; allocate more")
            }
            Range::Unallocated => {
                "was freed before the stream got there; synchronise the stream before freeing".to_owned()
            }
            Range::Unknown => "is not device memory; use aclrtMalloc".to_owned(),
        };
        fail!(RT_VECTOR_CORE_EXCEPTION, "{}: {address:#x} + {bytes} bytes {problem}", what())
    }

    pub fn pointer<T>(&self) -> *mut T {
        self.address as *mut T
    }
}

pub enum Job {
    Kernel { kernel: Arc<KernelNode>, tensors: Vec<Option<Bound>>, workspace: Option<Bound> },
    Copy { copy: Arc<StridedCopy>, dst: Bound, src: Bound },
    Cast { cast: CastFn, count: usize, sizes: (usize, usize), dst: Bound, src: Bound },
}

impl Job {
    pub fn run(self) -> Outcome {
        match self {
            Job::Kernel { kernel, tensors, workspace } => launch(&kernel, &tensors, workspace.as_ref()),
            Job::Copy { copy, dst, src } => {
                if copy.empty {
                    return Ok(());
                }
                dst.check(&|| "destination of a copy".to_owned())?;
                src.check(&|| "source of a copy".to_owned())?;
                // SAFETY: the extents were checked against the operands when the node was added, and the operands
                // against live memory just now.
                unsafe { copy.run(dst.pointer(), src.pointer::<u8>()) };
                if crate::env::checking() {
                    crate::shadow::copied_strided(&copy, &dst, &src);
                }
                Ok(())
            }
            Job::Cast { cast, count, sizes, dst, src } => {
                if count == 0 {
                    return Ok(());
                }
                dst.check(&|| "destination of a cast".to_owned())?;
                src.check(&|| "source of a cast".to_owned())?;
                let saturate = crate::engine::saturates()?;
                // SAFETY: as for the copy.
                unsafe { cast(dst.pointer(), src.pointer::<u8>(), count, saturate) };
                if crate::env::checking() {
                    crate::shadow::cast_elements((&dst, sizes.0), (&src, sizes.1), count);
                }
                Ok(())
            }
        }
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
    if log::enabled(Level::Info) {
        let KernelNode { op_type, name, tiling_key, block_dim, .. } = kernel;
        let bytes = workspace.map_or(0, |bound| bound.bytes);
        let text =
            format!("{op_type}: {name}, tiling key {tiling_key}, block dim {block_dim}, workspace {bytes} bytes");
        log::write(Level::Info, "LAUNCH", &text);
    }
    let settings = crate::env::settings()?;
    if settings.check.is_some() || !settings.flip.is_empty() {
        return CheckedLaunch::of_node(kernel, tensors, workspace, args).run(settings);
    }
    let tiling = AlignedBytes::new(&kernel.tiling, 1);
    args.push(tiling.address() as *mut c_void);
    let launch = Launch::new(kernel.kernel, &kernel.name, kernel.tiling_key, kernel.block_dim, &args);
    crate::engine::engine()?.run(&launch).map_err(crate::engine::failure)
}

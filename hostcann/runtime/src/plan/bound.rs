//! Operands with addresses, and what keeps the memory of the plan's own ones.

use crate::base::failure::Outcome;
use crate::device::memory::{Range, classify};
use aicore::check::Elements;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
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
    /// Workspace for a result that nothing in the plan reads: the caller never gets it.
    Unread,
    /// Keeps the plan's own constants alive.
    Constant(Arc<AlignedBytes>),
    /// Keeps the descriptor of a tensor list alive.
    List { block: Arc<AlignedBytes>, tensors: Vec<Bound> },
}

pub struct Bound {
    pub address: usize,
    pub bytes: u64,
    pub place: Place,
    /// Where not all of its bytes are an element's.
    pub elements: Option<Arc<Elements>>,
}

impl Bound {
    /// What an MTE address error is on the device.
    ///
    /// # Errors
    ///
    /// `RT_VECTOR_CORE_EXCEPTION` where its bytes, or those of a tensor in its list, do not lie in one allocated block
    /// of device or pinned host memory.
    pub fn check(&self, what: &dyn Fn() -> String) -> Outcome {
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

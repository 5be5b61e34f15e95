//! The structures of the C ABI of `libnnopbase.so`, from which `hostcann/host_abi.h` is made, and what a C caller's arrays
//! and strings are on this side.

use crate::base::failure::Outcome;
use std::ffi::{CStr, c_char, c_void};

/// An aclnn status code, 0 on success (aclnn/opdev/op_errno.h).
pub type HcStatus = i32;

/// A storage of a plan by its number: memory whose address is known when the plan runs.
pub type HcStorage = u32;

/// Type and format of an input or output of an operator.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcTensorType {
    /// 0: optional input that is absent; the other fields are ignored.
    pub present: i32,
    pub dtype: i32,
    pub format: i32,
}

/// A tensor of a node of a plan.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HcOperand {
    /// 0: absent optional tensor, passed to the kernel as a null pointer.
    pub present: i32,
    pub storage: HcStorage,
    pub byte_offset: u64,
    /// Extent used from byte_offset on.
    pub bytes: u64,
    /// 0: every byte is an element's; else the plan's description of the bytes that are.
    pub view: u32,
}

/// Kinds of `hc_memory`.
pub const HC_MEMORY_EXTERNAL: i32 = 0;
pub const HC_MEMORY_WORKSPACE: i32 = 1;
pub const HC_MEMORY_HOST: i32 = 2;

/// The storage object behind a tensor, as it is now.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcMemory {
    /// The object: the same one is the same storage of a plan.
    pub key: *const c_void,
    pub kind: i32,
    /// 1: the user destroyed the tensor it was made for.
    pub gone: i32,
    /// Of external and host memory.
    pub address: *mut c_void,
    /// Of the tensor it was made for.
    pub bytes: u64,
    /// Storage offset in bytes.
    pub offset: i64,
}

/// Where the elements of a tensor lie, from the beginning of an operand.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcElements {
    pub rank: u64,
    /// `rank` of them.
    pub dims: *const i64,
    /// Elements.
    pub strides: *const i64,
    /// Of an element.
    pub bits: u32,
    /// Bits from where the operand begins.
    pub first: i64,
}

/// A tensor over its storage object.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcTensor {
    pub memory: HcMemory,
    /// 1: `bytes` count from its offset; 0: from the start of its memory.
    pub view: i32,
    pub element_bits: u32,
    /// Elements.
    pub view_offset: i64,
    /// Elements.
    pub storage_offset: i64,
    /// Of its storage shape.
    pub bytes: u64,
    /// The dims of its view. Where not all bytes are an element's, as between strided rows of the user's tensor, all
    /// of its elements. 1: there are such bytes.
    pub gaps: i32,
    pub elements: HcElements,
}

/// What the tiling function gives to a launch.
#[repr(C)]
pub struct HcLaunch {
    pub tiling_key: u64,
    pub block_dim: u32,
    /// 1: outputs with an InitValue are filled before the kernel.
    pub need_atomic: i32,
    pub tiling_data: *const c_void,
    pub tiling_size: u64,
    /// NULL, or the data of the same tiling function in a buffer that held other bytes before: where the two differ,
    /// the function did not write.
    pub tiling_other: *const c_void,
    /// Sizes asked for by the tiling function.
    pub workspaces: *const u64,
    pub workspace_num: u64,
}

/// One side of a copy.
#[repr(C)]
pub struct HcStrided {
    pub at: HcOperand,
    /// Elements, `rank` of them.
    pub strides: *const i64,
}

/// An argument of a launch without a plan that is an address.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HcPointer {
    /// Its place among all arguments.
    pub index: u32,
    pub address: *const c_void,
}

/// What a node does on the host, on the stream's thread: reads and writes the operands (absent ones are null). 0, or the
/// status the stream ends with and a text of less than `size` bytes.
pub type HcHostCall = unsafe extern "C" fn(
    context: *mut c_void,
    operands: *const *mut c_void,
    count: usize,
    message: *mut c_char,
    size: usize,
) -> HcStatus;

/// Gives a context back.
pub type HcDrop = unsafe extern "C" fn(context: *mut c_void);

/// An array of a C caller; null is fine for length 0.
///
/// # Errors
///
/// `NN_NULLPTR` where the pointer is null and the length is not 0.
///
/// # Safety
/// `data` is null or valid for `len` elements.
pub unsafe fn slice<'a, T>(what: &str, data: *const T, len: usize) -> Outcome<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        fail!(NN_NULLPTR, "{what}: a null pointer with {len} elements");
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// # Safety
/// `text` is null or NUL-terminated.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

//! What libascendcl.so gives libopapi.so of a single-operator call (aclopCompileAndExecute): the operator by its name, operands
//! by their places, attributes as text.

use std::ffi::{c_char, c_void};

/// Of libopapi.so, an [`Execute`].
pub const SYMBOL: &str = "hc_single_op";

/// The call is checked and queued on its stream; `message` gets why not. [`UNKNOWN`]: there is no operator of this name, and
/// `message` gets the names that there are.
pub type Execute = unsafe extern "C" fn(op: *const SingleOp, message: *mut c_char, size: usize) -> i32;

pub const UNKNOWN: i32 = -1;

/// An operand without gaps.
#[repr(C)]
pub struct Operand {
    /// aclDataType; [`ABSENT`] for an optional operand that is not given.
    pub dtype: i32,
    pub rank: u64,
    pub dims: *const i64,
    pub address: *mut c_void,
}

/// ACL_DT_UNDEFINED
pub const ABSENT: i32 = -1;

/// Lives during the call.
#[repr(C)]
pub struct SingleOp {
    pub name: *const c_char,
    pub inputs: *const Operand,
    pub input_num: usize,
    pub outputs: *const Operand,
    pub output_num: usize,
    /// "name=value", numbers in decimal, flags as 0 or 1, lists as JSON.
    pub attrs: *const *const c_char,
    pub attr_num: usize,
    pub stream: *mut c_void,
}

//! The C ABI of libnnopbase.so and libascendcl.so that this library calls; `hostcann/host_op.h` is made from it.

use std::ffi::{c_char, c_void};

/// Objects of aclnn.
pub type AclTensor = c_void;
pub type AclTensorList = c_void;
pub type AclScalar = c_void;
pub type AclIntArray = c_void;
pub type AclBoolArray = c_void;
pub type AclOpExecutor = c_void;

/// An aclnn status code, 0 on success.
pub type HcStatus = i32;

pub const MAX_RANK: usize = 8;

/// Elements, strides and the offset count elements; the storage is contiguous.
#[repr(C)]
#[derive(Default)]
pub struct HcView {
    pub dtype: i32,
    /// 1: elements do not lie where strides say.
    pub private_format: i32,
    pub rank: u64,
    pub dims: [i64; MAX_RANK],
    pub strides: [i64; MAX_RANK],
    pub offset: i64,
    pub storage: i64,
}

/// The value of a scalar.
#[repr(C)]
#[derive(Default)]
pub struct HcNumber {
    pub dtype: i32,
    /// Of bool and integers.
    pub integer: i64,
    /// Of floating types.
    pub real: f64,
}

pub type HcHostCall = unsafe extern "C" fn(*mut c_void, *const *mut u8, usize, *mut c_char, usize) -> HcStatus;

/// A call of an operator.
#[repr(C)]
pub struct HcOp {
    /// Lives as long as the process.
    pub api: *const c_char,
    /// Gets the addresses of the views' first elements, inputs first.
    pub run: HcHostCall,
    pub context: *mut c_void,
    pub drop: unsafe extern "C" fn(context: *mut c_void),
    pub inputs: *const *const AclTensor,
    pub input_num: usize,
    pub outputs: *const *const AclTensor,
    pub output_num: usize,
    /// NULL, or the output whose shape the run decides: one more address behind the outputs is that of 9 int64, its
    /// rank and its dims. Phase 2 waits for the stream then and gives the tensor this shape.
    pub computed: *const AclTensor,
}

unsafe extern "C" {
    /// 161002 for a tensor of more than HC_MAX_RANK dims.
    pub fn hc_tensor_view(tensor: *const AclTensor, view: *mut HcView) -> HcStatus;
    /// The value of a scalar.
    pub fn hc_scalar_number(scalar: *const AclScalar, number: *mut HcNumber);
    /// The numbers of an array.
    pub fn hc_int_array(array: *const AclIntArray, size: *mut u64) -> *const i64;
    /// The flags of an array.
    pub fn hc_bool_array(array: *const AclBoolArray, size: *mut u64) -> *const bool;
    /// How many tensors a list has.
    pub fn hc_tensor_list_size(list: *const AclTensorList) -> u64;
    /// A tensor of a list.
    pub fn hc_tensor_list_at(list: *const AclTensorList, index: u64) -> *const AclTensor;
    /// Reports `text` for the interface `api` and returns `status`.
    pub fn hc_op_refuse(api: *const c_char, status: HcStatus, text: *const c_char) -> HcStatus;
    /// Phase 1; the context belongs to the callee whatever happens.
    pub fn hc_op_prepare(op: *const HcOp, workspace_size: *mut u64, executor: *mut *mut AclOpExecutor) -> HcStatus;
    /// Phase 2.
    pub fn hc_op_run(
        api: *const c_char,
        workspace: *mut c_void,
        workspace_size: u64,
        executor: *mut AclOpExecutor,
        stream: *mut c_void,
    ) -> HcStatus;
    pub fn hc_promote_type(a: i32, b: i32) -> i32;
    pub fn hc_can_cast(from: i32, to: i32) -> i32;
}

unsafe extern "C" {
    /// Of aclnn/acl_meta.h.
    pub fn aclCreateTensor(
        dims: *const i64,
        rank: u64,
        dtype: i32,
        strides: *const i64,
        offset: i64,
        format: i32,
        storage_dims: *const i64,
        storage_rank: u64,
        data: *mut c_void,
    ) -> *mut c_void;
    pub fn aclDestroyTensor(tensor: *const AclTensor) -> HcStatus;
}

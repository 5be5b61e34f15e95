//! The C ABI of libnnopbase.so and libascendcl.so that this library calls: `hostcann/host_op.h`.

use std::ffi::{c_char, c_void};

pub const MAX_RANK: usize = 8;

#[repr(C)]
#[derive(Default)]
pub struct HcView {
    pub dtype: i32,
    pub private_format: i32,
    pub rank: u64,
    pub dims: [i64; MAX_RANK],
    pub strides: [i64; MAX_RANK],
    pub offset: i64,
    pub storage: i64,
}

#[repr(C)]
#[derive(Default)]
pub struct HcNumber {
    pub dtype: i32,
    pub integer: i64,
    pub real: f64,
}

pub type Run = unsafe extern "C" fn(*mut c_void, *const *mut u8, usize, *mut c_char, usize) -> i32;

#[repr(C)]
pub struct HcOp {
    pub api: *const c_char,
    pub run: Run,
    pub context: *mut c_void,
    pub drop: unsafe extern "C" fn(*mut c_void),
    pub inputs: *const *const c_void,
    pub input_num: usize,
    pub outputs: *const *const c_void,
    pub output_num: usize,
    pub computed: *const c_void,
}

unsafe extern "C" {
    pub fn hc_tensor_view(tensor: *const c_void, view: *mut HcView) -> i32;
    pub fn hc_scalar_number(scalar: *const c_void, number: *mut HcNumber);
    pub fn hc_int_array(array: *const c_void, size: *mut u64) -> *const i64;
    pub fn hc_tensor_list_size(list: *const c_void) -> u64;
    pub fn hc_tensor_list_at(list: *const c_void, index: u64) -> *const c_void;
    pub fn hc_op_refuse(api: *const c_char, status: i32, text: *const c_char) -> i32;
    pub fn hc_op_prepare(op: *const HcOp, workspace_size: *mut u64, executor: *mut *mut c_void) -> i32;
    pub fn hc_op_run(
        api: *const c_char,
        workspace: *mut c_void,
        workspace_size: u64,
        executor: *mut c_void,
        stream: *mut c_void,
    ) -> i32;
    pub fn hc_promote_type(a: i32, b: i32) -> i32;
    pub fn hc_can_cast(from: i32, to: i32) -> i32;
}

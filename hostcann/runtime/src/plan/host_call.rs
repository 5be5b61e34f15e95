//! Nodes of a plan that are functions of the host: what a device has as kernels of its own package, and what reads results
//! back.

use crate::base::failure::{Failure, Outcome};
use crate::base::host_abi::{HcDrop, HcHostCall};
use crate::plan::bound::Bound;
use std::ffi::{CStr, c_char, c_void};

const MESSAGE_BYTES: usize = 512;

pub struct HostCall {
    pub name: String,
    function: HcHostCall,
    context: Context,
}

/// Owned by the node, and by what was queued from it.
pub struct Context {
    pointer: *mut c_void,
    drop: Option<HcDrop>,
}
// SAFETY: the contract of hc_plan_add_call: the function may run on any thread, and runs of one node may overlap.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn new(pointer: *mut c_void, drop: Option<HcDrop>) -> Context {
        Context { pointer, drop }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: by the contract of hc_plan_add_call; nobody uses the context any more.
            unsafe { drop(self.pointer) };
        }
    }
}

impl HostCall {
    pub fn new(name: String, function: HcHostCall, context: Context) -> HostCall {
        HostCall { name, function, context }
    }

    /// Calls the function with the addresses of the operands.
    ///
    /// # Errors
    ///
    /// `RT_VECTOR_CORE_EXCEPTION` where `Bound::check` refuses an operand; otherwise the status of the function, with
    /// its text, unless it is 0.
    pub fn run(&self, tensors: &[Option<Bound>], input_num: usize) -> Outcome {
        let mut addresses: Vec<*mut c_void> = Vec::with_capacity(tensors.len());
        for (i, tensor) in tensors.iter().enumerate() {
            if let Some(bound) = tensor {
                bound.check(&|| tensor_name(&self.name, input_num, i))?;
            }
            addresses.push(tensor.as_ref().map_or(std::ptr::null_mut(), Bound::pointer));
        }
        let mut message = [0 as c_char; MESSAGE_BYTES];
        // SAFETY: the addresses are live memory of the sizes that the node was made with; the message has room.
        let code = unsafe {
            (self.function)(
                self.context.pointer,
                addresses.as_ptr(),
                addresses.len(),
                message.as_mut_ptr(),
                MESSAGE_BYTES - 1,
            )
        };
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the last byte is 0 whatever the function wrote.
        let text = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy();
        Err(Failure::new(code, format!("{} on the host: {text}", self.name)))
    }
}

/// Operands are counted over the inputs and on over the outputs.
pub fn tensor_name(op: &str, input_num: usize, index: usize) -> String {
    match index.checked_sub(input_num) {
        None => format!("input {index} of {op}"),
        Some(output) => format!("output {output} of {op}"),
    }
}

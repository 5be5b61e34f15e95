//! Single-operator calls (aclopCompileAndExecute): Identity, which frameworks copy with, and the operators that libopapi.so
//! has for them. Most operators are called through aclnn.
//!
//! aclopCompileAndExecute is asynchronous: a call that is refused fails as a task of its stream, and the next synchronisation
//! returns the failure. torch_npu calls it from its task queue, which drops every later task in silence after one error code,
//! so that an immediate refusal would make results of unwritten memory. aclopCompileAndExecuteV2 hands shapes back and returns
//! its failure itself.

use crate::acl::memcpy::aclrtMemcpyAsync;
use crate::acl::single_op_call::{self, Call, PLAIN};
use crate::acl::tensor_desc::{BUFFERS, DESCS, TensorDesc};
use crate::base::failure::{Failure, Outcome, codes, lock, status};
use crate::device::context::resolve;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

const ON_DEVICE: i32 = 3;

/// What an operand is, in short.
struct Operand {
    dtype: i32,
    dims: Vec<i64>,
    storage: i32,
    address: usize,
    size: usize,
}

fn operand(function: &str, desc: *const c_void, buffer: *const c_void) -> Outcome<Operand> {
    let read = |desc: &mut TensorDesc| Ok((desc.dtype, desc.dims.clone(), desc.storage_format.unwrap_or(desc.format)));
    let (dtype, dims, storage) = DESCS.with(function, desc, read)?;
    let (address, size) = BUFFERS.with(function, buffer, |buffer| Ok((buffer.address, buffer.size)))?;
    Ok(Operand { dtype, dims, storage, address, size })
}

/// # Safety
/// As aclopCompileAndExecute.
unsafe fn execute(function: &str, call: &Call) -> Outcome {
    // SAFETY: non-null by `enter`, NUL-terminated by contract.
    let name = unsafe { CStr::from_ptr(call.op_type) };
    if name == c"Identity" {
        // SAFETY: by this function's contract.
        return unsafe { identity(function, call) };
    }
    // SAFETY: by this function's contract.
    unsafe { single_op_call::execute(function, name, call) }
}

/// # Safety
/// As aclopCompileAndExecute.
unsafe fn identity(function: &str, call: &Call) -> Outcome {
    let one = |count: i32, list: *const *const c_void| count == 1 && !list.is_null();
    if !one(call.inputs, call.input_desc) || !one(call.outputs, call.output_desc) {
        fail!(INVALID_PARAM, "{function}: Identity has one input and one output");
    }
    if call.input.is_null() || call.output.is_null() {
        return Err(Failure::null(function, "inputs or outputs"));
    }
    // SAFETY: the four lists are not null and hold one element each by contract.
    let (from, to) = unsafe {
        (operand(function, *call.input_desc, *call.input)?, operand(function, *call.output_desc, *call.output)?)
    };
    if from.storage != to.storage && !(PLAIN.contains(&from.storage) && PLAIN.contains(&to.storage)) {
        fail!(
            RT_FEATURE_NOT_SUPPORT,
            "{function}: Identity from format {} to {} is not supported by the host toolkit, which has no fractal formats",
            from.storage,
            to.storage
        );
    }
    if (from.dtype, &from.dims) != (to.dtype, &to.dims) {
        fail!(
            INVALID_PARAM,
            "{function}: Identity from data type {} of shape {:?} to {} of {:?}, expected the same",
            from.dtype,
            from.dims,
            to.dtype,
            to.dims
        );
    }
    let (to_address, from_address) = (to.address as *mut c_void, from.address as *const c_void);
    // SAFETY: the caller's buffers stay valid until the stream has run.
    let code = unsafe { aclrtMemcpyAsync(to_address, to.size, from_address, from.size, ON_DEVICE, call.stream) };
    match code {
        codes::SUCCESS => Ok(()),
        _ => Err(Failure::new(code, format!("{function}: Identity could not copy {} bytes", from.size))),
    }
}

/// # Safety
/// As aclopCompileAndExecute.
unsafe fn enter(function: &str, call: &Call, mode: Mode) -> Outcome {
    if call.op_type.is_null() {
        return Err(Failure::null(function, "opType"));
    }
    let stream = resolve(call.stream)?;
    // SAFETY: by this function's contract.
    match (unsafe { execute(function, call) }, mode) {
        (Err(failure), Mode::Asynchronous) => {
            stream.submit(Box::new(|| Err(Failure::new(codes::RT_INTERNAL_ERROR, failure.message))))
        }
        (outcome, _) => outcome,
    }
}

/// Who returns the failure of a call: the call, or the next synchronisation of its stream.
#[derive(Clone, Copy)]
enum Mode {
    Asynchronous,
    Immediate,
}

macro_rules! compile_and_execute {
    ($($function:ident $mode:ident)+) => {
        $(
            /// # Safety
            /// `op_type` is null or NUL-terminated; the lists are null or hold as many objects as their counts say.
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments, reason = "the interface of CANN")]
            pub unsafe extern "C" fn $function(
                op_type: *const c_char,
                inputs: i32,
                input_desc: *const *const c_void,
                input: *const *const c_void,
                outputs: i32,
                output_desc: *const *const c_void,
                output: *const *const c_void,
                attr: *const c_void,
                _engine: i32,
                _flag: i32,
                _path: *const c_char,
                stream: *mut c_void,
            ) -> i32 {
                refuse_forked!();
                let call = Call { op_type, inputs, input_desc, input, outputs, output_desc, output, attr, stream };
                // SAFETY: by this function's contract.
                status(unsafe { enter(stringify!($function), &call, Mode::$mode) })
            }
        )+
    };
}

compile_and_execute! { aclopCompileAndExecute Asynchronous aclopCompileAndExecuteV2 Immediate }

/// aclCompileOpt
const OPTIONS: i32 = 17;

static CHOSEN: Mutex<BTreeMap<i32, Vec<u8>>> = Mutex::new(BTreeMap::new());

fn check_option(function: &str, option: i32) -> Outcome {
    if (0..OPTIONS).contains(&option) {
        return Ok(());
    }
    fail!(INVALID_PARAM, "{function}: compile option {option} is unknown, expected 0 to {}", OPTIONS - 1)
}

/// Kept and read back; nothing is compiled here that they would change.
///
/// # Safety
/// `value` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclSetCompileopt(option: i32, value: *const c_char) -> i32 {
    let set = || {
        check_option("aclSetCompileopt", option)?;
        if value.is_null() {
            return Err(Failure::null("aclSetCompileopt", "value"));
        }
        // SAFETY: non-null and NUL-terminated by contract.
        let value = unsafe { CStr::from_ptr(value) }.to_bytes_with_nul().to_vec();
        lock(&CHOSEN).insert(option, value);
        Ok(())
    };
    status(set())
}

/// ACL_OP_JIT_COMPILE, which programs ask for before anybody has set it: there is no compiler here.
const JIT_COMPILE: i32 = 10;
const JIT_DEFAULT: &[u8] = b"disable\0";
/// The room that callers are told to bring for it, whatever it is.
const JIT_ROOM: usize = 256;

fn chosen(option: i32) -> Option<Vec<u8>> {
    let own = lock(&CHOSEN).get(&option).cloned();
    own.or_else(|| (option == JIT_COMPILE).then(|| JIT_DEFAULT.to_vec()))
}

/// With the NUL; 0 for an option that was not set.
#[unsafe(no_mangle)]
pub extern "C" fn aclGetCompileoptSize(option: i32) -> usize {
    if option == JIT_COMPILE { JIT_ROOM } else { chosen(option).map_or(0, |text| text.len()) }
}

/// # Safety
/// `value` is null or has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetCompileopt(option: i32, value: *mut c_char, length: usize) -> i32 {
    let get = || {
        check_option("aclGetCompileopt", option)?;
        if value.is_null() {
            return Err(Failure::null("aclGetCompileopt", "value"));
        }
        let Some(text) = chosen(option) else {
            fail!(INVALID_PARAM, "aclGetCompileopt: option {option} was not set");
        };
        if length < text.len() {
            fail!(INVALID_PARAM, "aclGetCompileopt: the value needs {} bytes, length is {length}", text.len());
        }
        // SAFETY: non-null, with room for `length` bytes by contract, which are enough.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), value, text.len()) };
        Ok(())
    };
    status(get())
}

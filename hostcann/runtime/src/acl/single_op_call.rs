//! Single-operator calls that libopapi.so computes: operands and attributes as it takes them.

use crate::acl::op_attr::{ATTRS, Value};
use crate::acl::tensor_desc::{BUFFERS, DESCS};
use crate::base::dtype::size_of_value;
use crate::base::failure::{Failure, Outcome, codes};
use hostcann_types::single_op::{ABSENT, Execute, Operand, SYMBOL, SingleOp, UNKNOWN};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;

/// The arguments of aclopCompileAndExecute that say what is computed.
pub struct Call {
    pub op_type: *const c_char,
    pub inputs: i32,
    pub input_desc: *const *const c_void,
    pub input: *const *const c_void,
    pub outputs: i32,
    pub output_desc: *const *const c_void,
    pub output: *const *const c_void,
    pub attr: *const c_void,
    pub stream: *mut c_void,
}

/// Formats whose elements lie one after the other in the order of the dims: ACL_FORMAT_UNDEFINED, NCHW, NHWC, ND, HWCN, NDHWC,
/// NCDHW, NC, NCL.
pub const PLAIN: [i32; 9] = [-1, 0, 1, 2, 16, 27, 30, 35, 47];

/// Of libopapi.so, which the process has loaded or finds by its name.
fn library() -> Result<Execute, String> {
    static LOADED: OnceLock<Result<Execute, String>> = OnceLock::new();
    let load = || {
        // SAFETY: the toolkit's library; its initialisers only make locks.
        let library =
            unsafe { Library::open(Some("libopapi.so"), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| e.to_string())?;
        // SAFETY: the symbol has this type.
        let execute = unsafe { library.get::<Execute>(SYMBOL.as_bytes()) }.map(|symbol| *symbol);
        // It stays loaded: tasks of streams run its code.
        std::mem::forget(library);
        execute.map_err(|e| e.to_string())
    };
    LOADED.get_or_init(load).clone()
}

/// An operand, and the dims that it points to.
fn read(function: &str, desc: *const c_void, buffer: *const c_void) -> Outcome<(Operand, Vec<i64>)> {
    let (dtype, dims, format) = DESCS
        .with(function, desc, |desc| Ok((desc.dtype, desc.dims.clone(), desc.storage_format.unwrap_or(desc.format))))?;
    let (address, size) = match dtype {
        ABSENT => (0, 0),
        _ => BUFFERS.with(function, buffer, |buffer| Ok((buffer.address, buffer.size)))?,
    };
    let elements = dims.iter().try_fold(1usize, |all, &dim| all.checked_mul(usize::try_from(dim).ok()?));
    let needed = elements.and_then(|count| count.checked_mul(size_of_value(dtype)));
    if dtype != ABSENT && needed.is_none_or(|needed| needed > size) {
        fail!(
            INVALID_PARAM,
            "{function}: an operand of shape {dims:?} and data type {dtype} lies in a buffer of {size} bytes"
        );
    }
    if !PLAIN.contains(&format) {
        fail!(
            RT_FEATURE_NOT_SUPPORT,
            "{function}: an operand has format {format}, which the host toolkit does not support; set \
             torch.npu.config.allow_internal_format = False"
        );
    }
    let operand = Operand { dtype, rank: dims.len() as u64, dims: dims.as_ptr(), address: address as *mut c_void };
    Ok((operand, dims))
}

/// # Safety
/// The lists are null or hold `count` objects.
unsafe fn operands(
    function: &str,
    count: i32,
    descs: *const *const c_void,
    buffers: *const *const c_void,
) -> Outcome<(Vec<Operand>, Vec<Vec<i64>>)> {
    let count = usize::try_from(count).unwrap_or(0);
    if count > 0 && (descs.is_null() || buffers.is_null()) {
        return Err(Failure::null(function, "inputs or outputs"));
    }
    // SAFETY: by this function's contract.
    (0..count).map(|i| unsafe { read(function, *descs.add(i), *buffers.add(i)) }).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::String(value) => value.clone(),
        Value::DataType(value) => value.to_string(),
        Value::Bools(values) => format!("{values:?}"),
        Value::Ints(values) => format!("{values:?}"),
        Value::Floats(values) => format!("{values:?}"),
        Value::IntLists(values) => format!("{values:?}"),
    }
}

fn attributes(function: &str, attr: *const c_void) -> Outcome<Vec<CString>> {
    if attr.is_null() {
        return Ok(Vec::new());
    }
    ATTRS.with(function, attr, |all| {
        Ok(all.iter().filter_map(|(name, value)| CString::new(format!("{name}={}", text(value))).ok()).collect())
    })
}

/// # Errors
/// There is no such operator, or it takes other operands or attributes; libopapi.so is not there.
///
/// # Safety
/// As aclopCompileAndExecute; the name and the lists are alive.
pub unsafe fn execute(function: &str, name: &CStr, call: &Call) -> Outcome {
    let operator = name.to_string_lossy();
    let execute = match library() {
        Ok(execute) => execute,
        Err(why) => fail!(
            RT_FEATURE_NOT_SUPPORT,
            "single-operator calls of {operator} are not supported without libopapi.so of the toolkit, which was not loaded \
             ({why}): source the toolkit's set_env.sh"
        ),
    };
    // SAFETY: by this function's contract.
    let ((inputs, _input_dims), (outputs, _output_dims)) = unsafe {
        let inputs = operands(function, call.inputs, call.input_desc, call.input)?;
        (inputs, operands(function, call.outputs, call.output_desc, call.output)?)
    };
    let attributes = attributes(function, call.attr)?;
    let attrs: Vec<*const c_char> = attributes.iter().map(|attr| attr.as_ptr()).collect();
    let op = SingleOp {
        name: name.as_ptr(),
        inputs: inputs.as_ptr(),
        input_num: inputs.len(),
        outputs: outputs.as_ptr(),
        output_num: outputs.len(),
        attrs: attrs.as_ptr(),
        attr_num: attrs.len(),
        stream: call.stream,
    };
    let mut message = [0u8; 1024];
    // SAFETY: what `op` points to lives until the call returns; the message has room for its size.
    let code = unsafe { execute(&op, message.as_mut_ptr().cast(), message.len()) };
    let message =
        CStr::from_bytes_until_nul(&message).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    match code {
        codes::SUCCESS => Ok(()),
        UNKNOWN => fail!(
            RT_FEATURE_NOT_SUPPORT,
            "single-operator calls of {operator} are not supported by the host toolkit, which has Identity, {message} \
             for them. Compute this part on the CPU (tensor.cpu()), or install a package with the aclnn function that the \
             framework looks for first"
        ),
        _ => Err(Failure::new(code, format!("{operator}: {message}"))),
    }
}

//! Single-operator calls (aclopCompileAndExecute): operators that frameworks call by the names of the graph engine, with
//! operands by their places and attributes by their names.

use crate::abi;
use crate::attributes::Attributes;
use crate::call::{Call, Family, Kind, Operator, Outcome, Param, Refusal, Task, Value, refuse};
use crate::data_type::{DataType, name_of};
use crate::host;
use crate::rnn;
use crate::view::View;
use hostcann_types::single_op::{ABSENT, Operand, SingleOp, UNKNOWN};
use hostcann_types::status;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::AssertUnwindSafe;
use std::ptr::null_mut;

struct Single {
    operator: Operator,
    plan: fn(&Call, &Attributes) -> Outcome<Task>,
}

const fn operand(name: &'static str, kind: Kind, optional: bool) -> Param {
    Param { name, kind, optional }
}

macro_rules! singles {
    ($($name:literal ($($input:ident $($optional:literal)?),+) -> ($($output:ident),+) = $plan:path;)+) => {
        static SINGLES: &[Single] = &[$(Single {
            operator: Operator {
                name: $name,
                params: &[
                    $(operand(stringify!($input), Kind::Labels, false $(|| $optional)?),)+
                    $(operand(stringify!($output), Kind::Out, false),)+
                ],
                types: &[DataType::F32, DataType::F16],
                family: Family::Other(|_| refuse!("a single operator is planned with its attributes")),
            },
            plan: $plan,
        }),+];
    };
}

singles! {
    c"DynamicRNN"(
        x, w, b, seq_length true, init_h true, init_c true, wci true, wcf true, wco true, mask true
    ) -> (y, output_h, output_c, i, j, f, o, tanhc) = rnn::forward;
    c"DynamicRNNV2"(
        x, weight_input, weight_hidden, b true, seq_length true, init_h true, init_c true, wci true, wcf true, wco true, mask true
    ) -> (y, output_h, output_c, i, j, f, o, tanhc) = rnn::forward_v2;
    c"DynamicRNNGrad"(
        x, w, b, y, init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanhct,
        seq_length true, mask true, wci true, wcf true, wco true
    ) -> (dw, db, dx, dh_prev, dc_prev) = rnn::backward;
    c"DynamicRNNV2Grad"(
        x, w_x, w_h, y, init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanhct,
        seq_length true, wci true, wcf true, wco true, mask true
    ) -> (dw_x, dw_h, db, dx, dh_prev, dc_prev) = rnn::backward_v2;
}

/// # Safety
/// As [`hc_single_op`].
unsafe fn attributes(op: &SingleOp) -> Attributes {
    let mut all = BTreeMap::new();
    for i in 0..op.attr_num {
        // SAFETY: by this function's contract.
        let text = unsafe { CStr::from_ptr(*op.attrs.add(i)) }.to_string_lossy();
        if let Some((name, value)) = text.split_once('=') {
            all.insert(name.to_owned(), value.to_owned());
        }
    }
    Attributes::new(all)
}

/// The view of an operand, and the tensor that the executor gets.
///
/// # Safety
/// The dims of the operand are alive.
unsafe fn tensor(name: &str, operand: &Operand, slot: usize) -> Outcome<(View, *mut c_void)> {
    // SAFETY: by this function's contract.
    let dims = unsafe { (0..operand.rank as usize).map(|i| *operand.dims.add(i)).collect::<Vec<i64>>() };
    let Some(data_type) = DataType::from_abi(operand.dtype) else {
        refuse!("operand [{name}]: data type {} is not supported on the host", name_of(operand.dtype));
    };
    if dims.len() > host::MAX_RANK || dims.iter().any(|&dim| dim < 0) {
        refuse!("operand [{name}]: expected at most {} dims of 0 or more, got {dims:?}", host::MAX_RANK);
    }
    let strides: Vec<i64> = (0..dims.len()).map(|dim| dims[dim + 1..].iter().product()).collect();
    let rank = dims.len() as u64;
    // SAFETY: the arrays live during the call, which copies them; 2 is ACL_FORMAT_ND.
    let made = unsafe {
        let (dims, strides) = (dims.as_ptr(), strides.as_ptr());
        host::aclCreateTensor(dims, rank, operand.dtype, strides, 0, 2, dims, rank, operand.address)
    };
    if made.is_null() {
        refuse!("operand [{name}]: no tensor could be made of shape {dims:?}");
    }
    Ok((View { slot, data_type, dims, strides, skip: 0 }, made))
}

/// Tensors that are destroyed with this: the executor has copies.
#[derive(Default)]
struct Made(Vec<*mut c_void>);

impl Drop for Made {
    fn drop(&mut self) {
        for &tensor in &self.0 {
            // SAFETY: `tensor` made it, and nobody else destroys it.
            unsafe { host::aclDestroyTensor(tensor) };
        }
    }
}

/// # Safety
/// As [`hc_single_op`].
unsafe fn execute(single: &'static Single, op: &SingleOp) -> Outcome<i32> {
    let inputs = single.operator.params.iter().filter(|param| param.kind != Kind::Out).count();
    let outputs = single.operator.params.len() - inputs;
    if op.input_num > inputs || op.output_num != outputs {
        let (got, gave) = (op.input_num, op.output_num);
        refuse!("expected at most {inputs} inputs and {outputs} outputs, got {got} and {gave}");
    }
    // SAFETY: by this function's contract; a list without elements may be null.
    let given = |list: *const Operand, at: usize| unsafe { &*list.add(at) };
    let (mut values, mut made, mut before) = (Vec::new(), Made::default(), 0);
    for (place, param) in single.operator.params.iter().enumerate() {
        let operand = match place < inputs {
            true if place < op.input_num => Some(given(op.inputs, place)),
            true => None,
            false => Some(given(op.outputs, place - inputs)),
        };
        let operand = operand.filter(|operand| operand.dtype != ABSENT);
        match operand {
            Some(operand) => {
                // SAFETY: by this function's contract.
                let (view, tensor) = unsafe { tensor(param.name, operand, made.0.len()) }?;
                made.0.push(tensor);
                before += usize::from(place < inputs);
                values.push(Value::Tensor(view));
            }
            None if param.optional => values.push(Value::Absent),
            None => refuse!("operand [{}]: expected a tensor, got none", param.name),
        }
    }
    let call = Call { operator: &single.operator, values };
    // SAFETY: by this function's contract.
    let task = (single.plan)(&call, &unsafe { attributes(op) })?;
    let name = single.operator.name.as_ptr();
    let (inputs, outputs) = made.0.split_at(before);
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the tensors are alive; the executor is run once, on the stream of the caller.
    unsafe {
        match abi::prepare_task(name, task, [inputs, outputs], &mut size, &mut executor) {
            0 => Ok(host::hc_op_run(name, null_mut(), size, executor, op.stream)),
            code => Ok(code),
        }
    }
}

/// # Safety
/// What `op` points to lives during the call; operands of an operator keep their memory until the stream has run it. `message`
/// has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_single_op(op: *const SingleOp, message: *mut c_char, size: usize) -> i32 {
    // SAFETY: by this function's contract.
    let (op, name) = unsafe { (&*op, CStr::from_ptr((*op).name)) };
    let found = SINGLES.iter().find(|single| single.operator.name == name);
    let outcome = match found {
        None => {
            let names: Vec<_> = SINGLES.iter().map(|single| single.operator.name.to_string_lossy()).collect();
            Err(Refusal { code: UNKNOWN, text: names.join(", ") })
        }
        // SAFETY: by this function's contract.
        Some(single) => std::panic::catch_unwind(AssertUnwindSafe(|| unsafe { execute(single, op) }))
            .unwrap_or_else(|_| Err(Refusal { code: status::NN_NULLPTR, text: "the host's operator panicked".into() })),
    };
    match outcome {
        Ok(code) => code,
        Err(refusal) => {
            let text = CString::new(refusal.text).unwrap_or_default();
            let bytes = text.as_bytes();
            let length = bytes.len().min(size.saturating_sub(1));
            // SAFETY: the message has room for `size` bytes.
            unsafe {
                message.copy_from_nonoverlapping(bytes.as_ptr().cast(), length);
                message.add(length).write(0);
            }
            refusal.code
        }
    }
}

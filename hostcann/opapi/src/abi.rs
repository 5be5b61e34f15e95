//! Behind the exported functions: arguments in, a plan out.

use crate::call::{Call, Family, Kind, Number, Operator, Outcome, Refusal, Run, Task, Value, refuse};
use crate::data_type::{DataType, name_of};
use crate::host::{self, HcNumber, HcOp, HcView};
use crate::view::{Memory, View};
use hostcann_types::status;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::AssertUnwindSafe;
use std::ptr::null;

/// An argument of the C function.
#[derive(Clone, Copy)]
pub enum Arg {
    Object(*const c_void),
    Integer(i64),
    Real(f64),
}

/// The tensors of a call in the order of their slots: inputs first.
#[derive(Default)]
struct Tensors {
    inputs: Vec<*mut c_void>,
    outputs: Vec<*mut c_void>,
}

/// Phase 1.
///
/// # Safety
/// Objects of `args` are null or live aclnn objects of their parameter's kind, texts end with 0; `workspace_size` and `executor` are null
/// or writable.
pub unsafe fn prepare(
    operator: &'static Operator,
    args: &[Arg],
    workspace_size: *mut u64,
    executor: *mut *mut c_void,
) -> i32 {
    let planned = std::panic::catch_unwind(AssertUnwindSafe(|| {
        if workspace_size.is_null() || executor.is_null() {
            let name = if workspace_size.is_null() { "workspaceSize" } else { "executor" };
            return Err(null_argument(name));
        }
        // SAFETY: by this function's contract.
        let (call, tensors) = unsafe { read(operator, args) }?;
        let task = match operator.family {
            Family::Map(map) => map.plan(&call),
            Family::Foreach(map) => map.plan_each(&call),
            Family::Reduce(reduce) => reduce.plan(&call),
            Family::Other(plan) => plan(&call),
        }?;
        Ok((task, tensors))
    }));
    let planned = planned.unwrap_or_else(|_| {
        Err(Refusal { code: status::NN_NULLPTR, text: "the host's operator panicked in phase 1".to_owned() })
    });
    match planned {
        // SAFETY: as above; both pointers are not null.
        Ok((task, tensors)) => unsafe {
            let operands = [&tensors.inputs[..], &tensors.outputs];
            prepare_task(operator.name.as_ptr(), task, operands, workspace_size, executor)
        },
        Err(refusal) => {
            let text = CString::new(refusal.text).unwrap_or_default();
            // SAFETY: strings end with 0.
            unsafe { host::hc_op_refuse(operator.name.as_ptr(), refusal.code, text.as_ptr()) }
        }
    }
}

fn null_argument(name: &str) -> Refusal {
    Refusal {
        code: status::NN_PARAM_NULLPTR,
        text: format!("argument [{name}]: expected a non-null pointer, got nullptr"),
    }
}

/// # Safety
/// As `prepare`.
unsafe fn read(operator: &'static Operator, args: &[Arg]) -> Outcome<(Call, Tensors)> {
    // Null pointers come before everything else.
    for (param, arg) in operator.params.iter().zip(args) {
        if let Arg::Object(object) = arg
            && object.is_null()
            && !param.optional
        {
            return Err(null_argument(param.name));
        }
    }
    let mut tensors = Tensors::default();
    let mut values = Vec::with_capacity(args.len());
    for (param, arg) in operator.params.iter().zip(args) {
        // SAFETY: by this function's contract.
        values.push(unsafe { read_one(operator, (param.name, param.kind), *arg, &mut tensors) }?);
    }
    // Slots of outputs begin behind those of the inputs.
    for (param, value) in operator.params.iter().zip(&mut values) {
        match (param.kind, value) {
            (Kind::Out | Kind::Ref, Value::Tensor(view)) => view.slot += tensors.inputs.len(),
            (Kind::Outs, Value::Tensors(views)) => views.iter_mut().for_each(|view| view.slot += tensors.inputs.len()),
            _ => {}
        }
    }
    Ok((Call { operator, values }, tensors))
}

/// # Safety
/// As `prepare`.
unsafe fn read_one(
    operator: &'static Operator,
    (name, kind): (&'static str, Kind),
    arg: Arg,
    tensors: &mut Tensors,
) -> Outcome<Value> {
    let object = match arg {
        Arg::Integer(value) => return Ok(Value::Number(Number::Integer(value))),
        Arg::Real(value) => return Ok(Value::Number(Number::Real(value))),
        Arg::Object(object) if object.is_null() => return Ok(Value::Absent),
        Arg::Object(object) => object,
    };
    // SAFETY: by this function's contract, for all calls below.
    unsafe {
        Ok(match kind {
            Kind::Tensor | Kind::Labels => Value::Tensor(tensor(operator, name, kind, object, &mut tensors.inputs)?),
            Kind::Out | Kind::Ref => Value::Tensor(tensor(operator, name, kind, object, &mut tensors.outputs)?),
            Kind::Tensors => Value::Tensors(list(operator, name, kind, object, &mut tensors.inputs)?),
            Kind::Outs => Value::Tensors(list(operator, name, kind, object, &mut tensors.outputs)?),
            Kind::Scalar => Value::Number(scalar(name, object)?),
            Kind::Ints => {
                let mut size = 0;
                let data = host::hc_int_array(object, &mut size);
                Value::Ints((0..size as usize).map(|i| *data.add(i)).collect())
            }
            Kind::Bools => {
                let mut size = 0;
                let data = host::hc_bool_array(object, &mut size);
                Value::Bools((0..size as usize).map(|i| *data.add(i)).collect())
            }
            Kind::Text => Value::Text(CStr::from_ptr(object.cast()).to_string_lossy().into_owned()),
            Kind::Integer | Kind::Real => Value::Absent,
        })
    }
}

/// # Safety
/// `object` is an aclTensorList.
unsafe fn list(
    operator: &Operator,
    name: &str,
    kind: Kind,
    object: *const c_void,
    slots: &mut Vec<*mut c_void>,
) -> Outcome<Vec<View>> {
    // SAFETY: by this function's contract, for all calls.
    let one = |i| unsafe {
        match host::hc_tensor_list_at(object, i) {
            at if at.is_null() => Err(null_argument(&format!("{name}[{i}]"))),
            at => tensor(operator, name, kind, at, slots),
        }
    };
    // SAFETY: as above.
    (0..unsafe { host::hc_tensor_list_size(object) }).map(one).collect()
}

/// # Safety
/// `object` is an aclTensor.
unsafe fn tensor(
    operator: &Operator,
    name: &str,
    kind: Kind,
    object: *const c_void,
    slots: &mut Vec<*mut c_void>,
) -> Outcome<View> {
    let mut view = HcView::default();
    // SAFETY: by this function's contract.
    if unsafe { host::hc_tensor_view(object, &mut view) } != 0 {
        refuse!("argument [{name}]: expected at most {} dims with a stride each", host::MAX_RANK);
    }
    let known = DataType::from_abi(view.dtype);
    // Masks and indices have types of their own, which their families check.
    let own = matches!(name, "mask" | "condition" | "index" | "indices" | "indicesOut")
        || matches!(kind, Kind::Out | Kind::Outs | Kind::Labels);
    let Some(data_type) = known.filter(|t| own || operator.types.contains(t)) else {
        let names: Vec<&str> = operator.types.iter().map(|t| t.name()).collect();
        let got = known.map_or_else(|| name_of(view.dtype), |t| t.name().to_owned());
        refuse!("argument [{name}]: expected one of the data types {}, got {got}", names.join(", "));
    };
    let rank = view.rank as usize;
    let (dims, strides) = (&view.dims[..rank], &view.strides[..rank]);
    if view.private_format != 0 {
        refuse!("argument [{name}]: expected a format like ND, got a private one");
    }
    check_reach(name, dims, strides, view.offset, view.storage)?;
    let slot = slots.len();
    slots.push(object.cast_mut());
    Ok(View { slot, data_type, dims: dims.to_vec(), strides: strides.to_vec(), skip: 0 })
}

/// The elements of the view lie in the storage.
fn check_reach(name: &str, dims: &[i64], strides: &[i64], offset: i64, storage: i64) -> Outcome<()> {
    if dims.iter().any(|&dim| dim < 0) {
        refuse!("argument [{name}]: expected dims of 0 or more, got {dims:?}");
    }
    if dims.contains(&0) {
        return Ok(());
    }
    let mut last = i128::from(offset);
    for (&dim, &stride) in dims.iter().zip(strides) {
        if stride < 0 {
            refuse!("argument [{name}]: expected strides of 0 or more, got {strides:?}");
        }
        last += i128::from(dim - 1) * i128::from(stride);
    }
    if offset < 0 || last >= i128::from(storage) {
        refuse!(
            "argument [{name}]: shape {dims:?} with strides {strides:?} from element {offset} on reaches element {last}; \
             the storage has {storage}"
        );
    }
    Ok(())
}

/// # Safety
/// `object` is an aclScalar.
unsafe fn scalar(name: &str, object: *const c_void) -> Outcome<Number> {
    let mut number = HcNumber::default();
    // SAFETY: by this function's contract.
    unsafe { host::hc_scalar_number(object, &mut number) };
    match DataType::from_abi(number.dtype) {
        Some(DataType::Bool) => Ok(Number::Bool(number.integer != 0)),
        Some(data_type) if data_type.is_real() => Ok(Number::Real(number.real)),
        Some(_) => Ok(Number::Integer(number.integer)),
        None => {
            refuse!("argument [{name}]: a scalar of data type {} is not supported on the host", name_of(number.dtype))
        }
    }
}

/// An executor that runs the task.
///
/// # Safety
/// The name lives as long as the process, the tensors are alive, inputs and outputs; the last two pointers are writable.
pub unsafe fn prepare_task(
    name: *const c_char,
    task: Task,
    [inputs, outputs]: [&[*mut c_void]; 2],
    workspace_size: *mut u64,
    executor: *mut *mut c_void,
) -> i32 {
    let op = HcOp {
        api: name,
        run: run_task,
        context: Box::into_raw(Box::new(task.run)).cast(),
        drop: drop_task,
        inputs: inputs.as_ptr().cast(),
        input_num: inputs.len(),
        outputs: outputs.as_ptr().cast(),
        output_num: outputs.len(),
        computed: if task.computes_shape { outputs[0] } else { null() },
    };
    // SAFETY: by this function's contract; the arrays live during the call, which takes the context.
    unsafe { host::hc_op_prepare(&op, workspace_size, executor) }
}

unsafe extern "C" fn drop_task(context: *mut c_void) {
    // SAFETY: the context of `add`, given back once.
    drop(unsafe { Box::from_raw(context.cast::<Run>()) });
}

unsafe extern "C" fn run_task(
    context: *mut c_void,
    addresses: *const *mut u8,
    count: usize,
    message: *mut c_char,
    size: usize,
) -> i32 {
    // SAFETY: the context of `add`, and `count` addresses.
    let (run, addresses) = unsafe { (&*context.cast::<Run>(), std::slice::from_raw_parts(addresses, count)) };
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| run(Memory(addresses))));
    let text = match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(text)) => text,
        Err(_) => "the operator panicked".to_owned(),
    };
    let length = text.len().min(size - 1);
    // SAFETY: the message has room for `size` bytes.
    unsafe {
        message.copy_from_nonoverlapping(text.as_ptr().cast(), length);
        message.add(length).write(0);
    }
    status::RT_VECTOR_CORE_EXCEPTION
}

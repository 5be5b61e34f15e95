//! Custom operators for ONNX Runtime: the domain `ascend`, whose kernels run the installed package.
//!
//! `SessionOptions.register_custom_ops_library` loads this library and calls RegisterCustomOps.

mod ascend;
mod fused;
mod ort;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use ascend::{Ascend, DTYPES, Dtype, Given};
use ort::{Api, ApiBase, CustomOp, Op, OrtContext, OrtInfo, OrtOptions, Status, Table, VERSION};

const DOMAIN: &CStr = c"ascend";
const NAME: &CStr = c"Fmod";

/// One operator of this name for each data type: the runtime takes the one that fits. And what was fused.
static OPS: [Op; DTYPES.len() + 1] = {
    let mut ops = [const { fused::OP }; DTYPES.len() + 1];
    let mut i = 0;
    while i < DTYPES.len() {
        ops[i] = op(&DTYPES[i]);
        i += 1;
    }
    ops
};

const fn op(dtype: &Dtype) -> Op {
    let table = CustomOp {
        version: VERSION,
        create: None,
        name,
        provider,
        input_type: element,
        inputs: two,
        output_type: element,
        outputs: one,
        compute: None,
        destroy,
        input_kind: required,
        output_kind: required,
        input_memory: default_memory,
        variadic: [None; 4],
        create_v2: create,
        compute_v2: compute,
        infer_shape: None,
        start_version: first_version,
        end_version: last_version,
    };
    Op { table, element: dtype.onnx }
}

/// # Safety
/// Called by ONNX Runtime, with its own API and the options of a session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RegisterCustomOps(options: *mut OrtOptions, base: *const ApiBase) -> Status {
    // SAFETY: by the caller.
    let api = match unsafe { Api::of(base) } {
        Ok(api) => api,
        Err(status) => return status,
    };
    if let Err(error) = Ascend::get() {
        return api.fail(&format!("ascend: {error}"));
    }
    // SAFETY: by the caller; the operators are static.
    unsafe { api.register(options, DOMAIN, &OPS) }.err().unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn name(_op: *const CustomOp) -> *const c_char {
    NAME.as_ptr()
}

/// The kernels' tensors are those of the CPU.
unsafe extern "C" fn provider(_op: *const CustomOp) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn element(op: *const CustomOp, _index: usize) -> c_int {
    // SAFETY: the runtime knows operators of OPS only, whose first part this is.
    unsafe { (*op.cast::<Op>()).element }
}

unsafe extern "C" fn two(_op: *const CustomOp) -> usize {
    2
}

unsafe extern "C" fn one(_op: *const CustomOp) -> usize {
    1
}

/// INPUT_OUTPUT_REQUIRED.
unsafe extern "C" fn required(_op: *const CustomOp, _index: usize) -> c_int {
    0
}

/// OrtMemTypeDefault.
unsafe extern "C" fn default_memory(_op: *const CustomOp, _index: usize) -> c_int {
    0
}

unsafe extern "C" fn first_version(_op: *const CustomOp) -> c_int {
    1
}

unsafe extern "C" fn last_version(_op: *const CustomOp) -> c_int {
    c_int::MAX
}

/// A kernel of a session.
struct Kernel {
    api: Api,
}

unsafe extern "C" fn create(
    _op: *const CustomOp,
    table: *const Table,
    _info: *const OrtInfo,
    kernel: *mut *mut c_void,
) -> Status {
    let new = Box::into_raw(Box::new(Kernel { api: Api::from_table(table) }));
    // SAFETY: a place for the pointer.
    unsafe { *kernel = new.cast() };
    ptr::null_mut()
}

unsafe extern "C" fn destroy(kernel: *mut c_void) {
    // SAFETY: made by `create`, and destroyed once.
    drop(unsafe { Box::from_raw(kernel.cast::<Kernel>()) });
}

unsafe extern "C" fn compute(kernel: *mut c_void, context: *mut OrtContext) -> Status {
    // SAFETY: made by `create`.
    let api = unsafe { (*kernel.cast::<Kernel>()).api };
    // SAFETY: the context is that of this call.
    match unsafe { run(api, context) } {
        Ok(()) => ptr::null_mut(),
        Err(failure) => failure.status(api, &NAME.to_string_lossy()),
    }
}

enum Failure {
    /// Of ONNX Runtime.
    Runtime(Status),
    Text(String),
}

impl Failure {
    fn status(self, api: Api, name: &str) -> Status {
        match self {
            Failure::Runtime(status) => status,
            Failure::Text(text) => api.fail(&format!("ascend::{name}: {text}")),
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Failure {
        Failure::Runtime(status)
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Text(text)
    }
}

unsafe fn run(api: Api, context: *mut OrtContext) -> Result<(), Failure> {
    // SAFETY: the operator has two inputs.
    let (x, y) = unsafe { (api.input(context, 0)?, api.input(context, 1)?) };
    // SAFETY: inputs are tensors.
    let (of_x, of_y) = unsafe { (api.shape(x)?, api.shape(y)?) };
    let Some(dtype) = DTYPES.iter().find(|dtype| dtype.onnx == of_x.element && dtype.onnx == of_y.element) else {
        return Err(format!("element types {} and {} are not supported", of_x.element, of_y.element).into());
    };
    let dims = broadcast(&of_x.dims, &of_y.dims)?;
    // SAFETY: the operator has one output.
    let out = unsafe { api.output(context, 0, &dims)? };
    // SAFETY: tensors on the host, as `provider` says.
    let (from_x, from_y, to) = unsafe { (api.data(x)?, api.data(y)?, api.data(out)?) };
    let ascend = Ascend::get().map_err(str::to_owned)?;
    let (x, y): (_, Given<'_, *const c_void>) = (
        Given { dtype: *dtype, dims: &of_x.dims, data: from_x.cast_const() },
        Given { dtype: *dtype, dims: &of_y.dims, data: from_y.cast_const() },
    );
    // SAFETY: the runtime's tensors are as large as their shapes; the interface has three tensors.
    Ok(unsafe { ascend.call("aclnnFmodTensor", &[x, y], &[Given { dtype: *dtype, dims: &dims, data: to }]) }?)
}

/// The shape of the result (ONNX, "Multidirectional Broadcasting").
fn broadcast(x: &[i64], y: &[i64]) -> Result<Vec<i64>, String> {
    let rank = x.len().max(y.len());
    let at = |dims: &[i64], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |axis| dims[axis]);
    (0..rank)
        .map(|axis| match (at(x, axis), at(y, axis)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => Err(format!("shapes {x:?} and {y:?} do not broadcast")),
        })
        .collect()
}

#[cfg(test)]
mod tests;

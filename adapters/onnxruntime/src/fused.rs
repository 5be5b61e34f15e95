//! `ascend::Fused`: an operator that was made of several of the model's (`onnx fuse`). Its attributes say which interface it is
//! and what shapes its tensors have; types are those of the tensors.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::{Failure, default_memory, first_version, last_version, one, provider};
use crate::ascend::{Ascend, DTYPES, Dtype, Given, MORE};
use crate::ort::{Api, CustomOp, Op, OrtContext, OrtInfo, Status, Table, VERSION};

const NAME: &CStr = c"Fused";

/// ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED: any.
const ANY: c_int = 0;
/// INPUT_OUTPUT_VARIADIC.
const VARIADIC: c_int = 2;

pub const OP: Op = Op {
    table: CustomOp {
        version: VERSION,
        create: None,
        name,
        provider,
        input_type: any,
        inputs: one,
        output_type: any,
        outputs: one,
        compute: None,
        destroy,
        input_kind: variadic,
        output_kind: variadic,
        input_memory: default_memory,
        variadic: [Some(least), Some(heterogeneous), Some(least), Some(heterogeneous)],
        create_v2: create,
        compute_v2: compute,
        infer_shape: None,
        start_version: first_version,
        end_version: last_version,
    },
    element: ANY,
};

unsafe extern "C" fn name(_op: *const CustomOp) -> *const c_char {
    NAME.as_ptr()
}

unsafe extern "C" fn any(_op: *const CustomOp, _index: usize) -> c_int {
    ANY
}

unsafe extern "C" fn variadic(_op: *const CustomOp, _index: usize) -> c_int {
    VARIADIC
}

unsafe extern "C" fn least(_op: *const CustomOp) -> c_int {
    1
}

unsafe extern "C" fn heterogeneous(_op: *const CustomOp) -> c_int {
    0
}

/// A dimension of an attribute: a number, or a name that stands for one number in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Dim {
    Number(i64),
    Named(String),
}

struct Kernel {
    api: Api,
    interface: String,
    inputs: Vec<Vec<Dim>>,
    outputs: Vec<Vec<Dim>>,
}

/// `batch,16;16` are two shapes, the empty text is one of no dimensions.
fn shapes(text: &str) -> Vec<Vec<Dim>> {
    let dim = |text: &str| text.parse().map_or_else(|_| Dim::Named(text.to_owned()), Dim::Number);
    text.split(';').map(|shape| shape.split(',').filter(|dim| !dim.is_empty()).map(dim).collect()).collect()
}

unsafe extern "C" fn create(
    _op: *const CustomOp,
    table: *const Table,
    info: *const OrtInfo,
    kernel: *mut *mut c_void,
) -> Status {
    let api = Api::from_table(table);
    // SAFETY: of a kernel that is created.
    let text = |name: &CStr| unsafe { api.attribute(info, name) };
    let all = text(c"interface").and_then(|interface| Ok((interface, text(c"input_dims")?, text(c"output_dims")?)));
    let (interface, inputs, outputs) = match all {
        Ok(all) => all,
        Err(status) => return status,
    };
    let new = Box::into_raw(Box::new(Kernel { api, interface, inputs: shapes(&inputs), outputs: shapes(&outputs) }));
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
    let kernel = unsafe { &*kernel.cast::<Kernel>() };
    // SAFETY: the context is that of this call.
    match unsafe { kernel.run(context) } {
        Ok(()) => ptr::null_mut(),
        Err(failure) => failure.status(kernel.api, &NAME.to_string_lossy()),
    }
}

impl Kernel {
    unsafe fn run(&self, context: *mut OrtContext) -> Result<(), Failure> {
        let api = self.api;
        let (mut given, mut sizes) = (Vec::new(), BTreeMap::new());
        for (index, dims) in self.inputs.iter().enumerate() {
            // SAFETY: the node has as many inputs as shapes, and they are tensors on the host.
            let (shape, data) = unsafe {
                let value = api.input(context, index)?;
                (api.shape(value)?, api.data(value)?)
            };
            bind(dims, &shape.dims, &mut sizes).map_err(|why| format!("{}: input {index}: {why}", self.interface))?;
            given.push((dtype(shape.element)?, shape.dims, data.cast_const()));
        }
        let mut results = Vec::new();
        for (index, dims) in self.outputs.iter().enumerate() {
            let dims = resolved(dims, &sizes).map_err(|why| format!("{}: output {index}: {why}", self.interface))?;
            // SAFETY: the node has as many outputs as shapes, and they are tensors on the host.
            let (shape, data) = unsafe {
                let value = api.output(context, index, &dims)?;
                (api.shape(value)?, api.data(value)?)
            };
            results.push((dtype(shape.element)?, dims, data));
        }
        let inputs: Vec<_> =
            given.iter().map(|(dtype, dims, data)| Given { dtype: *dtype, dims, data: *data }).collect();
        let outputs: Vec<_> =
            results.iter().map(|(dtype, dims, data)| Given { dtype: *dtype, dims, data: *data }).collect();
        let ascend = Ascend::get().map_err(str::to_owned)?;
        // SAFETY: the runtime's tensors are as large as their shapes; the interface is that of the node.
        Ok(unsafe { ascend.call(&self.interface, &inputs, &outputs) }?)
    }
}

fn dtype(element: c_int) -> Result<Dtype, String> {
    let known = DTYPES.into_iter().chain(MORE).find(|dtype| dtype.onnx == element);
    known.ok_or_else(|| format!("element type {element} is not supported"))
}

/// What the names stand for; a shape that does not fit says so.
fn bind(wanted: &[Dim], dims: &[i64], sizes: &mut BTreeMap<String, i64>) -> Result<(), String> {
    let fits = |(dim, size): (&Dim, &i64)| match dim {
        Dim::Number(number) => number == size,
        Dim::Named(name) => sizes.entry(name.clone()).or_insert(*size) == size,
    };
    if wanted.len() == dims.len() && wanted.iter().zip(dims).all(fits) {
        return Ok(());
    }
    let names: Vec<String> = wanted
        .iter()
        .map(|dim| match dim {
            Dim::Number(number) => number.to_string(),
            Dim::Named(name) => sizes.get(name).map_or_else(|| name.clone(), |size| format!("{name} = {size}")),
        })
        .collect();
    Err(format!("shape {dims:?}, expected [{}]", names.join(", ")))
}

fn resolved(dims: &[Dim], sizes: &BTreeMap<String, i64>) -> Result<Vec<i64>, String> {
    dims.iter()
        .map(|dim| match dim {
            Dim::Number(number) => Ok(*number),
            Dim::Named(name) => sizes.get(name).copied().ok_or_else(|| format!("no input has the dimension {name}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_one_number() {
        let named = |name: &str| Dim::Named(name.to_owned());
        let both = shapes("batch,16;;16,batch");
        assert_eq!(both, [vec![named("batch"), Dim::Number(16)], vec![], vec![Dim::Number(16), named("batch")]]);
        assert_eq!(shapes(""), [vec![]]);
        let mut sizes = BTreeMap::new();
        bind(&both[0], &[9, 16], &mut sizes).expect("it fits");
        bind(&both[1], &[], &mut sizes).expect("it fits");
        assert_eq!(bind(&both[2], &[16, 8], &mut sizes).expect_err("other"), "shape [16, 8], expected [16, batch = 9]");
        assert_eq!(bind(&both[1], &[1], &mut sizes).expect_err("a dimension"), "shape [1], expected []");
        assert_eq!(resolved(&both[2], &sizes), Ok(vec![16, 9]));
        assert_eq!(resolved(&[named("n")], &sizes), Err("no input has the dimension n".to_owned()));
    }
}

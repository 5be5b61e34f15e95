//! Many elements to one. A reduced axis stays, with size 1 and stride 0.

use super::{AscIr, ComputeType, Dtypes};
use crate::dtype::DType::{Float16, Float32, Int32};

const fn reduce(name: &'static str, dtypes: Dtypes) -> AscIr {
    AscIr { compute_type: ComputeType::Reduce, in_place: &[], ..AscIr::elewise(name, &["x"], dtypes) }
}

pub const TYPES: &[AscIr] = &[
    reduce("Max", Dtypes::Same(&[Float16, Float32])),
    reduce("Min", Dtypes::Same(&[Float16, Float32])),
    reduce("Sum", Dtypes::Same(&[Float32, Int32])),
    reduce("Mean", Dtypes::Same(&[Float32])),
];

//! Many elements to one. A reduced axis stays, with size 1 and stride 0.

use super::{AscIr, ComputeType, Dtypes};
use crate::dtype::DType::{self, Float16, Float32, Int32};

const fn reduce(name: &'static str, dtypes: Dtypes) -> AscIr {
    AscIr { compute_type: ComputeType::Reduce, in_place: &[], ..AscIr::elewise(name, &["x"], dtypes) }
}

pub const TYPES: &[AscIr] = &[
    reduce("Max", Dtypes::Same(&[Float16, Float32, Int32])),
    reduce("Min", Dtypes::Same(&[Float16, Float32, Int32])),
    reduce("Sum", Dtypes::Same(&[Float32, Int32])),
    reduce("Mean", Dtypes::Same(&[Float32])),
];

/// How elements become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Sum,
    Max,
    Min,
}

/// The reduction of a type, and whether its result is divided by the number of elements.
pub fn reduction(node_type: &str) -> (Reduction, bool) {
    match node_type {
        "Max" => (Reduction::Max, false),
        "Min" => (Reduction::Min, false),
        _ => (Reduction::Sum, node_type == "Mean"),
    }
}

/// Are there instructions for this type?
pub fn is_reduced(node_type: &str, dtype: Option<DType>) -> bool {
    TYPES.iter().any(|ir| ir.name == node_type && dtype.is_some_and(|dtype| ir.takes(&[dtype], dtype)))
}

/// The vector core reduces rows of floats; of other types the lanes meet element by element (`cpp/fold.h`).
pub fn is_folded(dtype: Option<DType>) -> bool {
    dtype.is_some_and(|dtype| !dtype.is_float())
}

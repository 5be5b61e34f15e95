//! Comparisons, whose result is uint8 0 or 1, what chooses by one, and what is made by them.

use super::{AscIr, Dtypes};
use crate::dtype::DType::{Float16, Float32, Int16, Int32, Int64, UInt8};

const fn compare(name: &'static str, dtypes: Dtypes) -> AscIr {
    AscIr { in_place: &[], ..AscIr::elewise(name, &["x1", "x2"], dtypes) }
}

const TO_BOOL: Dtypes = Dtypes::Mapped(&[(Float16, UInt8), (Float32, UInt8), (Int32, UInt8), (Int64, UInt8)]);

const CHOSEN: Dtypes = Dtypes::Selected(&[Float16, Float32, Int16, Int32, Int64]);

pub const TYPES: &[AscIr] = &[
    compare("Eq", TO_BOOL),
    compare("Ne", TO_BOOL),
    compare("Ge", TO_BOOL),
    compare("Gt", TO_BOOL),
    compare("Le", TO_BOOL),
    compare("Lt", Dtypes::Mapped(&[(Float16, UInt8), (Float32, UInt8), (Int32, UInt8)])),
    AscIr { in_place: &[], ..AscIr::elewise("Isnan", &["x"], Dtypes::Mapped(&[(Float16, UInt8), (Float32, UInt8)])) },
    AscIr { in_place: &[], ..AscIr::elewise("Sign", &["x"], Dtypes::Same(&[Int32, Float16, Float32])) },
    AscIr { in_place: &[], ..AscIr::elewise("Pow", &["x1", "x2"], Dtypes::Same(&[Float16, Float32])) },
    AscIr { in_place: &[], ..AscIr::elewise("Where", &["x1", "x2", "x3"], CHOSEN) },
    AscIr { in_place: &[], ..AscIr::elewise("Select", &["x1", "x2", "x3"], CHOSEN) },
];

/// Does it go through masks of bits, which come in whole repeats?
pub fn has_mask(node_type: &str) -> bool {
    TYPES.iter().any(|ir| ir.name == node_type)
}

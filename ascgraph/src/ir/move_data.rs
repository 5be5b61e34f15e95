//! Between memory and the unified buffer, and from one shape to another.

use super::{AscIr, AttrKind, ComputeType, ComputeUnit, Dtypes, Inputs};
use crate::dtype::DType::{self, BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};

const MOVED: Dtypes = Dtypes::Same(&[Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, Float16, Float32, BFloat16]);

const fn moving(name: &'static str, compute_type: ComputeType, unit: ComputeUnit, dtypes: Dtypes) -> AscIr {
    AscIr {
        name,
        inputs: Inputs::Named(&["x"]),
        attrs: &[("offset", AttrKind::Offset)],
        compute_type,
        unit,
        dtypes,
        in_place: &[],
        upstream: true,
    }
}

pub const TYPES: &[AscIr] = &[
    // A tile's copy: the schedule puts it where what is stored comes from memory unchanged.
    AscIr::elewise("Ub2ub", &["x"], MOVED),
    moving("Load", ComputeType::Load, ComputeUnit::Mte2, MOVED),
    moving("Store", ComputeType::Store, ComputeUnit::Mte3, MOVED),
    AscIr {
        attrs: &[],
        ..moving(
            "Broadcast",
            ComputeType::Broadcast,
            ComputeUnit::Vector,
            Dtypes::Same(&[Int8, UInt8, Int16, UInt16, Int32, UInt32, UInt64, Float16, Float32]),
        )
    },
    AscIr { attrs: &[], ..moving("Transpose", ComputeType::Transpose, ComputeUnit::Vector, MOVED) },
    AscIr {
        inputs: Inputs::List("x"),
        attrs: &[],
        ..moving(
            "Concat",
            ComputeType::Concat,
            ComputeUnit::Vector,
            Dtypes::Same(&[Int8, UInt8, Int16, UInt16, Int32, UInt32, UInt64, BFloat16, Float16, Float32]),
        )
    },
];

/// What Duplicate writes on Atlas A2.
pub fn is_repeated(dtype: DType) -> bool {
    [Float16, BFloat16, Int16, UInt16, Int32, UInt32, Float32].contains(&dtype)
}

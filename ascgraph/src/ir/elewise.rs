//! Element by element: the result has the axes and sizes of the operands.

use super::{AscIr, AttrKind, Dtypes};
use crate::dtype::DType::{self, BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
use crate::model::Node;

const FLOAT: Dtypes = Dtypes::Same(&[Float16, Float32]);
const FLOAT_INT32: Dtypes = Dtypes::Same(&[Int32, Float16, Float32]);
const FMOD: &[DType] = &[Float16, Float32, BFloat16];
const ARITHMETIC: Dtypes = Dtypes::Same(&[Int16, Int32, Float16, Float32]);

const fn unary(name: &'static str, dtypes: Dtypes) -> AscIr {
    AscIr::elewise(name, &["x"], dtypes)
}

const fn binary(name: &'static str, dtypes: Dtypes) -> AscIr {
    AscIr::elewise(name, &["x1", "x2"], dtypes)
}

pub const TYPES: &[AscIr] = &[
    // A conversion changes the size of an element: the result never takes the operand's buffer.
    AscIr {
        in_place: &[],
        attrs: &[("dst_type", AttrKind::ResultType)],
        ..unary(
            "Cast",
            Dtypes::Mapped(&[
                (Float32, Float32),
                (Float32, Float16),
                (Float32, Int64),
                (Float32, Int32),
                (Float32, Int16),
                (Float32, BFloat16),
                (Float16, Float32),
                (Float16, Int32),
                (Float16, Int16),
                (Float16, Int8),
                (Float16, UInt8),
                (Float16, Int64),
                (UInt8, Float16),
                (UInt8, Float32),
                (UInt8, Int32),
                (UInt8, Int16),
                (UInt8, Int8),
                (Int8, Float16),
                (Int8, UInt8),
                (Int16, Float16),
                (Int16, Float32),
                (Int16, UInt16),
                (Int32, Float32),
                (Int32, Int64),
                (Int32, Int16),
                (Int32, Float16),
                (Int32, UInt32),
                (Int64, Int32),
                (BFloat16, Float32),
                (BFloat16, Int32),
                (UInt32, Int32),
                (UInt16, Int16),
                (UInt64, Int64),
            ]),
        )
    },
    unary("Abs", FLOAT_INT32),
    unary("Neg", ARITHMETIC),
    unary("Relu", FLOAT_INT32),
    unary("Exp", FLOAT),
    unary("Ln", FLOAT),
    unary("Sqrt", FLOAT),
    unary("Rsqrt", FLOAT),
    unary("Reciprocal", FLOAT),
    unary("Sigmoid", FLOAT),
    unary("Tanh", FLOAT),
    AscIr { in_place: &[], ..unary("Erf", FLOAT) },
    // Towards zero. Upstream has it for Ascend 950 only; here it is the Cast of the vector core that keeps the type.
    AscIr { upstream: false, ..unary("Trunc", Dtypes::Same(&[Float32])) },
    binary("Add", ARITHMETIC),
    binary("Sub", ARITHMETIC),
    binary("Mul", ARITHMETIC),
    binary("Div", FLOAT),
    binary("TrueDiv", Dtypes::Mapped(&[(Float16, Float16), (Float32, Float32), (Int32, Float32)])),
    binary("Maximum", ARITHMETIC),
    binary("Minimum", ARITHMETIC),
    binary("FloorDiv", FLOAT),
    binary("Remainder", Dtypes::Same(&[Float32, Int32])),
    // A byte is true unless it is 0; the result is 1 or 0.
    binary("LogicalAnd", Dtypes::Same(&[UInt8])),
    binary("LogicalOr", Dtypes::Same(&[UInt8])),
    unary("LogicalNot", Dtypes::Same(&[UInt8])),
    binary("BitwiseAnd", Dtypes::Same(&[UInt8, Int16, UInt16, Int32])),
    // The remainder of the operator in this repository, with its attribute: 0 is x1 - trunc(x1 / x2) * x2 in float with a
    // rounding after each step, 1 what fmodf computes. It reads both operands again at the end.
    AscIr {
        upstream: false,
        in_place: &[],
        attrs: &[("precision_mode", AttrKind::Choice)],
        ..binary("Fmod", Dtypes::Same(FMOD))
    },
];

/// Fmod of data types that the operator's kernel code computes.
pub fn is_fmod(node: &Node, operands: DType) -> bool {
    node.node_type == "Fmod" && FMOD.contains(&operands) && node.y.dtype == Some(operands)
}

/// Fmod that computes what fmodf does.
pub fn is_exact(node: &Node) -> bool {
    node.node_type == "Fmod" && node.int("precision_mode") == Some(1)
}

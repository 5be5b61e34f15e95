//! The ends of a graph: what comes from outside and what goes there.

use super::{AscIr, AttrKind, ComputeType, ComputeUnit, Dtypes, Inputs};
use crate::dtype::DType;

const ANY: Dtypes = Dtypes::Same(DType::ALL);

const fn end(
    name: &'static str,
    inputs: &'static [&'static str],
    attrs: &'static [(&'static str, AttrKind)],
    dtypes: Dtypes,
) -> AscIr {
    AscIr {
        name,
        inputs: Inputs::Named(inputs),
        attrs,
        compute_type: ComputeType::Invalid,
        unit: ComputeUnit::None,
        dtypes,
        in_place: &[],
        upstream: true,
    }
}

pub const TYPES: &[AscIr] = &[
    end("Data", &[], &[("index", AttrKind::Index)], ANY),
    end("Scalar", &[], &[("value", AttrKind::Literal)], ANY),
    end("IndexExpr", &[], &[("expr", AttrKind::Size)], ANY),
    end("Output", &["x"], &[("index", AttrKind::Index)], ANY),
    // What the front end writes where it has no AscIR; legal while nothing needs it.
    end("Unsupported", &[], &[("error_msg", AttrKind::Text)], Dtypes::None),
];

//! The Matmul object as the C ABI carries it: types of its matrices, operands, settings.

use crate::base::ins::Operand;
use std::ffi::c_void;

/// Words of TCubeTiling.
pub const TILING_WORDS: usize = 50;

/// Position, format and type of a matrix, as MatmulType names them; numbers of TPosition, CubeFormat and the data types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct MatmulKind {
    pub position: u8,
    pub format: u8,
    pub dtype: u8,
    /// It may be transposed.
    pub is_trans: u8,
}

/// What the template arguments of a Matmul object say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct MatmulTypes {
    pub a: MatmulKind,
    pub b: MatmulKind,
    pub c: MatmulKind,
    pub bias: MatmulKind,
    /// It runs on the cube core itself: MatmulImpl, and Matmul with ASCENDC_CUBE_ONLY.
    pub cube_only: u8,
    /// Fractals of 8 floats in a result of format NZ.
    pub channel_split: u8,
    /// iterateOrder of MatmulConfig: 0 along M, 1 along N, 2 as the tiling says.
    pub order: u8,
    /// A and B are shared by the vector cores of a block, of which the first one calls.
    pub is_shared: u8,
}

/// A matrix, a vector or a scalar for it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MatmulOperand {
    /// In global memory.
    pub gm: *mut c_void,
    /// Bytes of a workspace; 0 if its tensor does not know.
    pub bytes: u64,
    /// Bits of a scalar.
    pub scalar: u64,
    /// In the unified buffer.
    pub ub: Operand,
    /// AIC_MATMUL_AT_*.
    pub place: u8,
    pub is_trans: u8,
    pub rest: [u8; 6],
}

impl MatmulOperand {
    pub(crate) const NOWHERE: MatmulOperand = MatmulOperand {
        gm: std::ptr::null_mut(),
        bytes: 0,
        scalar: 0,
        ub: Operand::new(0, 0),
        place: 0,
        is_trans: 0,
        rest: [0; 6],
    };
}

/// How a result is written.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct MatmulOut {
    /// 0, or AIC_ATOMIC_*.
    pub atomic: u8,
    /// Block after block; else each block at its place in the matrix.
    pub is_sequential: u8,
    /// The call returns when it is done.
    pub is_sync: u8,
    /// WaitIterateAll follows.
    pub is_awaited: u8,
}

wire_enum!(
    /// Where an operand of a Matmul object is.
    MatmulPlace: u8 { None = 0 => "nowhere", Gm = 1 => "GM", Ub = 2 => "UB", Scalar = 3 => "scalar" }
);

wire_enum!(
    /// Which operand of a Matmul object `aic_matmul_tensor` sets.
    MatmulRole: u32 {
        A = 0 => "SetTensorA", B = 1 => "SetTensorB", Bias = 2 => "SetBias", Quant = 3 => "SetQuantVector",
        Workspace = 4 => "SetWorkspace",
    }
);

wire_enum!(
    /// What `aic_matmul_set` sets, by the values that follow.
    MatmulSetting: u32 {
        OrgShape = 0 => "SetOrgShape", SingleShape = 1 => "SetSingleShape", Hf32 = 2 => "SetHF32",
        QuantScalar = 3 => "SetQuantScalar",
    }
);

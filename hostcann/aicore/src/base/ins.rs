//! Instructions as the C ABI carries them; `hostcann/aicore_abi.h` is made from them.

use crate::base::{float::round, pipe::Pipe};
use std::ffi::c_void;

wire_enum!(Dtype: u8 {
    F32 = 0 => "float", F16 = 1 => "half", Bf16 = 2 => "bfloat16_t", I8 = 3 => "int8_t", U8 = 4 => "uint8_t",
    I16 = 5 => "int16_t", U16 = 6 => "uint16_t", I32 = 7 => "int32_t", U32 = 8 => "uint32_t", I64 = 9 => "int64_t",
    U64 = 10 => "uint64_t", F64 = 11 => "double", Bool = 12 => "bool", I4 = 13 => "int4b_t",
});

impl Dtype {
    /// Bytes; two elements of int4b_t share one.
    pub const fn size(self) -> usize {
        match self {
            Dtype::I4 | Dtype::I8 | Dtype::U8 | Dtype::Bool => 1,
            Dtype::F16 | Dtype::Bf16 | Dtype::I16 | Dtype::U16 => 2,
            Dtype::F32 | Dtype::I32 | Dtype::U32 => 4,
            Dtype::I64 | Dtype::U64 | Dtype::F64 => 8,
        }
    }
}

wire_enum!(Opcode: u16 {
    Add = 1 => "Add", Sub = 2 => "Sub", Mul = 3 => "Mul", Div = 4 => "Div", Max = 5 => "Max", Min = 6 => "Min",
    And = 7 => "And", Or = 8 => "Or", MulAddDst = 9 => "MulAddDst", FusedMulAdd = 10 => "FusedMulAdd",
    AddRelu = 11 => "AddRelu", SubRelu = 12 => "SubRelu", FusedMulAddRelu = 13 => "FusedMulAddRelu",
    Adds = 16 => "Adds", Muls = 17 => "Muls", Maxs = 18 => "Maxs", Mins = 19 => "Mins",
    ShiftLeft = 20 => "ShiftLeft", ShiftRight = 21 => "ShiftRight", Axpy = 22 => "Axpy",
    LeakyRelu = 23 => "LeakyRelu", AddDeqRelu = 24 => "AddDeqRelu", AddReluCast = 25 => "AddReluCast",
    SubReluCast = 26 => "SubReluCast", MulCast = 27 => "MulCast",
    Abs = 32 => "Abs", Exp = 33 => "Exp", Ln = 34 => "Ln", Sqrt = 35 => "Sqrt", Reciprocal = 36 => "Reciprocal",
    Rsqrt = 37 => "Rsqrt", Relu = 38 => "Relu", Not = 39 => "Not",
    Duplicate = 48 => "Duplicate", CreateVecIndex = 49 => "CreateVecIndex", Brcb = 50 => "Brcb", Copy = 51 => "Copy",
    Gather = 52 => "Gather", Gatherb = 53 => "Gatherb", GatherMask = 54 => "GatherMask",
    Cast = 64 => "Cast", Compare = 65 => "Compare", CompareScalar = 66 => "CompareScalar", Select = 67 => "Select",
    GetCmpMask = 68 => "GetCmpMask", SetCmpMask = 69 => "SetCmpMask", CastDequant = 70 => "CastDequant",
    ReduceMax = 80 => "ReduceMax", ReduceMin = 81 => "ReduceMin", ReduceSum = 82 => "ReduceSum",
    WholeReduceMax = 83 => "WholeReduceMax", WholeReduceMin = 84 => "WholeReduceMin",
    WholeReduceSum = 85 => "WholeReduceSum", BlockReduceMax = 86 => "BlockReduceMax",
    BlockReduceMin = 87 => "BlockReduceMin", BlockReduceSum = 88 => "BlockReduceSum",
    PairReduceSum = 89 => "PairReduceSum", Sort32 = 90 => "Sort32", MrgSort = 91 => "MrgSort",
    TransDataTo5HD = 96 => "TransDataTo5HD", Transpose = 97 => "Transpose",
    // High-level functions.
    Sin = 160 => "Sin", Cos = 161 => "Cos", Tan = 162 => "Tan", Asin = 163 => "Asin", Acos = 164 => "Acos",
    Atan = 165 => "Atan", Sinh = 166 => "Sinh", Cosh = 167 => "Cosh", Tanh = 168 => "Tanh", Asinh = 169 => "Asinh",
    Acosh = 170 => "Acosh", Atanh = 171 => "Atanh", Erf = 172 => "Erf", Erfc = 173 => "Erfc", Log2 = 174 => "Log2",
    Log10 = 175 => "Log10", Power = 176 => "Power", Sign = 177 => "Sign", Sigmoid = 178 => "Sigmoid",
    Silu = 179 => "Silu", Swish = 180 => "Swish", Digamma = 181 => "Digamma", Lgamma = 182 => "Lgamma",
    Sum = 192 => "Sum", Mean = 193 => "Mean", CumSum = 194 => "CumSum",
    Broadcast = 195 => "Broadcast",
});

wire_enum!(
    /// How a vector instruction says which elements it works on.
    Form: u8 {
        Count = 0 => "count",
        MaskCount = 1 => "mask",
        MaskBits = 2 => "mask[]",
        MaskRegister = 3 => "register",
    }
);

wire_enum!(CmpMode: u8 { Lt = 0 => "LT", Gt = 1 => "GT", Eq = 2 => "EQ", Le = 3 => "LE", Ge = 4 => "GE", Ne = 5 => "NE" });

wire_enum!(SelMode: u8 {
    CmpMaskSpr = 0 => "VSEL_CMPMASK_SPR",
    TensorScalar = 1 => "VSEL_TENSOR_SCALAR_MODE",
    TensorTensor = 2 => "VSEL_TENSOR_TENSOR_MODE",
});

wire_enum!(
    /// What WholeReduceMax and WholeReduceMin store.
    ReduceOrder: u8 {
        ValueIndex = 0 => "ORDER_VALUE_INDEX",
        IndexValue = 1 => "ORDER_INDEX_VALUE",
        OnlyValue = 2 => "ORDER_ONLY_VALUE",
        OnlyIndex = 3 => "ORDER_ONLY_INDEX",
    }
);

wire_enum!(
    /// Results that instructions leave in special registers.
    Spr: u32 {
        RsvdCnt = 0 => "RSVD_CNT",
        AccVal = 1 => "ACC_VAL",
        MaxMin = 2 => "MAX_MIN",
        MaxMinIndex = 3 => "MAX_MIN_INDEX",
        MrgSort = 4 => "MRG_SORT",
    }
);

wire_enum!(Direction: u8 { GmToUb = 0 => "GM->UB", UbToGm = 1 => "UB->GM", UbToUb = 2 => "UB->UB" });

wire_enum!(
    /// Which call a copy came from; it decides units and limits.
    CopyKind: u8 {
        Count = 0 => "DataCopy",
        Blocks = 1 => "DataCopy(DataCopyParams)",
        Pad = 2 => "DataCopyPad(DataCopyExtParams)",
        PadShort = 3 => "DataCopyPad(DataCopyParams)",
        Matmul = 4 => "Matmul",
    }
);

wire_enum!(
    /// What a scalar access to global memory does; a reference may do either.
    GmAccess: u8 { Read = 0 => "read", Write = 1 => "write", Reference = 2 => "reference" }
);

wire_enum!(
    /// What UB -> GM copies do with the bytes they find, by the call that says so; 0 is off.
    AtomicOp: u32 { Add = 1 => "SetAtomicAdd", Max = 2 => "SetAtomicMax", Min = 3 => "SetAtomicMin" }
);

wire_enum!(
    /// What `aic_queue_query` counts.
    QueueCount: u32 { Tensors = 0 => "tensors", Places = 1 => "places", IdleBuffer = 2 => "idle buffer" }
);

/// Flag of `aic_vec`: roundEn of ShiftRight, calIndex of ReduceMax/ReduceMin, scalar src1 of Select, ifExhaustedSuspension
/// of MrgSort, reduceMode of GatherMask.
pub const FLAG: u8 = 1;
/// Flag of `aic_vec`: Compare and Select with the CMPMASK register, GatherMask with the mask registers.
pub const FLAG_REGISTER: u8 = 2;

/// A tensor in the unified buffer, or a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Operand {
    pub addr: u32,
    /// Bytes the tensor holds from `addr` on; for observers.
    pub bytes: u32,
    /// The tensor that a queue, a TBuf or an allocator handed out, whatever the kernel made of it since; the same number
    /// twice where that is not known.
    pub begin: u32,
    pub end: u32,
    /// The AllocTensor that it comes from, 0 for none.
    pub lease: u32,
}

impl Operand {
    /// Bytes of which no tensor is known.
    pub const fn new(addr: u32, bytes: u32) -> Operand {
        Operand { addr, bytes, begin: 0, end: 0, lease: 0 }
    }

    /// Other bytes of the same tensor.
    pub(crate) fn part(self, addr: u32, bytes: u32) -> Operand {
        Operand { addr, bytes, ..self }
    }

    /// Whether two tensors share bytes.
    pub(crate) fn meets(self, other: Operand) -> bool {
        let (a, b) = (self, other);
        a.bytes != 0 && b.bytes != 0 && a.addr < b.addr + b.bytes && b.addr < a.addr + a.bytes
    }
}

/// A vector instruction.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct VecIns {
    pub opcode: u16,
    /// Element type of dst.
    pub dtype: u8,
    /// Element type of the (first) data source.
    pub stype: u8,
    pub form: u8,
    /// RoundMode, CMPMODE, SELMODE, ReduceOrder, the pattern of GatherMask or the valid queues of MrgSort.
    pub mode: u8,
    pub repeat: u8,
    /// AIC_FLAG, AIC_FLAG_REGISTER.
    pub flags: u8,
    /// Elements. The repeats of GatherMask and of a reduction with a mask: they may be more than 255.
    pub count: u32,
    /// Byte offset added to every Gather offset; the AllocTensor of MrgSort's fourth queue.
    pub base: u32,
    pub dst: Operand,
    /// Select: selMask, src0, src1. Gather: src, srcOffset. Reduce: src, work buffer.
    pub src: [Operand; 3],
    /// Bits of the scalar operand in its own type; the shift distance; the fourth queue of MrgSort.
    pub scalar: u64,
    /// Element count, or lane bits (low word first). MrgSort: the lengths of its queues, 16 bits each; where the tensor of the
    /// fourth begins and ends, 32 bits each.
    pub mask: [u64; 2],
    /// Block strides of dst, src0, src1, src2 in 32-byte units.
    pub blk: [u16; 4],
    /// Repeat strides, same order and unit.
    pub rep: [u16; 4],
}

impl Default for VecIns {
    fn default() -> Self {
        VecIns {
            opcode: 0,
            dtype: 0,
            stype: 0,
            form: 0,
            mode: 0,
            repeat: 1,
            flags: 0,
            count: 0,
            base: 0,
            dst: Operand::default(),
            src: [Operand::default(); 3],
            scalar: 0,
            mask: [0; 2],
            blk: [1; 4],
            rep: [8; 4],
        }
    }
}

impl VecIns {
    pub fn op(&self) -> Option<Opcode> {
        Opcode::from_code(self.opcode as u32)
    }
    /// `Div<float>`, `Cast<float, half>`.
    pub fn name(&self) -> String {
        let op = self.op().map_or("?", Opcode::name);
        let dtype = |code: u8| Dtype::from_code(code as u32).map_or("?", Dtype::name);
        let (d, s) = (dtype(self.dtype), dtype(self.stype));
        if d == s { format!("{op}<{d}>") } else { format!("{op}<{d}, {s}>") }
    }
}

/// A transfer between global memory and the unified buffer, or inside the buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CopyIns {
    pub direction: u8,
    pub kind: u8,
    pub dtype: u8,
    pub is_pad: u8,
    /// Elements.
    pub left_pad: u8,
    pub right_pad: u8,
    /// 1: past the L2 cache (CACHE_MODE_DISABLE). Only time depends on it.
    pub cache: u16,
    pub block_count: u32,
    /// Bytes per block.
    pub block_len: u32,
    /// Gaps from the end of a block to the start of the next: bytes on the GM side, 32-byte units on the UB side.
    pub src_stride: u32,
    pub dst_stride: u32,
    pub pad_value: u64,
    pub gm: *mut c_void,
    /// The UB side; the destination for UB->UB.
    pub ub: Operand,
    /// The source for UB->UB.
    pub ub_src: Operand,
}

impl Default for CopyIns {
    fn default() -> Self {
        CopyIns {
            direction: 0,
            kind: 0,
            dtype: 0,
            is_pad: 0,
            left_pad: 0,
            right_pad: 0,
            cache: 0,
            block_count: 1,
            block_len: 0,
            src_stride: 0,
            dst_stride: 0,
            pad_value: 0,
            gm: std::ptr::null_mut(),
            ub: Operand::default(),
            ub_src: Operand::default(),
        }
    }
}

impl CopyIns {
    /// The pipe that moves the data.
    pub fn pipe(&self) -> Pipe {
        match Direction::from_code(self.direction as u32) {
            Some(Direction::GmToUb) => Pipe::MTE2,
            Some(Direction::UbToGm) => Pipe::MTE3,
            _ => Pipe::V,
        }
    }
    pub fn name(&self) -> String {
        let kind = CopyKind::from_code(self.kind as u32).map_or("?", |k| match k {
            CopyKind::Count | CopyKind::Blocks => "DataCopy",
            CopyKind::Pad | CopyKind::PadShort => "DataCopyPad",
            CopyKind::Matmul => "Matmul",
        });
        let t = Dtype::from_code(self.dtype as u32).map_or("?", Dtype::name);
        if self.kind == CopyKind::Matmul as u8 {
            return format!("{kind}<{t}>");
        }
        let d = Direction::from_code(self.direction as u32).map_or("?", Direction::name);
        format!("{kind}<{t}> {d}")
    }
}

/// A buffer handed to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Buffer {
    pub addr: u32,
    pub bytes: u32,
    /// 0 is no buffer.
    pub handle: u32,
    /// The AllocTensor that handed it out, counted from 1; 0 for buffers without a queue.
    pub lease: u32,
}

pub(crate) fn round_name(mode: u8) -> &'static str {
    round::NAMES.get(mode as usize).copied().unwrap_or("UNKNOWN")
}

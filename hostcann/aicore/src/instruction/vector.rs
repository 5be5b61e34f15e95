//! Vector instructions as the units and the observers see them: decoded, with named operands.

pub use crate::instruction::head::Head;
pub(crate) use crate::instruction::head::bad_dtype;

use crate::base::{
    ins::{CmpMode, Operand, ReduceOrder, SelMode},
    lanes::{BLOCK, Stride},
    mask::MaskRegs,
};

/// Strides in blocks of 32 bytes, small as an instruction carries them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blocks {
    pub blk: u16,
    pub rep: u16,
}

impl From<Blocks> for Stride {
    #[inline]
    fn from(s: Blocks) -> Stride {
        Stride { blk: s.blk as usize * BLOCK, rep: s.rep as usize * BLOCK }
    }
}

/// Which elements an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span {
    /// The first ones, densely.
    Count(usize),
    /// Repeats under a mask, with strides for dst and for src0 to src2.
    Repeats { n: usize, mask: MaskArg, dst: Blocks, src: [Blocks; 3] },
}

impl Span {
    /// Elements, or repeats.
    pub fn n(&self) -> usize {
        match *self {
            Span::Count(n) | Span::Repeats { n, .. } => n,
        }
    }
}

/// The mask of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskArg {
    /// The first elements of every repeat; in counter mode all elements of the call.
    Elements(u64),
    /// Lane bits, low word first.
    Bits([u64; 2]),
    /// The registers as they are.
    Register,
}

/// dst = f(src0, src1). MulAddDst, FusedMulAdd and FusedMulAddRelu read dst too.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src0: Operand,
    pub src1: Operand,
}

/// dst = f(src).
#[derive(Clone, Copy, Debug)]
pub struct Unary {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
}

/// dst = f(src, scalar). Axpy reads dst too.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    /// Bits in the type of the source.
    pub scalar: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Shift {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    pub distance: u64,
    /// roundEn of ShiftRight.
    pub round: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Cast {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    /// A RoundMode; which ones are legal depends on the types.
    pub mode: u8,
}

/// int16 to 8 bits with the parameters of SetDeqScale.
#[derive(Clone, Copy, Debug)]
pub struct CastDequant {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    /// A set of parameters for every column of a block.
    pub by_tensor: bool,
    /// Results go into the second half of every block.
    pub high: bool,
}

/// The second side of Compare and Select.
#[derive(Clone, Copy, Debug)]
pub enum Other {
    Tensor(Operand),
    /// Bits in the type of the source.
    Scalar(u64),
}

#[derive(Clone, Copy, Debug)]
pub struct Compare {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src0: Operand,
    pub src1: Other,
    pub mode: CmpMode,
}

/// One repeat of Compare into the CMPMASK register.
#[derive(Clone, Copy, Debug)]
pub struct CompareRegister {
    pub head: Head,
    pub span: Span,
    pub src0: Operand,
    pub src1: Operand,
    pub mode: CmpMode,
}

#[derive(Clone, Copy, Debug)]
pub struct Select {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub mask: Operand,
    pub src0: Operand,
    pub src1: Other,
    pub mode: SelMode,
}

/// Select with the CMPMASK register: mode 0 takes the bits from it, mode 1 the scalar, mode 2 the address of the bits.
#[derive(Clone, Copy, Debug)]
pub struct SelectRegister {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    /// Mode 1 only.
    pub mask: Operand,
    pub src0: Operand,
    /// Not in mode 1.
    pub src1: Operand,
    pub mode: SelMode,
}

/// GetCmpMask and SetCmpMask: 16 bytes from or to the register.
#[derive(Clone, Copy, Debug)]
pub struct CmpMaskMove {
    pub head: Head,
    pub tensor: Operand,
}

/// Duplicate, and CreateVecIndex, which counts up from the scalar.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub scalar: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Brcb {
    pub head: Head,
    pub repeats: usize,
    pub dst: Operand,
    pub src: Operand,
    pub dst_stride: Stride,
}

/// Elements at byte offsets.
#[derive(Clone, Copy, Debug)]
pub struct Gather {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    pub offsets: Operand,
    /// Added to every offset.
    pub base: u32,
}

/// Blocks at byte offsets, eight a repeat.
#[derive(Clone, Copy, Debug)]
pub struct Gatherb {
    pub head: Head,
    pub repeats: usize,
    pub dst: Operand,
    pub src: Operand,
    pub offsets: Operand,
    pub dst_stride: Stride,
}

/// What GatherMask keeps.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// 1 to 7.
    Fixed(u8),
    /// A tensor of bits and the bytes from repeat to repeat.
    Bits(Operand, usize),
}

#[derive(Clone, Copy, Debug)]
pub struct GatherMask {
    pub head: Head,
    pub repeats: usize,
    pub taken: Taken,
    pub dst: Operand,
    pub src: Operand,
    pub src_stride: Stride,
    pub pattern: Pattern,
}

/// How GatherMask knows what a repeat takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// With `reduce` as many elements as the mask says. The mask stays in the register, the mode is normal afterwards.
    Argument { reduce: bool, mask: u32 },
    /// The instruction itself: as many as the register says in counter mode, a whole repeat in normal mode.
    Register,
}

impl Taken {
    /// None: a whole repeat.
    pub fn elements(self, regs: &MaskRegs) -> Option<usize> {
        match self {
            Taken::Argument { reduce, mask } => reduce.then_some(mask as usize),
            Taken::Register => regs.counter.then_some(regs.bits[0] as u32 as usize),
        }
    }
}

/// ReduceMax, ReduceMin, ReduceSum.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    pub work: Operand,
    /// calIndex.
    pub index: bool,
}

/// A result per repeat, per 32-byte block or per pair.
#[derive(Clone, Copy, Debug)]
pub struct ReduceRepeat {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    /// dstRepStride, in results of a repeat.
    pub dst_repeat: usize,
    /// What WholeReduceMax and WholeReduceMin store.
    pub order: ReduceOrder,
}

#[derive(Clone, Copy, Debug)]
pub struct Sort32 {
    pub head: Head,
    pub repeats: usize,
    pub dst: Operand,
    pub scores: Operand,
    pub indices: Operand,
}

#[derive(Clone, Copy, Debug)]
pub struct MrgSort {
    pub head: Head,
    pub repeats: usize,
    pub dst: Operand,
    /// Tensor and elements of each queue.
    pub queues: [(Operand, usize); 4],
    /// The first ones are merged.
    pub used: usize,
    /// ifExhaustedSuspension.
    pub suspend: bool,
}

/// Sixteen blocks become sixteen others. Their addresses lie in the address registers.
#[derive(Clone, Copy, Debug)]
pub struct TransData {
    pub head: Head,
    pub repeats: usize,
    /// Bytes from repeat to repeat.
    pub dst_stride: usize,
    pub src_stride: usize,
    /// 8-bit types: which half of every block is used.
    pub dst_high: bool,
    pub src_high: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransposeKind {
    /// 16 by 16 elements.
    Square,
    /// NCHW to NHWC.
    ChannelsLast,
    /// NHWC to NCHW.
    ChannelsFirst,
}

#[derive(Clone, Copy, Debug)]
pub struct Transpose {
    pub head: Head,
    pub kind: TransposeKind,
    pub dst: Operand,
    pub src: Operand,
    pub images: usize,
    pub channels: usize,
    /// hSize * wSize.
    pub pixels: usize,
    pub tmp: (Operand, usize),
}

/// Which of Power's operands is a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerScalar {
    None,
    Exponent,
    Base,
}

/// High-level mathematics.
#[derive(Clone, Copy, Debug)]
pub struct Math {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src0: Operand,
    pub src1: Operand,
    pub scalar: u64,
    pub power: PowerScalar,
    /// Temporary space and how much of it is used; 0 is none.
    pub tmp: (Operand, usize),
}

/// Sum, Mean and CumSum over rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    pub rows: usize,
    pub columns: usize,
    /// Elements from row to row.
    pub pitch: usize,
    /// Mean: the sum is kept in float. CumSum: along the row, not down the column.
    pub flag: bool,
    pub tmp: (Operand, usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Broadcast {
    pub head: Head,
    pub span: Span,
    pub dst: Operand,
    pub src: Operand,
    pub rows: usize,
    pub columns: usize,
    /// Whether the source has all rows and all columns, or one that is repeated.
    pub has_rows: bool,
    pub has_columns: bool,
}

macro_rules! vector {
    ($($(#[$doc:meta])* $name:ident($data:ident) $($span:ident)?,)+) => {
        /// A vector instruction.
        #[derive(Clone, Copy, Debug)]
        pub enum Vector { $($(#[$doc])* $name($data)),+ }

        impl Vector {
            pub fn head(&self) -> &Head {
                match self { $(Vector::$name(i) => &i.head),+ }
            }

            /// None for instructions whose repeats have no mask.
            pub fn span(&self) -> Option<&Span> {
                match self { $(Vector::$name(_i) => vector!(@ _i $($span)?)),+ }
            }
        }
    };
    (@ $i:ident span) => { Some(&$i.span) };
    (@ $i:ident) => { None };
}

vector! {
    Binary(Binary) span,
    Unary(Unary) span,
    Scalar(Scalar) span,
    Bitwise(Binary) span,
    Not(Unary) span,
    Shift(Shift) span,
    Cast(Cast) span,
    FusedCast(Binary) span,
    CastDequant(CastDequant) span,
    Compare(Compare) span,
    CompareRegister(CompareRegister) span,
    Select(Select) span,
    SelectRegister(SelectRegister) span,
    GetCmpMask(CmpMaskMove),
    SetCmpMask(CmpMaskMove),
    Duplicate(Fill) span,
    CreateVecIndex(Fill) span,
    Brcb(Brcb),
    Copy(Unary) span,
    Gather(Gather) span,
    Gatherb(Gatherb),
    GatherMask(GatherMask),
    Reduce(Reduce) span,
    ReduceRepeat(ReduceRepeat) span,
    Sort32(Sort32),
    MrgSort(MrgSort),
    TransDataTo5HD(TransData),
    Transpose(Transpose),
    Math(Math) span,
    Rows(Rows) span,
    Broadcast(Broadcast) span,
}

//! From the record of the C ABI to the instruction it stands for: the one place that knows what its fields mean.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::round,
        ins::{CmpMode, Dtype, FLAG, FLAG_REGISTER, Form, Opcode, Operand, ReduceOrder, SelMode, VecIns},
        lanes::{BLOCK, Stride},
        pipe::Pipe,
    },
    instruction::vector::*,
};

/// The numbers of `Power`'s operands (`POWER_*` of the façade).
pub(crate) const SCALAR_EXPONENT: u8 = 1;
pub(crate) const SCALAR_BASE: u8 = 2;

/// Bits of the mode of CastDequant.
const DEQ_BY_TENSOR: u8 = 1;
const DEQ_HIGH: u8 = 2;

/// Bits of the mode of TransDataTo5HD.
const DST_HIGH: u8 = 1;
const SRC_HIGH: u8 = 2;

#[cold]
fn unknown(what: &str, code: u32) -> Raise {
    Raise::unsupported(Pipe::V, &format!("{what} {code}"))
}

#[inline(always)]
fn head(ins: &VecIns) -> Result<Head, Raise> {
    let dtype = |code: u8| Dtype::from_code(code as u32).ok_or_else(|| unknown("vector data type", code as u32));
    Ok(Head {
        op: Opcode::from_code(ins.opcode as u32).ok_or_else(|| unknown("vector opcode", ins.opcode as u32))?,
        dtype: dtype(ins.dtype)?,
        stype: dtype(ins.stype)?,
        form: Form::from_code(ins.form as u32).ok_or_else(|| unknown("vector form", ins.form as u32))?,
    })
}

fn blocks(ins: &VecIns, i: usize) -> Blocks {
    Blocks { blk: ins.blk[i], rep: ins.rep[i] }
}

fn stride(ins: &VecIns, i: usize) -> Stride {
    blocks(ins, i).into()
}

#[inline(always)]
fn span(ins: &VecIns, head: &Head, repeats: u32) -> Span {
    let mask = match head.form {
        Form::Count => return Span::Count(ins.count as usize),
        Form::MaskCount => MaskArg::Elements(ins.mask[0]),
        Form::MaskBits => MaskArg::Bits(ins.mask),
        Form::MaskRegister => MaskArg::Register,
    };
    let src = [blocks(ins, 1), blocks(ins, 2), blocks(ins, 3)];
    Span::Repeats { n: repeats as usize, mask, dst: blocks(ins, 0), src }
}

#[cold]
fn negative(head: &Head, count: u32) -> Raise {
    Raise::new(FaultClass::Argument, Pipe::V, head.name(), "negative count")
        .operand("count")
        .expected("0 or more elements")
        .got((count as i32).to_string())
        .fix("check the tile length computation")
}

/// A reduction's repeats are in `count`: a tensor reduction with a mask has 32 bits for them, the others 8.
fn reduce_span(ins: &VecIns, head: &Head, most: u32) -> Result<Span, Raise> {
    if head.form == Form::Count || ins.count <= most {
        return Ok(span(ins, head, ins.count));
    }
    Err(Raise::new(FaultClass::Argument, Pipe::V, head.name(), "repeatTime out of range")
        .operand("repeatTime")
        .expected(format!("0 to {most}"))
        .got((ins.count as i32).to_string())
        .fix("split the call"))
}

fn cmp_mode(ins: &VecIns) -> Result<CmpMode, Raise> {
    CmpMode::from_code(ins.mode as u32).ok_or_else(|| unknown("Compare mode", ins.mode as u32))
}

/// Values of TransposeType.
fn transpose_kind(mode: u8) -> Result<TransposeKind, Raise> {
    match mode {
        10 => Ok(TransposeKind::Square),
        11 => Ok(TransposeKind::ChannelsLast),
        12 => Ok(TransposeKind::ChannelsFirst),
        _ => Err(unknown("TransposeType", mode as u32)),
    }
}

/// A tensor unless the call passed a scalar.
fn other(ins: &VecIns, scalar: bool, tensor: Operand) -> Other {
    if scalar { Other::Scalar(ins.scalar) } else { Other::Tensor(tensor) }
}

impl Vector {
    /// Decodes an instruction.
    ///
    /// # Errors
    ///
    /// A field has a code that is not known, or values that the instruction does not take.
    pub fn decode(ins: &VecIns) -> Result<Vector, Raise> {
        Vector::with(ins, |decoded| Ok(*decoded))
    }

    /// Decodes an instruction and goes on with it. It is built where it is used: copying it to one place for all
    /// opcodes would take as long as running a short instruction.
    ///
    /// # Errors
    ///
    /// `ins` cannot be decoded, see [`Vector::decode`], or `then` fails.
    #[inline(always)]
    pub fn with<R>(ins: &VecIns, then: impl FnOnce(&Vector) -> Result<R, Raise>) -> Result<R, Raise> {
        use Opcode::*;
        let head = head(ins)?;
        let (dst, [a, b, c]) = (ins.dst, ins.src);
        let flag = ins.flags & FLAG != 0;
        let register = ins.flags & FLAG_REGISTER != 0;
        let repeats = ins.repeat as usize;
        if head.form == Form::Count && (ins.count as i32) < 0 {
            return Err(negative(&head, ins.count));
        }
        let span = || span(ins, &head, ins.repeat as u32);
        match head.op {
            Add | Sub | Mul | Div | Max | Min | MulAddDst | FusedMulAdd | AddRelu | SubRelu | FusedMulAddRelu => {
                then(&Vector::Binary(Binary { head, span: span(), dst, src0: a, src1: b }))
            }
            Adds | Muls | Maxs | Mins | Axpy | LeakyRelu => {
                then(&Vector::Scalar(self::Scalar { head, span: span(), dst, src: a, scalar: ins.scalar }))
            }
            Abs | Exp | Ln | Sqrt | Reciprocal | Rsqrt | Relu => {
                then(&Vector::Unary(Unary { head, span: span(), dst, src: a }))
            }
            And | Or => then(&Vector::Bitwise(Binary { head, span: span(), dst, src0: a, src1: b })),
            Not => then(&Vector::Not(Unary { head, span: span(), dst, src: a })),
            ShiftLeft | ShiftRight => {
                then(&Vector::Shift(Shift { head, span: span(), dst, src: a, distance: ins.scalar, round: flag }))
            }
            Cast => then(&Vector::Cast(self::Cast { head, span: span(), dst, src: a, mode: ins.mode })),
            AddReluCast | SubReluCast | MulCast | AddDeqRelu => {
                then(&Vector::FusedCast(Binary { head, span: span(), dst, src0: a, src1: b }))
            }
            // int32 to half is the conversion that Cast does.
            CastDequant if head.dtype == Dtype::F16 => {
                then(&Vector::Cast(self::Cast { head, span: span(), dst, src: a, mode: round::RINT }))
            }
            CastDequant => then(&Vector::CastDequant(self::CastDequant {
                head,
                span: span(),
                dst,
                src: a,
                by_tensor: ins.mode & DEQ_BY_TENSOR != 0,
                high: ins.mode & DEQ_HIGH != 0,
            })),
            Compare if register => {
                if head.form == Form::Count {
                    return Err(Raise::unsupported(Pipe::V, "Compare into the register over a count"));
                }
                then(&Vector::CompareRegister(CompareRegister {
                    head,
                    span: span(),
                    src0: a,
                    src1: b,
                    mode: cmp_mode(ins)?,
                }))
            }
            Compare | CompareScalar => {
                let src1 = other(ins, head.op == CompareScalar, b);
                then(&Vector::Compare(self::Compare { head, span: span(), dst, src0: a, src1, mode: cmp_mode(ins)? }))
            }
            Select => then(&select(ins, head, span(), register)?),
            GetCmpMask => then(&Vector::GetCmpMask(CmpMaskMove { head, tensor: dst })),
            SetCmpMask => then(&Vector::SetCmpMask(CmpMaskMove { head, tensor: a })),
            Duplicate => then(&Vector::Duplicate(Fill { head, span: span(), dst, scalar: ins.scalar })),
            CreateVecIndex => then(&Vector::CreateVecIndex(Fill { head, span: span(), dst, scalar: ins.scalar })),
            Brcb => then(&Vector::Brcb(self::Brcb { head, repeats, dst, src: a, dst_stride: stride(ins, 0) })),
            Copy => then(&Vector::Copy(Unary { head, span: span(), dst, src: a })),
            Gather => {
                then(&Vector::Gather(self::Gather { head, span: span(), dst, src: a, offsets: b, base: ins.base }))
            }
            Gatherb => then(&Vector::Gatherb(self::Gatherb {
                head,
                repeats,
                dst,
                src: a,
                offsets: b,
                dst_stride: stride(ins, 0),
            })),
            GatherMask => then(&gather_mask(ins, head, flag, register)?),
            ReduceMax | ReduceMin | ReduceSum => {
                let span = reduce_span(ins, &head, i32::MAX as u32)?;
                then(&Vector::Reduce(Reduce { head, span, dst, src: a, work: b, index: flag }))
            }
            WholeReduceMax | WholeReduceMin | WholeReduceSum | BlockReduceMax | BlockReduceMin | BlockReduceSum
            | PairReduceSum => {
                let extreme = matches!(head.op, WholeReduceMax | WholeReduceMin);
                let order = match ReduceOrder::from_code(ins.mode as u32) {
                    Some(order) if extreme => order,
                    None if extreme => return Err(unknown("ReduceOrder", ins.mode as u32)),
                    _ => ReduceOrder::OnlyValue,
                };
                let span = reduce_span(ins, &head, 255)?;
                then(&Vector::ReduceRepeat(ReduceRepeat {
                    head,
                    span,
                    dst,
                    src: a,
                    dst_repeat: ins.rep[0] as usize,
                    order,
                }))
            }
            Sort32 => then(&Vector::Sort32(self::Sort32 { head, repeats, dst, scores: a, indices: b })),
            MrgSort => then(&mrg_sort(ins, head, flag)?),
            TransDataTo5HD => then(&Vector::TransDataTo5HD(TransData {
                head,
                repeats,
                dst_stride: stride(ins, 0).rep,
                src_stride: stride(ins, 1).rep,
                dst_high: ins.mode & DST_HIGH != 0,
                src_high: ins.mode & SRC_HIGH != 0,
            })),
            Transpose => then(&Vector::Transpose(self::Transpose {
                head,
                kind: transpose_kind(ins.mode)?,
                dst,
                src: a,
                images: ins.count as usize,
                channels: ins.mask[0] as usize,
                pixels: ins.mask[1] as usize,
                tmp: (c, ins.scalar as usize),
            })),
            Sum | Mean | CumSum => then(&Vector::Rows(Rows {
                head,
                span: span(),
                dst,
                src: a,
                rows: ins.mask[0] as usize,
                columns: ins.mask[1] as usize,
                pitch: ins.base as usize,
                flag,
                tmp: (c, ins.scalar as usize),
            })),
            Broadcast => then(&Vector::Broadcast(self::Broadcast {
                head,
                span: span(),
                dst,
                src: a,
                rows: ins.mask[0] as usize,
                columns: ins.mask[1] as usize,
                has_rows: ins.rep[0] != 0,
                has_columns: ins.rep[1] != 0,
            })),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Log2
            | Log10 | Power | Sign | Sigmoid | Silu | Swish | Digamma | Lgamma => {
                let power = match ins.mode {
                    SCALAR_EXPONENT if head.op == Power => PowerScalar::Exponent,
                    SCALAR_BASE if head.op == Power => PowerScalar::Base,
                    _ => PowerScalar::None,
                };
                let (span, tmp) = (span(), (c, ins.base as usize));
                then(&Vector::Math(Math { head, span, dst, src0: a, src1: b, scalar: ins.scalar, power, tmp }))
            }
        }
    }
}

fn select(ins: &VecIns, head: Head, span: Span, register: bool) -> Result<Vector, Raise> {
    let (dst, [mask, src0, src1]) = (ins.dst, ins.src);
    let Some(mode) = SelMode::from_code(ins.mode as u32) else {
        return Err(unknown("Select mode", ins.mode as u32));
    };
    if register {
        if head.form == Form::Count {
            return Err(Raise::unsupported(Pipe::V, "Select with the register over a count"));
        }
        return Ok(Vector::SelectRegister(SelectRegister { head, span, dst, mask, src0, src1, mode }));
    }
    let scalar = ins.flags & FLAG != 0;
    if scalar != (mode == SelMode::TensorScalar) {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, head.name(), "select mode does not fit the operands")
            .operand("selMode")
            .expected(if scalar { "VSEL_TENSOR_SCALAR_MODE" } else { "VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE" })
            .got(mode.name())
            .fix("a scalar src1 goes with VSEL_TENSOR_SCALAR_MODE, a tensor with the other two"));
    }
    Ok(Vector::Select(Select { head, span, dst, mask, src0, src1: other(ins, scalar, src1), mode }))
}

fn gather_mask(ins: &VecIns, head: Head, reduce: bool, register: bool) -> Result<Vector, Raise> {
    let pattern = match ins.mode {
        0 => Pattern::Bits(ins.src[1], ins.rep[2] as usize * BLOCK),
        1..=7 => Pattern::Fixed(ins.mode),
        mode => {
            return Err(Raise::new(FaultClass::Argument, Pipe::V, head.name(), "there is no such pattern")
                .operand("src1Pattern")
                .expected("1 to 7")
                .got(mode.to_string())
                .fix("1 even, 2 odd, 3 to 6 one of each four, 7 all; anything else as a tensor of bits"));
        }
    };
    Ok(Vector::GatherMask(GatherMask {
        head,
        repeats: ins.count as usize,
        taken: if register { Taken::Register } else { Taken::Argument { reduce, mask: ins.base } },
        dst: ins.dst,
        src: ins.src[0],
        src_stride: stride(ins, 1),
        pattern,
    }))
}

/// src0 to src2 are the first queues, the fourth is in the scalar operand, its tensor in the second word of `mask` and in
/// `base`; the first word of `mask` has 16 bits of length for each.
fn mrg_sort(ins: &VecIns, head: Head, suspend: bool) -> Result<Vector, Raise> {
    let halves = |word: u64| (word as u32, (word >> 32) as u32);
    let ((addr, bytes), (begin, end)) = (halves(ins.scalar), halves(ins.mask[1]));
    let fourth = Operand { addr, bytes, begin, end, lease: ins.base };
    let all = [ins.src[0], ins.src[1], ins.src[2], fourth];
    let used = match ins.mode {
        0b0011 => 2,
        0b0111 => 3,
        0b1111 => 4,
        // Nothing is merged, so nothing is wrong.
        _ if ins.repeat == 0 => 0,
        bits => {
            return Err(Raise::new(FaultClass::Argument, Pipe::V, head.name(), "queues in use must be the first ones")
                .operand("validBit")
                .expected("3, 7 or 15")
                .got(bits.to_string())
                .fix("pass the queues in order and set a bit for each"));
        }
    };
    let queues = std::array::from_fn(|i| (all[i], (ins.mask[0] >> (16 * i)) as u16 as usize));
    Ok(Vector::MrgSort(MrgSort { head, repeats: ins.repeat as usize, dst: ins.dst, queues, used, suspend }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{A, B, Bench, C, DST};

    fn plain(op: Opcode) -> VecIns {
        let mode = match op {
            Opcode::MrgSort => 3,
            Opcode::Transpose => 10,
            _ => 0,
        };
        VecIns { mode, ..Bench::ins(op, Dtype::F32, Dtype::F16, 7) }
    }

    #[test]
    fn every_opcode_becomes_an_instruction_of_its_own_name() {
        for (name, code) in Opcode::TABLE {
            let op = Opcode::from_code(*code).unwrap();
            let ins = Vector::decode(&plain(op)).unwrap();
            let head = Head { op, dtype: Dtype::F32, stype: Dtype::F16, form: Form::Count };
            assert_eq!((*ins.head(), ins.head().name()), (head, format!("{name}<float, half>")));
            assert!(ins.span().is_none_or(|s| matches!(s, Span::Count(7))), "{ins:?}");
        }
    }

    #[test]
    fn unknown_codes_are_not_ours_to_guess() {
        let ok = plain(Opcode::Add);
        for (ins, what) in [
            (VecIns { opcode: 999, ..ok }, "vector opcode 999"),
            (VecIns { dtype: 77, ..ok }, "vector data type 77"),
            (VecIns { stype: 78, ..ok }, "vector data type 78"),
            (VecIns { form: 9, ..ok }, "vector form 9"),
            (VecIns { mode: 6, ..plain(Opcode::Compare) }, "Compare mode 6"),
            (VecIns { mode: 3, ..plain(Opcode::Select) }, "Select mode 3"),
            (VecIns { mode: 4, ..plain(Opcode::WholeReduceMin) }, "ReduceOrder 4"),
        ] {
            let e = Vector::decode(&ins).unwrap_err();
            assert_eq!(
                (e.class, e.what.as_str()),
                (FaultClass::Unsupported, &*format!("not implemented by hostcann: {what}"))
            );
        }
        let e = Vector::decode(&VecIns { count: -3i32 as u32, ..ok }).unwrap_err();
        assert_eq!((e.class, e.what.as_str(), e.got.as_str()), (FaultClass::Argument, "negative count", "-3"));
    }

    #[test]
    fn repeats_masks_and_strides() {
        let mut ins = VecIns {
            form: Form::MaskCount as u8,
            repeat: 5,
            mask: [9, 8],
            blk: [1, 2, 3, 4],
            rep: [5, 6, 7, 8],
            ..plain(Opcode::Add)
        };
        let span = |ins: &VecIns| match Vector::decode(ins).unwrap() {
            Vector::Binary(Binary { span: Span::Repeats { n, mask, dst, src }, .. }) => (n, mask, dst, src),
            other => panic!("{other:?}"),
        };
        let s = |blk, rep| Blocks { blk, rep };
        assert_eq!(span(&ins), (5, MaskArg::Elements(9), s(1, 5), [s(2, 6), s(3, 7), s(4, 8)]));
        ins.form = Form::MaskBits as u8;
        assert_eq!(span(&ins).1, MaskArg::Bits([9, 8]));
        ins.form = Form::MaskRegister as u8;
        assert_eq!(span(&ins).1, MaskArg::Register);
    }

    #[test]
    fn reductions_and_gather_mask_have_their_repeats_in_count() {
        let ins = |op, count| VecIns {
            form: Form::MaskBits as u8,
            repeat: 1,
            ..Bench::ins(op, Dtype::F32, Dtype::F32, count)
        };
        let n = |op, count| Vector::decode(&ins(op, count)).map(|i| i.span().unwrap().n());
        assert_eq!(n(Opcode::ReduceSum, 70_000).unwrap(), 70_000);
        assert_eq!(n(Opcode::BlockReduceSum, 255).unwrap(), 255);
        let e = n(Opcode::BlockReduceSum, 256).unwrap_err();
        assert_eq!((e.expected.as_str(), e.got.as_str()), ("0 to 255", "256"));
        let Vector::GatherMask(g) =
            Vector::decode(&VecIns { base: 40, flags: 1, ..ins(Opcode::GatherMask, 3) }).unwrap()
        else {
            panic!("not a GatherMask");
        };
        assert_eq!((g.repeats, g.taken), (3, Taken::Argument { reduce: true, mask: 40 }));
    }

    #[test]
    fn the_fourth_queue_is_in_the_scalar_and_the_lengths_in_the_mask() {
        let ins = VecIns {
            scalar: 64 << 32 | DST as u64,
            mask: [0x0004_0003_0002_0001, 900 << 32 | 800],
            base: 6,
            mode: 15,
            ..plain(Opcode::MrgSort)
        };
        let Vector::MrgSort(m) = Vector::decode(&ins).unwrap() else { panic!("not a MrgSort") };
        let queues = m.queues.map(|(o, n)| (o.addr, n));
        assert_eq!((queues, m.used), ([(A, 1), (B, 2), (C, 3), (DST, 4)], 4));
        assert_eq!(m.queues[3].0, Operand { addr: DST, bytes: 64, begin: 800, end: 900, lease: 6 });
        let e = Vector::decode(&VecIns { mode: 5, ..ins }).unwrap_err();
        assert_eq!((e.operand.as_deref(), e.got.as_str()), (Some("validBit"), "5"));
    }
}

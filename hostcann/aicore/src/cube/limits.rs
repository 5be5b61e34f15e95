//! What the pages of Matmul ask of an object, its tiling and its operands.

use super::matrix::FRACTAL;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::Dtype,
        matmul::{MatmulOperand, MatmulPlace},
        pipe::Pipe,
    },
    machine::matmul::MatmulObject,
};

/// Bytes of L0A and L0B each, of L0C, and of L1.
const L0: usize = 64 * 1024;
const L0C: usize = 128 * 1024;
const L1: usize = 512 * 1024;

fn wrong(class: FaultClass, call: &str, what: impl Into<String>) -> Raise {
    Raise::new(class, Pipe::S, format!("Matmul::{call}"), what)
}

/// A call of an object that nobody has initialised.
#[cold]
pub(super) fn no_object(call: &str) -> Raise {
    wrong(FaultClass::Argument, call, "the object has no tiling")
        .expected("REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling), or mm.Init(&tiling) after it")
        .got("an object that was not initialised")
        .fix("register the object before its first use")
}

#[cold]
pub(super) fn unset(o: &MatmulObject) -> Raise {
    let missing = if o.a.is_none() { "SetTensorA" } else { "SetTensorB" };
    wrong(FaultClass::Argument, "Iterate", format!("a multiplication without {missing}"))
        .expected("SetTensorA and SetTensorB before Iterate and IterateAll")
        .got(format!("no {missing} since the object was initialised"))
        .fix(format!("call {missing} first"))
}

#[cold]
pub(super) fn types_differ(o: &MatmulObject) -> Raise {
    let name = |t: Dtype| t.name();
    wrong(FaultClass::Argument, "Iterate", "A, B and bias do not go together")
        .operand("MatmulType")
        .expected("half, bfloat16_t or float for A and B with float or half for bias, or int8_t with int32_t")
        .got(format!("{}, {} and {}", name(o.types.a.dtype()), name(o.types.b.dtype()), name(o.types.bias.dtype())))
        .fix("change the types of the object's MatmulType arguments")
}

/// A result for the unified buffer of an object whose C stays in global memory; the other way round is possible.
pub(super) fn no_buffer(call: &str, at: &MatmulOperand, position: u8) -> Option<Raise> {
    misplaced(call, "C", at, position).filter(|_| at.place == MatmulPlace::Ub as u8)
}

/// An operand in another memory than its MatmulType names.
pub(super) fn misplaced(call: &str, operand: &str, at: &MatmulOperand, position: u8) -> Option<Raise> {
    const GM: u8 = 0;
    let (is_gm, wants_gm) = (at.place == MatmulPlace::Gm as u8, position == GM);
    if is_gm == wants_gm || at.place == MatmulPlace::Scalar as u8 {
        return None;
    }
    let text = |gm: bool| if gm { "a GlobalTensor" } else { "a LocalTensor" };
    Some(
        wrong(FaultClass::Argument, call, "the operand is not where the object expects it")
            .operand(operand)
            .expected(format!("{}, as the TPosition of its MatmulType says", text(wants_gm)))
            .got(text(is_gm))
            .fix("change the TPosition of the MatmulType, or copy the operand"),
    )
}

/// An operand that is to be transposed and whose MatmulType does not say so.
pub(super) fn not_transposed(call: &str, operand: &str) -> Raise {
    wrong(FaultClass::Argument, call, "the matrix is to be transposed, and its MatmulType does not allow it")
        .silent()
        .operand(operand)
        .expected("MatmulType<position, format, type, true>")
        .got("isTranspose = true for a MatmulType without it")
        .fix("set the fourth argument of the MatmulType; without it the device gives wrong results")
}

/// What a tiling has to satisfy for its buffers (TCubeTiling page).
pub(super) fn tiling(o: &MatmulObject) -> Option<Raise> {
    let t = &o.tiling;
    let broken = |what: &str, expected: String, got: String| {
        let fix = "take the tiling of MatmulApiTiling::GetTiling, or change SetFixSplit";
        Some(
            wrong(FaultClass::Tiling, "Init", what)
                .silent()
                .operand("TCubeTiling")
                .expected(expected)
                .got(got)
                .fix(fix),
        )
    };
    let fields = [("baseM", t.base[0]), ("baseN", t.base[1]), ("baseK", t.base[2])];
    let singles = [("singleCoreM", t.single[0]), ("singleCoreN", t.single[1]), ("singleCoreK", t.single[2])];
    if let Some((name, value)) = fields.iter().chain(&singles).find(|(_, value)| *value <= 0) {
        return broken("a size of the tiling is not positive", format!("{name} of at least 1"), value.to_string());
    }
    let [m, n, k] = t.base.map(|v| v as usize);
    for (name, value) in [("baseM", m), ("baseN", n)] {
        // A vector has one row.
        if value % FRACTAL != 0 && o.types.a.format != 7 {
            return broken(
                "a base block is not made of whole fractals",
                format!("{name}: a multiple of 16"),
                value.to_string(),
            );
        }
    }
    let bytes = |dtype: Dtype, n: usize| if dtype == Dtype::I4 { n / 2 } else { n * dtype.size() };
    let times = |v: i32| v.max(1) as usize;
    let (a, b) = (bytes(o.types.a.dtype(), m * k), bytes(o.types.b.dtype(), n * k));
    let buffers = [
        ("L0A", "baseM * baseK * sizeof(A) * dbL0A", a * times(t.double[0]), L0),
        ("L0B", "baseN * baseK * sizeof(B) * dbL0B", b * times(t.double[1]), L0),
        ("L0C", "baseM * baseN * 4 * dbL0C", m * n * 4 * times(t.double[2]), L0C),
        ("L1", "depthA1 and depthB1 base blocks", a * times(t.depth[0]) + b * times(t.depth[1]), L1),
    ];
    let (buffer, formula, got, limit) = buffers.into_iter().find(|(.., got, limit)| got > limit)?;
    broken(
        &format!("a base block does not fit {buffer}"),
        format!("{formula} of at most {limit} bytes"),
        format!("{got} bytes with base {m} x {n} x {k}"),
    )
}

/// The part of one core is larger than the matrix that it is a part of.
pub(super) fn shape(o: &MatmulObject) -> Option<Raise> {
    let k = o.org.ka.max(o.org.kb);
    let axes = [("M", o.single[0], o.org.m), ("N", o.single[1], o.org.n), ("K", o.single[2], k)];
    let (axis, single, org) = axes.into_iter().find(|(_, single, org)| single > org)?;
    Some(
        wrong(FaultClass::Tiling, "Iterate", "the part of one core is larger than the whole matrix")
            .silent()
            .operand(format!("singleCore{axis}"))
            .expected(format!("at most {axis} = {org}"))
            .got(single.to_string())
            .fix("call SetSingleShape (SetTail) on the core with the rest, or SetOrgShape where the matrix is another one"),
    )
}

/// A bias that the tiling has no room for, or none where it counts on one.
pub(super) fn bias(o: &MatmulObject) -> Option<Raise> {
    if o.bias.is_none() || o.tiling.is_bias {
        return None;
    }
    Some(
        wrong(FaultClass::Tiling, "SetBias", "the tiling has no bias")
            .silent()
            .operand("isBias")
            .expected("1 in TCubeTiling, where SetBias is called")
            .got("0")
            .fix("call EnableBias(true) before GetTiling"),
    )
}

/// Sums on top of L0C, where it holds one block only.
pub(super) fn partial_sum(o: &MatmulObject) -> Option<Raise> {
    if o.blocks() == 1 {
        return None;
    }
    let [m, n, _] = o.single;
    Some(
        wrong(FaultClass::Argument, "Iterate", "sums of several blocks on top of each other")
            .operand("enPartialSum")
            .expected("singleCoreM <= baseM and singleCoreN <= baseN")
            .got(format!("{m} x {n} with base {} x {}", o.base(0), o.base(1)))
            .fix("set the single shape to one block with SetSingleShape, or add the products up outside"),
    )
}

/// The workspace of an asynchronous Iterate.
pub(super) fn workspace(o: &MatmulObject) -> Option<Raise> {
    let need = o.blocks() * o.base(0) * o.base(1) * o.types.c.dtype().size();
    let raise = wrong(FaultClass::Argument, "Iterate", "an asynchronous Iterate keeps its results in a workspace")
        .operand("workspace")
        .expected(format!("SetWorkspace with {need} bytes before Iterate<false>"))
        .fix("call SetWorkspace with a part of the user's workspace, and ask for it in the tiling function");
    match &o.workspace {
        None => Some(raise.got("no SetWorkspace")),
        Some(at) if at.bytes > 0 && (at.bytes as usize) < need => Some(raise.got(format!("{} bytes", at.bytes))),
        Some(_) => None,
    }
}

/// GetTensorC without a block to get.
#[cold]
pub(super) fn nothing_to_get() -> Raise {
    wrong(FaultClass::Argument, "GetTensorC", "there is no block to get")
        .expected("one GetTensorC for every Iterate that returned true")
        .got("no Iterate before it")
        .fix("call it inside of `while (mm.Iterate())`")
}

/// Another object takes the cube core before End of the one that used it.
#[cold]
pub(super) fn not_ended(call: &str, first: &str) -> Raise {
    wrong(FaultClass::Leak, call, "another object has not been ended")
        .silent()
        .expected("End of the object that was used before")
        .got(format!("no End after its call{first}"))
        .fix("call End when the results of an object are there: the objects share the buffers of the cube core")
}

/// WaitIterateAll without what it waits for.
#[cold]
pub(super) fn nothing_to_wait_for() -> Raise {
    wrong(FaultClass::Event, "WaitIterateAll", "there is nothing to wait for")
        .expected("IterateAll<false>(…, waitIterateAll = true) before it")
        .got("none that has not been waited for")
        .fix("pass true as the fourth argument of IterateAll<false>; the device hangs here")
}

/// A combination that is not modelled.
#[cold]
pub(super) fn several_in_a_row(o: &MatmulObject) -> Option<Raise> {
    (o.blocks() > 1).then(|| Raise::unsupported(Pipe::S, "IterateAll with enSequentialWrite and several blocks"))
}

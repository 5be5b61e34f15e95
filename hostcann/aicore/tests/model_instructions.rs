//! The timing model's instructions against the maker's documented intervals and published fits.
//!
//! A fit is `k * elements + b` cycles a call, here as cycles a repeat of 256 bytes and `b`. It averages calls with and
//! without bank conflicts, so that the interval of an instruction with two sources lies between the two.

use aicore::{
    CoreSpec, Engine, KernelFn, Launch, Switches, Watch,
    abi::{CopyIns, CopyKind, Direction, Dtype, Form, Opcode, Operand, VecIns},
    model::{Conflict, ConflictKind, Model, OpKind, ParamFile, Params, Recording, Replay},
};
use std::{
    ffi::c_void,
    path::Path,
    sync::{Arc, Mutex},
};

fn params() -> Params {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../soc/timing/model.toml");
    let file: ParamFile = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap()
}

/// Issues the instructions of a list.
unsafe extern "C-unwind" fn issue(args: *const *mut c_void) {
    // SAFETY: the launch below passes a pointer to such a list.
    let list = unsafe { &*(*args as *const Vec<VecIns>) };
    // SAFETY: this runs on a core, as a kernel.
    list.iter().for_each(|ins| unsafe { aicore::abi::aic_vector(ins) });
}

/// Issues the copies of a list.
unsafe extern "C-unwind" fn copy(args: *const *mut c_void) {
    // SAFETY: the launch below passes a pointer to such a list.
    let list = unsafe { &*(*args as *const Vec<CopyIns>) };
    // SAFETY: this runs on a core, as a kernel.
    list.iter().for_each(|ins| unsafe { aicore::abi::aic_copy(ins) });
}

/// Cycles of every instruction.
fn cycles(list: &Vec<VecIns>) -> Vec<f64> {
    cycles_of(issue, std::ptr::from_ref(list).cast_mut().cast())
}

fn cycles_of(kernel: KernelFn, list: *mut c_void) -> Vec<f64> {
    replayed(kernel, list).1
}

/// Conflicts, and cycles of every instruction.
fn replayed(kernel: KernelFn, list: *mut c_void) -> (Vec<Conflict>, Vec<f64>) {
    let found = Arc::new(Mutex::new(None::<Recording>));
    let into = found.clone();
    let watch: Arc<dyn Watch> = Arc::new(Model::new(move |r| *into.lock().unwrap() = Some(r)));
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let args = [list];
    engine.run(&Launch { watch: &[watch], ..Launch::new(kernel, "instructions", 0, 1, &args) }).unwrap();
    let recording = found.lock().unwrap().take().unwrap();
    let time = recording.replay(&params(), &Replay { trace: Some(vec![]), ..Replay::default() }).unwrap();
    let ops = time.core[0].ops.iter().filter(|o| matches!(o.kind, OpKind::Vector { .. } | OpKind::Copy { .. }));
    (time.conflicts.clone(), ops.map(|o| o.end - o.start).collect())
}

const DST: u32 = 128 << 10;
const SRC0: u32 = 0;
/// Half of the bank groups away from the first source, and in the same groups.
const APART: u32 = (64 << 10) + 256;
const TOGETHER: u32 = 64 << 10;

fn at(addr: u32) -> Operand {
    Operand::new(addr, 32 << 10)
}

fn instruction(op: Opcode, dtype: Dtype, stype: Dtype, repeats: u32, src1: u32) -> VecIns {
    use Opcode::*;
    let lanes = 256 / dtype.size().max(stype.size()) as u32;
    let bits = VecIns {
        opcode: op as u16,
        dtype: dtype as u8,
        stype: stype as u8,
        form: Form::MaskBits as u8,
        repeat: repeats as u8,
        dst: at(DST),
        src: [at(SRC0), at(src1), at(src1)],
        mask: [u64::MAX; 2],
        rep: [dtype.size(), stype.size(), stype.size(), stype.size()].map(|s| (lanes as usize * s / 32) as u16),
        ..VecIns::default()
    };
    match op {
        Select => VecIns { mode: 2, src: [at(DST + (32 << 10)), at(SRC0), at(src1)], ..bits },
        Gather => VecIns { form: Form::Count as u8, count: repeats * 256 / dtype.size() as u32, ..bits },
        GatherMask => VecIns { mode: 1, count: repeats, ..bits },
        WholeReduceMax | WholeReduceMin | WholeReduceSum | BlockReduceMax | BlockReduceMin | PairReduceSum => {
            VecIns { count: repeats, rep: [1, 8, 0, 0], ..bits }
        }
        Power | Erf | Sigmoid | Sign | Tanh => {
            VecIns { form: Form::Count as u8, count: repeats * lanes, mask: [0; 2], ..bits }
        }
        _ => bits,
    }
}

/// Cycles a repeat and cycles a call.
fn line(op: Opcode, dtype: Dtype, stype: Dtype, src1: u32) -> (f64, f64) {
    let of = |repeats| instruction(op, dtype, stype, repeats, src1);
    // Behind another one, so that both follow at once.
    let [_, short, long] = cycles(&vec![of(8), of(8), of(40)])[..] else { panic!("{op:?}: not three instructions") };
    let slope = (long - short) / 32.0;
    (slope, short - 8.0 * slope)
}

fn within(part: f64, got: f64, want: f64) -> bool {
    (got - want).abs() <= part * want
}

use Dtype::{F16, F32, I32, I64, U8, U16, U32};
use Opcode::*;

/// One source: documented interval, fitted fixed part.
#[test]
fn one_source() {
    let rows: [(Opcode, Dtype, Dtype, f64, f64); 62] = [
        (Abs, F16, F16, 1.0, 20.02),
        (Abs, F32, F32, 1.0, 20.06),
        (Adds, F16, F16, 1.0, 22.09),
        (Adds, F32, F32, 1.0, 22.09),
        (BlockReduceMax, F16, F16, 7.0, 18.00),
        (BlockReduceMax, F32, F32, 1.0, 16.74),
        (BlockReduceMin, F16, F16, 7.0, 18.01),
        (BlockReduceMin, F32, F32, 1.0, 16.74),
        (Brcb, F16, F16, 1.0, 13.06),
        (Brcb, F32, F32, 1.0, 13.07),
        (Cast, F32, F16, 1.0, 20.12),
        (Cast, F16, F32, 1.0, 20.44),
        (Cast, U8, F16, 1.0, 19.94),
        (Cast, F16, U8, 1.0, 46.51),
        (Cast, I32, I64, 2.0, 18.87),
        (Copy, F16, F16, 1.0, 13.00),
        (Copy, F32, F32, 1.0, 13.00),
        (CompareScalar, F16, F16, 1.0, 21.92),
        (CompareScalar, F32, F32, 1.0, 21.97),
        (Duplicate, F16, F16, 1.0, 17.00),
        (Duplicate, F32, F32, 1.0, 17.00),
        (Exp, F16, F16, 4.0, 28.01),
        (Exp, F32, F32, 2.0, 28.04),
        (Gather, F16, F16, 25.6, 17.02),
        (Gather, F32, F32, 12.8, 15.00),
        (GatherMask, F16, F16, 2.0, 14.02),
        (GatherMask, F32, F32, 2.0, 14.02),
        (Maxs, F16, F16, 1.0, 20.09),
        (Maxs, F32, F32, 1.0, 20.09),
        (Mins, F16, F16, 1.0, 20.09),
        (Mins, F32, F32, 1.0, 20.09),
        (Muls, F16, F16, 1.0, 23.10),
        (Muls, F32, F32, 1.0, 23.10),
        (PairReduceSum, F16, F16, 7.0, 37.16),
        (PairReduceSum, F32, F32, 7.0, 36.96),
        (Reciprocal, F16, F16, 1.0, 21.01),
        (Reciprocal, F32, F32, 1.0, 21.06),
        (Relu, F16, F16, 1.0, 20.02),
        (Relu, F32, F32, 1.0, 20.02),
        (Rsqrt, F16, F16, 1.0, 21.10),
        (Rsqrt, F32, F32, 1.0, 21.10),
        (Sqrt, F16, F16, 4.0, 29.01),
        (Sqrt, F32, F32, 2.0, 29.00),
        (WholeReduceMax, F16, F16, 7.0, 21.00),
        (WholeReduceMax, F32, F32, 7.0, 20.01),
        (WholeReduceMin, F16, F16, 7.0, 21.01),
        (WholeReduceMin, F32, F32, 7.0, 20.01),
        (WholeReduceSum, F16, F16, 7.0, 35.00),
        (WholeReduceSum, F32, F32, 7.0, 32.00),
        // High-level functions: no document has their interval, this is the fit's.
        (Erf, F16, F16, 89.55, 478.42),
        (Erf, F32, F32, 38.64, 458.29),
        (Power, F16, F16, 85.08, 2516.53),
        (Power, F32, F32, 42.18, 732.58),
        (Sigmoid, F16, F16, 12.94, 116.04),
        (Sigmoid, F32, F32, 8.04, 115.97),
        (Sign, F16, F16, 10.94, 119.08),
        (Sign, F32, F32, 10.89, 119.07),
        (Tanh, F16, F16, 25.29, 181.69),
        (Tanh, F32, F32, 10.05, 153.93),
        // Without a fit: the document alone, and the fixed part of the model's own table.
        (Ln, F16, F16, 4.0, 28.0),
        (Ln, F32, F32, 2.0, 28.0),
        (Gatherb, U32, U32, 3.05, 15.0),
    ];
    for (op, dtype, stype, ii, fixed) in rows {
        let (slope, own) = line(op, dtype, stype, APART);
        // Gather has no form under a mask, and this part belongs to the other form.
        let own = if op == Gather { own - params().vector_count_next } else { own };
        let what = format!("{op:?}<{dtype:?}, {stype:?}>");
        assert!(within(0.05, slope, ii), "{what}: {slope} cycles a repeat, expected {ii}");
        assert!(within(0.05, own, fixed), "{what}: {own} cycles a call, expected {fixed}");
    }
}

/// A copy inside of the unified buffer: fitted as Ub2ub, 0.97 cycles for 256 bytes and 11.64 a call.
#[test]
fn copies_inside_the_unified_buffer() {
    for dtype in [F16, F32] {
        let of = |repeats: u32| CopyIns {
            direction: Direction::UbToUb as u8,
            kind: CopyKind::Count as u8,
            dtype: dtype as u8,
            block_len: 256 * repeats,
            ub: at(DST),
            ub_src: at(SRC0),
            ..CopyIns::default()
        };
        let list = vec![of(8), of(40)];
        let [short, long] = cycles_of(copy, std::ptr::from_ref(&list).cast_mut().cast())[..] else {
            panic!("{dtype:?}")
        };
        let slope = (long - short) / 32.0;
        assert!(within(0.05, slope, 0.97), "{dtype:?}: {slope} cycles a repeat");
        assert!(within(0.05, short - 8.0 * slope, 11.64), "{dtype:?}: {short} cycles");
    }
}

/// Two sources: the documented interval where they lie apart, twice that where they share their bank groups; the fit's
/// average in between. Compare has been measured in both places.
#[test]
fn two_sources() {
    let rows: [(Opcode, Dtype, f64, f64, [f64; 2]); 19] = [
        (Add, F16, 1.0, 22.22, [1.32; 2]),
        (Add, F32, 1.0, 23.22, [1.32; 2]),
        (And, U16, 1.0, 17.14, [1.37; 2]),
        (Compare, F16, 1.0, 21.03, [1.04, 1.98]),
        (Compare, F32, 1.0, 21.03, [1.00, 1.98]),
        (Div, F16, 4.0, 29.12, [5.89; 2]),
        (Div, F32, 2.0, 29.09, [2.91; 2]),
        (Max, F16, 1.0, 20.12, [1.42; 2]),
        (Max, F32, 1.0, 20.13, [1.38; 2]),
        (Min, F16, 1.0, 20.11, [1.42; 2]),
        (Min, F32, 1.0, 20.13, [1.38; 2]),
        (Mul, F16, 1.0, 23.12, [1.41; 2]),
        (Mul, F32, 1.0, 23.23, [1.32; 2]),
        (Or, U16, 1.0, 12.40, [1.69; 2]),
        (Select, F16, 1.0, 45.97, [1.51; 2]),
        (Select, F32, 1.0, 43.99, [1.47; 2]),
        (Sub, F16, 1.0, 22.12, [1.37; 2]),
        (Sub, F32, 1.0, 22.13, [1.36; 2]),
        (FusedMulAdd, F32, 1.0, 23.2, [1.5; 2]),
    ];
    for (op, dtype, ii, fixed, [free, hit]) in rows {
        let (slope, own) = line(op, dtype, dtype, APART);
        let (twice, same) = line(op, dtype, dtype, TOGETHER);
        let what = format!("{op:?}<{dtype:?}>");
        assert!(
            within(0.05, slope, ii) && within(0.05, twice, 2.0 * ii),
            "{what}: {slope} and {twice} cycles a repeat"
        );
        assert!(within(0.05, own, fixed) && own == same, "{what}: {own} and {same} cycles a call, expected {fixed}");
        assert!(slope <= 1.05 * free && hit <= 1.1 * twice, "{what}: the fit's {free} and {hit}");
    }
}

/// The measured cases of asc-devkit's sample `bank_conflict_ub`: 1000 Adds of 64 repeats by a counter of 50 MHz, at 1.8 GHz.
#[test]
fn measured_conflicts() {
    let add = |src0: u32, src1: u32, dst: u32, src0_strides: (u16, u16)| VecIns {
        dst: at(dst),
        src: [at(src0), at(src1), at(0)],
        blk: [1, src0_strides.0, 1, 1],
        rep: [8, src0_strides.1, 8, 8],
        ..instruction(Add, F32, F32, 64, src1)
    };
    let dense = (1, 8);
    let rows = [
        (add(0, 0x10100, 0x20000, dense), 2390.0, 0.01),
        (add(0, 0x4000, 0x10000, dense), 4167.0, 0.01),
        (add(0, 0x10000, 0x14100, dense), 4167.0, 0.01),
        (add(0, 0x10100, 0x4000, dense), 2389.0, 0.01),
        (add(0, 0x10100, 0x4020, dense), 3751.0, 0.01),
        (add(0, 0x10100, 0x10100, dense), 2390.0, 0.01),
        // Half of the repeats meet; it takes a third more than that.
        (add(0, 0x10100, 0x10100, (0, 1)), 3584.0, 0.09),
        (add(0, 0x10100, 0x10100, (0, 8)), 2389.0, 0.01),
    ];
    let got = cycles(&rows.iter().map(|r| r.0).collect());
    for ((i, (_, ticks, part)), got) in rows.iter().enumerate().zip(got) {
        let want = ticks * 0.02 * 1.8;
        assert!(within(*part, got, want), "scenario {}: {got} cycles, measured {want}", i + 1);
    }
}

/// asc-devkit's sample `bank_conflict_nd2nz`: the eight blocks of a repeat written to one bank group.
#[test]
fn blocks_that_meet_each_other() {
    let dense = instruction(Copy, F16, F16, 40, APART);
    let strided = VecIns { blk: [16, 1, 1, 1], rep: [1, 8, 8, 8], ..dense };
    let got = cycles(&vec![dense, strided]);
    assert_eq!(got, [13.0 + 40.0, 13.0 + 8.0 * 40.0]);
}

/// What is printed of a conflict: its kind, and the operands with their addresses.
fn conflict(ins: VecIns) -> (ConflictKind, [(&'static str, u32); 2]) {
    let list = vec![ins];
    let (conflicts, _) = replayed(issue, std::ptr::from_ref(&list).cast_mut().cast());
    let [found] = &conflicts[..] else { panic!("{conflicts:?}") };
    (found.kind, found.operands)
}

#[test]
fn a_conflict_names_the_operands_that_meet() {
    use ConflictKind::{ReadRead, ReadWrite, Stride};
    let copy = instruction(Copy, F16, F16, 40, APART);
    let (src, dst) = (("src", SRC0), ("dst", DST));
    // Blocks of a repeat 512 bytes apart are in one bank group: where they are written, read, or both.
    let blk = |dst, src| VecIns { blk: [dst, src, 1, 1], rep: [1, 1, 8, 8], ..copy };
    assert_eq!(conflict(blk(16, 1)), (Stride, [dst, dst]));
    assert_eq!(conflict(blk(1, 16)), (Stride, [src, src]));
    assert_eq!(conflict(blk(16, 16)), (Stride, [dst, src]));
    assert_eq!(conflict(blk(16, 8)), (Stride, [dst, dst]), "four of the source's meet, eight of the destination's");
    let add = |src0: u32, src1: u32, dst: u32| VecIns {
        dst: at(dst),
        src: [at(src0), at(src1), at(0)],
        ..instruction(Add, F32, F32, 64, src1)
    };
    let second = |stride| VecIns { blk: [1, 1, stride, 1], rep: [8, 8, 1, 8], ..add(0, 0x10100, 0x20000) };
    assert_eq!(conflict(second(16)), (Stride, [("src1", 0x10100); 2]));
    assert_eq!(conflict(add(0, 0x4000, 0x20000)), (ReadRead, [("src0", 0), ("src1", 0x4000)]));
    // Out of step in the bank of either source.
    assert_eq!(conflict(add(0, 0x10100, 0x4020)), (ReadWrite, [("dst", 0x4020), ("src0", 0)]));
    assert_eq!(conflict(add(0, 0x10100, 0x14120)), (ReadWrite, [("dst", 0x14120), ("src1", 0x10100)]));
}

//! Each rule with a broken sequence and its right twin, on a core without a kernel.

use super::*;
use crate::{
    base::{
        fault::FaultClass::*,
        ins::{CmpMode, CopyKind, Direction, Dtype, Form, SelMode, VecIns},
        switches::Switches,
    },
    machine::{
        atomic::Atomic,
        core::{Core, event_code},
        mte,
        task_type::Place,
    },
    testkit::spec,
};

type R = Result<(), Raise>;

/// Blocks of the unified buffer, one TBuf each.
const X: u32 = 0;
const Y: u32 = 4096;
const Z: u32 = 8192;
const M: u32 = 12288;

#[repr(align(64))]
struct Memory([u8; 4096]);

struct Kit {
    core: Core,
    launch: Arc<LaunchRecord>,
    gm: Box<Memory>,
}

impl Kit {
    fn new() -> Kit {
        Kit::with(LaunchInfo::default())
    }

    fn strict() -> Kit {
        let options = Options { strict: true, ..Options::default() };
        Kit::with(LaunchInfo { options, ..LaunchInfo::default() })
    }

    fn without_auto_sync() -> Kit {
        let options = Options { auto_sync: false, ..Options::default() };
        Kit::with(LaunchInfo { options, ..LaunchInfo::default() })
    }

    fn with(info: LaunchInfo) -> Kit {
        let launch = Arc::new(LaunchRecord::new(info, "k", 1));
        Kit::on(launch, Box::new(Memory([0; 4096])), 0)
    }

    /// One input of 1000 bytes, one output of 1000 bytes at 2048, never written.
    fn with_extents(blocks: u32) -> Kit {
        let gm = Box::new(Memory([0; 4096]));
        let base = gm.0.as_ptr() as usize;
        let shadow = Shadow::new(1000);
        let info = LaunchInfo {
            extents: vec![
                Extent { base, bytes: 1000, name: "input 0 x1".into(), role: Role::Input },
                Extent { base: base + 2048, bytes: 1000, name: "output 0 y".into(), role: Role::PartOutput },
            ],
            shadows: vec![(base + 2048, Arc::new(shadow))],
            ..LaunchInfo::default()
        };
        Kit::on(Arc::new(LaunchRecord::new(info, "k", blocks)), gm, 0)
    }

    fn on(launch: Arc<LaunchRecord>, gm: Box<Memory>, block: u32) -> Kit {
        let mut core = Core::new(Arc::new(spec()), Switches::default());
        core.reset("k", Place { blocks: block + 1, core: block, ..Place::default() }, 0);
        let ub = core.machine.ub_at(0);
        let entry = Kit::on as *const () as usize;
        let block = Block { kernel: "k", index: block, blocks: 1, tiling_key: 0, spec: &spec(), args: &[], ub, entry };
        core.observation.observers.push(Box::new(Checker::new(launch.clone(), &block)));
        let mut k = Kit { core, launch, gm };
        k.core.pipe_open(1).unwrap();
        for _ in 0..4 {
            k.core.tbuf_init(4096).unwrap();
        }
        k
    }

    fn ins(op: Opcode, t: Dtype, dst: u32, src: [u32; 3], count: u32) -> VecIns {
        let o = |addr| Operand::new(addr, 4096);
        VecIns {
            opcode: op as u16,
            dtype: t as u8,
            stype: t as u8,
            count,
            dst: o(dst),
            src: src.map(o),
            ..VecIns::default()
        }
    }

    fn add(&mut self, dst: u32, a: u32, b: u32, n: u32) -> R {
        self.core.issue(&Kit::ins(Opcode::Add, Dtype::F32, dst, [a, b, 0], n))
    }

    fn fill(&mut self, dst: u32, n: u32) -> R {
        self.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::F32, dst, [0; 3], n))
    }

    fn copy_of(&self, direction: Direction, gm: usize, ub: u32, bytes: u32) -> CopyIns {
        CopyIns {
            direction: direction as u8,
            kind: CopyKind::Pad as u8,
            dtype: Dtype::F32 as u8,
            block_len: bytes,
            gm: (self.gm.0.as_ptr() as usize).wrapping_add(gm) as *mut _,
            ub: Operand::new(ub, 4096),
            ..CopyIns::default()
        }
    }

    fn copy_in(&mut self, ub: u32, gm: usize, bytes: u32) -> R {
        let ins = self.copy_of(Direction::GmToUb, gm, ub, bytes);
        mte::execute(&mut self.core, &ins)
    }

    fn copy_out(&mut self, gm: usize, ub: u32, bytes: u32) -> R {
        let ins = self.copy_of(Direction::UbToGm, gm, ub, bytes);
        mte::execute(&mut self.core, &ins)
    }

    fn sync(&mut self, event: &str) {
        self.core.set_flag(event_code(event), 0).unwrap();
        self.core.wait_flag(event_code(event), 0).unwrap();
    }

    fn barrier(&mut self, pipe: Pipe) {
        self.core.barrier(pipe as u32).unwrap();
    }

    fn get(&mut self, ub: u32) -> R {
        self.core.ub_scalar(Operand::new(ub, 4), 0, 4, false).map(drop)
    }

    fn set(&mut self, ub: u32) -> R {
        self.core.ub_scalar(Operand::new(ub, 4), 0, 4, true).map(drop)
    }

    fn gm_scalar(&mut self, gm: usize, access: GmAccess) -> R {
        let at = (self.gm.0.as_ptr() as usize).wrapping_add(gm);
        self.core.gm_scalar(at, 4, access)
    }

    fn dcci(&mut self, gm: usize) {
        let at = self.gm.0.as_ptr() as usize + gm;
        self.core.clean_cache(Some(at)).unwrap();
    }
}

/// The text holds every part.
#[track_caller]
fn finds(r: R, class: FaultClass, parts: &[&str]) {
    let e = r.expect_err("no finding");
    let text = format!("{}: {} {:?} {} {} {} {}", e.pipe, e.instruction, e.operand, e.what, e.expected, e.got, e.fix);
    assert_eq!(e.class, class, "{text}");
    for p in parts {
        assert!(text.contains(p), "{p} is not in: {text}");
    }
}

#[test]
fn copy_in_then_compute_needs_mte2_v() {
    let mut k = Kit::new();
    k.copy_in(X, 0, 256).unwrap();
    let parts = ["V: Add<float>", "src0", "UB bytes 0 to 256", "DataCopyPad<float> GM->UB writes", "HardEvent::MTE2_V"];
    k.copy_in(Y, 0, 256).unwrap();
    finds(k.add(Z, X, Y, 64), Race, &parts);
    k.sync("MTE2_V");
    k.add(Z, X, Y, 64).unwrap();
    // And back: the copy must not overwrite what V still reads.
    finds(k.copy_in(X, 0, 256), Race, &["MTE2: ", "Add<float> reads", "HardEvent::V_MTE2"]);
    k.sync("V_MTE2");
    k.copy_in(X, 0, 256).unwrap();
}

#[test]
fn compute_then_copy_out_needs_v_mte3_and_mte3_v() {
    let mut k = Kit::new();
    k.fill(X, 64).unwrap();
    finds(k.copy_out(0, X, 256), Race, &["MTE3: ", "Duplicate<float> writes", "HardEvent::V_MTE3"]);
    k.sync("V_MTE3");
    k.copy_out(0, X, 256).unwrap();
    finds(k.add(X, Z, Z, 64), Race, &["V: Add<float>", "UB->GM reads", "HardEvent::MTE3_V"]);
    // Other bytes have nothing to wait for.
    k.fill(Y, 64).unwrap();
    k.sync("MTE3_V");
    k.fill(X, 64).unwrap();
}

#[test]
fn a_copy_kernel_needs_mte2_mte3_and_mte3_mte2() {
    let mut k = Kit::new();
    k.copy_in(X, 0, 256).unwrap();
    finds(k.copy_out(1024, X, 256), Race, &["HardEvent::MTE2_MTE3"]);
    k.sync("MTE2_MTE3");
    k.copy_out(1024, X, 256).unwrap();
    finds(k.copy_in(X, 0, 256), Race, &["HardEvent::MTE3_MTE2"]);
    // One missing event is one finding.
    k.copy_in(Y, 1024, 256).unwrap();
    k.barrier(Pipe::MTE2);
    k.sync("MTE2_MTE3");
    k.barrier(Pipe::MTE3);
    // A round trip through global memory as well.
    k.copy_out(1024, X, 256).unwrap();
    finds(k.copy_in(Y, 1024, 256), Race, &["GM bytes", "HardEvent::MTE3_MTE2"]);
    k.sync("MTE3_MTE2");
    k.copy_in(Y, 1024, 256).unwrap();
}

#[test]
fn copies_of_one_pipe_to_one_place_need_its_barrier() {
    let mut k = Kit::new();
    k.copy_in(X, 0, 256).unwrap();
    finds(k.copy_in(X, 512, 64), Race, &["PipeBarrier<PIPE_MTE2>()"]);
    k.barrier(Pipe::MTE2);
    k.copy_in(X, 512, 64).unwrap();
    k.sync("MTE2_MTE3");
    k.copy_out(1024, X, 256).unwrap();
    finds(k.copy_out(1248, X, 64), Race, &["GM bytes", "PipeBarrier<PIPE_MTE3>()"]);
    k.copy_out(1280, X, 64).unwrap();
    k.barrier(Pipe::MTE3);
    k.copy_out(1248, X, 64).unwrap();
}

#[test]
fn vector_after_vector_is_the_compilers_unless_switched_off() {
    let mut k = Kit::new();
    k.fill(X, 64).unwrap();
    k.add(Y, X, X, 64).unwrap();
    k.fill(X, 64).unwrap();
    let mut k = Kit::without_auto_sync();
    k.fill(X, 64).unwrap();
    finds(k.add(Y, X, X, 64), Race, &["Duplicate<float> writes", "PipeBarrier<PIPE_V>()"]);
    k.barrier(Pipe::V);
    k.add(Y, X, X, 64).unwrap();
    finds(k.add(X, Z, Z, 64), Race, &["Add<float> reads", "PipeBarrier<PIPE_V>()"]);
    k.sync("V_V");
    k.fill(X, 64).unwrap();
}

#[test]
fn scalar_accesses_are_ordered_by_the_compiler_as_far_as_they_conflict() {
    let mut k = Kit::new();
    k.copy_in(X, 0, 256).unwrap();
    k.get(X).unwrap();
    k.set(X).unwrap();
    // The wait for the copy held back everything behind it.
    k.add(Z, X, X, 64).unwrap();
    k.copy_in(Y, 0, 256).unwrap();
    k.get(X).unwrap();
    finds(k.add(Z, Y, Y, 64), Race, &["HardEvent::MTE2_V"]);
    let mut k = Kit::without_auto_sync();
    k.copy_in(X, 0, 256).unwrap();
    finds(k.get(X), Race, &["S: LocalTensor::GetValue", "HardEvent::MTE2_S"]);
    k.sync("MTE2_S");
    k.get(X).unwrap();
    k.set(Y).unwrap();
    k.fill(Z, 64).unwrap();
    finds(k.copy_out(0, Y, 4), Race, &["LocalTensor::SetValue writes", "HardEvent::S_MTE3"]);
    k.sync("S_MTE3");
    k.copy_out(0, Y, 4).unwrap();
}

#[test]
fn the_bytes_decide_not_the_block() {
    let mut k = Kit::without_auto_sync();
    k.fill(X, 4).unwrap();
    k.set(X + 16).unwrap();
    finds(k.get(X + 12), Race, &["UB bytes 12 to 16", "HardEvent::V_S"]);
}

#[test]
fn strided_operands_touch_what_they_touch() {
    let mut k = Kit::new();
    // Blocks 0, 2, 4, … of X.
    let strided = VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        blk: [2, 1, 1, 1],
        repeat: 2,
        rep: [16, 8, 8, 8],
        ..Kit::ins(Opcode::Duplicate, Dtype::F32, X, [0; 3], 0)
    };
    k.core.issue(&strided).unwrap();
    k.copy_in(X + 32, 0, 32).unwrap();
    finds(k.copy_in(X + 64, 0, 32), Race, &["Duplicate<float> writes", "HardEvent::V_MTE2"]);
}

#[test]
fn never_written_bytes_must_not_reach_a_result() {
    let mut k = Kit::new();
    finds(k.get(X), Uninitialized, &["UB byte 0", "nothing wrote since InitBuffer"]);
    finds(k.copy_out(0, X, 64), Uninitialized, &["MTE3", "global memory", "nothing wrote"]);
    k.fill(X, 60).unwrap();
    // A garbage tail may be computed with, but not stored.
    k.add(Y, X, X, 64).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Y, 240).unwrap();
    finds(k.copy_out(512, Y, 256), Uninitialized, &["UB byte 4336", "Add<float> read first"]);
    k.get(Y + 236).unwrap();
    finds(k.get(Y + 240), Uninitialized, &["LocalTensor::GetValue", "UB byte 4336"]);
    k.set(Y + 240).unwrap();
    k.get(Y + 240).unwrap();
}

#[test]
fn each_block_of_brcb_is_as_defined_as_its_element() {
    let mut k = Kit::new();
    k.fill(X, 3).unwrap();
    let brcb = VecIns { form: Form::MaskRegister as u8, ..Kit::ins(Opcode::Brcb, Dtype::F32, Y, [X, 0, 0], 0) };
    k.core.issue(&brcb).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Y, 96).unwrap();
    finds(k.copy_out(512, Y, 128), Uninitialized, &["UB byte 4192", "Brcb<float> read first"]);
}

#[test]
fn definedness_follows_lanes_of_other_sizes() {
    let mut k = Kit::new();
    k.fill(X, 10).unwrap();
    let cast = VecIns { dtype: Dtype::F16 as u8, mode: 1, ..Kit::ins(Opcode::Cast, Dtype::F32, Y, [X, 0, 0], 64) };
    k.core.issue(&cast).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Y, 20).unwrap();
    finds(k.copy_out(512, Y, 24), Uninitialized, &["UB byte 4116", "Cast<half, float> read first"]);
}

/// Elements of T that an instruction leaves defined at `at`, by reading them one after the other.
fn defined(k: &mut Kit, at: u32, size: u32, n: u32) -> Vec<u32> {
    let reads = |k: &mut Kit, i| k.core.ub_scalar(Operand::new(at, 0), i, size, false).is_ok();
    (0..n).filter(|i| reads(k, *i)).collect()
}

#[test]
fn a_tensor_needs_a_buffer() {
    let mut k = Kit::new();
    let fill = |dst| VecIns { dst, ..Kit::ins(Opcode::Duplicate, Dtype::F32, X, [0; 3], 8) };
    finds(k.core.issue(&fill(Operand::default())), BufferBounds, &["V: Duplicate<float>", "dst", "without a buffer"]);
    // Nothing is left of a tensor behind its last element, and that is another finding.
    k.core.issue(&fill(Operand::new(0, 32))).unwrap();
    k.core.issue(&fill(Operand::new(32, 0))).unwrap();
}

#[test]
fn temporary_space_is_no_result() {
    let mut k = Kit::new();
    k.fill(X, 10).unwrap();
    let tan = VecIns { base: 512, ..Kit::ins(Opcode::Tan, Dtype::F32, Y, [X, 0, Z], 64) };
    k.core.issue(&tan).unwrap();
    assert_eq!(defined(&mut k, Y, 4, 64), (0..10).collect::<Vec<_>>());
    assert_eq!(defined(&mut k, Z, 4, 4), []);
}

#[test]
fn a_difference_of_an_integer_and_itself_is_zero() {
    let sub = |t, b| Kit::ins(Opcode::Sub, t, X, [X, b, 0], 64);
    let mut k = Kit::new();
    k.core.issue(&sub(Dtype::I32, Y)).unwrap();
    finds(k.get(X), Uninitialized, &["Sub<int32_t> read first"]);
    k.core.issue(&sub(Dtype::I32, X)).unwrap();
    k.get(X + 252).unwrap();
    // Infinity and NaN give no 0.
    let mut k = Kit::new();
    k.core.issue(&sub(Dtype::F32, X)).unwrap();
    finds(k.get(X), Uninitialized, &[]);
}

#[test]
fn halves_of_a_byte_are_as_defined_as_their_elements() {
    let cast = |to: Dtype, from: Dtype, dst, src| VecIns {
        dtype: to as u8,
        mode: (to == Dtype::I4) as u8,
        ..Kit::ins(Opcode::Cast, from, dst, [src, 0, 0], 128)
    };
    let all = |n: u32| (0..n).collect::<Vec<_>>();
    let mut k = Kit::new();
    // 101 halves: 50 whole bytes and the low half of the next one.
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::F16, X, [0; 3], 101)).unwrap();
    k.core.issue(&cast(Dtype::I4, Dtype::F16, Y, X)).unwrap();
    assert_eq!(defined(&mut k, Y, 1, 64), all(50));
    k.core.issue(&cast(Dtype::F16, Dtype::I4, Z, Y)).unwrap();
    assert_eq!(defined(&mut k, Z, 2, 128), all(101));
    // A masked repeat reaches the lanes it is on for.
    let masked = VecIns {
        form: Form::MaskBits as u8,
        mask: [0xff0f, 0],
        repeat: 1,
        blk: [1; 4],
        ..cast(Dtype::I4, Dtype::F16, M, X)
    };
    k.core.issue(&masked).unwrap();
    assert_eq!(defined(&mut k, M, 1, 64), [0, 1, 4, 5, 6, 7]);
}

#[test]
fn dequantised_columns_are_as_defined_as_their_elements() {
    let mut k = Kit::new();
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::I16, X, [0; 3], 21)).unwrap();
    k.core.machine.deq_scale = Some(1 << 46 | 1f32.to_bits() as u64);
    let dequant =
        |n| VecIns { dtype: Dtype::I8 as u8, mode: 0, ..Kit::ins(Opcode::CastDequant, Dtype::I16, Y, [X, 0, 0], n) };
    k.core.issue(&dequant(40)).unwrap();
    let want: Vec<u32> = (0..16).chain(32..37).collect();
    assert_eq!(defined(&mut k, Y, 1, 80), want);
}

#[test]
fn masks_are_followed_bit_by_bit_and_select_by_choice() {
    let mut k = Kit::new();
    // 60 of 64 lanes are defined, so is half of the last mask byte.
    k.fill(X, 60).unwrap();
    k.fill(Y, 64).unwrap();
    let compare = VecIns {
        dtype: Dtype::U8 as u8,
        mode: CmpMode::Ge as u8,
        ..Kit::ins(Opcode::Compare, Dtype::F32, M, [X, Y, 0], 64)
    };
    k.core.issue(&compare).unwrap();
    let mode = SelMode::TensorTensor as u8;
    let select = |n| VecIns { mode, ..Kit::ins(Opcode::Select, Dtype::F32, Z, [M, Y, X], n) };
    k.core.issue(&select(64)).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Z, 240).unwrap();
    finds(k.copy_out(512, Z, 256), Uninitialized, &["UB byte 8432", "Compare<uint8_t, float> read first"]);
    // All bits set: the undefined src1 is never taken.
    let mut k = Kit::new();
    k.fill(Y, 64).unwrap();
    let compare = VecIns { src: [Operand::new(Y, 4096); 3], ..compare };
    k.core.issue(&compare).unwrap();
    k.core.issue(&select(64)).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Z, 256).unwrap();
}

#[test]
fn a_select_through_the_register_follows_the_bits_of_its_mask() {
    const NEVER_WRITTEN: u32 = X + 2048;
    for mode in [SelMode::TensorScalar, SelMode::TensorTensor] {
        let mut k = Kit::new();
        k.fill(X, 60).unwrap();
        k.fill(Y, 64).unwrap();
        let compare = VecIns {
            dtype: Dtype::U8 as u8,
            mode: CmpMode::Ge as u8,
            ..Kit::ins(Opcode::Compare, Dtype::F32, M, [X, Y, 0], 64)
        };
        k.core.issue(&compare).unwrap();
        let bits = [M as u64, 0];
        k.core.machine.spr.cmp_mask = bits;
        k.core.observe(Step::CmpMask { bits }).unwrap();
        let select = VecIns {
            mode: mode as u8,
            flags: 2,
            form: Form::MaskCount as u8,
            mask: [64, 0],
            ..Kit::ins(Opcode::Select, Dtype::F32, Z, [M, Y, NEVER_WRITTEN], 0)
        };
        k.core.issue(&select).unwrap();
        k.sync("V_MTE3");
        k.copy_out(0, Z, 240).unwrap();
        finds(k.copy_out(512, Z, 256), Uninitialized, &["UB byte 8432", "Compare<uint8_t, float> read first"]);
    }
}

#[test]
fn reductions_and_gather_offsets_need_values() {
    let mut k = Kit::new();
    k.fill(X, 60).unwrap();
    let sum = |n| Kit::ins(Opcode::ReduceSum, Dtype::F32, Z, [X, Y, 0], n);
    k.core.issue(&sum(60)).unwrap();
    finds(k.core.issue(&sum(64)), Uninitialized, &["ReduceSum<float>", "UB byte 240"]);
    let gather = |n| Kit::ins(Opcode::Gather, Dtype::F32, Z, [X, Y, 0], n);
    finds(k.core.issue(&gather(8)), Uninitialized, &["srcOffset"]);
    let index = VecIns { scalar: 0, ..Kit::ins(Opcode::Duplicate, Dtype::U32, Y, [0; 3], 8) };
    k.core.issue(&index).unwrap();
    k.core.issue(&gather(8)).unwrap();
    k.get(Z).unwrap();
    // The offset is fine, the element behind it is not.
    k.core.issue(&VecIns { scalar: 240, ..index }).unwrap();
    k.core.issue(&gather(8)).unwrap();
    finds(k.get(Z), Uninitialized, &["Gather<float> read first"]);
}

#[test]
fn buffers_may_fill_the_unified_buffer_to_its_last_byte() {
    let mut k = Kit::new();
    k.core.tbuf_init(spec().ub_size as u32 - 4 * 4096).unwrap();
    assert!(k.launch.info.rules.take().is_empty());
    k.core.tbuf_init(32).unwrap();
    let rules = k.launch.info.rules.take();
    assert_eq!(rules.iter().map(|r| r.class).collect::<Vec<_>>(), [BufferSpace]);
}

#[test]
fn a_single_repeat_with_its_index_needs_no_work_buffer() {
    let mut k = Kit::new();
    k.fill(X, 128).unwrap();
    // 32 bytes are left of the buffer: enough for a level, not for two.
    let largest = |n, index| VecIns { flags: index, ..Kit::ins(Opcode::ReduceMax, Dtype::F32, Z, [X, M + 4064, 0], n) };
    k.core.issue(&largest(64, 1)).unwrap();
    finds(k.core.issue(&largest(65, 1)), BufferBounds, &["sharedTmpBuffer", "16352 to 16416"]);
    k.core.issue(&largest(65, 0)).unwrap();
}

#[test]
fn gather_mask_keeps_what_it_takes() {
    let mut k = Kit::new();
    // Even elements of 64, the last four of which are garbage.
    k.fill(X, 60).unwrap();
    let even =
        VecIns { mode: 1, form: Form::MaskRegister as u8, ..Kit::ins(Opcode::GatherMask, Dtype::F32, Y, [X, 0, 0], 1) };
    k.core.issue(&even).unwrap();
    k.get(Y + 29 * 4).unwrap();
    finds(k.get(Y + 30 * 4), Uninitialized, &["GatherMask<float> read first"]);
}

#[test]
fn pads_hold_what_the_page_says() {
    let mut k = Kit::new();
    let pad = CopyIns { left_pad: 2, right_pad: 1, ..k.copy_of(Direction::GmToUb, 0, X, 12) };
    mte::execute(&mut k.core, &pad).unwrap();
    k.barrier(Pipe::ALL);
    k.get(X + 8).unwrap();
    finds(k.get(X), Uninitialized, &["GM->UB read first"]);
    finds(k.get(X + 20), Uninitialized, &[]);
    mte::execute(&mut k.core, &CopyIns { is_pad: 1, ..pad }).unwrap();
    k.barrier(Pipe::ALL);
    for at in [0, 20, 24, 28] {
        k.get(X + at).unwrap();
    }
    // Without pads the rest of the block repeats the first element.
    k.copy_in(Y, 0, 12).unwrap();
    k.get(Y + 28).unwrap();
}

#[test]
fn operands_stay_in_their_buffer() {
    let mut k = Kit::new();
    k.fill(X, 1024).unwrap();
    finds(k.fill(X, 1025), BufferBounds, &["dst", "buffer at bytes 0 to 4096", "bytes 0 to 4100"]);
    finds(k.fill(16384, 1), BufferBounds, &["no buffer"]);
    finds(k.copy_in(Y + 4064, 0, 36), BufferBounds, &["MTE2", "bytes 8160 to 8224"]);
    finds(k.set(20000), BufferBounds, &["SetValue"]);
}

#[test]
fn global_memory_has_bounds() {
    let mut k = Kit::with_extents(1);
    k.copy_in(X, 0, 1000).unwrap();
    // Up to the end of the storage in whole blocks.
    k.copy_in(Y, 0, 1024).unwrap();
    finds(k.copy_in(Z, 1060, 4), GmBounds, &["bytes 1060 to 1064 of input 0 x1, 60 bytes past the end of input 0 x1"]);
    k.barrier(Pipe::ALL);
    k.copy_out(2048, X, 1000).unwrap();
    // One rule for the pad: writes and scalars may end in it, reads may run through the block that aclrtMalloc adds.
    k.barrier(Pipe::ALL);
    k.copy_out(2048 + 996, X, 28).unwrap();
    k.barrier(Pipe::ALL);
    finds(k.copy_out(2048 + 996, X, 32), GmBounds, &["output 0 y", "bytes 996 to 1028", "at most 1024"]);
    k.gm_scalar(2048 + 1020, GmAccess::Write).unwrap();
    finds(k.gm_scalar(2048 + 1024, GmAccess::Write), GmBounds, &["24 bytes past the end of output 0 y"]);
    finds(k.copy_out(0, X, 8), GmBounds, &["only an input", "input 0 x1"]);
    k.copy_in(Z, 992, 64).unwrap();
    finds(k.copy_in(Z, 996, 64), GmBounds, &["bytes 996 to 1060", "at most 1056"]);
    // A scalar behind the last element, still in the pad, is judged where it is used.
    k.gm_scalar(1016, GmAccess::Read).unwrap();
    finds(k.gm_scalar(1100, GmAccess::Read), GmBounds, &["GlobalTensor::GetValue"]);
}

#[test]
fn the_pad_of_a_tensor_may_be_another_one() {
    let mut k = Kit::new();
    let base = k.gm.0.as_ptr() as usize;
    let part = |at, bytes, name: &str| Extent { base: base + at, bytes, name: name.into(), role: Role::PartOutput };
    let info = LaunchInfo { extents: vec![part(0, 40, "a"), part(40, 40, "b")], ..LaunchInfo::default() };
    k = Kit::on(Arc::new(LaunchRecord::new(info, "k", 1)), k.gm, 0);
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    finds(k.copy_out(0, X, 64), GmBounds, &["into another one", "b begins there"]);
    k.copy_out(32, X, 8).unwrap();
}

#[test]
fn garbage_may_land_behind_a_tensor_and_wait_in_a_workspace() {
    let gm = Box::new(Memory([0; 4096]));
    let base = gm.0.as_ptr() as usize;
    let extent = |at, bytes, name: &str, role| Extent { base: base + at, bytes, name: name.into(), role };
    let info = LaunchInfo {
        extents: vec![extent(0, 60, "output 0 y", Role::PartOutput), extent(1024, 64, "workspace", Role::Workspace)],
        shadows: vec![(base, Arc::new(Shadow::new(4096)))],
        ..LaunchInfo::default()
    };
    let mut k = Kit::on(Arc::new(LaunchRecord::new(info, "k", 1)), gm, 0);
    k.fill(X, 15).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, X, 64).unwrap();
    k.copy_out(1024, X, 64).unwrap();
    k.barrier(Pipe::ALL);
    k.copy_in(Y, 1024, 64).unwrap();
    k.barrier(Pipe::ALL);
    k.get(Y + 56).unwrap();
    finds(k.get(Y + 60), Uninitialized, &["GM->UB read first"]);
    finds(k.copy_out(4, Y + 32, 32), Uninitialized, &["UB byte 4156"]);
}

#[test]
fn global_memory_that_nobody_wrote() {
    let mut k = Kit::with_extents(1);
    k.copy_in(X, 2048, 64).unwrap();
    k.barrier(Pipe::ALL);
    finds(k.get(X), Uninitialized, &["GM->UB read first"]);
    finds(k.gm_scalar(2048, GmAccess::Read), Uninitialized, &["GlobalTensor::GetValue"]);
    // The pad behind a tensor is as undefined as the output.
    k.copy_in(Y, 960, 64).unwrap();
    k.barrier(Pipe::ALL);
    k.get(Y + 36).unwrap();
    finds(k.get(Y + 40), Uninitialized, &[]);
    k.fill(Z, 64).unwrap();
    k.barrier(Pipe::ALL);
    k.copy_out(2048, Z, 64).unwrap();
    k.barrier(Pipe::ALL);
    k.copy_in(X, 2048, 64).unwrap();
    k.get(X).unwrap();
}

#[test]
fn atomic_copies_need_something_to_add_to() {
    let mut k = Kit::with_extents(1);
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    k.core.machine.atomic = Atomic::from_codes(1, Dtype::F32 as u32).unwrap();
    finds(k.copy_out(2048, X, 64), Uninitialized, &["atomic copy", "InitOutput"]);
    k.core.machine.atomic = None;
    k.copy_out(2048, X, 64).unwrap();
    k.barrier(Pipe::MTE3);
    k.core.machine.atomic = Atomic::from_codes(1, Dtype::F32 as u32).unwrap();
    k.copy_out(2048, X, 64).unwrap();
}

#[test]
fn atomic_copies_of_one_mode_need_no_order() {
    let mut k = Kit::with_extents(1);
    let mode = |op| Atomic::from_codes(op, Dtype::F32 as u32).unwrap();
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    k.copy_out(2048, X, 128).unwrap();
    // The copy before is none.
    k.core.machine.atomic = mode(1);
    finds(k.copy_out(2048, X, 64), Race, &["PIPE_MTE3"]);
    k.barrier(Pipe::MTE3);
    k.copy_out(2048, X, 64).unwrap();
    k.copy_out(2052, X, 64).unwrap();
    k.copy_out(2048, X, 32).unwrap();
    k.core.machine.atomic = mode(2);
    finds(k.copy_out(2056, X, 64), Race, &["PIPE_MTE3"]);
    k.barrier(Pipe::MTE3);
    k.copy_out(2048, X, 64).unwrap();
    k.core.machine.atomic = None;
    finds(k.copy_out(2048, X, 64), Race, &["PIPE_MTE3"]);
    // Whoever reads the sum waits for the last one.
    k.barrier(Pipe::MTE3);
    k.core.machine.atomic = mode(1);
    k.copy_out(2048, X, 64).unwrap();
    k.copy_out(2048, X, 64).unwrap();
    finds(k.copy_in(Y, 2048, 64), Race, &["HardEvent::MTE3_MTE2"]);
}

#[test]
fn overlap_of_count_forms() {
    let mut k = Kit::new();
    k.fill(X, 256).unwrap();
    k.add(X, X, X, 64).unwrap();
    finds(k.add(X + 32, X, X, 64), Overlap, &["src0", "in part", "dst at UB bytes 32 to 288"]);
    // Half a repeat behind the source, and a repeat before it.
    finds(k.add(X, X, X + 128, 128), Overlap, &["src1", "in part"]);
    finds(k.add(X + 256, X, Y, 128), Overlap, &["src0", "in part"]);
    finds(k.add(X, X, X + 224, 128), Overlap, &["src1", "in part"]);
    // The halving of a reduction: every repeat of the source is read before one of dst lands on it.
    k.add(X, X, X + 256, 128).unwrap();
    k.add(X + 256, X, X, 64).unwrap();
    let widen = |dst| VecIns { stype: Dtype::F16 as u8, ..Kit::ins(Opcode::Cast, Dtype::F32, dst, [X, 0, 0], 64) };
    finds(k.core.issue(&widen(X)), Overlap, &["Cast<float, half>", "another element size"]);
    k.core.issue(&widen(Y)).unwrap();
    // From the end of the buffer: read before it is written over, unless the source starts too early.
    let behind = |src, count| VecIns { src: [Operand::new(src, 4096); 3], count, ..widen(X) };
    k.core.issue(&behind(X + 256, 128)).unwrap();
    assert_eq!(k.launch.info.rules.take().iter().map(|r| r.class).collect::<Vec<_>>(), [Overlap]);
    finds(k.core.issue(&behind(X + 96, 128)), Overlap, &["another element size"]);
    // A narrower result over its source breaks a rule; a block further it overwrites what comes next.
    let narrow = |dst| VecIns { dtype: Dtype::F16 as u8, ..Kit::ins(Opcode::Cast, Dtype::F32, dst, [X, 0, 0], 128) };
    let rules = |k: &Kit| k.launch.info.rules.take().iter().map(|r| r.class).collect::<Vec<_>>();
    k.core.issue(&narrow(Y)).unwrap();
    assert_eq!(rules(&k), []);
    k.core.issue(&narrow(X)).unwrap();
    assert_eq!(rules(&k), [Overlap]);
    finds(k.core.issue(&narrow(X + 32)), Overlap, &["Cast<half, float>", "another element size"]);
    let repeats = |rep| VecIns { form: Form::MaskCount as u8, mask: [64, 0], repeat: 4, blk: [1; 4], rep, ..narrow(X) };
    k.core.issue(&repeats([4, 8, 8, 8])).unwrap();
    assert_eq!(rules(&k), [Overlap]);
    finds(k.core.issue(&repeats([16, 8, 8, 8])), Overlap, &["in part inside one repeat"]);
    let same = VecIns { dtype: Dtype::I32 as u8, mode: 1, ..Kit::ins(Opcode::Cast, Dtype::F32, X, [X; 3], 64) };
    k.core.issue(&same).unwrap();
}

#[test]
fn overlap_across_repeats() {
    let mut k = Kit::new();
    k.fill(X, 512).unwrap();
    let add = |dst, a, b, blk: [u16; 4], rep: [u16; 4]| VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        repeat: 4,
        blk,
        rep,
        ..Kit::ins(Opcode::Add, Dtype::F32, dst, [a, b, 0], 0)
    };
    let dense = [1, 1, 1, 1];
    k.core.issue(&add(X, X, Y, dense, [8; 4])).unwrap();
    finds(k.core.issue(&add(X + 256, X, Y, dense, [8; 4])), Overlap, &["one repeat is the source of the next"]);
    finds(k.core.issue(&add(X + 32, X, Y, dense, [8; 4])), Overlap, &["in part inside one repeat"]);
    finds(k.core.issue(&add(X, X + 32, Y, dense, [8; 4])), Overlap, &["in part inside one repeat"]);
    // Accumulating into src1 is the documented exception, into src0 it is not.
    k.core.issue(&add(X, Y, X, dense, [0, 8, 0, 8])).unwrap();
    finds(k.core.issue(&add(X, X, Y, dense, [0, 0, 8, 8])), Overlap, &["src0", "source of the next"]);
    // It needs a repeat stride of 0.
    finds(k.core.issue(&add(X, Y, X, dense, [4, 8, 4, 8])), Overlap, &["src1", "source of the next"]);
    // Interleaved blocks are apart.
    k.core.issue(&add(X + 32, X, Y, [2, 2, 1, 1], [16, 16, 8, 8])).unwrap();
}

#[test]
fn overlap_of_instructions_that_move_elements() {
    let mut k = Kit::new();
    k.fill(X, 512).unwrap();
    let brcb = |dst| VecIns { form: Form::MaskRegister as u8, ..Kit::ins(Opcode::Brcb, Dtype::F32, dst, [X, 0, 0], 0) };
    finds(k.core.issue(&brcb(X)), Overlap, &["Brcb<float>"]);
    k.core.issue(&brcb(X + 32)).unwrap();
    let compare = |dst| VecIns { dtype: Dtype::U8 as u8, ..Kit::ins(Opcode::Compare, Dtype::F32, dst, [X, X, 0], 64) };
    finds(k.core.issue(&compare(X + 32)), Overlap, &["bit mask"]);
    k.core.issue(&compare(M)).unwrap();
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::U32, Y, [0; 3], 16)).unwrap();
    let gather = |dst| Kit::ins(Opcode::Gather, Dtype::F32, dst, [X, Y, 0], 16);
    finds(k.core.issue(&gather(X)), Overlap, &["gathered"]);
    let copy = |to, from, bytes| CopyIns {
        direction: Direction::UbToUb as u8,
        kind: CopyKind::Count as u8,
        block_len: bytes,
        ub: Operand::new(to, 4096),
        ub_src: Operand::new(from, 4096),
        ..CopyIns::default()
    };
    mte::execute(&mut k.core, &copy(X + 256, X, 256)).unwrap();
    finds(mte::execute(&mut k.core, &copy(X + 32, X, 256)), Overlap, &["DataCopy<float> UB->UB"]);
    assert_eq!(broken_rules(&k), []);
    // Down to what has been read.
    mte::execute(&mut k.core, &copy(X, X + 32, 256)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    let bursts = |to, from, dst_stride, src_stride| CopyIns {
        kind: CopyKind::Blocks as u8,
        block_count: 3,
        block_len: 2,
        dst_stride,
        src_stride,
        ..copy(to, from, 0)
    };
    mte::execute(&mut k.core, &bursts(X, X, 1, 1)).unwrap();
    assert_eq!(broken_rules(&k), []);
    mte::execute(&mut k.core, &bursts(X, X, 0, 1)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    finds(mte::execute(&mut k.core, &bursts(X, X, 1, 0)), Overlap, &["UB->UB", "in part"]);
    // The second burst lands on the third.
    finds(mte::execute(&mut k.core, &bursts(X, X + 32, 2, 0)), Overlap, &["UB->UB", "in part"]);
}

#[test]
fn the_rest_of_a_block_in_memory_whose_author_launches_himself() {
    let kit = |role: Role, strict| {
        let gm = Box::new(Memory([0; 4096]));
        let base = gm.0.as_ptr() as usize;
        let extents = vec![Extent { base, bytes: 1000, name: "argument 1".into(), role }];
        let options = Options { strict, ..Options::default() };
        let shadows = vec![(base, Arc::new(Shadow::new(1000)))];
        let info = LaunchInfo { options, extents, shadows, ..LaunchInfo::default() };
        let mut k = Kit::on(Arc::new(LaunchRecord::new(info, "k", 1)), gm, 0);
        k.fill(X, 9).unwrap();
        k.sync("V_MTE3");
        k
    };
    let stored = "never-written bytes reach global memory";
    let out = |k: &mut Kit, kind: CopyKind, ub, bytes| {
        let ins = CopyIns { kind: kind as u8, ..k.copy_of(Direction::UbToGm, 0, ub, bytes) };
        mte::execute(&mut k.core, &ins)
    };
    for kind in [CopyKind::Count, CopyKind::Blocks] {
        // One value and 28 bytes that DataCopy cannot leave out.
        let mut k = kit(Role::Block, false);
        out(&mut k, kind, X, 64).unwrap();
        assert_eq!(broken_rules(&k), [Uninitialized]);
        k.sync("MTE3_S");
        k.gm_scalar(32, GmAccess::Read).unwrap();
        finds(k.gm_scalar(36, GmAccess::Read), Uninitialized, &["bytes 36 to 40 of argument 1"]);
        finds(out(&mut kit(Role::Block, true), kind, X, 64), Uninitialized, &[stored, "UB byte 36", "DataCopyPad"]);
        // A block without any value, after others and alone.
        finds(out(&mut k, kind, X, 96), Uninitialized, &[stored]);
        finds(out(&mut k, kind, X + 64, 32), Uninitialized, &[stored]);
        // A tensor of an operator, and a copy that takes bytes.
        finds(out(&mut kit(Role::PartOutput, false), kind, X, 64), Uninitialized, &[stored]);
        finds(out(&mut kit(Role::Unknown, false), kind, X, 64), Uninitialized, &[stored]);
    }
    finds(out(&mut kit(Role::Block, false), CopyKind::Pad, X, 64), Uninitialized, &[stored]);
}

/// Classes of the broken rules so far; the next call tells later ones.
fn broken_rules(k: &Kit) -> Vec<FaultClass> {
    k.launch.info.rules.take().iter().map(|r| r.class).collect()
}

#[test]
fn a_mask_behind_the_elements_it_is_made_of_breaks_a_rule() {
    for op in [Opcode::Compare, Opcode::CompareScalar] {
        let mut k = Kit::new();
        k.fill(X, 1024).unwrap();
        k.fill(Y, 1024).unwrap();
        let ins = |dst, a, b| VecIns { dtype: Dtype::U8 as u8, ..Kit::ins(op, Dtype::F32, dst, [a, b, 0], 512) };
        k.core.issue(&ins(M, X, Y)).unwrap();
        assert_eq!(broken_rules(&k), []);
        k.core.issue(&ins(X, X, Y)).unwrap();
        assert_eq!(broken_rules(&k), [Overlap]);
        k.core.issue(&ins(X, X + 32, Y)).unwrap();
        assert_eq!(broken_rules(&k), [Overlap]);
        // 64 bytes of mask from the second repeat on: the first eight are read after they are written.
        finds(k.core.issue(&ins(X + 256, X, Y)), Overlap, &["src0", "a bit mask overlaps"]);
        finds(k.core.issue(&ins(X + 32, X, Y)), Overlap, &["src0", "a bit mask overlaps"]);
        // A source that every repeat reads again.
        let again = VecIns { form: Form::MaskCount as u8, mask: [64, 0], repeat: 8, blk: [1; 4], ..ins(X, X, Y) };
        finds(k.core.issue(&VecIns { rep: [8, 0, 8, 8], ..again }), Overlap, &["src0", "a bit mask overlaps"]);
        k.core.issue(&VecIns { rep: [8, 1, 8, 8], ..again }).unwrap();
        assert_eq!(broken_rules(&k), [Overlap]);
    }
    let mut k = Kit::new();
    k.fill(X, 1024).unwrap();
    let compare =
        |dst, a, b| VecIns { dtype: Dtype::U8 as u8, ..Kit::ins(Opcode::Compare, Dtype::F32, dst, [a, b, 0], 512) };
    k.core.issue(&compare(X, X + 1024, X)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    // The rule that the first source breaks does not hide the error of the second.
    finds(k.core.issue(&compare(X + 64, X + 64, X)), Overlap, &["src1", "a bit mask overlaps"]);
}

#[test]
fn gather_over_its_own_offsets_breaks_a_rule() {
    let mut k = Kit::new();
    k.fill(X, 256).unwrap();
    let offsets = |k: &mut Kit| k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::U32, Y, [0; 3], 256)).unwrap();
    let gather = |t, dst, src, n| Kit::ins(Opcode::Gather, t, dst, [src, Y, 0], n);
    offsets(&mut k);
    k.core.issue(&gather(Dtype::F32, Y, X, 128)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    let repeats = |rep| VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        repeat: 2,
        blk: [1; 4],
        rep: [rep, 0, 0, 0],
        ..gather(Dtype::F32, Y, X, 0)
    };
    offsets(&mut k);
    k.core.issue(&repeats(8)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    offsets(&mut k);
    finds(k.core.issue(&repeats(9)), Overlap, &["srcOffset", "spreads its elements"]);
    offsets(&mut k);
    finds(k.core.issue(&gather(Dtype::F32, Y + 32, X, 64)), Overlap, &["srcOffset", "spreads its elements"]);
    offsets(&mut k);
    finds(k.core.issue(&gather(Dtype::F16, Y, X, 64)), Overlap, &["srcOffset", "spreads its elements"]);
    // The elements that are gathered lie there as well.
    offsets(&mut k);
    finds(k.core.issue(&gather(Dtype::F32, Y, Y, 64)), Overlap, &["gathered"]);
}

#[test]
fn a_zero_decides_a_product_of_integers() {
    let mut k = Kit::new();
    let mul = |t| Kit::ins(Opcode::Mul, t, X, [X, Y, 0], 64);
    let fill = |from: u32, to: u32, value: u64| VecIns {
        scalar: value,
        ..Kit::ins(Opcode::Duplicate, Dtype::I32, Y + 4 * from, [0; 3], to - from)
    };
    // Nobody wrote X, whose second half is taken as it is.
    k.core.issue(&fill(0, 32, 0)).unwrap();
    k.core.issue(&fill(32, 64, 1)).unwrap();
    k.core.issue(&mul(Dtype::I32)).unwrap();
    k.sync("V_MTE3");
    k.copy_out(2048, X, 128).unwrap();
    finds(k.copy_out(2304, X, 132), Uninitialized, &["UB byte 128", "Mul<int32_t>"]);
    // A float that nobody wrote may be an infinity.
    let mut k = Kit::new();
    k.core.issue(&fill(0, 64, 0)).unwrap();
    k.core.issue(&mul(Dtype::F32)).unwrap();
    k.sync("V_MTE3");
    finds(k.copy_out(2048, X, 4), Uninitialized, &["UB byte 0", "Mul<float>"]);
}

#[test]
fn sorted_lists_hold_what_their_scores_decide() {
    let mut k = Kit::new();
    let sort = |t| VecIns { repeat: 2, ..Kit::ins(Opcode::Sort32, t, Z, [X, Y, 0], 0) };
    let out = |k: &mut Kit, bytes| {
        k.sync("V_MTE3");
        let r = k.copy_out(2048, Z, bytes);
        k.sync("MTE3_V");
        r
    };
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::U32, Y, [0; 3], 40)).unwrap();
    k.fill(X, 32).unwrap();
    k.core.issue(&sort(Dtype::F16)).unwrap();
    out(&mut k, 40 * 8 + 4).unwrap();
    finds(out(&mut k, 41 * 8), Uninitialized, &["UB byte 8516", "Sort32<half>"]);
    // The score of the second list's last element is not there.
    k.fill(X, 33).unwrap();
    k.core.issue(&sort(Dtype::F32)).unwrap();
    out(&mut k, 32 * 8).unwrap();
    finds(out(&mut k, 33 * 8), Uninitialized, &["UB byte 8448", "Sort32<float>"]);
}

#[test]
fn merged_lists_hold_what_their_scores_decide() {
    let mut k = Kit::new();
    // Two lists, of one and of two elements.
    let merge = |suspend: bool| VecIns {
        mode: 3,
        flags: suspend as u8,
        repeat: 1,
        mask: [1 | 2 << 16, 0],
        ..Kit::ins(Opcode::MrgSort, Dtype::F32, Z, [X, Y, 0], 0)
    };
    let out = |k: &mut Kit, bytes| {
        k.sync("V_MTE3");
        let r = k.copy_out(2048, Z, bytes);
        k.sync("MTE3_V");
        r
    };
    k.fill(X, 2).unwrap();
    k.core.issue(&merge(true)).unwrap();
    finds(out(&mut k, 8), Uninitialized, &["MrgSort<float>"]);
    // The first one's only element has equal score and comes first: nothing asks for more than the second one's first score.
    k.fill(Y, 1).unwrap();
    k.core.issue(&merge(true)).unwrap();
    out(&mut k, 8).unwrap();
    k.core.issue(&merge(false)).unwrap();
    finds(out(&mut k, 8), Uninitialized, &["MrgSort<float>"]);
    // With the last score, and an index that nobody wrote in the middle.
    k.fill(Y, 3).unwrap();
    k.core.issue(&merge(false)).unwrap();
    out(&mut k, 20).unwrap();
    finds(out(&mut k, 24), Uninitialized, &["UB byte 8212"]);
}

#[test]
fn gather_in_place_breaks_a_rule_while_no_block_is_written_that_is_still_read() {
    let mut k = Kit::new();
    k.fill(X, 256).unwrap();
    let offset = |k: &mut Kit, from: u32, to: u32, value: u32| {
        let count = to - from;
        let ins = Kit::ins(Opcode::Duplicate, Dtype::U32, Y + 4 * from, [0; 3], count);
        k.core.issue(&VecIns { scalar: value.into(), ..ins }).unwrap();
    };
    let gather = |dst, count| Kit::ins(Opcode::Gather, Dtype::F32, dst, [X, Y, 0], count);
    // Each block takes its own first element, the last one of the block behind it.
    (0..8).for_each(|block| offset(&mut k, 8 * block, 8 * block + 8, 32 * block));
    k.core.issue(&gather(X, 64)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    k.core.issue(&gather(X, 61)).unwrap();
    offset(&mut k, 8, 16, 36 * 4);
    k.core.issue(&gather(X, 64)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    // One place further, the blocks have been written when the next result asks for them.
    finds(k.core.issue(&gather(X + 32, 64)), Overlap, &["src at 64 to 68", "gathered"]);
    offset(&mut k, 16, 24, 60);
    finds(k.core.issue(&gather(X, 64)), Overlap, &["src at 60 to 64", "gathered"]);
    let repeats = |count| VecIns {
        form: Form::MaskCount as u8,
        mask: [count, 0],
        repeat: 1,
        blk: [1; 4],
        rep: [8, 0, 0, 0],
        ..gather(X, 0)
    };
    k.core.issue(&repeats(16)).unwrap();
    assert_eq!(broken_rules(&k), [Overlap]);
    finds(k.core.issue(&repeats(17)), Overlap, &["src at 60 to 64", "gathered"]);
}

#[test]
fn offsets_of_gatherb_need_values_and_a_place_of_their_own() {
    let mut k = Kit::new();
    k.fill(X, 256).unwrap();
    let gatherb = |dst| VecIns {
        repeat: 1,
        blk: [1; 4],
        rep: [8; 4],
        ..Kit::ins(Opcode::Gatherb, Dtype::U32, dst, [X, Y, 0], 0)
    };
    finds(k.core.issue(&gatherb(Z)), Uninitialized, &["Gatherb<uint32_t>", "offset"]);
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::U32, Y, [0; 3], 8)).unwrap();
    k.core.issue(&gatherb(Z)).unwrap();
    finds(k.core.issue(&gatherb(Y)), Overlap, &["offset", "spreads its elements"]);
}

#[test]
fn masks_beyond_a_repeat_and_stride_zero() {
    let mut k = Kit::strict();
    let fill =
        |form: Form, mask| VecIns { form: form as u8, mask, ..Kit::ins(Opcode::Duplicate, Dtype::F32, X, [0; 3], 0) };
    k.core.issue(&fill(Form::MaskCount, [64, 0])).unwrap();
    finds(k.core.issue(&fill(Form::MaskCount, [65, 0])), Argument, &["0 to 64 65"]);
    k.core.issue(&fill(Form::MaskBits, [u64::MAX, 0])).unwrap();
    finds(k.core.issue(&fill(Form::MaskBits, [1, 1])), Argument, &["mask[1] = 0x1"]);
    let half = VecIns { dtype: Dtype::F16 as u8, stype: Dtype::F16 as u8, ..fill(Form::MaskBits, [1, 1]) };
    k.core.issue(&half).unwrap();
    let stuck = |n| VecIns { blk: [0, 1, 1, 1], ..fill(Form::MaskCount, [n, 0]) };
    finds(k.core.issue(&stuck(9)), Undocumented, &["dstBlkStride"]);
    // One block has no stride.
    k.core.issue(&stuck(8)).unwrap();
}

#[test]
fn a_count_form_takes_the_mask_away() {
    let mut k = Kit::new();
    let masked = VecIns { form: Form::MaskRegister as u8, ..Kit::ins(Opcode::Duplicate, Dtype::F32, X, [0; 3], 0) };
    let set = |k: &mut Kit| {
        k.core.mask_set([0xf, 0]).unwrap();
    };
    k.fill(X, 64).unwrap();
    k.core.issue(&masked).unwrap();
    set(&mut k);
    k.core.issue(&masked).unwrap();
    k.fill(X, 64).unwrap();
    finds(k.core.issue(&masked), MaskState, &["SetVectorMask", "Duplicate<float>, a count form"]);
    // A call with a mask of its own replaces it, unless it is the same.
    let own = |n| VecIns { form: Form::MaskCount as u8, mask: [n, 0], ..masked };
    set(&mut k);
    k.core.issue(&own(4)).unwrap();
    k.core.issue(&masked).unwrap();
    k.core.issue(&own(8)).unwrap();
    finds(k.core.issue(&masked), MaskState, &["SetVectorMask", "the mask that Duplicate<float> brought with it"]);
    set(&mut k);
    k.core.issue(&masked).unwrap();
    k.fill(X, 64).unwrap();
    k.core.mask_reset().unwrap();
    k.core.issue(&masked).unwrap();
    // Elements of two bytes have a second word of mask, those of four have none.
    let half = VecIns { dtype: Dtype::F16 as u8, stype: Dtype::F16 as u8, ..masked };
    let words = VecIns { form: Form::MaskBits as u8, mask: [0xf, 0x3], ..half };
    set(&mut k);
    k.core.issue(&words).unwrap();
    k.core.issue(&masked).unwrap();
    finds(k.core.issue(&half), MaskState, &["SetVectorMask", "the mask that Duplicate<half> brought with it"]);
}

#[test]
fn counter_mode_left_on() {
    let mut k = Kit::strict();
    let own = |n, repeat| VecIns {
        form: Form::MaskCount as u8,
        mask: [n, 0],
        repeat,
        ..Kit::ins(Opcode::Duplicate, Dtype::F32, X, [0; 3], 0)
    };
    k.core.mask_mode(true).unwrap();
    k.core.issue(&own(200, 4)).unwrap();
    finds(k.core.issue(&own(64, 4)), MaskState, &["repeatTime", "mask 64, repeatTime 4", "SetMaskNorm"]);
    // One repeat too many is told, as many as the elements fill are not.
    finds(k.core.issue(&own(64, 2)), MaskState, &["mask 64, repeatTime 2"]);
    k.core.issue(&own(65, 2)).unwrap();
    // The mask of Copy counts in every repeat.
    k.fill(X, 512).unwrap();
    let copy = VecIns { blk: [1; 4], rep: [8; 4], ..Kit::ins(Opcode::Copy, Dtype::U32, Y, [X, 0, 0], 0) };
    k.core.mask_mode(true).unwrap();
    k.core.issue(&VecIns { form: Form::MaskCount as u8, mask: [64, 0], repeat: 4, ..copy }).unwrap();
    finds(k.core.end(), MaskState, &["counter mode is left on"]);
    k.core.mask_mode(false).unwrap();
    k.core.issue(&own(64, 4)).unwrap();
    k.core.end().unwrap();
}

#[test]
fn comparing_runs_over_the_end_of_a_buffer() {
    let mut k = Kit::new();
    // Two repeats of floats from 256 bytes before the end of X: half of them are not X's.
    k.fill(X, 1024).unwrap();
    let compare = VecIns {
        dtype: Dtype::U8 as u8,
        mode: CmpMode::Ge as u8,
        ..Kit::ins(Opcode::CompareScalar, Dtype::F32, M, [X + 3840, 0, 0], 128)
    };
    k.copy_in(Y, 0, 32).unwrap();
    k.core.issue(&compare).unwrap();
    k.get(M + 4).unwrap();
    finds(k.get(M + 8), Uninitialized, &["CompareScalar<uint8_t, float> read first"]);
    // Only bytes of the own buffer are raced for.
    k.copy_in(Y + 64, 0, 32).unwrap();
}

#[test]
fn tensors_after_free_tensor() {
    let mut k = Kit::strict();
    let q = k.core.queue_init(1, 1, 256).unwrap();
    let t = k.core.queue_alloc(q).unwrap();
    k.fill(t.addr, 64).unwrap();
    k.core.queue_free(q, t.handle, event_code("V_MTE2")).unwrap();
    finds(k.fill(t.addr, 64), Freed, &["dst", "UB bytes 16384 to 16640", "given back by FreeTensor"]);
    finds(k.add(X, Y, t.addr, 64), Freed, &["src1"]);
    finds(k.get(t.addr + 8), Freed, &["GetValue", "16392 to 16396"]);
    // The neighbours of a freed tensor are not.
    let two = k.core.queue_init(2, 2, 256).unwrap();
    let [a, b] = [k.core.queue_alloc(two).unwrap(), k.core.queue_alloc(two).unwrap()];
    k.core.queue_free(two, a.handle, event_code("V_MTE2")).unwrap();
    k.fill(b.addr, 64).unwrap();
    k.core.queue_free(two, b.handle, event_code("V_MTE2")).unwrap();
    let a = k.core.queue_alloc(two).unwrap();
    k.fill(a.addr, 64).unwrap();
    finds(k.fill(b.addr, 1), Freed, &["dst"]);
    k.core.queue_free(two, a.handle, event_code("V_MTE2")).unwrap();
    k.core.observation.site = Site(7);
    let t = k.core.queue_alloc(q).unwrap();
    k.fill(t.addr, 64).unwrap();
    let e = k.core.pipe_close(true).unwrap_err();
    assert_eq!((e.site, e.severity), (Some(Site(7)), Severity::Rule));
    finds(Err(e), Leak, &["AllocTensor", "never freed"]);
    k.core.queue_free(q, t.handle, event_code("V_MTE2")).unwrap();
    k.core.pipe_close(true).unwrap();
}

#[test]
fn atomic_modes_have_a_type_and_an_end() {
    let mut k = Kit::strict();
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    let mode = |t: Dtype| Atomic::from_codes(1, t as u32).unwrap();
    k.core.set_atomic(mode(Dtype::F16)).unwrap();
    finds(k.copy_out(0, X, 64), AtomicMode, &["elements of half", "elements of float", "SetAtomicAdd<float>"]);
    k.core.set_atomic(mode(Dtype::F32)).unwrap();
    k.copy_out(0, X, 64).unwrap();
    finds(k.core.end(), AtomicMode, &["left on", "SetAtomicNone"]);
    k.core.set_atomic(None).unwrap();
    k.core.end().unwrap();
}

#[test]
fn rules_stop_a_launch_in_strict_mode_only() {
    let mut k = Kit::new();
    k.core.observation.site = Site(5);
    k.core.pipe_open(2).unwrap();
    k.core.queue_init(1, 1, 0).unwrap();
    k.core.tbuf_init(200_000).unwrap();
    let mut found: Vec<_> = k.launch.info.rules.take().iter().map(|f| (f.class, f.severity)).collect();
    found.sort_by_key(|f| f.0 as u32);
    assert_eq!(found, [(BufferSpace, Severity::Rule), (Queue, Severity::Rule)], "one per class and call");
    finds(Kit::strict().core.pipe_open(2), Queue, &["second TPipe"]);
    finds(Kit::strict().core.queue_init(1, 1, 0).map(drop), Queue, &["len", "empty buffers"]);
    finds(Kit::strict().core.tbuf_init(200_000).map(drop), BufferSpace, &["at most 196608 bytes", "= 216384"]);
    // An instruction that goes there is wrong on the device as well.
    finds(k.fill(196_544, 32), OutOfRange, &["196608"]);
}

#[test]
fn event_ids_beyond_those_of_the_hardware() {
    let mut k = Kit::new();
    for _ in 0..8 {
        k.core.event_alloc(event_code("MTE2_V")).unwrap();
    }
    finds(k.core.event_alloc(event_code("MTE2_V")).map(drop), Event, &["at most 8 ids of HardEvent::MTE2_V", "id 8"]);
}

#[test]
fn results_that_nobody_wrote() {
    let launch = |role, alias: bool| {
        let gm = Box::new(Memory([7; 4096]));
        let base = gm.0.as_ptr() as usize;
        let extent = |at, role| Extent { base: base + at, bytes: 100, name: "output 0 y".into(), role };
        let mut extents = vec![extent(0, role)];
        if alias {
            extents.push(extent(50, Role::Input));
        }
        Kit::on(Arc::new(LaunchRecord::new(LaunchInfo { extents, ..LaunchInfo::default() }, "k", 1)), gm, 0)
    };
    let judge = |k: &Kit| k.launch.judge().map_err(|f| (f.class, f.message.clone()));
    let mut k = launch(Role::Output, false);
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, X, 40).unwrap();
    let (class, text) = judge(&k).unwrap_err();
    assert_eq!(class, OutputUnwritten);
    assert!(text.contains("output 0 y") && text.contains("byte 40 and 59 more"), "{text}");
    // Written through a pointer.
    k.gm.0[40..60].fill(8);
    assert!(judge(&k).unwrap_err().1.contains("byte 60 and 39 more"));
    k.copy_out(60, X, 36).unwrap();
    k.sync("MTE3_S");
    k.gm_scalar(96, GmAccess::Write).unwrap();
    assert_eq!(judge(&k), Ok(()));
    assert_eq!(judge(&launch(Role::PartOutput, false)), Ok(()));
    assert_eq!(judge(&launch(Role::Workspace, false)), Ok(()));
    assert_eq!(judge(&launch(Role::Output, true)), Ok(()), "shared with an input");
    // A reference may have been given the value that was there.
    let mut k = launch(Role::Output, false);
    for at in (0..100).step_by(4) {
        k.gm_scalar(at, GmAccess::Reference).unwrap();
    }
    k.core.end().unwrap();
    assert_eq!(judge(&k), Ok(()));
}

/// Rows of 40 bytes in a memory with rows of 64: what lies between them is not the kernel's.
#[test]
fn strided_results_are_whole_where_their_elements_are() {
    let launch = || {
        let gm = Box::new(Memory([7; 4096]));
        let base = gm.0.as_ptr() as usize;
        let extents = vec![Extent { base, bytes: 128, name: "output 0 y".into(), role: Role::Output }];
        let elements = vec![(base, Arc::new(Elements { bits: 32, first: 0, dims: vec![(2, 16), (10, 1)] }))];
        let info = LaunchInfo { extents, elements, ..LaunchInfo::default() };
        let mut k = Kit::on(Arc::new(LaunchRecord::new(info, "k", 1)), gm, 0);
        k.fill(X, 128).unwrap();
        k.sync("V_MTE3");
        k.copy_out(0, X, 40).unwrap();
        k
    };
    let judge = |k: &Kit| k.launch.judge().map_err(|f| (f.class, f.message.clone()));
    let mut k = launch();
    let (class, text) = judge(&k).unwrap_err();
    assert_eq!(class, OutputUnwritten);
    assert!(text.contains("every element written") && text.contains("byte 64 and 39 more"), "{text}");
    k.copy_out(64, X, 40).unwrap();
    assert_eq!(judge(&k), Ok(()));
    k.gm.0[50..53].fill(8);
    let (class, text) = judge(&k).unwrap_err();
    assert_eq!(class, GmBounds);
    assert!(text.contains("output 0 y") && text.contains("byte 50 and 2 more that are no element's"), "{text}");
}

#[test]
fn buffers_in_the_area_that_an_instruction_uses() {
    let mut k = Kit::new();
    k.fill(X, 64).unwrap();
    k.fill(Y, 64).unwrap();
    let big = 188416 - 16384;
    k.core.tbuf_init(big).unwrap();
    let select = VecIns { mode: SelMode::TensorTensor as u8, ..Kit::ins(Opcode::Select, Dtype::F32, Z, [M, X, Y], 64) };
    k.core.issue(&Kit::ins(Opcode::Duplicate, Dtype::F32, M, [0; 3], 8)).unwrap();
    k.core.issue(&select).unwrap();
    finds(k.core.tbuf_init(32).map(drop), ReservedUb, &["188416", "Select<float>"]);
    finds(k.core.issue(&select), ReservedUb, &["188416", "buffers up to 188448", "8 KiB"]);
}

#[test]
fn flags_ids_and_tensors_are_given_back() {
    let mut k = Kit::strict();
    k.core.end().unwrap();
    k.core.observation.site = Site(77);
    k.core.set_flag(event_code("V_S"), 3).unwrap();
    k.core.observation.site = Site(78);
    let e = k.core.end().unwrap_err();
    assert_eq!(e.site, Some(Site(77)));
    finds(Err(e), Leak, &["V: SetFlag", "HardEvent::V_S id 3 set"]);
    k.core.wait_flag(event_code("V_S"), 3).unwrap();
    k.core.observation.site = Site(79);
    let id = k.core.event_alloc(event_code("MTE2_V")).unwrap();
    let e = k.core.end().unwrap_err();
    assert_eq!(e.site, Some(Site(79)));
    finds(Err(e), Leak, &["AllocEventID", "HardEvent::MTE2_V id 0"]);
    k.core.machine.events.release(event_code("MTE2_V"), id).unwrap();
    k.core.end().unwrap();
    let q = k.core.queue_init(1, 1, 64).unwrap();
    let t = k.core.queue_alloc(q).unwrap();
    k.core.observation.site = Site(80);
    k.core.queue_enque(q, t.handle, event_code("MTE2_V")).unwrap();
    let e = k.core.pipe_close(true).unwrap_err();
    assert_eq!(e.site, Some(Site(80)));
    finds(Err(e), Leak, &["EnQue", "never dequeued"]);
    let t = k.core.queue_deque(q).unwrap();
    k.core.queue_free(q, t.handle, event_code("V_MTE2")).unwrap();
    k.core.pipe_close(true).unwrap();
    k.core.end().unwrap();
}

#[test]
fn scalar_stores_wait_in_the_cache() {
    let mut k = Kit::strict();
    k.gm_scalar(0, GmAccess::Write).unwrap();
    finds(k.copy_in(X, 0, 64), ScalarCache, &["MTE2", "dirty since SetValue"]);
    // Other bytes of the line are as they were.
    k.copy_in(X, 32, 32).unwrap();
    k.fill(Y, 64).unwrap();
    k.sync("V_MTE3");
    finds(k.copy_out(60, Y, 8), ScalarCache, &["MTE3", "one of the two is lost"]);
    // The end of a kernel writes the cache back.
    k.core.end().unwrap();
    k.dcci(0);
    // Clean, but still not ordered: SetValue is not the compiler's.
    k.barrier(Pipe::MTE2);
    finds(k.copy_in(X, 0, 64), Race, &["GlobalTensor::SetValue writes", "HardEvent::S_MTE2"]);
    k.sync("S_MTE2");
    k.copy_in(X, 0, 64).unwrap();
}

#[test]
fn a_line_of_copies_and_stores() {
    let mut k = Kit::new();
    k.fill(Y, 64).unwrap();
    k.sync("V_MTE3");
    k.copy_out(0, Y, 32).unwrap();
    // Other bytes, the same line; the next line is free.
    finds(k.gm_scalar(32, GmAccess::Write), ScalarCache, &["still writing", "HardEvent::MTE3_S", "UB->GM wrote"]);
    k.gm_scalar(64, GmAccess::Write).unwrap();
    k.sync("MTE3_S");
    k.gm_scalar(32, GmAccess::Write).unwrap();
    // A line that was fetched before the copy.
    k.gm_scalar(128, GmAccess::Read).unwrap();
    k.copy_out(160, Y, 32).unwrap();
    k.sync("MTE3_S");
    finds(k.gm_scalar(128, GmAccess::Write), ScalarCache, &["older than global memory", "old bytes over"]);
    k.dcci(128);
    k.gm_scalar(128, GmAccess::Write).unwrap();
}

#[test]
fn scalar_loads_hit_old_lines() {
    let mut k = Kit::new();
    k.gm_scalar(0, GmAccess::Read).unwrap();
    k.fill(Y, 64).unwrap();
    k.sync("V_MTE3");
    k.copy_out(32, Y, 4).unwrap();
    // GetValue is ordered by the compiler, its cache line is not refreshed.
    finds(k.gm_scalar(32, GmAccess::Read), ScalarCache, &["older than global memory"]);
    k.dcci(0);
    k.gm_scalar(32, GmAccess::Read).unwrap();
    k.gm_scalar(64, GmAccess::Read).unwrap();
}

#[test]
fn a_reference_into_global_memory_is_what_is_done_with_it() {
    let mut k = Kit::new();
    k.gm_scalar(0, GmAccess::Reference).unwrap();
    k.copy_in(X, 0, 32).unwrap();
    k.barrier(Pipe::ALL);
    k.gm_scalar(0, GmAccess::Reference).unwrap();
    k.gm.0[1] = 7;
    finds(k.copy_in(Y, 0, 32), ScalarCache, &["dirty since SetValue"]);
}

#[test]
fn what_waits_in_a_cache_is_not_there_for_other_cores() {
    let judge = |clean: bool, at: usize| {
        let mut a = Kit::with_extents(2);
        a.gm_scalar(2048, GmAccess::Write).unwrap();
        if clean {
            a.dcci(2048);
        }
        a.core.observe(Step::SyncAll).unwrap();
        a.core.end().unwrap();
        let (launch, gm) = (a.launch.clone(), a.gm);
        let mut b = Kit::on(launch.clone(), gm, 1);
        b.core.observe(Step::SyncAll).unwrap();
        b.copy_in(Y, at, 4).unwrap();
        b.core.end().unwrap();
        launch.judge().map_err(|f| (f.class, f.core, f.message.contains("before SyncAll")))
    };
    assert_eq!(judge(false, 2048), Err((ScalarCache, 1, true)));
    assert_eq!(judge(true, 2048), Ok(()));
    assert_eq!(judge(false, 2052), Ok(()));
}

#[test]
fn cores_of_a_launch() {
    let judge = |out: usize, epoch: bool| {
        let mut a = Kit::with_extents(2);
        a.fill(X, 64).unwrap();
        a.sync("V_MTE3");
        a.copy_out(2048, X, 64).unwrap();
        if epoch {
            a.core.observe(Step::SyncAll).unwrap();
        }
        a.core.end().unwrap();
        let (launch, gm) = (a.launch.clone(), a.gm);
        let mut b = Kit::on(launch.clone(), gm, 1);
        b.fill(X, 64).unwrap();
        b.sync("V_MTE3");
        if epoch {
            b.core.observe(Step::SyncAll).unwrap();
        }
        if out == 0 {
            b.copy_in(Y, 2048, 64).unwrap();
        } else {
            b.copy_out(out, X, 64).unwrap();
        }
        b.core.end().unwrap();
        launch.judge().map_err(|f| (f.class, f.core, f.instruction))
    };
    assert_eq!(judge(2048 + 64, false), Ok(()));
    assert_eq!(judge(2048 + 60, false), Err((MultiCore, 1, "DataCopyPad<float> UB->GM".to_owned())));
    assert_eq!(judge(2048 + 60, true), Ok(()));
    assert_eq!(judge(0, false), Err((MultiCore, 1, "DataCopyPad<float> GM->UB".to_owned())));
    assert_eq!(judge(0, true), Ok(()));
}

#[test]
fn cores_that_write_the_same_value() {
    // Eight floats of each core, zeros but for the last one.
    let judge = |last: [f32; 2]| {
        let mut gm = None;
        let mut launch = None;
        for (core, last) in last.into_iter().enumerate() {
            let mut k = match (launch.take(), gm.take()) {
                (Some(launch), Some(gm)) => Kit::on(launch, gm, core as u32),
                _ => Kit::with_extents(2),
            };
            k.fill(X, 8).unwrap();
            k.sync("V_S");
            let at = k.core.ub_scalar(Operand::new(X + 28, 4), 0, 4, true).unwrap();
            // SAFETY: a float of the buffer, aligned.
            unsafe { at.cast::<f32>().write(last) };
            k.sync("S_MTE3");
            k.copy_out(2048, X, 32).unwrap();
            k.core.end().unwrap();
            (launch, gm) = (Some(k.launch.clone()), Some(k.gm));
        }
        let launch = launch.unwrap();
        let found = launch.judge().map_err(|f| f.class);
        found.map(|()| launch.info.rules.take().iter().map(|f| f.class).collect::<Vec<_>>())
    };
    assert_eq!(judge([0.0, 0.0]), Ok(vec![MultiCore]));
    assert_eq!(judge([0.0, 1.0]), Err(MultiCore));
    assert_eq!(judge([1.0, 1.0]), Err(MultiCore));
}

#[test]
fn undefined_global_memory_waits_for_the_other_cores() {
    let mut k = Kit::with_extents(2);
    k.copy_in(X, 2048, 64).unwrap();
    k.sync("MTE2_S");
    k.get(X).unwrap();
    k.core.end().unwrap();
    let f = k.launch.judge().unwrap_err();
    assert_eq!((f.class, f.core, f.instruction.as_str()), (Uninitialized, 0, "LocalTensor::GetValue"));
}

#[test]
fn allowed_classes_are_not_reported() {
    let options = Options { allow: vec![Race, BufferBounds], ..Options::default() };
    let mut k = Kit::with(LaunchInfo { options, ..LaunchInfo::default() });
    k.copy_in(X, 0, 256).unwrap();
    k.add(Y, X, X, 64).unwrap();
    k.fill(X, 1025).unwrap();
    finds(k.get(M), Uninitialized, &[]);
}

fn call(operands: [Operand; 3], tmp: u32, tmp_document: u32, in_place: bool, reads_first: bool) -> Step<'static> {
    Step::Call { name: "Sin", operands, tmp: Operand::new(0, tmp), tmp_document, in_place, reads_first }
}

#[test]
fn high_level_functions_may_forbid_a_destination_over_a_source() {
    let mut k = Kit::new();
    let (a, b, none) = (Operand::new(64, 64), Operand::new(96, 64), Operand::default());
    let apart = |operands| call(operands, 0, 0, false, false);
    finds(k.core.observe(apart([a, b, none])), Overlap, &["V: Sin", "src0", "64 to 128", "96 to 160"]);
    finds(k.core.observe(apart([a, none, Operand { addr: 127, ..b }])), Overlap, &["src1", "127 to 191"]);
    k.core.observe(call([a, b, none], 0, 0, true, false)).unwrap();
    k.core.observe(apart([a, Operand { addr: 128, ..b }, none])).unwrap();
    // On the same bytes it is a broken rule where the source has been read by then; a part of them is still wrong.
    assert_eq!(k.core.observe(apart([a, a, none])).unwrap_err().severity, Severity::Error);
    let reads_first = |operands| call(operands, 0, 0, false, true);
    k.core.observe(reads_first([a, a, none])).unwrap();
    assert_eq!(k.core.observe(reads_first([a, b, none])).unwrap_err().severity, Severity::Error);
    let r = Kit::strict().core.observe(reads_first([a, a, none])).unwrap_err();
    assert_eq!((r.class, r.severity), (Overlap, Severity::Rule));
}

#[test]
fn less_temporary_space_than_the_page_asks_for_breaks_a_rule() {
    let mut k = Kit::new();
    let none = [Operand::default(); 3];
    k.core.observe(call(none, 768, 768, false, false)).unwrap();
    assert!(k.launch.info.rules.take().is_empty());
    k.core.observe(call(none, 767, 768, false, false)).unwrap();
    let found = k.launch.info.rules.take();
    assert_eq!(found.iter().map(|f| (f.class, f.severity)).collect::<Vec<_>>(), [(BufferSpace, Severity::Rule)]);
    for word in ["sharedTmpBuffer", "at least 768 bytes", "767 bytes", "GetSinMaxMinTmpSize"] {
        assert!(found[0].message.contains(word), "{}", found[0].message);
    }
    let r = Kit::strict().core.observe(call(none, 0, 1, false, false)).unwrap_err();
    assert_eq!((r.class, r.severity), (BufferSpace, Severity::Rule));
}

#[test]
fn the_first_tensor_left_in_the_first_queue_is_named() {
    let mut k = Kit::new();
    let q = [k.core.queue_init(2, 2, 64).unwrap(), k.core.queue_init(2, 2, 64).unwrap()];
    for (site, que) in [(90, q[1]), (91, q[0]), (92, q[0])] {
        let t = k.core.queue_alloc(que).unwrap();
        k.core.observation.site = Site(site);
        k.core.queue_enque(que, t.handle, event_code("MTE2_V")).unwrap();
    }
    assert_eq!(k.core.pipe_close(true).unwrap_err().site, Some(Site(91)));
}

#[test]
fn a_long_kernel_forgets_what_no_byte_refers_to() {
    let mut k = Kit::new();
    k.copy_in(X, 0, 256).unwrap();
    k.sync("MTE2_V");
    k.add(M, X, X, 64).unwrap();
    // Many more than the history holds.
    for _ in 0..600_000 {
        k.fill(Y, 1).unwrap();
    }
    // The oldest instructions are still known by their bytes, in order and out of it.
    k.add(Z, X, X, 64).unwrap();
    finds(k.copy_in(M, 0, 32), Race, &["Add<float> writes", "HardEvent::V_MTE2"]);
    finds(k.copy_in(Y, 0, 32), Race, &["Duplicate<float> writes", "HardEvent::V_MTE2"]);
}

#[test]
fn a_reduction_over_what_it_has_read_breaks_a_rule() {
    // Their repeats are in the count.
    let reduction = |op, dst, lanes, repeat, rep| VecIns {
        form: Form::MaskCount as u8,
        mask: [lanes, 0],
        blk: [1; 4],
        rep,
        ..Kit::ins(op, Dtype::F32, dst, [X, 0, 0], repeat)
    };
    let kit = || {
        let mut k = Kit::new();
        k.fill(X, 1024).unwrap();
        k
    };
    let over = |op, dst, lanes, repeat, rep| {
        let mut k = kit();
        let found = k.core.issue(&reduction(op, dst, lanes, repeat, rep));
        (found, broken_rules(&k))
    };
    use Opcode::{BlockReduceSum, PairReduceSum, WholeReduceMax, WholeReduceSum};
    for op in [WholeReduceSum, WholeReduceMax, BlockReduceSum, PairReduceSum] {
        // All lanes and some of them, one repeat and several, on the source and before it.
        for (dst, lanes, repeat) in [(X, 64, 2), (X, 12, 1), (X, 16, 8), (X, 64, 8)] {
            let (found, rules) = over(op, dst, lanes, repeat, [1, 8, 8, 8]);
            assert!(found.is_ok() && rules == [Overlap], "{op:?} {lanes} {repeat}: {found:?} {rules:?}");
        }
        assert_eq!(over(op, Y, 64, 8, [1, 8, 8, 8]).1, []);
        // A repeat further, its results land on what comes next.
        finds(over(op, X + 256, 64, 2, [1, 8, 8, 8]).0, Overlap, &["src", "dst at UB bytes 256"]);
    }
    // Results that move on faster than what they are made of.
    finds(over(WholeReduceSum, X, 64, 3, [64, 4, 4, 4]).0, Overlap, &["src"]);
    finds(over(PairReduceSum, X, 64, 8, [4, 8, 8, 8]).0, Overlap, &["src"]);
    // Half a repeat of results, and a source that moves on by a block.
    finds(over(PairReduceSum, X, 64, 4, [1; 4]).0, Overlap, &["src"]);
    finds(over(PairReduceSum, X, 64, 4, [0, 1, 1, 1]).0, Overlap, &["src"]);
    // One repeat has no next one.
    assert_eq!(over(WholeReduceSum, X, 64, 1, [255, 8, 8, 8]).1, [Overlap]);
}

#[test]
fn a_bit_that_decides_makes_a_result_known() {
    let fill = |at, scalar, n| VecIns { scalar, ..Kit::ins(Opcode::Duplicate, Dtype::U16, at, [0; 3], n) };
    let repeats =
        |ins| VecIns { form: Form::MaskCount as u8, mask: [16, 0], blk: [1; 4], rep: [8; 4], count: 0, ..ins };
    // Eight elements that decide, eight that do not, against as many that nobody wrote.
    for (op, decides, other) in [(Opcode::And, 0, 0xffff), (Opcode::Or, 0xffff, 0)] {
        for (dst, a, b) in [(Z, X, Y), (Z, Y, X), (X, X, Y), (Y, X, Y)] {
            for masked in [false, true] {
                let mut k = Kit::new();
                k.core.issue(&fill(X, other, 16)).unwrap();
                k.core.issue(&fill(X, decides, 8)).unwrap();
                let ins = Kit::ins(op, Dtype::I16, dst, [a, b, 0], 16);
                k.core.issue(&if masked { repeats(ins) } else { ins }).unwrap();
                assert_eq!(defined(&mut k, dst, 2, 16), (0..8).collect::<Vec<_>>(), "{op:?} {dst} {a} {b} {masked}");
            }
        }
    }
    // Byte by byte, and bits that are known go on being known.
    let mut k = Kit::new();
    k.core.issue(&fill(X, 0x00ff, 16)).unwrap();
    k.core.issue(&Kit::ins(Opcode::And, Dtype::I16, Y, [X, Y, 0], 16)).unwrap();
    k.core.issue(&fill(X, 0x0fff, 16)).unwrap();
    k.core.issue(&Kit::ins(Opcode::Or, Dtype::I16, Z, [Y, X, 0], 16)).unwrap();
    assert_eq!(defined(&mut k, Y, 1, 4), [1, 3]);
    assert_eq!(defined(&mut k, Z, 1, 4), [0, 1, 2, 3]);
    // A bit that nobody knows decides nothing.
    let mut k = Kit::new();
    k.core.issue(&Kit::ins(Opcode::And, Dtype::I16, Z, [X, Y, 0], 16)).unwrap();
    assert_eq!(defined(&mut k, Z, 1, 4), []);
}

#[test]
fn constants_of_the_kernel_itself_may_be_read() {
    static TABLE: [u32; 16] = [7; 16];
    let mut k = Kit::with_extents(1);
    let at = |k: &Kit, p: usize| p.wrapping_sub(k.gm.0.as_ptr() as usize);
    let table = at(&k, TABLE.as_ptr() as usize);
    k.copy_in(X, table, 64).unwrap();
    k.sync("MTE2_S");
    k.get(X).unwrap();
    k.gm_scalar(table, GmAccess::Read).unwrap();
    finds(k.copy_out(table, X, 64), GmBounds, &["outside of every tensor"]);
    finds(k.gm_scalar(table, GmAccess::Write), GmBounds, &["outside of every tensor"]);
    let beyond = k.core.gm_scalar(TABLE.as_ptr() as usize, 1 << 30, GmAccess::Read);
    finds(beyond, GmBounds, &["outside of every tensor"]);
    // The heap is no constant.
    let heap = Box::new([0u8; 64]);
    let heap = at(&k, heap.as_ptr() as usize);
    finds(k.copy_in(X, heap, 64), GmBounds, &["outside of every tensor"]);
}

#[test]
fn bits_of_the_cmpmask_register_are_as_defined_as_their_lanes() {
    let masked = |ins| VecIns { form: Form::MaskCount as u8, mask: [64, 0], blk: [1; 4], rep: [8; 4], count: 0, ..ins };
    let compare = |a, mode| VecIns { flags: 2, mode, ..masked(Kit::ins(Opcode::Compare, Dtype::F32, 0, [a, a, 0], 0)) };
    let select = |a, b| VecIns {
        mode: SelMode::CmpMaskSpr as u8,
        flags: 2,
        repeat: 2,
        ..masked(Kit::ins(Opcode::Select, Dtype::F32, Z, [M, a, b], 0))
    };
    let mut k = Kit::new();
    k.fill(X, 60).unwrap();
    k.fill(Y, 128).unwrap();
    k.core.issue(&compare(X, CmpMode::Eq as u8)).unwrap();
    k.core.issue(&select(Y, Y)).unwrap();
    let first = (0..60).chain(64..124).collect::<Vec<_>>();
    assert_eq!(defined(&mut k, Z, 4, 128), first);
    finds(k.get(Z + 60 * 4), Uninitialized, &["Compare<float", "read first"]);
    // To memory and back.
    let moves = |op, at| Kit::ins(op, Dtype::U8, at, [at, 0, 0], 16);
    k.core.issue(&moves(Opcode::GetCmpMask, M)).unwrap();
    assert_eq!(defined(&mut k, M, 1, 16), [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15]);
    k.core.issue(&compare(Y, CmpMode::Eq as u8)).unwrap();
    k.core.issue(&select(Y, Y)).unwrap();
    assert_eq!(defined(&mut k, Z, 4, 128).len(), 128);
    k.core.issue(&moves(Opcode::SetCmpMask, M)).unwrap();
    k.core.issue(&select(Y, Y)).unwrap();
    assert_eq!(defined(&mut k, Z, 4, 128), first);
    // Every bit is set, so src1 counts for nothing; and none is, so src0 does not.
    for (mode, a, b) in [(CmpMode::Eq, Y, X), (CmpMode::Ne, X, Y)] {
        k.core.issue(&compare(Y, mode as u8)).unwrap();
        k.core.issue(&select(a, b)).unwrap();
        assert_eq!(defined(&mut k, Z, 4, 128).len(), 128, "{mode:?}");
        k.core.issue(&select(b, a)).unwrap();
        assert_eq!(defined(&mut k, Z, 4, 128), (0..60).collect::<Vec<_>>(), "{mode:?}");
    }
}

#[test]
fn too_small_a_workspace_is_the_tiling_functions_doing() {
    let gm = Box::new(Memory([0; 4096]));
    let base = gm.0.as_ptr() as usize;
    let part = |at, bytes, name: &str, role| Extent { base: base + at, bytes, name: name.into(), role };
    let extents = vec![part(0, 64, "workspace_of_x", Role::PartOutput), part(1024, 64, "w", Role::Workspace)];
    let mut k = Kit::on(Arc::new(LaunchRecord::new(LaunchInfo { extents, ..LaunchInfo::default() }, "k", 1)), gm, 0);
    k.fill(X, 64).unwrap();
    k.sync("V_MTE3");
    for at in [1024 + 32, 1024 + 128] {
        finds(k.copy_out(at, X, 64), GmBounds, &["asked for 64 bytes of workspace (GetWorkspaceSizes)"]);
    }
    for at in [32, 128] {
        let r = k.copy_out(at, X, 64).unwrap_err();
        assert!(r.class == GmBounds && !r.fix.contains("GetWorkspaceSizes"), "{}", r.fix);
    }
}

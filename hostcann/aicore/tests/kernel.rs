//! Real Ascend C kernels, compiled by g++ against the façade, on the engine.

use crate::support::{Aligned, Object};
use aicore::{CoreSpec, DivUlp, Engine, Fault, FaultClass, FaultOwner, Launch, Switches};
use half::{bf16, f16};
use std::{
    ffi::{c_char, c_void},
    sync::{Arc, OnceLock},
};

fn object(slot: &'static OnceLock<Object>, file: &str) -> &'static Object {
    slot.get_or_init(|| Object::build(file))
}
fn misc() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    object(&O, "misc.cpp")
}
fn modk() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    object(&O, "mod.cpp")
}

fn engine(threads: usize) -> Engine {
    Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), threads)
}

/// In check mode: the kernels of these tests follow every rule of the device unless their name says otherwise.
fn launch(e: &Engine, o: &Object, name: &str, key: u64, blocks: u32, args: &[*mut c_void]) -> Result<(), Fault> {
    e.run(&Launch {
        check: Some(&aicore::check::LaunchInfo::default()),
        ..Launch::new(o.kernel(name), name, key, blocks, args)
    })
}

fn run_mod<T: Copy>(e: &Engine, name: &str, x: &[T], y: &[T], blocks: u32, tile: u32) -> Vec<T> {
    let mut out = Aligned::<T>::new(x.len());
    let mut tiling = [x.len() as u32, tile];
    let args = [
        x.as_ptr() as *mut c_void,
        y.as_ptr() as *mut c_void,
        out.as_mut_ptr() as *mut c_void,
        std::ptr::null_mut(),
        tiling.as_mut_ptr() as *mut c_void,
    ];
    launch(e, modk(), name, 0, blocks, &args).unwrap_or_else(|f| panic!("{f}"));
    out.to_vec()
}

/// The chain in scalar arithmetic: the quotient's zero is +0 (float -> float Cast), NaN is canonical.
fn chain(a: f32, b: f32) -> f32 {
    let q = (a / b).trunc() + 0.0;
    let r = a - q * b;
    if r.is_nan() { f32::from_bits(0x7fc0_0000) } else { r }
}

fn operands(n: usize) -> (Vec<f32>, Vec<f32>) {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32 / 16777216.0 - 0.5) * 100.0
    };
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, f32::MAX, 3.0];
    let x = (0..n).map(|i| if i % 37 == 0 { special[i / 37 % 8] } else { next() }).collect();
    let y = (0..n).map(|i| if i % 41 == 0 { special[i / 41 % 8] } else { next() }).collect();
    (x, y)
}

#[test]
fn a_float_kernel_gives_exact_bits_for_every_split() {
    let e = engine(2);
    for n in [1, 7, 63, 64, 1000, 100_003] {
        let (x, y) = operands(n);
        let want: Vec<u32> = x.iter().zip(&y).map(|(a, b)| chain(*a, *b).to_bits()).collect();
        for (blocks, tile) in [(1, 4096), (40, 4096), (3, 64), (48, 1024)] {
            let got: Vec<u32> = run_mod(&e, "mod_f32", &x, &y, blocks, tile).iter().map(|v| v.to_bits()).collect();
            assert_eq!(got, want, "n {n} blocks {blocks} tile {tile}");
        }
    }
}

#[test]
fn sixteen_bit_kernels() {
    let e = engine(2);
    let (x, y) = operands(10_001);
    let h = |v: &[f32]| v.iter().map(|v| f16::from_f32(*v)).collect::<Vec<_>>();
    let (hx, hy) = (h(&x), h(&y));
    for (i, r) in run_mod(&e, "mod_f16", &hx, &hy, 7, 1024).iter().enumerate() {
        let want = f16::from_f32(chain(hx[i].to_f32(), hy[i].to_f32()));
        assert!(r.to_bits() == want.to_bits() || (r.is_nan() && want.is_nan()), "{} % {}: {r} {want}", hx[i], hy[i]);
    }
    let b = |v: &[f32]| v.iter().map(|v| bf16::from_f32(*v)).collect::<Vec<_>>();
    let (bx, by) = (b(&x), b(&y));
    for (i, r) in run_mod(&e, "mod_bf16", &bx, &by, 7, 1024).iter().enumerate() {
        let want = bf16::from_f32(chain(bx[i].to_f32(), by[i].to_f32()));
        assert!(r.to_bits() == want.to_bits() || (r.is_nan() && want.is_nan()), "{} % {}: {r} {want}", bx[i], by[i]);
    }
}

#[test]
fn identity_masks_and_scalars() {
    let e = engine(2);
    let mut out = Aligned::<i32>::new(40 * 16);
    launch(&e, misc(), "identity", 7, 40, &[out.as_mut_ptr() as *mut c_void]).unwrap();
    let got: Vec<i32> = out.iter().copied().step_by(16).collect();
    let want: Vec<i32> = (0..40).map(|i| i * 100000 + 10010 + 40).collect();
    assert_eq!(got, want);
}

#[test]
fn a_copy_kernel_through_tquebind() {
    let input: Vec<f32> = (0..640).map(|i| i as f32).collect();
    let mut out = vec![0f32; 640];
    let args = [input.as_ptr() as *mut c_void, out.as_mut_ptr() as *mut c_void];
    launch(&engine(1), misc(), "copy_bind", 0, 1, &args).unwrap();
    assert_eq!(out, input);
}

#[test]
fn broadcast_compare_select_reduce() {
    let mut out = vec![0f32; 514];
    launch(&engine(1), misc(), "mixture", 0, 1, &[out.as_mut_ptr() as *mut c_void]).unwrap();
    for (i, got) in out.iter().enumerate().take(512) {
        let v = (i + i / 64) as f32;
        assert_eq!(*got, if v >= 100.0 { v } else { 0.0 }, "{i}");
    }
    assert_eq!((out[512], out[513].to_bits()), (518.0, 511));
}

#[test]
fn a_fault_is_an_error_and_the_engine_stays_usable() {
    let e = engine(2);
    let mut destroyed = 0i32;
    let f = launch(&e, misc(), "fault_misaligned", 0, 3, &[&raw mut destroyed as *mut c_void]).unwrap_err();
    assert_eq!(
        (f.owner, f.class, f.core, f.kernel.as_str()),
        (FaultOwner::Kernel, FaultClass::Alignment, 2, "fault_misaligned")
    );
    assert_eq!(f.instruction, "Add<float>");
    assert!(f.message.contains("src1") && f.message.contains("offset 20"), "{f}");
    // Blocks 0, 1 and the unwound block 2 ran their destructors.
    assert_eq!(destroyed, 3);
    // The kernel's line, not that of the header the call was inlined from.
    let l = f.location.as_ref().expect("kernel objects have line numbers");
    let source = include_str!("kernels/misc.cpp");
    let line = 1 + source.lines().position(|l| l.contains("Add(x, x, x[5], 64);")).unwrap();
    assert!(l.file.ends_with("misc.cpp") && l.line as usize == line, "{l}, expected line {line}");
    let mut out = Aligned::<i32>::new(8 * 16);
    launch(&e, misc(), "identity", 7, 8, &[out.as_mut_ptr() as *mut c_void]).unwrap();
    assert_eq!(out[5 * 16], 5 * 100000 + 10010 + 8);
}

#[test]
fn every_fault_names_its_rule() {
    let e = engine(1);
    for (kernel, owner, class, text) in [
        ("fault_no_free_buffer", FaultOwner::Kernel, FaultClass::Queue, "no free buffer"),
        ("fault_bf16_round_none", FaultOwner::Kernel, FaultClass::CastMode, "CAST_RINT"),
        ("fault_wait", FaultOwner::Kernel, FaultClass::Event, "never set"),
        ("fault_cross_core", FaultOwner::Kernel, FaultClass::Event, "mode 1 joins cores that a block does not have"),
        ("fault_null_gm", FaultOwner::Kernel, FaultClass::NullPointer, "SetGlobalBuffer"),
        ("fault_no_tiling", FaultOwner::Kernel, FaultClass::NullPointer, "tiling"),
    ] {
        let f = launch(&e, misc(), kernel, 0, 4, &[]).unwrap_err();
        let shown = f.to_string();
        assert_eq!((f.owner, f.class), (owner, class), "{shown}");
        assert!(shown.contains(text) && shown.contains(kernel), "{shown}");
    }
    for (blocks, got) in [(0, "got 0."), (65_536, "got 65536."), (u32::MAX, "got 4294967295 (-1 as a signed number).")]
    {
        let fault = launch(&e, misc(), "identity", 7, blocks, &[]).unwrap_err();
        assert!(fault.message.contains("blockDim") && fault.message.contains("expected 1 to 65535"), "{fault}");
        assert!(fault.message.contains(got), "{fault}");
    }
}

#[test]
fn tiling_data_is_read_in_every_form() {
    let (mut out, tiling) = ([0i32; 5], [7i32, 8, 9]);
    let args = [out.as_mut_ptr() as *mut c_void, tiling.as_ptr() as *mut c_void];
    launch(&engine(1), misc(), "tiling_forms", 1, 1, &args).unwrap();
    assert_eq!(out, [7, 8, 9, 7, 9]);
}

#[test]
fn several_streams_at_once() {
    let e = engine(2);
    let (x, y) = operands(20_000);
    let want: Vec<u32> = x.iter().zip(&y).map(|(a, b)| chain(*a, *b).to_bits()).collect();
    std::thread::scope(|s| {
        for t in 0..4u32 {
            let (e, x, y, want) = (&e, &x, &y, &want);
            s.spawn(move || {
                for i in 0..20 {
                    if t == 3 && i % 2 == 0 {
                        assert!(launch(e, misc(), "fault_wait", 0, 9, &[]).is_err());
                    } else {
                        let got = run_mod(e, "mod_f32", x, y, 1 + (t + i) % 40, 2048);
                        assert!(got.iter().zip(want).all(|(g, w)| g.to_bits() == *w));
                    }
                }
            });
        }
    });
}

#[test]
fn switches_reach_the_kernel() {
    let spec = CoreSpec::npu_2201("Ascend910B3", 196608);
    let e = Engine::new(spec, Switches { div_ulp: DivUlp::Minus, ..Switches::default() }, 1);
    // 6 / 3 one ulp low truncates to 1, so 3 is left.
    assert_eq!(run_mod(&e, "mod_f32", &[6.0f32], &[3.0f32], 1, 64), [3.0]);
}

#[test]
fn host_unit_tests_run_kernels() {
    let o = Object::build("icpu.cpp");
    // SAFETY: the signature that kernels/icpu.cpp gives it.
    let main = unsafe {
        std::mem::transmute::<*mut c_void, extern "C-unwind" fn(*mut c_char, u32) -> i32>(o.symbol("icpu_main"))
    };
    aicore::set_icpu_engine(|| Ok(Arc::new(engine(2))));
    let mut text = vec![0u8; 512];
    assert_eq!(main(text.as_mut_ptr() as *mut c_char, 512), 0);
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("Twice") && text.contains("global memory address is null"), "{text}");
}

#[test]
fn count_forms_can_leave_the_mask_to_the_registers() {
    let mut out = vec![0f32; 256];
    launch(&engine(1), misc(), "registers_decide", 0, 1, &[out.as_mut_ptr() as *mut c_void]).unwrap();
    assert_eq!(out[..5], [4.0, 4.0, 4.0, 4.0, 3.0]);
    assert!(out[4..100].iter().all(|v| *v == 3.0) && out[100..255].iter().all(|v| *v == 0.0));
    assert_eq!(out[255], 16.0);
}

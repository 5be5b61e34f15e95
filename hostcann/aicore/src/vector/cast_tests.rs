use super::*;
use crate::base::ins::{Opcode, VecIns};
use crate::{
    base::{float::F32_NAN, switches::Switches},
    testkit::{A, Bench, DST},
};
use half::{bf16, f16};

const MODES: [u8; 6] = [0, 1, 2, 3, 4, 5];

/// Rounds a value exactly representable as f64 to an integer.
fn integer(x: f64, mode: u8) -> f64 {
    match mode {
        2 => x.floor(),
        3 => x.ceil(),
        4 => x.round(),
        5 => x.trunc(),
        _ => x.round_ties_even(),
    }
}

fn clamp(x: f64, mode: u8, lo: f64, hi: f64) -> i64 {
    if x.is_nan() { 0 } else { integer(x, mode).clamp(lo, hi) as i64 }
}

/// Rounds to the grid of a format with `p` significant bits and smallest exponent `emin`, independent of bit tricks.
fn to_format(x: f64, mode: u8, p: i32, emin: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exp = x.abs().log2().floor() as i32;
    // log2 may land on the wrong side of a power of two.
    let exp = if x.abs() < 2f64.powi(exp) {
        exp - 1
    } else if x.abs() >= 2f64.powi(exp + 1) {
        exp + 1
    } else {
        exp
    };
    let ulp = 2f64.powi(exp.max(emin) - (p - 1));
    let q = x / ulp;
    let r = if mode == 6 {
        let t = q.trunc();
        if t != q && t % 2.0 == 0.0 { t + q.signum() } else { t }
    } else {
        integer(q, mode)
    };
    (r * ulp).copysign(x)
}

fn half_bits(x: f64, mode: u8) -> u16 {
    if x.is_nan() {
        return 0x7e00;
    }
    let r = to_format(x, mode, 11, -14);
    let big = x.abs() >= 65536.0 || r.abs() >= 65536.0;
    if big { f16::INFINITY.to_bits() | if x < 0.0 { 0x8000 } else { 0 } } else { f16::from_f64(r).to_bits() }
}

fn bf16_bits(x: f32, mode: u8) -> u16 {
    if x.is_nan() { 0x7fc0 } else { bf16::from_f64(to_format(x as f64, mode, 8, -126)).to_bits() }
}

fn all() -> Vec<u16> {
    (0..=u16::MAX).collect()
}

/// Runs in pieces, since 65536 values of 4 bytes exceed the buffer of a test operand.
fn cast<S: Copy, D: Copy>(t: &mut Bench, s: Dtype, d: Dtype, mode: u8, v: &[S]) -> Vec<D> {
    v.chunks(5003).flat_map(|c| t.cast::<S, D>(s, d, mode, c).unwrap()).collect()
}

#[test]
fn every_half_to_every_type_and_mode() {
    let mut t = Bench::new();
    let v = |h: &u16| f16::from_bits(*h).to_f64();
    for mode in MODES {
        let i8s: Vec<i8> = all().iter().map(|h| clamp(v(h), mode, -128.0, 127.0) as i8).collect();
        assert_eq!(cast::<u16, i8>(&mut t, Dtype::F16, Dtype::I8, mode, &all()), i8s, "{mode}");
        let u8s: Vec<u8> = all().iter().map(|h| clamp(v(h), mode, 0.0, 255.0) as u8).collect();
        assert_eq!(cast::<u16, u8>(&mut t, Dtype::F16, Dtype::U8, mode, &all()), u8s, "{mode}");
        if mode == 0 {
            continue;
        }
        let i16s: Vec<i16> = all().iter().map(|h| clamp(v(h), mode, -32768.0, 32767.0) as i16).collect();
        assert_eq!(cast::<u16, i16>(&mut t, Dtype::F16, Dtype::I16, mode, &all()), i16s, "{mode}");
        let i32s: Vec<i32> = all().iter().map(|h| clamp(v(h), mode, -2147483648.0, 2147483647.0) as i32).collect();
        assert_eq!(cast::<u16, i32>(&mut t, Dtype::F16, Dtype::I32, mode, &all()), i32s, "{mode}");
        let b = |h: &u16| bf16::from_bits(*h).to_f64();
        let i32s: Vec<i32> = all().iter().map(|h| clamp(b(h), mode, -2147483648.0, 2147483647.0) as i32).collect();
        assert_eq!(cast::<u16, i32>(&mut t, Dtype::Bf16, Dtype::I32, mode, &all()), i32s, "{mode}");
    }
    let widened = |x: f32| if x.is_nan() { F32_NAN } else { x.to_bits() };
    let want: Vec<u32> = all().iter().map(|h| widened(f16::from_bits(*h).to_f32())).collect();
    assert_eq!(cast::<u16, u32>(&mut t, Dtype::F16, Dtype::F32, 0, &all()), want);
    let want: Vec<u32> = all().iter().map(|h| widened(bf16::from_bits(*h).to_f32())).collect();
    assert_eq!(cast::<u16, u32>(&mut t, Dtype::Bf16, Dtype::F32, 0, &all()), want);
}

#[test]
fn every_int16_and_int8_to_float_types() {
    let mut t = Bench::new();
    let ints: Vec<i16> = all().iter().map(|v| *v as i16).collect();
    let want: Vec<f32> = ints.iter().map(|v| *v as f32).collect();
    assert_eq!(cast::<i16, f32>(&mut t, Dtype::I16, Dtype::F32, 0, &ints), want);
    for mode in MODES {
        let want: Vec<u16> = ints.iter().map(|v| half_bits(*v as f64, mode)).collect();
        assert_eq!(cast::<i16, u16>(&mut t, Dtype::I16, Dtype::F16, mode, &ints), want, "{mode}");
    }
    let bytes: Vec<u8> = (0..=255).collect();
    let want: Vec<u16> = bytes.iter().map(|v| f16::from_f32(*v as f32).to_bits()).collect();
    assert_eq!(cast::<u8, u16>(&mut t, Dtype::U8, Dtype::F16, 0, &bytes), want);
    let want: Vec<u16> = bytes.iter().map(|v| f16::from_f32(*v as i8 as f32).to_bits()).collect();
    assert_eq!(cast::<u8, u16>(&mut t, Dtype::I8, Dtype::F16, 0, &bytes), want);
}

/// Every half and bfloat16, the midpoints between neighbours and their neighbours, specials, a coarse sweep.
fn floats() -> Vec<f32> {
    let around = |x: f32| [f32::from_bits(x.to_bits().wrapping_sub(1)), x, f32::from_bits(x.to_bits() + 1)];
    let halves = (0..0x7c00u16).step_by(3).flat_map(|h| {
        let (a, b) = (f16::from_bits(h).to_f32(), f16::from_bits(h + 1).to_f32());
        around(a).into_iter().chain(around(if b.is_finite() { (a + b) / 2.0 } else { 65520.0 }))
    });
    let bfs = (0..0x7f80u16).step_by(5).flat_map(|h| around(f32::from_bits((h as u32) << 16 | 0x8000)));
    let near = [
        0.0,
        0.3,
        0.5,
        0.7,
        1.0,
        1.5,
        2.5,
        3.5,
        127.5,
        32766.5,
        32767.0,
        32767.5,
        32768.0,
        2147483520.0,
        2147483648.0,
        9.3e18,
        1e20,
        8388607.5,
        4194304.5,
        0.49999997,
    ];
    let sweep = (0..u32::MAX).step_by(77_773).map(f32::from_bits);
    let all: Vec<f32> = halves.chain(bfs).chain(near).chain([f32::INFINITY, f32::NAN, f32::MAX]).chain(sweep).collect();
    all.iter().flat_map(|x| [*x, -*x]).collect()
}

#[test]
fn float_to_half_and_bf16_in_every_mode() {
    let mut t = Bench::new();
    let x = floats();
    for mode in 0..=6 {
        let got = cast::<f32, u16>(&mut t, Dtype::F32, Dtype::F16, mode, &x);
        for (x, g) in x.iter().zip(&got) {
            assert_eq!(*g, half_bits(*x as f64, mode), "{x:e} mode {mode}");
        }
    }
    for mode in 1..=5 {
        let got = cast::<f32, u16>(&mut t, Dtype::F32, Dtype::Bf16, mode, &x);
        for (x, g) in x.iter().zip(&got) {
            assert_eq!(*g, bf16_bits(*x, mode), "{x:e} mode {mode}");
        }
    }
}

#[test]
fn float_to_integers_and_integral_floats() {
    let mut t = Bench::new();
    let x = floats();
    for mode in 1..=5 {
        let want: Vec<i16> = x.iter().map(|v| clamp(*v as f64, mode, -32768.0, 32767.0) as i16).collect();
        assert_eq!(cast::<f32, i16>(&mut t, Dtype::F32, Dtype::I16, mode, &x), want, "{mode}");
        let want: Vec<i32> = x.iter().map(|v| clamp(*v as f64, mode, -2147483648.0, 2147483647.0) as i32).collect();
        assert_eq!(cast::<f32, i32>(&mut t, Dtype::F32, Dtype::I32, mode, &x), want, "{mode}");
        let want: Vec<i64> = x.iter().map(|v| if v.is_nan() { 0 } else { integer(*v as f64, mode) as i64 }).collect();
        assert_eq!(cast::<f32, i64>(&mut t, Dtype::F32, Dtype::I64, mode, &x), want, "{mode}");
        let want: Vec<u32> = x
            .iter()
            .map(|v| {
                let r = integer(*v as f64, mode) as f32;
                if r.is_nan() {
                    F32_NAN
                } else if r == 0.0 {
                    0
                } else {
                    r.to_bits()
                }
            })
            .collect();
        assert_eq!(cast::<f32, u32>(&mut t, Dtype::F32, Dtype::F32, mode, &x), want, "{mode}");
    }
}

#[test]
fn integer_sources() {
    let mut t = Bench::new();
    let mut x: Vec<i32> = (0..40000).map(|i: i32| i.wrapping_mul(-1640531527)).collect();
    x.extend([0, 1, -1, 16777216, 16777217, 16777219, -16777217, i32::MAX, i32::MIN, 32767, 32768, -32769]);
    for mode in MODES {
        let want: Vec<f32> = x.iter().map(|v| to_format(*v as f64, mode, 24, -126) as f32).collect();
        assert_eq!(cast::<i32, f32>(&mut t, Dtype::I32, Dtype::F32, mode, &x), want, "{mode}");
    }
    let want: Vec<i16> = x.iter().map(|v| (*v).clamp(-32768, 32767) as i16).collect();
    assert_eq!(cast::<i32, i16>(&mut t, Dtype::I32, Dtype::I16, 0, &x), want);
    let wide: Vec<i64> = x.iter().map(|v| *v as i64).collect();
    assert_eq!(cast::<i32, i64>(&mut t, Dtype::I32, Dtype::I64, 0, &x), wide);
    let big: Vec<i64> = wide.iter().map(|v| v << 9 | 5).chain([i64::MAX, i64::MIN, 1 << 62]).collect();
    let want: Vec<i32> = big.iter().map(|v| (*v).clamp(i32::MIN as i64, i32::MAX as i64) as i32).collect();
    assert_eq!(cast::<i64, i32>(&mut t, Dtype::I64, Dtype::I32, 0, &big), want);
    let want: Vec<f32> = big.iter().map(|v| *v as f32).collect();
    assert_eq!(cast::<i64, f32>(&mut t, Dtype::I64, Dtype::F32, 1, &big), want);
    for mode in 2..=5 {
        // 41-bit values are exact doubles.
        let n = big.len() - 3;
        let want: Vec<f32> = big[..n].iter().map(|v| to_format(*v as f64, mode, 24, -126) as f32).collect();
        assert_eq!(cast::<i64, f32>(&mut t, Dtype::I64, Dtype::F32, mode, &big[..n]), want, "{mode}");
    }
    assert!(t.cast::<i32, u16>(Dtype::I32, Dtype::F16, 0, &x[..8]).unwrap_err().expected.contains("SetDeqScale"));
    t.core.machine.deq_scale = Some(f16::from_f32(0.5).to_bits() as u64);
    let want: Vec<u16> = x.iter().map(|v| half_bits(*v as f64 * 0.5, 1)).collect();
    assert_eq!(cast::<i32, u16>(&mut t, Dtype::I32, Dtype::F16, 0, &x), want);
}

#[test]
fn illegal_modes_and_pairs_fault() {
    let mut t = Bench::new();
    let types = (0..=13).map(|c| Dtype::from_code(c).unwrap()).collect::<Vec<_>>();
    let mut pairs = 0;
    for s in &types {
        for d in &types {
            let legal = legal_modes(*s, *d);
            pairs += !legal.is_empty() as u32;
            for mode in 0..=7 {
                t.core.machine.deq_scale = Some(0x3c00);
                let r = t.core.issue(&VecIns { mode, ..Bench::ins(Opcode::Cast, *d, *s, 64) });
                let free = (*s, *d) == (Dtype::I32, Dtype::F16);
                assert_eq!(r.is_ok(), legal.contains(&mode) || free, "{} -> {} mode {mode}", s.name(), d.name());
            }
        }
    }
    assert_eq!(pairs, 25);
    let e = t.core.issue(&Bench::ins(Opcode::Cast, Dtype::Bf16, Dtype::F32, 64)).unwrap_err();
    assert_eq!(e.class, FaultClass::CastMode);
    assert!(e.got == "CAST_NONE" && e.expected.starts_with("CAST_RINT"), "{e:?}");
}

#[test]
fn saturation_mode_bounds_narrow_floats() {
    let mut t = Bench::with(Switches { saturation: crate::Saturation::Saturate, ..Switches::default() });
    let x = [1e6f32, f32::NEG_INFINITY, f32::NAN, 1.0];
    assert_eq!(t.cast::<f32, u16>(Dtype::F32, Dtype::F16, 1, &x).unwrap(), [0x7bff, 0xfbff, 0, 0x3c00]);
    let x = [f32::MAX, f32::NEG_INFINITY, f32::NAN, 1.0];
    assert_eq!(t.cast::<f32, u16>(Dtype::F32, Dtype::Bf16, 1, &x).unwrap(), [0x7f7f, 0xff7f, 0, 0x3f80]);
}

#[test]
fn casts_to_integers_keep_the_low_bits_on_request() {
    // SetSaturationFlag page, CAST switched off: "cut to the bits of the target type, the low ones stay".
    let mut t = Bench::new();
    t.core.machine.ctrl.0 |= 1 << 59;
    assert_eq!(t.cast::<i32, i16>(Dtype::I32, Dtype::I16, 0, &[70_000, -1, i32::MIN]).unwrap(), [4464, -1, 0]);
    assert_eq!(t.cast::<i64, i32>(Dtype::I64, Dtype::I32, 0, &[1 << 32 | 5, -7]).unwrap(), [5, -7]);
    let big = [300.5f32, -129.0, 65537.9, 4294967296.0 + 512.0];
    assert_eq!(t.cast::<f32, i16>(Dtype::F32, Dtype::I16, 5, &big).unwrap(), [300, -129, 1, 512]);
    assert_eq!(t.cast::<f32, i32>(Dtype::F32, Dtype::I32, 5, &big).unwrap(), [300, -129, 65537, 512]);
    assert_eq!(t.cast::<f32, i64>(Dtype::F32, Dtype::I64, 5, &[2f32.powi(63) * 3.0]).unwrap(), [i64::MIN]);
    let half = [300.5f32, -129.5, 256.0].map(|x| f16::from_f32(x).to_bits());
    assert_eq!(t.cast::<u16, i8>(Dtype::F16, Dtype::I8, 2, &half).unwrap(), [44, 126, 0]);
    assert_eq!(t.cast::<u16, u8>(Dtype::F16, Dtype::U8, 3, &half).unwrap(), [45, 127, 0]);
}

#[test]
fn repeat_forms_count_lanes_in_the_wider_type() {
    use crate::abi::Form;
    let mut t = Bench::new();
    let h: Vec<u16> = (0..128).map(|i| f16::from_f32(i as f32).to_bits()).collect();
    t.put(A, &h);
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        repeat: 2,
        mode: 5,
        rep: [8, 4, 0, 0],
        ..Bench::ins(Opcode::Cast, Dtype::I32, Dtype::F16, 0)
    };
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<i32>(DST, 128), (0..128).collect::<Vec<_>>());
}

#[test]
fn int4_packs_two_elements_into_a_byte() {
    let mut t = Bench::new();
    let x: Vec<u16> = [0.5, 1.5, -2.5, 7.4, 7.6, 100.0, -8.5, -100.0, f32::NAN, f32::INFINITY, 3.0]
        .map(|x| f16::from_f32(x).to_bits())
        .to_vec();
    for (mode, want) in [
        (0, [0, 2, -2, 7, 7, 7, -8, -8, 0, 7, 3]),
        (1, [0, 2, -2, 7, 7, 7, -8, -8, 0, 7, 3]),
        (2, [0, 1, -3, 7, 7, 7, -8, -8, 0, 7, 3]),
        (3, [1, 2, -2, 7, 7, 7, -8, -8, 0, 7, 3]),
        (4, [1, 2, -3, 7, 7, 7, -8, -8, 0, 7, 3]),
        (5, [0, 1, -2, 7, 7, 7, -8, -8, 0, 7, 3i8]),
    ] {
        t.put(A, &x);
        t.put(DST, &[0xaau8; 8]);
        t.core.issue(&VecIns { mode, ..Bench::ins(Opcode::Cast, Dtype::I4, Dtype::F16, x.len()) }).unwrap();
        let got = t.get::<u8>(DST, 8);
        let mut bytes = [0xaau8; 8];
        for (i, v) in want.iter().enumerate() {
            let shift = i % 2 * 4;
            bytes[i / 2] = bytes[i / 2] & !(15 << shift) | (*v as u8 & 15) << shift;
        }
        assert_eq!(got, bytes, "mode {mode}");
        t.put(A, &got);
        let back = t.run::<u16>(&Bench::ins(Opcode::Cast, Dtype::F16, Dtype::I4, x.len()), x.len()).unwrap();
        assert_eq!(back, want.map(|v| f16::from_f32(v as f32).to_bits()), "mode {mode}");
    }
    let e = t.core.issue(&VecIns { mode: 1, ..Bench::ins(Opcode::Cast, Dtype::F16, Dtype::I4, 8) }).unwrap_err();
    assert_eq!(e.class, FaultClass::CastMode);
    t.core.machine.ctrl.0 |= 1 << 59;
    t.put(A, &[f16::from_f32(17.0).to_bits(); 2]);
    assert_eq!(t.run::<u8>(&Bench::ins(Opcode::Cast, Dtype::I4, Dtype::F16, 2), 1).unwrap(), [0x11]);
}

#[test]
fn repeats_of_int4_fill_two_blocks() {
    // The example of the Cast page: half to int4b_t with {1, 1, 2, 8}; the mask counts halves.
    use crate::abi::Form;
    let mut t = Bench::new();
    let x: Vec<u16> = (0..256).map(|i| f16::from_f32((i % 16 - 8) as f32).to_bits()).collect();
    t.put(A, &x);
    t.put(DST, &[0u8; 128]);
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [101, 0],
        repeat: 2,
        mode: 3,
        rep: [2, 8, 0, 0],
        ..Bench::ins(Opcode::Cast, Dtype::I4, Dtype::F16, 0)
    };
    t.core.issue(&ins).unwrap();
    for (i, byte) in t.get::<u8>(DST, 128).into_iter().enumerate() {
        let nibble = |e: usize| if e % 128 < 101 { (e % 16).wrapping_sub(8) as u8 & 15 } else { 0 };
        assert_eq!(byte, nibble(2 * i) | nibble(2 * i + 1) << 4, "{i}");
    }
    let packed = t.get::<u8>(DST, 128);
    t.put(A, &packed);
    let back = VecIns { rep: [8, 2, 0, 0], mode: 0, dtype: Dtype::F16 as u8, stype: Dtype::I4 as u8, ..ins };
    t.put(DST, &[0u16; 256]);
    t.core.issue(&back).unwrap();
    let want: Vec<u16> = x.iter().enumerate().map(|(i, v)| if i % 128 < 101 { *v } else { 0 }).collect();
    assert_eq!(t.get::<u16>(DST, 256), want);
}

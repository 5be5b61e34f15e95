//! Gathering, reducing and sorting kernels, compiled by g++ against the façade.

use crate::support::Object;
use aicore::{CoreSpec, Engine, Launch, Switches};
use std::{ffi::c_void, sync::OnceLock};

fn run(name: &str, args: &[*mut c_void]) {
    static O: OnceLock<Object> = OnceLock::new();
    let object = O.get_or_init(|| Object::build("moves.cpp"));
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    e.run(&Launch::new(object.kernel(name), name, 0, 1, args)).unwrap_or_else(|f| panic!("{f}"));
}

fn pointer<T>(x: &mut [T]) -> *mut c_void {
    x.as_mut_ptr() as *mut c_void
}

/// Many equal keys, zeros of both signs, infinities, and NaN of both signs in every `nan`th place; 0: none.
fn keys(n: u32, nan: u32) -> Vec<f32> {
    let key = |i: u32| match (i * 7919) % 101 {
        _ if nan > 0 && i % nan == nan / 2 => f32::NAN.copysign(if i.is_multiple_of(2) { 1.0 } else { -1.0 }),
        0 => f32::INFINITY,
        1 => f32::NEG_INFINITY,
        50 if i.is_multiple_of(2) => -0.0,
        k => k as f32 - 50.0,
    };
    (0..n).map(key).collect()
}

/// What the instruction's pages say, by a sort of ranks: NaN first (TopK page), then descending; equal ones as they come.
fn ranked(run: &[f32], first: usize) -> Vec<usize> {
    let rank = |x: f32| match x {
        _ if x.is_nan() => (0, 0.0),
        // Both zeros are one.
        _ => (1, 0.0 - x),
    };
    let mut order: Vec<usize> = (0..run.len()).collect();
    order.sort_by(|&a, &b| rank(run[a]).partial_cmp(&rank(run[b])).unwrap());
    order.into_iter().map(|i| first + i).collect()
}

fn sorts<T: Copy + Default>(kernel: &str, of: impl Fn(f32) -> T, bits: impl Fn(T) -> u32) {
    for n in [32u32, 64, 96, 128, 160, 512, 544, 2048, 4096] {
        for nan in [0, n, 31, 7, 1] {
            let (x, mut size) = (keys(n, nan), [n]);
            let mut given: Vec<T> = x.iter().copied().map(&of).collect();
            let (mut values, mut indices) = (vec![T::default(); n as usize], vec![0u32; n as usize]);
            run(kernel, &[pointer(&mut given), pointer(&mut values), pointer(&mut indices), pointer(&mut size)]);
            let run = if kernel.contains("full") { n as usize } else { 32 };
            let order: Vec<usize> = x.chunks(run).enumerate().flat_map(|(i, x)| ranked(x, i * run)).collect();
            let want: Vec<(u32, u32)> = order.iter().map(|&i| (bits(given[i]), i as u32)).collect();
            let got: Vec<(u32, u32)> = values.iter().map(|v| bits(*v)).zip(indices).collect();
            assert_eq!(got, want, "{kernel} of {n}, NaN in every {nan}th place");
        }
    }
}

#[test]
fn a_sort_is_stable_and_puts_nan_first_for_every_number_of_runs() {
    for kernel in ["sort_full_f32", "sort_runs_f32"] {
        sorts(kernel, |x| x, f32::to_bits);
    }
    for kernel in ["sort_full_f16", "sort_runs_f16"] {
        sorts(kernel, |x| half::f16::from_f32(x).to_bits(), u32::from);
    }
}

#[test]
fn reductions_and_registers() {
    let mut x: Vec<f32> = (0..256).map(|i| ((i * 37) % 251) as f32).collect();
    let mut out = vec![0f32; 64];
    let mut counts = [0u64; 8];
    run("reduce_and_gather", &[pointer(&mut x), pointer(&mut out), pointer(&mut counts)]);
    let row = |r: usize| &x[r * 64..r * 64 + 64];
    let max = |r: usize| row(r).iter().copied().fold(f32::MIN, f32::max);
    for r in 0..4 {
        assert_eq!(out[2 * r], max(r));
        assert_eq!(out[2 * r + 1].to_bits() as usize, row(r).iter().position(|v| *v == max(r)).unwrap());
        assert_eq!(out[8 + r], row(r).iter().sum::<f32>());
    }
    let top = x.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(counts[0], top.to_bits() as u64);
    assert_eq!(counts[1] as usize, x.iter().position(|v| *v == top).unwrap());
    let sum: f32 = x.iter().sum();
    assert_eq!((out[12], out[13], counts[2]), (sum, sum, sum.to_bits() as u64));
    assert_eq!(counts[3], 16);
    assert_eq!(out[16..32], (0..16).map(|i| x[4 * i]).collect::<Vec<_>>());
    assert_eq!(out[32..48], (0..16).map(|i| x[i].max(x[64 + i])).collect::<Vec<_>>());
    assert_eq!(out[48..], [0.0; 16]);
}

#[test]
fn operators_over_whole_tensors() {
    let mut x: Vec<f32> = (0..256).map(|i| ((i * 37) % 251) as f32).collect();
    let mut out = vec![0f32; 320];
    run("operators", &[pointer(&mut x), pointer(&mut out)]);
    for i in 0..64 {
        let (a, b) = (x[i], x[128 + i]);
        assert_eq!((out[i], out[64 + i], out[128 + i]), (a + b, a - b, (a + b) * (a - b)));
        assert_eq!(out[192 + i].to_bits(), a.to_bits() | b.to_bits());
        assert_eq!(out[256 + i / 32].to_bits() >> (i % 32) & 1 != 0, a < b);
    }
    assert_eq!(out[258..], [0.0; 62]);
}

#[test]
fn saturation_and_pad_registers() {
    let mut x: Vec<u16> = (0..64).map(|i| if i % 2 == 0 { 0x7bff } else { 0x3c00 + i }).collect();
    let mut out = vec![0u16; 384];
    let mut flags = [-1i64; 8];
    run("modes", &[pointer(&mut x), pointer(&mut out), pointer(&mut flags)]);
    // Neither FLOAT nor INT, but CAST at the start; INT alone at the end.
    assert_eq!(flags[..6], [1, 4, 0, 2, 0, 1]);
    assert_eq!([0, 64, 128, 192].map(|i| out[i]), [0x7c00, 0x7bff, 0x7c00, 0x7fff]);
    // 65504 is 0xffe0.
    assert_eq!(out[256].to_le_bytes(), [0xe0, 1]);
    // The pad value, ten elements, the pad value up to 16; shifted right by one with rounding, and as it is.
    let padded: Vec<u16> = (0..16).map(|i| if (1..11).contains(&i) { x[i - 1] } else { 0x4200 }).collect();
    assert_eq!(out[320..336], padded.iter().map(|v| v.div_ceil(2)).collect::<Vec<_>>());
    assert_eq!(out[352..368], padded);
}

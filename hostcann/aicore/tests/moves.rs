//! Gathering, reducing and sorting kernels, compiled by g++ against the façade.

mod support;

use aicore::{CoreSpec, Engine, Launch, Switches};
use std::{ffi::c_void, sync::OnceLock};
use support::Object;

fn run(name: &str, args: &[*mut c_void]) {
    static O: OnceLock<Object> = OnceLock::new();
    let object = O.get_or_init(|| Object::build("moves.cpp"));
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    e.run(&Launch::new(object.kernel(name), name, 0, 1, args)).unwrap_or_else(|f| panic!("{f}"));
}

fn pointer<T>(x: &mut [T]) -> *mut c_void {
    x.as_mut_ptr() as *mut c_void
}

#[test]
fn a_full_sort_is_stable_for_every_number_of_runs() {
    for n in [32u32, 64, 96, 128, 160, 512, 544, 2048, 4096] {
        let mut x: Vec<f32> = (0..n).map(|i| ((i * 7919) % 101) as f32 - 50.0).collect();
        let mut out = vec![0f32; 2 * n as usize];
        let mut size = [n];
        run("sort_all", &[pointer(&mut x), pointer(&mut out), pointer(&mut size)]);
        let mut want: Vec<(f32, u32)> = x.iter().copied().zip(0..).collect();
        want.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
        let got: Vec<(f32, u32)> = (0..n as usize).map(|i| (out[i], out[n as usize + i].to_bits())).collect();
        assert_eq!(got, want, "{n}");
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

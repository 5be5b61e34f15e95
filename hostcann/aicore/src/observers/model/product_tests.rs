//! Products whose time somebody has published, against their price.

use super::*;

/// A product on one core: what it is called in the documents of asc-devkit, MHz, M, N and K of the core, its base block, the
/// bytes in a row of A and of B, B stays in L1, bytes of C, vector cores that share the cube core, µs.
type Published = (&'static str, f64, [u32; 3], [u32; 3], [u32; 2], bool, u32, u32, f64);

const A2: f64 = 1850.0;
const TWENTY: f64 = 1800.0;
const BASE: [u32; 3] = [128, 256, 64];

/// What the parameters were fitted to.
const FITTED: [Published; 4] = [
    ("matmul_high_performance, case 0", A2, [8192; 3], [64; 3], [128; 2], false, 2, 1, 759_363.98),
    ("matmul_high_performance, case 1", A2, [8192; 3], BASE, [128; 2], false, 2, 1, 249_467.08),
    ("matmul_high_performance, case 3", A2, [2048, 1536, 8192], BASE, [128; 2], false, 2, 1, 12_283.84),
    ("constant tiling, before", A2, [128, 1280, 64], BASE, [128, 512], true, 2, 1, 10.62),
];

const HELD_OUT: [Published; 18] = [
    ("matmul_high_performance, case 2", A2, [4096, 683, 8192], BASE, [128; 2], false, 2, 1, 12_541.22),
    ("matmul_high_performance, case 4", A2, [2048, 1536, 8192], BASE, [256; 2], false, 2, 1, 5039.86),
    ("matmul_high_performance, case 5", A2, [2048, 1536, 8192], BASE, [1024, 512], false, 2, 1, 4156.76),
    ("tiling, 4 cores", TWENTY, [1024, 2560, 4096], [64, 64, 256], [512, 128], false, 4, 2, 12_045.0),
    ("tiling, 20 cores", TWENTY, [512, 1024, 4096], [64, 64, 256], [512, 128], false, 4, 2, 2532.0),
    ("MDL, before", A2, [128, 1280, 1024], BASE, [128, 512], false, 2, 1, 83.68),
    ("MDL, after", A2, [128, 1280, 1024], BASE, [512; 2], false, 2, 1, 53.4),
    ("cube only, before", A2, [128, 640, 64], BASE, [128, 512], true, 2, 2, 17.85),
    ("cube only, after", A2, [128, 1280, 64], BASE, [128, 512], true, 2, 1, 11.21),
    ("unit flag, before", TWENTY, [128, 1536, 64], BASE, [128, 512], true, 2, 1, 37.39),
    ("preload, before", A2, [128, 1024, 512], [128, 128, 64], [1024, 256], true, 2, 1, 30.88),
    ("NBuffer33, before", A2, [256, 256, 192], BASE, [384, 512], true, 2, 1, 34.01),
    ("K on several cores, before", A2, [16, 16, 1024], [16, 16, 64], [128, 32], false, 2, 1, 19.6),
    ("K on several cores, after", A2, [16, 16, 512], [16, 16, 64], [128, 32], false, 2, 1, 13.7),
    ("K one after the other, before", A2, [128, 512, 6144], BASE, [512; 2], false, 2, 1, 98.72),
    ("ND to NZ, before: N is 4095", A2, [128, 1408, 1024], BASE, [512; 2], false, 2, 1, 149.04),
    ("IBShare of B, before", TWENTY, [32, 256, 384], [32, 256, 64], [128, 512], true, 4, 2, 10.29),
    ("tiles of the L2, before", A2, [5120, 1024, 1024], BASE, [512; 2], false, 2, 1, 867.0),
];

/// How far off the price is, in percent: mean and largest.
fn errors(points: &[Published]) -> (f64, f64) {
    let file = toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
    let p = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap();
    let off = points.iter().map(|&(what, clock, size, base, row, b_stays, out, share, us)| {
        let dtype = Dtype::F16;
        let w = Product { dtype, hf32: false, size, base, row, is_first: true, b_stays, out, share };
        let price = product(&p, &w) / clock;
        let off = 100.0 * (price / us - 1.0);
        println!("{what:35} {us:10.2} {price:10.2} {off:+5.0} %");
        off.abs()
    });
    off.fold((0.0, 0.0), |(sum, most), off| (sum + off / points.len() as f64, f64::max(most, off)))
}

/// `--nocapture` prints the table of docs/explanation/model.md.
#[test]
fn products_are_as_far_off_as_the_error_says() {
    let (mean, largest) = errors(&FITTED);
    assert!(mean < 20.0 && largest < 30.0, "{mean} {largest}");
    let (mean, largest) = errors(&HELD_OUT);
    let file: super::super::params::ParamFile =
        toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
    let row = file.error.iter().find(|row| row.class == super::super::error_classes::PRODUCTS).unwrap();
    assert_eq!((mean.round(), largest.round()), (row.mean, row.largest.unwrap()));
    assert_eq!((row.points, row.held_out), (Some(HELD_OUT.len() as u32), true));
}

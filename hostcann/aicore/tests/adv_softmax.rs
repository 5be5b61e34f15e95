//! The Softmax functions against values computed in double (pages «SoftMax», «SimpleSoftMax», «SoftmaxFlash»,
//! «SoftmaxFlashV2», «SoftmaxGrad», «SoftmaxGradFront», «LogSoftMax», «AdjustSoftMaxRes»), checked without automatic
//! synchronisation, in the least temporary space that the toolkit's tiling functions give.

use crate::support::reals::{Real, near};
use crate::support::softmax::{Case, Run, UNTOUCHED};
use aicore::FaultClass;
use half::f16;

/// Sums of positive floats round once per part of a row and 6 times within a repeat; e^x, the product with the sum
/// before, the quotient and the store round once each. A half result rounds a float once.
fn tolerance<T: Real>(case: Case, nz: bool) -> f64 {
    if T::BYTES == 2 { 0.51 } else { (case.ori_k / if nz { 16 } else { 64 } + 10) as f64 }
}

/// Row results of a Softmax: of the matrix, and of the sums.
struct Want {
    row: Vec<f64>,
    sum: f64,
    max: f64,
    exp_max: f64,
}

/// `before`: maximum and sum of the parts before. `divided`: by the sum at once, as the first version does.
fn softmax(row: &[f64], before: Option<(f64, f64)>, divided: bool) -> Want {
    let max = row.iter().copied().fold(before.map_or(f64::NEG_INFINITY, |b| b.0), f64::max);
    let exp: Vec<f64> = row.iter().map(|x| (x - max).exp()).collect();
    let (factor, kept) = before.map_or((UNTOUCHED, 0.0), |(m, s)| ((m - max).exp(), (m - max).exp() * s));
    let sum = exp.iter().sum::<f64>() + kept;
    let exp_max = if divided && before.is_some() { factor * before.unwrap_or_default().1 / sum } else { factor };
    Want { row: exp.iter().map(|x| if divided { x / sum } else { *x }).collect(), sum, max, exp_max }
}

fn floats_of(bytes: usize) -> u32 {
    32 / bytes as u32
}

/// Rows, columns, original columns, rows of a pass.
const ND: [(u32, u32, u32, u32); 8] = [
    (1, 16, 9, 1),
    (8, 64, 64, 8),
    (5, 80, 77, 2),
    (16, 128, 128, 8),
    (17, 192, 130, 0),
    (3, 2064, 2050, 1),
    (250, 16, 15, 250),
    (40, 64, 33, 16),
];
const NZ: [(u32, u32, u32, u32); 4] = [(16, 48, 41, 16), (32, 16, 16, 8), (16, 16, 5, 0), (32, 64, 64, 7)];

/// Runs a function on all shapes; `room`: floats of temporary space per row.
fn each<T: Real, U: Real>(
    name: &str,
    nz: bool,
    packed: bool,
    room: impl Fn(u32) -> u32,
    check: impl Fn(&str, usize, &Run<T, U>),
) {
    let kind = if T::BYTES == U::BYTES { T::NAME } else { "mix" };
    let shapes: &[_] = if nz { &NZ } else { &ND };
    for &(m, k, ori_k, split) in shapes {
        // Rows that start in the middle of a block have no place of their own in a packed statistic.
        let split = if packed && (split == 0 || split % 16 != 0) { m } else { split };
        let split = if split * room(k) > 25_000 { 64 } else { split };
        let rows = if split == 0 { 3 } else { split };
        // What the pipe has left is the space of a call without one.
        let tmp_bytes = if name.contains("stack") { 32 } else { rows * room(k) * 4 };
        let case = Case { m, k, ori_m: m - m / 8, ori_k, split, tmp_bytes };
        let run = Run::<T, U>::new(case, nz, packed);
        let run = run.launch(&format!("{name}_{kind}")).unwrap_or_else(|f| panic!("{name}_{kind} {case:?}: {f}"));
        for r in 0..m as usize {
            check(&format!("{name}_{kind} {case:?} row {r}"), r, &run);
        }
    }
}

fn check_row<T: Real, U: Real>(what: &str, r: usize, run: &Run<T, U>, want: &Want, stats: bool) {
    let ulps = tolerance::<T>(run.case, run.nz);
    let row = run.row(r, &run.dst);
    for (c, want) in want.row.iter().enumerate() {
        near::<T>(&format!("{what} column {c}"), row[c], *want, ulps);
    }
    if stats {
        assert_eq!(run.stat(&run.max, r), want.max, "{what} max");
        near::<U>(&format!("{what} sum"), run.stat(&run.sum, r), want.sum, tolerance::<U>(run.case, run.nz));
    } else {
        assert_eq!((run.stat(&run.max, r), run.stat(&run.sum, r)), (UNTOUCHED, UNTOUCHED), "{what} stats");
    }
}

fn normal<T: Real, U: Real>(name: &str, nz: bool, stats: bool) {
    let room = |k| floats_of(U::BYTES) + k + 64;
    each::<T, U>(name, nz, false, room, |what, r, run| {
        check_row(what, r, run, &softmax(&run.row(r, &run.src), None, true), stats);
    });
}

#[test]
fn softmax_of_rows() {
    normal::<f32, f32>("softmax", false, true);
    normal::<f16, f16>("softmax", false, true);
    normal::<f16, f32>("softmax", false, true);
    normal::<f16, f32>("softmax_stack", false, true);
    normal::<f16, f16>("softmax_stack", false, false);
}

#[test]
fn softmax_of_fractals() {
    normal::<f32, f32>("softmax_nz", true, true);
    normal::<f16, f16>("softmax_nz", true, true);
    normal::<f16, f32>("softmax_nz", true, true);
}

/// The source becomes the result.
#[test]
fn softmax_in_place() {
    let room = |k| 8 + k + 64;
    each::<f32, f32>("softmax_in_place", false, false, room, |what, r, run| {
        check_row(what, r, run, &softmax(&run.row(r, &run.src), None, true), false);
    });
}

/// «SetShapeInfo»: a call without a shape takes the source's.
#[test]
fn softmax_of_a_tensor_that_knows_its_shape() {
    let case = Case { m: 6, k: 64, ori_m: 6, ori_k: 50, split: 6, tmp_bytes: 6 * 136 * 4 };
    let run = Run::<f32, f32>::new(case, false, false).launch("softmax_shaped_f32").unwrap_or_else(|f| panic!("{f}"));
    (0..6).for_each(|r| check_row("shaped", r, &run, &softmax(&run.row(r, &run.src), None, true), true));
}

#[test]
fn simple_softmax_takes_sums_and_maxima() {
    fn simple<T: Real, U: Real>(name: &str, nz: bool) {
        let room = |k| floats_of(U::BYTES) + k + 64;
        each::<T, U>(name, nz, false, room, |what, r, run| {
            let (max, sum) = (run.stat(&run.in_max, r), run.stat(&run.in_sum, r));
            let row = run.row(r, &run.dst);
            for (c, x) in run.row(r, &run.src).iter().enumerate() {
                let ulps = if T::BYTES == 2 { 0.51 } else { 2.0 };
                near::<T>(&format!("{what} column {c}"), row[c], (x - max).exp() / sum, ulps);
            }
        });
    }
    simple::<f32, f32>("simple", false);
    simple::<f16, f16>("simple", false);
    simple::<f16, f32>("simple", false);
    simple::<f16, f32>("simple_stack_nz", true);
}

/// The page takes the decimal logarithm of the quotient: its rounding is an absolute error of the result.
#[test]
fn log_softmax_is_decimal() {
    fn log<T: Real>() {
        each::<T, T>(
            "log",
            false,
            false,
            |k| floats_of(T::BYTES) + k + 64,
            |what, r, run| {
                let want = softmax(&run.row(r, &run.src), None, true);
                let quotient = tolerance::<f32>(run.case, false) * 2f64.powi(-23) / std::f64::consts::LN_10;
                for (c, (got, x)) in run.row(r, &run.dst).iter().zip(&want.row).enumerate() {
                    let room = quotient + T::ulp(x.log10()) * if T::BYTES == 2 { 0.51 } else { 3.0 };
                    assert!((got - x.log10()).abs() <= room, "{what} column {c}: {got}, expected {}", x.log10());
                }
                assert_eq!(run.stat(&run.max, r), want.max, "{what} max");
            },
        );
    }
    log::<f32>();
    log::<f16>();
}

fn check_flash<T: Real, U: Real>(what: &str, r: usize, run: &Run<T, U>, want: &Want) {
    check_row(what, r, run, want, true);
    near::<T>(&format!("{what} expMax"), run.stat(&run.exp_max, r), want.exp_max, tolerance::<T>(run.case, run.nz));
}

fn flash<T: Real, U: Real>(name: &str, is_update: bool, divided: bool, nz: bool, packed: bool) {
    // The first version's own formula has no room for a single short row.
    let blocks = if T::BYTES == 2 { 2 } else { 1 } * floats_of(U::BYTES);
    let of_v2 = |k| blocks + 64 + if T::BYTES == 2 { k } else { 0 };
    let of_v1 = |k: u32| {
        let blocks = floats_of(U::BYTES);
        if is_update { (4 * blocks + 2 * k).max(k + 80) } else { blocks + k + 64 }
    };
    let room = |k| if divided { of_v1(k) } else { of_v2(k) };
    each::<T, U>(name, nz, packed, room, |what, r, run| {
        let before = is_update.then(|| (run.stat(&run.in_max, r), run.stat(&run.in_sum, r)));
        check_flash(what, r, run, &softmax(&run.row(r, &run.src), before, divided));
    });
}

#[test]
fn softmax_flash() {
    flash::<f32, f32>("flash_update", true, true, false, false);
    flash::<f16, f16>("flash_update", true, true, false, false);
    flash::<f16, f32>("flash_update", true, true, false, false);
    flash::<f32, f32>("flash_stack", false, true, false, false);
    flash::<f16, f16>("flash_stack", false, true, false, false);
    flash::<f16, f32>("flash_stack", false, true, false, false);
}

#[test]
fn softmax_flash_v2() {
    flash::<f32, f32>("v2_update", true, false, false, false);
    flash::<f16, f16>("v2_update", true, false, false, false);
    flash::<f16, f32>("v2_update", true, false, false, false);
    flash::<f32, f32>("v2", false, false, false, false);
    flash::<f16, f16>("v2", false, false, false, false);
    flash::<f16, f32>("v2", false, false, false, false);
    flash::<f16, f32>("v2_packed", true, false, false, true);
}

#[test]
fn softmax_flash_v2_of_fractals_over_its_own_statistics() {
    each::<f16, f32>(
        "v2_nz",
        true,
        false,
        |k| k + 80,
        |what, r, run| {
            // What came in is the memory before the call.
            let before = Some((run.stat(&run.in_max, r), run.stat(&run.in_sum, r)));
            check_flash(what, r, run, &softmax(&run.row(r, &run.src), before, false));
        },
    );
}

#[test]
fn softmax_flash_v2_gives_the_maxima_of_this_part() {
    fn first<T: Real>() {
        each::<T, T>(
            "v2_first",
            false,
            true,
            |k| 2 * floats_of(T::BYTES) + k + 64,
            |what, r, run| {
                let row = run.row(r, &run.src);
                let before = Some((run.stat(&run.in_max, r), run.stat(&run.in_sum, r)));
                check_flash(what, r, run, &softmax(&row, before, false));
                assert_eq!(run.stat(&run.first, r), row.iter().copied().fold(f64::MIN, f64::max), "{what}");
            },
        );
    }
    first::<f32>();
    first::<f16>();
}

/// The pseudo code of the page: parts of 512 and 1024 columns have means that are exact, and so is all before e^x.
#[test]
fn softmax_flash_v3_shifts_to_the_mean() {
    const FACTOR: f64 = 15.0; // 0.9375 / (1 - 0.9375)
    for (m, k, split, is_update) in [(8, 512, 8, true), (16, 1024, 3, true), (8, 512, 5, false), (8, 1024, 0, false)] {
        let rows = if split == 0 { 8 } else { split };
        let case = Case { m, k, ori_m: m, ori_k: k, split, tmp_bytes: rows * (40 + 2 * k + 64) * 4 };
        let mut run = Run::<f16, f32>::new(case, false, false);
        (0..m as usize * 8).for_each(|i| run.first[i] = (i / 8) as f32 * 0.25 - 1.0);
        let before: Vec<f64> = (0..m as usize).map(|r| run.stat(&run.first, r)).collect();
        let name = if is_update { "v3_update_mix" } else { "v3_mix" };
        let run = run.launch(name).unwrap_or_else(|f| panic!("{name} {case:?}: {f}"));
        let part = k as usize / 8;
        for (r, in_mean) in before.iter().enumerate() {
            let what = format!("{name} {case:?} row {r}");
            let src = run.row(r, &run.src);
            // Columns from 512 on go to the part of their place in a repeat.
            let part_of = |c: usize| if c < 512 { c / 64 } else { c % 64 / 8 };
            let mut means = [0.0; 8];
            src.iter().enumerate().for_each(|(c, x)| means[part_of(c)] += x / part as f64);
            let mean = means.iter().sum::<f64>() / 8.0;
            let x: Vec<f64> = src.iter().enumerate().map(|(c, x)| x - (mean - means[c / part]) * FACTOR).collect();
            let row_max = x.iter().copied().fold(f64::MIN, f64::max);
            let (in_sum, in_max) = (run.stat(&run.in_sum, r), run.stat(&run.in_max, r));
            let all = if is_update { (mean + in_mean) / 2.0 } else { mean };
            let (now, then) = ((mean - all) * FACTOR, (in_mean - all) * FACTOR);
            let max = if is_update { (now + row_max).max(then + in_max) } else { row_max };
            let exp: Vec<f64> = x.iter().map(|x| (x - (max - now)).exp()).collect();
            let factor = (in_max - max + then).exp();
            let sum = exp.iter().sum::<f64>() + if is_update { factor * in_sum } else { 0.0 };
            assert_eq!(run.stat(&run.first, r), all, "{what} mean");
            assert_eq!(run.stat(&run.max, r), max, "{what} max");
            near::<f32>(&format!("{what} sum"), run.stat(&run.sum, r), sum, tolerance::<f32>(case, false));
            for (c, got) in run.row(r, &run.dst).iter().enumerate() {
                near::<f16>(&format!("{what} column {c}"), *got, exp[c], 0.51);
            }
            let want = if is_update { factor } else { UNTOUCHED };
            near::<f16>(&format!("{what} expMax"), run.stat(&run.exp_max, r), want, 0.51);
        }
    }
}

/// Small integers times eighths: nothing rounds but the result.
#[test]
fn gradients_are_exact() {
    fn grad<T: Real>(name: &str, nz: bool, front: bool) {
        let room = |k| {
            let blocks = floats_of(T::BYTES) * if front && T::BYTES == 4 { 1 } else { 2 };
            blocks + if T::BYTES == 2 { 3 * k } else { k } + 64
        };
        each::<T, T>(name, nz, false, room, |what, r, run| {
            let (src, grad) = (run.row(r, &run.src), run.row(r, &run.other));
            let sum: f64 = src.iter().zip(&grad).map(|(s, g)| s * g).sum();
            if front {
                assert_eq!(run.stat(&run.sum, r), T::of(sum).get(), "{what}");
                return;
            }
            for (c, got) in run.row(r, &run.dst).iter().enumerate() {
                assert_eq!(*got, T::of((grad[c] - sum) * src[c]).get(), "{what} column {c}");
            }
        });
    }
    grad::<f32>("grad", false, false);
    grad::<f16>("grad", false, false);
    grad::<f32>("grad_nz", true, false);
    grad::<f16>("grad_nz", true, false);
    grad::<f32>("front", false, true);
    grad::<f16>("front", false, true);
    grad::<f16>("front_nz", true, true);
}

#[test]
fn results_are_adjusted_by_the_bits_of_the_maximum() {
    fn adjust<T: Real, U: Real>(name: &str, nz: bool) {
        for adjusted in [None, Some(3)] {
            let case = Case { m: 16, k: 48, ori_m: 16, ori_k: 48, split: 0, tmp_bytes: 1024 };
            let mut run = Run::<T, U>::new(case, nz, false);
            if let Some(row) = adjusted {
                let lanes = 32 / U::BYTES;
                (row * lanes..(row + 1) * lanes).for_each(|i| run.in_max[i] = U::of(2.0));
            }
            let run = run.launch(name).unwrap_or_else(|f| panic!("{f}"));
            for r in 0..16 {
                let want = if adjusted == Some(r) { vec![-1.0; 48] } else { run.row(r, &run.src) };
                assert_eq!(run.row(r, &run.dst), want, "{name} row {r}");
            }
            assert_eq!(run.exp_max[0].get(), if adjusted.is_some() { 1.0 } else { 0.0 }, "{name}");
        }
    }
    adjust::<f32, f32>("adjust_f32", false);
    adjust::<f16, f32>("adjust_nz_mix", true);
}

#[test]
fn what_softmax_refuses() {
    let fine = Case { m: 8, k: 64, ori_m: 8, ori_k: 60, split: 8, tmp_bytes: 8 * 72 * 4 };
    for (case, class, text) in [
        (Case { tmp_bytes: 8 * 72 * 4 - 32, ..fine }, FaultClass::BufferSpace, "expected at least 512 bytes"),
        (Case { k: 60, ..fine }, FaultClass::Argument, "operand softmaxShapeInfo.srcK"),
        (Case { ori_k: 65, ..fine }, FaultClass::Argument, "operand softmaxShapeInfo.oriSrcK"),
        (Case { ori_m: 0, ..fine }, FaultClass::Argument, "operand softmaxShapeInfo.oriSrcM"),
        (Case { split: 0, tmp_bytes: 128, ..fine }, FaultClass::Argument, "operand tiling.splitM"),
    ] {
        let case = if text.contains("512") { Case { tmp_bytes: 480, ..case } } else { case };
        let fault = Run::<f32, f32>::new(case, false, false).launch("softmax_f32").err().expect(text);
        assert!(fault.class == class && fault.message.contains(text), "{case:?}: {fault}");
        assert!(fault.location.as_ref().is_some_and(|l| l.file.ends_with("softmax.cpp")), "{fault}");
    }
}

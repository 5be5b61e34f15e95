//! TopK: exact values and indices in both modes; equal elements come in the order of the row, NaN before all others in
//! either direction (TopK page).

use super::*;

#[derive(Clone, Copy)]
struct Case<'a> {
    /// Elements of a row that are NaN
    nans: usize,
    kernel: &'a str,
    rows: usize,
    inner: usize,
    n: usize,
    k: usize,
}

/// Values of a row with many equal ones; what fills the row is never chosen.
fn value(i: usize, case: &Case, largest: bool) -> f32 {
    let (row, column) = (i / case.inner, i % case.inner);
    if column >= case.n {
        return if largest { f32::NEG_INFINITY } else { f32::INFINITY };
    }
    if (0..case.nans).any(|i| (i * 11 + 5) % case.n == column) {
        return if column % 2 == 0 { f32::NAN } else { -f32::NAN };
    }
    match (row * 31 + column * 37) % 23 {
        22 if case.nans > 0 => f32::INFINITY,
        21 if case.nans > 0 => f32::NEG_INFINITY,
        11 if column % 2 == 0 => -0.0,
        n => n as f32 - 11.0,
    }
}

/// Bits; a NaN is a NaN, for Muls may change its sign.
trait Bits: Copy {
    fn shown(self) -> u32;
}

impl Bits for f32 {
    fn shown(self) -> u32 {
        if self.is_nan() { u32::MAX } else { self.to_bits() }
    }
}

impl Bits for f16 {
    fn shown(self) -> u32 {
        if self.is_nan() { u32::MAX } else { u32::from(self.to_bits()) }
    }
}

fn check<T: Bits>(case: &Case, largest: bool, of: impl Fn(f32) -> T) {
    let (with_index, small) = (case.kernel.contains("index"), case.kernel.contains("small"));
    let x: Vec<T> = (0..case.rows * case.inner).map(|i| of(value(i, case, largest))).collect();
    let index: Vec<i32> = (0..case.rows * case.inner).map(|i| (i % case.inner * 3) as i32).collect();
    let finish: Vec<u8> = (0..case.rows).map(|row| (row % 3 == 1) as u8).collect();
    let whole = |n: usize, size: usize| if small { n } else { (n * size).next_multiple_of(32) / size };
    let (pitch, index_pitch) = (whole(case.k, size_of::<T>()), whole(case.k, 4));
    let (mut y, mut at) = (vec![of(-7.0); case.rows * pitch], vec![-7i32; case.rows * index_pitch]);
    let sizes = [case.rows, case.inner, case.n, case.k, largest as usize].map(|s| s as u32);
    let args: [*mut c_void; 6] = [
        sizes.as_ptr() as *mut c_void,
        x.as_ptr() as *mut c_void,
        index.as_ptr() as *mut c_void,
        finish.as_ptr() as *mut c_void,
        y.as_mut_ptr().cast(),
        at.as_mut_ptr().cast(),
    ];
    launch(case.kernel, &args).unwrap_or_else(|f| panic!("{}: {f}", case.kernel));
    for row in 0..case.rows {
        let mut order: Vec<usize> = (0..case.n).collect();
        let of_column = |column: &usize| value(row * case.inner + column, case, largest);
        // NaN, then from one end to the other; a stable sort keeps equal ones in their order.
        order.sort_by(|a, b| {
            let (a, b) = (of_column(a), of_column(b));
            let by_value = if largest { b.partial_cmp(&a) } else { a.partial_cmp(&b) };
            b.is_nan().cmp(&a.is_nan()).then(by_value.unwrap_or(std::cmp::Ordering::Equal))
        });
        for (i, column) in order[..case.k].iter().enumerate() {
            let (rows, inner, nans) = (case.rows, case.inner, case.nans);
            let place = format!("{} {rows} x {inner}, {nans} NaN, largest {largest}, row {row}, {i}", case.kernel);
            assert_eq!(y[row * pitch + i].shown(), of(of_column(column)).shown(), "{place}");
            let want = match case.kernel {
                "topk_index_f32" if row % 3 == 1 => case.n as i32,
                _ if with_index => *column as i32 * 3,
                _ => *column as i32,
            };
            assert_eq!(at[row * index_pitch + i], want, "{place}");
        }
    }
}

/// As many as the longest row has: nothing but NaN, in every run of 32.
const ALL: usize = 1000;

#[test]
fn the_first_k() {
    for (largest, nans) in [
        (true, 0),
        (false, 0),
        (true, 1),
        (false, 1),
        (true, 4),
        (false, 4),
        (true, 40),
        (false, 40),
        (true, ALL),
        (false, ALL),
    ] {
        for (rows, inner, n, k) in
            [(1, 32, 32, 1), (3, 32, 17, 5), (2, 64, 64, 64), (4, 160, 131, 9), (1, 1024, 1000, 17)]
        {
            for kernel in ["topk_f32", "topk_index_f32"] {
                check(&Case { nans, kernel, rows, inner, n, k }, largest, |v| v);
            }
            check(&Case { nans, kernel: "topk_f16", rows, inner, n, k }, largest, f16::from_f32);
        }
        for (rows, n, k) in [(1, 32, 1), (4, 17, 8), (5, 32, 32), (7, 31, 3), (90, 20, 2)] {
            for kernel in ["topk_small_f32", "topk_small_index_f32"] {
                check(&Case { nans, kernel, rows, inner: 32, n, k }, largest, |v| v);
            }
            check(&Case { nans, kernel: "topk_small_f16", rows, inner: 32, n, k }, largest, f16::from_f32);
        }
    }
}

#[test]
fn what_topk_refuses() {
    let zeros = [0f32; 256];
    let at = |sizes: [u32; 5]| {
        let z = zeros.as_ptr() as *mut c_void;
        launch("topk_f32", &[sizes.as_ptr() as *mut c_void, z, z, z, z, z]).unwrap_err().message
    };
    assert!(at([1, 33, 33, 1, 1]).contains("a multiple of 32 up to 4096"));
    assert!(at([1, 32, 20, 21, 1]).contains("1 to n; got 21"));
}

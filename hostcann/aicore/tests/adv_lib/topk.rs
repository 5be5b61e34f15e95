//! TopK: exact values and indices in both modes; equal elements come in the order of the row (TopK page).

use super::*;

struct Case<'a> {
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
    ((row * 31 + column * 37) % 23) as f32 - 11.0
}

fn check<T: Copy + PartialEq + std::fmt::Debug>(case: &Case, largest: bool, of: impl Fn(f32) -> T) {
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
        let key = |c: &usize| value(row * case.inner + c, case, largest) * if largest { -1.0 } else { 1.0 };
        order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        for (i, column) in order[..case.k].iter().enumerate() {
            let place = format!("{} {} x {} {largest} row {row} {i}", case.kernel, case.rows, case.inner);
            assert_eq!(y[row * pitch + i], of(value(row * case.inner + column, case, largest)), "{place}");
            let want = match case.kernel {
                "topk_index_f32" if row % 3 == 1 => case.n as i32,
                _ if with_index => *column as i32 * 3,
                _ => *column as i32,
            };
            assert_eq!(at[row * index_pitch + i], want, "{place}");
        }
    }
}

#[test]
fn the_first_k() {
    for largest in [true, false] {
        for (rows, inner, n, k) in
            [(1, 32, 32, 1), (3, 32, 17, 5), (2, 64, 64, 64), (4, 160, 131, 9), (1, 1024, 1000, 17)]
        {
            for kernel in ["topk_f32", "topk_index_f32"] {
                check(&Case { kernel, rows, inner, n, k }, largest, |v| v);
            }
            check(&Case { kernel: "topk_f16", rows, inner, n, k }, largest, f16::from_f32);
        }
        for (rows, n, k) in [(1, 32, 1), (4, 17, 8), (5, 32, 32), (7, 31, 3), (90, 20, 2)] {
            for kernel in ["topk_small_f32", "topk_small_index_f32"] {
                check(&Case { kernel, rows, inner: 32, n, k }, largest, |v| v);
            }
            check(&Case { kernel: "topk_small_f16", rows, inner: 32, n, k }, largest, f16::from_f32);
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

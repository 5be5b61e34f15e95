//! Pad and UnPad: every element where the pages put it.

use super::*;

fn pad<T: Copy + PartialEq + std::fmt::Debug>(kernel: &str, of: impl Fn(usize) -> T) {
    let block = 32 / size_of::<T>();
    let fill = of(321);
    for (rows, width, left, right) in [
        (16, block - 1, 0, 1),
        (8, block - 3, 1, 2),
        (8, 3 * block - 5, 5, 0),
        (8, 20 * block + block - 2, 1, 1),
        (300, block, 0, 2),
        (3, 4 * block, 0, block),
        (8, 2 * block + 1, 2, 1),
        (3, 300 * block - 2, 1, 1),
    ] {
        let pitch = width.next_multiple_of(block);
        let x: Vec<T> = (0..rows * width).map(|i| of(i % 300)).collect();
        let tmp = if pitch == width { 0 } else { 1024 };
        let sizes = [rows, width, left, right, tmp].map(|s| s as u32);
        let got = run(kernel, &sizes, &[&x], rows * pitch, of(7)).unwrap_or_else(|f| panic!("{kernel}: {f}"));
        let data = if pitch == width { width - right } else { width };
        for (i, &value) in got.iter().enumerate() {
            let (row, column) = (i / pitch, i % pitch);
            let want = match column {
                c if c < left => fill,
                c if c < left + data => x[row * width + c - left],
                c if c < left + data + right => fill,
                // Not padded: free.
                _ => continue,
            };
            assert_eq!(value, want, "{kernel} {rows} x {width} + {left} + {right}: row {row} column {column}");
        }
    }
}

#[test]
fn rows_are_padded() {
    pad("pad_f16", |i| f16::from_f32(i as f32));
    pad("pad_f32", |i| i as f32);
    pad("pad_i16", |i| i as i16);
    let zeros = [0f32; 64];
    let fault = |sizes: [u32; 5]| run::<f32, f32>("pad_f32", &sizes, &[&zeros], 64, 0.0).unwrap_err().message;
    assert!(fault([1, 15, 1, 1, 1024]).contains("up to the next 32 bytes"));
    assert!(fault([1, 15, 0, 1, 992]).contains("at least 1024 bytes"));
}

#[test]
fn padding_is_taken_off() {
    for (rows, width, off) in [(16, 16, 1), (3, 48, 7), (300, 16, 3), (1, 160, 5)] {
        let x: Vec<f32> = (0..rows * width).map(|i| i as f32).collect();
        let sizes = [rows, width, off].map(|s| s as u32);
        let want: Vec<f32> =
            (0..rows * (width - off)).map(|i| (i / (width - off) * width + i % (width - off)) as f32).collect();
        assert_eq!(run("unpad_f32", &sizes, &[&x], want.len(), 0.0).unwrap(), want, "{rows} x {width} - {off}");
        let half = |v: &[f32]| v.iter().map(|v| f16::from_f32(*v)).collect::<Vec<_>>();
        let got = run("unpad_f16", &sizes, &[&half(&x)[..]], want.len(), f16::ZERO).unwrap();
        assert_eq!(got, half(&want), "{rows} x {width} - {off}");
    }
}

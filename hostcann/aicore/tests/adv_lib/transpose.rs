//! Transpose and TransData: every element where the pages put it.

use super::*;

fn object() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("adv_transpose.cpp"))
}

fn moved<T: Copy>(kernel: &str, sizes: &[u32], x: &[T], n: usize, untouched: T) -> Result<Vec<T>, Fault> {
    let mut out = vec![untouched; n];
    let args = [sizes.as_ptr() as *mut c_void, x.as_ptr() as *mut c_void, out.as_mut_ptr().cast()];
    launch_of(object(), kernel, &args).map(|()| out)
}

/// Place of an element in a stack of matrices of 16 by 16 fractals, which lie column after column.
fn nz(matrix: usize, row: usize, column: usize, rows: usize, columns: usize) -> usize {
    let fractal = (matrix * columns.div_ceil(16) + column / 16) * rows.div_ceil(16) + row / 16;
    fractal * 256 + row % 16 * 16 + column % 16
}

fn transpose<T: Copy + PartialEq + std::fmt::Debug>(kernel: &str, of: impl Fn(usize) -> T) {
    for [b, n, s, width] in [[1usize, 1, 16, 16], [1, 2, 64, 32], [2, 16, 16, 32], [2, 3, 48, 16], [1, 32, 32, 16]] {
        let elements = b * n * s * width;
        let h = n * width;
        let x: Vec<T> = (0..elements).map(&of).collect();
        for kind in 1..=7 {
            if kind == 2 && n % 16 != 0 || kind == 7 && b * n != 1 {
                continue;
            }
            let sizes = [kind, b, n, s, width, kind].map(|v| v as u32);
            let got =
                moved(kernel, &sizes, &x, elements, of(elements)).unwrap_or_else(|f| panic!("{kernel} {kind}: {f}"));
            for i in 0..elements {
                let [bi, ni, si, wi] = [i / (n * s * width), i / (s * width) % n, i / width % s, i % width];
                // Tables of the Transpose page: shapes of source and destination of the scenario.
                let split = nz(bi * n + ni, si, wi, s, width);
                let joined = nz(bi, si, ni * width + wi, s, h);
                let rows = (bi * s + si) * h + ni * width + wi;
                let (from, to) = match kind {
                    1 | 5 => (split, rows),
                    2 => (split, nz(bi * s + si, ni, wi, n, width)),
                    3 => (joined, split),
                    4 => (joined, ((bi * n + ni) * s + si) * width + wi),
                    6 => (split, joined),
                    _ => (si * width + wi, wi * s + si),
                };
                assert_eq!(got[to], x[from], "{kernel}: scenario {kind} of {b} {n} {s} {width}: {bi} {ni} {si} {wi}");
            }
        }
    }
}

#[test]
fn seven_scenarios_of_transpose() {
    transpose("transpose_u16", |i| i as u16);
    transpose("transpose_u32", |i| i as u32 * 65_537);
    // A matrix that is not square.
    let x: Vec<u32> = (0..16 * 80).collect();
    let got = moved("transpose_u32", &[7, 1, 1, 16, 80, 7], &x, 1280, 9).unwrap();
    assert!((0..1280).all(|i| got[i] == x[i % 16 * 80 + i / 16]));
    let zeros = [0u16; 4096];
    let fault = |sizes: [u32; 6]| moved("transpose_u16", &sizes, &zeros, 4096, 0).unwrap_err().message;
    assert!(fault([1, 1, 2, 16, 16, 2]).contains("call GetTransposeTilingInfo with the type that the kernel passes"));
    for uneven in [[4, 1, 2, 16, 24, 4], [1, 1, 2, 24, 16, 1], [2, 1, 8, 16, 16, 2], [7, 1, 1, 16, 24, 7]] {
        assert!(fault(uneven).contains("in sixteens"), "{uneven:?}");
    }
}

fn trans_data(kernel: &str, to_blocks: bool, fractal: bool) {
    for [n, c, d, h, w] in [
        [1usize, 32, 2, 2, 8],
        [1, 16, 2, 3, 5],
        [2, 5, 1, 4, 4],
        [3, 17, 2, 3, 7],
        [16, 16, 1, 1, 16],
        [17, 3, 1, 1, 3],
        [1, 1, 1, 1, 16],
        // More repeats than one instruction has.
        [1, 1, 1, 65, 64],
    ] {
        let (pixels, c1) = (h * w, c.div_ceil(16));
        let (pitch, images) = (pixels.next_multiple_of(16), if fractal { n.next_multiple_of(16) } else { n });
        let (rows, blocks) = (n * c * d * pitch, images * d * c1 * pixels * 16);
        // Such an image fits with less temporary space than the tiling function asks for only.
        let lacks = if pixels < 4000 {
            0
        } else if fractal {
            continue;
        } else {
            d * c1 * 16 * pitch * 2 + if to_blocks { d * pitch * 2 } else { 512 } - (pitch * 2 + 512)
        };
        let x: Vec<u16> = (1..=if to_blocks { rows } else { blocks }).map(|i| i as u16).collect();
        let sizes = [n, c, d, h, w, lacks, 0].map(|v| v as u32);
        let size = if to_blocks { blocks } else { rows };
        let got = moved(kernel, &sizes, &x, size, 65_535).unwrap_or_else(|f| panic!("{kernel} {sizes:?}: {f}"));
        for i in 0..images * d * c1 * 16 * pixels {
            let (ci, p, di, ni) =
                (i % (c1 * 16), i / (c1 * 16) % pixels, i / (c1 * 16) / pixels % d, i / (c1 * 16) / pixels / d);
            let block = if fractal {
                ((di * c1 + ci / 16) * pixels + p) * images + ni
            } else {
                ((ni * d + di) * c1 + ci / 16) * pixels + p
            };
            let (block, row) = (block * 16 + ci % 16, ((ni * c + ci) * d + di) * pitch + p);
            let exists = ni < n && ci < c;
            let at = format!("{kernel} {sizes:?}: n {ni}, c {ci}, d {di}, pixel {p}");
            match (to_blocks, exists) {
                (true, true) => assert_eq!(got[block], x[row], "{at}"),
                (true, false) => assert_eq!(got[block], 0, "{at}"),
                (false, true) => assert_eq!(got[row], x[block], "{at}"),
                (false, false) => {}
            }
        }
    }
}

#[test]
fn images_in_blocks_of_sixteen_channels() {
    trans_data("to_blocks", true, false);
    trans_data("from_blocks", false, false);
    trans_data("to_fractals", true, true);
    trans_data("from_fractals", false, true);
    let zeros = [0u16; 4096];
    let fault = |sizes: [u32; 7]| moved("to_blocks", &sizes, &zeros, 4096, 0).unwrap_err().message;
    assert!(fault([1, 16, 1, 4, 4, 0, 1]).contains("the two layouts do not belong together"));
    assert!(fault([1, 16, 1, 4, 4, 32, 0]).contains("at least 544 bytes"));
}

//! Tilings hold what they promise, and the C++ of operators solves as Rust does.

use std::process::Command;

use ascgraph::tiling::{self, Demand, Limits, SOLVE_CPP, need};

/// 10^4 shapes and machines: what a tiling promises, and the same numbers from the C++ that operators get.
#[test]
fn tilings_hold_what_they_promise_here_and_in_cpp() {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) % below) as i64
    };
    let (mut input, mut wanted, mut count) = (String::new(), String::new(), 0);
    for _ in 0..10_000 {
        let rows = if next(3) == 0 { 1 } else { next(5000) };
        let bits = 1 << next(34);
        let row = next(bits);
        let aiv_num = if next(2) == 0 { 0 } else { 1 + next(60) };
        let limits = Limits { cores: 1 + next(48), aiv_num, ub_size: 1024 + next(256 << 10) };
        let demand = Demand {
            whole_rows: next(2) == 0,
            pieces: next(3) == 0,
            wide: 1 + next(80),
            narrow: next(20),
            once: next(9),
            lanes: next(2) == 0,
            fixed: next(3) * 256,
            step: 64 << next(2),
            align: 8 << next(3),
        };
        let bits = 1 << next(20);
        let columns = next(bits);
        let Demand { whole_rows, pieces, wide, narrow, once, lanes, fixed, step, align } = demand;
        let flags = [whole_rows, pieces, lanes].map(u8::from);
        input += &format!("{} {} {wide} {narrow} {once} {} {fixed} {step} {align} ", flags[0], flags[1], flags[2]);
        input += &format!("{rows} {row} {columns} {} {aiv_num} {}\n", limits.cores, limits.ub_size);
        let solved = need(&demand, rows, row, columns).and_then(|need| Ok((need, tiling::solve(&need, limits)?)));
        let Ok((need, t)) = solved else {
            wanted += "none\n";
            continue;
        };
        count += 1;
        wanted += &format!("{} {} {} {} {} {}\n", t.block_dim, t.tile, t.row_tiles, t.core_tiles, t.tiles, t.stride);
        let cores = if aiv_num > 0 { limits.cores.min(aiv_num) } else { limits.cores };
        assert!(t.block_dim >= 1 && t.block_dim <= cores);
        // What the kernel's buffers take, with every tile a multiple of the step and lanes for each row.
        let up = |n: i64, to: i64| (n + to - 1) / to * to;
        let bytes = if whole_rows && pieces {
            // One row at a time, in whole steps of at most the row; no piece could be left out.
            let count = (columns.max(1) + t.stride - 1) / t.stride;
            assert!(t.tile == 1 && t.stride % step == 0 && t.stride > 0 && t.stride <= up(columns.max(1), step));
            assert!(count == 1 || up(columns, step) > (count - 1) * t.stride);
            (wide + once) * t.stride + narrow * 128
        } else if whole_rows {
            let lanes = if lanes { t.tile * (4 * t.stride).min(256) + 256 } else { 0 };
            assert!(t.stride >= columns && t.stride % align == 0 && t.tile <= 4095);
            wide * up(t.tile * t.stride, step) + narrow * up(t.tile, 128) + once * up(t.stride, step) + lanes
        } else {
            assert!(t.tile % step == 0 && t.stride == 0);
            wide * t.tile
        };
        assert!(bytes + fixed <= limits.ub_size && t.tile > 0);
        // Tiles cover the row and no tile is empty; cores cover the tiles and no core is idle.
        assert!(t.row_tiles * t.tile >= need.row && (t.row_tiles - 1) * t.tile < need.row.max(1));
        assert_eq!(t.tiles, rows * t.row_tiles);
        assert!(t.block_dim * t.core_tiles >= t.tiles && (t.block_dim - 1) * t.core_tiles < t.tiles.max(1));
    }
    assert!(count > 4000, "{count} tilings");
    let temp = tempfile::tempdir().expect("temp dir");
    let source = temp.path().join("solve.cpp");
    let main = "int main() { long long v[15]; auto read = [&] { for (long long& x : v) { if (std::scanf(\"%lld\", &x) != 1) { return false; } } return true; }; while (read()) { Tiling t; Need n; \
                const Demand d{v[0] != 0, v[1] != 0, v[2], v[3], v[4], v[5] != 0, v[6], v[7], v[8]}; \
                if (!NeedOf(d, v[9], v[10], v[11], n) || !SolveTiling(n, v[12], v[13], v[14], t)) { std::puts(\"none\"); continue; } \
                std::printf(\"%lld %lld %lld %lld %lld %lld\\n\", (long long)t.blockDim, (long long)t.tile, (long long)t.rowTiles, \
                (long long)t.coreTiles, (long long)t.tiles, (long long)t.stride); } }";
    std::fs::write(&source, format!("#include <cstdint>\n#include <cstdio>\n{SOLVE_CPP}\n{main}\n")).expect("written");
    std::fs::write(temp.path().join("input"), input).expect("written");
    let program = temp.path().join("solve");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("g++ starts");
    assert!(built.success());
    let stdin = std::fs::File::open(temp.path().join("input")).expect("opened");
    let ran = Command::new(&program).stdin(stdin).output().expect("runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(String::from_utf8_lossy(&ran.stdout) == wanted, "C++ and Rust differ");
}

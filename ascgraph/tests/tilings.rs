//! Tilings hold what they promise, and the C++ of operators solves as Rust does.

use std::process::Command;

use ascgraph::cost::{self, Cost, Side, Work};
use ascgraph::cpp::{PRICE, SOLVE};
use ascgraph::tiling::{self, Demand, Limits, Need, Tiling, need, segment};

/// 10^4 shapes and machines: what a tiling promises, and the same numbers from the C++ that operators get.
#[test]
fn tilings_hold_what_they_promise_here_and_in_cpp() {
    let mut random = fastrand::Rng::with_seed(0x1234_5678_9abc_def1);
    let mut next = |below: i64| random.i64(0..below);
    let (mut input, mut wanted, mut count, mut other) = (String::new(), String::new(), 0, 0);
    let mut shared = 0;
    for _ in 0..10_000 {
        let rows = if next(3) == 0 { 1 } else { next(5000) };
        let bits = 1 << next(34);
        let row = next(bits);
        let aiv_num = if next(2) == 0 { 0 } else { 1 + next(60) };
        let limits = Limits { cores: 1 + next(48), aiv_num, ub_size: 1024 + next(256 << 10) };
        let (whole_rows, pieces, columns) = (next(2) == 0, next(3) == 0, next(2) == 0);
        let wide = 1 + next(80);
        let demand = Demand {
            whole_rows,
            pieces: pieces || whole_rows && columns && next(2) == 0,
            columns: whole_rows && pieces && columns,
            wide,
            narrow: next(20),
            once: next(9),
            lanes: next(2) == 0,
            fixed: next(3) * 256,
            sums: next(4),
            step: 64 << next(2),
            align: 8 << next(3),
            repeated: if next(2) == 0 { next(wide) } else { 0 },
        };
        // Few rows: cores share them.
        let row = if demand.pieces && next(2) == 0 { 1 + next(3) } else { row };
        let bits = 1 << next(20);
        let columns = next(bits);
        let Demand {
            whole_rows,
            pieces,
            columns: of_columns,
            wide,
            narrow,
            once,
            lanes,
            fixed,
            sums,
            step,
            align,
            repeated,
        } = demand;
        let flags = [whole_rows, pieces, of_columns, lanes].map(u8::from);
        input += &format!("{} {} {} {wide} {narrow} {once} ", flags[0], flags[1], flags[2]);
        input += &format!("{} {fixed} {sums} {step} {align} {repeated} ", flags[3]);
        input += &format!("{rows} {row} {columns} {} {aiv_num} {}\n", limits.cores, limits.ub_size);
        let numbers = std::array::from_fn(|at| if MACHINE.contains(&at) { next(1 << 20) } else { next(200) });
        let cost = priced(numbers);
        input.truncate(input.len() - 1);
        input += &format!(" {}\n", numbers.map(|number| number.to_string()).join(" "));
        let solved = need(&demand, rows, row, columns).and_then(|need| {
            let plain = tiling::solve(&need, limits)?;
            Ok((need, plain, cost::solve(&need, limits, Some(&cost))?))
        });
        let Ok((need, plain, (best, price))) = solved else {
            wanted += "none\n";
            continue;
        };
        count += 1;
        other += i32::from(best != plain);
        shared += i32::from(best.parts > 1);
        let known = cost::price(&cost, &need, &plain);
        assert!(need.pieces || price == cost::price(&cost, &need, &best));
        if need.pieces {
            assert_eq!((plain.parts, best.parts > 1), (1, best != plain));
        } else {
            assert!(best == plain || price < known - known / 64, "{price} {known}");
        }
        for t in [plain, best] {
            let numbers = [t.block_dim, t.tile, t.row_tiles, t.core_tiles, t.tiles, t.stride, t.parts];
            wanted += &format!("{} ", numbers.map(|number| number.to_string()).join(" "));
            holds(&t, &need, &demand, columns, limits);
        }
        wanted += &format!("{price}\n");
    }
    assert!(count > 4000 && other > 700, "{count} tilings, {other} of them not the largest");
    assert!(shared > 40, "{shared} with rows that cores share");
    let temp = tempfile::tempdir().expect("temp dir");
    let source = temp.path().join("solve.cpp");
    std::fs::write(
        &source,
        format!("#include <cstdint>\n#include <cstdio>\n#include <iterator>\n{SOLVE}{PRICE}{MAIN}"),
    )
    .expect("written");
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

/// A cost of 39 numbers, in the order of the C++.
fn priced(n: [i64; 39]) -> Cost {
    let side = |at: usize| Side {
        fixed: n[at],
        burst: n[at + 1],
        rate: n[at + 2],
        pair: n[at + 3],
        l2: n[at + 4],
        memory: n[at + 5],
        wide: n[at + 6],
        narrow: n[at + 7],
        once: n[at + 8],
    };
    let work = |at: usize| Work {
        fixed: n[at],
        wide: n[at + 1],
        narrow: n[at + 2],
        each: n[at + 3],
        scalar: n[at + 4],
        scalar_each: n[at + 5],
    };
    Cost {
        ai_cores: n[0] % 40,
        l2_bytes: n[1] << 8,
        step: n[2],
        pair_entry: n[3],
        pair_latency: n[4],
        read: side(5),
        write: side(14),
        tile: work(23),
        first: work(29),
        first_read: n[35],
        first_row: n[36],
        meet: n[37],
        turned: n[38],
    }
}

/// Those that are ticks and bytes of the machine; the others are rates and bytes of an element.
const MACHINE: [usize; 21] = [1, 3, 4, 5, 7, 8, 14, 16, 23, 24, 26, 27, 28, 29, 30, 32, 33, 34, 35, 37, 38];

/// What a tiling promises.
fn holds(t: &Tiling, need: &Need, demand: &Demand, columns: i64, limits: Limits) {
    let Demand {
        whole_rows,
        pieces,
        columns: of_columns,
        wide,
        narrow,
        once,
        lanes,
        fixed,
        sums,
        step,
        align,
        repeated,
    } = *demand;
    assert!(t.block_dim >= 1 && t.block_dim <= limits.used());
    // What the kernel's buffers take, with every tile a multiple of the step and lanes for each row.
    let up = |n: i64, to: i64| (n + to - 1) / to * to;
    let bytes = if of_columns {
        // Rows in whole lanes, or all of them; columns in whole blocks, at most the row.
        let count = (columns.max(1) + t.stride - 1) / t.stride;
        assert!(t.stride % 8 == 0 && columns > 8 || t.stride == columns.max(1), "{t:?} {columns}");
        assert!(t.stride <= 4095 && (count == 1 || up(columns, 8) > (count - 1) * t.stride), "{t:?} {columns}");
        assert!(t.tile % align == 0 && t.tile <= up(need.row.max(1), align), "{t:?} {need:?}");
        wide * up(t.tile * t.stride, step) + narrow * up(t.stride, 128) + once * up(t.tile, step)
    } else if whole_rows && pieces {
        // One row at a time, in whole steps of at most the row; no piece could be left out.
        let segments = up(columns.max(1), segment(columns)) / segment(columns);
        let share = (up(segments, t.parts) / t.parts * segment(columns)).min(columns.max(1));
        let count = (share + t.stride - 1) / t.stride;
        assert!(t.tile == 1 && t.stride % step == 0 && t.stride > 0 && t.stride <= up(share, step));
        assert!(count == 1 || up(share, step) > (count - 1) * t.stride);
        // Each core that shares a row has a part of it, and lanes for all of its segments.
        assert!((t.parts - 1) * share < columns.max(1) && share * t.parts >= columns);
        assert!(t.parts == 1 || t.core_tiles == 1 && sums * ((share + segment(columns) - 1) / segment(columns)) <= 120);
        (wide + once) * t.stride + narrow * 128 + if t.parts > 1 { 120 * 256 } else { 0 }
    } else if whole_rows {
        let lanes = if lanes { t.tile * (4 * t.stride).min(256) + 256 } else { 0 };
        assert!(t.stride >= columns && t.stride % align == 0 && t.tile <= 4095);
        // Of one row a tile that repeats a row has none of its own.
        let wide = if t.tile == 1 { wide - repeated } else { wide };
        wide * up(t.tile * t.stride, step) + narrow * up(t.tile, 128) + once * up(t.stride, step) + lanes
    } else {
        assert!(t.tile % step == 0 && t.stride == 0);
        wide * t.tile
    };
    assert!(bytes + fixed <= limits.ub_size && t.tile > 0);
    // Tiles cover the row and no tile is empty; cores cover the tiles and no core is idle.
    assert!(t.row_tiles * t.tile >= need.row && (t.row_tiles - 1) * t.tile < need.row.max(1));
    assert_eq!(t.tiles, need.rows * t.row_tiles * t.parts);
    assert!(t.block_dim * t.core_tiles >= t.tiles && (t.block_dim - 1) * t.core_tiles < t.tiles.max(1));
}

const MAIN: &str = r#"
static void Print(const Tiling& t)
{
    for (int64_t number : {t.blockDim, t.tile, t.rowTiles, t.coreTiles, t.tiles, t.stride, t.parts}) {
        std::printf("%lld ", static_cast<long long>(number));
    }
}

int main()
{
    long long v[57];
    auto read = [&] {
        for (long long& x : v) {
            if (std::scanf("%lld", &x) != 1) {
                return false;
            }
        }
        return true;
    };
    while (read()) {
        const Demand d{v[0] != 0, v[1] != 0, v[2] != 0, v[3], v[4], v[5], v[6] != 0, v[7], v[8], v[9], v[10], v[11]};
        const long long* n = v + 18;
        const auto side = [n](int at) {
            const long long* s = n + at;
            return Side{s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]};
        };
        const auto work = [n](int at) {
            const long long* s = n + at;
            return Work{s[0], s[1], s[2], s[3], s[4], s[5]};
        };
        const Cost cost{n[0] % 40, n[1] << 8, n[2], n[3], n[4], side(5), side(14), work(23), work(29), n[35], n[36], n[37], n[38]};
        Need need;
        Tiling plain;
        Tiling best;
        int64_t price = 0;
        if (!NeedOf(d, v[12], v[13], v[14], need) || !SolveTiling(need, v[15], v[16], v[17], plain) ||
            !SolvePriced(need, cost, v[15], v[16], v[17], best, price)) {
            std::puts("none");
            continue;
        }
        Print(plain);
        Print(best);
        std::printf("%lld\n", static_cast<long long>(price));
    }
}
"#;

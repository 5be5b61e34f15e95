//! What the model does with whole kernels, apart from how long the published ones took.

use super::*;

/// The compiler orders the scalar unit against V, MTE2 and MTE3 in both directions by itself (asc-devkit, "synchronisation
/// inserted by cce-auto-sync", Vector unit).
#[test]
fn a_value_waits_for_the_instruction_it_comes_from() {
    let p = params("Ascend910B3", 40, 192);
    let cycles = |mode| {
        let r = record("value", 1, [32768, 1, 1], &Tiling { total: 1, per_block: 1, tile: 8192, mode });
        let time = r.replay(&p, &Replay { trace: Some(vec![0]), ..Replay::default() }).unwrap();
        let ops = &time.core[0].ops;
        let at = ops.iter().rposition(|o| o.name.ends_with("Value")).unwrap();
        (ops[at].end - ops[at].start, ops[at].start, ops[at - 1].end, ops.iter().map(|o| o.end).fold(0.0, f64::max))
    };
    let muls = 23.1 + 12.0 + 128.0;
    let from_entry = p.entry + p.scalar_vector;
    let (took, started, ..) = cycles(0);
    assert_eq!((took, started), (p.scalar_ub_read, from_entry + muls + p.scalar_flag));
    // Two flags of its own instead of the compiler's.
    assert_eq!(cycles(1).1, from_entry + muls + p.scalar_flag);
    assert_eq!(cycles(2).1, from_entry);
    assert_eq!((cycles(3).0, cycles(3).1), (p.scalar_ub_write, from_entry + muls + p.scalar_flag));
    let copy = p.entry + p.scalar_copy + p.mte2_latency + 32768.0 / p.mte2_rate;
    assert_eq!((cycles(4).1, cycles(5).1), (copy + p.scalar_flag, copy + p.scalar_flag));
}

/// The same times with any number of host threads, and for blocks that are not run.
#[test]
fn times_do_not_depend_on_the_host() {
    let total = 40 * 3 * 8192;
    let tiling = Tiling { total, per_block: 3 * 8192, tile: 8192, mode: 0 };
    let of = |threads, sampled| {
        let r = record_on("mul", 40, [2 * total; 3], &tiling, threads, sampled);
        let mut time =
            r.replay(&board(), &Replay { caches: Caches::Cold, trace: Some(vec![]), ..Replay::default() }).unwrap();
        assert_eq!((time.simulated_blocks, time.extrapolated), if sampled { (5, true) } else { (40, false) });
        (time.simulated_blocks, time.extrapolated) = (0, false);
        format!("{time:?}")
    };
    let alone = of(1, false);
    assert!(alone.contains("DataCopyPad<half>"));
    assert!(alone == of(4, false) && alone == of(1, true));
}

/// Blocks that turn out not to be alike run after all, each of them once, and the launch is whole.
#[test]
fn blocks_that_are_not_alike_all_run() {
    // 31 blocks of two tiles, one of one, and nothing for the others.
    let total = 63 * 8192;
    let tiling = Tiling { total, per_block: 2 * 8192, tile: 8192, mode: 0 };
    let of = |threads, sampled| {
        let r = record_on("mul", 40, [2 * total; 3], &tiling, threads, sampled);
        let time = time(&r, &board(), false);
        assert_eq!((time.simulated_blocks, time.extrapolated), (40, false));
        format!("{time:?}")
    };
    let whole = of(1, false);
    assert!(whole == of(1, true) && whole == of(3, true));
}

/// GET_TILING_DATA through the engine, the recording and the replay: bytes, time and note.
#[test]
fn large_tiling_data_is_seen_and_paid() {
    let p = params("Ascend910B3", 40, 192);
    let of = |kernel, bytes: usize| {
        let mut tiling = [0u64; 382];
        tiling[0] = 4096;
        let time = time(&record(kernel, 1, [8192, 1, 1], &tiling), &p, false);
        assert_eq!(time.tiling_bytes, bytes as u64, "{kernel}");
        time
    };
    let (small, large) = (of("after_small_tiling", 8), of("after_large_tiling", 3056));
    // 48 lines of 64 bytes, of which 4 are part of the entry.
    let more = 44.0 * (p.scalar_gm_hit + p.mte2_latency);
    assert!((large.cycles - small.cycles - more).abs() < 1e-6, "{} {}", large.cycles, small.cycles);
    assert_eq!((small.error.class, large.error.class), ("copies", "large tiling data"));
    assert_eq!(small.notes, [""; 0]);
    let note = "3056 bytes of tiling data are copied by the scalar unit of every core before it begins: ";
    assert!(large.notes.len() == 1 && large.notes[0].starts_with(note), "{:?}", large.notes);
}

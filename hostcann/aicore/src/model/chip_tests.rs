//! What cores have in common, each cost by itself.

use super::*;

fn ends(time: &LaunchTime) -> Vec<f64> {
    time.core.iter().map(|c| c.end).collect()
}

#[test]
fn cores_at_one_line_hold_each_other_up() {
    let p = Params { same_line: 0.5, ..params() };
    let load = |line| Script::default().load(line);
    // The first finds the line free, the second does not; a core elsewhere is alone.
    assert_eq!(ends(&with(&p, false, vec![load(0), load(0), load(100)])), [178.0, 50.0 + 1.5 * 128.0, 178.0]);
}

#[test]
fn a_launch_begins_and_ends_outside_of_its_cores() {
    let p = Params { launch_base: 0.5, launch_step: 0.01, entry: 7.0, entry_cold: 3.0, ..params() };
    let one = || Script::default().compute();
    let warm = with(&p, false, vec![one(), one()]);
    assert_eq!((warm.core[1].start, ends(&warm)), (10.0, vec![107.0, 117.0]));
    assert_eq!((warm.cycles, warm.task_us), (117.0, 0.5 + 0.117));
    assert_eq!(ends(&with(&p, true, vec![one(), one()])), [110.0, 120.0]);
}

#[test]
fn an_ai_core_with_both_its_cores_is_slower() {
    let p = Params { vector_cores: 4, entry_pair: 11.0, latency_pair: 9.0, ..params() };
    let load = || Script::default().load(0);
    // Blocks 0 and 2 share an AI core.
    assert_eq!(ends(&with(&p, false, vec![load(), load(), load()])), [198.0, 178.0, 198.0]);
    let store = || Script::default().store(0);
    assert_eq!(ends(&with(&p, false, vec![store(), store(), store()])), [296.0, 276.0, 296.0]);
}

#[test]
fn a_part_of_the_l2_can_be_used() {
    let p = Params { l2_bytes: 50 * LINE, ..params() };
    let twice = || Script::default().load(0).flag("MTE2_V").load(25);
    let read = |l2_usable| with(&Params { l2_usable, ..p.clone() }, false, vec![twice()]).traffic.hbm_read;
    assert_eq!((read(1.0), read(0.98)), (0.0, 2.0 * f64::from(TILE)));
}

#[test]
fn a_core_waits_for_the_flags_of_all() {
    let set = |n: usize| {
        let pipe = Pipe::V;
        (0..n).fold(Script::default(), |s, _| s.compute()).push(What::CrossSet { pipe, flag: 3 }, 0)
    };
    let wait = |s: Script| s.push(What::CrossWait { flag: 3 }, 0).compute();
    // What V has done counts, not what the scalar unit has given it.
    assert_eq!(ends(&with(&params(), false, vec![wait(set(1)), wait(set(3))])), [400.0, 400.0]);
    // The second wait is for the second flag.
    let again = |n| wait(wait(set(n)).push(What::CrossSet { pipe: Pipe::V, flag: 3 }, 0));
    assert_eq!(ends(&with(&params(), false, vec![again(1), again(3)])), [500.0, 500.0]);
}

#[test]
fn rows_off_their_lines_are_slower_and_copies_out_are_issued_one_by_one() {
    let p = Params { unaligned_line: 2.0, ..params() };
    let work = |offset| {
        let (pipe, dtype, cache) = (Pipe::MTE2, Dtype::F32, Cache::Normal);
        cost::copy(&p, &CopyWork { pipe, dtype, pad: true, rows: 1, row_bytes: 512, pitch: 512, cache }, offset).data
    };
    assert_eq!((work(0), work(512), work(32)), (5.12, 5.12, 2.0 * 6.4));
    let p = Params { mte3_issue: 30.0, ..params() };
    let short = Script::default().copy(Pipe::MTE3, 128, 0, 0).copy(Pipe::MTE3, 128, 0, 1);
    assert_eq!(one(&p, short).cycles, 30.0 + 2.56 + 20.0);
}

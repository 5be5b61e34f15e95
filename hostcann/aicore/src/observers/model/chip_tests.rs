//! What cores have in common, each cost by itself.

use super::*;
use crate::{
    machine::observe::Pair,
    observers::model::{program::NO_ARGUMENT, result::Bound, signals::Calls},
};

fn ends(time: &LaunchTime) -> Vec<f64> {
    time.core.iter().map(|c| c.end).collect()
}

#[test]
fn cores_at_one_line_hold_each_other_up() {
    let p = Params { same_line: 0.5, ..params() };
    let load = |line| Script::default().load(line);
    let both = 50.0 + 1.5 * 128.0;
    // A core elsewhere is alone.
    assert_eq!(ends(&with(&p, false, vec![load(0), load(0), load(100)])), [both, both, 178.0]);
    assert_eq!(ends(&with(&p, false, vec![load(0), load(0), load(0)])), [50.0 + 2.0 * 128.0; 3]);
    // Only data that moves at the same time counts, not a copy that waits for its latency: half of both here.
    let later = |step| ends(&with(&Params { launch_step: step, ..p.clone() }, false, vec![load(0), load(0)]));
    assert_eq!(later(0.064), [114.0 + 1.5 * 64.0, 64.0 + 50.0 + 1.5 * 64.0 + 64.0]);
    assert_eq!(later(0.128), [178.0, 128.0 + 178.0]);
    // What a core itself writes there is not another core.
    let own = Script::default().copy(Pipe::MTE3, TILE, 0, 0).load(0);
    assert_eq!(ends(&with(&p, false, vec![own])), [276.0]);
}

#[test]
fn cores_at_one_line_past_the_l2_have_a_factor_of_their_own() {
    let p = Params { same_line: 0.1, same_line_past_l2: 0.5, mte2_latency_hbm: 50.0, ..params() };
    let past = || {
        let pitch = u64::from(TILE);
        let (pipe, dtype, cache) = (Pipe::MTE2, Dtype::F32, Cache::Bypass);
        let work = CopyWork { pipe, dtype, pad: false, rows: 1, row_bytes: TILE, pitch, cache };
        let mut script = Script::default();
        script.block.places.push(GmAddress { region: 0, offset: 0 });
        script.push(StepKind::Copy(work), 0)
    };
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-9, "{got} {want}");
    close(with(&p, false, vec![past(), past()]).cycles, 50.0 + 1.5 * 128.0);
    close(with(&p, false, vec![Script::default().load(0), Script::default().load(0)]).cycles, 50.0 + 1.1 * 128.0);
}

#[test]
fn memory_that_no_argument_names_may_lie_anywhere() {
    let at = |region, offset| {
        let mut script = Script::default().load(0);
        script.block.places[0] = GmAddress { region, offset };
        script
    };
    let far = 0x7f12_3456_7000;
    for cold in [false, true] {
        let time = |region, offset| with(&params(), cold, vec![at(region, offset)]);
        assert_eq!(time(NO_ARGUMENT, far).cycles, time(0, 0).cycles);
        // Behind an argument, too: an address above the last one counts as its own.
        assert_eq!(time(0, far).cycles, time(0, 0).cycles);
    }
    let place = |region, offset| match &with(&params(), false, vec![at(region, offset)]).core[0].ops[0].kind {
        OpKind::Copy { argument, offset, .. } => (*argument, *offset),
        other => panic!("{other:?}"),
    };
    assert_eq!((place(NO_ARGUMENT, far + 8), place(3, far)), ((None, 8), (Some(3), far)));
}

/// A call of IBSet and its like, as steps.
fn pair(script: Script, calls: &mut Calls, pair: Pair) -> Script {
    calls.steps(pair).into_iter().fold(script, |script, what| script.push(what, 0))
}

#[test]
fn a_core_waits_for_the_word_of_another() {
    // A look takes 60 and 32 bytes, a write 20 and 32 bytes.
    let p = Params { mte2_issue: 10.0, ..params() };
    let (look, write) = (60.0 + 0.32, 20.0 + 0.64);
    let of = |list: &[Pair], after: usize| {
        let mut calls = Calls::default();
        let script = list
            .iter()
            .fold(Script::default().compute(), |s, p| pair(s.push(StepKind::Barrier(Pipe::ALL), 0), &mut calls, *p));
        (0..after).fold(script, |s, _| s.compute())
    };
    let p = Params { barrier_all: 0.0, ..p };
    let close = |got: Vec<f64>, want: &[f64]| {
        assert!(got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-9), "{got:?} {want:?}");
    };
    // IBSet after 100 cycles; who waits looks when the word is there, and puts it back.
    let set = 100.0 + look + write;
    let waits = of(&[Pair::Wait(64)], 1);
    close(ends(&with(&p, false, vec![of(&[Pair::Set(64)], 0), waits])), &[set, set + look + write + 100.0]);
    // A second IBSet needs the word back.
    let back = set + look + write;
    let twice = with(&p, false, vec![of(&[Pair::Set(64), Pair::Set(64)], 0), of(&[Pair::Wait(64), Pair::Wait(64)], 0)]);
    close(ends(&twice), &[back + look + write, back + 2.0 * (look + write)]);
    // Another word is another word.
    let other = vec![of(&[Pair::Set(64)], 0), of(&[Pair::Wait(96)], 0), of(&[Pair::Set(96)], 3)];
    close(ends(&with(&p, false, other)), &[set, set + look + write, set + 300.0]);
}

#[test]
fn turns_and_groups_of_cores_take_their_time() {
    let p = Params { mte2_latency: 0.0, mte3_latency: 50.0, ..params() };
    let p = Params { mte2_rate: 1e12, mte3_rate: 1e12, barrier_all: 0.0, ..p };
    let close = |got: Vec<f64>, want: &[f64]| {
        assert!(got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?} {want:?}");
    };
    // Two rounds of three cores, each 100 cycles and 50 for the word.
    let turns = |core: u32| {
        let mut calls = Calls::default();
        (0..2).fold(pair(Script::default(), &mut calls, Pair::Turns), |s, _| {
            let s = pair(s, &mut calls, Pair::WaitTurn { gm: 4096, core, cores: 3 }).compute();
            pair(s.push(StepKind::Barrier(Pipe::ALL), 0), &mut calls, Pair::EndTurn { gm: 4096, core })
        })
    };
    close(ends(&with(&p, false, vec![turns(0), turns(1), turns(2)])), &[600.0, 750.0, 900.0]);
    // Two arrive, at 150 and 250; the third waits for both.
    let arrive = |n: usize| {
        let s = (0..n).fold(Script::default(), |s, _| s.compute()).push(StepKind::Barrier(Pipe::ALL), 0);
        pair(s, &mut Calls::default(), Pair::Arrive { gm: 4096, slots: 2, stride: 512 })
    };
    let reach = pair(Script::default(), &mut Calls::default(), Pair::Reach { at: 4608, arrivals: 2 }).compute();
    close(ends(&with(&p, false, vec![arrive(1), arrive(2), reach])), &[150.0, 250.0, 350.0]);
}

#[test]
fn words_past_the_data_cache_are_not_priced_and_that_is_said() {
    let mut script = Script::default().load(0).compute();
    script.block.bypass = true;
    let notes = with(&params(), false, vec![script]).notes.concat();
    assert!(notes.starts_with("ReadGmByPassDCache and WriteGmByPassDCache are not priced"), "{notes}");
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
        (0..n).fold(Script::default(), |s, _| s.compute()).push(StepKind::CrossSet { pipe, flag: 3 }, 0)
    };
    let wait = |s: Script| s.push(StepKind::CrossWait { flag: 3 }, 0).compute();
    // What V has done counts, not what the scalar unit has given it.
    assert_eq!(ends(&with(&params(), false, vec![wait(set(1)), wait(set(3))])), [400.0, 400.0]);
    // The second wait is for the second flag.
    let again = |n| wait(wait(set(n)).push(StepKind::CrossSet { pipe: Pipe::V, flag: 3 }, 0));
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

#[test]
fn one_tensor_read_twice_cannot_be_moved_apart() {
    let passes = Passes { repeats: 10, read: 20, write: 10, alone: 10, clash: 10, ..Passes::default() };
    let square = |mut s: Script| {
        s = s.vector(Opcode::Mul, 10, passes);
        let StepKind::Vector(mut w) = s.infos.list()[0].what.clone() else { panic!() };
        w.operands[2] = Some(("src1", 256));
        Script::default().push(StepKind::Vector(w), 0)
    };
    let r = recording(vec![square(Script::default())]);
    let time = |how: Replay| r.replay(&params(), &how).unwrap();
    let found = time(Replay::default());
    assert_eq!(found.cycles, 23.2 + 10.0 + 10.0 + 7.7);
    // What remains is that both are read; that the result is written out of step is not.
    assert_eq!(time(Replay { no_conflicts: true, ..Replay::default() }).cycles, found.cycles - 7.7);
    let [c] = &found.conflicts[..] else { panic!("{:?}", found.conflicts) };
    assert_eq!((c.kind, c.operands, c.avoidable()), (ConflictKind::ReadRead, [("src0", 256), ("src1", 256)], false));
    let moved = recording(vec![Script::default().vector(Opcode::Mul, 10, passes)]);
    let time = |how: Replay| moved.replay(&params(), &how).unwrap();
    assert_eq!(time(Replay { no_conflicts: true, ..Replay::default() }).cycles, found.cycles - 17.7);
    assert!(time(Replay::default()).conflicts[0].avoidable());
}

#[test]
fn lines_are_kept_where_an_access_leaves_a_chunk() {
    let script = Script::default().load(4090).flag("MTE2_V").load(4100);
    // 15 of the second 25 lines are there.
    assert_eq!(with(&params(), true, vec![script]).traffic.hbm_read, 35.0 * 512.0);
}

#[test]
fn a_line_that_is_used_again_stays() {
    let p = Params { l2_bytes: 50 * LINE, ..params() };
    let loads = [0, 25, 0, 50, 0].into_iter().fold(Script::default(), |s, line| s.load(line).flag("MTE2_V"));
    assert_eq!(with(&p, true, vec![loads]).traffic.hbm_read, 3.0 * f64::from(TILE));
}

#[test]
fn a_copy_that_is_there_in_part_waits_for_its_first_missing_line() {
    // 12 of 25 lines are there.
    let script = Script::default().load(0).flag("MTE2_V").load(13);
    assert_eq!(with(&params(), true, vec![script]).cycles, 2.0 * (250.0 + 128.0));
}

#[test]
fn a_pipe_is_busy_once_where_its_copies_overlap() {
    let busy = one(&params(), Script::default().load(0).load(25)).core[0].busy;
    assert_eq!((busy.mte2, busy.mte3), (306.0, 0.0));
}

#[test]
fn what_a_launch_is_bound_by() {
    let computes = |n: usize| (0..n).fold(Script::default(), |s, _| s.compute());
    let of = |p: &Params, scripts: Vec<Script>| with(p, false, scripts).bound;
    let p = params();
    assert_eq!(of(&p, vec![computes(1)]), Bound::Vector);
    assert_eq!(of(&p, vec![Script::default().load(0).compute()]), Bound::Memory);
    let slow = Params { scalar_ub_read: 101.0, ..p.clone() };
    assert_eq!(of(&slow, vec![computes(1).push(StepKind::Scalar(Scalar::UbRead), 0)]), Bound::Scalar);
    // Half of the task outside of what the cores do, the entry among it.
    let launch = |launch_base, entry| of(&Params { launch_base, entry, ..p.clone() }, vec![computes(1)]);
    assert_eq!(
        (launch(0.09, 0.0), launch(0.11, 0.0), launch(0.06, 50.0)),
        (Bound::Vector, Bound::Launch, Bound::Launch)
    );
    // The slowest core 14 %, and 33 % above the mean.
    assert_eq!(of(&p, vec![computes(4), computes(3)]), Bound::Vector);
    assert_eq!(of(&p, vec![computes(4), computes(2)]), Bound::Imbalance);
}

#[test]
fn tbufs_hold_the_unified_buffer_as_long_as_their_block_runs() {
    let made = |addr, num, queue| crate::observers::model::BufferAt { addr, bytes: 256, num, queue, site: Site(0) };
    let script = || {
        let taken = Script::default().push(StepKind::Scalar(Scalar::Alloc), 100).compute();
        let mut script = taken.push(StepKind::Scalar(Scalar::Free), 100);
        // The last one lies where another one was before the pipe was reset.
        script.block.buffers = vec![made(0, 2, true), made(512, 2, false), made(768, 1, false)];
        script
    };
    let found = one(&params(), script());
    let used: Vec<(f64, u64)> = found.core[0].ub.iter().map(|u| (u.at, u.bytes)).collect();
    // It is taken and given back within the instruction's time, the scalar unit long since done.
    assert_eq!(used, [(0.0, 612), (100.0, 0)]);
}

/// The scalar unit issues all of it at 0; tensors live as long as the pipes work on them.
#[test]
fn a_tensor_lives_until_its_last_instruction_is_done() {
    let event = |name| HardEvent::by_name(name).unwrap();
    let free = |s: Script, bytes, name| {
        s.push(StepKind::Scalar(Scalar::Free), bytes).push(StepKind::SetFlag { event: event(name), id: 0 }, 0)
    };
    let alloc = |s: Script, bytes| s.push(StepKind::Scalar(Scalar::Alloc), bytes);
    let script = alloc(Script::default(), 1000).load(0).flag("MTE2_V");
    let script = free(alloc(script, 50).compute(), 1000, "V_MTE2").flag("V_MTE3").store(0);
    let found = one(&params(), free(script, 50, "MTE3_V"));
    let used: Vec<(f64, u64)> = found.core[0].ub.iter().map(|u| (u.at, u.bytes)).collect();
    assert_eq!(used, [(0.0, 1000), (178.0, 1050), (278.0, 50), (554.0, 0)]);
    assert_eq!(found.cycles, 554.0);
}

#[test]
fn what_goes_before_a_block_is_its_entry() {
    let p = Params { entry: 30.0, vector_cores: 1, ..params() };
    let found = with(&p, false, vec![Script::default().compute(), Script::default().compute()]);
    assert_eq!(found.core[0].entries, [(0.0, 30.0), (130.0, 160.0)]);
}

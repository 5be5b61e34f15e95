//! Small programs with exact cycles.

use super::*;
use crate::{
    base::{
        ins::{Dtype, Form, Opcode},
        pipe::Pipe,
    },
    instruction::vector::Head,
    machine::event::HardEvent,
    observers::{
        banks::Passes,
        model::{
            program::{Block, GmAddress, Op, Scalar, StepInfo},
            result::{ConflictKind, OpKind, OpTime},
            work::VectorWork,
        },
    },
};

/// Round numbers: copies in at 100 bytes a cycle after 50 cycles, copies out at 50 with 20 afterwards; nothing else costs.
fn params() -> Params {
    let file = toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
    let p = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap();
    Params {
        clock: 1000.0,
        launch_base: 0.0,
        launch_step: 0.0,
        entry: 0.0,
        entry_cold: 0.0,
        entry_pair: 0.0,
        scalar_queue: 0.0,
        scalar_vector: 0.0,
        scalar_copy: 0.0,
        scalar_flag: 0.0,
        mte2_rate: 100.0,
        mte2_latency: 50.0,
        mte2_latency_hbm: 250.0,
        latency_pair: 0.0,
        mte2_issue: 0.0,
        mte3_rate: 50.0,
        mte3_latency: 20.0,
        mte3_issue: 0.0,
        port: 1000.0,
        pair_read: 1000.0,
        l2_read: 1000.0,
        l2_write: 1000.0,
        hbm_read: 1000.0,
        hbm_write: 1000.0,
        l2_cold_dirty: 0.0,
        l2_usable: 1.0,
        same_line: 0.0,
        same_line_past_l2: 0.0,
        ..p
    }
}

/// 25 lines: 128 cycles into the unified buffer, 256 out of it.
const TILE: u32 = 12_800;

#[derive(Default)]
struct Script {
    block: Block,
    infos: super::super::program::Table<StepInfo>,
    site: usize,
}

impl Script {
    fn push(mut self, what: StepKind, more: u32) -> Script {
        self.site += 1;
        let info = self.infos.number(StepInfo { site: Site(self.site), what });
        self.block.ops.push(Op { info, more });
        self
    }

    fn copy(mut self, pipe: Pipe, bytes: u32, region: u32, line: u64) -> Script {
        self.block.places.push(GmAddress { region, offset: line * LINE });
        let place = self.block.places.len() as u32 - 1;
        let pitch = u64::from(bytes);
        let (dtype, cache) = (Dtype::F32, Cache::Normal);
        let work = CopyWork { pipe, dtype, pad: false, rows: 1, row_bytes: bytes, pitch, cache };
        self.push(StepKind::Copy(work), place)
    }

    fn load(self, line: u64) -> Script {
        self.copy(Pipe::MTE2, TILE, 0, line)
    }

    fn store(self, line: u64) -> Script {
        self.copy(Pipe::MTE3, TILE, 1, line)
    }

    /// 100 cycles: Copy has 13 and one for each repeat.
    fn compute(self) -> Script {
        self.vector(Opcode::Copy, 87, Passes { repeats: 87, read: 87, write: 87, alone: 87, ..Passes::default() })
    }

    fn vector(self, op: Opcode, repeats: u64, passes: Passes) -> Script {
        let head = Head { op, dtype: Dtype::F32, stype: Dtype::F32, form: Form::MaskBits };
        let operands = [Some(("dst", 0)), Some(("src0", 256)), Some(("src1", 512))];
        let passes = Some(passes);
        let (count_form, partial) = (false, false);
        let half_lanes = 128 * repeats;
        self.push(
            StepKind::Vector(VectorWork { head, repeats, calls: 1, half_lanes, count_form, partial, passes, operands }),
            0,
        )
    }

    /// SetFlag and the WaitFlag after it.
    fn flag(self, name: &str) -> Script {
        let event = HardEvent::by_name(name).unwrap();
        let set = self.block.ops.len() as u32;
        self.push(StepKind::SetFlag { event, id: 0 }, 0).push(StepKind::WaitFlag { event, id: 0 }, set)
    }

    fn tile(self, line: u64) -> Script {
        self.load(line).flag("MTE2_V").compute().flag("V_MTE3").store(line)
    }
}

fn recording(scripts: Vec<Script>) -> Recording {
    let blocks = scripts.len() as u32;
    let mut program = Program::default();
    for (i, script) in scripts.into_iter().enumerate() {
        program.add(Block { index: i as u32, ..script.block }, script.infos);
    }
    Recording { kernel: "script".to_owned(), blocks, ran: blocks, program, ..Recording::default() }
}

fn with(p: &Params, cold: bool, scripts: Vec<Script>) -> LaunchTime {
    let caches = if cold { Caches::Cold } else { Caches::Warm };
    recording(scripts).replay(p, &Replay { caches, trace: Some(vec![]), ..Replay::default() }).unwrap()
}

fn one(p: &Params, script: Script) -> LaunchTime {
    with(p, false, vec![script])
}

/// Start and end of what runs on a pipe, flags left out.
fn on(time: &LaunchTime, pipe: Pipe) -> Vec<(f64, f64)> {
    let works = |o: &&OpTime| o.pipe == pipe && matches!(o.kind, OpKind::Copy { .. } | OpKind::Vector { .. });
    time.core[0].ops.iter().filter(works).map(|o| (o.start, o.end)).collect()
}

#[test]
fn a_tile_goes_through_its_pipes_one_after_the_other() {
    let time = one(&params(), Script::default().tile(0));
    assert_eq!(on(&time, Pipe::MTE2), [(0.0, 178.0)]);
    assert_eq!(on(&time, Pipe::V), [(178.0, 278.0)]);
    assert_eq!(on(&time, Pipe::MTE3), [(278.0, 278.0 + 256.0 + 20.0)]);
    assert_eq!((time.cycles, time.task_us), (554.0, 0.554));
    let busy = time.core[0].busy;
    assert_eq!((busy.mte2, busy.vector, busy.mte3), (178.0, 100.0, 276.0));
    let wait = time.core[0].ops.iter().find(|o| &*o.name == "WaitFlag MTE2_V:0").unwrap();
    assert_eq!((wait.end, &*time.core[0].ops[wait.waited_for.unwrap()].name), (178.0, "SetFlag MTE2_V:0"));
}

#[test]
fn a_second_buffer_overlaps_and_a_single_one_waits() {
    let p = params();
    let twice = one(&p, Script::default().tile(0).tile(25));
    assert_eq!(on(&twice, Pipe::MTE2), [(0.0, 178.0), (178.0, 356.0)]);
    assert_eq!(on(&twice, Pipe::V), [(178.0, 278.0), (356.0, 456.0)]);
    // No flag of MTE3 is between: the end of the first copy lies under the second.
    assert_eq!(on(&twice, Pipe::MTE3), [(278.0, 554.0), (456.0, 810.0)]);
    // The second copy needs what the first instruction reads.
    let once = one(&p, Script::default().tile(0).flag("V_MTE2").tile(25));
    assert_eq!(on(&once, Pipe::MTE2), [(0.0, 178.0), (278.0, 456.0)]);
    assert_eq!(on(&once, Pipe::V), [(178.0, 278.0), (456.0, 556.0)]);
}

#[test]
fn latency_lies_under_the_copy_before_unless_a_flag_is_between() {
    let p = params();
    assert_eq!(on(&one(&p, Script::default().load(0).load(25)), Pipe::MTE2), [(0.0, 178.0), (0.0, 306.0)]);
    let flag = Script::default().load(0).flag("MTE2_V").load(25);
    assert_eq!(on(&one(&p, flag), Pipe::MTE2), [(0.0, 178.0), (178.0, 356.0)]);
    // Short copies follow each other as fast as they are issued.
    let slow = Params { mte2_issue: 30.0, ..p };
    let short = Script::default().copy(Pipe::MTE2, 128, 0, 0).copy(Pipe::MTE2, 128, 0, 1).copy(Pipe::MTE2, 128, 0, 2);
    assert_eq!(one(&slow, short).cycles, 50.0 + 2.0 * 30.0 + 1.28);
}

#[test]
fn both_engines_share_the_port() {
    let p = Params { port: 100.0, mte2_latency: 0.0, mte3_latency: 0.0, ..params() };
    // 50 bytes a cycle for each: 256 cycles and both are done.
    let time = one(&p, Script::default().load(0).store(0));
    assert_eq!((on(&time, Pipe::MTE2), on(&time, Pipe::MTE3)), (vec![(0.0, 256.0)], vec![(0.0, 256.0)]));
    // A flow that needs less than half has it; the other goes faster when it is alone.
    let p = Params { port: 120.0, ..p };
    let time = one(&p, Script::default().load(0).store(0));
    let ended = 12_800.0 / 70.0;
    assert!((on(&time, Pipe::MTE2)[0].1 - ended).abs() < 1e-9 && (on(&time, Pipe::MTE3)[0].1 - 256.0).abs() < 1e-9);
}

#[test]
fn all_cores_share_the_l2_and_the_memory() {
    // 100 bytes a cycle for the whole chip; two cores.
    let p = Params { l2_read: 0.1, ..params() };
    let load = |line| Script::default().load(line);
    assert_eq!(with(&p, false, vec![load(0), load(25)]).cycles, 50.0 + 256.0);
    let p = Params { hbm_read: 0.1, ..params() };
    assert_eq!(with(&p, false, vec![load(0), load(25)]).cycles, 50.0 + 128.0);
    assert_eq!(with(&p, true, vec![load(0), load(25)]).cycles, 250.0 + 256.0);
}

#[test]
fn lines_come_from_memory_once_and_go_back_when_they_are_dirty() {
    let p = Params { l2_bytes: 50 * LINE, ..params() };
    // In order, through one pipe's flags: 25 dirty lines, the same 25 read, 50 others that drive them out.
    let script = || {
        Script::default()
            .copy(Pipe::MTE3, TILE, 0, 0)
            .flag("MTE3_MTE2")
            .load(0)
            .flag("MTE2_V")
            .load(25)
            .flag("MTE2_V")
            .load(50)
    };
    let tile = f64::from(TILE);
    let t = with(&p, true, vec![script()]).traffic;
    assert_eq!((t.read, t.written), (3 * u64::from(TILE), u64::from(TILE)));
    assert_eq!((t.l2_hit, t.hbm_read, t.hbm_written), (tile, 2.0 * tile, tile));
    // What was there before is half dirty: another 50 lines have to make room.
    let t = with(&Params { l2_cold_dirty: 0.5, ..p.clone() }, true, vec![script()]).traffic;
    assert_eq!(t.hbm_written, tile + 50.0 * 0.5 * 512.0);
    // A second run finds nothing of use in so small an L2, and everything in a large one.
    let warm = |l2_bytes| with(&Params { l2_bytes, ..p.clone() }, false, vec![script()]).traffic;
    assert_eq!(
        (warm(50 * LINE).hbm_read, warm(75 * LINE).hbm_read, warm(75 * LINE).hbm_written),
        (2.0 * tile, 0.0, 0.0)
    );
}

#[test]
fn a_copy_past_the_l2_leaves_no_lines() {
    let p = Params { l2_bytes: 50 * LINE, ..params() };
    let mut script = Script::default().store(0).flag("MTE3_MTE2").load(0);
    script.block.places.push(GmAddress { region: 2, offset: 0 });
    let row_bytes = 4 * TILE;
    let pitch = u64::from(row_bytes);
    let cache = Cache::Bypass;
    let work = CopyWork { pipe: Pipe::MTE2, dtype: Dtype::F32, pad: false, rows: 1, row_bytes, pitch, cache };
    let t = with(&p, true, vec![script.push(StepKind::Copy(work), 2)]).traffic;
    assert_eq!((t.hbm_read, t.hbm_written), (5.0 * f64::from(TILE), 0.0));
}

#[test]
fn rows_off_their_lines_take_more_requests() {
    let cost = |rows, row_bytes, pitch, offset| {
        let (dtype, cache, pipe) = (Dtype::F32, Cache::Normal, Pipe::MTE2);
        let p = Params { burst: 8.0, unaligned_line: 1.0, unaligned_block: 1.5, ..params() };
        let c = cost::copy(&p, &CopyWork { pipe, dtype, pad: true, rows, row_bytes, pitch, cache }, offset);
        (c.bytes, (c.data * 100.0).round() / 100.0, c.memory)
    };
    assert_eq!(cost(1, 2048, 2048, 0), (2048.0, 20.48, 1.0));
    // 480 bytes of a line and 32 of another.
    assert_eq!(cost(1, 512, 512, 32), (512.0 + 128.0, 6.4, 1.0));
    assert_eq!(cost(1, 100, 100, 3), (128.0, 1.28, 1.5));
    // A row takes 8 cycles, however short it is.
    assert_eq!(cost(4, 64, 4096, 0), (4.0 * 128.0, 32.0, 1.0));
    assert_eq!(cost(2, 1024, 1056, 0), (1024.0 + 1152.0, 21.76, 1.0));
}

#[test]
fn cores_meet_and_blocks_queue() {
    let p = Params { sync_all: 40.0, ..params() };
    let work = |n: usize| (0..n).fold(Script::default(), |s, _| s.compute()).push(StepKind::SyncAll, 0).compute();
    assert_eq!(with(&p, false, vec![work(1), work(3)]).core.iter().map(|c| c.end).collect::<Vec<_>>(), [440.0, 440.0]);
    let p = Params { vector_cores: 2, entry: 7.0, launch_step: 0.001, ..params() };
    let three = with(&p, false, (0..3).map(|_| Script::default().compute()).collect());
    let ends: Vec<_> = three.core.iter().map(|c| (c.blocks.clone(), c.start, c.end)).collect();
    assert_eq!(ends, [(vec![0, 2], 0.0, 214.0), (vec![1], 1.0, 108.0)]);
}

#[test]
fn the_scalar_unit_waits_for_what_it_reads() {
    let p = Params { scalar_ub_read: 5.0, ..params() };
    let read = |s: Script| s.push(StepKind::Scalar(Scalar::UbRead), 0);
    assert_eq!(one(&p, read(Script::default().compute().flag("V_S")).compute()).cycles, 205.0);
    // What the compiler puts in front of the read does the same.
    let script = Script::default().compute().push(StepKind::Await, 0);
    let time = one(&p, read(script).compute());
    assert_eq!(time.cycles, 205.0);
    let wait = time.core[0].ops.iter().find(|o| o.kind == OpKind::WaitFlag).unwrap();
    assert_eq!((wait.end, wait.pipe, wait.waited_for), (100.0, Pipe::S, Some(0)));
    // Data is there when the copy has ended, not when it has begun.
    assert_eq!(one(&p, read(Script::default().load(0).push(StepKind::Await, 0))).cycles, 178.0 + 5.0);
    // Nothing that it reads is on its way: it does not wait.
    assert_eq!(one(&p, read(Script::default().compute()).compute()).cycles, 200.0);
    let barrier = Script::default().compute().push(StepKind::Barrier(Pipe::ALL), 0).load(0);
    assert_eq!(one(&Params { barrier_all: 9.0, ..p }, barrier).cycles, 100.0 + 9.0 + 178.0);
}

#[test]
fn an_index_is_built_repeat_by_repeat() {
    let p = Params { scalar_vector: 30.0, scalar_flag: 1.0, scalar_ub_write: 8.0, ..params() };
    let index = Script::default().vector(
        Opcode::CreateVecIndex,
        64,
        Passes { repeats: 64, read: 64, write: 64, alone: 64, ..Passes::default() },
    );
    // Eight floats, seven blocks and 63 repeats; then what the instruction itself takes.
    assert_eq!(one(&p, index).cycles, 8.0 * 8.0 + 70.0 * 31.0 + 17.0 + 64.0);
}

#[test]
fn a_value_of_global_memory_comes_in_a_line() {
    let p = Params { scalar_gm_hit: 10.0, ..params() };
    let value = |mut s: Script, offset| {
        s.block.places.push(GmAddress { region: 0, offset });
        let place = s.block.places.len() as u32 - 1;
        s.push(StepKind::Scalar(Scalar::GmAccess), place)
    };
    let script = || value(value(value(Script::default(), 0), 60), 64);
    assert_eq!(with(&p, false, vec![script()]).cycles, 3.0 * 10.0 + 2.0 * 50.0);
    assert_eq!(with(&p, true, vec![script()]).cycles, 3.0 * 10.0 + 2.0 * 250.0);
    let again = value(value(Script::default(), 0).push(StepKind::Scalar(Scalar::CleanCache), 0), 0);
    assert_eq!(one(&p, again).cycles, 3.0 * 10.0 + 2.0 * 50.0);
}

#[test]
fn the_cores_of_an_ai_core_read_through_one_way() {
    let load = || Script::default().load(0);
    let p = Params { vector_cores: 4, pair_read: 100.0, ..params() };
    let ends = |blocks: usize| -> Vec<f64> {
        with(&p, false, (0..blocks).map(|_| load()).collect()).core.iter().map(|c| c.end).collect()
    };
    // Two blocks have an AI core each, the third shares that of the first.
    assert_eq!(ends(2), [178.0, 178.0]);
    assert_eq!(ends(3), [306.0, 178.0, 306.0]);
    // What goes out has a way of its own.
    let store = Script::default().store(0);
    let mixed = with(&p, false, vec![load(), load(), store]);
    assert_eq!((mixed.core[0].end, mixed.core[2].end), (178.0, 276.0));
}

#[test]
fn a_kernel_of_plain_code_says_that_it_is_not_priced() {
    let value = |s: Script| s.push(StepKind::Scalar(Scalar::UbRead), 0);
    let notes = |script| one(&params(), script).notes;
    assert!(notes(Script::default()).concat().contains("plain C++ is not priced"));
    let loud = notes(value(value(value(Script::default().load(0).compute()))));
    assert!(loud.concat().starts_with("3 values are read or written one by one, next to 2 instructions"), "{loud:?}");
    assert_eq!(notes(value(value(Script::default().load(0).compute()))), Vec::<String>::new());
}

#[test]
fn conflicts_are_summed_by_call_and_can_be_thought_away() {
    let passes = Passes { repeats: 10, read: 20, write: 10, alone: 10, ..Passes::default() };
    let r = recording(vec![Script::default().vector(Opcode::Div, 10, passes).compute()]);
    let time = |how: Replay| r.replay(&params(), &how).unwrap();
    let found = time(Replay::default());
    assert_eq!(found.cycles, 29.1 + 2.0 * 10.0 + 2.0 * 10.0 + 100.0);
    let [c] = &found.conflicts[..] else { panic!("{:?}", found.conflicts) };
    assert_eq!((c.kind, c.instructions, c.repeats, c.cycles), (ConflictKind::ReadRead, 1, 10, 20.0));
    assert_eq!((c.operands, c.site), ([("src0", 256), ("src1", 512)], Site(1)));
    assert_eq!(time(Replay { no_conflicts: true, ..Replay::default() }).cycles, found.cycles - 20.0);
    let at = |site| time(Replay { no_conflicts_at: vec![Site(site)], ..Replay::default() }).cycles;
    assert_eq!((at(1), at(2)), (found.cycles - 20.0, found.cycles));
}

#[test]
fn blocks_that_did_not_run_follow_from_those_that_did() {
    let block = |i: u32, step: u64| Block { index: i, ..Script::default().tile(u64::from(i) * step).block };
    let sampled = |steps: [u64; 5]| {
        let infos = || Script::default().tile(0).infos;
        let mut program = Program::default();
        [0, 1, 5, 8, 9].into_iter().zip(steps).for_each(|(i, step)| program.add(block(i, step), infos()));
        super::super::extrapolate::add_missing(&mut program, 10).map(|()| program)
    };
    let all = sampled([25; 5]).unwrap();
    assert_eq!(
        all.blocks.iter().map(|b| b.places[0].offset / LINE).collect::<Vec<_>>(),
        (0..10).map(|i| 25 * i).collect::<Vec<_>>()
    );
    assert_eq!(
        sampled([25, 25, 25, 25, 24]).unwrap().blocks[9].places[0].offset / LINE,
        216,
        "the last one is its own"
    );
    assert!(sampled([25, 25, 24, 25, 25]).unwrap_err().contains("not alike"));
    // Where the blocks before the last one have less to do, too, nobody knows from which on.
    assert!(sampled([25, 25, 25, 24, 25]).unwrap_err().contains("not alike"));
}

#[path = "chip_tests.rs"]
mod chip;

#[path = "rule_tests.rs"]
mod rules;

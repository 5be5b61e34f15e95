//! Reductions of int32, of which the vector core has no instruction for rows.

mod graphs;

use std::collections::BTreeMap;

use ascgraph::codegen::op_dir;
use ascgraph::cost::Cost;
use ascgraph::dtype::DType::Int32;
use ascgraph::expr::Values;
use ascgraph::interp::{Buffer, choose, run, run_tiles};
use ascgraph::plan::{Kernel, Plan, plan};
use ascgraph::schedule::Case;
use ascgraph::tiling::Limits;
use graphs::folded::{self, KINDS};
use graphs::{columns, inputs, long};

mod sources;

fn planned() -> Plan {
    plan(&long::bare(Int32, &KINDS)).expect("planned")
}

fn ints(buffer: &Buffer) -> Vec<i32> {
    buffer.bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Sums wrap, and the largest and smallest are of all that there are.
#[test]
fn integers_are_exact() {
    let graphs =
        [long::bare(Int32, &KINDS), columns::bare(Int32, &KINDS, 2, &[0])].map(|mut fused| fused.graphs.remove(0));
    for sizes in [[2, 1], [3, 7], [2, 8], [9, 65], [17, 130], [1, 20_001]] {
        let [rows, row] = sizes.map(|size: i64| size as usize);
        let x = graphs::of_all_kinds(Int32, 7, rows * row);
        let numbers = ints(&x);
        let values: Values = ["s0", "s1"].map(str::to_owned).into_iter().zip(sizes).collect();
        let columns = || (0..row).map(|at| numbers[at..].iter().copied().step_by(row).collect());
        let lines: [Vec<Vec<i32>>; 2] = [numbers.chunks(row).map(<[i32]>::to_vec).collect(), columns().collect()];
        for (graph, lines) in graphs.iter().zip(lines) {
            let outputs = run(graph, &BTreeMap::from([(0, x.clone())]), &values).expect("runs").outputs;
            let of = |reduced: fn(&Vec<i32>) -> Option<i32>| {
                lines.iter().map(|line| reduced(line).expect("a number")).collect()
            };
            let wanted: [Vec<i32>; 3] = [
                of(|line| line.iter().copied().reduce(i32::wrapping_add)),
                of(|line| line.iter().copied().max()),
                of(|line| line.iter().copied().min()),
            ];
            let got = [0, 1, 2].map(|index| ints(&outputs[&index]));
            assert_eq!(got, wanted, "{} {sizes:?}", graph.name);
        }
    }
    let wraps = [i32::MAX, 2].map(i32::to_le_bytes).concat();
    let values: Values = [("s0".to_owned(), 1), ("s1".to_owned(), 2)].into();
    let outputs =
        run(&graphs[0], &BTreeMap::from([(0, Buffer { dtype: Int32, bytes: wraps })]), &values).expect("runs").outputs;
    assert_eq!([0, 1, 2].map(|index| ints(&outputs[&index])[0]), [i32::MIN + 1, i32::MAX, 2]);
}

/// Rows whole, in pieces and shared by cores.
#[test]
fn tiles_give_the_graphs_bits() {
    let mut seen = [0; 3];
    for (fused, mut shapes) in folded::all() {
        let mut plan = plan(&fused).expect("planned");
        plan.price(&graphs::timing("Ascend910B3"));
        if plan.hint().size_vars.len() == 2 {
            shapes.extend([[3, 9001], [1, 20_001]].map(Vec::from));
        }
        for sizes in shapes {
            let (cores, ub_size) = if sizes[0] == 1 { (40, 188_416) } else { (3, 60 << 10) };
            let values: Values =
                plan.hint().size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect();
            let inputs = inputs(plan.hint(), &values);
            let wanted = run(plan.hint(), &inputs, &values).expect("runs").outputs;
            let (case, solved) = choose(&plan, &values, Limits { cores, aiv_num: 0, ub_size }).expect("a tiling");
            let what = format!("{} {sizes:?} {solved:?}", fused.name);
            let got = run_tiles(&plan.cases[case], &inputs, &values, &solved);
            assert!(got.unwrap_or_else(|error| panic!("{what}: {error}")) == wanted, "{what}: other bits");
            seen[usize::from(plan.cases[case].s.case == Case::P) + usize::from(solved.parts > 1)] += 1;
        }
    }
    assert!(seen.iter().all(|cases| *cases > 0), "whole, in pieces, shared: {seen:?}");
}

/// 64 bytes for each row beside the lanes; columns meet in their lanes.
#[test]
fn lanes_meet_in_work_memory() {
    let narrow = |kernel: &Kernel| kernel.memory.scratch.narrow;
    let made = planned();
    assert_eq!(
        made.cases.iter().map(|kernel| (kernel.s.case, narrow(kernel))).collect::<Vec<_>>(),
        [(Case::Y0, 64), (Case::P, 64)]
    );
    let floats = plan(&long::bare(ascgraph::dtype::DType::Float32, &KINDS)).expect("planned");
    let across = plan(&columns::bare(Int32, &KINDS, 2, &[0])).expect("planned");
    assert!(floats.cases.iter().chain(&across.cases).all(|kernel| narrow(kernel) == 0));
}

#[test]
fn kernels_call_what_folds() {
    let names = ascgraph::codegen::Names::of("my_op").expect("a name");
    let kernel = |plan: &Plan| {
        let files = op_dir(plan, &names, &sources::sources()).expect("made");
        files.into_iter().find(|(path, _)| path.ends_with("op_kernel/my_op.h")).expect("a kernel").1
    };
    let text = kernel(&planned());
    for line in [
        "FoldRows<Reduction::SUM>(n2_reduced0, n1_load, lanes_.Get<int32_t>(), scratch_.Get<int32_t>(), rows, \
         tiling_->size_s1, stride, segment);",
        "FoldLanes<Reduction::MAX>(n5_reduced1, lanes_.Get<int32_t>()[128], scratch_.Get<int32_t>(), tiling_->size_s1);",
        "pipe.InitBuffer(scratch_, (narrow * 64 + 511) / 512 * 512);",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert!(!text.contains(" ReduceRows<Reduction::SUM>(n"), "{text}");
    let across = kernel(&plan(&columns::bare(Int32, &KINDS, 2, &[0])).expect("planned"));
    assert!(across.contains("MeetRows<Reduction::SUM>(n2") && !across.contains("FoldRows"), "{across}");
}

/// A Sum alone, by hand: what its lanes take, and how they meet.
#[test]
fn the_cost_of_a_sum() {
    let timing = graphs::timing("Ascend910B3");
    let mut made = plan(&long::bare(Int32, &["Sum"])).expect("planned");
    made.price(&timing);
    let [whole, pieces]: [Cost; 2] = [0, 1].map(|case| made.cases[case].cost.expect("a price"));
    let ticks = |cycles: f64| (cycles * 1024.0).round() as i64;
    let of = |name: &'static str| {
        timing
            .instruction(ascgraph::lower::instructions::Instruction { name, to: Int32, from: Int32 })
            .expect("a number")
    };
    let [add, fill, take, copy] = ["Add", "Duplicate", "GatherMask", "DataCopy"].map(of);
    // Eight lanes are filled, take eight blocks, and three times even and odd ones of them are added.
    let meet = ticks(fill.1) + ticks(8.0 * add.1) + ticks(6.0 * take.1) + ticks(3.0 * add.1) + ticks(copy.1);
    let row = [fill.0 / 8.0, add.0, take.0 * 7.0 / 16.0, add.0 * 7.0 / 64.0, copy.0 / 64.0];
    assert_eq!(whole.tile.narrow, row.map(|cycles| ticks(cycles * 1024.0)).iter().sum::<i64>());
    assert_eq!(whole.tile.wide, ticks(16.0 * add.0));
    let first = ticks(timing.count_first);
    assert_eq!(whole.tile.fixed, ticks(add.1) + meet + first);
    // Of a row in pieces the lanes meet once.
    assert_eq!((pieces.tile.fixed, pieces.first.fixed), (ticks(add.1) + first, meet + first));
}

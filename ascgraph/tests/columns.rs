//! Case C, and reductions of several axes: every bit is that of the graph, whatever the pieces.

mod graphs;

use std::collections::BTreeMap;

use ascgraph::check::{Rule, check_fused};
use ascgraph::expr::Values;
use ascgraph::interp::{Buffer, choose, run, run_tiles, tiling};
use ascgraph::model::FusedGraph;
use ascgraph::plan::{Kernel, Plan, plan};
use ascgraph::schedule::Case;
use ascgraph::tiling::{Limits, Tiling};
use graphs::{columns, inputs};

fn planned(fused: &FusedGraph) -> Plan {
    let report = check_fused(fused);
    assert!(report.iter().all(|finding| finding.rule == Rule::OneAxis), "{}: {report:?}", fused.name);
    plan(fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name))
}

fn values(kernel: &Kernel, sizes: &[i64]) -> Values {
    kernel.s.hint.size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect()
}

/// The least that a kernel runs in, and more.
fn limits(kernel: &Kernel, sizes: &Values) -> Vec<Limits> {
    let fits = |step: i64| tiling(kernel, sizes, Limits { cores: 3, aiv_num: 0, ub_size: 512 * step }).is_ok();
    let least = 512 * (graphs::last(|step| !fits(step)) + 1);
    [least, least + 2048, 188_416].map(|ub_size| Limits { cores: 3, aiv_num: 0, ub_size }).into()
}

#[test]
fn tiles_give_the_graphs_bits() {
    let (mut pieces, mut tiles) = (0, 0);
    for (fused, shapes) in columns::all() {
        let plan = planned(&fused);
        let [kernel] = plan.cases.as_slice() else { panic!("{}: {} kernels", fused.name, plan.cases.len()) };
        let last = fused.name.contains("2_of_3") || fused.name.contains("3_of_4");
        assert_eq!(kernel.s.case, if last { Case::P } else { Case::C }, "{}", fused.name);
        for sizes in shapes {
            let sizes = values(kernel, &sizes);
            let inputs = inputs(plan.hint(), &sizes);
            let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
            for limits in limits(kernel, &sizes) {
                let solved = tiling(kernel, &sizes, limits).expect("a tiling");
                let got = run_tiles(kernel, &inputs, &sizes, &solved);
                let what = format!("{} {sizes:?} {solved:?}", fused.name);
                assert!(got.unwrap_or_else(|error| panic!("{what}: {error}")) == wanted, "{what}: other bits");
                pieces += usize::from(kernel.s.case == Case::C && solved.stride < sizes["s0"]);
                tiles += usize::from(solved.row_tiles > 1);
            }
        }
    }
    assert!(pieces > 20 && tiles > 20, "{pieces} of several pieces, {tiles} of several tiles of a row");
}

/// In eight partial sums, one row after the other; then the last half of them is added to the first.
#[test]
fn rows_are_added_in_a_fixed_order() {
    let fused = columns::bare(ascgraph::dtype::DType::Float32, &["Sum"], 2, &[0]);
    let rows: Vec<f32> = (0..21).map(|at| 1e7 / (at as f32 + 0.3) + at as f32 * 0.77).collect();
    let sizes: Values = [("s0".to_owned(), 21), ("s1".to_owned(), 1)].into();
    let ran = run(&fused.graphs[0], &[(0, Buffer::of_f32(&rows))].into(), &sizes).expect("runs");
    let mut lanes = [0f32; 8];
    for (at, x) in rows.iter().enumerate() {
        lanes[at % 8] = if at < 8 { *x } else { x + lanes[at % 8] };
    }
    let four = [0, 1, 2, 3].map(|at| lanes[at] + lanes[at + 4]);
    let sum = (four[0] + four[2]) + (four[1] + four[3]);
    assert_eq!(ran.outputs[&0], Buffer::of_f32(&[sum]));
    assert_ne!(sum, rows.iter().sum::<f32>());
}

/// One core has all rows that become one element, however long they are.
#[test]
fn rows_with_a_loop_around_are_not_shared() {
    let mut plan = planned(&columns::bare(ascgraph::dtype::DType::Float32, &["Sum"], 3, &[0, 2]));
    plan.price(&graphs::timing("Ascend910B3"));
    let sizes = values(&plan.cases[0], &[2, 1, 1_000_000]);
    let (case, solved) = choose(&plan, &sizes, Limits { cores: 40, aiv_num: 0, ub_size: 188_416 }).expect("a tiling");
    assert_eq!((plan.cases[case].s.case, solved.parts, solved.block_dim), (Case::P, 1, 1));
}

/// A kernel with a fault: an error, or other bits.
fn caught(fused: &FusedGraph, change: impl FnOnce(&mut Kernel, &mut Tiling)) -> bool {
    let mut plan = planned(fused);
    let sizes = values(&plan.cases[0], &[2, 20, 70]);
    let inputs: BTreeMap<i64, Buffer> = inputs(plan.hint(), &sizes);
    let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
    let kernel = &mut plan.cases[0];
    let least = limits(kernel, &sizes)[0];
    let mut solved = tiling(kernel, &sizes, least).expect("a tiling");
    assert!(kernel.s.case == Case::P || solved.stride < 20 && solved.row_tiles > 1, "{solved:?}");
    change(kernel, &mut solved);
    run_tiles(kernel, &inputs, &sizes, &solved).map_or(true, |got| got != wanted)
}

#[test]
fn faults_are_caught() {
    let dtype = ascgraph::dtype::DType::Float32;
    let middle = columns::softmax(dtype, 3, &[1]);
    assert!(!caught(&middle, |_, _| {}), "a kernel without a fault");
    assert!(caught(&middle, |_, t| t.tiles -= 1), "the last columns are left out");
    assert!(caught(&middle, |_, t| t.stride -= 1), "pieces that end within lanes");
    assert!(caught(&middle, |kernel, _| {
        for steps in kernel.s.steps.iter_mut().filter(|steps| !steps.is_empty()) {
            steps.swap(0, 1);
        }
    }));
    // The loop around the pieces is one of the tiles.
    let both = columns::bare(dtype, &["Sum"], 3, &[0, 2]);
    assert!(!caught(&both, |_, _| {}), "a kernel without a fault");
    assert!(caught(&both, |kernel, _| kernel.s.around = 0));
}

/// What one kernel does not do is said by name.
#[test]
fn refusals_name_both_reductions() {
    let mut g = columns::Axes::new("two", 2, &[0]);
    let (all, rows) = (g.b.contiguous(&g.axes), g.b.broadcast_along(&g.axes, &g.axes[1..]));
    let data = g.b.data("x", 0, ascgraph::dtype::DType::Float32);
    let x = g.b.load("load", data, &all);
    let sum = g.once("Sum", "sum", &[x]);
    let most = g.b.node("Max", "most", &[x], Some(&rows));
    for (index, (node, view)) in
        [(sum, g.b.broadcast_along(&g.axes, &g.axes[..1])), (most, rows)].into_iter().enumerate()
    {
        let store = g.b.store(&format!("store{index}"), node, &view);
        g.b.output(&format!("out{index}"), index as i64, store, ascgraph::dtype::DType::Float32);
    }
    let error = plan(&ascgraph::build::fused("two", g.b.graph())).expect_err("refused").to_string();
    assert!(error.contains("most (Max)") && error.contains("it reduces z1, and sum reduces z0"), "{error}");
}

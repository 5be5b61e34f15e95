//! Case P: rows that do not fit into the unified buffer go by in pieces, and every bit is that of the graph.

mod graphs;

use std::collections::BTreeMap;

use ascgraph::check::check_fused;
use ascgraph::dtype::DType;
use ascgraph::dump::graph_text;
use ascgraph::expr::Values;
use ascgraph::interp::{Buffer, choose, run, run_tiles, tiling};
use ascgraph::model::FusedGraph;
use ascgraph::plan::{Kernel, Plan, plan};
use ascgraph::schedule::{Case, Role, Scheduled, schedule, schedules};
use ascgraph::tiling::{Limits, Tiling, need, split};
use ascgraph::transform::Transform;
use graphs::{inputs, long, made, recorded};

fn planned(fused: &FusedGraph) -> Plan {
    plan(fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name))
}

fn sizes(rows: i64, columns: i64) -> Values {
    [("s0".to_owned(), rows), ("s1".to_owned(), columns)].into()
}

fn pieces(plan: &Plan) -> &Kernel {
    plan.cases.iter().find(|kernel| kernel.s.case == Case::P).expect("a kernel of pieces")
}

/// As many pieces as the sizes ask for, in as little memory as is left.
fn limits(kernel: &Kernel, columns: i64, count: i64) -> Limits {
    let demand = kernel.memory.demand(&kernel.s);
    let piece = (columns + count - 1) / count;
    let piece = (piece + demand.step - 1) / demand.step * demand.step;
    Limits { cores: 3, aiv_num: 0, ub_size: (demand.wide + demand.once) * piece + demand.fixed + demand.narrow * 128 }
}

fn names(s: &Scheduled, pass: Option<usize>) -> Vec<&str> {
    let here = |id: &usize| s.pass(*id) == pass && !matches!(s.roles[*id], Role::None | Role::Constant);
    s.order.iter().copied().filter(here).map(|id| s.graph.nodes[id].name.as_str()).collect()
}

#[test]
fn a_pass_has_what_its_results_need() {
    let s = schedule(&long::softmax(DType::Float32).graphs[0], Case::P).expect("scheduled");
    assert_eq!(s.passes.count, 3);
    assert_eq!(names(&s, Some(0)), ["load0", "most"]);
    assert_eq!(names(&s, Some(1)), ["load0_pass1", "wide_most", "less", "exp", "sum"]);
    let last = ["load0_pass2", "wide_most_pass2", "less_pass2", "exp_pass2", "wide_sum", "quotient", "store0"];
    assert_eq!(names(&s, Some(2)), last);
    assert_eq!(names(&s, None), ["log", "log_sum", "store1"]);
    assert_eq!(s.graph.axis_names(&s.graph.sched.axis), "z0B, z0b, z1T, z1t");
    // Weights of all rows are read with each; the factor of a row in front of the pass that wants it.
    let s = schedule(&long::layer_norm(DType::Float32).graphs[0], Case::P).expect("scheduled");
    assert_eq!(names(&s, Some(1)), ["load0_pass1", "wide_mean", "less", "square", "variance"]);
    let section = |name: &str| s.section(s.graph.node(name).expect("a node"));
    assert_eq!([section("load0"), section("load3"), section("variance"), section("scale")], [1, 4, 3, 4]);
    let weight = s.graph.node("wide_weight").expect("a node");
    assert!(matches!(s.roles[weight], Role::Alias(_)));
}

#[test]
fn nodes_of_later_passes_are_taken_back() {
    let hint = recorded("8__softmax").graphs.remove(0);
    let mut t = Transform::new(&hint);
    let load = hint.node("load").expect("a node");
    let again = t.insert_again(load, 1);
    assert_eq!(t.graph().nodes[again].name, "load_pass1");
    let exp = hint.node("exp").expect("a node");
    t.turn(exp, 0, again);
    assert_eq!(t.graph().nodes[exp].inputs[0].from, Some(again));
    assert_eq!(t.undo_all(), hint);
    // No schedule changes what it was made of.
    for fused in long::all() {
        let (hint, before) = (&fused.graphs[0], graph_text(&fused.graphs[0]));
        for s in schedules(hint).expect("scheduled") {
            assert_eq!((s.graph.ends(), graph_text(&s.hint)), (hint.ends(), before.clone()), "{}", fused.name);
        }
    }
}

/// Rows that fit keep their kernel: pieces are for one element more.
#[test]
fn rows_that_fit_are_whole() {
    for fused in long::all() {
        let plan = planned(&fused);
        assert_eq!(plan.cases.iter().map(|kernel| kernel.s.case).collect::<Vec<_>>(), [Case::Y0, Case::P]);
        let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
        let case = |columns: i64| choose(&plan, &sizes(8, columns), limits).expect("a tiling").0;
        let most = graphs::last(|columns| tiling(&plan.cases[0], &sizes(8, columns), limits).is_ok());
        assert_eq!([case(1), case(most), case(most + 1), case(100 << 10)], [0, 0, 1, 1], "{} {most}", fused.name);
        assert!((1000..60_000).contains(&most), "{}: {most}", fused.name);
    }
}

/// Both kernels where both can be, with pieces of all kinds: one, two, many, and a last one of one element.
#[test]
fn pieces_give_the_graphs_bits() {
    let reduced = made().into_iter().map(|(fused, _)| fused).filter(|fused| fused.name.contains("rows_"));
    let mut tried = 0;
    for fused in long::all().into_iter().chain(reduced) {
        let report = check_fused(&fused);
        assert!(report.is_empty(), "{}: {report:?}", fused.name);
        let plan = planned(&fused);
        let kernel = pieces(&plan);
        for (rows, columns, count) in
            [(3, 1, 1), (2, 63, 1), (2, 64, 1), (3, 65, 2), (1, 129, 3), (2, 257, 2), (1, 1025, 17)]
        {
            let sizes = sizes(rows, columns);
            let inputs = inputs(plan.hint(), &sizes);
            let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
            let limits = limits(kernel, columns, count);
            let solved = tiling(kernel, &sizes, limits).expect("a tiling");
            let got = run_tiles(kernel, &inputs, &sizes, &solved);
            let what = format!("{} [{rows}, {columns}] in pieces of {}", fused.name, solved.stride);
            assert!(got.unwrap_or_else(|error| panic!("{what}: {error}")) == wanted, "{what}: other bits");
            tried += usize::from(solved.stride < columns);
        }
    }
    assert!(tried > 40, "{tried} rows of several pieces");
}

/// One row of two cores, of four, of as many as it has segments: the bits are those of one core, and no part is empty. Of types
/// those whose lanes differ; two rows of what is the least.
#[test]
fn rows_that_cores_share_give_the_graphs_bits() {
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    let (mut shared, mut ran) = (0, 0);
    let tried = [
        ("softmax_float32", 1, 16_385, 40),
        ("norm_float32", 1, 16_600, 2),
        ("masked", 1, 16_500, 4),
        ("bare_float32", 1, 18_433, 3),
        ("bare_float16", 2, 16_385, 9),
    ];
    for fused in long::all() {
        let mut plan = planned(&fused);
        plan.price(&graphs::timing("Ascend910B3"));
        let kernel = pieces(&plan);
        for sizes in [sizes(1, 16_385), sizes(2, 17_409), sizes(3, 20_000), sizes(1, 33_000)] {
            let (case, chosen) = choose(&plan, &sizes, limits).expect("a tiling");
            shared += usize::from(plan.cases[case].s.case == Case::P && chosen.parts > 1);
        }
        for (_, rows, columns, parts) in tried.iter().copied().filter(|(name, ..)| *name == fused.name) {
            let sizes = sizes(rows, columns);
            let inputs = inputs(plan.hint(), &sizes);
            let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
            let demand = kernel.memory.demand(&kernel.s);
            let need = need(&demand, 1, rows, columns).expect("a need");
            let solved = split(&need, limits, parts).expect("a tiling");
            let what = format!("{} [{rows}, {columns}] on {} cores a row", fused.name, solved.parts);
            let got = run_tiles(kernel, &inputs, &sizes, &solved);
            assert!(got.unwrap_or_else(|error| panic!("{what}: {error}")) == wanted, "{what}: other bits");
            assert!((2..=parts).contains(&solved.parts) && solved.block_dim == rows * solved.parts, "{what}");
            ran += 1;
        }
    }
    assert!(shared > 9, "the price has cores share {shared} rows");
    assert_eq!(ran, tried.len());
}

/// A kernel with a fault: an error, or other bits.
fn caught(fused: &FusedGraph, change: impl FnOnce(&mut Kernel, &mut Tiling)) -> bool {
    let mut plan = planned(fused);
    let at = plan.cases.iter().position(|kernel| kernel.s.case == Case::P).expect("a kernel of pieces");
    let sizes = sizes(3, 700);
    let inputs: BTreeMap<i64, Buffer> = inputs(plan.hint(), &sizes);
    let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
    let kernel = &mut plan.cases[at];
    let mut solved = tiling(kernel, &sizes, limits(kernel, 700, 4)).expect("a tiling");
    change(kernel, &mut solved);
    run_tiles(kernel, &inputs, &sizes, &solved).map_or(true, |got| got != wanted)
}

#[test]
fn faults_are_caught() {
    let node = |kernel: &Kernel, name: &str| kernel.s.graph.node(name).expect("a node");
    let softmax = long::softmax(DType::Float32);
    assert!(!caught(&softmax, |_, _| {}), "a kernel without a fault");
    assert!(caught(&softmax, |_, t| t.tiles -= 1), "the last row is left out");
    assert!(caught(&softmax, |_, t| t.stride -= 1), "pieces that end within lanes");
    // What a row has once is given back with the first piece.
    let norm = long::layer_norm(DType::Float32);
    assert!(caught(&norm, |kernel, _| {
        let load = node(kernel, "load3");
        let (begin, end) = kernel.memory.lives[load].expect("a life");
        kernel.memory.lives[load] = Some((begin, begin));
        assert!(begin < end);
    }));
    // A pass that begins before the reduction it waits for is over.
    assert!(caught(&softmax, |kernel, _| {
        for pass in kernel.s.passes.of.iter_mut().filter(|pass| **pass == Some(1)) {
            *pass = Some(0);
        }
        for section in kernel.s.passes.sections.iter_mut().filter(|section| **section == 3) {
            *section = 1;
        }
    }));
    // Cores share a row.
    let plan = planned(&long::bare(DType::Float32, &["Sum"]));
    let (kernel, shared) = (pieces(&plan), sizes(2, 16_500));
    let inputs = inputs(plan.hint(), &shared);
    let wanted = run(plan.hint(), &inputs, &shared).expect("runs").outputs;
    let need = need(&kernel.memory.demand(&kernel.s), 1, 2, 16_500).expect("a need");
    let parted = |change: fn(&mut Tiling)| {
        let mut solved = split(&need, Limits { cores: 40, aiv_num: 0, ub_size: 188_416 }, 5).expect("a tiling");
        change(&mut solved);
        run_tiles(kernel, &inputs, &shared, &solved).map_or(true, |got| got != wanted)
    };
    assert!(!parted(|_| {}), "a kernel without a fault");
    assert!(parted(|t| t.parts -= 1), "parts of two rows together");
    assert!(parted(|t| t.tiles -= 1), "a part that no core has");
    assert!(parted(|t| t.block_dim -= 1), "a core that waits for itself");
    // The same operand for both passes: the tile of the first is no longer there.
    assert!(caught(&softmax, |kernel, _| {
        let (load, reader) = (node(kernel, "load0"), node(kernel, "less"));
        kernel.s.graph.nodes[reader].inputs[0].from = Some(load);
    }));
}

/// What rows cannot go by in pieces is said where they do not fit.
#[test]
fn joined_rows_have_to_fit() {
    let (fused, _) = made().into_iter().find(|(fused, _)| fused.name == "joined_float32").expect("a graph");
    let plan = planned(&fused);
    let sizes: Values = [("s0".to_owned(), 2), ("s1".to_owned(), 50_000), ("s2".to_owned(), 3)].into();
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    let error = choose(&plan, &sizes, limits).expect_err("refused").to_string();
    let wanted = "; longer rows have no kernel: join (Concat) is not supported here: it joins whole rows; \
                  cut its tensors along the last axis";
    assert!(error.contains("a row of 100008 elements: ") && error.ends_with(wanted), "{error}");
}

/// Each of 64 lanes takes its numbers one after the other: so far from the exact sum is one of 100 Ki positive numbers.
#[test]
fn long_sums_are_near() {
    let fused = recorded("7_abs_sum");
    for columns in [40, 8 << 10, 100 << 10] {
        let mut graph = fused.graphs[0].clone();
        let size = ascgraph::expr::Expr::from(columns);
        for axis in graph.axis.iter_mut().filter(|axis| axis.size.is(40)) {
            axis.size = size.clone();
        }
        for axis in graph.axis.iter_mut().filter(|axis| axis.size.is(6)) {
            axis.size = 1.into();
        }
        for node in &mut graph.nodes {
            node.y.size.iter_mut().filter(|e| e.is(6)).for_each(|e| *e = 1.into());
            node.y.size.iter_mut().chain(&mut node.y.strides).filter(|e| e.is(40)).for_each(|e| *e = size.clone());
        }
        let inputs = inputs(&graph, &Values::new());
        let ran = run(&graph, &inputs, &Values::new()).expect("runs");
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        for (row, sum) in inputs[&0].bytes.chunks(4 * columns as usize).zip(ran.outputs[&0].bytes.chunks(4)) {
            let exact: f64 = row.chunks(4).map(|x| f64::from(number(x).abs())).sum();
            let away = (i64::from(number(sum).to_bits()) - i64::from((exact as f32).to_bits())).abs();
            assert!(away <= 4, "{columns} numbers: {away} ulp");
        }
    }
}

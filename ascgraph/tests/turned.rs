//! Tensors whose axes are in another order than the loops: every bit is that of the graph, which walks each tensor as it is
//! described, whatever the tiles.

mod graphs;

use ascgraph::check::check_fused;
use ascgraph::expr::Values;
use ascgraph::interp::{choose, run, run_tiles, tiling};
use ascgraph::model::FusedGraph;
use ascgraph::plan::{Kernel, Plan, plan};
use ascgraph::schedule::Case;
use ascgraph::tiling::Limits;
use graphs::{inputs, turned};

fn planned(fused: &FusedGraph) -> Plan {
    let report = check_fused(fused);
    assert!(report.is_empty(), "{}: {report:?}", fused.name);
    plan(fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name))
}

fn values(plan: &Plan, sizes: &[i64]) -> Values {
    plan.hint().size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect()
}

/// The least that a kernel runs in, and more.
fn limits(kernel: &Kernel, sizes: &Values) -> Vec<Limits> {
    let fits = |step: i64| tiling(kernel, sizes, Limits { cores: 3, aiv_num: 0, ub_size: 512 * step }).is_ok();
    let least = 512 * if fits(1) { 1 } else { graphs::last(|step| !fits(step)) + 1 };
    [least, least + 2048, 188_416].map(|ub_size| Limits { cores: 3, aiv_num: 0, ub_size }).into()
}

#[test]
fn tiles_give_the_graphs_bits() {
    let (mut tiles, mut pieces) = (0, 0);
    for (fused, shapes) in turned::all() {
        let plan = planned(&fused);
        for sizes in shapes {
            let sizes = values(&plan, &sizes);
            let inputs = inputs(plan.hint(), &sizes);
            let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
            for kernel in &plan.cases {
                for limits in limits(kernel, &sizes) {
                    let solved = tiling(kernel, &sizes, limits).expect("a tiling");
                    let got = run_tiles(kernel, &inputs, &sizes, &solved);
                    let what = format!("{} {:?} {sizes:?} {solved:?}", fused.name, kernel.s.case);
                    assert!(got.unwrap_or_else(|error| panic!("{what}: {error}")) == wanted, "{what}: other bits");
                    tiles += usize::from(solved.tiles > 1);
                    pieces += usize::from(kernel.s.case == Case::C && solved.stride < sizes["s0"]);
                }
            }
        }
    }
    assert!(tiles > 50 && pieces > 20, "{tiles} of several tiles, {pieces} of several pieces");
}

/// torch_npu leaves the offset out where it reads the whole of a tensor from its first element on.
#[test]
fn an_offset_that_is_left_out_is_zero() {
    let fused = turned::copy(ascgraph::dtype::DType::Int32, &[1, 0, 2]);
    let mut without = fused.clone();
    for node in &mut without.graphs[0].nodes {
        assert_eq!(node.ir_attr.remove("offset").is_some(), ["Load", "Store"].contains(&node.node_type.as_str()));
    }
    let [plan, other] = [&fused, &without].map(planned);
    let sizes = values(&plan, &[3, 5, 9]);
    let inputs = inputs(plan.hint(), &sizes);
    let solved = tiling(&other.cases[0], &sizes, Limits { cores: 3, aiv_num: 0, ub_size: 16 << 10 }).expect("a tiling");
    let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
    assert_eq!(run(other.hint(), &inputs, &sizes).expect("runs").outputs, wanted);
    assert_eq!(run_tiles(&other.cases[0], &inputs, &sizes, &solved).expect("runs"), wanted);
}

/// A tile of whole rows has few of them where rows are long, and then reads a few elements at a time: parts of rows are cheaper.
#[test]
fn the_price_decides_how_a_matrix_is_cut() {
    let mut plan = planned(&turned::copy(ascgraph::dtype::DType::Float32, &[1, 0]));
    plan.price(&graphs::timing("Ascend910B3"));
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    for (sizes, wanted) in [([40_000, 16], Case::Y0), ([1024, 1024], Case::C), ([4096, 4096], Case::C)] {
        let (case, _) = choose(&plan, &values(&plan, &sizes), limits).expect("a tiling");
        assert_eq!(plan.cases[case].s.case, wanted, "{sizes:?}");
    }
}

/// What one kernel does not do is said by name.
#[test]
fn refusals_name_the_tensor() {
    use ascgraph::dtype::DType::{Float32, Int8};
    let refused = |fused: &FusedGraph| plan(fused).expect_err("refused").to_string();
    let error = refused(&turned::copy(Int8, &[1, 0]));
    assert!(error.contains("load_turned (Transpose)") && error.contains("Gather has no int8"), "{error}");
    let part = ascgraph::schedule::schedule(&turned::copy(Float32, &[1, 0]).graphs[0], Case::Y1).expect_err("refused");
    assert!(part.to_string().contains("along an axis that a tile does not have"), "{part}");
    // Two tensors, and each has another axis side by side.
    let mut two = turned::sum(Float32, &[2, 1, 0]);
    let graph = &mut two.graphs[0];
    let load = graph.nodes.iter().position(|node| node.name == "load_y").expect("load_y");
    graph.nodes[load].y.strides.rotate_left(1);
    let error = refused(&two);
    assert!(error.contains("load_x (Load)") && error.contains("along its last axis; only 1 is copied"), "{error}");
}

/// A kernel with a fault: an error, or other bits.
fn caught(sizes: [i64; 3], case: Case, change: impl FnOnce(&mut Kernel)) -> bool {
    let mut plan = planned(&turned::sum(ascgraph::dtype::DType::Float32, &[0, 2, 1]));
    let sizes = values(&plan, &sizes);
    let inputs = inputs(plan.hint(), &sizes);
    let wanted = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
    let kernel = plan.cases.iter_mut().find(|kernel| kernel.s.case == case).expect("the case");
    let solved = tiling(kernel, &sizes, Limits { cores: 3, aiv_num: 0, ub_size: 32 << 10 }).expect("a tiling");
    change(kernel);
    run_tiles(kernel, &inputs, &sizes, &solved).map_or(true, |got| got != wanted)
}

#[test]
fn faults_are_caught() {
    for case in [Case::Y0, Case::C] {
        assert!(!caught([3, 20, 70], case, |_| {}), "a kernel without a fault");
        let load =
            |kernel: &Kernel| (0..kernel.s.roles.len()).find(|id| kernel.s.is_turned(*id)).expect("a turned tile");
        assert!(caught([3, 20, 70], case, |kernel| {
            let load = load(kernel);
            kernel.s.steps[load].rotate_right(1);
        }));
    }
    // No room for rows to whole blocks.
    assert!(caught([3, 3, 70], Case::C, |kernel| {
        let load = (0..kernel.s.roles.len()).find(|id| kernel.s.is_turned(*id)).expect("a turned tile");
        let place = kernel.memory.places[load].expect("a place");
        kernel.memory.vec_in[place.id].row = 0;
    }));
}

/// The interpreter of graphs against a loop over both orders, written down here.
#[test]
fn a_graph_means_the_same_elements() {
    let fused = turned::copy(ascgraph::dtype::DType::Float32, &[1, 0, 2]);
    let (sizes, [rows, heads, length]) = ([2, 3, 5], [2usize, 3, 5]);
    let x: Vec<f32> = (0..30).map(|at| at as f32).collect();
    let mut wanted = Vec::new();
    for row in 0..rows {
        for head in 0..heads {
            wanted.extend((0..length).map(|at| x[(head * rows + row) * length + at]));
        }
    }
    let sizes: Values = (0..3).map(|at| format!("s{at}")).zip(sizes).collect();
    let buffer = ascgraph::interp::Buffer::of_f32;
    let ran = run(&fused.graphs[0], &[(0, buffer(&x))].into(), &sizes).expect("runs");
    assert_eq!(ran.outputs[&0], buffer(&wanted));
    assert_ne!(wanted, x);
}

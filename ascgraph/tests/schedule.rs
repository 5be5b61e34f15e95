//! Transforms, schedule, memory and tiling.

mod graphs;

use ascgraph::build::{Builder, fmod_example};
use ascgraph::dtype::DType;
use ascgraph::dump::graph_text;
use ascgraph::expr::Expr;
use ascgraph::memory::{Bytes, MOST_QUEUES, allocate};
use ascgraph::model::{AxisType, FusedGraph, Graph, Position};
use ascgraph::plan::{Kernel, plan};
use ascgraph::schedule::{Case, Role, schedule};
use ascgraph::tiling::{self, Demand, Limits, Tiling, need};
use ascgraph::transform::Transform;
use graphs::joined::wide;
use graphs::recorded;

/// z0, z1, z2 over s0, s1, s2 and one Abs.
fn three_axes() -> Graph {
    let mut b = Builder::new("three");
    let sizes = ["s0", "s1", "s2"].map(|name| b.create_size_var(name));
    let [z0, z1, z2] = [0, 1, 2].map(|at| b.create_axis(&format!("z{at}"), sizes[at].clone()));
    b.sched_axis(&[z0, z1, z2]);
    let all = b.contiguous(&[z0, z1, z2]);
    let x = b.data("x", 0, DType::Float32);
    let load = b.load("load", x, &all);
    let abs = b.node("Abs", "abs", &[load], Some(&all));
    let store = b.store("store", abs, &all);
    b.output("out", 0, store, DType::Float32);
    b.graph()
}

fn texts(list: &[Expr]) -> Vec<String> {
    list.iter().map(Expr::to_string).collect()
}

#[test]
fn split_has_names_types_sizes_and_strides() {
    let mut t = Transform::new(&three_axes());
    let (outer, inner) = t.tile_split(1).expect("split");
    t.apply_sched_split(outer, inner).expect("applied");
    t.apply_tensor_split(2, outer, inner).expect("applied");
    let graph = t.graph();
    assert_eq!((outer, inner), (3, 4));
    assert_eq!((graph.axis[3].name.as_str(), graph.axis[3].size.to_string()), ("z1T", "Ceiling(s1, z1t_size)".into()));
    assert_eq!((graph.axis[4].name.as_str(), graph.axis[4].size.to_string()), ("z1t", "z1t_size".into()));
    assert_eq!([graph.axis[3].axis_type, graph.axis[4].axis_type], [AxisType::TileOuter, AxisType::TileInner]);
    assert_eq!((&graph.axis[3].from, graph.axis[3].split_pair_other_id), (&vec![1], Some(4)));
    assert_eq!(graph.sched.axis, [0, 3, 4, 2]);
    let y = &graph.nodes[2].y;
    assert_eq!(texts(&y.size), ["s0", "((s1) / (z1t_size))", "z1t_size", "s2"]);
    assert_eq!(texts(&y.strides), ["s1 * s2", "s2 * z1t_size", "s2", "1"]);
}

#[test]
fn an_axis_of_size_one_is_not_divided() {
    let mut b = Builder::new("one");
    let z = b.create_axis("z", 1);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let x = b.data("x", 0, DType::Float32);
    b.load("load", x, &all);
    let mut t = Transform::new(&b.graph());
    let (outer, inner) = t.tile_split(z).expect("split");
    t.apply_tensor_split(1, outer, inner).expect("applied");
    assert!(t.graph().size_vars.is_empty() && t.graph().axis[outer].size.is(1));
    assert_eq!(texts(&t.graph().nodes[1].y.size), ["1", "1"]);
    assert_eq!(texts(&t.graph().nodes[1].y.strides), ["0", "0"]);
}

/// The examples of upstream's page: [z0, z2, z1, z3] is an order of originals; z1 that was split and torn is not.
#[test]
fn what_may_be_merged() {
    let mut t = Transform::new(&three_axes());
    assert_eq!(t.merge_axis(&[0, 2]).expect_err("apart"), "[z0, z2]: z2 does not follow z0");
    t.apply_sched_reorder(&[0, 2, 1]).expect("an order");
    t.merge_axis(&[0, 2]).expect("neighbours now");
    assert_eq!(t.apply_sched_reorder(&[0, 2]).expect_err("one is missing"), "[z0, z2] is no order of [z0, z2, z1]");

    let mut t = Transform::new(&three_axes());
    let (outer, inner) = t.tile_split(1).expect("split");
    t.apply_sched_split(outer, inner).expect("applied");
    t.apply_sched_reorder(&[0, outer, 2, inner]).expect("an order");
    assert!(t.merge_axis(&[2, inner]).is_err(), "the inner half was torn away");
    t.merge_axis(&[0, outer]).expect("the outer half still follows z0");
    assert!(t.merge_axis(&[0]).is_err() && t.merge_axis(&[0, 99]).is_err());

    let mut t = Transform::new(&three_axes());
    let (block, _) = t.block_split(0).expect("split");
    assert!(t.block_split(1).is_err(), "one BlockOuter");
    assert!(t.apply_sched_split(block, 0).is_err() && t.apply_sched_merge(0).is_err());
}

#[test]
fn the_log_leads_back() {
    let hint = three_axes();
    let mut t = Transform::new(&hint);
    let (outer, inner) = t.tile_split(2).expect("split");
    t.apply_sched_split(outer, inner).expect("applied");
    for node in 0..hint.nodes.len() {
        t.apply_tensor_split(node, outer, inner).expect("applied");
    }
    let merged = t.merge_axis(&[0, 1]).expect("merged");
    t.apply_sched_merge(merged).expect("applied");
    t.apply_tensor_merge(2, merged).expect("applied");
    t.apply_sched_reorder(&[outer, merged, inner]).expect("an order");
    t.set_loop_axis(merged);
    t.vectorize(2, &[inner], &[Expr::from(1)]);
    assert_ne!(graph_text(t.graph()), graph_text(&hint));
    assert_eq!(t.undo_all(), hint);
}

/// The schedule is the sequence of its steps: by hand they give the same impl graph.
#[test]
fn schedule_is_its_transforms() {
    let hint = fmod_example().graphs.remove(0);
    let mut t = Transform::new(&hint);
    let shaped: Vec<usize> = (2..10).collect();
    let (tile_outer, tile) = t.tile_split(1).expect("split");
    t.apply_sched_split(tile_outer, tile).expect("applied");
    for node in &shaped {
        t.apply_tensor_split(*node, tile_outer, tile).expect("applied");
    }
    let tiles = t.merge_axis(&[0, tile_outer]).expect("merged");
    t.apply_sched_merge(tiles).expect("applied");
    let (block, core) = t.block_split(tiles).expect("split");
    t.apply_sched_split(block, core).expect("applied");
    t.set_loop_axis(core);
    for node in &shaped {
        t.vectorize(*node, &[tile], &[Expr::from(1)]);
    }
    let mut by_hand = t.into_graph();
    by_hand.tiling_key = Some(0);
    let s = schedule(&hint, Case::Y1).expect("scheduled");
    assert_eq!(graph_text(&s.graph), graph_text(&by_hand));
    assert_eq!(s.graph.axis_names(&s.graph.sched.axis), "z0z1TB, z0z1Tb, z1t");
    assert_eq!((s.case, s.roles[4].clone()), (Case::Y1, Role::Alias(3)), "the Broadcast is redundant");
    // Data and Output are as they were.
    assert_eq!(s.graph.ends(), hint.ends());
    assert_eq!(s.hint, hint);
}

#[test]
fn loops_merge_where_every_tensor_is_one_walk() {
    let s = schedule(&three_axes(), Case::Y1).expect("scheduled");
    assert_eq!(s.case, Case::F);
    assert_eq!(s.graph.axis_names(&s.graph.sched.axis), "z0z1z2TB, z0z1z2Tb, z0z1z2t");
    // x [6, 40], a row and a column: nothing merges, and the column is read element by element.
    let s = schedule(&recorded("4_add_mul_relu").graphs[0], Case::Y1).expect("scheduled");
    assert_eq!(s.case, Case::Y1);
    let role = |name: &str| s.roles[s.graph.node(name).expect("a node")].clone();
    assert_eq!([role("load1"), role("load2"), role("broadcast1")], [Role::Load, Role::LoadElement, Role::Repeat]);
    // A redundant Cast is no instruction.
    let s = schedule(&recorded("5_abs_add_mul").graphs[0], Case::Y1).expect("scheduled");
    assert!(matches!(s.roles[s.graph.node("cast1").expect("a node")], Role::Alias(_)));
}

#[test]
fn what_is_not_scheduled_is_named() {
    let mut b = Builder::new("strided");
    let (z0, z1) = (b.create_axis("z0", 6), b.create_axis("z1", 40));
    b.sched_axis(&[z0, z1]);
    let all = b.contiguous(&[z0, z1]);
    let mut every_second = all.clone();
    every_second.strides = vec![Expr::from(80), Expr::from(2)];
    let x = b.data("x", 0, DType::Float32);
    let load = b.load("load", x, &every_second);
    let abs = b.node("Abs", "abs", &[load], Some(&all));
    let store = b.store("store", abs, &all);
    b.output("out", 0, store, DType::Float32);
    let error = schedule(&b.graph(), Case::Y1).expect_err("refused").to_string();
    assert_eq!(error, "load (Load) is not supported here: stride 2 along its last axis; only 1 is copied");
}

/// No two tiles that are needed at the same time are in one place, but for a result in the place of an operand that
/// ends with it and may be overwritten.
#[test]
fn lives_do_not_meet() {
    let mut graphs: Vec<FusedGraph> =
        ["0_div", "0_mul_sub", "1_mul_sub", "2_abs_add", "3_mul", "4_add_mul_relu"].map(recorded).into();
    graphs.extend(["5_abs_add_mul", "6__to_copy_mul", "12_add_t", "15_add_exp"].map(recorded));
    graphs.extend(["7_abs_sum", "8__softmax", "9_native_layer_norm"].map(recorded));
    graphs.extend(["11_mul_where", "13_cat_mul", "14_add_remainder"].map(recorded));
    graphs.extend([fmod_example(), chain(9, 3), chain(40, 7)]);
    for fused in graphs {
        let plan = plan(&fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name));
        for kernel in &plan.cases {
            places_are_apart(&fused.name, kernel);
        }
    }
}

fn places_are_apart(name: &str, kernel: &Kernel) {
    let (s, m) = (&kernel.s, &kernel.memory);
    assert!(m.vec_in.len() <= MOST_QUEUES && m.vec_out.len() <= MOST_QUEUES);
    for a in 0..s.graph.nodes.len() {
        for b in 0..a {
            let (Some(here), Some(there)) = (m.places[a], m.places[b]) else { continue };
            if here != there {
                continue;
            }
            let (Some(x), Some(y)) = (m.lives[a], m.lives[b]) else { panic!("a place without a life") };
            let (first, second, later) = if x.0 < y.0 { (x, y, b) } else { (y, x, a) };
            let node = &s.graph.nodes[later];
            let in_place = ascgraph::ir::find(&node.node_type).is_some_and(|ir| !ir.in_place.is_empty());
            let touches = first.1 == second.0 && in_place && here.position == Position::VecCalc;
            let names = [a, b].map(|id| &s.graph.nodes[id].name);
            assert!(first.1 < second.0 || touches, "{name}: {names:?}");
        }
    }
}

/// x goes through `length` nodes; every `every`-th result is kept for the end.
fn chain(length: usize, every: usize) -> FusedGraph {
    let mut b = Builder::new("chain");
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let x = b.data("x", 0, DType::Float32);
    let mut last = b.load("load", x, &all);
    let mut kept = Vec::new();
    for at in 0..length {
        last = b.node(["Abs", "Relu", "Neg"][at % 3], &format!("u{at}"), &[last], Some(&all));
        if at % every == 0 {
            kept.push(last);
        }
    }
    for (at, other) in kept.into_iter().enumerate() {
        last = b.node("Add", &format!("a{at}"), &[last, other], Some(&all));
    }
    let store = b.store("store", last, &all);
    b.output("out", 0, store, DType::Float32);
    ascgraph::build::fused("chain", b.graph())
}

#[test]
fn bytes_of_an_element() {
    let bytes = |fused: &FusedGraph| plan(fused).expect("planned").cases[0].memory.bytes_per_element();
    // Two queues in, one out, two tiles of each, and one buffer for quotient, integer and product.
    assert_eq!(bytes(&fmod_example()), 28);
    assert_eq!(bytes(&recorded("0_div")), 24);
    // Two results, a queue each: the first is read again behind its Store, and what is added is a number.
    assert_eq!(bytes(&recorded("15_add_exp")), 24);
    // half in and out, and float: 1.0 and 2.0 are numbers of Adds and Muls.
    assert_eq!(bytes(&recorded("5_abs_add_mul")), 12);
    // A long chain needs one buffer and those that are kept.
    assert_eq!(bytes(&chain(9, 100)), 2 * 4 + 2 * 4 + 2 * 4);
    // Without in-place results it would be one more.
    let s = schedule(&fmod_example().graphs[0], Case::Y1).expect("scheduled");
    assert_eq!(allocate(&s).expect("allocated").buffers, [Bytes { wide: 4, ..Bytes::default() }]);
}

#[test]
fn queues_are_shared_and_then_left_at_once() {
    let queues = |fused: &FusedGraph| plan(fused).expect("planned").cases[0].memory.vec_in.len();
    // One after the other is needed: the fifth takes the queue of one that is over.
    assert_eq!([queues(&wide(4, false)), queues(&wide(9, false))], [4, 4]);
    assert!(wide(5, true).graphs[0].nodes.iter().all(|node| node.node_type != "Ub2ub"));
    // All of them are needed twice: each is copied, and the queue is free for the next.
    assert_eq!(queues(&wide(12, true)), 4);
    let kernel = plan(&wide(12, true)).expect("planned").cases.remove(0);
    let copies = kernel.s.graph.nodes.iter().filter(|node| node.node_type == "Ub2ub").count();
    assert_eq!((copies, kernel.memory.buffers.len()), (13, 13), "{:?}", kernel.memory);
}

const A2: Limits = Limits { cores: 40, aiv_num: 0, ub_size: 196_352 };

/// Parts of rows of elements of so many bytes.
fn solve(rows: i64, row: i64, bytes: i64, limits: Limits) -> Result<Tiling, String> {
    let demand = Demand { wide: bytes, step: 64, align: 8, ..Demand::default() };
    tiling::solve(&need(&demand, rows, row, 1)?, limits)
}

#[test]
fn tilings_of_the_worked_example() {
    let flat = solve(1, 97_000, 28, A2).expect("solved");
    assert_eq!(
        flat,
        Tiling { block_dim: 40, tile: 2432, row_tiles: 40, core_tiles: 1, tiles: 40, stride: 0, parts: 1 }
    );
    assert_eq!(97_000 - 39 * 2432, 2152, "the last tile");
    assert_eq!(2432 * 28, 68_096);
    let rows = solve(97, 1000, 28, A2).expect("solved");
    assert_eq!(rows, Tiling { block_dim: 33, tile: 1024, row_tiles: 1, core_tiles: 3, tiles: 97, stride: 0, parts: 1 });
    let limited = solve(97, 1000, 28, Limits { aiv_num: 8, ..A2 }).expect("solved");
    assert_eq!((limited.block_dim, limited.core_tiles), (8, 13));
    // The largest tile: 196352 / 28 elements, cut to the step.
    assert_eq!(solve(1, 1 << 30, 28, A2).expect("solved").tile, 6976);
    assert_eq!(solve(0, 1000, 28, A2).expect("solved").tiles, 0);
    assert_eq!(solve(1000, 0, 28, A2).expect("solved").block_dim, 1);
    assert_eq!(solve(1 << 16, 1 << 20, 28, A2).expect("beyond 2^32").tiles, (1 << 16) * 151);
    for wrong in
        [solve(1 << 40, 1 << 20, 28, A2), solve(-1, 1, 28, A2), solve(1, 1, 28, Limits { ub_size: 1000, ..A2 })]
    {
        assert!(wrong.is_err());
    }
}

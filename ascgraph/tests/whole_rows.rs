//! Case Y0: tiles of whole rows, and what needs them.

use ascgraph::build::{Builder, fmod_example, fused};
use ascgraph::dtype::DType;
use ascgraph::dump::graph_text;
use ascgraph::expr::{Expr, Values};
use ascgraph::interp::{choose, run, run_tiles, tiling};
use ascgraph::memory::Bytes;
use ascgraph::model::{FusedGraph, Input};
use ascgraph::plan::plan;
use ascgraph::schedule::{Case, Role, Scheduled, Span, schedule, schedules};
use ascgraph::tiling::Limits;
use ascgraph::transform::Transform;
use graphs::{RECORDED, made, recorded};

mod graphs;

/// The worked example: z0 is cut, z1 whole; the row that all rows have keeps the stride 0.
#[test]
fn schedule_is_its_transforms() {
    let hint = fmod_example().graphs.remove(0);
    let mut t = Transform::new(&hint);
    let (tile_outer, tile) = t.tile_split(0).expect("split");
    t.apply_sched_split(tile_outer, tile).expect("applied");
    for node in 2..10 {
        t.apply_tensor_split(node, tile_outer, tile).expect("applied");
    }
    let (block, core) = t.block_split(tile_outer).expect("split");
    t.apply_sched_split(block, core).expect("applied");
    t.set_loop_axis(core);
    let (stride, load_y) = (Expr::symbol("s1").align(8), 3);
    for node in 2..10 {
        let along = if node == load_y { Expr::from(0) } else { stride.clone() };
        t.vectorize(node, &[tile, 1], &[along, Expr::from(1)]);
    }
    let mut by_hand = t.into_graph();
    by_hand.tiling_key = Some(0);
    let s = schedule(&hint, Case::Y0).expect("scheduled");
    assert_eq!(graph_text(&s.graph), graph_text(&by_hand));
    assert_eq!(s.graph.axis_names(&s.graph.sched.axis), "z0TB, z0Tb, z0t, z1");
    assert_eq!((s.roles[4].clone(), s.spans[load_y]), (Role::RepeatRows, Span::Row));
    // Cut rows: a Broadcast is nothing and y a tile. Whole rows: y is one row, and its Broadcast a tile.
    let plan = plan(&fmod_example()).expect("planned");
    let bytes: Vec<Bytes> = plan.cases.iter().map(|kernel| kernel.memory.bytes()).collect();
    assert_eq!(bytes, [Bytes { wide: 28, narrow: 0, row: 0 }, Bytes { wide: 24, narrow: 0, row: 4 }]);
}

/// Data and Output are as they were in every schedule, and so is the hint graph.
#[test]
fn ends_are_untouched() {
    let recorded = RECORDED.map(recorded).into_iter();
    for fused in recorded.chain(made().into_iter().map(|(fused, _)| fused)) {
        let hint = &fused.graphs[0];
        let before = graph_text(hint);
        for s in schedules(hint).unwrap_or_else(|error| panic!("{}: {error}", fused.name)) {
            assert_eq!(s.graph.ends(), hint.ends(), "{}", fused.name);
            assert_eq!((&s.hint, graph_text(&s.hint)), (hint, before.clone()));
        }
    }
}

#[test]
fn copies_and_loops_of_one_are_taken_back() {
    let hint = recorded("13_cat_mul").graphs.remove(0);
    let mut t = Transform::new(&hint);
    let join = hint.node("concat").expect("a node");
    let copy = t.insert_copy(join, 0);
    assert_eq!(t.graph().nodes[copy].inputs[0].from, hint.node("load"));
    assert_eq!(t.graph().nodes[join].inputs[0].from, Some(copy));
    let one = t.unit_axis();
    assert_eq!(t.graph().sched.axis[0], one);
    assert!(t.graph().nodes[copy].y.size[0].is(1));
    assert_eq!(t.undo_all(), hint);
}

#[test]
fn softmax_is_rows_and_elements_of_rows() {
    let s = schedule(&recorded("8__softmax").graphs[0], Case::Y0).expect("scheduled");
    let node = |name: &str| s.graph.node(name).expect("a node");
    let of = |name: &str| (s.roles[node(name)].clone(), s.spans[node(name)]);
    assert_eq!(of("max"), (Role::Reduce, Span::Narrow));
    assert_eq!(of("broadcast"), (Role::Column, Span::Wide));
    assert_eq!(s.column(node("sub")), Some((1, "Sub")));
    assert_eq!(of("exp"), (Role::Compute, Span::Wide));
    let cases: Vec<Case> =
        schedules(&recorded("8__softmax").graphs[0]).expect("scheduled").iter().map(|s| s.case).collect();
    assert_eq!(cases, [Case::Y0, Case::P]);
    // What is joined is stored in two parts; the first, which comes from memory, is copied.
    let s = schedule(&recorded("13_cat_mul").graphs[0], Case::Y0).expect("scheduled");
    let pieces = s.pieces(s.graph.node("store").expect("a node"));
    let shown: Vec<(String, String, String)> = pieces
        .iter()
        .map(|piece| (s.graph.nodes[piece.node].name.clone(), piece.column.to_string(), piece.length.to_string()))
        .collect();
    let text = |parts: [&str; 3]| (parts[0].to_owned(), parts[1].to_owned(), parts[2].to_owned());
    assert_eq!(shown, [text(["concat_copy0", "0", "40"]), text(["mul", "40", "40"])]);
}

/// An instruction of two tiles reads a column where it is; not two of them, and nothing else does, nor do pieces of rows.
#[test]
fn columns_have_no_tile_where_instructions_take_them() {
    let mut b = Builder::new("columns");
    let (rows, columns) = (b.create_size_var("s0"), b.create_size_var("s1"));
    let axes = [b.create_axis("z0", rows), b.create_axis("z1", columns)];
    b.sched_axis(&axes);
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let data = b.data("x", 0, DType::Float32);
    let x = b.load("load", data, &all);
    let mut wide = Vec::new();
    for kind in ["Max", "Min", "Sum", "Mean"] {
        let one = b.node(kind, &kind.to_lowercase(), &[x], Some(&narrow));
        wide.push(b.node("Broadcast", &format!("wide_{}", kind.to_lowercase()), &[one], Some(&all)));
    }
    let less = b.node("Sub", "less", &[wide[0], x], Some(&all));
    let both = b.node("Mul", "both", &[wide[0], wide[1]], Some(&all));
    let exp = b.node("Exp", "exp", &[wide[2]], Some(&all));
    let again = b.node("Mul", "again", &[wide[3], wide[3]], Some(&all));
    for (at, node) in [less, both, exp, again].into_iter().enumerate() {
        let store = b.store(&format!("store{at}"), node, &all);
        b.output(&format!("out{at}"), at as i64, store, DType::Float32);
    }
    let graph = b.graph();
    let s = schedule(&graph, Case::Y0).expect("scheduled");
    let roles = |s: &Scheduled| {
        ["max", "min", "sum", "mean"].map(|of| s.roles[s.graph.node(&format!("wide_{of}")).expect("a node")].clone())
    };
    let column = |name: &str| s.column(s.graph.node(name).expect("a node"));
    assert_eq!(roles(&s), [Role::Column, Role::RepeatColumns, Role::RepeatColumns, Role::RepeatColumns]);
    assert_eq!(
        [column("less"), column("both"), column("exp"), column("again")],
        [Some((0, "Sub")), Some((0, "Mul")), None, None]
    );
    let pieces = schedule(&graph, Case::P).expect("scheduled");
    let read = roles(&pieces);
    assert!(read.iter().all(|role| *role == Role::RepeatColumns), "{read:?}");
}

/// Many short rows go whole into tiles; long ones are cut, or pass in pieces where they are reduced.
#[test]
fn the_kernel_depends_on_the_rows() {
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    let chosen = |fused: &FusedGraph, s0: i64, s1: i64| {
        let plan = plan(fused).expect("planned");
        let sizes: Values = [("s0".to_owned(), s0), ("s1".to_owned(), s1)].into();
        choose(&plan, &sizes, limits).map(|(case, tiling)| (plan.cases[case].s.case, tiling.tile))
    };
    assert_eq!(chosen(&fmod_example(), 10_000, 5), Ok((Case::Y0, 250)));
    assert_eq!(chosen(&fmod_example(), 97, 1000), Ok((Case::Y0, 3)));
    assert_eq!(chosen(&fmod_example(), 40, 1000), Ok((Case::Y1, 1024)));
    assert_eq!(chosen(&fmod_example(), 97, 100_000), Ok((Case::Y1, 6592)));
    let rows = rows_of_float();
    assert!(matches!(chosen(&rows, 97, 2000), Ok((Case::Y0, _))));
    assert_eq!(chosen(&rows, 97, 100_000), Ok((Case::P, 1)));
    assert!(chosen(&rows, 97, 0).expect_err("refused").to_string().contains("rows of 0 elements"));
}

fn rows_of_float() -> FusedGraph {
    made().into_iter().find(|(fused, _)| fused.name == "rows_float32").expect("rows").0
}

/// Two axes, a node over x [z0, z1] whose result is seen as `view` says, and a Store of it.
fn with(node_type: &str, dtype: DType, ones: &[usize]) -> FusedGraph {
    let mut b = Builder::new("two");
    let (s0, s1) = (b.create_size_var("s0"), b.create_size_var("s1"));
    let axes = [b.create_axis("z0", s0), b.create_axis("z1", s1)];
    b.sched_axis(&axes);
    let narrow: Vec<usize> = ones.iter().map(|at| axes[*at]).collect();
    let (all, view) = (b.contiguous(&axes), b.broadcast_along(&axes, &narrow));
    let data = b.data("x", 0, dtype);
    let load = b.load("load", data, &all);
    let node = b.node(node_type, "node", &[load], Some(&view));
    let store = b.store("store", node, &view);
    b.output("out", 0, store, dtype);
    fused("two", b.graph())
}

#[test]
fn what_is_not_scheduled_is_named() {
    let refused = |fused: &FusedGraph| plan(fused).expect_err("refused").to_string();
    assert_eq!(
        refused(&with("Mean", DType::Int32, &[1])),
        "node (Mean) is not supported here: no instructions are known for its data type"
    );
    assert!(refused(&with("Max", DType::Float32, &[])).contains("(Max) is not supported here: it reduces nothing"));
    // Elements of a column of a matrix do not lie side by side: one row after the other takes them. Rows that overlap are cut.
    let mut apart = rows_of_float();
    let load = apart.graphs[0].node("load_y").expect("a node");
    apart.graphs[0].nodes[load].y.strides[0] = Expr::from(3);
    let why = schedule(&apart.graphs[0], Case::Y0).expect_err("refused").to_string();
    assert!(
        why.starts_with("load_y (Load) is not supported here: one element for each row, 3 elements apart"),
        "{why}"
    );
    let plan_apart = plan(&apart).expect("planned");
    assert_eq!(plan_apart.cases.iter().map(|kernel| kernel.s.case).collect::<Vec<_>>(), [Case::P]);
    let sizes: Values = [("s0".to_owned(), 5), ("s1".to_owned(), 130)].into();
    let mut given = graphs::inputs(plan_apart.hint(), &sizes);
    given.values_mut().filter(|buffer| buffer.len() == 5).for_each(|buffer| buffer.bytes = buffer.bytes.repeat(3));
    let (_, solved) = choose(&plan_apart, &sizes, Limits { cores: 3, aiv_num: 0, ub_size: 188_416 }).expect("a tiling");
    let tiles = run_tiles(&plan_apart.cases[0], &given, &sizes, &solved).expect("runs");
    assert_eq!(tiles, run(plan_apart.hint(), &given, &sizes).expect("runs").outputs);
    let mut over = fmod_example();
    over.graphs[0].nodes[2].y.strides[0] = Expr::from(1);
    let plan_over = plan(&over).expect("planned");
    let sizes: Values = [("s0".to_owned(), 10_000), ("s1".to_owned(), 5)].into();
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    assert_eq!(choose(&plan_over, &sizes, limits).map(|(case, _)| plan_over.cases[case].s.case), Ok(Case::Y1));
    let error = tiling(&plan_over.cases[1], &sizes, limits).expect_err("refused").to_string();
    assert_eq!(error, "fmod: rows of 5 elements are 1 element apart");
    // Over all of its elements it is one row.
    let all = plan(&with("Sum", DType::Float32, &[0, 1])).expect("planned");
    assert_eq!(all.cases[0].s.graph.axis_names(&all.cases[0].s.graph.sched.axis), "oneTB, oneTb, onet, z0z1");

    // A sum of what is joined, and joining along another axis.
    let mut fused = recorded("13_cat_mul");
    let graph = &mut fused.graphs[0];
    let concat = graph.node("concat").expect("a node");
    let mut sum = graph.nodes[concat].clone();
    (sum.name, sum.node_type) = ("sum".to_owned(), "Sum".to_owned());
    sum.inputs.truncate(1);
    sum.inputs[0] = Input { name: "x".to_owned(), from: Some(concat), view: None };
    let store = graph.node("store").expect("a node");
    for y in [&mut sum.y, &mut graph.nodes[store].y] {
        let last = y.size.len() - 1;
        (y.size[last], y.strides) = (Expr::from(1), vec![Expr::from(1), Expr::from(0)]);
    }
    graph.nodes.push(sum);
    graph.nodes[store].inputs[0].from = Some(graph.nodes.len() - 1);
    assert!(refused(&fused).contains("it computes with what a Concat has joined"), "{}", refused(&fused));

    let mut b = Builder::new("cat");
    let axes = [b.create_axis("z0", 6), b.create_axis("z1", 40)];
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let mut half = all.clone();
    half.size[0] = Expr::from(3);
    let data = b.data("x", 0, DType::Float32);
    let load = b.load("load", data, &half);
    let join = b.node("Concat", "join", &[load, load], Some(&all));
    let store = b.store("store", join, &all);
    b.output("out", 0, store, DType::Float32);
    let error = refused(&ascgraph::build::fused("cat", b.graph()));
    assert!(error.contains("axis z0"), "{error}");
}

//! What passes the check and cannot be an operator is refused by name, and never becomes code that does not build or
//! takes its tensors in another order.

use std::collections::BTreeMap;

use ascgraph::build::{Builder, fused};
use ascgraph::check::check_fused;
use ascgraph::codegen::{Names, op_dir, plan_operator};
use ascgraph::dtype::DType;
use ascgraph::expr::{Expr, Values};
use ascgraph::interp::{Buffer, run};
use ascgraph::load::load;
use ascgraph::memory::allocate;
use ascgraph::model::{FusedGraph, FusedNode};
use ascgraph::schedule::schedules;

mod sources;

fn files(fused: &FusedGraph) -> Result<Vec<(String, String)>, String> {
    let report = check_fused(fused);
    let errors: Vec<String> = ascgraph::check::errors(&report).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let plan = plan_operator(fused).map_err(|error| error.to_string())?;
    op_dir(&plan, &Names::of("my_op").expect("a name"), &sources::sources()).map_err(|error| error.to_string())
}

fn refused(fused: &FusedGraph) -> String {
    files(fused).expect_err("refused")
}

/// x - y over one axis of `size`; y has data type `other` and index `index`.
fn difference(symbol: &str, other: DType, index: i64) -> Builder {
    let mut b = Builder::new("g");
    let n = b.create_size_var(symbol);
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let (x, y) = (b.data("x", 0, DType::Float32), b.data("y", index, other));
    let (lx, mut ly) = (b.load("lx", x, &all), b.load("ly", y, &all));
    if other != DType::Float32 {
        ly = b.node("Cast", "cast", &[ly], Some(&all));
        b.dtype(ly, DType::Float32);
    }
    let sub = b.node("Sub", "sub", &[lx, ly], Some(&all));
    let store = b.store("store", sub, &all);
    b.output("out", 0, store, DType::Float32);
    b
}

#[test]
fn one_store_writes_one_output() {
    let mut b = difference("n", DType::Float32, 1);
    let store = 5;
    b.output("again", 1, store, DType::Float32);
    let text = refused(&fused("g", b.graph()));
    assert_eq!(text, "store (Store) is not supported here: 2 Outputs read it; each takes a Store of its own");
}

#[test]
fn an_operand_that_nobody_reads_is_named() {
    let mut b = difference("n", DType::Float32, 1);
    b.data("last", 2, DType::Float32);
    let text = refused(&fused("g", b.graph()));
    assert_eq!(text, "last (Data) is not supported here: it is not used; an operator has no such operand");
}

#[test]
fn two_data_of_one_index_are_of_one_type() {
    let text = refused(&fused("g", difference("n", DType::Float16, 0).graph()));
    assert_eq!(text, "ly (Load) is not supported here: it reads float16, and lx reads float32 of the same index");
    assert!(files(&fused("g", difference("n", DType::Float32, 0).graph())).is_ok());
}

#[test]
fn the_fused_graph_keeps_the_order_of_its_graph() {
    let good = fused("g", difference("n", DType::Float32, 1).graph());
    assert!(files(&good).is_ok());
    let mut swapped = good.clone();
    for node in &mut swapped.nodes {
        if let FusedNode::AscBackend { inputs, .. } = node {
            inputs.reverse();
        }
    }
    assert_eq!(
        refused(&swapped),
        "operand 0 of graph is input1, which is not the Data of index 0; an operator's inputs are in the order of its graph"
    );
    let mut lost = good.clone();
    lost.nodes.retain(|node| !matches!(node, FusedNode::Output { .. }));
    assert_eq!(refused(&lost), "1 results of graph, and 0 of them are an Output; an operator writes all");
    let mut more = good;
    more.nodes.insert(0, FusedNode::Data { name: "more".to_owned(), index: 2 });
    assert_eq!(refused(&more), "graph does not read more; an operator has no such input");
}

#[test]
fn names_are_names_in_cpp() {
    let text = refused(&fused("g", difference("int", DType::Float32, 1).graph()));
    assert!(text.starts_with("size variable `int` cannot be a name in C++: "), "{text}");
    assert!(Names::of("double").is_err());
    assert!(Names::of("double_it").is_ok());
}

/// |x| of the shape `rows` × n, where x is one element for each row, and with `wide` a second tensor of the whole shape.
fn rows(rows: &Expr, symbols: &[&str], wide: bool) -> FusedGraph {
    let mut b = Builder::new("g");
    for symbol in symbols {
        b.create_size_var(symbol);
    }
    let axes = [b.create_axis("z0", rows.clone()), b.create_axis("z1", Expr::symbol("n"))];
    b.sched_axis(&axes);
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let x = b.data("x", 0, DType::Float32);
    let lx = b.load("lx", x, &narrow);
    let mut last = b.node("Broadcast", "brc", &[lx], Some(&all));
    if wide {
        let y = b.data("y", 1, DType::Float32);
        let ly = b.load("ly", y, &all);
        last = b.node("Add", "add", &[last, ly], Some(&all));
    }
    last = b.node("Abs", "abs", &[last], Some(&all));
    let store = b.store("store", last, &all);
    b.output("out", 0, store, DType::Float32);
    fused("g", b.graph())
}

#[test]
fn a_size_that_no_input_has_is_refused() {
    assert_eq!(
        refused(&rows(&Expr::symbol("m"), &["m", "n"], false)),
        "lx (Load) is not supported here: n: no input has n as the size of an axis, so a launch does not know it"
    );
    assert!(files(&rows(&Expr::symbol("m"), &["m", "n"], true)).is_ok());
    let half = Expr::symbol("m").floor_div(&Expr::from(2));
    assert_eq!(
        refused(&rows(&half, &["m", "n"], true)),
        "lx (Load) is not supported here: Floor(m, 2): a kernel's sizes are sums and products of sizes, without quotients"
    );
}

/// x has 3 n rows, and only y says what n is.
#[test]
fn symbols_have_values_before_sizes_are_compared() {
    let made = files(&rows(&Expr::symbol("n").times(&Expr::from(3)), &["n", "m"], true)).expect("made");
    let shapes = &made.iter().find(|file| file.0.ends_with("_shapes.h")).expect("a file").1;
    let at = |part: &str| shapes.find(part).unwrap_or_else(|| panic!("no {part} in\n{shapes}"));
    assert!(at("Guard(\"axis z1 of x1\", \"n\"") < at("Guard(\"axis z0 of x0\", \"3 * n\""));
}

/// The interpreter, and with it the example of the operator, stops where a size is below 0.
#[test]
fn a_size_below_zero_is_an_error() {
    let graph = rows(&Expr::symbol("n").minus(&Expr::from(5)), &["n", "m"], true);
    let inputs = BTreeMap::from([0, 1].map(|at| (at, Buffer::zeros(DType::Float32, 4))));
    let error = run(&graph.graphs[0], &inputs, &Values::from([("n".to_owned(), 3)])).expect_err("stops");
    assert_eq!(error.to_string(), "lx: size -2 along axis z0; from 0 is expected");
    assert!(files(&graph).is_ok());
}

/// What the shapes of rows that are joined say where they do not fit: at once where they are known, else by the tiling
/// function.
#[test]
fn rows_that_do_not_fit_are_named() {
    let joined = |columns: Expr| {
        let mut b = Builder::new("joined");
        if columns.constant().is_none() {
            b.create_size_var("n");
        }
        let twice = columns.times(&Expr::from(2));
        let axes = [b.create_axis("z0", 8), b.create_axis("z1", twice)];
        b.sched_axis(&axes);
        let all = b.contiguous(&axes);
        let mut half = all.clone();
        (half.size[1], half.strides[0]) = (columns.clone(), columns);
        let x = b.data("x", 0, DType::Float32);
        let x = b.load("load", x, &half);
        let join = b.node("Concat", "join 100%\"", &[x, x], Some(&all));
        let store = b.store("store", join, &all);
        b.output("out", 0, store, DType::Float32);
        fused("joined", b.graph())
    };
    assert!(files(&joined(Expr::from(1000))).is_ok());
    let text = refused(&joined(Expr::from(50_000)));
    let wanted = "no tiling for z0 = 8, z1 = 100000: joined: a row of 100000 elements: ";
    let cure = "; longer rows have no kernel: join 100 (Concat) is not supported here: it joins whole rows; \
                cut its tensors along the last axis";
    assert!(text.starts_with(wanted) && text.ends_with(cure), "{text}");
    let made = files(&joined(Expr::symbol("n"))).expect("made");
    let of = |end: &str| &made.iter().find(|file| file.0.ends_with(end)).expect("a file").1;
    let sizes = r#"return std::string() + "z0 = " + std::to_string(8) + ", z1 = " + std::to_string(2 * sizes.n);"#;
    assert!(of("_shapes.h").contains(sizes), "{}", of("_shapes.h"));
    assert!(of("_tiling.cpp").contains("no tiling for %s: ") && of("_tiling.cpp").contains("TextOf(sizes).c_str()"));
    assert!(of("_tiling.cpp").contains(&format!("bytes of UB{cure}\",")), "{}", of("_tiling.cpp"));
}

/// Beyond 2^48 elements: with axes, sizes, limit and cure, whatever the axes are merged to.
#[test]
fn sizes_beyond_all_kernels_are_named() {
    let abs = |sizes: [Expr; 2]| {
        let mut b = Builder::new("g");
        sizes.iter().flat_map(Expr::symbols).for_each(|symbol| drop(b.create_size_var(&symbol)));
        let [rows, columns] = sizes;
        let axes = [b.create_axis("z0", rows), b.create_axis("z1", columns)];
        b.sched_axis(&axes);
        let all = b.contiguous(&axes);
        let x = b.data("x", 0, DType::Float32);
        let load = b.load("load", x, &all);
        let abs = b.node("Abs", "abs", &[load], Some(&all));
        let store = b.store("store", abs, &all);
        b.output("out", 0, store, DType::Float32);
        plan_operator(&fused("g", b.graph())).map(drop).map_err(|error| error.to_string())
    };
    let cure = "are more than 2^48 elements, which is the most; cut one of them and launch once for each part";
    for (rows, columns) in [(1 << 40, 1 << 40), (1 << 24, (1 << 24) + 1), (3, i64::MAX)] {
        let text = abs([rows, columns].map(Expr::from)).expect_err("refused");
        let wanted = format!("g (graph) is not supported here: axes z0 = {rows}, z1 = {columns} {cure}");
        assert_eq!(text, wanted);
    }
    assert_eq!(abs([Expr::from(1 << 24), Expr::from(1 << 24)]), Ok(()));
    assert_eq!(abs([Expr::from(0), Expr::from(1 << 50)]), Ok(()));
    let many = Expr::symbol("n").times(&Expr::from(1 << 62));
    let text = abs([many, Expr::from(8)]).expect_err("refused");
    assert!(text.contains(&format!("axes z0 = {} * n, z1 = 8 {cure}", 1i64 << 62)), "{text}");
}

/// One symbol along both axes: what is interpreted while the operator is made stays small, and something is.
#[test]
fn examples_are_small() {
    let square = |size: Expr| {
        let mut b = Builder::new("square");
        size.symbols().iter().for_each(|symbol| drop(b.create_size_var(symbol)));
        let axes = [b.create_axis("z0", size.clone()), b.create_axis("z1", size)];
        b.sched_axis(&axes);
        let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
        let x = b.data("x", 0, DType::Float32);
        let x = b.load("load", x, &all);
        let most = b.node("Max", "most", &[x], Some(&narrow));
        let store = b.store("store", most, &narrow);
        b.output("out", 0, store, DType::Float32);
        let made = files(&fused("square", b.graph())).expect("made");
        made.into_iter().find(|file| file.0.starts_with("examples/")).expect("an example").1
    };
    let text = square(Expr::symbol("n"));
    for shape in ["{{{1, 1}}, ", "{{{35, 35}}, ", "{{{375, 375}}, "] {
        assert!(text.contains(shape), "no {shape} in\n{text}");
    }
    let cases: Vec<i64> =
        text.lines().filter_map(|line| line.trim().strip_prefix("{{{")?.split(',').next()?.parse().ok()).collect();
    assert!(cases.len() == 5 && cases.iter().all(|n| *n < 1000), "{cases:?}");
    // A graph of one size has no smaller one.
    let large = square(Expr::from(1 << 14));
    assert!(!large.contains("{{{16384") && large.contains("nothing compared, its sizes are too many"), "{large}");
}

/// A size is computed with as a float.
#[test]
fn a_size_that_is_no_float_is_refused() {
    let with = |dtype: DType| {
        let mut b = Builder::new("g");
        let n = b.create_size_var("n");
        let z = b.create_axis("z", n.clone());
        b.sched_axis(&[z]);
        let all = b.contiguous(&[z]);
        let x = b.data("x", 0, dtype);
        let load = b.load("load", x, &all);
        let size = b.size("size", n, dtype);
        let wide = b.node("Broadcast", "wide", &[size], Some(&all));
        let sum = b.node("Add", "sum", &[load, wide], Some(&all));
        let store = b.store("store", sum, &all);
        b.output("out", 0, store, dtype);
        fused("g", b.graph())
    };
    let text = refused(&with(DType::Int32));
    assert_eq!(
        text,
        "size (IndexExpr) is not supported here: a size is computed with as a float only: a Cast to one helps"
    );
    let made = files(&with(DType::Float16)).expect("made");
    let fill = ", static_cast<half>(static_cast<float>(tiling_->size_n)), static_cast<int32_t>(";
    assert!(made.iter().any(|(_, text)| text.contains(fill)), "no {fill}");
}

/// The remainder of int32 asks for the divisor's sign when a part of it is written.
#[test]
fn a_remainder_keeps_its_divisor() {
    let places = |dtype: DType| {
        let mut b = Builder::new("g");
        let n = b.create_size_var("n");
        let z = b.create_axis("z", n);
        b.sched_axis(&[z]);
        let all = b.contiguous(&[z]);
        let (x, y) = (b.data("x", 0, dtype), b.data("y", 1, dtype));
        let (lx, ly) = (b.load("lx", x, &all), b.load("ly", y, &all));
        let by = b.node("Neg", "by", &[ly], Some(&all));
        let rest = b.node("Remainder", "rest", &[lx, by], Some(&all));
        let last = b.node("Neg", "last", &[rest], Some(&all));
        let store = b.store("store", last, &all);
        b.output("out", 0, store, dtype);
        let s = schedules(&b.graph()).expect("scheduled").remove(0);
        let memory = allocate(&s).expect("placed");
        [by, rest].map(|id| memory.places[id].expect("a place"))
    };
    let [by, rest] = places(DType::Int32);
    assert_ne!(by, rest);
    let [by, rest] = places(DType::Float32);
    assert_eq!(by, rest);
}

/// A file that says nothing of the fused graph is in the order of its indices.
#[test]
fn examples_are_in_order() {
    for text in [include_str!("../examples/fused.json"), include_str!("../examples/fmod.json")] {
        assert!(files(&load(text).expect("loads").fused).is_ok());
    }
}

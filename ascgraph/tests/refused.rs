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

fn files(fused: &FusedGraph) -> Result<Vec<(String, String)>, String> {
    let report = check_fused(fused);
    let errors: Vec<String> = ascgraph::check::errors(&report).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let plan = plan_operator(fused).map_err(|error| error.to_string())?;
    op_dir(&plan, &Names::of("my_op").expect("a name")).map_err(|error| error.to_string())
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

/// What the shapes of a softmax say where its rows do not fit: at once where they are known, else by the tiling function.
#[test]
fn rows_that_do_not_fit_are_named() {
    let softmax = |columns: Expr| {
        let mut b = Builder::new("softmax");
        if columns.constant().is_none() {
            b.create_size_var("n");
        }
        let axes = [b.create_axis("z0", 8), b.create_axis("z1", columns)];
        b.sched_axis(&axes);
        let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
        let x = b.data("x", 0, DType::Float32);
        let x = b.load("load", x, &all);
        let most = b.node("Max", "most", &[x], Some(&narrow));
        let wide = b.node("Broadcast", "wide", &[most], Some(&all));
        let sub = b.node("Sub", "sub", &[x, wide], Some(&all));
        let store = b.store("store", sub, &all);
        b.output("out", 0, store, DType::Float32);
        fused("softmax", b.graph())
    };
    assert!(files(&softmax(Expr::from(1000))).is_ok());
    let text = refused(&softmax(Expr::from(100_000)));
    let wanted = "no tiling for z0 = 8, z1 = 100000: softmax: a row of 100000 elements: ";
    assert!(text.starts_with(wanted) && text.ends_with(" bytes do not fit into 188416"), "{text}");
    let made = files(&softmax(Expr::symbol("n"))).expect("made");
    let of = |end: &str| &made.iter().find(|file| file.0.ends_with(end)).expect("a file").1;
    assert!(
        of("_shapes.h")
            .contains(r#"return std::string() + "z0 = " + std::to_string(8) + ", z1 = " + std::to_string(sizes.n);"#)
    );
    assert!(of("_tiling.cpp").contains("no tiling for %s: ") && of("_tiling.cpp").contains("TextOf(sizes).c_str()"));
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

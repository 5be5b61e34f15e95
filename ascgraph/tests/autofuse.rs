//! The three texts for torch_npu: which functions with which arguments, and what is refused.

use ascgraph::build::{Builder, fused};
use ascgraph::codegen::{Texts, autofuse};
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::load::load;
use ascgraph::model::{AttrValue, FusedGraph, FusedNode};
use ascgraph::plan::plan;

mod sources;

fn recorded(name: &str) -> FusedGraph {
    let corpus: serde_json::Value = serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    load(&corpus[name].to_string()).expect("loads").fused
}

fn texts(fused: &FusedGraph) -> Texts {
    let plan = plan(fused).unwrap_or_else(|error| panic!("{error}"));
    autofuse(fused, &plan, &sources::sources()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(fused: &FusedGraph) -> String {
    let plan = plan(fused).unwrap_or_else(|error| panic!("{error}"));
    autofuse(fused, &plan, &sources::sources()).expect_err("refused").to_string()
}

/// Words between `extern "C" ` and the body, with one space each.
fn signature(text: &str) -> String {
    let (_, rest) = text.split_once("extern \"C\" ").expect("a C function");
    rest.split_once("\n{").expect("a body").0.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn signatures_are_those_that_torch_npu_calls() {
    let fixed = texts(&recorded("4_add_mul_relu"));
    assert_eq!(
        signature(&fixed.host_impl),
        "int64_t AutofuseTiling(AutofuseTilingData* tiling_data, uint64_t* workspace_size, uint32_t* block_dim, \
         ResLimit* limit)"
    );
    assert_eq!(
        signature(&fixed.device_impl),
        "int64_t AutofuseLaunch(uint32_t block_dim, void* stream, void* input0, void* input1, void* input2, void* output0, \
         void* workspace, AutofuseTilingData* tiling_data)"
    );
    assert!(fixed.tiling_def.contains("\nstruct AutofuseTilingData {\n"));
    let dynamic = texts(&recorded("1_mul_sub"));
    assert!(
        signature(&dynamic.host_impl)
            .starts_with("int64_t AutofuseTiling(int64_t ks0, int64_t ks1, AutofuseTilingData*")
    );
    assert_eq!(dynamic, texts(&recorded("1_mul_sub")), "the same graph, the same bytes");
    // torch_npu puts them into Python's r'''…'''.
    for text in [&dynamic.tiling_def, &dynamic.host_impl, &dynamic.device_impl] {
        assert!(!text.contains("'''"));
    }
}

/// Data 2 of the graph is the second pointer of the call, and Data 1 the third.
#[test]
fn pointers_go_where_the_fused_graph_says() {
    let mut swapped = recorded("1_mul_sub");
    let call = |fused: &FusedGraph| {
        let text = texts(fused).device_impl;
        let (_, rest) = text.split_once("stream>>>(").expect("a launch");
        rest.split_once(", *tiling_data").expect("the tiling").0.replace("static_cast<GM_ADDR>", "")
    };
    assert_eq!(call(&swapped), "(input0), (input1), (input2), (output0)");
    for node in &mut swapped.nodes {
        if let FusedNode::AscBackend { inputs, .. } = node {
            inputs.swap(1, 2);
        }
    }
    assert_eq!(call(&swapped), "(input0), (input2), (input1), (output0)");
    // One tensor behind two Data.
    for node in &mut swapped.nodes {
        if let FusedNode::AscBackend { inputs, .. } = node {
            inputs[1] = inputs[0].clone();
        }
    }
    assert_eq!(call(&swapped), "(input0), (input0), (input1), (output0)");
}

#[test]
fn what_is_wired_to_nothing_is_refused() {
    let mut own = recorded("3_mul");
    for node in &mut own.nodes {
        if let FusedNode::AscBackend { inputs, name, .. } = node {
            inputs[0] = format!("{name}.y0");
        }
    }
    assert!(refused(&own).starts_with("an AscBackend of autofused_mul_"), "{}", refused(&own));

    let mut twice = recorded("15_add_exp");
    for node in &mut twice.nodes {
        if let FusedNode::Output { input, .. } = node {
            *input = "graph.y0".to_owned();
        }
    }
    assert!(refused(&twice).starts_with("graph.y0 is two Outputs of "), "{}", refused(&twice));

    let mut fewer = recorded("15_add_exp");
    fewer.nodes.retain(|node| !matches!(node, FusedNode::Output { index: 1, .. }));
    assert_eq!(refused(&fewer), "y1 of graph graph_hint is wired to nothing");
}

/// |x| over one axis of a size, with these symbols.
fn sized(symbols: &[&str], size: Expr) -> FusedGraph {
    let mut b = Builder::new("sized");
    symbols.iter().for_each(|symbol| drop(b.create_size_var(symbol)));
    let z = b.create_axis("z", size);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let x = b.data("x", 0, DType::Float32);
    let load = b.load("load", x, &all);
    let abs = b.node("Abs", "abs", &[load], Some(&all));
    let store = b.store("store", abs, &all);
    b.output("out", 0, store, DType::Float32);
    fused("sized", b.graph())
}

/// The same of a tensor that begins behind its first element.
fn starting(sized: &FusedGraph, at: Expr) -> FusedGraph {
    let mut fused = sized.clone();
    let load = fused.graphs[0].node("load").expect("load");
    fused.graphs[0].nodes[load].ir_attr.insert("offset".to_owned(), AttrValue::Expr(at));
    fused
}

/// What an operator's sizes may not be, those of torch may not be either.
#[test]
fn sizes_are_refused_as_for_operators() {
    let n = Expr::symbol("n");
    assert!(texts(&sized(&["n"], n.times(&Expr::from(3)))).host_impl.contains("int64_t n, "));
    assert_eq!(
        refused(&sized(&["n"], n.floor_div(&Expr::from(2)))),
        "load (Load) is not supported here: Floor(n, 2): a kernel's sizes are sums and products of sizes, without quotients"
    );
    let lost = "m is no size variable of the graph, so a launch does not know it";
    assert_eq!(refused(&sized(&["n"], Expr::symbol("m"))), format!("load (Load) is not supported here: m: {lost}"));
    let shifted = starting(&sized(&["n"], n), Expr::symbol("m"));
    assert_eq!(refused(&shifted), format!("load (Load) is not supported here: m: {lost}"));
    for (name, why) in [
        ("int", "cannot be a name in C++: letters, digits and `_`, a letter in front, and no keyword of C++"),
        ("ub", "the generated code has this name; another is expected"),
        ("Sizes", "the generated code has this name; another is expected"),
    ] {
        let text = refused(&sized(&[name], Expr::symbol(name)));
        assert!(text.starts_with(&format!("size variable `{name}`")) && text.ends_with(why), "{text}");
    }
}

/// A tensor that begins behind its first element, at a place that a symbol decides; ks10 behind ks2, as torch_npu counts.
#[test]
fn offsets_and_the_order_of_symbols() {
    let graph = sized(&["ks10", "ks2"], Expr::symbol("ks10"));
    let moved = texts(&starting(&graph, Expr::symbol("ks2").times(&Expr::from(8))));
    assert!(signature(&moved.host_impl).contains("(int64_t ks2, int64_t ks10, "));
    assert!(moved.device_impl.contains("x0Gm_[column + tiling_->value1]"), "{}", moved.device_impl);
    assert!(moved.tiling_def.contains("int64_t value1; // 8 * ks2"), "{}", moved.tiling_def);
    assert!(moved.host_impl.contains("8 * Exact(sizes.ks2), // 8 * ks2"), "{}", moved.host_impl);
    assert!(texts(&starting(&graph, Expr::from(24))).device_impl.contains("x0Gm_[column + 24]"));
}

/// A kernel whose sizes are numbers is refused before anything is compiled.
#[test]
fn rows_that_never_fit_are_refused() {
    let mut b = Builder::new("long");
    let (rows, half, columns) = (b.create_axis("r", 4), 1 << 20, b.create_axis("c", 2 << 20));
    b.sched_axis(&[rows, columns]);
    let all = b.contiguous(&[rows, columns]);
    let mut part = all.clone();
    (part.size[1], part.strides[0]) = (half.into(), half.into());
    let x = b.data("x", 0, DType::Float32);
    let load = b.load("load", x, &part);
    let abs = b.node("Abs", "abs", &[load], Some(&part));
    let join = b.node("Concat", "join", &[load, abs], Some(&all));
    let store = b.store("store", join, &all);
    b.output("out", 0, store, DType::Float32);
    let why = refused(&fused("long", b.graph()));
    assert!(why.contains("do not fit into 188160; longer rows have no kernel: join (Concat)"), "{why}");
}

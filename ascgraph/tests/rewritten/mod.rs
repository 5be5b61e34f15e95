//! Models with `ascend::Fused` in the place of what was fused.

use ascgraph::dump;
use ascgraph::fuse::rewrite::{Node, rewrite};
use ascgraph::fuse::{Attr, Fusion, Operators, fuse, onnx};
use ascgraph::load::load;

use crate::operators::{launches, priced, run};
use crate::proto::{bytes, info, int, node, tensor};

/// A model of opset 17 of these fields of its graph.
fn model(graph: &[Vec<u8>]) -> Vec<u8> {
    let opset = [bytes(1, b""), int(2, 17)].concat();
    [int(1, 8), bytes(7, &graph.concat()), bytes(8, &opset), bytes(6, b"what the model says of itself")].concat()
}

/// The model of these bytes, and what became of it, with interfaces `a0`, `a1`, …
fn rewritten(model: &[u8]) -> (Fusion, Vec<u8>, Operators) {
    let mut all = onnx::read(model).expect("a model");
    let fusion = fuse(&mut all, None);
    let new = fusion.fused.iter().enumerate().map(|(at, fused)| Node {
        fused,
        interface: format!("a{at}"),
        input_dims: "n,4".to_owned(),
        output_dims: "n".to_owned(),
    });
    let new: Vec<Node> = new.collect();
    let made = rewrite(model, &all, &new).expect("rewritten");
    let read = onnx::read(&made).expect("a model");
    (fusion, made, read)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Nodes without a name and of one name, a result that no value_info has and that is a bool, and a product that reads the
/// first result in front of the second.
fn between() -> Vec<u8> {
    model(&[
        node("Abs", "", &["x"], "a", &[]),
        node("MatMul", "dot", &["a", "w"], "d", &[]),
        node("Neg", "", &["a"], "b", &[]),
        node("Add", "twice", &["b", "d"], "c", &[]),
        node("Greater", "twice", &["c", "b"], "g", &[]),
        node("NonZero", "where", &["g"], "y", &[]),
        bytes(2, b"between"),
        bytes(5, &tensor("w", &[4, 4], &[0.5; 16])),
        bytes(10, b"what the graph says of itself"),
        bytes(11, &info("x", 1, &["n", "4"])),
        bytes(12, &info("y", 7, &["2", "m"])),
        bytes(13, &info("d", 1, &["n", "4"])),
    ])
}

#[test]
fn nodes_become_one_and_the_rest_stays_as_it_is() {
    let model = between();
    let (fusion, made, read) = rewritten(&model);
    assert_eq!(launches(&fusion), [vec![vec!["Abs_0", "Neg_2"]], vec![vec!["twice", "twice"]]]);
    let nodes: Vec<(&str, String, String)> =
        read.nodes.iter().map(|node| (node.kind.as_str(), node.inputs.join(" "), node.outputs.join(" "))).collect();
    let node = |kind, reads: &str, makes: &str| (kind, reads.to_owned(), makes.to_owned());
    assert_eq!(
        nodes,
        [
            node("ascend::Fused", "x", "a b"),
            node("MatMul", "a w", "d"),
            node("ascend::Fused", "b d", "g"),
            node("NonZero", "g", "y")
        ]
    );
    let text = |value: &str| Attr::Text(value.to_owned());
    let attrs: Vec<(&str, &Attr)> = read.nodes[2].attrs.iter().map(|(name, value)| (name.as_str(), value)).collect();
    assert_eq!(attrs, [("input_dims", &text("n,4")), ("interface", &text("a1")), ("output_dims", &text("n"))]);
    // Results that had no type have one, and the bool is none of bytes.
    for (name, kind) in [("a", 1), ("b", 1), ("g", 9)] {
        assert!(contains(&made, &bytes(13, &info(name, kind, &["n", "4"]))), "{name}");
    }
    for kept in
        [&b"what the model says of itself"[..], b"what the graph says of itself", &tensor("w", &[4, 4], &[0.5; 16])]
    {
        assert!(contains(&made, kept));
    }
    let domain = bytes(8, &[bytes(1, b"ascend"), int(2, 1)].concat());
    assert!(made.ends_with(&domain) && !contains(&model, &domain));
    // The domain is said once.
    let again = rewrite(&made, &read, &[]).expect("rewritten");
    assert_eq!(again, made);
}

/// What a body reads of the graph around it comes in front of it.
#[test]
fn bodies_stay_behind_what_they_read() {
    let body = [node("Add", "in", &["b", "b"], "i", &[]), bytes(12, &info("i", 1, &["n", "4"]))].concat();
    let body = [bytes(1, b"then_branch"), bytes(6, &body), int(20, 5)].concat();
    let model = model(&[
        node("Abs", "abs", &["x"], "a", &[]),
        node("Shape", "shape", &["a"], "s", &[]),
        node("Neg", "neg", &["a"], "b", &[]),
        node("If", "if", &["s"], "y", &body),
        node("Exp", "exp", &["b"], "e", &[]),
        bytes(11, &info("x", 1, &["n", "4"])),
        bytes(12, &info("y", 1, &["n", "4"])),
        bytes(12, &info("e", 1, &["n", "4"])),
    ]);
    let (_, _, read) = rewritten(&model);
    let kinds: Vec<&str> = read.nodes.iter().map(|node| node.kind.as_str()).collect();
    assert_eq!(kinds, ["ascend::Fused", "Shape", "If"]);
}

/// The example of what becomes two launches: the largest of rows and those of columns.
fn extremes() -> Vec<u8> {
    let axes = |axis: i64| [bytes(1, b"axes"), int(8, axis), int(20, 7)].concat();
    model(&[
        node("Abs", "size", &["x"], "a", &[]),
        node("ReduceMax", "rows", &["a"], "r", &axes(1)),
        node("Sub", "below_row", &["a", "r"], "s", &[]),
        node("ReduceMax", "columns", &["a"], "c", &axes(0)),
        node("Sub", "below_both", &["s", "c"], "y", &[]),
        bytes(2, b"extremes"),
        bytes(11, &info("x", 1, &["height", "width"])),
        bytes(12, &info("y", 1, &["height", "width"])),
        bytes(12, &info("c", 1, &["1", "width"])),
    ])
}

#[test]
fn the_example_of_two_launches_is_one_operator() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/extremes.onnx");
    let model = extremes();
    if std::env::var_os("ASCGRAPH_UPDATE").is_some() {
        std::fs::write(&path, &model).expect("written");
    }
    assert_eq!(std::fs::read(&path).expect("the example"), model, "ASCGRAPH_UPDATE=1 writes it");
    let mut all = onnx::read(&model).expect("a model");
    let sizes = [("height", 64), ("width", 64)];
    let fusion = priced(&mut all, &crate::graphs::timing("Ascend910B3"), &sizes);
    assert_eq!(launches(&fusion), [vec![vec!["size", "rows", "below_row"], vec!["columns", "below_both"]]]);
    let apart = "[size, rows, below_row] and [columns, below_both] are two launches: ";
    let lines: Vec<&String> = fusion.log.iter().filter(|line| line.starts_with(apart)).collect();
    assert_eq!(lines.len(), 1, "{:?}", fusion.log);
    run(&fusion.fused[0], &[&[9, 24]]);
    // The file of both kernels is read as it is written.
    let both = &fusion.fused[0].parts.fused;
    let loaded = load(&dump::json(both)).expect("loads");
    assert_eq!(loaded.findings, []);
    assert_eq!(dump::text(&loaded.fused), dump::text(both));
    let (_, _, read) = rewritten(&model);
    let [one] = &read.nodes[..] else { panic!("{:?}", read.nodes) };
    assert_eq!((&one.inputs.join(" ")[..], &one.outputs.join(" ")[..]), ("x", "c y"));
}

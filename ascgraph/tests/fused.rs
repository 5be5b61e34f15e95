//! Fused graphs of several AscBackend nodes: what becomes one kernel, and that every bit stays.

use std::collections::BTreeMap;

use ascgraph::build::{Builder, View};
use ascgraph::check::{check_fused, errors};
use ascgraph::codegen::{autofuse_parts, plan_operator};
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::fused::{self, Parts, parts};
use ascgraph::interp::{self, Buffer};
use ascgraph::model::{FusedGraph, FusedNode, Graph};
use ascgraph::tiling::Limits;

mod sources;

/// A graph over `sizes`: each load reads Data of its index along all axes but `ones`; `body` gives what is stored.
fn graph(
    name: &str,
    sizes: &[&str],
    loads: &[&[usize]],
    body: impl Fn(&mut Builder, &[usize], &View, &View) -> Vec<(usize, bool)>,
) -> Graph {
    let mut b = Builder::new(name);
    let mut vars: Vec<&str> = sizes.iter().copied().filter(|size| size.parse::<i64>().is_err()).collect();
    vars.dedup();
    vars.iter().for_each(|var| drop(b.create_size_var(var)));
    let size = |text: &str| text.parse::<i64>().map_or_else(|_| Expr::symbol(text), Expr::from);
    let axes: Vec<usize> = (0..sizes.len()).map(|at| b.create_axis(&format!("z{at}"), size(sizes[at]))).collect();
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let row = b.broadcast_along(&axes, &axes[axes.len() - 1..]);
    let mut read = Vec::new();
    for (at, ones) in loads.iter().enumerate() {
        let data = b.data(&format!("d{at}"), at as i64, DType::Float32);
        let view = b.broadcast_along(&axes, &ones.iter().map(|one| axes[*one]).collect::<Vec<_>>());
        let load = b.load(&format!("load{at}"), data, &view);
        read.push(if ones.is_empty() { load } else { b.node("Broadcast", &format!("brc{at}"), &[load], Some(&all)) });
    }
    for (at, (value, narrow)) in body(&mut b, &read, &all, &row).into_iter().enumerate() {
        let store = b.store(&format!("store{at}"), value, if narrow { &row } else { &all });
        b.output(&format!("out{at}"), at as i64, store, DType::Float32);
    }
    b.graph()
}

fn binary(name: &str, node_type: &'static str, sizes: &[&str], ones: &[usize]) -> Graph {
    graph(name, sizes, &[&[], ones], |b, x, all, _| vec![(b.node(node_type, "op", x, Some(all)), false)])
}

/// `wires`: name, operands. Data are `in0`, …; outputs are results.
fn whole(graphs: Vec<Graph>, inputs: usize, wires: &[(&str, &[&str])], outputs: &[&str]) -> FusedGraph {
    let mut nodes: Vec<FusedNode> =
        (0..inputs).map(|at| FusedNode::Data { name: format!("in{at}"), index: at as i64 }).collect();
    for (graph, (name, operands)) in wires.iter().enumerate() {
        let inputs = operands.iter().map(|name| (*name).to_owned()).collect();
        nodes.push(FusedNode::AscBackend { name: (*name).to_owned(), graph, inputs });
    }
    for (at, input) in outputs.iter().enumerate() {
        nodes.push(FusedNode::Output { name: format!("out{at}"), index: at as i64, input: (*input).to_owned() });
    }
    let fused = FusedGraph { name: "several".to_owned(), graphs, nodes };
    let findings = check_fused(&fused);
    assert_eq!(errors(&findings).map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    fused
}

/// Every bit of the graphs, of the joined graphs and of the kernels.
fn same_bits(fused: &FusedGraph, shapes: &[&[i64]]) -> Parts {
    let made = parts(fused).unwrap_or_else(|error| panic!("{error}"));
    let findings = check_fused(&made.fused);
    assert_eq!(errors(&findings).count(), 0, "{findings:?}");
    let shapes: BTreeMap<i64, Vec<i64>> = (0..).zip(shapes.iter().map(|shape| shape.to_vec())).collect();
    let inputs: BTreeMap<i64, Buffer> = shapes
        .iter()
        .map(|(index, shape)| {
            let length = shape.iter().product::<i64>();
            let values: Vec<f32> = (0..length).map(|at| ((at * 37 + index * 11) % 101) as f32 / 7.0 - 5.0).collect();
            (*index, Buffer::of_f32(&values))
        })
        .collect();
    let sizes = fused::bind(fused, &shapes).unwrap_or_else(|error| panic!("{error}"));
    let wanted = fused::run(fused, &inputs, &sizes).unwrap_or_else(|error| panic!("{error}"));
    let ran = fused::run(&made.fused, &inputs, &sizes).unwrap_or_else(|error| panic!("{error}"));
    assert!(!wanted.outputs.is_empty());
    assert_eq!(ran.outputs, wanted.outputs);
    let limits = Limits { cores: 3, aiv_num: 0, ub_size: 184 * 1024 };
    for (part, plan) in made.plans.iter().enumerate() {
        let ends = ran.ends(&made.fused, part, &sizes, &shapes);
        let (case, tiling) = interp::choose(plan, &sizes, limits).unwrap_or_else(|error| panic!("{error}"));
        let tiles = interp::run_tiles(&plan.cases[case], &ends.inputs, &sizes, &tiling);
        assert_eq!(tiles.unwrap_or_else(|error| panic!("{error}")), ends.outputs, "part {part}");
    }
    made
}

fn counts(graph: &Graph, node_type: &str) -> usize {
    graph.of_type(node_type).count()
}

const N: &[&str] = &["s0", "s1"];

#[test]
fn a_chain_is_one_kernel_and_what_is_between_is_not_stored() {
    let graphs = vec![binary("a", "Mul", N, &[0]), binary("b", "Add", N, &[])];
    let fused = whole(graphs, 3, &[("a", &["in0", "in1"]), ("b", &["a.y0", "in2"])], &["b.y0"]);
    let made = same_bits(&fused, &[&[5, 33], &[1, 33], &[5, 33]]);
    let [graph] = &made.fused.graphs[..] else { panic!("{:?}", made.apart) };
    assert_eq!((counts(graph, "Load"), counts(graph, "Store"), counts(graph, "Data")), (3, 1, 3));
    assert_eq!(made.apart, Vec::<String>::new());
    let plan = plan_operator(&fused).expect("one operator");
    assert_eq!(plan.hint().of_type("Output").count(), 1);
}

#[test]
fn what_others_read_and_what_is_an_output_is_stored_once() {
    let graphs = vec![binary("a", "Mul", N, &[]), binary("b", "Add", N, &[]), binary("c", "Sub", N, &[])];
    let wires: &[(&str, &[&str])] = &[("a", &["in0", "in1"]), ("b", &["a.y0", "in0"]), ("c", &["a.y0", "b.y0"])];
    let fused = whole(graphs, 2, wires, &["c.y0", "a.y0"]);
    let made = same_bits(&fused, &[&[3, 70], &[3, 70]]);
    let [graph] = &made.fused.graphs[..] else { panic!("{:?}", made.apart) };
    // in0 has two readers and is loaded once.
    assert_eq!((counts(graph, "Load"), counts(graph, "Store")), (2, 2));
}

#[test]
fn three_graphs_are_a_softmax() {
    let exp = graph("exp", N, &[&[], &[1]], |b, x, all, _| {
        let sub = b.node("Sub", "sub", x, Some(all));
        vec![(b.node("Exp", "exp", &[sub], Some(all)), false)]
    });
    let reduce = |name: &str, node_type: &'static str| {
        graph(name, N, &[&[]], |b, x, _, row| vec![(b.node(node_type, "reduce", x, Some(row)), true)])
    };
    let graphs = vec![reduce("max", "Max"), exp, reduce("sum", "Sum"), binary("div", "Div", N, &[1])];
    let wires: &[(&str, &[&str])] =
        &[("max", &["in0"]), ("exp", &["in0", "max.y0"]), ("sum", &["exp.y0"]), ("div", &["exp.y0", "sum.y0"])];
    let fused = whole(graphs, 1, wires, &["div.y0"]);
    let made = same_bits(&fused, &[&[6, 100]]);
    let [graph] = &made.fused.graphs[..] else { panic!("{:?}", made.apart) };
    assert_eq!((counts(graph, "Load"), counts(graph, "Store")), (1, 1));
}

#[test]
fn a_graph_of_the_rows_alone_has_an_axis_of_the_others() {
    let sum = graph("sum", N, &[&[]], |b, x, _, row| vec![(b.node("Sum", "sum", x, Some(row)), true)]);
    let sqrt = graph("abs", &["s0"], &[&[]], |b, x, all, _| vec![(b.node("Abs", "abs", x, Some(all)), false)]);
    let fused = whole(vec![sum, sqrt], 1, &[("sum", &["in0"]), ("abs", &["sum.y0"])], &["abs.y0"]);
    let made = same_bits(&fused, &[&[4, 65]]);
    assert_eq!(made.plans.len(), 1, "{:?}", made.apart);
}

#[test]
fn other_axes_are_launches_of_their_own() {
    let flat = graph("flat", &["n"], &[&[]], |b, x, all, _| vec![(b.node("Abs", "abs", x, Some(all)), false)]);
    let graphs = vec![binary("a", "Mul", &["4", "s1"], &[0]), flat, binary("c", "Sub", &["4", "s1"], &[])];
    let wires: &[(&str, &[&str])] = &[("a", &["in0", "in1"]), ("b", &["a.y0"]), ("c", &["a.y0", "in0"])];
    let fused = whole(graphs, 2, wires, &["b.y0", "c.y0"]);
    let made = same_bits(&fused, &[&[4, 19], &[1, 19]]);
    // c joins a, whose result b reads.
    assert_eq!(made.plans.len(), 2);
    assert_eq!(
        made.apart,
        [
            "b is a kernel of its own, not one with a: axis z0 of b has size n, and z0, next to it, 4; one loop nest has \
          one size"
        ]
    );
    let refused = plan_operator(&fused).expect_err("no operator").to_string();
    assert!(refused.starts_with("several becomes 2 kernels: b is a kernel of its own, "), "{refused}");
    let texts = autofuse_parts(&made, &sources::sources()).expect("texts");
    for (text, word) in [
        (&texts.tiling_def, "    AutofusePart1TilingData part1;\n"),
        (&texts.host_impl, "AutofuseTiling(int64_t n, int64_t s1, AutofuseTilingData*"),
        (&texts.host_impl, "static_cast<uint64_t>(tiling_data->workspace_bytes)"),
        (&texts.device_impl, "static_cast<GM_ADDR>(workspace) + tiling_data->offset0"),
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

/// A group in front of a result that is read does not take the reader.
#[test]
fn launches_come_in_the_order_of_their_operands() {
    let flat =
        |name: &str| graph(name, &["n"], &[&[]], |b, x, all, _| vec![(b.node("Neg", "neg", x, Some(all)), false)]);
    let graphs = vec![binary("a", "Mul", &["4", "s1"], &[]), flat("b"), binary("c", "Sub", &["4", "s1"], &[])];
    let wires: &[(&str, &[&str])] = &[("a", &["in0", "in1"]), ("b", &["a.y0"]), ("c", &["a.y0", "b.y0"])];
    let made = same_bits(&whole(graphs, 2, wires, &["c.y0"]), &[&[4, 19], &[4, 19]]);
    assert_eq!(made.plans.len(), 3);
    assert!(made.apart[1].starts_with("c is a kernel of its own, not one with b: "), "{:?}", made.apart);
}

#[test]
fn a_graph_without_a_kernel_is_named() {
    let round = graph("round", N, &[&[]], |b, x, _, _| {
        let axes = [0, 1];
        let column = b.broadcast_along(&axes, &axes[..1]);
        vec![(b.node("Unsupported", "lost", x, Some(&column)), false)]
    });
    let graphs = [binary("a", "Mul", N, &[]), round];
    let nodes = [("a", &["in0", "in1"][..]), ("b", &["a.y0"][..])];
    let mut fused = whole(vec![graphs[0].clone()], 2, &nodes[..1], &["a.y0"]);
    fused.graphs.push(graphs[1].clone());
    fused.nodes.push(FusedNode::AscBackend { name: "b".to_owned(), graph: 1, inputs: vec!["a.y0".to_owned()] });
    fused.nodes.push(FusedNode::Output { name: "o1".to_owned(), index: 1, input: "b.y0".to_owned() });
    let refused = parts(&fused).expect_err("no kernel").to_string();
    assert!(refused.contains("lost"), "{refused}");
}

/// The example of the documentation: a root mean square in two graphs, and sizes of the result as one row.
#[test]
fn the_example_is_two_kernels() {
    let loaded = ascgraph::load::load(include_str!("../examples/several.json")).expect("loads");
    assert_eq!(errors(&loaded.findings).count(), 0, "{:?}", loaded.findings);
    let made = same_bits(&loaded.fused, &[&[6, 100]]);
    let axes: Vec<usize> = made.fused.graphs.iter().map(|graph| graph.sched.axis.len()).collect();
    assert_eq!(axes, [2, 1], "{:?}", made.apart);
}

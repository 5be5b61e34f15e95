//! Rules about a graph as a whole.

use std::collections::BTreeSet;

use super::{Report, Rule};
use crate::expr::Expr;
use crate::model::{Graph, GraphType, Node};

pub fn check(report: &mut Report) {
    let graph = report.graph;
    names(report, graph);
    axes(report, graph);
    sched(report, graph);
    cycles(report, graph);
    indices(report, graph);
    dead(report, graph);
    if graph.graph_type == GraphType::Hint {
        hint_only(report, graph);
    }
}

fn names(report: &mut Report, graph: &Graph) {
    let mut nodes = BTreeSet::new();
    for node in graph.nodes.iter().filter(|node| !nodes.insert(&node.name)) {
        report.of(Rule::DuplicateName, node, format!("a second node {}", node.name));
    }
    let mut others = BTreeSet::new();
    let axes = graph.axis.iter().map(|axis| ("axis", &axis.name));
    for (what, name) in axes.chain(graph.size_vars.iter().map(|var| ("size variable", &var.name))) {
        if !others.insert((what, name)) {
            report.add(Rule::DuplicateName, "", name, format!("a second {what} {name}"));
        }
    }
}

fn axes(report: &mut Report, graph: &Graph) {
    for axis in &graph.axis {
        expression(report, "", &axis.name, "size", &axis.size);
    }
}

/// Symbols that are declared, and a value that is not negative where there is one.
pub fn expression(report: &mut Report, node: &str, axis: &str, what: &str, expr: &Expr) {
    for symbol in expr.symbols() {
        if !report.graph.size_vars.iter().any(|var| var.name == symbol) {
            report.add(Rule::Expression, node, axis, format!("{what} {expr}: no size variable {symbol}"));
        }
    }
    if expr.is_overflow() {
        report.add(Rule::Expression, node, axis, format!("{what}: a constant that does not fit into 64 bits"));
    }
    if let Some(value) = expr.constant().filter(|value| *value < 0) {
        report.add(Rule::Negative, node, axis, format!("{what} {value}"));
    }
}

fn sched(report: &mut Report, graph: &Graph) {
    let mut seen = BTreeSet::new();
    for id in &graph.sched.axis {
        let name = graph.axis_name(*id).to_owned();
        if graph.axis.get(*id).is_none() {
            report.add(
                Rule::UnknownAxis,
                "",
                &name,
                format!("sched.axis has axis {id}, the graph has {}", graph.axis.len()),
            );
        } else if !seen.insert(id) {
            report.add(Rule::RepeatedAxis, "", &name, "a second time in sched.axis".to_owned());
        }
    }
}

/// Each cycle once; what only waits for one is not in it.
fn cycles(report: &mut Report, graph: &Graph) {
    let mut seen = BTreeSet::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        let needs = graph.needs(id);
        if !needs.contains(&id) || !seen.insert(id) {
            continue;
        }
        let others: Vec<usize> =
            needs.into_iter().filter(|other| *other != id && graph.needs(*other).contains(&id)).collect();
        let names: Vec<&str> = others.iter().map(|other| graph.nodes[*other].name.as_str()).collect();
        let through = if names.is_empty() { String::new() } else { format!(" through {}", names.join(", ")) };
        report.of(Rule::Cycle, node, format!("waits for itself{through}"));
        seen.extend(others);
    }
}

fn indices(report: &mut Report, graph: &Graph) {
    for node_type in ["Data", "Output"] {
        let of_type = || graph.nodes.iter().filter(|node| node.node_type == node_type);
        let known: BTreeSet<i64> = of_type().filter_map(Node::index).collect();
        let count = known.len() as i64;
        for node in of_type() {
            if let Some(index) = node.index().filter(|index| *index >= count) {
                let message = format!("index {index}, and there are {count} of them");
                report.of(Rule::Index, node, message);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for (_, node) in graph.of_type("Output") {
        if let Some(index) = node.index().filter(|index| !seen.insert(*index)) {
            report.of(Rule::OutputIndex, node, format!("a second Output with index {index}"));
        }
    }
    if graph.of_type("Output").next().is_none() {
        report.add(Rule::NoOutput, "", "", "no Output: it computes nothing".to_owned());
    }
}

fn dead(report: &mut Report, graph: &Graph) {
    let alive = graph.alive();
    for (node, alive) in graph.nodes.iter().zip(alive) {
        if !alive {
            report.of(Rule::Dead, node, format!("{}: no Output needs it", node.node_type));
        } else if node.node_type == "Unsupported" {
            let said = node.ir_attr.get("error_msg").map_or_else(String::new, ToString::to_string);
            report.of(Rule::Unsupported, node, format!("an Output needs it: {said}"));
        }
    }
}

fn hint_only(report: &mut Report, graph: &Graph) {
    if graph.sched.loop_axis.is_some() || graph.tiling_key.is_some() || !graph.trans_info_road.is_empty() {
        report.add(Rule::ImplField, "", "", "sched.loop_axis, tiling_key or trans_info_road is set".to_owned());
    }
    for axis in graph.axis.iter().filter(|axis| !axis.from.is_empty() || axis.split_pair_other_id.is_some()) {
        report.add(Rule::ImplField, "", &axis.name, "it comes from another axis".to_owned());
    }
    for node in &graph.nodes {
        let y = &node.y;
        if !y.vectorized_axis.is_empty() || !y.vectorized_strides.is_empty() || y.mem.is_some() {
            report.of(Rule::ImplField, node, "vectorized_axis, vectorized_strides or mem is set".to_owned());
        }
    }
}

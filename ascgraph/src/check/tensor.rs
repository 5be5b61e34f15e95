//! Rules about one tensor, and about the two ends of an edge.

use std::collections::BTreeSet;

use super::graph::expression;
use super::{Report, Rule};
use crate::model::Node;

pub fn check(report: &mut Report, node: &Node) {
    let (graph, y) = (report.graph, &node.y);
    let lengths = [y.axis.len(), y.size.len(), y.strides.len()];
    if lengths.iter().any(|length| *length != lengths[0]) {
        let [axes, sizes, strides] = lengths;
        report.of(Rule::Lengths, node, format!("axes: {axes}, sizes: {sizes}, strides: {strides}"));
    }
    let mut seen = BTreeSet::new();
    for id in &y.axis {
        let name = graph.axis_name(*id).to_owned();
        if graph.axis.get(*id).is_none() {
            report.add(Rule::UnknownAxis, &node.name, &name, format!("axis {id}, the graph has {}", graph.axis.len()));
        } else if !seen.insert(id) {
            report.add(Rule::RepeatedAxis, &node.name, &name, "a second time in y.axis".to_owned());
        }
    }
    order(report, node);
    for (at, size) in y.size.iter().enumerate() {
        let name = y.axis.get(at).map_or("", |id| graph.axis_name(*id)).to_owned();
        expression(report, &node.name, &name, "size", size);
        if let Some(stride) = y.strides.get(at) {
            expression(report, &node.name, &name, "stride", stride);
            if size.is(1) && !stride.is(0) {
                report.add(Rule::StrideOfOne, &node.name, &name, format!("size 1 and stride {stride}"));
            }
        }
    }
    ends(report, node);
}

fn order(report: &mut Report, node: &Node) {
    let sched = &report.graph.sched.axis;
    let known = |id: &&usize| **id < report.graph.axis.len();
    let places: Vec<Option<usize>> =
        node.y.axis.iter().filter(known).map(|id| sched.iter().position(|other| other == id)).collect();
    if let Some(at) = places.iter().position(Option::is_none) {
        let id = node.y.axis.iter().filter(known).nth(at).copied().unwrap_or_default();
        let name = report.graph.axis_name(id).to_owned();
        report.add(Rule::Order, &node.name, &name, "not in sched.axis".to_owned());
    }
}

fn ends(report: &mut Report, node: &Node) {
    for input in &node.inputs {
        let (Some(view), Some(from)) = (&input.view, input.from.and_then(|from| report.graph.nodes.get(from))) else {
            continue;
        };
        // A type that the file leaves open at one end is not another type.
        let dtype = view.dtype.is_none() || from.y.dtype.is_none() || view.dtype == from.y.dtype;
        let shape = (&view.axis, &view.size, &view.strides) == (&from.y.axis, &from.y.size, &from.y.strides);
        if !dtype || !shape {
            let message = format!(
                "operand {} is {} here and {} at {}",
                input.name,
                report.graph.tensor_text(view),
                report.graph.tensor_text(&from.y),
                from.name
            );
            report.of(Rule::Ends, node, message);
        }
    }
}

//! One finding for each cause: what only follows from another finding is left out.

use std::collections::BTreeSet;

use super::rule::{Finding, Rule, Severity};
use crate::model::{FusedGraph, Graph};

/// Rules that compare a tensor with those that it is made of.
const COMPARISONS: [Rule; 6] =
    [Rule::Broadcast, Rule::StrideOfOne, Rule::Ends, Rule::Operands, Rule::Reduced, Rule::Concat];
/// What breaks them says nothing of the tensor that can be compared.
const UNREADABLE: [Rule; 7] = [
    Rule::UnknownType,
    Rule::UnknownAxis,
    Rule::Lengths,
    Rule::RepeatedAxis,
    Rule::Expression,
    Rule::Dtype,
    Rule::Neighbours,
];

/// `findings` without those that follow from others of them.
pub fn only(fused: &FusedGraph, findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    let mut places: Vec<BTreeSet<&str>> = Vec::new();
    for finding in &findings {
        if follows(fused, finding, &findings) {
            continue;
        }
        let same = kept.iter().position(|known| is_same(known, finding));
        match same {
            Some(at) => {
                places[at].insert(&finding.node);
            }
            None => {
                kept.push(finding.clone());
                places.push(BTreeSet::from([finding.node.as_str()]));
            }
        }
    }
    for (finding, places) in kept.iter_mut().zip(places).filter(|(_, places)| places.len() > 1) {
        finding.message += &format!(" (and at {} more)", places.len() - 1);
    }
    kept
}

/// Does the one say what the other says, of another place or in other words?
fn is_same(a: &Finding, b: &Finding) -> bool {
    let name = |finding: &Finding| match finding.rule {
        Rule::UnknownAxis | Rule::Order => Some(finding.axis.clone()),
        Rule::Expression => finding.message.split_once("no size variable ").map(|(_, symbol)| symbol.to_owned()),
        Rule::MissingInput => Some(finding.node.clone()),
        _ => None,
    };
    a.rule == b.rule
        && a.graph == b.graph
        && name(a).is_some_and(|name_of_a| !name_of_a.is_empty() && Some(name_of_a) == name(b))
}

fn follows(fused: &FusedGraph, finding: &Finding, all: &[Finding]) -> bool {
    let errors = || all.iter().filter(|other| other.rule.severity() == Severity::Error);
    let of_graph = || errors().filter(|other| other.graph == finding.graph);
    match finding.rule {
        // Who needs what is not known.
        Rule::Dead => of_graph().next().is_some(),
        Rule::Index => {
            let unread = |graph: &Graph| errors().any(|other| other.rule == Rule::Attribute && is_end(graph, other));
            let of_a_graph = |other: &Finding| other.rule == Rule::Index && graph(fused, &other.graph).is_some();
            match graph(fused, &finding.graph) {
                Some(graph) => unread(graph),
                None => fused.graphs.iter().any(unread) || errors().any(of_a_graph),
            }
        }
        // Another axis stands in for one that is not there.
        Rule::Order | Rule::RepeatedAxis => {
            of_graph().any(|other| other.node == finding.node && other.rule == Rule::UnknownAxis)
        }
        Rule::NoDtype => of_graph().any(|other| other.node == finding.node && other.rule == Rule::Dtype),
        rule if COMPARISONS.contains(&rule) => {
            let Some(graph) = graph(fused, &finding.graph) else { return false };
            let operands = operands(graph, &finding.node);
            of_graph().any(|other| {
                other.node == finding.node && UNREADABLE.contains(&other.rule)
                    || other.node != finding.node && operands.contains(other.node.as_str())
            })
        }
        _ => false,
    }
}

fn graph<'a>(fused: &'a FusedGraph, name: &str) -> Option<&'a Graph> {
    fused.graphs.iter().find(|graph| graph.name == name)
}

fn is_end(graph: &Graph, finding: &Finding) -> bool {
    graph.name == finding.graph
        && graph
            .nodes
            .iter()
            .any(|node| node.name == finding.node && matches!(node.node_type.as_str(), "Data" | "Output"))
}

fn operands<'a>(graph: &'a Graph, name: &str) -> BTreeSet<&'a str> {
    let inputs = graph.nodes.iter().filter(|node| node.name == name).flat_map(|node| &node.inputs);
    inputs.filter_map(|input| Some(graph.nodes.get(input.from?)?.name.as_str())).collect()
}

//! Rules about how graphs are joined.

use std::collections::BTreeSet;

use super::{Finding, Rule};
use crate::model::{FusedGraph, FusedNode, Graph, Node};

pub fn check(fused: &FusedGraph) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |rule, node: &str, message: String| {
        let graph = fused.name.clone();
        findings.push(Finding { rule, graph, node: node.to_owned(), axis: String::new(), message });
    };
    let mut names = BTreeSet::new();
    let mut made = BTreeSet::new();
    for node in &fused.nodes {
        let (FusedNode::Data { name, .. } | FusedNode::AscBackend { name, .. } | FusedNode::Output { name, .. }) = node;
        if !names.insert(name.clone()) {
            add(Rule::DuplicateName, name, format!("a second node {name}"));
        }
        // The front end writes Data behind the graph that reads it.
        if let FusedNode::Data { name, .. } = node {
            made.insert(name.clone());
        }
    }
    for node in &fused.nodes {
        match node {
            FusedNode::Data { .. } => {}
            FusedNode::AscBackend { name, graph, inputs } => {
                let Some(graph) = fused.graphs.get(*graph) else {
                    add(Rule::Backend, name, "its graph is not there".to_owned());
                    continue;
                };
                let wanted = count(graph, "Data");
                if inputs.len() != wanted {
                    let message = format!("{} operands, graph {} has {wanted} of Data", inputs.len(), graph.name);
                    add(Rule::Backend, name, message);
                }
                for input in inputs.iter().filter(|input| !made.contains(*input)) {
                    add(Rule::MissingInput, name, format!("operand {input} is no Data and no earlier result"));
                }
                made.extend((0..count(graph, "Output")).map(|at| format!("{name}.y{at}")));
            }
            FusedNode::Output { name, input, .. } => {
                if !made.contains(input) {
                    add(Rule::MissingInput, name, format!("{input} is no result of an AscBackend"));
                }
            }
        }
    }
    indices(fused, &mut add);
    findings
}

fn count(graph: &Graph, node_type: &str) -> usize {
    graph.nodes.iter().filter(|n| n.node_type == node_type).filter_map(Node::index).collect::<BTreeSet<_>>().len()
}

fn indices(fused: &FusedGraph, add: &mut impl FnMut(Rule, &str, String)) {
    let (mut ins, mut outs) = (BTreeSet::new(), BTreeSet::new());
    for node in &fused.nodes {
        let (name, index, seen) = match node {
            FusedNode::Data { name, index } => (name, index, &mut ins),
            FusedNode::Output { name, index, .. } => (name, index, &mut outs),
            FusedNode::AscBackend { .. } => continue,
        };
        // Both kinds come in the order of their indices or are numbered anew.
        if !seen.insert(*index) {
            add(Rule::OutputIndex, name, format!("a second one with index {index}"));
        }
    }
    for node in &fused.nodes {
        let (name, index, seen) = match node {
            FusedNode::Data { name, index } => (name, index, &ins),
            FusedNode::Output { name, index, .. } => (name, index, &outs),
            FusedNode::AscBackend { .. } => continue,
        };
        if *index < 0 || *index >= seen.len() as i64 {
            add(Rule::Index, name, format!("index {index}, and there are {} of them", seen.len()));
        }
    }
}

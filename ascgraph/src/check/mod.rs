//! What holds for every graph. Each rule has a code, and each finding names node and axis and says what to do.

mod causes;
mod fused;
mod graph;
mod node;
mod rule;
mod tensor;

pub use rule::{Finding, RULES, Rule, Severity, errors};

use crate::model::{FusedGraph, Graph, Node};

/// Everything that is wrong with a graph.
pub fn check(graph: &Graph) -> Vec<Finding> {
    let mut report = Report { graph, findings: Vec::new() };
    graph::check(&mut report);
    for (id, node) in graph.nodes.iter().enumerate() {
        tensor::check(&mut report, node);
        node::check(&mut report, id, node);
    }
    report.findings
}

/// Every graph of it, and how they are joined; once for each cause.
pub fn check_fused(fused: &FusedGraph) -> Vec<Finding> {
    check_after(fused, Vec::new())
}

/// The same, after what reading the file has found.
pub(crate) fn check_after(fused: &FusedGraph, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.extend(fused::check(fused));
    findings.extend(fused.graphs.iter().flat_map(check));
    causes::only(fused, findings)
}

struct Report<'a> {
    graph: &'a Graph,
    findings: Vec<Finding>,
}

impl Report<'_> {
    fn add(&mut self, rule: Rule, node: &str, axis: &str, message: String) {
        let graph = self.graph.name.clone();
        self.findings.push(Finding { rule, graph, node: node.to_owned(), axis: axis.to_owned(), message });
    }

    fn of(&mut self, rule: Rule, node: &Node, message: String) {
        self.add(rule, &node.name, "", message);
    }
}

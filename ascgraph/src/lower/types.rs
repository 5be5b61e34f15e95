//! For every row of the registry whether there are instructions, and what their results follow.

use std::collections::{BTreeMap, BTreeSet};

use super::{instructions, steps};
use crate::dtype::DType;
use crate::ir::{self, AscIr, ComputeType, Dtypes, Inputs};
use crate::model::{Graph, Input, Node, TensorAttr};

/// A graph with one Data, and a node that has it for every operand.
fn alone(ir: &AscIr, from: DType, to: DType) -> Option<(Graph, Node)> {
    let mut graph = Graph::new("");
    let node = |node_type: &str, inputs: Vec<Input>, dtype: DType| Node {
        name: String::new(),
        node_type: node_type.to_owned(),
        ir_attr: BTreeMap::new(),
        inputs,
        y: TensorAttr { dtype: Some(dtype), ..TensorAttr::default() },
    };
    graph.nodes.push(node("Data", Vec::new(), from));
    let Inputs::Named(names) = ir.inputs else { return None };
    let inputs = names.iter().map(|name| Input { name: (*name).to_owned(), from: Some(0), view: None }).collect();
    Some((graph, node(ir.name, inputs, to)))
}

/// Are there instructions for the type with these data types?
fn is_made(ir: &AscIr, from: DType, to: DType) -> bool {
    alone(ir, from, to).is_some_and(|(graph, node)| match ir.compute_type {
        ComputeType::Reduce => ir::is_reduced(ir.name, Some(from)),
        _ => steps::is_known(&node, &graph),
    })
}

/// The data types of a type for which there are instructions: of the operands, or `from → to`.
pub fn dtypes(ir: &AscIr) -> Vec<String> {
    let mut all = Vec::new();
    for (from, to) in ir.rows() {
        let Inputs::Named(_) = ir.inputs else { return vec!["all".to_owned()] };
        // A Cast that keeps the type is nothing at all.
        if is_made(ir, from, to) || ir.name == "Cast" && from == to {
            let mapped = matches!(ir.dtypes, Dtypes::Mapped(_)) && from != to || ir.name == "Cast";
            all.push(if mapped { format!("{from} → {to}") } else { from.name().to_owned() });
        }
    }
    all
}

/// The switches that results of the type follow, with the data types of the results: `div_ulp (float16, float32)`.
pub fn follows(ir: &AscIr) -> String {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in ir.rows().into_iter().filter(|(from, to)| is_made(ir, *from, *to)) {
        for switch in alone(ir, from, to).map(|(graph, node)| instructions::followed(&node, &graph)).unwrap_or_default()
        {
            all.entry(switch).or_default().insert(to.name());
        }
    }
    let text = all.iter().map(|(switch, types)| {
        let types: Vec<&str> = types.iter().copied().collect();
        format!("{switch} ({})", types.join(", "))
    });
    text.collect::<Vec<_>>().join("; ")
}

//! What a fused graph computes: one graph after the other, each as the interpreter has it.

use std::collections::BTreeMap;

use super::backends;
use crate::bind::bind_known;
use crate::expr::Values;
use crate::interp::{self, Buffer, RunError};
use crate::model::{FusedGraph, FusedNode, Graph};

/// Results of a run.
#[derive(Debug)]
pub struct Ran {
    /// By the index of the fused graph's Output.
    pub outputs: BTreeMap<i64, Buffer>,
    /// By the name of an operand or result (`Data`, `backend.y0`).
    pub values: BTreeMap<String, Buffer>,
    /// How often the loop nests of each AscBackend ran.
    pub iterations: BTreeMap<String, u64>,
    pub nodes: usize,
}

/// Values of all symbols, from the shapes of the fused graph's inputs by their index.
///
/// # Errors
///
/// A shape does not fit a graph; a symbol that two graphs share must have one value.
pub fn bind(fused: &FusedGraph, shapes: &BTreeMap<i64, Vec<i64>>) -> Result<Values, String> {
    let mut known: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for node in &fused.nodes {
        if let FusedNode::Data { name, index } = node
            && let Some(shape) = shapes.get(index)
        {
            known.insert(name.clone(), shape.clone());
        }
    }
    let (mut values, mut made) = (Values::new(), BTreeMap::new());
    for (name, graph, inputs) in backends(fused) {
        let shapes = (0..).zip(inputs).filter_map(|(at, input)| Some((at, known.get(input)?.clone())));
        let counts = (0..).zip(inputs).filter_map(|(at, input)| Some((at, *made.get(input)?)));
        values = bind_known(graph, &shapes.collect(), &counts.collect(), values)
            .map_err(|why| of_several(fused, name, why))?;
        for (_, output) in graph.of_type("Output") {
            let (Some(index), Some(shape)) = (output.index(), shape(graph, output, &values)) else { continue };
            made.insert(format!("{name}.y{index}"), shape.iter().product::<i64>());
        }
    }
    Ok(values)
}

/// The shape of an Output, as its Store has it; `None` where a size has no value.
pub fn output_shape(fused: &FusedGraph, index: i64, values: &Values) -> Option<Vec<i64>> {
    let result = fused.nodes.iter().find_map(|node| match node {
        FusedNode::Output { index: own, input, .. } if *own == index => Some(input),
        _ => None,
    })?;
    let (name, at) = result.rsplit_once(".y")?;
    let (_, graph, _) = backends(fused).find(|one| one.0 == name)?;
    let at: i64 = at.parse().ok()?;
    let (_, output) = graph.of_type("Output").find(|(_, output)| output.index() == Some(at))?;
    shape(graph, output, values)
}

/// What one AscBackend reads and writes, by the indices of its graph.
#[derive(Debug)]
pub struct Ends {
    pub shapes: BTreeMap<i64, Vec<i64>>,
    pub inputs: BTreeMap<i64, Buffer>,
    pub outputs: BTreeMap<i64, Buffer>,
}

impl Ran {
    /// Of the AscBackend `at`, in the order of the nodes; `shapes` are those of the fused graph's inputs.
    pub fn ends(&self, fused: &FusedGraph, at: usize, sizes: &Values, shapes: &BTreeMap<i64, Vec<i64>>) -> Ends {
        let mut ends = Ends { shapes: BTreeMap::new(), inputs: BTreeMap::new(), outputs: BTreeMap::new() };
        let mut known: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for node in &fused.nodes {
            if let FusedNode::Data { name, index } = node
                && let Some(shape) = shapes.get(index)
            {
                known.insert(name.clone(), shape.clone());
            }
        }
        for (name, graph, _) in backends(fused) {
            for (_, output) in graph.of_type("Output") {
                let shape = shape(graph, output, sizes).unwrap_or_default();
                known.insert(format!("{name}.y{}", output.index().unwrap_or_default()), shape);
            }
        }
        let Some((name, graph, inputs)) = backends(fused).nth(at) else { return ends };
        for (index, input) in (0..).zip(inputs) {
            ends.shapes.extend(known.get(input).map(|shape| (index, shape.clone())));
            ends.inputs.extend(self.values.get(input).map(|buffer| (index, buffer.clone())));
        }
        for index in graph.of_type("Output").filter_map(|(_, output)| output.index()) {
            ends.outputs.extend(self.values.get(&format!("{name}.y{index}")).map(|buffer| (index, buffer.clone())));
        }
        ends
    }
}

/// Sizes of what a Store writes.
fn shape(graph: &Graph, output: &crate::model::Node, values: &Values) -> Option<Vec<i64>> {
    let store = graph.nodes.get(output.inputs.first()?.from?)?;
    store.y.size.iter().map(|size| size.eval(values).ok()).collect()
}

/// Where there are several graphs, in which one.
fn of_several(fused: &FusedGraph, name: &str, why: String) -> String {
    if fused.graphs.len() == 1 { why } else { format!("{name}: {why}") }
}

/// Runs every graph of a checked fused graph. `inputs` by the index of the Data.
///
/// # Errors
///
/// As of [`interp::run`]; the error names the AscBackend, too, where there are several.
pub fn run(fused: &FusedGraph, inputs: &BTreeMap<i64, Buffer>, sizes: &Values) -> Result<Ran, RunError> {
    let mut ran = Ran { outputs: BTreeMap::new(), values: BTreeMap::new(), iterations: BTreeMap::new(), nodes: 0 };
    for node in &fused.nodes {
        if let FusedNode::Data { name, index } = node
            && let Some(buffer) = inputs.get(index)
        {
            ran.values.insert(name.clone(), buffer.clone());
        }
    }
    for (name, graph, operands) in backends(fused) {
        let own =
            operands.iter().enumerate().filter_map(|(at, input)| Some((at as i64, ran.values.get(input)?.clone())));
        let done = interp::run(graph, &own.collect(), sizes)
            .map_err(|error| RunError { message: of_several(fused, name, error.message), ..error })?;
        ran.nodes += done.iterations.len();
        ran.iterations.insert(name.to_owned(), done.iterations.values().sum());
        ran.values.extend(done.outputs.into_iter().map(|(index, buffer)| (format!("{name}.y{index}"), buffer)));
    }
    for node in &fused.nodes {
        if let FusedNode::Output { index, input, .. } = node
            && let Some(buffer) = ran.values.get(input)
        {
            ran.outputs.insert(*index, buffer.clone());
        }
    }
    Ok(ran)
}

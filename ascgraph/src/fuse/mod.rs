//! From operators of a model to fused graphs: what has a lowering becomes an AscBackend, and neighbours become one where the
//! timing model says that one kernel is faster. What goes from one to the next without another operator between them is one
//! fused graph, and one operator of the model.

mod emit;
pub mod graph;
mod groups;
mod lower;
pub mod onnx;
pub mod rewrite;

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::Values;
use crate::fused::Parts;
use crate::model::{FusedGraph, FusedNode};
use crate::tiling::Limits;
use crate::timing::Timing;
use graph::plain;

pub use graph::{Attr, Operator, Operators, Value};
pub use lower::{Lowered, kinds, lower};

/// Of what the price is.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    pub timing: &'a Timing,
    pub limits: Limits,
    /// Sizes of the symbols.
    pub sizes: &'a Values,
}

impl Machine<'_> {
    /// Microseconds of ticks.
    pub fn us(&self, ticks: i64) -> f64 {
        ticks as f64 / 1024.0 / self.timing.clock
    }
}

/// Operators that became one.
#[derive(Debug)]
pub struct Fused {
    pub name: String,
    /// Which operators each launch computes.
    pub launches: Vec<Vec<String>>,
    /// What its operators make, in the order of the model; names of operators need not be different.
    pub results: Vec<String>,
    pub parts: Parts,
    /// Values of the model, by the index of Data and of Output.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// One AscBackend for each operator.
    pub single: FusedGraph,
    /// Of all launches, and of a launch for each operator, in us; `None` where the model has no number.
    pub price: Option<f64>,
    pub price_single: Option<f64>,
}

/// What is not in a fused graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub name: String,
    pub kind: String,
    pub why: String,
}

/// What became of a model.
#[derive(Debug, Default)]
pub struct Fusion {
    pub fused: Vec<Fused>,
    pub left: Vec<Left>,
    /// A line for each two that became one, or did not.
    pub log: Vec<String>,
}

/// Lowers what can be, and fuses it. Types and shapes of results are filled in.
pub fn fuse(all: &mut Operators, machine: Option<Machine>) -> Fusion {
    let mut fusion = Fusion::default();
    let mut lowered: BTreeMap<usize, Lowered> = BTreeMap::new();
    for at in 0..all.nodes.len() {
        let node = all.nodes[at].clone();
        // A kernel of this one alone has to exist.
        let made = lower(&node, all).and_then(|made| {
            crate::plan::plan_graph(&made.graph).map(|_| made).map_err(|why| format!("no kernel is made of it: {why}"))
        });
        match made {
            Ok(made) => {
                let value = all.values.entry(node.outputs[0].clone()).or_default();
                (value.dtype, value.shape) = (Some(made.dtype), Some(made.shape.clone()));
                lowered.insert(at, made);
            }
            Err(why) => fusion.left.push(Left { name: node.name, kind: node.kind, why }),
        }
    }
    for members in components(all, &lowered) {
        let single = single(all, &lowered, &members);
        match groups::group(all, single, &members, machine, &mut fusion.log) {
            Ok(fused) => fusion.fused.push(fused),
            Err(why) => fusion.left.extend(members.iter().map(|at| {
                let Operator { name, kind, .. } = &all.nodes[*at];
                Left { name: name.clone(), kind: kind.clone(), why: why.clone() }
            })),
        }
    }
    fusion
}

/// Lowered operators between which nothing else is, connected by what they read of each other: each a set that can run at
/// once. An operator that has no lowering begins the next level.
fn components(all: &Operators, lowered: &BTreeMap<usize, Lowered>) -> Vec<Vec<usize>> {
    let makers: BTreeMap<&str, usize> = all
        .nodes
        .iter()
        .enumerate()
        .flat_map(|(at, node)| node.outputs.iter().map(move |out| (out.as_str(), at)))
        .collect();
    let mut levels: Vec<usize> = Vec::new();
    let mut own: Vec<usize> = (0..all.nodes.len()).collect();
    for (at, node) in all.nodes.iter().enumerate() {
        let operands: Vec<usize> =
            node.reads().filter_map(|name| makers.get(name).copied()).filter(|from| *from < at).collect();
        let after =
            |from: &usize| levels[*from] + usize::from(lowered.contains_key(&at) && !lowered.contains_key(from));
        let level = operands.iter().map(after).max().unwrap_or(0);
        levels.push(level);
        if lowered.contains_key(&at) {
            for from in operands.into_iter().filter(|from| lowered.contains_key(from) && levels[*from] == level) {
                let (a, b) = (own[from], own[at]);
                own.iter_mut().filter(|id| **id == b).for_each(|id| *id = a);
            }
        }
    }
    let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in lowered.keys() {
        sets.entry(own[*at]).or_default().push(*at);
    }
    let mut sets: Vec<Vec<usize>> = sets.into_values().collect();
    sets.sort();
    sets
}

/// A fused graph with an AscBackend for each operator.
struct Single {
    fused: FusedGraph,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

fn single(all: &Operators, lowered: &BTreeMap<usize, Lowered>, members: &[usize]) -> Single {
    let first = &all.nodes[members[0]].name;
    let name = if members.len() == 1 { plain(first) } else { format!("{}_{}", plain(first), members.len()) };
    let mut single = Single {
        fused: FusedGraph { name, graphs: Vec::new(), nodes: Vec::new() },
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut backends = Vec::new();
    for at in members {
        let (node, made) = (&all.nodes[*at], &lowered[at]);
        let mut name = plain(&node.name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let mut inputs = Vec::new();
        for value in &made.inputs {
            let known = names.get(value.as_str()).cloned().unwrap_or_else(|| {
                let index = single.inputs.iter().position(|input| input == value).unwrap_or_else(|| {
                    single.inputs.push(value.clone());
                    single.inputs.len() - 1
                });
                format!("in{index}")
            });
            inputs.push(known);
        }
        names.insert(&node.outputs[0], format!("{name}.y0"));
        single.fused.graphs.push(made.graph.clone());
        backends.push(FusedNode::AscBackend { name, graph: backends.len(), inputs });
    }
    let data = (0..single.inputs.len()).map(|at| FusedNode::Data { name: format!("in{at}"), index: at as i64 });
    single.fused.nodes = data.chain(backends).collect();
    for at in members {
        let value = &all.nodes[*at].outputs[0];
        let outside =
            |(other, node): (usize, &Operator)| !members.contains(&other) && node.reads().any(|name| name == value);
        if all.outputs.contains(value) || all.nodes.iter().enumerate().any(outside) {
            let index = single.outputs.len();
            let (name, input) = (format!("out{index}"), names[value.as_str()].clone());
            single.fused.nodes.push(FusedNode::Output { name, index: index as i64, input });
            single.outputs.push(value.clone());
        }
    }
    single
}

//! The kernels that a graph becomes: each a schedule, the places of its tiles, and what its tiles cost.

use std::fmt;

use crate::cost::Cost;
use crate::memory::{Memory, allocate, annotate};
use crate::model::{FusedGraph, FusedNode, Graph};
use crate::schedule::{Case, Scheduled, Unsupported, schedule, schedule_copied, schedules};
use crate::timing::Timing;

/// Why there is no kernel, or no operator made of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    Unsupported(Unsupported),
    /// The fused graph, or the name.
    Graph(String),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Unsupported(why) => why.fmt(f),
            PlanError::Graph(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for PlanError {}

impl From<Unsupported> for PlanError {
    fn from(why: Unsupported) -> PlanError {
        PlanError::Unsupported(why)
    }
}

/// A kernel as far as it is decided.
#[derive(Debug)]
pub struct Kernel {
    pub s: Scheduled,
    pub memory: Memory,
    /// What its tiles cost, where the timing model was asked.
    pub cost: Option<Cost>,
}

/// The kernels that one graph becomes, by tiling key: which one runs is decided for each shape.
#[derive(Debug)]
pub struct Plan {
    pub cases: Vec<Kernel>,
    /// Why there is no kernel for rows that do not fit into the unified buffer, where there is none.
    pub long_rows: Option<String>,
}

impl Plan {
    /// Tiles are chosen by what they cost by the timing model, if it has a number for everything that the kernels do.
    pub fn price(&mut self, timing: &Timing) {
        let costs: Option<Vec<Cost>> =
            self.cases.iter().map(|kernel| Cost::of(&kernel.s, &kernel.memory, timing)).collect();
        for (kernel, cost) in self.cases.iter_mut().zip(costs.into_iter().flatten()) {
            kernel.cost = Some(cost);
        }
    }

    /// The graph that all of them compute.
    pub fn hint(&self) -> &Graph {
        &self.cases[0].s.hint
    }
}

/// Schedules the one graph of a fused graph and places its tiles.
///
/// # Errors
///
/// `fused` has not exactly one graph and one AscBackend node, or no kernel can be made of the graph.
pub fn plan(fused: &FusedGraph) -> Result<Plan, PlanError> {
    let backends = fused.nodes.iter().filter(|node| matches!(node, FusedNode::AscBackend { .. })).count();
    let [graph] = fused.graphs.as_slice() else {
        return Err(PlanError::Graph(format!("{} graphs, one is expected", fused.graphs.len())));
    };
    if backends != 1 {
        return Err(PlanError::Graph(format!("{backends} AscBackend nodes, one is expected")));
    }
    plan_graph(graph)
}

/// Schedules one graph and places its tiles.
///
/// # Errors
///
/// No kernel can be made of the graph.
pub fn plan_graph(graph: &Graph) -> Result<Plan, PlanError> {
    let (mut cases, mut wrong) = (Vec::new(), None);
    for s in schedules(graph)? {
        let case = s.case;
        match place(s).or_else(|why| schedule_copied(graph, case).and_then(place).map_err(|_| why)) {
            Ok(kernel) => cases.push(kernel),
            Err(why) => wrong = Some(why),
        }
    }
    let only_whole = cases.iter().all(|kernel| kernel.s.case == Case::Y0);
    let pieces = || schedule(graph, Case::P).and_then(place).err();
    let long_rows = only_whole.then(|| pieces().map(|why| plain(&why))).flatten();
    match (cases.is_empty(), wrong) {
        (true, Some(why)) => return Err(why.into()),
        (true, None) => return Err(PlanError::Graph("no kernel is made of it".to_owned())),
        _ => {}
    }
    for (key, kernel) in cases.iter_mut().enumerate() {
        kernel.s.graph.tiling_key = Some(key as u32);
    }
    Ok(Plan { cases, long_rows })
}

/// In a message of C++: nothing of a name that would end it or be a format.
fn plain(why: &Unsupported) -> String {
    let kept = |c: &char| c.is_ascii_alphanumeric() || " _,.;:()".contains(*c);
    format!("longer rows have no kernel: {why}").chars().filter(kept).collect()
}

/// Where there are too many tiles at a time, every Load moves to its first reader.
fn place(mut s: Scheduled) -> Result<Kernel, Unsupported> {
    let memory = match allocate(&s) {
        Ok(memory) => memory,
        Err(why) => {
            s.order = s.late_loads();
            allocate(&s).map_err(|_| why)?
        }
    };
    annotate(&mut s, &memory);
    Ok(Kernel { s, memory, cost: None })
}

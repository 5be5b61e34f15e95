//! Fused graphs of several AscBackend nodes: which of them become one kernel, and in which order the kernels of the
//! others are launched.

mod join;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{FusedGraph, FusedNode, Graph};
use crate::plan::{Plan, PlanError, plan_graph};
use crate::timing::Timing;

pub use run::{Ends, Ran, bind, output_shape, run};

/// A fused graph as it is launched.
#[derive(Debug)]
pub struct Parts {
    /// The graph with one AscBackend for each launch, in the order of the launches.
    pub fused: FusedGraph,
    /// By launch.
    pub plans: Vec<Plan>,
    /// Why there is more than one launch: a line for each AscBackend that joined no other one.
    pub apart: Vec<String>,
}

impl Parts {
    /// The plan, where there is one launch.
    ///
    /// # Errors
    ///
    /// There are several; the message says why.
    pub fn only(mut self) -> Result<(Plan, FusedGraph), PlanError> {
        match self.plans.pop() {
            Some(plan) if self.plans.is_empty() => Ok((plan, self.fused)),
            _ => Err(PlanError::Graph(self.several())),
        }
    }

    /// That there are several launches, and why.
    pub fn several(&self) -> String {
        let why = self.apart.join("; ");
        format!("{} becomes {} kernels: {why}", self.fused.name, self.fused.graphs.len())
    }

    /// Tiles of all kernels are chosen by what they cost.
    pub fn price(&mut self, timing: &Timing) {
        for plan in &mut self.plans {
            plan.price(timing);
        }
    }
}

/// The AscBackend nodes of a fused graph: name, graph, operands.
pub(crate) fn backends(fused: &FusedGraph) -> impl Iterator<Item = (&str, &Graph, &[String])> {
    fused.nodes.iter().filter_map(|node| match node {
        FusedNode::AscBackend { name, graph, inputs } => {
            Some((name.as_str(), fused.graphs.get(*graph)?, inputs.as_slice()))
        }
        _ => None,
    })
}

/// A member of a group, by its place among the AscBackend nodes.
type Member = usize;

/// Members of one kernel, the graph that they are, and its plan.
pub(crate) type Group = (Vec<Member>, join::Joined, Plan);

/// The kernel of these members.
pub(crate) fn join_members(fused: &FusedGraph, members: &[Member]) -> Result<Group, String> {
    let joined = join::join(fused, members)?;
    let plan = plan_graph(&joined.graph).map_err(|why| why.to_string())?;
    Ok((members.to_vec(), joined, plan))
}

/// Joins the AscBackend nodes that one kernel computes, and plans each kernel. A graph without errors is expected; one
/// with a single AscBackend stays as it is.
///
/// # Errors
///
/// No kernel can be made of one of the graphs, whatever it is joined with.
pub fn parts(fused: &FusedGraph) -> Result<Parts, PlanError> {
    let all: Vec<_> = backends(fused).collect();
    if let [(_, graph, _)] = all[..] {
        return Ok(Parts { fused: fused.clone(), plans: vec![plan_graph(graph)?], apart: Vec::new() });
    }
    let makers: BTreeMap<&str, Member> = all.iter().enumerate().map(|(at, one)| (one.0, at)).collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut apart = Vec::new();
    for (at, (name, graph, inputs)) in all.iter().enumerate() {
        // A group launched before a result that is read cannot take the reader.
        let needs: BTreeSet<Member> = inputs.iter().filter_map(|input| makers.get(maker(input)?).copied()).collect();
        let first = groups.iter().rposition(|group| group.0.iter().any(|member| needs.contains(member)));
        let mut wrong = None;
        let mut taken = None;
        for (group, (members, ..)) in groups.iter().enumerate().skip(first.unwrap_or(0)) {
            let mut members = members.clone();
            members.push(at);
            match join_members(fused, &members) {
                Ok(made) => {
                    taken = Some((group, made));
                    break;
                }
                Err(why) => wrong = wrong.or(Some((group, why))),
            }
        }
        if let Some((group, made)) = taken {
            groups[group] = made;
            continue;
        }
        if let Some((group, why)) = wrong {
            let others: Vec<&str> = groups[group].0.iter().map(|member| all[*member].0).collect();
            apart.push(format!("{name} is a kernel of its own, not one with {}: {why}", others.join(", ")));
        }
        let joined = join::join(fused, &[at]).map_err(PlanError::Graph)?;
        let plan = plan_graph(&joined.graph).map_err(|why| match why {
            PlanError::Graph(why) => PlanError::Graph(format!("{name} ({}): {why}", graph.name)),
            why => why,
        })?;
        groups.push((vec![at], joined, plan));
    }
    Ok(assemble(fused, groups, apart))
}

/// `name.y0` is a result of `name`.
pub(crate) fn maker(result: &str) -> Option<&str> {
    let (name, at) = result.rsplit_once(".y")?;
    at.parse::<usize>().is_ok().then_some(name)
}

/// The fused graph of the groups: results have other names, and the ends stay.
pub(crate) fn assemble(fused: &FusedGraph, groups: Vec<Group>, apart: Vec<String>) -> Parts {
    let mut result = FusedGraph { name: fused.name.clone(), graphs: Vec::new(), nodes: Vec::new() };
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut plans = Vec::new();
    let is_several = groups.len() > 1;
    result.nodes.extend(fused.nodes.iter().filter(|node| matches!(node, FusedNode::Data { .. })).cloned());
    for (at, (_, mut joined, plan)) in groups.into_iter().enumerate() {
        let name = format!("part{at}");
        // A file knows graphs by their names.
        if is_several {
            joined.graph.name = format!("{}_{name}", fused.name);
        }
        let inputs = joined.inputs.iter().map(|input| names.get(input).unwrap_or(input).clone()).collect();
        names.extend(joined.outputs.into_iter().enumerate().map(|(k, old)| (old, format!("{name}.y{k}"))));
        result.nodes.push(FusedNode::AscBackend { name, graph: at, inputs });
        result.graphs.push(joined.graph);
        plans.push(plan);
    }
    for node in &fused.nodes {
        if let FusedNode::Output { name, index, input } = node {
            let input = names.get(input).unwrap_or(input).clone();
            result.nodes.push(FusedNode::Output { name: name.clone(), index: *index, input });
        }
    }
    Parts { fused: result, plans, apart }
}

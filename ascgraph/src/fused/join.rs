//! Several graphs as one: what one stores and another loads is a value between them, axes of equal sizes are one axis,
//! and what two of them load or compute is there once.

use std::collections::BTreeMap;

use super::{backends, maker};
use crate::check;
use crate::expr::{Expr, Tri};
use crate::model::{AttrValue, Axis, AxisId, FusedGraph, FusedNode, Graph, Input, Node, NodeId, SizeVar, TensorAttr};

/// The graph of a group; operands by the index of their Data, results by the index of their Output, both under the
/// names of the fused graph.
#[derive(Debug)]
pub struct Joined {
    pub graph: Graph,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

/// `members` count the AscBackend nodes, operands in front of their readers.
///
/// # Errors
///
/// Two axes do not fit, or a result is not read as it is stored.
pub fn join(fused: &FusedGraph, members: &[usize]) -> Result<Joined, String> {
    let all: Vec<_> = backends(fused).collect();
    let chosen: Vec<_> = members.iter().map(|at| all[*at]).collect();
    let inside = |result: &String| chosen.iter().any(|one| maker(result) == Some(one.0));
    let order = |input: &String| match place(fused, input) {
        Some(index) => (0, index),
        None => (1, all.iter().position(|one| maker(input) == Some(one.0)).unwrap_or_default() as i64),
    };
    let mut inputs: Vec<String> = chosen.iter().flat_map(|one| one.2).filter(|input| !inside(input)).cloned().collect();
    inputs.sort_by_key(|input| (order(input), input.clone()));
    inputs.dedup();
    let outputs = results(fused, &chosen, &all);
    let widest = chosen.iter().max_by_key(|one| one.1.sched.axis.len()).map(|one| one.1);
    let Some(widest) = widest else { return Err("no graph".to_owned()) };

    let mut state = Join { graph: Graph::new(&fused.name), stored: BTreeMap::new(), inputs, outputs };
    for (id, axis) in widest.sched.axis.iter().map(|axis| &widest.axis[*axis]).enumerate() {
        state.graph.axis.push(Axis { id, from: Vec::new(), ..axis.clone() });
        state.graph.sched.axis.push(id);
    }
    for (index, name) in state.inputs.clone().iter().enumerate() {
        state.data(fused, &all, index, name);
    }
    for (name, graph, operands) in chosen {
        let rank = graph.sched.axis.len();
        let mut wrong = None;
        // Fewer axes may be any that follow each other: those for which the edges fit.
        let fits = (0..=widest.sched.axis.len() - rank).find_map(|first| {
            let mut next = state.clone();
            match next.add(name, graph, operands, first) {
                Ok(()) => Some(next),
                Err(why) => {
                    wrong = wrong.take().or(Some(why));
                    None
                }
            }
        });
        match (fits, wrong) {
            (Some(next), _) => state = next,
            (None, why) => return Err(why.unwrap_or_else(|| format!("{name} has no axis"))),
        }
    }
    state.drop_dead();
    let findings = check::check(&state.graph);
    if let Some(finding) = check::errors(&findings).next() {
        return Err(format!("joined they break a rule: {finding}"));
    }
    Ok(Joined { graph: state.graph, inputs: state.inputs, outputs: state.outputs })
}

/// The index of a fused graph's Data.
fn place(fused: &FusedGraph, input: &str) -> Option<i64> {
    fused.nodes.iter().find_map(|node| match node {
        FusedNode::Data { name, index } if name == input => Some(*index),
        _ => None,
    })
}

type Backend<'a> = (&'a str, &'a Graph, &'a [String]);

/// What others read and what is an Output, in the order of the Outputs.
fn results(fused: &FusedGraph, chosen: &[Backend], all: &[Backend]) -> Vec<String> {
    let inside = |name: &str| chosen.iter().any(|one| one.0 == name);
    let mut ends: Vec<(i64, &String)> = Vec::new();
    for node in &fused.nodes {
        if let FusedNode::Output { index, input, .. } = node {
            ends.push((*index, input));
        }
    }
    ends.sort();
    let read = all.iter().filter(|one| !inside(one.0)).flat_map(|one| one.2);
    let mut outputs: Vec<String> = Vec::new();
    for result in ends.into_iter().map(|end| end.1).chain(read) {
        if maker(result).is_some_and(inside) && !outputs.contains(result) {
            outputs.push(result.clone());
        }
    }
    outputs
}

#[derive(Clone)]
struct Join {
    graph: Graph,
    /// What a result is made of, and how it is stored.
    stored: BTreeMap<String, (NodeId, TensorAttr)>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

impl Join {
    /// The Data of an operand, with the type that its first reader gives it.
    fn data(&mut self, fused: &FusedGraph, all: &[Backend], index: usize, name: &str) {
        let typed = all.iter().find_map(|(_, graph, inputs)| {
            let at = inputs.iter().position(|input| input == name)? as i64;
            graph.of_type("Data").find(|(_, node)| node.index() == Some(at)).map(|(_, node)| node.y.clone())
        });
        let made = maker(name).filter(|_| place(fused, name).is_none());
        let name = self.free(&made.map_or_else(|| name.to_owned(), |maker| format!("{maker}_{index}")), "data");
        let ir_attr = BTreeMap::from([("index".to_owned(), AttrValue::Int(index as i64))]);
        let y = TensorAttr { dtype: typed.and_then(|y| y.dtype), ..TensorAttr::default() };
        self.graph.nodes.push(Node { name, node_type: "Data".to_owned(), ir_attr, inputs: Vec::new(), y });
    }

    /// Stores of what nobody outside has.
    fn drop_dead(&mut self) {
        let alive = self.graph.alive();
        let kept = |(id, node): &(NodeId, &Node)| alive[*id] || node.node_type == "Data";
        let old: Vec<NodeId> = self.graph.nodes.iter().enumerate().filter(kept).map(|(id, _)| id).collect();
        let mut nodes: Vec<Node> = old.iter().map(|id| self.graph.nodes[*id].clone()).collect();
        for input in nodes.iter_mut().flat_map(|node| &mut node.inputs) {
            input.from = input.from.and_then(|from| old.binary_search(&from).ok());
        }
        self.graph.nodes = nodes;
    }

    fn free(&self, name: &str, backend: &str) -> String {
        let tried = [name.to_owned(), format!("{backend}_{name}")].into_iter();
        let numbered = (2..).map(|number| format!("{backend}_{name}_{number}"));
        tried.chain(numbered).find(|name| self.graph.node(name).is_none()).unwrap_or_default()
    }

    /// A graph whose axes are those of the group from `first` on.
    fn add(&mut self, backend: &str, graph: &Graph, operands: &[String], first: usize) -> Result<(), String> {
        let mut axes: BTreeMap<AxisId, AxisId> = BTreeMap::new();
        for (own, id) in graph.sched.axis.iter().zip(first..) {
            let (size, known) = (&graph.axis[*own].size, &self.graph.axis[id].size);
            match size.static_eq(known) {
                Tri::True => {}
                _ if size.is(1) => {}
                _ if known.is(1) => self.graph.axis[id].size = size.clone(),
                _ => {
                    let (name, other) = (graph.axis_name(*own), self.graph.axis_name(id));
                    return Err(format!(
                        "axis {name} of {backend} has size {size}, and {other}, next to it, {known}; one loop nest has one size"
                    ));
                }
            }
            axes.insert(*own, id);
        }
        for var in &graph.size_vars {
            if self.graph.size_vars.iter().all(|known| known.name != var.name) {
                let id = self.graph.size_vars.len();
                self.graph.size_vars.push(SizeVar { id, name: var.name.clone() });
            }
        }
        let alive = graph.alive();
        let mut ids: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for id in graph.topological().into_iter().filter(|id| alive[*id]) {
            self.node(backend, graph, operands, (&axes, &mut ids), id)?;
        }
        Ok(())
    }

    fn node(
        &mut self,
        backend: &str,
        graph: &Graph,
        operands: &[String],
        (axes, ids): (&BTreeMap<AxisId, AxisId>, &mut BTreeMap<NodeId, NodeId>),
        id: NodeId,
    ) -> Result<(), String> {
        let node = &graph.nodes[id];
        let from = node.inputs.first().and_then(|input| input.from);
        match node.node_type.as_str() {
            "Data" => {
                let operand = node.index().and_then(|index| operands.get(usize::try_from(index).ok()?));
                if let Some(at) = operand.and_then(|operand| self.inputs.iter().position(|input| input == operand)) {
                    ids.insert(id, at);
                }
                return Ok(());
            }
            "Output" => return self.output(backend, node, (graph, from), ids),
            _ => {}
        }
        let y = self.tensor(backend, graph, node, axes)?;
        if node.node_type == "Load" && from.is_some_and(|from| !ids.contains_key(&from)) {
            let data = from.and_then(|from| graph.nodes[from].index()).and_then(|index| usize::try_from(index).ok());
            let result = data.and_then(|index| operands.get(index)).cloned().unwrap_or_default();
            let Some((source, stored)) = self.stored.get(&result) else {
                return Err(format!("{result}, which {} of {backend} reads, is stored in several pieces", node.name));
            };
            if !same_view(stored, &y) || !starts_at_zero(node) {
                let views = [stored, &y].map(|view| self.graph.tensor_text(view));
                return Err(format!(
                    "{} of {backend} reads {result} as {}, and it is stored as {}",
                    node.name, views[1], views[0]
                ));
            }
            ids.insert(id, *source);
            return Ok(());
        }
        let inputs = node.inputs.iter().map(|input| Input {
            name: input.name.clone(),
            from: input.from.and_then(|from| ids.get(&from).copied()),
            view: None,
        });
        let mut new = Node { inputs: inputs.collect(), y, ..node.clone() };
        let twin = |other: &Node| {
            (&other.node_type, &other.ir_attr, &other.inputs, &other.y)
                == (&new.node_type, &new.ir_attr, &new.inputs, &new.y)
        };
        // Two Stores are two, and what they write may differ.
        if new.node_type != "Store"
            && let Some(twin) = self.graph.nodes.iter().position(twin)
        {
            ids.insert(id, twin);
            return Ok(());
        }
        new.name = self.free(&node.name, backend);
        self.graph.nodes.push(new);
        ids.insert(id, self.graph.nodes.len() - 1);
        Ok(())
    }

    /// The end of a graph: a value of the group, an Output of it, or both.
    fn output(
        &mut self,
        backend: &str,
        node: &Node,
        (graph, from): (&Graph, Option<NodeId>),
        ids: &BTreeMap<NodeId, NodeId>,
    ) -> Result<(), String> {
        let (Some(store), Some(index)) = (from, node.index()) else { return Ok(()) };
        let Some(at) = ids.get(&store).copied() else { return Ok(()) };
        let name = format!("{backend}.y{index}");
        let stores = graph.of_type("Output").filter(|(_, other)| other.index() == Some(index)).count();
        let new = &self.graph.nodes[at];
        if let Some(source) = new.inputs.first().and_then(|input| input.from)
            && stores == 1
            && starts_at_zero(new)
        {
            let y = new.y.clone();
            self.stored.insert(name.clone(), (source, y));
        }
        // Without a place nobody outside has it.
        let Some(place) = self.outputs.iter().position(|output| *output == name) else { return Ok(()) };
        let inputs = vec![Input { name: "x".to_owned(), from: Some(at), view: None }];
        let ir_attr = BTreeMap::from([("index".to_owned(), AttrValue::Int(place as i64))]);
        let free = self.free(&node.name, backend);
        self.graph.nodes.push(Node { name: free, ir_attr, inputs, ..node.clone() });
        Ok(())
    }

    /// A tensor over all axes of the group.
    fn tensor(
        &self,
        backend: &str,
        graph: &Graph,
        node: &Node,
        axes: &BTreeMap<AxisId, AxisId>,
    ) -> Result<TensorAttr, String> {
        let mut y = TensorAttr { dtype: node.y.dtype, ..TensorAttr::default() };
        if node.y.axis.is_empty() {
            return Ok(y);
        }
        if node.y.axis != graph.sched.axis {
            return Err(format!("{} of {backend} has axes that are not those of its schedule", node.name));
        }
        for id in &self.graph.sched.axis {
            let own = node.y.axis.iter().position(|own| axes.get(own) == Some(id));
            y.axis.push(*id);
            y.size.push(own.map_or_else(|| Expr::from(1), |own| node.y.size[own].clone()));
            y.strides.push(own.map_or_else(|| Expr::from(0), |own| node.y.strides[own].clone()));
        }
        Ok(y)
    }
}

fn starts_at_zero(node: &Node) -> bool {
    !matches!(node.ir_attr.get("offset"), Some(AttrValue::Expr(offset)) if !offset.is(0))
}

/// An axis of size 1 takes no step.
fn same_view(a: &TensorAttr, b: &TensorAttr) -> bool {
    let all = |tensor: &TensorAttr| {
        let steps = tensor.size.iter().zip(&tensor.strides);
        steps
            .map(|(size, stride)| (size.clone(), if size.is(1) { 0.into() } else { stride.clone() }))
            .collect::<Vec<_>>()
    };
    a.dtype == b.dtype && all(a) == all(b)
}

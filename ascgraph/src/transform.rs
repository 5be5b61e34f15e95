//! Steps from the hint form to the impl form: split, merge, apply, reorder. Each is logged, and the log can be undone.

use std::collections::BTreeMap;

use crate::build::{create_axis, create_size_var};
use crate::expr::{Expr, Tri};
use crate::model::{AxisId, AxisType, Graph, GraphType, Input, Node, NodeId, SchedInfo, TensorAttr, TransInfo};

/// The type of a copy of a tile.
pub const COPY: &str = "Ub2ub";

/// Why a step is not legal, with the names of what it was asked for.
pub type Refused = String;

/// What a step changed, as it was before.
struct Step {
    axes: usize,
    size_vars: usize,
    road: usize,
    sched: SchedInfo,
    tensors: Vec<(NodeId, TensorAttr)>,
    nodes: usize,
    /// Operands that a step turned: node, which one, where it came from.
    turned: Vec<(NodeId, usize, Option<NodeId>)>,
}

/// A graph on its way.
pub struct Transform {
    graph: Graph,
    steps: Vec<Step>,
}

impl Transform {
    /// The hint graph becomes the first state of the impl graph.
    pub fn new(hint: &Graph) -> Transform {
        let mut graph = hint.clone();
        graph.graph_type = GraphType::Impl;
        Transform { graph, steps: Vec::new() }
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    pub fn into_graph(self) -> Graph {
        self.graph
    }

    pub(crate) fn begin(&mut self) {
        let graph = &self.graph;
        self.steps.push(Step {
            axes: graph.axis.len(),
            size_vars: graph.size_vars.len(),
            road: graph.trans_info_road.len(),
            sched: graph.sched.clone(),
            tensors: Vec::new(),
            nodes: graph.nodes.len(),
            turned: Vec::new(),
        });
    }

    pub(crate) fn tensor(&mut self, id: NodeId) -> &mut TensorAttr {
        let before = self.graph.nodes[id].y.clone();
        if let Some(step) = self.steps.last_mut() {
            step.tensors.push((id, before));
        }
        &mut self.graph.nodes[id].y
    }

    /// Takes the last step back; false when there is none.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.steps.pop() else { return false };
        for (id, before) in step.tensors.into_iter().rev() {
            self.graph.nodes[id].y = before;
        }
        for (id, which, before) in step.turned.into_iter().rev() {
            self.graph.nodes[id].inputs[which].from = before;
        }
        self.graph.nodes.truncate(step.nodes);
        self.graph.sched = step.sched;
        self.graph.axis.truncate(step.axes);
        self.graph.size_vars.truncate(step.size_vars);
        self.graph.trans_info_road.truncate(step.road);
        true
    }

    /// Takes all steps back: the hint graph.
    pub fn undo_all(mut self) -> Graph {
        while self.undo() {}
        self.graph.graph_type = GraphType::Hint;
        self.graph
    }

    /// An outermost loop of one iteration, for a graph that has none around what it does.
    pub fn unit_axis(&mut self) -> AxisId {
        self.begin();
        let graph = &mut self.graph;
        let mut name = "one".to_owned();
        while graph.axis.iter().any(|axis| axis.name == name) {
            name.push('_');
        }
        let id = create_axis(graph, &name, Expr::from(1), AxisType::Original);
        graph.sched.axis.insert(0, id);
        for node in 0..self.graph.nodes.len() {
            let end = ["Data", "Output", "Scalar", "IndexExpr"].contains(&self.graph.nodes[node].node_type.as_str());
            if !end && !self.graph.nodes[node].y.axis.is_empty() {
                let y = self.tensor(node);
                y.axis.insert(0, id);
                y.size.insert(0, Expr::from(1));
                y.strides.insert(0, Expr::from(0));
            }
        }
        id
    }

    /// A node between a reader and its operand that copies the operand's tile. Ids of other nodes stay.
    pub fn insert_copy(&mut self, reader: NodeId, which: usize) -> NodeId {
        self.begin();
        let id = self.graph.nodes.len();
        let from = self.graph.nodes[reader].inputs[which].from;
        let source = from.and_then(|from| self.graph.nodes.get(from));
        let y = source.map(|source| source.y.clone()).unwrap_or_default();
        let mut name = format!("{}_copy{which}", self.graph.nodes[reader].name);
        while self.graph.node(&name).is_some() {
            name.push('_');
        }
        let x = Input { name: "x".to_owned(), from, view: None };
        let (node_type, ir_attr) = (COPY.to_owned(), BTreeMap::new());
        self.graph.nodes.push(Node { name, node_type, ir_attr, inputs: vec![x], y });
        let input = &mut self.graph.nodes[reader].inputs[which];
        let before = input.from.replace(id);
        if let Some(step) = self.steps.last_mut() {
            step.turned.push((reader, which, before));
        }
        id
    }

    /// A node behind all others.
    pub fn insert(&mut self, node: Node) -> NodeId {
        self.begin();
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    /// The same node once more, with the same operands. Ids of other nodes stay.
    pub fn insert_again(&mut self, node: NodeId, pass: usize) -> NodeId {
        let mut again = self.graph.nodes[node].clone();
        again.name = format!("{}_pass{pass}", again.name);
        while self.graph.node(&again.name).is_some() {
            again.name.push('_');
        }
        self.insert(again)
    }

    /// Another operand for a reader.
    pub fn turn(&mut self, reader: NodeId, which: usize, from: NodeId) {
        self.begin();
        let before = self.graph.nodes[reader].inputs[which].from.replace(from);
        if let Some(step) = self.steps.last_mut() {
            step.turned.push((reader, which, before));
        }
    }

    fn split(&mut self, axis: AxisId, letters: [&str; 2], types: [AxisType; 2]) -> Result<(AxisId, AxisId), Refused> {
        let Some(parent) = self.graph.axis.get(axis).cloned() else {
            return Err(format!("the graph has no axis {axis}"));
        };
        self.begin();
        let [outer_letter, inner_letter] = letters;
        let graph = &mut self.graph;
        // An axis of size 1 has nothing to choose.
        let size_var = (!parent.size.is(1)).then_some(graph.size_vars.len());
        let inner_size = match size_var {
            Some(_) => create_size_var(graph, &format!("{}{inner_letter}_size", parent.name)),
            None => Expr::from(1),
        };
        let outer_size = parent.size.ceiling_div(&inner_size);
        let outer = create_axis(graph, &format!("{}{outer_letter}", parent.name), outer_size, types[0]);
        let inner = create_axis(graph, &format!("{}{inner_letter}", parent.name), inner_size, types[1]);
        for (id, peer) in [(outer, inner), (inner, outer)] {
            graph.axis[id].from = vec![axis];
            graph.axis[id].split_pair_other_id = Some(peer);
        }
        graph.trans_info_road.push(TransInfo::Split { parent: axis, outer, inner, size_var });
        Ok((outer, inner))
    }

    /// `z` into `zT` and `zt`.
    ///
    /// # Errors
    ///
    /// The graph has no such axis.
    pub fn tile_split(&mut self, axis: AxisId) -> Result<(AxisId, AxisId), Refused> {
        self.split(axis, ["T", "t"], [AxisType::TileOuter, AxisType::TileInner])
    }

    /// `z` into `zB` and `zb`.
    ///
    /// # Errors
    ///
    /// The graph has no such axis, or an axis of it is split into blocks already.
    pub fn block_split(&mut self, axis: AxisId) -> Result<(AxisId, AxisId), Refused> {
        if let Some(other) = self.graph.axis.iter().find(|axis| axis.axis_type == AxisType::BlockOuter) {
            return Err(format!("axis {} is split into blocks already", other.name));
        }
        self.split(axis, ["B", "b"], [AxisType::BlockOuter, AxisType::BlockInner])
    }

    /// Consecutive loops become one.
    ///
    /// # Errors
    ///
    /// `axes` are not two or more axes of the graph, or one of them does not follow the one before it in the schedule
    /// or is the inner half of a split whose halves were moved apart.
    pub fn merge_axis(&mut self, axes: &[AxisId]) -> Result<AxisId, Refused> {
        let names = self.graph.axis_names(axes);
        if axes.len() < 2 || axes.iter().any(|id| *id >= self.graph.axis.len()) {
            return Err(format!("[{names}]: two or more axes of the graph are expected"));
        }
        for pair in axes.windows(2) {
            if !self.follows(pair[0], pair[1]) {
                return Err(format!(
                    "[{names}]: {} does not follow {}",
                    self.graph.axis_name(pair[1]),
                    self.graph.axis_name(pair[0])
                ));
            }
        }
        self.begin();
        let graph = &mut self.graph;
        let name: String = axes.iter().map(|id| graph.axis[*id].name.as_str()).collect();
        let size = axes.iter().fold(Expr::from(1), |size, id| size.times(&graph.axis[*id].size));
        let merged = create_axis(graph, &name, size, AxisType::Merged);
        graph.axis[merged].from = axes.to_vec();
        graph.trans_info_road.push(TransInfo::Merge { from: axes.to_vec(), merged });
        Ok(merged)
    }

    /// May the two loops be one? They are neighbours in the schedule, or neighbours of its originals; an axis that was
    /// split and then moved away from its other half ends what it came from.
    fn follows(&self, first: AxisId, second: AxisId) -> bool {
        let sched = &self.graph.sched.axis;
        let place = |id: AxisId| sched.iter().position(|axis| *axis == id);
        let neighbours = matches!((place(first), place(second)), (Some(a), Some(b)) if a + 1 == b);
        let torn = |id: AxisId| {
            let Some(peer) = self.graph.axis[id].split_pair_other_id else { return false };
            // The inner half right behind the outer one is where the split put it.
            let (outer, inner) = if id < peer { (id, peer) } else { (peer, id) };
            !matches!((place(outer), place(inner)), (Some(a), Some(b)) if a + 1 == b)
                && place(outer).is_some()
                && place(inner).is_some()
        };
        let inner_half =
            |id: AxisId| matches!(self.graph.axis[id].axis_type, AxisType::TileInner | AxisType::BlockInner);
        neighbours && !(torn(second) && inner_half(second)) && !(torn(first) && inner_half(first))
    }

    /// In the schedule the parent gives way to its two halves.
    ///
    /// # Errors
    ///
    /// `outer` and `inner` are not the halves of one split, or their parent is not in the schedule.
    pub fn apply_sched_split(&mut self, outer: AxisId, inner: AxisId) -> Result<(), Refused> {
        let parent = self.parent(outer, inner)?;
        let Some(at) = self.graph.sched.axis.iter().position(|id| *id == parent) else {
            return Err(format!("{} is not in sched.axis", self.graph.axis_name(parent)));
        };
        self.begin();
        self.graph.sched.axis.splice(at..=at, [outer, inner]);
        Ok(())
    }

    /// So it does in a result: size r becomes [r / size, size], stride s [s * size, s]; where the size is 1, [1, 1] and
    /// [0, s]. A result without the parent stays.
    ///
    /// # Errors
    ///
    /// `outer` and `inner` are not the halves of one split.
    pub fn apply_tensor_split(&mut self, node: NodeId, outer: AxisId, inner: AxisId) -> Result<(), Refused> {
        let parent = self.parent(outer, inner)?;
        let by = self.graph.axis[inner].size.clone();
        let Some(at) = self.graph.nodes[node].y.axis.iter().position(|id| *id == parent) else { return Ok(()) };
        self.begin();
        let y = self.tensor(node);
        let (size, stride) = (y.size[at].clone(), y.strides[at].clone());
        let one = size.is(1);
        y.axis.splice(at..=at, [outer, inner]);
        let sizes = if one { [Expr::from(1), Expr::from(1)] } else { [size.quotient(&by), by.clone()] };
        let strides = if one { [Expr::from(0), stride] } else { [stride.times(&by), stride] };
        y.size.splice(at..=at, sizes);
        y.strides.splice(at..=at, strides);
        Ok(())
    }

    fn parent(&self, outer: AxisId, inner: AxisId) -> Result<AxisId, Refused> {
        let pair = [outer, inner].map(|id| self.graph.axis.get(id));
        match pair {
            [Some(a), Some(b)] if a.split_pair_other_id == Some(inner) && a.from == b.from && outer < inner => {
                Ok(a.from[0])
            }
            _ => Err(format!("[{}] are not the halves of one split", self.graph.axis_names(&[outer, inner]))),
        }
    }

    fn merged_from(&self, merged: AxisId) -> Result<Vec<AxisId>, Refused> {
        match self.graph.axis.get(merged) {
            Some(axis) if axis.axis_type == AxisType::Merged => Ok(axis.from.clone()),
            _ => Err(format!("{} is no merged axis", self.graph.axis_name(merged))),
        }
    }

    /// In the schedule the merged axis takes the place of the first of those it is made of.
    ///
    /// # Errors
    ///
    /// `merged` is no merged axis, or the schedule does not have its parts one after the other.
    pub fn apply_sched_merge(&mut self, merged: AxisId) -> Result<(), Refused> {
        let from = self.merged_from(merged)?;
        let Some(at) = find(&self.graph.sched.axis, &from) else {
            return Err(format!("[{}] is not all in sched.axis", self.graph.axis_names(&from)));
        };
        self.begin();
        self.graph.sched.axis.splice(at..at + from.len(), [merged]);
        Ok(())
    }

    /// Can a result be walked with one stride along the axes? Size 1 along all of them can.
    pub fn merges(&self, node: NodeId, from: &[AxisId]) -> bool {
        let y = &self.graph.nodes[node].y;
        let Some(at) = find(&y.axis, from) else { return false };
        let size = |at: usize| &y.size[at];
        let ones = (at..at + from.len()).all(|at| size(at).is(1) && y.strides[at].is(0));
        let whole = |at: usize| self.graph.axis[y.axis[at]].size.static_eq(size(at)) == Tri::True;
        ones || (at..at + from.len()).all(whole)
            && (at..at + from.len() - 1)
                .all(|at| y.strides[at].static_eq(&size(at + 1).times(&y.strides[at + 1])) == Tri::True)
    }

    /// In a result, too; only where it is provably one walk.
    ///
    /// # Errors
    ///
    /// `merged` is no merged axis, or the result cannot be walked with one stride along its parts.
    pub fn apply_tensor_merge(&mut self, node: NodeId, merged: AxisId) -> Result<(), Refused> {
        let from = self.merged_from(merged)?;
        if !self.merges(node, &from) {
            let (name, axes) = (&self.graph.nodes[node].name, self.graph.axis_names(&from));
            return Err(format!("{name}: [{axes}] cannot be walked with one stride"));
        }
        let Some(at) = find(&self.graph.nodes[node].y.axis, &from) else { return Ok(()) };
        self.begin();
        let y = self.tensor(node);
        let last = at + from.len() - 1;
        let size = y.size[at..=last].iter().fold(Expr::from(1), |all, size| all.times(size));
        let stride = y.strides[last].clone();
        y.axis.splice(at..=last, [merged]);
        y.size.splice(at..=last, [size]);
        y.strides.splice(at..=last, [stride]);
        Ok(())
    }

    /// The loops in another order.
    ///
    /// # Errors
    ///
    /// `order` is not made of the axes of the schedule, each once.
    pub fn apply_sched_reorder(&mut self, order: &[AxisId]) -> Result<(), Refused> {
        let sorted = |list: &[AxisId]| {
            let mut list = list.to_vec();
            list.sort_unstable();
            list
        };
        if sorted(order) != sorted(&self.graph.sched.axis) {
            let names = [order, &self.graph.sched.axis].map(|list| self.graph.axis_names(list));
            return Err(format!("[{}] is no order of [{}]", names[0], names[1]));
        }
        self.begin();
        self.graph.sched.axis = order.to_vec();
        Ok(())
    }

    /// Data in one call, from here on.
    pub fn set_loop_axis(&mut self, axis: AxisId) {
        self.begin();
        self.graph.sched.loop_axis = Some(axis);
    }

    /// What a buffer holds of a result.
    pub fn vectorize(&mut self, node: NodeId, axes: &[AxisId], strides: &[Expr]) {
        self.begin();
        let y = self.tensor(node);
        y.vectorized_axis = axes.to_vec();
        y.vectorized_strides = strides.to_vec();
    }
}

/// Where a list stands in another, in one piece.
fn find(list: &[AxisId], part: &[AxisId]) -> Option<usize> {
    list.windows(part.len()).position(|window| window == part)
}

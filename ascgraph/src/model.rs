//! Graphs as upstream describes them: the same fields in the hint form (what is computed) and the impl form (how). Field
//! names are upstream's; those that only the impl form sets say so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::dtype::DType;
use crate::expr::{Expr, list};

/// Position in `Graph::axis`.
pub type AxisId = usize;

/// Position in `Graph::nodes`.
pub type NodeId = usize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeVar {
    pub id: usize,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisType {
    Original,
    BlockOuter,
    BlockInner,
    TileOuter,
    TileInner,
    Merged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    pub id: AxisId,
    pub name: String,
    pub axis_type: AxisType,
    pub size: Expr,
    /// Impl: the axes that this one was split from or merged of.
    pub from: Vec<AxisId>,
    /// Impl: the other half of a split.
    pub split_pair_other_id: Option<AxisId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedInfo {
    /// From the outermost loop to the innermost.
    pub axis: Vec<AxisId>,
    /// Impl: the last axis that is a loop; those behind it are the data of one call.
    pub loop_axis: Option<AxisId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Gm,
    VecIn,
    VecOut,
    VecCalc,
}

/// Impl: where a tensor lives. A queue or a buffer by its id; GM has neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemAttr {
    pub tensor_id: usize,
    pub position: Position,
    pub que: Option<usize>,
    pub buf: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TensorAttr {
    pub dtype: Option<DType>,
    pub axis: Vec<AxisId>,
    pub size: Vec<Expr>,
    pub strides: Vec<Expr>,
    /// Impl: what the buffer holds.
    pub vectorized_axis: Vec<AxisId>,
    /// Impl.
    pub vectorized_strides: Vec<Expr>,
    /// Impl.
    pub mem: Option<MemAttr>,
}

/// Attributes that belong to the AscIR of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrValue {
    Int(i64),
    Text(String),
    Expr(Expr),
}

impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttrValue::Int(value) => value.fmt(f),
            AttrValue::Text(text) => write!(f, "'{text}'"),
            AttrValue::Expr(expr) => expr.fmt(f),
        }
    }
}

/// One operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    /// The node whose result it is.
    pub from: Option<NodeId>,
    /// What this end of the edge says of the tensor, where the file says it.
    pub view: Option<TensorAttr>,
}

/// An instance of an AscIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub node_type: String,
    pub ir_attr: BTreeMap<String, AttrValue>,
    pub inputs: Vec<Input>,
    pub y: TensorAttr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphType {
    Hint,
    Impl,
}

impl GraphType {
    pub fn name(self) -> &'static str {
        match self {
            GraphType::Hint => "HintGraph",
            GraphType::Impl => "ImplGraph",
        }
    }
}

/// One step from the hint form to the impl form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransInfo {
    Split { parent: AxisId, outer: AxisId, inner: AxisId, size_var: Option<usize> },
    Merge { from: Vec<AxisId>, merged: AxisId },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    pub name: String,
    pub graph_type: GraphType,
    pub size_vars: Vec<SizeVar>,
    pub axis: Vec<Axis>,
    pub sched: SchedInfo,
    pub nodes: Vec<Node>,
    /// Impl.
    pub tiling_key: Option<u32>,
    /// Impl: how the axes came to be, in order.
    pub trans_info_road: Vec<TransInfo>,
}

/// A node of a fused graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FusedNode {
    Data {
        name: String,
        index: i64,
    },
    /// A graph, its inputs in the order of the indices of its Data.
    AscBackend {
        name: String,
        graph: usize,
        inputs: Vec<String>,
    },
    /// `input` is `<node>.y<k>` of an AscBackend.
    Output {
        name: String,
        index: i64,
        input: String,
    },
}

/// What becomes one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusedGraph {
    pub name: String,
    pub graphs: Vec<Graph>,
    pub nodes: Vec<FusedNode>,
}

impl Graph {
    pub fn new(name: &str) -> Graph {
        Graph {
            name: name.to_owned(),
            graph_type: GraphType::Hint,
            size_vars: Vec::new(),
            axis: Vec::new(),
            sched: SchedInfo::default(),
            nodes: Vec::new(),
            tiling_key: None,
            trans_info_road: Vec::new(),
        }
    }

    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.name == name)
    }

    pub fn of_type<'a>(&'a self, node_type: &'a str) -> impl Iterator<Item = (NodeId, &'a Node)> {
        self.nodes.iter().enumerate().filter(move |(_, node)| node.node_type == node_type)
    }

    pub fn axis_name(&self, id: AxisId) -> &str {
        self.axis.get(id).map_or("?", |axis| &axis.name)
    }

    pub fn axis_names(&self, ids: &[AxisId]) -> String {
        ids.iter().map(|id| self.axis_name(*id)).collect::<Vec<_>>().join(", ")
    }

    /// `float32 [z0, z1] size [s0, s1] strides [s1, 1]`.
    pub fn tensor_text(&self, tensor: &TensorAttr) -> String {
        let dtype = tensor.dtype.map_or("?", |dtype| dtype.name());
        if tensor.axis.is_empty() && tensor.size.is_empty() {
            return dtype.to_owned();
        }
        let (axis, size, strides) = (self.axis_names(&tensor.axis), list(&tensor.size), list(&tensor.strides));
        format!("{dtype} [{axis}] size [{size}] strides [{strides}]")
    }

    /// Who reads a node's result, once per operand.
    pub fn consumers(&self, id: NodeId) -> Vec<NodeId> {
        let reads = |node: &Node| node.inputs.iter().filter(|input| input.from == Some(id)).count();
        self.nodes.iter().enumerate().flat_map(|(at, node)| vec![at; reads(node)]).collect()
    }

    /// An order in which every node comes behind its operands, the file's order where that is free. The nodes of a
    /// cycle are missing.
    pub fn topological(&self) -> Vec<NodeId> {
        let mut done = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        loop {
            let before = order.len();
            for (id, node) in self.nodes.iter().enumerate() {
                let ready = |input: &Input| input.from.is_none_or(|from| done.get(from).copied().unwrap_or(true));
                if !done[id] && node.inputs.iter().all(ready) {
                    done[id] = true;
                    order.push(id);
                }
            }
            if order.len() == before {
                return order;
            }
        }
    }

    /// The nodes whose results a node needs, also through others.
    pub fn needs(&self, id: NodeId) -> BTreeSet<NodeId> {
        let mut needs = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let operands = self.nodes.get(id).into_iter().flat_map(|node| &node.inputs).filter_map(|input| input.from);
            open.extend(operands.filter(|operand| needs.insert(*operand)));
        }
        needs
    }

    /// The nodes that an Output needs.
    pub fn alive(&self) -> Vec<bool> {
        let mut alive = vec![false; self.nodes.len()];
        let mut open: Vec<NodeId> = self.of_type("Output").map(|(id, _)| id).collect();
        while let Some(id) = open.pop() {
            if let Some(slot) = alive.get_mut(id)
                && !*slot
            {
                *slot = true;
                open.extend(self.nodes[id].inputs.iter().filter_map(|input| input.from));
            }
        }
        alive
    }

    /// Data and Output with everything on their edges: no pass may change what this says.
    pub fn ends(&self) -> Vec<String> {
        let shown = |node: &Node| {
            let froms: Vec<&str> =
                node.inputs.iter().map(|i| i.from.map_or("", |from| self.nodes[from].name.as_str())).collect();
            format!("{} {} {:?} {:?} {froms:?}", node.node_type, node.name, node.ir_attr, node.y)
        };
        let end = |node: &&Node| ["Data", "Output"].contains(&node.node_type.as_str());
        self.nodes.iter().filter(end).map(shown).collect()
    }

    /// The expression of an IndexExpr, and of what repeats one, or converts one to a float: a number that a tile has everywhere.
    pub fn size_of(&self, id: NodeId) -> Option<&Expr> {
        let mut node = self.nodes.get(id)?;
        if node.node_type == "Cast" {
            node.y.dtype.filter(|dtype| dtype.is_float())?;
            node = self.nodes.get(node.inputs.first()?.from?)?;
            node.y.dtype.filter(|dtype| !dtype.is_float())?;
        }
        // A graph that goes in circles ends, too.
        for _ in 0..self.nodes.len() {
            match (node.node_type.as_str(), node.ir_attr.get("expr")) {
                ("IndexExpr", Some(AttrValue::Expr(expr))) => return Some(expr),
                ("Broadcast", _) => node = self.nodes.get(node.inputs.first()?.from?)?,
                _ => return None,
            }
        }
        None
    }
}

impl Node {
    pub fn index(&self) -> Option<i64> {
        self.int("index")
    }

    /// An attribute that is an integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.ir_attr.get(name) {
            Some(AttrValue::Int(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

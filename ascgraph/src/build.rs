//! The builder, under upstream's names in Rust's spelling: `CreateSizeVar` is `create_size_var`, `CreateAxis`
//! `create_axis`. Mistakes are for the check to find; only handles of another graph are a bug of the caller.

use std::collections::BTreeMap;

use crate::dtype::DType;
use crate::expr::Expr;
use crate::infer::infer_dtypes;
use crate::ir::{self, Inputs};
use crate::model::{
    AttrValue, Axis, AxisId, AxisType, FusedGraph, FusedNode, Graph, Input, Node, NodeId, SizeVar, TensorAttr,
};

mod rows;

pub use rows::Rows;

/// The shape of a result: axes, sizes, strides.
#[derive(Clone, Debug)]
pub struct View {
    pub axis: Vec<AxisId>,
    pub size: Vec<Expr>,
    pub strides: Vec<Expr>,
}

pub struct Builder {
    graph: Graph,
}

impl Builder {
    /// A hint graph.
    pub fn new(name: &str) -> Builder {
        Builder { graph: Graph::new(name) }
    }

    pub fn create_size_var(&mut self, name: &str) -> Expr {
        create_size_var(&mut self.graph, name)
    }

    pub fn create_axis(&mut self, name: &str, size: impl Into<Expr>) -> AxisId {
        create_axis(&mut self.graph, name, size.into(), AxisType::Original)
    }

    /// The loops, from the outermost to the innermost.
    pub fn sched_axis(&mut self, axis: &[AxisId]) {
        self.graph.sched.axis = axis.to_vec();
    }

    /// All of the axes, dense.
    pub fn contiguous(&self, axis: &[AxisId]) -> View {
        let size: Vec<Expr> = axis.iter().map(|id| self.graph.axis[*id].size.clone()).collect();
        let strides = contiguous_strides(&size);
        View { axis: axis.to_vec(), size, strides }
    }

    /// As [`Builder::contiguous`], with size 1 and stride 0 along some of the axes.
    pub fn broadcast_along(&self, axis: &[AxisId], ones: &[AxisId]) -> View {
        let size: Vec<Expr> = axis
            .iter()
            .map(|id| if ones.contains(id) { Expr::from(1) } else { self.graph.axis[*id].size.clone() })
            .collect();
        let strides = contiguous_strides(&size);
        View { axis: axis.to_vec(), size, strides }
    }

    pub fn node(&mut self, node_type: &str, name: &str, inputs: &[NodeId], view: Option<&View>) -> NodeId {
        let ir = ir::find(node_type);
        let port = |at: usize| ir.and_then(|ir| ir.input(at)).map_or_else(|| format!("x{}", at + 1), str::to_owned);
        let list = ir.is_some_and(|ir| matches!(ir.inputs, Inputs::List(_)));
        let inputs = inputs.iter().enumerate().map(|(at, from)| Input {
            name: if list { port(0) } else { port(at) },
            from: Some(*from),
            view: None,
        });
        let y = view.map_or_else(TensorAttr::default, |view| TensorAttr {
            axis: view.axis.clone(),
            size: view.size.clone(),
            strides: view.strides.clone(),
            ..TensorAttr::default()
        });
        self.graph.nodes.push(Node {
            name: name.to_owned(),
            node_type: node_type.to_owned(),
            ir_attr: BTreeMap::new(),
            inputs: inputs.collect(),
            y,
        });
        self.graph.nodes.len() - 1
    }

    pub fn attr(&mut self, node: NodeId, name: &str, value: AttrValue) {
        self.graph.nodes[node].ir_attr.insert(name.to_owned(), value);
    }

    pub fn dtype(&mut self, node: NodeId, dtype: DType) {
        self.graph.nodes[node].y.dtype = Some(dtype);
    }

    pub fn data(&mut self, name: &str, index: i64, dtype: DType) -> NodeId {
        let id = self.node("Data", name, &[], None);
        self.attr(id, "index", AttrValue::Int(index));
        self.dtype(id, dtype);
        id
    }

    pub fn scalar(&mut self, name: &str, value: &str, dtype: DType) -> NodeId {
        let id = self.node("Scalar", name, &[], None);
        self.attr(id, "value", AttrValue::Text(value.to_owned()));
        self.dtype(id, dtype);
        id
    }

    /// A size as a number.
    pub fn size(&mut self, name: &str, size: Expr, dtype: DType) -> NodeId {
        let id = self.node("IndexExpr", name, &[], None);
        self.attr(id, "expr", AttrValue::Expr(size));
        self.dtype(id, dtype);
        id
    }

    pub fn load(&mut self, name: &str, data: NodeId, view: &View) -> NodeId {
        let id = self.node("Load", name, &[data], Some(view));
        self.attr(id, "offset", AttrValue::Expr(Expr::from(0)));
        id
    }

    pub fn cast(&mut self, name: &str, x: NodeId, dtype: DType, view: &View) -> NodeId {
        let id = self.node("Cast", name, &[x], Some(view));
        self.dtype(id, dtype);
        id
    }

    pub fn store(&mut self, name: &str, x: NodeId, view: &View) -> NodeId {
        let id = self.node("Store", name, &[x], Some(view));
        self.attr(id, "offset", AttrValue::Expr(Expr::from(0)));
        id
    }

    pub fn output(&mut self, name: &str, index: i64, store: NodeId, dtype: DType) -> NodeId {
        let id = self.node("Output", name, &[store], None);
        self.attr(id, "index", AttrValue::Int(index));
        self.dtype(id, dtype);
        id
    }

    /// The graph, with the data types that its operands imply.
    pub fn graph(mut self) -> Graph {
        infer_dtypes(&mut self.graph);
        self.graph
    }
}

/// Row-major; an axis of size 1 has the stride 0.
pub fn contiguous_strides(size: &[Expr]) -> Vec<Expr> {
    let mut strides = vec![Expr::from(0); size.len()];
    let mut step = Expr::from(1);
    for (at, size) in size.iter().enumerate().rev() {
        if !size.is(1) {
            strides[at] = step.clone();
            step = step.times(size);
        }
    }
    strides
}

pub(crate) fn create_size_var(graph: &mut Graph, name: &str) -> Expr {
    graph.size_vars.push(SizeVar { id: graph.size_vars.len(), name: name.to_owned() });
    Expr::symbol(name)
}

pub(crate) fn create_axis(graph: &mut Graph, name: &str, size: Expr, axis_type: AxisType) -> AxisId {
    let id = graph.axis.len();
    let name = name.to_owned();
    graph.axis.push(Axis { id, name, axis_type, size, from: Vec::new(), split_pair_other_id: None });
    id
}

/// A fused graph with one AscBackend around this graph.
pub fn fused(name: &str, graph: Graph) -> FusedGraph {
    let indices = |node_type: &str| {
        let mut all: Vec<i64> =
            graph.nodes.iter().filter(|node| node.node_type == node_type).filter_map(Node::index).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (ins, outs) = (indices("Data"), indices("Output"));
    let mut nodes: Vec<FusedNode> =
        ins.iter().map(|index| FusedNode::Data { name: format!("input{index}"), index: *index }).collect();
    let inputs = ins.iter().map(|index| format!("input{index}")).collect();
    nodes.push(FusedNode::AscBackend { name: "graph".to_owned(), graph: 0, inputs });
    nodes.extend(outs.iter().map(|index| FusedNode::Output {
        name: format!("output{index}"),
        index: *index,
        input: format!("graph.y{index}"),
    }));
    FusedGraph { name: name.to_owned(), graphs: vec![graph], nodes }
}

/// The example of the documentation: `x - trunc(x / y) * y`, with y repeated along the first of two axes.
pub fn fmod_example() -> FusedGraph {
    let mut b = Builder::new("fmod");
    let (s0, s1) = (b.create_size_var("s0"), b.create_size_var("s1"));
    let (z0, z1) = (b.create_axis("z0", s0), b.create_axis("z1", s1));
    b.sched_axis(&[z0, z1]);
    let (all, row) = (b.contiguous(&[z0, z1]), b.broadcast_along(&[z0, z1], &[z0]));
    let x = b.data("x", 0, DType::Float32);
    let y = b.data("y", 1, DType::Float32);
    let load_x = b.load("load_x", x, &all);
    let load_y = b.load("load_y", y, &row);
    let brc_y = b.node("Broadcast", "brc_y", &[load_y], Some(&all));
    let div = b.node("Div", "div", &[load_x, brc_y], Some(&all));
    let trunc = b.node("Trunc", "trunc", &[div], Some(&all));
    let mul = b.node("Mul", "mul", &[trunc, brc_y], Some(&all));
    let sub = b.node("Sub", "sub", &[load_x, mul], Some(&all));
    let store = b.store("store", sub, &all);
    b.output("out", 0, store, DType::Float32);
    fused("fmod", b.graph())
}

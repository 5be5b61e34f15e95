//! Graphs over rows and columns, computed in float.

use super::{Builder, View, fused};
use crate::dtype::DType;
use crate::model::{AxisId, FusedGraph, NodeId};

/// Rows of s1 elements; one element for each, and one row for all.
pub struct Rows {
    pub b: Builder,
    pub all: View,
    pub narrow: View,
    pub row: View,
}

impl Rows {
    /// `name` is that of the inner graph.
    pub fn new(name: &str) -> Rows {
        let mut b = Builder::new(name);
        let (s0, s1) = (b.create_size_var("s0"), b.create_size_var("s1"));
        let axes: [AxisId; 2] = [b.create_axis("z0", s0), b.create_axis("z1", s1)];
        b.sched_axis(&axes);
        let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
        let row = b.broadcast_along(&axes, &axes[..1]);
        Rows { b, all, narrow, row }
    }

    /// Of `dtype`, computed in float.
    pub fn load(&mut self, index: i64, dtype: DType, view: &View) -> NodeId {
        let data = self.b.data(&format!("x{index}"), index, dtype);
        let load = self.b.load(&format!("load{index}"), data, view);
        if dtype == DType::Float32 {
            return load;
        }
        self.b.cast(&format!("float{index}"), load, DType::Float32, view)
    }

    /// Rounded to `dtype`.
    pub fn store(&mut self, index: i64, node: NodeId, dtype: DType, view: &View) {
        let mut last = node;
        if dtype != DType::Float32 {
            last = self.b.cast(&format!("back{index}"), node, dtype, view);
        }
        let store = self.b.store(&format!("store{index}"), last, view);
        self.b.output(&format!("out{index}"), index, store, dtype);
    }

    /// A node of rows by columns.
    pub fn wide(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let all = self.all.clone();
        self.b.node(node_type, name, from, Some(&all))
    }

    /// A node with one element for each row.
    pub fn once(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let narrow = self.narrow.clone();
        self.b.node(node_type, name, from, Some(&narrow))
    }

    /// The graph in a FusedAscBackend.
    pub fn done(self, name: &str) -> FusedGraph {
        fused(name, self.b.graph())
    }
}

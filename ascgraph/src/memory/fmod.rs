//! Work memory of `Fmod`: a kernel computes it by the compute classes of the operator in this repository, which have
//! memory of their own. `codegen` asserts these numbers in the generated kernel.

use std::collections::BTreeSet;

use crate::dtype::DType::{self, Float32};
use crate::ir;
use crate::model::{Graph, NodeId};
use crate::schedule::{Role, Scheduled};

/// Elements that the work memory of the exact classes has at least: their long division takes thirteen parts of it, each
/// of a repeat or more. A kernel whose tiles have fewer has room for them: nothing else of it is long, either.
pub const LEAST_TILE: usize = 256;

/// `FMOD_FIXED_BYTES`: beside the work memory of each element. The generated kernel asserts it.
pub const FIXED_BYTES: usize = 3328;

/// A compute class of the operator. A kernel has one object of each, which all of its Fmod nodes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    pub dtype: DType,
    pub exact: bool,
    /// Somebody reads the divisor again, or it is the dividend, too; the class of float may write into it otherwise.
    pub keeps_divisor: bool,
}

/// Those of a schedule; `lives` as [`super::Memory::lives`].
pub fn classes(s: &Scheduled, lives: &[Option<(usize, usize)>]) -> Vec<Class> {
    let mut all = BTreeSet::new();
    let nodes = || s.order.iter().copied().filter(|id| is_fmod(s, *id));
    for id in nodes() {
        let (dtype, exact) = kind(&s.graph, id);
        let alike = |other: &NodeId| kind(&s.graph, *other) == (dtype, exact);
        let keeps_divisor = dtype == Float32 && nodes().filter(alike).any(|id| keeps(s, lives, id));
        all.insert(Class { dtype, exact, keeps_divisor });
    }
    all.into_iter().collect()
}

fn is_fmod(s: &Scheduled, id: NodeId) -> bool {
    s.roles[id] == Role::Compute && s.graph.nodes[id].node_type == "Fmod"
}

fn kind(graph: &Graph, id: NodeId) -> (DType, bool) {
    let node = &graph.nodes[id];
    (node.y.dtype.unwrap_or(Float32), ir::is_exact(node))
}

fn keeps(s: &Scheduled, lives: &[Option<(usize, usize)>], id: NodeId) -> bool {
    let root = |at: usize| s.graph.nodes[id].inputs.get(at).and_then(|input| input.from).map(|from| s.root(from));
    let (Some(x1), Some(x2)) = (root(0), root(1)) else { return true };
    let begin = lives[id].map(|life| life.0);
    x1 == x2 || s.roles[x2] == Role::Constant || lives[x2].map(|life| life.1) != begin
}

/// Whether the divisor's tile has other values behind the node than before.
pub fn spoils_divisor(classes: &[Class], graph: &Graph, id: NodeId) -> bool {
    let (dtype, exact) = kind(graph, id);
    dtype == Float32
        && graph.nodes[id].node_type == "Fmod"
        && classes.contains(&Class { dtype, exact, keeps_divisor: false })
}

impl Class {
    /// The one that computes a node.
    pub fn find(classes: &[Class], graph: &Graph, id: NodeId) -> Option<Class> {
        let (dtype, exact) = kind(graph, id);
        classes.iter().copied().find(|class| (class.dtype, class.exact) == (dtype, exact))
    }

    /// `FmodWorkOf`, and a copy of the divisor: bytes of unified buffer for an element of a tile.
    pub fn bytes_per_element(self) -> usize {
        self.work() + if self.copies_divisor() { 4 } else { 0 }
    }

    pub fn work(self) -> usize {
        match (self.dtype, self.exact) {
            (Float32, false) => usize::from(self.keeps_divisor) * 4,
            (Float32, true) => 16,
            _ => 12,
        }
    }

    pub fn copies_divisor(self) -> bool {
        self.exact && self.keeps_divisor
    }

    /// The third parameter of `FmodWorkOf`.
    pub fn is_rows(self) -> bool {
        self.keeps_divisor && !self.exact
    }
}

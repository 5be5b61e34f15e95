//! Data types that a program does not write: `infer_dtypes` of the builder.

use crate::dtype::DType;
use crate::ir;
use crate::model::Graph;

/// Every node that has no type gets the one that its operands leave no choice about. What stays without one is a
/// finding of the check.
pub fn infer_dtypes(graph: &mut Graph) {
    for id in graph.topological() {
        let node = &graph.nodes[id];
        let Some(ir) = ir::find(&node.node_type).filter(|_| node.y.dtype.is_none()) else { continue };
        let operands: Option<Vec<DType>> =
            node.inputs.iter().map(|input| graph.nodes.get(input.from?)?.y.dtype).collect();
        // A size is repeated whatever its type: no instruction does it.
        let is_size = node.node_type == "Broadcast" && graph.size_of(id).is_some();
        let result =
            operands.and_then(|operands| if is_size { operands.first().copied() } else { ir.result(&operands) });
        graph.nodes[id].y.dtype = result;
    }
}

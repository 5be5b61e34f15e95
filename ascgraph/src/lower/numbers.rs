//! Operands that are one number everywhere, where an instruction takes it as a number instead of a tile.

use crate::dtype::DType::{self, Float16, Float32, Int16, Int32};
use crate::literal;
use crate::model::{AttrValue, Graph, Node, NodeId};
use crate::value;

/// A node of two operands as an instruction of one tile and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Which of the operands is the number.
    pub operand: usize,
    /// What the instruction takes: of a Sub the negative.
    pub bits: u64,
    /// The interface of Ascend C, and the AscIR type that computes the same of the tile and the number.
    pub name: &'static str,
    pub computes: &'static str,
}

/// AscIR type, interface with a number, what that computes.
const CALLS: [(&str, &str, &str); 5] = [
    ("Add", "Adds", "Add"),
    ("Sub", "Adds", "Add"),
    ("Mul", "Muls", "Mul"),
    ("Maximum", "Maxs", "Maximum"),
    ("Minimum", "Mins", "Minimum"),
];

/// `None` where a node takes tiles only. The order of operands changes no bits but of a Sub, where only the last one may be
/// the number: x - c and x + -c are the same.
pub fn of(node: &Node, graph: &Graph) -> Option<Number> {
    let (_, name, computes) = CALLS.iter().find(|call| call.0 == node.node_type)?;
    let dtype = node.y.dtype.filter(|dtype| [Int16, Int32, Float16, Float32].contains(dtype))?;
    let [first, last] = node.inputs.as_slice() else { return None };
    let number = |from: Option<NodeId>| number(graph, from?, dtype);
    let is_sub = node.node_type == "Sub";
    let (operand, bits) = match number(last.from) {
        Some(bits) => (1, bits),
        None if is_sub => return None,
        None => (0, number(first.from)?),
    };
    let bits = if is_sub { negative(bits, dtype)? } else { bits };
    Some(Number { operand, bits, name, computes })
}

/// A Scalar, repeated or not, whose value C++ has a literal for.
fn number(graph: &Graph, from: NodeId, dtype: DType) -> Option<u64> {
    let repeated = |id: &NodeId| {
        let node = graph.nodes.get(*id).filter(|node| node.node_type == "Broadcast")?;
        node.inputs.first()?.from
    };
    // A graph that goes in circles ends, too.
    let ids = std::iter::successors(Some(from), repeated).take(graph.nodes.len() + 1);
    let node = graph.nodes.get(ids.last()?)?;
    if node.node_type != "Scalar" || node.y.dtype != Some(dtype) {
        return None;
    }
    let Some(AttrValue::Text(text)) = node.ir_attr.get("value") else { return None };
    literal::bits(text, dtype).filter(|bits| !dtype.is_float() || value::to_f32(*bits, dtype).is_finite())
}

/// `None` for the smallest integer, which has none.
fn negative(bits: u64, dtype: DType) -> Option<u64> {
    let sign = 1 << (8 * dtype.size() - 1);
    if dtype.is_float() {
        return Some(bits ^ sign);
    }
    (bits != sign).then(|| bits.wrapping_neg() & (sign << 1).wrapping_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negatives() {
        assert_eq!(negative(1, Int16), Some(0xffff));
        assert_eq!(negative(0xffff_fffe, Int32), Some(2));
        assert_eq!(negative(0, Int32), Some(0));
        assert_eq!([negative(0x8000, Int16), negative(0x8000_0000, Int32)], [None; 2]);
        assert_eq!(negative(0, Float32), Some(0x8000_0000));
        assert_eq!(negative(0xbc00, Float16), Some(0x3c00));
    }
}

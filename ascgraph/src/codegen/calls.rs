//! Which instructions a node becomes. What is not in these tables is refused by name.

use std::collections::BTreeMap;

use crate::dtype::DType::{self, BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8};
use crate::ir::{AscIr, Inputs};
use crate::model::{Graph, Input, Node, TensorAttr};

const FLOATS: &[DType] = &[Float16, Float32];
const ARITHMETIC: &[DType] = &[Int16, Int32, Float16, Float32];

/// AscIR type, interface of Ascend C with the operands in their order, data types. The interface's page lists them for
/// Atlas A2.
const CALLS: &[(&str, &str, &[DType])] = &[
    ("Abs", "Abs", FLOATS),
    ("Relu", "Relu", &[Int32, Float16, Float32]),
    ("Exp", "Exp", FLOATS),
    ("Ln", "Ln", FLOATS),
    ("Sqrt", "Sqrt", FLOATS),
    ("Add", "Add", ARITHMETIC),
    ("Sub", "Sub", ARITHMETIC),
    ("Mul", "Mul", ARITHMETIC),
    ("Div", "Div", FLOATS),
    ("TrueDiv", "Div", FLOATS),
    ("Maximum", "Max", ARITHMETIC),
    ("Minimum", "Min", ARITHMETIC),
];

/// Conversions of one instruction, with the rounding that the graph's Cast means.
const CASTS: &[(DType, DType, &str)] = &[
    (Float32, Float16, "RINT"),
    (Float32, BFloat16, "RINT"),
    (Float32, Int16, "TRUNC"),
    (Float32, Int32, "TRUNC"),
    (Float32, Int64, "TRUNC"),
    (Float16, Float32, "NONE"),
    (Float16, Int8, "TRUNC"),
    (Float16, UInt8, "TRUNC"),
    (Float16, Int16, "TRUNC"),
    (Float16, Int32, "TRUNC"),
    (UInt8, Float16, "NONE"),
    (Int8, Float16, "NONE"),
    (Int16, Float16, "NONE"),
    (Int16, Float32, "NONE"),
    (Int32, Float32, "NONE"),
    (Int32, Int16, "NONE"),
    (Int32, Int64, "NONE"),
    (Int64, Int32, "NONE"),
    (BFloat16, Float32, "NONE"),
    (BFloat16, Int32, "TRUNC"),
];

/// What Duplicate writes on Atlas A2.
pub fn is_repeated(dtype: DType) -> bool {
    use DType::{UInt16, UInt32};
    [Float16, BFloat16, Int16, UInt16, Int32, UInt32, Float32].contains(&dtype)
}

fn operand_type(node: &Node, graph: &Graph) -> Option<DType> {
    graph.nodes.get(node.inputs.first()?.from?)?.y.dtype
}

/// Is there code for the node?
pub fn is_known(node: &Node, graph: &Graph) -> bool {
    let names = vec![String::new(); node.inputs.len()];
    code(node, graph, "", &names).is_some()
}

/// Statements that write the node's tile `to`; `length` elements.
pub fn code(node: &Node, graph: &Graph, to: &str, from: &[String]) -> Option<Vec<String>> {
    let (source, result) = (operand_type(node, graph)?, node.y.dtype?);
    let operands = from.join(", ");
    if node.node_type == "Cast" {
        let (_, _, mode) = CASTS.iter().find(|cast| (cast.0, cast.1) == (source, result))?;
        return Some(vec![format!("AscendC::Cast({to}, {operands}, AscendC::RoundMode::CAST_{mode}, length);")]);
    }
    if source != result {
        return None;
    }
    match node.node_type.as_str() {
        "Neg" if ARITHMETIC.contains(&source) => {
            Some(vec![format!("AscendC::Muls({to}, {operands}, static_cast<{}>(-1), length);", source.cpp())])
        }
        // Towards zero: the conversion that keeps the type.
        "Trunc" if source == Float32 => {
            Some(vec![format!("AscendC::Cast({to}, {operands}, AscendC::RoundMode::CAST_TRUNC, length);")])
        }
        // The four instructions of the remainder that TBE computes.
        "Fmod" if source == Float32 => {
            let [x1, x2] = from else { return None };
            Some(vec![
                format!("AscendC::Div({to}, {x1}, {x2}, length);"),
                format!("AscendC::Cast({to}, {to}, AscendC::RoundMode::CAST_TRUNC, length);"),
                format!("AscendC::Mul({to}, {to}, {x2}, length);"),
                format!("AscendC::Sub({to}, {x1}, {to}, length);"),
            ])
        }
        name => {
            let (_, call, _) = CALLS.iter().find(|call| call.0 == name && call.2.contains(&source))?;
            Some(vec![format!("AscendC::{call}({to}, {operands}, length);")])
        }
    }
}

/// The data types of an element-wise type for which there is code: of the operands, or `from → to`.
pub fn dtypes(ir: &AscIr) -> Vec<String> {
    let mut all = Vec::new();
    for (from, to) in ir.rows() {
        let mut graph = Graph::new("");
        let node = |node_type: &str, inputs: Vec<Input>, dtype: DType| Node {
            name: String::new(),
            node_type: node_type.to_owned(),
            ir_attr: BTreeMap::new(),
            inputs,
            y: TensorAttr { dtype: Some(dtype), ..TensorAttr::default() },
        };
        graph.nodes.push(node("Data", Vec::new(), from));
        let Inputs::Named(names) = ir.inputs else { return all };
        let inputs = names.iter().map(|name| Input { name: (*name).to_owned(), from: Some(0), view: None }).collect();
        let known = is_known(&node(ir.name, inputs, to), &graph);
        // A Cast that keeps the type is nothing at all.
        if known || ir.name == "Cast" && from == to {
            all.push(if ir.name == "Cast" { format!("{from} → {to}") } else { from.name().to_owned() });
        }
    }
    all
}

/// A value as C++ writes it exactly; `None` for what has no literal.
pub fn literal(bits: u64, dtype: DType) -> Option<String> {
    if dtype.is_float() {
        let value = crate::value::to_f32(bits, dtype);
        return value.is_finite().then(|| match dtype {
            Float32 => hex(value),
            other => format!("static_cast<{}>({})", other.cpp(), hex(value)),
        });
    }
    Some(format!("static_cast<{}>({})", dtype.cpp(), crate::value::to_int(bits, dtype)))
}

/// `-0x1.8p1f`: no rounding on the way.
fn hex(value: f32) -> String {
    let bits = value.to_bits();
    let sign = if bits >> 31 == 1 { "-" } else { "" };
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
    if exponent == 0 {
        return if fraction == 0 { format!("{sign}0.0f") } else { format!("{sign}0x{fraction:x}p-149f") };
    }
    let digits = format!("{:06x}", fraction << 1);
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{digits}p{}f", exponent - 127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(literal(bits(1.5), Float32).as_deref(), Some("0x1.8p0f"));
        assert_eq!(literal(bits(-2.0), Float32).as_deref(), Some("-0x1p1f"));
        assert_eq!(literal(bits(1e-5), Float32).as_deref(), Some("0x1.4f8b58p-17f"));
        assert_eq!(literal(bits(f32::from_bits(3)), Float32).as_deref(), Some("0x3p-149f"));
        assert_eq!(literal(bits(0.0), Float32).as_deref(), Some("0.0f"));
        assert_eq!(literal(0x3e00, Float16).as_deref(), Some("static_cast<half>(0x1.8p0f)"));
        assert_eq!(literal(0xffff, Int16).as_deref(), Some("static_cast<int16_t>(-1)"));
        assert_eq!(literal(bits(f32::INFINITY), Float32), None);
    }
}

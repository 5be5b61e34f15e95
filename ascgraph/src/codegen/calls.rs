//! Which instructions a node becomes. What is not in these tables is refused by name.

use std::collections::{BTreeMap, BTreeSet};

use super::{fmod, helpers, instructions};
use crate::dtype::DType::{self, BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8};
use crate::ir::{AscIr, ComputeType, Dtypes, Inputs};
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

/// Comparisons: of floats by a mode of Compare, of int32 by whether x1 is the larger or the smaller of both; and whether
/// the answer is turned. A NaN is unequal to everything, which Compare does not say of NE.
type Compared = (&'static str, bool);
const COMPARED: &[(&str, Compared, Compared)] = &[
    ("Eq", ("EQ", false), ("NONE", false)),
    ("Ne", ("EQ", true), ("NONE", true)),
    ("Ge", ("GE", false), ("LARGER", false)),
    ("Gt", ("GT", false), ("SMALLER", true)),
    ("Le", ("LE", false), ("SMALLER", false)),
    ("Lt", ("LT", false), ("LARGER", true)),
];

const CHOOSE: &[&str] = &["Where", "Select"];

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
    let by_class = operand_type(node, graph).is_some_and(|operands| fmod::is_known(node, operands));
    by_class || code(node, graph, "", &names, "").is_some()
}

/// Does it go through masks of bits, which come in whole repeats?
pub fn has_mask(node: &Node) -> bool {
    COMPARED.iter().any(|row| row.0 == node.node_type) || CHOOSE.contains(&node.node_type.as_str())
}

/// Instructions for a row of this type.
pub fn is_reduced(node_type: &str, dtype: Option<DType>) -> bool {
    match node_type {
        "Max" | "Min" => dtype.is_some_and(|dtype| FLOATS.contains(&dtype)),
        "Sum" | "Mean" => dtype == Some(Float32),
        _ => false,
    }
}

/// May its instructions write over an operand that the type's table allows? The remainder of int32 reads the divisor's
/// sign when the result's buffer is written already.
pub fn overwrites(node: &Node, graph: &Graph, operand: &str) -> bool {
    !(node.node_type == "Remainder" && operand_type(node, graph) == Some(Int32) && operand == "x2")
}

/// Bytes that a node needs for each element while it computes.
pub fn scratch(node: &Node, graph: &Graph) -> usize {
    let (Some(source), Some(result)) = (operand_type(node, graph), node.y.dtype) else { return 0 };
    match node.node_type.as_str() {
        "Cast" => through(source, result).map_or(0, DType::size),
        "Abs" if source == Int32 => 4,
        "Rsqrt" | "Reciprocal" => source.size(),
        "FloorDiv" => 4,
        "TrueDiv" if source == Int32 => 4,
        "Remainder" if source == Int32 => 12,
        "Remainder" => 4,
        name if has_mask(node) => {
            if !CHOOSE.contains(&name) && source == Int32 {
                5
            } else {
                3
            }
        }
        _ => 0,
    }
}

/// C++ that calls of the node need in front of the class.
pub fn helpers(node: &Node, graph: &Graph) -> &'static [&'static str] {
    let source = operand_type(node, graph);
    match node.node_type.as_str() {
        "Ub2ub" => &[helpers::COPY],
        "Cast" if source.zip(node.y.dtype).is_some_and(|(from, to)| same_bits(from, to)) => &[helpers::COPY],
        "Remainder" if source == Some(Int32) => &[helpers::REMAINDER],
        _ if has_mask(node) => &[helpers::MASKS],
        _ => &[],
    }
}

/// Conversions of two instructions: the type between them.
fn through(from: DType, to: DType) -> Option<DType> {
    match (from, to) {
        (UInt8, Float32 | Int32 | Int16) => Some(Float16),
        (Int32, Float16) | (Float16, Int64) => Some(Float32),
        _ => None,
    }
}

/// Conversions that are none: integers of one size.
fn same_bits(from: DType, to: DType) -> bool {
    !from.is_float() && !to.is_float() && from.size() == to.size()
}

fn cast(to: &str, from: &str, types: (DType, DType), count: &str) -> Option<String> {
    let (_, _, mode) = CASTS.iter().find(|cast| (cast.0, cast.1) == types)?;
    Some(format!("AscendC::Cast({to}, {from}, AscendC::RoundMode::CAST_{mode}, {count});"))
}

/// Statements that write the node's tile `to`, of `count` elements.
pub fn code(node: &Node, graph: &Graph, to: &str, from: &[String], count: &str) -> Option<Vec<String>> {
    let (source, result) = (operand_type(node, graph)?, node.y.dtype?);
    let operands = from.join(", ");
    let scratch = |dtype: DType| format!("scratch_.Get<{}>()", dtype.cpp());
    let name = node.node_type.as_str();
    if name == "Cast" {
        if same_bits(source, result) {
            let from = format!("{operands}.ReinterpretCast<{}>()", result.cpp());
            return Some(vec![format!("CopyTile({to}, {from}, {count});")]);
        }
        let Some(between) = through(source, result) else {
            return Some(vec![cast(to, &operands, (source, result), count)?]);
        };
        let middle = scratch(between);
        let first = cast(&middle, &operands, (source, between), count)?;
        return Some(vec![first, cast(to, &middle, (between, result), count)?]);
    }
    if name == "Ub2ub" {
        return Some(vec![format!("CopyTile({to}, {operands}, {count});")]);
    }
    if let Some((_, float, int)) = COMPARED.iter().find(|row| row.0 == name) {
        let (call, (what, not)) = match source {
            Int32 => ("CompareInts<Extreme", int),
            Float16 | Float32 => ("CompareTo<AscendC::CMPMODE", float),
            _ => return None,
        };
        return Some(vec![format!("{call}::{what}, {not}>({to}, {operands}, {}, {count});", scratch(Float16))]);
    }
    if CHOOSE.contains(&name) {
        let moved = [Int16, Int32, Float16, Float32].contains(&result);
        return moved.then(|| vec![format!("ChooseTo({to}, {operands}, {}, {count});", scratch(Float16))]);
    }
    if let ("TrueDiv", Int32, [x1, x2]) = (name, source, from) {
        let middle = scratch(Float32);
        return Some(vec![
            cast(&middle, x2, (Int32, Float32), count)?,
            cast(to, x1, (Int32, Float32), count)?,
            format!("AscendC::Div({to}, {to}, {middle}, {count});"),
        ]);
    }
    if source != result {
        return None;
    }
    let one = |dtype: DType| format!("static_cast<{}>(1.0f)", dtype.cpp());
    let floor = |tile: &str| format!("AscendC::Cast({tile}, {tile}, AscendC::RoundMode::CAST_FLOOR, {count});");
    match (name, source, from) {
        ("Neg", _, _) if ARITHMETIC.contains(&source) => {
            Some(vec![format!("AscendC::Muls({to}, {operands}, static_cast<{}>(-1), {count});", source.cpp())])
        }
        ("Abs", Int32, _) => Some(vec![
            format!("AscendC::Muls({}, {operands}, static_cast<int32_t>(-1), {count});", scratch(Int32)),
            format!("AscendC::Max({to}, {operands}, {}, {count});", scratch(Int32)),
        ]),
        // Rsqrt and Reciprocal of the core are off by more than 1 in 10000 (float) or 1000 (half).
        ("Rsqrt", Float16 | Float32, _) => Some(vec![
            format!("AscendC::Sqrt({}, {operands}, {count});", scratch(source)),
            format!("AscendC::Duplicate({to}, {}, static_cast<int32_t>({count}));", one(source)),
            format!("AscendC::Div({to}, {to}, {}, {count});", scratch(source)),
        ]),
        ("Reciprocal", Float16 | Float32, _) => Some(vec![
            format!("AscendC::Duplicate({}, {}, static_cast<int32_t>({count}));", scratch(source), one(source)),
            format!("AscendC::Div({to}, {}, {operands}, {count});", scratch(source)),
        ]),
        ("Trunc", Float32, _) => {
            Some(vec![format!("AscendC::Cast({to}, {operands}, AscendC::RoundMode::CAST_TRUNC, {count});")])
        }
        ("FloorDiv", Float32, _) => Some(vec![format!("AscendC::Div({to}, {operands}, {count});"), floor(to)]),
        ("FloorDiv", Float16, _) => {
            let middle = scratch(Float32);
            Some(vec![
                format!("AscendC::Div({to}, {operands}, {count});"),
                cast(&middle, to, (Float16, Float32), count)?,
                floor(&middle),
                cast(to, &middle, (Float32, Float16), count)?,
            ])
        }
        ("Remainder", Float32, [x1, x2]) => {
            let middle = scratch(Float32);
            Some(vec![
                format!("AscendC::Div({middle}, {x1}, {x2}, {count});"),
                floor(&middle),
                format!("AscendC::Mul({middle}, {middle}, {x2}, {count});"),
                format!("AscendC::Sub({to}, {x1}, {middle}, {count});"),
            ])
        }
        ("Remainder", Int32, _) => {
            let size = format!("({count} + 63) / 64 * 64");
            Some(vec![format!("IntRemainder({to}, {operands}, {}, {size}, {count});", scratch(Int32))])
        }
        _ => {
            let (_, call, _) = CALLS.iter().find(|call| call.0 == name && call.2.contains(&source))?;
            Some(vec![format!("AscendC::{call}({to}, {operands}, {count});")])
        }
    }
}

/// A graph with one Data, and a node that has it for every operand.
fn alone(ir: &AscIr, from: DType, to: DType) -> Option<(Graph, Node)> {
    let mut graph = Graph::new("");
    let node = |node_type: &str, inputs: Vec<Input>, dtype: DType| Node {
        name: String::new(),
        node_type: node_type.to_owned(),
        ir_attr: BTreeMap::new(),
        inputs,
        y: TensorAttr { dtype: Some(dtype), ..TensorAttr::default() },
    };
    graph.nodes.push(node("Data", Vec::new(), from));
    let Inputs::Named(names) = ir.inputs else { return None };
    let inputs = names.iter().map(|name| Input { name: (*name).to_owned(), from: Some(0), view: None }).collect();
    Some((graph, node(ir.name, inputs, to)))
}

/// Is there code for the type with these data types?
fn is_made(ir: &AscIr, from: DType, to: DType) -> bool {
    alone(ir, from, to).is_some_and(|(graph, node)| match ir.compute_type {
        ComputeType::Reduce => is_reduced(ir.name, Some(from)),
        _ => is_known(&node, &graph),
    })
}

/// The data types of a type for which there is code: of the operands, or `from → to`.
pub fn dtypes(ir: &AscIr) -> Vec<String> {
    let mut all = Vec::new();
    for (from, to) in ir.rows() {
        let Inputs::Named(_) = ir.inputs else { return vec!["all".to_owned()] };
        // A Cast that keeps the type is nothing at all.
        if is_made(ir, from, to) || ir.name == "Cast" && from == to {
            let mapped = matches!(ir.dtypes, Dtypes::Mapped(_)) && from != to || ir.name == "Cast";
            all.push(if mapped { format!("{from} → {to}") } else { from.name().to_owned() });
        }
    }
    all
}

/// The switches that results of the type follow, with the data types of the results: `div_ulp (float16, float32)`.
pub fn follows(ir: &AscIr) -> String {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in ir.rows().into_iter().filter(|(from, to)| is_made(ir, *from, *to)) {
        for switch in alone(ir, from, to).map(|(graph, node)| instructions::followed(&node, &graph)).unwrap_or_default()
        {
            all.entry(switch).or_default().insert(to.name());
        }
    }
    let text = all.iter().map(|(switch, types)| {
        let types: Vec<&str> = types.iter().copied().collect();
        format!("{switch} ({})", types.join(", "))
    });
    text.collect::<Vec<_>>().join("; ")
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

//! The steps of a node over one tile. What is not in these tables is refused by name.

use super::numbers;
use crate::dtype::DType::{self, BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8, UInt16};
use crate::ir;
use crate::model::{Graph, Node};

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

/// A tile that a step reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// The node's own.
    Result,
    Operand(usize),
    /// The work memory of the kernel, seen as this type.
    Scratch(DType),
}

/// What is done to all elements of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An interface of Ascend C that takes tiles of one type.
    Call { name: &'static str, dtype: DType, to: Tile, from: Vec<Tile> },
    /// An interface that takes a tile and a number.
    CallNumber { name: &'static str, dtype: DType, from: Tile, bits: u64 },
    /// A conversion from the first type to the second, by a rounding mode.
    Cast { types: (DType, DType), mode: &'static str, to: Tile, from: Tile },
    /// Times -1.
    Negate { dtype: DType, to: Tile },
    /// 1 divided by a tile, by a block of ones that the kernel has.
    OneOver { dtype: DType, from: Tile },
    /// In float, in a tile of its own unless the result is float, by the same block.
    Sigmoid { value: Tile },
    /// The operand's bits, as another type of their size where one is given.
    Copy { seen_as: Option<DType> },
    /// 1 where a comparison of floats holds, or where it does not.
    CompareFloats { mode: &'static str, turned: bool },
    /// The same of int32, by the larger or smaller of both.
    CompareInts { extreme: &'static str, turned: bool },
    /// By a mask, one operand or the other.
    Choose,
    /// The remainder of int32.
    IntRemainder,
    /// A function of the generated text with the operands, work memory of a type where it needs some, and the tile's size
    /// in whole units of so many elements.
    Function { name: &'static str, work: Option<DType>, unit: u32 },
}

pub fn operand_type(node: &Node, graph: &Graph) -> Option<DType> {
    graph.nodes.get(node.inputs.first()?.from?)?.y.dtype
}

/// Are there instructions for the element-wise node?
pub fn is_known(node: &Node, graph: &Graph) -> bool {
    operand_type(node, graph).is_some_and(|operands| ir::is_fmod(node, operands)) || of(node, graph).is_some()
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
        "FloorDiv" => 4,
        "TrueDiv" if source == Int32 => 4,
        "Remainder" if source == Int32 => 12,
        "Sigmoid" if source == Float32 => 0,
        "Sigmoid" => 4,
        "Tanh" => 8,
        "Erf" => 8 + if source == Float32 { 0 } else { 4 },
        "Pow" => 9 + if source == Float32 { 0 } else { 12 },
        "Sign" if source == Int32 => 0,
        "Sign" => source.size() + 1,
        "LogicalAnd" | "LogicalOr" => 4,
        "LogicalNot" => 2,
        "BitwiseAnd" if source == UInt8 => 6,
        "Remainder" => 4,
        name if CHOOSE.contains(&name) => 3,
        name if ir::has_mask(name) => {
            if source == Int32 {
                5
            } else {
                3
            }
        }
        _ => 0,
    }
}

/// The type whose ones a node divides.
pub fn ones(node: &Node, graph: &Graph) -> Option<DType> {
    of(node, graph)?.iter().find_map(|step| match step {
        Step::OneOver { dtype, .. } => Some(*dtype),
        Step::Sigmoid { .. } => Some(Float32),
        _ => None,
    })
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

fn cast(to: Tile, from: Tile, types: (DType, DType)) -> Option<Step> {
    let (_, _, mode) = CASTS.iter().find(|cast| (cast.0, cast.1) == types)?;
    Some(Step::Cast { types, mode, to, from })
}

/// What writes the node's tile; `None` where there are no instructions for its data types. Fmod has a compute class
/// instead.
pub fn of(node: &Node, graph: &Graph) -> Option<Vec<Step>> {
    use Tile::{Operand, Result, Scratch};
    let (source, result) = (operand_type(node, graph)?, node.y.dtype?);
    let name = node.node_type.as_str();
    let (first, second) = (Operand(0), Operand(1));
    if name == "Cast" {
        if same_bits(source, result) {
            return Some(vec![Step::Copy { seen_as: Some(result) }]);
        }
        let Some(between) = through(source, result) else {
            return Some(vec![cast(Result, first, (source, result))?]);
        };
        let middle = Scratch(between);
        return Some(vec![cast(middle, first, (source, between))?, cast(Result, middle, (between, result))?]);
    }
    if name == "Ub2ub" {
        return Some(vec![Step::Copy { seen_as: None }]);
    }
    if let Some((_, float, int)) = COMPARED.iter().find(|row| row.0 == name) {
        return match source {
            Int32 => Some(vec![Step::CompareInts { extreme: int.0, turned: int.1 }]),
            Float16 | Float32 => Some(vec![Step::CompareFloats { mode: float.0, turned: float.1 }]),
            _ => None,
        };
    }
    if CHOOSE.contains(&name) {
        return ARITHMETIC.contains(&result).then(|| vec![Step::Choose]);
    }
    let call = |name, dtype, to, from: &[Tile]| Step::Call { name, dtype, to, from: from.to_vec() };
    let (float, binary) = (Scratch(Float32), node.inputs.len() == 2);
    if name == "TrueDiv" && source == Int32 && binary {
        return Some(vec![
            cast(float, second, (Int32, Float32))?,
            cast(Result, first, (Int32, Float32))?,
            call("Div", Float32, Result, &[Result, float]),
        ]);
    }
    if name == "Isnan" {
        // A number equals itself.
        return FLOATS.contains(&source).then(|| vec![Step::CompareFloats { mode: "EQ", turned: true }]);
    }
    if source != result {
        return None;
    }
    if let Some(number) = numbers::of(node, graph) {
        let from = Operand(1 - number.operand);
        return Some(vec![Step::CallNumber { name: number.name, dtype: source, from, bits: number.bits }]);
    }
    let function = |name, work, unit| vec![Step::Function { name, work, unit }];
    let own = Scratch(source);
    let floor = |tile| Step::Cast { types: (Float32, Float32), mode: "FLOOR", to: tile, from: tile };
    Some(match (name, source) {
        ("Neg", _) if ARITHMETIC.contains(&source) => vec![Step::Negate { dtype: source, to: Result }],
        ("Abs", Int32) => {
            vec![Step::Negate { dtype: Int32, to: own }, call("Max", Int32, Result, &[first, own])]
        }
        // Rsqrt and Reciprocal of the core are off by more than 1 in 10000 (float) or 1000 (half).
        ("Rsqrt", Float16 | Float32) => {
            vec![call("Sqrt", source, Result, &[first]), Step::OneOver { dtype: source, from: Result }]
        }
        ("Reciprocal", Float16 | Float32) => vec![Step::OneOver { dtype: source, from: first }],
        ("Trunc", Float32) => {
            vec![Step::Cast { types: (Float32, Float32), mode: "TRUNC", to: Result, from: first }]
        }
        ("FloorDiv", Float32) => vec![call("Div", Float32, Result, &[first, second]), floor(Result)],
        ("FloorDiv", Float16) => vec![
            call("Div", Float16, Result, &[first, second]),
            cast(float, Result, (Float16, Float32))?,
            floor(float),
            cast(Result, float, (Float32, Float16))?,
        ],
        ("Remainder", Float32) if binary => vec![
            call("Div", Float32, float, &[first, second]),
            floor(float),
            call("Mul", Float32, float, &[float, second]),
            call("Sub", Float32, Result, &[first, float]),
        ],
        ("Remainder", Int32) => vec![Step::IntRemainder],
        ("Sigmoid", Float32) => vec![Step::Sigmoid { value: Result }],
        ("Sigmoid", Float16) => vec![Step::Sigmoid { value: float }],
        ("Tanh", Float16 | Float32) => function("TanhTo", Some(Float32), 64),
        ("Erf", Float16 | Float32) => function("ErfTo", Some(Float32), 64),
        ("Pow", Float16 | Float32) => function("PowTo", Some(Float32), 128),
        ("Sign", Float16 | Float32) => function("SignTo", Some(source), 128),
        ("Sign", Int32) => function("SignInts", None, 1),
        ("LogicalAnd", UInt8) => function("AndTo", Some(Float16), 64),
        ("LogicalOr", UInt8) => function("OrTo", Some(Float16), 64),
        ("LogicalNot", UInt8) => function("NotTo", Some(Float16), 64),
        ("BitwiseAnd", UInt8) => function("AndBytes", Some(Float16), 64),
        ("BitwiseAnd", Int16 | UInt16 | Int32) => function("AndBits", None, 1),
        _ => {
            let (_, interface, _) = CALLS.iter().find(|call| call.0 == name && call.2.contains(&source))?;
            let operands: Vec<Tile> = (0..node.inputs.len()).map(Operand).collect();
            vec![call(interface, source, Result, &operands)]
        }
    })
}

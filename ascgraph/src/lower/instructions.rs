//! The instructions that a node has for a tile, by name and data types: what the timing model prices, and what behaviour of
//! the core that no document states a result follows. A test holds the list against the C++ of the helpers.

use std::collections::BTreeSet;

use super::steps::{self, Step};
use crate::dtype::DType::{self, Float16, Float32, Int16, Int32, UInt8};
use crate::ir::{self, ComputeType};
use crate::model::{Graph, Node};

/// An instruction over as many elements as the node's result has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub name: &'static str,
    pub to: DType,
    pub from: DType,
}

const fn one(name: &'static str, dtype: DType) -> Instruction {
    Instruction { name, to: dtype, from: dtype }
}

const fn cast(to: DType, from: DType) -> Instruction {
    Instruction { name: "Cast", to, from }
}

/// `None` where there are none for the node's data types.
pub fn of(node: &Node, graph: &Graph) -> Option<Vec<Instruction>> {
    let (source, result) = (steps::operand_type(node, graph)?, node.y.dtype?);
    if ir::is_fmod(node, source) {
        return Some(fmod(node, source));
    }
    Some(steps::of(node, graph)?.iter().flat_map(|step| of_step(step, source, result)).collect())
}

/// Those of one step of a node with operands and a result of these types.
pub fn of_step(step: &Step, source: DType, result: DType) -> Vec<Instruction> {
    // 1 or 0 of a mask of bits.
    let bytes = [one("Duplicate", Float16), one("Select", Float16), cast(UInt8, Float16)];
    match step {
        Step::Call { name, dtype, .. } | Step::CallNumber { name, dtype, .. } => vec![one(name, *dtype)],
        Step::Cast { types: (from, to), .. } => vec![cast(*to, *from)],
        Step::Negate { dtype, .. } => vec![one("Muls", *dtype)],
        Step::OneOver { dtype, .. } => vec![one("Div", *dtype)],
        Step::Sigmoid { .. } => wide(source, &["Muls", "Exp", "Adds", "Div"]),
        Step::Copy { .. } => vec![one("DataCopy", result)],
        Step::CompareFloats { .. } => [&[one("Compare", source)][..], &bytes].concat(),
        Step::CompareInts { extreme, .. } => {
            let first = match *extreme {
                "LARGER" => Some(one("Max", Int32)),
                "SMALLER" => Some(one("Min", Int32)),
                _ => None,
            };
            first.into_iter().chain([one("Compare", Int32)]).chain(bytes).collect()
        }
        Step::Choose => {
            let moved = if result.size() == 2 { Float16 } else { Float32 };
            vec![cast(Float16, UInt8), one("CompareScalar", Float16), one("Select", moved)]
        }
        Step::Function { name, .. } => function(name, source),
        Step::IntRemainder => {
            let int = |name| one(name, Int32);
            let step = [cast(Float32, Int32), one("Div", Float32), cast(Int32, Float32), int("Mul"), int("Sub")];
            let first = [int("Muls"), int("Min"), int("Mins"), cast(Float32, Int32)];
            let sign = ["ShiftRight", "Muls", "Adds", "Mul", "ShiftRight", "Mul", "Add", "Mul"].map(int);
            [&first[..], &step, &step, &sign].concat()
        }
    }
}

/// In float, whatever the type of operand and result.
fn wide(source: DType, names: &[&'static str]) -> Vec<Instruction> {
    let mut all: Vec<Instruction> = names.iter().map(|name| one(name, Float32)).collect();
    if source != Float32 {
        all.insert(0, cast(Float32, source));
        all.push(cast(source, Float32));
    }
    all
}

/// Those of a function of the generated text.
fn function(name: &str, source: DType) -> Vec<Instruction> {
    let half = |name| one(name, Float16);
    let (byte, bits) = ([cast(Float16, UInt8), half("Mins")], [cast(Float16, UInt8), cast(Int16, Float16)]);
    match name {
        "TanhTo" => wide(source, &["Mins", "Maxs", "Muls", "Exp", "Adds", "Adds", "Div"]),
        "ErfTo" => {
            let polynomial = [&["Muls"][..], &["Adds", "Mul"].repeat(5)].concat();
            let first = [&["Mins", "Maxs", "Mul"][..], &polynomial].concat();
            wide(source, &[&first[..], &polynomial[..10], &["Div", "Mins", "Maxs"]].concat())
        }
        "PowTo" => pow(source),
        "SignTo" => ["CompareScalar", "Duplicate", "Select", "CompareScalar", "Duplicate", "Select", "Add"]
            .map(|name| one(name, source))
            .to_vec(),
        "SignInts" => ["Mins", "Maxs"].map(|name| one(name, source)).to_vec(),
        "AndTo" => [&byte[..], &byte, &[half("Min"), cast(UInt8, Float16)]].concat(),
        "OrTo" => [&byte[..], &byte, &[half("Max"), cast(UInt8, Float16)]].concat(),
        "NotTo" => [&byte[..], &[half("Muls"), half("Adds"), cast(UInt8, Float16)]].concat(),
        "AndBytes" => [&bits[..], &bits, &[one("And", Int16), cast(Float16, Int16), cast(UInt8, Float16)]].concat(),
        "AndBits" => vec![one("And", source)],
        _ => Vec::new(),
    }
}

fn pow(source: DType) -> Vec<Instruction> {
    let float = |names: &[&'static str]| names.iter().map(|name| one(name, Float32)).collect::<Vec<_>>();
    let mut all =
        float(&["Mins", "Maxs", "Abs", "Ln", "Mul", "Exp", "Mins", "Maxs", "Cast", "Compare", "Muls", "Cast"]);
    all.extend(float(&["Muls", "Add", "Select", "Duplicate", "Select", "CompareScalar", "Select", "CompareScalar"]));
    all.extend(float(&["Select", "Muls", "Muls", "Add"]));
    all.extend([one("ShiftRight", Int32), cast(Float32, Int32)]);
    all.extend(float(&[
        "Mul",
        "Muls",
        "Adds",
        "Mul",
        "Duplicate",
        "CompareScalar",
        "Select",
        "CompareScalar",
        "Select",
    ]));
    if source != Float32 {
        all.splice(0..0, [cast(Float32, source); 2]);
        all.push(cast(source, Float32));
    }
    all
}

/// What the operator's compute class does with every element where its probe finds nothing: four steps in float, or the
/// exact way, whose instructions the operator's header counts (12 for float, 13 for 16 bits).
fn fmod(node: &Node, source: DType) -> Vec<Instruction> {
    let steps: &[&'static str] = match (ir::is_exact(node), source) {
        (false, _) => &["Div", "Cast", "Mul", "Sub"],
        (true, Float32) => &["Abs", "Div", "Cast", "Mul", "Mul", "Sub", "Mul", "Sub", "Max", "Mul", "Add", "Or"],
        (true, _) => &["Abs", "Div", "Cast", "Mul", "Sub", "Mul", "Sub", "Mul", "Add", "Or"],
    };
    let mut all: Vec<Instruction> = steps.iter().map(|name| one(name, Float32)).collect();
    if source != Float32 {
        all.extend([cast(Float32, source); 2]);
        all.push(cast(source, Float32));
    }
    all
}

/// The switches of `HOSTCANN_FLIP` that the instruction's result follows: what the core does there no document states, or
/// the device's mode decides it.
fn follows(Instruction { name, to, from }: Instruction) -> Vec<&'static str> {
    let moves = ["Select", "Duplicate", "DataCopy", "Compare", "CompareScalar"].contains(&name);
    let mut all = Vec::new();
    all.extend((name == "Div").then_some("div_ulp"));
    all.extend((to == Float32 && !["Cast", "Abs"].contains(&name) && !moves).then_some("ftz"));
    // Integers are converted to half where it has them all.
    let narrow = [Float16, DType::BFloat16].contains(&to) && from.is_float();
    all.extend((narrow && !moves).then_some("saturation"));
    all
}

/// The same of a node, whatever its operands have.
pub fn followed(node: &Node, graph: &Graph) -> BTreeSet<&'static str> {
    let source = node.inputs.first().and_then(|input| graph.nodes.get(input.from?)?.y.dtype);
    let dtype = node.y.dtype.unwrap_or(Float32);
    let all = match node.node_type.as_str() {
        "Sum" => vec![one("Add", dtype)],
        "Mean" => vec![one("Add", dtype), one("Div", dtype)],
        "Max" | "Min" => vec![one("Max", dtype)],
        // Every step is exact: a quotient that is off is repaired.
        "Fmod" if ir::is_exact(node) => vec![cast(dtype, Float32)],
        // The remainder of int32 comes out whatever a quotient in between is.
        "Remainder" if dtype == Int32 => Vec::new(),
        // What is on the way does not come out.
        "Sigmoid" | "Tanh" => vec![one("Div", dtype)],
        "Sign" | "Isnan" | "LogicalAnd" | "LogicalOr" | "LogicalNot" | "BitwiseAnd" => Vec::new(),
        _ if ir::find(&node.node_type).is_some_and(|ir| ir.compute_type == ComputeType::Elewise) => {
            of(node, graph).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    // What is computed of half and of integers is no number below the smallest normal float, and Tanh of one is 0.
    let tiny = [Some(Float32), Some(DType::BFloat16)].contains(&source) && node.node_type != "Tanh";
    all.into_iter().flat_map(follows).filter(|switch| tiny || *switch != "ftz").collect()
}

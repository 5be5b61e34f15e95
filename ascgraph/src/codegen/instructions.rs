//! The instructions that a node's code has for a tile, by name and data types: what the timing model prices, and what
//! behaviour of the core that no document states a result follows. A test holds the list against the code.

use std::collections::BTreeSet;

use super::fmod;
use crate::dtype::DType::{self, Float16, Float32, Int32, UInt8};
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

/// `None` where there is no code for the node.
pub fn of(node: &Node, graph: &Graph) -> Option<Vec<Instruction>> {
    let source = graph.nodes.get(node.inputs.first()?.from?)?.y.dtype?;
    let result = node.y.dtype?;
    if fmod::is_known(node, source) {
        return Some(fmod::instructions(node, source));
    }
    // Anything serves as a name: only what is called counts.
    let names = vec!["x".to_owned(); node.inputs.len()];
    let lines = super::calls::code(node, graph, "y", &names, "n")?;
    let mut all = Vec::new();
    for line in &lines {
        let call = line.split(['(', '<']).next().unwrap_or_default();
        match call.strip_prefix("AscendC::") {
            Some("Cast") => all.push(casts(line, source, result)),
            Some(name) => all.push(one(known(name)?, computed_in(line, source, result))),
            None => all.extend(helper(call, line, source, result)?),
        }
    }
    Some(all)
}

/// The interface's name, for as long as the program runs.
fn known(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 16] = [
        "Abs",
        "Add",
        "Div",
        "Duplicate",
        "Exp",
        "Ln",
        "Max",
        "Min",
        "Mul",
        "Muls",
        "Relu",
        "Sqrt",
        "Sub",
        "Adds",
        "Mins",
        "Select",
    ];
    NAMES.into_iter().find(|known| *known == name)
}

/// Where a tile of another type stands between, it has the type of its Get.
fn got(text: &str) -> Option<DType> {
    let (_, rest) = text.split_once("scratch_.Get<")?;
    let name = rest.split('>').next()?;
    DType::ALL.iter().copied().find(|dtype| dtype.cpp() == name)
}

fn casts(line: &str, source: DType, result: DType) -> Instruction {
    let (to, rest) = line.split_once(", ").unwrap_or((line, ""));
    let from = rest.split(", ").next().unwrap_or_default();
    let of_tile = |text: &str, other: DType| got(text).unwrap_or(other);
    // A cast in place, as of FloorDiv, keeps the type of the result.
    let from = if from == "y" { result } else { of_tile(from, source) };
    cast(of_tile(to, result), from)
}

fn computed_in(line: &str, source: DType, result: DType) -> DType {
    got(line).unwrap_or(if result.is_float() { result } else { source })
}

/// What a function of `helpers` calls.
fn helper(name: &str, line: &str, source: DType, result: DType) -> Option<Vec<Instruction>> {
    // 1 or 0 of a mask of bits.
    let bytes = [one("Duplicate", Float16), one("Select", Float16), cast(UInt8, Float16)];
    Some(match name {
        "CopyTile" => vec![one("DataCopy", result)],
        "CompareTo" => [&[one("Compare", source)][..], &bytes].concat(),
        "CompareInts" => {
            let other = ["LARGER", "SMALLER"].iter().position(|which| line.contains(which));
            let first = other.map(|at| one(["Max", "Min"][at], Int32));
            first.into_iter().chain([one("Compare", Int32)]).chain(bytes).collect()
        }
        "ChooseTo" => {
            let moved = if result.size() == 2 { Float16 } else { Float32 };
            vec![cast(Float16, UInt8), one("CompareScalar", Float16), one("Select", moved)]
        }
        "IntRemainder" => {
            let int = |name| one(name, Int32);
            let step = [cast(Float32, Int32), one("Div", Float32), cast(Int32, Float32), int("Mul"), int("Sub")];
            let first = [int("Muls"), int("Min"), int("Mins"), cast(Float32, Int32)];
            let sign = ["ShiftRight", "Muls", "Adds", "Mul", "ShiftRight", "Mul", "Add", "Mul"].map(int);
            [&first[..], &step, &step, &sign].concat()
        }
        // The operator's conversion that keeps the type.
        "NsFmod::Cast" => vec![cast(Float32, Float32)],
        _ => return None,
    })
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
        "Fmod" if fmod::is_exact(node) => vec![Instruction { name: "Cast", to: dtype, from: Float32 }],
        // The remainder of int32 comes out whatever a quotient in between is.
        "Remainder" if dtype == Int32 => Vec::new(),
        _ if ir::find(&node.node_type).is_some_and(|ir| ir.compute_type == ComputeType::Elewise) => {
            of(node, graph).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    // What is computed of half and of integers is no number below the smallest normal float.
    let tiny = [Some(Float32), Some(DType::BFloat16)].contains(&source);
    all.into_iter().flat_map(follows).filter(|switch| tiny || *switch != "ftz").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::helpers;

    /// Names of `AscendC::<name>(` in the function of a helper's text, without those of its `else` branches.
    fn called(text: &str, function: &str) -> Vec<String> {
        let (_, rest) = text.split_once(&format!("inline void {function}(")).expect(function);
        let body = rest.split_once("\n}\n").expect("a body").0;
        let calls = body.split("AscendC::").skip(1).filter_map(|part| part.split_once(['(', '<', ' ', '&', ',', ')']));
        calls
            .map(|call| call.0.to_owned())
            .filter(|name| known(name).is_some() || OTHERS.contains(&name.as_str()))
            .collect()
    }

    const OTHERS: [&str; 6] = ["Cast", "Compare", "CompareScalar", "DataCopy", "ShiftRight", "Or"];

    fn names(function: &str, line: &str, source: DType, result: DType) -> Vec<&'static str> {
        helper(function, line, source, result).expect(function).iter().map(|one| one.name).collect()
    }

    #[test]
    fn helpers_call_what_is_listed() {
        assert_eq!(called(helpers::COPY, "CopyTile"), names("CopyTile", "", Float32, Float32));
        let bytes = called(helpers::MASKS, "BytesOfBits");
        let compare = [called(helpers::MASKS, "CompareTo"), bytes.clone()].concat();
        assert_eq!(compare, names("CompareTo", "", Float32, UInt8));
        // Of its Max and Min, and of its two comparisons, one is in a kernel.
        let mut ints = [called(helpers::MASKS, "CompareInts"), bytes].concat();
        assert_eq!(ints[..4], ["Max", "Min", "Compare", "Compare"]);
        ints.remove(0);
        ints.remove(1);
        assert_eq!(ints, names("CompareInts", "Extreme::SMALLER", Int32, UInt8));
        assert_eq!(called(helpers::MASKS, "ChooseTo"), names("ChooseTo", "", Float32, Float32));
        let step = called(helpers::REMAINDER, "RemainderStep");
        let mut remainder = called(helpers::REMAINDER, "IntRemainder");
        remainder.splice(4..4, [step.clone(), step].concat());
        assert_eq!(remainder, names("IntRemainder", "", Int32, Int32));
    }
}

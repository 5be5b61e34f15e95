//! The steps of a node as C++, and the literals of constants.

use crate::cpp;
use crate::dtype::DType::{self, Float16, Float32, Int32};
use crate::lower::steps::{self, Step, Tile};
use crate::model::{Graph, Node};
use crate::value;

/// C++ that the node's calls need in front of the class.
pub fn helpers(node: &Node, graph: &Graph) -> Vec<&'static str> {
    let steps = steps::of(node, graph).unwrap_or_default();
    let helper = |step: &Step| match step {
        Step::Copy { .. } => vec![cpp::COPY],
        Step::IntRemainder => vec![cpp::REMAINDER],
        Step::OneOver { .. } => vec![cpp::ONES],
        Step::Sigmoid { .. } | Step::Function { name: "TanhTo" | "SignTo" | "SignInts", .. } => {
            vec![cpp::ONES, cpp::GATES]
        }
        Step::Function { name: "ErfTo" | "PowTo", .. } => vec![cpp::POWERS],
        Step::Function { .. } => vec![cpp::LOGIC],
        Step::CompareFloats { .. } | Step::CompareInts { .. } | Step::Choose => vec![cpp::MASKS],
        _ => Vec::new(),
    };
    steps.iter().flat_map(helper).collect()
}

/// Statements that write the node's tile `to`, of `count` elements.
pub fn code(node: &Node, graph: &Graph, to: &str, from: &[String], count: &str) -> Option<Vec<String>> {
    let printer = Printer { to, from, count };
    Some(steps::of(node, graph)?.iter().map(|step| printer.step(step)).collect())
}

/// The names of a node's tiles.
struct Printer<'a> {
    to: &'a str,
    from: &'a [String],
    count: &'a str,
}

impl Printer<'_> {
    fn tile(&self, tile: Tile) -> String {
        match tile {
            Tile::Result => self.to.to_owned(),
            Tile::Operand(at) => self.from.get(at).cloned().unwrap_or_default(),
            Tile::Scratch(dtype) => format!("scratch_.Get<{}>()", dtype.cpp()),
        }
    }

    fn step(&self, step: &Step) -> String {
        let Printer { to, count, .. } = self;
        let (operands, scratch) = (self.from.join(", "), |dtype| self.tile(Tile::Scratch(dtype)));
        match step {
            Step::Call { name, to, from, .. } => {
                let from: Vec<String> = from.iter().map(|tile| self.tile(*tile)).collect();
                format!("AscendC::{name}({}, {}, {count});", self.tile(*to), from.join(", "))
            }
            Step::CallNumber { name, dtype, from, bits } => {
                let number = literal(*bits, *dtype).unwrap_or_default();
                format!("AscendC::{name}({to}, {}, {number}, {count});", self.tile(*from))
            }
            Step::Cast { mode, to, from, .. } => {
                let (to, from) = (self.tile(*to), self.tile(*from));
                format!("AscendC::Cast({to}, {from}, AscendC::RoundMode::CAST_{mode}, {count});")
            }
            Step::Negate { dtype, to } => {
                format!("AscendC::Muls({}, {operands}, static_cast<{}>(-1), {count});", self.tile(*to), dtype.cpp())
            }
            Step::OneOver { dtype, from } => {
                format!("OneOver({to}, one_{}, {}, {count});", dtype.cpp(), self.tile(*from))
            }
            Step::Sigmoid { value } => {
                format!("SigmoidTo({to}, {operands}, one_float, {}, {count});", self.tile(*value))
            }
            Step::Copy { seen_as: None } => format!("CopyTile({to}, {operands}, {count});"),
            Step::Copy { seen_as: Some(dtype) } => {
                format!("CopyTile({to}, {operands}.ReinterpretCast<{}>(), {count});", dtype.cpp())
            }
            Step::CompareFloats { mode, turned } => {
                let scratch = scratch(Float16);
                let operands = if self.from.len() == 1 { format!("{operands}, {operands}") } else { operands };
                format!("CompareTo<AscendC::CMPMODE::{mode}, {turned}>({to}, {operands}, {scratch}, {count});")
            }
            Step::CompareInts { extreme, turned } => {
                let scratch = scratch(Float16);
                format!("CompareInts<Extreme::{extreme}, {turned}>({to}, {operands}, {scratch}, {count});")
            }
            Step::Choose => format!("ChooseTo({to}, {operands}, {}, {count});", scratch(Float16)),
            Step::Function { name, work: None, .. } => format!("{name}({to}, {operands}, {count});"),
            Step::Function { name, work: Some(work), unit } => {
                let size = format!("({count} + {}) / {unit} * {unit}", unit - 1);
                format!("{name}({to}, {operands}, {}, {size}, {count});", scratch(*work))
            }
            Step::IntRemainder => {
                let size = format!("({count} + 63) / 64 * 64");
                format!("IntRemainder({to}, {operands}, {}, {size}, {count});", scratch(Int32))
            }
        }
    }
}

/// A value as C++ writes it exactly; `None` for what has no literal.
pub fn literal(bits: u64, dtype: DType) -> Option<String> {
    if dtype.is_float() {
        let value = value::to_f32(bits, dtype);
        return value.is_finite().then(|| match dtype {
            Float32 => hex(value),
            other => format!("static_cast<{}>({})", other.cpp(), hex(value)),
        });
    }
    Some(format!("static_cast<{}>({})", dtype.cpp(), value::to_int(bits, dtype)))
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
    use crate::dtype::DType::{Int16, UInt8};
    use crate::lower::instructions::of_step;

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

    /// Names of `AscendC::<name>(` in the function of a helper's text, without those of its `else` branches.
    fn called(text: &str, function: &str) -> Vec<String> {
        let (_, rest) = text.split_once(&format!("inline void {function}(")).expect(function);
        let body = rest.split_once("\n}\n").expect("a body").0;
        let calls = body.split("AscendC::").skip(1).filter_map(|part| part.split_once(['(', '<', ' ', '&', ',', ')']));
        calls.map(|call| call.0.to_owned()).filter(|name| VECTOR.contains(&name.as_str())).collect()
    }

    /// Of the vector unit; the others are types and flags.
    const VECTOR: [&str; 20] = [
        "Add",
        "Adds",
        "And",
        "Cast",
        "Compare",
        "CompareScalar",
        "DataCopy",
        "Div",
        "Duplicate",
        "Exp",
        "Max",
        "Maxs",
        "Min",
        "Mins",
        "Mul",
        "Muls",
        "Or",
        "Select",
        "ShiftRight",
        "Sub",
    ];

    fn names(step: &Step, source: DType, result: DType) -> Vec<&'static str> {
        of_step(step, source, result).iter().map(|one| one.name).collect()
    }

    #[test]
    fn helpers_call_what_is_listed() {
        assert_eq!(called(cpp::COPY, "CopyTile"), names(&Step::Copy { seen_as: None }, Float32, Float32));
        let bytes = called(cpp::MASKS, "BytesOfBits");
        let compare = [called(cpp::MASKS, "CompareTo"), bytes.clone()].concat();
        assert_eq!(compare, names(&Step::CompareFloats { mode: "EQ", turned: false }, Float32, UInt8));
        // Of its Max and Min, and of its two comparisons, one is in a kernel.
        let mut ints = [called(cpp::MASKS, "CompareInts"), bytes].concat();
        assert_eq!(ints[..4], ["Max", "Min", "Compare", "Compare"]);
        ints.remove(0);
        ints.remove(1);
        assert_eq!(ints, names(&Step::CompareInts { extreme: "SMALLER", turned: false }, Int32, UInt8));
        assert_eq!(called(cpp::MASKS, "ChooseTo"), names(&Step::Choose, Float32, Float32));
        // Text of both types: conversions around what is done to float.
        let function = |name, work| Step::Function { name, work, unit: 64 };
        let half = |step: &Step| [&["Cast"][..], &names(step, Float32, Float32), &["Cast"]].concat();
        // A tail may follow.
        assert_eq!(called(cpp::ONES, "OneOver"), ["Div"; 2]);
        let gates = cpp::GATES.replace("OneOver(", "AscendC::Div(");
        for (name, step) in [("SigmoidTo", Step::Sigmoid { value: Tile::Result }), ("TanhTo", function("TanhTo", None))]
        {
            assert_eq!(names(&step, Float16, Float16), half(&step));
            let mut text = called(&gates, name);
            assert_eq!([&text[0], &text[1]], [half(&step)[1], "Cast"], "{name}");
            text.drain(..1);
            text.remove(text.len() - 3);
            assert_eq!(text, half(&step), "{name}");
        }
        assert_eq!(called(cpp::GATES, "SignTo"), names(&function("SignTo", None), Float32, Float32));
        assert_eq!(called(cpp::GATES, "SignInts"), names(&function("SignInts", None), Int32, Int32));
        let truth = called(cpp::LOGIC, "TruthOf");
        for (name, operands) in [("AndTo", 2), ("OrTo", 2), ("NotTo", 1)] {
            let text = [vec![truth.clone(); operands].concat(), called(cpp::LOGIC, name)].concat();
            assert_eq!(text, names(&function(name, None), UInt8, UInt8), "{name}");
        }
        let bytes = [vec![called(cpp::LOGIC, "BitsOf"); 2].concat(), called(cpp::LOGIC, "AndBytes")].concat();
        assert_eq!(bytes, names(&function("AndBytes", None), UInt8, UInt8));
        assert_eq!(called(cpp::LOGIC, "AndBits"), names(&function("AndBits", None), Int16, Int16));
        let step = called(cpp::REMAINDER, "RemainderStep");
        let mut remainder = called(cpp::REMAINDER, "IntRemainder");
        remainder.splice(4..4, [step.clone(), step].concat());
        assert_eq!(remainder, names(&Step::IntRemainder, Int32, Int32));
    }
}

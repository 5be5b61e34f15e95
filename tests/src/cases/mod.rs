//! Test cases as YAML tables.
//!
//! A row is one or, with `shapes`, several cases:
//!
//! ```yaml
//! - name: seed_signs
//!   api: fmod_tensor            # fmod_scalar, inplace_fmod_tensor, inplace_fmod_scalar
//!   self: { shape: [4], values: [5.3, -5.3, 5.3, -5.3] }
//!   other: { values: [2, 2, -2, -2] }   # shape and dtype as self when not given
//!   expect: [1.3000002, -1.3000002, 1.3000002, -1.3000002]   # else the golden model
//!   mode: exact                 # the V2 API with this precision; without it the plain API
//! ```
//!
//! Operands: `dtype`, `shape`, `strides`, `offset`, `storage` (dimensions, or `flat`), and one of `values`,
//! `fill: v`, `uniform: [low, high]` (with `seed`). `class: V05` fills self and other with a vector class.
//! Scalars: `scalar: { dtype: f64, value: 2 }`. Expected refusals: `status: 161002`, `names: other`.

mod table;

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::data::Data;
use crate::dtype::DynType;
use crate::generate::{self, Rng};
use crate::golden::Mode;
use crate::host::Operand;
use crate::layout::Layout;
use crate::scalar::Number;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    FmodTensor,
    FmodScalar,
    InplaceFmodTensor,
    InplaceFmodScalar,
}

impl Api {
    pub fn in_place(self) -> bool {
        matches!(self, Api::InplaceFmodTensor | Api::InplaceFmodScalar)
    }

    pub fn takes_scalar(self) -> bool {
        matches!(self, Api::FmodScalar | Api::InplaceFmodScalar)
    }
}

/// A checked case.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub api: Api,
    /// `None`: the API without a precision.
    pub mode: Option<Mode>,
    pub self_: Spec,
    pub other: Divisor,
    /// `None` for the in-place APIs.
    pub out: Option<Spec>,
    pub expect: Option<Vec<Value>>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub enum Divisor {
    Tensor(Spec),
    Scalar(Number),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Success,
    /// Phase one answers this status, with a message that contains `names`.
    Refusal {
        status: i32,
        names: Option<String>,
    },
}

/// A tensor argument.
#[derive(Clone, Debug)]
pub struct Spec {
    pub dtype: DynType,
    pub layout: Layout,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Nothing,
    Values(Vec<Value>),
    Fill(Value),
    Uniform { low: f64, high: f64, seed: u64 },
    Class { name: String, second: bool },
}

impl Spec {
    /// The tensor with its contents; the type is one that the operator computes with.
    pub fn operand(&self) -> Operand {
        let count = self.layout.numel();
        let dtype = self.dtype;
        let bits = match &self.content {
            Content::Nothing => vec![0; count],
            Content::Values(values) => values.iter().map(|value| value.bits(dtype)).collect(),
            Content::Fill(value) => vec![value.bits(dtype); count],
            Content::Uniform { low, high, seed } => {
                let mut rng = Rng::new(*seed);
                (0..count).map(|_| dtype.encode(rng.uniform(*low, *high))).collect()
            }
            Content::Class { name, second } => {
                let pairs = generate::class(name).unwrap_or_default(); // the name was checked with the table
                let pick = |pair: &(f32, f32)| dtype.encode(if *second { pair.1 } else { pair.0 }.into());
                pairs.iter().map(pick).collect()
            }
        };
        Operand::of(self.layout.clone(), &Data { dtype, bits })
    }
}

/// A number, or the bits of one as a string ("0x7f800001").
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Bits(u64),
}

impl Value {
    pub fn bits(self, dtype: DynType) -> u32 {
        match self {
            Value::Number(number) => dtype.encode(number),
            Value::Bits(bits) => bits as u32,
        }
    }
}

/// Reads a table. Errors start with `path:line:column:`.
pub fn load(path: &Path) -> Result<Vec<Case>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|(place, message)| match place {
        Some((line, column)) => format!("{}:{line}:{column}: {message}", path.display()),
        None => format!("{}: {message}", path.display()),
    })
}

type ParseError = (Option<(usize, usize)>, String);

fn parse(text: &str) -> Result<Vec<Case>, ParseError> {
    let rows: Vec<table::Row> = serde_yaml::from_str(text).map_err(|error| {
        let place = error.location().map(|place| (place.line(), place.column()));
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (place, message)
    })?;
    let cases: Vec<Case> = rows.into_iter().flat_map(|row| row.0).collect();
    for (index, case) in cases.iter().enumerate() {
        if cases[..index].iter().any(|earlier| earlier.name == case.name) {
            return Err((None, format!("two cases are called `{}`", case.name)));
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_shapes_is_several_cases() {
        let table = "- name: a\n  api: fmod_scalar\n  shapes: [[3], [], [2, 0]]\n  self: {uniform: [-1, 1]}\n  scalar: {dtype: i64, value: 2}\n";
        let cases = parse(table).unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["a/3", "a/scalar", "a/2x0"]);
        assert!(matches!(cases[0].other, Divisor::Scalar(Number::I64(2))));
        assert_eq!(cases[1].self_.operand().storage.len(), 1);
    }

    #[test]
    fn values_may_be_bits() {
        let table = "- name: a\n  api: inplace_fmod_tensor\n  self: {shape: [3], values: [\"0x7fa00001\", .inf, -0.0]}\n  other: {fill: 2}\n";
        let case = &parse(table).unwrap()[0];
        assert_eq!(case.self_.operand().storage.bits, [0x7fa0_0001, 0x7f80_0000, 0x8000_0000]);
        assert!(case.out.is_none());
    }

    #[track_caller]
    fn refused(table: &str, place: (usize, usize), text: &str) {
        let (at, message) = parse(table).unwrap_err();
        assert_eq!(at, Some(place), "{message}");
        assert!(message.contains(text), "{message}");
    }

    #[test]
    fn errors_have_a_place_and_a_reason() {
        let head = "- name: a\n  api: fmod_tensor\n";
        refused(&format!("{head}  self: {{shape: [2], vals: [1]}}\n"), (3, 22), "unknown field `vals`");
        refused(&format!("{head}  self: {{shape: [x]}}\n"), (3, 18), "expected i64");
        refused("- name: a\n  api: fmod\n", (2, 8), "unknown variant `fmod`");
        refused(
            &format!("{head}  self: {{shape: [2], values: [1]}}\n"),
            (1, 3),
            "case `a`: `self` has 1 values for shape [2]",
        );
        refused(&format!("{head}  class: V99\n"), (1, 3), "unknown class `V99`");
        refused(&format!("{head}  self: {{shape: [1], fill: abc}}\n"), (3, 28), "bits as a string");
    }
}

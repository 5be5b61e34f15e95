//! Operators of a model: names, types and shapes of what is between them, as far as they are known.

use std::collections::BTreeMap;

use crate::dtype::DType;
use crate::expr::Expr;

/// What is between operators.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// `None`: not known, or no type of a kernel.
    pub dtype: Option<DType>,
    /// `None`: not known.
    pub shape: Option<Vec<Expr>>,
    /// The elements of a constant, as literals; only of small ones.
    pub constant: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    Int(i64),
    Float(f32),
    Ints(Vec<i64>),
    Text(String),
    /// A subgraph, a tensor: of another operator's business.
    Other,
}

/// Names and meaning are those of ONNX.
#[derive(Clone, Debug)]
pub struct Operator {
    pub name: String,
    pub kind: String,
    /// Operands; one that is left out is empty.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub attrs: BTreeMap<String, Attr>,
    /// Values that a subgraph in it reads.
    pub captured: Vec<String>,
}

/// A graph of operators, each behind those whose results it reads.
#[derive(Clone, Debug, Default)]
pub struct Operators {
    pub name: String,
    pub values: BTreeMap<String, Value>,
    pub nodes: Vec<Operator>,
    pub outputs: Vec<String>,
}

impl Operator {
    pub fn int(&self, name: &str, default: i64) -> i64 {
        match self.attrs.get(name) {
            Some(Attr::Int(value)) => *value,
            _ => default,
        }
    }

    pub fn float(&self, name: &str, default: f32) -> f32 {
        match self.attrs.get(name) {
            Some(Attr::Float(value)) => *value,
            _ => default,
        }
    }

    /// An operand that is there.
    pub fn operand(&self, at: usize) -> Option<&str> {
        self.inputs.get(at).map(String::as_str).filter(|name| !name.is_empty())
    }

    pub fn reads(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().chain(&self.captured).map(String::as_str).filter(|name| !name.is_empty())
    }
}

impl Operators {
    /// A constant of one element.
    pub fn number(&self, name: &str) -> Option<&str> {
        match self.values.get(name)?.constant.as_deref() {
            Some([one]) => Some(one),
            _ => None,
        }
    }
}

/// TensorProto.DataType.BOOL, which is a byte 0 or 1 in a kernel.
pub const BOOL: i64 = 9;

/// The numbers of TensorProto.DataType.
const NUMBERS: [(i64, DType); 11] = [
    (1, DType::Float32),
    (2, DType::UInt8),
    (3, DType::Int8),
    (4, DType::UInt16),
    (5, DType::Int16),
    (6, DType::Int32),
    (7, DType::Int64),
    (10, DType::Float16),
    (12, DType::UInt32),
    (13, DType::UInt64),
    (16, DType::BFloat16),
];

/// Of a TensorProto.DataType.
pub fn onnx_dtype(number: i64) -> Option<DType> {
    let number = if number == BOOL { 2 } else { number };
    NUMBERS.iter().find(|row| row.0 == number).map(|row| row.1)
}

/// The TensorProto.DataType of it.
pub fn onnx_number(dtype: DType) -> i64 {
    NUMBERS.iter().find(|row| row.1 == dtype).map_or(0, |row| row.0)
}

/// Every bit of it.
pub fn literal(number: f32) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    f64::from(number).to_string()
}

/// A name of C++.
pub fn plain(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let clean = clean.trim_matches('_');
    if clean.is_empty() || clean.starts_with(|c: char| c.is_ascii_digit()) {
        format!("op_{clean}")
    } else {
        clean.to_owned()
    }
}

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

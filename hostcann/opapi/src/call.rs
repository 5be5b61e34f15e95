//! A call of an operator: what its table row says about the arguments, and the arguments.

use crate::data_type::DataType;
use crate::host;
use crate::kernels::{Map, Reduce};
use crate::view::{Memory, View, broadcast};
use hostcann_types::status;
use std::ffi::CStr;

pub struct Refusal {
    pub code: i32,
    pub text: String,
}

pub type Outcome<T> = Result<T, Refusal>;

macro_rules! refuse {
    ($($text:tt)+) => {
        return Err($crate::call::Refusal { code: ::hostcann_types::status::NN_PARAM_INVALID, text: format!($($text)+) })
    };
}
pub(crate) use refuse;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tensor,
    Out,
    /// Read and written.
    Ref,
    /// Integers of a type that the family checks.
    Labels,
    Tensors,
    /// Written, also where they are what is read.
    Outs,
    Scalar,
    Ints,
    Bools,
    Text,
    /// Numbers of the C ABI and data types.
    Integer,
    Real,
}

pub struct Param {
    pub name: &'static str,
    pub kind: Kind,
    pub optional: bool,
}

/// Makes the task of a call, after it has checked shapes and types.
pub enum Family {
    Map(&'static Map),
    /// The same for the tensors at each place of the lists.
    Foreach(&'static Map),
    Reduce(&'static Reduce),
    Other(fn(&Call) -> Outcome<Task>),
}

pub struct Operator {
    pub name: &'static CStr,
    pub params: &'static [Param],
    /// Of its tensors; those of outputs follow from the family.
    pub types: &'static [DataType],
    pub family: Family,
}

/// A scalar, as it was given.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Bool(bool),
    Integer(i64),
    Real(f64),
}

impl Number {
    pub fn real(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(u8::from(value)),
            Number::Integer(value) => value as f64,
            Number::Real(value) => value,
        }
    }
    pub fn integer(self) -> i64 {
        match self {
            Number::Bool(value) => i64::from(value),
            Number::Integer(value) => value,
            Number::Real(value) => value as i64,
        }
    }
}

#[derive(Clone)]
pub enum Value {
    Tensor(View),
    Tensors(Vec<View>),
    Number(Number),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
    Text(String),
    Absent,
}

pub struct Call {
    pub operator: &'static Operator,
    pub values: Vec<Value>,
}

pub type Run = Box<dyn Fn(Memory) -> Result<(), String> + Send + Sync>;

/// What phase 2 does.
pub struct Task {
    pub run: Run,
    /// The run writes the rank and the dims of the output into one more slot.
    pub computes_shape: bool,
}

impl Task {
    pub fn new(run: impl Fn(Memory) + Send + Sync + 'static) -> Outcome<Task> {
        let run = move |memory: Memory| {
            run(memory);
            Ok(())
        };
        Ok(Task { run: Box::new(run), computes_shape: false })
    }

    /// With a run that may fail where it sees the data.
    pub fn fallible(run: impl Fn(Memory) -> Result<(), String> + Send + Sync + 'static) -> Outcome<Task> {
        Ok(Task { run: Box::new(run), computes_shape: false })
    }
}

impl Call {
    pub fn value(&self, name: &str) -> Outcome<&Value> {
        let found = self.operator.params.iter().position(|param| param.name == name);
        found.map(|at| &self.values[at]).ok_or_else(|| self.misfit(name))
    }

    fn misfit(&self, name: &str) -> Refusal {
        let text =
            format!("hostcann/opapi/operators.txt: {:?} has no parameter {name} of this kind", self.operator.name);
        Refusal { code: status::NN_NULLPTR, text }
    }

    pub fn tensor(&self, name: &str) -> Outcome<&View> {
        self.tensor_or_none(name)?.ok_or_else(|| self.misfit(name))
    }

    pub fn tensor_or_none(&self, name: &str) -> Outcome<Option<&View>> {
        match self.value(name)? {
            Value::Tensor(view) => Ok(Some(view)),
            Value::Absent => Ok(None),
            _ => Err(self.misfit(name)),
        }
    }

    pub fn tensors(&self, name: &str) -> Outcome<&[View]> {
        match self.value(name)? {
            Value::Tensors(views) => Ok(views),
            _ => Err(self.misfit(name)),
        }
    }

    pub fn ints(&self, name: &str) -> Outcome<&[i64]> {
        match self.value(name)? {
            Value::Ints(values) => Ok(values),
            Value::Absent => Ok(&[]),
            _ => Err(self.misfit(name)),
        }
    }

    /// Whether a result is asked for, by its place in the mask; an absent mask asks for all.
    pub fn wanted(&self, name: &str, place: usize) -> Outcome<bool> {
        match self.value(name)? {
            Value::Bools(flags) => Ok(flags.get(place).copied().unwrap_or(true)),
            Value::Absent => Ok(true),
            _ => Err(self.misfit(name)),
        }
    }

    pub fn text(&self, name: &str) -> Outcome<&str> {
        match self.value(name)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.misfit(name)),
        }
    }

    pub fn number(&self, name: &str) -> Outcome<Number> {
        match self.value(name)? {
            Value::Number(number) => Ok(*number),
            _ => Err(self.misfit(name)),
        }
    }

    pub fn integer(&self, name: &str) -> Outcome<i64> {
        Ok(self.number(name)?.integer())
    }

    pub fn flag(&self, name: &str) -> Outcome<bool> {
        Ok(self.integer(name)? != 0)
    }

    /// The data type that a parameter names, of those that lanes have.
    pub fn data_type(&self, name: &str) -> Outcome<DataType> {
        let value = self.integer(name)?;
        match i32::try_from(value).ok().and_then(DataType::from_abi) {
            Some(data_type) => Ok(data_type),
            None => refuse!("argument [{name}]: data type {value} is not supported by the host's operators"),
        }
    }

    /// The output, or what is overwritten, and its parameter's name.
    pub fn result(&self) -> Outcome<(&'static str, &View)> {
        let params = self.operator.params.iter().zip(&self.values);
        for (param, value) in params {
            if let (Kind::Out | Kind::Ref | Kind::Outs, Value::Tensor(view)) = (param.kind, value) {
                return Ok((param.name, view));
            }
        }
        Err(self.misfit("out"))
    }

    pub fn expect_dims(&self, name: &str, view: &View, dims: &[i64]) -> Outcome<()> {
        if view.dims != dims {
            refuse!("argument [{name}]: expected shape {dims:?}, got {:?}", view.dims);
        }
        Ok(())
    }

    pub fn expect_type(&self, name: &str, view: &View, data_type: DataType) -> Outcome<()> {
        if view.data_type != data_type {
            refuse!("argument [{name}]: expected data type {}, got {}", data_type.name(), view.data_type.name());
        }
        Ok(())
    }

    /// A dim, counted from the end when negative; a tensor without dims has one.
    pub fn dim(&self, name: &str, view: &View, dim: i64) -> Outcome<usize> {
        let rank = view.dims.len().max(1) as i64;
        if !(-rank..rank).contains(&dim) {
            refuse!("argument [{name}]: expected a dim from {} to {}, got {dim}", -rank, rank - 1);
        }
        Ok(((dim + rank) % rank) as usize)
    }
}

/// The shape that all broadcast to.
pub fn broadcast_all<'a>(shapes: impl Iterator<Item = (&'static str, &'a View)>) -> Outcome<Vec<i64>> {
    let mut dims = Vec::new();
    for (name, view) in shapes {
        match broadcast(&dims, &view.dims) {
            Some(both) => dims = both,
            None => refuse!("argument [{name}]: shape {:?} cannot be broadcast with {dims:?}", view.dims),
        }
    }
    Ok(dims)
}

/// aclnn's promotion (page "deduction relationship").
pub fn promote(a: DataType, b: DataType) -> Outcome<DataType> {
    // SAFETY: a function of two numbers.
    let promoted = unsafe { host::hc_promote_type(a.abi(), b.abi()) };
    match DataType::from_abi(promoted) {
        Some(data_type) => Ok(data_type),
        None => refuse!("data types {} and {} cannot be promoted to one", a.name(), b.name()),
    }
}

pub fn expect_cast(name: &str, from: DataType, to: DataType) -> Outcome<()> {
    // SAFETY: a function of two numbers.
    if unsafe { host::hc_can_cast(from.abi(), to.abi()) } == 0 {
        refuse!("argument [{name}]: a result of data type {} cannot be cast to {}", from.name(), to.name());
    }
    Ok(())
}

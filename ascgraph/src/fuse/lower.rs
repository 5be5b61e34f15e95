//! One operator of a model as a graph of AscIR nodes over the axes of its operands.

use super::emit::{Emit, Part};
use super::graph::{Attr, BOOL, Operator, Operators, literal, onnx_dtype};
use crate::check;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::model::Graph;

/// What an operator becomes.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub graph: Graph,
    /// The values that its Data are, by index.
    pub inputs: Vec<String>,
    pub dtype: DType,
    pub shape: Vec<Expr>,
}

const UNARY: &[(&str, &str)] = &[
    ("Abs", "Abs"),
    ("Neg", "Neg"),
    ("Relu", "Relu"),
    ("Exp", "Exp"),
    ("Log", "Ln"),
    ("Sqrt", "Sqrt"),
    ("Reciprocal", "Reciprocal"),
    ("Sigmoid", "Sigmoid"),
    ("Tanh", "Tanh"),
    ("Sign", "Sign"),
    ("IsNaN", "Isnan"),
    ("Not", "LogicalNot"),
];

const BINARY: &[(&str, &str)] = &[
    ("Add", "Add"),
    ("Sub", "Sub"),
    ("Mul", "Mul"),
    ("Div", "Div"),
    ("And", "LogicalAnd"),
    ("Or", "LogicalOr"),
    ("Equal", "Eq"),
    ("Greater", "Gt"),
    ("GreaterOrEqual", "Ge"),
    ("Less", "Lt"),
    ("LessOrEqual", "Le"),
];

/// Any number of operands, one after the other.
const FOLDED: &[(&str, &str)] = &[("Sum", "Add"), ("Max", "Maximum"), ("Min", "Minimum")];

const REDUCED: &[(&str, &str)] =
    &[("ReduceSum", "Sum"), ("ReduceMean", "Mean"), ("ReduceMax", "Max"), ("ReduceMin", "Min")];

const OTHERS: &[&str] =
    &["Cast", "Clip", "HardSigmoid", "LayerNormalization", "LeakyRelu", "Mod", "Pow", "Softmax", "Where"];

fn named(table: &'static [(&str, &str)], kind: &str) -> Option<&'static str> {
    table.iter().find(|row| row.0 == kind).map(|row| row.1)
}

/// Operators that have a lowering, in the order of their names.
pub fn kinds() -> Vec<&'static str> {
    let tables = [UNARY, BINARY, FOLDED, REDUCED].into_iter().flatten().map(|row| row.0);
    let mut all: Vec<&str> = tables.chain(OTHERS.iter().copied()).collect();
    all.sort_unstable();
    all
}

/// Is its result a bool of the model, which is a byte in a kernel?
pub fn makes_bool(kind: &str) -> bool {
    let masks = ["Isnan", "LogicalNot", "LogicalAnd", "LogicalOr", "Eq", "Gt", "Ge", "Lt", "Le"];
    named(UNARY, kind).or_else(|| named(BINARY, kind)).is_some_and(|to| masks.contains(&to))
}

/// The graph of one operator; types and shapes of its operands are known before.
///
/// # Errors
///
/// Why it has none.
pub fn lower(node: &Operator, all: &Operators) -> Result<Lowered, String> {
    if !kinds().contains(&node.kind.as_str()) {
        return Err(format!("{} has no lowering", node.kind));
    }
    let extra = node.outputs.iter().skip(1).filter(|output| !output.is_empty()).count();
    let [output, ..] = node.outputs.as_slice() else { return Err("it has no result".to_owned()) };
    if extra > 0 {
        return Err(format!("a lowering of {} has one result, and {output} is not the only one", node.kind));
    }
    let mut shape = Vec::new();
    for name in node.reads() {
        let value = all.values.get(name);
        let known = value.and_then(|value| value.shape.as_ref());
        let known = known.ok_or_else(|| format!("the shape of {name} is not known"))?;
        if value.is_none_or(|value| value.dtype.is_none()) {
            return Err(format!("the data type of {name} is not known, or none of a kernel"));
        }
        if !is_parameter(node, name) {
            shape = broadcast(&shape, known).map_err(|why| format!("{why} ({name})"))?;
        }
    }
    let mut emit = Emit::new(node, all, &shape);
    let (result, shape) = emit.operator(node, &shape)?;
    let dtype = emit.dtype(result.id).ok_or_else(|| format!("{} has no such data types", node.kind))?;
    let graph = emit.finish(&result, dtype);
    let findings = check::check(&graph.0);
    if let Some(finding) = check::errors(&findings).next() {
        return Err(format!("its graph breaks a rule: {finding}"));
    }
    Ok(Lowered { graph: graph.0, inputs: graph.1, dtype, shape })
}

/// Operands that are no tensors of the kernel: axes of a reduction, bounds, exponents.
fn is_parameter(node: &Operator, name: &str) -> bool {
    let at = |place: usize| node.operand(place) == Some(name) && node.operand(0) != Some(name);
    let reduced = named(REDUCED, &node.kind).is_some();
    match node.kind.as_str() {
        "Clip" => at(1) || at(2),
        "Pow" => at(1),
        "LayerNormalization" => false,
        _ => reduced && at(1),
    }
}

/// As ONNX has it: aligned at the last dimension.
fn broadcast(a: &[Expr], b: &[Expr]) -> Result<Vec<Expr>, String> {
    let rank = a.len().max(b.len());
    let at = |dims: &[Expr], axis: usize| {
        (axis + dims.len()).checked_sub(rank).map_or_else(|| Expr::from(1), |axis| dims[axis].clone())
    };
    let one = |axis: usize| {
        let (a, b) = (at(a, axis), at(b, axis));
        if a == b || b.is(1) {
            return Ok(a);
        }
        if a.is(1) { Ok(b) } else { Err(format!("{a} and {b} are not known to broadcast")) }
    };
    (0..rank).map(one).collect()
}

impl Emit<'_> {
    /// The result and its shape.
    fn operator(&mut self, node: &Operator, shape: &[Expr]) -> Result<(Part, Vec<Expr>), String> {
        let kind = node.kind.as_str();
        if let Some(to) = named(REDUCED, kind) {
            let axes = self.reduced_axes(node, shape.len())?;
            let x = self.operand(node, 0)?;
            let result = self.reduce(to, &x, &axes)?;
            let keep = node.int("keepdims", 1) != 0;
            let dims = shape.iter().enumerate().filter(|(axis, _)| keep || !axes.contains(axis));
            let one = |axis: &usize| axes.contains(axis);
            return Ok((result, dims.map(|(axis, dim)| if one(&axis) { 1.into() } else { dim.clone() }).collect()));
        }
        let result = if let Some(to) = named(UNARY, kind) {
            let x = self.operand(node, 0)?;
            self.apply(to, &[&x])?
        } else if let Some(to) = named(BINARY, kind) {
            let (a, b) = (self.operand(node, 0)?, self.operand(node, 1)?);
            self.apply(to, &[&a, &b])?
        } else if let Some(to) = named(FOLDED, kind) {
            let mut result = self.operand(node, 0)?;
            for at in 1..node.inputs.len() {
                let next = self.operand(node, at)?;
                result = self.apply(to, &[&result, &next])?;
            }
            if node.inputs.len() == 1 {
                return Err(format!("{kind} of one operand computes nothing"));
            }
            result
        } else {
            self.composed(node, shape.len())?
        };
        Ok((result, shape.to_vec()))
    }

    fn composed(&mut self, node: &Operator, rank: usize) -> Result<Part, String> {
        let x = self.operand(node, 0)?;
        match node.kind.as_str() {
            "Cast" => self.cast(node, &x),
            "Clip" => self.clip(node, x),
            "HardSigmoid" => {
                let part = self.with("Mul", &x, node.float("alpha", 0.2))?;
                let part = self.with("Add", &part, node.float("beta", 0.5))?;
                let part = self.with("Minimum", &part, 1.0)?;
                self.with("Maximum", &part, 0.0)
            }
            "LeakyRelu" => {
                let small = self.with("Mul", &x, node.float("alpha", 0.01))?;
                let zero = self.constant(&x, 0.0);
                let is_large = self.apply("Ge", &[&x, &zero])?;
                self.apply("Where", &[&is_large, &x, &small])
            }
            "Mod" => {
                let y = self.operand(node, 1)?;
                self.apply(if node.int("fmod", 0) == 1 { "Fmod" } else { "Remainder" }, &[&x, &y])
            }
            "Pow" => {
                let exponent = node.operand(1).and_then(|name| self.all.number(name));
                let shape = node.operand(1).and_then(|name| self.all.values[name].shape.as_ref());
                if exponent.is_some() && shape.is_some_and(|shape| shape.len() > rank) {
                    return Err("its exponent has more dimensions than its base".to_owned());
                }
                match exponent.and_then(|text| text.parse::<f32>().ok()) {
                    Some(2.0) => self.apply("Mul", &[&x, &x]),
                    Some(0.5) => self.apply("Sqrt", &[&x]),
                    Some(-1.0) => self.apply("Reciprocal", &[&x]),
                    _ => Err("a lowering has exponents 2, 0.5 and -1, each a constant".to_owned()),
                }
            }
            "Softmax" => {
                let axes = last(node.int("axis", -1), rank)?;
                let max = self.reduce("Max", &x, &axes)?;
                let part = self.apply("Sub", &[&x, &max])?;
                let part = self.apply("Exp", &[&part])?;
                let sum = self.reduce("Sum", &part, &axes)?;
                self.apply("Div", &[&part, &sum])
            }
            "LayerNormalization" => {
                let axes = last(node.int("axis", -1), rank)?;
                let mean = self.reduce("Mean", &x, &axes)?;
                let part = self.apply("Sub", &[&x, &mean])?;
                let square = self.apply("Mul", &[&part, &part])?;
                let variance = self.reduce("Mean", &square, &axes)?;
                let variance = self.with("Add", &variance, node.float("epsilon", 1e-5))?;
                let root = self.apply("Sqrt", &[&variance])?;
                let part = self.apply("Div", &[&part, &root])?;
                let scale = self.operand(node, 1)?;
                let part = self.apply("Mul", &[&part, &scale])?;
                if node.operand(2).is_none() {
                    return Ok(part);
                }
                let bias = self.operand(node, 2)?;
                self.apply("Add", &[&part, &bias])
            }
            _ => {
                let (a, b) = (self.operand(node, 1)?, self.operand(node, 2)?);
                self.apply("Where", &[&x, &a, &b])
            }
        }
    }

    fn cast(&mut self, node: &Operator, x: &Part) -> Result<Part, String> {
        let Some(to) = onnx_dtype(node.int("to", 0)).filter(|_| node.int("to", 0) != BOOL) else {
            return Err(format!("a kernel has no Cast to ONNX's type {}", node.int("to", 0)));
        };
        let from = self.dtype(x.id).unwrap_or(to);
        if !crate::ir::find("Cast").is_some_and(|ir| ir.takes(&[from], to)) {
            return Err(format!("AscIR has no Cast of {from} to {to}"));
        }
        // ONNX drops what is behind the point, and an AscIR Cast to an integer does, too: both saturate in their own way.
        Ok(self.node("Cast", &[x.id], &x.wide, Some(to)))
    }

    fn clip(&mut self, node: &Operator, x: Part) -> Result<Part, String> {
        let mut part = x;
        for (at, kind, name) in [(1, "Maximum", "min"), (2, "Minimum", "max")] {
            let bound = match (node.operand(at), node.attrs.get(name)) {
                (Some(value), _) => match self.all.number(value) {
                    Some(number) => number.to_owned(),
                    None => return Err(format!("its {name} is no constant")),
                },
                (None, Some(Attr::Float(value))) => literal(*value),
                _ => continue,
            };
            let dtype = self.dtype(part.id).unwrap_or(DType::Float32);
            let bound = self.number(&bound, dtype);
            part = self.apply(kind, &[&part, &bound])?;
        }
        Ok(part)
    }

    /// Of an attribute or of a constant operand; none are all.
    fn reduced_axes(&self, node: &Operator, rank: usize) -> Result<Vec<usize>, String> {
        let given: Option<Vec<i64>> = match (node.operand(1), node.attrs.get("axes")) {
            (Some(name), _) => {
                let literals = self.all.values[name].constant.as_ref();
                let literals = literals.ok_or_else(|| "its axes are no constant".to_owned())?;
                Some(literals.iter().filter_map(|text| text.parse().ok()).collect())
            }
            (None, Some(Attr::Ints(axes))) => Some(axes.clone()),
            _ => None,
        };
        if given.as_ref().is_none_or(Vec::is_empty) && node.int("noop_with_empty_axes", 0) != 0 {
            return Err("it reduces nothing".to_owned());
        }
        let all = || (0..rank as i64).collect();
        let axes = given.filter(|axes| !axes.is_empty()).unwrap_or_else(all);
        let place = |axis: &i64| usize::try_from(if *axis < 0 { axis + rank as i64 } else { *axis }).ok();
        let axes: Option<Vec<usize>> = axes.iter().map(|axis| place(axis).filter(|axis| *axis < rank)).collect();
        axes.ok_or_else(|| format!("its axes are not those of {rank} dimensions"))
    }
}

/// The axes from one on, which have to be the last one alone.
fn last(axis: i64, rank: usize) -> Result<Vec<usize>, String> {
    match usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }) {
        Ok(axis) if axis + 1 == rank => Ok(vec![axis]),
        _ => Err(format!("it goes along axis {axis} of {rank}; a lowering has the last one")),
    }
}

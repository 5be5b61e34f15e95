//! ONNX models: the messages of onnx.proto as far as they are read, by their field numbers, and the operators in them.

use std::collections::{BTreeMap, BTreeSet};

use half::{bf16, f16};
use prost::Message;

use super::graph::{Attr, Operator, Operators, Value, literal as number, onnx_dtype, plain};
use crate::dtype::DType;
use crate::expr::Expr;

/// Elements that a constant has at most whose values are looked at: axes, bounds, numbers.
const SMALL: i64 = 16;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Model {
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphMessage>,
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<Opset>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Opset {
    #[prost(string, tag = "1")]
    pub domain: String,
    #[prost(int64, tag = "2")]
    pub version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GraphMessage {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeMessage>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<Info>,
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<Info>,
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<Info>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NodeMessage {
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(float, tag = "2")]
    pub f: f32,
    #[prost(int64, tag = "3")]
    pub i: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub s: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub t: Option<Tensor>,
    #[prost(message, optional, tag = "6")]
    pub g: Option<GraphMessage>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphMessage>,
    /// AttributeType: 1 is f, 2 is i, 3 is s, 7 is ints.
    #[prost(int32, tag = "20")]
    pub kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Tensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    int32_data: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub raw_data: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Info {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub kind: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Type {
    #[prost(message, optional, tag = "1")]
    pub tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorType {
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dim>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Dim {
    #[prost(int64, optional, tag = "1")]
    pub value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub param: Option<String>,
}

/// The operators of a model.
///
/// # Errors
///
/// The bytes are no ONNX model, or it is of an opset whose operators mean something else.
pub fn read(bytes: &[u8]) -> Result<Operators, String> {
    let model = Model::decode(bytes).map_err(|error| format!("no ONNX model: {error}"))?;
    let graph = model.graph.ok_or("no ONNX model: it has no graph")?;
    let standard = |opset: &&Opset| matches!(opset.domain.as_str(), "" | "ai.onnx");
    let opset = model.opset_import.iter().find(standard).map_or(1, |opset| opset.version);
    if opset < 7 {
        return Err(format!(
            "a model of opset {opset}; operators broadcast as here from opset 7 on: convert the model"
        ));
    }
    let mut all = Operators { name: plain(&graph.name), ..Operators::default() };
    for tensor in &graph.initializer {
        all.values.insert(tensor.name.clone(), constant(tensor));
    }
    let inputs: BTreeSet<&str> = graph.input.iter().map(|info| info.name.as_str()).collect();
    for info in graph.input.iter().chain(&graph.value_info).chain(&graph.output) {
        let value = value(info, inputs.contains(info.name.as_str()));
        all.values.entry(info.name.clone()).or_insert(value);
    }
    all.outputs = graph.output.iter().map(|info| info.name.clone()).collect();
    for (at, node) in graph.node.into_iter().enumerate() {
        let tensor = node.attribute.iter().find(|attribute| attribute.name == "value").and_then(|a| a.t.as_ref());
        if let ("Constant", Some(tensor), Some(output)) = (node.op_type.as_str(), tensor, node.output.first()) {
            all.values.insert(output.clone(), constant(tensor));
            continue;
        }
        all.nodes.push(operator(node, at, opset));
    }
    in_order(&all.nodes)?;
    Ok(all)
}

/// Each result is made once, and behind what it is made of.
fn in_order(nodes: &[Operator]) -> Result<(), String> {
    let mut makers: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            if let Some(other) = makers.insert(output, at) {
                return Err(format!("no ONNX model: {} and {} make {output}", nodes[other].name, node.name));
            }
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        for input in &node.inputs {
            if let Some(maker) = makers.get(input.as_str()).filter(|maker| **maker >= at) {
                let maker = &nodes[*maker].name;
                return Err(format!(
                    "no ONNX model: {} reads {input}, and {maker}, which makes it, is not in front of it",
                    node.name
                ));
            }
        }
    }
    Ok(())
}

fn operator(node: NodeMessage, at: usize, opset: i64) -> Operator {
    let mut attrs = BTreeMap::new();
    let mut captured = BTreeSet::new();
    for attribute in node.attribute {
        attribute.g.iter().chain(&attribute.graphs).for_each(|graph| capture(graph, &mut captured));
        let value = match attribute.kind {
            1 => Attr::Float(attribute.f),
            2 => Attr::Int(attribute.i),
            3 => Attr::Text(String::from_utf8_lossy(&attribute.s).into_owned()),
            7 => Attr::Ints(attribute.ints),
            _ => Attr::Other,
        };
        attrs.insert(attribute.name, value);
    }
    // The default of its axis was another one.
    if node.op_type == "Softmax" && opset < 13 {
        attrs.entry("axis".to_owned()).or_insert(Attr::Int(1));
    }
    let kind = if matches!(node.domain.as_str(), "" | "ai.onnx") {
        node.op_type
    } else {
        format!("{}::{}", node.domain, node.op_type)
    };
    let name = if node.name.is_empty() { format!("{kind}_{at}") } else { node.name };
    Operator { name, kind, inputs: node.input, outputs: node.output, attrs, captured: captured.into_iter().collect() }
}

/// Whatever a subgraph reads, its own values too, which nobody else has.
pub(super) fn capture(graph: &GraphMessage, names: &mut BTreeSet<String>) {
    for node in &graph.node {
        names.extend(node.input.iter().cloned());
        let inner = node.attribute.iter().flat_map(|attribute| attribute.g.iter().chain(&attribute.graphs));
        inner.for_each(|graph| capture(graph, names));
    }
    names.extend(graph.output.iter().map(|info| info.name.clone()));
}

/// A dimension without a name is a symbol of its own in an input, and elsewhere not known.
fn value(info: &Info, is_input: bool) -> Value {
    let Some(tensor) = info.kind.as_ref().and_then(|kind| kind.tensor.as_ref()) else { return Value::default() };
    let dim = |(axis, dim): (usize, &Dim)| match (dim.value, dim.param.as_deref()) {
        (Some(value), _) => Some(Expr::from(value)),
        (None, Some(name)) if !name.is_empty() => Some(Expr::symbol(&plain(name))),
        _ => is_input.then(|| Expr::symbol(&format!("{}_{axis}", plain(&info.name)))),
    };
    let shape = tensor.shape.as_ref().and_then(|shape| shape.dim.iter().enumerate().map(dim).collect());
    Value { dtype: onnx_dtype(tensor.elem_type.into()), shape, constant: None }
}

fn constant(tensor: &Tensor) -> Value {
    let shape = tensor.dims.iter().map(|dim| Expr::from(*dim)).collect();
    let dtype = onnx_dtype(tensor.data_type.into());
    let count = tensor.dims.iter().try_fold(1_i64, |all, dim| all.checked_mul(*dim)).unwrap_or(i64::MAX);
    let constant = dtype.filter(|_| (1..=SMALL).contains(&count)).and_then(|dtype| elements(tensor, dtype));
    let constant = constant.filter(|literals| literals.len() as i64 == count);
    Value { dtype, shape: Some(shape), constant }
}

/// Literals of a tensor; `None` of one whose values lie in another file.
fn elements(tensor: &Tensor, dtype: DType) -> Option<Vec<String>> {
    let raw = &tensor.raw_data;
    if !raw.is_empty() {
        return raw.chunks(dtype.size()).map(|bytes| literal(bytes, dtype)).collect();
    }
    Some(match dtype {
        DType::Float32 => tensor.float_data.iter().map(|value| number(*value)).collect(),
        DType::Int64 => tensor.int64_data.iter().map(i64::to_string).collect(),
        DType::Float16 | DType::BFloat16 => {
            let bits = tensor.int32_data.iter().map(|bits| literal(&(*bits as u16).to_le_bytes(), dtype));
            return bits.collect();
        }
        DType::UInt32 | DType::UInt64 => return None,
        _ => tensor.int32_data.iter().map(i32::to_string).collect(),
    })
}

fn literal(bytes: &[u8], dtype: DType) -> Option<String> {
    let two = || Some(u16::from_le_bytes(bytes.try_into().ok()?));
    Some(match dtype {
        DType::Float32 => number(f32::from_le_bytes(bytes.try_into().ok()?)),
        DType::Float16 => number(f16::from_bits(two()?).to_f32()),
        DType::BFloat16 => number(bf16::from_bits(two()?).to_f32()),
        DType::Int64 => i64::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::UInt64 => u64::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::Int32 => i32::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::UInt32 => u32::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::Int16 => i16::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::UInt16 => two()?.to_string(),
        DType::Int8 => i8::from_le_bytes(bytes.try_into().ok()?).to_string(),
        DType::UInt8 => u8::from_le_bytes(bytes.try_into().ok()?).to_string(),
    })
}

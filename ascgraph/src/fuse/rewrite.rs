//! A model with fused operators in the place of its own: all else in it stays as it is, byte for byte.

use std::collections::BTreeSet;

use prost::Message;
use prost::encoding::{DecodeContext, decode_key, decode_varint, encode_key, encode_varint, skip_field};

use super::graph::{BOOL, Value, onnx_number};
use super::lower::makes_bool;
use super::onnx::{Attribute, Dim, GraphMessage, Info, Model, NodeMessage, Opset, Shape, TensorType, Type, capture};
use super::{Fused, Operators};

/// The domain of the new nodes, and its version.
pub const DOMAIN: &str = "ascend";
const OPSET: i64 = 1;

/// A node `ascend::Fused` that takes the place of the operators of `fused`.
#[derive(Debug)]
pub struct Node<'a> {
    pub fused: &'a Fused,
    pub interface: String,
    pub input_dims: String,
    pub output_dims: String,
}

/// The model of these bytes, which `all` was read from, with the new nodes.
///
/// # Errors
///
/// The bytes are no model, or the new nodes wait for each other.
pub fn rewrite(bytes: &[u8], all: &Operators, new: &[Node]) -> Result<Vec<u8>, String> {
    let model = Model::decode(bytes).map_err(|error| error.to_string())?;
    let graph = model.graph.unwrap_or_default();
    let mut result = Vec::new();
    for (tag, field) in fields(bytes)? {
        match tag {
            7 => put(&mut result, 7, &rewrite_graph(content(field)?, &graph, all, new)?),
            _ => result.extend(field),
        }
    }
    if model.opset_import.iter().all(|opset| opset.domain != DOMAIN) {
        put(&mut result, 8, &Opset { domain: DOMAIN.to_owned(), version: OPSET }.encode_to_vec());
    }
    Ok(result)
}

/// A node as it is in the file, what it reads, and what it makes.
struct Waiting {
    bytes: Vec<u8>,
    reads: Vec<String>,
    makes: Vec<String>,
}

fn rewrite_graph(bytes: &[u8], graph: &GraphMessage, all: &Operators, new: &[Node]) -> Result<Vec<u8>, String> {
    let (mut waiting, mut others) = (Vec::new(), Vec::new());
    let mut nodes = graph.node.iter();
    for (tag, field) in fields(bytes)? {
        let node = if tag == 1 { nodes.next() } else { None };
        let Some(node) = node else {
            others.extend(field);
            continue;
        };
        let made = node.output.first();
        match new.iter().find(|new| made.is_some_and(|made| new.fused.results.contains(made))) {
            // Where the last of its operators is.
            Some(new) if new.fused.results.last() == made => waiting.push(added(new)),
            Some(_) => {}
            None => waiting.push(kept(content(field)?.to_vec(), node)),
        }
    }
    let known: BTreeSet<&str> = graph.value_info.iter().chain(&graph.output).map(|info| info.name.as_str()).collect();
    for name in new.iter().flat_map(|new| &new.fused.outputs).filter(|name| !known.contains(name.as_str())) {
        put(&mut others, 13, &info(name, all).encode_to_vec());
    }
    let mut result = Vec::new();
    for node in in_order(waiting)? {
        put(&mut result, 1, &node);
    }
    result.extend(others);
    Ok(result)
}

fn kept(bytes: Vec<u8>, node: &NodeMessage) -> Waiting {
    let mut captured = BTreeSet::new();
    let inner = node.attribute.iter().flat_map(|attribute| attribute.g.iter().chain(&attribute.graphs));
    inner.for_each(|graph| capture(graph, &mut captured));
    Waiting { bytes, reads: node.input.iter().cloned().chain(captured).collect(), makes: node.output.clone() }
}

fn added(new: &Node) -> Waiting {
    let Fused { name, inputs, outputs, .. } = new.fused;
    let text = |name: &str, value: &str| Attribute {
        name: name.to_owned(),
        s: value.as_bytes().to_vec(),
        kind: 3,
        ..Attribute::default()
    };
    let node = NodeMessage {
        input: inputs.clone(),
        output: outputs.clone(),
        name: name.clone(),
        op_type: "Fused".to_owned(),
        attribute: vec![
            text("interface", &new.interface),
            text("input_dims", &new.input_dims),
            text("output_dims", &new.output_dims),
        ],
        domain: DOMAIN.to_owned(),
    };
    Waiting { bytes: node.encode_to_vec(), reads: inputs.clone(), makes: outputs.clone() }
}

/// Every node behind those that it reads, and otherwise as they are.
fn in_order(mut waiting: Vec<Waiting>) -> Result<Vec<Vec<u8>>, String> {
    let mut missing: BTreeSet<String> = waiting.iter().flat_map(|node| node.makes.iter().cloned()).collect();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut later = Vec::new();
        for node in waiting {
            if node.reads.iter().any(|name| missing.contains(name)) {
                later.push(node);
                continue;
            }
            missing.retain(|name| !node.makes.contains(name));
            order.push(node.bytes);
        }
        waiting = later;
        if waiting.len() == before {
            return Err("its fused operators would wait for each other".to_owned());
        }
    }
    Ok(order)
}

/// The type and shape of a result, which those of no schema are.
fn info(name: &str, all: &Operators) -> Info {
    let Value { dtype, shape, .. } = all.values.get(name).cloned().unwrap_or_default();
    let maker = all.nodes.iter().find(|node| node.outputs.iter().any(|output| output == name));
    let elem_type = match dtype {
        _ if maker.is_some_and(|node| makes_bool(&node.kind)) => BOOL,
        Some(dtype) => onnx_number(dtype),
        None => 0,
    };
    let dim = |size: &crate::expr::Expr| match size.constant() {
        Some(value) => Dim { value: Some(value), param: None },
        None => Dim { value: None, param: Some(size.to_string()) },
    };
    let shape = shape.map(|shape| Shape { dim: shape.iter().map(dim).collect() });
    let tensor = Some(TensorType { elem_type: elem_type as i32, shape });
    Info { name: name.to_owned(), kind: Some(Type { tensor }) }
}

/// The fields of a message: their numbers, and their bytes with number and length.
fn fields(mut bytes: &[u8]) -> Result<Vec<(u32, &[u8])>, String> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let before = bytes;
        let (tag, wire) = decode_key(&mut bytes).map_err(|error| error.to_string())?;
        skip_field(wire, tag, &mut bytes, DecodeContext::default()).map_err(|error| error.to_string())?;
        all.push((tag, &before[..before.len() - bytes.len()]));
    }
    Ok(all)
}

/// Behind number and length.
fn content(mut field: &[u8]) -> Result<&[u8], String> {
    decode_key(&mut field).and_then(|_| decode_varint(&mut field)).map_err(|error| error.to_string())?;
    Ok(field)
}

fn put(to: &mut Vec<u8>, tag: u32, message: &[u8]) {
    encode_key(tag, prost::encoding::WireType::LengthDelimited, to);
    encode_varint(message.len() as u64, to);
    to.extend(message);
}

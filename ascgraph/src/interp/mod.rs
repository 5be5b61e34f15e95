//! What a hint graph computes: every node by itself, over all iterations of the schedule, rounded after each node. And
//! what its impl graph computes: [`run_tiles`].

mod choice;
mod nodes;
mod parts;
mod tiles;

use std::collections::BTreeMap;
use std::fmt;

use crate::dtype::DType;
use crate::expr::Values;
use crate::ir::{self, ComputeType};
use crate::literal;
use crate::model::{AttrValue, AxisId, Graph, Node, NodeId};
use crate::schedule::orders;
use crate::value::{self, Along};

pub use choice::{choose, price, tiling};
pub use tiles::run_tiles;

/// A dense tensor, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub dtype: DType,
    pub bytes: Vec<u8>,
}

impl Buffer {
    pub fn zeros(dtype: DType, length: usize) -> Buffer {
        Buffer { dtype, bytes: vec![0; length * dtype.size()] }
    }

    pub fn of_f32(values: &[f32]) -> Buffer {
        Buffer { dtype: DType::Float32, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<u64> {
        let size = self.dtype.size();
        let bytes = self.bytes.get(at.checked_mul(size)?..(at + 1).checked_mul(size)?)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn set(&mut self, at: usize, value: u64) -> bool {
        let size = self.dtype.size();
        match self.bytes.get_mut(at * size..(at + 1) * size) {
            Some(bytes) => {
                bytes.copy_from_slice(&value.to_le_bytes()[..size]);
                true
            }
            None => false,
        }
    }
}

/// What stops a run, with the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    pub node: String,
    pub message: String,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.node, self.message)
    }
}

impl std::error::Error for RunError {}

#[derive(Debug)]
pub struct Ran {
    /// By the index of the Output.
    pub outputs: BTreeMap<i64, Buffer>,
    /// How often the loop nest of each node ran.
    pub iterations: BTreeMap<String, u64>,
}

/// More elements than a test or a demonstration wants.
const MOST: i64 = 1 << 26;

/// Runs a checked graph. `inputs` by the index of the Data.
///
/// # Errors
///
/// The error names the node: an input is missing, of another type or too short, a size has no value or is negative, a
/// node takes more than 2^26 iterations, or a value cannot be computed.
pub fn run(graph: &Graph, inputs: &BTreeMap<i64, Buffer>, sizes: &Values) -> Result<Ran, RunError> {
    let mut state = State {
        graph,
        sizes,
        inputs,
        results: vec![Vec::new(); graph.nodes.len()],
        walks: vec![Walk::default(); graph.nodes.len()],
        orders: orders(graph),
        ran: Ran { outputs: BTreeMap::new(), iterations: BTreeMap::new() },
    };
    let alive = graph.alive();
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| alive[*id]) {
        state.walks[id] = state.walk(node)?;
    }
    for id in graph.topological().into_iter().filter(|id| alive[*id]) {
        state.node(id, &graph.nodes[id])?;
    }
    Ok(state.ran)
}

struct State<'a> {
    graph: &'a Graph,
    sizes: &'a Values,
    inputs: &'a BTreeMap<i64, Buffer>,
    /// Elements of each node's result, dense over its sizes.
    results: Vec<Vec<u64>>,
    walks: Vec<Walk>,
    /// Of each reduction: how its elements meet.
    orders: Vec<Option<(Along, Vec<AxisId>)>>,
    ran: Ran,
}

/// A tensor's sizes along the axes of the schedule: 1 where it has no such axis.
#[derive(Clone, Default)]
struct Walk {
    size: Vec<i64>,
    stride: Vec<i64>,
}

impl State<'_> {
    fn fail<T>(&self, node: &Node, message: impl Into<String>) -> Result<T, RunError> {
        Err(RunError { node: node.name.clone(), message: message.into() })
    }

    fn eval(&self, node: &Node, expr: &crate::expr::Expr) -> Result<i64, RunError> {
        expr.eval(self.sizes).or_else(|error| self.fail(node, error.to_string()))
    }

    fn walk(&self, node: &Node) -> Result<Walk, RunError> {
        let mut walk = Walk { size: Vec::new(), stride: Vec::new() };
        for id in &self.graph.sched.axis {
            let at = node.y.axis.iter().position(|axis| axis == id);
            walk.size.push(at.map_or(Ok(1), |at| self.eval(node, &node.y.size[at]))?);
            walk.stride.push(at.map_or(Ok(0), |at| self.eval(node, &node.y.strides[at]))?);
            let name = self.graph.axis_name(*id);
            if let Some(size) = walk.size.last().filter(|size| **size < 0) {
                return self.fail(node, format!("size {size} along axis {name}; from 0 is expected"));
            }
        }
        Ok(walk)
    }

    fn node(&mut self, id: NodeId, node: &Node) -> Result<(), RunError> {
        let Some(ir) = ir::find(&node.node_type) else { return self.fail(node, "no such type") };
        match ir.compute_type {
            ComputeType::Invalid => return self.end(id, node),
            ComputeType::Concat => return self.concat(id, node),
            _ => {}
        }
        let own = self.walks[id].clone();
        let from = node.inputs.first().and_then(|input| input.from).unwrap_or(id);
        // A reduction runs over what it reduces; everything else over the schedule, or over the part of it that it has.
        let wide =
            if ir.compute_type == ComputeType::Reduce { self.walks[from].clone() } else { self.loops(node, &own)? };
        let total = wide.size.iter().try_fold(1i64, |n, size| n.checked_mul(*size)).filter(|n| *n <= MOST);
        let Some(total) = total else { return self.fail(node, format!("more than {MOST} iterations")) };
        let length: i64 = own.size.iter().product();
        let reduces = ir.compute_type == ComputeType::Reduce;
        if reduces && total == 0 && length > 0 {
            return self.fail(node, "it reduces rows of 0 elements");
        }
        let mut result: Vec<Option<u64>> = vec![None; if total == 0 { 0 } else { length as usize }];
        let mut rows: Vec<Vec<u64>> = vec![Vec::new(); if reduces { result.len() } else { 0 }];
        let mut index = vec![0i64; wide.size.len()];
        for _ in 0..total {
            let at = dense(&index, &own.size);
            let value = self.element(node, ir.compute_type, &own, &index)?;
            match rows.get_mut(at) {
                Some(row) => row.push(value),
                None => result[at] = Some(value),
            }
            step(&mut index, &wide.size);
        }
        self.ran.iterations.insert(node.name.clone(), total as u64);
        let dtype = node.y.dtype.unwrap_or(DType::Float32);
        for (result, row) in result.iter_mut().zip(&rows) {
            let (along, axes) = self.orders[id].as_ref().map_or((Along::Row, &[][..]), |(along, axes)| (*along, axes));
            let length: i64 = axes.iter().map(|axis| along_axis(self.graph, &wide, *axis)).product();
            *result = value::reduce(&node.node_type, row, length as usize, dtype, along);
            if result.is_none() {
                return self.fail(node, "no such reduction");
            }
        }
        self.results[id] = result.into_iter().map(Option::unwrap_or_default).collect();
        Ok(())
    }

    /// The loop nest of a node: the axes of the schedule. Behind a Concat an operand has only its part of an axis.
    fn loops(&self, node: &Node, own: &Walk) -> Result<Walk, RunError> {
        let mut wide = Walk { size: Vec::new(), stride: Vec::new() };
        for (id, size) in self.graph.sched.axis.iter().zip(&own.size) {
            let axis = self.eval(node, &self.graph.axis[*id].size)?;
            wide.size.push(if *size == 1 { axis } else { *size });
            wide.stride.push(0);
        }
        Ok(wide)
    }

    fn element(&mut self, node: &Node, kind: ComputeType, own: &Walk, index: &[i64]) -> Result<u64, RunError> {
        let dtype = node.y.dtype.unwrap_or(DType::Float32);
        match kind {
            ComputeType::Load => {
                let source = &self.graph.nodes[node.inputs[0].from.unwrap_or_default()];
                let at = self.offset(node, own, index)?;
                let Some(buffer) = self.inputs.get(&source.index().unwrap_or_default()) else {
                    return self.fail(source, "the input is not there");
                };
                if buffer.dtype != dtype {
                    return self.fail(source, format!("the input is {}, {dtype} is expected", buffer.dtype));
                }
                match usize::try_from(at).ok().and_then(|at| buffer.get(at)) {
                    Some(value) => Ok(value),
                    None => self.fail(node, format!("reads element {at} of {}", buffer.len())),
                }
            }
            ComputeType::Store => {
                let value = self.operand(node, 0, index)?;
                let at = self.offset(node, own, index)?;
                self.store(node, dtype, at, value)?;
                Ok(value)
            }
            ComputeType::Broadcast | ComputeType::Reduce | ComputeType::Transpose => self.operand(node, 0, index),
            _ => {
                let mut operands = Vec::new();
                for at in 0..node.inputs.len() {
                    operands.push(self.operand(node, at, index)?);
                }
                let last = node.inputs.last().and_then(|input| self.graph.nodes[input.from?].y.dtype);
                match value::elewise(value::name_of(node), &operands, last.unwrap_or(dtype), dtype) {
                    Some(value) => Ok(value),
                    None => self.fail(node, format!("{} has no value here", node.node_type)),
                }
            }
        }
    }

    fn offset(&self, node: &Node, own: &Walk, index: &[i64]) -> Result<i64, RunError> {
        let start = match node.ir_attr.get("offset") {
            Some(AttrValue::Expr(expr)) => self.eval(node, expr)?,
            _ => 0,
        };
        let steps = own.size.iter().zip(&own.stride).zip(index);
        Ok(steps.fold(start, |sum, ((size, stride), at)| sum + if *size == 1 { 0 } else { at * stride }))
    }

    fn operand(&self, node: &Node, which: usize, index: &[i64]) -> Result<u64, RunError> {
        let from = node.inputs[which].from.unwrap_or_default();
        let walk = &self.walks[from];
        let value = self.results[from].get(dense(index, &walk.size)).copied();
        value.map_or_else(|| self.fail(node, "an operand has no such element"), Ok)
    }

    fn store(&mut self, node: &Node, dtype: DType, at: i64, value: u64) -> Result<(), RunError> {
        let id = self.graph.nodes.iter().position(|other| std::ptr::eq(other, node)).unwrap_or_default();
        let outputs = self.graph.of_type("Output").filter(|(_, output)| output.inputs[0].from == Some(id));
        let indices: Vec<i64> = outputs.filter_map(|(_, output)| output.index()).collect();
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < MOST as usize) else {
            return self.fail(node, format!("writes element {at}"));
        };
        for index in indices {
            let buffer = self.ran.outputs.entry(index).or_insert_with(|| Buffer::zeros(dtype, 0));
            if buffer.len() <= at {
                buffer.bytes.resize((at + 1) * dtype.size(), 0);
            }
            buffer.set(at, value);
        }
        Ok(())
    }

    fn end(&mut self, id: NodeId, node: &Node) -> Result<(), RunError> {
        if let (Some(AttrValue::Text(text)), Some(dtype)) = (node.ir_attr.get("value"), node.y.dtype) {
            self.results[id] = vec![literal::bits(text, dtype).unwrap_or_default()];
        }
        if let (Some(AttrValue::Expr(expr)), Some(dtype)) = (node.ir_attr.get("expr"), node.y.dtype) {
            self.results[id] = vec![value::of_size(self.eval(node, expr)?, dtype)];
        }
        if node.node_type == "Output" {
            // An empty result is a result, too.
            let (index, dtype) = (node.index().unwrap_or_default(), node.y.dtype.unwrap_or(DType::Float32));
            self.ran.outputs.entry(index).or_insert_with(|| Buffer::zeros(dtype, 0));
        }
        Ok(())
    }

    fn concat(&mut self, id: NodeId, node: &Node) -> Result<(), RunError> {
        let own = self.walks[id].clone();
        let mut result = vec![0; own.size.iter().product::<i64>() as usize];
        let mut begin = 0;
        let mut along = 0;
        for input in &node.inputs {
            let from = input.from.unwrap_or_default();
            let size = self.walks[from].size.clone();
            along = own.size.iter().zip(&size).position(|(a, b)| a != b).unwrap_or(along);
            let mut index = vec![0i64; size.len()];
            for value in &self.results[from] {
                let mut to = index.clone();
                to[along] += begin;
                result[dense(&to, &own.size)] = *value;
                step(&mut index, &size);
            }
            begin += size[along];
        }
        self.ran.iterations.insert(node.name.clone(), result.len() as u64);
        self.results[id] = result;
        Ok(())
    }
}

/// The size of a walk along an axis.
fn along_axis(graph: &Graph, walk: &Walk, axis: AxisId) -> i64 {
    let at = graph.sched.axis.iter().position(|other| *other == axis);
    at.and_then(|at| walk.size.get(at)).copied().unwrap_or(1)
}

/// Place of an element in a dense result; an axis of size 1 takes no step.
fn dense(index: &[i64], size: &[i64]) -> usize {
    index.iter().zip(size).fold(0, |at, (index, size)| at * size + if *size == 1 { 0 } else { *index }) as usize
}

fn step(index: &mut [i64], size: &[i64]) {
    for (at, size) in index.iter_mut().zip(size).rev() {
        *at += 1;
        if *at < *size {
            return;
        }
        *at = 0;
    }
}

//! A graph of AscIR nodes over the axes of an operator's operands, node after node.

use std::collections::BTreeMap;

use super::graph::{Operator, Operators, literal, plain};
use crate::build::{Builder, View};
use crate::dtype::DType;
use crate::expr::Expr;
use crate::model::{AxisId, Graph, NodeId};

/// A result, and along which axes it has all elements.
#[derive(Clone, Debug)]
pub struct Part {
    pub id: NodeId,
    pub wide: Vec<bool>,
}

pub struct Emit<'a> {
    b: Builder,
    pub all: &'a Operators,
    axes: Vec<AxisId>,
    dims: Vec<Expr>,
    dtypes: BTreeMap<NodeId, DType>,
    inputs: Vec<String>,
    loaded: BTreeMap<String, Part>,
}

impl<'a> Emit<'a> {
    pub fn new(node: &Operator, all: &'a Operators, shape: &[Expr]) -> Emit<'a> {
        let mut b = Builder::new(&plain(&node.name));
        let one = [Expr::from(1)];
        let dims = if shape.is_empty() { &one } else { shape };
        let mut names: Vec<String> = dims.iter().flat_map(Expr::symbols).collect();
        names.sort();
        names.dedup();
        names.iter().for_each(|name| drop(b.create_size_var(name)));
        let axes: Vec<AxisId> =
            dims.iter().enumerate().map(|(at, size)| b.create_axis(&format!("z{at}"), size.clone())).collect();
        b.sched_axis(&axes);
        let (dims, inputs) = (dims.to_vec(), Vec::new());
        Emit { b, all, axes, dims, dtypes: BTreeMap::new(), inputs, loaded: BTreeMap::new() }
    }

    pub fn dtype(&self, id: NodeId) -> Option<DType> {
        self.dtypes.get(&id).copied()
    }

    fn view(&self, wide: &[bool]) -> View {
        let ones: Vec<AxisId> = self.axes.iter().zip(wide).filter(|(_, wide)| !**wide).map(|(axis, _)| *axis).collect();
        self.b.broadcast_along(&self.axes, &ones)
    }

    pub fn node(&mut self, kind: &str, inputs: &[NodeId], wide: &[bool], dtype: Option<DType>) -> Part {
        let name = format!("{}{}", kind.to_lowercase(), self.dtypes.len());
        let view = self.view(wide);
        let id = self.b.node(kind, &name, inputs, Some(&view));
        if let Some(dtype) = dtype {
            self.dtypes.insert(id, dtype);
            self.b.dtype(id, dtype);
        }
        Part { id, wide: wide.to_vec() }
    }

    pub fn number(&mut self, text: &str, dtype: DType) -> Part {
        let name = format!("number{}", self.dtypes.len());
        let id = self.b.scalar(&name, text, dtype);
        self.dtypes.insert(id, dtype);
        Part { id, wide: vec![false; self.axes.len()] }
    }

    pub fn operand(&mut self, node: &Operator, at: usize) -> Result<Part, String> {
        let name = node.operand(at).ok_or_else(|| format!("operand {at} is not there"))?;
        if let Some(part) = self.loaded.get(name) {
            return Ok(part.clone());
        }
        let value = &self.all.values[name];
        let dtype = value.dtype.ok_or_else(|| format!("the data type of {name} is not known"))?;
        let part = if let Some(number) = self.all.number(name) {
            self.number(number, dtype)
        } else {
            let shape = value.shape.clone().unwrap_or_default();
            let missing = self.dims.len() - shape.len();
            // Along an axis of size 1 all is nothing else than one.
            let wide: Vec<bool> =
                (0..self.dims.len()).map(|axis| axis >= missing && !shape[axis - missing].is(1)).collect();
            let index = self.inputs.len();
            self.inputs.push(name.to_owned());
            let data = self.b.data(&format!("data{index}"), index as i64, dtype);
            let view = self.view(&wide);
            let id = self.b.load(&format!("load{index}"), data, &view);
            self.dtypes.insert(id, dtype);
            Part { id, wide }
        };
        self.loaded.insert(name.to_owned(), part.clone());
        Ok(part)
    }

    /// Repeated along what it has one element of.
    fn spread(&mut self, part: &Part, wide: &[bool]) -> Part {
        let mut part = part.clone();
        let dtype = self.dtype(part.id);
        for axis in 0..wide.len() {
            if wide[axis] && !part.wide[axis] && !self.dims[axis].is(1) {
                let mut next = part.wide.clone();
                next[axis] = true;
                part = self.node("Broadcast", &[part.id], &next, dtype);
            }
        }
        part
    }

    /// A node of elements, whose operands are repeated to each other's sizes.
    pub fn apply(&mut self, kind: &str, parts: &[&Part]) -> Result<Part, String> {
        let wide: Vec<bool> = (0..self.axes.len()).map(|axis| parts.iter().any(|part| part.wide[axis])).collect();
        let parts: Vec<NodeId> = parts.iter().map(|part| self.spread(part, &wide).id).collect();
        let dtypes: Vec<DType> = parts.iter().filter_map(|id| self.dtype(*id)).collect();
        let dtype = crate::ir::find(kind).and_then(|ir| ir.result(&dtypes).filter(|to| ir.takes(&dtypes, *to)));
        let shown: Vec<&str> = dtypes.iter().map(|dtype| dtype.name()).collect();
        let dtype = dtype.ok_or_else(|| format!("AscIR has no {kind} of {}", shown.join(", ")))?;
        Ok(self.node(kind, &parts, &wide, Some(dtype)))
    }

    /// With a number of the operand's type.
    pub fn with(&mut self, kind: &str, part: &Part, number: f32) -> Result<Part, String> {
        let number = self.constant(part, number);
        self.apply(kind, &[part, &number])
    }

    pub fn constant(&mut self, of: &Part, number: f32) -> Part {
        let dtype = self.dtype(of.id).unwrap_or(DType::Float32);
        self.number(&literal(number), dtype)
    }

    pub fn reduce(&mut self, kind: &str, part: &Part, axes: &[usize]) -> Result<Part, String> {
        let dtype = self.dtype(part.id);
        if !crate::ir::is_reduced(kind, dtype) {
            return Err(format!("a kernel has no {kind} of {}", dtype.map_or("?", DType::name)));
        }
        let wide: Vec<bool> = part.wide.iter().enumerate().map(|(axis, wide)| *wide && !axes.contains(&axis)).collect();
        // A row of one element is that element.
        if wide == part.wide {
            return Err(format!("{kind} along an axis of size 1"));
        }
        Ok(self.node(kind, &[part.id], &wide, dtype))
    }

    /// The graph, and its operands.
    pub fn finish(mut self, result: &Part, dtype: DType) -> (Graph, Vec<String>) {
        let view = self.view(&result.wide);
        let store = self.b.store("store", result.id, &view);
        self.b.output("out", 0, store, dtype);
        (self.b.graph(), self.inputs)
    }
}

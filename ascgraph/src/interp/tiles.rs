//! What an impl graph computes: block after block, tile after tile, in a unified buffer whose bytes count as unwritten
//! until something writes them, and again when their queue takes them back. A tile that is read too late, a tile that
//! two results share and a row that no core has are errors here, as they are on the chip.

use std::collections::BTreeMap;

use crate::codegen::Kernel;
use crate::dtype::DType;
use crate::expr::{Expr, Values};
use crate::interp::{Buffer, RunError};
use crate::literal;
use crate::memory::{Place, QUEUE_BUFFERS};
use crate::model::{AttrValue, Node, NodeId, Position};
use crate::schedule::Role;
use crate::tiling::{Limits, Tiling, solve};
use crate::value;

/// The tiling of a kernel for these sizes.
pub fn tiling(kernel: &Kernel, sizes: &Values, limits: Limits) -> Result<Tiling, RunError> {
    let s = &kernel.s;
    let fail = |message: String| RunError { node: s.hint.name.clone(), message };
    let mut rows = 1i64;
    for axis in &s.outer {
        let size = s.graph.axis[*axis].size.eval(sizes).map_err(|error| fail(error.to_string()))?;
        rows = rows.checked_mul(size).ok_or_else(|| fail("the number of rows does not fit into 64 bits".to_owned()))?;
    }
    let row = s.graph.axis[s.row].size.eval(sizes).map_err(|error| fail(error.to_string()))?;
    solve(rows, row, kernel.memory.bytes_per_element() as i64, limits).map_err(fail)
}

/// Runs a kernel with a tiling. Outputs by index; every element of each is written once.
pub fn run_tiles(
    kernel: &Kernel,
    inputs: &BTreeMap<i64, Buffer>,
    sizes: &Values,
    tiling: &Tiling,
) -> Result<BTreeMap<i64, Buffer>, RunError> {
    let mut core = Core::new(kernel, inputs, sizes, tiling)?;
    for block in 0..tiling.block_dim {
        core.block(block)?;
    }
    core.finish()
}

/// A part of the unified buffer, where a node's tile is now.
#[derive(Clone, Copy)]
struct Tile {
    begin: usize,
    dtype: DType,
}

struct Core<'a> {
    kernel: &'a Kernel,
    inputs: &'a BTreeMap<i64, Buffer>,
    tiling: &'a Tiling,
    outer: Vec<i64>,
    row: i64,
    /// Strides of a Load or Store along the outer axes and the row.
    steps: Vec<Vec<i64>>,
    offsets: Vec<i64>,
    ub: Vec<u8>,
    written: Vec<bool>,
    /// Where the queues and buffers begin: VECIN, VECOUT, VECCALC.
    begins: [Vec<usize>; 3],
    /// Which of a queue's tiles comes next.
    turns: BTreeMap<(bool, usize), usize>,
    tiles: Vec<Option<Tile>>,
    elements: Vec<u64>,
    outputs: BTreeMap<i64, (Buffer, Vec<bool>)>,
}

fn fail<T>(node: &Node, message: impl Into<String>) -> Result<T, RunError> {
    Err(RunError { node: node.name.clone(), message: message.into() })
}

impl<'a> Core<'a> {
    fn new(
        kernel: &'a Kernel,
        inputs: &'a BTreeMap<i64, Buffer>,
        sizes: &Values,
        tiling: &'a Tiling,
    ) -> Result<Core<'a>, RunError> {
        let s = &kernel.s;
        let eval = |node: &Node, expr: &Expr| expr.eval(sizes).or_else(|error| fail(node, error.to_string()));
        let count = s.graph.nodes.len();
        let (mut steps, mut offsets) = (vec![Vec::new(); count], vec![0; count]);
        for (id, node) in s.graph.nodes.iter().enumerate() {
            for step in &s.steps[id] {
                steps[id].push(eval(node, step)?);
            }
            if let Some(AttrValue::Expr(offset)) = node.ir_attr.get("offset") {
                offsets[id] = eval(node, offset)?;
            }
        }
        let any = &s.graph.nodes[0];
        let mut outer = Vec::new();
        for axis in &s.outer {
            outer.push(eval(any, &s.graph.axis[*axis].size)?);
        }
        let row = eval(any, &s.graph.axis[s.row].size)?;
        let tile = tiling.tile as usize;
        let mut at = 0;
        let memory = &kernel.memory;
        let lists = [(&memory.vec_in, QUEUE_BUFFERS), (&memory.vec_out, QUEUE_BUFFERS), (&memory.buffers, 1)];
        let begins = lists.map(|(list, copies)| {
            list.iter()
                .map(|bytes| {
                    at += bytes * tile * copies;
                    at - bytes * tile * copies
                })
                .collect()
        });
        let mut outputs = BTreeMap::new();
        for (_, end) in s.graph.of_type("Output") {
            let store = &s.hint.nodes[end.inputs[0].from.unwrap_or_default()];
            let mut length = 1;
            for size in &store.y.size {
                length *= eval(store, size)?;
            }
            let dtype = end.y.dtype.unwrap_or(DType::Float32);
            let buffer = Buffer::zeros(dtype, length as usize);
            outputs.insert(end.index().unwrap_or_default(), (buffer, vec![false; length as usize]));
        }
        Ok(Core {
            kernel,
            inputs,
            tiling,
            outer,
            row,
            steps,
            offsets,
            ub: vec![0; at],
            written: vec![false; at],
            begins,
            turns: BTreeMap::new(),
            tiles: vec![None; count],
            elements: vec![0; count],
            outputs,
        })
    }

    fn block(&mut self, block: i64) -> Result<(), RunError> {
        let s = &self.kernel.s;
        self.written.fill(false);
        for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
            let (Some(place), node) = (self.kernel.memory.places[id], &s.graph.nodes[id]) else { continue };
            let (Some(AttrValue::Text(text)), Some(dtype)) = (node.ir_attr.get("value"), node.y.dtype) else {
                continue;
            };
            let Some(bits) = literal::bits(text, dtype) else { return fail(node, "no value") };
            let tile = self.claim(id, place, dtype);
            self.fill(tile, self.tiling.tile as usize, bits);
        }
        let begin = block * self.tiling.core_tiles;
        let end = (begin + self.tiling.core_tiles).min(self.tiling.tiles);
        for index in begin..end {
            let column = index % self.tiling.row_tiles * self.tiling.tile;
            let length = (self.row - column).min(self.tiling.tile);
            if length < 1 {
                return fail(&s.graph.nodes[0], format!("tile {index} begins behind the row"));
            }
            let mut rest = index / self.tiling.row_tiles;
            let mut at = vec![0; self.outer.len()];
            for (place, size) in at.iter_mut().zip(&self.outer).rev() {
                *place = rest % size;
                rest /= size;
            }
            at.push(column);
            for (step, id) in s.order.iter().copied().enumerate() {
                self.node(id, &at, length as usize)?;
                self.release(step);
            }
        }
        Ok(())
    }

    /// A tile of a queue begins empty; a buffer keeps what it has.
    fn claim(&mut self, id: NodeId, place: Place, dtype: DType) -> Tile {
        let tile = self.tiling.tile as usize;
        let (which, list) = match place.position {
            Position::VecIn => (0, &self.kernel.memory.vec_in),
            Position::VecOut => (1, &self.kernel.memory.vec_out),
            _ => (2, &self.kernel.memory.buffers),
        };
        let mut begin = self.begins[which][place.id];
        if which < 2 {
            let turn = self.turns.entry((which == 0, place.id)).or_insert(0);
            begin += *turn % QUEUE_BUFFERS * tile * list[place.id];
            *turn += 1;
            self.written[begin..begin + tile * list[place.id]].fill(false);
        }
        let tile = Tile { begin, dtype };
        self.tiles[id] = Some(tile);
        tile
    }

    fn release(&mut self, step: usize) {
        let memory = &self.kernel.memory;
        for (id, place) in memory.places.iter().enumerate() {
            let Some(place) = place.filter(|place| place.position != Position::VecCalc) else { continue };
            if memory.lives[id].is_some_and(|life| life.1 == step)
                && let Some(tile) = self.tiles[id]
            {
                let list = if place.position == Position::VecIn { &memory.vec_in } else { &memory.vec_out };
                let bytes = self.tiling.tile as usize * list[place.id];
                self.written[tile.begin..tile.begin + bytes].fill(false);
            }
        }
    }

    fn put(&mut self, tile: Tile, at: usize, bits: u64) {
        let size = tile.dtype.size();
        let begin = tile.begin + at * size;
        self.ub[begin..begin + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        self.written[begin..begin + size].fill(true);
    }

    fn fill(&mut self, tile: Tile, length: usize, bits: u64) {
        for at in 0..length {
            self.put(tile, at, bits);
        }
    }

    fn get(&self, node: &Node, tile: Tile, at: usize) -> Result<u64, RunError> {
        let size = tile.dtype.size();
        let range = tile.begin + at * size..tile.begin + (at + 1) * size;
        if !self.written[range.clone()].iter().all(|written| *written) {
            return fail(node, format!("reads element {at} of a tile where nothing was written"));
        }
        Ok(self.ub[range].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    fn operand(&self, node: &Node, which: usize) -> Result<Tile, RunError> {
        let root = self.kernel.s.root(node.inputs[which].from.unwrap_or_default());
        self.tiles[root].map_or_else(|| fail(node, "an operand has no tile"), Ok)
    }

    fn memory(&self, id: NodeId, at: &[i64]) -> i64 {
        self.steps[id].iter().zip(at).fold(self.offsets[id], |sum, (step, at)| sum + step * at)
    }

    fn read(&self, node: &Node, at: i64) -> Result<u64, RunError> {
        let data = &self.kernel.s.graph.nodes[node.inputs[0].from.unwrap_or_default()];
        let Some(buffer) = self.inputs.get(&data.index().unwrap_or_default()) else {
            return fail(data, "the input is not there");
        };
        let bits = usize::try_from(at).ok().and_then(|at| buffer.get(at));
        bits.map_or_else(|| fail(node, format!("reads element {at} of {}", buffer.len())), Ok)
    }

    fn node(&mut self, id: NodeId, at: &[i64], length: usize) -> Result<(), RunError> {
        let s = &self.kernel.s;
        let node = &s.graph.nodes[id];
        let dtype = node.y.dtype.unwrap_or(DType::Float32);
        let begin = self.memory(id, at);
        match (&s.roles[id], self.kernel.memory.places[id]) {
            (Role::Load, Some(place)) => {
                let tile = self.claim(id, place, dtype);
                for i in 0..length {
                    let bits = self.read(node, begin + i as i64 * self.steps[id].last().copied().unwrap_or(1))?;
                    self.put(tile, i, bits);
                }
            }
            (Role::LoadElement, _) => self.elements[id] = self.read(node, begin)?,
            (Role::Repeat, Some(place)) => {
                let element = self.elements[s.root(node.inputs[0].from.unwrap_or_default())];
                let tile = self.claim(id, place, dtype);
                self.fill(tile, length, element);
            }
            (Role::Compute, Some(place)) => self.compute(id, node, place, length)?,
            (Role::Store, _) => {
                let from = self.operand(node, 0)?;
                let end = s.graph.consumers(id).first().and_then(|end| s.graph.nodes[*end].index()).unwrap_or_default();
                for i in 0..length {
                    let (bits, to) = (self.get(node, from, i)?, begin + i as i64);
                    let Some((buffer, written)) = self.outputs.get_mut(&end) else { return fail(node, "no Output") };
                    match usize::try_from(to).ok().and_then(|to| written.get_mut(to)) {
                        Some(true) => return fail(node, format!("writes element {to} a second time")),
                        Some(slot) => *slot = true,
                        None => return fail(node, format!("writes element {to} of {}", written.len())),
                    }
                    buffer.set(to as usize, bits);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// One instruction after the other over the whole tile, as the core runs them: Fmod is four.
    fn compute(&mut self, id: NodeId, node: &Node, place: Place, length: usize) -> Result<(), RunError> {
        let mut operands = Vec::new();
        for which in 0..node.inputs.len() {
            operands.push(self.operand(node, which)?);
        }
        let to = self.claim(id, place, node.y.dtype.unwrap_or(DType::Float32));
        if node.node_type == "Fmod" {
            let [x1, x2] = operands[..] else { return fail(node, "it takes two operands") };
            for (call, list) in
                [("Div", vec![x1, x2]), ("Trunc", vec![to]), ("Mul", vec![to, x2]), ("Sub", vec![x1, to])]
            {
                self.instruction(node, call, to, &list, length)?;
            }
            return Ok(());
        }
        self.instruction(node, &node.node_type, to, &operands, length)
    }

    fn instruction(&mut self, node: &Node, call: &str, to: Tile, from: &[Tile], length: usize) -> Result<(), RunError> {
        for at in 0..length {
            let mut bits = Vec::new();
            for tile in from {
                bits.push(self.get(node, *tile, at)?);
            }
            let Some(result) = value::elewise(call, &bits, from[0].dtype, to.dtype) else {
                return fail(node, format!("{call} has no value here"));
            };
            self.put(to, at, result);
        }
        Ok(())
    }

    fn finish(self) -> Result<BTreeMap<i64, Buffer>, RunError> {
        let mut outputs = BTreeMap::new();
        for (index, (buffer, written)) in self.outputs {
            if let Some(at) = written.iter().position(|written| !written) {
                let node = self.kernel.s.graph.of_type("Output").find(|(_, node)| node.index() == Some(index));
                let node = node.map_or(&self.kernel.s.graph.nodes[0], |(_, node)| node);
                return fail(node, format!("nobody writes element {at}"));
            }
            outputs.insert(index, buffer);
        }
        Ok(outputs)
    }
}

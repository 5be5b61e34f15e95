//! What an impl graph computes: block after block, tile after tile, in a unified buffer whose bytes count as unwritten
//! until something writes them, and again when their queue takes them back. A tile that is read too late, a tile that
//! two results share and a row that no core has are errors here, as they are on the chip.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::dtype::DType;
use crate::expr::{Expr, Values};
use crate::interp::{Buffer, RunError};
use crate::literal;
use crate::memory::{Bytes, Place, QUEUE_BUFFERS};
use crate::model::{AttrValue, Node, NodeId, Position};
use crate::plan::Kernel;
use crate::schedule::{Case, Role};
use crate::tiling::{NARROW_STEP, Tiling};
use crate::value::{self, Lanes};

/// Runs a kernel with a tiling. Outputs by index; every element of each is written once.
///
/// # Errors
///
/// The error names the node: an input is missing or too short, a size has no value, a tile is read where nothing was
/// written, or an element of an output is written twice or never.
pub fn run_tiles(
    kernel: &Kernel,
    inputs: &BTreeMap<i64, Buffer>,
    sizes: &Values,
    tiling: &Tiling,
) -> Result<BTreeMap<i64, Buffer>, RunError> {
    let mut core = Core::new(kernel, inputs, sizes, tiling)?;
    if tiling.parts > 1 {
        return core.split();
    }
    for block in 0..tiling.block_dim {
        core.block(block)?;
    }
    core.finish()
}

/// A part of the unified buffer, where a node's tile is now.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) begin: usize,
    pub(super) dtype: DType,
}

#[derive(Clone)]
pub(super) struct Core<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) inputs: &'a BTreeMap<i64, Buffer>,
    pub(super) tiling: &'a Tiling,
    pub(super) outer: Vec<i64>,
    /// Of the axis that is cut into tiles.
    pub(super) row: i64,
    /// Elements of the whole tile, of one element for each row, of one row; and from row to row.
    pub(super) elements_of: [usize; 3],
    pub(super) stride: usize,
    /// From row to row of a tile that is not turned yet: rows are the columns of the turned one.
    pub(super) pitch: usize,
    /// Elements of a row, and those of them that a pass works on. C: rows, and those of them that lie in a tile.
    pub(super) columns: usize,
    pub(super) piece: Range<usize>,
    /// Elements of a row that are this core's.
    pub(super) share: Range<usize>,
    /// C: columns of the tile.
    pub(super) width: usize,
    /// Lanes of the reductions of a pass; C: of each column.
    pub(super) lanes: BTreeMap<NodeId, Vec<Lanes>>,
    /// Of the tile that is computed.
    pub(super) rows: usize,
    /// Strides of a Load or Store along the outer axes, the row and the columns.
    pub(super) steps: Vec<Vec<i64>>,
    /// Elements of a row of each result, with whole rows.
    pub(super) lengths: Vec<usize>,
    pub(super) offsets: Vec<i64>,
    /// What a size is that has a tile.
    pub(super) numbers: Vec<Option<u64>>,
    pub(super) ub: Vec<u8>,
    pub(super) written: Vec<bool>,
    /// Where the queues and buffers begin: VECIN, VECOUT, VECCALC.
    pub(super) begins: [Vec<usize>; 3],
    /// Which of a queue's tiles comes next.
    pub(super) turns: BTreeMap<(bool, usize), usize>,
    pub(super) tiles: Vec<Option<Tile>>,
    pub(super) elements: Vec<u64>,
    pub(super) outputs: BTreeMap<i64, (Buffer, Vec<bool>)>,
}

pub(super) fn fail<T>(node: &Node, message: impl Into<String>) -> Result<T, RunError> {
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
        let (mut steps, mut offsets, mut lengths) = (vec![Vec::new(); count], vec![0; count], vec![0; count]);
        for (id, node) in s.graph.nodes.iter().enumerate() {
            if s.columns.is_some() && s.roles[id] != Role::None {
                lengths[id] = eval(node, &s.lengths[id])? as usize;
            }
            for step in &s.steps[id] {
                steps[id].push(eval(node, step)?);
            }
            if let Some(AttrValue::Expr(offset)) = node.ir_attr.get("offset") {
                offsets[id] = eval(node, offset)?;
            }
        }
        let mut numbers = vec![None; count];
        for (id, node) in s.graph.nodes.iter().enumerate() {
            if let (Some(size), Some(dtype)) = (s.graph.size_of(id), node.y.dtype) {
                numbers[id] = Some(value::of_size(eval(node, size)?, dtype));
            }
        }
        let any = &s.graph.nodes[0];
        let mut outer = Vec::new();
        for axis in &s.outer {
            outer.push(eval(any, &s.graph.axis[*axis].size)?);
        }
        let [_, row, columns] = s.demanded();
        let (row, columns) = (eval(any, &row)?, eval(any, &columns)?);
        // Of columns that go by in pieces a piece has the rows.
        let (tile, stride) = match (tiling.tile as usize, tiling.stride as usize) {
            (tile, stride) if s.case == Case::C => (stride, tile),
            both => both,
        };
        let step = kernel.memory.demand(s).step as usize;
        let elements_of = match s.columns {
            None => [tile, 0, 0],
            Some(_) => [
                (tile * stride).next_multiple_of(step),
                tile.next_multiple_of(NARROW_STEP as usize),
                stride.next_multiple_of(step),
            ],
        };
        let of = |bytes: &Bytes| bytes.all(elements_of[0], elements_of[1], elements_of[2]);
        let mut at = 0;
        let memory = &kernel.memory;
        let lists = [(&memory.vec_in, QUEUE_BUFFERS), (&memory.vec_out, QUEUE_BUFFERS), (&memory.buffers, 1)];
        let begins = lists.map(|(list, copies)| {
            list.iter()
                .map(|bytes| {
                    at += of(bytes) * copies;
                    at - of(bytes) * copies
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
            elements_of,
            stride,
            pitch: tile.next_multiple_of(s.align()),
            columns: if s.columns.is_some() { columns as usize } else { 0 },
            piece: 0..0,
            share: 0..0,
            width: 0,
            lanes: BTreeMap::new(),
            rows: 0,
            steps,
            lengths,
            offsets,
            numbers,
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
        self.constants()?;
        let begin = block * self.tiling.core_tiles;
        let end = (begin + self.tiling.core_tiles).min(self.tiling.tiles);
        self.rows = self.tiling.tile as usize;
        let first = s.first();
        for step in (0..first).filter(|_| begin < end) {
            self.node(s.order[step], &vec![0; self.outer.len() + 1])?;
        }
        for index in begin..end {
            let at = self.start(index)?;
            self.share = 0..self.columns;
            let mut begin = first;
            for section in s.passes.sections() {
                let end = begin + s.order[begin..].iter().take_while(|id| s.section(**id) == section).count();
                self.section(section, begin..end, &at)?;
                begin = end;
            }
        }
        Ok(())
    }

    /// What a block writes before its first tile.
    pub(super) fn constants(&mut self) -> Result<(), RunError> {
        let s = &self.kernel.s;
        self.written.fill(false);
        for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
            let (Some(place), node) = (self.kernel.memory.places[id], &s.graph.nodes[id]) else { continue };
            let Some(dtype) = node.y.dtype else { continue };
            let bits = match node.ir_attr.get("value") {
                Some(AttrValue::Text(text)) => literal::bits(text, dtype),
                _ => self.numbers[id],
            };
            let Some(bits) = bits else { return fail(node, "no value") };
            let tile = self.claim(id, place, dtype);
            for at in 0..self.elements_of[0] {
                self.put(tile, at, bits);
            }
        }
        Ok(())
    }

    /// Where a tile begins: along the outer axes, and along the row.
    pub(super) fn start(&mut self, index: i64) -> Result<Vec<i64>, RunError> {
        let column = index % self.tiling.row_tiles * self.tiling.tile;
        let length = (self.row - column).min(self.tiling.tile);
        self.rows = length.max(0) as usize;
        if length < 1 {
            return fail(&self.kernel.s.graph.nodes[0], format!("tile {index} begins behind the row"));
        }
        let mut rest = index / self.tiling.row_tiles;
        let mut at = vec![0; self.outer.len()];
        let s = &self.kernel.s;
        let kept = self.outer.len() - s.around;
        for (place, size) in at.iter_mut().zip(&self.outer[..kept]).rev() {
            *place = rest % size;
            rest /= size;
        }
        self.width = self.rows;
        // Before the column is the row, of which pieces count.
        at.extend(if s.case == Case::C { vec![0, column] } else { vec![column] });
        Ok(at)
    }

    /// What a row has once, or one pass of its pieces; without passes all there is.
    pub(super) fn section(&mut self, section: usize, steps: Range<usize>, at: &[i64]) -> Result<(), RunError> {
        let s = &self.kernel.s;
        if section.is_multiple_of(2) {
            return self.steps(steps, at, false);
        }
        let kept = self.outer.len() - s.around;
        let around: usize = self.outer[kept..].iter().map(|size| *size as usize).product();
        let (share, high) = (self.share.clone(), self.tiling.stride as usize);
        for turn in 0..around {
            let (mut at, mut rest) = (at.to_vec(), turn as i64);
            for (place, size) in at[kept..].iter_mut().zip(&self.outer[kept..]).rev() {
                *place = rest % size;
                rest /= size;
            }
            for begin in share.clone().step_by(high.max(1)) {
                self.piece = begin..share.end.min(begin + high);
                if s.case == Case::C {
                    self.rows = self.piece.len();
                    at[self.outer.len()] = begin as i64;
                }
                self.steps(steps.clone(), &at, true)?;
            }
        }
        if self.tiling.parts < 2 {
            self.end_pass(steps)?;
        }
        Ok(())
    }

    fn steps(&mut self, steps: Range<usize>, at: &[i64], pieces: bool) -> Result<(), RunError> {
        for step in steps {
            self.node(self.kernel.s.order[step], at)?;
            self.release(step..step + 1, pieces);
        }
        Ok(())
    }

    /// Behind a pass its reductions have their results.
    pub(super) fn end_pass(&mut self, steps: Range<usize>) -> Result<(), RunError> {
        for id in steps.clone().map(|step| self.kernel.s.order[step]) {
            self.meet(id)?;
        }
        self.release(steps, false);
        Ok(())
    }

    /// Bytes of a tile.
    pub(super) fn size(&self, bytes: Bytes) -> usize {
        let [wide, narrow, row] = self.elements_of;
        bytes.all(wide, narrow, row)
    }

    /// A tile of a queue begins empty; a buffer keeps what it has.
    pub(super) fn claim(&mut self, id: NodeId, place: Place, dtype: DType) -> Tile {
        let (which, list) = match place.position {
            Position::VecIn => (0, &self.kernel.memory.vec_in),
            Position::VecOut => (1, &self.kernel.memory.vec_out),
            _ => (2, &self.kernel.memory.buffers),
        };
        let mut begin = self.begins[which][place.id];
        if which < 2 {
            let size = self.size(list[place.id]);
            let turn = self.turns.entry((which == 0, place.id)).or_insert(0);
            begin += *turn % QUEUE_BUFFERS * size;
            *turn += 1;
            self.written[begin..begin + size].fill(false);
        }
        let tile = Tile { begin, dtype };
        self.tiles[id] = Some(tile);
        tile
    }

    /// Of what is over in these steps: pieces of a row, or what a row has once.
    fn release(&mut self, steps: Range<usize>, pieces: bool) {
        let (s, memory) = (&self.kernel.s, &self.kernel.memory);
        for (id, place) in memory.places.iter().enumerate() {
            let Some(place) = place.filter(|place| place.position != Position::VecCalc) else { continue };
            if s.is_piece(id) == pieces
                && memory.lives[id].is_some_and(|life| steps.contains(&life.1))
                && let Some(tile) = self.tiles[id]
            {
                let list = if place.position == Position::VecIn { &memory.vec_in } else { &memory.vec_out };
                let bytes = self.size(list[place.id]);
                self.written[tile.begin..tile.begin + bytes].fill(false);
            }
        }
    }

    pub(super) fn put(&mut self, tile: Tile, at: usize, bits: u64) {
        let size = tile.dtype.size();
        let begin = tile.begin + at * size;
        self.ub[begin..begin + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        self.written[begin..begin + size].fill(true);
    }

    pub(super) fn get(&self, node: &Node, tile: Tile, at: usize) -> Result<u64, RunError> {
        let size = tile.dtype.size();
        let range = tile.begin + at * size..tile.begin + (at + 1) * size;
        if !self.written[range.clone()].iter().all(|written| *written) {
            return fail(node, format!("reads element {at} of a tile where nothing was written"));
        }
        Ok(self.ub[range].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    pub(super) fn operand(&self, node: &Node, which: usize) -> Result<Tile, RunError> {
        let root = self.kernel.s.tile_of(node.inputs[which].from.unwrap_or_default());
        self.tiles[root].map_or_else(|| fail(node, "an operand has no tile"), Ok)
    }

    pub(super) fn memory(&self, id: NodeId, at: &[i64]) -> i64 {
        self.steps[id].iter().zip(at).fold(self.offsets[id], |sum, (step, at)| sum + step * at)
    }

    pub(super) fn read(&self, node: &Node, at: i64) -> Result<u64, RunError> {
        let data = &self.kernel.s.graph.nodes[node.inputs[0].from.unwrap_or_default()];
        let Some(buffer) = self.inputs.get(&data.index().unwrap_or_default()) else {
            return fail(data, "the input is not there");
        };
        let bits = usize::try_from(at).ok().and_then(|at| buffer.get(at));
        bits.map_or_else(|| fail(node, format!("reads element {at} of {}", buffer.len())), Ok)
    }

    pub(super) fn finish(self) -> Result<BTreeMap<i64, Buffer>, RunError> {
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

//! One node on one tile: what is read, computed and written.

use super::tiles::{Core, Tile, fail};
use crate::dtype::DType;
use crate::interp::RunError;
use crate::lower::numbers;
use crate::memory::{Place, fmod};
use crate::model::{Node, NodeId};
use crate::schedule::{Case, Role, Span};
use crate::value::{self, Along, Lanes, ROW_LANES};

impl Core<'_> {
    /// Where the elements of a part of a tile lie, in its own count of rows and columns.
    fn places(&self, id: NodeId) -> Vec<usize> {
        let length = self.length(id);
        match (self.kernel.s.columns, self.kernel.s.spans[id]) {
            (None, _) | (_, Span::Narrow) => (0..self.rows).collect(),
            (_, Span::Wide) => {
                (0..self.rows).flat_map(|row| (0..length).map(move |at| row * self.stride + at)).collect()
            }
            (_, Span::Row) => (0..length).collect(),
            (_, Span::One) => vec![0],
        }
    }

    /// Elements of a row that a result has now.
    fn length(&self, id: NodeId) -> usize {
        match self.kernel.s.case {
            Case::C => self.width,
            _ if self.kernel.s.is_piece(id) => self.piece.len(),
            _ => self.lengths[id],
        }
    }

    /// Where an element of a Load's tile, or of a piece of a Store, is in memory: row and column of it.
    fn element(&self, id: NodeId, begin: i64, row: usize, column: usize) -> i64 {
        let mut steps = self.steps[id].iter().rev();
        match self.kernel.s.columns {
            None => begin + row as i64 * steps.next().copied().unwrap_or(1),
            Some(_) => {
                let along = steps.next().copied().unwrap_or(1);
                begin + row as i64 * steps.next().copied().unwrap_or(0) + column as i64 * along
            }
        }
    }

    /// Row and column of each place of a part of a tile.
    fn walk(&self, id: NodeId) -> Vec<(usize, usize, usize)> {
        let flat = self.kernel.s.columns.is_none() || self.kernel.s.spans[id] == Span::Narrow;
        let cell = |(nth, place): (usize, usize)| match (flat, self.length(id)) {
            (true, _) => (place, nth, 0),
            (false, length) => (place, nth / length.max(1), nth % length.max(1)),
        };
        self.places(id).into_iter().enumerate().map(cell).collect()
    }

    pub(super) fn node(&mut self, id: NodeId, at: &[i64]) -> Result<(), RunError> {
        let s = &self.kernel.s;
        let node = &s.graph.nodes[id];
        let dtype = node.y.dtype.unwrap_or(DType::Float32);
        let begin = self.memory(id, at) + if s.case == Case::P && s.is_piece(id) { self.piece.start as i64 } else { 0 };
        let Some(place) = self.kernel.memory.places[id] else {
            match s.roles[id] {
                Role::LoadElement => self.elements[id] = self.read(node, begin)?,
                Role::Store if self.stores(id) => self.store(id, node, begin)?,
                _ => {}
            }
            return Ok(());
        };
        match s.roles[id] {
            Role::Load => {
                let tile = self.claim(id, place, dtype);
                for (to, row, column) in self.walk(id) {
                    let bits = self.read(node, self.element(id, begin, row, column))?;
                    let to = if s.is_turned(id) { column * self.pitch + row } else { to };
                    if s.is_turned(id) && (to + 1) * dtype.size() > self.size(self.kernel.memory.vec_in[place.id]) {
                        return fail(node, format!("writes element {to}, which is behind its tile"));
                    }
                    self.put(tile, to, bits);
                }
            }
            Role::Turn => {
                let from = self.operand(node, 0)?;
                let tile = self.claim(id, place, dtype);
                for (to, row, column) in self.walk(id) {
                    let bits = self.get(node, from, column * self.pitch + row)?;
                    self.put(tile, to, bits);
                }
            }
            Role::Repeat => {
                let element = self.elements[s.root(node.inputs[0].from.unwrap_or_default())];
                let tile = self.claim(id, place, dtype);
                for to in self.places(id) {
                    self.put(tile, to, element);
                }
            }
            Role::RepeatRows if s.repeats_once(id) && self.tiling.tile == 1 => {
                self.tiles[id] = Some(self.operand(node, 0)?);
            }
            Role::RepeatColumns | Role::RepeatRows => {
                let from = self.operand(node, 0)?;
                let tile = self.claim(id, place, dtype);
                for (to, row, column) in self.walk(id) {
                    let which = if s.roles[id] == Role::RepeatRows { column } else { row };
                    let bits = self.get(node, from, which)?;
                    self.put(tile, to, bits);
                }
            }
            Role::Reduce if s.pass(id).is_some() => self.take(id, node, dtype)?,
            Role::Reduce => {
                let from = self.operand(node, 0)?;
                let length = self.lengths[s.root(node.inputs[0].from.unwrap_or_default())];
                let tile = self.claim(id, place, dtype);
                for row in 0..self.rows {
                    let places = row * self.stride..row * self.stride + length;
                    let elements: Vec<u64> = places.map(|at| self.get(node, from, at)).collect::<Result<_, _>>()?;
                    let Some(result) = value::reduce(&node.node_type, &elements, length, dtype, Along::Row) else {
                        return fail(node, "no such reduction");
                    };
                    self.put(tile, row, result);
                }
            }
            Role::Compute => self.compute(id, node, place)?,
            _ => {}
        }
        Ok(())
    }

    /// The lanes of a reduction take a piece.
    fn take(&mut self, id: NodeId, node: &Node, dtype: DType) -> Result<(), RunError> {
        let from = self.operand(node, 0)?;
        let (along, rows, width) = match self.kernel.s.case {
            Case::C => (Along::Column, self.rows, self.width),
            _ => (Along::Row, self.piece.len(), 1),
        };
        let unit = if along == Along::Row { 256 / dtype.size() } else { ROW_LANES };
        if !self.piece.start.is_multiple_of(unit) {
            return fail(node, format!("a piece begins at element {}, within its lanes", self.piece.start));
        }
        let mut all = self
            .lanes
            .remove(&id)
            .unwrap_or_else(|| (0..width).map(|_| Lanes::new(dtype, along, self.columns)).collect());
        for (column, lanes) in all.iter_mut().enumerate() {
            let step = if along == Along::Row { 1 } else { self.stride };
            let places = (0..rows).map(|row| column + row * step);
            let elements: Vec<u64> = places.map(|at| self.get(node, from, at)).collect::<Result<_, _>>()?;
            if lanes.take(&node.node_type, &elements).is_none() {
                return fail(node, "no such reduction");
            }
        }
        self.lanes.insert(id, all);
        Ok(())
    }

    /// Behind its pass a reduction has its result.
    pub(super) fn meet(&mut self, id: NodeId) -> Result<(), RunError> {
        let (node, lanes) = (&self.kernel.s.graph.nodes[id], self.lanes.remove(&id));
        let (Some(lanes), Some(place)) = (lanes, self.kernel.memory.places[id]) else { return Ok(()) };
        let tile = self.claim(id, place, node.y.dtype.unwrap_or(DType::Float32));
        for (at, lanes) in lanes.into_iter().enumerate() {
            let Some(result) = lanes.meet(&node.node_type) else { return fail(node, "no such reduction") };
            self.put(tile, at, result);
        }
        Ok(())
    }

    fn store(&mut self, id: NodeId, node: &Node, begin: i64) -> Result<(), RunError> {
        let s = &self.kernel.s;
        let end = s.graph.consumers(id).first().and_then(|end| s.graph.nodes[*end].index()).unwrap_or_default();
        let mut before = 0;
        for piece in s.pieces(id) {
            let Some(from) = self.tiles[piece.node] else { return fail(node, "an operand has no tile") };
            for (place, row, column) in self.walk(piece.node) {
                let (bits, to) = (self.get(node, from, place)?, self.element(id, begin, row, before + column));
                let Some((buffer, written)) = self.outputs.get_mut(&end) else { return fail(node, "no Output") };
                match usize::try_from(to).ok().and_then(|to| written.get_mut(to)) {
                    Some(true) => return fail(node, format!("writes element {to} a second time")),
                    Some(slot) => *slot = true,
                    None => return fail(node, format!("writes element {to} of {}", written.len())),
                }
                buffer.set(to as usize, bits);
            }
            before += self.length(piece.node);
        }
        Ok(())
    }

    /// Over the whole tile. Fmod writes its result before it has read its operands for the last time, and may leave
    /// something else where its divisor was.
    fn compute(&mut self, id: NodeId, node: &Node, place: Place) -> Result<(), RunError> {
        let mut operands = Vec::new();
        let number = numbers::of(node, &self.kernel.s.graph);
        for which in (0..node.inputs.len()).filter(|which| number.is_none_or(|number| number.operand != *which)) {
            operands.push(self.operand(node, which)?);
        }
        let to = self.claim(id, place, node.y.dtype.unwrap_or(DType::Float32));
        let places = self.places(id);
        if node.node_type == "Fmod" {
            self.forget(to, &places);
        }
        let call = number.map_or(value::name_of(node), |number| number.computes);
        let column = self.kernel.s.column(id).map(|(at, _)| at);
        self.instruction(node, call, to, (&operands, column, number.map(|number| number.bits)), &places)?;
        if fmod::spoils_divisor(&self.kernel.memory.fmod, &self.kernel.s.graph, id) {
            self.forget(operands[1], &places);
        }
        Ok(())
    }

    fn forget(&mut self, tile: Tile, places: &[usize]) {
        let size = tile.dtype.size();
        for at in places {
            self.written[tile.begin + at * size..][..size].fill(false);
        }
    }

    fn instruction(
        &mut self,
        node: &Node,
        call: &str,
        to: Tile,
        (from, column, number): (&[Tile], Option<usize>, Option<u64>),
        places: &[usize],
    ) -> Result<(), RunError> {
        let source = from.last().map_or(to.dtype, |tile| tile.dtype);
        for at in places {
            let mut bits = Vec::new();
            for (which, tile) in from.iter().enumerate() {
                let at = if column == Some(which) { at / self.stride } else { *at };
                bits.push(self.get(node, *tile, at)?);
            }
            bits.extend(number);
            let Some(result) = value::elewise(call, &bits, source, to.dtype) else {
                return fail(node, format!("{call} has no value here"));
            };
            self.put(to, *at, result);
        }
        Ok(())
    }
}

//! Where each tile lives: queues for what comes from memory and goes there, buffers for the rest, and when a buffer may
//! serve again.

mod banks;
pub mod fmod;

use std::fmt;

use crate::cpp::FOLD_BYTES;
use crate::dtype::DType;
use crate::ir;
use crate::lower::{numbers, steps};
use crate::model::{NodeId, Position};
use crate::schedule::{Case, Role, Scheduled, Span, Unsupported, unsupported};
use crate::tiling::{Demand, MASK_STEP};
use crate::value::ROW_LANES;
pub use banks::{BANK_GAP, BANK_PERIOD};

/// Queues of one direction that a kernel may have on this core.
pub const MOST_QUEUES: usize = 4;

/// Copies of a queue's tile: one is copied while another is computed.
pub const QUEUE_BUFFERS: usize = 2;

/// Of the place of an element in a tile that is turned.
pub const TURN_BYTES: usize = 4;

/// Bytes of a block of the unified buffer.
pub const BLOCK: usize = 32;

/// Bytes of a tile, for each element of the part of it that a result has.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes {
    /// For each element of the whole tile; for each of its rows; for each element of one row.
    pub wide: usize,
    pub narrow: usize,
    pub row: usize,
}

impl Bytes {
    pub fn of(span: Span, bytes: usize) -> Bytes {
        match span {
            Span::Wide | Span::One => Bytes { wide: bytes, ..Bytes::default() },
            Span::Narrow => Bytes { narrow: bytes, ..Bytes::default() },
            Span::Row => Bytes { row: bytes, ..Bytes::default() },
        }
    }

    pub fn max(self, other: Bytes) -> Bytes {
        Bytes { wide: self.wide.max(other.wide), narrow: self.narrow.max(other.narrow), row: self.row.max(other.row) }
    }

    fn plus(self, other: Bytes, times: usize) -> Bytes {
        Bytes {
            wide: self.wide + times * other.wide,
            narrow: self.narrow + times * other.narrow,
            row: self.row + times * other.row,
        }
    }

    /// Of a tile with as many elements, rows and elements of a row.
    pub fn all(self, wide: usize, narrow: usize, row: usize) -> usize {
        self.wide * wide + self.narrow * narrow + self.row * row
    }
}

/// `4`, `4 a row`, `4 once`.
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.wide, ""), (self.narrow, " a row"), (self.row, " once")];
        let text: Vec<String> =
            parts.iter().filter(|part| part.0 > 0).map(|(bytes, of)| format!("{bytes}{of}")).collect();
        f.write_str(&text.join(" + "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub position: Position,
    /// Among the queues of its direction, or among the buffers.
    pub id: usize,
}

/// What tiles lie in: a queue, a buffer, or the work memory that nodes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Tile(Place),
    Scratch,
    /// Behind all others, in the lower half.
    Lanes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// By node; only those that have a tile.
    pub places: Vec<Option<Place>>,
    /// First and last step in which a node's tile is needed, both inclusive, in the order of the schedule.
    pub lives: Vec<Option<(usize, usize)>>,
    pub vec_in: Vec<Bytes>,
    pub vec_out: Vec<Bytes>,
    pub buffers: Vec<Bytes>,
    /// What nodes need while they compute; they share it.
    pub scratch: Bytes,
    /// Lanes and blocks that reductions and repeated columns go through, for each row.
    pub lanes: bool,
    /// Types that a kernel has a block of ones of.
    pub ones: Vec<DType>,
    /// Sizes of elements that a kernel turns tiles of: for each it has a tile of where an element lies.
    pub turns: Vec<usize>,
    /// Bytes whatever the tile.
    pub fixed: usize,
    /// Tiles behind a gap of [`BANK_GAP`] bytes; behind them is another.
    pub upper: Vec<Part>,
    /// Compute classes that have work memory of their own.
    pub fmod: Vec<fmod::Class>,
    /// Buffers that are written before the first tile: nothing else may come there.
    constant: Vec<bool>,
}

impl Memory {
    /// Unified buffer of a tile: for each of its elements, its rows, the elements of one row.
    pub fn bytes(&self) -> Bytes {
        let queues = self.vec_in.iter().chain(&self.vec_out).map(|bytes| (*bytes, QUEUE_BUFFERS));
        let buffers = self.buffers.iter().map(|bytes| (*bytes, 1));
        let work: usize = self.fmod.iter().map(|class| class.bytes_per_element()).sum();
        let work = work + TURN_BYTES * self.turns.len();
        let first = self.scratch.plus(Bytes { wide: work, ..Bytes::default() }, 1);
        queues.chain(buffers).fold(first, |sum, (bytes, times)| sum.plus(bytes, times))
    }

    /// Unified buffer that one element of a tile takes.
    pub fn bytes_per_element(&self) -> usize {
        self.bytes().wide
    }

    /// Bytes for each element of the tiles that repeat a row once and for all: of a tile of one row they are that row.
    fn repeated(&self, s: &Scheduled) -> usize {
        let tiles = (0..self.places.len()).filter(|id| s.repeats_once(*id));
        tiles.map(|id| size(s, id).wide).sum()
    }

    /// What the solver of tilings has to know.
    pub fn demand(&self, s: &Scheduled) -> Demand {
        let bytes = self.bytes();
        let masks =
            s.order.iter().any(|id| s.roles[*id] == Role::Compute && ir::has_mask(&s.graph.nodes[*id].node_type));
        // Pieces begin at a lane's first element.
        let half = |id: &NodeId| s.graph.nodes[*id].y.dtype.is_some_and(|dtype| dtype.size() < 4);
        let halves = s.case == Case::P && s.order.iter().any(|id| s.roles[*id] == Role::Reduce && half(id));
        let repeats = s.case == Case::C && s.roles.contains(&Role::RepeatColumns);
        Demand {
            whole_rows: s.columns.is_some(),
            pieces: s.case.has_passes(),
            columns: s.case == Case::C,
            wide: bytes.wide as i64,
            narrow: bytes.narrow as i64 + if repeats { BLOCK as i64 } else { 0 },
            once: bytes.row as i64 + if s.case == Case::C { column_bytes(s) as i64 } else { 0 },
            lanes: self.lanes,
            fixed: self.fixed as i64,
            sums: if s.shares_rows() { s.accumulators() as i64 } else { 0 },
            step: if masks || halves { MASK_STEP } else { self.class_step() },
            align: s.align() as i64,
            repeated: self.repeated(s) as i64,
        }
    }
}

/// Every tile gets a place.
///
/// # Errors
///
/// More tiles are read, or written, at the same time than there are queues.
pub fn allocate(s: &Scheduled) -> Result<Memory, Unsupported> {
    let count = s.graph.nodes.len();
    let mut memory = Memory { places: vec![None; count], lives: lives(s), ..Memory::default() };
    memory.fmod = fmod::classes(s, &memory.lives);
    memory.fixed += memory.fmod.len() * fmod::FIXED_BYTES;
    // Constants are written before the first tile.
    for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
        if memory.lives[id].is_some() {
            memory.places[id] = Some(kept(s, &mut memory, id));
        }
    }
    for id in s.order.iter().copied() {
        let place = match s.roles[id] {
            // It waits for the buffers of the tiles.
            Role::Load if s.is_brief(id) => continue,
            Role::Load if s.is_hoisted(id) => kept(s, &mut memory, id),
            Role::Load => queue(s, &mut memory, id, Position::VecIn)?,
            Role::Compute | Role::Turn | Role::Repeat | Role::RepeatColumns | Role::RepeatRows | Role::Reduce => {
                let node = &s.graph.nodes[id];
                memory.lanes |= matches!(s.roles[id], Role::RepeatColumns | Role::Reduce);
                if s.roles[id] == Role::Compute {
                    let scratch = Bytes::of(s.spans[id], steps::scratch(node, &s.graph));
                    memory.scratch = memory.scratch.max(scratch);
                    let ones = steps::ones(node, &s.graph).filter(|dtype| !memory.ones.contains(dtype));
                    memory.ones.extend(ones);
                }
                if s.folds(id) {
                    memory.scratch = memory.scratch.max(Bytes::of(Span::Narrow, FOLD_BYTES));
                }
                if s.roles[id] == Role::Turn {
                    let size = node.y.dtype.map_or(4, DType::size);
                    memory.turns.extend(Some(size).filter(|size| !memory.turns.contains(size)));
                }
                let stored = s.readers(id).iter().any(|reader| s.roles[*reader] == Role::Store);
                match (s.is_hoisted(id), stored) {
                    (true, _) => kept(s, &mut memory, id),
                    (_, true) => queue(s, &mut memory, id, Position::VecOut)?,
                    _ => buffer(s, &mut memory, id),
                }
            }
            Role::Column => {
                memory.lanes = true;
                continue;
            }
            _ => continue,
        };
        memory.places[id] = Some(place);
    }
    for id in s.order.iter().copied().filter(|id| s.is_brief(*id)) {
        let before = before_tiles(s, &memory, id);
        memory.places[id] = Some(before.unwrap_or_else(|| kept(s, &mut memory, id)));
    }
    memory.fixed += memory.ones.len() * BLOCK;
    memory.upper = banks::upper(s, &memory);
    memory.fixed += match s.case {
        Case::P => lane_bytes(s),
        Case::C if s.roles.contains(&Role::RepeatColumns) => 256,
        _ => 0,
    };
    memory.fixed += memory.bank_bytes();
    Ok(memory)
}

/// Case P: lanes of each reduction of a pass, of a segment and of those before it, and the blocks that a repeated element goes through.
pub fn lane_bytes(s: &Scheduled) -> usize {
    256 * (2 * s.accumulators() + 1)
}

/// Case C: rows of partial results of each reduction of a pass, for each column.
pub fn column_bytes(s: &Scheduled) -> usize {
    4 * ROW_LANES * s.accumulators()
}

fn size(s: &Scheduled, id: NodeId) -> Bytes {
    let bytes = s.graph.nodes[id].y.dtype.map_or(8, |dtype| dtype.size());
    // A constant is read as any part of a tile.
    let span = if s.roles[id] == Role::Constant { Span::Wide } else { s.spans[id] };
    let of_span = Bytes::of(span, bytes);
    // As many rows as a tile has elements of a row, each to a whole block.
    if s.is_turned(id) { of_span.plus(Bytes { row: bytes, ..Bytes::default() }, s.align() - 1) } else { of_span }
}

/// Does a reader take another node's result as a tile, and not as a number only?
fn reads_tile(s: &Scheduled, reader: NodeId, id: NodeId) -> bool {
    let node = &s.graph.nodes[reader];
    if s.roles[reader] == Role::Constant {
        return false;
    }
    let Some(number) = numbers::of(node, &s.graph) else { return true };
    let mut tiles = node.inputs.iter().enumerate().filter(|(at, _)| *at != number.operand);
    tiles.any(|(_, input)| input.from.is_some_and(|from| s.root(from) == id))
}

/// Steps are places in the order. What is written before the first tile lives in all of them.
fn lives(s: &Scheduled) -> Vec<Option<(usize, usize)>> {
    let step = |id: NodeId| s.order.iter().position(|other| *other == id).unwrap_or_default();
    // What a row has once is read with every piece: until the pass is over.
    let end = |id: NodeId, reader: NodeId| match s.pass(reader) {
        // Where its own readers are.
        _ if s.roles[reader] == Role::Column => s.readers(reader).into_iter().map(step).max().unwrap_or_default(),
        Some(_) if !s.is_piece(id) => {
            s.order.iter().rposition(|other| s.section(*other) == s.section(reader)).unwrap_or_default()
        }
        _ => step(reader),
    };
    (0..s.graph.nodes.len())
        .map(|id| {
            let tiles = s.readers(id).into_iter().filter(|reader| reads_tile(s, *reader, id));
            let last = tiles.map(|reader| end(id, reader)).max();
            match s.roles[id] {
                Role::LoadElement => None,
                Role::Constant => last.map(|_| (0, s.order.len())),
                // All that is read before the tiles is read first.
                _ if s.is_brief(id) => last.map(|last| (0, last)),
                _ if s.is_hoisted(id) => last.map(|_| (0, s.order.len())),
                Role::None | Role::Join | Role::Alias(_) | Role::Store | Role::Column => None,
                _ => last.map(|last| (step(id), last)),
            }
        })
        .collect()
}

/// A queue of its own while there are queues, then one whose tile is over.
fn queue(s: &Scheduled, memory: &mut Memory, id: NodeId, position: Position) -> Result<Place, Unsupported> {
    let bytes = size(s, id);
    let begin = memory.lives[id].map_or(0, |life| life.0);
    let list = if position == Position::VecIn { &memory.vec_in } else { &memory.vec_out };
    // A queue whose tiles are over, and in an earlier pass where there are queues left: those of one pass overlap.
    let earlier = list.len() < MOST_QUEUES;
    let over = (0..list.len()).find(|queue| {
        let here = Some(Place { position, id: *queue });
        let ends = |node: NodeId| memory.lives[node].is_some_and(|life| life.1 < begin);
        let apart = |node: NodeId| list[*queue] == bytes && s.section(node) / 2 < s.section(id) / 2;
        let mut tiles = (0..memory.places.len()).filter(|node| memory.places[*node] == here);
        tiles.all(|node| ends(node) && (!earlier || apart(node)))
    });
    if over.is_none() && earlier {
        let place = Place { position, id: list.len() };
        if position == Position::VecIn {
            memory.vec_in.push(bytes)
        } else {
            memory.vec_out.push(bytes)
        }
        return Ok(place);
    }
    let Some(queue) = over else {
        let what = if position == Position::VecIn { "read" } else { "written" };
        return Err(unsupported(
            &s.graph.nodes[id],
            format!("more than {MOST_QUEUES} tiles are {what} at the same time"),
        ));
    };
    let list = if position == Position::VecIn { &mut memory.vec_in } else { &mut memory.vec_out };
    list[queue] = list[queue].max(bytes);
    Ok(Place { position, id: queue })
}

/// A buffer of its own for what is written before the first tile.
fn kept(s: &Scheduled, memory: &mut Memory, id: NodeId) -> Place {
    memory.buffers.push(size(s, id));
    memory.constant.push(true);
    Place { position: Position::VecCalc, id: memory.buffers.len() - 1 }
}

/// A buffer of tiles for a row that is over before the first of them.
fn before_tiles(s: &Scheduled, memory: &Memory, id: NodeId) -> Option<Place> {
    (0..memory.buffers.len()).map(|id| Place { position: Position::VecCalc, id }).find(|place| {
        let taken = (0..memory.places.len()).any(|other| s.is_brief(other) && memory.places[other] == Some(*place));
        !taken && !memory.constant[place.id] && memory.buffers[place.id].wide >= size(s, id).row
    })
}

/// The buffer of an operand that ends here and may be overwritten, then one whose tile is over, then a new one.
fn buffer(s: &Scheduled, memory: &mut Memory, id: NodeId) -> Place {
    let node = &s.graph.nodes[id];
    let bytes = size(s, id);
    let (begin, _) = memory.lives[id].unwrap_or_default();
    let users = |memory: &Memory, buffer: usize| -> Vec<NodeId> {
        let here = Some(Place { position: Position::VecCalc, id: buffer });
        (0..memory.places.len()).filter(|node| memory.places[*node] == here).collect()
    };
    let overwritten = ir::find(&node.node_type).map_or(&[][..], |ir| ir.in_place);
    for input in node.inputs.iter().filter(|input| overwritten.contains(&input.name.as_str())) {
        let root = s.root(input.from.unwrap_or(id));
        let Some(Place { position: Position::VecCalc, id: buffer }) = memory.places[root] else { continue };
        if !steps::overwrites(node, &s.graph, &input.name) {
            continue;
        }
        let same = memory.buffers[buffer] == bytes && !memory.constant[buffer];
        // Also no operand that may not be overwritten is in it.
        let ends = memory.lives[root].is_some_and(|life| life.1 == begin);
        if same && ends && s.roles[id] == Role::Compute {
            return Place { position: Position::VecCalc, id: buffer };
        }
    }
    for buffer in 0..memory.buffers.len() {
        let over = users(memory, buffer).iter().all(|node| memory.lives[*node].is_some_and(|life| life.1 < begin));
        if over && memory.buffers[buffer] == bytes && !memory.constant[buffer] {
            return Place { position: Position::VecCalc, id: buffer };
        }
    }
    memory.buffers.push(bytes);
    memory.constant.push(false);
    Place { position: Position::VecCalc, id: memory.buffers.len() - 1 }
}

/// Writes the places into the graph's fields.
pub fn annotate(s: &mut Scheduled, memory: &Memory) {
    use crate::model::MemAttr;
    for id in 0..s.graph.nodes.len() {
        let root = s.root(id);
        let mem = memory.places[root].map(|place| {
            let queue = (place.position != Position::VecCalc).then_some(place.id);
            let buf = (place.position == Position::VecCalc).then_some(place.id);
            MemAttr { tensor_id: root, position: place.position, que: queue, buf }
        });
        let end = s.roles[id] == Role::None;
        s.graph.nodes[id].y.mem = if end { None } else { mem };
    }
}

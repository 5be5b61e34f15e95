//! Where each tile lives: queues for what comes from memory and goes there, buffers for the rest, and when a buffer may
//! serve again.

use crate::ir;
use crate::model::{NodeId, Position};
use crate::schedule::{Role, Scheduled, Unsupported, unsupported};

/// Queues of one direction that a kernel may have on this core.
pub const MOST_QUEUES: usize = 4;

/// Copies of a queue's tile: one is copied while another is computed.
pub const QUEUE_BUFFERS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub position: Position,
    /// Among the queues of its direction, or among the buffers.
    pub id: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// By node; only those that have a tile.
    pub places: Vec<Option<Place>>,
    /// First and last step in which a node's tile is needed, both inclusive, in the order of the schedule.
    pub lives: Vec<Option<(usize, usize)>>,
    /// Bytes of an element.
    pub vec_in: Vec<usize>,
    pub vec_out: Vec<usize>,
    pub buffers: Vec<usize>,
    /// Buffers that hold a constant: nothing else may come there.
    constant: Vec<bool>,
}

impl Memory {
    /// Unified buffer that one element of a tile takes.
    pub fn bytes_per_element(&self) -> usize {
        let queues: usize = self.vec_in.iter().chain(&self.vec_out).sum();
        queues * QUEUE_BUFFERS + self.buffers.iter().sum::<usize>()
    }
}

/// Every tile gets a place.
pub fn allocate(s: &Scheduled) -> Result<Memory, Unsupported> {
    let count = s.graph.nodes.len();
    let mut memory = Memory { places: vec![None; count], lives: lives(s), ..Memory::default() };
    // Constants are written before the first tile.
    for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
        if memory.lives[id].is_some() {
            memory.buffers.push(size(s, id));
            memory.constant.push(true);
            memory.places[id] = Some(Place { position: Position::VecCalc, id: memory.buffers.len() - 1 });
        }
    }
    for id in s.order.iter().copied() {
        let place = match s.roles[id] {
            Role::Load => queue(s, &mut memory, id, Position::VecIn)?,
            Role::Compute | Role::Repeat => {
                let stored = s.readers(id).iter().any(|reader| s.roles[*reader] == Role::Store);
                if stored { queue(s, &mut memory, id, Position::VecOut)? } else { buffer(s, &mut memory, id) }
            }
            Role::Store => {
                let root = s.root(s.graph.nodes[id].inputs[0].from.unwrap_or(id));
                if !matches!(s.roles[root], Role::Compute | Role::Repeat) {
                    let why = format!("it stores {}, which nothing computes", s.graph.nodes[root].name);
                    return Err(unsupported(&s.graph.nodes[id], why));
                }
                continue;
            }
            _ => continue,
        };
        memory.places[id] = Some(place);
    }
    Ok(memory)
}

fn size(s: &Scheduled, id: NodeId) -> usize {
    s.graph.nodes[id].y.dtype.map_or(8, |dtype| dtype.size())
}

/// Steps are places in the order. A constant lives in all of them.
fn lives(s: &Scheduled) -> Vec<Option<(usize, usize)>> {
    let step = |id: NodeId| s.order.iter().position(|other| *other == id).unwrap_or_default();
    (0..s.graph.nodes.len())
        .map(|id| {
            let last = s.readers(id).into_iter().map(step).max();
            match s.roles[id] {
                Role::Constant => last.map(|_| (0, s.order.len())),
                Role::Load | Role::Compute | Role::Repeat => last.map(|last| (step(id), last)),
                _ => None,
            }
        })
        .collect()
}

/// A queue of its own while there are queues, then one whose tile is over.
fn queue(s: &Scheduled, memory: &mut Memory, id: NodeId, position: Position) -> Result<Place, Unsupported> {
    let bytes = size(s, id);
    let list = if position == Position::VecIn { &memory.vec_in } else { &memory.vec_out };
    if list.len() < MOST_QUEUES {
        let place = Place { position, id: list.len() };
        if position == Position::VecIn {
            memory.vec_in.push(bytes)
        } else {
            memory.vec_out.push(bytes)
        }
        return Ok(place);
    }
    let begin = memory.lives[id].map_or(0, |life| life.0);
    let over = (0..MOST_QUEUES).find(|queue| {
        let of_queue = |node: &NodeId| memory.places[*node] == Some(Place { position, id: *queue });
        (0..memory.places.len()).filter(of_queue).all(|node| memory.lives[node].is_some_and(|life| life.1 < begin))
    });
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

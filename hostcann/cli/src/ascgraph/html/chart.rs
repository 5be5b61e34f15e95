//! Lifetimes of tiles: which bytes of the unified buffer a node's result has, from which step to which.

use std::fmt::Write;

use ascgraph::ir::ComputeUnit;
use ascgraph::memory::{Bytes, QUEUE_BUFFERS};
use ascgraph::model::{NodeId, Position};
use ascgraph::plan::Kernel;
use ascgraph::schedule::Role;

use super::{elided, node_class};
use crate::base::page::escape;

const STEP: usize = 92;
const BYTE: usize = 9;
const LEFT: usize = 104;
const TOP: usize = 34;
/// Characters of a name in a step's column.
const SHORT: usize = 13;

/// A queue's tiles, or a buffer.
struct Lane {
    name: String,
    position: Position,
    id: usize,
    begin: usize,
    bytes: Bytes,
    copies: usize,
}

/// What a lane is drawn as: parts that do not grow with the whole tile are small beside those that do.
fn drawn(bytes: Bytes) -> usize {
    bytes.wide.max(2)
}

fn lanes(kernel: &Kernel) -> (Vec<Lane>, usize) {
    let memory = &kernel.memory;
    let lists = [
        ("in", Position::VecIn, &memory.vec_in, QUEUE_BUFFERS),
        ("out", Position::VecOut, &memory.vec_out, QUEUE_BUFFERS),
        ("buf", Position::VecCalc, &memory.buffers, 1),
    ];
    let (mut lanes, mut begin) = (Vec::new(), 0);
    for (name, position, list, copies) in lists {
        for (id, bytes) in list.iter().copied().enumerate() {
            lanes.push(Lane { name: format!("{name}{id}_"), position, id, begin, bytes, copies });
            begin += drawn(bytes) * copies;
        }
    }
    (lanes, begin)
}

pub fn svg(kernel: &Kernel) -> String {
    let s = &kernel.s;
    let steps: Vec<NodeId> =
        s.order.iter().copied().filter(|id| !matches!(s.roles[*id], Role::None | Role::Alias(_))).collect();
    // A life counts steps of the whole order.
    let column = |step: usize| s.order.iter().take(step).filter(|id| steps.contains(id)).count();
    let (lanes, used) = lanes(kernel);
    let in_lanes: usize = lanes.iter().map(|lane| lane.bytes.wide * lane.copies).sum();
    let scratch = kernel.memory.bytes_per_element() - in_lanes;
    let all = used + scratch;
    let (width, height) = (LEFT + steps.len() * STEP + 8, TOP + all * BYTE + 8);
    let mut text = super::svg((width as f64, height as f64));
    for (at, id) in steps.iter().enumerate() {
        let (x, node) = (LEFT + at * STEP, &s.graph.nodes[*id]);
        let _ = writeln!(
            text,
            "<text data-n=\"{id}\" x=\"{}\" y=\"14\">{}</text><text x=\"{}\" y=\"27\" class=\"soft\">{}</text>\
             <path d=\"M{x} {TOP} V{}\" class=\"rule\"/>",
            x + 3,
            escape(&elided(&node.name, SHORT)),
            x + 3,
            escape(&elided(&node.node_type, SHORT)),
            height - 8
        );
    }
    for lane in &lanes {
        let (y, tall) = (TOP + lane.begin * BYTE, drawn(lane.bytes) * BYTE);
        for copy in 0..lane.copies {
            let y = y + copy * tall;
            let _ = writeln!(
                text,
                "<text x=\"2\" y=\"{}\">{}{}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{tall}\" class=\"lane\"/>",
                y + 13,
                escape(&lane.name),
                if copy == 0 { format!(" {:?}", lane.bytes) } else { format!(" tile {}", copy + 1) },
                steps.len() * STEP
            );
        }
    }
    if all > used {
        let (y, tall) = (TOP + used * BYTE, (all - used) * BYTE);
        let _ = writeln!(
            text,
            "<text x=\"2\" y=\"{}\">scratch {}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{tall}\" \
             class=\"box other\"><title>scratch memory of an instruction sequence</title></rect>",
            y + 13,
            scratch,
            steps.len() * STEP
        );
    }
    for (id, place) in kernel.memory.places.iter().enumerate() {
        let (Some(place), Some((first, last))) = (place, kernel.memory.lives[id]) else { continue };
        let Some(lane) = lanes.iter().find(|lane| (lane.position, lane.id) == (place.position, place.id)) else {
            continue;
        };
        let (from, to) = (column(first), column(last + 1).min(steps.len()));
        let (x, y) = (LEFT + from * STEP, TOP + lane.begin * BYTE);
        let node = &s.graph.nodes[id];
        let own = node.y.dtype.map_or(1, |dtype| dtype.size()).min(drawn(lane.bytes));
        let unit = match place.position {
            Position::VecIn => ComputeUnit::Mte2,
            Position::VecOut => ComputeUnit::Mte3,
            _ => ComputeUnit::Vector,
        };
        let _ = writeln!(
            text,
            "<g data-n=\"{id}\"><title>{} in {}: {own} B, steps {from} to {}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" \
             height=\"{}\" rx=\"3\" class=\"box {}\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            escape(&node.name),
            escape(&lane.name),
            to.saturating_sub(1),
            x + 2,
            y + 2,
            (to.saturating_sub(from) * STEP).saturating_sub(4),
            (own * BYTE).saturating_sub(4),
            node_class(Some(unit)),
            x + 6,
            y + 14,
            escape(&elided(&node.name, SHORT))
        );
    }
    text + "</svg>\n"
}

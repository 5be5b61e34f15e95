//! Where the boxes of a graph and its edges are drawn: a row for each distance from the ends, and in every row that an edge
//! passes a column of its own for it, so that no edge runs behind a box.

use ascgraph::model::{Graph, NodeId};

pub const HEIGHT: f64 = 54.0;
const GAP_X: f64 = 18.0;
const GAP_Y: f64 = 46.0;
const MARGIN: f64 = 6.0;
/// Width of the column of a passing edge.
const PASS: f64 = 10.0;
/// Between the arrows of two operands, at most.
const PORT: f64 = 34.0;
/// Length of an arrowhead.
pub const HEAD: f64 = 8.0;
const SWEEPS: usize = 8;

/// A box, or the column of an edge in a row that it passes.
struct Slot {
    node: Option<NodeId>,
    width: f64,
    /// Its middle.
    x: f64,
    row: usize,
}

/// From a result to the operand of a reader: the path, and where its arrowhead ends.
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub operand: usize,
    pub path: String,
    pub tip: (f64, f64),
}

pub struct Layout {
    /// Left upper corner of every box.
    pub corners: Vec<(f64, f64)>,
    pub edges: Vec<Edge>,
    pub size: (f64, f64),
}

/// A slot, one below it, and the number of the operand that enters there.
type Link = (usize, usize, usize);

/// Slots, rows of them, and links from a row to the next.
struct Grid {
    slots: Vec<Slot>,
    rows: Vec<Vec<usize>>,
    links: Vec<Link>,
}

/// `widths` are those of the boxes.
pub fn of(graph: &Graph, widths: &[f64]) -> Layout {
    let depth = depths(graph);
    let mut grid = Grid {
        slots: Vec::new(),
        rows: vec![Vec::new(); depth.iter().max().map_or(0, |most| most + 1)],
        links: Vec::new(),
    };
    for (id, width) in widths.iter().enumerate() {
        grid.add(Some(id), *width, depth[id]);
    }
    let passes: Vec<Vec<usize>> = (0..widths.len()).map(|id| grid.pass(graph, &depth, id)).collect();
    grid.order();
    let width = grid.place();
    let lane = |row: usize| MARGIN + row as f64 * (HEIGHT + GAP_Y);
    let corners = grid.slots[..widths.len()].iter().map(|slot| (slot.x - slot.width / 2.0, lane(slot.row))).collect();
    let (mut edges, mut around) = (Vec::new(), 0.0);
    for (from, to, operand) in links(graph) {
        let tip = (port(graph, &grid.slots[to], to, operand), lane(depth[to]));
        let (x, y) = (grid.slots[from].x, lane(depth[from]) + HEIGHT);
        let mut path = format!("M{x:.1} {y:.1}");
        if depth[to] > depth[from] {
            let by = passes[from].iter().take(depth[to] - depth[from] - 1);
            let mut last = (x, y);
            for slot in by.map(|slot| &grid.slots[*slot]) {
                path += &curve(last, (slot.x, lane(slot.row)));
                last = (slot.x, lane(slot.row) + HEIGHT);
                path += &format!(" V{:.1}", last.1);
            }
            path += &curve(last, (tip.0, tip.1 - HEAD));
        } else {
            // A circle, which only a wrong graph has: around everything.
            around += 8.0;
            path += &format!(" v8 H{:.1} V{:.1} H{:.1} V{:.1}", width + around, tip.1 - 18.0, tip.0, tip.1 - HEAD);
        }
        edges.push(Edge { from, to, operand, path, tip });
    }
    let height = grid.rows.len() as f64 * (HEIGHT + GAP_Y) - GAP_Y + 2.0 * MARGIN;
    Layout {
        corners,
        edges,
        size: (width + around + MARGIN, height.max(0.0) + if around > 0.0 { MARGIN } else { 0.0 }),
    }
}

/// Of operands that are there: the result, its reader, and the operand's number.
fn links(graph: &Graph) -> impl Iterator<Item = (NodeId, NodeId, usize)> {
    let count = graph.nodes.len();
    graph.nodes.iter().enumerate().flat_map(move |(to, node)| {
        let from = node.inputs.iter().enumerate().filter_map(move |(operand, input)| Some((input.from?, to, operand)));
        from.filter(move |(from, ..)| *from < count)
    })
}

/// Stays between two rows: its ends are vertical, and it never turns back.
fn curve((x, y): (f64, f64), (to_x, to_y): (f64, f64)) -> String {
    let middle = (y + to_y) / 2.0;
    format!(" C{x:.1} {middle:.1} {to_x:.1} {middle:.1} {to_x:.1} {to_y:.1}")
}

/// Operands enter a box from left to right.
fn port(graph: &Graph, slot: &Slot, to: NodeId, operand: usize) -> f64 {
    let count = graph.nodes[to].inputs.len() as f64;
    let step = PORT.min((slot.width - 16.0) / count);
    slot.x + (operand as f64 - (count - 1.0) / 2.0) * step
}

/// Every node below its operands; what only a later row needs stands right above it. A circle ends somewhere.
fn depths(graph: &Graph) -> Vec<usize> {
    let count = graph.nodes.len();
    let mut depth = vec![0; count];
    for _ in 0..count {
        let mut moved = false;
        for (from, to, _) in links(graph) {
            if depth[to] <= depth[from] && depth[from] + 1 < count {
                depth[to] = depth[from] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    for id in 0..count {
        let above = graph.consumers(id).iter().map(|reader| depth[*reader]).min();
        if let Some(above) = above.filter(|above| *above > 0 && graph.nodes[id].inputs.is_empty()) {
            depth[id] = above - 1;
        }
    }
    // Rows that nothing is left in.
    let mut used = depth.clone();
    used.sort_unstable();
    used.dedup();
    depth.iter().map(|at| used.partition_point(|row| row < at)).collect()
}

impl Grid {
    fn add(&mut self, node: Option<NodeId>, width: f64, row: usize) -> usize {
        self.slots.push(Slot { node, width, x: 0.0, row });
        self.rows[row].push(self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// The columns of a result in the rows between it and its last reader, one for all readers.
    fn pass(&mut self, graph: &Graph, depth: &[usize], id: NodeId) -> Vec<usize> {
        let readers: Vec<(NodeId, NodeId, usize)> = links(graph).filter(|(from, ..)| *from == id).collect();
        let last = readers.iter().map(|(_, reader, _)| depth[*reader]).max().unwrap_or(0);
        let columns: Vec<usize> = (depth[id] + 1..last).map(|row| self.add(None, PASS, row)).collect();
        let chain: Vec<usize> = [id].into_iter().chain(columns.iter().copied()).collect();
        self.links.extend(chain.windows(2).map(|two| (two[0], two[1], 0)));
        let below = readers.into_iter().filter(|(_, reader, _)| depth[*reader] > depth[id]);
        self.links.extend(below.map(|(_, reader, operand)| (chain[depth[reader] - depth[id] - 1], reader, operand)));
        columns
    }

    /// What a slot is linked with in the row above or below, and by which operand.
    fn linked(&self, slot: usize, above: bool) -> impl Iterator<Item = (usize, usize)> {
        let other = move |&(from, to, operand): &Link| match above {
            true => (to == slot).then_some((from, operand)),
            false => (from == slot).then_some((to, operand)),
        };
        self.links.iter().filter_map(other)
    }

    /// Every row by the mean place of what it is linked with, from above and from below in turn.
    fn order(&mut self) {
        let mut place = vec![0.0; self.slots.len()];
        let spread = |row: &[usize], place: &mut Vec<f64>| {
            row.iter().enumerate().for_each(|(at, slot)| place[*slot] = (at as f64 + 0.5) / row.len() as f64);
        };
        self.rows.iter().for_each(|row| spread(row, &mut place));
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            for at in 0..self.rows.len() {
                let at = if down { at } else { self.rows.len() - 1 - at };
                let mut row = std::mem::take(&mut self.rows[at]);
                row.sort_by_cached_key(|slot| {
                    // What enters one box stands in the order of its operands.
                    let at = |(other, operand): (usize, usize)| {
                        place[other] + if down { 0.0 } else { operand as f64 * 1e-6 }
                    };
                    let wanted = mean(self.linked(*slot, down).map(at)).unwrap_or(place[*slot]);
                    // Places are from 0 to 1.
                    (wanted * 1e9) as i64
                });
                spread(&row, &mut place);
                self.rows[at] = row;
            }
        }
    }

    /// Every slot as near to what it is linked with as its row allows; gives the width of all.
    fn place(&mut self) -> f64 {
        for row in 0..self.rows.len() {
            self.settle(row, |grid, slot| grid.slots[slot].x);
        }
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            for at in 0..self.rows.len() {
                let row = if down { at } else { self.rows.len() - 1 - at };
                self.settle(row, |grid, slot| {
                    mean(grid.linked(slot, down).map(|(other, _)| grid.slots[other].x)).unwrap_or(grid.slots[slot].x)
                });
            }
        }
        let left = self.slots.iter().map(|slot| slot.x - slot.width / 2.0).fold(f64::MAX, f64::min);
        self.slots.iter_mut().for_each(|slot| slot.x += MARGIN - left);
        self.slots.iter().map(|slot| slot.x + slot.width / 2.0).fold(0.0, f64::max)
    }

    /// Least squares under least distances: slots that would overlap move as one. A passing edge resists more.
    fn settle(&mut self, row: usize, wanted: impl Fn(&Grid, usize) -> f64) {
        struct Group {
            sum: f64,
            weight: f64,
            count: usize,
        }
        let slots = self.rows[row].clone();
        let (mut offsets, mut edge) = (Vec::new(), 0.0);
        let mut groups: Vec<Group> = Vec::new();
        for slot in &slots {
            let width = self.slots[*slot].width;
            offsets.push(edge + width / 2.0);
            let weight = if self.slots[*slot].node.is_some() { 1.0 } else { 4.0 };
            let mut group = Group { sum: weight * (wanted(self, *slot) - edge - width / 2.0), weight, count: 1 };
            edge += width + GAP_X;
            while let Some(last) = groups.pop_if(|last| last.sum / last.weight > group.sum / group.weight) {
                group = Group {
                    sum: last.sum + group.sum,
                    weight: last.weight + group.weight,
                    count: last.count + group.count,
                };
            }
            groups.push(group);
        }
        let at = groups.iter().flat_map(|group| vec![group.sum / group.weight; group.count]);
        for ((slot, at), offset) in slots.iter().zip(at).zip(offsets) {
            self.slots[*slot].x = at + offset;
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

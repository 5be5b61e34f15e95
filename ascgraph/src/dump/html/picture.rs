//! A graph as SVG: operands above, results below, a row for each distance from the ends.

use std::fmt::Write;

use super::escape;
use crate::ir::{self, ComputeUnit};
use crate::model::{Graph, NodeId};

const WIDTH: usize = 148;
const HEIGHT: usize = 38;
const GAP_X: usize = 18;
const GAP_Y: usize = 34;
/// What edges around boxes take.
const ASIDE: usize = 48;

pub fn svg(graph: &Graph) -> String {
    let rows = rows(graph);
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (most * (WIDTH + GAP_X) + GAP_X + ASIDE, rows.len() * (HEIGHT + GAP_Y) + 8);
    let mut at = vec![(0, 0); graph.nodes.len()];
    for (y, row) in rows.iter().enumerate() {
        let begin = (width - ASIDE - row.len() * (WIDTH + GAP_X) + GAP_X) / 2;
        for (x, id) in row.iter().enumerate() {
            at[*id] = (begin + x * (WIDTH + GAP_X), y * (HEIGHT + GAP_Y) + 4);
        }
    }
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    for (id, node) in graph.nodes.iter().enumerate() {
        for from in node.inputs.iter().filter_map(|input| input.from).filter(|from| *from < at.len()) {
            edge(&mut text, graph, (from, at[from]), at[id]);
        }
    }
    for (id, node) in graph.nodes.iter().enumerate() {
        let ((x, y), fill) = (at[id], colour(&node.node_type));
        let (middle, name, kind) = (x + WIDTH / 2, y + 16, y + 31);
        let _ = writeln!(
            text,
            "<g data-n=\"{id}\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\" \
             fill=\"var({fill})\" stroke=\"#66758a\"/><text x=\"{middle}\" y=\"{name}\" text-anchor=\"middle\">{}</text>\
             <text x=\"{middle}\" y=\"{kind}\" text-anchor=\"middle\" class=\"soft\">{}</text></g>",
            escape(&graph.tensor_text(&node.y)),
            escape(&short(&node.name)),
            escape(&short(&node.node_type))
        );
    }
    text + "</svg>\n"
}

/// What fits into a box.
fn short(text: &str) -> String {
    if text.chars().count() <= 20 { text.to_owned() } else { text.chars().take(19).chain(['…']).collect() }
}

fn edge(text: &mut String, graph: &Graph, (from, (x, y)): (NodeId, (usize, usize)), (to_x, to_y): (usize, usize)) {
    let (x, y, to_x) = (x + WIDTH / 2, y + HEIGHT, to_x + WIDTH / 2);
    let (down, up) = (y + GAP_Y / 2, to_y.saturating_sub(GAP_Y / 2));
    // Past other boxes: around them.
    let past = to_y > y + GAP_Y && x.abs_diff(to_x) < WIDTH;
    let aside = if past { WIDTH } else { 0 };
    let _ = writeln!(
        text,
        "<path data-n=\"{from}\" d=\"M{x} {y} C{} {down} {} {up} {to_x} {to_y}\" fill=\"none\" stroke=\"#66758a\">\
         <title>{}</title></path>",
        x + aside,
        to_x + aside,
        escape(&graph.tensor_text(&graph.nodes[from].y))
    );
}

/// Every node below its operands; what only a later row needs stands right above it. A circle ends somewhere.
fn rows(graph: &Graph) -> Vec<Vec<NodeId>> {
    let count = graph.nodes.len();
    let mut depth = vec![0; count];
    for _ in 0..count {
        let mut moved = false;
        for (id, node) in graph.nodes.iter().enumerate() {
            for from in node.inputs.iter().filter_map(|input| input.from).filter(|from| *from < count) {
                if depth[id] <= depth[from] && depth[from] + 1 < count {
                    depth[id] = depth[from] + 1;
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
    for id in 0..count {
        let readers = graph.consumers(id);
        let above = readers.iter().map(|reader| depth[*reader]).min();
        if let Some(above) = above.filter(|above| *above > 0 && graph.nodes[id].inputs.is_empty()) {
            depth[id] = above - 1;
        }
    }
    let mut rows = vec![Vec::new(); depth.iter().max().map_or(0, |depth| depth + 1)];
    (0..count).for_each(|id| rows[depth[id]].push(id));
    rows.retain(|row| !row.is_empty());
    rows
}

/// By the pipe that executes it.
fn colour(node_type: &str) -> &'static str {
    match ir::find(node_type).map(|ir| ir.unit) {
        Some(ComputeUnit::Mte2) => "--in",
        Some(ComputeUnit::Vector) => "--vec",
        Some(ComputeUnit::Mte3) => "--out",
        Some(ComputeUnit::None) => "--end",
        None => "--odd",
    }
}

//! A graph as SVG: operands above, results below; each box with its name, its type and its formula.

use std::fmt::Write;

use ascgraph::ir;
use ascgraph::model::Graph;

use super::formula;
use super::layout::{self, HEAD, HEIGHT, Layout};
use super::{elided, node_class};
use crate::base::page::escape;

/// Characters that a box has room for at most, and how wide one is.
const LONGEST: usize = 26;
const CHARACTER: f64 = 6.7;
const NARROWEST: f64 = 84.0;

pub fn svg(graph: &Graph) -> String {
    let lines: Vec<[String; 3]> = (0..graph.nodes.len())
        .map(|id| {
            let node = &graph.nodes[id];
            let dtype = node.y.dtype.map_or(String::new(), |dtype| format!(" {}", dtype.name()));
            [node.name.clone(), format!("{}{dtype}", node.node_type), formula::own(graph, id)]
                .map(|line| elided(&line, LONGEST))
        })
        .collect();
    let characters = |lines: &[String; 3]| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let widths: Vec<f64> =
        lines.iter().map(|lines| (characters(lines) as f64 * CHARACTER + 16.0).max(NARROWEST)).collect();
    let layout = layout::of(graph, &widths);
    let mut text = super::svg(layout.size);
    edges(&mut text, graph, &layout);
    for (id, ([name, kind, formula], width)) in lines.iter().zip(&widths).enumerate() {
        let ((x, y), node) = (layout.corners[id], &graph.nodes[id]);
        let middle = x + width / 2.0;
        let line = |down: f64, class: &str, line: &str| {
            let (y, line) = (y + down, escape(line));
            format!("<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" class=\"{class}\">{line}</text>")
        };
        let about = format!("{} = {}\n{}", node.name, formula::own(graph, id), graph.tensor_text(&node.y));
        let _ = writeln!(
            text,
            "<g data-n=\"{id}\"><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" \
             rx=\"4\" class=\"box {}\"/>{}{}{}</g>",
            escape(&about),
            node_class(ir::find(&node.node_type).map(|ir| ir.unit)),
            line(15.0, "name", name),
            line(30.0, "soft", kind),
            line(46.0, "", formula),
        );
    }
    text + "</svg>\n"
}

fn edges(text: &mut String, graph: &Graph, layout: &Layout) {
    for edge in &layout.edges {
        let (x, y) = edge.tip;
        let (left, right, top) = (x - HEAD / 2.0, x + HEAD / 2.0, y - HEAD);
        let tensor = graph.tensor_text(&graph.nodes[edge.from].y);
        let about = format!("operand {} of {}: {tensor}", edge.operand, graph.nodes[edge.to].name);
        let _ = writeln!(
            text,
            "<g data-n=\"{}\" class=\"edge\"><title>{}</title><path d=\"{}\"/><polygon points=\"{x:.1},{y:.1} {left:.1},{top:.1} \
             {right:.1},{top:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text></g>",
            edge.from,
            escape(&about),
            edge.path,
            left - 2.0,
            y - 2.0,
            edge.operand
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ascgraph::build::fmod_example;

    #[test]
    fn every_operand_has_an_arrow_with_its_number() {
        let fused = fmod_example();
        let graph = &fused.graphs[0];
        let svg = svg(graph);
        let operands: usize = graph.nodes.iter().map(|node| node.inputs.len()).sum();
        assert_eq!((svg.matches("class=\"edge\"").count(), svg.matches("<polygon").count()), (operands, operands));
        let second = graph.nodes.iter().filter(|node| node.inputs.len() == 2).count();
        assert_eq!(svg.matches("text-anchor=\"end\">1</text>").count(), second);
        assert_eq!(svg.matches("text-anchor=\"end\">0</text>").count(), operands - second);
        assert!(svg.contains(">load_x / brc_y</text>") && svg.contains("operand 1 of sub: float32"), "{svg}");
    }
}

//! `dump --html`: the graph, and of a graph that becomes a kernel its axes, loops, the lifetimes of its tiles, and the
//! generated code. What stands for one node is marked with its number, so that the pointer on one of them lights up the
//! others.

mod chart;
mod formula;
mod fusion;
mod layout;
mod picture;

use std::fmt::Write;

use ascgraph::check::{check_fused, errors};
use ascgraph::codegen::{self, Names, Sources};
use ascgraph::fused::parts;
use ascgraph::ir::ComputeUnit;
use ascgraph::model::{FusedGraph, Graph, NodeId};
use ascgraph::plan::{Kernel, Plan};
use ascgraph::schedule::{Case, Role};

use crate::base::page::{self, escape};

pub use fusion::page as fusion_page;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The same graph and sources give the same bytes.
pub fn page(fused: &FusedGraph, sources: &Sources) -> String {
    let title = format!("AscGraph {}", fused.name);
    let mut text = format!("<h1>{}</h1>\n{}", escape(&title), legend());
    let wrong: Vec<String> = errors(&check_fused(fused)).map(ToString::to_string).collect();
    let planned = match wrong.first() {
        Some(first) => Err(first.clone()),
        None => parts(fused).map_err(|why| why.to_string()),
    };
    let planned = planned.as_ref();
    for why in planned.iter().flat_map(|parts| &parts.apart) {
        let _ = writeln!(text, "<p>{}</p>", escape(why));
    }
    for (at, graph) in planned.map_or(&fused.graphs, |parts| &parts.fused.graphs).iter().enumerate() {
        section(&mut text, at, graph, planned.map(|parts| &parts.plans[at]), sources);
    }
    let _ = write!(text, "<script>\n{SCRIPT}</script>\n");
    page::document("en", &title, STYLE, &text)
}

fn section(text: &mut String, at: usize, graph: &Graph, plan: Result<&Plan, &String>, sources: &Sources) {
    let _ = writeln!(text, "<section id=\"g{at}\">");
    hint(text, graph);
    match plan {
        Ok(plan) => {
            if plan.cases.len() > 1 {
                let _ = writeln!(text, "<p>{CHOICE}</p>");
            }
            plan.cases.iter().for_each(|kernel| impl_graph(text, kernel));
            code(text, plan, sources);
        }
        Err(why) => {
            let _ = writeln!(text, "<h2>Kernel</h2>\n<p class=\"refused\">There is none: {}</p>", escape(why));
        }
    }
    text.push_str("</section>\n");
}

/// Classes of boxes, by the pipe that executes a node.
const CLASSES: [(Option<ComputeUnit>, &str, &str); 5] = [
    (Some(ComputeUnit::Mte2), "mte2", "MTE2: copy in"),
    (Some(ComputeUnit::Vector), "vector", "vector unit"),
    (Some(ComputeUnit::Mte3), "mte3", "MTE3: copy out"),
    (Some(ComputeUnit::None), "none", "no instruction"),
    (None, "odd", "unknown type"),
];

fn node_class(unit: Option<ComputeUnit>) -> &'static str {
    CLASSES.iter().find(|(of, ..)| *of == unit).map_or("odd", |(_, class, _)| class)
}

fn legend() -> String {
    let entry =
        |(_, class, words): &(Option<ComputeUnit>, &str, &str)| format!("<li><i class=\"{class}\"></i>{words}</li>");
    let entries: String = CLASSES.iter().map(entry).collect();
    format!(
        "<ul class=\"legend\">{entries}<li>number at an arrow: index of the operand</li></ul>\n\
         <p class=\"soft\">Point at a node, a bar or a line to highlight the node everywhere on the page.</p>\n"
    )
}

/// What fits where there is room for so many characters.
fn elided(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        false => text.to_owned(),
        true => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// The start of a picture: shrunk a little where there is less room, else scrolled.
fn svg((width, height): (f64, f64)) -> String {
    let least = width * 0.6;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         style=\"width:100%;max-width:{width:.0}px;min-width:{least:.0}px\">\n"
    )
}

const CHOICE: &str = "Each case below is a kernel with a tiling key of its own. The tiling function chooses one for each shape: \
                      the one that fits and that the timing model prices lower.";

/// What a case cuts into tiles.
fn about(case: Case) -> &'static str {
    match case {
        Case::F => "F (flat): there is one axis, which is cut into tiles.",
        Case::Y1 => "Y1: the last axis is cut into tiles; all other axes are loops.",
        Case::Y0 => "Y0: the axis before the last is cut, so that a tile holds whole rows.",
        Case::P => {
            "P (pieces): a tile is one row, which passes through the unified buffer in pieces, once for each reduction that waits for another."
        }
        Case::C => {
            "C (columns): a tile is a part of the last axis. The rows that are reduced pass through the unified buffer in pieces."
        }
    }
}

fn hint(text: &mut String, graph: &Graph) {
    let _ = writeln!(text, "<h2>Hint graph {}</h2>", escape(&graph.name));
    for line in formula::whole(graph) {
        let _ = writeln!(text, "<p><code>{}</code></p>", escape(&line));
    }
    text.push_str("<div class=\"row\">\n");
    let _ = writeln!(text, "<div class=\"panel\"><h3>Graph</h3>\n{}</div>", picture::svg(graph));
    text.push_str("<div class=\"panel grow\"><h3>Axes</h3>\n<table>\n<tr><th>axis<th>size</tr>\n");
    for axis in &graph.axis {
        let _ = writeln!(text, "<tr><td>{}<td>{}</tr>", escape(&axis.name), escape(&axis.size.to_string()));
    }
    text.push_str("</table>\n<h3>Nodes</h3>\n<table>\n<tr><th>node<th>type<th>formula<th>result</tr>\n");
    for (id, node) in graph.nodes.iter().enumerate() {
        let attrs: String = node.ir_attr.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let _ = writeln!(
            text,
            "<tr data-n=\"{id}\"><td>{}<td>{}{}<td>{}<td>{}</tr>",
            escape(&node.name),
            escape(&node.node_type),
            escape(&attrs),
            escape(&formula::own(graph, id)),
            escape(&graph.tensor_text(&node.y))
        );
    }
    text.push_str("</table></div>\n</div>\n");
}

fn impl_graph(text: &mut String, kernel: &Kernel) {
    let s = &kernel.s;
    let case = format!("{:?}", s.case);
    let (key, bytes) = (s.graph.tiling_key.unwrap_or_default(), kernel.memory.bytes());
    let _ = writeln!(
        text,
        "<h2>Impl graph, case {}</h2>\n<p>{}</p>\n<p>Tiling key {key}. Bytes of the unified buffer for each element of a tile: {}.</p>\n\
         <div class=\"row\">",
        escape(&case),
        about(s.case),
        escape(&format!("{bytes:?}"))
    );
    text.push_str("<div class=\"panel\"><h3>Axes</h3>\n<table>\n<tr><th>axis<th>size<th>kind<th>from</tr>\n");
    for axis in &s.graph.axis {
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{}<td>{:?}<td>{}</tr>",
            escape(&axis.name),
            escape(&axis.size.to_string()),
            axis.axis_type,
            escape(&s.graph.axis_names(&axis.from))
        );
    }
    text.push_str("</table></div>\n");
    let _ = writeln!(text, "<div class=\"panel grow\"><h3>Loop nest</h3>\n<pre>{}</pre></div>\n</div>", loops(kernel));
    let _ = writeln!(
        text,
        "<h2>Lifetimes of tiles</h2>\n<p>A column is a step of the loop body. The height of a bar is the number of bytes in the unified \
         buffer for each element of a tile. A queue has two tiles: one is copied while the other is computed.</p>\n\
         <div class=\"panel\">{}</div>",
        chart::svg(kernel)
    );
}

/// As a program would be written whose calls work on tiles.
fn loops(kernel: &Kernel) -> String {
    let (s, mut lines) = (&kernel.s, Vec::new());
    let mut depth = 0;
    let last = s.graph.sched.loop_axis;
    for id in &s.graph.sched.axis {
        let axis = &s.graph.axis[*id];
        if depth == 0 {
            lines.push((None, depth, "// blocks, one for each core".to_owned()));
        }
        lines.push((None, depth, format!("for {} in 0 .. {}", axis.name, axis.size)));
        depth += 1;
        if Some(*id) == last {
            break;
        }
    }
    let (size, outer) = (&s.graph.axis[s.tile].size, s.graph.axis[s.tile].split_pair_other_id);
    lines.push((
        None,
        depth,
        match s.case {
            Case::P => format!("// one tile: a row in pieces of {size} elements"),
            Case::C => format!("// one tile: {size} columns, whose rows go by in pieces"),
            Case::Y0 => format!("// one tile: {size} rows"),
            _ => format!("// one tile: {size} elements"),
        },
    ));
    let mut pass = None;
    for id in s.order.iter().copied() {
        let Some(line) = step(kernel, id) else { continue };
        if s.pass(id) != pass {
            pass = s.pass(id);
            // Of columns the row's pieces are the loop.
            let pieces = if s.case == Case::C { Some(s.row) } else { outer };
            if let (Some(pass), Some(pieces)) = (pass, pieces) {
                let axis = &s.graph.axis[pieces];
                lines.push((None, depth, format!("for {} in 0 .. {}  // pass {pass}", axis.name, axis.size)));
            }
        }
        lines.push((Some(id), depth + usize::from(pass.is_some()), line));
    }
    let mut text = String::new();
    for (id, depth, line) in lines {
        let mark = id.map_or_else(String::new, |id| format!(" data-n=\"{id}\""));
        let _ = write!(text, "<span class=\"l\"{mark}>{}{}</span>", "  ".repeat(depth), escape(&line));
    }
    text
}

fn step(kernel: &Kernel, id: NodeId) -> Option<String> {
    let s = &kernel.s;
    let node = &s.graph.nodes[id];
    let name = |id: NodeId| s.graph.nodes[s.root(id)].name.as_str();
    let from: Vec<&str> = node.inputs.iter().filter_map(|input| input.from).map(name).collect();
    let (own, from, kind) = (&node.name, from.join(", "), &node.node_type);
    Some(match &s.roles[id] {
        Role::None | Role::Constant | Role::Join => return None,
        Role::Alias(_) => format!("// {own}: {kind} of {from} needs no instruction"),
        Role::Load => format!("{own} = copy of {from}"),
        Role::LoadElement => format!("{own} = one element of {from}"),
        Role::Repeat | Role::RepeatRows | Role::RepeatColumns => format!("{own} = {from}, repeated"),
        Role::Store => format!("copy {from} to memory"),
        _ => format!("{own} = {kind}({from})"),
    })
}

/// The generated files, the kernel's open; a line that names a node's variable is marked with the node.
fn code(text: &mut String, plan: &Plan, sources: &Sources) {
    text.push_str("<h2>Generated code</h2>\n");
    let files = Names::of("my_op").and_then(|names| codegen::op_dir(plan, &names, sources));
    let files = match files {
        Ok(files) => files,
        Err(why) => {
            let _ = writeln!(text, "<p class=\"refused\">No operator directory: {}</p>", escape(&why.to_string()));
            return;
        }
    };
    text.push_str("<p>As <code>codegen --name my_op</code> writes it.</p>\n");
    let graph = plan.hint();
    let variables: Vec<String> = (0..graph.nodes.len()).map(|id| codegen::variable(graph, id)).collect();
    for (path, body) in files.iter().filter(|(path, _)| path.contains("my_op")) {
        let open = if path == "op_kernel/my_op.h" { " open" } else { "" };
        let _ = write!(text, "<details{open}><summary>{}</summary><div class=\"panel\"><pre>", escape(path));
        for (at, line) in body.lines().enumerate() {
            let named: Vec<String> = (0..variables.len())
                .filter(|id| words(line).any(|word| word == variables[*id]))
                .map(|id| id.to_string())
                .collect();
            let mark = if named.is_empty() { String::new() } else { format!(" data-n=\"{}\"", named.join(" ")) };
            let _ = write!(text, "<span class=\"l\"{mark}><i>{}</i>{}</span>", at + 1, escape(line));
        }
        text.push_str("</pre></div></details>\n");
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

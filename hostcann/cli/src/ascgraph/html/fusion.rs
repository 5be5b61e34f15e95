//! `fuse --html`: what became of a model's operators, why, and each kernel.

use std::fmt::Write;

use ascgraph::codegen::Sources;
use ascgraph::fuse::Fusion;

use super::{SCRIPT, STYLE, legend, section};
use crate::base::page::{self, escape};

/// The same model and sources give the same bytes. The lines are those that the verb prints of each fused graph and of what
/// stays.
pub fn page(model: &str, fusion: &Fusion, [lines, left]: [&[String]; 2], sources: &Sources) -> String {
    let title = format!("Fusion of {model}");
    let mut text = format!("<h1>{}</h1>\n", escape(&title));
    for (title, list) in [("Kernels", lines), ("Why", &fusion.log[..]), ("Left as they are", left)] {
        if !list.is_empty() {
            let items: String = list.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
            let _ = write!(text, "<h2>{title}</h2>\n<ul>\n{items}</ul>\n");
        }
    }
    text.push_str(&legend());
    let parts = fusion.fused.iter().map(|fused| &fused.parts);
    let all = parts.flat_map(|parts| parts.fused.graphs.iter().zip(&parts.plans));
    for (at, (graph, plan)) in all.enumerate() {
        section(&mut text, at, graph, Ok(plan), sources);
    }
    let _ = write!(text, "<script>\n{SCRIPT}</script>\n");
    page::document("en", &title, STYLE, &text)
}

//! `ascgraph dump`: a graph as text, for Graphviz, as the file it would be read from, or as a page.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::sources::SOURCES;
use super::{html, load};
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::files;
use crate::base::term;

/// Show a graph, even one with errors
#[derive(Args)]
pub struct Dump {
    file: PathBuf,
    /// Write this form: sizes, axes and nodes; input of `dot -Tsvg`; the graph as read, with data types filled in; a
    /// self-contained page with graph, loops, tile lifetimes and generated code
    // A word, as the flag of all verbs is that this one takes the place of.
    #[arg(long, default_value = "text", value_parser = ["text", "dot", "json", "html"])]
    format: String,
    /// Write to FILE [default: stdout]
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the page: `--format html --out FILE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "out"])]
    html: Option<PathBuf>,
}

impl Dump {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let fused = load(cx, &self.file)?.fused;
        let text = match self.format.as_str() {
            "html" => html::page(&fused, &SOURCES),
            _ if self.html.is_some() => html::page(&fused, &SOURCES),
            "dot" => ascgraph::dump::dot(&fused),
            "json" => ascgraph::dump::json(&fused),
            _ => ascgraph::dump::text(&fused),
        };
        let Some(file) = self.html.as_ref().or(self.out.as_ref()) else {
            term::write(term::Stream::Out, text.as_bytes());
            return Ok(Done::plain());
        };
        let path = cx.run.sh.current_dir().join(file);
        files::write_if_changed(&path, text.as_bytes())?;
        cx.run.artifact(&path, Some(&files::sha256(text.as_bytes())));
        Ok(Done::plain().verdict(format!("ascgraph dump: {}", cx.project.show(&path))))
    }
}

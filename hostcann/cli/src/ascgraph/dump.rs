//! `ascgraph dump`: a graph as text, for Graphviz, as the file it would be read from, or as a page.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::sources::SOURCES;
use super::{html, load};
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::files;
use crate::base::term;

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Sizes, axes and nodes
    Text,
    /// Input of `dot -Tsvg`
    Dot,
    /// The graph as read, with data types filled in
    Json,
    /// A self-contained page with graph, loops, tile lifetimes and generated code
    Html,
}

/// Show a graph, even one with errors
#[derive(Args)]
pub struct Dump {
    file: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
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
        let format = if self.html.is_some() { Format::Html } else { self.format };
        let text = match format {
            Format::Text => ascgraph::dump::text(&fused),
            Format::Dot => ascgraph::dump::dot(&fused),
            Format::Json => ascgraph::dump::json(&fused),
            Format::Html => html::page(&fused, &SOURCES),
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

//! `ascgraph schedule` and `codegen`: the impl graph, and the operator directory made of it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ascgraph::codegen::{self, Names};
use ascgraph::dump;
use ascgraph::fused::{Parts, parts};
use ascgraph::memory::QUEUE_BUFFERS;
use ascgraph::plan::PlanError;
use clap::{Args, ValueEnum};

use super::load_good;
use super::sources::SOURCES;
use super::timing::{self, Tiles};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::report::{GraphCase, GraphSchedule};
use crate::base::term::{self, out};

/// Show loops, tiles and buffers of a graph's kernel
#[derive(Args)]
pub struct Schedule {
    file: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An operator directory in DIR/math
    Op,
    /// The three sources that torch_npu's back end `ascendc` compiles, in DIR/<graph>
    Autofuse,
}

/// Write the operator directory of a graph, with an example that checks every bit
#[derive(Args)]
pub struct Codegen {
    file: PathBuf,
    /// Write this form
    #[arg(long, value_enum, default_value_t = Form::Op)]
    form: Form,
    /// Name the operator directory, in snake case; its last part is DIR's [default: the graph's name and `_auto`]
    #[arg(long, value_name = "OP")]
    name: Option<String>,
    /// Choose tiles by this method
    #[arg(long, value_enum, default_value_t = Tiles::Model)]
    tiles: Tiles,
    /// Write <category>/<op> below DIR [default: target/ascgraph]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The kernels of a file.
fn planned(cx: &Ctx, file: &Path) -> Result<Parts> {
    parts(&load_good(cx, file)?.fused).map_err(refused)
}

pub fn refused(error: PlanError) -> anyhow::Error {
    failed(Kind::Build, format!("no kernel: {error}")).hint(
        "docs/reference/ascgraph.md lists what is scheduled; in torch, TORCHINDUCTOR_ASCENDC_DEBUG=allfallback leaves the graph alone",
    )
}

impl Schedule {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let parts = planned(cx, &self.file)?;
        let mut cases = Vec::new();
        for why in &parts.apart {
            out!("{why}");
        }
        for kernel in parts.plans.iter().flat_map(|plan| &plan.cases) {
            term::write(term::Stream::Out, dump::graph_text(&kernel.s.graph).as_bytes());
            let memory = &kernel.memory;
            out!(
                "Memory: {:?} B for each element of a tile: VECIN {:?}, VECOUT {:?}, {QUEUE_BUFFERS} of each, VECCALC {:?}",
                memory.bytes(),
                memory.vec_in,
                memory.vec_out,
                memory.buffers
            );
            let case = format!("{:?}", kernel.s.case);
            cases.push(GraphCase { case, bytes_per_element: memory.bytes_per_element() });
        }
        Ok(Done::with(&GraphSchedule { cases }))
    }
}

impl Codegen {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let mut parts = planned(cx, &self.file)?;
        for plan in &mut parts.plans {
            timing::price(cx, plan, self.tiles)?;
        }
        let out = match &self.out {
            Some(dir) => cx.run.sh.current_dir().join(dir),
            None => cx.project.products().join("ascgraph"),
        };
        if self.form == Form::Autofuse {
            return write_texts(cx, &parts, &out);
        }
        let wanted = self.name.unwrap_or_else(|| format!("{}_auto", parts.fused.name));
        let (dir, _, files) = operator(&parts, &wanted, &out)?;
        cx.run.artifact(&dir, None);
        let shown = cx.project.show(&dir);
        Ok(Done::plain()
            .verdict(format!("ascgraph codegen: {files} files in {shown}; next: cargo xtask example --op-dir {shown}")))
    }
}

/// Writes the operator directory of a fused graph below `out`; how many files it has.
pub fn operator(parts: &Parts, name: &str, out: &Path) -> Result<(PathBuf, Names, usize)> {
    let names = Names::of(name).map_err(|error| {
        failed(Kind::Usage, error.to_string()).hint("--name gives another; for example --name my_op")
    })?;
    let files = codegen::op_dir_parts(parts, &names, &SOURCES).map_err(refused)?;
    let dir = out.join("math").join(&names.snake);
    for (path, text) in &files {
        files::write_if_changed(&dir.join(path), text.as_bytes())?;
    }
    Ok((dir, names, files.len()))
}

/// What ascgraph/python/autofuse gets of its library, as files.
fn write_texts(cx: &mut Ctx, parts: &Parts, out: &Path) -> Result<Done> {
    let clean: String = parts.fused.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    texts_into(cx, parts, &out.join(clean))
}

pub fn texts_into(cx: &mut Ctx, parts: &Parts, dir: &Path) -> Result<Done> {
    let texts = codegen::autofuse_parts(parts, &SOURCES).map_err(refused)?;
    let files = [
        ("autofuse_tiling_data.h", texts.tiling_def),
        ("autofuse_tiling.cpp", texts.host_impl),
        ("autofuse_kernel.asc", texts.device_impl),
    ];
    for (name, text) in files {
        files::write_if_changed(&dir.join(name), text.as_bytes())?;
        cx.run.artifact(&dir.join(name), Some(&files::sha256(text.as_bytes())));
    }
    Ok(Done::plain().verdict(format!("ascgraph codegen: 3 texts in {}", cx.project.show(dir))))
}

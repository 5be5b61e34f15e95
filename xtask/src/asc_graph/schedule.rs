//! `ascgraph schedule` and `codegen`: the impl graph, and the operator directory made of it.

use std::path::PathBuf;

use anyhow::Result;
use ascgraph::codegen::{self, CodegenError, Names, Plan};
use ascgraph::dump;
use ascgraph::memory::QUEUE_BUFFERS;
use clap::Args;
use serde_json::json;

use super::load_good;
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::files;
use crate::term::{self, out};

/// Show loops, tiles and buffers of the kernel that a graph becomes
#[derive(Args)]
pub struct Schedule {
    file: PathBuf,
}

/// Write the operator directory of a graph: kernel, tiling, shapes, definition, and an example that checks every bit
#[derive(Args)]
pub struct Codegen {
    file: PathBuf,
    /// The operator's directory name, in snake case; its last part is DIR's [default: the graph's name and `_auto`]
    #[arg(long, value_name = "OP")]
    name: Option<String>,
    /// Gets <category>/<op>
    #[arg(short, long, value_name = "DIR", default_value = "target/ascgraph")]
    out: PathBuf,
}

fn plan(cx: &Ctx, file: &std::path::Path) -> Result<(Plan, String)> {
    let fused = load_good(cx, file)?.fused;
    let name = fused.name.clone();
    Ok((codegen::plan(&fused).map_err(refused)?, name))
}

pub fn refused(error: CodegenError) -> anyhow::Error {
    failed(Kind::Build, format!("no kernel: {error}")).hint(
        "docs/ascgraph.md lists what is scheduled; in torch, TORCHINDUCTOR_ASCENDC_DEBUG=allfallback leaves the graph alone",
    )
}

impl Schedule {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        let (plan, _) = plan(cx, &self.file)?;
        let mut cases = Vec::new();
        for kernel in &plan.cases {
            term::write(term::Stream::Out, dump::graph_text(&kernel.s.graph).as_bytes());
            let memory = &kernel.memory;
            out!(
                "Memory: {:?} B for each element of a tile: VECIN {:?}, VECOUT {:?}, {QUEUE_BUFFERS} of each, VECCALC {:?}",
                memory.bytes(),
                memory.vec_in,
                memory.vec_out,
                memory.buffers
            );
            cases
                .push(json!({"case": format!("{:?}", kernel.s.case), "bytes_per_element": memory.bytes_per_element()}));
        }
        cx.report("cases", cases);
        Ok(())
    }
}

impl Codegen {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        let (plan, graph) = plan(cx, &self.file)?;
        let wanted = self.name.unwrap_or_else(|| format!("{graph}_auto"));
        let names = Names::of(&wanted).map_err(|error| {
            failed(Kind::Usage, error.to_string()).hint("--name gives another; for example --name my_op")
        })?;
        let files = codegen::op_dir(&plan, &names).map_err(refused)?;
        let dir = cx.sh.current_dir().join(&self.out).join("math").join(&names.snake);
        for (path, text) in &files {
            files::write_if_changed(&dir.join(path), text.as_bytes())?;
        }
        cx.artifact(&dir, None);
        let shown = cx.show(&dir);
        cx.verdict(format!(
            "ascgraph codegen: {} files in {shown}; next: cargo xtask example --op-dir {shown}",
            files.len()
        ));
        Ok(())
    }
}

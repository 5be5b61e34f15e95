//! `onnx fuse`: the operators that `ascgraph fuse` joins become operators of the domain `ascend`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ascgraph::fuse::{Fused, Operators};
use clap::Args;
use serde_json::{Value, json};

use crate::ascgraph::fuse::Source;
use crate::ascgraph::schedule;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, causes, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::term::out;
use crate::frameworks::session;

/// Options of `onnx fuse`.
#[derive(Args)]
pub struct Fuse {
    #[command(flatten)]
    source: Source,
    #[arg(value_name = "OUT.onnx")]
    out: PathBuf,
    /// Write the operator directories below DIR [default: target/fused]
    #[arg(long, value_name = "DIR")]
    ops: Option<PathBuf>,
}

impl Fuse {
    pub fn check(&self, cx: &Ctx) -> Result<()> {
        session::need_file(&cx.run.sh.current_dir().join(&self.source.file), "name a model, MODEL.onnx")
    }

    /// `rewrite` gets the arguments of the rewriter.
    pub fn run(&self, cx: &mut Ctx, rewrite: impl FnOnce(&Ctx, &[&Path]) -> Result<()>) -> Result<Done> {
        let here = cx.run.sh.current_dir();
        let ops = self.ops.as_ref().map_or_else(|| cx.project.products().join("fused"), |dir| here.join(dir));
        let (all, fusion) = self.source.fuse(cx)?;
        fusion.left.iter().for_each(|left| out!("{} stays as it is: {}", left.name, left.why));
        let (mut list, mut dirs) = (Vec::new(), Vec::new());
        for fused in fusion.fused {
            let name = fused.name.clone();
            match part(&all, fused, &ops) {
                Ok((entry, dir)) => {
                    list.push(entry);
                    dirs.push(dir);
                }
                Err(error) => out!("{name} stays as it is: {}", causes(&error).join(": ")),
            }
        }
        if list.is_empty() {
            let what = format!("{}: no operator becomes one of the domain ascend", self.source.file.display());
            return Err(failed(Kind::Build, what).hint("the lines above say why each stays; no file was written"));
        }
        let file = ops.join("operators.json");
        files::write_if_changed(&file, &serde_json::to_vec_pretty(&list)?)?;
        let (model, out) = (here.join(&self.source.file), here.join(&self.out));
        rewrite(cx, &[&model, &out, &file])?;
        cx.run.artifact(&out, None);
        let dirs: Vec<String> = dirs.iter().map(|dir| format!("--op-dir {}", cx.project.show(dir))).collect();
        Ok(Done::plain().verdict(format!(
            "onnx fuse: {}; next: cargo xtask onnx run {} SCRIPT",
            self.out.display(),
            dirs.join(" ")
        )))
    }
}

/// What the rewriter has to know of a fused operator, and its directory.
fn part(all: &Operators, fused: Fused, ops: &Path) -> Result<(Value, PathBuf)> {
    let text = ascgraph::dump::json(&fused.parts.fused);
    // The same graph is the same operator, whatever model it comes from.
    let name = format!("fused_x{}", &files::sha256(text.as_bytes())[..8]);
    let dims = |names: &[String]| -> Result<String> {
        let shapes: Result<Vec<String>> = names.iter().map(|name| dims(all, name)).collect();
        Ok(shapes?.join(";"))
    };
    let (input_dims, output_dims) = (dims(&fused.inputs)?, dims(&fused.outputs)?);
    let types =
        fused.outputs.iter().map(|name| all.values.get(name).and_then(|value| value.dtype).map(|dtype| dtype.name()));
    let types: Option<Vec<&str>> = types.collect();
    let (dir, names, _) = schedule::operator(fused.parts, &name, ops)?;
    let entry = json!({
        "name": fused.name,
        "nodes": fused.launches.concat(),
        "interface": format!("aclnn{}", names.pascal),
        "dir": dir,
        "inputs": fused.inputs,
        "input_dims": input_dims,
        "outputs": fused.outputs,
        "output_dims": output_dims,
        "output_types": types.context("a result has no data type")?,
    });
    Ok((entry, dir))
}

/// `batch,16`: each dimension is a number or a name.
fn dims(all: &Operators, name: &str) -> Result<String> {
    let shape = all.values.get(name).and_then(|value| value.shape.as_ref());
    let shape = shape.with_context(|| format!("{name} has no shape"))?;
    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match dims.iter().find(|dim| !dim.chars().all(|c| c.is_alphanumeric() || c == '_')) {
        Some(dim) => Err(failed(Kind::Build, format!("{name}: dimension {dim} is neither a number nor a name"))),
        None => Ok(dims.join(",")),
    }
}

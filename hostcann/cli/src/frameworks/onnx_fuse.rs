//! `onnx fuse`: the operators that `ascgraph fuse` joins become operators of the domain `ascend`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ascgraph::fuse::rewrite::{Node, rewrite};
use ascgraph::fuse::{Fused, Operators};
use clap::Args;
use serde_json::{Value, json};

use crate::ascgraph::fuse::{Model, Source, left};
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

    pub fn run(&self, cx: &mut Ctx) -> Result<Done> {
        let here = cx.run.sh.current_dir();
        let ops = self.ops.as_ref().map_or_else(|| cx.project.products().join("fused"), |dir| here.join(dir));
        let Model { bytes, all, fusion } = self.source.fuse(cx)?;
        left(&fusion).iter().for_each(|line| out!("{line}"));
        let (mut nodes, mut list, mut dirs) = (Vec::new(), Vec::new(), Vec::new());
        for fused in &fusion.fused {
            match operator(&all, fused, &ops) {
                Ok((node, entry, dir)) => {
                    nodes.push(node);
                    list.push(entry);
                    dirs.push(dir);
                }
                Err(error) => out!("{} stays as it is: {}", fused.name, causes(&error).join(": ")),
            }
        }
        let file = self.source.file.display();
        if list.is_empty() {
            return Err(failed(Kind::Build, format!("{file}: no operator becomes one of the domain ascend"))
                .hint("the lines above say why each stays; no file was written"));
        }
        let model = rewrite(&bytes, &all, &nodes)
            .map_err(|why| failed(Kind::Build, format!("{file} cannot be rewritten: {why}")))?;
        for Node { fused, .. } in &nodes {
            out!("ascend::Fused {}: {}", fused.name, fused.launches.concat().join(", "));
        }
        files::write_if_changed(&ops.join("operators.json"), &serde_json::to_vec_pretty(&list)?)?;
        let out = here.join(&self.out);
        files::write_if_changed(&out, &model)?;
        cx.run.artifact(&out, None);
        let dirs: Vec<String> = dirs.iter().map(|dir| format!("--op-dir {}", cx.project.show(dir))).collect();
        Ok(Done::plain().verdict(format!(
            "onnx fuse: {}; next: cargo xtask onnx run {} SCRIPT",
            self.out.display(),
            dirs.join(" ")
        )))
    }
}

/// The node of a fused operator, an entry of the list, and the operator's directory.
fn operator<'a>(all: &Operators, fused: &'a Fused, ops: &Path) -> Result<(Node<'a>, Value, PathBuf)> {
    let tensors = fused.inputs.len() + fused.outputs.len();
    if tensors > MOST_TENSORS {
        let why = format!("it has {tensors} tensors, and ascend::Fused at most {MOST_TENSORS}");
        return Err(failed(Kind::Build, why));
    }
    let text = ascgraph::dump::json(&fused.parts.fused);
    // The same graph is the same operator, whatever model it comes from.
    let name = format!("fused_x{}", &files::sha256(text.as_bytes())[..8]);
    let dims = |names: &[String]| -> Result<String> {
        let shapes: Result<Vec<String>> = names.iter().map(|name| dims(all, name)).collect();
        Ok(shapes?.join(";"))
    };
    let (input_dims, output_dims) = (dims(&fused.inputs)?, dims(&fused.outputs)?);
    let (dir, names, _) = schedule::operator(&fused.parts, &name, ops)?;
    let node = Node { fused, interface: format!("aclnn{}", names.pascal), input_dims, output_dims };
    let entry = json!({
        "name": fused.name,
        "nodes": fused.launches.concat(),
        "interface": node.interface,
        "dir": dir,
    });
    Ok((node, entry, dir))
}

/// As adapters/onnxruntime calls interfaces.
const MOST_TENSORS: usize = 14;

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

//! A copy of the op that mutants are put into, with a build and a package directory of its own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::entry::Mutant;
use super::subject::Program;
use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::build::build_ops;
use crate::test::ut;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools::{self, Tools};

const KERNEL_DIR: &str = "op_impl/ai_core/tbe/kernel";

pub struct Workshop {
    /// The plan of the copy: its own directory, its own vendor, one SoC.
    pub plan: Plan,
    /// The package as it is built, found through ASCEND_CUSTOM_OPP_PATH.
    pub vendor: PathBuf,
    original: PathBuf,
    copy: PathBuf,
    /// Kernels without a fault, put back after each mutant instead of compiling them again.
    kernels: PathBuf,
    /// Of the package without a fault.
    content: String,
    tools: Tools,
}

impl Workshop {
    /// Copies the op and builds it without a fault.
    pub fn open(cx: &mut Ctx, plan: &Plan, op: &OpDir) -> Result<Workshop> {
        let base = cx.project.work().join("mutants");
        // As deep as upstream's op directories lie in a checkout: unit tests may look for files from there.
        let copy = base.join("experimental/math").join(&op.name);
        files::sync_dir(&op.path, &copy)?;
        let plan = Plan {
            root: plan.root.clone(),
            ops: vec![OpDir { name: op.name.clone(), path: copy.clone() }],
            socs: plan.socs.iter().take(1).cloned().collect(),
            vendor: "mutant".to_owned(),
            defines: plan.defines.clone(),
            is_repository: false,
            debug: false,
            jobs: plan.jobs,
            ops_math: None,
        };
        let tools = tools::ensure(cx, false)?;
        let vendor = build_ops::ops(cx, &plan, &tools)?;
        let kernels = base.join("kernels");
        files::sync_dir(&vendor.join(KERNEL_DIR), &kernels)?;
        let content = content(&vendor)?;
        Ok(Workshop { content, plan, vendor, original: op.path.clone(), copy, kernels, tools })
    }

    /// The copy, whose sources the package is made of.
    pub fn op_dir(&self) -> &Path {
        &self.copy
    }

    /// Whether the package differs from the one without a fault: a test that passes on it says nothing otherwise.
    pub fn is_spoilt(&self) -> Result<bool> {
        Ok(content(&self.vendor)? != self.content)
    }

    /// Puts the fault in.
    pub fn spoil(&self, mutant: &Mutant) -> Result<()> {
        files::write_if_changed(&self.copy.join(&mutant.file), self.faulty(mutant)?.as_bytes()).map(drop)
    }

    /// The file's text with the fault in it; an error when the mutant does not fit the op's sources.
    pub fn faulty(&self, mutant: &Mutant) -> Result<String> {
        let path = self.original.join(&mutant.file);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("mutant {}: cannot read {}", mutant.name, path.display()))?;
        mutant.apply(&text)
    }

    /// Builds libraries and, of the kernels, those of these data types (all for `None`).
    pub fn build(&self, cx: &mut Ctx, kernels: Option<&[String]>) -> Result<()> {
        cx.run.kernels = kernels.map(<[String]>::to_vec);
        let built = build_ops::ops(cx, &self.plan, &self.tools);
        cx.run.kernels = None;
        built.map(drop)
    }

    pub fn unit_tests(&self, cx: &mut Ctx, program: &'static str) -> Result<Program> {
        let built = ut::build(cx, &self.plan, program)?;
        let (path, place) = built.with_context(|| format!("the op has no {program}"))?;
        Ok(Program { path, place })
    }

    /// Takes the fault out again. The kernels come back first: an interrupted run leaves a source that is newer than
    /// they are, and the next one compiles them.
    pub fn restore(&self, mutant: &Mutant) -> Result<()> {
        files::sync_dir(&self.kernels, &self.vendor.join(KERNEL_DIR))?;
        files::copy_if_changed(&self.original.join(&mutant.file), &self.copy.join(&mutant.file)).map(drop)
    }
}

/// Everything that was compiled; the package holds sources, too.
fn content(vendor: &Path) -> Result<String> {
    let mut text = String::new();
    for file in files::walk(vendor)? {
        if file.extension().is_some_and(|name| name == "so" || name == "o") {
            let path = vendor.join(&file);
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            text.push_str(&format!("{} {}\n", file.display(), files::sha256(&bytes)));
        }
    }
    Ok(text)
}

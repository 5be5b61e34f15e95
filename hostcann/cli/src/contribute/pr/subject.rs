//! The subject of a contribution: the operator, as named or renamed, and the checkout that it goes into.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::rule::Tooling;
use super::target::Target;
use super::tree::Tree;
use super::{Pr, inputs, rename, rule};
use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::git::Git;
use crate::toolchain::around::CATEGORIES;
use crate::toolchain::runfile;
use crate::toolchain::select;

/// The operator that is contributed.
pub struct Op {
    pub dir: String,
    pub category: String,
    pub tree: Tree,
    /// Op directories of the checkout to delete
    pub replaced: Vec<String>,
    /// Old paths to new ones; empty unless the op is renamed
    pub moved: BTreeMap<String, String>,
}

impl Pr {
    /// Refuses contradictory flags and a missing operator or checkout, before anything is read.
    pub fn check_line(&self, cx: &Ctx) -> Result<()> {
        if self.explain.is_some() || self.list {
            return Ok(());
        }
        if !self.rules.is_empty() && !self.check && !self.dry_run {
            return Err(failed(Kind::Usage, "--rule leaves rules out, and a contribution needs all of them")
                .hint("add --check or --dry-run"));
        }
        let path = self.op_path(cx)?;
        self.category(&path)?;
        if self.target(cx)?.is_none() && !self.check && self.bundle.is_none() {
            return Err(failed(Kind::Usage, "where should the op go?")
                .hint("--ops-math DIR names a checkout; --check alone applies the rules that need none"));
        }
        let here = cx.run.sh.current_dir();
        for file in [&self.message, &self.design].into_iter().flatten() {
            inputs::read(&here.join(file))?;
        }
        if let Some(file) = &self.package {
            runfile::inspect(&here.join(file))?;
        }
        if let Some(dir) = self.bundle.as_ref().map(|dir| here.join(dir))
            && fs::read_dir(&dir).is_ok_and(|mut entries| entries.next().is_some())
        {
            return Err(failed(Kind::Usage, format!("{} is not empty; nothing was written", dir.display()))
                .hint("name a new directory"));
        }
        Ok(())
    }

    fn category(&self, path: &Path) -> Result<String> {
        let parent = path.parent().and_then(|dir| dir.file_name()).and_then(|name| name.to_str()).unwrap_or_default();
        let known = CATEGORIES.contains(&parent).then(|| parent.to_owned());
        self.category.clone().or(known).ok_or_else(|| {
            failed(Kind::Usage, format!("{} lies in no category", path.display()))
                .hint(format!("--category {}", CATEGORIES.join(", ")))
        })
    }

    pub fn target(&self, cx: &Ctx) -> Result<Option<Target>> {
        let args = OpArgs {
            ops_math: self.ops_math.as_ref().map(|dir| cx.run.sh.current_dir().join(dir)),
            ..OpArgs::default()
        };
        args.checkout(&cx.project).map(|dir| Target::open(&dir)).transpose()
    }

    pub fn op(&self, cx: &Ctx, target: Option<Target>, tools: &Tooling) -> Result<(Op, Option<Target>)> {
        let path = self.op_path(cx)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let category = self.category(&path)?;
        let mut op = Op { dir: name, category, tree: Tree::read(&path)?, replaced: Vec::new(), moved: BTreeMap::new() };
        let pascal = rule::pascal(&op.dir);
        if !self.check && op.tree.is_unsigned(&pascal) {
            match self.contributor(cx, target.as_ref()) {
                Ok(who) => op.tree.sign(&pascal, &who),
                Err(_) if self.dry_run => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(suffix) = &self.rename {
            let style = target.as_ref().map(|target| target.root.join(".clang-format")).filter(|style| style.is_file());
            let renamed = rename::apply(&op.tree, &op.dir, suffix, tools, style.as_deref())?;
            (op.tree, op.dir, op.moved) = (renamed.tree, renamed.dir, renamed.paths);
        }
        let Some(mut target) = target else { return Ok((op, None)) };
        for name in &self.replace {
            let found: Vec<String> =
                target.experimental_dirs().into_iter().filter(|dir| dir.rsplit('/').next() == Some(name)).collect();
            let [dir] = found.as_slice() else {
                return Err(failed(
                    Kind::Usage,
                    format!("--replace {name}: the checkout has no experimental operator of that name"),
                )
                .hint("`cargo xtask pr --check --rule 17 --ops-math DIR` names those that clash"));
            };
            inputs::needed_elsewhere(&target, dir)?;
            op.replaced.push(dir.clone());
        }
        target.gone.extend(op.replaced.iter().cloned());
        target.gone.insert(format!("experimental/{}/{}", op.category, op.dir));
        Ok((op, Some(target)))
    }

    pub fn op_path(&self, cx: &Ctx) -> Result<PathBuf> {
        select::one(cx, self.op_dir.as_deref(), self.ops.as_deref())
    }

    fn contributor(&self, cx: &Ctx, target: Option<&Target>) -> Result<String> {
        let checkout = target.filter(|target| target.is_git()).map_or_else(|| Git::at(&cx.project.root), Target::git);
        let named = self.contributor.clone().or_else(|| checkout.value(&["config", "user.name"]));
        named.ok_or_else(|| {
            failed(Kind::Usage, "who contributes the operator? copyright lines and README name somebody")
                .hint("--contributor NAME, or `git config user.name`")
        })
    }

    pub fn branch_name(&self, dir: &str) -> String {
        self.branch.clone().unwrap_or_else(|| format!("add-{}", dir.replace('_', "-")))
    }
}

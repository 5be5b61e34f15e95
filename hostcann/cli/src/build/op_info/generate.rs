//! `opinfo gen`: from the definitions to ini files, as op_build writes them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use opinfo::{Library, Origin, Profile};

use super::refuse;
use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::term::out;
use crate::build::build_ops;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;

/// Write aic-<soc>-ops-info.ini from the operators' definitions
#[derive(Args)]
pub struct Gen {
    #[command(flatten)]
    op: OpArgs,
    /// Write to this directory [default: target/opinfo]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Gen {
    pub fn check(&self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::check(cx, &self.op)?;
        if plan.root.kind != RootKind::Cann {
            return Ok(());
        }
        let message = format!("opinfo gen: {} is a real CANN, whose build.sh runs op_build", plan.root.path.display());
        Err(failed(Kind::Usage, message).hint("unset ASCEND_HOME_PATH to use the toolkit of this repository"))
    }

    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let plan = Plan::new(cx, &self.op)?;
        let generated = build_ops::infos(cx, &plan)?;
        let out = match &self.out {
            Some(dir) => cx.run.sh.current_dir().join(dir),
            None => cx.project.products().join("opinfo"),
        };
        for soc in &plan.socs {
            let name = format!("aic-{soc}-ops-info.ini");
            let file = out.join(&name);
            let text = merged(&generated, &name)?;
            files::write_if_changed(&file, text.as_bytes())?;
            let library = Library::of(text.as_bytes(), Origin::Ini);
            let findings = library.check(Profile::Any);
            let shown = cx.project.show(&file);
            refuse(&findings, Path::new(&shown))?;
            findings.iter().for_each(|finding| out!("{}", finding.text(&shown)));
            let names: Vec<&str> = library.ops.iter().map(|op| op.name.as_str()).collect();
            out!("{shown}: {}", names.join(", "));
            cx.run.artifact(&file, Some(&files::sha256(text.as_bytes())));
        }
        Ok(Done::plain().verdict(format!("opinfo gen: {} for {}", plan.op_names(), plan.socs.join(", "))))
    }
}

/// The operators' files of one SoC one after the other, as op_build appends them.
pub fn merged(generated: &Path, name: &str) -> Result<String> {
    let read = || -> std::io::Result<String> {
        let mut found: Vec<PathBuf> = fs::read_dir(generated)?
            .map(|entry| entry.map(|entry| entry.path().join(name)))
            .collect::<std::io::Result<_>>()?;
        found.retain(|file| file.is_file());
        found.sort();
        found.iter().map(fs::read_to_string).collect()
    };
    read().with_context(|| format!("cannot read {}", generated.display()))
}

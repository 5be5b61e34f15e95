//! `uninstall`: run the uninstall.sh that a package brought with it.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::proc;
use crate::base::verb::Verb;
use crate::toolchain::installed;
use crate::toolchain::root::{self, Root};

const HELP: &str = "\
Examples:
  cargo xtask uninstall
  cargo xtask uninstall --vendor_name=mine";

/// Remove an installed package with its own uninstall.sh
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Uninstall {
    /// Remove vendors/<VENDOR>_math [default: the only package]
    #[arg(long = "vendor_name", alias = "vendor-name", value_name = "VENDOR")]
    vendor_name: Option<String>,
}

impl Uninstall {
    fn choose(&self, cx: &Ctx, root: &Root) -> Result<PathBuf> {
        let packages = installed::packages(root)?;
        let names: Vec<String> =
            packages.iter().map(|package| package.name().trim_end_matches("_math").into()).collect();
        let place = cx.project.show(&root.opp().join("vendors"));
        let wanted = match &self.vendor_name {
            None if packages.is_empty() => {
                return Err(failed(Kind::Usage, format!("no package is installed in {place}"))
                    .hint("`cargo xtask install` installs one"));
            }
            None if packages.len() > 1 => {
                return Err(failed(Kind::Usage, format!("several packages are installed: {}", names.join(", ")))
                    .hint(format!("say which one: --vendor_name={}", names[0])));
            }
            None => names[0].clone(),
            Some(name) => name.clone(),
        };
        let found = names.iter().zip(packages).find(|(name, _)| **name == wanted).map(|(_, package)| package.dir);
        found.ok_or_else(|| {
            let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            failed(Kind::Usage, format!("no package of vendor `{wanted}` is installed in {place}; there is: {list}"))
                .hint("`cargo xtask list` shows all; an --install-path package has its own scripts/uninstall.sh")
        })
    }
}

impl Verb for Uninstall {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let root = Root::choose(cx)?;
        let dir = self.choose(cx, &root)?;
        cx.console.say("Removing", cx.project.show(&dir));
        let script = dir.join("scripts/uninstall.sh");
        if !script.is_file() {
            return Err(failed(Kind::Install, format!("{} is not there", script.display()))
                .hint(
                    "packages of `cargo xtask` and of npu_op projects bring it: install it again, then uninstall it; of any \
                     other package remove the directory, and its name in vendors/config.ini",
                ));
        }
        cx.step("uninstall", |cx| {
            let line = root::with_root(cmd!(cx.run.sh, "sh {script}"), &root);
            let outcome = proc::log_run(cx, "uninstall", line)?;
            if outcome.ok && !dir.exists() {
                return Ok(());
            }
            Err(proc::tool_failed(cx, "uninstall", Kind::Install, "uninstall.sh", &outcome))
        })?;
        let shown = cx.project.show(&dir);
        Ok(Done::plain().verdict(format!("uninstall: {shown} is gone")))
    }
}

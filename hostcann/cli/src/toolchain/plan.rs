//! What a verb works on: root, op directories, SoCs, vendor.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::base::args::{CheckArgs, OpArgs};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::proc;
use crate::toolchain::around;
use crate::toolchain::root::Root;
use crate::toolchain::select;
use crate::toolchain::socs::host_socs;

#[derive(Clone)]
pub struct Plan {
    pub root: Root,
    pub ops: Vec<OpDir>,
    pub socs: Vec<String>,
    pub vendor: String,
    /// `NAME=VALUE` for the ops' sources.
    pub defines: Vec<String>,
    /// The ops are this repository's, all of them: its own test layers belong to the run.
    pub is_repository: bool,
    pub debug: bool,
    pub jobs: usize,
    pub ops_math: Option<PathBuf>,
}

impl Plan {
    pub fn new(cx: &mut Ctx, args: &OpArgs) -> Result<Plan> {
        let plan = Plan::beside(cx, args)?;
        cx.run.soc = Some(plan.socs.join(","));
        cx.run.about.ops = Some(plan.ops.iter().map(|op| op.name.clone()).collect());
        cx.run.about.vendor = Some(plan.vendor.clone());
        Ok(plan)
    }

    /// For operators that the run is not about: what it reports stays as it is.
    pub fn beside(cx: &mut Ctx, args: &OpArgs) -> Result<Plan> {
        let root = Root::choose(cx)?;
        root.announce(cx);
        let ops = select::ops(cx, args, &root)?;
        let is_repository = !cx.project.is_installed() && is_repository(&cx.project.root, &ops)?;
        let vendor = match &args.vendor_name {
            Some(name) => name.clone(),
            None if is_repository => "custom".to_owned(),
            None => joint_name(&ops),
        };
        check_vendor(&vendor)?;
        check_defines(&ops, &args.defines)?;
        let socs = if root.is_host() { host_socs(cx, &ops, &args.soc)? } else { args.soc.clone() };
        Ok(Plan {
            root,
            ops,
            socs,
            vendor,
            defines: args.defines.clone(),
            is_repository,
            debug: args.debug,
            jobs: proc::jobs(args.jobs),
            ops_math: args.checkout(&cx.project),
        })
    }

    /// Before the checkout's lock is taken: whether the command line means operators, SoCs and a vendor that there are.
    pub fn check(cx: &mut Ctx, args: &OpArgs) -> Result<Plan> {
        cx.muted(|cx| Plan::beside(cx, args))
    }

    /// For work on the toolkit alone.
    pub fn of_toolkit(root: Root, jobs: usize) -> Plan {
        Plan {
            root,
            ops: Vec::new(),
            socs: Vec::new(),
            vendor: String::new(),
            defines: Vec::new(),
            is_repository: false,
            debug: false,
            jobs,
            ops_math: None,
        }
    }

    /// With a real CANN kernels run on the device.
    pub fn refuse_checks(&self, check: &CheckArgs) -> Result<()> {
        if !check.is_wanted() {
            return Ok(());
        }
        Err(failed(
            Kind::Usage,
            format!("--check and --flip work with the host toolkit, not with the CANN in {}", self.root.path.display()),
        )
        .hint("unset ASCEND_HOME_PATH to use the embedded host toolkit"))
    }

    pub fn vendor_dir(&self) -> String {
        format!("{}_math", self.vendor)
    }

    pub fn op_names(&self) -> String {
        self.ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Everything that decides what is in the build directory names it: no stale file of another selection survives.
    pub fn build_dir(&self, cx: &Ctx) -> PathBuf {
        let mut key = self.root.path.display().to_string();
        for part in self
            .ops
            .iter()
            .map(|op| op.path.display().to_string())
            .chain(self.socs.iter().cloned())
            .chain(self.defines.iter().cloned())
            .chain(self.debug.then(|| "debug".to_owned()))
        {
            key.push('\n');
            key.push_str(&part);
        }
        let hash = files::sha256(key.as_bytes());
        cx.project.work().join("build").join(format!("{}-{}", self.vendor, &hash[..8]))
    }

    pub fn run_name(&self) -> String {
        format!("cann-ops-math-{}_linux-{}.run", self.vendor, std::env::consts::ARCH)
    }
}

/// The vendor of ops from elsewhere: a file name has an end.
fn joint_name(ops: &[OpDir]) -> String {
    const LONGEST: usize = 60;
    let all = ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join("_");
    match ops {
        [first, others @ ..] if all.len() > LONGEST => format!("{}_and_{}_more", first.name, others.len()),
        _ => all,
    }
}

fn check_vendor(name: &str) -> Result<()> {
    let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if good {
        return Ok(());
    }
    Err(failed(Kind::Usage, format!("--vendor_name `{name}`: only letters, digits and `_` are allowed"))
        .hint("it becomes a directory name, for example --vendor_name=custom"))
}

/// A name that no source reads would change nothing.
fn check_defines(ops: &[OpDir], defines: &[String]) -> Result<()> {
    for define in defines {
        let name = define.split('=').next().unwrap_or_default();
        let mut found = false;
        for op in ops {
            found |= op.mentions(name, &["op_host", "op_api", "op_kernel"])?;
        }
        if !found {
            let names = ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(failed(Kind::Usage, format!("--define {define}: no source of {names} reads {name}"))
                .hint("an op's README names what its sources take from -DNAME=VALUE"));
        }
    }
    Ok(())
}

fn is_repository(repo: &Path, ops: &[OpDir]) -> Result<bool> {
    let own = around::in_tree(repo)?;
    Ok(own.len() == ops.len() && own.iter().all(|own| ops.iter().any(|op| op.path == own.path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;

    #[test]
    fn many_ops_have_a_short_name() {
        let ops = |names: &[&str]| -> Vec<OpDir> {
            names.iter().map(|name| OpDir { name: (*name).to_owned(), path: PathBuf::new() }).collect()
        };
        assert_eq!(joint_name(&ops(&["acos", "sqrt"])), "acos_sqrt");
        assert_eq!(joint_name(&ops(&["acos"; 30])), "acos_and_29_more");
    }

    #[test]
    fn vendor_names() {
        assert!(check_vendor("custom_1").is_ok());
        for bad in ["", "a/b", "a b", "ä", "a;b", "$(x)"] {
            assert_eq!(check_vendor(bad).map_err(|error| diag::code(&error)), Err(2), "{bad}");
        }
    }
}

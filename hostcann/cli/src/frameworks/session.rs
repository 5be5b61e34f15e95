//! From a script of a framework to kernels on the host toolkit: what is built before it runs, and what it finds.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use xshell::Cmd;

use crate::base::args::{CheckArgs, OpArgs};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, passed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::report::{Launch, ScriptResult};
use crate::base::term::out;
use crate::base::verdict_file::VerdictFile;
use crate::build::partial;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::perf::sim;
use crate::run::example;
use crate::run::shell;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{self, MARKER, Root, RootKind};
use crate::toolchain::venv::{Env, Framework};

/// What `run` of every framework takes.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub op: OpArgs,
    #[command(flatten)]
    pub check: CheckArgs,
    /// Predict launch times on the chip, as `cargo xtask sim` does
    #[arg(long)]
    pub sim: bool,
    /// Run this script with its arguments, or `-c CODE` or `-m MODULE` as python does
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "SCRIPT")]
    pub script: Vec<OsString>,
}

/// A file that the user named has to be there.
pub fn need_file(file: &Path, hint: &'static str) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    Err(failed(Kind::Usage, format!("there is no file {}", file.display())).hint(hint))
}

impl RunArgs {
    pub fn check(&self, cx: &mut Ctx, framework: &Framework) -> Result<()> {
        check(cx, framework, &self.op)?;
        // An option, and what follows it, is python's.
        if let Some(script) = self.script.first().filter(|first| !first.as_encoded_bytes().starts_with(b"-")) {
            let script = cx.run.sh.current_dir().join(script);
            if !script.is_dir() {
                need_file(&script, "name a script, or `-c CODE` or `-m MODULE` as python takes them")?;
            }
        }
        Ok(())
    }

    pub fn run(&self, cx: &mut Ctx, session: &Session) -> Result<Done> {
        let options = SessionOptions { check: &self.check, sim: self.sim };
        session.script(cx, "python", &self.script, &options)
    }
}

/// How the kernels inside are watched.
#[derive(Clone, Copy)]
pub struct SessionOptions<'a> {
    pub check: &'a CheckArgs,
    pub sim: bool,
}

/// What a script needs, ready.
pub struct Session {
    pub env: Env,
    pub plan: Plan,
    pub vendor: PathBuf,
    /// Found before the toolkit's own.
    pub libraries: Vec<PathBuf>,
    /// What the framework reads.
    pub variables: Vec<(&'static str, OsString)>,
}

impl Session {
    /// The environment must be there; toolkit and package are built and installed where they are stale.
    pub fn prepare(cx: &mut Ctx, framework: &Framework, op: &OpArgs) -> Result<Session> {
        refuse_cann(cx, framework)?;
        let env = framework.env(cx)?;
        let plan = Plan::new(cx, op)?;
        let (plan, _) = partial::what_builds(cx, plan)?;
        let run = package::package(cx, &plan)?;
        let vendor = install::install(cx, &plan, &run, &InstallOptions::default())?;
        // As the package's own set_env.bash sets it: extensions open libcust_opapi.so by its name.
        let libraries = vec![vendor.join("op_api/lib")];
        Ok(Session { env, plan, vendor, libraries, variables: Vec::new() })
    }

    /// Python finds packages in these directories before those that the user's PYTHONPATH names.
    pub fn find_packages(&mut self, dirs: &[PathBuf]) -> Result<()> {
        const NAME: &str = "PYTHONPATH";
        let at = self.variables.iter().position(|(name, _)| *name == NAME);
        let old = at.map(|at| self.variables.remove(at).1).or_else(|| std::env::var_os(NAME)).unwrap_or_default();
        let old = std::env::split_paths(&old).filter(|dir| !dir.as_os_str().is_empty());
        let all = std::env::join_paths(dirs.iter().cloned().chain(old)).context("a directory of Python packages")?;
        self.variables.push((NAME, all));
        Ok(())
    }

    /// A Python with everything in its environment.
    pub fn line<'a>(&self, cx: &'a Ctx) -> Result<Cmd<'a>> {
        let python = &self.env.python;
        let mut line = root::with_root(cx.run.sh.cmd(python), &self.plan.root);
        if !self.vendor.starts_with(self.plan.root.opp()) {
            line = line.env("ASCEND_CUSTOM_OPP_PATH", &self.vendor);
        }
        if let (Some(soc), None) = (self.plan.socs.first(), std::env::var_os("HOSTCANN_SOC"))
            && self.plan.socs.len() == 1
        {
            line = line.env("HOSTCANN_SOC", soc);
        }
        let mut libraries = self.libraries.clone();
        libraries.push(self.plan.root.lib64());
        let libraries = shell::with_libraries(cx, libraries)?;
        let line = line.env("LD_LIBRARY_PATH", libraries).env("PYTHONUNBUFFERED", "1");
        Ok(line.envs(self.variables.iter().map(|(name, value)| (name, value))))
    }

    /// Terminal, signals and exit code are the script's.
    pub fn script(&self, cx: &mut Ctx, name: &str, arguments: &[OsString], options: &SessionOptions) -> Result<Done> {
        cx.run.watch(&cx.project, options.check);
        let predictions = example::predictions(cx, name);
        let verdict = cx.project.log_file(name).with_extension("verdict");
        for file in [&predictions, &verdict] {
            files::remove_file_if_there(file)?;
        }
        if let Some(dir) = verdict.parent() {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        }
        let mut command: Command = self.line(cx)?.into();
        command.args(arguments).env("HOSTCANN_VERDICT", &verdict);
        if options.sim {
            command.env("HOSTCANN_SIM", format!("warm,what-if:{}", predictions.display()));
        }
        if cx.console.json {
            // The JSON object is alone on stdout.
            command.stdout(Stdio::from(std::io::stderr()));
        }
        let status =
            cx.step(name, |_| command.status().with_context(|| format!("cannot run {}", self.env.python.display())))?;
        let told = VerdictFile::read(&fs::read_to_string(&verdict).unwrap_or_default());
        let model = if options.sim { show_predictions(cx, name, &predictions)? } else { None };
        let judgement = judge(arguments, status, &told, options);
        Ok(Done::with(&ScriptResult { failures: told.failures, model }).judged(judgement))
    }
}

fn show_predictions(cx: &mut Ctx, name: &str, file: &Path) -> Result<Option<Vec<Launch>>> {
    let launches = sim::read(file)?;
    if launches.is_empty() {
        cx.console.warn("--sim: no kernel was launched, nothing was predicted");
        return Ok(None);
    }
    out!("{}", sim::table::brief(name, &launches));
    Ok(Some(launches.iter().map(Launch::without_trace).collect()))
}

/// The script's own code; with --check a finding that the script has swallowed is one all the same.
fn judge(arguments: &[OsString], status: ExitStatus, told: &VerdictFile, options: &SessionOptions) -> Result<()> {
    let name = arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    if code != 0 {
        return Err(passed(u8::try_from(code).unwrap_or(u8::MAX), format!("{name} failed ({status})")));
    }
    if let (Some(first), true) = (told.failures.first(), options.check.is_wanted()) {
        let message = format!("{name} returned 0, but {}: {first}", told.count());
        return Err(failed(Kind::Tests, message).hint("an exception that the script catches has the same text"));
    }
    Ok(())
}

/// What a verb of the framework needs before anything is built.
pub fn check(cx: &mut Ctx, framework: &Framework, op: &OpArgs) -> Result<()> {
    refuse_cann(cx, framework)?;
    Plan::check(cx, op).map(drop)
}

/// What the tests of a framework's adapter need.
pub fn check_test(cx: &mut Ctx, framework: &Framework, op: &OpArgs) -> Result<()> {
    if cx.project.is_installed() {
        let name = framework.name;
        let message = format!("{name} test: it tests hostcann's adapter with an operator of hostcann's repository");
        return Err(failed(Kind::Usage, message)
            .hint(format!("`hostcann {name} run SCRIPT` runs a script of your own, for example a test")));
    }
    check(cx, framework, op)
}

/// A real CANN has torch_npu of its own.
pub fn refuse_cann(cx: &Ctx, framework: &Framework) -> Result<()> {
    let root = Root::choose(cx)?;
    if root.kind == RootKind::Cann {
        let message =
            format!("{}: {} is a real CANN; this is for the host toolkit", framework.name, root.path.display());
        return Err(failed(Kind::Usage, message)
            .hint("run the script with your own python, or unset ASCEND_HOME_PATH to run it on the host toolkit"));
    }
    refuse_foreign(&shell::with_libraries(cx, Vec::new())?, framework)
}

/// Libraries of two toolkits in one process: a real CANN that the user's shell names.
fn refuse_foreign(libraries: &std::ffi::OsStr, framework: &Framework) -> Result<()> {
    let foreign = std::env::split_paths(libraries).find(|dir| {
        let is_ours = dir.parent().is_some_and(|root| root.join(MARKER).is_file());
        !dir.as_os_str().is_empty() && dir.join("libascendcl.so").exists() && !is_ours
    });
    let Some(dir) = foreign else { return Ok(()) };
    let message = format!(
        "LD_LIBRARY_PATH names {}, the libraries of a real CANN: {} would load some of its libraries beside those of the \
         host toolkit",
        dir.display(),
        framework.name
    );
    Err(failed(Kind::Framework, message)
        .hint("`unset LD_LIBRARY_PATH`, or use a shell in which no set_env.sh was sourced, then run the command again"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;
    use crate::toolchain::wheels::Wheels;

    const FRAMEWORK: Framework = Framework {
        name: "x",
        wheels: Wheels {
            lock: "x.lock.txt",
            what: "x",
            platforms: "none",
            instead: "",
            download_mb: 1,
            disk_mb: 1,
            per_python: true,
        },
        room_mb: 1,
        pair: &[],
    };

    #[test]
    fn libraries_of_a_real_cann_are_refused() {
        let temp = tempfile::tempdir().expect("temp dir");
        let lib = |root: &str| temp.path().join(root).join("lib64");
        write_if_changed(&lib("cann").join("libascendcl.so"), b"").expect("write");
        write_if_changed(&lib("host").join("libascendcl.so"), b"").expect("write");
        write_if_changed(&temp.path().join("host").join(MARKER), b"").expect("write");
        let path = |roots: &[&str]| std::env::join_paths(roots.iter().map(|root| lib(root))).expect("path");
        assert!(refuse_foreign(&path(&["host", "nowhere"]), &FRAMEWORK).is_ok());
        let error = refuse_foreign(&path(&["host", "cann"]), &FRAMEWORK).expect_err("a real CANN");
        assert_eq!(diag::code(&error), 19);
        let cause = &diag::causes(&error)[0];
        assert!(cause.starts_with(&format!("LD_LIBRARY_PATH names {}", lib("cann").display())), "{cause}");
    }

    #[test]
    fn the_exit_code_is_the_scripts() {
        let check = CheckArgs { check: Some(String::new()), ..CheckArgs::default() };
        let (plain, watched) = (CheckArgs::default(), SessionOptions { check: &check, sim: false });
        let plain = SessionOptions { check: &plain, sim: false };
        let told = VerdictFile { failures: vec!["[507035] race".to_owned()], ..VerdictFile::default() };
        let code = |raw: i32, told: &VerdictFile, options: &SessionOptions| {
            judge(&["x.py".into()], ExitStatus::from_raw(raw), told, options).map_err(|error| diag::code(&error))
        };
        assert_eq!(code(0, &VerdictFile::default(), &watched), Ok(()));
        assert_eq!(code(3 << 8, &told, &watched), Err(3));
        assert_eq!(code(11, &told, &plain), Err(139));
        // A script may expect an exception, and catch it.
        assert_eq!(code(0, &told, &plain), Ok(()));
        assert_eq!(code(0, &told, &watched), Err(30));
    }
}

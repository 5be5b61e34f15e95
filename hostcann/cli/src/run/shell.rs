//! `env` and `run`: programs of one's own with the toolkit.

use std::env::JoinPathsError;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use hostcann_types::FaultClass;
use hostcann_types::variables::{PREFIX, VARIABLES};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::lock::Scope;
use crate::base::proc;
use crate::base::report::EnvResult;
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::build::hostroot::{self, cargo_target};
use crate::toolchain::installed;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{Root, RootKind};
use crate::toolchain::tools;

const ENV_HELP: &str = "\
Examples:
  eval \"$(cargo xtask env)\"      # this shell finds toolkit and installed packages
  cargo xtask env
  cargo xtask env --json

Sets ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME, ASCEND_OPP_PATH, LD_LIBRARY_PATH with the libraries of every installed
package, PATH with opc and bisheng, and CMAKE_PREFIX_PATH for find_package(ASC) and find_package(tikicpulib).";

/// With what such programs may set on their own.
fn env_help() -> String {
    let variables = VARIABLES.map(|variable| format!("  {PREFIX}{:16} {}\n", variable.name, variable.meaning)).concat();
    let class = |class: &FaultClass| format!("  {:25} {}\n", class.name(), class.meaning());
    let classes: String = FaultClass::FINDINGS.iter().map(class).collect();
    format!(
        "{ENV_HELP}\n\nVariables of the host toolkit (docs/environment.md):\n{variables}\n\
         Classes of findings, for HOSTCANN_CHECK and --check (docs/checking.md):\n{classes}"
    )
}

const RUN_HELP: &str = "\
Examples:
  cargo xtask run -- ./my_program
  cargo xtask run -- gdb --args ./my_program
  HOSTCANN_CHECK=1 cargo xtask run -- ./my_program

The exit code is the program's own. `cargo xtask env` prints the same variables for a shell.";

/// Print the environment variables of the toolkit and the installed packages
#[derive(Args)]
#[command(after_help = env_help())]
pub struct Env {}

/// Run a command with the toolkit and the installed packages in its environment
#[derive(Args)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    /// Run this command with its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl Verb for Env {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        ready(cx)?;
        Ok(exported(variables(cx)?))
    }
}

/// Prints variables for `eval`.
pub fn exported(variables: impl IntoIterator<Item = (&'static str, OsString)>) -> Done {
    let exported = variables.into_iter().map(|(name, value)| {
        out!("export {name}={}", quoted(&value));
        (name.to_owned(), value.to_string_lossy().into())
    });
    Done::with(&EnvResult { env: exported.collect() })
}

impl Verb for Run {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let (program, args) = self.command.split_first().context("clap requires a command")?;
        ready(cx)?;
        // This process becomes the program: terminal, signals and exit code are its own.
        let error = Command::new(program).args(args).envs(variables(cx)?).exec();
        Err(not_run(program, error))
    }
}

/// Codes and words of shells.
pub fn not_run(program: &OsStr, error: std::io::Error) -> anyhow::Error {
    let name = program.to_string_lossy();
    if error.kind() != ErrorKind::NotFound {
        return proc::spawn_error(&name, error);
    }
    let (message, hint) = match (name.contains('/'), Path::new(program).exists()) {
        (true, true) => (
            format!("cannot run `{name}`: its interpreter or loader is not there"),
            "the first line (`#!`) of a script, or `readelf -l` of a program, names it",
        ),
        (true, false) => (
            format!("cannot run `{name}`: no such file"),
            "give the path of a program, as seen from the current directory",
        ),
        _ => (
            format!("cannot run `{name}`: no directory of PATH has it"),
            "a program in the current directory is called with its path: ./my_program",
        ),
    };
    failed(Kind::NotFound, message).hint(hint)
}

/// An installed program has the toolkit of a project ready at once.
///
/// # Errors
///
/// It cannot be written.
pub fn ready(cx: &mut Ctx) -> Result<()> {
    if hostroot::is_current(cx) {
        return Ok(());
    }
    let _held = cx.lock(Scope::Checkout)?;
    let tools = tools::ensure(cx, false)?;
    let root = Root::choose(cx)?;
    hostroot::assemble(cx, &Plan::of_toolkit(root, proc::jobs(None)), &tools)
}

/// For a program: toolkit and installed packages.
pub fn variables(cx: &Ctx) -> Result<[(&'static str, OsString); 6]> {
    let root = Root::choose(cx)?;
    if root.kind == RootKind::Embedded && !root.lib64().join("libascendcl.so").is_file() {
        return Err(failed(Kind::NoToolkit, format!("the toolkit {} is not built yet", cx.project.show(&root.path)))
            .hint("`cargo xtask build` builds it, `cargo xtask install` installs the op as well"));
    }
    let mut libraries = vec![root.lib64()];
    let packages = installed::packages(&root)?;
    libraries.extend(packages.iter().map(|package| package.library_dir()).filter(|dir| dir.is_dir()));
    let path = with_libraries(cx, libraries)?;
    let home = root.path.clone().into_os_string();
    let modules = std::env::var_os("CMAKE_PREFIX_PATH").unwrap_or_default();
    let modules = library_path(root.cmake_dirs().to_vec(), &modules, &[])
        .context("the toolkit lies in a directory whose name has a `:`")?;
    let programs = std::env::var_os("PATH").unwrap_or_default();
    let programs = library_path(vec![root.path.join("bin"), root.path.join("tools/opbuild")], &programs, &[])
        .context("the toolkit lies in a directory whose name has a `:`")?;
    Ok([
        ("ASCEND_HOME_PATH", home.clone()),
        ("ASCEND_TOOLKIT_HOME", home),
        ("ASCEND_OPP_PATH", root.opp().into_os_string()),
        ("LD_LIBRARY_PATH", path),
        ("PATH", programs),
        ("CMAKE_PREFIX_PATH", modules),
    ])
}

/// LD_LIBRARY_PATH of the user, with ours in front and without what `cargo run` puts there.
pub fn with_libraries(cx: &Ctx, ours: Vec<PathBuf>) -> Result<OsString> {
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap_or_default());
    let toolchain = cargo.ancestors().nth(2).filter(|dir| dir.parent().is_some()).map(|dir| dir.join("lib"));
    let cargos: Vec<PathBuf> = [cargo_target(cx).join("debug")].into_iter().chain(toolchain).collect();
    library_path(ours, &old, &cargos).context("the toolkit lies in a directory whose name has a `:`")
}

/// Ours first, each once. An empty element would mean the current directory.
fn library_path(mut dirs: Vec<PathBuf>, old: &OsStr, left_out: &[PathBuf]) -> Result<OsString, JoinPathsError> {
    for dir in std::env::split_paths(old).filter(|dir| !dir.as_os_str().is_empty()) {
        if !dirs.contains(&dir) && !left_out.iter().any(|out| dir.starts_with(out)) {
            dirs.push(dir);
        }
    }
    std::env::join_paths(dirs)
}

/// For a POSIX shell.
fn quoted(value: &OsStr) -> String {
    format!("'{}'", value.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_named_once() {
        let path = library_path(
            vec!["/t/lib64".into(), "/v/lib".into()],
            OsStr::new("/x::/v/lib:/t/lib64:/c/a:/x"),
            &["/c".into()],
        );
        assert_eq!(path.expect("path"), "/t/lib64:/v/lib:/x");
    }

    #[test]
    fn what_cannot_be_run() {
        let temp = tempfile::tempdir().expect("temp dir");
        let script = temp.path().join("script");
        std::fs::write(&script, "#!/no/such/interpreter\n").expect("write");
        let missing = temp.path().join("missing");
        let told = |program: &Path| {
            let error = not_run(program.as_os_str(), ErrorKind::NotFound.into());
            (
                crate::base::diag::code(&error),
                crate::base::diag::causes(&error).remove(0),
                crate::base::diag::hint(&error).unwrap_or_default(),
            )
        };
        let (code, message, hint) = told(Path::new("nosuchprog"));
        assert_eq!((code, message.as_str()), (127, "cannot run `nosuchprog`: no directory of PATH has it"));
        assert!(hint.ends_with("with its path: ./my_program"), "{hint}");
        let (code, message, hint) = told(&missing);
        assert_eq!((code, message), (127, format!("cannot run `{}`: no such file", missing.display())));
        assert_eq!(hint, "give the path of a program, as seen from the current directory");
        let (code, message, _) = told(&script);
        assert_eq!(code, 127);
        assert!(message.ends_with("its interpreter or loader is not there"), "{message}");
    }

    #[test]
    fn values_for_a_shell() {
        assert_eq!(quoted(OsStr::new("/a b$(x)")), "'/a b$(x)'");
        assert_eq!(quoted(OsStr::new("it's")), r"'it'\''s'");
    }
}

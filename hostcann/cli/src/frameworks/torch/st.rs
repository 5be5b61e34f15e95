//! `torch st`: upstream's system tests as they are. A `tests/st/torch` directory, in place of its own build with
//! find_package(Torch), which requires a CUDA toolkit for a CUDA build of torch; or one file, as op-plugin has them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use super::TORCH;
use crate::base::args::{CheckArgs, OpArgs};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::proc;
use crate::frameworks::session::{self, Session, SessionOptions};

const ADAPTER: &str = "torch_adapter.cpp";
const TEST: &str = "test.py";

#[derive(Args)]
pub struct St {
    #[command(flatten)]
    op: OpArgs,
    #[command(flatten)]
    check: CheckArgs,
    /// Run tests/st/torch of an operator's directory (torch_adapter.cpp and test.py), or one test file that calls torch's
    /// own functions, as in op-plugin's test/test_base_ops; the arguments of the tests follow
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "DIR|FILE.py")]
    tests: Vec<OsString>,
}

impl St {
    /// Where the tests are, and the operator that they are of, unless another is named.
    fn subject(&self, cx: &Ctx) -> Result<(PathBuf, OpArgs)> {
        let given = cx.run.sh.current_dir().join(self.tests.first().map(OsString::as_os_str).unwrap_or_default());
        let path = given.canonicalize().unwrap_or(given);
        let mut op = self.op.clone();
        if !path.is_file() {
            let own = operator(&path)?;
            if op.op_dir.is_empty() && op.ops.is_empty() {
                op.op_dir.push(own);
            }
        }
        Ok((path, op))
    }

    pub fn check(&self, cx: &mut Ctx) -> Result<()> {
        let (_, op) = self.subject(cx)?;
        session::check(cx, &TORCH, &op)
    }

    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let (path, op) = self.subject(cx)?;
        let session = super::road(cx, &op)?;
        let mut line = if path.is_file() {
            vec![path.into_os_string()]
        } else {
            let library = cx.step("torch_adapter", |cx| adapter(cx, &session, &path))?;
            vec![path.join(TEST).into_os_string(), "--lib".into(), library.into_os_string()]
        };
        line.extend(self.tests.into_iter().skip(1));
        session.script(cx, "torch-st", &line, &SessionOptions { check: &self.check, sim: false })
    }
}

/// The operator that a directory of system tests belongs to.
fn operator(dir: &Path) -> Result<PathBuf> {
    if !dir.is_dir() {
        return Err(failed(Kind::NoTests, format!("there is no {}", dir.display()))
            .hint("give the directory tests/st/torch of an operator, or a file of tests"));
    }
    for file in [ADAPTER, TEST] {
        if !dir.join(file).is_file() {
            return Err(failed(Kind::NoTests, format!("{} has no {file}", dir.display()))
                .hint("give the directory tests/st/torch of an operator, as upstream's operators have it"));
        }
    }
    let op = dir.ancestors().nth(3).filter(|op| op.join("op_host").is_dir());
    op.map(Path::to_path_buf).ok_or_else(|| {
        failed(Kind::NoTests, format!("{} is not tests/st/torch of an operator's directory", dir.display()))
            .hint("name the operator with --op-dir, or give the directory where it lies")
    })
}

/// Compiles it where nothing of the user's is touched; headers of torch come before those of torch_npu, and CANN's last.
fn adapter(cx: &Ctx, session: &Session, dir: &Path) -> Result<PathBuf> {
    let place = |name: &str| -> Result<PathBuf> {
        let line = format!("import importlib.util as u, os; print(os.path.dirname(u.find_spec('{name}').origin))");
        let found =
            session.env.ask(&line).with_context(|| format!("{} cannot find {name}", session.env.python.display()))?;
        Ok(PathBuf::from(found))
    };
    let (torch, npu, vendor, root) = (place("torch")?, place("torch_npu")?, &session.vendor, &session.plan.root);
    let out = cx.project.work().join("torch-st").join(&session.plan.vendor);
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let library = out.join("libtorch_adapter.so");
    let source = dir.join(ADAPTER);
    let stamp = files::with_suffix(&library, ".stamp");
    let inputs = [source.clone(), vendor.join("op_api/lib/libcust_opapi.so"), root.lib64().join("libnnopbase.so")];
    let used = format!("{}\n{}", torch.display(), files::fingerprint(inputs)?);
    if library.is_file() && fs::read_to_string(&stamp).is_ok_and(|old| old == used) {
        return Ok(library);
    }
    cx.console.say("Compiling", format!("{} (a minute or two: the headers of torch)", cx.project.show(&source)));
    let include = [
        torch.join("include"),
        torch.join("include/torch/csrc/api/include"),
        npu.join("include"),
        vendor.join("op_api/include"),
        root.include(),
        root.include().join("aclnnop"),
    ];
    let include = include.iter().flat_map(|dir| ["-isystem".into(), dir.clone().into_os_string()]);
    let libraries = [torch.join("lib"), npu.join("lib"), root.lib64(), vendor.join("op_api/lib")];
    let libraries = libraries
        .iter()
        .flat_map(|dir| ["-L".into(), dir.clone().into_os_string(), format!("-Wl,-rpath,{}", dir.display()).into()]);
    let (cxx, more) = (proc::cxx_program(), proc::cxx_args());
    // Symbols of libraries that are not on the line are found when torch has loaded them.
    let line = cmd!(cx.run.sh, "{cxx} {more...} -std=c++20 -O1 -shared -fPIC -o {library} {source}")
        .args(include)
        .args(libraries)
        .args(["-ltorch", "-ltorch_cpu", "-lc10", "-ltorch_npu", "-lcust_opapi", "-lascendcl", "-lnnopbase"])
        .arg("-Wl,--allow-shlib-undefined");
    proc::must_run(cx, "torch_adapter", Kind::Build, line)?;
    files::write_if_changed(&stamp, used.as_bytes())?;
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;

    #[test]
    fn the_operator_of_a_system_test() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path().join("op/tests/st/torch");
        let put = |file: PathBuf| files::write_if_changed(&file, b"").expect("write");
        let error = operator(&dir).expect_err("nothing");
        assert_eq!((diag::code(&error), diag::causes(&error)[0].starts_with("there is no /")), (33, true), "{error:?}");
        put(dir.join(TEST));
        let error = operator(&dir).expect_err("no adapter");
        assert_eq!(diag::code(&error), 33);
        assert!(diag::causes(&error)[0].ends_with("has no torch_adapter.cpp"), "{error:?}");
        put(dir.join(ADAPTER));
        assert!(operator(&dir).is_err(), "not an operator's");
        put(temp.path().join("op/op_host/x_def.cpp"));
        assert_eq!(operator(&dir).expect("the operator"), temp.path().join("op"));
    }
}

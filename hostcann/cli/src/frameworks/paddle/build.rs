//! Compiles the device plug-in and the operators, each when something that went into it has changed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use super::adapter::Adapter;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::proc;
use crate::frameworks::session::Session;

pub struct Built {
    /// CUSTOM_DEVICE_ROOT.
    pub plugin: PathBuf,
    /// Where Python finds the operators' packages.
    pub packages: Vec<PathBuf>,
}

pub fn build(cx: &mut Ctx, session: &Session, adapters: &[Adapter]) -> Result<Built> {
    let paddle = installed(session)?;
    let plugin = plugin(cx, session, &paddle)?;
    let packages = adapters.iter().map(|adapter| operator(cx, session, &paddle, adapter)).collect::<Result<_>>()?;
    Ok(Built { plugin, packages })
}

/// The directory of the package `paddle`. Not imported, which takes seconds.
fn installed(session: &Session) -> Result<PathBuf> {
    const WHERE: &str = "import importlib.util as u; print(u.find_spec('paddle').submodule_search_locations[0])";
    let told = session.env.ask(WHERE);
    told.map(PathBuf::from).with_context(|| format!("{} cannot find paddle", session.env.python.display()))
}

/// Sources below a directory, without what Python leaves there.
fn sources(dir: &Path) -> Result<Vec<PathBuf>> {
    let all = files::walk(dir)?.into_iter().filter(|file| !file.to_string_lossy().contains("__pycache__"));
    Ok(all.map(|file| dir.join(file)).collect())
}

/// What a stamp holds: how, and from what.
fn used(how: &str, inputs: Vec<PathBuf>) -> Result<String> {
    Ok(format!("{how}\n{}", files::fingerprint(inputs)?))
}

fn is_fresh(stamp: &Path, product: &Path, used: &str) -> bool {
    product.exists() && fs::read_to_string(stamp).is_ok_and(|old| old == used)
}

fn plugin(cx: &mut Ctx, session: &Session, paddle: &Path) -> Result<PathBuf> {
    let (source, out) = (cx.project.home.join("adapters/paddle/npu/plugin.cpp"), cx.project.work().join("paddle/npu"));
    let (library, stamp) = (out.join("libpaddle-npu.so"), out.join("stamp"));
    let (headers, include, lib64) = (paddle.join("include"), session.plan.root.include(), session.plan.root.lib64());
    let interface = headers.join("paddle/phi/backends/device_ext.h");
    let inputs = vec![source.clone(), interface, include.join("acl/acl.h"), include.join("acl/acl_rt.h")];
    let (cxx, args) = (proc::cxx_program(), proc::cxx_args());
    // A user's shell may have lost LD_LIBRARY_PATH when Paddle loads the plug-in.
    let rpath = format!("-Wl,-rpath={}", lib64.display());
    let used = used(&format!("{cxx} {args:?} {rpath}"), inputs)?;
    if is_fresh(&stamp, &library, &used) {
        return Ok(out);
    }
    cx.console.say("Compiling", "the device plug-in npu");
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    files::remove_file_if_there(&stamp)?;
    cx.step("paddle-plugin", |cx| {
        let colour = proc::colour_flag();
        let line = cmd!(
            cx.run.sh,
            "{cxx} {args...} {colour...} -std=c++17 -O2 -Wall -Wextra -shared -fPIC -I {headers} -I {include} {source}
             -L {lib64} -lascendcl -o {library} {rpath}"
        );
        proc::must_run(cx, "paddle-plugin", Kind::Build, line)
    })?;
    files::write_if_changed(&stamp, used.as_bytes())?;
    Ok(out)
}

fn operator(cx: &mut Ctx, session: &Session, paddle: &Path, adapter: &Adapter) -> Result<PathBuf> {
    let name = format!("paddle-{}", adapter.op);
    let work = cx.project.work().join("paddle").join(&adapter.op);
    let (library, stamp) = (work.join("lib"), work.join("stamp"));
    let include = session.vendor.join("op_api/include");
    if !include.is_dir() {
        return Err(failed(Kind::Build, format!("the package of {} has no aclnn interface to call", adapter.op))
            .hint("its op_api/ or `ACLNNTYPE aclnn` in its CMakeLists.txt gives it one"));
    }
    let mut inputs = vec![adapter.dir.join("setup.py"), paddle.join("version/__init__.py")];
    for dir in [adapter.dir.join("csrc"), adapter.dir.join("python"), adapter.dir.join("../include"), include] {
        inputs.extend(sources(&dir)?);
    }
    let cxx = proc::cxx_program();
    let how = format!("{} {} {cxx}", session.env.python.display(), session.vendor.display());
    let used = used(&how, inputs)?;
    if is_fresh(&stamp, &library.join(&adapter.package), &used) {
        return Ok(library);
    }
    cx.console.say("Compiling", format!("{} for Paddle", adapter.package));
    files::remove_dir_if_there(&work)?;
    fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    cx.step(&name, |cx| {
        let (base, jobs) = (work.join("build"), session.plan.jobs.to_string());
        let _dir = cx.run.sh.push_dir(&adapter.dir);
        let line = session
            .line(cx)?
            .args(["setup.py", "-q", "build", "--build-base"])
            .arg(&base)
            .arg("--build-lib")
            .arg(&library)
            .env("ASCEND_OP_PACKAGE", &session.vendor)
            .env("CXX", &cxx)
            .env("MAX_JOBS", &jobs)
            .env("PYTHONWARNINGS", "ignore")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env_remove("CUSTOM_DEVICE_ROOT");
        proc::must_run(cx, &name, Kind::Build, line)
    })?;
    files::write_if_changed(&stamp, used.as_bytes())?;
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_fresh_while_nothing_of_it_changes() {
        let temp = tempfile::tempdir().expect("temp dir");
        let at = |name: &str| temp.path().join(name);
        files::write_if_changed(&at("csrc/a.cpp"), b"1").expect("write");
        files::write_if_changed(&at("csrc/__pycache__/a.pyc"), b"1").expect("write");
        let used = || used("g++", sources(&at("csrc")).expect("sources")).expect("used");
        let before = used();
        assert!(!before.contains("pyc"), "{before}");
        assert!(!is_fresh(&at("stamp"), &at("out"), &before));
        files::write_if_changed(&at("stamp"), before.as_bytes()).expect("write");
        assert!(!is_fresh(&at("stamp"), &at("out"), &before), "the product is gone");
        files::write_if_changed(&at("out"), b"").expect("write");
        assert!(is_fresh(&at("stamp"), &at("out"), &used()));
        files::write_if_changed(&at("csrc/b.h"), b"1").expect("write");
        assert!(!is_fresh(&at("stamp"), &at("out"), &used()), "a new header");
    }
}

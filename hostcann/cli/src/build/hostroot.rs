//! Assembles the host toolkit root, target/hostcann, in the layout of a real toolkit.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::base::chips;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::installation::{BUILT, Installation};
use crate::base::proc;
use crate::base::program;
use crate::base::sources;
use crate::build::cmake_step::Project;
use crate::toolchain::aclnn_headers;
use crate::toolchain::forwards;
use crate::toolchain::plan::Plan;
use crate::toolchain::platform_ini;
use crate::toolchain::root::{MARKER, Root, RootKind};
use crate::toolchain::tools::Tools;

/// Libraries of CANN that programs link by name.
const FOLDED: [&str; 13] = [
    "acl_rt",
    "ascendalog",
    "c_sec",
    "exe_graph",
    "graph_base",
    "metadef",
    "mmpa",
    "opp_registry",
    "platform",
    "register",
    "rt2_registry",
    "tiling_api",
    "unified_dlog",
];

/// Other names of what a toolkit has once.
const LINKS: [(&str, &str); 8] = [
    ("compiler/bin", "../bin"),
    ("compiler/ccec_compiler/bin", "../../bin"),
    ("compiler/include", "../include"),
    ("compiler/lib64", "../lib64"),
    // Where find_package looks with the toolkit as a prefix.
    ("share/cmake/asc", "../../lib64/cmake/asc"),
    ("toolkit/include", "../include"),
    ("toolkit/lib64", "../lib64"),
    ("toolkit/tools", "../tools"),
];

/// Where projects look for `ascendc_library` and the functions next to it.
const LIBRARY_FUNCTIONS: [&str; 3] = [
    "tools/tikcpp/ascendc_kernel_cmake",
    "compiler/tikcpp/ascendc_kernel_cmake",
    "ascendc_devkit/tikcpp/samples/cmake",
];

pub fn assemble(cx: &mut Ctx, plan: &Plan, tools: &Tools) -> Result<()> {
    cx.step("toolkit files", |cx| sync(cx, plan))?;
    match cx.project.installed.clone() {
        Some(installed) => cx.step("built files", |cx| built(cx, plan, tools, &installed)),
        None => {
            cx.step("libascendcl", |cx| runtime(cx, plan))?;
            cx.step("libnnopbase", |cx| project(cx, plan, "all").build(cx, tools))
        }
    }
}

/// What an installation has built already. Its C++ part serves where the libraries here have all that it needs.
fn built(cx: &Ctx, plan: &Plan, tools: &Tools, installed: &Installation) -> Result<()> {
    let (from, to) = (cx.project.home.join(BUILT), &plan.root.path);
    for (name, place) in MADE {
        files::copy_if_changed(&from.join(name), &to.join(place))?;
    }
    let needs = [("libstdc++.so.6", &installed.libstdcxx), ("libc.so.6", &installed.libc)];
    match needs.into_iter().find(|(library, version)| !has_version(library, version)) {
        None => files::add_dir(&from.join(CXX), to)?,
        Some((library, version)) => {
            cx.console.say("Building", format!("libnnopbase: {library} here is older than {version}"));
            project(cx, plan, "all").build(cx, tools)?;
        }
    }
    files::write_if_changed(&to.join(CURRENT), installed.toolkit.as_bytes()).map(drop)
}

/// Whether a program can use the toolkit without a build: it was assembled by this installation, or is not its to assemble.
pub fn is_current(cx: &Ctx) -> bool {
    let Some(installed) = &cx.project.installed else { return true };
    let is_ours = Root::choose(cx).is_ok_and(|root| root.kind == RootKind::Embedded);
    let path = cx.project.toolkit().join(CURRENT);
    !is_ours || fs::read_to_string(path).is_ok_and(|digest| digest == installed.toolkit)
}

/// In a toolkit that an installation assembled: the digest of its sources.
const CURRENT: &str = "sources.txt";

/// Whether the library that the compiler links has symbols of this version.
fn has_version(library: &str, version: &str) -> bool {
    let file = proc::probe(&proc::cxx_program(), &[&format!("-print-file-name={library}")]).unwrap_or_default();
    let word = version.as_bytes();
    fs::read(file.trim()).is_ok_and(|bytes| bytes.windows(word.len()).any(|window| window == word))
}

/// Below [`BUILT`]: what CMake writes into a toolkit.
pub const CXX: &str = "cxx";

/// Writes the toolkit's headers to `to`, those that stand in tables included. `from` is `hostcann` of the repository.
///
/// # Errors
///
/// A table or a header cannot be read, or `to` cannot be written.
pub fn headers(from: &Path, to: &Path) -> Result<()> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let include = from.join("include");
    let mut made = aclnn_headers::make(&read(&from.join("opapi/operators.txt"))?)?;
    made.extend(forwards::make(&read(&include.join("forwards.txt"))?, |path| include.join(path).is_file())?);
    made.extend(forwards::l0_headers(&read(&include.join(forwards::L0_FUNCTIONS))?)?);
    files::sync_dir_with(&include, to, &made).map(drop)
}

fn sync(cx: &Ctx, plan: &Plan) -> Result<()> {
    let (from, to) = (cx.project.home.join("hostcann"), &plan.root.path);
    headers(&from, &to.join("include"))?;
    files::sync_dir(&from.join("soc"), &to.join("data/platform_config"))?;
    files::copy_if_changed(&from.join("set_env.sh"), &to.join("set_env.sh"))?;
    files::sync_dir(&from.join("cmake/asc"), &to.join("lib64/cmake/asc"))?;
    files::sync_dir(&from.join("cmake/tikicpulib"), &to.join("tools/tikicpulib/lib/cmake"))?;
    for place in LIBRARY_FUNCTIONS {
        files::sync_dir(&from.join("cmake/tikcpp"), &to.join(place))?;
    }
    for name in FOLDED {
        let script = "/* GNU ld script: what CANN has in this library is in these here. */\nINPUT(libnnopbase.so libascendcl.so)\n";
        files::write_if_changed(&to.join(format!("lib64/lib{name}.so")), script.as_bytes())?;
    }
    for (link, target) in LINKS {
        link_to(&to.join(link), target)?;
    }
    for name in ["include", "lib64"] {
        link_to(&to.join(format!("{}-linux/{name}", std::env::consts::ARCH)), &format!("../{name}"))?;
    }
    opc_script(to)?;
    let marker = format!(
        "# A host toolkit, not CANN: kernels run on a model of the vector core.\n\
         name = \"hostcann\"\nversion = \"{}\"\narch = \"{}\"\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    );
    files::write_if_changed(&to.join(MARKER), marker.as_bytes())?;
    versions(to)?;
    let opp = to.join("opp");
    fs::create_dir_all(&opp).with_context(|| format!("cannot create {}", opp.display()))?;
    platform(&from.join("soc").join(chips::FILE), to)
}

fn link_to(link: &Path, target: &str) -> Result<()> {
    if fs::read_link(link).is_ok_and(|known| known == Path::new(target)) {
        return Ok(());
    }
    let parent = link.parent().unwrap_or(link);
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    files::remove_file_if_there(link)?;
    symlink(target, link).with_context(|| format!("cannot create {}", link.display()))
}

/// `opc`, which scripts of projects call: this program compiles kernels.
fn opc_script(to: &Path) -> Result<()> {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let gone = "opc: $program, which made this toolkit, is gone: make the toolkit anew with the build verb";
    let text = format!(
        r#"#!/bin/sh
# Compiles kernels of operators for the host, and packs them.
program={}
if [ ! -x "$program" ]; then
    echo "{gone}" >&2
    exit 127
fi
case "$1" in
    pack)
        shift
        exec "$program" pack-step "$@"
        ;;
    info) exec "$program" opc "$@" ;;
esac
exec "$program" opc "$@" --root={}
"#,
        quoted(&program::own()?),
        quoted(to)
    );
    let path = to.join("bin/opc");
    files::write_if_changed(&path, text.as_bytes())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot set the mode of {}", path.display()))
}

/// What programs look at to know that there is a toolkit, and which.
fn versions(to: &Path) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let text = format!("Version={version}\npackage_name=hostcann\ninnerversion=hostcann-{version}\n");
    for part in ["runtime", "compiler"] {
        for place in [to.join(part), to.join("share/info").join(part)] {
            files::write_if_changed(&place.join("version.info"), text.as_bytes())?;
        }
    }
    let arch = std::env::consts::ARCH;
    let install = format!(
        "package_name=Ascend-cann-toolkit\nversion={version}\ninnerversion=hostcann-{version}\narch={arch}\nos=linux\n"
    );
    let here = to.join(format!("{arch}-linux"));
    files::write_if_changed(&here.join("ascend_toolkit_install.info"), install.as_bytes())?;
    // Projects whose CMAKE_CXX_COMPILER is bisheng look for it there.
    let compilers = here.join("ccec_compiler");
    if fs::read_link(compilers.join("bin")).is_err() {
        fs::create_dir_all(&compilers).with_context(|| format!("cannot create {}", compilers.display()))?;
        symlink("../../bin", compilers.join("bin")).context("cannot link ccec_compiler/bin")?;
    }
    Ok(())
}

/// What programs read that ask a toolkit for its chips: the scene, and an ini for each.
fn platform(file: &Path, to: &Path) -> Result<()> {
    let arch = std::env::consts::ARCH;
    files::write_if_changed(&to.join("opp/scene.info"), format!("os=linux\narch={arch}\n").as_bytes())?;
    let dir = to.join(format!("{arch}-linux/data/platform_config"));
    for chip in chips::read(file)? {
        let ini = platform_ini::of(&chip.sections).with_context(|| format!("{}: {}", file.display(), chip.name))?;
        files::write_if_changed(&dir.join(format!("{}.ini", chip.name)), ini.as_bytes())?;
    }
    Ok(())
}

/// What cargo makes, and where it lies in a toolkit.
pub const MADE: [(&str, &str); 3] =
    [("libascendcl.so", "lib64/libascendcl.so"), ("libopapi.so", "lib64/libopapi.so"), ("bisheng", "bin/bisheng")];

fn runtime(cx: &Ctx, plan: &Plan) -> Result<()> {
    let (stamp, made) =
        (cx.project.common_work().join("cargo_products.txt"), MADE.map(|(_, to)| plan.root.path.join(to)));
    let inputs = made_from(cx)?;
    // cargo would find this out, too, but waits for a test that is being compiled.
    if fs::read_to_string(&stamp).is_ok_and(|known| state(&inputs, &made).is_ok_and(|state| state == known)) {
        return Ok(());
    }
    let target = cargo_target(cx);
    let (cargo, jobs) = (cargo(), plan.jobs.to_string());
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let line = cmd!(
        cx.run.sh,
        "{cargo} build -p hostcann-runtime -p hostcann-opapi -p hostcann-asc -j {jobs} --target-dir {target}"
    );
    // The tests' own profile, so that nothing is compiled twice. What loops over elements is optimised there as well.
    let (line, products) = match &cx.project.sanitize {
        Some(build) => (build.cargo(line.arg("--release")), build.release(target)),
        None => (line, target.join("debug")),
    };
    proc::must_run(cx, "libascendcl", Kind::Build, line)?;
    for ((name, _), to) in MADE.iter().zip(&made) {
        let built = products.join(name);
        if !built.is_file() {
            return Err(failed(Kind::Build, format!("cargo built the toolkit, but {} is not there", built.display()))
                .hint("a `build.target` in a cargo configuration moves it; unset it for this repository"));
        }
        files::copy_if_changed(&built, to)?;
    }
    files::write_if_changed(&stamp, state(&inputs, &made)?.as_bytes()).map(drop)
}

/// A digest of all that decides what cargo builds.
fn made_from(cx: &Ctx) -> Result<String> {
    let mut text = sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?;
    for file in ["Cargo.toml", ".cargo/config.toml"] {
        text.push_str(&fs::read_to_string(cx.project.home.join(file)).unwrap_or_default());
    }
    let counts =
        |name: &str| name.contains("RUSTFLAGS") || name.starts_with("CARGO_PROFILE") || name.starts_with("CARGO_BUILD");
    let mut variables: Vec<_> = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(counts)).collect();
    variables.sort();
    text.push_str(&format!("{variables:?}"));
    Ok(files::sha256(text.as_bytes()))
}

/// The inputs and what was made from them: a product that somebody replaced is made again.
fn state(inputs: &str, made: &[PathBuf]) -> Result<String> {
    Ok(format!("{inputs} {}", files::fingerprint(made.iter().cloned())?))
}

/// The CMake project of the toolkit's C++ part.
pub fn project<'a>(cx: &Ctx, plan: &Plan, target: &'a str) -> Project<'a> {
    Project {
        step: "libnnopbase",
        source: cx.project.home.join("hostcann"),
        out: cx.project.work().join("build/hostcann"),
        target,
        defines: vec![("HOSTCANN_ROOT", plan.root.path.display().to_string())],
        jobs: plan.jobs,
    }
}

pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Where cargo puts its files; given to it explicitly so that both agree.
pub fn cargo_target(cx: &Ctx) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) if cx.project.sanitize.is_none() => cx.project.home.join(dir),
        _ => cx.project.target(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_libraries_here() {
        assert!(has_version("libstdc++.so.6", "GLIBCXX_3.4.11") && !has_version("libstdc++.so.6", "GLIBCXX_9.9"));
        assert!(has_version("libc.so.6", "GLIBC_2.17") && !has_version("libc.so.6", "GLIBC_9.9"));
        assert!(!has_version("libnowhere.so", "GLIBC_2.17"));
    }
}

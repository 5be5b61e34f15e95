//! The build of a project that has one of its own: its build.sh, or what stands for it, with this toolkit.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hostcann_types::soc::FAMILIES;
use serde_json::Value;
use xshell::cmd;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::proc;
use crate::base::term::err;
use crate::build::hostroot;
use crate::toolchain::form::{Form, Project};
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{self, Root, RootKind};
use crate::toolchain::tools::{self, Tools};

const PRESETS: &str = "CMakePresets.json";

/// Where builds of these forms put what they make.
const OUTPUTS: [&str; 2] = ["build_out", "build"];

/// What a build left.
pub struct Built {
    pub root: Root,
    /// The package, where the project makes one.
    pub run: Option<PathBuf>,
}

/// What can be said before anything is built.
///
/// # Errors
///
/// The project names no SoC that the host toolkit models, or the command line has flags of operator directories.
pub fn check(cx: &Ctx, project: &Project, args: &OpArgs) -> Result<()> {
    let flags = [
        ("--vendor_name", args.vendor_name.is_some()),
        ("--define", !args.defines.is_empty()),
        ("--debug", args.debug),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let message =
            format!("{} is a {}: {flag} is for operator directories", shown(cx, project), project.form.name());
        return Err(failed(Kind::Usage, message).hint("say it in the project's own CMake files"));
    }
    if Root::choose(cx)?.is_host() { units(project, &args.soc).map(drop) } else { Ok(()) }
}

/// # Errors
///
/// The build fails, or a project that makes a package has left none.
pub fn build(cx: &mut Ctx, project: &Project, args: &OpArgs) -> Result<Built> {
    let root = Root::choose(cx)?;
    root.announce(cx);
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    if root.kind == RootKind::Embedded {
        cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&root.path)));
        hostroot::assemble(cx, &Plan::of_toolkit(root.clone(), proc::jobs(args.jobs)), &tools)?;
    }
    cx.console.say("Building", format!("{} ({})", shown(cx, project), project.form.name()));
    let units = if root.is_host() { units(project, &args.soc)? } else { args.soc.clone() };
    let programs = programs(cx, project, &root, &tools, &units)?;
    cx.step("project", |cx| {
        for line in lines(project, &units, proc::jobs(args.jobs)) {
            run(cx, project, &root, &tools, &programs, &line)?;
        }
        Ok(())
    })?;
    let run = package(&project.dir);
    if run.is_none() && project.form == Form::Msopgen {
        let message = format!("{}: the build ended without an error and left no .run", shown(cx, project));
        return Err(failed(Kind::Build, message).hint(format!(
            "expected in build_out; the output is in {}",
            cx.project.show(&cx.project.log_file("project"))
        )));
    }
    if let Some(run) = &run {
        cx.run.artifact(run, None);
    }
    Ok(Built { root, run })
}

pub fn shown(cx: &Ctx, project: &Project) -> String {
    cx.project.show(&project.dir)
}

fn run(cx: &Ctx, project: &Project, root: &Root, tools: &Tools, programs: &OsString, line: &[String]) -> Result<()> {
    let Some((program, words)) = line.split_first() else { return Ok(()) };
    let _dir = cx.run.sh.push_dir(&project.dir);
    let modules =
        std::env::join_paths(root.cmake_dirs()).context("the toolkit lies in a directory whose name has a `:`")?;
    let line = root::with_root(cmd!(cx.run.sh, "{program} {words...}"), root)
        .env("PATH", programs)
        .env("CMAKE_PREFIX_PATH", modules)
        // Some scripts read the variable of CMake from the environment.
        .env("ASCEND_CANN_PACKAGE_PATH", &root.path);
    let line = match tools.libclang() {
        Some(dir) => line.env("LIBCLANG_PATH", dir),
        None => line,
    };
    let outcome = proc::log_run(cx, "project", line)?;
    if !outcome.ok {
        return Err(proc::build_failed(cx, "project", &outcome));
    }
    left_out(&outcome.text).for_each(|line| err!("{line}"));
    Ok(())
}

/// Kernels that a library goes without, and chips that are not modelled.
fn left_out(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.contains(": warning: left out of the library: ") || line.contains(" is left out: "))
}

/// The project's build.sh, else the commands that the documents of its form name.
fn lines(project: &Project, units: &[String], jobs: usize) -> Vec<Vec<String>> {
    let line = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    if project.dir.join("build.sh").is_file() {
        return vec![line("bash build.sh")];
    }
    let mut configure = line("cmake -S . -B build_out");
    let build = line(&format!("cmake --build build_out -j {jobs}"));
    match project.form {
        Form::TorchExtension => return vec![line("python3 setup.py build_ext --inplace")],
        Form::Msopgen => configure.push("--preset=default".to_owned()),
        Form::NpuOp if !units.is_empty() => configure.push(format!("-DASCEND_COMPUTE_UNIT={}", units.join(";"))),
        _ => {}
    }
    let mut lines = vec![configure, build];
    if project.form == Form::Msopgen {
        lines.insert(1, line(&format!("cmake --build build_out -j {jobs} --target binary")));
    }
    if [Form::Msopgen, Form::NpuOp].contains(&project.form) {
        // Projects of several packages have no such target: their own build makes the packages.
        lines.push(
            line("sh -c")
                .into_iter()
                .chain(["test ! -f build_out/CPackConfig.cmake || cmake --build build_out --target package".to_owned()])
                .collect(),
        );
    }
    lines
}

/// PATH. A msopgen project names its toolkit in CMakePresets.json: `cmake` there is one that knows better.
fn programs(cx: &Ctx, project: &Project, root: &Root, tools: &Tools, units: &[String]) -> Result<OsString> {
    let mut dirs = Vec::new();
    if project.form == Form::Msopgen {
        let hash = files::sha256(project.dir.as_os_str().as_encoded_bytes());
        let dir = cx.project.work().join("projects").join(&hash[..8]);
        let path = dir.join("cmake");
        let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
        let text = format!(
            "#!/bin/sh\ncase \" $* \" in\n    *' --preset'*|*' -DASCEND_CANN_PACKAGE_PATH='*)\n        set -- \"$@\" \
             -DASCEND_CANN_PACKAGE_PATH={} '-DASCEND_COMPUTE_UNIT={}' ;;\nesac\nexec {} \"$@\"\n",
            quoted(&root.path),
            units.join(";"),
            quoted(&tools.program("cmake"))
        );
        files::write_if_changed(&path, text.as_bytes())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot set the mode of {}", path.display()))?;
        dirs.push(dir);
    }
    dirs.extend([root.path.join("bin"), root.path.join("tools/opbuild")]);
    let path = tools.path_env()?;
    dirs.extend(std::env::split_paths(&path));
    std::env::join_paths(dirs).context("the toolkit lies in a directory whose name has a `:`")
}

/// The compute units to build for. Of a msopgen project's own those that are modelled; other forms say theirs in CMake.
fn units(project: &Project, asked: &[String]) -> Result<Vec<String>> {
    let is_modelled = |unit: &String| FAMILIES.contains(&unit.as_str());
    if let Some(other) = asked.iter().find(|unit| !is_modelled(unit)) {
        return Err(failed(Kind::UnknownSoc, format!("--soc={other}: a {} takes families", project.form.name()))
            .hint(format!("the host toolkit models {}", FAMILIES.join(" and "))));
    }
    if project.form != Form::Msopgen {
        return Ok(asked.to_vec());
    }
    let chosen = if asked.is_empty() { units_of_presets(project)? } else { asked.to_vec() };
    configured(project, chosen)
}

/// Those of the units that a definition has an AddConfig for: op_build says nothing about others.
fn configured(project: &Project, units: Vec<String>) -> Result<Vec<String>> {
    let host = project.dir.join("op_host");
    let mut text = String::new();
    for file in files::walk(&host)?.iter().filter(|file| file.extension().is_some_and(|name| name == "cpp")) {
        let path = host.join(file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    let (there, missing): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| text.contains(&format!("AddConfig(\"{unit}\"")));
    // None is a literal where the definitions have helpers for that.
    if there.is_empty() && text.contains("AddConfig(\"") {
        let calls: Vec<String> = missing.iter().map(|unit| format!("AddConfig(\"{unit}\")")).collect();
        let message = format!("{}: no definition has {}", host.display(), calls.join(" or "));
        return Err(failed(Kind::UnknownSoc, message).hint(format!(
            "add it next to the others, or name one that is there; the host toolkit models {}",
            FAMILIES.join(" and ")
        )));
    }
    Ok(if there.is_empty() { missing } else { there })
}

fn units_of_presets(project: &Project) -> Result<Vec<String>> {
    let is_modelled = |unit: &String| FAMILIES.contains(&unit.as_str());
    let path = project.dir.join(PRESETS);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let presets: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    let unit = presets["configurePresets"][0]["cacheVariables"]["ASCEND_COMPUTE_UNIT"].clone();
    let named = unit["value"].as_str().or(unit.as_str()).unwrap_or_default().to_owned();
    let known: Vec<String> = named.split(';').map(str::to_owned).filter(is_modelled).collect();
    if known.is_empty() {
        return Err(failed(Kind::UnknownSoc, format!("{}: ASCEND_COMPUTE_UNIT is `{named}`", path.display())).hint(
            format!(
                "the host toolkit models {}: name one of them there, with an AddConfig in the definition",
                FAMILIES.join(" and ")
            ),
        ));
    }
    Ok(known)
}

/// The newest .run that the build has left.
fn package(dir: &Path) -> Option<PathBuf> {
    let mut open: Vec<PathBuf> = OUTPUTS.iter().map(|name| dir.join(name)).collect();
    let mut found = Vec::new();
    for _ in 0..2 {
        let entries = open.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten();
        let (dirs, files): (Vec<_>, Vec<_>) = entries.map(|entry| entry.path()).partition(|path| path.is_dir());
        found.extend(files.into_iter().filter(|path| path.extension().is_some_and(|name| name == "run")));
        open = dirs;
    }
    found.into_iter().max_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    fn project(dir: &Path, form: Form) -> Project {
        Project { dir: dir.to_path_buf(), form }
    }

    fn presets(unit: &str) -> String {
        format!("{{\"configurePresets\": [{{\"cacheVariables\": {{\"ASCEND_COMPUTE_UNIT\": {unit}}}}}]}}")
    }

    #[test]
    fn units_of_the_presets() {
        let temp = tempfile::tempdir().expect("temp dir");
        let project = project(temp.path(), Form::Msopgen);
        let write = |unit: &str| {
            write_if_changed(&temp.path().join(PRESETS), presets(unit).as_bytes()).expect("write");
        };
        let define = |text: &str| {
            write_if_changed(&temp.path().join("op_host/a.cpp"), text.as_bytes()).expect("write");
        };
        define("AddConfig(\"ascend910b\"); AddConfig(\"ascend910_93\");");
        write("{\"type\": \"STRING\", \"value\": \"ascend910b;ascend310p\"}");
        assert_eq!(units(&project, &[]).expect("units"), ["ascend910b"]);
        assert_eq!(units(&project, &["ascend910_93".to_owned()]).expect("units"), ["ascend910_93"]);
        write("\"ascend310b\"");
        let error = units(&project, &[]).expect_err("another chip");
        assert_eq!(diag::code(&error), Kind::UnknownSoc.code());
        assert!(diag::causes(&error)[0].ends_with("ASCEND_COMPUTE_UNIT is `ascend310b`"), "{error:?}");
        assert!(units(&project, &["Ascend910B1".to_owned()]).is_err());
        write("\"ascend910b;ascend910_93\"");
        assert_eq!(units(&project, &[]).expect("both"), ["ascend910b", "ascend910_93"]);
        define("AddConfig(\"ascend910\");");
        let error = units(&project, &[]).expect_err("another definition");
        let message = &diag::causes(&error)[0];
        assert!(message.ends_with("has AddConfig(\"ascend910b\") or AddConfig(\"ascend910_93\")"), "{message}");
        define("for (auto unit : UNITS) AddConfig(unit);");
        assert_eq!(units(&project, &[]).expect("no literal").len(), 2);
    }

    #[test]
    fn commands_of_forms() {
        let temp = tempfile::tempdir().expect("temp dir");
        let text = |form: Form| {
            let lines = lines(&project(temp.path(), form), &["ascend910b".to_owned()], 2);
            lines.into_iter().map(|line| line.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(text(Form::KernelLibrary), ["cmake -S . -B build_out", "cmake --build build_out -j 2"]);
        assert_eq!(text(Form::NpuOp)[0], "cmake -S . -B build_out -DASCEND_COMPUTE_UNIT=ascend910b");
        assert_eq!(text(Form::Msopgen)[1], "cmake --build build_out -j 2 --target binary");
        write_if_changed(&temp.path().join("build.sh"), b"").expect("write");
        assert_eq!(text(Form::TorchExtension), ["bash build.sh"]);
    }

    #[test]
    fn what_a_build_leaves_out_is_shown() {
        let text = "-- Configuring\n-- ascend950 is left out: hostcann models ascend910b and ascend910_93\n\
                    a.cpp: warning: left out of the library: kernel a; a launch returns 207000\nDone\n";
        let shown: Vec<&str> = left_out(text).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
    }

    #[test]
    fn the_newest_package() {
        let temp = tempfile::tempdir().expect("temp dir");
        assert_eq!(package(temp.path()), None);
        write_if_changed(&temp.path().join("build/add/custom_opp.run"), b"").expect("write");
        write_if_changed(&temp.path().join("build_out/a/b/other.run"), b"").expect("write");
        assert_eq!(package(temp.path()), Some(temp.path().join("build/add/custom_opp.run")));
    }
}

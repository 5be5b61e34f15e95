//! Rust packages of this workspace that belong to an operator: tests of its installed package, a sweep, a benchmark, a
//! load test. Their Cargo.toml says so in `[package.metadata.op]`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::measure::row::Row;
use crate::base::op_dir::OpDir;
use crate::base::proc;
use crate::build::hostroot::{cargo, cargo_target};
use crate::toolchain::plan::Plan;
use crate::toolchain::root;

/// Where tests find the sources of the package they test, when that is not this repository's directory.
pub const OP_DIR: &str = "XTASK_OP_DIR";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// The cargo package.
    #[serde(skip)]
    pub package: String,
    #[serde(skip)]
    dir: PathBuf,
    /// The op, by directory name.
    name: String,
    pub bench: Option<Bench>,
    pub sim: Option<Sim>,
    pub sweep: Option<Sweep>,
    /// What `report` tells beside the acceptance cases.
    #[serde(default)]
    pub scenarios: Vec<Scenario>,
    /// Its test programs that no other package of the workspace has under the same name.
    #[serde(skip)]
    pub programs: Vec<String>,
    /// A binary with many threads and streams, for sanitizers.
    pub load: Option<Load>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    pub binary: String,
    /// A Python script that does the same with numpy, relative to the package.
    pub numpy: PathBuf,
    pub rows: Vec<Row>,
}

/// What `bench sim` runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sim {
    /// Calls the op.
    pub binary: String,
    /// A CMake project whose program launches the kernels it is held against, relative to the package.
    pub chains: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    pub binary: String,
    pub classes: Vec<String>,
}

/// What an operator has to do, and the tests that show it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub zh: String,
    pub en: String,
    /// Names of tests of any layer, `*` for any part: `values::*`, `Suite.name`, `test_aclnn_x`
    pub tests: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    pub binary: String,
    pub args: Vec<String>,
}

/// Those of the plan's ops.
pub fn of_plan(cx: &Ctx, plan: &Plan) -> Result<Vec<Companion>> {
    Ok(all(cx)?.into_iter().filter(|companion| plan.ops.iter().any(|op| op.name == companion.name)).collect())
}

/// The one of an operator, if it has one.
pub fn of_op(cx: &Ctx, op: &str) -> Result<Option<Companion>> {
    Ok(all(cx)?.into_iter().find(|companion| companion.name == op))
}

fn all(cx: &Ctx) -> Result<Vec<Companion>> {
    // They are cargo packages of this repository.
    if cx.project.is_installed() {
        return Ok(Vec::new());
    }
    let mut command = Command::new(cargo());
    command.current_dir(&cx.project.root).args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(failed(Kind::Build, format!("cargo cannot read this workspace: {why}")));
    }
    parse(serde_json::from_slice(&output.stdout).context("cargo metadata printed something else")?)
}

/// What `cargo metadata` prints, as far as it is read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    manifest_path: PathBuf,
    /// `[package.metadata]`
    #[serde(default)]
    metadata: Option<Value>,
    #[serde(default)]
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    #[serde(default)]
    test: bool,
}

impl Package {
    fn programs(&self) -> impl Iterator<Item = &String> {
        self.targets.iter().filter(|target| target.test).map(|target| &target.name)
    }
}

fn parse(Metadata { packages }: Metadata) -> Result<Vec<Companion>> {
    let mut found = Vec::new();
    for package in &packages {
        let Some(op) = package.metadata.as_ref().and_then(|metadata| metadata.get("op")) else { continue };
        let manifest = &package.manifest_path;
        let companion = Companion::deserialize(op)
            .map_err(|error| failed(Kind::Usage, format!("{}: [package.metadata.op]: {error}", manifest.display())))?;
        let dir = manifest.parent().unwrap_or(Path::new("")).to_path_buf();
        let others = packages.iter().filter(|other| other.name != package.name);
        let taken: Vec<&String> = others.flat_map(Package::programs).collect();
        let programs = package.programs().filter(|name| !taken.contains(name)).cloned().collect();
        found.push(Companion { package: package.name.clone(), dir, programs, ..companion });
    }
    Ok(found)
}

/// The one part that a verb needs, of the op that has it.
pub fn part<T>(cx: &Ctx, plan: &Plan, what: &str, pick: impl Fn(&Companion) -> Option<T>) -> Result<(Companion, T)> {
    let found = of_plan(cx, plan)?.into_iter().find_map(|companion| pick(&companion).map(|part| (companion, part)));
    found.ok_or_else(|| {
        failed(Kind::Usage, format!("{} has no {what}", plan.op_names())).hint(format!(
            "it belongs to a Rust package of this workspace whose Cargo.toml has [package.metadata.op] with the op's name \
             and `{what}`"
        ))
    })
}

impl Companion {
    fn op<'a>(&self, plan: &'a Plan) -> Option<&'a OpDir> {
        plan.ops.iter().find(|op| op.name == self.name)
    }

    pub fn file(&self, name: &Path) -> PathBuf {
        self.dir.join(name)
    }

    /// For everything that runs this package's tests.
    pub fn env<'a>(&self, plan: &'a Plan) -> Option<(&'static str, &'a Path)> {
        self.op(plan).map(|op| (OP_DIR, op.path.as_path()))
    }

    /// Builds one of its binaries in release mode; with the sanitizer that the run asks for.
    pub fn build(&self, cx: &mut Ctx, plan: &Plan, binary: &str) -> Result<PathBuf> {
        cx.console.say("Building", format!("{binary} (release)"));
        let step = format!("build-{binary}");
        cx.step(&step, |cx| {
            let (package, target, jobs) = (&self.package, cargo_target(cx), plan.jobs.to_string());
            let cargo = cargo();
            let _dir = cx.run.sh.push_dir(&cx.project.root);
            let line = cmd!(
                cx.run.sh,
                "{cargo} build --release --package {package} --bin {binary} -j {jobs} --target-dir {target}"
            );
            let (line, release) = match &cx.project.sanitize {
                Some(build) => (build.cargo(line), build.release(target)),
                None => (line, target.join("release")),
            };
            proc::must_run(cx, &step, Kind::Build, root::with_root(line, &plan.root))?;
            Ok(release.join(binary))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(value: Value) -> Metadata {
        serde_json::from_value(value).expect("metadata")
    }

    fn read(op: Value) -> Result<Vec<Companion>> {
        parse(metadata(json!({"packages": [
            {"name": "other", "manifest_path": "/w/other/Cargo.toml", "metadata": null},
            {"name": "x-tests", "manifest_path": "/w/tests/Cargo.toml", "metadata": {"op": op}},
        ]})))
    }

    #[test]
    fn only_packages_that_name_an_op() {
        let found =
            read(json!({"name": "x", "sweep": {"binary": "x-sweep", "classes": ["a", "b"]}})).expect("companions");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].package.as_str(), found[0].name.as_str()), ("x-tests", "x"));
        assert_eq!(found[0].file(Path::new("side.py")), Path::new("/w/tests/side.py"));
        assert_eq!(found[0].sweep.as_ref().map(|sweep| sweep.classes.len()), Some(2));
        assert!(found[0].bench.is_none() && found[0].load.is_none());
    }

    #[test]
    fn programs_of_one_package_only() {
        let target = |name: &str| json!({"name": name, "test": true});
        let found = parse(metadata(json!({"packages": [
            {"name": "other", "manifest_path": "/w/other/Cargo.toml", "metadata": null, "targets": [target("contract")]},
            {"name": "x-tests", "manifest_path": "/w/tests/Cargo.toml", "metadata": {"op": {"name": "x"}},
             "targets": [target("values"), target("contract"), {"name": "bench", "test": false}]},
        ]})));
        assert_eq!(found.expect("companions")[0].programs, ["values"]);
    }

    #[test]
    fn a_wrong_manifest_is_named() {
        let error = read(json!({"name": "x", "swep": {}})).expect_err("a misspelt key").to_string();
        assert!(error.contains("/w/tests/Cargo.toml: [package.metadata.op]: unknown field `swep`"), "{error}");
    }
}

//! Keeps what a run found out about an operator, with the machine it ran on.

use std::fs;
use std::sync::OnceLock;

use serde::Serialize;

use crate::base::ctx::Ctx;
use crate::base::op_dir::OpDir;
use crate::base::pieces::{self, Piece};
use crate::base::program;
use crate::base::report::{Environment, SCHEMA};
use crate::base::versions;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::Root;
use crate::toolchain::tools::Tools;

/// For every operator of a plan.
pub fn keep(cx: &mut Ctx, plan: &Plan, name: &str, data: &impl Serialize) {
    for op in &plan.ops {
        keep_of(cx, plan, op, name, data);
    }
}

/// For one of them. Packages with definitions of the user's, and debug builds, are others than the one that is handed in.
pub fn keep_of(cx: &mut Ctx, plan: &Plan, op: &OpDir, name: &str, data: &impl Serialize) {
    if plan.defines.is_empty() && !plan.debug {
        keep_plain(cx, op, name, &plan.socs.join(","), data);
    }
}

/// Of a run that builds nothing.
pub fn keep_plain(cx: &mut Ctx, op: &OpDir, name: &str, soc: &str, data: &impl Serialize) {
    if cx.project.is_apart() || cx.project.sanitize.is_some() {
        return;
    }
    // An operator that cannot be read has no evidence; the run itself says why.
    let Ok(sources) = pieces::digest(&op.path) else { return };
    // Keys are strings: evidence is always JSON.
    let Ok(data) = serde_json::to_value(data) else { return };
    cx.run.kept.push(Piece {
        schema: SCHEMA,
        piece: name.to_owned(),
        op: op.name.clone(),
        sources,
        soc: soc.to_owned(),
        environment: environment(cx),
        data,
        ..Piece::default()
    });
}

/// The machine and what compiles on it.
pub fn environment(cx: &Ctx) -> Environment {
    static FOUND: OnceLock<Environment> = OnceLock::new();
    let version = |text: Option<String>| text.and_then(|text| versions::parse(&text)).map(|found| found.to_string());
    let found = FOUND.get_or_init(|| {
        let chosen = Tools::chosen(cx).ok();
        let tool = |name: &str| {
            let program = chosen.as_ref()?.program(name).display().to_string();
            version(program::probe(&program, &["--version"]))
        };
        let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        let system = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpus.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
        Environment {
            system: system.trim_matches('"').to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            cpu: cpu.map(|(_, name)| name.trim().to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from) as u64,
            rustc: version(program::probe("rustc", &["--version"])),
            cxx: version(program::cxx_version()),
            cmake: tool("cmake"),
            ninja: tool("ninja"),
            python: version(program::probe("python3", &["--version"])),
            xtask: env!("CARGO_PKG_VERSION").to_owned(),
            toolkit: String::new(),
        }
    });
    let toolkit = Root::choose(cx).map_or_else(|error| error.to_string(), |root| root.describe(cx));
    Environment { toolkit, ..found.clone() }
}

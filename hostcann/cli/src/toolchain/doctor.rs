//! `doctor`: a table of everything that is needed; never stops at the first problem.

use std::fs;
use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::proc;
use crate::base::report::{DoctorResult, Tool};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::base::versions::{self, Version};
use crate::toolchain::form::Form;
use crate::toolchain::npu::Npus;
use crate::toolchain::root::{Root, RootKind};
use crate::toolchain::tools::{self, Tools};

const HELP: &str = "\
Examples:
  cargo xtask doctor
  cargo xtask doctor --json";

/// List every tool with its version, the required one, and how to get it
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Doctor {}

struct Row {
    name: &'static str,
    found: String,
    needed: String,
    /// None: fine. Some: how to get it.
    missing: Option<&'static str>,
    required: bool,
}

impl Verb for Doctor {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let (tools, tools_error) = match Tools::chosen(cx) {
            Ok(tools) => (tools, None),
            Err(error) => (Tools::System, Some(error)),
        };
        let mut rows = base_rows(cx);
        rows.extend(tool_rows(cx, &tools));
        rows.extend(root_rows(cx));
        rows.push(target_row(cx));
        rows.push(project_row(cx));
        if let Some(error) = &tools_error {
            rows.push(Row {
                name: "XTASK_TOOLS",
                found: error.root_cause().to_string(),
                needed: "pinned, system".into(),
                missing: Some("unset XTASK_TOOLS"),
                required: true,
            });
        }
        print(&rows);
        let done = Done::with(&DoctorResult { tools: rows.iter().map(reported).collect() });
        let bad: Vec<&str> =
            rows.iter().filter(|row| row.required && row.missing.is_some()).map(|row| row.name).collect();
        if bad.is_empty() {
            return Ok(done.verdict(format!("doctor: {} checks, nothing required is missing", rows.len())));
        }
        let error = failed(Kind::Tool, format!("missing or too old: {}", bad.join(", ")));
        Ok(done.failed(error.hint("see the last column of the table")))
    }
}

fn base_rows(cx: &Ctx) -> Vec<Row> {
    let mut rows = vec![
        judge("C++ compiler", proc::cxx_version(), tools::MIN_GXX, true, "apt install g++, or point CXX to a compiler"),
        check("python3", "python3", &["--version"], Version(3, 7, 0), true, "apt install python3"),
        check("pip", "python3", &["-m", "pip", "--version"], Version(20, 3, 0), true, "apt install python3-pip"),
        check("git", "git", &["--version"], Version(2, 0, 0), false, "apt install git"),
        check("tar", "tar", &["--version"], Version(1, 0, 0), true, "apt install tar"),
        check("gzip", "gzip", &["--version"], Version(1, 0, 0), true, "apt install gzip"),
        check("sha256sum", "sha256sum", &["--version"], Version(8, 0, 0), true, "apt install coreutils"),
    ];
    if !cx.project.is_installed() {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        rows.insert(0, check("cargo", &cargo, &["--version"], Version(1, 89, 0), true, "https://rustup.rs"));
        rows.extend([
            check("rustfmt", "rustfmt", &["--version"], Version(1, 0, 0), false, "rustup component add rustfmt"),
            check("clippy", "cargo-clippy", &["--version"], Version(0, 1, 0), false, "rustup component add clippy"),
        ]);
    }
    rows
}

fn tool_rows(cx: &Ctx, tools: &Tools) -> Vec<Row> {
    let (how, required) = match tools {
        Tools::Pinned(_) => ("cargo xtask setup (every verb that needs it does that itself)", false),
        Tools::Environment { .. } => ("install hostcann with its dependencies: pip install --force-reinstall", true),
        Tools::System => ("install it, or unset XTASK_TOOLS", true),
    };
    let row = |name: &'static str, min: Version, required: bool| {
        check(name, &tools.program(name).to_string_lossy(), &["--version"], min, required, how)
    };
    let mut rows = vec![
        row("cmake", tools::MIN_CMAKE, required),
        row("ninja", tools::MIN_NINJA, required),
        row("clang-format", tools::CLANG_FORMAT, false),
    ];
    let libclang = match std::env::var_os("LIBCLANG_PATH") {
        Some(dir) => Path::new(&dir).to_path_buf(),
        None => tools.libclang().unwrap_or_else(|| cx.project.tools().join("clang/native")),
    };
    let there = libclang.is_file() || libclang.join("libclang.so").exists();
    rows.push(Row {
        name: "libclang",
        found: if there { cx.project.show(&libclang) } else { "no".into() },
        needed: "18 (tests)".into(),
        missing: (!there).then_some("cargo xtask setup, or set LIBCLANG_PATH"),
        required: false,
    });
    rows
}

/// The form of the directory that the user is in.
fn project_row(cx: &Ctx) -> Row {
    let form = Form::of(&cx.run.sh.current_dir());
    Row {
        name: "project here",
        found: form.map_or("none", Form::name).to_owned(),
        needed: "for build".into(),
        missing: None,
        required: false,
    }
}

/// Whether this user may build here at all.
fn target_row(cx: &Ctx) -> Row {
    let target = cx.project.products();
    let made = fs::create_dir_all(&target).and_then(|()| tempfile::tempfile_in(&target));
    let (found, missing) = match made {
        Ok(_) => ("writable".to_owned(), None),
        Err(error) => (error.to_string(), Some("a checkout of your own, or the right to write to this one")),
    };
    Row {
        name: if cx.project.is_installed() { ".hostcann/" } else { "target/" },
        found,
        needed: "writable".into(),
        missing,
        required: true,
    }
}

/// The toolkit that is used and why, then what the other one would need.
fn root_rows(cx: &Ctx) -> Vec<Row> {
    let (found, missing, kind) = match Root::choose(cx) {
        Ok(root) => (root.describe(cx), None, Some(root)),
        Err(error) => {
            (error.root_cause().to_string(), Some("unset ASCEND_HOME_PATH to use the embedded host toolkit"), None)
        }
    };
    let mut rows = vec![Row { name: "toolkit", found, needed: "hostcann or CANN".into(), missing, required: true }];
    match kind {
        Some(root) if root.kind == RootKind::Cann => rows.extend(cann_rows(cx, &root)),
        _ => rows.push(other_cann_row()),
    }
    rows
}

/// What building for a real CANN and running on its device needs.
fn cann_rows(cx: &Ctx, root: &Root) -> Vec<Row> {
    let compiler = ["bin/bisheng", "compiler/ccec_compiler/bin/bisheng", "tools/bisheng_compiler/bin/bisheng"]
        .map(|file| root.path.join(file))
        .into_iter()
        .find(|file| file.is_file());
    let checkout = OpArgs::default().checkout(&cx.project);
    let has_build_sh = checkout.as_ref().is_some_and(|dir| dir.join("build.sh").is_file());
    let npus = Npus::look();
    let embedded = cx.project.toolkit();
    let row = |name, found: String, needed: &str, missing: Option<&'static str>| Row {
        name,
        found,
        needed: needed.into(),
        missing,
        required: false,
    };
    vec![
        row(
            "bisheng",
            compiler.as_ref().map_or_else(|| "no".to_owned(), |file| cx.project.show(file)),
            "for kernels",
            compiler.is_none().then_some("the toolkit package of CANN; what is there is the runtime's alone"),
        ),
        row(
            "ops-math",
            checkout.as_ref().map_or_else(|| "no".to_owned(), |dir| cx.project.show(dir)),
            "with build.sh",
            (!has_build_sh).then_some("clone ops-math in CANN's version; --ops-math DIR or OPS_MATH_HOME=DIR"),
        ),
        row(
            "NPU",
            npus.describe(),
            "to run",
            (!npus.any_healthy()).then_some("CANN's driver and firmware packages; `npu-smi info` shows them"),
        ),
        row(
            "host toolkit",
            if embedded.is_dir() { format!("not used: {}", cx.project.show(&embedded)) } else { "not used".to_owned() },
            "without NPU",
            Some("unset ASCEND_HOME_PATH"),
        ),
    ]
}

/// A CANN that could be used instead of the host toolkit, and an NPU to run it on.
fn other_cann_row() -> Row {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let parents = [Path::new("/usr/local").to_path_buf(), Path::new(&home).to_path_buf()];
    let places = parents
        .iter()
        .flat_map(|dir| ["Ascend/ascend-toolkit/latest", "Ascend/cann", "Ascend/latest"].map(|place| dir.join(place)));
    let cann = places.into_iter().find(|dir| dir.join("include/acl/acl.h").is_file());
    let (npus, there) = (Npus::look(), cann.is_some());
    let cann = cann.map_or_else(|| "none".to_owned(), |dir| dir.display().to_string());
    Row {
        name: "real CANN",
        found: format!("not used: {cann}; {}", npus.describe()),
        needed: "for an NPU".into(),
        missing: Some(if there {
            "source its set_env.sh and give an ops-math checkout (docs/guides/real-cann.md)"
        } else {
            "install CANN, source its set_env.sh and give an ops-math checkout (docs/guides/real-cann.md)"
        }),
        required: false,
    }
}

fn check(name: &'static str, program: &str, args: &[&str], min: Version, required: bool, how: &'static str) -> Row {
    judge(name, proc::probe(program, args), min, required, how)
}

fn judge(name: &'static str, found: Option<String>, min: Version, required: bool, how: &'static str) -> Row {
    let version = found.as_deref().and_then(versions::parse);
    let good = version.is_some_and(|version| version >= min);
    let exact = name == "clang-format";
    let good = good && (!exact || version == Some(min));
    Row {
        name,
        found: match (&found, version) {
            (_, Some(version)) => version.to_string(),
            (Some(_), None) => "unknown version".into(),
            (None, None) => "no".into(),
        },
        needed: if exact { format!("= {min}") } else { format!(">= {min}") },
        missing: (!good).then_some(how),
        required,
    }
}

fn print(rows: &[Row]) {
    let width = |pick: fn(&Row) -> usize| rows.iter().map(pick).max().unwrap_or(0);
    let (name, needed) = (width(|r| r.name.len()), width(|r| r.needed.len()));
    // Paths may stick out.
    let found = rows.iter().map(|row| row.found.len()).filter(|&len| len <= 20).max().unwrap_or(0);
    for row in rows {
        let mark = match (&row.missing, row.required) {
            (None, _) => "ok  ",
            (Some(_), true) => "FAIL",
            (Some(_), false) => "-   ",
        };
        let how = row.missing.map(|how| format!("get it: {how}")).unwrap_or_default();
        out!(
            "{}",
            format!("  {mark} {:name$}  {:found$}  {:needed$}  {how}", row.name, row.found, row.needed).trim_end()
        );
    }
}

fn reported(row: &Row) -> Tool {
    Tool {
        name: row.name.to_owned(),
        found: row.found.clone(),
        needed: row.needed.clone(),
        ok: row.missing.is_none(),
        required: row.required,
        get: row.missing.map(str::to_owned),
    }
}

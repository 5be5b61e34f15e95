//! Rules 44 and 45: how the package installs, and the competition's bundle.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::package::unpack;
use super::rule::{Case, Findings, Outcome, Rule, not_run};
use super::tree::split;
use crate::base::files;

pub const RULES: [Rule; 2] = [
    Rule {
        number: 44,
        slug: "installation",
        title: "the package installs as upstream's does",
        zh: "软件包安装行为与上游一致",
        why: "install.sh of asc-devkit: an absolute --install-path, ASCEND_CUSTOM_OPP_PATH, ASCEND_OPP_PATH, refusals with \
              status 1, a second vendor in front of the first, uninstall; SUCCESS is the last line exactly when all is well.",
        check: install,
    },
    Rule {
        number: 45,
        slug: "bundle",
        title: "the bundle has the competition's layout",
        zh: "提交包符合竞赛目录结构",
        why: "cann-ops-competitions requires {NN-N}-{Op}/{Team}/ with docs/design.md, docs/aclnn*.md, examples, op_host, \
              op_kernel, CMakeLists.txt and README.md. A self-verification report with parts that were not run is sent back.",
        check: bundle,
    },
];

/// One call of a `.run`: environment, arguments, expected result.
struct InstallTrial<'a> {
    what: &'a str,
    args: Vec<String>,
    env: Vec<(&'a str, String)>,
    succeeds: bool,
    /// Must be there afterwards
    there: Option<PathBuf>,
}

fn install(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let unpacked = match unpack(case, &mut found)? {
        Ok(unpacked) => unpacked,
        Err(why) => return not_run(why),
    };
    let Ok(run) = &case.tools.package else { return found.judged() };
    let vendor = split(&unpacked.vendor.to_string_lossy()).1.to_owned();
    let base = unpacked.temp.path();
    let (opp, custom, other) = (base.join("opp"), base.join("custom"), base.join("path"));
    for dir in [&opp, &custom] {
        fs::create_dir_all(dir).context("cannot create a directory for the package")?;
    }
    let list = opp.join("vendors/config.ini");
    files::write_if_changed(&list, b"load_priority=first_math\n")?;
    let text = |path: &Path| path.display().to_string();
    let path = format!("--install-path={}", other.display());
    let to_opp = vec![("ASCEND_OPP_PATH", text(&opp))];
    let ways = [
        InstallTrial { what: "nothing set", args: vec![], env: vec![], succeeds: false, there: None },
        InstallTrial {
            what: "a relative --install-path",
            args: vec!["--install-path=here".into()],
            env: vec![],
            succeeds: false,
            there: None,
        },
        InstallTrial {
            what: "an unknown option",
            args: vec!["--no-such-option".into()],
            env: to_opp.clone(),
            succeeds: false,
            there: None,
        },
        InstallTrial {
            what: "two paths in ASCEND_CUSTOM_OPP_PATH",
            args: vec![],
            env: vec![("ASCEND_CUSTOM_OPP_PATH", format!("{}:/x", custom.display()))],
            succeeds: false,
            there: None,
        },
        InstallTrial {
            what: "an absolute --install-path",
            args: vec![path.clone()],
            env: vec![],
            succeeds: true,
            there: Some(other.join("vendors").join(&vendor).join("bin/set_env.bash")),
        },
        InstallTrial { what: "the same again", args: vec![path], env: vec![], succeeds: true, there: None },
        InstallTrial {
            what: "ASCEND_CUSTOM_OPP_PATH",
            args: vec![],
            env: vec![("ASCEND_CUSTOM_OPP_PATH", text(&custom))],
            succeeds: true,
            there: Some(custom.join("vendors").join(&vendor).join("version.info")),
        },
        InstallTrial {
            what: "ASCEND_OPP_PATH next to another vendor",
            args: vec![],
            env: to_opp,
            succeeds: true,
            there: Some(list.clone()),
        },
    ];
    for way in &ways {
        try_way(run, base, way, &mut found)?;
    }
    let first = fs::read_to_string(&list).unwrap_or_default();
    if first.trim() != format!("load_priority={vendor},first_math") {
        found.error(
            &vendor,
            0,
            format!("vendors/config.ini is `{}`", first.trim()),
            format!("load_priority={vendor},first_math"),
        );
    }
    uninstall(&opp, &vendor, &mut found)?;
    found.judged()
}

fn try_way(run: &Path, base: &Path, way: &InstallTrial, found: &mut Findings) -> Result<()> {
    let mut command = Command::new("sh");
    command.arg(run).arg("--quiet").args(&way.args).current_dir(base).env_clear();
    command
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(way.env.iter().map(|(name, value)| (name, value)));
    let output = command.output().with_context(|| format!("cannot run {}", run.display()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default();
    let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let succeeded = output.status.success();
    if succeeded != way.succeeds || (!way.succeeds && output.status.code() != Some(1)) {
        let wanted = if way.succeeds { "status 0" } else { "status 1" };
        found.error(&name, 0, format!("{}: {}", way.what, output.status), wanted);
    }
    if (last.trim_end().ends_with("SUCCESS")) != succeeded {
        found.error(
            &name,
            0,
            format!("{}: the last line is `{last}` with {}", way.what, output.status),
            "SUCCESS with status 0 only",
        );
    }
    if let Some(there) = way.there.as_ref().filter(|there| !there.exists()) {
        found.error(&name, 0, format!("{}: {} is not there", way.what, there.display()), "installed completely");
    }
    Ok(())
}

fn uninstall(opp: &Path, vendor: &str, found: &mut Findings) -> Result<()> {
    let script = opp.join("vendors").join(vendor).join("scripts/uninstall.sh");
    let output =
        Command::new("sh").arg(&script).env("ASCEND_OPP_PATH", opp).output().context("cannot run uninstall.sh")?;
    if !output.status.success() || opp.join("vendors").join(vendor).exists() {
        found.error(vendor, 0, format!("uninstall.sh: {}", output.status), "the vendor's directory goes");
    }
    let list = fs::read_to_string(opp.join("vendors/config.ini")).unwrap_or_default();
    if list.trim() != "load_priority=first_math" {
        found.error(
            vendor,
            0,
            format!("after uninstall.sh config.ini is `{}`", list.trim()),
            "load_priority=first_math",
        );
    }
    Ok(())
}

fn bundle(case: &Case) -> Result<Outcome> {
    let Some(bundle) = case.bundle else { return not_run("no bundle is asked for: --bundle DIR") };
    let mut found = Findings::default();
    let Some(first) = bundle.files.keys().next() else {
        found.error("the bundle", 0, "it is empty", "docs/design.md at least");
        return found.judged();
    };
    let parts: Vec<&str> = first.split('/').take(2).collect();
    let base = parts.join("/");
    let task = parts[0].split('-').take(2).all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if !task || parts[0].matches('-').count() < 2 || parts.len() < 2 {
        found.error(&base, 0, "not {NN-N}-{Op}/{Team}", "--task 05-11 --team NAME");
    }
    let has = |path: &str| bundle.has(&format!("{base}/{path}"));
    let any = |start: &str, end: &str| {
        bundle.files.keys().any(|path| path.starts_with(&format!("{base}/{start}")) && path.ends_with(end))
    };
    let wanted = [
        ("docs/design.md", has("docs/design.md")),
        ("docs/self_verification.md", has("docs/self_verification.md")),
        ("docs/aclnn*.md", any("docs/aclnn", ".md")),
        ("examples/", any("examples/", ".cpp")),
        ("op_host/", any("op_host/", ".cpp")),
        ("op_kernel/", any("op_kernel/", ".cpp")),
        ("CMakeLists.txt", has("CMakeLists.txt")),
        ("README.md", has("README.md")),
    ];
    for (path, _) in wanted.into_iter().filter(|(_, there)| !there) {
        found.error(format!("{base}/{path}"), 0, "it is missing", "the competition asks for it: add it to the op");
    }
    for part in case.open_parts {
        let path = format!("{base}/docs/self_verification.md");
        found.warn(path, 0, part.clone(), "`cargo xtask report --run` runs what is missing on this commit");
    }
    found.judged()
}

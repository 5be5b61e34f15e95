//! `dist`: the program and all that it needs as a wheel and as an archive, for machines without cargo and this repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use xshell::cmd;

use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{Kind, failed};
use hostcann_cli::base::done::Done;
use hostcann_cli::base::files;
use hostcann_cli::base::installation::{BUILT, Installation, RECORD};
use hostcann_cli::base::proc;
use hostcann_cli::base::sources;
use hostcann_cli::base::verb::Verb;
use hostcann_cli::build::hostroot::{self, CXX, MADE, cargo, cargo_target};
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root::{Root, RootKind};
use hostcann_cli::toolchain::tools;
use hostcann_cli::toolchain::wheels::Wheels;

const HELP: &str = "\
Examples:
  cargo xtask dist
  cargo xtask dist --out dist
  python3 -m venv /tmp/venv && /tmp/venv/bin/pip install target/dist/hostcann-*.whl

Writes hostcann-<version>-py3-none-<platform>.whl and hostcann-<version>-<arch>-linux.tar.gz with the same content. The
platform is what the symbols of the programs require, checked with auditwheel.";

/// Pack the installable program: a wheel and a tar.gz
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Dist {
    /// Write the archives to this directory
    #[arg(long, value_name = "DIR", default_value = "target/dist")]
    out: PathBuf,
    /// Pack what the tests use: compiled faster, runs slower
    #[arg(long)]
    dev: bool,
}

/// What goes into an installation as it lies in the repository.
const CONTENT: [&str; 23] = [
    ".clang-format",
    "LICENSE",
    "NOTICE",
    "README.md",
    "README.zh.md",
    "adapters/onnxruntime/python",
    "adapters/paddle",
    "adapters/torch",
    "ascgraph/python",
    "docs",
    "experimental/CMakeLists.txt",
    "hostcann/CMakeLists.txt",
    "hostcann/cli/locks",
    "hostcann/cli/templates",
    "hostcann/cmake",
    "hostcann/include",
    "hostcann/kit",
    "hostcann/nnopbase",
    "hostcann/opapi/operators.txt",
    "hostcann/set_env.sh",
    "hostcann/soc",
    "hostcann/ut",
    "scripts",
];

/// Below `scripts` and the like: of no use to a program that was installed.
const LEFT_OUT: [&str; 5] =
    ["hostcann/nnopbase/tests", "scripts/board", "scripts/dist", "docs/evidence", "docs/decisions"];

const AUDITWHEEL: Wheels = Wheels {
    lock: "hostcann/cli/locks/auditwheel.lock.txt",
    what: "auditwheel",
    platforms: "the pinned wheels are for every platform with Python 3.10 or newer",
    instead: "",
    download_mb: 1,
    disk_mb: 5,
    per_python: false,
};

impl Verb for Dist {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let out = cx.run.sh.current_dir().join(&self.out);
        let files = pack(cx, &out, self.dev)?;
        let names: Vec<String> = files.iter().map(|file| cx.project.show(file)).collect();
        for file in &files {
            let sha256 = files::sha256(&fs::read(file).with_context(|| format!("cannot read {}", file.display()))?);
            cx.run.artifact(file, Some(&sha256));
        }
        Ok(Done::plain().verdict(format!("dist: {}", names.join(" and "))))
    }
}

/// Writes both archives; the wheel comes first.
pub fn pack(cx: &mut Ctx, out: &Path, dev: bool) -> Result<[PathBuf; 2]> {
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    let root = Root { kind: RootKind::Embedded, path: cx.project.toolkit() };
    let plan = Plan::of_toolkit(root, proc::jobs(None));
    cx.console.say("Building", "host toolkit and programs");
    hostroot::assemble(cx, &plan, &tools)?;
    let products = cx.step("programs", |cx| build(cx, plan.jobs, dev))?;

    let work = cx.project.work().join("dist");
    files::remove_dir_if_there(&work)?;
    let (tree, version) = (work.join("wheel"), env!("CARGO_PKG_VERSION"));
    let home = tree.join("hostcann");
    cx.step("content", |cx| {
        content(&cx.project.home, &home)?;
        built(&plan.root.path, &products, &home)
    })?;
    // The first use of an older machine builds the C++ part again, so that the programs alone decide where they run.
    let (programs, cxx) = cx.step("symbols", |cx| needs(cx, &home))?;
    let record = Installation {
        version: version.to_owned(),
        toolkit: sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?,
        libstdcxx: format!("GLIBCXX_{}", text(&cxx.libstdcxx)),
        libc: format!("GLIBC_{}", text(&cxx.glibc)),
    };
    files::write_if_changed(&home.join(RECORD), &serde_json::to_vec_pretty(&record)?)?;

    fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let arch = std::env::consts::ARCH;
    let archive = out.join(format!("hostcann-{version}-{arch}-linux.tar.gz"));
    cx.step("archive", |cx| tar(cx, &home, &archive))?;
    let [glibc_major, glibc_minor, ..] = programs.glibc[..] else {
        bail!("no program requires a version of glibc");
    };
    let platform = format!("manylinux_{glibc_major}_{glibc_minor}_{arch}");
    let scripts = cx.project.home.join("scripts/dist");
    files::add_dir(&scripts.join("hostcann"), &home)?;
    metadata(cx, &tree, version, &platform)?;
    let wheel = out.join(format!("hostcann-{version}-py3-none-{platform}.whl"));
    let script = scripts.join("wheel.py");
    cx.step("wheel", |cx| {
        let line = cmd!(cx.run.sh, "python3 {script} {tree} {wheel}");
        proc::must_run(cx, "wheel", Kind::Build, line)
    })?;
    cx.step("auditwheel", |cx| audit(cx, &wheel, &platform))?;
    Ok([wheel, archive])
}

/// Returns where cargo has put the programs.
fn build(cx: &Ctx, jobs: usize, dev: bool) -> Result<PathBuf> {
    let (cargo, target, jobs) = (cargo(), cargo_target(cx), jobs.to_string());
    // As the tests build them, so that nothing is built for the second time.
    let own = ["-p", "hostcann-cli", "-p", "xtask"];
    let others = ["-p", "hostcann-runtime", "-p", "hostcann-opapi", "-p", "hostcann-asc"];
    let adapter = ["-p", "ascend-ort"];
    let profile = (!dev).then_some("--release");
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    for packages in [&own[..], &others, &adapter] {
        let line = cmd!(cx.run.sh, "{cargo} build {profile...} {packages...} -j {jobs} --target-dir {target}");
        proc::must_run(cx, "programs", Kind::Build, line)?;
    }
    Ok(target.join(if dev { "debug" } else { "release" }))
}

/// What is used as it lies in the repository.
fn content(repository: &Path, home: &Path) -> Result<()> {
    for part in CONTENT {
        let from = repository.join(part);
        if from.is_file() {
            files::copy_if_changed(&from, &home.join(part))?;
            continue;
        }
        for file in files::walk(&from)? {
            let path = Path::new(part).join(file);
            let is_cache = path.components().any(|part| part.as_os_str() == "__pycache__");
            if !is_cache && !LEFT_OUT.iter().any(|out| path.starts_with(out)) {
                files::copy_if_changed(&repository.join(&path), &home.join(&path))?;
            }
        }
    }
    Ok(())
}

/// What compilers have made, without what debuggers read.
fn built(toolkit: &Path, products: &Path, home: &Path) -> Result<()> {
    let to = home.join(BUILT);
    for name in MADE.map(|(name, _)| name).into_iter().chain(["libascend_ort.so"]) {
        strip(&products.join(name), &to.join(name))?;
    }
    // cargo leaves the library of a package that it was not asked for by that name in `deps`.
    let autofuse = ["libautofuse.so", "deps/libautofuse.so"].map(|name| products.join(name));
    let autofuse = autofuse.iter().find(|file| file.is_file()).context("cargo has built no libautofuse.so")?;
    strip(autofuse, &to.join("libautofuse.so"))?;
    strip(&products.join("hostcann"), &home.join("bin/hostcann"))?;
    for dir in ["lib64", "tools/opbuild"] {
        for file in files::walk(&toolkit.join(dir))? {
            let place = Path::new(dir).join(file);
            let is_rust = MADE.iter().any(|(_, made)| place == Path::new(made));
            let from = toolkit.join(&place);
            if !is_rust && fs::read(&from).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")) {
                strip(&from, &to.join(CXX).join(place))?;
            }
        }
    }
    Ok(())
}

fn strip(from: &Path, to: &Path) -> Result<()> {
    files::copy_if_changed(from, to)?;
    let output = std::process::Command::new("strip").arg("--strip-unneeded").arg(to).output();
    let output = output.context("cannot run `strip`; binutils has it")?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(Kind::Build, format!("strip {}: {}", to.display(), String::from_utf8_lossy(&output.stderr).trim())))
}

/// The newest versions that programs and libraries ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Needs {
    glibc: Vec<u32>,
    libstdcxx: Vec<u32>,
}

impl Needs {
    /// Of the text that `objdump -T` prints.
    fn read(&mut self, symbols: &str) {
        for word in symbols.split(|c: char| c.is_whitespace() || "()".contains(c)) {
            let of = |prefix: &str| -> Option<Vec<u32>> {
                word.strip_prefix(prefix)?.split('.').map(|part| part.parse().ok()).collect()
            };
            if let Some(version) = of("GLIBC_") {
                self.glibc = version.max(std::mem::take(&mut self.glibc));
            } else if let Some(version) = of("GLIBCXX_") {
                self.libstdcxx = version.max(std::mem::take(&mut self.libstdcxx));
            }
        }
    }
}

fn text(version: &[u32]) -> String {
    version.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// Of the programs, and of the C++ part.
fn needs(cx: &Ctx, home: &Path) -> Result<(Needs, Needs)> {
    let (mut programs, mut cxx) = (Needs::default(), Needs::default());
    for dir in [home.join("bin"), home.join(BUILT)] {
        for file in files::walk(&dir)? {
            let path = dir.join(&file);
            let symbols = cmd!(cx.run.sh, "objdump -T {path}").quiet().ignore_stderr().read();
            let needs = if file.starts_with(CXX) { &mut cxx } else { &mut programs };
            needs.read(&symbols.with_context(|| format!("cannot read the symbols of {}", path.display()))?);
        }
    }
    Ok((programs, cxx))
}

fn tar(cx: &Ctx, home: &Path, archive: &Path) -> Result<()> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().replace(".tar.gz", "");
    let (parent, dir) = (home.parent().unwrap_or(home), home.file_name().unwrap_or_default());
    let rename = format!("s,^{},{name},", dir.to_string_lossy());
    let line = cmd!(
        cx.run.sh,
        "tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@315532800 --transform {rename} -C {parent} -czf {archive}
         {dir}"
    );
    proc::must_run(cx, "archive", Kind::Build, line).map(drop)
}

fn metadata(cx: &Ctx, tree: &Path, version: &str, platform: &str) -> Result<()> {
    let info = tree.join(format!("hostcann-{version}.dist-info"));
    let lock = cx.project.home.join(tools::LOCK);
    let lock = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    // These two must be the pinned ones: their output is compared and read.
    let exact = ["libclang", "clang-format"].map(|name| {
        let line = lock.lines().find(|line| line.starts_with(&format!("{name}==")));
        line.map(|line| line.trim_end_matches(['\\', ' ']).to_owned()).unwrap_or_else(|| name.to_owned())
    });
    let others = [format!("cmake>={}", tools::MIN_CMAKE), format!("ninja>={}", tools::MIN_NINJA)];
    let requires: String = others.iter().chain(&exact).map(|name| format!("Requires-Dist: {name}\n")).collect();
    let readme = cx.project.home.join("README.md");
    let readme = fs::read_to_string(&readme).with_context(|| format!("cannot read {}", readme.display()))?;
    let text = format!(
        "Metadata-Version: 2.1\nName: hostcann\nVersion: {version}\n\
         Summary: Build, check, price, test and package Ascend C operators without an NPU\n\
         License: Apache-2.0\nRequires-Python: >=3.8\n{requires}Description-Content-Type: text/markdown\n\n{readme}"
    );
    let wheel =
        format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n");
    for (file, text) in [
        ("METADATA", text.as_str()),
        ("WHEEL", &wheel),
        ("entry_points.txt", "[console_scripts]\nhostcann = hostcann:main\n"),
    ] {
        files::write_if_changed(&info.join(file), text.as_bytes())?;
    }
    Ok(())
}

/// auditwheel reads the same from the libraries, those of the C++ part included.
fn audit(cx: &mut Ctx, wheel: &Path, platform: &str) -> Result<()> {
    let dir = cx.project.tools().join("auditwheel");
    if !AUDITWHEEL.ready(&cx.project.home, &dir) {
        AUDITWHEEL.install(cx, &dir)?;
    }
    let line = cmd!(cx.run.sh, "python3 -m auditwheel show {wheel}").env("PYTHONPATH", &dir);
    let text = proc::must_run(cx, "auditwheel", Kind::Tool, line)?;
    if is_consistent(&text, platform) {
        return Ok(());
    }
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    bail!("auditwheel does not call {} {platform}: {said}", wheel.display())
}

/// Whether auditwheel's report names the platform, or a later one that the C++ part needs.
fn is_consistent(report: &str, platform: &str) -> bool {
    let version = |word: &str| -> Option<(u32, u32, String)> {
        let mut parts = word.trim_end_matches('.').strip_prefix("manylinux_")?.splitn(3, '_');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned()))
    };
    let Some((major, minor, arch)) = version(platform) else { return false };
    let words = report.split(|c: char| c.is_whitespace() || c == '"');
    let named = words.filter_map(version).find(|(_, _, named)| *named == arch);
    named.is_some_and(|(x, y, _)| (x, y) >= (major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let mut needs = Needs::default();
        needs.read(
            "0 DF *UND* 0 (GLIBC_2.9) dlopen\n0 (GLIBC_2.34) x\n(GLIBCXX_3.4.9) y (GLIBCXX_3.4.29) (GLIBC_PRIVATE)",
        );
        assert_eq!(needs, Needs { glibc: vec![2, 34], libstdcxx: vec![3, 4, 29] });
        needs.read("(GLIBC_2.17) (GLIBCXX_3.4.11)");
        assert_eq!(text(&needs.libstdcxx), "3.4.29");
    }

    #[test]
    fn what_auditwheel_says() {
        let report = "a.whl is consistent with the following platform tag:\n\"manylinux_2_34_x86_64\".\n";
        assert!(is_consistent(report, "manylinux_2_34_x86_64"));
        assert!(is_consistent(report, "manylinux_2_17_x86_64"), "a newer C++ part");
        assert!(!is_consistent(report, "manylinux_2_35_x86_64") && !is_consistent(report, "manylinux_2_34_aarch64"));
        assert!(!is_consistent("a.whl is consistent with \"linux_x86_64\".", "manylinux_2_34_x86_64"));
    }
}

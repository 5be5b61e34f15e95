//! The wheel as its user meets it: no cargo, no repository, no network; a project of one's own, and a checkout of ops-math.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;
use xshell::cmd;

use hostcann_cli::base::count::Outcome;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed, failed_with};
use hostcann_cli::base::files;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::test::layer::check;
use hostcann_cli::toolchain::tools;

use crate::dist;
use crate::docs::block::{self, Action, Block};

/// Makes both archives and uses the wheel.
pub fn run(cx: &mut Ctx) -> Result<Vec<Outcome>> {
    let [wheel, archive] = dist::pack(cx, &cx.project.work().join("installed"), true)?;
    let user = User::new(cx, &wheel)?;
    let mut outcomes = vec![check(cx, "README", |cx| readme(cx, &user))];
    if outcomes[0].count.failed > 0 {
        return Ok(outcomes);
    }
    let before = user.installation()?;
    outcomes.extend([
        check(cx, "archive", |_| same_content(&archive, &user)),
        check(cx, "your-checkout.md", |cx| page(cx, &user)),
        check(cx, "checkout", |_| checkout(&user)),
        check(cx, "own project", |_| own_project(&user)),
    ]);
    outcomes.push(check(cx, "nothing elsewhere", |_| {
        expect(user.installation()? == before, "a run has changed the installation")?;
        for dir in ["home", "tmp"] {
            let left = files::walk(&user.at(dir))?;
            expect(left.is_empty(), &format!("runs leave files in {dir}: {left:?}"))?;
        }
        Ok(())
    }));
    Ok(outcomes)
}

/// Somebody with Python and g++, in a directory outside of this repository.
struct User {
    place: TempDir,
    path: std::ffi::OsString,
}

impl User {
    /// Has the wheel, and an index that gives the versions of its dependencies that other tests have fetched already.
    fn new(cx: &Ctx, wheel: &Path) -> Result<User> {
        let place = tempfile::tempdir().context("cannot create a directory")?;
        for dir in ["home", "tmp", "downloads", "mine"] {
            fs::create_dir(place.path().join(dir)).with_context(|| format!("cannot create {dir}"))?;
        }
        let lock = cx.project.home.join(tools::LOCK);
        let lock = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
        let pinned = lock.lines().filter(|line| !line.starts_with(['#', ' ']));
        let pinned: String = pinned.map(|line| format!("{}\n", line.trim_end_matches(['\\', ' ']))).collect();
        files::write_if_changed(&place.path().join("downloads/constraints.txt"), pinned.as_bytes())?;
        let name = wheel.file_name().context("the wheel has a name")?;
        files::copy_if_changed(wheel, &place.path().join("downloads").join(name))?;
        let site = place.path().join("site");
        let old = std::env::var_os("PATH").unwrap_or_default();
        let has_cargo = |dir: &PathBuf| ["cargo", "rustc"].iter().any(|name| dir.join(name).exists());
        let dirs = std::env::split_paths(&old).filter(|dir| !has_cargo(dir));
        let path = std::env::join_paths([site.join("bin")].into_iter().chain(dirs)).context("cannot write PATH")?;
        Ok(User { place, path })
    }

    fn at(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    /// What pip has unpacked, without what Python makes of it.
    fn installation(&self) -> Result<Vec<(PathBuf, String)>> {
        let home = self.at("site/hostcann");
        let is_ours = |file: &PathBuf| !file.components().any(|part| part.as_os_str() == "__pycache__");
        let digest = |file: PathBuf| {
            let path = home.join(&file);
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok((file, files::sha256(&bytes)))
        };
        files::walk(&home)?.into_iter().filter(is_ours).map(digest).collect()
    }

    /// Runs `hostcann` in a directory; gives what it printed.
    fn hostcann(&self, dir: &str, words: &[&str], code: i32) -> Result<String> {
        self.run(dir, "hostcann", words, code)
    }

    /// Without a network and without a word of this repository's environment.
    fn run(&self, dir: &str, program: &str, words: &[&str], code: i32) -> Result<String> {
        let mut command = Command::new("env");
        command.arg(program).args(words).current_dir(self.at(dir)).env_clear();
        for (name, place) in [("HOME", "home"), ("TMPDIR", "tmp"), ("PYTHONPATH", "site")] {
            command.env(name, self.at(place));
        }
        command
            .env("PATH", &self.path)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("LANG", "C.UTF-8")
            .env("PIP_NO_INDEX", "1");
        output(&mut command, code)
    }
}

fn output(command: &mut Command, code: i32) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if output.status.code() == Some(code) {
        return Ok(text);
    }
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let what = format!("`{}`: {}, expected the code {code}", words.join(" "), output.status);
    Err(failed_with(Kind::Tests, what, proc::last_lines(&text, 40)))
}

/// What a page leaves to this layer.
fn blocks(cx: &Ctx, page: &str) -> Result<Vec<String>> {
    let path = cx.project.home.join(page);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let here = |block: &Block| block.action == Action::Elsewhere("layer installed".to_owned());
    Ok(block::parse(&text)?.into_iter().filter(here).map(|block| block.text).collect())
}

/// The commands of README as they stand there; a checkout of our own takes the place of upstream's.
fn readme(cx: &mut Ctx, user: &User) -> Result<()> {
    let upstream = user.at("upstream");
    let (xtask, experimental) = (program::own()?, upstream.join("experimental"));
    for (name, template) in [("acos_grad_v2", "reduce"), ("is_neg_inf", "elementwise")] {
        let line = cmd!(cx.run.sh, "{xtask} new math/{name} --template {template} --dir {experimental}");
        proc::must_run(cx, "new", Kind::Tests, line)?;
    }
    for file in ["build.sh", "experimental/CMakeLists.txt", "math/CMakeLists.txt"] {
        files::write_if_changed(&upstream.join(file), b"")?;
    }
    for words in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "an operator"]] {
        let who = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
        output(Command::new("git").args(who).arg("-C").arg(&upstream).args(words), 0)?;
    }
    let [commands] = &blocks(cx, "README.md")?[..] else {
        return Err(failed(
            Kind::Tests,
            "README.md has no commands for the installed program, or several blocks of them",
        ));
    };
    let mut command = Command::new("sh");
    command.args(["-e", "-c", commands.as_str()]).current_dir(user.at("downloads")).env("PATH", &user.path);
    for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_WORKSPACE_DIR", "ASCEND_HOME_PATH", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    command.env("PIP_TARGET", user.at("site")).env("PIP_CONSTRAINT", user.at("downloads/constraints.txt"));
    command.env("PIP_USER", "0").env("PYTHONPATH", user.at("site"));
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_VALUE_0", "https://gitcode.com/cann/ops-math.git");
    command.env("GIT_CONFIG_KEY_0", format!("url.{}.insteadOf", upstream.display()));
    expect_words(&output(&mut command, 0)?, &["acos_grad_v2: all values right", "0 findings"])
}

fn expect(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(failed(Kind::Tests, what).hint("cargo xtask test --only installed")) }
}

fn expect_words(text: &str, words: &[&str]) -> Result<()> {
    let missing = words.iter().find(|word| !text.contains(**word));
    missing.map_or(Ok(()), |word| {
        Err(failed_with(Kind::Tests, format!("the output has no `{word}`"), proc::last_lines(text, 40)))
    })
}

/// The tar.gz has what the wheel has, but for Python's part.
fn same_content(archive: &Path, user: &User) -> Result<()> {
    let output = Command::new("tar").arg("-tzf").arg(archive).output().context("cannot run tar")?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut listed: Vec<&str> = listed.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| path).collect();
    listed.retain(|path| !path.is_empty() && !path.ends_with('/'));
    listed.sort_unstable();
    let there = user.installation()?;
    let mut there: Vec<&str> = there.iter().filter_map(|(path, _)| path.to_str()).collect();
    there.retain(|path| !["__init__.py", "__main__.py"].contains(path));
    there.sort_unstable();
    let difference = listed.iter().find(|path| there.binary_search(path).is_err());
    let difference = difference.or_else(|| there.iter().find(|path| listed.binary_search(path).is_err()));
    expect(difference.is_none(), &format!("only one of wheel and tar.gz has {}", difference.unwrap_or(&"")))
}

/// The page on the installed program: in the directory of an operator, then with a new one.
fn page(cx: &Ctx, user: &User) -> Result<()> {
    const PAGE: &str = "docs/guides/your-checkout.md";
    let all = blocks(cx, PAGE)?;
    let [first, inside, new] = &all[..] else {
        return Err(failed(Kind::Tests, format!("{PAGE} has {} blocks for this layer, expected 3", all.len())));
    };
    let words = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned()).collect()
    };
    let readme = blocks(cx, "README.md")?;
    expect(
        readme.first().is_some_and(|text| words(text) == words(first)),
        "README.md and the page have other commands",
    )?;
    // Upstream's rules find faults in operators of others.
    let inside = inside.replace("hostcann pr --check", "{ hostcann pr --check || test $? -eq 32; }");
    let text = user.run("downloads/ops-math", "sh", &["-e", "-c", &inside], 0)?;
    expect_words(&text, &["is_neg_inf: all values right", "what would help", "0 failed", "rules pass"])?;
    let text = user.run("mine", "sh", &["-e", "-c", new], 0)?;
    expect_words(&text, &["square: all values right", "0 findings"])
}

/// What else there is in a project of one's own, and that nothing is left of it.
fn own_project(user: &User) -> Result<()> {
    let (project, op) = ("mine/my_ops/math/square", "mine/my_ops/math/square/op_kernel");
    user.hostcann("mine/my_ops", &["doctor"], 0)?;
    expect_words(&user.hostcann("mine/my_ops", &["list"], 0)?, &["square"])?;
    expect_words(&user.hostcann(op, &["opinfo", "gen"], 0)?, &["Finished"])?;
    let toolkit = user.at("mine/my_ops/.hostcann/toolkit").display().to_string();
    // The paths of a program of one's own.
    let env = user.run(op, "sh", &["-c", "eval \"$(hostcann env)\" && echo \"$ASCEND_HOME_PATH\""], 0)?;
    expect_words(&env, &[&toolkit])?;
    expect_words(&user.hostcann(op, &["run", "--", "printenv", "ASCEND_OPP_PATH"], 0)?, &[&toolkit])?;
    expect_words(&user.hostcann(op, &["test", "--sanitize", "address"], 2)?, &["an installed hostcann has not"])?;
    expect_words(
        &user.hostcann(op, &["onnx", "test"], 2)?,
        &["it tests hostcann's adapter", "hostcann onnx run SCRIPT"],
    )?;
    let package = format!("build_out/cann-ops-math-square_linux-{}.run", std::env::consts::ARCH);
    expect(user.at("mine/my_ops").join(package).is_file(), "no package")?;
    user.hostcann(project, &["clean"], 0)?;
    let left = files::walk(&user.at("mine/my_ops"))?.into_iter().filter(|file| !file.starts_with("math"));
    let left: Vec<PathBuf> = left.collect();
    expect(left.is_empty(), &format!("`hostcann clean` leaves {left:?}"))
}

/// The checkout of README's commands, which git sees unchanged.
fn checkout(user: &User) -> Result<()> {
    let tree = "downloads/ops-math";
    expect_words(&user.hostcann(tree, &["example"], 15)?, &["which operator?", "--ops NAME"])?;
    expect_words(&user.hostcann(tree, &["list"], 0)?, &["acos_grad_v2"])?;
    let changed = user.run(tree, "git", &["status", "--porcelain", "--untracked-files=all"], 0)?;
    expect(changed.is_empty(), &format!("git sees {changed}"))?;
    let packages = fs::read_dir(user.at(tree).join(".hostcann/toolkit/opp/vendors")).context("no packages")?;
    let mut packages: Vec<_> =
        packages.flatten().filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name()).collect();
    packages.sort();
    expect(packages == ["acos_grad_v2_math", "is_neg_inf_math"], &format!("packages: {packages:?}"))?;
    user.hostcann(tree, &["clean"], 0)?;
    let left = user.run(tree, "git", &["status", "--porcelain", "--ignored"], 0)?;
    expect(left.is_empty(), &format!("`hostcann clean` leaves {left}"))
}

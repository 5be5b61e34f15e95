//! Frameworks from a package index: each with its pinned wheels in a virtual environment of its own, `target/<name>`, or as a
//! Python of the user has it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::lock::Scope;
use crate::base::proc;
use crate::toolchain::tools;
use crate::toolchain::wheels::{self, Wheels};

pub const TORCH: &str = "torch";
pub const PADDLE: &str = "paddle";
pub const ONNX: &str = "onnx";

/// The Python of the user, in place of an environment.
const USED: &str = "python.txt";

pub struct Framework {
    /// Of the verb, and of the directory below target/.
    pub name: &'static str,
    pub wheels: Wheels,
    /// What must be free for download and installation.
    pub room_mb: u64,
    /// Distributions and how their versions begin: what --use-env must find.
    pub pair: &'static [(&'static str, &'static str)],
}

/// Which Python
#[derive(Args, Clone, Debug, Default)]
pub struct EnvArgs {
    /// Create the environment with this Python [default: python3]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Use the packages of that Python; download and change nothing
    #[arg(long = "use-env")]
    pub use_env: bool,
}

/// A Python that can import the framework.
pub struct Env {
    pub python: PathBuf,
    /// `target/<name>`, ours also when the Python is the user's.
    pub dir: PathBuf,
}

impl Env {
    /// What a line of Python prints.
    pub fn ask(&self, code: &str) -> Option<String> {
        proc::probe(&self.python.to_string_lossy(), &["-c", code]).map(|text| text.trim().to_owned())
    }
}

impl Framework {
    /// Who makes the environment waits for nobody else in the checkout; who uses it waits for both.
    pub fn scopes(&self, sets_up: bool) -> Vec<Scope> {
        let own = Scope::Framework(self.name);
        if sets_up { vec![own] } else { vec![own, Scope::Checkout] }
    }

    fn dir(&self, cx: &Ctx) -> PathBuf {
        cx.project.products().join(self.name)
    }

    /// What `setup` has made.
    pub fn env(&self, cx: &Ctx) -> Result<Env> {
        let dir = self.dir(cx);
        let verb = self.name;
        let again = |message: String| failed(Kind::Framework, message).hint(format!("run `cargo xtask {verb} setup`"));
        if let Ok(python) = fs::read_to_string(dir.join(USED)) {
            let env = Env { python: PathBuf::from(python.trim()), dir };
            if env.ask("import sys; print(sys.executable)").is_none() {
                let python = env.python.display();
                return Err(again(format!("the Python {python}, which --use-env was given, does not run any more")));
            }
            self.check_pair(&env)?;
            return Ok(env);
        }
        if !dir.is_dir() {
            return Err(again(format!("{verb} is not set up: there is no {}", cx.project.show(&dir))));
        }
        let Ok(stamp) = fs::read_to_string(dir.join(wheels::STAMP)) else {
            return Err(again(format!("{} is not whole: there is no {} in it", cx.project.show(&dir), wheels::STAMP)));
        };
        if !stamp.ends_with(&self.lock(cx)?) {
            return Err(again(format!("{} has other versions than {}", cx.project.show(&dir), self.wheels.lock)));
        }
        let env = Env { python: dir.join("bin/python"), dir };
        match wheels::tag(&env.python) {
            Some(tag) if stamp.starts_with(&wheels::stamp(&tag, "")) => Ok(env),
            _ => Err(again(format!("{} does not run, or is another Python than it was", cx.project.show(&env.python)))),
        }
    }

    fn lock(&self, cx: &Ctx) -> Result<String> {
        let path = cx.project.home.join(self.wheels.lock);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// The verb `setup`.
    pub fn set_up(
        &self,
        cx: &mut Ctx,
        args: &EnvArgs,
        finish: impl FnOnce(&mut Ctx, &Env) -> Result<()>,
    ) -> Result<Done> {
        tools::need_compiler()?;
        let env = self.setup(cx, args, finish)?;
        let shown = cx.project.show(&env.python);
        cx.run.artifact(&env.python, None);
        Ok(Done::plain().verdict(format!("{} setup: {shown}", self.name)))
    }

    /// Makes the environment unless it is there. `finish` adds to a new one before it gets its name.
    fn setup(&self, cx: &mut Ctx, args: &EnvArgs, finish: impl FnOnce(&mut Ctx, &Env) -> Result<()>) -> Result<Env> {
        let asked = args.python.clone().unwrap_or_else(|| PathBuf::from("python3"));
        let python = program(cx, &asked)?;
        if args.use_env {
            return self.adopt(cx, python, finish);
        }
        let tag = wheels::tag(&python).unwrap_or_default();
        if let Ok(env) = self.env(cx)
            && !env.dir.join(USED).exists()
            && (args.python.is_none() || wheels::tag(&env.python).as_ref() == Some(&tag))
        {
            return Ok(env);
        }
        if proc::probe(&python.to_string_lossy(), &["-m", "pip", "--version"]).is_none() {
            return Err(failed(Kind::Pip, format!("{} has no pip; it fetches the wheels", python.display())).hint(
                "install pip (Debian, Ubuntu: `apt install python3-pip`; without root: `python3 -m ensurepip --user`) or \
                 name another Python with --python",
            ));
        }
        self.check_room(cx)?;
        cx.console.say("Fetching", self.wheels.told());
        let dir = self.dir(cx);
        cx.step(self.name, |cx| {
            let part = wheels::part(cx, self.name)?;
            let new = part.path().join(self.name);
            self.fill(cx, &python, part.path(), &new)?;
            finish(cx, &Env { python: new.join("bin/python"), dir: new.clone() })?;
            let stamp = wheels::stamp(&tag, &self.lock(cx)?);
            fs::write(new.join(wheels::STAMP), stamp).context("cannot write the stamp of the wheels")?;
            wheels::put(&new, &dir)
        })?;
        self.env(cx)
    }

    /// pip comes from the given Python: the environment may have none.
    fn fill(&self, cx: &Ctx, python: &Path, part: &Path, new: &Path) -> Result<()> {
        proc::must_run(cx, "venv", Kind::Tool, cmd!(cx.run.sh, "{python} -m venv --without-pip {new}"))?;
        // They would name a directory that is renamed.
        let bin = new.join("bin");
        for file in files::walk(&bin)?.into_iter().filter(|file| !file.to_string_lossy().starts_with("python")) {
            files::remove_file_if_there(&bin.join(file))?;
        }
        let env = Env { python: bin.join("python"), dir: new.to_path_buf() };
        let site = env.ask("import sysconfig; print(sysconfig.get_path('purelib'))");
        let site = site.with_context(|| format!("{} does not run", env.python.display()))?;
        self.wheels.pip(cx, self.name, python, part, Path::new(&site))?;
        if Path::new(&site).join("pip").is_dir() {
            own_pip(&bin)?;
        }
        Ok(())
    }

    /// The user's Python, with what it has.
    fn adopt(&self, cx: &mut Ctx, python: PathBuf, finish: impl FnOnce(&mut Ctx, &Env) -> Result<()>) -> Result<Env> {
        let part = wheels::part(cx, self.name)?;
        let new = part.path().join(self.name);
        fs::create_dir_all(&new).with_context(|| format!("cannot create {}", new.display()))?;
        fs::write(new.join(USED), python.display().to_string()).context("cannot write which Python is used")?;
        let env = Env { python, dir: new.clone() };
        self.check_pair(&env)?;
        finish(cx, &env)?;
        wheels::put(&new, &self.dir(cx))?;
        self.env(cx)
    }

    /// That a Python of the user has the versions that belong together.
    fn check_pair(&self, env: &Env) -> Result<()> {
        let wanted = || {
            let all: Vec<String> = self.pair.iter().map(|(name, version)| format!("{name} {version}")).collect();
            all.join(" with ")
        };
        for (name, version) in self.pair {
            let found = env.ask(&format!("import importlib.metadata as m; print(m.version('{name}'))"));
            let same = |found: &str| {
                found.strip_prefix(version).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
            };
            let message = match found {
                Some(found) if same(&found) => continue,
                Some(found) => format!("{} has {name} {found}, expected {}", env.python.display(), wanted()),
                None => format!("{} has no {name}, expected {}", env.python.display(), wanted()),
            };
            let hint = format!(
                "install that version there, name another Python with --python, or let `cargo xtask {} setup` make an \
                 environment of its own",
                self.name
            );
            return Err(failed(Kind::Framework, message).hint(hint));
        }
        Ok(())
    }

    fn check_room(&self, cx: &Ctx) -> Result<()> {
        let target = cx.project.products();
        fs::create_dir_all(&target).with_context(|| format!("cannot create {}", target.display()))?;
        // Where df is missing or speaks otherwise, a full disk is reported when it is full.
        let Some(free) = proc::probe("df", &["-Pk", &target.to_string_lossy()]).as_deref().and_then(free_mb) else {
            return Ok(());
        };
        if free >= self.room_mb {
            return Ok(());
        }
        let message =
            format!("{} needs {} MB in {}, {free} MB are free", self.name, self.room_mb, cx.project.show(&target));
        Err(failed(Kind::DiskFull, message)
            .hint("free some space (`cargo xtask clean` removes build products), then run the command again"))
    }
}

/// The environment's own pip, for what its user adds.
fn own_pip(bin: &Path) -> Result<()> {
    let program = bin.join("pip");
    files::write_if_changed(&program, b"#!/bin/sh\nexec \"$(dirname \"$0\")/python\" -m pip \"$@\"\n")?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot set the mode of {}", program.display()))
}

/// The program of a Python: a path may be relative.
fn program(cx: &Ctx, asked: &Path) -> Result<PathBuf> {
    let path = if asked.components().count() > 1 { cx.run.sh.current_dir().join(asked) } else { asked.to_path_buf() };
    let found = proc::probe(&path.to_string_lossy(), &["-c", "import sys; print(sys.executable)"]);
    match found.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) {
        Some(executable) => Ok(PathBuf::from(executable)),
        None => Err(failed(Kind::Tool, format!("the Python `{}` does not run", asked.display())).hint(
            "install python3 and pip (Debian, Ubuntu: `apt install python3-pip`) or name a Python with --python",
        )),
    }
}

/// The fourth column of `df -Pk`.
fn free_mb(text: &str) -> Option<u64> {
    let kilobytes: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space() {
        let text = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 263174212 200000 2097152 82% /\n";
        assert_eq!(free_mb(text), Some(2048));
        assert_eq!(free_mb("df: x: No such file"), None);
    }
}

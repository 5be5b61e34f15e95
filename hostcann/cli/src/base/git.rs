//! git, as a program. Settings of a surrounding hook never reach it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::base::diag::{Kind, failed};
use crate::base::proc;

#[derive(Clone, Debug)]
pub struct Git {
    pub program: String,
    pub dir: PathBuf,
    /// GIT_INDEX_FILE and the like
    pub env: Vec<(&'static str, String)>,
}

impl Git {
    pub fn at(dir: &Path) -> Git {
        Git { program: "git".to_owned(), dir: dir.to_path_buf(), env: Vec::new() }
    }

    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Git {
        let mut other = self.clone();
        other.env.push((name, value.into()));
        other
    }

    /// Output of a command that must succeed.
    pub fn run(&self, args: &[&str]) -> Result<String> {
        self.feed(args, b"")
    }

    /// The same, with something to read.
    pub fn feed(&self, args: &[&str], input: &[u8]) -> Result<String> {
        let (ok, out, err) = self.try_feed(args, input)?;
        if ok {
            return Ok(out);
        }
        let said = if err.trim().is_empty() { out.trim() } else { err.trim() };
        Err(failed(Kind::Tool, format!("`git {}` failed in {}: {said}", args.join(" "), self.dir.display())))
    }

    /// Whether it succeeded, and both streams.
    pub fn try_feed(&self, args: &[&str], input: &[u8]) -> Result<(bool, String, String)> {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(&self.dir).args(args).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| proc::spawn_error(&self.program, error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends early says why by itself.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().context("cannot wait for git")?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.success(), text(&output.stdout), text(&output.stderr)))
    }

    /// A value that may be missing.
    pub fn value(&self, args: &[&str]) -> Option<String> {
        let (ok, out, _) = self.try_feed(args, b"").ok()?;
        let out = out.trim();
        (ok && !out.is_empty()).then(|| out.to_owned())
    }
}

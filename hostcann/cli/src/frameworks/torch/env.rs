//! `torch env`: what a shell needs to build and run a project's own extension of torch, by its setup.py or its CMake.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use super::{TORCH, standins};
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::frameworks::session;
use crate::run::shell;

const HELP: &str = "\
Examples:
  eval \"$(cargo xtask torch env)\"
  python -m pip install --no-build-isolation -e .
  python setup.py build_ext --inplace
  HOSTCANN_CHECK=1 python -m unittest

Sets what `cargo xtask env` sets, and PATH with the Python of `torch setup`.";

/// Print the environment variables with which projects build and run extensions of torch
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Env {}

impl Env {
    pub fn check(&self, cx: &Ctx) -> Result<()> {
        session::refuse_cann(cx, &TORCH)
    }

    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        shell::ready(cx)?;
        let env = TORCH.env(cx)?;
        let mut variables: Vec<_> = shell::variables(cx)?.into_iter().collect();
        let python = env.python.parent().map(PathBuf::from).unwrap_or_default();
        add(&mut variables, "PATH", |dirs| dirs.insert(0, python))?;
        add(&mut variables, "LD_LIBRARY_PATH", |dirs| dirs.push(standins::dir(&env)))?;
        variables.extend(standins::settings(cx, &env));
        Ok(shell::exported(variables))
    }
}

/// Changes a list of directories that is set already, here or in the shell; each is in it once.
fn add(
    variables: &mut Vec<(&'static str, OsString)>,
    name: &'static str,
    change: impl FnOnce(&mut Vec<PathBuf>),
) -> Result<()> {
    let set = variables.iter().position(|(known, _)| *known == name).map(|at| variables.remove(at).1);
    let old = set.or_else(|| std::env::var_os(name)).unwrap_or_default();
    let mut dirs = std::env::split_paths(&old).collect();
    change(&mut dirs);
    let mut once: Vec<PathBuf> = Vec::new();
    for dir in dirs.into_iter().filter(|dir| !dir.as_os_str().is_empty()) {
        if !once.contains(&dir) {
            once.push(dir);
        }
    }
    variables.push((name, std::env::join_paths(once).with_context(|| format!("cannot write {name}"))?));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_in_a_list_once() {
        let mut variables = vec![("A", OsString::from("/a::/b")), ("B", OsString::new())];
        add(&mut variables, "A", |dirs| dirs.insert(0, "/b".into())).expect("a list");
        assert_eq!(variables, [("B", OsString::new()), ("A", OsString::from("/b:/a"))]);
    }
}

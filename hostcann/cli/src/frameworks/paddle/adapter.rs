//! The operators for Paddle in this repository: directories below adapters/paddle with an adapter.toml.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::diag::{HintExt, Kind, failed};
use crate::toolchain::plan::Plan;

const FILE: &str = "adapter.toml";

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    #[serde(skip)]
    pub dir: PathBuf,
    /// The op, by directory name.
    pub op: String,
    /// The Python package that setup.py builds.
    pub package: String,
}

pub fn all(repo: &Path) -> Result<Vec<Adapter>> {
    let place = repo.join("adapters/paddle");
    let mut found = Vec::new();
    let entries = fs::read_dir(&place).with_context(|| format!("cannot list {}", place.display()))?;
    for entry in entries {
        let dir = entry.with_context(|| format!("cannot list {}", place.display()))?.path();
        let file = dir.join(FILE);
        if file.is_file() {
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            found.push(Adapter { dir, ..read(&file, &text)? });
        }
    }
    found.sort_by(|a, b| a.op.cmp(&b.op));
    Ok(found)
}

fn read(file: &Path, text: &str) -> Result<Adapter> {
    toml::from_str(text).map_err(|error| {
        failed(Kind::Usage, format!("{}: {error}", file.display())).hint("it has `op` and `package`, each a name")
    })
}

/// Those of the plan's ops.
pub fn of_plan(all: Vec<Adapter>, plan: &Plan) -> Result<Vec<Adapter>> {
    let known = all.iter().map(|adapter| adapter.op.as_str()).collect::<Vec<_>>().join(", ");
    let message = format!("{} has no operator for Paddle; adapters/paddle has those of: {known}", plan.op_names());
    let chosen: Vec<Adapter> = all.into_iter().filter(|one| plan.ops.iter().any(|op| op.name == one.op)).collect();
    if chosen.is_empty() {
        return Err(failed(Kind::UnknownOp, message).hint(
            "docs/guides/paddle.md says what belongs to one: a directory with adapter.toml, setup.py and tests",
        ));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::op_dir::OpDir;
    use crate::toolchain::root::{Root, RootKind};

    fn plan(op: &str) -> Plan {
        let root = Root { kind: RootKind::Embedded, path: PathBuf::new() };
        let ops = vec![OpDir { name: op.to_owned(), path: PathBuf::new() }];
        Plan { ops, ..Plan::of_toolkit(root, 1) }
    }

    #[test]
    fn an_op_without_an_operator_is_named() {
        let one = read(Path::new("a.toml"), "op = \"x\"\npackage = \"ascend_x\"\n").expect("adapter");
        assert_eq!((one.op.as_str(), one.package.as_str()), ("x", "ascend_x"));
        assert_eq!(of_plan(vec![one.clone()], &plan("x")).expect("chosen"), vec![one.clone()]);
        let error = of_plan(vec![one], &plan("y")).expect_err("no such operator");
        assert_eq!(diag::code(&error), 15);
        assert_eq!(diag::causes(&error), ["y has no operator for Paddle; adapters/paddle has those of: x"]);
    }

    #[test]
    fn a_wrong_file_is_named() {
        for text in ["op = \"x\"", "op = \"x\"\npackage = \"y\"\nmore = 1"] {
            let error = read(Path::new("/w/adapter.toml"), text).expect_err("wrong keys");
            assert_eq!(diag::code(&error), 2);
            assert!(diag::causes(&error)[0].starts_with("/w/adapter.toml: "), "{error:?}");
        }
    }
}

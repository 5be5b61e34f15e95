//! `list`: what is installed and what could be built.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::report::{InstalledPackage, ListResult, ListedOperator};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::run::example;
use crate::toolchain::around;
use crate::toolchain::installed::{self, Package};
use crate::toolchain::root::Root;

const HELP: &str = "\
Examples:
  cargo xtask list
  cargo xtask list --json";

/// List installed packages, and operators with their examples and unit tests
#[derive(Args)]
#[command(after_help = HELP)]
pub struct List {}

struct Op {
    name: String,
    place: String,
    examples: Vec<String>,
    /// Kind and number of tests.
    tests: Vec<(&'static str, usize)>,
}

impl Verb for List {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let root = Root::choose(cx)?;
        let packages = installed::packages(&root)?;
        let ops = around::own(cx)?.iter().map(|op| read(cx, op)).collect::<Result<Vec<_>>>()?;
        print_packages(&cx.project.show(&root.opp().join("vendors")), &packages);
        print_ops(&ops);
        cx.run.about.toolkit = Some(root.path.display().to_string());
        let operators = ops.into_iter().map(listed).collect();
        Ok(Done::with(&ListResult { packages: packages.into_iter().map(installed).collect(), operators }))
    }
}

fn read(cx: &Ctx, op: &OpDir) -> Result<Op> {
    let examples = example::of_ops(std::slice::from_ref(op))?.iter().map(example::Example::name).collect();
    let mut tests = Vec::new();
    for kind in ["op_host", "op_api", "op_kernel"] {
        let count = count_tests(&op.path.join("tests/ut").join(kind))?;
        if count > 0 {
            tests.push((kind, count));
        }
    }
    Ok(Op { name: op.name.clone(), place: cx.project.show(&op.path), examples, tests })
}

/// gtest's definitions; a test with parameters counts once.
fn count_tests(dir: &Path) -> Result<usize> {
    if !dir.is_dir() {
        return Ok(0);
    }
    let mut count = 0;
    for file in files::walk(dir)?.into_iter().filter(|file| file.extension().is_some_and(|name| name == "cpp")) {
        let path = dir.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let starts = ["TEST(", "TEST_F(", "TEST_P("];
        count += text.lines().filter(|line| starts.iter().any(|start| line.starts_with(start))).count();
    }
    Ok(count)
}

fn print_packages(vendors: &str, packages: &[Package]) {
    if packages.is_empty() {
        out!("No package is installed in {vendors}");
        return;
    }
    out!("Packages in {vendors}, the first that has an op serves it:");
    let cells = |package: &Package| {
        [
            package.name(),
            package.ops.join(","),
            package.socs.join(","),
            package.date.clone(),
            package.definitions.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = packages.iter().map(cells).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    for row in &rows {
        let line: String = row.iter().enumerate().map(|(i, cell)| format!("  {cell:0$}", width(i))).collect();
        out!("{}", line.trim_end());
    }
}

fn print_ops(ops: &[Op]) {
    out!("Operators of this repository:");
    for op in ops {
        let tests: Vec<String> = op.tests.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
        out!("  {}  {}", op.name, op.place);
        out!("    unit tests: {}", or_none(tests.join(", ")));
        out!("    examples:   {}", or_none(op.examples.join(", ")));
    }
}

fn installed(package: Package) -> InstalledPackage {
    InstalledPackage {
        vendor: package.name().trim_end_matches("_math").to_owned(),
        path: package.dir.display().to_string(),
        ops: package.ops,
        soc: package.socs,
        definitions: package.definitions,
        installed: package.date,
    }
}

fn listed(op: Op) -> ListedOperator {
    let unit_tests = op.tests.iter().map(|(kind, count)| ((*kind).to_owned(), (*count).into())).collect();
    ListedOperator { name: op.name, path: op.place, examples: op.examples, unit_tests }
}

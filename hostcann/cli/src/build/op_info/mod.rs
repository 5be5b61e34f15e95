//! `opinfo`: the op information library, from the definition to what the framework makes of it.

mod callback;
mod check;
mod diff;
mod generate;
mod json;
mod select_format;
mod show;
mod stand_ins;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand};
use opinfo::{Finding, Library, Op, Profile};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::verb::Verb;

const HELP: &str = "\
Examples:
  cargo xtask opinfo gen --soc=ascend910b
  cargo xtask opinfo check target/opinfo/aic-ascend910b-ops-info.ini
  cargo xtask opinfo json target/opinfo/aic-ascend910b-ops-info.ini -o target/opinfo/aic-ascend910b-ops-info.json
  cargo xtask opinfo show target/opinfo/aic-ascend910b-ops-info.json
  cargo xtask opinfo diff ours.json $ASCEND_HOME_PATH/opp/built-in/.../aic-ascend910b-ops-info.json Add Mul
  cargo xtask opinfo select-format target/opinfo/aic-ascend910b-ops-info.json --input float16:ND:2,3
  cargo xtask opinfo select-format --op-dir ../my_ops/add_custom --input float16:ND:2,3 --input float16:ND:2,3
  cargo xtask opinfo check --explain OI115

docs/reference/opinfo.md describes the files and lists the rules.";

/// Generate, check, compare and explain op information libraries
#[derive(Args)]
#[command(after_help = HELP)]
pub struct OpInfo {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Gen(generate::Gen),
    Json(json::Json),
    Check(check::Check),
    Diff(diff::Diff),
    Show(show::Show),
    SelectFormat(select_format::SelectFormat),
}

impl Verb for OpInfo {
    /// The others only look.
    fn writes(&self) -> bool {
        match &self.what {
            What::Gen(_) => true,
            What::SelectFormat(verb) => verb.builds(),
            _ => false,
        }
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match &self.what {
            What::Gen(verb) => verb.check(cx),
            _ => Ok(()),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.what {
            What::Gen(verb) => verb.run(cx),
            What::Json(verb) => verb.run(cx),
            What::Check(verb) => verb.run(cx),
            What::Diff(verb) => verb.run(cx),
            What::Show(verb) => verb.run(cx),
            What::SelectFormat(verb) => verb.run(cx),
        }
    }
}

fn profile(text: &str) -> Result<Profile, String> {
    let known = || Profile::ALL.map(|entry| entry.0).join(", ");
    Profile::ALL
        .iter()
        .find(|entry| entry.0 == text)
        .map(|entry| entry.1)
        .ok_or_else(|| format!("expected one of {}", known()))
}

/// By the name the user gave; what cannot be read is the user's to mend.
fn load(cx: &Ctx, file: &Path) -> Result<Library> {
    Library::load(&cx.run.sh.current_dir().join(file)).map_err(|error| {
        failed(Kind::Usage, format!("{} cannot be read: {error}", file.display()))
            .hint("an aic-<soc>-ops-info.ini or .json is expected; `cargo xtask opinfo gen` makes one")
    })
}

/// What `check` would refuse is refused here.
fn load_good(cx: &Ctx, file: &Path) -> Result<Library> {
    let library = load(cx, file)?;
    refuse(&library.check(Profile::Any), file)?;
    Ok(library)
}

fn refuse(findings: &[Finding], file: &Path) -> Result<()> {
    let name = file.display().to_string();
    let errors: Vec<String> = opinfo::errors(findings).map(|finding| finding.text(&name)).collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(failed_with(Kind::Style, format!("{name}: {}", number(errors.len(), "error")), errors.join("\n"))
        .hint("`cargo xtask opinfo check --explain CODE` says why a rule is there"))
}

/// The operator of this name, or the only one.
fn choose<'a>(library: &'a Library, file: &Path, name: Option<&str>) -> Result<&'a Op> {
    let names: Vec<&str> = library.ops.iter().map(|op| op.name.as_str()).collect();
    let Some(name) = name else {
        return match library.ops.as_slice() {
            [op] => Ok(op),
            _ => Err(failed(Kind::Usage, format!("{} has {} operators: name one", file.display(), names.len()))
                .hint(some(&names))),
        };
    };
    library.op(name).ok_or_else(|| {
        let low = name.to_ascii_lowercase();
        let near: Vec<&str> = names
            .iter()
            .copied()
            .filter(|known| known.to_ascii_lowercase().contains(&low) || low.contains(&known.to_ascii_lowercase()))
            .collect();
        failed(Kind::UnknownOp, format!("{} has no operator {name}", file.display())).hint(some(if near.is_empty() {
            &names
        } else {
            &near
        }))
    })
}

/// Not more than one reads.
fn some(names: &[&str]) -> String {
    const MOST: usize = 8;
    let more = if names.len() > MOST { format!(", and {} more", names.len() - MOST) } else { String::new() };
    format!("it has {}{more}", names[..names.len().min(MOST)].join(", "))
}

fn absolute(cx: &Ctx, file: &Path) -> PathBuf {
    cx.run.sh.current_dir().join(file)
}

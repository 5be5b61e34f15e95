//! `opinfo diff`: two libraries or two operators, by meaning.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use opinfo::{Difference, Library};

use super::{choose, load_good, number};
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::report::{OpInfoDiff, OpInfoDifference, OpInfoDiffering, OpInfoFilesDiff};
use crate::base::term::out;

/// Compare two libraries or two operators by meaning
#[derive(Args)]
pub struct Diff {
    #[arg(value_name = "A")]
    a: PathBuf,
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Compare this operator of A [default: all]
    #[arg(value_name = "OP")]
    op: Option<String>,
    /// Compare with this operator of B [default: the same name]
    #[arg(value_name = "OP_B")]
    other: Option<String>,
}

impl Diff {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let (a, b) = (load_good(cx, &self.a)?, load_good(cx, &self.b)?);
        let (file_a, file_b) = (self.a.display().to_string(), self.b.display().to_string());
        let Some(name) = &self.op else { return Ok(libraries((file_a, &a), (file_b, &b))) };
        let left = choose(&a, &self.a, Some(name))?;
        let right = choose(&b, &self.b, Some(self.other.as_ref().unwrap_or(name)))?;
        let differences = opinfo::diff_operators(left, right);
        out!("{} of {} (<) and {} of {} (>)", left.name, self.a.display(), right.name, self.b.display());
        print(&differences);
        let verdict = format!("opinfo diff: {}", number(differences.len(), "difference"));
        let differences = differences.into_iter().map(difference).collect();
        Ok(Done::with(&OpInfoDiff { a: file_a, b: file_b, differences }).verdict(verdict))
    }
}

fn libraries((file_a, a): (String, &Library), (file_b, b): (String, &Library)) -> Done {
    let names = |library: &Library| library.ops.iter().map(|op| op.name.clone()).collect::<BTreeSet<_>>();
    let (left, right) = (names(a), names(b));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
    let (only_a, only_b) = (only(&left, &right), only(&right, &left));
    only_a.iter().for_each(|name| out!("< {name}"));
    only_b.iter().for_each(|name| out!("> {name}"));
    let mut differing = Vec::new();
    for name in left.intersection(&right) {
        let (Some(left), Some(right)) = (a.op(name), b.op(name)) else { continue };
        let differences = opinfo::diff_operators(left, right);
        if !differences.is_empty() {
            out!("{name}");
            print(&differences);
            let differences = differences.into_iter().map(difference).collect();
            differing.push(OpInfoDiffering { op: name.clone(), differences });
        }
    }
    let both = left.intersection(&right).count();
    let verdict = format!(
        "opinfo diff: {} only in A, {} only in B, {} of {both} differ",
        only_a.len(),
        only_b.len(),
        differing.len()
    );
    Done::with(&OpInfoFilesDiff { a: file_a, b: file_b, only_a, only_b, differing }).verdict(verdict)
}

fn print(differences: &[Difference]) {
    let width = differences.iter().map(|one| one.place.len()).max().unwrap_or(0);
    for Difference { place, a, b } in differences {
        if let Some(a) = a {
            out!("  {place:width$} < {a}");
        }
        let place = if a.is_some() { "" } else { place };
        if let Some(b) = b {
            out!("  {place:width$} > {b}");
        }
    }
}

fn difference(one: Difference) -> OpInfoDifference {
    OpInfoDifference { place: one.place, a: one.a, b: one.b }
}

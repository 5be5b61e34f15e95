//! Runs what is missing before the report is written: this program again, one command after the other.

use std::process::Command;

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::doc::{Document, line};
use crate::base::ctx::Ctx;
use crate::base::program;

/// Parts of the report, by what runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// All missing parts
    All,
    Tests,
    Checker,
    /// Acceptance cases under every standard
    Precision,
    /// The exhaustive sweep
    Sweep,
    /// The timing model's predictions
    Speed,
    /// Speed on this machine
    Host,
    Rules,
    Package,
}

impl Part {
    fn id(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// A command that fails has results as well: the report lists them.
pub fn missing(cx: &mut Ctx, document: &Document, parts: &[Part]) -> Result<()> {
    let wanted = |id: &str| parts.contains(&Part::All) || parts.iter().any(|part| part.id() == id);
    let mut commands: Vec<&Vec<String>> = Vec::new();
    for section in document.sections.iter().filter(|section| wanted(section.id)) {
        for words in &section.fill {
            if !commands.contains(&words) {
                commands.push(words);
            }
        }
    }
    let program = program::own()?;
    for (at, words) in commands.iter().enumerate() {
        cx.console.say("Running", format!("{} of {}: {}", at + 1, commands.len(), line(words)));
        let mut command = Command::new(&program);
        // One line of results is enough here; everything else is in the report.
        command.args(words.iter()).current_dir(cx.run.sh.current_dir()).stdout(std::io::stderr());
        let status = command.status().with_context(|| format!("cannot run {}", program.display()))?;
        if !status.success() {
            cx.console.warn(format!("{} ended with {status}", line(words)));
        }
    }
    Ok(())
}

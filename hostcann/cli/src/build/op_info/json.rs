//! `opinfo json`: an ini file as upstream's converter writes it, and back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use opinfo::{Op, Profile};

use super::{absolute, load, number, profile, refuse};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::report::OpInfoJson;
use crate::base::term;

/// Convert ini files to JSON, byte for byte as upstream's converter does
#[derive(Args)]
pub struct Json {
    /// Merge the operators of these files into one library
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write to FILE [default: stdout, with a final line end]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Convert JSON to ini, with op_build's order of keys
    #[arg(long)]
    ini: bool,
    /// Convert as this converter: any, tbe, ascendc, devkit, ops-math
    #[arg(long, value_name = "NAME", default_value = "any", value_parser = profile)]
    profile: Profile,
    /// Convert without a check against the rules
    #[arg(long)]
    no_check: bool,
}

impl Json {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let mut ops: Vec<Op> = Vec::new();
        for file in &self.files {
            let library = load(cx, file)?;
            if !self.no_check {
                refuse(&library.check(self.profile), file)?;
            }
            for op in library.ops {
                if ops.iter().any(|other| other.name == op.name) {
                    let message = format!("{}: operator {} is in another file already", file.display(), op.name);
                    return Err(failed(Kind::Style, message).hint("the converter would keep the last one only"));
                }
                ops.push(op);
            }
        }
        let text = if self.ini {
            opinfo::write_ini(&ops).map_err(|message| anyhow!(message))?
        } else {
            opinfo::write_json(&ops)
        };
        let done = Done::with(&OpInfoJson { operators: ops.iter().map(|op| op.name.clone()).collect() });
        let Some(file) = &self.out else {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            term::write(term::Stream::Out, format!("{text}{end}").as_bytes());
            return Ok(done);
        };
        let path = absolute(cx, file);
        files::write_if_changed(&path, text.as_bytes())?;
        // As the converter leaves it.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640))
            .with_context(|| format!("cannot set the mode of {}", path.display()))?;
        cx.run.artifact(&path, Some(&files::sha256(text.as_bytes())));
        Ok(done.verdict(format!("opinfo json: {} in {}", number(ops.len(), "operator"), cx.project.show(&path))))
    }
}

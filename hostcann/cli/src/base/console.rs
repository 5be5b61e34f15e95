//! What people see of a run while it runs.

use crate::base::annotate;
use crate::base::args::Global;
use crate::base::term::{self, Colour, err};

#[derive(Clone, Default)]
pub struct Console {
    /// The output of every sub-tool is shown.
    pub verbose: bool,
    /// Stdout belongs to the JSON object.
    pub json: bool,
    /// Neither progress nor warnings are shown.
    pub muted: bool,
}

impl Console {
    pub fn new(global: &Global) -> Console {
        term::configure(global.json, global.quiet);
        annotate::configure(global.format == "github");
        Console { verbose: global.verbose, json: global.json, muted: false }
    }

    /// One line in cargo's style.
    pub fn say(&self, verb: &str, text: impl AsRef<str>) {
        if !self.muted {
            term::say(verb, text.as_ref());
        }
    }

    pub fn warn(&self, text: impl AsRef<str>) {
        if !self.muted {
            err!("{}: {}", term::paint(Colour::Yellow, "warning"), text.as_ref());
        }
    }
}

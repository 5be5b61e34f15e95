//! What a verb returns: its report, what it says last, and whether it succeeded.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value};

/// A verb that came to its end. What it judged may have failed: the report says so all the same.
pub struct Done {
    /// Keys of the report that are the verb's own
    pub result: Map<String, Value>,
    /// The last line of a successful run
    pub verdict: Option<String>,
    /// A plain line on stdout after everything else
    pub last_line: Option<String>,
    /// A second name for the stored report: one verb has runs of several kinds
    pub stored_as: Option<&'static str>,
    pub judgement: Result<()>,
}

impl Done {
    /// Without a report of its own.
    pub fn plain() -> Done {
        Done { result: Map::new(), verdict: None, last_line: None, stored_as: None, judgement: Ok(()) }
    }

    /// With one of the objects of [`crate::base::report`].
    pub fn with(result: &impl Serialize) -> Done {
        let result = match serde_json::to_value(result) {
            Ok(Value::Object(result)) => result,
            // Keys are strings, so that an object of the report is always one.
            _ => Map::new(),
        };
        Done { result, ..Done::plain() }
    }

    pub fn verdict(self, text: impl Into<String>) -> Done {
        Done { verdict: Some(text.into()), ..self }
    }

    pub fn last_line(self, text: impl Into<String>) -> Done {
        Done { last_line: Some(text.into()), ..self }
    }

    pub fn stored_as(self, name: &'static str) -> Done {
        Done { stored_as: Some(name), ..self }
    }

    pub fn judged(self, judgement: Result<()>) -> Done {
        Done { judgement, ..self }
    }

    pub fn failed(self, error: anyhow::Error) -> Done {
        self.judged(Err(error))
    }
}

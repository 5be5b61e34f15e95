//! What went wrong in this process, for whoever started it: programs that ignore a status end with success all the same.
//!
//! `HOSTCANN_VERDICT` names a file that gets a line of JSON for every failed task of a stream, every finding that let its
//! launch go on, and every inner error (561xxx) of an aclnn function. A kernel of a package gets one when it is launched first.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What kind of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A task of a stream failed: a fault of a kernel, memory that is not there.
    Task,
    /// A rule was broken where it does no harm; the launch went on.
    Rule,
    /// An aclnn function failed for a reason that is none of its arguments.
    Inner,
    /// No failure: a kernel was launched.
    Kernel,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Task => "task",
            Kind::Rule => "rule",
            Kind::Inner => "inner",
            Kind::Kernel => "kernel",
        }
    }
}

fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("HOSTCANN_VERDICT").filter(|path| !path.is_empty())?;
        File::options().append(true).create(true).open(path).ok()
    };
    FILE.get_or_init(open).as_ref()
}

/// Appends a line, in one write: processes side by side share the file.
pub fn append(kind: Kind, code: i32, text: &str) {
    let Some(mut file) = file() else { return };
    let line = serde_json::json!({"kind": kind.name(), "code": code, "text": text});
    // A verdict that cannot be written is no reason to fail more.
    let _ = file.write_all(format!("{line}\n").as_bytes());
}

/// Appends the name of a kernel of a package, once in this process.
pub fn append_kernel(name: &str) {
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if file().is_none() {
        return;
    }
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.contains(name) {
        seen.insert(name.to_owned());
        append(Kind::Kernel, 0, name);
    }
}

/// Appends the inner errors among the codes of aclnn.
pub fn append_inner(code: i32, text: &str) {
    if (561_000..562_000).contains(&code) {
        append(Kind::Inner, code, text);
    }
}

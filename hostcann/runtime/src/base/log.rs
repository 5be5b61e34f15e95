//! Log lines on stderr; `HOSTCANN_LOG` sets the level.

use std::str::FromStr;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error = 0,
    Warn = 1,
    Info = 2,
    Debug = 3,
}

impl FromStr for Level {
    type Err = ();
    fn from_str(text: &str) -> Result<Level, ()> {
        match text {
            "error" => Ok(Level::Error),
            "warn" => Ok(Level::Warn),
            "info" => Ok(Level::Info),
            "debug" => Ok(Level::Debug),
            _ => Err(()),
        }
    }
}

impl Level {
    pub fn from_abi(level: i32) -> Level {
        match level {
            i32::MIN..=0 => Level::Error,
            1 => Level::Warn,
            2 => Level::Info,
            _ => Level::Debug,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Level::Error => "ERROR",
            Level::Warn => "WARN",
            Level::Info => "INFO",
            Level::Debug => "DEBUG",
        }
    }
}

/// A bad HOSTCANN_LOG is reported by `env::settings`; until then errors are shown.
fn threshold() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| std::env::var("HOSTCANN_LOG").ok().and_then(|v| v.parse().ok()).unwrap_or(Level::Error))
}

pub fn enabled(level: Level) -> bool {
    level <= threshold()
}

pub fn write(level: Level, module: &str, text: &str) {
    if enabled(level) {
        line(level.name(), module, text);
    }
}

/// A remark of the checker, which somebody asked for: shown at every level.
pub fn note(module: &str, text: &str) {
    line("NOTE", module, text);
}

fn line(kind: &str, module: &str, text: &str) {
    // SAFETY: gettid has no preconditions.
    let thread = unsafe { libc::gettid() };
    eprintln!("[{kind}] {module}({},{thread}): {text}", std::process::id());
}

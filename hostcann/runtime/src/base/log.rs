//! Log lines on stderr; `HOSTCANN_LOG` sets the level.

use std::str::FromStr;
use std::sync::OnceLock;

/// Levels of `hc_log`.
pub const HC_LOG_ERROR: i32 = 0;
pub const HC_LOG_WARN: i32 = 1;
pub const HC_LOG_INFO: i32 = 2;
pub const HC_LOG_DEBUG: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error = HC_LOG_ERROR as isize,
    Warn = HC_LOG_WARN as isize,
    Info = HC_LOG_INFO as isize,
    Debug = HC_LOG_DEBUG as isize,
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
            i32::MIN..=HC_LOG_ERROR => Level::Error,
            HC_LOG_WARN => Level::Warn,
            HC_LOG_INFO => Level::Info,
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

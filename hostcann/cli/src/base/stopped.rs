//! Programs that something outside has stopped before they came to an end: that is neither a result nor a failure of theirs.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a program ended that got a signal which no program raises by a fault of its own.
pub fn from_outside(status: ExitStatus) -> Option<String> {
    let signal = status.signal()?;
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGTERM => "SIGTERM",
        libc::SIGKILL => return Some(format!("stopped by signal {signal} (SIGKILL) from outside: {OF_KILL}")),
        _ => return None,
    };
    Some(format!("stopped by signal {signal} ({name}) from outside; no fault of the operator"))
}

const OF_KILL: &str = "by somebody, or by the system when memory ran out (`dmesg` says so)";

/// How compilers and cargo speak of a sub-process that was ended from outside.
pub fn is_told_in(text: &str) -> bool {
    const SIGNS: [&str; 4] = [
        "fatal error: Killed signal terminated program",
        "fatal error: Terminated signal terminated program",
        "(signal: 9, SIGKILL: kill)",
        "(signal: 15, SIGTERM: termination signal)",
    ];
    SIGNS.iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_from_outside_and_others() {
        let told = |signal| from_outside(ExitStatus::from_raw(signal));
        for (signal, name) in [(1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (9, "SIGKILL"), (15, "SIGTERM")] {
            let text = told(signal).expect("from outside");
            assert!(text.starts_with(&format!("stopped by signal {signal} ({name}) from outside")), "{text}");
        }
        // SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV are faults of a program.
        assert!([4, 5, 6, 7, 8, 11].into_iter().all(|signal| told(signal).is_none()));
        assert_eq!(from_outside(ExitStatus::from_raw(15 << 8)), None, "an exit code");
    }
}

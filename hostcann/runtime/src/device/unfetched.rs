//! Failures of streams that no call of the program has returned. A device reports them nowhere else, and the exit status
//! does not change; here the program's end names the first.

use crate::base::failure::{Failure, lock};
use std::io::Write;
use std::sync::{Mutex, OnceLock};

/// Those of streams that are gone.
static KEPT: Mutex<Vec<Failure>> = Mutex::new(Vec::new());

pub fn keep(failure: Failure) {
    lock(&KEPT).push(failure);
}

/// Takes those of streams that are there.
static OTHERS: OnceLock<fn() -> Vec<Failure>> = OnceLock::new();

/// A task has failed: the end of the program looks whether anybody asked, on streams that are there by `others`.
pub fn watch(others: fn() -> Vec<Failure>) {
    OTHERS.get_or_init(|| {
        // SAFETY: the function may be called at any time. Without memory to register it the line is missing.
        unsafe { libc::atexit(say) };
        others
    });
}

extern "C" fn say() {
    if crate::base::fork::failure().is_some() {
        return;
    }
    let mut all = std::mem::take(&mut *lock(&KEPT));
    all.extend(OTHERS.get().map_or(Vec::new(), |others| others()));
    if let Some(line) = text(&all) {
        // Standard error may be closed by then.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

fn text(all: &[Failure]) -> Option<String> {
    let first = all.first()?;
    let more = match all.len() {
        1 => String::new(),
        n => format!(" (and failures of {} more streams)", n - 1),
    };
    let what = first.message.lines().next().unwrap_or_default();
    Some(format!(
        "[ERROR] no call has returned [{}] {what}{more}. Fix: check what aclrtSynchronizeStream returns before the program ends",
        first.code
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_named_and_the_others_are_counted() {
        let of = |n: i32| Failure::new(507_000 + n, format!("fault {n}\n    operand x"));
        assert_eq!(text(&[]), None);
        let fix = ". Fix: check what aclrtSynchronizeStream returns before the program ends";
        assert_eq!(text(&[of(1)]), Some(format!("[ERROR] no call has returned [507001] fault 1{fix}")));
        let two = format!("[ERROR] no call has returned [507001] fault 1 (and failures of 1 more streams){fix}");
        assert_eq!(text(&[of(1), of(2)]), Some(two));
    }
}

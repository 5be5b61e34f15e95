//! What a run of Python's unittest amounts to.

use anyhow::Result;

use crate::count::Count;
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed_with};
use crate::proc;
use crate::term::out;

/// From `Ran N tests in …` and `FAILED (failures=…, errors=…)`.
pub fn count(text: &str, ok: bool, status: &str) -> Result<Count> {
    let ran = text.lines().rev().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<u64>().ok());
    let Some(ran) = ran else {
        let message = format!("paddle: the tests ended early ({status})");
        return Err(failed_with(Kind::Tests, message, proc::last_lines(text, 40))
            .hint("the whole log is target/xtask/log/paddle.log"));
    };
    let bad = text.lines().rev().find_map(|line| line.strip_prefix("FAILED (")).map_or(0, |list| {
        let numbers = list.trim_end_matches(')').split(", ").filter_map(|part| part.split_once('='));
        numbers
            .filter(|(name, _)| ["failures", "errors"].contains(name))
            .filter_map(|(_, n)| n.parse::<u64>().ok())
            .sum()
    });
    // Every subtest that fails counts; a run that fails without one is one failure.
    let bad = if ok || ran == 0 { bad } else { u64::max(bad, 1) };
    Ok(Count { passed: ran.saturating_sub(bad), failed: bad })
}

/// The failed tests with their tracebacks; not the names of those that passed.
pub fn show(cx: &Ctx, text: &str) {
    let from = text.find("\n======").map_or(0, |at| at + 1);
    out!("{}", proc::last_lines(&text[from..], 200));
    cx.say("Log", cx.show(&cx.log_file("paddle")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag;

    #[test]
    fn numbers_out_of_unittest() {
        let count = |text: &str, ok| count(text, ok, "exit status: 1").map(|count| (count.passed, count.failed));
        assert_eq!(count("…\nRan 61 tests in 2.7s\n\nOK\n", true).expect("count"), (61, 0));
        assert_eq!(count("Ran 1 test in 2.7s\n\nOK (skipped=1)\n", true).expect("count"), (1, 0));
        let text = "Ran 61 tests in 2.7s\n\nFAILED (failures=2, errors=1, skipped=3)\n";
        assert_eq!(count(text, false).expect("count"), (58, 3));
        assert_eq!(count("Ran 0 tests in 0.0s\n\nNO TESTS RAN\n", false).expect("count"), (0, 0));
        let error = count("test_a ... \nFatalError: abort\n", false).expect_err("no summary");
        assert_eq!(diag::code(&error), 30);
        assert_eq!(diag::causes(&error), ["paddle: the tests ended early (exit status: 1)"]);
    }
}

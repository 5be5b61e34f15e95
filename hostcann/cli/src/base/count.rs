//! What a layer's run amounts to: numbers out of test programs' output, and the summary of all layers.

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::report::{ExampleOutcome, LayerOutcome, LayerTime, MutantOutcome, TestResult};
use crate::base::term::out;

#[derive(Clone, Copy, Default)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, more: Count) {
        self.passed += more.passed;
        self.failed += more.failed;
    }
}

/// Tests that ran: how many, and by name as far as the output names them.
#[derive(Default)]
pub struct Ran {
    pub count: Count,
    pub tests: Vec<(String, bool)>,
}

impl From<Count> for Ran {
    fn from(count: Count) -> Ran {
        Ran { count, tests: Vec::new() }
    }
}

impl std::ops::AddAssign for Ran {
    fn add_assign(&mut self, more: Ran) {
        self.count += more.count;
        self.tests.extend(more.tests);
    }
}

#[derive(Default)]
pub struct Outcome {
    pub layer: String,
    /// The layer as `--only` takes it; `test` knows
    pub only: String,
    pub count: Count,
    /// Tests by name, and whether they passed, where the layer can tell
    pub tests: Vec<(String, bool)>,
    pub mutants: Vec<MutantOutcome>,
}

impl Outcome {
    pub fn new(layer: impl Into<String>, ran: impl Into<Ran>) -> Outcome {
        let Ran { count, tests } = ran.into();
        Outcome { layer: layer.into(), count, tests, ..Outcome::default() }
    }

    pub fn reported(&self) -> LayerOutcome {
        let Count { passed, failed } = self.count;
        LayerOutcome { layer: self.layer.clone(), only: self.only.clone(), passed, failed }
    }

    /// Nothing passed and nothing failed, if it is the layer of this name.
    pub fn skipped(mut self, layer: &str) -> Outcome {
        if self.layer == layer {
            self.count = Count::default();
        }
        self
    }

    fn word(&self) -> &'static str {
        match self.count {
            Count { passed: 0, failed: 0 } => "skip",
            Count { failed: 0, .. } => "ok  ",
            _ => "FAIL",
        }
    }
}

/// `selectors`: what chose the operators, for a command about one layer of them.
pub fn summary(outcomes: &[Outcome], times: Vec<LayerTime>, selectors: &str) -> Done {
    let mut all = Count::default();
    out!("");
    for outcome in outcomes {
        let Count { passed, failed } = outcome.count;
        out!("  {} {:<18} {passed:>6} passed {failed:>4} failed", outcome.word(), outcome.layer);
        all = Count { passed: all.passed + passed, failed: all.failed + failed };
    }
    let examples = outcomes.iter().filter(|outcome| outcome.layer == "example").flat_map(|outcome| &outcome.tests);
    let examples: Vec<ExampleOutcome> =
        examples.map(|(name, ok)| ExampleOutcome { name: name.clone(), ok: *ok }).collect();
    let mutants: Vec<MutantOutcome> = outcomes.iter().flat_map(|outcome| outcome.mutants.iter().cloned()).collect();
    let done = Done::with(&TestResult {
        passed: all.passed,
        failed: all.failed,
        layers: Some(outcomes.iter().map(Outcome::reported).collect()),
        layer_times: (!times.is_empty()).then_some(times),
        examples: (!examples.is_empty()).then_some(examples),
        mutants: (!mutants.is_empty()).then_some(mutants),
    });
    let done = done.last_line(format!("{} passed, {} failed", all.passed, all.failed));
    let bad: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.count.failed > 0).collect();
    let Some(first) = bad.first() else {
        return done.verdict(format!("test: {}", number(outcomes.len(), "layer")));
    };
    let names: Vec<&str> = bad.iter().map(|outcome| outcome.layer.as_str()).collect();
    done.failed(failed(Kind::Tests, format!("failed: {}", names.join(", "))).hint(one_layer(&first.only, selectors)))
}

fn one_layer(only: &str, selectors: &str) -> String {
    let logs = "logs are in target/xtask/log".to_owned();
    if only.is_empty() { logs } else { format!("{logs}; one layer alone: cargo xtask test{selectors} --only {only}") }
}

pub fn count_rust(text: &str) -> Count {
    let mut count = Count::default();
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("test result:")) {
        count.passed += number_before(line, " passed").unwrap_or(0);
        count.failed += number_before(line, " failed").unwrap_or(0);
    }
    // A test program that dies has no result line.
    count.failed += text.lines().filter(|line| line.contains("(signal: ")).count() as u64;
    count
}

/// Tests by name, and whether they passed, of these programs in the output of `cargo test`: `values::every_size`.
pub fn named_rust(text: &str, programs: &[String]) -> Vec<(String, bool)> {
    let mut named = Vec::new();
    let mut program: Option<&String> = None;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("Running ") {
            // `Running tests/values.rs (target/debug/deps/values-0123456789abcdef)`
            let file = line.rsplit_once('(').map_or("", |(_, file)| file.trim_end_matches(')'));
            let file = file.rsplit('/').next().unwrap_or_default();
            let stem = file.rsplit_once('-').map_or(file, |(stem, _)| stem);
            program = programs.iter().find(|program| program.replace('-', "_") == stem.replace('-', "_"));
        } else if line.starts_with("Doc-tests ") {
            program = None;
        } else if let (Some(program), Some((name, result))) =
            (program, line.strip_prefix("test ").and_then(|line| line.split_once(" ... ")))
            && ["ok", "FAILED"].contains(&result)
        {
            named.push((format!("{program}::{name}"), result == "ok"));
        }
    }
    named
}

/// Tests by name in the output of GoogleTest, and whether they passed: `Suite.name`.
pub fn named_google(text: &str) -> Vec<(String, bool)> {
    let mut named: Vec<(String, bool)> = Vec::new();
    for (start, passed) in [("[       OK ] ", true), ("[  FAILED  ] ", false)] {
        for line in text.lines().filter_map(|line| line.strip_prefix(start)) {
            // The list in the end says it again, without a time.
            if let Some((name, _)) = line.split_once(" (").filter(|(_, time)| time.ends_with(" ms)")) {
                let name = name.split(',').next().unwrap_or_default();
                named.push((name.to_owned(), passed));
            }
        }
    }
    named
}

/// Of the harness here, `17 passed, 2 failed`, or of GoogleTest, `[  PASSED  ] 17 tests.`.
pub fn count_cpp(text: &str) -> Option<Count> {
    if let Some(line) = text.lines().rfind(|line| line.contains(" passed, ") && line.contains(" failed")) {
        return Some(Count { passed: number_before(line, " passed")?, failed: number_before(line, " failed")? });
    }
    let of = |result: &str| text.lines().rfind(|line| line.starts_with(result) && line.contains(" test"));
    let passed = number_before(of("[  PASSED  ] ")?, " test")?;
    let failed = of("[  FAILED  ] ").filter(|line| line.contains("listed below"));
    Some(Count { passed, failed: failed.and_then(|line| number_before(line, " test")).unwrap_or(0) })
}

/// All GoogleTest programs that wrote into one text.
pub fn count_google(text: &str) -> Count {
    let sum = |result: &str, word: &str| {
        let lines = text.lines().filter(|line| line.starts_with(result) && line.contains(word));
        lines.filter_map(|line| number_before(line, " test")).sum()
    };
    Count { passed: sum("[  PASSED  ] ", " test"), failed: sum("[  FAILED  ] ", ", listed below") }
}

fn number_before(line: &str, word: &str) -> Option<u64> {
    line[..line.find(word)?].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn the_hint_repeats_what_chose_the_operator() {
        assert_eq!(
            one_layer("ut", " --op-dir x"),
            "logs are in target/xtask/log; one layer alone: cargo xtask test --op-dir x --only ut"
        );
    }

    pub const CARGO: &str = "
running 3 tests
test a ... ok
test b ... FAILED

failures:

---- b stdout ----
assertion failed: 1 == 2

failures:
    b

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

test result: ok. 40 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn what_was_not_there_has_not_passed() {
        let outcome = |passed, failed| Outcome::new("other architecture", Count { passed, failed });
        let skipped = outcome(1, 0).skipped("other architecture");
        assert_eq!((skipped.count.passed, skipped.count.failed, skipped.word()), (0, 0, "skip"));
        assert_eq!(outcome(1, 0).skipped("clippy").count.passed, 1);
        assert_eq!([outcome(1, 0).word(), outcome(1, 1).word()], ["ok  ", "FAIL"]);
    }

    #[test]
    fn names() {
        let text = "     Running unittests src/lib.rs (/t/deps/x_tests-00ff)\ntest a::b ... ok\n\
                    \x20    Running tests/values.rs (/t/deps/values-00ff)\ntest all ... FAILED\ntest c ... ignored\n\
                    \x20    Running tests/other.rs (/t/deps/other-00ff)\ntest d ... ok\n\
                    \x20  Doc-tests x\ntest src/lib.rs - e (line 1) ... ok\n";
        let named = named_rust(text, &["x-tests".into(), "values".into()]);
        assert_eq!(named, [("x-tests::a::b".to_owned(), true), ("values::all".to_owned(), false)]);
        let text = "[       OK ] S.a (0 ms)\n[  FAILED  ] S/P.b/1, where GetParam() = 3 (1 ms)\n\
                    [  FAILED  ] 1 test, listed below:\n[  FAILED  ] S.b\n";
        assert_eq!(named_google(text), [("S.a".to_owned(), true), ("S/P.b/1".to_owned(), false)]);
    }

    #[test]
    fn counts() {
        let count = count_rust(CARGO);
        assert_eq!((count.passed, count.failed), (42, 1));
        let count = count_cpp("[ok] x\n17 passed, 2 failed\n").expect("a count");
        assert_eq!((count.passed, count.failed), (17, 2));
        let google =
            "[  FAILED  ] A.b (0 ms)\n[  PASSED  ] 17 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.b\n";
        let count = count_cpp(google).expect("a count");
        assert_eq!((count.passed, count.failed), (17, 1));
        assert_eq!(count_cpp("[  PASSED  ] 1 test.\n").map(|count| (count.passed, count.failed)), Some((1, 0)));
        assert!(count_cpp("Segmentation fault").is_none());
        let both = count_google(&format!("{google}[  PASSED  ] 1 test.\nother\n"));
        assert_eq!((both.passed, both.failed), (18, 1));
        assert_eq!(count_rust("process didn't exit successfully: `x` (signal: 11, SIGSEGV)").failed, 1);
    }
}

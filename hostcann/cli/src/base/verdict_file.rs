//! What the toolkit wrote into the file of `HOSTCANN_VERDICT` while a program ran.

use std::collections::BTreeSet;

use serde::Deserialize;

/// More of a message is in the log.
const LONGEST: usize = 300;

/// A line of the file: a launched kernel, a broken rule, or a failure.
#[derive(Deserialize)]
struct Line {
    code: i64,
    kind: String,
    text: String,
}

/// What the toolkit says of a program's run, whatever the program makes of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct VerdictFile {
    /// Kernels of packages that were launched
    pub kernels: BTreeSet<String>,
    /// Failed tasks of streams and inner errors of aclnn functions
    pub failures: Vec<String>,
}

impl VerdictFile {
    pub fn read(text: &str) -> VerdictFile {
        let lines = || text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let kernels = lines().filter(|line| line.kind == "kernel").map(|line| line.text).collect();
        let failures = lines().filter(|line| line.kind != "rule" && line.kind != "kernel").map(|line| {
            let text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = text.chars().take(LONGEST).collect();
            let rest = if short.len() < text.len() { "…" } else { "" };
            format!("[{}] {short}{rest}", line.code)
        });
        VerdictFile { kernels, failures: failures.collect() }
    }

    pub fn count(&self) -> String {
        match self.failures.len() {
            1 => "the toolkit tells of a failure".to_owned(),
            many => format!("the toolkit tells of {many} failures, first"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hides_a_fault_fails() {
        let line = |kind: &str, text: &str| format!("{{\"code\":507035,\"kind\":\"{kind}\",\"text\":\"{text}\"}}\n");
        assert_eq!(VerdictFile::read(""), VerdictFile::default());
        assert_eq!(VerdictFile::read(&line("rule", "harmless")), VerdictFile::default());
        let ran = VerdictFile::read(&format!("{}{}", line("kernel", "X_1_0"), line("kernel", "X_0_0")));
        assert_eq!(ran, VerdictFile { kernels: ["X_0_0".to_owned(), "X_1_0".to_owned()].into(), failures: Vec::new() });
        let told = VerdictFile::read(&format!("{}{}", line("task", &"x".repeat(400)), line("inner", "second")));
        assert_eq!(told.failures, [format!("[507035] {}…", "x".repeat(300)), "[507035] second".to_owned()]);
        assert_eq!(told.count(), "the toolkit tells of 2 failures, first");
    }
}

//! What the toolkit counts and writes while launches run checked.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::report::{CheckFinding, Checked};

/// Files that the toolkit adds to.
pub struct Checks {
    /// A character for each launch, and one for each finding after the first
    count: PathBuf,
    /// A line of JSON for each finding
    findings: PathBuf,
}

impl Checks {
    /// Empty, to be named in `HOSTCANN_CHECK_COUNT`.
    pub fn start(count: PathBuf) -> Checks {
        let findings = count.with_extension("txt.findings");
        for old in [&count, &findings] {
            let _ = fs::remove_file(old);
        }
        Checks { count, findings }
    }

    /// Checked launches so far, and findings in them.
    pub fn so_far(&self) -> Checked {
        counted(&fs::read(&self.count).unwrap_or_default())
    }

    /// What the checker has said since the last call. The programs have ended.
    pub fn take_findings(&self) -> Vec<CheckFinding> {
        let found = read_findings(&self.findings);
        let _ = fs::remove_file(&self.findings);
        found
    }
}

/// Of a file that programs have added to; none where there is no file.
pub fn read_findings(file: &Path) -> Vec<CheckFinding> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn counted(marks: &[u8]) -> Checked {
    let number = |of: &[u8]| marks.iter().filter(|mark| of.contains(mark)).count();
    Checked { launches: number(b".!"), findings: number(b"!+") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_checked() {
        assert_eq!(counted(b"..!."), Checked { launches: 4, findings: 1 });
        assert_eq!(counted(b".!++.!"), Checked { launches: 4, findings: 4 });
        assert_eq!(counted(b""), Checked::default());
    }
}

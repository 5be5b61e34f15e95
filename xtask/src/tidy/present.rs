//! Pages describe the present: dates and commit ids are for evidence, decisions and the changelog.

use super::{Finding, Source};

pub fn all(sources: &[Source]) -> Vec<Finding> {
    sources.iter().filter(|source| is_present(source)).flat_map(judge).collect()
}

fn is_present(source: &Source) -> bool {
    let past = ["docs/evidence/", "docs/decisions/", "CHANGELOG.md"];
    source.extension() == "md"
        && !past.iter().any(|start| source.path.starts_with(start))
        && !source.path.contains("/snapshots/")
}

fn judge(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut code = false;
    for (at, line) in source.text.lines().enumerate() {
        code ^= line.trim_start().starts_with("```");
        let what = match (date(line), commit(line)) {
            _ if code => continue,
            (Some(date), _) => format!("the date {date}"),
            (None, Some(id)) => format!("the commit {id}"),
            (None, None) => continue,
        };
        let message = format!(
            "{what} in a page, which is expected to describe the present; what was measured belongs to docs/evidence, \
             what was decided to docs/decisions"
        );
        findings.push(Finding { path: source.path.clone(), line: at + 1, message });
    }
    findings
}

/// `20yy-mm-dd`
fn date(line: &str) -> Option<&str> {
    let is_date = |word: &&str| {
        word.len() == 10
            && word.starts_with("20")
            && word.bytes().enumerate().all(|(at, c)| if at == 4 || at == 7 { c == b'-' } else { c.is_ascii_digit() })
    };
    line.split(|c: char| !c.is_ascii_digit() && c != '-').find(is_date)
}

/// Hexadecimal digits between backquotes or after the word `commit`.
fn commit(line: &str) -> Option<&str> {
    let is_id = |word: &&str| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
            && word.bytes().any(|c| c.is_ascii_digit())
    };
    let named = line.split("commit ").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    line.split('`').skip(1).step_by(2).chain(named).find(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        all(&[Source { path: path.to_owned(), text: text.to_owned() }]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn dates_and_commits_are_for_evidence() {
        let text = "# Page\nmeasured on 2026-11-23, 2 cores\nat commit 5841458.\nof `202675b6`, too\n```text\n2026-11-23\n```\n";
        let findings = found("docs/guides/a.md", text);
        let begins = [
            "docs/guides/a.md:2: the date 2026-11-23 in a page",
            "docs/guides/a.md:3: the commit 5841458 in a page",
            "docs/guides/a.md:4: the commit 202675b6 in a page",
        ];
        assert_eq!(findings.len(), begins.len(), "{findings:?}");
        assert!(findings.iter().zip(begins).all(|(finding, begin)| finding.starts_with(begin)), "{findings:?}");
        for path in ["docs/evidence/a.md", "docs/decisions/0001-a.md", "CHANGELOG.md", "docs/a.rs"] {
            assert_eq!(found(path, text), [""; 0], "{path}");
        }
    }

    #[test]
    fn numbers_and_words_are_neither() {
        let text =
            "seed 20261124, `1234567890abc-def`, `added`, 2026-11, 120-26-11-23, commit the change, `0x1234567`\n";
        assert_eq!(found("README.md", text), [""; 0]);
    }
}

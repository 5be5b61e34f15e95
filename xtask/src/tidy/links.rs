//! Links between documents: files that are there, headings that are there.

use hostcann_cli::base::markdown::{anchors, links};

use super::{Finding, Source};

/// `exists`: whether a path of the repository is there.
pub fn broken(sources: &[Source], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.extension() == "md") {
        for (line, target) in links(&source.text) {
            if let Some(message) = judge(source, &target, sources, &exists) {
                findings.push(Finding { path: source.path.clone(), line, message });
            }
        }
    }
    findings
}

fn judge(source: &Source, target: &str, sources: &[Source], exists: impl Fn(&str) -> bool) -> Option<String> {
    let elsewhere = target.contains("://") || target.starts_with("mailto:");
    if elsewhere || target.is_empty() {
        return None;
    }
    let (file, heading) = target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let file = file.replace("%20", " ").replace("%26", "&");
    let path = if file.is_empty() { source.path.clone() } else { beside(&source.path, &file) };
    // Operators link to documents of the checkout they go into.
    if path.starts_with("..") || (source.path.starts_with("experimental/") && leaves_op(&source.path, &path)) {
        return None;
    }
    if !file.is_empty() && !exists(&path) {
        return Some(format!("the link to {target} leads nowhere: {path} is not there"));
    }
    let heading = heading?;
    let document = sources.iter().find(|other| other.path == path)?;
    if anchors(&document.text).iter().any(|other| other == heading) {
        return None;
    }
    Some(format!("the link to {target} leads nowhere: {path} has no heading `{heading}`"))
}

/// `experimental/<category>/<op>` is all of it that is here.
fn leaves_op(document: &str, path: &str) -> bool {
    let op: Vec<&str> = document.split('/').take(3).collect();
    !path.starts_with(&format!("{}/", op.join("/")))
}

/// `file` as seen from `document`, without `.` and `..`.
fn beside(document: &str, file: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn links_lead_somewhere() {
        let text = "# First use\n[a](docs/a.md), [b](docs/a.md#the-parts-of-x), [c](#first-use), [d](https://x.y/z)\n\
                    [e](docs/b.md)\n`[f](code)`\n```\n[g](code)\n```\n[h](docs/a.md#nowhere)\n[i](#second-use \"t\")\n";
        let sources =
            [document("README.md", text), document("docs/a.md", "## The parts of `x`!\n[up](../README.md)\n")];
        let found = broken(&sources, |path| ["README.md", "docs/a.md"].contains(&path));
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "README.md:3: the link to docs/b.md leads nowhere: docs/b.md is not there",
                "README.md:8: the link to docs/a.md#nowhere leads nowhere: docs/a.md has no heading `nowhere`",
                "README.md:9: the link to #second-use leads nowhere: README.md has no heading `second-use`"
            ]
        );
    }

    #[test]
    fn an_operator_links_into_the_checkout_it_goes_to() {
        let links = "[up](../../../docs/zh/x.md) [own](docs/a.md)\n";
        let sources = [document("experimental/math/x/README.md", links)];
        let found = broken(&sources, |_| false);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("experimental/math/x/docs/a.md is not there"));
    }
}

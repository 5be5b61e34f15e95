//! The pages of the site: README, everything below docs/, and what they link to, at the same relative paths, so that links
//! between them stay as they are written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use hostcann_cli::base::files;
use hostcann_cli::base::markdown::{headings, links};

pub struct Page {
    /// In the repository
    pub path: String,
    pub title: String,
    /// With links that lead somewhere on the site
    pub text: String,
}

/// Pages in the order in which a reader meets them, and other files that they link to.
pub struct Pages {
    pub pages: Vec<Page>,
    pub assets: BTreeSet<String>,
}

/// Where a link leads.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// As it is written
    Kept(Option<String>),
    /// Another link in its place
    Other(String, String),
    /// Nowhere on the site: its text stays
    Text,
}

impl Pages {
    pub fn collect(repo: &Path) -> Result<Pages> {
        // docs/README.md lists the others in their order.
        let mut open: VecDeque<String> =
            ["README.md", "docs/README.md", "README.zh.md", "docs/zh/README.md"].map(str::to_owned).into();
        open.extend(files::walk(&repo.join("docs"))?.iter().map(|file| format!("docs/{}", file.display())));
        open.retain(|path| path.ends_with(".md"));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut found = Pages { pages: Vec::new(), assets: BTreeSet::new() };
        // Pages of parts come after all of docs/.
        let mut later = VecDeque::new();
        while let Some(path) = open.pop_front().or_else(|| later.pop_front()) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let file = repo.join(&path);
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let (text, led) = rewritten(repo, &path, &text);
            let (pages, assets): (Vec<String>, Vec<String>) = led.into_iter().partition(|path| path.ends_with(".md"));
            // A list of pages is followed at once, in its order.
            let (inside, outside): (Vec<String>, Vec<String>) =
                pages.into_iter().partition(|page| page.starts_with("docs/"));
            if ["docs/README.md", "docs/zh/README.md"].contains(&path.as_str()) {
                let is_zh = |page: &str| page.starts_with("docs/zh/");
                let own = inside.into_iter().rev().filter(|page| is_zh(page) == is_zh(&path));
                own.for_each(|page| open.push_front(page));
            }
            later.extend(outside);
            found.assets.extend(assets);
            let title = headings(&text).first().map_or_else(|| path.clone(), |heading| plain(heading.text));
            found.pages.push(Page { path, title, text });
        }
        Ok(found)
    }

    /// Titles of sections, each with its pages, in their order.
    pub fn sections(&self) -> Vec<(String, Vec<&Page>)> {
        let mut all: Vec<(String, Vec<&Page>)> = Vec::new();
        for page in &self.pages {
            let title = section(&page.path);
            match all.iter_mut().find(|(known, _)| *known == title) {
                Some((_, pages)) => pages.push(page),
                None => all.push((title, vec![page])),
            }
        }
        all
    }
}

fn section(path: &str) -> String {
    let room = path.strip_prefix("docs/").and_then(|path| path.split_once('/')).map(|(room, _)| room);
    match (path, room) {
        ("README.md" | "docs/README.md", _) => "Start".to_owned(),
        ("README.zh.md", _) | (_, Some("zh")) => "中文".to_owned(),
        (_, Some(room)) => {
            let mut words = room.replace('-', " ");
            words[..1].make_ascii_uppercase();
            words
        }
        _ => "Repository".to_owned(),
    }
}

/// A heading without marks of code.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// The text of a page with links that lead somewhere, and the files of the repository that they lead to.
fn rewritten(repo: &Path, page: &str, text: &str) -> (String, Vec<String>) {
    let mut by_line: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (line, target) in links(text) {
        by_line.entry(line).or_default().push(target);
    }
    let (mut out, mut led) = (String::new(), Vec::new());
    // A link begins on the line that is named; its target may stand on the next one.
    let mut carried: Vec<String> = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let mut line = line.to_owned();
        let here = std::mem::take(&mut carried).into_iter().chain(by_line.remove(&(at + 1)).unwrap_or_default());
        for target in here {
            let found = judge(repo, page, &target);
            if !line.contains(&format!("]({target}")) {
                carried.push(target);
                continue;
            }
            match found {
                Target::Kept(path) => led.extend(path),
                Target::Other(link, path) => {
                    line = line.replacen(&format!("]({target})"), &format!("]({link})"), 1);
                    led.push(path);
                }
                Target::Text => line = unlinked(&line, &target),
            }
        }
        out.push_str(&dialect(&line));
    }
    (out, led)
}

/// What mkdocs does not read as a forge does: words after the language of a fence, which are for `tidy`, and a table whose
/// header is empty.
fn dialect(line: &str) -> Cow<'_, str> {
    match line.trim_end().split_once(' ') {
        Some((start, _)) if start.len() > 3 && start.starts_with("```") => Cow::Owned(format!("{start}\n")),
        Some(("|", _)) if line.trim_end().chars().all(|c| "| ".contains(c)) => {
            Cow::Owned(line.replace("| ", "| &nbsp; "))
        }
        _ => Cow::Borrowed(line),
    }
}

fn judge(repo: &Path, page: &str, target: &str) -> Target {
    if target.contains("://") || target.starts_with("mailto:") || target.starts_with('#') || target.is_empty() {
        return Target::Kept(None);
    }
    let (file, anchor) =
        target.split_once('#').map_or((target, String::new()), |(file, anchor)| (file, format!("#{anchor}")));
    let Some(path) = beside(page, file) else { return Target::Text };
    let place = repo.join(&path);
    if place.is_file() {
        return Target::Kept(Some(path));
    }
    // A directory is shown by its page.
    if place.join("README.md").is_file() {
        let dir = file.trim_end_matches('/');
        return Target::Other(format!("{dir}/README.md{anchor}"), format!("{}/README.md", path.trim_end_matches('/')));
    }
    Target::Text
}

/// `file` as seen from `page`; none outside of the repository.
fn beside(page: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The line with the text of a link in place of the link.
fn unlinked(line: &str, target: &str) -> String {
    let end = format!("]({target})");
    let Some(at) = line.find(&end) else { return line.to_owned() };
    // Texts of links have no brackets of their own here.
    let Some(start) = line[..at].rfind('[') else { return line.to_owned() };
    format!("{}{}{}", &line[..start], &line[start + 1..at], &line[at + end.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_somewhere_on_the_site() {
        let temp = tempfile::tempdir().expect("a directory");
        for file in ["docs/guides/a.md", "docs/guides/b.md", "tool/README.md", "tool/x.rs", "bare/y.rs"] {
            files::write_if_changed(&temp.path().join(file), b"# x\n").expect("write");
        }
        let of = |text: &str| rewritten(temp.path(), "docs/guides/a.md", text);
        let kept = "[b](b.md#x) [c](#y) [d](https://e.f/g) `[i](../../none)`\n";
        assert_eq!(of(kept), (kept.to_owned(), vec!["docs/guides/b.md".to_owned()]));
        let (text, led) = of("see [tool](../../tool), [code](../../tool/x.rs)\nand [tool\nagain](../../tool/) so\n");
        assert_eq!(
            text,
            "see [tool](../../tool/README.md), [code](../../tool/x.rs)\nand [tool\nagain](../../tool/README.md) so\n"
        );
        assert_eq!(led, ["tool/README.md", "tool/x.rs", "tool/README.md"]);
        assert_eq!(of("```rooms tool/x\n``` x\n").0, "```rooms\n``` x\n");
        assert_eq!(of("| | |\n|---|---|\n| a | |\n").0, "| &nbsp; | &nbsp; |\n|---|---|\n| a | |\n");
        assert_eq!(of("a [`bare`](../../bare), [up](../../../x.md)\n").0, "a `bare`, up\n");
    }

    #[test]
    fn every_page_is_in_one_section() {
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let pages = Pages::collect(repo).expect("pages");
        let sections = pages.sections();
        let titles: Vec<&str> = sections.iter().map(|(title, _)| title.as_str()).collect();
        let want = [
            "Start",
            "Getting started",
            "Guides",
            "Reference",
            "Explanation",
            "Evidence",
            "Decisions",
            "中文",
            "Repository",
        ];
        assert_eq!(titles, want);
        assert_eq!(sections.iter().map(|(_, pages)| pages.len()).sum::<usize>(), pages.pages.len());
        let has = |path: &str| pages.pages.iter().any(|page| page.path == path);
        assert!(has("docs/zh/checking.md") && has("hostcann/aicore/README.md") && has("CONTRIBUTING.md"));
        assert!(
            pages.assets.contains("docs/examples/ci/github.yml")
                && pages.assets.contains("docs/pictures/race-and-timeline.svg")
        );
    }
}

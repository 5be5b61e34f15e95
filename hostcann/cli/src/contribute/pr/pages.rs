//! Rules 33-36: README and the pages of the interface.

use std::collections::BTreeSet;

use anyhow::Result;

use super::kernel::join;
use super::markdown::{section, tables};
use super::rule::{Case, Findings, Outcome, Rule, partly};
use super::tree::{split, stem};
use crate::base::markdown::{self, Fence};
use crate::base::plural::number;

pub const RULES: [Rule; 4] = [
    Rule {
        number: 33,
        slug: "readme",
        title: "README has its six sections",
        zh: "README包含六个章节",
        why: "The form of the experimental operators: what is supported, computed, passed, excluded, how to call it, who gave \
              it; A2 and A3 are the chips of the task.",
        check: readme,
    },
    Rule {
        number: 34,
        slug: "aclnn-pages",
        title: "pages of the interface have their form",
        zh: "接口文档符合格式",
        why: "docs/aclnnX.md: file and title are the functions, sections in upstream's order, parameter tables with eight \
              columns, the two status codes of every first phase, and an example that is the one that is shipped.",
        check: pages,
    },
    Rule {
        number: 35,
        slug: "links",
        title: "links lead somewhere",
        zh: "链接有效",
        why: "The gate's md_check follows relative links; examples and pages are found from README.",
        check: links,
    },
    Rule {
        number: 36,
        slug: "markdown",
        title: "Markdown is plain and well formed",
        zh: "Markdown书写规范",
        why: "The community's document_writing_specs: one title, levels one by one and at most four, no numbers and \
              punctuation in headings, fenced code with a language, tags for tables only, images in figures/.",
        check: structure,
    },
];

pub const README: &str = "README.md";
pub const SECTIONS: [&str; 6] = ["产品支持情况", "功能说明", "参数说明", "约束说明", "调用说明", "贡献说明"];
/// A2 and A3 as product tables name them.
const PRODUCTS: [&str; 2] = ["Atlas A2 训练系列产品", "Atlas A3 训练系列产品"];

fn readme(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let Some(content) = case.tree.text(README) else {
        found.error(case.at(README), 0, "it is missing", "every operator has one");
        return found.judged();
    };
    let headings = markdown::headings(content);
    let title = headings.first().map_or("", |heading| heading.text);
    if title != case.pascal() {
        found.error(case.at(README), 1, format!("the title is `{title}`"), case.pascal());
    }
    let seconds: Vec<&str> = headings.iter().filter(|heading| heading.level == 2).map(|heading| heading.text).collect();
    if seconds != SECTIONS {
        let missing: Vec<&str> = SECTIONS.into_iter().filter(|section| !seconds.contains(section)).collect();
        let what = match missing.as_slice() {
            [] => format!("the sections are {}", seconds.join(", ")),
            missing => format!("sections are missing: {}", missing.join(", ")),
        };
        found.error(case.at(README), 1, what, format!("exactly {}", SECTIONS.join(", ")));
    }
    supported(case, README, content, &mut found);
    let row = section(content, SECTIONS[5]).and_then(|(line, body)| {
        let rows = tables(body).into_iter().next()?;
        Some((line, rows.into_iter().nth(1)?))
    });
    match row {
        Some((line, row))
            if row.len() < 5
                || row.iter().any(|cell| cell.is_empty() || cell.contains("xxx") || cell.contains("${")) =>
        {
            found.error(
                case.at(README),
                line,
                "the row of the contribution is not filled in",
                "贡献者|贡献方|贡献算子|贡献时间|贡献内容",
            );
        }
        None if seconds.contains(&SECTIONS[5]) => {
            found.error(
                case.at(README),
                0,
                "no row about the contribution",
                "贡献者|贡献方|贡献算子|贡献时间|贡献内容",
            );
        }
        _ => {}
    }
    found.judged()
}

/// Both chips have their mark in the table of products.
fn supported(case: &Case, path: &str, content: &str, found: &mut Findings) {
    let Some((line, body)) = section(content, SECTIONS[0]) else { return };
    let rows: Vec<Vec<String>> = tables(body).into_iter().flatten().collect();
    for product in PRODUCTS {
        let marked = rows
            .iter()
            .any(|row| row.first().is_some_and(|name| name.contains(product)) && row.iter().any(|cell| cell == "√"));
        if !marked {
            found.error(case.at(path), line, format!("no √ for {product}"), "the table names both chips of the task");
        }
    }
}

const COLUMNS: [&str; 8] =
    ["参数名", "输入/输出", "描述", "使用说明", "数据类型", "数据格式", "维度(shape)", "非连续Tensor"];

fn pages(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, content) in case.tree.named("docs", "aclnn", ".md") {
        let name = stem(path);
        let functions: Vec<&str> = name.split('&').collect();
        if let [first, inplace] = functions.as_slice()
            && *inplace != format!("aclnnInplace{}", first.trim_start_matches("aclnn"))
        {
            found.error(
                case.at(path),
                0,
                format!("`{name}` are not a function and its in-place form"),
                "aclnnA.md or aclnnA&aclnnInplaceA.md",
            );
        }
        let headings = markdown::headings(content);
        let title = headings.first().map_or("", |heading| heading.text).replace("\\&", "&");
        if title != name {
            found.error(case.at(path), 1, format!("the title is `{title}`"), name);
        }
        let mut wanted: Vec<String> = ["产品支持情况", "功能说明", "函数原型"].map(str::to_owned).to_vec();
        wanted.extend(
            functions.iter().flat_map(|function| [format!("{function}GetWorkspaceSize"), (*function).to_owned()]),
        );
        wanted.extend(["约束说明", "调用示例"].map(str::to_owned));
        let seconds: Vec<&str> =
            headings.iter().filter(|heading| heading.level == 2).map(|heading| heading.text).collect();
        if seconds != wanted {
            let missing: Vec<&String> = wanted.iter().filter(|one| !seconds.contains(&one.as_str())).collect();
            let what = match missing.first() {
                Some(one) => format!("the section {one} is missing"),
                None => format!("the sections are {}", seconds.join(", ")),
            };
            found.error(case.at(path), 1, what, wanted.join(", "));
        }
        supported(case, path, content, &mut found);
        for function in &functions {
            first_phase(case, path, content, function, &mut found);
        }
        example(case, path, content, &mut found);
    }
    found.judged()
}

fn first_phase(case: &Case, path: &str, content: &str, function: &str, found: &mut Findings) {
    let Some((line, body)) = section(content, &format!("{function}GetWorkspaceSize")) else { return };
    let tables = tables(body);
    let head = |row: &[String]| {
        row.iter().map(|cell| cell.replace('（', "(").replace('）', ")").replace(' ', "")).collect::<Vec<_>>()
    };
    if !tables.iter().filter_map(|table| table.first()).any(|row| head(row) == COLUMNS) {
        let first = tables.first().and_then(|table| table.first()).map_or("no table".to_owned(), |row| row.join("|"));
        found.error(case.at(path), line, format!("the table of parameters has {first}"), COLUMNS.join("|"));
    }
    for code in ["161001", "161002"] {
        if !body.contains(code) {
            found.error(
                case.at(path),
                line,
                format!("no row about {code}"),
                "返回码|错误码|描述 with 161001 and 161002",
            );
        }
    }
}

/// Code without its blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Blocks of C++ below 调用示例.
pub fn shown_examples(content: &str) -> Vec<Fence<'_>> {
    let Some((start, body)) = section(content, "调用示例") else { return Vec::new() };
    let mut fences = markdown::fences(body);
    fences.retain(|fence| ["cpp", "c++"].contains(&fence.language.to_ascii_lowercase().as_str()));
    fences.iter_mut().for_each(|fence| fence.line += start);
    fences
}

fn example(case: &Case, path: &str, content: &str, found: &mut Findings) {
    let shipped: Vec<String> =
        case.tree.named("examples", "test_", ".cpp").map(|(_, text)| squeezed(&without_notice(text))).collect();
    let shown = shown_examples(content);
    if shown.is_empty() {
        found.error(case.at(path), 0, "no example in C++", "the text of examples/test_aclnn_*.cpp");
    }
    for fence in shown {
        if !shipped.contains(&squeezed(&without_notice(fence.text))) {
            found.error(
                case.at(path),
                fence.line,
                "the example is none of those in examples/",
                "show the file that is shipped",
            );
        }
    }
}

/// Code alone: pages show examples without the notice.
fn without_notice(text: &str) -> String {
    let rest = text.trim_start();
    match rest.strip_prefix("/**").and_then(|rest| rest.split_once("*/")) {
        Some((notice, rest)) if notice.contains("Copyright") => rest.to_owned(),
        _ => rest.to_owned(),
    }
}

fn links(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let base = case.at("");
    let mut unknown = 0;
    let documents: Vec<(&str, &str)> = case.tree.texts().filter(|(path, _)| path.ends_with(".md")).collect();
    for (path, content) in &documents {
        for (line, link) in markdown::links(content) {
            if link.contains("://") || link.starts_with("mailto:") || link.is_empty() {
                continue;
            }
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let file = file.replace("%20", " ").replace("%26", "&");
            let place = if file.is_empty() { Some(case.at(path)) } else { join(split(&case.at(path)).0, &file) };
            let Some(place) = place else {
                found.error(
                    case.at(path),
                    line,
                    format!("{link} leads out of the repository"),
                    "links are relative to the file",
                );
                continue;
            };
            let own = place.strip_prefix(&format!("{base}/")).map(str::to_owned);
            let text = match &own {
                Some(own) if case.tree.has(own) => case.tree.text(own).map(str::to_owned),
                Some(own) if case.tree.below(own).next().is_some() => None,
                None if case.target.is_none() => {
                    unknown += 1;
                    continue;
                }
                None if case.target.is_some_and(|target| target.has(&place)) => {
                    case.target.and_then(|target| target.read(&place))
                }
                _ => {
                    found.error(
                        case.at(path),
                        line,
                        format!("{link} leads nowhere: {place} is not there"),
                        "correct or remove it",
                    );
                    continue;
                }
            };
            if let (Some(anchor), Some(text)) = (anchor, text)
                && place.ends_with(".md")
                && !markdown::anchors(&text).iter().any(|known| known == anchor)
                && !text.contains(&format!("id=\"{anchor}\""))
                && !text.contains(&format!("name=\"{anchor}\""))
            {
                found.error(
                    case.at(path),
                    line,
                    format!("{link}: {place} has no heading `{anchor}`"),
                    "correct the part after #",
                );
            }
        }
    }
    linked_from_readme(case, &mut found);
    if unknown > 0 {
        partly(&format!("without --ops-math {} into the checkout cannot be followed", number(unknown, "link")), found)
    } else {
        found.judged()
    }
}

fn linked_from_readme(case: &Case, found: &mut Findings) {
    let Some(content) = case.tree.text(README) else { return };
    let linked: BTreeSet<String> = markdown::links(content)
        .into_iter()
        .map(|(_, link)| link.trim_start_matches("./").replace("%26", "&"))
        .collect();
    let wanted = case.tree.named("examples", "test_aclnn_", ".cpp").chain(case.tree.named("docs", "aclnn", ".md"));
    for (path, _) in wanted {
        if !linked.iter().any(|link| link.split('#').next() == Some(path)) {
            found.error(
                case.at(README),
                0,
                format!("no link to {path}"),
                "the table of 调用说明 links every example and page",
            );
        }
    }
}

/// Tags of tables, and those that upstream's pages have everywhere.
const TAGS: [&str; 15] =
    ["table", "thead", "tbody", "tr", "td", "th", "col", "colgroup", "term", "br", "sub", "sup", "ul", "li", "p"];

fn structure(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let documents =
        case.tree.texts().filter(|(path, _)| *path == README || path.starts_with("docs/") && path.ends_with(".md"));
    for (path, content) in documents {
        let lines: Vec<&str> = content.lines().collect();
        let headings = markdown::headings(content);
        if !headings.first().is_some_and(|heading| heading.level == 1 && heading.line == 1) {
            found.error(case.at(path), 1, "the first line is no title", "# and the name");
        }
        let mut level = 0;
        for heading in &headings {
            let mut wrong = |what: String, fix: &str| found.error(case.at(path), heading.line, what, fix);
            if heading.level == 1 && level > 0 {
                wrong(format!("a second title, `{}`", heading.text), "one title for each page");
            } else if heading.level > level + 1 {
                wrong(
                    format!("`{}` is of level {} below level {level}", heading.text, heading.level),
                    "one level at a time",
                );
            }
            if heading.level > 4 {
                wrong(format!("`{}` is of level {}", heading.text, heading.level), "at most four");
            }
            if heading.text.ends_with(['.', ':', '。', '：', ',', '，', ';', '；', '、', '!', '！']) {
                wrong(format!("`{}` ends with punctuation", heading.text), "headings have none");
            }
            let number = heading.text.trim_start_matches(|c: char| c.is_ascii_digit());
            if number.len() < heading.text.len() && number.starts_with(['.', '、', ' ']) {
                wrong(format!("`{}` is numbered", heading.text), "headings have no numbers");
            }
            if lines.get(heading.line).is_some_and(|line| !line.trim().is_empty()) {
                wrong(format!("no blank line after `{}`", heading.text), "one blank line");
            }
            level = heading.level;
        }
        for fence in markdown::fences(content) {
            if fence.language.is_empty() {
                found.error(case.at(path), fence.line, "a fence without a language", "```Cpp, ```bash, ```text");
            }
            if !fence.closed {
                found.error(case.at(path), fence.line, "a fence without an end", "close it");
            }
        }
        for (line, tag) in markdown::tags(content).into_iter().filter(|(_, tag)| !TAGS.contains(&tag.as_str())) {
            found.error(
                case.at(path),
                line,
                format!("the tag <{tag}>"),
                "Markdown; tags are for tables, <term> and <br>",
            );
        }
        images(case, path, content, &mut found);
    }
    found.judged()
}

fn images(case: &Case, path: &str, content: &str, found: &mut Findings) {
    for (number, line) in content.lines().enumerate() {
        for part in line.split("![").skip(1) {
            let Some(link) = part.split_once("](").and_then(|(_, rest)| rest.split(')').next()) else { continue };
            let good = link.contains("figures/")
                && [".png", ".jpg", ".jpeg"].iter().any(|end| link.to_ascii_lowercase().ends_with(end));
            if !good {
                found.error(case.at(path), number + 1, format!("the image {link}"), "PNG or JPG in figures/");
            }
        }
    }
}

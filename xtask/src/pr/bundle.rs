//! The community competition's layout: {NN-N}-{Op}/{Team}/ with the op, its design document and what runs of this commit
//! gave.

use std::path::Path;

use anyhow::Result;

use super::body::About;
use super::markdown;
use super::rule::Case;
use super::text;
use super::tree::Tree;
use crate::ctx::Ctx;
use crate::report::{self, Subject};

pub struct Wish {
    /// `05-11`
    pub task: String,
    pub team: String,
    /// The author's own design document
    pub design: Option<String>,
}

/// The self-verification report from the results of this commit's runs.
pub struct SelfVerification {
    pub files: Vec<(&'static str, String)>,
    /// Parts that were not run or have failed
    pub open: Vec<String>,
}

pub fn report(cx: &Ctx, path: &Path, given: Option<&Path>) -> Result<SelfVerification> {
    let subject = Subject::read(cx, path, given.map(|dir| dir.display().to_string()))?;
    let (document, files) = report::documents(&subject);
    Ok(SelfVerification { files, open: report::open_parts(&document) })
}

pub fn build(case: &Case, wish: &Wish, about: &About, report: &[(&str, String)]) -> Tree {
    let base = format!("{}-{}/{}", wish.task, about.pascal, wish.team);
    let mut bundle = Tree::default();
    for (path, file) in &case.tree.files {
        bundle.files.insert(format!("{base}/{path}"), file.clone());
    }
    let design = wish.design.clone().unwrap_or_else(|| design(case, about));
    bundle.put(&format!("{base}/docs/design.md"), &design);
    for (name, text) in report {
        bundle.put(&format!("{base}/docs/{name}"), text);
    }
    bundle
}

/// The chapters of the competition's design documents, filled from the op directory.
fn design(case: &Case, about: &About) -> String {
    let readme = case.tree.text("README.md").unwrap_or_default();
    let part = |title: &str| {
        markdown::section(readme, title).map_or(String::new(), |(_, body)| {
            body.trim()
                .replace("](docs/", "](")
                .replace("](examples/", "](../examples/")
                .replace("](../../../", "](https://gitcode.com/cann/ops-math/blob/master/")
        })
    };
    let mut files: Vec<String> = Vec::new();
    for (path, content) in case.tree.cpp().filter(|(path, _)| path.starts_with("op_")) {
        if let Some(brief) = brief(content) {
            files.push(format!("| {path} | {} |", brief.replace('|', "\\|")));
        }
    }
    let tests: Vec<String> = case
        .tree
        .below("tests")
        .filter(|(path, _)| path.ends_with(".cpp"))
        .map(|(path, content)| {
            let code = text::code(content);
            let count: usize = ["TEST", "TEST_F", "TEST_P"].iter().map(|word| text::calls(&code, word).len()).sum();
            format!("| {path} | {count} |")
        })
        .collect();
    [
        format!("# {}设计文档", about.pascal),
        "## 需求背景".to_owned(),
        format!("{}\n\n接口：{}。", about.what, about.apis.join("、")),
        "## 需求分析".to_owned(),
        part("功能说明"),
        "## 需求详细设计".to_owned(),
        format!("| 文件 | 内容 |\n| :--- | :--- |\n{}", files.join("\n")),
        "### 参数".to_owned(),
        part("参数说明"),
        "## 支持硬件".to_owned(),
        part("产品支持情况"),
        "## 算子约束限制".to_owned(),
        part("约束说明"),
        "## 特性交叉分析".to_owned(),
        about
            .replaced
            .first()
            .map_or("无其他算子的修改。".to_owned(), |_| format!("替换{}。", about.replaced.join("、"))),
        "## 可维可测分析".to_owned(),
        format!(
            "单元测试如下，结果参见[自验证报告](self_verification.md)。\n\n| 文件 | 用例数 |\n| :--- | :--- |\n{}",
            tests.join("\n")
        ),
    ]
    .join("\n\n")
        + "\n"
}

/// Behind `\brief` in the comment of a file, to the end of its sentence or comment.
fn brief(content: &str) -> Option<String> {
    let (_, rest) = content.split_once("\\brief")?;
    let rest = rest.split("*/").next()?;
    let text: Vec<&str> = rest.lines().map(|line| line.trim().trim_start_matches('*').trim()).collect();
    Some(text.join(" ").trim().to_owned())
}

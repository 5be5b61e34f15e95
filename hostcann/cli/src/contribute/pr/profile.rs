//! Facts of an operator's sources, so that a reviewer sees what it has that the one whose place it takes has not.

use std::collections::{BTreeMap, BTreeSet};

use super::symbols::base_name;
use super::target::{Target, functions};
use super::tree::{Tree, split};
use crate::base::files;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    types: BTreeSet<String>,
    chips: BTreeSet<String>,
    attributes: BTreeSet<String>,
    interfaces: BTreeSet<String>,
    tests: usize,
    examples: usize,
    /// Functions of op_api that copy a tensor which is not contiguous, and those that look for memory in common
    copies: BTreeSet<String>,
    overlaps: BTreeSet<String>,
    /// What its documents say, by topic
    says: BTreeMap<&'static str, String>,
}

/// What a maintainer asks about, and the words that lead to it.
const TOPICS: [(&str, &[&str]); 3] = [
    ("精度", &["精度"]),
    ("除数为0", &["除数为0", "除数为零", "除零", "除以0", "除以零"]),
    ("内存重叠", &["内存重叠", "重叠"]),
];

impl Profile {
    pub fn of_tree(tree: &Tree) -> Profile {
        Profile::of(tree.texts().map(|(path, content)| (path.to_owned(), content.to_owned())))
    }

    /// Of an operator of the checkout, also of one that the commit takes away.
    pub fn of_checkout(target: &Target, dir: &str) -> Profile {
        let root = target.root.join(dir);
        let paths = files::walk(&root).unwrap_or_default().into_iter();
        Profile::of(paths.filter_map(|path| {
            let bytes = std::fs::read(root.join(&path)).ok()?;
            Some((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
        }))
    }

    fn of(texts: impl Iterator<Item = (String, String)>) -> Profile {
        let mut profile = Profile::default();
        for (path, content) in texts {
            let name = split(&path).1;
            if path.starts_with("op_host/") && name.ends_with("_def.cpp") {
                profile.definition(&content);
            } else if path.starts_with("op_api/") && name.starts_with("aclnn") && name.ends_with(".h") {
                let found = functions(&content);
                profile.interfaces.extend(found.iter().map(|one| base_name(&one.name).to_owned()));
                profile.calls(&cpptext::code(&content));
            } else if path.starts_with("op_api/") && [".h", ".cpp"].iter().any(|end| name.ends_with(end)) {
                profile.calls(&cpptext::code(&content));
            } else if name == "README.md" && path == name || path.starts_with("docs/aclnn") && name.ends_with(".md") {
                profile.document(&content);
            } else if path.starts_with("tests/ut/") && name.ends_with(".cpp") {
                profile.tests +=
                    ["TEST", "TEST_F", "TEST_P"].iter().map(|word| cpptext::calls(&content, word).len()).sum::<usize>();
            } else if path.starts_with("examples/") && name.starts_with("test_aclnn") && name.ends_with(".cpp") {
                profile.examples += 1;
            }
        }
        profile
    }

    fn calls(&mut self, code: &str) {
        let functions = cpptext::words(code).into_iter().filter(|(at, word)| code[at + word.len()..].starts_with('('));
        for (_, word) in functions {
            if ["Contiguous", "ViewCopy"].contains(&word) {
                self.copies.insert(word.to_owned());
            } else if word.to_lowercase().contains("overlap") {
                self.overlaps.insert(word.to_owned());
            }
        }
    }

    /// The first item about each topic: one that begins with it, else one that speaks of it.
    fn document(&mut self, content: &str) {
        let items: Vec<&str> = content
            .lines()
            .filter_map(|line| line.trim().strip_prefix(['-', '*']))
            .map(|item| item.trim_matches([' ', '*']))
            .collect();
        for (topic, words) in TOPICS {
            let names = |text: &str| words.iter().any(|word| text.contains(word));
            let begins = |item: &&&str| item.split_once('：').is_some_and(|(name, _)| names(name));
            let found = items.iter().find(begins).or_else(|| items.iter().find(|item| names(item)));
            if let Some(item) = found {
                self.says
                    .entry(topic)
                    .or_insert_with(|| item.replace("**", "").replace("\\|", "|").replace('|', "\\|"));
            }
        }
    }

    fn strides(&self) -> String {
        let direct: Vec<&str> =
            self.attributes.iter().filter(|name| name.contains("stride")).map(String::as_str).collect();
        let copies = match self.copies.is_empty() {
            true => String::new(),
            false => format!("aclnn层转连续（{}）", self.copies.iter().cloned().collect::<Vec<_>>().join("、")),
        };
        match (direct.as_slice(), copies.as_str()) {
            ([], "") => "无".to_owned(),
            ([], _) => copies,
            (_, "") => format!("按stride属性直接读写（{}）", direct.join("、")),
            _ => format!("按stride属性直接读写（{}），其余{copies}", direct.join("、")),
        }
    }

    fn definition(&mut self, code: &str) {
        let types = cpptext::tokens(code).into_iter().filter_map(|token| token.text.strip_prefix("DT_"));
        self.types.extend(types.map(str::to_owned));
        for (word, into) in [("AddConfig", &mut self.chips), ("Attr", &mut self.attributes)] {
            let names = cpptext::calls(code, word).into_iter().filter_map(|(_, args)| args.into_iter().next());
            into.extend(names.map(|name| name.trim_matches('"').to_owned()));
        }
    }

    /// Rows of a table: what, this operator, the other one.
    fn rows(&self, other: &Profile) -> Vec<[String; 3]> {
        let list = |set: &BTreeSet<String>| match set.is_empty() {
            true => "无".to_owned(),
            false => set.iter().cloned().collect::<Vec<_>>().join("、"),
        };
        let sets = [
            ("数据类型", &self.types, &other.types),
            ("芯片", &self.chips, &other.chips),
            ("属性", &self.attributes, &other.attributes),
            ("aclnn接口", &self.interfaces, &other.interfaces),
        ];
        let counts = [("单元测试用例数", self.tests, other.tests), ("样例数", self.examples, other.examples)];
        let sets = sets.into_iter().map(|(what, own, others)| [what.to_owned(), list(own), list(others)]);
        let said = |profile: &Profile, topic: &str| profile.says.get(topic).map_or("未说明", String::as_str).to_owned();
        let says =
            TOPICS.iter().map(|(topic, _)| [format!("{topic}（文档原文）"), said(self, topic), said(other, topic)]);
        let code = [
            ["非连续Tensor（源码）".to_owned(), self.strides(), other.strides()],
            ["检查内存重叠的函数（源码）".to_owned(), list(&self.overlaps), list(&other.overlaps)],
        ];
        let counts =
            counts.into_iter().map(|(what, own, others)| [what.to_owned(), own.to_string(), others.to_string()]);
        sets.chain(code).chain(says).chain(counts).collect()
    }
}

/// A Markdown table that compares both, as their sources have it. `ran`: what runs found out about this operator; nothing
/// runs the other one.
pub fn comparison(own: (&str, &Profile), other: (&str, &Profile), ran: &[[String; 2]]) -> Vec<String> {
    let mut lines = vec![
        format!("与{}的对比（由两者的源码、文档与本算子的运行结果得出，未运行对方）：", other.0),
        String::new(),
        format!("| 对比项 | {} | {} |", own.0, other.0),
        "| :--- | :--- | :--- |".to_owned(),
    ];
    lines.extend(own.1.rows(other.1).iter().map(|row| format!("| {} |", row.join(" | "))));
    lines.extend(ran.iter().map(|[what, told]| format!("| {what} | {told} | 未运行 |")));
    lines.push(String::new());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_counted() {
        let mut tree = Tree::default();
        tree.put(
            "op_host/cube_def.cpp",
            "// ge::DT_INT8\nthis->Input(\"x\").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});\nthis->Attr(\"mode\").Int(0);\n\
             this->AICore().AddConfig(\"ascend910b\");\n",
        );
        tree.put(
            "op_api/aclnn_cube.h",
            "aclnnStatus aclnnCubeGetWorkspaceSize(int x);\naclnnStatus aclnnCube(int x);\n",
        );
        tree.put("tests/ut/op_api/test_aclnn_cube.cpp", "TEST(A, b) {}\nTEST_F(A, c) {}\n// TEST(A, d)\n");
        tree.put("examples/test_aclnn_cube.cpp", "int main() {}\n");
        tree.put(
            "op_api/aclnn_cube.cpp",
            "auto x = l0op::Contiguous(self, e); // OverlapsInComment(x)\nif (OverlapsPartly(self, out)) {}\n",
        );
        tree.put("docs/aclnnCube.md", "- 支持精度\n- **精度**：a|b与c\\|d。\n- 除数为0时，结果为0。\n");
        let (own, none) = (Profile::of_tree(&tree), Profile::default());
        let ran = [["速度".to_owned(), "1.5".to_owned()]];
        let lines = comparison(("cube", &own), ("old", &none), &ran);
        assert_eq!(lines[2..4], ["| 对比项 | cube | old |".to_owned(), "| :--- | :--- | :--- |".to_owned()]);
        assert_eq!(
            lines[4..16],
            [
                "| 数据类型 | FLOAT、FLOAT16 | 无 |",
                "| 芯片 | ascend910b | 无 |",
                "| 属性 | mode | 无 |",
                "| aclnn接口 | aclnnCube | 无 |",
                "| 非连续Tensor（源码） | aclnn层转连续（Contiguous） | 无 |",
                "| 检查内存重叠的函数（源码） | OverlapsPartly | 无 |",
                "| 精度（文档原文） | 精度：a\\|b与c\\|d。 | 未说明 |",
                "| 除数为0（文档原文） | 除数为0时，结果为0。 | 未说明 |",
                "| 内存重叠（文档原文） | 未说明 | 未说明 |",
                "| 单元测试用例数 | 2 | 0 |",
                "| 样例数 | 1 | 0 |",
                "| 速度 | 1.5 | 未运行 |",
            ]
            .map(str::to_owned)
        );
        let strided = Profile { attributes: ["x_stride".to_owned()].into(), ..own };
        assert_eq!(strided.strides(), "按stride属性直接读写（x_stride），其余aclnn层转连续（Contiguous）");
    }
}

//! Facts of an operator's sources, so that a reviewer sees what it has that the one whose place it takes has not.

use std::collections::BTreeSet;

use super::symbols::base_name;
use super::target::{Target, functions};
use super::text;
use super::tree::{Tree, split};
use crate::files;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    types: BTreeSet<String>,
    chips: BTreeSet<String>,
    attributes: BTreeSet<String>,
    interfaces: BTreeSet<String>,
    tests: usize,
    examples: usize,
}

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
                profile.definition(&text::without_comments(&content));
            } else if path.starts_with("op_api/") && name.starts_with("aclnn") && name.ends_with(".h") {
                let found = functions(&content);
                profile.interfaces.extend(found.iter().map(|one| base_name(&one.name).to_owned()));
            } else if path.starts_with("tests/ut/") && name.ends_with(".cpp") {
                let code = text::code(&content);
                profile.tests +=
                    ["TEST", "TEST_F", "TEST_P"].iter().map(|word| text::calls(&code, word).len()).sum::<usize>();
            } else if path.starts_with("examples/") && name.starts_with("test_aclnn") && name.ends_with(".cpp") {
                profile.examples += 1;
            }
        }
        profile
    }

    fn definition(&mut self, code: &str) {
        let types = text::words(code).into_iter().filter_map(|(_, word)| word.strip_prefix("DT_"));
        self.types.extend(types.map(str::to_owned));
        for (word, into) in [("AddConfig", &mut self.chips), ("Attr", &mut self.attributes)] {
            let names = text::calls(code, word).into_iter().filter_map(|(_, args)| args.into_iter().next());
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
        let counts =
            counts.into_iter().map(|(what, own, others)| [what.to_owned(), own.to_string(), others.to_string()]);
        sets.chain(counts).collect()
    }
}

/// A Markdown table that compares both, as their sources have it.
pub fn comparison(own: (&str, &Profile), other: (&str, &Profile)) -> Vec<String> {
    let mut lines = vec![
        format!("与{}的对比（由两者的源码得出）：", other.0),
        String::new(),
        format!("| 对比项 | {} | {} |", own.0, other.0),
        "| :--- | :--- | :--- |".to_owned(),
    ];
    lines.extend(own.1.rows(other.1).iter().map(|row| format!("| {} |", row.join(" | "))));
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
        let (own, none) = (Profile::of_tree(&tree), Profile::default());
        let lines = comparison(("cube", &own), ("old", &none));
        assert_eq!(lines[2..4], ["| 对比项 | cube | old |".to_owned(), "| :--- | :--- | :--- |".to_owned()]);
        assert_eq!(
            lines[4..10],
            [
                "| 数据类型 | FLOAT、FLOAT16 | 无 |",
                "| 芯片 | ascend910b | 无 |",
                "| 属性 | mode | 无 |",
                "| aclnn接口 | aclnnCube | 无 |",
                "| 单元测试用例数 | 2 | 0 |",
                "| 样例数 | 1 | 0 |",
            ]
            .map(str::to_owned)
        );
    }
}

//! `--rename v2`: the op under another name, as upstream does it: a version after directory, op type, files and functions.
//! A function that has a version already gets the next one, so that two of one family never meet.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::pages::shown_examples;
use super::rule::{Tooling, pascal};
use super::symbols::base_name;
use super::target::functions;
use super::tree::{Tree, extension, is_cpp, split};
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::proc;

/// The names of the op, old and new.
struct NewNames {
    dir: (String, String),
    pascal: (String, String),
    /// File stems, functions, macros
    exact: BTreeMap<String, String>,
    /// Functions without `aclnn`: what the data files of tests call the operator
    cases: BTreeMap<String, String>,
}

/// `square` with suffix `v2` to `square_v2`.
pub fn dir_name(dir: &str, suffix: &str) -> Result<String> {
    let number =
        suffix.strip_prefix('v').filter(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if number.is_none_or(|number| number == "0" || number == "1") {
        return Err(failed(Kind::Usage, format!("--rename {suffix}: no version")).hint("v2, v3, …: upstream's own way"));
    }
    Ok(format!("{dir}_{suffix}"))
}

pub struct RenamedOp {
    pub tree: Tree,
    pub dir: String,
    /// New paths by old ones, with the op's directory in front
    pub paths: BTreeMap<String, String>,
}

/// `style` formats it again: longer names break lines elsewhere.
pub fn apply(tree: &Tree, dir: &str, suffix: &str, tools: &Tooling, style: Option<&Path>) -> Result<RenamedOp> {
    let names = NewNames::of(tree, dir, suffix)?;
    let new_dir = names.dir.1.clone();
    let at = |path: &String| (format!("{dir}/{path}"), format!("{new_dir}/{}", names.in_path(path)));
    let paths = tree.files.keys().map(at).collect();
    let mut renamed = Tree::default();
    for (path, file) in &tree.files {
        let mut file = file.clone();
        if let Ok(content) = std::str::from_utf8(&file.bytes) {
            file.bytes = names.in_text(path, content).into_bytes();
        }
        renamed.files.insert(names.in_path(path), file);
    }
    let before: Vec<(String, String)> = examples(&renamed);
    format(&mut renamed, tools, style)?;
    show_again(&mut renamed, &before);
    Ok(RenamedOp { tree: renamed, dir: new_dir, paths })
}

impl NewNames {
    fn of(tree: &Tree, dir: &str, suffix: &str) -> Result<NewNames> {
        let new_dir = dir_name(dir, suffix)?;
        let pascal = (pascal(dir), pascal(&new_dir));
        let mut exact = BTreeMap::new();
        let mut cases = BTreeMap::new();
        for (path, content) in tree.named("op_api", "aclnn_", ".h") {
            for function in functions(content) {
                let base = base_name(&function.name);
                let phase = &function.name[base.len()..];
                exact.insert(function.name.clone(), format!("{}{phase}", next_version(base)));
                if let Some(name) = base.strip_prefix("aclnn") {
                    cases.insert(name.to_owned(), next_version(name));
                }
            }
            let stem = split(path).1.trim_end_matches(".h");
            if has_functions(content) {
                exact.insert(stem.to_owned(), next_stem(stem));
                for (_, word) in cpptext::words(content) {
                    if word.contains(&stem.to_ascii_uppercase()) && word.ends_with("_H_") {
                        exact.insert(
                            word.to_owned(),
                            word.replace(&stem.to_ascii_uppercase(), &next_stem(stem).to_ascii_uppercase()),
                        );
                    }
                }
            }
        }
        for path in tree.files.keys() {
            let stem = super::tree::stem(path).to_owned();
            if stem == dir || stem.starts_with(&format!("{dir}_")) {
                let rest = stem[dir.len()..].to_owned();
                exact.insert(stem, format!("{new_dir}{rest}"));
            } else if let Some(rest) = stem.strip_prefix("test_") {
                let new = match rest.strip_prefix(dir).filter(|rest| rest.is_empty() || rest.starts_with('_')) {
                    Some(rest) => format!("test_{new_dir}{rest}"),
                    None if rest.starts_with("aclnn_") => format!("test_{}", next_stem(rest)),
                    None => continue,
                };
                exact.insert(stem, new);
            }
        }
        // Sources of the interface next to their headers.
        for (path, _) in tree.named("op_api", "aclnn_", ".cpp") {
            let stem = super::tree::stem(path).to_owned();
            exact.entry(stem.clone()).or_insert_with(|| next_stem(&stem));
        }
        Ok(NewNames { dir: (dir.to_owned(), new_dir), pascal, exact, cases })
    }

    fn in_path(&self, path: &str) -> String {
        let parts: Vec<String> = path.split('/').map(|part| self.in_name(part)).collect();
        parts.join("/")
    }

    /// A file name: its stem, or the functions of a page.
    fn in_name(&self, name: &str) -> String {
        let (stem, end) = name.split_once('.').map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
        let parts: Vec<&str> = stem.split('&').collect();
        let new: Vec<&str> = parts.iter().map(|part| self.exact.get(*part).map_or(*part, String::as_str)).collect();
        format!("{}{end}", new.join("&"))
    }

    fn in_text(&self, path: &str, content: &str) -> String {
        let mut out = String::with_capacity(content.len());
        let mut last = 0;
        for (at, word) in cpptext::words(content) {
            let Some(new) = self.word(path, content, at, word) else { continue };
            out.push_str(&content[last..at]);
            out.push_str(&new);
            last = at + word.len();
        }
        out.push_str(&content[last..]);
        out
    }

    fn word(&self, path: &str, content: &str, at: usize, word: &str) -> Option<String> {
        let before = &content[..at];
        let (dir, new_dir) = &self.dir;
        // Authors stay who they are.
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.contains("Copyright (c)") {
            return None;
        }
        // Functions of the standard library and of the toolkit have these names, too.
        let foreign = before.ends_with("std::") || before.ends_with("AscendC::") || before.ends_with("`AscendC::");
        if foreign {
            return None;
        }
        if word == dir {
            let behind = &content[at + word.len()..];
            let file = behind.starts_with(".cpp") || behind.starts_with(".h") || behind.starts_with("_");
            let in_path = before.ends_with('/')
                && (before.ends_with("math/")
                    || before.ends_with("op_kernel/")
                    || before.ends_with("conversion/")
                    || before.ends_with("random/"));
            let kernel = path.starts_with("op_kernel/") && is_cpp(path) && !in_comment(content, at);
            let call = path.starts_with("tests/ut/op_kernel/") && (before.ends_with("::") || behind.starts_with('<'));
            let cmake = path.ends_with("CMakeLists.txt");
            let quoted = before.ends_with('"') && behind.starts_with('"');
            let cell = extension(path) == "json" && quoted;
            // What other frameworks call their attributes is theirs.
            let literal = quoted && is_cpp(path) && !path.starts_with("framework/");
            return (file || in_path || kernel || call || cmake || cell || literal).then(|| new_dir.clone());
        }
        if word == self.pascal.0 {
            return Some(self.pascal.1.clone());
        }
        if let Some(rest) = word.strip_prefix(&format!("{dir}_")).filter(|_| path.ends_with("CMakeLists.txt")) {
            return Some(format!("{new_dir}_{rest}"));
        }
        let case = self.cases.get(word).filter(|_| path.starts_with("tests/") && !is_cpp(path));
        case.or_else(|| self.exact.get(word)).cloned()
    }
}

/// Prose about an operation is no name.
fn in_comment(content: &str, at: usize) -> bool {
    cpptext::without_comments(content).as_bytes().get(at) == Some(&b' ')
}

fn has_functions(content: &str) -> bool {
    !functions(content).is_empty()
}

/// `aclnnX` to `aclnnXV2`, `aclnnXV2` to `aclnnXV3`.
fn next_version(name: &str) -> String {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (head, number) = name.split_at(name.len() - digits);
    match (head.strip_suffix('V'), number.parse::<u32>()) {
        (Some(base), Ok(number)) => format!("{base}V{}", number + 1),
        _ => format!("{name}V2"),
    }
}

/// `aclnn_x` to `aclnn_x_v2`, `aclnn_x_v2` to `aclnn_x_v3`.
fn next_stem(stem: &str) -> String {
    match stem.rsplit_once("_v").and_then(|(base, number)| Some((base, number.parse::<u32>().ok()?))) {
        Some((base, number)) => format!("{base}_v{}", number + 1),
        None => format!("{stem}_v2"),
    }
}

fn examples(tree: &Tree) -> Vec<(String, String)> {
    tree.named("examples", "test_", ".cpp").map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

fn format(tree: &mut Tree, tools: &Tooling, style: Option<&Path>) -> Result<()> {
    let (Some(program), Some(style)) = (&tools.clang_format, style.or(tools.style.as_deref())) else {
        return Err(failed(Kind::Tool, "--rename needs clang-format 18.1.8: longer names break lines elsewhere")
            .hint("`cargo xtask setup` fetches it"));
    };
    let temp = tempfile::tempdir().context("cannot create a directory for the renamed sources")?;
    tree.write(temp.path())?;
    let paths: Vec<String> = tree.cpp().map(|(path, _)| path.to_owned()).collect();
    let mut command = Command::new(program);
    command.arg(format!("--style=file:{}", style.display())).arg("-i").current_dir(temp.path()).args(&paths);
    let output = command.output().map_err(|error| proc::spawn_error(&program.to_string_lossy(), error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(failed(Kind::Style, format!("clang-format failed on the renamed sources: {}", said.trim())));
    }
    for path in paths {
        let bytes =
            std::fs::read(temp.path().join(&path)).with_context(|| format!("cannot read the renamed {path}"))?;
        if let Some(file) = tree.files.get_mut(&path) {
            file.bytes = bytes;
        }
    }
    Ok(())
}

/// Pages show the examples as they are now formatted.
fn show_again(tree: &mut Tree, before: &[(String, String)]) {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let mut changed: Vec<(String, String)> = Vec::new();
    for (path, page) in tree.named("docs", "aclnn", ".md") {
        let mut content = page.to_owned();
        for fence in shown_examples(page) {
            let shown = squeezed(fence.text);
            let of = before.iter().find(|(_, old)| squeezed(old).ends_with(&shown) && !shown.is_empty());
            let Some(new) = of.and_then(|(path, _)| tree.text(path)) else { continue };
            // A page leaves the notice out.
            let new = match new.split_once("*/\n\n") {
                Some((notice, rest)) if notice.contains("Copyright") && !fence.text.contains("Copyright") => rest,
                _ => new,
            };
            content = content.replacen(fence.text, new, 1);
        }
        changed.push((path.to_owned(), content));
    }
    for (path, content) in changed {
        tree.put(&path, &content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_go_up() {
        assert_eq!(next_version("aclnnSquareTensor"), "aclnnSquareTensorV2");
        assert_eq!(next_version("aclnnSquareTensorV2"), "aclnnSquareTensorV3");
        assert_eq!(next_version("aclnnAtan2"), "aclnnAtan2V2");
        assert_eq!(next_stem("aclnn_square_tensor_v2"), "aclnn_square_tensor_v3");
        assert_eq!(next_stem("aclnn_square_tensor"), "aclnn_square_tensor_v2");
        assert_eq!(dir_name("cast", "v2").expect("a name"), "cast_v2");
        assert!(dir_name("cast", "v1").is_err() && dir_name("cast", "two").is_err());
    }
    #[test]
    fn names_change_and_others_of_the_spelling_do_not() {
        let mut tree = Tree::default();
        tree.put(
            "CMakeLists.txt",
            "# Copyright (c) 2026 The Sqrt authors.\nset(sqrt_files x)\nadd_all_modules_sources(OPTYPE sqrt)\n",
        );
        tree.put(
            "op_api/aclnn_sqrt.h",
            "#ifndef INC_ACLNN_SQRT_H_\nint aclnnSqrtGetWorkspaceSize(int x);\nint aclnnSqrt(int x);\n",
        );
        tree.put("op_api/aclnn_sqrt_v2.h", "int aclnnSqrtV2(int x);\n");
        tree.put("op_host/sqrt_def.cpp", "class Sqrt : public OpDef {};\nOP_ADD(Sqrt); // AscendC::Sqrt\n");
        tree.put("op_kernel/sqrt.cpp", "#include \"sqrt.h\"\n// sqrt of x\nvoid sqrt(GM_ADDR x) { std::sqrt(1); }\n");
        tree.put("docs/aclnnSqrt&aclnnInplaceSqrt.md", "[x](../examples/test_aclnn_sqrt.cpp)\n");
        tree.put("examples/test_aclnn_sqrt.cpp", "aclnnSqrtV2(aclnnSqrt(1));\n");
        tree.put("framework/sqrt_onnx_plugin.cpp", "REGISTER_CUSTOM_OP(\"Sqrt\"); name == \"sqrt\";\n");
        tree.put("tests/ut/op_host/test_sqrt_tiling.cpp", "Tiling(\"Sqrt\", \"sqrt\");\n");
        tree.put("tests/aot/sqrt_cases.json", "[{\"op_name\": \"Sqrt\"}, {\"op_name\": \"SqrtV2\"}]\n");
        let names = NewNames::of(&tree, "sqrt", "v2").expect("names");
        let paths: Vec<String> = tree.files.keys().map(|path| names.in_path(path)).collect();
        assert_eq!(
            paths,
            [
                "CMakeLists.txt",
                "docs/aclnnSqrtV2&aclnnInplaceSqrt.md",
                "examples/test_aclnn_sqrt_v2.cpp",
                "framework/sqrt_v2_onnx_plugin.cpp",
                "op_api/aclnn_sqrt_v2.h",
                "op_api/aclnn_sqrt_v3.h",
                "op_host/sqrt_v2_def.cpp",
                "op_kernel/sqrt_v2.cpp",
                "tests/aot/sqrt_v2_cases.json",
                "tests/ut/op_host/test_sqrt_v2_tiling.cpp"
            ]
        );
        let text = |path: &str| names.in_text(path, tree.text(path).expect("a text"));
        assert_eq!(
            text("CMakeLists.txt"),
            "# Copyright (c) 2026 The Sqrt authors.\nset(sqrt_v2_files x)\nadd_all_modules_sources(OPTYPE sqrt_v2)\n"
        );
        assert_eq!(
            text("op_api/aclnn_sqrt.h"),
            "#ifndef INC_ACLNN_SQRT_V2_H_\nint aclnnSqrtV2GetWorkspaceSize(int x);\nint aclnnSqrtV2(int x);\n"
        );
        assert_eq!(text("op_host/sqrt_def.cpp"), "class SqrtV2 : public OpDef {};\nOP_ADD(SqrtV2); // AscendC::Sqrt\n");
        assert_eq!(
            text("op_kernel/sqrt.cpp"),
            "#include \"sqrt_v2.h\"\n// sqrt of x\nvoid sqrt_v2(GM_ADDR x) { std::sqrt(1); }\n"
        );
        assert_eq!(text("docs/aclnnSqrt&aclnnInplaceSqrt.md"), "[x](../examples/test_aclnn_sqrt_v2.cpp)\n");
        assert_eq!(text("examples/test_aclnn_sqrt.cpp"), "aclnnSqrtV3(aclnnSqrtV2(1));\n");
        assert_eq!(text("framework/sqrt_onnx_plugin.cpp"), "REGISTER_CUSTOM_OP(\"SqrtV2\"); name == \"sqrt\";\n");
        assert_eq!(text("tests/ut/op_host/test_sqrt_tiling.cpp"), "Tiling(\"SqrtV2\", \"sqrt_v2\");\n");
        let cases = "[{\"op_name\": \"SqrtV2\"}, {\"op_name\": \"SqrtV3\"}]\n";
        assert_eq!(text("tests/aot/sqrt_cases.json"), cases);
    }
}

//! Rules 1-7: which files there are.

use anyhow::Result;

use super::rule::{Case, Findings, Outcome, Rule, partly};
use super::tree::{Mode, extension, is_cpp, split};

pub const RULES: [Rule; 7] = [
    Rule {
        number: 1,
        slug: "op-directory",
        title: "the change stays in the op's directory",
        zh: "修改只涉及算子目录",
        why: "experimental/CMakeLists.txt finds every directory with a CMakeLists.txt by itself; a change elsewhere needs \
              reviewers of other operators and starts other jobs of the gate. Directories that --replace takes away are \
              the exception: they are only deleted.",
        check: inside,
    },
    Rule {
        number: 2,
        slug: "directory-name",
        title: "the directory's name is snake case and nobody else's",
        zh: "目录名为snake_case且不与他人重名",
        why: "Upstream's build knows operators by the base name of their directory (COMPILED_OPS), whatever the category: \
              of two with one name, one is not built.",
        check: name,
    },
    Rule {
        number: 3,
        slug: "complete-parts",
        title: "all parts of an operator are there",
        zh: "算子的各组成部分齐全",
        why: "CONTRIBUTING.md asks for definition, tiling, shapes, kernel, README, documents of the interface, examples \
              and unit tests; build scripts find them by these names.",
        check: parts,
    },
    Rule {
        number: 4,
        slug: "unused-source",
        title: "every source is built or included",
        zh: "每个源文件都参与编译或被包含",
        why: "cmake/func.cmake collects sources by pattern; a file that no pattern takes and nobody includes is dead, or \
              was meant to be built and is not.",
        check: orphans,
    },
    Rule {
        number: 5,
        slug: "plain-files",
        title: "git takes every file, as a plain file",
        zh: "所有文件均可作为普通文件纳入git",
        why: "Files that .gitignore names are left out of `git add` without a word; links and executable sources do not \
              pass review; build.sh splits the paths of examples at blanks.",
        check: modes,
    },
    Rule {
        number: 6,
        slug: "clean-text",
        title: "files are small clean text",
        zh: "文件为小而规范的文本",
        why: "Hooks of .pre-commit-config.yaml (trailing-whitespace, end-of-file-fixer, check-added-large-files with 500 KB, \
              check-merge-conflict, detect-private-key) and OAT's file types: binaries, archives and images are refused.",
        check: clean,
    },
    Rule {
        number: 7,
        slug: "one-definition",
        title: "one definition file",
        zh: "只有一个算子定义文件",
        why: "get_op_type_from_op_name (cmake/func.cmake) searches the whole directory for <op>_def.cpp and reads the op type \
              from it: a second one of the name, even below tests, breaks the build.",
        check: one_definition,
    },
];

fn inside(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let own = case.at("");
    if case.category.is_empty() {
        found.error(
            case.dir,
            0,
            "the directory lies in no category",
            "name one: --category math, conversion or random",
        );
    }
    for (path, mode) in case.proposal.iter().flat_map(|proposal| &proposal.changes) {
        let replaced = |target: &super::target::Target| {
            mode.is_none() && target.gone.iter().any(|dir| path.starts_with(&format!("{dir}/")))
        };
        if !path.starts_with(&format!("{own}/")) && !case.target.is_some_and(replaced) {
            found.error(path, 0, format!("it lies outside of {own}"), "leave it out of this change");
        }
    }
    found.judged()
}

fn name(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let good = case.dir.starts_with(|c: char| c.is_ascii_lowercase())
        && case.dir.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !good {
        found.error(
            case.at(""),
            0,
            format!("`{}` is no name in snake case", case.dir),
            "small letters, digits and `_`",
        );
    }
    for dir in case.target.iter().flat_map(|target| target.op_dirs()) {
        if split(&dir).1 == case.dir {
            let what = format!("{dir} of the checkout has the same name");
            found.error(
                case.at(""),
                0,
                what,
                "rename the op (upstream's own way is a suffix: --rename v2), or --replace it",
            );
        }
    }
    found.judged()
}

fn parts(case: &Case) -> Result<Outcome> {
    let dir = case.dir;
    let has = |path: &str, start: &str, end: &str| case.tree.named(path, start, end).next().is_some();
    let middle = |part: &str| {
        let all = case.tree.below("op_host");
        all.filter(|(path, _)| split(path).1.contains(part) && path.ends_with(".cpp")).count() > 0
    };
    let tests = |kind: &str| case.tree.below(&format!("tests/ut/{kind}")).next().is_some();
    let mut wanted = vec![
        ("CMakeLists.txt".to_owned(), case.tree.has("CMakeLists.txt")),
        ("README.md".to_owned(), case.tree.has("README.md")),
        (format!("op_host/{dir}_def.cpp"), case.tree.has(&format!("op_host/{dir}_def.cpp"))),
        ("op_host/*_tiling*.cpp".to_owned(), middle("_tiling")),
        ("op_host/*_infershape*.cpp".to_owned(), middle("_infershape")),
        (format!("op_kernel/{dir}.cpp"), case.tree.has(&format!("op_kernel/{dir}.cpp"))),
        ("examples/test_aclnn_*.cpp".to_owned(), has("examples", "test_aclnn_", ".cpp")),
        ("docs/aclnn*.md".to_owned(), has("docs", "aclnn", ".md")),
        ("tests/ut/op_host".to_owned(), tests("op_host")),
        ("tests/ut/op_kernel".to_owned(), tests("op_kernel")),
    ];
    if case.has_own_api() {
        wanted.push(("op_api/aclnn_*.h".to_owned(), has("op_api", "aclnn_", ".h")));
        wanted.push(("op_api/aclnn_*.cpp".to_owned(), has("op_api", "aclnn_", ".cpp")));
        wanted.push(("tests/ut/op_api".to_owned(), tests("op_api")));
    }
    let mut found = Findings::default();
    for (part, _) in wanted.into_iter().filter(|(_, there)| !there) {
        found.error(case.at(&part), 0, "it is missing", "write it; `cargo xtask new` shows a whole operator");
    }
    found.judged()
}

/// Whether a pattern of upstream's build takes the file.
fn is_built(dir: &str, path: &str) -> bool {
    let (parent, name) = split(path);
    let below = |prefix: &str| path.starts_with(prefix);
    let cpp = name.ends_with(".cpp");
    match () {
        () if parent == "op_api" => cpp || (name.starts_with("aclnn_") && name.ends_with(".h")),
        () if below("op_host/") => {
            (cpp && ["_def", "_tiling", "_infershape"].iter().any(|part| name.contains(part)))
                || name.ends_with("CMakeLists.txt")
        }
        () if parent == "op_kernel" => name == format!("{dir}.cpp") || name == format!("{dir}_apt.cpp"),
        () if below("op_kernel_aicpu/") => cpp || name.ends_with("_aicpu.h"),
        () if below("op_graph/") => cpp || name.contains("_proto"),
        () if below("framework/") => cpp,
        () if below("tests/ut/op_api/") => cpp && name.starts_with("test_"),
        () if below("tests/ut/op_host/") => cpp && name.starts_with("test_"),
        () if below("tests/ut/op_graph/") => cpp,
        () if below("tests/ut/op_kernel_aicpu/") => cpp && name.starts_with("test_"),
        () if below("tests/ut/op_kernel/") => cpp && name.starts_with("test_"),
        () if below("examples/") => cpp && name.starts_with("test_"),
        // Kits with builds of their own.
        () => below("tests/") && !below("tests/ut/"),
    }
}

fn orphans(case: &Case) -> Result<Outcome> {
    let mut reached: Vec<&str> = Vec::new();
    let sources: Vec<(&str, &str)> = case.tree.cpp().collect();
    let mut open: Vec<&str> = sources.iter().map(|(path, _)| *path).filter(|path| is_built(case.dir, path)).collect();
    while let Some(path) = open.pop() {
        if reached.contains(&path) {
            continue;
        }
        reached.push(path);
        let Some(content) = case.tree.text(path) else { continue };
        for include in cpptext::includes(content) {
            let name = split(&include.path).1;
            // Include directories differ from build to build: a name is enough.
            open.extend(sources.iter().map(|(path, _)| *path).filter(|path| split(path).1 == name));
        }
    }
    let mut found = Findings::default();
    for (path, _) in &sources {
        let about =
            ["op_host", "op_api", "op_kernel", "tests", "examples"].contains(&path.split('/').next().unwrap_or(""));
        if about && !reached.contains(path) {
            found.error(
                case.at(path),
                0,
                "no pattern of the build takes it and no source includes it",
                "remove or include it",
            );
        }
    }
    found.judged()
}

fn modes(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, file) in &case.tree.files {
        match file.mode {
            Mode::Link => found.error(case.at(path), 0, "a symbolic link", "put the file itself there"),
            Mode::Executable if extension(path) != "sh" => {
                found.error(case.at(path), 0, "it is executable", "chmod 644");
            }
            _ => {}
        }
        if path.starts_with("examples/") && path.contains(' ') {
            found.error(case.at(path), 0, "a blank in the path of an example", "build.sh splits it there: rename it");
        }
    }
    let Some(target) = case.target else {
        return partly("what .gitignore leaves out needs --ops-math", found);
    };
    let paths: Vec<String> = case.tree.files.keys().map(|path| case.at(path)).collect();
    for path in target.ignored(&paths)? {
        found.error(path, 0, "the checkout's .gitignore leaves it out", "give the file or its directory another name");
    }
    found.judged()
}

fn clean(case: &Case) -> Result<Outcome> {
    const LARGEST: usize = 500 * 1024;
    let mut found = Findings::default();
    for (path, file) in case.tree.files.iter().filter(|(_, file)| file.mode != Mode::Link) {
        let at = case.at(path);
        if file.bytes.len() > LARGEST {
            found.error(&at, 0, format!("{} KB, at most 500 are allowed", file.bytes.len() / 1024), "make it smaller");
        }
        let image = ["png", "jpg", "jpeg"].contains(&extension(path)) && path.contains("/figures/");
        let Some(content) = std::str::from_utf8(&file.bytes).ok().filter(|text| !text.contains('\0')) else {
            if !image {
                found.error(
                    &at,
                    0,
                    "no text in UTF-8",
                    "binaries, archives and images are refused; images go into figures/",
                );
            }
            continue;
        };
        if content.starts_with('\u{feff}') {
            found.error(&at, 1, "a byte order mark", "save it as UTF-8 without one");
        }
        lines(&mut found, &at, path, content);
    }
    found.judged()
}

fn lines(found: &mut Findings, at: &str, path: &str, content: &str) {
    for (number, line) in content.split('\n').enumerate() {
        let number = number + 1;
        if line.ends_with('\r') {
            found.error(at, number, "the line ends with CR LF", "LF alone");
            // One is enough of a file that was written elsewhere.
            break;
        }
        if line.ends_with([' ', '\t']) {
            found.error(at, number, "blanks at the end of the line", "remove them");
        }
        if line.contains('\t') && is_cpp(path) {
            found.error(at, number, "a tab", "four blanks");
        }
        if ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) {
            found.error(at, number, "a mark of a merge", "finish the merge");
        }
        if line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----") {
            found.error(at, number, "a private key", "take it out of the history, too");
        }
    }
    let last = content.lines().count();
    if !content.is_empty() && !content.ends_with('\n') {
        found.error(at, last, "no end of line at the end", "end the last line");
    } else if content.ends_with("\n\n") {
        found.error(at, last, "empty lines at the end", "one end of line is enough");
    }
}

fn one_definition(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let name = format!("{}_def.cpp", case.dir);
    let all: Vec<&String> = case.tree.files.keys().filter(|path| split(path).1 == name).collect();
    if all.is_empty() {
        found.error(case.at(&format!("op_host/{name}")), 0, "it is missing", "the definition's file has the op's name");
    }
    for path in all.iter().filter(|path| ***path != format!("op_host/{name}")) {
        found.error(case.at(path), 0, "another file of the definition's name", "rename it");
    }
    found.judged()
}

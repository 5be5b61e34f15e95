//! What `new` writes and what it refuses.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use common::Repo;

/// A repository with the templates and a clang-format that changes nothing.
fn repo() -> Repo {
    let repo = Repo::new();
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hostcann/cli/templates");
    fs::create_dir_all(repo.path("hostcann/cli")).expect("mkdir");
    symlink(templates, repo.path("hostcann/cli/templates")).expect("symlink");
    repo.good_compiler();
    repo.tool("cmake", "echo 'cmake version 3.25.1'");
    repo.tool("ninja", "echo 1.11.1");
    repo.tool("clang-format", "echo 'clang-format version 18.1.8'");
    repo
}

const SYSTEM: [(&str, &str); 1] = [("XTASK_TOOLS", "system")];

fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("list") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(dir).expect("below").to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn upstream_layout_under_the_operators_name() {
    let repo = repo();
    for template in ["elementwise", "broadcast", "reduce"] {
        let args = ["new", "conversion/row_sum", "--template", template, "--dir", template];
        let next = format!("next: cargo xtask example --op-dir {template}/conversion/row_sum");
        repo.xtask_with(&args, &SYSTEM).expect(0, &["Created", &next]);
        let dir = repo.path(template).join("conversion/row_sum");
        let found = files(&dir);
        assert_eq!(
            found,
            [
                "CMakeLists.txt",
                "README.md",
                "docs/aclnnRowSum.md",
                "examples/test_aclnn_row_sum.cpp",
                "op_host/row_sum_def.cpp",
                "op_host/row_sum_infershape.cpp",
                "op_host/row_sum_tiling.cpp",
                "op_kernel/row_sum.cpp",
                "op_kernel/row_sum.h",
                "op_kernel/row_sum_tiling_data.h",
                "op_kernel/row_sum_tiling_key.h",
                "tests/ut/op_host/CMakeLists.txt",
                "tests/ut/op_host/test_row_sum_infershape.cpp",
                "tests/ut/op_host/test_row_sum_tiling.cpp",
                "tests/ut/op_kernel/CMakeLists.txt",
                "tests/ut/op_kernel/test_row_sum.cpp",
            ],
            "{template}"
        );
        for file in found {
            let text = fs::read_to_string(dir.join(&file)).expect("read");
            for word in ["my_op", "MyOp", "MY_OP", "experimental/math"] {
                assert!(!text.contains(word), "{template}: {file} contains {word}");
            }
        }
    }
}

#[test]
fn the_default_is_experimental_here() {
    let repo = repo();
    repo.xtask_with(&["new", "math/square"], &SYSTEM).expect(0, &["16 files"]);
    assert!(repo.path("experimental/math/square/op_kernel/square.h").is_file());
}

#[test]
fn nothing_is_overwritten() {
    let repo = repo();
    let refused = "exists already; nothing was written";
    // The op of the repository, in another category and elsewhere, too.
    for name in ["math/fmod", "conversion/fmod"] {
        repo.xtask_with(&["new", name], &SYSTEM).expect(2, &["experimental/math/fmod", refused, "hint: "]);
        repo.xtask_with(&["new", name, "--dir", "mine"], &SYSTEM).expect(2, &[refused]);
    }
    assert!(!repo.path("mine").exists() && !repo.path("experimental/conversion").exists());

    repo.write("mine/math/square/notes.txt", "mine");
    repo.xtask_with(&["new", "math/square", "--dir", "mine"], &SYSTEM).expect(2, &["mine/math/square", refused]);
    assert_eq!(files(&repo.path("mine")), ["math/square/notes.txt"]);

    // A standard operator of the checkout that gets the new one.
    repo.write("checkout/math/add/CMakeLists.txt", "");
    let args = ["new", "conversion/add", "--dir", "checkout/experimental"];
    repo.xtask_with(&args, &SYSTEM).expect(2, &["checkout/math/add", refused]);
    assert!(!repo.path("checkout/experimental").exists());
}

#[test]
fn names_are_judged_before_anything_is_fetched() {
    let repo = repo();
    let before = files(&repo.path("experimental"));
    let cases = [
        ("math/Square", "`Square` is not in snake case", "hint: small letters"),
        ("square", "the category is missing", "hint: for example math/square"),
        ("nn/square", "ops-math has no category `nn`", "hint: categories: math, conversion, random"),
        ("math/while", "`while` is a word of C or C++", "hint: the kernel's entry"),
        ("math/../../x", "is not in snake case", "hint: "),
    ];
    for (name, message, hint) in cases {
        repo.xtask(&["new", name]).expect(2, &[message, hint]);
    }
    repo.xtask(&["new", "math/x", "--template", "matmul"]).expect(2, &["matmul", "elementwise, broadcast, reduce"]);
    assert_eq!(files(&repo.path("experimental")), before, "only the op that was there");
}

#[test]
fn pages_show_the_example_and_who_gives_it() {
    let repo = repo();
    // No settings of whoever runs the tests.
    let nobody = [SYSTEM[0], ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
    for (template, who) in [("elementwise", "RowSum operator authors"), ("reduce", "Ann \\| Bob")] {
        if template == "reduce" {
            repo.tool("git", r#"test "$3 $4" = "config user.name" && echo 'Ann | Bob'"#);
        }
        let args = ["new", "math/row_sum", "--template", template, "--dir", template];
        repo.xtask_with(&args, &nobody).expect(0, &["16 files"]);
        let read = |file: &str| fs::read_to_string(repo.path(template).join("math/row_sum").join(file)).expect("read");
        let example = read("examples/test_aclnn_row_sum.cpp");
        let (_, code) = example.split_once(" */\n\n").expect("a notice");
        let page = read("docs/aclnnRowSum.md");
        assert!(code.contains("int main()") && page.ends_with(&format!("```Cpp\n{code}```\n")), "{page}");
        let readme = read("README.md");
        assert!(readme.contains(&format!("\n| {who} | 个人 | RowSum | 20")), "{readme}");
    }
}

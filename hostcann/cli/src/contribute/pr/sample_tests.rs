//! Every rule on a made-up operator that satisfies all of them, and on copies with one fault each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::bundle;
use super::inputs::year;
use super::rule::{self, Case, Finding, Outcome, Proposal, Rule, Severity, Tooling};
use super::target::Target;
use super::tree::{File, Mode, Tree};
use super::{About, Results, all_rules, body};
use crate::base::files::write_if_changed;
use crate::base::revision::Revision;
use crate::package;
use crate::toolchain::runfile;

const SAMPLE: &str = include_str!("sample.txt");
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn repo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository").to_path_buf()
}

fn sample() -> Tree {
    let notice = super::inputs::notice(&repo());
    let lines: Vec<&str> = notice.lines().map(|line| line.trim_start_matches("# ")).collect();
    let owner = "Copyright (c) 2026 The Square authors.";
    let block: String =
        std::iter::once(owner).chain(lines.iter().copied()).map(|line| format!(" * {line}\n")).collect();
    let hashes: String =
        std::iter::once(owner).chain(lines.iter().copied()).map(|line| format!("# {line}\n")).collect();
    let mut tree = Tree::default();
    for part in SAMPLE.split("=== ").skip(1) {
        let (path, text) = part.split_once('\n').expect("a path");
        let text = text.replace("@C@\n", &format!("/**\n{block} */\n")).replace("@H@\n", &hashes);
        tree.put(path, &text);
    }
    tree
}

/// A checkout, tools and results, in which the sample satisfies every rule.
struct World {
    temp: tempfile::TempDir,
    tools: Tooling,
    target: Target,
    results: Results,
    tree: Tree,
    dir: String,
    category: String,
    proposal: Option<Proposal>,
    bundle: Option<Tree>,
    open_parts: Vec<String>,
    allow_clash: bool,
}

impl World {
    fn new() -> World {
        let temp = tempfile::tempdir().expect("temp dir");
        let root = temp.path().join("checkout");
        let put = |path: &str, text: &str| assert!(write_if_changed(&root.join(path), text.as_bytes()).expect("write"));
        put("build.sh", "");
        put("experimental/CMakeLists.txt", "set(COMMON_L0_SRCS\n  ${CMAKE_SOURCE_DIR}/math/cast/op_api/cast.cpp\n)\n");
        put(
            "math/cast/op_api/cast.cpp",
            "namespace l0op {\nOP_TYPE_REGISTER(Cast);\nconst aclTensor* Cast(const aclTensor* self) { return self; }\n}\n",
        );
        put("math/cast/op_host/cast_def.cpp", "OP_ADD(Cast);\n");
        put(
            "math/pow/op_api/pow.cpp",
            "namespace l0op {\nconst aclTensor* Pow(const aclTensor* self) { return self; }\n}\n",
        );
        put("math/pow/op_api/aclnn_pow.h", "aclnnStatus aclnnPow(void* workspace, int size);\n");
        put(
            "experimental/math/cube/op_api/aclnn_cube.h",
            "aclnnStatus aclnnCube(void* w, uint64_t s, aclOpExecutor* e, aclrtStream t);\n",
        );
        put("experimental/math/cube/op_api/cube.cpp", "namespace l0op { OP_TYPE_REGISTER(Cube); }\n");
        put("experimental/math/cube/op_host/cube_def.cpp", "class Cube : public OpDef {\n};\nOP_ADD(Cube);\n");
        put("experimental/math/cube/tests/ut/op_api/test_aclnn_cube.cpp", "TEST(CubeOpApiTest, plain) {}\n");
        put("docs/zh/context.md", "# 说明\n\n## 非连续\n");
        put(".gitignore", "output/\n*.so\n");
        put(".clang-format", "BasedOnStyle: Google\n");
        let commit = Revision { commit: COMMIT.to_owned(), clean: true };
        let mut world = World {
            tools: Tooling {
                include: Some(repo().join("hostcann/include")),
                cxx: "g++".to_owned(),
                clang_format: Some(formatter(temp.path())),
                hooks: Ok(hooks(temp.path())),
                style: None,
                notice: super::inputs::notice(&repo()),
                package: Err("no package".to_owned()),
                python: "python3".to_owned(),
                year: 2026,
            },
            target: Target::open(&root).expect("a checkout"),
            results: Results::of(Some(commit), &[("test", passing_test())]).with_layers(&passing_layers()),
            tree: sample(),
            dir: "square".to_owned(),
            category: "math".to_owned(),
            proposal: None,
            bundle: None,
            open_parts: Vec::new(),
            allow_clash: false,
            temp,
        };
        world.propose();
        world
    }

    /// Commit, text and bundle as `pr` makes them.
    fn propose(&mut self) {
        let case = self.case();
        let about = About::of(&case, &[]);
        let tests = body::tests(&self.results, &self.dir);
        let options =
            bundle::BundleOptions { task: "05-11".into(), team: "mine".into(), design: Some("# Design\n".into()) };
        let report = [("self_verification.md", "a".to_owned()), ("self_verification.html", "b".to_owned())];
        let bundle = bundle::build(&case, &options, &about, &report);
        let proposal = Proposal {
            message: body::message(&about, Some(7)),
            email: "a@example.com".into(),
            year: 2026,
            changes: self.tree.files.keys().map(|path| (case.at(path), Some("100644".into()))).collect(),
            parents: 1,
            applies: Some(Ok(())),
            body: body::pull_request(None, &about, Some(7), &tests),
            complete: true,
        };
        self.bundle = Some(bundle);
        self.proposal = Some(proposal);
    }

    fn case(&self) -> Case<'_> {
        Case {
            dir: &self.dir,
            category: &self.category,
            tree: &self.tree,
            target: Some(&self.target),
            tools: &self.tools,
            results: &self.results,
            proposal: self.proposal.as_ref(),
            bundle: self.bundle.as_ref(),
            open_parts: &self.open_parts,
            allow_clash: self.allow_clash,
        }
    }

    fn edit(&mut self, path: &str, from: &str, to: &str) {
        let text = self.tree.text(path).unwrap_or_else(|| panic!("{path} is no text"));
        assert!(text.contains(from), "{path} has no `{from}`");
        let text = text.replacen(from, to, 1);
        self.tree.put(path, &text);
    }

    fn remove(&mut self, path: &str) {
        self.tree.files.remove(path).unwrap_or_else(|| panic!("{path} is not there"));
    }

    fn proposal(&mut self) -> &mut Proposal {
        self.proposal.as_mut().expect("a proposal")
    }

    fn checkout(&self, path: &str, text: &str) {
        write_if_changed(&self.target.root.join(path), text.as_bytes()).expect("write");
    }

    fn outcome(&self, number: u8) -> Outcome {
        rule::run(rule_of(number), &self.case(), &[]).unwrap_or_else(|error| panic!("rule {number}: {error:#}"))
    }

    fn findings(&self, number: u8) -> Vec<Finding> {
        match self.outcome(number) {
            Outcome::Judged(list) => list,
            Outcome::NotRun(why) => panic!("rule {number} was not run: {why}"),
        }
    }
}

fn rule_of(number: u8) -> &'static Rule {
    all_rules().find(|rule| rule.number == number).expect("a rule")
}

fn passing_test() -> Value {
    json!({"revision": {"commit": COMMIT, "clean": true}, "arguments": ["test"], "passed": 3, "failed": 0,
        "layers": [{"layer": "math_op_host_ut", "passed": 2, "failed": 0}, {"layer": "example", "passed": 1, "failed": 0}]})
}

fn passing_layers() -> [(&'static str, Value); 2] {
    let packed = json!({"layer": "rules about the package", "passed": 0, "failed": 1});
    let example = json!({"layer": "example", "passed": 1, "failed": 0});
    [("ut", json!([{"layer": "math_op_host_ut", "passed": 2, "failed": 0}])), ("example", json!([example, packed]))]
}

/// Complains about lines with BADLY FORMATTED as clang-format does. Copied by another process: a program that this one
/// has open for writing, if only in a child that another thread has just forked, cannot be started.
fn formatter(dir: &Path) -> PathBuf {
    let (text, program) = (dir.join("clang-format.txt"), dir.join("clang-format"));
    let script = "#!/bin/sh\nstatus=0\nfor file in \"$@\"; do case $file in -*) continue;; esac\n  \
        grep -n 'BADLY FORMATTED' \"$file\" | cut -d: -f1 | { while read -r line; do \
        echo \"$file:$line:1: error: code should be clang-formatted [-Wclang-format-violations]\" >&2; done; }\n\
        grep -q 'BADLY FORMATTED' \"$file\" && status=1\ndone\nexit $status\n";
    fs::write(&text, script).expect("write");
    assert!(Command::new("cp").arg(&text).arg(&program).status().expect("cp").success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    program
}

/// Complains about two words as ruff does, and spells nothing.
fn hooks(dir: &Path) -> PathBuf {
    let hooks = dir.join("hooks");
    let (text, program) = (dir.join("ruff.txt"), hooks.join("bin/ruff"));
    let script = "#!/bin/sh\nif [ \"$1\" = check ]; then\n  \
        grep -rln bad_lambda --include=*.py . | sed 's,^./,,; s,$,:1:1: E731 badly put,' | grep . && exit 1\nelse\n  \
        grep -rln badly_formatted --include=*.py . | sed 's,^./,Would reformat: ,' | grep . && exit 1\nfi\nexit 0\n";
    fs::create_dir_all(hooks.join("bin")).expect("mkdir");
    fs::write(&text, script).expect("write");
    write_if_changed(&hooks.join("codespell_lib/__main__.py"), b"").expect("write");
    assert!(Command::new("cp").arg(&text).arg(&program).status().expect("cp").success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    hooks
}

/// Without ruff Python is judged in part, which is no pass.
#[test]
fn python_is_not_judged_without_its_hooks() {
    let mut world = World::new();
    world.tools.hooks = Err("no network".to_owned());
    match world.outcome(31) {
        Outcome::NotRun(why) => {
            assert_eq!(why, "ruff 0.14.14 and codespell 2.4.1 are not there: no network; the rest holds");
        }
        Outcome::Judged(list) => panic!("rule 31 was judged: {list:?}"),
    }
}

#[test]
fn rules_are_numbered_and_explained() {
    let numbers: Vec<u8> = all_rules().map(|rule| rule.number).collect();
    assert_eq!(numbers, (1..=46).collect::<Vec<u8>>());
    for rule in all_rules() {
        assert!(rule.why.len() > 40 && !rule.title.ends_with('.'), "rule {}", rule.number);
        assert!(!rule.zh.is_ascii(), "rule {}", rule.number);
    }
    assert_eq!(year(1_790_000_000), 2026);
}

#[test]
fn the_sample_satisfies_every_rule() {
    let mut world = World::new();
    world.tools.package = Ok(packed(world.temp.path(), "square"));
    for number in 1..=46 {
        let findings = world.findings(number);
        assert!(findings.is_empty(), "rule {number}: {findings:#?}");
    }
}

/// One fault, and where and how its rule reports it.
struct Fault {
    rule: u8,
    severity: Severity,
    /// Part of `path:line: found`
    told: &'static str,
    make: fn(&mut World),
}

const fn fault(rule: u8, severity: Severity, told: &'static str, make: fn(&mut World)) -> Fault {
    Fault { rule, severity, told, make }
}

use Severity::{Error as E, Warning as W};

const DEF: &str = "op_host/square_def.cpp";
const API: &str = "op_api/aclnn_square.h";
const PAGE: &str = "docs/aclnnSquare.md";
const EXAMPLE: &str = "examples/test_aclnn_square.cpp";
const UT_CMAKE: &str = "tests/ut/op_kernel/CMakeLists.txt";

const FAULTS: &[Fault] = &[
    fault(1, E, "math/add/x.cpp: it lies outside of experimental/math/square", |w| {
        w.proposal().changes.push(("math/add/x.cpp".into(), Some("100644".into())));
    }),
    fault(1, E, "experimental/math/cube/x.h: it lies outside", |w| {
        w.proposal().changes.push(("experimental/math/cube/x.h".into(), None));
    }),
    fault(2, E, "conversion/square of the checkout has the same name", |w| {
        w.checkout("conversion/square/CMakeLists.txt", "")
    }),
    fault(2, E, "`Square` is no name in snake case", |w| w.dir = "Square".into()),
    fault(3, E, "op_host/*_tiling*.cpp: it is missing", |w| w.remove("op_host/square_tiling.cpp")),
    fault(3, E, "docs/aclnn*.md: it is missing", |w| w.remove(PAGE)),
    fault(3, E, "tests/ut/op_api: it is missing", |w| w.remove("tests/ut/op_api/test_aclnn_square.cpp")),
    fault(4, E, "op_host/unused.h: no pattern of the build takes it", |w| w.tree.put("op_host/unused.h", "")),
    fault(4, E, "op_host/helper.cpp: no pattern", |w| w.tree.put("op_host/helper.cpp", "#include \"helper.h\"\n")),
    fault(5, E, "output/x.h: the checkout's .gitignore leaves it out", |w| w.tree.put("op_api/output/x.h", "")),
    fault(5, E, "op_kernel/square.h: it is executable", |w| {
        w.tree.files.get_mut("op_kernel/square.h").expect("a file").mode = Mode::Executable;
    }),
    fault(5, E, "README.md: a symbolic link", |w| w.tree.files.get_mut("README.md").expect("a file").mode = Mode::Link),
    fault(5, E, "a blank in the path of an example", |w| w.tree.put("examples/test aclnn.cpp", "")),
    fault(6, E, "op_host/square_tiling.cpp:1: a tab", |w| w.edit("op_host/square_tiling.cpp", "/**", "\t/**")),
    fault(6, E, "README.md:1: blanks at the end of the line", |w| w.edit("README.md", "# Square", "# Square  ")),
    fault(6, E, "no end of line at the end", |w| w.tree.put("op_host/x.txt", "x")),
    fault(6, E, "empty lines at the end", |w| w.tree.put("op_host/x.txt", "x\n\n")),
    fault(6, E, "the line ends with CR LF", |w| w.tree.put("op_host/x.txt", "x\r\n")),
    fault(6, E, "a mark of a merge", |w| w.tree.put("op_host/x.txt", "<<<<<<< HEAD\n")),
    fault(6, E, "a byte order mark", |w| w.tree.put("op_host/x.txt", "\u{feff}x\n")),
    fault(6, E, "no text in UTF-8", |w| {
        w.tree.files.insert("op_host/x.o".into(), File { bytes: vec![0x7f, 0, 0xff], mode: Mode::Plain });
    }),
    fault(6, E, "501 KB, at most 500", |w| w.tree.put("op_host/x.txt", &format!("{}\n", "x".repeat(501 * 1024)))),
    fault(6, E, "a private key", |w| w.tree.put("op_host/x.txt", "-----BEGIN RSA PRIVATE KEY-----\n")),
    fault(7, E, "tests/square_def.cpp: another file of the definition's name", |w| {
        w.tree.put("tests/square_def.cpp", "")
    }),
    fault(8, E, "OPTYPE Square", |w| w.edit("CMakeLists.txt", "OPTYPE square", "OPTYPE Square")),
    fault(8, E, "1 OPTYPE, 2 ACLNNTYPE", |w| w.edit("CMakeLists.txt", "aclnn_exclude", "aclnn_exclude aclnn")),
    fault(8, E, "ACLNNTYPE handmade", |w| w.edit("CMakeLists.txt", "aclnn_exclude", "handmade")),
    fault(8, E, "0 calls of add_all_modules_sources", |w| w.edit("CMakeLists.txt", "add_all", "# add_all")),
    fault(8, W, "more than the call", |w| w.edit("CMakeLists.txt", "add_all", "set(X 1)\nadd_all")),
    fault(9, E, "OP_ADD(Squared)", |w| w.edit(DEF, "OP_ADD(Square)", "OP_ADD(Squared)")),
    fault(9, E, "a second OP_ADD(Cubed)", |w| w.edit(DEF, "OP_ADD(Square);", "OP_ADD(Square);\nOP_ADD(Cubed);")),
    fault(9, E, "Format and the first list have 1 and 2 entries", |w| {
        w.edit(DEF, ".Format({ge::FORMAT_ND, ge::FORMAT_ND})", ".Format({ge::FORMAT_ND})")
    }),
    fault(9, E, "no class Square in namespace ops", |w| w.edit(DEF, "namespace ops", "namespace other")),
    fault(10, E, "no .AddConfig(\"ascend910_93\"", |w| w.edit(DEF, "\"ascend910_93\"", "A3")),
    fault(10, W, "AddConfig(ascend310p)", |w| {
        w.edit(DEF, "this->AICore()", "this->AICore().AddConfig(\"ascend310p\");\n        this->AICore()")
    }),
    fault(11, E, "it includes ../op_kernel/square.h", |w| {
        w.edit(DEF, "#include <vector>", "#include \"../op_kernel/square.h\"")
    }),
    fault(11, E, "an attribute called `result`", |w| w.edit(DEF, "\"mode\"", "\"result\"")),
    fault(12, E, "no __global__ __aicore__ function `square`", |w| {
        w.edit("op_kernel/square.cpp", "void square(", "void squares(")
    }),
    fault(12, W, "op_kernel/square.h:", |w| {
        w.edit(
            "op_kernel/square.h",
            "#include \"kernel_operator.h\"",
            "#include \"kernel_operator.h\"\nstatic int square;",
        )
    }),
    fault(12, E, "`sqrt` is a function of the C library", |w| {
        w.dir = "sqrt".into();
        w.tree.put("op_kernel/sqrt.cpp", "extern \"C\" __global__ __aicore__ void sqrt(GM_ADDR x) {}\n");
    }),
    fault(13, E, "it includes ../op_host/x.h", |w| {
        w.edit("op_kernel/square.h", "\"kernel_operator.h\"", "\"../op_host/x.h\"")
    }),
    fault(13, E, "nowhere.h is neither here nor a header of the toolkit", |w| {
        w.edit("op_kernel/square.h", "\"kernel_operator.h\"", "\"nowhere.h\"")
    }),
    fault(14, E, "it names hostcann", |w| w.edit("op_kernel/square.h", "#include", "#define HOSTCANN_X\n#include")),
    fault(15, W, "op_type \"Other\"", |w| {
        w.tree.put("op_host/config/ascend910b/square_binary.json", "{\"op_type\": \"Other\"}\n")
    }),
    fault(15, W, "bin_filename Cube_1", |w| {
        w.tree.put(
            "op_host/config/ascend910b/square_binary.json",
            "{\"op_type\": \"Square\", \"op_list\": [{\"bin_filename\": \"Cube_1\"}]}\n",
        );
    }),
    fault(16, E, "aclnnSquareGetWorkspaceSize without aclnnSquare", |w| {
        w.edit(API, "aclnnStatus aclnnSquare(", "aclnnStatus Square(")
    }),
    fault(16, E, "aclnnSquare is declared and not defined", |w| {
        w.edit("op_api/aclnn_square.cpp", "aclnnSquare(", "aclnnSquared(")
    }),
    fault(16, E, "in math/pow/op_api/aclnn_pow.h (void*, int)", |w| {
        w.edit(
            API,
            "aclnnStatus aclnnSquare(",
            "aclnnStatus aclnnPow(void* workspace, uint64_t size);\naclnnStatus aclnnSquare(",
        );
    }),
    fault(17, E, "experimental/math/cube has the same aclnnSquare, aclnn_square.h", |w| {
        w.checkout("experimental/math/cube/op_api/aclnn_square.h", "aclnnStatus aclnnSquare(int x);\n");
    }),
    fault(17, E, "OP_TYPE_REGISTER(Square) is in experimental/math/cube/op_api/cube.cpp:1", |w| {
        w.checkout("experimental/math/cube/op_api/cube.cpp", "OP_TYPE_REGISTER(Square);\n");
    }),
    fault(17, E, "math/cast/op_host/cast_def.cpp:1 has the op type Square", |w| {
        w.checkout("math/cast/op_host/cast_def.cpp", "OP_ADD(Square);\n")
    }),
    fault(17, E, "has the op type Square", |w| w.checkout("math/cast/op_graph/cast_proto.h", "REG_OP(Square)\n")),
    fault(18, E, "it includes square.h", |w| {
        w.edit(API, "#include \"aclnn/aclnn_base.h\"", "#include \"aclnn/aclnn_base.h\"\n#include \"square.h\"")
    }),
    fault(18, E, "no include guard", |w| w.edit(API, "#ifndef OP_API", "#if 1 // OP_API")),
    fault(18, E, "'aclTensor' does not name a type", |w| {
        w.edit(API, "#include \"aclnn/aclnn_base.h\"", "typedef int aclnnStatus;")
    }),
    fault(18, E, "aclnn_square.h has the guard OP_API_INC_ACLNN_SQUARE_H_, too", |w| {
        let text = w.tree.text(API).expect("a header").to_owned();
        w.tree.put("op_api/aclnn_square_v2.h", &text);
    }),
    fault(
        19,
        E,
        "the suite SquareOpApiTest is in experimental/math/cube/tests/ut/op_api/test_aclnn_cube.cpp:1, too",
        |w| {
            w.checkout(
                "experimental/math/cube/tests/ut/op_api/test_aclnn_cube.cpp",
                "TEST_F(SquareOpApiTest, other) {}\n",
            );
        },
    ),
    fault(20, E, "test_square.cpp: the build does not take a test of this name", |w| {
        w.tree.put("tests/ut/op_host/test_square.cpp", "")
    }),
    fault(20, E, "the chip `ascend910B1`", |w| w.edit(UT_CMAKE, "ascend910b", "ascend910B1")),
    fault(20, E, "the test case is of `cube`", |w| w.edit(UT_CMAKE, "AddOpTestCase(square", "AddOpTestCase(cube")),
    fault(20, E, "not guarded", |w| w.edit(UT_CMAKE, "UT_TEST_ALL OR", "")),
    fault(21, E, "it does not include the kernel", |w| {
        w.edit("tests/ut/op_kernel/test_square.cpp", "square.cpp\"", "square.h\"")
    }),
    fault(21, E, "the kernel comes before TestUtDefaultTilingStruct", |w| {
        w.edit("tests/ut/op_kernel/test_square.cpp", "using TestUtDefaultTilingStruct", "using Other");
    }),
    fault(22, E, "it includes gtest/gtest.h", |w| {
        w.edit(EXAMPLE, "#include <vector>", "#include <vector>\n#include \"gtest/gtest.h\"")
    }),
    fault(22, E, "it can print `example fail`", |w| w.edit(EXAMPLE, "%d wrong", "example failed %d")),
    fault(22, E, "main can only return 0", |w| w.edit(EXAMPLE, "wrong == 0 ? 0 : 1", "0")),
    fault(22, E, "'missing' was not declared", |w| w.edit(EXAMPLE, "return wrong", "missing();\n    return wrong")),
    fault(22, W, "nothing looks like a comparison", |w| {
        w.tree.put(EXAMPLE, "#include <cstdio>\nint main(int argc, char**)\n{\n    return argc;\n}\n")
    }),
    fault(23, E, "aclnnSquare has no unit test in tests/ut/op_api", |w| {
        w.edit("tests/ut/op_api/test_aclnn_square.cpp", "aclnnSquare", "x")
    }),
    fault(23, E, "aclnnSquare has no page in docs", |w| w.remove(PAGE)),
    fault(23, E, "aclnnSquare has no example", |w| w.remove(EXAMPLE)),
    fault(24, W, "math_op_host_ut: 1 failed", |w| {
        let [ut, example] = passing_layers();
        let failed = json!([{"layer": "math_op_host_ut", "passed": 1, "failed": 1}]);
        w.results = Results::of(w.results.here.clone(), &[]).with_layers(&[(ut.0, failed), example]);
    }),
    fault(25, E, "op_host/square_infershape.cpp:11: unused variable 'x'", |w| {
        w.tree.files.retain(|path, _| path.starts_with("op_host/square_infershape"));
        w.edit("op_host/square_infershape.cpp", "return 0;", "int x = 1; return 0;");
    }),
    fault(26, E, "l0op::Pow is not linked", |w| {
        w.edit("op_api/square.cpp", "return l0op::Cast(self)", "return l0op::Pow(self)")
    }),
    fault(27, W, "memcpy()", |w| {
        w.edit("op_host/square_tiling.cpp", "return {length};", "std::memcpy(a, b, 1);\n    return {length};")
    }),
    fault(27, W, "a C cast, (int)", |w| {
        w.edit("op_host/square_tiling.cpp", "return {length};", "return {(int)length};")
    }),
    fault(27, W, "`if` without braces", |w| {
        w.edit("op_host/square_tiling.cpp", "return {length};", "if (length > 1) length = 2;\n    return {length};")
    }),
    fault(27, W, "a switch without default", |w| {
        w.edit(
            "op_host/square_tiling.cpp",
            "return {length};",
            "switch (length) { case 1: break; }\n    return {length};",
        )
    }),
    fault(27, W, "op_kernel/square.h:10: `using namespace` in a header", |w| {
        w.edit("op_kernel/square.h", "#include", "using namespace AscendC;\n#include")
    }),
    fault(27, W, "121 columns", |w| {
        w.edit("op_kernel/square.h", "#include", &format!("{}\n#include", "/".repeat(121)))
    }),
    fault(28, E, "op_kernel/square.h:10: clang-format changes 1 place", |w| {
        w.edit("op_kernel/square.h", "#include", "// BADLY FORMATTED\n#include")
    }),
    fault(29, E, "op_kernel/square.h:1: the notice has other words", |w| {
        w.edit("op_kernel/square.h", "(the \"License\")", "")
    }),
    fault(29, E, "tests/aot/x.py:1: no notice in the first lines", |w| w.tree.put("tests/aot/x.py", "x = 1\n")),
    fault(30, E, "the year is `2027`", |w| w.edit("op_kernel/square.h", "(c) 2026", "(c) 2027")),
    fault(30, W, "no owner after the year", |w| w.edit("op_kernel/square.h", "The Square authors.", "")),
    fault(31, E, "tests/aot/square_cases.json:2: no JSON", |w| w.edit("tests/aot/square_cases.json", "}", "")),
    fault(31, E, "tests/aot/x.py: python: SyntaxError", |w| w.tree.put("tests/aot/x.py", "def\n")),
    fault(31, E, "tests/aot/x.py:1: ruff: E731 badly put", |w| w.tree.put("tests/aot/x.py", "bad_lambda = 1\n")),
    fault(31, E, "tests/aot/x.py: ruff format changes it", |w| w.tree.put("tests/aot/x.py", "badly_formatted = 1\n")),
    fault(32, W, "examples/test_aclnn_square.cpp:15: 8 lines as in experimental/math/cube/op_api/copy.cpp:15", |w| {
        w.checkout(
            "experimental/math/cube/op_api/copy.cpp",
            &w.tree.text(EXAMPLE).expect("a source").replace("Square authors", "others"),
        );
    }),
    fault(33, E, "the title is `square`", |w| w.edit("README.md", "# Square", "# square")),
    fault(33, E, "sections are missing: 约束说明", |w| w.edit("README.md", "## 约束说明", "## 约束")),
    fault(33, E, "no √ for Atlas A2", |w| {
        w.edit("README.md", "Atlas A2 推理系列产品</term> | √", "Atlas A2 推理系列产品</term> | ×")
    }),
    fault(33, E, "the row of the contribution is not filled in", |w| w.edit("README.md", "| somebody |", "| xxx |")),
    fault(34, E, "the title is `aclnnSquares`", |w| w.edit(PAGE, "# aclnnSquare\n", "# aclnnSquares\n")),
    fault(34, E, "the section aclnnSquare is missing", |w| w.edit(PAGE, "## aclnnSquare\n", "## 第二段\n")),
    fault(34, E, "the table of parameters has 参数名|输入/输出|描述|数据类型", |w| {
        w.edit(PAGE, "| 使用说明 ", "")
    }),
    fault(34, E, "no row about 161002", |w| w.edit(PAGE, "161002", "16100")),
    fault(34, E, "the example is none of those in examples/", |w| w.edit(PAGE, "int wrong = 0;", "int wrong = 1;")),
    fault(34, E, "`aclnnSquare&aclnnCube` are not a function and its in-place form", |w| {
        w.tree.put("docs/aclnnSquare&aclnnCube.md", "# aclnnSquare&aclnnCube\n")
    }),
    fault(35, E, "docs/nowhere.md leads nowhere: experimental/math/square/docs/nowhere.md is not there", |w| {
        w.edit("README.md", "(docs/aclnnSquare.md)", "(docs/nowhere.md)")
    }),
    fault(35, E, "has no heading `别处`", |w| w.edit("README.md", "#非连续", "#别处")),
    fault(35, E, "context2.md is not there", |w| w.edit("README.md", "context.md", "context2.md")),
    fault(35, E, "no link to docs/aclnnSquare.md", |w| {
        w.edit("README.md", "[aclnnSquare](docs/aclnnSquare.md)", "aclnnSquare")
    }),
    fault(36, E, "`功能说明` is of level 3 below level 1", |w| {
        w.tree.put("README.md", "# Square\n\n### 功能说明\n")
    }),
    fault(36, E, "a fence without a language", |w| w.edit(PAGE, "```Cpp\naclnnStatus", "```\naclnnStatus")),
    fault(36, E, "`功能说明：` ends with punctuation", |w| w.edit("README.md", "## 功能说明", "## 功能说明：")),
    fault(36, E, "`1. 功能` is numbered", |w| w.edit("README.md", "## 功能说明", "## 1. 功能")),
    fault(36, E, "no blank line after `功能说明`", |w| w.edit("README.md", "## 功能说明\n\n", "## 功能说明\n")),
    fault(36, E, "a second title", |w| w.edit("README.md", "## 功能说明", "# 功能说明")),
    fault(36, E, "the tag <div>", |w| w.edit("README.md", "- 算子功能", "- <div>算子</div>功能")),
    fault(36, E, "the image docs/x.gif", |w| w.edit("README.md", "- 算子功能", "- ![x](docs/x.gif)算子功能")),
    fault(37, E, "README.md:14: INT32: in op_host/square_def.cpp, not here", |w| {
        w.edit("README.md", "FLOAT、INT32", "FLOAT");
        w.edit("README.md", "FLOAT、INT32", "FLOAT");
    }),
    fault(37, E, "docs/aclnnSquare.md:20: INT8: neither in op_host/square_def.cpp nor in op_api", |w| {
        w.edit(PAGE, "FLOAT、INT32", "FLOAT、INT32、INT8")
    }),
    fault(38, E, "git apply --check: error: x", |w| w.proposal().applies = Some(Err("error: x".into()))),
    fault(38, E, "a commit with 2 parents", |w| w.proposal().parents = 2),
    fault(38, E, "mode 100755", |w| w.proposal().changes[0].1 = Some("100755".into())),
    fault(39, E, "the subject has 51 characters", |w| {
        w.proposal().message = format!("{}\n\nx\n\n关联的Issue: #1\n", "字".repeat(51))
    }),
    fault(39, E, "no blank line after the subject", |w| w.proposal().message = "a\nb\n关联的Issue: #1\n".into()),
    fault(39, E, "no line `关联的Issue: #N`", |w| w.proposal().message = "a\n\nb\n\n关联的Issue: 1\n".into()),
    fault(39, E, "no body", |w| w.proposal().message = "a\n\n关联的Issue: #1\n".into()),
    fault(39, E, "git knows no e-mail", |w| w.proposal().email.clear()),
    fault(39, W, "`Co-Authored-By: a`", |w| w.proposal().message.push_str("Co-Authored-By: a\n")),
    fault(40, E, "no `## 测试`", |w| w.proposal().body = w.proposal().body.replace("## 测试", "## Tests")),
    fault(40, E, "no type is ticked", |w| w.proposal().body = w.proposal().body.replace("[x]", "[ ]")),
    fault(40, E, "no issue", |w| w.proposal().body = w.proposal().body.replace("#7", "")),
    fault(41, W, "the gate would run `build.sh --pkg --experimental --vendor_name=experimental --ops=acos`", |w| {
        w.edit(DEF, "\"ascend910b\"", "A2")
    }),
    fault(41, W, "the gate would run no unit tests --opapi", |w| {
        w.tree.files.retain(|path, _| !path.contains("op_api") || path.contains("x"))
    }),
    fault(41, W, "the gate would run no example", |w| w.remove(EXAMPLE)),
    fault(45, E, "05-11-Square/mine/docs/design.md: it is missing", |w| {
        w.bundle.as_mut().expect("a bundle").files.remove("05-11-Square/mine/docs/design.md").expect("it");
    }),
    fault(45, E, "05-11-Square/mine/docs/self_verification.md: it is missing", |w| {
        w.bundle.as_mut().expect("a bundle").files.remove("05-11-Square/mine/docs/self_verification.md").expect("it");
    }),
    fault(45, W, "docs/self_verification.md: Tests: not all run", |w| w.open_parts = vec!["Tests: not all run".into()]),
    fault(46, E, "tests/aot/square_cases.json:1: `Cube` (2 times) is no interface of this operator", |w| {
        let cases = "{\"cases\": [{\"op_name\": \"Square\"}, {\"op_name\": \"Cube\"}, {\"op\": \"Cube\"}]}\n";
        w.tree.put("tests/aot/square_cases.json", cases);
    }),
    fault(45, E, "not {NN-N}-{Op}/{Team}", |w| {
        let mut bundle = Tree::default();
        bundle.put("Square/mine/README.md", "");
        w.bundle = Some(bundle);
    }),
];

#[test]
fn every_fault_is_told() {
    for (at, fault) in FAULTS.iter().enumerate() {
        let mut world = World::new();
        if fault.rule == 41 && fault.told.ends_with("--opapi") {
            world.edit("CMakeLists.txt", "aclnn_exclude", "aclnn_exclude ");
        }
        (fault.make)(&mut world);
        let findings = world.findings(fault.rule);
        let fits = |one: &Finding| {
            one.severity == fault.severity && one.rule == fault.rule && one.to_string().contains(fault.told)
        };
        assert!(findings.iter().any(fits), "fault {at}, rule {}, `{}`:\n{findings:#?}", fault.rule, fault.told);
        assert!(findings.iter().all(|one| !one.fix.is_empty()), "{findings:#?}");
    }
}

#[test]
fn every_rule_has_a_fault() {
    // The package's rules have tests of their own.
    let packages = [42, 43, 44];
    for number in (1..=46).filter(|number| !packages.contains(number)) {
        assert!(FAULTS.iter().any(|fault| fault.rule == number), "rule {number}");
    }
}

#[test]
fn a_clash_can_be_wanted_or_taken_away() {
    let mut world = World::new();
    world.checkout("experimental/math/cube/op_api/aclnn_square.h", "aclnnStatus aclnnSquare(int x);\n");
    assert_eq!(world.findings(17).len(), 1);
    assert!(world.findings(17)[0].fix.contains("--replace cube"));
    world.allow_clash = true;
    let wanted = &world.findings(17)[0];
    assert!(wanted.severity == Severity::Warning && wanted.explained.is_some(), "{wanted:?}");
    world.allow_clash = false;
    world.target.gone.insert("experimental/math/cube".to_owned());
    assert_eq!(world.findings(17), []);
    // What is replaced is deleted in the same commit.
    world.proposal().changes.push(("experimental/math/cube/x.h".into(), None));
    assert_eq!(world.findings(1), []);
}

#[test]
fn without_a_checkout_rules_say_what_they_need() {
    let world = World::new();
    let case = Case { target: None, proposal: None, bundle: None, ..world.case() };
    for number in [5, 17, 19, 26, 32, 35, 38, 39, 40, 42, 45] {
        match rule::run(rule_of(number), &case, &[]).expect("an outcome") {
            Outcome::NotRun(why) => assert!(!why.is_empty()),
            Outcome::Judged(list) => panic!("rule {number} was judged: {list:?}"),
        }
    }
}

/// Whatever `test` ran last: layers count each by itself.
#[test]
fn tests_that_ran_layer_by_layer() {
    let mut world = World::new();
    let why = |world: &World| match world.outcome(24) {
        Outcome::NotRun(why) => why,
        Outcome::Judged(list) => panic!("rule 24 was judged: {list:?}"),
    };
    let checker =
        json!({"revision": {"commit": COMMIT, "clean": true}, "arguments": ["test", "--check"], "layers": []});
    let of = |here, layers: &[(&str, Value)]| Results::of(here, &[("test", checker.clone())]).with_layers(layers);
    let here = world.results.here.clone();
    world.results = of(here.clone(), &passing_layers());
    assert_eq!(world.findings(24), []);
    // A whole run of one layer says nothing of the other.
    let [ut, example] = passing_layers();
    world.results = of(here.clone(), std::slice::from_ref(&ut));
    assert_eq!(why(&world), "example: not run; `cargo xtask test` runs them; the rest holds");
    world.results = of(here.clone(), &[]);
    assert_eq!(why(&world), "ut: not run; example: not run; `cargo xtask test` runs them");
    world.results = of(here.clone(), &[("ut", json!([])), example]);
    assert_eq!(why(&world), "ut: the stored run had no test; `cargo xtask test` runs them; the rest holds");
    let changed = here.map(|here| Revision { clean: false, ..here });
    world.results = of(changed, &passing_layers());
    assert!(why(&world).starts_with("ut: this tree has changes"), "{}", why(&world));
    // What is not there cannot have run.
    world.tree.files.retain(|path, _| !path.starts_with("tests/ut") && !path.starts_with("examples"));
    assert_eq!(why(&world), "there are neither unit tests nor examples");
}

#[test]
fn warnings_can_be_explained_and_errors_cannot() {
    let known = rule::Explanation::read(
        "# comment\n12 experimental/math/square/op_kernel/square.h: it is meant\n9 experimental/math/square/op_host/square_def.cpp: no\n",
        super::slug::rule_number,
    )
    .expect("two lines");
    let mut world = World::new();
    world.edit(
        "op_kernel/square.h",
        "#include \"kernel_operator.h\"",
        "#include \"kernel_operator.h\"\nstatic int square;",
    );
    world.edit(DEF, "OP_ADD(Square)", "OP_ADD(Squared)");
    let of = |number| match rule::run(rule_of(number), &world.case(), &known).expect("an outcome") {
        Outcome::Judged(list) => list.into_iter().map(|one| (one.slug, one.explained)).collect::<Vec<_>>(),
        Outcome::NotRun(why) => panic!("{why}"),
    };
    assert_eq!(of(12), [("kernel-entry".to_owned(), Some("it is meant".to_owned()))]);
    assert!(of(9).iter().all(|(_, explained)| explained.is_none()));
}

/// A package of the real scripts around made-up content.
fn packed(dir: &Path, op: &str) -> PathBuf {
    packed_with(dir, op, |_| {})
}

fn packed_with(dir: &Path, op: &str, change: impl FnOnce(&Path)) -> PathBuf {
    let stage = dir.join("stage");
    let inner = stage.join("packages/vendors/custom_math");
    let tbe = inner.join("op_impl/ai_core/tbe");
    let put = |path: PathBuf, bytes: &[u8]| assert!(write_if_changed(&path, bytes).expect("write"));
    // The installer compares the machine type of libraries with its own.
    let library = &fs::read(std::env::current_exe().expect("this program")).expect("read")[..64];
    put(inner.join("op_api/lib/libcust_opapi.so"), library);
    put(tbe.join("op_tiling/lib/linux/x/libcust_opmaster_rt2.0.so"), library);
    put(inner.join("version.info"), b"custom_opp_compiler_version=1\n");
    put(tbe.join(format!("custom_math_impl/ascendc/{op}/{op}.cpp")), b"");
    put(tbe.join(format!("custom_math_impl/dynamic/{op}.py")), b"");
    let info = "{\n    \"Square\":{\n        \"input0\":{\n            \"dtype\":\"float,int32\",\n            \"format\":\"ND,ND\"\n        },\n        \
        \"opFile\":{\n            \"value\":\"square\"\n        },\n        \"opInterface\":{\n            \"value\":\"square\"\n        },\n        \
        \"precision_reduce\":{\n            \"flag\":\"true\"\n        }\n    }\n}\n";
    for chip in ["ascend910b", "ascend910_93"] {
        put(tbe.join(format!("config/{chip}/aic-{chip}-ops-info.json")), info.as_bytes());
    }
    let kernels = tbe.join("kernel");
    let about =
        json!({"binFileName": "Square_1", "binFileSuffix": ".o", "sha256": crate::base::files::sha256(b"object")});
    put(kernels.join("ascend910b/square/Square_1.json"), about.to_string().as_bytes());
    put(kernels.join("ascend910b/square/Square_1.o"), b"object");
    let list = json!({"binList": [{"binInfo": {"jsonFilePath": "ascend910b/square/Square_1.json"}}]});
    put(kernels.join("config/ascend910b/square.json"), list.to_string().as_bytes());
    let list = json!({"Square": {"binaryList": [{"binPath": "ascend910b/square/Square_1.o", "jsonPath": "ascend910b/square/Square_1.json"}]}});
    put(kernels.join("config/ascend910b/binary_info_config.json"), list.to_string().as_bytes());
    package::put_scripts(&repo(), "custom_math", &stage).expect("scripts");
    change(&stage);
    let stub = fs::read_to_string(repo().join("scripts/package/run_stub.sh")).expect("the stub");
    let run = dir.join(format!("cann-ops-math-custom_linux-{}.run", std::env::consts::ARCH));
    runfile::write(&stage, &stub, "custom_math 1 for x", "c0ffee", &run).expect("pack");
    run
}

#[test]
fn broken_packages() {
    type Change = fn(&Path);
    const TBE: &str = "packages/vendors/custom_math/op_impl/ai_core/tbe";
    let cases: [(u8, &str, Change); 8] = [
        (42, "no help.info at the top", |stage| fs::remove_file(stage.join("help.info")).expect("remove")),
        (42, "config/ascend910_93/aic-ascend910_93-ops-info.json", |stage| {
            fs::remove_dir_all(stage.join(TBE).join("config/ascend910_93")).expect("remove");
        }),
        (42, "no object next to ascend910b/square/Square_1.json", |stage| {
            fs::remove_file(stage.join(TBE).join("kernel/ascend910b/square/Square_1.o")).expect("remove");
        }),
        (42, "is another one than its sha256 says", |stage| {
            fs::write(stage.join(TBE).join("kernel/ascend910b/square/Square_1.o"), b"other").expect("write");
        }),
        (43, "not as json.dump", |stage| {
            fs::write(stage.join(TBE).join("config/ascend910b/aic-ascend910b-ops-info.json"), b"{\"Square\": {}}")
                .expect("write");
        }),
        (43, "2 data types, format has 1", |stage| {
            let file = stage.join(TBE).join("config/ascend910b/aic-ascend910b-ops-info.json");
            let text = fs::read_to_string(&file).expect("read").replace("ND,ND", "ND");
            fs::write(file, text).expect("write");
        }),
        (44, "a relative --install-path: exit status: 0", |stage| {
            let file = stage.join("install.sh");
            let text = fs::read_to_string(&file).expect("read").replace("/*) ;;", "*) ;;");
            fs::write(file, text).expect("write");
        }),
        (44, "the last line is", |stage| {
            let file = stage.join("install.sh");
            let text = fs::read_to_string(&file).expect("read").replace("echo SUCCESS", "echo done");
            fs::write(file, text).expect("write");
        }),
    ];
    for (number, told, change) in cases {
        let mut world = World::new();
        world.tools.package = Ok(packed_with(world.temp.path(), "square", change));
        let findings = world.findings(number);
        assert!(findings.iter().any(|one| one.to_string().contains(told)), "rule {number}, `{told}`: {findings:#?}");
    }
}

//! Rules 20-24: unit tests and examples.

use anyhow::Result;
use cpptext::{spelled, tokens};

use super::compile::{self, Source};
use super::rule::{Case, Findings, Outcome, Rule, not_run, partly};
use super::symbols::{base_name, own_api};
use super::tree::split;

pub const RULES: [Rule; 5] = [
    Rule {
        number: 20,
        slug: "unit-test-names",
        title: "unit tests have the names that the build looks for",
        zh: "单元测试文件名符合构建规则",
        why: "add_all_ut_sources takes test_aclnn_*.cpp, test_*_tiling.cpp and test_*_infershape.cpp; kernel tests come by \
              AddOpTestCase, which skips a chip whose name is not exactly the one that is built (ascend910B1) without a word.",
        check: names,
    },
    Rule {
        number: 21,
        slug: "kernel-test",
        title: "the kernel test brings its kernel",
        zh: "核函数单元测试自带核函数",
        why: "The harness looks for kernels below math/, not below experimental/math/: the test includes the source. With \
              REGISTER_TILING_DEFAULT the generated header refers to TestUtDefaultTilingStruct, which must be known before.",
        check: kernel_test,
    },
    Rule {
        number: 22,
        slug: "verifying-examples",
        title: "examples are programs of their own that verify",
        zh: "样例为可独立运行并校验结果的程序",
        why: "PreSmoke runs each on hardware with `g++ file.cpp`, acl and the op's own interface; a result other than 0 or \
              the words `example fail` or `execute samples failed` in the log fail the gate.",
        check: examples,
    },
    Rule {
        number: 23,
        slug: "interface-coverage",
        title: "every interface has a test, an example and a page",
        zh: "每个接口都有测试、样例和文档",
        why: "CONTRIBUTING.md asks for all three of every interface.",
        check: covered,
    },
    Rule {
        number: 24,
        slug: "test-results",
        title: "unit tests and examples pass",
        zh: "单元测试与样例通过",
        why: "What fails here fails in the gate. Taken from what whole runs of the layers `ut` and `example` of \
              `cargo xtask test` left on this very commit; a layer without such a run is named.",
        check: pass,
    },
];

const CHIPS: [&str; 2] = ["ascend910b", "ascend910_93"];

fn names(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, _) in case.tree.below("tests/ut").filter(|(path, _)| path.ends_with(".cpp")) {
        let name = split(path).1.trim_end_matches(".cpp");
        let kind = path.split('/').nth(2).unwrap_or_default();
        let (good, wanted) = match kind {
            "op_host" => {
                let deep = path.split('/').count() > 4;
                let tiling = name.ends_with("_tiling") || deep && name.contains("_tiling");
                let good = name.starts_with("test_") && (tiling || name.ends_with("_infershape"));
                (good, "test_*_tiling.cpp or test_*_infershape.cpp".to_owned())
            }
            "op_api" => (name.starts_with("test_aclnn_"), "test_aclnn_*.cpp".to_owned()),
            "op_kernel" => {
                let start = format!("test_{}", case.dir);
                (name.starts_with(&start), format!("{start}*.cpp"))
            }
            _ => continue,
        };
        if !good {
            found.error(case.at(path), 0, "the build does not take a test of this name", wanted);
        }
    }
    kernel_cmake(case, &mut found);
    found.judged()
}

fn kernel_cmake(case: &Case, found: &mut Findings) {
    const FILE: &str = "tests/ut/op_kernel/CMakeLists.txt";
    if case.tree.below("tests/ut/op_kernel").next().is_none() {
        return;
    }
    let Some(content) = case.tree.text(FILE) else {
        found.error(case.at(FILE), 0, "it is missing", "if(UT_TEST_ALL OR OP_KERNEL_UT), AddOpTestCase(…), endif()");
        return;
    };
    if !content.lines().any(|line| line.trim().replace(' ', "") == "if(UT_TEST_ALLOROP_KERNEL_UT)") {
        found.error(case.at(FILE), 0, "not guarded", "if(UT_TEST_ALL OR OP_KERNEL_UT) … endif()");
    }
    let mut calls = 0;
    for (number, line) in content.lines().enumerate() {
        let words: Vec<&str> =
            line.split(|c: char| c.is_whitespace() || "()\"".contains(c)).filter(|word| !word.is_empty()).collect();
        let (op, chips): (&str, Vec<&str>) = match words.as_slice() {
            ["AddOpTestCase", op, chips, ..] => (op, chips.split(';').collect()),
            ["AddOpsTestCase", "OP_NAME", op, "SOC_VERSION", rest @ ..] => {
                (op, rest.iter().take_while(|word| word.starts_with("ascend")).copied().collect())
            }
            _ => continue,
        };
        calls += 1;
        if op != case.dir {
            found.error(case.at(FILE), number + 1, format!("the test case is of `{op}`"), format!("of {}", case.dir));
        }
        for chip in chips.iter().filter(|chip| !chip.contains('$') && !CHIPS.contains(chip)) {
            let fix = format!("exactly {}: another spelling is skipped without a word", CHIPS.join(" or "));
            found.error(case.at(FILE), number + 1, format!("the chip `{chip}`"), fix);
        }
    }
    if calls == 0 && !content.contains("AddOpsTestCase") {
        found.error(case.at(FILE), 0, "no AddOpTestCase", format!("AddOpTestCase({} \"ascend910b\" …)", case.dir));
    }
}

fn kernel_test(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let wanted = format!("../../../op_kernel/{}.cpp", case.dir);
    let tests: Vec<(&str, &str)> = case.tree.named("tests/ut/op_kernel", "test_", ".cpp").collect();
    let default = case.tree.below("op_kernel").any(|(_, text)| cpptext::code(text).contains("REGISTER_TILING_DEFAULT"));
    for (path, content) in &tests {
        let including = cpptext::includes(content).into_iter().find(|include| include.path == wanted);
        let Some(including) = including else {
            found.error(case.at(path), 0, "it does not include the kernel", format!("#include \"{wanted}\""));
            continue;
        };
        let alias = cpptext::places_of(&cpptext::code(content), "TestUtDefaultTilingStruct").first().copied();
        let before = alias.is_some_and(|at| cpptext::line_at(content, at) < including.line);
        if default && !before {
            let fix = "using TestUtDefaultTilingStruct = <the tiling struct>; in front of it";
            found.error(case.at(path), including.line, "the kernel comes before TestUtDefaultTilingStruct", fix);
        }
    }
    found.judged()
}

fn examples(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let all: Vec<(&str, &str)> = case.tree.named("examples", "test_aclnn_", ".cpp").collect();
    for (path, content) in &all {
        for include in cpptext::includes(content) {
            let name = include.path.as_str();
            let standard = include.angle && !name.contains('/');
            let own = name.starts_with("aclnn_") || name.starts_with("aclnnop/");
            if !standard && !own && !name.starts_with("acl/") && name != "aclnn/aclnn_base.h" {
                let fix = "acl/acl.h, aclnn*.h and the standard library: nothing else is on the include path";
                found.error(case.at(path), include.line, format!("it includes {name}"), fix);
            }
        }
        for words in ["example fail", "execute samples failed"] {
            if let Some(at) = content.find(words) {
                found.error(
                    case.at(path),
                    cpptext::line_at(content, at),
                    format!("it can print `{words}`"),
                    "other words: the gate searches the log for these",
                );
            }
        }
        verdict(case, path, content, &mut found);
    }
    if all.is_empty() {
        return found.judged();
    }
    let own: Vec<Source> = all.iter().map(|(path, content)| Source::text(path, (*content).to_owned())).collect();
    // A generated interface has no header before the build.
    if !case.has_own_api() {
        return partly("headers of a generated interface are there after the build only", found);
    }
    match compile::installed(case, &own)? {
        None => partly("nothing compiles them without the toolkit's headers", found),
        Some(errors) => {
            for error in errors {
                found.error(
                    case.at(&error.path),
                    error.line,
                    error.message,
                    "`g++ file.cpp` with public headers must do",
                );
            }
            found.judged()
        }
    }
}

/// Whether a wrong result can end it with another status than 0.
fn verdict(case: &Case, path: &str, content: &str, found: &mut Findings) {
    let code = cpptext::code(content);
    let main = cpptext::places_of(&code, "main").into_iter().find_map(|at| {
        let open = at + code[at..].find('{')?;
        Some((at, cpptext::group(&code, open)?))
    });
    let Some((at, body)) = main else {
        found.error(case.at(path), 0, "no main", "an example is a program");
        return;
    };
    let returns: Vec<String> = cpptext::places_of(body, "return")
        .into_iter()
        .map(|at| spelled(&tokens(body[at + 6..].split(';').next().unwrap_or_default())))
        .collect();
    if returns.iter().all(|value| value == "0") {
        let fix = "compare with expected values and return 1 when one differs";
        found.error(case.at(path), cpptext::line_at(content, at), "main can only return 0", fix);
    }
    let compares = code.contains("!=")
        && cpptext::words(&code)
            .iter()
            .any(|(_, word)| VERIFYING.iter().any(|part| word.to_ascii_lowercase().contains(part)));
    if !compares {
        found.warn(
            case.at(path),
            cpptext::line_at(content, at),
            "nothing looks like a comparison of results",
            "verify, not only print",
        );
    }
}

/// Words of names in programs that compare results.
const VERIFYING: [&str; 10] =
    ["expect", "golden", "wrong", "mismatch", "verify", "compare", "diff", "equal", "tolerance", "isclose"];

fn covered(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let own = own_api(case);
    let mut apis: Vec<(String, usize, String)> = Vec::new();
    for (path, function) in &own {
        if base_name(&function.name) == function.name {
            apis.push((path.clone(), function.line, function.name.clone()));
        }
    }
    if own.is_empty() && !case.has_own_api() {
        apis.push(("op_host".to_owned(), 0, format!("aclnn{}", case.pascal())));
    }
    let mentions = |below: &str, name: &str| {
        case.tree.below(below).any(|(_, text)| cpptext::words(text).iter().any(|(_, word)| base_name(word) == name))
    };
    for (path, line, name) in &apis {
        let page = case
            .tree
            .named("docs", "aclnn", ".md")
            .any(|(page, _)| split(page).1.trim_end_matches(".md").split('&').any(|part| part == name));
        let mut missing = Vec::new();
        if case.has_own_api() && !mentions("tests/ut/op_api", name) {
            missing.push("unit test in tests/ut/op_api");
        }
        if !mentions("examples", name) {
            missing.push("example");
        }
        if !page {
            missing.push("page in docs");
        }
        if !missing.is_empty() {
            found.error(case.at(path), *line, format!("{name} has no {}", missing.join(", no ")), "write it");
        }
    }
    found.judged()
}

/// The layers of `test` that rule 24 reads, and where their tests lie.
const LAYERS: [(&str, &str); 2] = [("ut", "tests/ut"), ("example", "examples")];

fn pass(case: &Case) -> Result<Outcome> {
    let (mut found, mut missing) = (Findings::default(), Vec::new());
    let wanted: Vec<&str> =
        LAYERS.iter().filter(|(_, dir)| case.tree.below(dir).next().is_some()).map(|(name, _)| *name).collect();
    if wanted.is_empty() {
        return not_run("there are neither unit tests nor examples");
    }
    for name in &wanted {
        let own: Vec<_> = match case.results.layer(name) {
            // Other outcomes of a layer are not the op's: rules about the package, for one.
            Ok(all) => all.into_iter().filter(|one| *name == "ut" || one.layer == *name).collect(),
            Err(why) => {
                missing.push(format!("{name}: {}", why.text().en));
                continue;
            }
        };
        if own.iter().all(|one| one.passed + one.failed == 0) {
            missing.push(format!("{name}: the stored run had no test"));
        }
        for one in own.iter().filter(|one| one.failed != 0) {
            found.warn(case.at(""), 0, format!("{}: {} failed", one.layer, one.failed), "cargo xtask test");
        }
    }
    if missing.is_empty() {
        return found.judged();
    }
    let why = format!("{}; `cargo xtask test` runs them", missing.join("; "));
    if missing.len() == wanted.len() { not_run(why) } else { partly(&why, found) }
}

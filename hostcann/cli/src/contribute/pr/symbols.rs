//! Rules 16-19: names that others see.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::compile::{self, Source};
use super::definition::op_adds;
use super::rule::{Case, Findings, Outcome, Rule, not_run, partly};
use super::target::{Function, SourceLine, Target, functions};
use super::tree::split;

pub const RULES: [Rule; 4] = [
    Rule {
        number: 16,
        slug: "aclnn-signatures",
        title: "every aclnn function has its partner and the known signature",
        zh: "每个aclnn接口成对出现且签名正确",
        why: "Callers, op-plugin among them, find aclnnX and aclnnXGetWorkspaceSize by name with dlsym: a missing partner or \
              other parameter types than the built-in function of the name crash at run time, not at link time.",
        check: signatures,
    },
    Rule {
        number: 17,
        slug: "name-clash",
        title: "no name collides with another operator of the checkout",
        zh: "名称不与仓内其他算子冲突",
        why: "`build.sh --pkg --experimental` without --ops links all experimental operators into one library: a second \
              definition of an aclnn function ends it, of two headers with one name one is lost. OP_TYPE_REGISTER defines a \
              global of its name, and its L0 sources are always linked. A second operator of an op type hides the first. \
              The gate builds with --ops=<op> and does not see the first kind. Ways out: --replace OP takes the other \
              directory away in the same commit, --rename v2 gives this op, its files and its functions another version, \
              --allow-clash leaves it as it is.",
        check: collisions,
    },
    Rule {
        number: 18,
        slug: "standalone-headers",
        title: "installed headers stand alone",
        zh: "安装的头文件可独立编译",
        why: "op_api/aclnn_*.h are copied flat into op_api/include of the package, where nothing else of the repository is.",
        check: headers,
    },
    Rule {
        number: 19,
        slug: "test-suite-names",
        title: "test suites have names of their own",
        zh: "测试套名称唯一",
        why: "All operators' unit tests of a kind share one program; GoogleTest merges suites of one name, and a fixture of \
              another class makes it stop.",
        check: suites,
    },
];

/// Functions of the op's own headers with the file.
pub fn own_api(case: &Case) -> Vec<(String, Function)> {
    let headers = case.tree.named("op_api", "aclnn_", ".h");
    headers.flat_map(|(path, content)| functions(content).into_iter().map(move |one| (path.to_owned(), one))).collect()
}

/// `aclnnX` of `aclnnXGetWorkspaceSize`.
pub fn base_name(name: &str) -> &str {
    name.strip_suffix("GetWorkspaceSize").unwrap_or(name)
}

fn signatures(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let own = own_api(case);
    if own.is_empty() {
        if case.has_own_api() {
            found.error(
                case.at("op_api"),
                0,
                "no header declares an aclnn function",
                "op_api/aclnn_<name>.h declares both phases",
            );
        }
        return found.judged();
    }
    let names: BTreeSet<&str> = own.iter().map(|(_, function)| function.name.as_str()).collect();
    let sources: String = case.tree.named("op_api", "", ".cpp").map(|(_, content)| cpptext::code(content)).collect();
    for (path, function) in &own {
        let base = base_name(&function.name);
        let partner = if base == function.name { format!("{base}GetWorkspaceSize") } else { base.to_owned() };
        if !names.contains(partner.as_str()) {
            found.error(
                case.at(path),
                function.line,
                format!("{} without {partner}", function.name),
                "declare both phases",
            );
        }
        if !is_defined(&sources, &function.name) {
            let what = format!("{} is declared and not defined", function.name);
            found.error(case.at(path), function.line, what, "define it in op_api/aclnn_*.cpp");
        }
    }
    if let Some(target) = case.target {
        let standard: Vec<String> =
            target.op_dirs().into_iter().filter(|dir| !dir.starts_with("experimental/")).collect();
        let known = target.api(&standard);
        for (path, function) in &own {
            for (place, parameters) in known.get(&function.name).into_iter().flatten() {
                if *parameters != function.parameters {
                    let what = format!(
                        "{}({}), in {} ({})",
                        function.name,
                        function.parameters.join(", "),
                        place.file,
                        parameters.join(", ")
                    );
                    found.error(case.at(path), function.line, what, "callers know the built-in signature: take that");
                }
            }
        }
    }
    found.judged()
}

fn is_defined(code: &str, name: &str) -> bool {
    cpptext::places_of(code, name).into_iter().any(|at| {
        let open = code[at..].find('(').map(|n| at + n);
        let inside = open.and_then(|open| Some(open + cpptext::group(code, open)?.len() + 2));
        inside.is_some_and(|end| code[end..].trim_start().starts_with('{'))
    })
}

fn collisions(case: &Case) -> Result<Outcome> {
    let Some(target) = case.target else { return not_run("other operators are in a checkout: --ops-math") };
    let mut found = Findings::default();
    functions_and_headers(case, target, &mut found);
    registered(case, target, &mut found);
    found.judged()
}

/// The op directory that a file of the checkout lies in.
fn rival(file: &str) -> String {
    file.split('/').take(3).collect::<Vec<_>>().join("/")
}

fn functions_and_headers(case: &Case, target: &Target, found: &mut Findings) {
    let others = target.experimental_dirs();
    let known = target.api(&others);
    let mut shared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let own = own_api(case);
    for (_, function) in &own {
        for (place, _) in known.get(&function.name).into_iter().flatten() {
            shared.entry(rival(&place.file)).or_default().push(function.name.clone());
        }
    }
    for dir in &others {
        for file in target.files(dir, "op_api", &[".h"]) {
            let name = split(&file).1;
            if name.starts_with("aclnn_") && case.tree.has(&format!("op_api/{name}")) {
                shared.entry(dir.clone()).or_default().push(name.to_owned());
            }
        }
    }
    for (dir, mut names) in shared {
        names.sort();
        names.dedup();
        let first = own.iter().find(|(_, function)| names.contains(&function.name));
        let (path, line) = first.map_or(("op_api", 0), |(path, function)| (path.as_str(), function.line));
        let what = format!("{dir} has the same {}", names.join(", "));
        let short = split(&dir).1.to_owned();
        if case.allow_clash {
            found.explained(case.at(path), line, what, "--allow-clash was given: the two are never packed together");
        } else {
            let fix = format!("--replace {short} (this op takes its place), --rename v2 (both stay), or --allow-clash");
            found.error(case.at(path), line, what, fix);
        }
    }
}

fn registered(case: &Case, target: &Target, found: &mut Findings) {
    let experimental = |place: &SourceLine| place.file.starts_with("experimental/");
    let common = common_l0(target);
    let l0 = target.registered("OP_TYPE_REGISTER", "op_api", &[".cpp"]);
    for (path, content) in case.tree.named("op_api", "", ".cpp") {
        for (at, args) in cpptext::calls(content, "OP_TYPE_REGISTER") {
            let name = args.into_iter().next().unwrap_or_default();
            if let Some(place) = l0.get(&name).filter(|place| experimental(place) || common.contains(&place.file)) {
                let what =
                    format!("OP_TYPE_REGISTER({name}) is in {}:{}, too, and both are linked", place.file, place.line);
                found.error(case.at(path), cpptext::line_at(content, at), what, "register the op's own type only");
            }
        }
    }
    let mut types = target.registered("OP_ADD", "op_host", &[".cpp"]);
    types.extend(target.registered("REG_OP", "op_graph", &[".h"]));
    for (path, line, name) in op_adds(case) {
        if let Some(place) = types.get(&name) {
            let what = format!("{}:{} has the op type {name}, too", place.file, place.line);
            found.error(case.at(&path), line, what, "the first one found hides the other: take another op type");
        }
    }
}

/// Sources that every experimental build links.
pub fn common_l0(target: &Target) -> Vec<String> {
    let text = target.read("experimental/CMakeLists.txt").unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("${CMAKE_SOURCE_DIR}/"));
    lines.filter(|line| line.ends_with(".cpp")).map(str::to_owned).collect()
}

fn headers(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let mut guards: BTreeMap<String, String> = BTreeMap::new();
    for (path, content) in case.tree.named("op_api", "aclnn_", ".h") {
        for include in cpptext::includes(content) {
            let name = include.path.as_str();
            let flat = !name.contains('/') && case.tree.has(&format!("op_api/{name}"));
            let public = ["aclnn/", "acl/"].iter().any(|dir| name.starts_with(dir)) || name == "aclnn_util.h";
            let installed = flat && name.starts_with("aclnn_");
            if !(installed || public || include.angle && !name.contains('/')) {
                let fix = "installed headers include aclnn/…, acl/…, the standard library and each other";
                found.error(case.at(path), include.line, format!("it includes {name}"), fix);
            }
        }
        match guard(content) {
            None => found.error(case.at(path), 1, "no include guard", "#ifndef, #define … #endif around everything"),
            Some(guard) => {
                if let Some(other) = guards.insert(guard.clone(), path.to_owned()) {
                    found.error(
                        case.at(path),
                        1,
                        format!("{other} has the guard {guard}, too"),
                        "one guard for each header",
                    );
                }
            }
        }
    }
    if guards.is_empty() {
        return found.judged();
    }
    let sources: Vec<Source> = case
        .tree
        .named("op_api", "aclnn_", ".h")
        .map(|(path, _)| Source::text(path, format!("#include \"{}\"\n", split(path).1)))
        .collect();
    match compile::installed(case, &sources)? {
        None => partly("nothing compiles them without the toolkit's headers", found),
        Some(errors) => {
            for error in errors {
                found.error(case.at(&error.path), 0, error.message, "include what it uses");
            }
            found.judged()
        }
    }
}

/// The macro of `#ifndef X` in front of everything else.
fn guard(content: &str) -> Option<String> {
    let code = cpptext::code(content);
    let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    if first == "#pragma once" {
        return Some(format!("{first} {}", content.len()));
    }
    let name = first.strip_prefix("#ifndef")?.trim();
    (lines.next()?.strip_prefix("#define")?.trim() == name).then(|| name.to_owned())
}

const KINDS: [&str; 4] = ["op_api", "op_host", "op_kernel", "op_graph"];

/// Suites with the place of the first test of each.
fn suites_of(content: &str) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for word in ["TEST", "TEST_F", "TEST_P"] {
        for (at, args) in cpptext::calls(content, word) {
            if let [suite, _] = args.as_slice()
                && !all.iter().any(|(known, _)| known == suite)
            {
                all.push((suite.clone(), cpptext::line_at(content, at)));
            }
        }
    }
    all
}

fn suites(case: &Case) -> Result<Outcome> {
    let Some(target) = case.target else { return not_run("other operators are in a checkout: --ops-math") };
    let mut found = Findings::default();
    for kind in KINDS {
        let below = format!("tests/ut/{kind}");
        let mut own: Vec<(&str, String, usize)> = Vec::new();
        for (path, content) in case.tree.below(&below) {
            own.extend(suites_of(content).into_iter().map(|(suite, line)| (path, suite, line)));
        }
        if own.is_empty() {
            continue;
        }
        for dir in target.experimental_dirs() {
            for file in target.files(&dir, &below, &[".cpp"]) {
                let content = target.read(&file).unwrap_or_default();
                if !own.iter().any(|(_, suite, _)| content.contains(suite.as_str())) {
                    continue;
                }
                for (suite, line) in suites_of(&content) {
                    for (path, _, at) in own.iter().filter(|(_, known, _)| *known == suite) {
                        let what = format!("the suite {suite} is in {file}:{line}, too");
                        found.error(case.at(path), *at, what, "put the op's name in front of it");
                    }
                }
            }
        }
    }
    found.judged()
}

//! Rules 25-27: how host code compiles, what it links, what it must not call.

use std::collections::BTreeSet;

use anyhow::Result;

use super::compile::{self, Source};
use super::rule::{Case, Findings, Outcome, Rule, not_run};
use super::symbols::common_l0;
use super::target::Target;
use crate::base::proc;

pub const RULES: [Rule; 3] = [
    Rule {
        number: 25,
        slug: "host-warnings",
        title: "host code compiles without warnings",
        zh: "主机侧代码编译无告警",
        why: "Upstream compiles op_host and op_api with -Wall -Wextra -Wshadow -Wformat=2 -Wformat-signedness -Werror for x86_64 \
              and aarch64 (cmake/intf_pub_linux.cmake). Here the compiler reads them with the same warnings against the host \
              toolkit's headers; those that need optimisation come from `cargo xtask build`.",
        check: compiles,
    },
    Rule {
        number: 26,
        slug: "linked-l0",
        title: "only L0 functions that are linked are called",
        zh: "只调用已链接的L0接口",
        why: "An experimental build links the L0 sources of all experimental operators and those of COMMON_L0_SRCS \
              (experimental/CMakeLists.txt). A function of another standard operator is undefined when the library is \
              opened, unless DEPENDENCIES names the operator.",
        check: links,
    },
    Rule {
        number: 27,
        slug: "coding-standard",
        title: "host code keeps to the coding standard",
        zh: "主机侧代码符合编码规范",
        why: "The community's C++ standard: securec's *_s functions with checked results, no C casts, braces around every \
              branch, a default in every switch, no `using namespace` in headers, 120 columns. Review asks for it.",
        check: standard,
    },
];

fn sources(case: &Case) -> Vec<Source> {
    let all = case.tree.below("op_host").chain(case.tree.below("op_api"));
    all.filter(|(path, _)| path.ends_with(".cpp") && !path.contains("/arch35/"))
        .map(|(path, _)| Source::file(path))
        .collect()
}

fn compiles(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let sources = sources(case);
    let Some(errors) = compile::host(case, &sources, None)? else {
        return not_run("nothing compiles it without the toolkit's headers");
    };
    for error in errors {
        found.error(case.at(&error.path), error.line, error.message, "what the compiler says, with -Werror");
    }
    const CROSS: &str = "aarch64-linux-gnu-g++";
    if proc::probe(CROSS, &["--version"]).is_some() {
        for error in compile::host(case, &sources, Some(CROSS))?.unwrap_or_default() {
            found.warn(
                case.at(&error.path),
                error.line,
                format!("{CROSS}: {}", error.message),
                "upstream builds for aarch64, too",
            );
        }
    }
    found.judged()
}

/// Functions that `namespace l0op` of a source defines or declares.
fn l0_functions(content: &str) -> BTreeSet<String> {
    let code = cpptext::code(content);
    if !code.contains("l0op") {
        return BTreeSet::new();
    }
    let capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let words = cpptext::words(&code).into_iter();
    let called = |at: usize, word: &str| code[at + word.len()..].trim_start().starts_with('(');
    words.filter(|(at, word)| capital(word) && called(*at, word)).map(|(_, word)| word.to_owned()).collect()
}

fn linked(case: &Case, target: &Target) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut files = common_l0(target);
    for dir in target.experimental_dirs() {
        files.extend(target.files(&dir, "op_api", &[".cpp"]).into_iter().filter(|file| !file.contains("/aclnn_")));
    }
    let cmake = case.tree.text("CMakeLists.txt").unwrap_or_default();
    let needed: Vec<&str> = cmake.split_whitespace().skip_while(|word| *word != "DEPENDENCIES").skip(1).collect();
    for dir in target
        .op_dirs()
        .iter()
        .filter(|dir| needed.iter().any(|word| dir.rsplit('/').next() == Some(word.trim_end_matches(')'))))
    {
        files.extend(target.files(dir, "op_api", &[".cpp"]));
    }
    for file in files {
        all.extend(l0_functions(&target.read(&file).unwrap_or_default()));
    }
    for (_, content) in case.tree.named("op_api", "", ".cpp") {
        all.extend(l0_functions(content).into_iter().filter(|name| defines(content, name)));
    }
    all
}

fn defines(content: &str, name: &str) -> bool {
    let code = cpptext::code(content);
    cpptext::places_of(&code, name).into_iter().any(|at| {
        let end = cpptext::group(&code, at + name.len()).map(|inside| at + name.len() + inside.len() + 2);
        end.is_some_and(|end| code[end..].trim_start().starts_with('{'))
    })
}

fn links(case: &Case) -> Result<Outcome> {
    let Some(target) = case.target else { return not_run("which functions are linked, a checkout says: --ops-math") };
    let linked = linked(case, target);
    let mut found = Findings::default();
    for (path, content) in case.tree.named("op_api", "", ".cpp") {
        let code = cpptext::code(content);
        for at in cpptext::places_of(&code, "l0op") {
            let Some(rest) = code[at + 4..].strip_prefix("::") else { continue };
            let name = cpptext::words(rest).first().filter(|(start, _)| *start == 0).map_or("", |(_, word)| *word);
            let called = rest[name.len()..].trim_start().starts_with('(');
            if called && !linked.contains(name) {
                let fix = "only COMMON_L0_SRCS and experimental operators are linked; DEPENDENCIES adds others";
                found.error(case.at(path), cpptext::line_at(content, at), format!("l0op::{name} is not linked"), fix);
            }
        }
    }
    found.judged()
}

/// With a checked form in securec, or only for main.
const BANNED: [&str; 18] = [
    "memcpy",
    "memmove",
    "memset",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "scanf",
    "sscanf",
    "fscanf",
    "gets",
    "strtok",
    "exit",
    "abort",
];

fn standard(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, content) in case.tree.cpp() {
        let host = path.starts_with("op_host/") || path.starts_with("op_api/");
        if !host && !path.starts_with("op_kernel/") {
            continue;
        }
        let code = cpptext::code(content);
        let mut warn =
            |at: usize, what: String, fix: &str| found.warn(case.at(path), cpptext::line_at(content, at), what, fix);
        if host {
            for (at, word) in cpptext::words(&code) {
                let called = code[at + word.len()..].trim_start().starts_with('(');
                let member = code[..at].ends_with('.') || code[..at].ends_with("->");
                if BANNED.contains(&word) && called && !member {
                    warn(
                        at,
                        format!("{word}()"),
                        "securec's function with _s and a checked result; exit and abort in main only",
                    );
                }
            }
            c_casts(&code, &mut warn);
        }
        branches(&code, &mut warn);
        if path.ends_with(".h") {
            for at in cpptext::places_of(&code, "using") {
                if cpptext::words(&code[at..]).get(1).is_some_and(|(_, word)| *word == "namespace")
                    && top_level(&code[..at])
                {
                    warn(
                        at,
                        "`using namespace` in a header".to_owned(),
                        "write the names out: every file that includes it gets them",
                    );
                }
            }
        }
        let mut at = 0;
        for line in content.split('\n') {
            if line.chars().count() > 120 {
                warn(at, format!("{} columns", line.chars().count()), "at most 120");
            }
            at += line.len() + 1;
        }
    }
    found.judged()
}

/// Not inside of a function: braces that are open belong to namespaces and classes.
fn top_level(before: &str) -> bool {
    let (mut open, mut stack) = (0usize, Vec::new());
    for (at, c) in before.char_indices() {
        match c {
            '{' => {
                let head = before[open..at].rsplit([';', '}', '{']).next().unwrap_or_default();
                stack.push(head.contains(')'));
                open = at + 1;
            }
            '}' => drop(stack.pop()),
            _ => {}
        }
    }
    !stack.contains(&true)
}

const TYPES: [&str; 22] = [
    "int",
    "unsigned",
    "long",
    "short",
    "char",
    "float",
    "double",
    "bool",
    "void",
    "size_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "half",
    "intptr_t",
    "uintptr_t",
    "signed",
];

fn c_casts(code: &str, warn: &mut impl FnMut(usize, String, &str)) {
    let bytes = code.as_bytes();
    for (at, _) in code.match_indices('(') {
        let Some(close) = code[at..].find(')').map(|n| at + n) else { continue };
        let inside = code[at + 1..close].trim();
        let words: Vec<&str> =
            inside.split(|c: char| c.is_whitespace() || c == '*' || c == '&').filter(|w| !w.is_empty()).collect();
        let is_type = !words.is_empty() && words.iter().all(|word| TYPES.contains(word) || *word == "const");
        let before = code[..at].trim_end();
        let call = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>' || c == ')' || c == ']');
        let keyword = before.ends_with("return");
        let next = code[close + 1..].trim_start();
        let operand = next.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '(' || c == '&');
        if is_type && (!call || keyword) && operand && !matches!(bytes.get(close + 1), Some(b'{')) {
            warn(at, format!("a C cast, ({inside})"), "static_cast says what is meant");
        }
    }
}

fn branches(code: &str, warn: &mut impl FnMut(usize, String, &str)) {
    for (at, word) in cpptext::words(code) {
        let directive = code[..at].rsplit('\n').next().unwrap_or_default().trim_start().starts_with('#');
        if directive {
            continue;
        }
        let rest = &code[at + word.len()..];
        match word {
            "if" | "for" | "while" | "switch" => {
                let skipped = rest.trim_start().strip_prefix("constexpr").unwrap_or(rest);
                let open = code.len() - skipped.trim_start().len();
                let Some(inside) = cpptext::group(code, open) else { continue };
                let body = code[open + inside.len() + 2..].trim_start();
                let body = body.strip_prefix("\\").map_or(body, str::trim_start);
                if word == "switch" {
                    let block = cpptext::group(code, code.len() - body.len()).unwrap_or_default();
                    if !cpptext::words(block).iter().any(|(_, word)| *word == "default") {
                        warn(at, "a switch without default".to_owned(), "say what happens with other values");
                    }
                } else if !body.starts_with('{') && (word != "while" || !body.starts_with(';')) {
                    warn(at, format!("`{word}` without braces"), "braces around every branch");
                }
            }
            "else" => {
                let next = rest.trim_start().trim_start_matches('\\').trim_start();
                if !next.starts_with('{') && !next.starts_with("if") {
                    warn(at, "`else` without braces".to_owned(), "braces around every branch");
                }
            }
            _ => {}
        }
    }
}

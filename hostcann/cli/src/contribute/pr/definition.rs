//! Rules 8-11: what the definition and the build line say.

use anyhow::Result;

use super::rule::{Case, Findings, Outcome, Rule};
use crate::base::plural::number;

pub const RULES: [Rule; 4] = [
    Rule {
        number: 8,
        slug: "cmake-call",
        title: "CMakeLists.txt is the licence and one call",
        zh: "CMakeLists.txt只含许可声明和一条调用",
        why: "add_all_modules_sources (cmake/func.cmake) finds everything by pattern. OPTYPE names files in snake case, \
              ACLNNTYPE says whether the interface is generated (aclnn) or written by hand (aclnn_exclude); their numbers \
              must agree.",
        check: cmake,
    },
    Rule {
        number: 9,
        slug: "op-type",
        title: "one op type, named after the directory",
        zh: "只有一个算子类型，名称与目录对应",
        why: "merge_ops_config_json.py refuses two op types in a directory; file names are derived from the op type and \
              back; every list of data types and formats is a column of the same table.",
        check: op_type,
    },
    Rule {
        number: 10,
        slug: "literal-chips",
        title: "the chips are named literally",
        zh: "芯片以字面量列出",
        why: "check_op_supported and gen_ci_cmd.py search the text for AddConfig(\"ascend910b\": without it the gate builds \
              another operator instead and says nothing.",
        check: chips,
    },
    Rule {
        number: 11,
        slug: "standalone-definition",
        title: "the definition stands alone",
        zh: "算子定义不依赖其他文件",
        why: "op_build compiles it with the repository's root and common/inc as only include directories; attribute names \
              become variables of generated Python (CONFLICT_KEYWORDS of scripts/util/opdesc_parser.py).",
        check: alone,
    },
];

fn cmake(case: &Case) -> Result<Outcome> {
    const FILE: &str = "CMakeLists.txt";
    let mut found = Findings::default();
    let Some(content) = case.tree.text(FILE) else {
        found.error(case.at(FILE), 0, "it is missing", "licence and add_all_modules_sources(OPTYPE … ACLNNTYPE …)");
        return found.judged();
    };
    let code: String =
        content.lines().map(|line| line.split('#').next().unwrap_or_default().to_owned() + "\n").collect();
    let words: Vec<&str> =
        code.split(|c: char| c.is_whitespace() || "()\"".contains(c)).filter(|w| !w.is_empty()).collect();
    let line = content.lines().position(|line| line.contains("add_all_modules_sources")).map_or(1, |at| at + 1);
    let calls = words.iter().filter(|word| **word == "add_all_modules_sources").count();
    if calls != 1 {
        found.error(case.at(FILE), line, format!("{calls} calls of add_all_modules_sources"), "exactly one");
        return found.judged();
    }
    let values = |key: &str| -> Vec<&str> {
        let all = words.iter().skip_while(|word| **word != key).skip(1);
        all.take_while(|word| word.chars().any(|c| c.is_ascii_lowercase())).copied().collect()
    };
    let (types, kinds) = (values("OPTYPE"), values("ACLNNTYPE"));
    if types != [case.dir] {
        found.error(case.at(FILE), line, format!("OPTYPE {}", types.join(" ")), format!("OPTYPE {}", case.dir));
    }
    if kinds.len() != types.len() {
        found.error(case.at(FILE), line, format!("{} OPTYPE, {} ACLNNTYPE", types.len(), kinds.len()), "one for each");
    }
    for kind in kinds.iter().filter(|kind| !["aclnn", "aclnn_inner", "aclnn_exclude"].contains(kind)) {
        found.error(case.at(FILE), line, format!("ACLNNTYPE {kind}"), "aclnn, aclnn_inner or aclnn_exclude");
    }
    let first = words.first().copied().unwrap_or_default();
    let rest = code.lines().filter(|line| !line.trim().is_empty()).count();
    let call = code.split_once("add_all_modules_sources").map_or("", |(_, call)| call);
    let behind = call.split_once(')').map_or("", |(_, behind)| behind).trim();
    if first != "add_all_modules_sources" || !behind.is_empty() {
        found.warn(
            case.at(FILE),
            line,
            format!("{} of code next to the licence, more than the call", number(rest, "line")),
            "the macro ends with return() for operators that are not selected: what stands after it may not run",
        );
    }
    found.judged()
}

fn definition<'a>(case: &'a Case) -> Option<(String, &'a str)> {
    let path = format!("op_host/{}_def.cpp", case.dir);
    let text = case.tree.text(&path)?;
    Some((path, text))
}

/// Names of `OP_ADD` in all definition files.
pub fn op_adds(case: &Case) -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for (path, content) in
        case.tree.below("op_host").filter(|(path, _)| path.contains("_def") && path.ends_with(".cpp"))
    {
        for (at, args) in cpptext::calls(content, "OP_ADD") {
            let name = args.into_iter().next().unwrap_or_default();
            all.push((path.to_owned(), cpptext::line_at(content, at), name));
        }
    }
    all
}

fn op_type(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let want = case.pascal();
    let adds = op_adds(case);
    if adds.is_empty() {
        found.error(case.at(&format!("op_host/{}_def.cpp", case.dir)), 0, "no OP_ADD", format!("OP_ADD({want});"));
        return found.judged();
    }
    for (path, line, name) in &adds[1..] {
        found.error(case.at(path), *line, format!("a second OP_ADD({name})"), "one op type in a directory");
    }
    let (path, line, name) = &adds[0];
    if *name != want {
        found.error(
            case.at(path),
            *line,
            format!("OP_ADD({name})"),
            format!("OP_ADD({want}): the directory's name without `_`"),
        );
    }
    let content = case.tree.text(path).unwrap_or_default();
    let code = cpptext::without_comments(content);
    let in_class = cpptext::words(&code).windows(2).any(|pair| pair[0].1 == "class" && pair[1].1 == name);
    let in_ops = cpptext::words(&code).windows(2).any(|pair| pair[0].1 == "namespace" && pair[1].1 == "ops");
    if !in_class || !in_ops {
        found.error(case.at(path), *line, format!("no class {name} in namespace ops"), "derive it from OpDef there");
    }
    columns(case, &mut found, path, &code);
    found.judged()
}

/// Literal lists must be equally long; variables are followed to their initialiser.
fn columns(case: &Case, found: &mut Findings, path: &str, code: &str) {
    let mut lengths: Vec<(usize, usize, &str)> = Vec::new();
    for word in ["DataType", "Format", "UnknownShapeFormat"] {
        for (at, args) in cpptext::calls(code, word) {
            if !code[..at].ends_with('.') {
                continue;
            }
            let [list] = args.as_slice() else { continue };
            let length = match list.strip_prefix('{') {
                Some(inside) => Some(entries(inside)),
                None => initialiser(code, list),
            };
            lengths.extend(length.map(|length| (cpptext::line_at(code, at), length, word)));
        }
    }
    let Some((_, first, _)) = lengths.iter().find(|(_, _, word)| *word == "DataType").copied() else { return };
    for (line, length, word) in lengths.iter().filter(|(_, length, _)| *length != first) {
        found.error(
            case.at(path),
            *line,
            format!("{word} and the first list have {length} and {first} entries"),
            "one column each",
        );
    }
}

fn initialiser(code: &str, name: &str) -> Option<usize> {
    let at = cpptext::places_of(code, name).into_iter().next()? + name.len();
    let open = at + code[at..].find('{')?;
    // `FORMATS(DTYPES.size(), …)` has no list of its own.
    if code[at..open].contains([';', '(']) {
        return None;
    }
    Some(entries(cpptext::group(code, open)?))
}

/// How many entries a list has; a comma may end it.
fn entries(inside: &str) -> usize {
    cpptext::split(&cpptext::tokens(inside.trim_end_matches([',', ' ', '\n', '}']))).len()
}

fn chips(case: &Case) -> Result<Outcome> {
    const WANTED: [&str; 2] = ["ascend910b", "ascend910_93"];
    let mut found = Findings::default();
    let Some((path, content)) = definition(case) else {
        found.error(case.at(&format!("op_host/{}_def.cpp", case.dir)), 0, "it is missing", "the chips are named there");
        return found.judged();
    };
    let code = cpptext::without_comments(content);
    for chip in WANTED.iter().filter(|chip| !code.contains(&format!(".AddConfig(\"{chip}\""))) {
        let fix = format!("this->AICore().AddConfig(\"{chip}\"); as a literal, without a variable or macro");
        found.error(case.at(&path), 0, format!("no .AddConfig(\"{chip}\""), fix);
    }
    for (at, args) in cpptext::calls(&code, "AddConfig") {
        let chip = args.first().map(|arg| arg.trim_matches('"').to_owned()).unwrap_or_default();
        if !WANTED.contains(&chip.as_str()) {
            found.warn(
                case.at(&path),
                cpptext::line_at(content, at),
                format!("AddConfig({chip}): the task is about A2 and A3 alone"),
                "leave out chips on which nobody has tried it",
            );
        }
    }
    found.judged()
}

/// Chips that the definition is for.
pub fn configured(case: &Case) -> Vec<String> {
    let definition = case.tree.text(&format!("op_host/{}_def.cpp", case.dir)).unwrap_or_default();
    let calls = cpptext::calls(definition, "AddConfig").into_iter();
    calls.filter_map(|(_, args)| Some(args.first()?.trim_matches('"').to_owned())).collect()
}

/// Names that the generated Python of a kernel uses itself.
const CONFLICTS: &str = "\
and as assert break class continue def del elif else except finally for from global if import in is lambda not or pass \
raise return try while with yield False None True nonlocal arg __inputs__ __outputs__ options bisheng bisheng_path \
tikcpp_path impl_mode custom_compile_options custom_all_compile_options soc_version soc_short \
custom_compile_options_soc custom_all_compile_options_soc origin_func_name ascendc_src_dir_ex ascendc_src_dir \
ascendc_src_file src op_type code_channel op_info compile_op get_code_channel result __attrs__ isinstance attr \
get_current_build_config _build_args get_dtype_fmt_options shutil os get_kernel_source";

fn alone(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let Some((path, content)) = definition(case) else {
        return found.judged();
    };
    for include in cpptext::includes(content) {
        let good =
            if include.angle { !include.path.contains('/') } else { include.path == "register/op_def_registry.h" };
        if !good {
            let what = format!("it includes {}", include.path);
            found.error(case.at(&path), include.line, what, "the standard library and register/op_def_registry.h only");
        }
    }
    for (at, args) in cpptext::calls(content, "Attr") {
        let name = args.first().map(|arg| arg.trim_matches('"').to_owned()).unwrap_or_default();
        if CONFLICTS.split_whitespace().any(|word| word == name) {
            let what = format!("an attribute called `{name}`, a name of the generated Python");
            found.error(case.at(&path), cpptext::line_at(content, at), what, "give it a longer name");
        }
    }
    found.judged()
}

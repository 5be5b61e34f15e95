//! Rules 12-15: the kernel's entry and includes, words that stay outside, lists of binaries.

use anyhow::Result;

use super::definition::op_adds;
use super::rule::{Case, Findings, Outcome, Rule};
use super::tree::split;

pub const RULES: [Rule; 4] = [
    Rule {
        number: 12,
        slug: "kernel-entry",
        title: "the kernel's entry has the op's name",
        zh: "核函数入口与算子同名",
        why: "The compiler is called with -D<op>=<op>_<key>_tilingkey and looks for `<op>(`. Where libm declares a function \
              of the name in C, only a template overloads it. Every other use of the word is renamed, too.",
        check: entry,
    },
    Rule {
        number: 13,
        slug: "kernel-includes",
        title: "the kernel includes its own directory and the toolkit",
        zh: "核函数只包含本目录与工具包的头文件",
        why: "kernel_src_copy packs op_kernel alone: a header of op_host or op_api is not there when kernels are compiled on \
              a user's machine.",
        check: kernel_includes,
    },
    Rule {
        number: 14,
        slug: "host-toolkit",
        title: "nothing depends on a host toolkit",
        zh: "不依赖任何主机侧仿真工具",
        why: "The directory goes upstream as it is: no macro, header or file name of a simulator may be in it.",
        check: host_only,
    },
    Rule {
        number: 15,
        slug: "binary-list",
        title: "a list of binaries fits the op type",
        zh: "二进制清单与算子类型一致",
        why: "op_host/config/<soc>/<op>_binary.json overrides the generated list; with another op type or prefix none of \
              its kernels is found.",
        check: binaries,
    },
];

/// Functions that <math.h>, <stdlib.h>, <string.h> and <stdio.h> declare with C linkage, as operators may be called.
const LIBC: &str = "\
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh div erf erfc exp exp2 expm1 fabs fdim floor fma fmax \
fmin fmod frexp hypot ilogb index labs ldexp lgamma log log10 log1p log2 logb modf nearbyint pow rand random remainder \
remove rename remquo rint round scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn j0 j1 jn";

fn entry(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let file = format!("op_kernel/{}.cpp", case.dir);
    let Some(content) = case.tree.text(&file) else {
        found.error(case.at(&file), 0, "it is missing", "the kernel's file has the op's name");
        return found.judged();
    };
    let code = cpptext::code(content);
    let entries: Vec<usize> = cpptext::places_of(&code, case.dir)
        .into_iter()
        .filter(|&at| {
            let head = code[..at].rsplit([';', '}']).next().unwrap_or_default();
            head.contains("__global__") && head.contains("__aicore__")
        })
        .collect();
    match entries.as_slice() {
        [] => {
            let fix = format!("template <…> __global__ __aicore__ void {}(GM_ADDR …)", case.dir);
            found.error(case.at(&file), 0, format!("no __global__ __aicore__ function `{}`", case.dir), fix);
        }
        [at, ..] => {
            let head = code[..*at].rsplit([';', '}']).next().unwrap_or_default();
            let templated = cpptext::words(head).iter().any(|(_, word)| *word == "template");
            if LIBC.split_whitespace().any(|word| word == case.dir) && !templated {
                let what = format!("`{}` is a function of the C library and the entry is no template", case.dir);
                found.error(
                    case.at(&file),
                    cpptext::line_at(content, *at),
                    what,
                    "make it a template with ASCENDC_TPL keys",
                );
            }
        }
    }
    for (path, content) in case.tree.below("op_kernel") {
        let code = cpptext::code(content);
        for at in cpptext::places_of(&code, case.dir) {
            let directive = code[..at].rsplit('\n').next().unwrap_or_default().trim_start().starts_with('#');
            let is_entry = path == file && entries.contains(&at);
            if !directive && !is_entry {
                found.warn(
                    case.at(path),
                    cpptext::line_at(content, at),
                    format!("the word `{}` next to the entry", case.dir),
                    "the compiler renames it: call it something else",
                );
            }
        }
    }
    found.judged()
}

/// What kernels of ops-math include next to their own files.
const KERNEL_HEADERS: [&str; 13] = [
    "kernel_operator.h",
    "kernel_tiling/kernel_tiling.h",
    "kernel_utils.h",
    "kernel_tensor.h",
    "kernel_basic_intf.h",
    "adv_api/",
    "ascendc/host_api/",
    "lib/",
    "basic_api/",
    "simt_api/",
    "op_kernel/",
    "atvoss/",
    "tiling/",
];

fn kernel_includes(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, content) in case.tree.below("op_kernel") {
        for include in cpptext::includes(content) {
            let name = include.path.as_str();
            if name.contains("op_host") || name.contains("op_api") {
                let fix = "what both need stands in op_kernel, and op_host includes it by ../op_kernel/…";
                found.error(case.at(path), include.line, format!("it includes {name}"), fix);
                continue;
            }
            let own = join(split(path).0, name).is_some_and(|own| case.tree.has(&own));
            let toolkit = KERNEL_HEADERS.iter().any(|known| match known.ends_with('/') {
                true => name.contains(known),
                false => name == *known,
            });
            let standard = include.angle && !name.contains('/') && !name.ends_with(".h");
            let elsewhere = case.tree.below("op_kernel").any(|(other, _)| split(other).1 == name);
            if !own && !toolkit && !standard && !elsewhere {
                let fix = "kernels see op_kernel, kernel_operator.h and the other headers of the toolkit";
                found.error(
                    case.at(path),
                    include.line,
                    format!("{name} is neither here nor a header of the toolkit"),
                    fix,
                );
            }
        }
    }
    for (path, content) in case.tree.below("op_host") {
        for (at, word) in cpptext::words(content) {
            let is_struct = word == "BEGIN_TILING_DATA_DEF" || word == "TILING_DATA_FIELD_DEF";
            if is_struct && case.tree.named("op_kernel", "", "_tiling_data.h").next().is_some() {
                found.warn(
                    case.at(path),
                    cpptext::line_at(content, at),
                    "tiling data is described here and in op_kernel",
                    "one struct in op_kernel/<op>_tiling_data.h, which op_host includes",
                );
                break;
            }
        }
    }
    found.judged()
}

/// `a/b` and `../c.h` to `a/c.h`.
pub fn join(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn host_only(case: &Case) -> Result<Outcome> {
    const WORDS: [&str; 3] = ["hostcann", "xtask", "cargo"];
    let mut found = Findings::default();
    for (path, content) in case.tree.texts() {
        for (number, line) in content.lines().enumerate() {
            let low = line.to_ascii_lowercase();
            if let Some(word) = WORDS
                .iter()
                .find(|word| cpptext::words(&low).iter().any(|(_, found)| found.split('_').any(|part| part == **word)))
            {
                found.error(
                    case.at(path),
                    number + 1,
                    format!("it names {word}"),
                    "what only a host toolkit knows stays outside",
                );
            }
        }
    }
    found.judged()
}

fn binaries(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let want = op_adds(case).first().map_or_else(|| case.pascal(), |(_, _, name)| name.clone());
    let all = case.tree.below("op_host/config").filter(|(path, _)| path.ends_with("_binary.json"));
    for (path, content) in all {
        let Ok(json) = serde_json::from_str::<serde_json::Value>(content) else {
            found.warn(case.at(path), 0, "no JSON", "remove it: the build writes its own");
            continue;
        };
        if json["op_type"] != want.as_str() {
            found.warn(case.at(path), 0, format!("op_type {}", json["op_type"]), format!("op_type \"{want}\""));
        }
        let list = json["op_list"].as_array().cloned().unwrap_or_default();
        for name in list.iter().filter_map(|one| one["bin_filename"].as_str()) {
            if !name.starts_with(&want) {
                found.warn(case.at(path), 0, format!("bin_filename {name}"), format!("names begin with {want}_"));
            }
        }
    }
    found.judged()
}

//! Rules 42 and 43: what is in the package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::definition::configured;
use super::rule::{Case, Findings, Outcome, Rule, not_run};
use super::target::names;
use super::tree::split;
use crate::base::files;

pub const RULES: [Rule; 2] = [
    Rule {
        number: 42,
        slug: "package-tree",
        title: "the package has upstream's tree",
        zh: "软件包目录结构与上游一致",
        why: "cmake/package.cmake and makeself: name of the .run, scripts at the top, vendors/<vendor>_math with interface, \
              descriptions for every chip and kernels whose lists name files that are there.",
        check: tree,
    },
    Rule {
        number: 43,
        slug: "op-info",
        title: "the op information library is as upstream writes it",
        zh: "算子信息库与上游写法一致",
        why: "parse_ini_to_json.py writes sorted keys, four blanks and `,` `:` without blanks; flags are true or false; lists \
              of a tensor are equally long; opFile and opInterface name the directory.",
        check: information,
    },
];

pub struct UnpackedPackage {
    pub temp: tempfile::TempDir,
    /// packages/vendors/<vendor>_math
    pub vendor: PathBuf,
}

/// The package without installing it; Err: why it cannot be looked at.
pub fn unpack(case: &Case, found: &mut Findings) -> Result<Result<UnpackedPackage, String>> {
    let run = match &case.tools.package {
        Ok(run) => run,
        Err(why) => return Ok(Err(why.clone())),
    };
    let temp = tempfile::tempdir().context("cannot create a directory for the package")?;
    let out = temp.path().join("out");
    let output = Command::new("sh").arg(run).arg("--noexec").arg(format!("--extract={}", out.display())).output();
    let output = output.with_context(|| format!("cannot run {}", run.display()))?;
    if !output.status.success() {
        found.error(run.display().to_string(), 0, "it does not unpack", "cargo xtask package");
    }
    let base = out.join("packages/vendors");
    let vendor = names(&base).into_iter().next().unwrap_or_default();
    Ok(Ok(UnpackedPackage { vendor: base.join(vendor), temp }))
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn tree(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let unpacked = match unpack(case, &mut found)? {
        Ok(unpacked) => unpacked,
        Err(why) => return not_run(why),
    };
    let Ok(run) = &case.tools.package else { return found.judged() };
    let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let vendor = split(&unpacked.vendor.to_string_lossy()).1.to_owned();
    let wanted = format!("cann-ops-math-{}_linux-{}.run", vendor.trim_end_matches("_math"), std::env::consts::ARCH);
    if name != wanted || !vendor.ends_with("_math") {
        found.error(&name, 0, format!("the package of {vendor} has this name"), wanted);
    }
    let base = unpacked.temp.path().join("out");
    for script in ["install.sh", "upgrade.sh", "uninstall.sh", "help.info"] {
        if !base.join(script).is_file() {
            found.error(&name, 0, format!("no {script} at the top of the archive"), "cargo xtask package");
        }
    }
    let impls = "op_impl/ai_core/tbe";
    let mut wanted = vec![
        "version.info".to_owned(),
        "op_api/lib/libcust_opapi.so".to_owned(),
        format!("{impls}/op_tiling"),
        format!("{impls}/{vendor}_impl/ascendc/{}", case.dir),
        format!("{impls}/{vendor}_impl/dynamic/{}.py", case.dir),
    ];
    wanted.extend(configured(case).iter().map(|chip| format!("{impls}/config/{chip}/aic-{chip}-ops-info.json")));
    for path in wanted.iter().filter(|path| !unpacked.vendor.join(path).exists()) {
        found.error(&name, 0, format!("no {path}"), "cargo xtask package");
    }
    let kernels = unpacked.vendor.join(impls).join("kernel");
    let built: Vec<String> = names(&kernels).into_iter().filter(|chip| chip != "config").collect();
    if built.is_empty() {
        found.error(&name, 0, "no kernels", "cargo xtask package");
    }
    for chip in built {
        kernel_lists(case, &kernels, &chip, &name, &mut found);
    }
    found.judged()
}

/// What the lists of a chip name is there, and what is there is what they say.
fn kernel_lists(case: &Case, kernels: &Path, chip: &str, name: &str, found: &mut Findings) {
    let list = kernels.join("config").join(chip).join(format!("{}.json", case.dir));
    let Some(json) = read_json(&list) else {
        found.error(name, 0, format!("no kernel/config/{chip}/{}.json", case.dir), "cargo xtask package");
        return;
    };
    for entry in json["binList"].as_array().into_iter().flatten() {
        let path = entry["binInfo"]["jsonFilePath"].as_str().unwrap_or_default();
        let file = kernels.join(path);
        let Some(about) = read_json(&file) else {
            found.error(name, 0, format!("{chip}: {path} is listed and not there"), "cargo xtask package");
            continue;
        };
        let object = file.with_extension(about["binFileSuffix"].as_str().unwrap_or(".o").trim_start_matches('.'));
        match fs::read(&object) {
            Err(_) => found.error(name, 0, format!("{chip}: no object next to {path}"), "cargo xtask package"),
            Ok(bytes)
                if about["sha256"].as_str().is_some_and(|sha| !sha.is_empty() && sha != files::sha256(&bytes)) =>
            {
                found.error(
                    name,
                    0,
                    format!("{chip}: the object of {path} is another one than its sha256 says"),
                    "cargo xtask package",
                );
            }
            Ok(_) => {}
        }
    }
    let info = kernels.join("config").join(chip).join("binary_info_config.json");
    let Some(json) = read_json(&info) else {
        found.error(name, 0, format!("no kernel/config/{chip}/binary_info_config.json"), "cargo xtask package");
        return;
    };
    for (op, about) in json.as_object().into_iter().flatten() {
        for entry in about["binaryList"].as_array().into_iter().flatten() {
            for key in ["binPath", "jsonPath"] {
                let path = entry[key].as_str().unwrap_or_default();
                if !kernels.join(path).is_file() {
                    found.error(name, 0, format!("{chip}: {key} {path} of {op} is not there"), "cargo xtask package");
                }
            }
        }
    }
}

fn information(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let unpacked = match unpack(case, &mut found)? {
        Ok(unpacked) => unpacked,
        Err(why) => return not_run(why),
    };
    let config = unpacked.vendor.join("op_impl/ai_core/tbe/config");
    for chip in names(&config) {
        let file = format!("aic-{chip}-ops-info.json");
        let Ok(text) = fs::read_to_string(config.join(&chip).join(&file)) else { continue };
        let Ok(json) = serde_json::from_str::<Value>(&text) else {
            found.error(&file, 0, "no JSON", "cargo xtask package");
            continue;
        };
        if as_upstream(&json) != text.trim_end() {
            found.error(
                &file,
                0,
                "not as json.dump(sort_keys, indent=4, separators=(',', ':')) writes it",
                "cargo xtask package",
            );
        }
        let Some(op) = json.get(case.pascal()) else {
            found.error(&file, 0, format!("no entry {}", case.pascal()), "cargo xtask package");
            continue;
        };
        entry(case, &file, op, &mut found);
    }
    found.judged()
}

fn entry(case: &Case, file: &str, op: &Value, found: &mut Findings) {
    for (key, value) in op.as_object().into_iter().flatten() {
        if let Some(flag) = value.get("flag").and_then(Value::as_str)
            && !["true", "false"].contains(&flag)
            && key != "jitCompile"
        {
            found.error(file, 0, format!("{key}.flag is {flag}"), "true or false");
        }
        let tensor = key.starts_with("input") || key.starts_with("output");
        let count = |name: &str| value.get(name).and_then(Value::as_str).map(|list| list.split(',').count());
        if let (true, Some(types)) = (tensor, count("dtype")) {
            for list in ["format", "unknownshape_format"] {
                if count(list).is_some_and(|other| other != types) {
                    found.error(
                        file,
                        0,
                        format!("{key}: {types} data types, {list} has {}", count(list).unwrap_or(0)),
                        "one column each",
                    );
                }
            }
        }
    }
    for key in ["opFile", "opInterface"] {
        if op[key]["value"] != case.dir {
            found.error(file, 0, format!("{key}.value is {}", op[key]["value"]), case.dir);
        }
    }
}

/// Python's `json.dump(value, sort_keys=True, indent=4, separators=(',', ':'))`.
fn as_upstream(value: &Value) -> String {
    fn write(value: &Value, depth: usize, out: &mut String) {
        let line = |depth: usize| format!("\n{}", " ".repeat(4 * depth));
        match value {
            Value::Object(map) if !map.is_empty() => {
                let sorted: BTreeMap<_, _> = map.iter().collect();
                for (at, (key, value)) in sorted.into_iter().enumerate() {
                    out.push_str(if at == 0 { "{" } else { "," });
                    out.push_str(&line(depth + 1));
                    out.push_str(&format!("{}:", Value::from(key.as_str())));
                    write(value, depth + 1, out);
                }
                out.push_str(&line(depth));
                out.push('}');
            }
            Value::Array(list) if !list.is_empty() => {
                for (at, value) in list.iter().enumerate() {
                    out.push_str(if at == 0 { "[" } else { "," });
                    out.push_str(&line(depth + 1));
                    write(value, depth + 1, out);
                }
                out.push_str(&line(depth));
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_as_python_writes_it() {
        let value: Value = serde_json::from_str(r#"{"b": {}, "a": {"y": "1,2", "x": ["z"]}}"#).expect("JSON");
        assert_eq!(
            as_upstream(&value),
            "{\n    \"a\":{\n        \"x\":[\n            \"z\"\n        ],\n        \"y\":\"1,2\"\n    },\n    \"b\":{}\n}"
        );
    }
}

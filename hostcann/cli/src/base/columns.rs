//! The dtype columns of an operator's definition, and which of them a program has launched.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::files;

/// Where a package lists the kernels of each operator, by SoC family.
const LISTS: &str = "op_impl/ai_core/tbe/kernel/config";
/// Of all operators, beside them.
const INDEX: &str = "binary_info_config.json";

/// A package's list of an operator's kernels.
#[derive(Deserialize)]
struct List {
    #[serde(rename = "binList", default)]
    binaries: Vec<Binary>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Binary {
    #[serde(rename = "binInfo")]
    info: BinInfo,
    inputs: Vec<Described>,
    outputs: Vec<Described>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BinInfo {
    #[serde(rename = "jsonFilePath")]
    json: PathBuf,
}

/// A tensor; a dynamic one is a list, null an optional one that is not there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Described {
    Tensor { dtype: String },
    Other(serde::de::IgnoredAny),
}

/// Kernels of an op of the package, each with the dtypes of its column, in the order of the definition. A column of several SoC
/// families is one.
fn of_op(vendor: &Path, op: &str) -> Result<Vec<(String, String)>> {
    let dir = vendor.join(LISTS);
    let mut columns: Vec<(String, String)> = Vec::new();
    let lists = if dir.is_dir() { files::walk(&dir)? } else { Vec::new() };
    for list in lists.iter().filter(|list| list.file_stem().is_some_and(|stem| stem == op) && !list.ends_with(INDEX)) {
        let path = dir.join(list);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let list: List = serde_json::from_slice(&text).with_context(|| format!("cannot read {}", path.display()))?;
        for binary in &list.binaries {
            let kernel = binary.info.json.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if columns.iter().all(|(known, _)| *known != kernel) {
                columns.push((kernel, dtypes(binary)));
            }
        }
    }
    Ok(columns)
}

/// `float`, or of every tensor where they differ: `float,int32->float`.
fn dtypes(binary: &Binary) -> String {
    let of = |side: &'_ [Described]| -> Vec<String> {
        let dtype = |tensor: &Described| match tensor {
            Described::Tensor { dtype } => Some(dtype.clone()),
            Described::Other(_) => None,
        };
        side.iter().filter_map(dtype).collect()
    };
    let (inputs, outputs) = (of(&binary.inputs), of(&binary.outputs));
    let all: BTreeSet<&String> = inputs.iter().chain(&outputs).collect();
    match all.first() {
        Some(only) if all.len() == 1 => (*only).clone(),
        _ => format!("{}->{}", inputs.join(","), outputs.join(",")),
    }
}

/// `square: 1 of 3 dtype columns ran: float; not float16, int64`. None: every column ran.
fn missing(op: &str, columns: &[(String, String)], launched: &BTreeSet<String>) -> Option<String> {
    // By dtypes: columns of several formats or implementation modes count as one.
    let mut ran: BTreeMap<&str, bool> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (kernel, dtypes) in columns {
        let own = |name: &String| name.strip_prefix(kernel.as_str()).is_some_and(|key| key.starts_with('_'));
        if !order.contains(&dtypes.as_str()) {
            order.push(dtypes);
        }
        *ran.entry(dtypes).or_default() |= launched.iter().any(own);
    }
    let (good, open): (Vec<&str>, Vec<&str>) = order.into_iter().partition(|dtypes| ran[dtypes]);
    let all = good.len() + open.len();
    let good = if good.is_empty() { "none".to_owned() } else { good.join(", ") };
    let count = ran.values().filter(|ran| **ran).count();
    (!open.is_empty()).then(|| format!("{op}: {count} of {all} dtype columns ran: {good}; not {}", open.join(", ")))
}

/// A line for each op of which the programs that ran have not launched every column.
pub fn not_launched<'a>(
    vendor: &Path,
    ops: impl Iterator<Item = &'a str>,
    launched: &BTreeSet<String>,
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for op in ops {
        lines.extend(missing(op, &of_op(vendor, op)?, launched));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn binary(kernel: &str, inputs: &[&str], output: &str) -> Value {
        let tensors = |types: &[&str]| types.iter().map(|dtype| json!({"dtype": dtype})).collect::<Vec<_>>();
        json!({"inputs": tensors(inputs), "outputs": tensors(&[output]),
               "binInfo": {"jsonFilePath": format!("ascend910b/x/{kernel}.json")}})
    }

    #[test]
    fn columns_that_no_program_launched() {
        let temp = tempfile::tempdir().expect("temp dir");
        let list = json!({"binList": [
            binary("X_f", &["float", "float"], "float"),
            binary("X_h", &["float16", "float16"], "float16"),
            binary("X_m", &["float", "int32"], "float"),
        ]});
        for (soc, file) in [("ascend910b", "x.json"), ("ascend910_93", "x.json"), ("ascend910b", INDEX)] {
            let text = if file == INDEX { "{}".to_owned() } else { list.to_string() };
            files::write_if_changed(&temp.path().join(LISTS).join(soc).join(file), text.as_bytes()).expect("write");
        }
        let lines = |launched: &[&str]| {
            let launched = launched.iter().map(|name| (*name).to_owned()).collect();
            not_launched(temp.path(), ["x"].into_iter(), &launched).expect("lists")
        };
        assert_eq!(lines(&["X_f_0"]), ["x: 1 of 3 dtype columns ran: float; not float16, float,int32->float"]);
        assert_eq!(lines(&["Y_f_0"]), ["x: 0 of 3 dtype columns ran: none; not float, float16, float,int32->float"]);
        assert_eq!(lines(&["X_f_1", "X_h_0", "X_m_0"]), Vec::<String>::new());
        assert_eq!(not_launched(temp.path(), ["z"].into_iter(), &BTreeSet::new()).expect("none"), Vec::<String>::new());
    }
}

//! `op_host/config/<soc>/<op>_binary.json`: where it is there, upstream makes kernels of its entries only (ops-math
//! cmake/gen_ops_info.cmake).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::dtype;
use super::ini::{Op, Tensor};

/// Leaves the columns that entries stand for, of every op that one of the SoC's files names.
pub fn choose(soc: &str, ops: &mut [Op], files: &[(String, PathBuf)]) -> Result<()> {
    for (_, file) in files.iter().filter(|(of, _)| of == soc) {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let root: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", file.display()))?;
        let kind = root["op_type"].as_str().unwrap_or_default();
        let names = ops.iter().map(|op| op.name.clone()).collect::<Vec<_>>().join(", ");
        let op = ops.iter_mut().find(|op| op.name == kind);
        let op =
            op.with_context(|| format!("{}: op_type is `{kind}`, the definition is of {names}", file.display()))?;
        let found = columns(op, &root["op_list"]).with_context(|| file.display().to_string())?;
        op.choose(found);
    }
    Ok(())
}

fn columns(op: &Op, entries: &Value) -> Result<BTreeSet<usize>> {
    let entries = entries.as_array().context("op_list is missing")?;
    let (inputs, outputs) = (op.inputs()?, op.outputs()?);
    let stands_for =
        |entry: &Value, column| fits(&inputs, &entry["inputs"], column) && fits(&outputs, &entry["outputs"], column);
    let found: BTreeSet<usize> =
        (0..op.columns()?).filter(|&column| entries.iter().any(|entry| stands_for(entry, column))).collect();
    ensure!(!found.is_empty(), "no entry of op_list has the data types of a column of {}'s definition", op.name);
    Ok(found)
}

/// An entry may leave tensors out at its end, and say null for an optional one that is not there.
fn fits(tensors: &[Tensor], list: &Value, column: usize) -> bool {
    let Some(list) = list.as_array() else { return true };
    list.len() <= tensors.len()
        && tensors.iter().zip(list).all(|(tensor, entry)| fits_one(&tensor.dtypes[column], entry))
}

fn fits_one(token: &str, entry: &Value) -> bool {
    // A dynamic tensor is described in a list of one.
    let entry = entry.as_array().and_then(|list| list.first()).unwrap_or(entry);
    let Some(given) = entry["dtype"].as_str() else { return true };
    if entry["dtype_match_mode"].as_str() == Some("DtypeByte") {
        return dtype::size(given).is_some() && dtype::size(given) == dtype::size(token);
    }
    dtype::dtype(given).is_some() && dtype::dtype(given) == dtype::dtype(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::opc::ini::{self, tests::FMOD};

    fn chosen(entries: &str) -> Result<Vec<usize>> {
        let op = ini::parse(FMOD)?.remove(0);
        let entries = serde_json::from_str(&format!("[{entries}]"))?;
        columns(&op, &entries).map(|found| found.into_iter().collect())
    }

    fn entry(inputs: &str, output: &str) -> String {
        format!("{{\"inputs\": [{inputs}], \"outputs\": [{{\"name\": \"y\", \"dtype\": \"{output}\"}}]}}")
    }

    #[test]
    fn entries_choose_columns() {
        let float16 = "{\"name\": \"x1\", \"dtype\": \"float16\"}";
        assert_eq!(chosen(&entry(float16, "float16")).expect("columns"), [1]);
        let both = format!("{},{}", entry(float16, "float16"), entry("[{\"dtype\": \"float\"}], null", "float32"));
        assert_eq!(chosen(&both).expect("columns"), [0, 1]);
        // One entry for all types of two bytes.
        let bytes = "{\"dtype\": \"int16\", \"dtype_match_mode\": \"DtypeByte\"}";
        assert_eq!(chosen(&entry(bytes, "float16")).expect("columns"), [1]);
    }

    #[test]
    fn files_that_choose_nothing() {
        let error = chosen(&entry("{\"dtype\": \"int8\"}", "int8")).expect_err("no such column").to_string();
        assert!(error.contains("no entry of op_list has the data types of a column of Fmod's definition"), "{error}");
        let temp = tempfile::tempdir().expect("temp dir");
        let file = temp.path().join("mod_binary.json");
        fs::write(&file, "{\"op_type\": \"Mod\"}").expect("write");
        let mut ops = ini::parse(FMOD).expect("ini");
        let files = [("ascend910b".to_owned(), file)];
        assert!(choose("ascend910_93", &mut ops, &files).is_ok());
        let error = choose("ascend910b", &mut ops, &files).expect_err("another op").to_string();
        assert!(error.contains("op_type is `Mod`, the definition is of Fmod"), "{error}");
    }

    #[test]
    fn kernels_are_made_of_chosen_columns() {
        let mut op = ini::parse(FMOD).expect("ini").remove(0);
        op.choose(BTreeSet::from([1]));
        let names = crate::build::opc::meta::columns(&op).expect("columns");
        assert_eq!(names.iter().map(|column| column.index).collect::<Vec<_>>(), [1]);
        // The op info library says what the definition says.
        assert!(ini::to_json(&[op]).expect("json").contains("\"dtype\":\"float32,float16\""));
    }
}

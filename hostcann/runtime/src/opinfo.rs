//! The op info library of a package: `aic-<soc>-ops-info.json`, `{"Op": {"input0": {"dtype": "..."}, ...}}`.

use crate::dtype::DType;
use crate::failure::{Failure, Outcome, codes};
use crate::init_value::InitValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Debug, PartialEq, Eq)]
pub struct OpInfo {
    pub op_file: String,
    /// name, one dtype per column
    pub inputs: Vec<(String, Vec<DType>)>,
    pub outputs: Vec<(String, Vec<DType>)>,
    /// Outputs that are as long as the kernel says (OutputShapeDependOnCompute).
    pub partial: Vec<bool>,
    /// By output.
    pub init: Vec<Option<InitValue>>,
}

/// An op's object, and what it says once somebody has asked for it.
type Entry = (Map<String, Value>, OnceLock<Outcome<OpInfo>>);

pub struct OpsFile {
    path: PathBuf,
    entries: HashMap<String, Entry>,
}

/// Reads a JSON object; the failure names file and reason.
pub fn read_object(path: &Path) -> Outcome<Map<String, Value>> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::new(codes::NN_LOAD_JSON_FAILED, format!("cannot read {}: {e}; reinstall the package", path.display()))
    })?;
    let value = serde_json::from_str(&text).map_err(|e| {
        Failure::new(
            codes::NN_LOAD_JSON_FAILED,
            format!("{} is not valid JSON: {e}; reinstall the package", path.display()),
        )
    })?;
    match value {
        Value::Object(object) => Ok(object),
        _ => fail!(NN_JSON_FORMAT_INVALID, "{} does not hold a JSON object", path.display()),
    }
}

impl OpsFile {
    /// A package without the file has no ops for this SoC.
    pub fn read(path: &Path) -> Outcome<OpsFile> {
        let mut entries = HashMap::new();
        if path.exists() {
            for (op, value) in read_object(path)? {
                let Value::Object(entry) = value else {
                    fail!(NN_JSON_FORMAT_INVALID, "{}: the entry of {op} is not an object", path.display());
                };
                entries.insert(op, (entry, OnceLock::new()));
            }
        }
        Ok(OpsFile { path: path.to_owned(), entries })
    }

    pub fn op(&self, op_type: &str) -> Outcome<Option<&OpInfo>> {
        let Some((entry, parsed)) = self.entries.get(op_type) else {
            return Ok(None);
        };
        let parsed = parsed.get_or_init(|| {
            parse(op_type, entry)
                .map_err(|f| Failure::new(f.code, format!("{}: {op_type}: {}", self.path.display(), f.message)))
        });
        parsed.as_ref().map(Some).map_err(Clone::clone)
    }
}

fn parse(op_type: &str, entry: &Map<String, Value>) -> Outcome<OpInfo> {
    let text = |group: &str, key: &str| entry.get(group).and_then(|g| g.get(key)).and_then(Value::as_str);
    let outputs = tensors(entry, "output")?;
    if outputs.is_empty() {
        fail!(NN_JSON_VALUE_NOT_FOUND, "output0 is missing");
    }
    let field = |i: usize, key: &str| entry.get(&format!("output{i}")).and_then(|output| output.get(key));
    let init = |i: usize| field(i, "initValue").map(|value| InitValue::parse(&format!("output{i}"), value)).transpose();
    Ok(OpInfo {
        op_file: text("opFile", "value").map_or_else(|| snake_case(op_type), str::to_owned),
        inputs: tensors(entry, "input")?,
        partial: (0..outputs.len()).map(|i| field(i, "outputShapeDependOnCompute").is_some()).collect(),
        init: (0..outputs.len()).map(init).collect::<Outcome<_>>()?,
        outputs,
    })
}

fn tensors(entry: &Map<String, Value>, kind: &str) -> Outcome<Vec<(String, Vec<DType>)>> {
    let mut found = Vec::new();
    while let Some(tensor) = entry.get(&format!("{kind}{}", found.len())) {
        let at = format!("{kind}{}", found.len());
        let field = |key: &str| match tensor.get(key).and_then(Value::as_str) {
            Some(text) => Ok(text),
            None => fail!(NN_JSON_VALUE_NOT_FOUND, "{at}.{key} is missing"),
        };
        let dtypes = field("dtype")?.split(',').map(|name| match DType::from_name(name.trim()) {
            Some(dtype) => Ok(dtype),
            None => fail!(NN_JSON_DTYPE_INVALID, "{at}.dtype names the unknown type \"{name}\""),
        });
        found.push((field("name")?.to_owned(), dtypes.collect::<Outcome<Vec<_>>>()?));
    }
    Ok(found)
}

/// Default of opFile: runs of capitals stay together (`ReduceSumD` -> `reduce_sum_d`, `LSTMCell` -> `lstm_cell`).
pub fn snake_case(op_type: &str) -> String {
    let chars: Vec<char> = op_type.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let starts_word = c.is_ascii_uppercase()
            && i > 0
            && (!chars[i - 1].is_ascii_uppercase() || chars.get(i + 1).is_some_and(char::is_ascii_lowercase));
        if starts_word {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    fn one(json: &str) -> Outcome<OpInfo> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ops.json");
        std::fs::write(&path, json).unwrap();
        let file = OpsFile::read(&path)?;
        file.op("Fmod").map(|op| {
            let op = op.unwrap();
            OpInfo {
                op_file: op.op_file.clone(),
                inputs: op.inputs.clone(),
                outputs: op.outputs.clone(),
                partial: op.partial.clone(),
                init: op.init.clone(),
            }
        })
    }

    #[test]
    fn reads_an_entry() {
        let op = one(r#"{"Fmod": {"attr": {"list": "scalar,mode"}, "opFile": {"value": "fmod"},
            "input0": {"name": "x1", "dtype": "float16,float"}, "input1": {"name": "x2", "dtype": "float16,float32"},
            "output0": {"name": "y", "dtype": "float16,float32"}}}"#)
        .unwrap();
        assert_eq!(op.op_file, "fmod");
        assert_eq!(op.inputs, [("x1".to_owned(), vec![F16, F32]), ("x2".to_owned(), vec![F16, F32])]);
        assert_eq!((op.outputs.len(), op.partial), (1, vec![false]));
        let op = one(r#"{"Fmod": {"output0": {"name": "y", "dtype": "float", "outputShapeDependOnCompute": "true"},
            "output1": {"name": "n", "dtype": "float"}, "output2": {"name": "z", "dtype": "float", "initValue": "0"}}}"#);
        let op = op.unwrap();
        assert_eq!(op.partial, [true, false, false]);
        assert_eq!(op.init, [None, None, Some(InitValue::One([0].into()))]);
    }

    #[test]
    fn broken_files_name_path_and_reason() {
        for (json, code, hint) in [
            ("{", codes::NN_LOAD_JSON_FAILED, "not valid JSON"),
            ("[]", codes::NN_JSON_FORMAT_INVALID, "JSON object"),
            (r#"{"Fmod": 1}"#, codes::NN_JSON_FORMAT_INVALID, "Fmod"),
            (r#"{"Fmod": {}}"#, codes::NN_JSON_VALUE_NOT_FOUND, "output0"),
            (r#"{"Fmod": {"output0": {"name": "y"}}}"#, codes::NN_JSON_VALUE_NOT_FOUND, "output0.dtype"),
            (
                r#"{"Fmod": {"output0": {"name": "y", "dtype": "float", "initValue": "x"}}}"#,
                codes::NN_JSON_FORMAT_INVALID,
                "output0.initValue",
            ),
            (r#"{"Fmod": {"output0": {"name": "y", "dtype": "float17"}}}"#, codes::NN_JSON_DTYPE_INVALID, "float17"),
        ] {
            let error = one(json).unwrap_err();
            assert_eq!(error.code, code, "{json}");
            assert!(error.message.contains(hint) && error.message.contains("ops.json"), "{}", error.message);
        }
    }

    #[test]
    fn file_name_of_an_op_type() {
        for (op, want) in [("Fmod", "fmod"), ("ReduceSumD", "reduce_sum_d"), ("LSTMCell", "lstm_cell"), ("A", "a")] {
            assert_eq!(snake_case(op), want);
        }
    }
}

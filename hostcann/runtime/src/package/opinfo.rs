//! The op info library of a package: what plans and kernel look-ups take from `aic-<soc>-ops-info.json`.
//!
//! The file is read and checked by the crate `opinfo`: what `cargo xtask opinfo check` calls an error is refused here, in
//! the same words.

use crate::base::dtype::{self, DType};
use crate::base::failure::{Failure, Outcome, codes};
use crate::package::init_value::InitValue;
use opinfo::{Library, Op, Profile, Rule};
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

/// An op's entry, and what it says once somebody has asked for it.
type Entry = (Op, OnceLock<Outcome<OpInfo>>);

pub struct OpsFile {
    path: PathBuf,
    entries: HashMap<String, Entry>,
}

/// Reads a JSON object; the failure names file and reason.
///
/// # Errors
///
/// `NN_LOAD_JSON_FAILED` where the file cannot be read or is not JSON, `NN_JSON_FORMAT_INVALID` where it holds no
/// object.
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

/// What upstream's loader would give for a rule.
fn code_of(rule: Rule) -> i32 {
    match rule {
        Rule::NotText | Rule::Bom | Rule::NotJson => codes::NN_LOAD_JSON_FAILED,
        Rule::NameMissing | Rule::ParamTypeMissing | Rule::DtypeMissing | Rule::AttrTypeValue | Rule::AttrSection => {
            codes::NN_JSON_VALUE_NOT_FOUND
        }
        Rule::DtypeUnknown => codes::NN_JSON_DTYPE_INVALID,
        _ => codes::NN_JSON_FORMAT_INVALID,
    }
}

impl OpsFile {
    /// Reads and checks the library. A package without the file has no ops for this SoC.
    ///
    /// # Errors
    ///
    /// `NN_LOAD_JSON_FAILED` where the file cannot be read or is not JSON; where it breaks a rule of the format,
    /// `NN_JSON_VALUE_NOT_FOUND`, `NN_JSON_DTYPE_INVALID` or `NN_JSON_FORMAT_INVALID`, by the first one.
    pub fn read(path: &Path) -> Outcome<OpsFile> {
        let mut entries = HashMap::new();
        if path.exists() {
            let library = Library::load(path).map_err(|e| {
                let message = format!("cannot read {}: {e}; reinstall the package", path.display());
                Failure::new(codes::NN_LOAD_JSON_FAILED, message)
            })?;
            let findings = library.check(Profile::Any);
            let mut errors = opinfo::errors(&findings);
            if let Some(first) = errors.next() {
                let more = match errors.count() {
                    0 => String::new(),
                    more => format!(" (and {more} more; `cargo xtask opinfo check` tells them all)"),
                };
                return Err(Failure::new(
                    code_of(first.rule),
                    format!("{}{more}", first.text(&path.display().to_string())),
                ));
            }
            entries.extend(library.ops.into_iter().map(|op| (op.name.clone(), (op, OnceLock::new()))));
        }
        Ok(OpsFile { path: path.to_owned(), entries })
    }

    /// The entry of an op type. None: the file does not have it.
    ///
    /// # Errors
    ///
    /// `NN_JSON_VALUE_NOT_FOUND` where a tensor of the entry has no data type, `NN_JSON_DTYPE_INVALID` where
    /// a type is not modelled; otherwise as `InitValue::parse`.
    pub fn op(&self, op_type: &str) -> Outcome<Option<&OpInfo>> {
        let Some((entry, parsed)) = self.entries.get(op_type) else {
            return Ok(None);
        };
        let parsed = parsed.get_or_init(|| {
            parse(entry).map_err(|f| Failure::new(f.code, format!("{}: {op_type}: {}", self.path.display(), f.message)))
        });
        parsed.as_ref().map(Some).map_err(Clone::clone)
    }
}

/// What the host toolkit needs beyond the rules of the format.
fn parse(op: &Op) -> Outcome<OpInfo> {
    let operator = opinfo::Operator::of(op);
    let of_output =
        |key: &'static str| operator.outputs.iter().map(move |output| (&output.place, op.get(&output.place, key)));
    let init = of_output("initValue")
        .map(|(place, value)| value.map(|value| InitValue::parse(place, &Value::from(value))).transpose());
    Ok(OpInfo {
        partial: of_output("outputShapeDependOnCompute").map(|(_, value)| value.is_some()).collect(),
        init: init.collect::<Outcome<_>>()?,
        inputs: tensors(&operator.inputs)?,
        outputs: tensors(&operator.outputs)?,
        op_file: operator.op_file,
    })
}

fn tensors(tensors: &[opinfo::Tensor]) -> Outcome<Vec<(String, Vec<DType>)>> {
    let tensor = |tensor: &opinfo::Tensor| {
        let place = &tensor.place;
        if tensor.dtypes.is_empty() {
            fail!(NN_JSON_VALUE_NOT_FOUND, "{place}.dtype is missing");
        }
        let dtype = |name: &String| match dtype::of_token(name) {
            Some(dtype) => Ok(dtype),
            None => fail!(NN_JSON_DTYPE_INVALID, "{place}.dtype has {name}, which the host toolkit does not model"),
        };
        Ok((tensor.name.clone(), tensor.dtypes.iter().map(dtype).collect::<Outcome<_>>()?))
    };
    tensors.iter().map(tensor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::{F16, F32};

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

    fn tensor(group: &str, name: &str, more: &str) -> String {
        format!(r#""{group}": {{"name": "{name}", "paramType": "required"{more}}}"#)
    }

    #[test]
    fn reads_an_entry() {
        let list = r#", "dtype": "float16,float", "format": "ND,ND""#;
        let json = format!(
            r#"{{"Fmod": {{"attr": {{"list": "mode"}}, "attr_mode": {{"type": "int", "value": "all", "paramType": "required"}},
            "opFile": {{"value": "fmod"}}, {}, {}, {}}}}}"#,
            tensor("input0", "x1", list),
            tensor("input1", "x2", list),
            tensor("output0", "y", list)
        );
        let op = one(&json).unwrap();
        assert_eq!(op.op_file, "fmod");
        assert_eq!(op.inputs, [("x1".to_owned(), vec![F16, F32]), ("x2".to_owned(), vec![F16, F32])]);
        assert_eq!((op.outputs.len(), op.partial), (1, vec![false]));
        let list = r#", "dtype": "float", "format": "ND""#;
        let json = format!(
            r#"{{"Fmod": {{{}, {}, {}}}}}"#,
            tensor("output0", "y", &format!(r#"{list}, "outputShapeDependOnCompute": "true""#)),
            tensor("output1", "n", list),
            tensor("output2", "z", &format!(r#"{list}, "initValue": "0""#))
        );
        let op = one(&json).unwrap();
        assert_eq!((op.op_file.as_str(), op.partial), ("fmod", vec![true, false, false]));
        assert_eq!(op.init, [None, None, Some(InitValue::One([0].into()))]);
        let op = one(r#"{"Fmod": {"opFile": {"value": "fmod"}}}"#).unwrap();
        assert_eq!((op.op_file.as_str(), op.inputs.len(), op.outputs.len()), ("fmod", 0, 0));
    }

    #[test]
    fn broken_files_name_path_and_reason() {
        let y = |more: &str| format!(r#"{{"Fmod": {{{}}}}}"#, tensor("output0", "y", more));
        for (json, code, hint) in [
            ("{".to_owned(), codes::NN_LOAD_JSON_FAILED, "ops.json:1: error OI015: expected a key in quotes"),
            ("[]".to_owned(), codes::NN_JSON_FORMAT_INVALID, "error OI016: "),
            (r#"{"Fmod": 1}"#.to_owned(), codes::NN_JSON_FORMAT_INVALID, "`Fmod` is a number, not an object"),
            (y(""), codes::NN_JSON_VALUE_NOT_FOUND, "ops.json: Fmod: output0.dtype is missing"),
            (y(r#", "dtype": "float", "initValue": "x""#), codes::NN_JSON_FORMAT_INVALID, "output0.initValue is `x`"),
            (y(r#", "dtype": "float17""#), codes::NN_JSON_DTYPE_INVALID, "float17"),
            (y(r#", "dtype": "int4""#), codes::NN_JSON_DTYPE_INVALID, "which the host toolkit does not model"),
        ] {
            let error = one(&json).unwrap_err();
            assert_eq!(error.code, code, "{json}");
            assert!(error.message.contains(hint) && error.message.contains("ops.json"), "{}", error.message);
        }
    }

    /// One reader: what `cargo xtask opinfo check` says of a file is what loading it says.
    #[test]
    fn loading_says_what_the_check_says() {
        let json = "{\n\"Fmod\": {\n\"output0\": {\"name\": \"y\"}, \"heavyOp\": {\"flag\": \"yes\"}}}";
        let findings = Library::of(json.as_bytes(), opinfo::Origin::Json).check(Profile::Any);
        let first = opinfo::errors(&findings).next().unwrap();
        assert_eq!((first.rule, first.line), (Rule::ParamTypeMissing, 3));
        let error = one(json).unwrap_err();
        assert_eq!(error.code, codes::NN_JSON_VALUE_NOT_FOUND);
        assert!(
            error.message.ends_with(&format!(
                "{} (and 1 more; `cargo xtask opinfo check` tells them all)",
                first.text("ops.json")
            )),
            "{}",
            error.message
        );
    }
}

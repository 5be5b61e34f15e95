//! `kernel/config/<soc>/<op>.json`: which binary belongs to which combination of types.

use crate::base::dtype::{self, DType, name_of};
use crate::base::failure::{Failure, Outcome};
use crate::package::opinfo::read_object;
use hostcann_types::format::{Format, Layout};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A tensor as the caller has it. None: an optional tensor that is absent.
pub type Tensor = Option<(i32, i32)>;

#[derive(Debug)]
struct Slot {
    dtype: Option<DType>,
    /// None: any format without a private layout.
    format: Option<String>,
}

#[derive(Debug)]
pub struct Entry {
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    pub json: PathBuf,
}

#[derive(Debug)]
pub struct KernelConfig {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl KernelConfig {
    /// Reads the combinations of an operator. `kernel`: the package's op_impl/ai_core/tbe/kernel.
    ///
    /// # Errors
    ///
    /// `NN_KERNEL_PKG_NOT_FOUND` where the file does not exist, `NN_LOAD_JSON_FAILED` where it cannot be read or is not
    /// JSON, `NN_JSON_FORMAT_INVALID`, `NN_JSON_VALUE_NOT_FOUND` or `NN_JSON_DTYPE_INVALID` where an entry is
    /// malformed, incomplete or names an unknown type, `NN_INNER` where an attribute lacks name or value.
    pub fn read(kernel: &Path, soc: &str, op_file: &str) -> Outcome<KernelConfig> {
        let path = kernel.join("config").join(soc).join(format!("{op_file}.json"));
        if !path.exists() {
            fail!(
                NN_KERNEL_PKG_NOT_FOUND,
                "{} does not exist: the package has no kernels for {soc}; build and install it for this SoC",
                path.display()
            );
        }
        let object = read_object(&path)?;
        let Some(list) = object.get("binList").and_then(Value::as_array) else {
            fail!(NN_JSON_VALUE_NOT_FOUND, "{}: binList is missing or not a list", path.display());
        };
        let entries = list.iter().enumerate().map(|(i, value)| {
            entry(kernel, value)
                .map_err(|f| Failure::new(f.code, format!("{}: binList[{i}]: {}", path.display(), f.message)))
        });
        let entries = entries.collect::<Outcome<Vec<_>>>()?;
        Ok(KernelConfig { path, entries })
    }

    /// The first entry whose types and formats fit the tensors.
    ///
    /// # Errors
    ///
    /// `NN_FIND_KERNEL` where none fits.
    pub fn select(&self, inputs: &[Tensor], outputs: &[Tensor]) -> Outcome<&Entry> {
        if let Some(entry) = self.entries.iter().find(|e| fits(&e.inputs, inputs) && fits(&e.outputs, outputs)) {
            return Ok(entry);
        }
        let installed: Vec<String> = self
            .entries
            .iter()
            .map(|e| {
                let names = |slots: &[Slot]| {
                    slots.iter().map(|s| s.dtype.map_or("none", dtype::name)).collect::<Vec<_>>().join(",")
                };
                format!("({}) -> ({})", names(&e.inputs), names(&e.outputs))
            })
            .collect();
        let asked = |tensors: &[Tensor]| {
            let one = |t: &Tensor| t.map_or("absent".to_owned(), |(d, f)| format!("{} {}", name_of(d), format_name(f)));
            tensors.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        fail!(
            NN_FIND_KERNEL,
            "no kernel for ({}) -> ({}); {} has: {}",
            asked(inputs),
            asked(outputs),
            self.path.display(),
            if installed.is_empty() { "nothing".to_owned() } else { installed.join("; ") }
        )
    }
}

/// Tensors behind the last slot may only be absent ones, slots behind the last tensor count as absent.
fn fits(slots: &[Slot], tensors: &[Tensor]) -> bool {
    tensors.iter().skip(slots.len()).all(Option::is_none)
        && slots.iter().zip(tensors).all(|(slot, tensor)| match tensor {
            None => true,
            Some((dtype, format)) => {
                slot.dtype.is_some_and(|d| d.number() == *dtype)
                    && match &slot.format {
                        None => !is_private(*format),
                        Some(name) => format_name(*format) == *name,
                    }
            }
        })
}

fn entry(kernel: &Path, value: &Value) -> Outcome<Entry> {
    let Some(json) = value.pointer("/binInfo/jsonFilePath").and_then(Value::as_str) else {
        fail!(NN_JSON_VALUE_NOT_FOUND, "binInfo.jsonFilePath is missing");
    };
    check_attrs(value)?;
    Ok(Entry { inputs: slots(value, "inputs")?, outputs: slots(value, "outputs")?, json: kernel.join(json) })
}

/// The device's loader takes no kernel whose attributes lack a name or a value, although it compares neither.
fn check_attrs(value: &Value) -> Outcome<()> {
    let Some(attrs) = value.get("attrs") else { return Ok(()) };
    let Some(attrs) = attrs.as_array() else { fail!(NN_JSON_FORMAT_INVALID, "attrs is not a list") };
    for (i, attr) in attrs.iter().enumerate() {
        let Some(name) = attr.get("name").and_then(Value::as_str) else { fail!(NN_INNER, "attrs[{i}] has no name") };
        if attr.get("value").is_none() {
            fail!(NN_INNER, "attrs[{i}], {name}, has no value; build the package again");
        }
    }
    Ok(())
}

fn slots(value: &Value, key: &str) -> Outcome<Vec<Slot>> {
    let Some(list) = value.get(key).and_then(Value::as_array) else {
        fail!(NN_JSON_VALUE_NOT_FOUND, "{key} is missing or not a list");
    };
    let slot = |(i, tensor): (usize, &Value)| {
        if tensor.is_null() {
            return Ok(Slot { dtype: None, format: None });
        }
        // A dynamic tensor is a list of one description.
        let tensor = tensor.get(0).unwrap_or(tensor);
        if !tensor.is_object() {
            fail!(NN_JSON_FORMAT_INVALID, "{key}[{i}] is neither an object nor a list of one");
        }
        let Some(name) = tensor.get("dtype").and_then(Value::as_str) else {
            fail!(NN_JSON_VALUE_NOT_FOUND, "{key}[{i}].dtype is missing");
        };
        let Some(dtype) = dtype::of_token(name) else {
            fail!(NN_JSON_DTYPE_INVALID, "{key}[{i}].dtype is the unknown type \"{name}\"");
        };
        let format = tensor.get("format").and_then(Value::as_str).unwrap_or("ND");
        let agnostic = tensor.get("format_match_mode").and_then(Value::as_str) == Some("FormatAgnostic");
        let format = (format != "ND" && !agnostic).then(|| format.to_owned());
        Ok(Slot { dtype: Some(dtype), format })
    };
    list.iter().enumerate().map(slot).collect()
}

fn format_name(format: i32) -> String {
    Format::of_number(format).map_or_else(|| format!("format {format}"), |format| format.text.to_owned())
}

fn is_private(format: i32) -> bool {
    Format::of_number(format).is_some_and(|format| format.layout == Layout::Private)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::codes;
    use std::fs;

    const F32: i32 = 0;
    const F16: i32 = 1;
    const ND: i32 = 2;
    const NCHW: i32 = 0;
    const NZ: i32 = 29;

    fn read(json: &str) -> Outcome<KernelConfig> {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("config/ascend910b")).unwrap();
        fs::write(dir.path().join("config/ascend910b/fmod.json"), json).unwrap();
        KernelConfig::read(dir.path(), "ascend910b", "fmod")
    }

    const TWO: &str = r#"{"binList": [
        {"inputs": [{"dtype": "float32", "format": "ND"}, {"dtype": "float32", "format": "ND"}],
         "outputs": [{"dtype": "float32", "format": "ND"}], "binInfo": {"jsonFilePath": "a/one.json"}},
        {"inputs": [{"dtype": "float16", "format": "NCHW"}, null],
         "outputs": [{"dtype": "float16", "format": "ND"}], "binInfo": {"jsonFilePath": "a/two.json"}}]}"#;

    #[test]
    fn selects_by_type_and_format() {
        let config = read(TWO).unwrap();
        let pick = |inputs: &[Tensor], outputs: &[Tensor]| {
            config.select(inputs, outputs).ok().map(|e| e.json.file_name().unwrap().to_str().unwrap().to_owned())
        };
        let f32 = Some((F32, ND));
        assert_eq!(pick(&[f32, f32], &[f32]).as_deref(), Some("one.json"));
        assert_eq!(pick(&[Some((F32, NCHW)), None], &[f32]).as_deref(), Some("one.json"));
        assert_eq!(pick(&[f32], &[f32]).as_deref(), Some("one.json"));
        assert_eq!(pick(&[Some((F32, NZ)), f32], &[f32]), None);
        assert_eq!(pick(&[Some((F16, NCHW)), None], &[Some((F16, ND))]).as_deref(), Some("two.json"));
        assert_eq!(pick(&[Some((F16, ND)), None], &[Some((F16, ND))]), None);
        assert_eq!(pick(&[f32, f32, f32], &[f32]), None);
    }

    #[test]
    fn a_list_is_one_tensor() {
        let json = TWO.replacen(r#"[{"dtype": "float32", "format": "ND"},"#, r#"[[{"dtype": "float32"}],"#, 1);
        let f32 = Some((F32, ND));
        assert!(read(&json).unwrap().select(&[f32, f32], &[f32]).is_ok());
    }

    #[test]
    fn every_attribute_has_a_value() {
        let attrs = |attrs: &str| read(&TWO.replacen(r#"{"inputs""#, &format!(r#"{{"attrs": {attrs}, "inputs""#), 1));
        for fine in ["[]", r#"[{"name": "a", "dtype": "int", "value": 0}]"#, r#"[{"name": "a", "value": null}]"#] {
            assert!(attrs(fine).is_ok(), "{fine}");
        }
        let error = attrs(r#"[{"name": "a", "value": []}, {"name": "mode", "dtype": "int"}]"#).unwrap_err();
        assert_eq!(error.code, codes::NN_INNER);
        assert!(error.message.contains("binList[0]: attrs[1], mode, has no value"), "{}", error.message);
    }

    #[test]
    fn a_miss_says_what_was_asked_and_what_there_is() {
        let error = read(TWO).unwrap().select(&[Some((3, ND)), None], &[Some((3, ND))]).unwrap_err();
        assert_eq!(error.code, codes::NN_FIND_KERNEL);
        for part in ["int32 ND, absent", "(float32,float32) -> (float32)", "(float16,none)", "fmod.json"] {
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[test]
    fn broken_files() {
        for (json, code) in [
            ("nope", codes::NN_LOAD_JSON_FAILED),
            ("{}", codes::NN_JSON_VALUE_NOT_FOUND),
            (r#"{"binList": [{}]}"#, codes::NN_JSON_VALUE_NOT_FOUND),
            (r#"{"binList": [{"binInfo": {"jsonFilePath": "x"}, "inputs": [[]]}]}"#, codes::NN_JSON_FORMAT_INVALID),
            (r#"{"binList": [{"binInfo": {"jsonFilePath": "x"}, "attrs": {}}]}"#, codes::NN_JSON_FORMAT_INVALID),
            (r#"{"binList": [{"binInfo": {"jsonFilePath": "x"}, "attrs": [null]}]}"#, codes::NN_INNER),
            (r#"{"binList": [{"binInfo": {"jsonFilePath": "x"}, "attrs": [{"value": 0}]}]}"#, codes::NN_INNER),
            (
                r#"{"binList": [{"binInfo": {"jsonFilePath": "x"}, "inputs": [{"dtype": "f8"}], "outputs": []}]}"#,
                codes::NN_JSON_DTYPE_INVALID,
            ),
        ] {
            assert_eq!(read(json).unwrap_err().code, code, "{json}");
        }
        let missing = KernelConfig::read(Path::new("/nonexistent"), "ascend910b", "fmod").unwrap_err();
        assert_eq!(missing.code, codes::NN_KERNEL_PKG_NOT_FOUND);
    }
}

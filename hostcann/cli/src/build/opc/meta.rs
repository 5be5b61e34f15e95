//! Metadata beside kernel objects: `<bin>.json`, `kernel/config/<soc>/<op>.json`, `binary_info_config.json`.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use md5::{Digest, Md5};
use serde::Serialize;
use serde_json::{Value, json};

use super::dtype;
use super::ini::{Attr, Op, Tensor};
use crate::base::files;

pub const IMPL_MODE: &str = "high_performance";

/// One dtype/format combination of an op.
#[derive(Clone, Debug)]
pub struct Column {
    pub index: usize,
    /// `<Op>_<md5>_high_performance`: file name, kernelName and prefix of the exported symbols.
    pub name: String,
    params: Params,
}

#[derive(Clone, Debug)]
struct Params {
    inputs: Value,
    outputs: Value,
    /// Null where the op has none.
    attrs: Value,
}

impl Column {
    pub fn new(op: &Op, index: usize) -> Result<Column> {
        let attrs: Vec<Value> = op.attrs().iter().map(attribute).collect();
        let params = Params {
            inputs: tensors(&op.inputs()?, index),
            outputs: tensors(&op.outputs()?, index),
            attrs: if attrs.is_empty() { Value::Null } else { Value::Array(attrs) },
        };
        let hash = files::hex(&Md5::digest(params.text(op)?.as_bytes()));
        Ok(Column { index, name: format!("{}_{hash}_{IMPL_MODE}", op.name), params })
    }

    fn support_info(&self, op: &Op) -> Result<Value> {
        let keys = simplified_keys(op, self.index)?;
        let mut info = json!({
            "implMode": IMPL_MODE,
            "int64Mode": false,
            "simplifiedKeyMode": 0,
            "simplifiedKey": keys,
            "staticKey": files::sha256(self.name.as_bytes()),
            "inputs": self.params.inputs,
            "outputs": self.params.outputs,
        });
        if !self.params.attrs.is_null() {
            info["attrs"] = self.params.attrs.clone();
        }
        for (key, value) in
            [("opMode", "dynamic"), ("optionalInputMode", "gen_placeholder"), ("deterministic", "ignore")]
        {
            info[key] = value.into();
        }
        Ok(info)
    }

    /// `<bin>.json`. `opParaSize` is left out: the size of the tiling data is known to the tiling function only.
    pub fn kernel_json(&self, op: &Op, keys: &[u64], object: &[u8]) -> Result<Value> {
        let count = op.parameters()?;
        let kernels: Vec<Value> =
            keys.iter().map(|key| json!({"kernelName": format!("{}_{key}", self.name)})).collect();
        Ok(json!({
            "binFileName": self.name,
            "binFileSuffix": ".o",
            "blockDim": -1,
            "coreType": "VectorCore",
            "core_type": "AIV",
            "intercoreSync": 0,
            "kernelName": self.name,
            "kernelList": kernels,
            "magic": "RT_DEV_BINARY_MAGIC_ELF_AIVEC",
            "memoryStamping": [],
            "optionalInputMode": "gen_placeholder",
            "parameters": vec![Value::Null; count],
            "sha256": files::sha256(object),
            "workspace": {"num": 1, "size": [-1], "type": [0]},
            "compileInfo": {},
            "dynamicParamMode": "folded_with_desc",
            "hostcann": {"machine": std::env::consts::ARCH},
            "supportInfo": self.support_info(op)?,
        }))
    }

    /// One entry of `binList`.
    pub fn config_entry(&self, op: &Op, soc: &str) -> Result<Value> {
        let mut entry = self.support_info(op)?;
        entry["binInfo"] = json!({"jsonFilePath": format!("{soc}/{}/{}.json", op.file()?, self.name)});
        Ok(entry)
    }

    /// Its entry of `binaryList` in binary_info_config.json.
    fn binary_entry(&self, op: &Op, soc: &str) -> Result<Value> {
        let path = format!("{soc}/{}/{}", op.file()?, self.name);
        // coreType 2: VectorCore.
        Ok(json!({
            "coreType": 2,
            "simplifiedKey": simplified_keys(op, self.index)?,
            "binPath": format!("{path}.o"),
            "jsonPath": format!("{path}.json"),
        }))
    }
}

impl Params {
    /// What ascendc_bin_param_build.py hashes, byte for byte: Python's json.dumps with an indent of two.
    fn text(&self, op: &Op) -> Result<String> {
        let mut node = json!({"bin_filename": "", "inputs": self.inputs, "outputs": self.outputs});
        if !self.attrs.is_null() {
            node["attrs"] = self.attrs.clone();
        }
        indented(&json!({"op_type": op.name, "op_list": [node]}), b"  ")
    }
}

/// The columns that become kernels. Optional tensors select none: of columns that differ in these only, upstream compiles
/// the first.
pub fn columns(op: &Op) -> Result<Vec<Column>> {
    let tensors: Vec<Tensor> = op.inputs()?.into_iter().chain(op.outputs()?).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for index in (0..op.columns()?).filter(|&index| op.is_chosen(index)) {
        let required = tensors.iter().filter(|tensor| tensor.param_type != "optional");
        let key: Vec<_> = required.map(|tensor| (&tensor.dtypes[index], &tensor.formats[index])).collect();
        if seen.insert(key) {
            found.push(Column::new(op, index)?);
        }
    }
    Ok(found)
}

/// Names of types as upstream's scripts write them, and the value that stands for "any".
fn attribute(attr: &Attr) -> Value {
    let mut kind = String::new();
    for (i, c) in attr.kind.chars().enumerate() {
        if i > 0 && c.is_ascii_uppercase() {
            kind.push('_');
        }
        kind.push(c.to_ascii_lowercase());
    }
    let value = match kind.as_str() {
        "str" => json!(""),
        "int" => json!(0),
        "float" => json!(0.0),
        "bool" => json!(false),
        "list_bool" | "list_int" | "list_float" => json!([]),
        "list_list_int" => json!([[]]),
        _ => Value::Null,
    };
    json!({"name": attr.name, "dtype": kind, "value": value})
}

fn tensors(tensors: &[Tensor], column: usize) -> Value {
    let one = |(index, tensor): (usize, &Tensor)| {
        let description = json!({
            "name": tensor.name,
            "index": index,
            "dtype": tensor.dtypes[column],
            "format": tensor.formats[column],
            "paramType": tensor.param_type,
            "shape": [-2],
            "format_match_mode": "FormatAgnostic",
        });
        if tensor.param_type == "dynamic" { json!([description]) } else { description }
    };
    Value::Array(tensors.iter().enumerate().map(one).collect())
}

/// `<Op>/d=<0|1>,p=<0|1>/<dtype code>,<format code>/…`, a segment per tensor.
fn simplified_keys(op: &Op, column: usize) -> Result<Vec<String>> {
    let mut tail = String::new();
    for tensor in op.inputs()?.iter().chain(&op.outputs()?) {
        let dtype = dtype::dtype(&tensor.dtypes[column]).context("the dtypes were checked when read")?;
        let format = dtype::format_code(&tensor.formats[column]).context("the formats were checked when read")?;
        tail.push_str(&format!("/{},{format}", dtype.code));
    }
    let head = |d, p| format!("{}/d={d},p={p}{tail}", op.name);
    Ok(vec![head(0, 0), head(1, 0), head(0, 1), head(1, 1)])
}

/// The op's entry of binary_info_config.json.
pub fn binary_info(op: &Op, soc: &str) -> Result<Value> {
    let params = |tensors: &[Tensor]| -> Vec<Value> {
        let one = |(index, tensor): (usize, &Tensor)| {
            let (name, kind) = (&tensor.name, &tensor.param_type);
            let entry = json!({"name": name, "index": index, "paramType": kind, "formatMode": "static_nd_agnostic"});
            if kind == "dynamic" { json!([entry]) } else { entry }
        };
        tensors.iter().enumerate().map(one).collect()
    };
    let mut described = json!({"inputs": params(&op.inputs()?), "outputs": params(&op.outputs()?)});
    let attrs: Vec<Value> = op.attrs().iter().map(|attr| json!({"name": attr.name})).collect();
    if !attrs.is_empty() {
        described["attrs"] = attrs.into();
    }
    let mut columns = columns(op)?;
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    let binaries = columns.iter().map(|column| column.binary_entry(op, soc)).collect::<Result<Vec<_>>>()?;
    Ok(json!({
        "dynamicRankSupport": true,
        "simplifiedKeyMode": 0,
        "optionalInputMode": "gen_placeholder",
        "params": described,
        "binaryList": binaries,
    }))
}

/// JSON with an indent of four.
pub fn pretty(value: &impl Serialize) -> Result<String> {
    indented(value, b"    ")
}

fn indented(value: &impl Serialize, indent: &[u8]) -> Result<String> {
    let mut bytes = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(indent);
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, format)).context("cannot write JSON")?;
    String::from_utf8(bytes).context("JSON is UTF-8")
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;

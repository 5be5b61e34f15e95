//! Metadata beside kernel objects: `<bin>.json`, `kernel/config/<soc>/<op>.json`, `binary_info_config.json`.

use anyhow::{Context, Result};
use md5::{Digest, Md5};
use serde::Serialize;
use serde_json::{Value, json};

use super::dtype;
use super::ini::{Op, Tensor};
use crate::files;

pub const IMPL_MODE: &str = "high_performance";

/// One dtype/format combination of an op.
#[derive(Clone, Debug)]
pub struct Column {
    pub index: usize,
    /// `Fmod_<md5>_high_performance`: file name, kernelName and prefix of the exported symbols.
    pub name: String,
    params: Params,
}

#[derive(Clone, Debug)]
struct Params {
    inputs: Value,
    outputs: Value,
    attrs: Value,
}

impl Column {
    pub fn new(op: &Op, index: usize) -> Result<Column> {
        let attrs = op.attrs().iter().map(|attr| json!({"name": attr.name, "dtype": attr.kind})).collect::<Vec<_>>();
        let params = Params {
            inputs: tensors(&op.inputs()?, index),
            outputs: tensors(&op.outputs()?, index),
            attrs: Value::Array(attrs),
        };
        let text = json!({
            "op_type": op.name, "inputs": params.inputs, "outputs": params.outputs, "attrs": params.attrs,
        })
        .to_string();
        let hash = files::hex(&Md5::digest(text.as_bytes()));
        Ok(Column { index, name: format!("{}_{hash}_{IMPL_MODE}", op.name), params })
    }

    fn support_info(&self, op: &Op) -> Result<Value> {
        let keys = simplified_keys(op, self.index)?;
        Ok(json!({
            "implMode": IMPL_MODE,
            "int64Mode": false,
            "simplifiedKeyMode": 0,
            "simplifiedKey": keys,
            "staticKey": files::sha256(self.name.as_bytes()),
            "inputs": self.params.inputs,
            "outputs": self.params.outputs,
            "attrs": self.params.attrs,
            "opMode": "dynamic",
            "optionalInputMode": "gen_placeholder",
            "deterministic": "ignore",
        }))
    }

    /// `<bin>.json`. `opParaSize` is left out: the size of the tiling data is known to the tiling function only.
    pub fn kernel_json(&self, op: &Op, keys: &[u64], object: &[u8]) -> Result<Value> {
        let count = op.inputs()?.len() + op.outputs()?.len() + 2;
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

    /// One entry of `binaryList` in binary_info_config.json.
    fn binary_entries(&self, op: &Op, soc: &str) -> Result<Vec<Value>> {
        let path = format!("{soc}/{}/{}", op.file()?, self.name);
        let (bin, json) = (format!("{path}.o"), format!("{path}.json"));
        // coreType 2: VectorCore.
        let entry = |key| json!({"coreType": 2, "simplifiedKey": key, "binPath": bin, "jsonPath": json});
        Ok(simplified_keys(op, self.index)?.into_iter().map(entry).collect())
    }
}

pub fn columns(op: &Op) -> Result<Vec<Column>> {
    (0..op.columns()?).map(|index| Column::new(op, index)).collect()
}

fn tensors(tensors: &[Tensor], column: usize) -> Value {
    let one = |(index, tensor): (usize, &Tensor)| {
        json!({
            "name": tensor.name,
            "index": index,
            "dtype": tensor.dtypes[column],
            "format": tensor.formats[column],
            "paramType": tensor.param_type,
            "shape": [-2],
            "format_match_mode": "FormatAgnostic",
        })
    };
    Value::Array(tensors.iter().enumerate().map(one).collect())
}

/// `Fmod/d=<0|1>,p=<0|1>/<dtype code>,<format code>/…`, a segment per tensor.
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
            json!({"name": name, "index": index, "paramType": kind, "formatMode": "static_nd_agnostic"})
        };
        tensors.iter().enumerate().map(one).collect()
    };
    let mut binaries = Vec::new();
    for column in columns(op)? {
        binaries.extend(column.binary_entries(op, soc)?);
    }
    Ok(json!({
        "dynamicRankSupport": true,
        "simplifiedKeyMode": 0,
        "optionalInputMode": "gen_placeholder",
        "optionalOutputMode": "",
        "params": {"inputs": params(&op.inputs()?), "outputs": params(&op.outputs()?)},
        "binaryList": binaries,
    }))
}

/// JSON with an indent of four.
pub fn pretty(value: &impl Serialize) -> Result<String> {
    let mut bytes = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, format)).context("cannot write JSON")?;
    String::from_utf8(bytes).context("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opc::ini;

    fn fmod() -> Op {
        ini::parse(ini::tests::FMOD).expect("ini").remove(0)
    }

    #[test]
    fn names_differ_by_column_and_are_stable() {
        let columns = columns(&fmod()).expect("columns");
        assert_eq!(columns.len(), 2);
        assert_ne!(columns[0].name, columns[1].name);
        assert_eq!(columns[0].name, "Fmod_64c78d3d9d38f6918e3b83514f1a8e11_high_performance");
    }

    #[test]
    fn kernel_json_names_object_and_symbols() {
        let op = fmod();
        let column = Column::new(&op, 0).expect("column");
        let json = column.kernel_json(&op, &[0, 1], b"abc").expect("json");
        assert_eq!(json["binFileName"], json!(column.name));
        assert_eq!(json["kernelList"][1]["kernelName"], json!(format!("{}_1", column.name)));
        assert_eq!(json["sha256"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(json["parameters"].as_array().map(Vec::len), Some(5), "x1, x2, y, workspace, tiling");
        assert_eq!(json["supportInfo"]["simplifiedKey"][0], "Fmod/d=0,p=0/0,2/0,2/0,2");
        assert_eq!(json["supportInfo"]["inputs"][1]["paramType"], "optional");
    }

    #[test]
    fn config_points_to_the_kernel_json() {
        let op = fmod();
        let column = Column::new(&op, 1).expect("column");
        let entry = column.config_entry(&op, "ascend910b").expect("entry");
        assert_eq!(entry["binInfo"]["jsonFilePath"], json!(format!("ascend910b/fmod/{}.json", column.name)));
        assert_eq!(entry["outputs"][0]["dtype"], "float16");
        let info = binary_info(&op, "ascend910b").expect("info");
        assert_eq!(info["binaryList"].as_array().map(Vec::len), Some(8));
        assert_eq!(info["binaryList"][4]["simplifiedKey"], "Fmod/d=0,p=0/1,2/1,2/1,2");
    }
}

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

    /// With the name and the descriptions that a caller gives; the op has this column only.
    pub fn given(name: &str, inputs: &[Value], outputs: &[Value], attrs: &Value) -> Column {
        let params = Params { inputs: inputs.into(), outputs: outputs.into(), attrs: attrs.clone() };
        Column { index: 0, name: name.to_owned(), params }
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

/// The columns that become kernels: those that *_binary.json lists; without it, of columns that only optional tensors tell
/// apart the first (ascendc_bin_param_build.py).
pub fn columns(op: &Op) -> Result<Vec<Column>> {
    let tensors: Vec<Tensor> = op.inputs()?.into_iter().chain(op.outputs()?).collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for index in (0..op.columns()?).filter(|&index| op.is_chosen(index)) {
        let telling = tensors.iter().filter(|tensor| op.is_listed() || tensor.param_type != "optional");
        let key: Vec<_> = telling.map(|tensor| (&tensor.dtypes[index], &tensor.formats[index])).collect();
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
        tail.push_str(&format!("/{},{format}", dtype.number()));
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
mod tests {
    //! Names and contents against what upstream's scripts make of the same op info libraries (ops-math,
    //! scripts/util/ascendc_bin_param_build.py; the names below are its output and cover every byte of the parameters).

    use super::*;
    use crate::build::opc::ini;

    fn fmod() -> Op {
        ini::parse(ini::tests::FMOD).expect("ini").remove(0)
    }

    /// A tensor's lines; every column has the format ND unless the dtype says otherwise, `dtype:format`.
    fn tensor(key: &str, name: &str, kind: &str, columns: &str) -> String {
        let part = |at: usize, default: &str| -> String {
            let one = |column: &str| column.split(':').nth(at).unwrap_or(default).to_owned();
            columns.split(',').map(one).collect::<Vec<_>>().join(",")
        };
        format!(
            "{key}.name={name}\n{key}.dtype={}\n{key}.format={}\n{key}.shape=all\n{key}.paramType={kind}\n",
            part(0, ""),
            part(1, "ND")
        )
    }

    fn attrs(list: &[(&str, &str)]) -> String {
        let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
        let lines: String =
            list.iter().map(|(name, kind)| format!("attr_{name}.type={kind}\nattr_{name}.value=all\n")).collect();
        format!("attr.list={}\n{lines}", names.join(","))
    }

    fn op(name: &str, lines: &[String]) -> Op {
        ini::parse(&format!("[{name}]\n{}opFile.value=file\n", lines.concat())).expect("ini").remove(0)
    }

    /// dtype of the first input -> md5 in the name
    fn hashes(op: &Op) -> Vec<(String, String)> {
        let columns = columns(op).expect("columns");
        let hash = |column: &Column| column.name.split('_').nth(1).unwrap_or_default().to_owned();
        let first = op.inputs().expect("inputs");
        columns.iter().map(|column| (first[0].dtypes[column.index].clone(), hash(column))).collect()
    }

    fn pairs(hashes: &[(String, String)]) -> Vec<(&str, &str)> {
        hashes.iter().map(|(dtype, hash)| (dtype.as_str(), hash.as_str())).collect()
    }

    #[test]
    fn names_are_upstreams() {
        let types = "bfloat16,float16,float32,int16,int32,int8,uint8";
        let fmod = op(
            "Fmod",
            &[
                tensor("input0", "x1", "required", types),
                tensor("input1", "x2", "optional", types),
                tensor("output0", "y", "required", types),
                attrs(&[
                    ("scalar_float", "float"),
                    ("scalar_int", "int"),
                    ("precision_mode", "int"),
                    ("view_shape", "listInt"),
                    ("x1_stride", "listInt"),
                    ("x2_stride", "listInt"),
                    ("y_stride", "listInt"),
                ]),
            ],
        );
        assert_eq!(
            pairs(&hashes(&fmod)),
            [
                ("bfloat16", "d5843ab432cacb9705a1e93551dc17ff"),
                ("float16", "5e72c36acebe7bdc9f68b6666a3821b3"),
                ("float32", "2d4f919734109b1fb393db7ebff429a5"),
                ("int16", "87728f1de40a3d510a7190b8793fda58"),
                ("int32", "788b1d34356f1582d4257ff4cd866c51"),
                ("int8", "3908d8596a1eb7ad600944e5a8aa0930"),
                ("uint8", "f3e7a08778ed9aaf32b916c7b1d41dff"),
            ]
        );
    }

    #[test]
    fn every_kind_of_attribute_lists_and_columns_that_only_optional_tensors_tell_apart() {
        let mut kinds = op(
            "AllKinds",
            &[
                tensor("input0", "x", "dynamic", "float32,float32,float16:NCHW"),
                tensor("input1", "mask", "optional", "int8,uint8,int8"),
                tensor("output0", "y", "required", "float32,float32,float16"),
                attrs(&[
                    ("a", "str"),
                    ("b", "int"),
                    ("c", "float"),
                    ("d", "bool"),
                    ("e", "listBool"),
                    ("f", "listInt"),
                    ("g", "listFloat"),
                    ("h", "listListInt"),
                    ("i", "listStr"),
                ]),
            ],
        );
        assert_eq!(
            pairs(&hashes(&kinds)),
            [("float32", "128197a7487400725daa1b07549ff9c4"), ("float16", "c24d0948c479706d138cb36eda9225bf")]
        );
        kinds.choose([0, 1].into());
        assert_eq!(columns(&kinds).expect("columns").len(), 2);
    }

    #[test]
    fn without_attributes_there_is_no_list_of_them() {
        let tensors = [tensor("input0", "x", "required", "float32"), tensor("output0", "y", "required", "float32")];
        let bare = op("Bare", &tensors);
        assert_eq!(pairs(&hashes(&bare)), [("float32", "ed6815037d18f71b5ea9f61b0a34c2e8")]);
        let entry = columns(&bare).expect("columns")[0].config_entry(&bare, "ascend910b").expect("entry");
        assert!(entry.get("attrs").is_none(), "{entry}");
        assert!(binary_info(&bare, "ascend910b").expect("info")["params"].get("attrs").is_none());
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
        assert_eq!(json["supportInfo"]["attrs"], json!([{"name": "scalar", "dtype": "float", "value": 0.0}]));
    }

    #[test]
    fn config_points_to_the_kernel_json() {
        let op = fmod();
        let column = Column::new(&op, 1).expect("column");
        let entry = column.config_entry(&op, "ascend910b").expect("entry");
        assert_eq!(entry["binInfo"]["jsonFilePath"], json!(format!("ascend910b/fmod/{}.json", column.name)));
        assert_eq!(entry["outputs"][0]["dtype"], "float16");
    }

    #[test]
    fn one_entry_of_the_binary_list_per_kernel() {
        let op = fmod();
        let info = binary_info(&op, "ascend910b").expect("info");
        let list = info["binaryList"].as_array().expect("a list");
        let keys: Vec<&str> = list.iter().filter_map(|entry| entry["simplifiedKey"][3].as_str()).collect();
        let mut sorted: Vec<String> = columns(&op).expect("columns").into_iter().map(|column| column.name).collect();
        sorted.sort();
        let paths: Vec<&Value> = list.iter().map(|entry| &entry["binPath"]).collect();
        assert_eq!(
            paths,
            sorted
                .iter()
                .map(|name| json!(format!("ascend910b/fmod/{name}.o")))
                .collect::<Vec<_>>()
                .iter()
                .collect::<Vec<_>>()
        );
        assert_eq!(keys.len(), 2);
        assert!(keys.contains(&"Fmod/d=1,p=1/0,2/0,2/0,2") && keys.contains(&"Fmod/d=1,p=1/1,2/1,2/1,2"), "{keys:?}");
        assert_eq!(info["params"]["attrs"], json!([{"name": "scalar"}]));
    }
}

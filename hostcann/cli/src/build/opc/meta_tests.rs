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
    let kinds = op(
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

//! Kernel objects and libnnopbase.so name `libascendcl.so` as needed; with a soname the loaded copy satisfies them. The
//! data types are those of `hostcann/data_types.inc`.

use std::path::Path;

const TABLE: &str = "../include/hostcann/data_types.inc";

/// `HC_DATA_TYPE(FLOAT16, 1, 2, "float16", "half")`
fn fields(line: &str) -> Option<Vec<&str>> {
    let list = line.strip_prefix("HC_DATA_TYPE(")?.strip_suffix(')')?;
    Some(list.split(", ").map(|field| field.trim_matches('"')).collect())
}

/// `F16` of `FLOAT16`
fn variant(name: &str) -> String {
    match name {
        "FLOAT" => "F32".to_owned(),
        "DOUBLE" => "F64".to_owned(),
        "BF16" => "Bf16".to_owned(),
        "BOOL" => "Bool".to_owned(),
        _ => {
            let bits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            format!("{}{bits}", &name[..1])
        }
    }
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={TABLE}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libascendcl.so");
    let table = std::fs::read_to_string(TABLE).unwrap_or_else(|e| panic!("{TABLE}: {e}"));
    let mut rows = String::new();
    for fields in table.lines().filter_map(fields) {
        let [name, value, size, token, kernel] = fields[..] else {
            panic!("{TABLE}: {fields:?} has not five fields");
        };
        if !kernel.is_empty() {
            rows.push_str(&format!("{} = {value}, {size}, \"{token}\";\n", variant(name)));
        }
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let text = format!("dtypes! {{\n{rows}}}\n");
    std::fs::write(Path::new(&out).join("data_types.rs"), text).expect("OUT_DIR is writable");
}

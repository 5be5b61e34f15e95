//! Makes the exported functions of `operators.txt`, and has the library name libnnopbase.so as needed: it lies beside it in a
//! toolkit and does not exist yet when this crate is built.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hostcann_types::operators::{Operator, Table, parse};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=operators.txt");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let text = std::fs::read_to_string("operators.txt").unwrap_or_else(|e| panic!("operators.txt: {e}"));
    let table = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(out.join("operators.rs"), functions(&table)).expect("OUT_DIR is writable");
    needed(&out);
}

/// An empty library with the name that the loader shall look for.
fn needed(out: &Path) {
    let source = out.join("empty.c");
    std::fs::write(&source, "").expect("OUT_DIR is writable");
    let mut linker = Command::new("cc");
    linker
        .args(["-shared", "-nostdlib", "-Wl,-soname,libnnopbase.so", "-o"])
        .arg(out.join("libnnopbase.so"))
        .arg(&source);
    let status = linker.status().unwrap_or_else(|e| panic!("cannot run cc, the linker of Rust programs: {e}"));
    assert!(status.success(), "{linker:?}: {status}");
    println!("cargo:rustc-cdylib-link-arg=-L{}", out.display());
    for arg in ["-Wl,--no-as-needed", "-lnnopbase", "-Wl,-soname,libopapi.so", "-Wl,-rpath,$ORIGIN"] {
        println!("cargo:rustc-cdylib-link-arg={arg}");
    }
}

fn functions(table: &Table) -> String {
    let mut text = String::new();
    for (name, members) in &table.sets {
        let members: Vec<String> = members.iter().map(|member| format!("data_type::DataType::{member}")).collect();
        let _ = writeln!(text, "static {}: &[data_type::DataType] = &[{}];", name.to_uppercase(), members.join(", "));
    }
    for row in &table.rows {
        operator(&mut text, row);
    }
    text
}

fn operator(text: &mut String, row: &Operator) {
    let name = &row.function;
    let mut params = String::new();
    let mut args = String::new();
    let mut values = Vec::new();
    for (i, param) in row.params.iter().enumerate() {
        let (kind, c_type, arg) = match param.kind.as_str() {
            "tensor" => ("Tensor", "*const c_void", "Object"),
            "out" => ("Out", "*const c_void", "Object"),
            "ref" => ("Ref", "*const c_void", "Object"),
            "labels" => ("Labels", "*const c_void", "Object"),
            "tensors" => ("Tensors", "*const c_void", "Object"),
            "outs" => ("Outs", "*const c_void", "Object"),
            "scalar" => ("Scalar", "*const c_void", "Object"),
            "ints" => ("Ints", "*const c_void", "Object"),
            "bools" => ("Bools", "*const c_void", "Object"),
            "text" => ("Text", "*const c_void", "Object"),
            "bool" => ("Integer", "bool", "Integer"),
            "int8" => ("Integer", "i8", "Integer"),
            "int" | "type" => ("Integer", "i32", "Integer"),
            "uint64" => ("Integer", "u64", "Integer"),
            "float" => ("Real", "f32", "Real"),
            "double" => ("Real", "f64", "Real"),
            _ => ("Integer", "i64", "Integer"),
        };
        let (p, optional) = (&param.name, param.optional);
        let _ = write!(params, "call::Param {{ name: \"{p}\", kind: call::Kind::{kind}, optional: {optional} }}, ");
        let _ = write!(args, "a{i}: {c_type}, ");
        values.push(match arg {
            "Integer" if c_type == "u64" => format!("abi::Arg::Integer(a{i}.cast_signed())"),
            "Real" if c_type == "f32" => format!("abi::Arg::Real(f64::from(a{i}))"),
            "Integer" if c_type != "i64" => format!("abi::Arg::Integer(i64::from(a{i}))"),
            _ => format!("abi::Arg::{arg}(a{i})"),
        });
    }
    let family = match row.family.split_once(' ') {
        Some(("map", kernel)) if kernel.contains("::") => format!("call::Family::Map(&{kernel})"),
        Some(("map", kernel)) => format!("call::Family::Map(&kernels::{kernel})"),
        Some(("foreach", kernel)) => format!("call::Family::Foreach(&kernels::{kernel})"),
        Some(("reduce", kernel)) => format!("call::Family::Reduce(&kernels::{kernel})"),
        Some(("other", function)) => format!("call::Family::Other({function})"),
        _ => panic!("operators.txt: {name}: there is no family {}", row.family),
    };
    let (types, values) = (row.types.to_uppercase(), values.join(", "));
    let _ = write!(
        text,
        "const _: () = {{
    use std::ffi::c_void;
    static OPERATOR: call::Operator =
        call::Operator {{ name: c\"{name}\", params: &[{params}], types: {types}, family: {family} }};
    /// # Safety
    /// The objects are null or alive, the last two pointers null or writable.
    #[unsafe(no_mangle)]
    pub unsafe extern \"C\" fn {name}GetWorkspaceSize({args}size: *mut u64, executor: *mut *mut c_void) -> i32 {{
        // SAFETY: by this function's contract.
        unsafe {{ abi::prepare(&OPERATOR, &[{values}], size, executor) }}
    }}
    /// # Safety
    /// The executor came from phase 1; the workspace stays valid until the stream has run it.
    #[unsafe(no_mangle)]
    pub unsafe extern \"C\" fn {name}(workspace: *mut c_void, size: u64, executor: *mut c_void, stream: *mut c_void) -> i32 {{
        // SAFETY: by this function's contract.
        unsafe {{ host::hc_op_run(OPERATOR.name.as_ptr(), workspace, size, executor, stream) }}
    }}
}};
"
    );
}

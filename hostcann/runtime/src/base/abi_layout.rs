//! The structures that C++ and Rust share have the same fields at the same places on both sides.

use crate::base::host_abi::{HcElements, HcLaunch, HcMemory, HcOperand, HcPointer, HcStrided, HcTensor, HcTensorType};
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

/// Name, size, and fields with their offsets.
type Layout = (String, usize, Vec<(String, usize)>);

macro_rules! layout {
    ($type:ty, $name:literal: $($field:ident),+) => {
        (
            $name.to_owned(),
            size_of::<$type>(),
            vec![$((stringify!($field).to_owned(), offset_of!($type, $field))),+],
        )
    };
}

/// The structures of a header and their fields, in order.
fn declared(header: &str) -> Vec<(String, Vec<String>)> {
    let code: Vec<&str> = header.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join(" ");
    let mut found = Vec::new();
    for part in code.split("typedef struct {").skip(1) {
        let (body, rest) = part.split_once('}').expect("the end of a struct");
        let name = rest.split(';').next().unwrap_or_default().trim().to_owned();
        let field = |line: &str| line.rsplit([' ', '*']).next().unwrap_or_default().to_owned();
        found.push((name, body.split(';').map(str::trim).filter(|line| !line.is_empty()).map(field).collect()));
    }
    found
}

/// Sizes and offsets as g++ sees them.
fn compiled(header: &str) -> Vec<Layout> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let declared = declared(&std::fs::read_to_string(include.join(header)).unwrap());
    assert!(!declared.is_empty(), "{header} declares no structures");
    let mut source = format!("#include \"{header}\"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n");
    for (name, fields) in &declared {
        source.push_str(&format!("printf(\"%zu\\n\", sizeof({name}));\n"));
        for field in fields {
            source.push_str(&format!("printf(\"%zu\\n\", offsetof({name}, {field}));\n"));
        }
    }
    source.push_str("return 0; }\n");
    let dir = tempfile::tempdir().unwrap();
    let (file, program) = (dir.path().join("layout.c"), dir.path().join("layout"));
    std::fs::write(&file, source).unwrap();
    let output = Command::new("g++").args(["-x", "c", "-I"]).arg(include).arg(&file).arg("-o").arg(&program).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    let mut numbers = text.lines().map(|line| line.parse::<usize>().unwrap());
    let mut next = || numbers.next().unwrap();
    let layout = |(name, fields): (String, Vec<String>)| {
        let size = next();
        let fields = fields.into_iter().map(|field| (field, next())).collect();
        (name, size, fields)
    };
    declared.into_iter().map(layout).collect()
}

#[test]
fn host_abi() {
    let rust = vec![
        layout!(HcTensorType, "hc_tensor_type": present, dtype, format),
        layout!(HcOperand, "hc_operand": present, storage, byte_offset, bytes, view),
        layout!(HcMemory, "hc_memory": key, kind, gone, address, bytes, offset),
        layout!(HcElements, "hc_elements": rank, dims, strides, bits, first),
        layout!(HcTensor, "hc_tensor": memory, view, element_bits, view_offset, storage_offset, bytes, gaps, elements),
        layout!(
            HcLaunch, "hc_launch":
            tiling_key, block_dim, need_atomic, tiling_data, tiling_size, tiling_other, workspaces, workspace_num
        ),
        layout!(HcStrided, "hc_strided": at, strides),
        layout!(HcPointer, "hc_pointer": index, address),
    ];
    assert_eq!(compiled("hostcann/host_abi.h"), rust);
}

//! What a caller brings: here the kernel code of the operator in this repository, and a frame of one line.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ascgraph::codegen::Sources;

pub fn op_kernel() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../experimental/math/fmod/op_kernel")
}

static KERNEL_HEADERS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let entries = fs::read_dir(op_kernel()).expect("the operator's kernel");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let headers = paths.filter(|path| path.extension().is_some_and(|extension| extension == "h"));
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_str().expect("UTF-8").to_owned();
        let text = fs::read_to_string(&path).expect("a header");
        (&*name.leak(), &*text.leak())
    };
    headers.map(read).collect()
});

pub fn sources() -> Sources<'static> {
    Sources { kernel_headers: &KERNEL_HEADERS, example_frame: "// A frame for MyOp: aclnn_my_op.h\n" }
}

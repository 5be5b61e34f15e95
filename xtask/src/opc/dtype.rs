//! Data types by the names of the op info library.

use std::sync::LazyLock;

struct Row {
    name: &'static str,
    code: u32,
    token: &'static str,
    kernel: &'static str,
}

/// The toolkit's table. Types without arithmetic here (complex ones) are in it as well: kernels that only copy them, or
/// never name the type, compile.
static TYPES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let table = include_str!("../../../hostcann/include/hostcann/data_types.inc");
    let row = |line: &'static str| {
        let list = line.strip_prefix("HC_DATA_TYPE(")?.strip_suffix(')')?;
        let mut fields = list.split(", ").map(|field| field.trim_matches('"'));
        let (name, code, _, token) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
        Some(Row { name, code, token, kernel: fields.next()? })
    };
    table.lines().filter_map(row).filter(|row| !row.kernel.is_empty()).collect()
});

/// `(name, ge::Format value)`; only formats without a private layout make sense on the host.
const FORMATS: [(&str, u32); 8] =
    [("NCHW", 0), ("NHWC", 1), ("ND", 2), ("HWCN", 16), ("NDHWC", 27), ("NCDHW", 30), ("NC", 35), ("NCL", 47)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DType {
    pub cpp: &'static str,
    /// Without `DT_`.
    pub name: &'static str,
    pub code: u32,
}

pub fn dtype(token: &str) -> Option<DType> {
    // Entries written for TBE say `float`.
    let token = if token == "float" { "float32" } else { token };
    TYPES.iter().find(|row| row.token == token).map(|row| DType { cpp: row.kernel, name: row.name, code: row.code })
}

/// `C_DT_FLOAT16` of graph/c_types.h.
pub fn c_dtype(name: &str) -> Option<u32> {
    let name = name.strip_prefix("C_DT_")?;
    TYPES.iter().find(|row| row.name == name).map(|row| row.code)
}

pub fn format_code(name: &str) -> Option<u32> {
    FORMATS.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

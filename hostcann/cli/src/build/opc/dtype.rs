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
    let table = include_str!("../../../../include/hostcann/data_types.inc");
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

/// Types of newer chips and of other engines, by the names that op_build writes.
const FOREIGN_TYPES: [&str; 24] = [
    "string",
    "dual_sub_int8",
    "dual_sub_uint8",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "resource",
    "string_ref",
    "dual",
    "variant",
    "int4",
    "uint1",
    "int2",
    "uint2",
    "hifloat8",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e8m0",
    "float6_e3m2",
    "float6_e2m3",
    "float4_e2m1",
    "float4_e1m2",
];

/// Layouts of cube and of other engines (graph/types.h).
const PRIVATE_FORMATS: [&str; 32] = [
    "NC1HWC0",
    "FRACTAL_Z",
    "NC1C0HWPAD",
    "NHWC1C0",
    "FSR_NCHW",
    "FRACTAL_DECONV",
    "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE",
    "FRACTAL_DECONV_SP_STRIDE_TRANS",
    "NC1HWC0_C04",
    "FRACTAL_Z_C04",
    "CHWN",
    "NC1KHKWHWC0",
    "BN_WEIGHT",
    "FILTER_HWCK",
    "C1HWNCoC0",
    "FRACTAL_ZZ",
    "FRACTAL_NZ",
    "DHWCN",
    "NDC1HWC0",
    "FRACTAL_Z_3D",
    "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE",
    "FRACTAL_ZN_LSTM",
    "FRACTAL_Z_G",
    "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN",
    "FRACTAL_Z_WINO",
    "C1HWC0",
    "FRACTAL_NZ_C0_16",
    "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_8",
];

/// Named by CANN and not modelled: a column with it is left out, while a name that nobody knows is a mistake.
pub fn is_foreign(token: &str) -> bool {
    FOREIGN_TYPES.contains(&token) || PRIVATE_FORMATS.contains(&token)
}

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

/// Bytes of an element.
pub fn size(token: &str) -> Option<usize> {
    Some(match dtype(token)?.code {
        2 | 4 | 12 => 1,
        1 | 6 | 7 | 27 => 2,
        0 | 3 | 8 | 33 => 4,
        9 | 10 | 11 | 16 => 8,
        _ => 16,
    })
}

/// `C_DT_FLOAT16` of graph/c_types.h.
pub fn c_dtype(name: &str) -> Option<u32> {
    let name = name.strip_prefix("C_DT_")?;
    TYPES.iter().find(|row| row.name == name).map(|row| row.code)
}

pub fn format_code(name: &str) -> Option<u32> {
    FORMATS.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

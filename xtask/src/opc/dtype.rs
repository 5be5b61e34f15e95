//! Data types by the names of the op info library.

/// `(ini token, C++ type in a kernel, ge::DataType name, ge::DataType value)`; DT numbers from graph/types.h.
const TYPES: [(&str, &str, &str, u32); 16] = [
    ("float32", "float", "DT_FLOAT", 0),
    ("float16", "half", "DT_FLOAT16", 1),
    ("int8", "int8_t", "DT_INT8", 2),
    ("int32", "int32_t", "DT_INT32", 3),
    ("uint8", "uint8_t", "DT_UINT8", 4),
    ("int16", "int16_t", "DT_INT16", 6),
    ("uint16", "uint16_t", "DT_UINT16", 7),
    ("uint32", "uint32_t", "DT_UINT32", 8),
    ("int64", "int64_t", "DT_INT64", 9),
    ("uint64", "uint64_t", "DT_UINT64", 10),
    ("double", "double", "DT_DOUBLE", 11),
    ("bool", "bool", "DT_BOOL", 12),
    // No arithmetic here: kernels that only copy them, or never name the type, compile.
    ("complex64", "complex64", "DT_COMPLEX64", 16),
    ("complex128", "complex128", "DT_COMPLEX128", 17),
    ("bfloat16", "bfloat16_t", "DT_BF16", 27),
    ("complex32", "complex32", "DT_COMPLEX32", 33),
];

/// `(name, ge::Format value)`; only formats without a private layout make sense on the host.
const FORMATS: [(&str, u32); 8] =
    [("NCHW", 0), ("NHWC", 1), ("ND", 2), ("HWCN", 16), ("NDHWC", 27), ("NCDHW", 30), ("NC", 35), ("NCL", 47)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DType {
    pub cpp: &'static str,
    pub ge: &'static str,
    pub code: u32,
}

pub fn dtype(token: &str) -> Option<DType> {
    // Entries written for TBE say `float`.
    let token = if token == "float" { "float32" } else { token };
    TYPES.iter().find(|entry| entry.0 == token).map(|&(_, cpp, ge, code)| DType { cpp, ge, code })
}

/// `C_DT_FLOAT16` of graph/c_types.h.
pub fn c_dtype(name: &str) -> Option<u32> {
    let ge = name.strip_prefix("C_")?;
    TYPES.iter().find(|entry| entry.2 == ge).map(|entry| entry.3)
}

pub fn format_code(name: &str) -> Option<u32> {
    FORMATS.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

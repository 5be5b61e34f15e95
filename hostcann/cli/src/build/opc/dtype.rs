//! Data types and formats by the names of the op info library, as far as kernels on the host have them.

use hostcann_types::format::Layout;
use hostcann_types::{DataType, Format};

/// Named by CANN and not modelled: a column with it is left out, while a name that nobody knows is a mistake.
pub fn is_foreign(token: &str) -> bool {
    let named = DataType::of_token(token).or_else(|| DataType::of_name(&token.to_uppercase()));
    match named {
        Some(data_type) => data_type.kernel().is_none(),
        None => Format::of_name(token).is_some_and(|format| matches!(format.layout, Layout::Private | Layout::Engine)),
    }
}

/// A type of kernels.
pub fn dtype(token: &str) -> Option<DataType> {
    DataType::of_token(token).filter(|data_type| data_type.kernel().is_some())
}

/// Bytes of an element.
pub fn size(token: &str) -> Option<usize> {
    dtype(token).map(DataType::size)
}

/// `C_DT_FLOAT16` of graph/c_types.h.
pub fn c_dtype(name: &str) -> Option<i32> {
    let data_type = DataType::of_name(name.strip_prefix("C_DT_")?)?;
    data_type.kernel().map(|_| data_type.number())
}

/// Only formats without a private layout make sense on the host.
pub fn format_code(name: &str) -> Option<i32> {
    Format::of_name(name).filter(|format| format.layout == Layout::Plain).map(|format| format.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_modelled_or_foreign() {
        for token in ["float", "float32", "double", "complex32", "ND", "NCL"] {
            assert!(!is_foreign(token) && dtype(token).is_some() != format_code(token).is_some(), "{token}");
        }
        for token in ["int4", "variant", "uint2", "hifloat4", "float8_e5m2", "FRACTAL_NZ", "CHWN"] {
            assert!(is_foreign(token) && dtype(token).is_none() && format_code(token).is_none(), "{token}");
        }
        for token in ["float33", "Float32", "nd", "", "MD", "NULL", "LOOKUP_KEYS"] {
            assert!(!is_foreign(token) && dtype(token).is_none() && format_code(token).is_none(), "{token}");
        }
        assert_eq!((size("float"), size("complex128"), size("int4")), (Some(4), Some(16), None));
        assert_eq!((c_dtype("C_DT_BF16"), c_dtype("C_DT_INT4"), c_dtype("DT_BF16")), (Some(27), None, None));
    }
}

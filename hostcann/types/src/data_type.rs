//! The data types of the toolkit: numbers, sizes and names. `hostcann/data_types.inc` is the same table for C and C++.

/// How much memory an element takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Bytes(usize),
    /// Of types below a byte.
    Bits(usize),
    /// Of strings, which have no size of their own.
    Unknown,
}

macro_rules! data_types {
    ($($variant:ident = $number:literal, $name:literal, $size:expr, $token:literal, $kernel:literal;)+) => {
        /// A data type of `ge::DataType` and aclDataType (metadef, graph/c_types.h), which share their numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DataType {
            $(#[doc = concat!("`DT_", $name, "`")] $variant = $number),+
        }

        impl DataType {
            pub const ALL: &'static [DataType] = &[$(DataType::$variant),+];

            const fn row(self) -> Row {
                use Size::*;
                match self {
                    $(DataType::$variant => Row { name: $name, size: $size, token: $token, kernel: $kernel }),+
                }
            }
        }
    };
}

struct Row {
    name: &'static str,
    size: Size,
    token: &'static str,
    kernel: &'static str,
}

// Number, name, size, name in op information, C++ type in a kernel; empty: it has none.
data_types! {
    F32 = 0, "FLOAT", Bytes(4), "float32", "float";
    F16 = 1, "FLOAT16", Bytes(2), "float16", "half";
    I8 = 2, "INT8", Bytes(1), "int8", "int8_t";
    I32 = 3, "INT32", Bytes(4), "int32", "int32_t";
    U8 = 4, "UINT8", Bytes(1), "uint8", "uint8_t";
    I16 = 6, "INT16", Bytes(2), "int16", "int16_t";
    U16 = 7, "UINT16", Bytes(2), "uint16", "uint16_t";
    U32 = 8, "UINT32", Bytes(4), "uint32", "uint32_t";
    I64 = 9, "INT64", Bytes(8), "int64", "int64_t";
    U64 = 10, "UINT64", Bytes(8), "uint64", "uint64_t";
    F64 = 11, "DOUBLE", Bytes(8), "double", "double";
    Bool = 12, "BOOL", Bytes(1), "bool", "bool";
    String = 13, "STRING", Unknown, "string", "";
    DualSubInt8 = 14, "DUAL_SUB_INT8", Bytes(1), "dual_sub_int8", "";
    DualSubUint8 = 15, "DUAL_SUB_UINT8", Bytes(1), "dual_sub_uint8", "";
    C64 = 16, "COMPLEX64", Bytes(8), "complex64", "complex64";
    C128 = 17, "COMPLEX128", Bytes(16), "complex128", "complex128";
    Qint8 = 18, "QINT8", Bytes(1), "qint8", "";
    Qint16 = 19, "QINT16", Bytes(2), "qint16", "";
    Qint32 = 20, "QINT32", Bytes(4), "qint32", "";
    Quint8 = 21, "QUINT8", Bytes(1), "quint8", "";
    Quint16 = 22, "QUINT16", Bytes(2), "quint16", "";
    Resource = 23, "RESOURCE", Bytes(8), "resource", "";
    StringRef = 24, "STRING_REF", Unknown, "string_ref", "";
    Dual = 25, "DUAL", Bytes(5), "dual", "";
    Variant = 26, "VARIANT", Bytes(8), "", "";
    Bf16 = 27, "BF16", Bytes(2), "bfloat16", "bfloat16_t";
    I4 = 29, "INT4", Bits(4), "int4", "";
    U1 = 30, "UINT1", Bits(1), "uint1", "";
    I2 = 31, "INT2", Bits(2), "int2", "";
    U2 = 32, "UINT2", Bits(2), "", "";
    C32 = 33, "COMPLEX32", Bytes(4), "complex32", "complex32";
    Hifloat8 = 34, "HIFLOAT8", Bytes(1), "hifloat8", "";
    Float8E5m2 = 35, "FLOAT8_E5M2", Bytes(1), "float8_e5m2", "";
    Float8E4m3fn = 36, "FLOAT8_E4M3FN", Bytes(1), "float8_e4m3fn", "";
    Float8E8m0 = 37, "FLOAT8_E8M0", Bytes(1), "float8_e8m0", "";
    Float6E3m2 = 38, "FLOAT6_E3M2", Bits(6), "float6_e3m2", "";
    Float6E2m3 = 39, "FLOAT6_E2M3", Bits(6), "float6_e2m3", "";
    Float4E2m1 = 40, "FLOAT4_E2M1", Bits(4), "float4_e2m1", "";
    Float4E1m2 = 41, "FLOAT4_E1M2", Bits(4), "float4_e1m2", "";
    Hifloat4 = 42, "HIFLOAT4", Bits(4), "", "";
}

impl DataType {
    /// Of `ge::DataType` and aclDataType: no type.
    pub const UNDEFINED: i32 = 28;

    /// Of `ge::DataType` and aclDataType.
    pub const fn number(self) -> i32 {
        self as i32
    }

    pub fn of_number(number: i32) -> Option<DataType> {
        DataType::ALL.iter().copied().find(|data_type| data_type.number() == number)
    }

    /// `FLOAT16` of `DT_FLOAT16`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// By the name after `DT_`.
    pub fn of_name(name: &str) -> Option<DataType> {
        DataType::ALL.iter().copied().find(|data_type| data_type.name() == name)
    }

    pub const fn element(self) -> Size {
        self.row().size
    }

    /// Bytes of an element, 0 for types without a whole number of bytes.
    pub const fn size(self) -> usize {
        match self.row().size {
            Size::Bytes(bytes) => bytes,
            _ => 0,
        }
    }

    /// The name that op_build writes into op information; None: it writes none.
    pub const fn token(self) -> Option<&'static str> {
        some(self.row().token)
    }

    /// By its name in op information, where entries written for TBE say `float`.
    pub fn of_token(token: &str) -> Option<DataType> {
        let token = if token == "float" { "float32" } else { token };
        DataType::ALL.iter().copied().find(|data_type| data_type.token() == Some(token))
    }

    /// The C++ type in a kernel; None: the modelled core does not have it. Types without arithmetic have one, too: kernels
    /// that only copy them, or never name the type, compile.
    pub const fn kernel(self) -> Option<&'static str> {
        some(self.row().kernel)
    }

    /// The types that [`DataType::kernel`] has.
    pub fn of_kernels() -> impl Iterator<Item = DataType> {
        DataType::ALL.iter().copied().filter(|data_type| data_type.kernel().is_some())
    }

    /// What numpy calls it, for messages; of types that it does not have, the name.
    pub const fn numpy(self) -> &'static str {
        match (self, self.token()) {
            (DataType::F64, _) => "float64",
            (_, Some(token)) => token,
            (_, None) => self.name(),
        }
    }
}

const fn some(text: &'static str) -> Option<&'static str> {
    if text.is_empty() { None } else { Some(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_number_leads_back() {
        for &data_type in DataType::ALL {
            assert_eq!(DataType::of_number(data_type.number()), Some(data_type));
            assert_eq!(DataType::of_name(data_type.name()), Some(data_type));
            if let Some(token) = data_type.token() {
                assert_eq!(DataType::of_token(token), Some(data_type));
            }
        }
        assert_eq!(DataType::of_number(DataType::UNDEFINED), None);
        assert_eq!((DataType::of_number(5), DataType::of_number(-1), DataType::of_token("")), (None, None, None));
    }

    #[test]
    fn names_of_one_type() {
        assert_eq!((DataType::of_token("float"), DataType::of_name("FLOAT32")), (Some(DataType::F32), None));
        assert_eq!((DataType::F64.token(), DataType::F64.numpy()), (Some("double"), "float64"));
        assert_eq!((DataType::Bf16.name(), DataType::Bf16.numpy()), ("BF16", "bfloat16"));
        assert_eq!((DataType::Hifloat4.token(), DataType::Hifloat4.numpy()), (None, "HIFLOAT4"));
    }

    #[test]
    fn sizes() {
        assert_eq!((DataType::C128.size(), DataType::I4.size(), DataType::String.size()), (16, 0, 0));
        assert_eq!((DataType::I4.element(), DataType::String.element()), (Size::Bits(4), Size::Unknown));
        assert_eq!(DataType::of_kernels().count(), 16);
    }
}

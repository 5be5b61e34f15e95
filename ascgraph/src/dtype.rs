//! Data types of AscIR, under the names that the Python builder uses.

use std::fmt;

macro_rules! dtypes {
    ($($variant:ident = $name:literal, $size:literal, $cpp:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType { $($variant),* }

        impl DType {
            pub const ALL: &[DType] = &[$(DType::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// Bytes of one element.
            pub fn size(self) -> usize {
                match self { $(DType::$variant => $size),* }
            }

            /// The type in a kernel.
            pub fn cpp(self) -> &'static str {
                match self { $(DType::$variant => $cpp),* }
            }
        }
    };
}

dtypes! {
    Int8 = "int8", 1, "int8_t";
    UInt8 = "uint8", 1, "uint8_t";
    Int16 = "int16", 2, "int16_t";
    UInt16 = "uint16", 2, "uint16_t";
    Int32 = "int32", 4, "int32_t";
    UInt32 = "uint32", 4, "uint32_t";
    Int64 = "int64", 8, "int64_t";
    UInt64 = "uint64", 8, "uint64_t";
    Float16 = "float16", 2, "half";
    Float32 = "float32", 4, "float";
    BFloat16 = "bfloat16", 2, "bfloat16_t";
}

impl DType {
    pub fn of_name(name: &str) -> Option<DType> {
        DType::ALL.iter().copied().find(|dtype| dtype.name() == name)
    }

    pub fn is_float(self) -> bool {
        matches!(self, DType::Float16 | DType::Float32 | DType::BFloat16)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! Data types of AscIR, under the names that the Python builder uses.

use std::fmt;

use hostcann_types::DataType;

macro_rules! dtypes {
    ($($variant:ident = $data_type:ident;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType { $($variant),* }

        impl DType {
            pub const ALL: &[DType] = &[$(DType::$variant),*];

            /// The toolkit's type.
            pub const fn data_type(self) -> DataType {
                match self { $(DType::$variant => DataType::$data_type),* }
            }
        }
    };
}

dtypes! {
    Int8 = I8;
    UInt8 = U8;
    Int16 = I16;
    UInt16 = U16;
    Int32 = I32;
    UInt32 = U32;
    Int64 = I64;
    UInt64 = U64;
    Float16 = F16;
    Float32 = F32;
    BFloat16 = Bf16;
}

impl DType {
    pub const fn name(self) -> &'static str {
        self.data_type().numpy()
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        self.data_type().size()
    }

    /// The type in a kernel.
    pub fn cpp(self) -> &'static str {
        self.data_type().kernel().unwrap_or_default()
    }

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

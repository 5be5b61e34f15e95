//! The data types of elements and their way into and out of lanes. An operator computes on lanes of 64 bits: integers and
//! bool as `i64`, floating types as `f64`. Results of one operation of `+ - * /` and square root on single-precision
//! operands, computed in double precision and rounded once more, are those of single precision: 53 bits are more than
//! twice 24 and two.

use half::{bf16, f16};

macro_rules! data_types {
    ($($name:ident = $ty:ty;)+) => {
        /// A data type that the host's operators compute in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DataType { $($name),+ }

        impl DataType {
            fn of_toolkit(self) -> hostcann_types::DataType {
                match self { $(DataType::$name => hostcann_types::DataType::$name),+ }
            }
            /// By its number, which is that of aclDataType.
            pub fn from_abi(value: i32) -> Option<DataType> {
                match hostcann_types::DataType::of_number(value)? {
                    $(hostcann_types::DataType::$name => Some(DataType::$name),)+
                    _ => None,
                }
            }

            /// # Safety
            /// `count` elements lie `stride` bytes apart from `from` on.
            pub unsafe fn load<L: Lane>(self, from: *const u8, stride: isize, width: Width, to: &mut [L]) {
                match self {
                    $(DataType::$name => for (i, lane) in to.iter_mut().enumerate() {
                        // SAFETY: by this function's contract.
                        let element = unsafe { from.offset(i as isize * stride).cast::<$ty>().read_unaligned() };
                        *lane = L::of(element, width);
                    }),+
                }
            }

            /// # Safety
            /// As `load`, and writable.
            pub unsafe fn store<L: Lane>(self, from: &[L], to: *mut u8, stride: isize) {
                match self {
                    $(DataType::$name => for (i, lane) in from.iter().enumerate() {
                        let element: $ty = lane.element();
                        // SAFETY: by this function's contract.
                        unsafe { to.offset(i as isize * stride).cast::<$ty>().write_unaligned(element) };
                    }),+
                }
            }

            /// The lane as an element of this type would have it.
            pub fn settle<L: Lane>(self, lane: L) -> L {
                match self { $(DataType::$name => { let element: $ty = lane.element(); L::of(element, Width::Double) }),+ }
            }
        }
    };
}

data_types! {
    F32 = f32;
    F16 = f16;
    I8 = i8;
    I32 = i32;
    U8 = u8;
    I16 = i16;
    U16 = u16;
    U32 = u32;
    I64 = i64;
    U64 = u64;
    F64 = f64;
    Bool = Truth;
    Bf16 = bf16;
}

impl DataType {
    /// Of aclDataType.
    pub fn abi(self) -> i32 {
        self.of_toolkit().number()
    }

    pub fn size(self) -> usize {
        self.of_toolkit().size()
    }

    /// In messages.
    pub fn name(self) -> &'static str {
        self.of_toolkit().numpy()
    }

    pub fn is_real(self) -> bool {
        matches!(self, DataType::F32 | DataType::F16 | DataType::F64 | DataType::Bf16)
    }

    /// The integer of this size.
    pub fn raw(self) -> DataType {
        match self.size() {
            1 => DataType::U8,
            2 => DataType::U16,
            4 => DataType::U32,
            _ => DataType::U64,
        }
    }

    /// What an operation on this type computes in.
    pub fn width(self) -> Width {
        match self {
            DataType::F64 => Width::Double,
            DataType::F16 => Width::Half,
            DataType::Bf16 => Width::Brain,
            _ => Width::Single,
        }
    }
}

/// The precision of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Half,
    /// bfloat16
    Brain,
    Single,
    Double,
}

impl Width {
    /// A step's result: half and bfloat16 compute in float.
    pub fn round(self, value: f64) -> f64 {
        match self {
            Width::Double => value,
            _ => f64::from(value as f32),
        }
    }

    /// As an element of the type has it.
    pub fn settle(self, value: f64) -> f64 {
        match self {
            Width::Half => f16::from_real(value).into(),
            Width::Brain => bf16::from_real(value).into(),
            _ => self.round(value),
        }
    }
}

/// A byte that is 0 or not.
#[derive(Clone, Copy)]
pub struct Truth(u8);

pub trait Element: Copy {
    fn integer(self) -> i64;
    fn real(self, width: Width) -> f64;
    fn from_integer(value: i64) -> Self;
    fn from_real(value: f64) -> Self;
}

pub trait Lane: Copy + Default {
    fn of<E: Element>(element: E, width: Width) -> Self;
    fn element<E: Element>(self) -> E;
}

impl Lane for i64 {
    fn of<E: Element>(element: E, _: Width) -> i64 {
        element.integer()
    }
    fn element<E: Element>(self) -> E {
        E::from_integer(self)
    }
}

impl Lane for f64 {
    fn of<E: Element>(element: E, width: Width) -> f64 {
        element.real(width)
    }
    fn element<E: Element>(self) -> E {
        E::from_real(self)
    }
}

/// Conversions to a narrower integer keep the low bits, from a floating type those of the truncated value; NaN is 0.
macro_rules! integers {
    ($($ty:ty)+) => { $(impl Element for $ty {
        fn integer(self) -> i64 {
            self as i64
        }
        fn real(self, width: Width) -> f64 {
            match width { Width::Double => self as f64, _ => f64::from(self as f32) }
        }
        fn from_integer(value: i64) -> Self {
            value as $ty
        }
        fn from_real(value: f64) -> Self {
            value as i64 as $ty
        }
    })+ };
}
integers! { i8 u8 i16 u16 i32 u32 i64 }

impl Element for u64 {
    fn integer(self) -> i64 {
        self as i64
    }
    fn real(self, width: Width) -> f64 {
        width.round(self as f64)
    }
    fn from_integer(value: i64) -> u64 {
        value as u64
    }
    fn from_real(value: f64) -> u64 {
        if value < 0.0 { value as i64 as u64 } else { value as u64 }
    }
}

/// A 16-bit type is rounded from float, as torch's are: a double is rounded twice.
macro_rules! reals {
    ($($ty:ty, $from:expr;)+) => { $(impl Element for $ty {
        fn integer(self) -> i64 {
            f64::from(self) as i64
        }
        fn real(self, _: Width) -> f64 {
            f64::from(self)
        }
        fn from_integer(value: i64) -> Self {
            let from: fn(f32) -> $ty = $from;
            from(value as f32)
        }
        fn from_real(value: f64) -> Self {
            let from: fn(f32) -> $ty = $from;
            from(value as f32)
        }
    })+ };
}
reals! { f32, |x| x; f16, f16::from_f32; bf16, bf16::from_f32; }

impl Element for f64 {
    fn integer(self) -> i64 {
        self as i64
    }
    fn real(self, width: Width) -> f64 {
        width.round(self)
    }
    fn from_integer(value: i64) -> f64 {
        value as f64
    }
    fn from_real(value: f64) -> f64 {
        value
    }
}

impl Element for Truth {
    fn integer(self) -> i64 {
        i64::from(self.0 != 0)
    }
    fn real(self, _: Width) -> f64 {
        f64::from(u8::from(self.0 != 0))
    }
    fn from_integer(value: i64) -> Truth {
        Truth(u8::from(value != 0))
    }
    fn from_real(value: f64) -> Truth {
        Truth(u8::from(value != 0.0))
    }
}

/// A data type of the C ABI, by name also where the host does not compute in it.
pub fn name_of(number: i32) -> String {
    let found = hostcann_types::DataType::of_number(number);
    found.map_or_else(|| format!("data type {number}"), |data_type| data_type.numpy().to_owned())
}

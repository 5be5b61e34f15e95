//! Data types of kernels, the promotion table and CanCast of opdev.
//! Promotion: aclnn operator docs, "deduction relationship" page, and `opdev/data_type_utils.h`.

pub use hostcann_types::DataType as DType;

use DType::{Bf16, Bool, C32, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub const UNDEFINED: i32 = DType::UNDEFINED;

/// A data type of kernels.
pub fn of_number(value: i32) -> Option<DType> {
    DType::of_number(value).filter(|dtype| dtype.kernel().is_some())
}

/// A data type of kernels by its name in op information; TBE-written one says `float` and `float64`.
pub fn of_token(name: &str) -> Option<DType> {
    let name = if name == "float64" { "double" } else { name };
    DType::of_token(name).filter(|dtype| dtype.kernel().is_some())
}

/// Its name in op information.
pub fn name(dtype: DType) -> &'static str {
    dtype.token().unwrap_or(dtype.name())
}

pub fn name_of(value: i32) -> String {
    of_number(value).map_or_else(|| format!("dtype {value}"), |dtype| name(dtype).to_owned())
}

/// Row and column order of the table below; unsigned types wider than 8 bits have their own rule.
const ORDER: [DType; 13] = [F32, F16, Bf16, F64, I8, U8, I16, I32, I64, Bool, C32, C64, C128];

#[rustfmt::skip]
const PROMOTED: [[DType; 13]; 13] = [
    //  f32   f16   bf16  f64   i8    u8    i16   i32   i64   bool  c32   c64   c128
    [   F32,  F32,  F32,  F64,  F32,  F32,  F32,  F32,  F32,  F32,  C64,  C64,  C128 ], // f32
    [   F32,  F16,  F32,  F64,  F16,  F16,  F16,  F16,  F16,  F16,  C32,  C64,  C128 ], // f16
    [   F32,  F32,  Bf16, F64,  Bf16, Bf16, Bf16, Bf16, Bf16, Bf16, C64,  C64,  C128 ], // bf16
    [   F64,  F64,  F64,  F64,  F64,  F64,  F64,  F64,  F64,  F64,  C128, C128, C128 ], // f64
    [   F32,  F16,  Bf16, F64,  I8,   I16,  I16,  I32,  I64,  I8,   C32,  C64,  C128 ], // i8
    [   F32,  F16,  Bf16, F64,  I16,  U8,   I16,  I32,  I64,  U8,   C32,  C64,  C128 ], // u8
    [   F32,  F16,  Bf16, F64,  I16,  I16,  I16,  I32,  I64,  I16,  C32,  C64,  C128 ], // i16
    [   F32,  F16,  Bf16, F64,  I32,  I32,  I32,  I32,  I64,  I32,  C32,  C64,  C128 ], // i32
    [   F32,  F16,  Bf16, F64,  I64,  I64,  I64,  I64,  I64,  I64,  C32,  C64,  C128 ], // i64
    [   F32,  F16,  Bf16, F64,  I8,   U8,   I16,  I32,  I64,  Bool, C32,  C64,  C128 ], // bool
    [   C64,  C32,  C64,  C128, C32,  C32,  C32,  C32,  C32,  C32,  C32,  C64,  C128 ], // c32
    [   C64,  C64,  C64,  C128, C64,  C64,  C64,  C64,  C64,  C64,  C64,  C64,  C128 ], // c64
    [   C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128 ], // c128
];

pub fn promote(a: i32, b: i32) -> i32 {
    // The table ends before the 8-bit float types.
    if !(0..34).contains(&a) || !(0..34).contains(&b) {
        return UNDEFINED;
    }
    if a == b {
        return a;
    }
    let (Some(a), Some(b)) = (of_number(a), of_number(b)) else {
        return UNDEFINED;
    };
    let index = |d| ORDER.iter().position(|&o| o == d);
    match (index(a), index(b)) {
        (Some(row), Some(column)) => PROMOTED[row][column].number(),
        // Upstream's table has these entries in the row of the unsigned type only.
        (None, _) => match (a, b) {
            (U16 | U32, C64) => C64.number(),
            (U16 | U32 | U64, C128) => C128.number(),
            (U64, C64) => C128.number(),
            _ => UNDEFINED,
        },
        _ => UNDEFINED,
    }
}

pub fn can_cast(from: i32, to: i32) -> bool {
    let (Some(from), Some(to)) = (of_number(from), of_number(to)) else {
        return from == to;
    };
    let complex = |d| matches!(d, C32 | C64 | C128);
    let floating = |d| matches!(d, F32 | F16 | Bf16 | F64);
    let integral = |d| matches!(d, I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64);
    !(complex(from) && !complex(to) || floating(from) && integral(to) || from != Bool && to == Bool)
}

/// Bytes of one element, 0 for types without a whole number of bytes.
pub fn size_of_value(data_type: i32) -> usize {
    match data_type {
        // HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0
        34..=37 => 1,
        _ => of_number(data_type).map_or(0, DType::size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names() {
        for d in DType::of_kernels() {
            assert_eq!(of_number(d.number()), Some(d));
            assert_eq!(of_token(&name_of(d.number())), Some(d));
            assert_eq!(size_of_value(d.number()), d.size());
        }
        assert_eq!([of_token("float"), of_token("float64"), of_token("int4")], [Some(F32), Some(F64), None]);
        assert_eq!((name_of(29), of_number(29)), ("dtype 29".to_owned(), None));
        assert_eq!((size_of_value(-1), size_of_value(13), size_of_value(35)), (0, 0, 1));
    }

    #[test]
    fn promotion_pairs() {
        let cases = [
            (F16, Bf16, F32),
            (I8, U8, I16),
            (I64, F16, F16),
            (Bool, Bool, Bool),
            (Bool, U8, U8),
            (C32, F32, C64),
            (F16, C32, C32),
            (C32, F64, C128),
            (F64, C64, C128),
            (I32, I64, I64),
        ];
        for (a, b, want) in cases {
            assert_eq!(promote(a.number(), b.number()), want.number(), "{a:?} {b:?}");
            assert_eq!(promote(b.number(), a.number()), want.number(), "{b:?} {a:?}");
        }
        // Symmetric except for the unsigned types.
        for &a in &ORDER {
            for &b in &ORDER {
                assert_eq!(promote(a.number(), b.number()), promote(b.number(), a.number()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn promotion_of_unsigned_types_is_mostly_undefined() {
        assert_eq!(promote(U16.number(), U16.number()), U16.number());
        assert_eq!(promote(U16.number(), I32.number()), UNDEFINED);
        assert_eq!(promote(U32.number(), C64.number()), C64.number());
        assert_eq!(promote(C64.number(), U32.number()), UNDEFINED);
        assert_eq!(promote(U64.number(), C64.number()), C128.number());
        assert_eq!(promote(13, 0), UNDEFINED);
        assert_eq!(promote(35, 35), UNDEFINED);
        assert_eq!(promote(-1, 0), UNDEFINED);
    }

    #[test]
    fn casts_that_lose_a_category_are_refused() {
        let cases = [
            (C64, F32, false),
            (F32, C64, true),
            (F32, I64, false),
            (F64, Bool, false),
            (I8, Bool, false),
            (Bool, I8, true),
            (I64, I8, true),
            (F64, F16, true),
            (I32, Bf16, true),
            (Bool, Bool, true),
        ];
        for (from, to, want) in cases {
            assert_eq!(can_cast(from.number(), to.number()), want, "{from:?} -> {to:?}");
        }
    }
}

//! Data types (`hostcann/data_types.inc`: those of kernels), the promotion table and CanCast of opdev.
//! Promotion: aclnn operator docs, "deduction relationship" page, and `opdev/data_type_utils.h`.

pub const UNDEFINED: i32 = 28;

macro_rules! dtypes {
    ($($name:ident = $value:literal, $size:literal, $text:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType { $($name),+ }
        impl DType {
            pub const ALL: &'static [DType] = &[$(DType::$name),+];
            pub fn from_abi(value: i32) -> Option<DType> {
                match value { $($value => Some(DType::$name),)+ _ => None }
            }
            pub fn abi(self) -> i32 {
                match self { $(DType::$name => $value),+ }
            }
            pub fn size(self) -> usize {
                match self { $(DType::$name => $size),+ }
            }
            /// By its name in op info files; TBE-written ones say `float` and `float64`.
            pub fn from_name(name: &str) -> Option<DType> {
                match name { "float" => Some(DType::F32), "float64" => Some(DType::F64), $($text => Some(DType::$name),)+ _ => None }
            }
            pub fn name(self) -> &'static str {
                match self { $(DType::$name => $text),+ }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/data_types.rs"));

use DType::*;

pub fn name_of(value: i32) -> String {
    DType::from_abi(value).map_or_else(|| format!("dtype {value}"), |d| d.name().to_owned())
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
    let (Some(a), Some(b)) = (DType::from_abi(a), DType::from_abi(b)) else {
        return UNDEFINED;
    };
    let index = |d| ORDER.iter().position(|&o| o == d);
    match (index(a), index(b)) {
        (Some(row), Some(column)) => PROMOTED[row][column].abi(),
        // Upstream's table has these entries in the row of the unsigned type only.
        (None, _) => match (a, b) {
            (U16 | U32, C64) => C64.abi(),
            (U16 | U32 | U64, C128) => C128.abi(),
            (U64, C64) => C128.abi(),
            _ => UNDEFINED,
        },
        _ => UNDEFINED,
    }
}

pub fn can_cast(from: i32, to: i32) -> bool {
    let (Some(from), Some(to)) = (DType::from_abi(from), DType::from_abi(to)) else {
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
        _ => DType::from_abi(data_type).map_or(0, DType::size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names() {
        for &d in DType::ALL {
            assert_eq!(DType::from_abi(d.abi()), Some(d));
            assert_eq!(DType::from_name(d.name()), Some(d));
            assert_eq!(size_of_value(d.abi()), d.size());
        }
        assert_eq!(DType::from_name("float"), Some(F32));
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
            assert_eq!(promote(a.abi(), b.abi()), want.abi(), "{a:?} {b:?}");
            assert_eq!(promote(b.abi(), a.abi()), want.abi(), "{b:?} {a:?}");
        }
        // Symmetric except for the unsigned types.
        for &a in &ORDER {
            for &b in &ORDER {
                assert_eq!(promote(a.abi(), b.abi()), promote(b.abi(), a.abi()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn promotion_of_unsigned_types_is_mostly_undefined() {
        assert_eq!(promote(U16.abi(), U16.abi()), U16.abi());
        assert_eq!(promote(U16.abi(), I32.abi()), UNDEFINED);
        assert_eq!(promote(U32.abi(), C64.abi()), C64.abi());
        assert_eq!(promote(C64.abi(), U32.abi()), UNDEFINED);
        assert_eq!(promote(U64.abi(), C64.abi()), C128.abi());
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
            assert_eq!(can_cast(from.abi(), to.abi()), want, "{from:?} -> {to:?}");
        }
    }

    /// Headers that must stand alone (preprocessor numbers for kernels, the acl names) repeat the table's numbers.
    #[test]
    fn headers_agree_with_the_table() {
        let include = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
        let read = |name: &str| std::fs::read_to_string(include.join(name)).unwrap();
        let table = read("hostcann/data_types.inc");
        let rows = table.lines().filter_map(|l| l.strip_prefix("HC_DATA_TYPE(")?.split_once(", "));
        let values: std::collections::BTreeMap<&str, &str> =
            rows.map(|(name, rest)| (name, rest.split(',').next().unwrap())).collect();
        assert_eq!((values.len(), values["HIFLOAT4"]), (41, "42"));
        let headers = [
            ("ascendc/kernel/kernel_type.h", "#define DT_", " ", 16),
            ("ascendc/kernel/kernel_type.h", "    DT_", " = ", 16),
            ("ascendc/host_api/tiling/template_argument_pre.h", "#define C_DT_", " ", 23),
            ("acl/acl_base_rt.h", "    ACL_", " = ", 16),
        ];
        for (header, start, between, at_least) in headers {
            let text = read(header);
            let mut seen = 0;
            for (name, value) in text.lines().filter_map(|l| l.strip_prefix(start)?.split_once(between)) {
                if let Some(want) = values.get(name) {
                    assert_eq!(value.trim_end_matches(','), *want, "{header}: {start}{name}");
                    seen += 1;
                }
            }
            assert!(seen >= at_least, "{header}: {seen} types after `{start}`");
        }
    }
}

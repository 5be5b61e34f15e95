//! What an output holds before a kernel whose tiling function called SetNeedAtomic(true) (asc-devkit, "InitValue").

use crate::base::dtype::{self, DType};
use crate::base::failure::Outcome;
use half::f16;
use serde_json::Value;

/// The bytes of one element, which fill the output one behind the other.
pub type Pattern = Box<[u8]>;

/// An output's InitValue in the op info.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitValue {
    /// Of every data type: a number, or one typed value.
    One(Pattern),
    /// By the output's data type.
    ByType(Vec<(DType, Pattern)>),
}

impl InitValue {
    /// `0`, or the object with `is_list` that stands for typed values; as JSON or as the text of it.
    ///
    /// # Errors
    ///
    /// `NN_JSON_FORMAT_INVALID` where the text is not JSON or the value is neither a whole number from 0 on nor an
    /// object, `NN_JSON_VALUE_NOT_FOUND` where a number is not 0 or an object lacks type or value,
    /// `NN_JSON_DTYPE_INVALID` where the type is unknown or cannot hold the value.
    pub fn parse(at: &str, value: &Value) -> Outcome<InitValue> {
        let parsed;
        let value = match value.as_str() {
            Some(text) => match serde_json::from_str(text) {
                Ok(value) => {
                    parsed = value;
                    &parsed
                }
                Err(e) => fail!(NN_JSON_FORMAT_INVALID, "{at}.initValue \"{text}\" is not valid JSON: {e}"),
            },
            None => value,
        };
        if let Some(number) = value.as_u64() {
            // The page: only 0 is supported.
            return match number {
                0 => Ok(InitValue::One([0].into())),
                _ => fail!(NN_JSON_VALUE_NOT_FOUND, "{at}.initValue is {number}; without a type only 0 is supported"),
            };
        }
        let Some(object) = value.as_object() else {
            fail!(NN_JSON_FORMAT_INVALID, "{at}.initValue is {value}; expected 0 or an object");
        };
        if object.get("is_list") != Some(&Value::Bool(true)) {
            return Ok(InitValue::One(pattern(at, value)?));
        }
        let mut list = Vec::new();
        for (name, one) in object.iter().filter(|(name, _)| *name != "is_list") {
            let Some(dtype) = dtype::of_token(name) else {
                fail!(NN_JSON_DTYPE_INVALID, "{at}.initValue names the unknown type \"{name}\"");
            };
            list.push((dtype, pattern(at, one)?));
        }
        Ok(InitValue::ByType(list))
    }

    pub fn of(&self, dtype: Option<DType>) -> Option<&Pattern> {
        match self {
            InitValue::One(pattern) => Some(pattern),
            InitValue::ByType(list) => list.iter().find(|(known, _)| Some(*known) == dtype).map(|(_, pattern)| pattern),
        }
    }
}

/// `{"type": "int16", "value": 1}`: memory is set as by an operator of that type, whatever the output's own is.
fn pattern(at: &str, one: &Value) -> Outcome<Pattern> {
    let (dtype, value) = (one.get("type").and_then(Value::as_str), one.get("value"));
    let (Some(name), Some(value)) = (dtype, value) else {
        fail!(NN_JSON_VALUE_NOT_FOUND, "{at}.initValue has {one}; expected a type and a value");
    };
    let whole = value.as_u64().or_else(|| value.as_i64().map(i64::cast_unsigned));
    let found: Option<Pattern> = match (dtype::of_token(name), whole, value.as_f64()) {
        (Some(DType::F32), _, Some(number)) => Some((number as f32).to_le_bytes().into()),
        (Some(DType::F16), _, Some(number)) => Some(f16::from_f64(number).to_le_bytes().into()),
        (Some(DType::U64 | DType::I64), Some(bits), _) => Some(bits.to_le_bytes().into()),
        (Some(DType::U32 | DType::I32), Some(bits), _) => Some(bits.to_le_bytes()[..4].into()),
        (Some(DType::U16 | DType::I16), Some(bits), _) => Some(bits.to_le_bytes()[..2].into()),
        (Some(DType::U8 | DType::I8), Some(bits), _) => Some(bits.to_le_bytes()[..1].into()),
        _ => None,
    };
    match found {
        Some(pattern) => Ok(pattern),
        None => fail!(NN_JSON_DTYPE_INVALID, "{at}.initValue has {value} of type \"{name}\", which it cannot be"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Outcome<InitValue> {
        InitValue::parse("output0", &Value::String(json.to_owned()))
    }

    fn bytes(json: &str, dtype: DType) -> Option<Vec<u8>> {
        parse(json).unwrap().of(Some(dtype)).map(|pattern| pattern.to_vec())
    }

    #[test]
    fn values_and_types() {
        assert_eq!(bytes("0", DType::F32), Some(vec![0]));
        let one = |name: &str, value: &str| {
            bytes(&format!(r#"{{ "is_list" : false, "type": "{name}", "value": {value}}}"#), DType::F32).unwrap()
        };
        assert_eq!(one("int16", "1"), [1, 0], "of the value's type, not the output's");
        assert_eq!(one("int8", "-2"), [0xfe]);
        assert_eq!(one("uint64", "18446744073709551615"), [0xff; 8]);
        assert_eq!(one("int32", "-1"), [0xff; 4]);
        assert_eq!(one("float16", "1.5"), [0x00, 0x3e]);
        let list = r#"{ "is_list" : true, "float32": { "type": "float32", "value": 1.5 },
            "int32": { "type": "int64", "value": 7 }}"#;
        assert_eq!(bytes(list, DType::F32), Some(vec![0, 0, 0xc0, 0x3f]));
        assert_eq!(bytes(list, DType::I32), Some(vec![7, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(bytes(list, DType::I8), None);
    }

    #[test]
    fn what_is_no_value() {
        for (json, hint) in [
            ("{", "not valid JSON"),
            ("1", "only 0 is supported"),
            ("-1.5", "expected 0 or an object"),
            (r#"{"is_list": false}"#, "expected a type and a value"),
            (r#"{"type": "int8", "value": 1.5}"#, "which it cannot be"),
            (r#"{"type": "bfloat16", "value": 1}"#, "which it cannot be"),
            (r#"{"is_list": true, "float17": {"type": "int8", "value": 1}}"#, "float17"),
        ] {
            let error = parse(json).unwrap_err();
            assert!(error.message.contains(hint) && error.message.contains("output0.initValue"), "{}", error.message);
        }
    }
}

//! The YAML side of the tables: rows as written, checked and turned into cases.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor};

use super::{Api, Case, Content, Divisor, Outcome, Spec, Value};
use crate::dtype::DynType;
use crate::generate::{self, CLASSES};
use crate::golden::Mode;
use crate::layout::Layout;
use crate::scalar::{Number, TypedNumber};

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Value;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number, or its bits as a string like \"0x7f800000\"")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Number(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
                let bits = value.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
                bits.map(Value::Bits).ok_or_else(|| E::invalid_value(Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOperand {
    dtype: Option<DynType>,
    shape: Option<Vec<i64>>,
    strides: Option<Vec<i64>>,
    offset: Option<i64>,
    storage: Option<Storage>,
    values: Option<Vec<Value>>,
    fill: Option<Value>,
    uniform: Option<[f64; 2]>,
    seed: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", untagged, expecting = "`flat` or a list of dimensions")]
enum Storage {
    Word(Flat),
    Dims(Vec<i64>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Flat {
    Flat,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    name: String,
    api: Api,
    mode: Option<Mode>,
    dtype: Option<DynType>,
    shapes: Option<Vec<Vec<i64>>>,
    class: Option<String>,
    #[serde(rename = "self", default)]
    self_: RawOperand,
    other: Option<RawOperand>,
    scalar: Option<TypedNumber>,
    out: Option<RawOperand>,
    expect: Option<Vec<Value>>,
    #[serde(default)]
    status: i32,
    names: Option<String>,
}

/// One row of a table: the cases it stands for.
pub(super) struct Row(pub(super) Vec<Case>);

impl<'de> Deserialize<'de> for Row {
    /// Checks inside `visit_map`: only an error that arises there is reported with the row's line.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Row;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a case: a mapping with `name`, `api` and operands")
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Row, M::Error> {
                let raw = RawCase::deserialize(MapAccessDeserializer::new(map))?;
                raw.row().map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_map(RowVisitor)
    }
}

impl RawCase {
    fn row(&self) -> Result<Row, String> {
        let cases = match &self.shapes {
            None => self.case(None).map(|case| vec![case]),
            Some(shapes) => shapes.iter().map(|shape| self.case(Some(shape))).collect(),
        };
        cases.map(Row).map_err(|why| format!("case `{}`: {why}", self.name))
    }

    fn case(&self, shape: Option<&[i64]>) -> Result<Case, String> {
        let dtype = self.dtype.unwrap_or(DynType::F32);
        let pairs = self.class.as_deref().map(|class| {
            let pairs = generate::class(class).map(|pairs| pairs.len() as i64);
            pairs.ok_or_else(|| format!("unknown class `{class}`, known are {CLASSES:?}"))
        });
        let length = pairs.transpose()?.map(|length| vec![length]);
        let shape = shape.or(length.as_deref());

        let self_ = self.spec("self", &self.self_, dtype, shape, false)?;
        let inherited = Some(self_.layout.shape.as_slice());
        let other = match (&self.other, self.scalar, self.api.takes_scalar()) {
            (None, Some(scalar), true) => {
                Divisor::Scalar(Number::new(scalar.dtype, scalar.value).map_err(|error| error.message)?)
            }
            (other, None, false) => {
                Divisor::Tensor(self.spec("other", &other.clone().unwrap_or_default(), dtype, inherited, true)?)
            }
            (_, _, true) => return Err(format!("{:?} needs `scalar` and no `other`", self.api)),
            (_, _, false) => return Err(format!("{:?} needs `other` and no `scalar`", self.api)),
        };
        let out = match (&self.out, self.api.in_place()) {
            (Some(_), true) => {
                return Err(format!("{:?} writes to self, `out` means nothing", self.api));
            }
            (None, true) => None,
            (out, false) => Some(self.spec("out", &out.clone().unwrap_or_default(), dtype, inherited, true)?),
        };
        let outcome = match (self.status, &self.names) {
            (0, None) => Outcome::Success,
            (0, Some(_)) => return Err("`names` is about a refusal and needs `status`".to_owned()),
            (status, names) => Outcome::Refusal { status, names: names.clone() },
        };
        if let Some(expect) = &self.expect {
            let results = out.as_ref().unwrap_or(&self_).layout.numel();
            if expect.len() != results {
                return Err(format!("`expect` has {} values, the result {results}", expect.len()));
            }
        }
        let suffix = self.shapes.as_ref().and(shape).map(|shape| format!("/{}", dims(shape)));
        let name = format!("{}{}", self.name, suffix.unwrap_or_default());
        let (api, mode, expect) = (self.api, self.mode, self.expect.clone());
        Ok(Case { name, api, mode, self_, other, out, expect, outcome })
    }

    fn spec(
        &self,
        what: &str,
        raw: &RawOperand,
        dtype: DynType,
        shape: Option<&[i64]>,
        inherits: bool,
    ) -> Result<Spec, String> {
        let shape = match (raw.shape.as_deref(), shape) {
            (Some(_), Some(_)) if !inherits => {
                return Err("`self.shape` besides `shapes` or `class`".to_owned());
            }
            (Some(own), _) => own,
            (None, Some(given)) => given,
            (None, None) => return Err(format!("`{what}` has no `shape`")),
        };
        let mut layout = Layout::contiguous(shape);
        if let Some(strides) = &raw.strides {
            layout = layout.strides(strides);
        }
        layout = layout.offset(raw.offset.unwrap_or(0));
        layout = match &raw.storage {
            Some(Storage::Dims(dims)) => layout.storage(dims),
            Some(Storage::Word(Flat::Flat)) => layout.flat_storage(),
            None if raw.strides.is_some() || raw.offset.is_some() => layout.flat_storage(),
            None => layout,
        };
        layout.check(layout.storage_len()).map_err(|error| format!("`{what}`: {}", error.message))?;
        let content = self.content(what, raw, &layout)?;
        Ok(Spec { dtype: raw.dtype.unwrap_or(dtype), layout, content })
    }

    fn content(&self, what: &str, raw: &RawOperand, layout: &Layout) -> Result<Content, String> {
        let given =
            [self.class.is_some() && what != "out", raw.values.is_some(), raw.fill.is_some(), raw.uniform.is_some()];
        let given = given.iter().filter(|given| **given).count();
        if given > 1 {
            return Err(format!("`{what}` is filled more than once: give one of class, values, fill, uniform"));
        }
        if given == 0 && what != "out" && self.status == 0 && layout.numel() > 0 {
            return Err(format!("`{what}` has no values: give one of class, values, fill, uniform"));
        }
        if let Some(values) = &raw.values {
            if values.len() != layout.numel() {
                return Err(format!("`{what}` has {} values for shape {:?}", values.len(), layout.shape));
            }
            return Ok(Content::Values(values.clone()));
        }
        if let Some(value) = raw.fill {
            return Ok(Content::Fill(value));
        }
        if let Some([low, high]) = raw.uniform {
            let seed = raw.seed.unwrap_or(what.len() as u64); // different for self and other
            return Ok(Content::Uniform { low, high, seed });
        }
        Ok(match &self.class {
            Some(class) if what != "out" => Content::Class { name: class.clone(), second: what == "other" },
            _ => Content::Nothing,
        })
    }
}

fn dims(shape: &[i64]) -> String {
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    shape.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

//! Host numbers as arguments.

use std::ffi::c_void;

use half::{bf16, f16};
use serde::Deserialize;

use crate::device::Device;
use crate::dtype::DynType;
use crate::error::{Error, Result};
use crate::result;
use crate::runtime::Runtime;
use crate::sys::aclScalar;

/// A number and its type, before it becomes an `aclScalar`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    F32(f32),
    F16(f16),
    BF16(bf16),
    F64(f64),
    I8(i8),
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    Bool(bool),
}

impl Number {
    /// Refuses types that acl has no scalar of.
    pub fn new(dtype: DynType, value: f64) -> Result<Number> {
        Ok(match dtype {
            DynType::F32 => Number::F32(value as f32),
            DynType::F16 => Number::F16(f16::from_f64(value)),
            DynType::BF16 => Number::BF16(bf16::from_f64(value)),
            DynType::F64 => Number::F64(value),
            DynType::I8 => Number::I8(value as i8),
            DynType::U8 => Number::U8(value as u8),
            DynType::I16 => Number::I16(value as i16),
            DynType::I32 => Number::I32(value as i32),
            DynType::I64 => Number::I64(value as i64),
            DynType::Bool => Number::Bool(value != 0.0),
            DynType::U16 | DynType::U32 | DynType::U64 | DynType::C64 => {
                return Err(Error::refused("Number::new", format!("{dtype:?} scalars are not supported here")));
            }
        })
    }

    pub fn dtype(self) -> DynType {
        match self {
            Number::F32(_) => DynType::F32,
            Number::F16(_) => DynType::F16,
            Number::BF16(_) => DynType::BF16,
            Number::F64(_) => DynType::F64,
            Number::I8(_) => DynType::I8,
            Number::U8(_) => DynType::U8,
            Number::I16(_) => DynType::I16,
            Number::I32(_) => DynType::I32,
            Number::I64(_) => DynType::I64,
            Number::Bool(_) => DynType::Bool,
        }
    }

    /// `None` for floating numbers.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Number::I8(value) => Some(value.into()),
            Number::U8(value) => Some(value.into()),
            Number::I16(value) => Some(value.into()),
            Number::I32(value) => Some(value.into()),
            Number::I64(value) => Some(value),
            Number::Bool(value) => Some(value.into()),
            Number::F32(_) | Number::F16(_) | Number::BF16(_) | Number::F64(_) => None,
        }
    }

    /// Exact for every variant except an `I64` beyond 2^53.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::F32(value) => value.into(),
            Number::F16(value) => value.into(),
            Number::BF16(value) => value.into(),
            Number::F64(value) => value,
            Number::I8(value) => value.into(),
            Number::U8(value) => value.into(),
            Number::I16(value) => value.into(),
            Number::I32(value) => value.into(),
            Number::I64(value) => value as f64,
            Number::Bool(value) => value.into(),
        }
    }
}

/// An `aclScalar`. acl copies the value, so nothing is borrowed.
pub struct Scalar {
    raw: *mut aclScalar,
    runtime: &'static Runtime,
}

// SAFETY: plain data behind a handle, read only by the calls that take it.
unsafe impl Send for Scalar {}
// SAFETY: as above.
unsafe impl Sync for Scalar {}

impl Scalar {
    pub fn new(device: &Device, number: Number) -> Result<Scalar> {
        let runtime = device.runtime();
        let dtype = number.dtype().acl();
        // SAFETY: in every arm the pointee has the size of `dtype`.
        let create = |value: *mut c_void| unsafe { result::scalar::create(runtime, value, dtype) };
        let raw = match number {
            Number::F32(mut value) => create((&raw mut value).cast()),
            Number::F16(mut value) => create((&raw mut value).cast()),
            Number::BF16(mut value) => create((&raw mut value).cast()),
            Number::F64(mut value) => create((&raw mut value).cast()),
            Number::I8(mut value) => create((&raw mut value).cast()),
            Number::U8(mut value) => create((&raw mut value).cast()),
            Number::I16(mut value) => create((&raw mut value).cast()),
            Number::I32(mut value) => create((&raw mut value).cast()),
            Number::I64(mut value) => create((&raw mut value).cast()),
            Number::Bool(mut value) => create((&raw mut value).cast()),
        }?;
        Ok(Scalar { raw, runtime })
    }

    pub fn as_raw(&self) -> *mut aclScalar {
        self.raw
    }
}

impl Drop for Scalar {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once.
        let destroyed = unsafe { result::scalar::destroy(self.runtime, self.raw) };
        self.runtime.defer(destroyed);
    }
}

/// A scalar in a YAML table: its type and value.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypedNumber {
    pub dtype: DynType,
    pub value: f64,
}

//! Attributes of single-operator calls (aclopAttr).

use crate::acl::objects::Table;
use crate::base::failure::{Failure, Outcome, status};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Float(f32),
    String(String),
    DataType(i32),
    Bools(Vec<u8>),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    IntLists(Vec<Vec<i64>>),
}

pub static ATTRS: Table<BTreeMap<String, Value>> = Table::new("aclopAttr");

#[unsafe(no_mangle)]
pub extern "C" fn aclopCreateAttr() -> *mut c_void {
    ATTRS.add(BTreeMap::new())
}

/// It has no status: an attribute that is not alive is told in the messages.
#[unsafe(no_mangle)]
pub extern "C" fn aclopDestroyAttr(attr: *const c_void) {
    status(ATTRS.remove("aclopDestroyAttr", attr));
}

/// # Safety
/// `text` is null or NUL-terminated.
pub(super) unsafe fn text(function: &str, parameter: &str, text: *const c_char) -> Outcome<String> {
    if text.is_null() {
        return Err(Failure::null(function, parameter));
    }
    // SAFETY: non-null and NUL-terminated by contract.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// # Safety
/// `values` is null or holds `count` values.
unsafe fn list<T: Clone>(function: &str, count: i32, values: *const T) -> Outcome<Vec<T>> {
    let Ok(count) = usize::try_from(count) else {
        fail!(INVALID_PARAM, "{function}: numValues {count} is negative");
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    if values.is_null() {
        return Err(Failure::null(function, "values"));
    }
    // SAFETY: non-null, and holds `count` values by contract.
    Ok(unsafe { std::slice::from_raw_parts(values, count) }.to_vec())
}

/// # Safety
/// `name` is null or NUL-terminated.
unsafe fn set(function: &str, attr: *mut c_void, name: *const c_char, value: Outcome<Value>) -> i32 {
    // SAFETY: by this function's contract.
    let name = unsafe { text(function, "attrName", name) };
    status(name.and_then(|name| {
        let value = value?;
        ATTRS.with(function, attr, |all| {
            all.insert(name, value);
            Ok(())
        })
    }))
}

macro_rules! single {
    ($($function:ident($type:ty) = $value:expr;)+) => {
        $(
            /// # Safety
            /// `name` is null or NUL-terminated.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $function(attr: *mut c_void, name: *const c_char, value: $type) -> i32 {
                let wrap: fn($type) -> Value = $value;
                // SAFETY: by this function's contract.
                unsafe { set(stringify!($function), attr, name, Ok(wrap(value))) }
            }
        )+
    };
}

single! {
    aclopSetAttrBool(u8) = |value| Value::Bool(value != 0);
    aclopSetAttrInt(i64) = Value::Int;
    aclopSetAttrFloat(f32) = Value::Float;
    aclopSetAttrDataType(i32) = Value::DataType;
}

macro_rules! lists {
    ($($function:ident($type:ty) = $value:expr;)+) => {
        $(
            /// # Safety
            /// `name` is null or NUL-terminated; `values` is null or holds `count` values.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $function(
                attr: *mut c_void,
                name: *const c_char,
                count: i32,
                values: *const $type,
            ) -> i32 {
                // SAFETY: by this function's contract.
                unsafe {
                    set(stringify!($function), attr, name, list(stringify!($function), count, values).map($value))
                }
            }
        )+
    };
}

lists! {
    aclopSetAttrListBool(u8) = Value::Bools;
    aclopSetAttrListInt(i64) = Value::Ints;
    aclopSetAttrListFloat(f32) = Value::Floats;
}

/// # Safety
/// `name` and `value` are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclopSetAttrString(attr: *mut c_void, name: *const c_char, value: *const c_char) -> i32 {
    const NAME: &str = "aclopSetAttrString";
    // SAFETY: by this function's contract.
    unsafe { set(NAME, attr, name, text(NAME, "attrValue", value).map(Value::String)) }
}

/// # Safety
/// `name` is null or NUL-terminated; `counts` and `values` are null or hold `lists` values, and `values[i]` holds
/// `counts[i]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclopSetAttrListListInt(
    attr: *mut c_void,
    name: *const c_char,
    lists: i32,
    counts: *const i32,
    values: *const *const i64,
) -> i32 {
    const NAME: &str = "aclopSetAttrListListInt";
    let all = || {
        // SAFETY: by this function's contract.
        let (counts, values) = unsafe { (list(NAME, lists, counts)?, list(NAME, lists, values)?) };
        // SAFETY: by this function's contract.
        let inner = counts.into_iter().zip(values).map(|(count, values)| unsafe { list(NAME, count, values) });
        inner.collect::<Outcome<Vec<Vec<i64>>>>().map(Value::IntLists)
    };
    // SAFETY: by this function's contract.
    unsafe { set(NAME, attr, name, all()) }
}

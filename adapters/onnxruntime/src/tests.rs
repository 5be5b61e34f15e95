//! Against a table that plays ONNX Runtime; the real one is asked by `cargo xtask onnx test`.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use super::*;

thread_local! {
    static SAID: RefCell<Option<CString>> = const { RefCell::new(None) };
}

unsafe extern "C" fn create_status(code: c_int, text: *const c_char) -> Status {
    assert_eq!(code, 1, "ORT_FAIL");
    // SAFETY: a text.
    let text = unsafe { CStr::from_ptr(text) }.to_owned();
    SAID.with(|said| *said.borrow_mut() = Some(text));
    ptr::dangling_mut()
}

static OLD: Table = {
    let mut entries = [ptr::null(); 102];
    entries[ort::CREATE_STATUS] = create_status as *const c_void;
    Table { entries }
};
// SAFETY: constant data.
unsafe impl Sync for Table {}

/// ONNX Runtime 1.16: API 16.
unsafe extern "C" fn old_api(version: u32) -> *const Table {
    if version <= 16 { &OLD } else { ptr::null() }
}

unsafe extern "C" fn old_version() -> *const c_char {
    c"1.16.3".as_ptr()
}

#[test]
fn a_runtime_that_is_too_old_is_refused() {
    let base = ApiBase { get_api: old_api, version_string: old_version };
    // SAFETY: a base as the runtime has it.
    let status = unsafe { RegisterCustomOps(ptr::null_mut(), &base) };
    assert!(!status.is_null());
    let said = SAID.with(|said| said.borrow().clone()).expect("a status");
    assert_eq!(
        said.to_str().expect("a text"),
        "ascend: ONNX Runtime 1.16.3 is too old: its C API has no version 17; use onnxruntime 1.17 or newer"
    );
}

#[test]
fn one_operator_for_each_type() {
    let (fused, of_types) = OPS.split_last().expect("operators");
    // SAFETY: as the runtime calls it.
    assert_eq!(unsafe { CStr::from_ptr((fused.table.name)(&fused.table)) }, c"Fused");
    let types: Vec<c_int> = of_types
        .iter()
        .map(|op| {
            let table = &op.table;
            // SAFETY: as the runtime calls them.
            unsafe {
                assert_eq!(CStr::from_ptr((table.name)(table)), c"Fmod");
                assert_eq!(((table.inputs)(table), (table.outputs)(table)), (2, 1));
                assert_eq!((table.input_type)(table, 1), (table.output_type)(table, 0));
                (table.input_type)(table, 0)
            }
        })
        .collect();
    // FLOAT, UINT8, INT8, INT16, INT32, FLOAT16, BFLOAT16 of TensorProto.DataType.
    assert_eq!(types, [1, 2, 3, 5, 6, 10, 16]);
}

#[test]
fn shapes_broadcast_as_onnx_has_it() {
    let ok: [(&[i64], &[i64], &[i64]); 6] = [
        (&[], &[], &[]),
        (&[2, 3], &[], &[2, 3]),
        (&[4, 1], &[3], &[4, 3]),
        (&[1], &[0], &[0]),
        (&[0, 1], &[1, 5], &[0, 5]),
        (&[3, 4, 5], &[4, 1], &[3, 4, 5]),
    ];
    for (x, y, out) in ok {
        assert_eq!(broadcast(x, y).as_deref(), Ok(out), "{x:?} {y:?}");
        assert_eq!(broadcast(y, x).as_deref(), Ok(out), "{y:?} {x:?}");
    }
    assert_eq!(broadcast(&[4, 5], &[3]), Err("shapes [4, 5] and [3] do not broadcast".to_owned()));
    assert!(broadcast(&[0], &[2]).is_err());
}

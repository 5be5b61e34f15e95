//! Arguments of optest.

use super::*;
use crate::base::diag;
use crate::base::files::write_if_changed;

#[test]
fn the_operator_is_the_one_around_the_cases() {
    let temp = tempfile::tempdir().expect("temp dir");
    let file = temp.path().join("acos/tests/aot/acos_cases.json");
    write_if_changed(&file, b"[]").expect("write");
    assert_eq!(diag::code(&op_of(&file).expect_err("no op")), 2);
    write_if_changed(&temp.path().join("acos/op_host/acos_def.cpp"), b"").expect("write");
    assert_eq!(op_of(&file).expect("the op"), temp.path().join("acos"));
    let op = OpDir { name: "acos".into(), path: temp.path().join("acos") };
    write_if_changed(&temp.path().join("acos/tests/aot/acos.json"), b"[]").expect("write");
    assert_eq!(case_files(&op).expect("files"), [file]);
}

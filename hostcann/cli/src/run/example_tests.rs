//! Which files are examples, and packages without an interface.

use super::*;
use crate::base::diag;
use crate::base::files::write_if_changed;
use crate::toolchain::root::Root;

#[test]
fn which_files_are_examples() {
    let temp = tempfile::tempdir().expect("temp dir");
    for file in ["test_aclnn_b.cpp", "test_aclnn_a.cpp", "test_geir_a.cpp", "test_aclnn_a.h", "other.cpp"] {
        write_if_changed(&temp.path().join("examples").join(file), b"").expect("write");
    }
    let plan = |dir: &str| Plan {
        root: Root { kind: RootKind::Embedded, path: PathBuf::new() },
        ops: vec![OpDir { name: "x".into(), path: temp.path().join(dir) }],
        socs: Vec::new(),
        vendor: "x".into(),
        defines: Vec::new(),
        is_repository: false,
        debug: false,
        jobs: 1,
        ops_math: None,
    };
    let names = |name| choose(&plan(""), name).map(|all| all.iter().map(Example::name).collect::<Vec<_>>());
    assert_eq!(names(None).expect("examples"), ["test_aclnn_a", "test_aclnn_b"]);
    assert_eq!(names(Some("aclnn_b")).expect("example"), ["test_aclnn_b"]);
    assert_eq!(names(Some("test_aclnn_a")).expect("example"), ["test_aclnn_a"]);
    let error = names(Some("aclnn_c")).expect_err("no such example");
    assert_eq!(diag::code(&error), 2);
    assert_eq!(diag::causes(&error)[0], "x has no example `aclnn_c`; it has: test_aclnn_a, test_aclnn_b");
    let error = choose(&plan("nowhere"), None).err().expect("no directory");
    assert_eq!((diag::code(&error), diag::causes(&error)[0].as_str()), (2, "x has no examples"));
}

#[test]
fn a_package_without_an_interface_is_no_bug() {
    let temp = tempfile::tempdir().expect("temp dir");
    let error = need_interface("x", temp.path()).expect_err("no library");
    assert_eq!(diag::code(&error), 20);
    assert_eq!(diag::causes(&error), ["x has examples, but its package has no aclnn interface to call"]);
    write_if_changed(&temp.path().join("libcust_opapi.so"), b"").expect("write");
    assert!(need_interface("x", temp.path()).is_ok());
}

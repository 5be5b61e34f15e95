use super::*;
use crate::base::diag;

/// Scalar code of a kernel may take one; a library of functions is refused.
#[test]
fn a_square_root_is_an_instruction() {
    let temp = tempfile::tempdir().expect("temp dir");
    let source = temp.path().join("a.cpp");
    fs::write(&source, "#include <cmath>\nfloat f(float x) { return std::sqrt(x) + sqrtf(x); }\n").expect("a file");
    let mut command = Command::new("g++");
    command.args(CODE).args(OPERATOR).args(OPTIMISED).args(["-S", "-o", "-"]).arg(&source);
    let text = run(command, "compiling a.cpp").expect("assembly");
    let calls = ["call", "jmp", "bl", "b"];
    let called = text.lines().map(str::split_whitespace).any(|mut words| {
        words.next().is_some_and(|word| calls.contains(&word)) && words.any(|word| word.starts_with("sqrtf"))
    });
    assert!(text.contains("sqrt") && !called, "{text}");
}

/// The device compiler finds a template by its arguments, whatever namespace it is called from.
#[test]
fn unqualified_template_calls() {
    let temp = tempfile::tempdir().expect("temp dir");
    let source = temp.path().join("a.cpp");
    let text = "namespace lib { struct T {}; template <typename N> N Sum(T, N n) { return n; } }\n\
                int f() { return Sum<int>(lib::T{}, 3); }\n";
    fs::write(&source, text).expect("a file");
    let mut command = Command::new("g++");
    command.args(STANDARD).args(CODE).args(OPERATOR).arg("-fsyntax-only").arg(&source);
    run(command, "compiling a.cpp").expect("it compiles");
}

#[test]
fn a_tiling_struct_that_nothing_registers() {
    let fails = |says: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", "echo \"error: $0 was not declared\" >&2; exit 1", says]);
        diag::hint(&run(command, "compiling k.cpp").expect_err("it fails"))
    };
    assert!(
        fails("'HostcannTilingDefault'")
            .is_some_and(|hint| hint.contains("REGISTER_TILING_DATA_CLASS(<OpType>, <struct>)"))
    );
    assert_eq!(fails("'x'"), None);
}

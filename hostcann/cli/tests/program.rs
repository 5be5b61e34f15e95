//! The program `hostcann`: it names itself, and has what is about operators.

use std::process::Command;

fn run(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hostcann")).args(args).output().expect("hostcann");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn help_names_the_program() {
    let (code, text) = run(&["--help"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("Usage: hostcann [OPTIONS] <COMMAND>"), "{text}");
    for verb in ["build", "package", "install", "example", "test", "sim", "pr", "new", "doctor"] {
        let (code, text) = run(&[verb, "--help"]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(&format!("Usage: hostcann {verb}")) && !text.contains("xtask test"), "{text}");
        assert!(!text.contains("cargo xtask"), "{text}");
    }
}

#[test]
fn chores_of_the_repository_are_no_verbs() {
    for chore in ["fmt", "lint", "tidy"] {
        let (code, text) = run(&[chore]);
        assert_eq!(code, Some(2));
        assert!(text.contains(&format!("unrecognized subcommand '{chore}'")), "{text}");
    }
}

#[test]
fn its_layers_are_about_operators() {
    let (code, text) = run(&["test", "--only", "clippy"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("[possible values: device, ut, example, acceptance, mutants]"), "{text}");
}

#[test]
fn completions_are_for_its_name() {
    let (code, text) = run(&["completions", "bash"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("complete -F _hostcann"), "{text}");
    let temp = tempfile::tempdir().expect("temp dir");
    let file = temp.path().join("completions");
    std::fs::write(&file, text).expect("write");
    let script = "source \"$0\"; COMP_WORDS=(hostcann exam) COMP_CWORD=1; _hostcann hostcann exam hostcann; echo ${COMPREPLY[*]}";
    let shell = Command::new("bash").args(["-c", script]).arg(&file).output().expect("bash");
    assert_eq!(String::from_utf8_lossy(&shell.stdout), "example\n", "{shell:?}");
    let (_, help) = run(&["completions", "--help"]);
    assert!(help.contains("eval \"$(hostcann completions bash)\"") && !help.contains("alias"), "{help}");
}

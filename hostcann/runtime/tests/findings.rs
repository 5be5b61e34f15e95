//! What a process says of the findings of its launches: text, lines of JSON, and a count at its end.

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use serde_json::Value;
use std::process::{Command, Output};

const SOURCE: &str = include_str!("kernels/scale.cpp");

fn line(mark: &str) -> usize {
    SOURCE.lines().position(|line| line.ends_with(&format!("// {mark}"))).unwrap() + 1
}

/// Launches kernel after kernel of `HOSTCANN_TEST_KEYS`; run by the other tests.
#[test]
#[ignore = "child of the other tests"]
fn child() {
    let variables = ["CHECK", "CHECK_COUNT", "FINDINGS", "SECOND_SET"].map(|name| format!("HOSTCANN_{name}"));
    let given: Vec<_> = variables.iter().filter_map(|name| Some((name.as_str(), std::env::var(name).ok()?))).collect();
    let given: Vec<_> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    set_up(&given);
    for key in std::env::var("HOSTCANN_TEST_KEYS").unwrap().split(',') {
        let (x, y) = (DeviceBuffer::from(&[1f32; 8]), DeviceBuffer::from(&[0f32; 8]));
        let tiling = Tiling::new(0).count(8).scale(2.0).bytes;
        let scale = Scale {
            key: key.parse().unwrap(),
            blocks: 1,
            tiling: &tiling,
            other: None,
            workspace: 0,
            x1: (x.0, 32),
            x2: None,
            y: (y.0, 32),
        };
        let (code, text) = scale.run();
        println!("launch of {key}: {code} {text}");
    }
}

fn run(keys: &str, variables: &[(&str, &str)]) -> (String, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HOSTCANN_")) {
        command.env_remove(name);
    }
    command.env("HOSTCANN_TEST_KEYS", keys).envs(variables.iter().copied());
    let output: Output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn file(name: &str) -> String {
    let path = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_file(&path);
    path
}

fn lines(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_launch_lists_all_it_finds_and_the_same_again_is_one_line() {
    let (out, err) = run("10,10,0", &[("HOSTCANN_CHECK", "1")]);
    let first = format!(
        "kernel fault: kernel Scale_k_10, core 0, pipe V, Adds<float> at {}",
        manifest("tests/kernels").display()
    );
    let first = format!("{first}/scale.cpp:{} (race)", line("RACE"));
    for text in [&out, &err] {
        assert_eq!(text.matches(&first).count(), 2, "{text}");
        assert_eq!(text.matches(&format!("scale.cpp:{} (uninitialized)", line("UNWRITTEN"))).count(), 1, "{text}");
        assert_eq!(text.matches("    Fix: ").count(), 2, "{text}");
        assert!(
            text.contains(&format!("{first}\n    operand dst: "))
                || text.contains(&format!("{first}\n    operand src")),
            "{text}"
        );
        assert!(text.contains(&format!("{first} and 1 more: the same in launch 2 as in launch 1\n")), "{text}");
    }
    assert!(out.contains("launch of 10: 507035 ") && out.contains("launch of 0: 0 \n"), "{out}");
}

#[test]
fn a_program_of_its_own_says_how_many_launches_were_checked() {
    let said = |keys: &str, variables: &[(&str, &str)]| {
        let (_, err) = run(keys, variables);
        err.lines().filter(|line| line.starts_with("checked: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(said("0", &[("HOSTCANN_CHECK", "1")]), ["checked: 1 launch, 0 findings"]);
    assert_eq!(said("0,10,0", &[("HOSTCANN_CHECK", "1")]), ["checked: 3 launches, 2 findings"]);
    let none: [&str; 0] = [];
    assert_eq!(said("0", &[]), none, "nothing was checked");
    // Who asked for the count says it.
    let count = file("findings-count.txt");
    let beside = file("findings-count.txt.findings");
    assert_eq!(said("0,10,0", &[("HOSTCANN_CHECK", "1"), ("HOSTCANN_CHECK_COUNT", &count)]), none);
    assert_eq!(std::fs::read_to_string(&count).unwrap(), ".!+.");
    assert_eq!(lines(&beside).len(), 2);
}

#[test]
fn every_finding_is_a_line_of_json() {
    let path = file("findings.json");
    run("0,10", &[("HOSTCANN_CHECK", "1"), ("HOSTCANN_FINDINGS", &path)]);
    let found = lines(&path);
    let of = |one: &Value| (one["class"].clone(), one["launch"].clone(), one["line"].clone(), one["page"].clone());
    let want = |class: &str, mark: &str| -> (Value, Value, Value, Value) {
        (class.into(), 2.into(), line(mark).into(), format!("docs/guides/checking.md#{class}").into())
    };
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [want("race", "RACE"), want("uninitialized", "UNWRITTEN")]);
    for (key, value) in
        [("kernel", "Scale_k_10"), ("severity", "error"), ("expected", "HardEvent::MTE2_V between the two")]
    {
        assert_eq!(found[0][key], value);
    }
    let fix = found[0]["fix"].as_str().unwrap_or_default();
    assert!(
        fix.starts_with("SetFlag<HardEvent::MTE2_V>(id) after the first and WaitFlag<HardEvent::MTE2_V>(id)"),
        "{fix}"
    );
    assert!(found[0]["file"].as_str().is_some_and(|file| file.ends_with("tests/kernels/scale.cpp")), "{found:?}");
    // A fault of an unchecked launch has a line as well: there is no workspace.
    let path = file("findings-unchecked.json");
    run("5", &[("HOSTCANN_FINDINGS", &path)]);
    let found = lines(&path);
    assert_eq!((found.len(), &found[0]["class"], &found[0]["launch"]), (1, &"null-pointer".into(), &1.into()));
}

/// However many launches and places: one note for a kernel, with the number of the other places.
#[test]
fn what_relies_on_automatic_synchronisation_is_said_once() {
    let path = file("findings-auto-sync.json");
    let (out, err) = run("13,13", &[("HOSTCANN_CHECK", "1"), ("HOSTCANN_FINDINGS", &path)]);
    assert_eq!(out.matches("launch of 13: 0 \n").count(), 2, "{out}");
    assert_eq!(err.matches("relies on the compiler: kernel Scale_k_13").count(), 1, "{err}");
    assert_eq!(err.matches("; 3 more places of this kernel").count(), 1, "{err}");
    let found = lines(&path);
    let of = |one: &Value| (one["class"].clone(), one["severity"].clone(), one["line"].clone());
    let want = ("auto-sync".into(), "note".into(), line("FIRST PLACE").into());
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [want]);
}

#[test]
fn a_failure_that_no_call_returns_is_named_at_the_end() {
    let said = |variables: &[(&str, &str)]| {
        let (_, err) = run("5,5,0", variables);
        err.lines()
            .filter(|line| line.starts_with("[ERROR] no call has returned "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(said(&[]), none, "aclrtSynchronizeStream has returned it");
    for left in ["alive", "destroyed"] {
        let lines = said(&[("HOSTCANN_TEST_UNFETCHED", left)]);
        let [line] = &lines[..] else { panic!("{left}: {lines:?}") };
        assert!(line.contains("[507035] kernel fault: kernel Scale_k_5, core 0"), "{line}");
        assert!(
            line.contains("(and failures of 1 more streams). Fix: check what aclrtSynchronizeStream returns"),
            "{line}"
        );
    }
}

#[test]
fn a_flag_that_is_set_twice_is_a_finding_and_stops_a_plain_launch_on_request() {
    let outcome = |value: &str| run("11", &[("HOSTCANN_SECOND_SET", value)]).0;
    for value in ["", "counted"] {
        let out = outcome(value);
        assert!(out.contains("launch of 11: 0 \n"), "{out}");
    }
    let checked = run("11", &[("HOSTCANN_CHECK", "1")]).0;
    for out in [outcome("fault"), checked] {
        assert!(out.contains("launch of 11: 507035 ") && out.contains("flag is set a second time"), "{out}");
    }
    let out = outcome("kept");
    assert!(out.contains("launch of 11: 507035 ") && out.contains("flag was never set"), "{out}");
}

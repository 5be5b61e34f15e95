//! The device check on kernels with known faults: every fault is named at its line, every right twin passes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

struct Kernels {
    path: PathBuf,
    text: String,
}

impl Kernels {
    fn read(name: &str) -> Kernels {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/device").join(name);
        let text = std::fs::read_to_string(&path).expect("the kernels are there");
        Kernels { path, text }
    }

    fn names(&self) -> Vec<String> {
        let heads = self.text.split("\nextern \"C\" __global__ __aicore__ void ").skip(1);
        heads.map(|head| head.split('(').next().unwrap_or_default().to_owned()).collect()
    }

    /// (line, start of the message) of the comments FAULT(<kernel>): <message>
    fn faults(&self, kernel: &str) -> BTreeSet<(usize, String)> {
        let sign = format!("// FAULT({kernel}): ");
        let lines = self.text.lines().enumerate();
        lines.filter_map(|(at, line)| Some((at + 1, line.split_once(&sign)?.1.to_owned()))).collect()
    }

    fn unit(&self, kernel: &str, broken: bool) -> Value {
        let macros = if broken { json!([[format!("BROKEN_{kernel}"), "1"]]) } else { json!([]) };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").join("hostcann");
        json!({
            "name": format!("{kernel}_object"),
            "dtypes": format!("{kernel} {broken}"),
            "root": root,
            "kernel_dir": self.path.parent(),
            "source": self.path,
            "structs": null,
            "includes": [],
            "options": ["-D__NPU_ARCH__=2201", "-include", "cstdint"],
            "macros": macros,
            "function": kernel,
            "parameters": 4,
            "keys": [[7, null]],
            "files": [],
        })
    }
}

fn check(units: &[Value]) -> Output {
    let temp = tempfile::tempdir().expect("temp dir");
    let file = temp.path().join("units.json");
    std::fs::write(&file, Value::from(units.to_vec()).to_string()).expect("write");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["opc", "device"]).arg(&file);
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        command.env("LIBCLANG_PATH", repo.join("target/tools/clang/native"));
    }
    command.output().expect("xtask runs")
}

/// (line, message) of the findings in this file
fn findings(output: &Output, file: &Path) -> BTreeSet<(usize, String)> {
    let start = format!("{}:", file.display());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|line| line.contains(": error: "));
    lines
        .map(|line| {
            let rest = line.strip_prefix(&start).unwrap_or_else(|| panic!("a finding elsewhere: {line}"));
            let (place, message) = rest.split_once(": error: ").expect("a message");
            let line = place.split(':').next().and_then(|line| line.parse().ok()).expect("a line");
            (line, message.to_owned())
        })
        .collect()
}

fn every_fault_is_named(file: &str) {
    let kernels = Kernels::read(file);
    for kernel in kernels.names() {
        let output = check(&[kernels.unit(&kernel, true)]);
        let found = findings(&output, &kernels.path);
        let wanted = kernels.faults(&kernel);
        assert!(!wanted.is_empty(), "{kernel} names no fault");
        let fits =
            |(line, text): &(usize, String)| found.iter().any(|(at, message)| at == line && message.contains(text));
        let missed: Vec<_> = wanted.iter().filter(|fault| !fits(fault)).collect();
        assert!(missed.is_empty(), "{kernel}: not found {missed:?}, but {found:?}\n{output:?}");
        assert_eq!(found.len(), wanted.len(), "{kernel}: {found:?}");
        assert_eq!(output.status.code(), Some(30), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).ends_with("0 passed, 1 failed\n"), "{output:?}");
    }
}

fn every_right_twin_passes(file: &str) {
    let kernels = Kernels::read(file);
    let units: Vec<Value> = kernels.names().iter().map(|kernel| kernels.unit(kernel, false)).collect();
    let output = check(&units);
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()),
        (Some(0), format!("{} passed, 0 failed\n", units.len())),
        "{output:?}"
    );
}

#[test]
fn calls_that_leave_device_code() {
    every_fault_is_named("calls.cpp");
}

#[test]
fn calls_that_stay_in_device_code() {
    every_right_twin_passes("calls.cpp");
}

#[test]
fn language_the_device_has_not() {
    every_fault_is_named("language.cpp");
}

#[test]
fn language_the_device_has() {
    every_right_twin_passes("language.cpp");
}

#[test]
fn headers_of_the_host_in_device_code() {
    every_right_twin_passes("host_headers.cpp");
}

/// The checker's own test kernels: broken in what they do, but device code all the same.
#[test]
fn kernels_of_the_checkers_tests() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").join("hostcann/aicore/tests/broken");
    let temp = tempfile::tempdir().expect("temp dir");
    let mut units = Vec::new();
    for entry in std::fs::read_dir(&dir).expect("the kernels are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "cpp") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let heads = text.split("template <bool broken>\n__global__ __aicore__ void ").skip(1);
        let calls: String = heads
            .filter_map(|head| head.split_once('('))
            .flat_map(|(name, _)| ["true", "false"].map(|broken| format!("    {name}<{broken}>(x, x, y, w, t);\n")))
            .collect();
        // A few files have one kernel for several faults, by other template parameters.
        if calls.is_empty() {
            continue;
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let source = temp.path().join(format!("{stem}.cpp"));
        let all = format!(
            "#include \"{}\"\n__aicore__ void all(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t)\n{{\n{calls}}}\n",
            path.display()
        );
        std::fs::write(&source, all).expect("write");
        let mut unit = Kernels { path: path.clone(), text }.unit("all", false);
        unit["source"] = json!(source);
        unit["dtypes"] = json!(stem);
        units.push(unit);
    }
    assert!(units.len() >= 8, "{} files", units.len());
    let output = check(&units);
    let passed = format!("{} passed, 0 failed\n", units.len());
    assert_eq!(String::from_utf8_lossy(&output.stdout), passed, "{output:?}");
}

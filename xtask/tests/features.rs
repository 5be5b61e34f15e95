//! Selections of packages that are built one after the other share what they compile: every dependency has the same features
//! in each of them (hostcann/features).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const TOOLKIT: [&str; 6] = ["-p", "hostcann-runtime", "-p", "hostcann-opapi", "-p", "hostcann-asc"];
const PROGRAM: [&str; 2] = ["-p", "xtask"];
const OWN_TESTS: [&str; 4] = ["-p", "hostcann-cli", "-p", "xtask"];
const OTHER_TESTS: [&str; 5] = ["--workspace", "--exclude", "hostcann-cli", "--exclude", "xtask"];

/// Package and version to the sets of features that it is compiled with.
fn features(selection: &[&str], edges: &str) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}|{f}", "--edges", edges])
        .args(selection)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((package, features)) = line.split_once('|') else { continue };
        let name: Vec<&str> = package.split(' ').take(2).collect();
        all.entry(name.join(" ")).or_default().insert(features.trim_end_matches(" (*)").to_owned());
    }
    all
}

#[test]
fn nothing_is_compiled_twice() {
    const BUILD: &str = "normal,build";
    const TEST: &str = "normal,build,dev";
    let toolkit = features(&TOOLKIT, BUILD);
    let program = features(&PROGRAM, BUILD);
    for (name, one, other) in [
        ("toolkit and program", &toolkit, &program),
        ("toolkit and the tests of other packages", &toolkit, &features(&OTHER_TESTS, TEST)),
        ("program and its tests", &program, &features(&OWN_TESTS, TEST)),
    ] {
        for (package, sets) in one {
            // A build script's dependency may come with others, and is compiled apart in any case.
            let same = other.get(package).is_none_or(|others| sets.is_subset(others));
            let others = other.get(package);
            assert!(same, "{name}: {package} has the features {sets:?} and {others:?}; hostcann/features unites them");
        }
        assert!(one.keys().any(|package| other.contains_key(package)), "{name}: nothing in common");
    }
}

/// `cargo test -p one` after the whole run compiles nothing but what changed: a dev-dependency on hostcann-features does it.
#[test]
fn a_package_alone_compiles_what_all_do() {
    const TEST: &str = "normal,dev";
    let all = features(&OTHER_TESTS, TEST);
    let members: Vec<String> = all
        .keys()
        .filter_map(|package| package.split(' ').next())
        .filter(|name| own(name))
        .map(str::to_owned)
        .collect();
    assert!(members.iter().any(|name| name == "hostcann-aicore-tests"), "{members:?}");
    for member in members {
        for (package, sets) in features(&["-p", &member], TEST) {
            let others = all.get(&package);
            let same = others.is_some_and(|others| sets.is_subset(others));
            assert!(same, "-p {member}: {package} has the features {sets:?} and in the workspace {others:?}");
        }
    }
}

fn own(package: &str) -> bool {
    package.starts_with("hostcann-") || ["ascend-ort", "ascgraph", "fmod-tests"].contains(&package)
}

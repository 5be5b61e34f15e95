//! Many threads and streams at once in a process of their own: results, objects and heap blocks left over.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The library that counts the heap, compiled beside the test.
fn live_heap() -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/load/live_heap.cpp");
    // Tests of one program run at the same time.
    let name = format!("live_heap.{:?}.so", std::thread::current().id());
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let mut line = Command::new(&compiler);
    line.args(["-std=c++17", "-O2", "-Wall", "-fno-builtin", "-fPIC", "-shared", "-o"]).arg(&library).arg(&source);
    let output = line.output().with_context(|| format!("cannot start {compiler}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(library)
}

fn load(launches: &str) -> Result<()> {
    let mut load = Command::new(env!("CARGO_BIN_EXE_fmod-load"));
    load.args(["--launches", launches]);
    // The records of the checker and the snapshots of --flip come and go: with them only the op's objects are counted.
    let observed = ["HOSTCANN_CHECK", "HOSTCANN_FLIP"].iter().any(|name| std::env::var_os(name).is_some());
    if !observed {
        load.env("LD_PRELOAD", live_heap()?);
    }
    let output = load.output().context("cannot start fmod-load")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    ensure!(text.starts_with(&format!("8 threads x 4 streams x {launches} launches of 112 cases: ")), "{text}");
    ensure!(observed != text.contains("on the heap after each round ["), "{text}");
    print!("{text}");
    Ok(())
}

#[test]
fn eight_threads_with_four_streams() -> Result<()> {
    load("400")
}

/// Half a minute: `cargo xtask test --only rust ten_thousand -- --ignored --nocapture`.
#[test]
#[ignore = "320 000 launches"]
fn ten_thousand_launches_per_stream() -> Result<()> {
    load("10000")
}

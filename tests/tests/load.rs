//! Many threads and streams at once in a process of their own: results, objects left over, growth of memory.

use std::process::Command;

use anyhow::{Context, Result, ensure};

fn load(launches: &str) -> Result<()> {
    let mut load = Command::new(env!("CARGO_BIN_EXE_fmod-load"));
    // The checker's records and the snapshots of --flip grow with the largest launch they have seen.
    let observed = ["HOSTCANN_CHECK", "HOSTCANN_FLIP"].iter().any(|name| std::env::var_os(name).is_some());
    let growth = if observed { "50" } else { "5" };
    let output = load.args(["--launches", launches, "--growth", growth]).output().context("cannot start fmod-load")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    ensure!(text.starts_with(&format!("8 threads x 4 streams x {launches} launches of 112 cases: ")), "{text}");
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

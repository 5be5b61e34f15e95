//! Behaviour of acl and the aclnn executor that drivers rely on, through the raw bindings.

mod acl;
mod executor;

use std::process::Command;

use anyhow::{Result, ensure};

/// What `fmod-probe` prints.
fn probe(arguments: &[&str]) -> Result<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_fmod-probe")).args(arguments).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

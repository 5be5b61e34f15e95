//! C++ that no device compiler takes stops the build of a kernel: what clang's device mode says of its source, and what its
//! object needs of a host.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::KernelArgs;
use super::compile::Built;
use super::symbols;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::files;
use crate::base::program;
use crate::base::term::err;
use crate::build::device::Unit;

/// `off` builds kernels that only a host takes.
pub const SWITCH: &str = "XTASK_DEVICE_CHECK";

const UNITS: &str = "device.json";
const PASSED: &str = "device.passed";

pub fn check<'a>(args: &KernelArgs, built: impl Iterator<Item = &'a Built>) -> Result<()> {
    let built: Vec<&Built> = built.collect();
    if std::env::var(SWITCH).is_ok_and(|value| value == "off") {
        err!("warning: {SWITCH}=off: nobody asks whether a device compiler takes these kernels");
        return Ok(());
    }
    let passed = args.work.join(PASSED);
    let (mut known, mut open) = (Vec::new(), Vec::new());
    let old = fs::read_to_string(&passed).unwrap_or_default();
    for one in &built {
        let digest = digest(&one.unit)?;
        if !old.lines().any(|line| line == digest) {
            open.push(&one.unit);
        }
        known.push(digest);
    }
    let was_read = open.is_empty() || read(args, &open)?;
    for one in &built {
        let object = fs::read(&one.object).with_context(|| format!("cannot read {}", one.object.display()))?;
        let mut foreign = symbols::foreign(&object).with_context(|| format!("symbols of {}", one.object.display()))?;
        foreign.extend(
            one.initialiser.as_ref().map(|what| format!("a static whose initialiser runs before the kernel ({what})")),
        );
        if !foreign.is_empty() {
            return Err(failed(
                Kind::Build,
                format!("{} needs what a device has not: {}", one.unit.source.display(), foreign.join(", ")),
            )
            .hint(format!(
                "a core has no heap, no C library, no exceptions and no threads; {SWITCH}=off builds it all the same"
            )));
        }
    }
    if was_read {
        files::write_if_changed(&passed, known.join("\n").as_bytes())?;
    }
    Ok(())
}

/// Of everything that the check reads, and of the check itself.
fn digest(unit: &Unit) -> Result<String> {
    let mut text = serde_json::to_string(unit).context("a unit is no JSON")?;
    text.push_str(crate::build::device::SOURCES);
    for file in unit.files.iter().chain([&unit.source]) {
        let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        text.push_str(&files::sha256(&content));
    }
    Ok(files::sha256(text.as_bytes()))
}

/// In a process of its own: what kills clang must not kill this. False: nobody has read them.
fn read(args: &KernelArgs, units: &[&Unit]) -> Result<bool> {
    let list = args.work.join(UNITS);
    files::write_if_changed(&list, &serde_json::to_vec(units).context("units are no JSON")?)?;
    let mut command = Command::new(program::own()?);
    command.args(["opc", "device"]).arg(&list);
    command.args(args.jobs.map(|jobs| format!("--jobs={jobs}")));
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            err!("warning: these kernels were not read as device code (cannot run xtask opc device: {error})");
            return Ok(false);
        }
    };
    if output.status.success() {
        return Ok(true);
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(code) if code == i32::from(Kind::Tests.code()) => {
            let source = units.first().map_or(Path::new("kernel"), |unit| &unit.source);
            Err(failed_with(Kind::Build, format!("no device compiler takes {}", source.display()), text)
                .hint(format!("mend what is named above; {SWITCH}=off builds for the host what only a host takes")))
        }
        // The check is an additional one.
        _ => {
            let why = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
            err!("warning: these kernels were not read as device code ({}): {why}", output.status);
            Ok(false)
        }
    }
}

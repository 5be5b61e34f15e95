//! Finding the installed package, and what a user reads when it is not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Result, ensure};
use fmod_tests::Runtime;

/// Other toolkits log, limit and record in their own way.
fn is_host_toolkit() -> Result<bool> {
    let is = Runtime::get()?.is_host_toolkit();
    if !is {
        eprintln!("skipped: this is about the host toolkit");
    }
    Ok(is)
}

fn probe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmod-probe"));
    command.arg("load");
    command
}

fn empty_dir(name: &str) -> Result<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_installed_package_loads() -> Result<()> {
    let output = probe().output()?;
    ensure!(output.status.success(), "{}", stderr(&output));
    let path = String::from_utf8(output.stdout)?;
    ensure!(path.trim_end().ends_with("/op_api/lib/libcust_opapi.so"), "{path}");
    Ok(())
}

#[test]
fn without_a_package_every_candidate_is_listed() -> Result<()> {
    let opp = empty_dir("no-package")?;
    let custom = empty_dir("no-custom-package")?;
    let output = probe().env("ASCEND_OPP_PATH", &opp).env("ASCEND_CUSTOM_OPP_PATH", &custom).output()?;
    ensure!(!output.status.success(), "a package was found in an empty directory");
    let text = stderr(&output);
    for part in [
        format!("{}/op_api/lib/libcust_opapi.so: no such file", custom.display()),
        format!("{}/vendors/config.ini: ", opp.display()),
        format!("ASCEND_OPP_PATH={}", opp.display()),
        "hint: run `cargo xtask install`".to_owned(),
    ] {
        ensure!(text.contains(&part), "`{part}` is missing in: {text}");
    }
    Ok(())
}

#[test]
fn a_file_that_is_no_library_is_named() -> Result<()> {
    let custom = empty_dir("broken-package")?;
    fs::create_dir_all(custom.join("op_api/lib"))?;
    fs::write(custom.join("op_api/lib/libcust_opapi.so"), "not an ELF file")?;
    let opp = empty_dir("no-package")?;
    let output = probe().env("ASCEND_OPP_PATH", &opp).env("ASCEND_CUSTOM_OPP_PATH", &custom).output()?;
    let text = stderr(&output);
    ensure!(!output.status.success() && text.contains("libcust_opapi.so: "), "{text}");
    ensure!(text.contains("file too short") || text.contains("invalid ELF header"), "{text}");
    Ok(())
}

/// An old package would pass tests of what it was, or fail those of what is new.
#[test]
fn a_package_of_other_sources_is_refused() -> Result<()> {
    if !is_host_toolkit()? {
        return Ok(());
    }
    let installed = String::from_utf8(probe().output()?.stdout)?;
    let Some(vendor) = Path::new(installed.trim_end()).ancestors().nth(3) else {
        anyhow::bail!("no vendor: {installed}")
    };
    let custom = empty_dir("stale-package")?;
    let link = custom.join("op_api");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(vendor.join("op_api"), link)?;
    let version = fs::read_to_string(vendor.join("version.info"))?;
    let refused = |version: &str| -> Result<String> {
        fs::write(custom.join("version.info"), version)?;
        let output = probe().env("ASCEND_CUSTOM_OPP_PATH", &custom).output()?;
        ensure!(output.status.success() == stderr(&output).is_empty(), "{}", stderr(&output));
        Ok(stderr(&output))
    };
    ensure!(refused(&version)?.is_empty(), "a copy is as good as the package: {}", refused(&version)?);
    let other: String =
        version.lines().map(|line| format!("{}\n", line.replace("sources.fmod=", "sources.fmod=0"))).collect();
    for (version, part) in
        [(other.as_str(), "is not the one that "), ("", "does not say what the package was built from")]
    {
        let text = refused(version)?;
        ensure!(text.contains(part) && text.contains("hint: run `cargo xtask install`"), "{text}");
    }
    Ok(())
}

#[test]
fn the_log_names_kernels_and_launches() -> Result<()> {
    if !is_host_toolkit()? {
        return Ok(());
    }
    let run = |level: &str| {
        Command::new(env!("CARGO_BIN_EXE_fmod-probe")).args(["sweep", "3", "2"]).env("HOSTCANN_LOG", level).output()
    };
    let output = run("info")?;
    let text = stderr(&output);
    ensure!(output.status.success(), "{text}");
    let line =
        |module: &str| text.lines().find(|line| line.starts_with(&format!("[INFO] {module}("))).unwrap_or_default();
    let kernel = line("KERNEL");
    ensure!(kernel.contains(": Fmod: /") && kernel.ends_with(".o"), "{text}");
    let launch = line("LAUNCH");
    ensure!(
        launch.contains(": Fmod: Fmod_") && launch.contains(", tiling key 1, block dim 1, workspace 0 bytes"),
        "{text}"
    );
    ensure!(stderr(&run("error")?).is_empty(), "lines below the level are shown");
    Ok(())
}

#[test]
fn a_limit_of_the_host_is_not_taken_for_the_devices_memory() -> Result<()> {
    if !is_host_toolkit()? {
        return Ok(());
    }
    let line = format!("ulimit -v 900000; exec '{}' sweep 3 2", env!("CARGO_BIN_EXE_fmod-probe"));
    let output = Command::new("sh").args(["-c", &line]).output()?;
    let text = stderr(&output);
    ensure!(
        !output.status.success() && text.contains("the host gives no memory for ") && text.contains("ulimit -v"),
        "{text}"
    );
    Ok(())
}

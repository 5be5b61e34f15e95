//! What programs were linked with: torch_npu's libraries and symbols, by the list in hostcann/api/torch_npu.txt.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hostcann_types::install::Install;

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The host toolkit; a real CANN has all this of its own.
fn home() -> Option<PathBuf> {
    let home = Install::find(workspace(), |name| std::env::var_os(name)).home;
    home.join("hostcann.toml").is_file().then_some(home)
}

/// What a tool of binutils prints of a library.
fn told(program: &str, option: &str, library: &Path) -> Result<String> {
    let output = Command::new(program).arg(option).arg(library).output().with_context(|| program.to_owned())?;
    ensure!(output.status.success(), "{program} {}", library.display());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn torch_npu_finds_its_libraries_and_symbols() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    let list = fs::read_to_string(workspace().join("hostcann/api/torch_npu.txt"))?;
    let mut defined = BTreeSet::new();
    let mut libraries: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("library ")).collect();
    libraries = libraries.iter().flat_map(|line| line.split_whitespace()).collect();
    assert_eq!(libraries.len(), 6, "what torch_npu and its tensorpipe name as needed");
    // Theirs, and what stands behind them.
    for name in libraries.iter().chain(&["libruntime.so", "libprofapi.so", "libmsprofiler.so"]) {
        let library = home.join("lib64").join(name);
        let dynamic = told("readelf", "-dW", &library)?;
        ensure!(*name == "libascendcl.so" || dynamic.contains(&format!("soname: [{name}]")), "{name}:\n{dynamic}");
        let symbols = told("nm", "-D", &library)?;
        let own = symbols.lines().filter(|line| !line.trim_start().starts_with('U'));
        defined.extend(own.filter_map(|line| line.split_whitespace().last()).map(str::to_owned));
    }
    let wanted = list.lines().filter(|line| !line.contains(' ') && !line.is_empty());
    let missing: Vec<&str> = wanted.clone().filter(|name| !defined.contains(*name)).collect();
    assert!(missing.is_empty(), "the toolkit has no {}", missing.join(", "));
    ensure!(wanted.collect::<BTreeSet<_>>().len() == 91, "the list is whole");
    Ok(())
}

#[test]
fn a_framework_finds_a_toolkit_and_its_version() -> Result<()> {
    let Some(home) = home() else { return Ok(()) };
    for part in ["runtime", "compiler", "share/info/runtime", "share/info/compiler"] {
        let text = fs::read_to_string(home.join(part).join("version.info"))?;
        ensure!(text.starts_with("Version="), "{part}: {text}");
    }
    let install = format!("{}-linux/ascend_toolkit_install.info", std::env::consts::ARCH);
    ensure!(fs::read_to_string(home.join(install))?.contains("\nversion="));
    Ok(())
}

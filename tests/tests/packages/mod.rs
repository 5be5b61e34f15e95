//! Packages beside the installed one: built by `cargo xtask`, called in a process of their own.

use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

use anyhow::{Context, Result, ensure};
use fmod_tests::Stream;
use fmod_tests::sys::{aclOpExecutor, aclTensor, aclrtStream};
use libloading::Library;

/// Set for the process that calls what was built.
const CUSTOM: &str = "ASCEND_CUSTOM_OPP_PATH";
pub const SOC: &str = "Ascend910B3";

/// Parameters of the first phase of an interface.
pub type T = *mut aclTensor;
pub type B = *mut u64;
pub type E = *mut *mut aclOpExecutor;

pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

pub fn xtask(args: &[&str]) -> Result<String> {
    let output = Command::new("cargo").args([&["xtask"], args].concat()).current_dir(workspace()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo xtask {}:\n{text}", args.join(" "));
    Ok(text)
}

/// One package of what these arguments select, in `dir/opp`.
pub fn install(dir: &Path, vendor: &str, operators: &[String]) -> Result<PathBuf> {
    let install = dir.join("opp").display().to_string();
    fs::create_dir_all(&install)?;
    let name = format!("--vendor_name={vendor}");
    let mut line = vec!["install", &name, "--soc=ascend910b", "--install-path", &install];
    line.extend(operators.iter().map(String::as_str));
    xtask(&line)?;
    let prefix = format!("{vendor}_");
    let vendors = dir.join("opp/vendors");
    let found = fs::read_dir(&vendors)?.filter_map(Result::ok).map(|entry| entry.path());
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    found.into_iter().find(is_it).with_context(|| format!("no package of {vendor} in {}", vendors.display()))
}

/// A test of this program in a process of its own, which finds the packages.
pub fn child(test: &str, packages: &[&Path], variables: &[(&str, String)]) -> Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--ignored", "--exact", "--nocapture", test]).env("HOSTCANN_SOC", SOC);
    command.env(CUSTOM, packages.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":"));
    for name in ["HOSTCANN_SIM", "HOSTCANN_CHECK", "HOSTCANN_FLIP"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && text.contains("1 passed"), "{test}:\n{text}");
    Ok(text)
}

/// The interfaces of a vendor's package below `dir`, where this process was given it.
pub fn library(dir: &Path, vendor: &str) -> Option<Library> {
    let packages = std::env::var(CUSTOM).ok()?;
    let start = dir.join("opp/vendors").join(format!("{vendor}_")).display().to_string();
    let package = packages.split(':').find(|path| path.starts_with(&start))?;
    // SAFETY: a library of operators; what it runs when it is loaded registers them.
    Some(unsafe { Library::new(Path::new(package).join("op_api/lib/libcust_opapi.so")) }.expect("the package"))
}

type Phase2 = unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> i32;

/// Calls `aclnn<Pascal>`; `first` calls its first phase, whose name it is given, with where the size and the executor go.
pub fn call(
    library: &Library,
    pascal: &str,
    stream: &Stream,
    first: impl FnOnce(&[u8], B, E) -> Result<i32>,
) -> Result<()> {
    let (mut bytes, mut executor) = (0u64, null_mut::<aclOpExecutor>());
    let code = first(format!("aclnn{pascal}GetWorkspaceSize").as_bytes(), &mut bytes, &mut executor)?;
    let message = || stream.device().runtime().take_message().unwrap_or_default();
    ensure!(code == 0, "aclnn{pascal}GetWorkspaceSize returned {code}: {}", message());
    let workspace = stream.device().alloc::<u8>(bytes as usize)?;
    // SAFETY: the executor of phase one; everything lives until the stream was waited for.
    let code = unsafe {
        library.get::<Phase2>(format!("aclnn{pascal}").as_bytes())?(
            workspace.as_ptr(),
            bytes,
            executor,
            stream.as_raw(),
        )
    };
    ensure!(code == 0, "aclnn{pascal} returned {code}: {}", message());
    Ok(stream.synchronize()?)
}

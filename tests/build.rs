//! Generates the bindings from the installed headers with bindgen.
//!
//! Nothing is linked: the library opens the installed package at run time, so this crate builds without any C++ build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use hostcann_types::install::{self, Install};

/// Names taken from the headers. An op package that adds `aclnnFmod…V2` needs no change here.
const FUNCTIONS: [&str; 4] = [
    "aclnn(Inplace)?Fmod[A-Za-z0-9]+",
    "acl(Init|Finalize|GetRecentErrMsg|(Create|Destroy)(Tensor|Scalar)|DestroyAclOpExecutor|SetAclOpExecutorRepeatable|SetTensorAddr|SetInputTensorAddr|SetOutputTensorAddr|GetRawTensorAddr|GetViewOffset|GetDataType)",
    "aclrt(SetDevice|ResetDevice|GetDevice|GetDeviceCount|GetSocName|Malloc|Free|Memcpy|Memset)",
    "aclrt(CreateStream|DestroyStream|SynchronizeStream|StreamWaitEvent|CreateEvent|DestroyEvent|RecordEvent|SynchronizeEvent|QueryEventStatus|EventElapsedTime)",
];

fn main() {
    if let Err(message) = generate() {
        // Fails the build with just these lines; a failing exit status would bury them in a dump of all output.
        message.lines().for_each(|line| println!("cargo::error={line}"));
    }
}

fn generate() -> Result<(), String> {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let workspace = manifest.parent().ok_or("the tests package has no parent directory")?.to_owned();
    for path in ["build.rs", "wrapper.hpp"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for name in install::ENV.into_iter().chain(["LIBCLANG_PATH"]) {
        println!("cargo::rerun-if-env-changed={name}");
    }

    let headers = Headers::find(&workspace)?;
    choose_libclang(&workspace);
    let builder = builder(&headers)?;
    let bindings = run_bindgen(builder)?;
    let out = PathBuf::from(variable("OUT_DIR")?).join("bindings.rs");
    bindings.write_to_file(&out).map_err(|error| format!("cannot write {}: {error}", out.display()))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("cargo did not set {name}: {error}"))
}

struct Headers {
    toolkit: PathBuf,
    package: PathBuf,
}

impl Headers {
    /// The installed headers; before the first install the same headers in the source tree.
    fn find(workspace: &Path) -> Result<Headers, String> {
        let install = Install::find(workspace, |name| env::var_os(name));
        let installed = Headers::installed(&install);
        let config = install.opp.join("vendors/config.ini");
        // Rewritten when another vendor gets priority. A path that does not exist counts as changed, which is right as
        // long as nothing is installed: the first build after an install takes the installed headers.
        if installed.is_err() || config.is_file() {
            println!("cargo::rerun-if-changed={}", config.display());
        }
        let missing = match installed {
            Ok(headers) => return Ok(headers),
            Err(missing) => missing.join(", "),
        };
        let is_set = |name: &&&str| env::var_os(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = install::ENV.iter().find(is_set) {
            return Err(format!(
                "{name} is set, but no toolkit with an installed Fmod package is there (missing: {missing}).\n\
                 Install the package into that toolkit, or unset {name} to use target/hostcann."
            ));
        }
        Headers::in_source_tree(workspace).map_err(|searched| {
            format!("no headers to bind, neither installed (missing: {missing}) nor in {searched}.\nRun `cargo xtask install`.")
        })
    }

    /// On failure what is missing.
    fn installed(install: &Install) -> Result<Headers, Vec<String>> {
        let toolkit = install.home.join("include");
        let dirs: Vec<_> = install.vendors.iter().map(|vendor| vendor.join("op_api/include")).collect();
        let package = dirs.iter().find(|dir| has_package_headers(dir));
        if let Some(package) = package
            && has_toolkit_headers(&toolkit)
        {
            return Ok(Headers { toolkit, package: package.clone() });
        }
        let mut missing = install.notes.clone();
        if !has_toolkit_headers(&toolkit) {
            missing.push(toolkit.join("acl/acl.h").display().to_string());
        }
        if package.is_none() {
            missing.extend(dirs.iter().map(|dir| dir.join("aclnn_fmod_tensor.h").display().to_string()));
        }
        Err(missing)
    }

    /// On failure where they should be.
    fn in_source_tree(workspace: &Path) -> Result<Headers, String> {
        let toolkit = workspace.join("hostcann/include");
        let package = workspace.join("experimental/math/fmod/op_api");
        if !has_toolkit_headers(&toolkit) || !has_package_headers(&package) {
            return Err(format!("{}, {}", toolkit.display(), package.display()));
        }
        println!(
            "cargo::warning=no installed Fmod package yet, bindings come from the source tree; \
             `cargo xtask install` makes the tests runnable"
        );
        Ok(Headers { toolkit, package })
    }
}

fn has_toolkit_headers(dir: &Path) -> bool {
    dir.join("acl/acl.h").is_file() && dir.join("aclnn/acl_meta.h").is_file()
}

fn has_package_headers(dir: &Path) -> bool {
    ["tensor", "tensor_v2", "scalar", "scalar_v2"].iter().all(|name| dir.join(format!("aclnn_fmod_{name}.h")).is_file())
}

/// Set here and not by whoever calls cargo: bindgen's own build script watches LIBCLANG_PATH, so a variable that comes
/// and goes would rebuild bindgen each time.
fn choose_libclang(workspace: &Path) {
    let pinned = workspace.join("target/tools/clang/native");
    if env::var_os("LIBCLANG_PATH").is_none() && pinned.is_dir() {
        // SAFETY: a build script has one thread until bindgen runs.
        unsafe { env::set_var("LIBCLANG_PATH", pinned) };
    }
}

fn builder(headers: &Headers) -> Result<bindgen::Builder, String> {
    let mut builder = bindgen::Builder::default()
        .header("wrapper.hpp")
        .clang_args(["-x", "c++", "-std=c++17"])
        // The libclang wheel has no resource headers (stddef.h), gcc's own serve.
        .clang_args(["-isystem".to_owned(), gcc_include_dir()?])
        .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()))
        .allowlist_var("ACL_ERROR_.*|ACL_SUCCESS")
        .allowlist_type("hc_(launch|opcode)_stats")
        .derive_default(true)
        .derive_partialeq(true)
        .newtype_enum("acl(DataType|Format|rtMemcpyKind|rtMemMallocPolicy|rtEventRecordedStatus)")
        .must_use_type("aclError")
        .must_use_type("aclnnStatus")
        .rust_edition(bindgen::RustEdition::Edition2024)
        .wrap_unsafe_ops(true)
        .use_core()
        .generate_comments(false)
        .sort_semantically(true)
        .dynamic_library_name("Api")
        .dynamic_link_require_all(true);
    for pattern in FUNCTIONS {
        builder = builder.allowlist_function(pattern);
    }
    for dir in [&headers.toolkit, &headers.toolkit.join("aclnnop"), &headers.package] {
        builder = builder.clang_args(["-I".to_owned(), dir.display().to_string()]);
    }
    Ok(builder)
}

fn gcc_include_dir() -> Result<String, String> {
    let compiler = env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    println!("cargo::rerun-if-env-changed=CXX");
    let failed = |why: String| {
        format!(
            "`{compiler} -print-file-name=include` failed: {why}.\nInstall g++ (11 or newer), `cargo xtask doctor` checks it."
        )
    };
    let output =
        Command::new(&compiler).arg("-print-file-name=include").output().map_err(|error| failed(error.to_string()))?;
    let dir = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && Path::new(&dir).join("stddef.h").is_file() {
        Ok(dir)
    } else {
        Err(failed(format!("{} and `{dir}` holds no stddef.h", output.status)))
    }
}

/// bindgen panics when it finds no libclang; turned into one message here.
fn run_bindgen(builder: bindgen::Builder) -> Result<bindgen::Bindings, String> {
    std::panic::set_hook(Box::new(|_| ()));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| builder.generate()));
    let _ = std::panic::take_hook();
    match result {
        Ok(generated) => generated.map_err(|error| format!("bindgen cannot read the headers: {error}")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("bindgen panicked without a message");
            let near = env::var("LIBCLANG_PATH").unwrap_or_else(|_| "not set".to_owned());
            if text.to_lowercase().contains("libclang") {
                return Err(format!(
                    "libclang, which bindgen needs, was not found (LIBCLANG_PATH: {near}).\n\
                     Run `cargo xtask setup`, which puts it under target/tools."
                ));
            }
            Err(format!("bindgen failed: {text}"))
        }
    }
}

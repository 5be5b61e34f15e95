//! What a CUDA build of torch needs to load where there is no CUDA: libraries that answer every call with an error. PyPI has
//! no other build of torch for x86_64; a CPU build needs none of this.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::proc;
use crate::frameworks::session::Session;
use crate::toolchain::venv::Env;

/// cudaErrorNoDevice; every library's own error codes are other than 0, too.
const NO_DEVICE: u32 = 100;

/// The library of the first CUDA calls, whose symbols are global before any other of torch's.
const RUNTIME: &str = "libcudart.so";

const STOP: &str = "HOSTCANN_STOP_ON_FAILURE";

/// How much of a call torch_npu's queue makes: from 2 on phase 1 of an aclnn call, too.
const LEVEL: &str = "TASK_QUEUE_ENABLE";

const KEYS: &str = "libkeys.so";

/// Both libc10_cuda.so and torch_npu register the options of their allocators, under the same names, which the second one to
/// do so dies of. A set of its own for every registration ends that.
const KEYS_SOURCE: &str = r"#include <string>
#include <unordered_set>
namespace c10::CachingAllocator {
struct AcceleratorAllocatorConfig {
    static std::unordered_set<std::string>& getMutableKeys();
};
std::unordered_set<std::string>& AcceleratorAllocatorConfig::getMutableKeys()
{
    static thread_local std::unordered_set<std::string> keys;
    keys.clear();
    return keys;
}
}
";

/// torch's own file ends with an error where a torch that was built for CUDA finds none. This one imports the same libraries;
/// CMake finds it by `Caffe2_ROOT`, whatever Torch_DIR a project sets.
const CMAKE: &str = "lib/cmake/Caffe2/Caffe2Config.cmake";

const CMAKE_SOURCE: &str = r#"# The libraries of torch without those of CUDA, which are not on this machine.
if(NOT TORCH_INSTALL_PREFIX)
    message(FATAL_ERROR "find_package(Caffe2) without torch: expected find_package(Torch), which reads this file")
endif()
set(hostcann_targets "${TORCH_INSTALL_PREFIX}/share/cmake/Caffe2/Caffe2Targets.cmake")
file(STRINGS "${hostcann_targets}" hostcann_lines REGEX INTERFACE_LINK_LIBRARIES)
string(REGEX MATCHALL "[A-Za-z0-9_]+::[A-Za-z0-9_]+" hostcann_names "${hostcann_lines}")
list(REMOVE_DUPLICATES hostcann_names)
foreach(hostcann_name IN LISTS hostcann_names)
    if(NOT TARGET ${hostcann_name})
        add_library(${hostcann_name} INTERFACE IMPORTED)
    endif()
endforeach()
include("${hostcann_targets}")
set(Caffe2_MAIN_LIBS torch_library)
set(CAFFE2_INCLUDE_DIRS "${TORCH_INSTALL_PREFIX}/include")
"#;

pub fn dir(env: &Env) -> PathBuf {
    env.dir.join("standins")
}

/// Whether the libraries of CUDA are the user's, so that nothing of ours is loaded before torch but by LD_PRELOAD.
fn preload(env: &Env) -> Option<PathBuf> {
    let keys = dir(env).join(KEYS);
    let runtime = files::walk(&dir(env)).unwrap_or_default();
    let is_runtime = |file: &PathBuf| file.to_string_lossy().starts_with(RUNTIME);
    (keys.is_file() && !runtime.iter().any(is_runtime)).then_some(keys)
}

/// For every script.
pub fn join(cx: &Ctx, session: &mut Session) {
    session.libraries.push(dir(&session.env));
    session.variables.extend(settings(cx, &session.env));
}

/// What torch and torch_npu read here.
pub fn settings(cx: &Ctx, env: &Env) -> Vec<(&'static str, OsString)> {
    let mut all = Vec::new();
    // torch_npu asks every stream to stop at the first failure: on a device the process is over then. Here a script may go on.
    if std::env::var_os(STOP).is_none() {
        all.push((STOP, "off".into()));
    }
    // The queue ends without an exception where a function returns an error code; phase 1 refuses with one.
    if std::env::var(LEVEL).is_ok_and(|level| level.trim() == "2") {
        cx.console.warn(format!(
            "{LEVEL}=1 instead of 2, with which torch_npu's queue drops what follows a refused call in silence"
        ));
        all.push((LEVEL, "1".into()));
    }
    if dir(env).join(CMAKE).is_file() {
        all.push(("Caffe2_ROOT", dir(env).into_os_string()));
    }
    all.extend(preload(env).map(|keys| ("LD_PRELOAD", keys.into_os_string())));
    all
}

/// Into the environment's own directory; the installation of torch is only read.
pub fn make(cx: &mut Ctx, env: &Env) -> Result<()> {
    const WHERE: &str = "import importlib.util as u, os, runpy; d = os.path.dirname(u.find_spec('torch').origin); \
                         print(d); print(runpy.run_path(os.path.join(d, 'version.py'))['cuda'])";
    let told = env.ask(WHERE).with_context(|| format!("{} cannot find torch", env.python.display()))?;
    let (torch, cuda) = told.split_once('\n').context("two lines about torch")?;
    if cuda == "None" {
        return Ok(());
    }
    cx.console.say("Making", format!("stand-ins for CUDA {cuda}, which this torch was built for"));
    let dir = dir(env);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    keys(cx, &dir)?;
    let libraries = libraries(&Path::new(torch).join("lib"))?;
    let mut wanted = Wanted::default();
    for library in &libraries {
        wanted.read(cx, library)?;
    }
    for name in &wanted.missing {
        build(cx, &dir, name, &wanted)?;
    }
    if wanted.missing.iter().any(|name| name.starts_with(RUNTIME)) {
        files::write_if_changed(&dir.join(CMAKE), CMAKE_SOURCE.as_bytes())?;
    }
    Ok(())
}

fn libraries(dir: &Path) -> Result<Vec<PathBuf>> {
    let all = files::walk(dir)?.into_iter().filter(|file| file.to_string_lossy().contains(".so"));
    Ok(all.map(|file| dir.join(file)).collect())
}

fn keys(cx: &Ctx, dir: &Path) -> Result<()> {
    let (source, library, cxx) = (dir.join("keys.cpp"), dir.join(KEYS), proc::cxx_program());
    files::write_if_changed(&source, KEYS_SOURCE.as_bytes())?;
    let line = cmd!(cx.run.sh, "{cxx} -std=c++17 -O1 -shared -fPIC -Wl,-soname,{KEYS} -o {library} {source}");
    proc::must_run(cx, "standins", Kind::Build, line)?;
    Ok(())
}

/// What torch's libraries ask of libraries that are not there.
#[derive(Default)]
struct Wanted {
    missing: BTreeSet<String>,
    /// Symbols by version; no version: an empty name.
    undefined: BTreeMap<String, BTreeSet<String>>,
    defined: BTreeSet<String>,
    /// Which library a version is of.
    versions: BTreeMap<String, String>,
}

impl Wanted {
    fn read(&mut self, cx: &Ctx, library: &Path) -> Result<()> {
        let text = |program: &str, args: &[&str]| -> Result<String> {
            let output = cx.run.sh.cmd(program).args(args).arg(library).ignore_stderr().quiet().read();
            output.map_err(|_| {
                failed(Kind::Tool, format!("`{program} {}` failed", library.display()))
                    .hint("install binutils (Debian, Ubuntu: `apt install binutils`)")
            })
        };
        self.missing(&text("ldd", &[])?);
        self.symbols(&text("nm", &["-D"])?);
        self.versions(&text("readelf", &["-VW"])?);
        Ok(())
    }

    fn missing(&mut self, ldd: &str) {
        let lines = ldd.lines().filter(|line| line.ends_with("=> not found"));
        self.missing.extend(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned));
    }

    fn symbols(&mut self, nm: &str) {
        for line in nm.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["U" | "w", symbol] => {
                    let (name, version) = symbol.split_once('@').unwrap_or((symbol, ""));
                    self.undefined.entry(version.to_owned()).or_default().insert(name.to_owned());
                }
                [_, _, symbol] => {
                    let name = symbol.split('@').next().unwrap_or(symbol);
                    self.defined.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }

    /// `Version: 1  File: libcudart.so.13  Cnt: 1`, then its versions, `Name: libcudart.so.13  Flags: none  Version: 8`.
    fn versions(&mut self, readelf: &str) {
        let word = |line: &str, label: &str| {
            line.split_once(label).and_then(|(_, rest)| rest.split_whitespace().next()).map(str::to_owned)
        };
        let mut file = None;
        for line in readelf.lines() {
            file = word(line, "File: ").or(file);
            if let (Some(file), Some(name)) = (&file, word(line, "Name: ").filter(|_| line.contains("Flags: "))) {
                self.versions.insert(name, file.clone());
            }
        }
    }

    /// Symbols of a library that is not there, and their version. Those without a version all go where NCCL's belong; the
    /// interpreter has Python's, and the system's begin with an underscore.
    fn of(&self, library: &str) -> (Vec<&str>, &str) {
        let version = self.versions.iter().find(|(_, file)| *file == library).map_or("", |(version, _)| version);
        if version.is_empty() && !library.starts_with("libnccl") {
            return (Vec::new(), version);
        }
        let symbols =
            self.undefined.get(version).into_iter().flatten().filter(|symbol| !self.defined.contains(*symbol));
        let other = |symbol: &str| version.is_empty() && (symbol.starts_with('_') || symbol.starts_with("Py"));
        (symbols.map(String::as_str).filter(|symbol| !other(symbol)).collect(), version)
    }
}

/// A function for every symbol, all of them the same.
fn build(cx: &Ctx, dir: &Path, name: &str, wanted: &Wanted) -> Result<()> {
    let (symbols, version) = wanted.of(name);
    let mut source = ".text\n".to_owned();
    for symbol in symbols {
        source.push_str(&format!(".globl {symbol}\n.type {symbol},@function\n{symbol}:\n"));
    }
    source.push_str(&match std::env::consts::ARCH {
        "aarch64" => format!("mov w0, #{NO_DEVICE}\nret\n"),
        _ => format!("mov ${NO_DEVICE}, %eax\nret\n"),
    });
    source.push_str(".section .note.GNU-stack,\"\",%progbits\n");
    let (file, map, library) = (dir.join("standin.s"), dir.join("standin.map"), dir.join(name));
    files::write_if_changed(&file, source.as_bytes())?;
    files::write_if_changed(&map, format!("{version} {{ global: *; }};\n").as_bytes())?;
    let cxx = proc::cxx_program();
    let script = (!version.is_empty()).then(|| format!("-Wl,--version-script={}", map.display()));
    let keys = name.starts_with(RUNTIME).then(|| dir.join(KEYS));
    let needed = keys
        .iter()
        .flat_map(|keys| ["-Wl,--no-as-needed".into(), keys.clone().into_os_string(), "-Wl,-rpath,$ORIGIN".into()]);
    let line =
        cmd!(cx.run.sh, "{cxx} -shared -nostdlib -o {library} -Wl,-soname,{name} {script...} {file}").args(needed);
    proc::must_run(cx, "standins", Kind::Build, line)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_a_library_that_is_not_there() {
        let mut wanted = Wanted::default();
        wanted.missing(
            "\tlibcudart.so.13 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibnccl.so.2 => not found\n",
        );
        wanted.symbols(
            "                 U __cudaInit@libcudart.so.13\n                 U memcpy@GLIBC_2.14\n                 U ncclSend\n\
             \x20                U at_empty\n                 w __gmon_start__\n0000000000001000 T at_empty\n",
        );
        wanted.versions(
            "Version needs section '.gnu.version_r' contains 1 entry:\n  0x0000: Version: 1  File: libcudart.so.13  Cnt: 1\n  \
             0x0010:   Name: libcudart.so.13  Flags: none  Version: 8\n  0x0020: Version: 1  File: libc.so.6  Cnt: 1\n  \
             0x0030:   Name: GLIBC_2.14  Flags: none  Version: 7\n",
        );
        assert_eq!(wanted.missing.iter().collect::<Vec<_>>(), ["libcudart.so.13", "libnccl.so.2"]);
        assert_eq!(wanted.of("libcudart.so.13"), (vec!["__cudaInit"], "libcudart.so.13"));
        assert_eq!(wanted.of("libnccl.so.2"), (vec!["ncclSend"], ""));
        assert_eq!(wanted.of("libcufile.so.0"), (Vec::new(), ""));
    }
}

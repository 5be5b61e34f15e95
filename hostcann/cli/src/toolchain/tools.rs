//! The pinned tools: PyPI wheels in target/tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::proc;
use crate::base::versions::{self, Version};
use crate::toolchain::wheels::Wheels;

pub const LOCK: &str = "hostcann/cli/locks/tools.lock.txt";
pub const MIN_GXX: Version = Version(11, 0, 0);
pub const MIN_CMAKE: Version = Version(3, 16, 0);
pub const MIN_NINJA: Version = Version(1, 10, 0);
pub const CLANG_FORMAT: Version = Version(18, 1, 8);

const WHEELS: Wheels = Wheels {
    lock: LOCK,
    what: "cmake, ninja, libclang, clang-format",
    download_mb: 55,
    disk_mb: 150,
    platforms: "the pinned wheels exist for x86_64 and aarch64 Linux with glibc and pip 20.3 or newer; \
                otherwise install cmake and ninja and set XTASK_TOOLS=system",
    instead: "; with cmake and ninja installed, XTASK_TOOLS=system needs no download",
    per_python: false,
};

/// For `bench host` and `optest` only, which is why it does not come with the others.
const NUMPY: Wheels = Wheels {
    lock: "hostcann/cli/locks/numpy.lock.txt",
    what: "numpy",
    download_mb: 17,
    disk_mb: 70,
    platforms: "numpy is pinned for CPython 3.10 to 3.14 on x86_64 and aarch64 Linux with glibc: \
                put such a python3 first in PATH",
    instead: "",
    per_python: true,
};

/// numpy's bfloat16, for `optest` only.
const ML_DTYPES: Wheels = Wheels {
    lock: "hostcann/cli/locks/ml_dtypes.lock.txt",
    what: "ml_dtypes",
    download_mb: 5,
    disk_mb: 25,
    platforms: "ml_dtypes is pinned for CPython 3.10 to 3.14 on x86_64 and aarch64 Linux with glibc: \
                put such a python3 first in PATH",
    instead: "",
    per_python: true,
};

/// For AI CPU kernels that include Eigen only.
const EIGEN: Wheels = Wheels {
    lock: "hostcann/cli/locks/eigen.lock.txt",
    what: "Eigen for AI CPU kernels",
    download_mb: 5,
    disk_mb: 20,
    platforms: "the pinned wheel is for every platform, with pip 20.3 or newer",
    instead: "; operators without AI CPU kernels need no Eigen",
    per_python: false,
};

/// For host code that includes nlohmann/json only.
const JSON: Wheels = Wheels {
    lock: "hostcann/cli/locks/json.lock.txt",
    what: "nlohmann/json for tiling functions",
    download_mb: 1,
    disk_mb: 1,
    platforms: "the pinned wheel is for every platform, with pip 20.3 or newer",
    instead: "; operators that do not include it need none",
    per_python: false,
};

/// Upstream's hooks for Python and spelling, for `pr` only.
const HOOKS: Wheels = Wheels {
    lock: "hostcann/cli/locks/hooks.lock.txt",
    what: "ruff and codespell",
    download_mb: 12,
    disk_mb: 35,
    platforms: "ruff is pinned for x86_64 and aarch64 Linux with glibc",
    instead: "",
    per_python: false,
};

/// Where cmake, ninja and clang-format come from.
pub enum Tools {
    Pinned(PathBuf),
    /// pip has put them next to this program, which names them as what it depends on.
    Environment {
        /// Of Python's packages
        site: PathBuf,
        bin: PathBuf,
    },
    System,
}

impl Tools {
    pub fn chosen(cx: &Ctx) -> Result<Tools> {
        match std::env::var("XTASK_TOOLS").unwrap_or_default().as_str() {
            "" => Ok(environment(&cx.project.home).unwrap_or_else(|| Tools::Pinned(cx.project.tools()))),
            "pinned" => Ok(Tools::Pinned(cx.project.tools())),
            "system" => Ok(Tools::System),
            other => Err(failed(Kind::Usage, format!("XTASK_TOOLS is `{other}`; allowed are `pinned` and `system`"))
                .hint("unset XTASK_TOOLS to use the pinned tools")),
        }
    }

    /// PATH with the tools in front.
    pub fn path_env(&self) -> Result<OsString> {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let (dir, bin) = match self {
            Tools::Pinned(dir) => (dir, dir.join("bin")),
            Tools::Environment { site, bin } => (site, bin.clone()),
            Tools::System => return Ok(old),
        };
        // The wheels' own scripts in bin/ need PYTHONPATH, the programs that they start do not.
        let own = [dir.join("cmake/data/bin"), dir.join("clang_format/data/bin"), bin];
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&old)))
            .with_context(|| format!("{} cannot stand in PATH", dir.display()))
    }

    /// The directory of the pinned libclang; None: wherever the system has one.
    pub fn libclang(&self) -> Option<PathBuf> {
        match self {
            Tools::Pinned(dir) | Tools::Environment { site: dir, .. } => Some(dir.join("clang/native")),
            Tools::System => None,
        }
    }

    pub fn program(&self, name: &str) -> PathBuf {
        let (dir, bin) = match self {
            Tools::System => return PathBuf::from(name),
            Tools::Pinned(dir) => (dir, dir.join("bin")),
            Tools::Environment { site, bin } => (site, bin.clone()),
        };
        match name {
            "cmake" => dir.join("cmake/data/bin/cmake"),
            "clang-format" => dir.join("clang_format/data/bin/clang-format"),
            _ => bin.join(name),
        }
    }
}

/// The tools of the Python environment that an installed program lies in: `<bin>/../lib/python3.x/site-packages/hostcann`, or
/// `<dir>/hostcann` and `<dir>/bin` of `pip install --target`.
fn environment(home: &Path) -> Option<Tools> {
    let site = home.parent()?.to_path_buf();
    let bins = [Some(site.as_path()), site.ancestors().nth(3)].into_iter().flatten().map(|dir| dir.join("bin"));
    let bin = bins.into_iter().find(|bin| bin.join("ninja").is_file())?;
    let needed = [site.join("cmake/data/bin/cmake"), site.join("clang/native/libclang.so")];
    needed.iter().all(|file| file.is_file()).then_some(Tools::Environment { site, bin })
}

/// Whether the pinned tools are there in the pinned versions.
pub fn pinned_ready(repo: &Path, dir: &Path) -> bool {
    WHEELS.ready(repo, dir)
}

/// The directory to import the pinned numpy from.
pub fn numpy(cx: &mut Ctx) -> Result<PathBuf> {
    let dir = cx.project.tools().join("bench");
    if !NUMPY.ready(&cx.project.home, &dir) {
        cx.step("numpy", |cx| NUMPY.install(cx, &dir))?;
    }
    Ok(dir)
}

/// The directory to import the pinned ml_dtypes from.
pub fn ml_dtypes(cx: &mut Ctx) -> Result<PathBuf> {
    let dir = cx.project.tools().join("ml_dtypes");
    if !ML_DTYPES.ready(&cx.project.home, &dir) {
        cx.step("ml_dtypes", |cx| ML_DTYPES.install(cx, &dir))?;
    }
    Ok(dir)
}

/// The directory with upstream's pinned ruff (`bin/ruff`) and codespell (`codespell_lib`).
pub fn hooks(cx: &mut Ctx) -> Result<PathBuf> {
    let dir = cx.project.tools().join("hooks");
    if !HOOKS.ready(&cx.project.home, &dir) {
        cx.step("hooks", |cx| HOOKS.install(cx, &dir))?;
    }
    Ok(dir)
}

/// The directory with the pinned Eigen and unsupported/Eigen.
pub fn eigen(cx: &mut Ctx) -> Result<PathBuf> {
    let dir = cx.project.tools().join("eigen");
    if !EIGEN.ready(&cx.project.home, &dir) {
        cx.step("eigen", |cx| EIGEN.install(cx, &dir))?;
    }
    Ok(dir.join("cmeel.prefix/include/eigen3"))
}

/// The directory with the pinned nlohmann/json.hpp.
pub fn json(cx: &mut Ctx) -> Result<PathBuf> {
    let dir = cx.project.tools().join("json");
    if !JSON.ready(&cx.project.home, &dir) {
        cx.step("json", |cx| JSON.install(cx, &dir))?;
    }
    Ok(dir.join("nlohmann_json/include"))
}

/// Makes the tools usable; installs the pinned ones when missing or outdated.
pub fn ensure(cx: &mut Ctx, force: bool) -> Result<Tools> {
    let tools = Tools::chosen(cx)?;
    match &tools {
        Tools::System => {
            need(&tools, "cmake", MIN_CMAKE)?;
            need(&tools, "ninja", MIN_NINJA)?;
        }
        Tools::Environment { .. } => {}
        Tools::Pinned(dir) => {
            if force || !pinned_ready(&cx.project.home, dir) {
                let dir = dir.clone();
                cx.step("tools", |cx| WHEELS.install(cx, &dir))?;
            }
        }
    }
    Ok(tools)
}

fn need(tools: &Tools, name: &str, min: Version) -> Result<()> {
    let program = tools.program(name);
    let hint = format!("install {name} {min} or newer, or unset XTASK_TOOLS to use the pinned tools");
    let text = proc::probe(&program.to_string_lossy(), &["--version"])
        .ok_or_else(|| failed(Kind::Tool, format!("XTASK_TOOLS=system, but `{name}` does not run")).hint(&hint))?;
    match versions::parse(&text) {
        Some(found) if found >= min => Ok(()),
        Some(found) => Err(failed(Kind::Tool, format!("`{name}` is {found}, {min} or newer is needed")).hint(hint)),
        None => Err(failed(Kind::Tool, format!("`{name} --version` printed no version")).hint(hint)),
    }
}

/// The compiler is the one tool that PyPI cannot give.
pub fn need_compiler() -> Result<()> {
    let name = proc::cxx();
    let hint = "install g++ 11 or newer (Debian, Ubuntu: `apt install g++`) or point CXX to it";
    let text = proc::cxx_version()
        .ok_or_else(|| failed(Kind::Tool, format!("the C++ compiler `{name}` does not run")).hint(hint))?;
    match versions::parse(&text) {
        // clang++ numbers its versions differently; let the build decide.
        Some(found) if found < MIN_GXX && !text.contains("clang") => {
            Err(failed(Kind::Tool, format!("`{name}` is {found}, {MIN_GXX} or newer is needed")).hint(hint))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files;

    #[test]
    fn tools_of_the_environment_that_the_program_is_in() {
        let temp = tempfile::tempdir().expect("temp dir");
        let site = temp.path().join("lib/python3.11/site-packages");
        let home = site.join("hostcann");
        for file in [site.join("cmake/data/bin/cmake"), site.join("clang/native/libclang.so")] {
            files::write_if_changed(&file, b"").expect("write");
        }
        assert!(environment(&home).is_none(), "no ninja");
        files::write_if_changed(&temp.path().join("bin/ninja"), b"").expect("write");
        let tools = environment(&home).expect("all there");
        assert_eq!(tools.program("ninja"), temp.path().join("bin/ninja"));
        assert_eq!(tools.program("cmake"), site.join("cmake/data/bin/cmake"));
        assert_eq!(tools.libclang(), Some(site.join("clang/native")));
    }

    #[test]
    fn every_tool_has_two_hashes() {
        let lock = include_str!("../../locks/tools.lock.txt");
        assert_eq!(lock.matches("==").count() - 1, 4, "four tools and the renewal comment");
        assert_eq!(lock.matches("--hash=sha256:").count(), 8);
    }

    #[test]
    fn wheels_for_every_platform_have_one_hash() {
        let locks = [
            (include_str!("../../locks/eigen.lock.txt"), "\ncmeel-eigen=="),
            (include_str!("../../locks/json.lock.txt"), "\nnlohmann-json=="),
        ];
        for (lock, name) in locks {
            assert_eq!(lock.matches(name).count(), 1);
            assert_eq!(lock.matches("--hash=sha256:").count(), 1);
        }
    }

    #[test]
    fn numpy_has_two_hashes_for_every_python() {
        let lock = include_str!("../../locks/numpy.lock.txt");
        assert_eq!(lock.matches("\nnumpy==").count(), 2, "one version to Python 3.13, one for 3.14");
        assert_eq!(lock.matches("--hash=sha256:").count(), 2 * 5);
    }

    #[test]
    fn ml_dtypes_has_two_hashes_for_every_python() {
        let lock = include_str!("../../locks/ml_dtypes.lock.txt");
        assert_eq!(lock.matches("\nml_dtypes==").count(), 1);
        assert_eq!(lock.matches("--hash=sha256:").count(), 2 * 5);
    }
}

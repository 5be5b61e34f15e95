//! How everything is built with a sanitizer, in a tree of its own: target/sanitize/<name>.
//!
//! Address and thread instrument Rust and C++ alike. rustc brings the runtime library of both (LLVM's); g++ only
//! instruments, and every program takes that one library, because two of them in one process do not work. rustc's flag
//! is unstable, so RUSTC_BOOTSTRAP=1 asks the stable compiler for it. Thread needs a standard library that is
//! instrumented as well, else every lock in it looks like none: it is built from the component rust-src.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use xshell::Cmd;

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::program;

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizer {
    /// Memory errors and leaks, Rust and C++
    Address,
    /// Undefined behaviour of C++; debug assertions and overflow checks of Rust
    Undefined,
    /// Data races, Rust and C++
    Thread,
}

/// How everything is built; made once, because it asks rustc.
#[derive(Clone, Debug)]
pub struct Build {
    sanitizer: Sanitizer,
    /// rustc's runtime library; none for `Undefined`, whose runtime g++ links as a shared library.
    runtime: Option<PathBuf>,
}

impl Sanitizer {
    pub fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Undefined => "undefined",
            Sanitizer::Thread => "thread",
        }
    }
}

impl Build {
    pub fn new(sanitizer: Sanitizer) -> Result<Build> {
        let short = match sanitizer {
            Sanitizer::Address => "asan",
            Sanitizer::Thread => "tsan",
            Sanitizer::Undefined => return Ok(Build { sanitizer, runtime: None }),
        };
        let dir = PathBuf::from(rustc(&["--print", "target-libdir"])?);
        let end = format!("_rt.{short}.a");
        let entries = fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        let mut names = entries.flatten().map(|entry| entry.path());
        let runtime = names.find(|path| path.to_string_lossy().ends_with(&end)).ok_or_else(|| {
            failed(Kind::Tool, format!("rustc has no sanitizer runtime *{end} in {}", dir.display()))
                .hint("toolchains of rustup for x86_64 and aarch64 Linux with glibc have it")
        })?;
        if sanitizer == Sanitizer::Thread {
            let sources = PathBuf::from(rustc(&["--print", "sysroot"])?).join("lib/rustlib/src/rust/library/std");
            if !sources.is_dir() {
                return Err(failed(
                    Kind::Tool,
                    "--sanitize thread builds Rust's standard library, its source is missing",
                )
                .hint("`rustup component add rust-src`"));
            }
        }
        Ok(Build { sanitizer, runtime: Some(runtime) })
    }

    /// Where this build's tree lies.
    pub fn dir(&self) -> PathBuf {
        PathBuf::from("target/sanitize").join(self.sanitizer.name())
    }

    /// A cargo line that builds with the sanitizer.
    pub fn cargo<'a>(&self, line: Cmd<'a>) -> Cmd<'a> {
        let triple = triple();
        match self.sanitizer {
            Sanitizer::Undefined => line.env("RUSTFLAGS", "-Cdebug-assertions=on -Coverflow-checks=on"),
            Sanitizer::Address => line
                .args(["--target", &triple])
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTFLAGS", "-Zsanitizer=address -Clink-arg=-rdynamic"),
            Sanitizer::Thread => line
                .args(["--target", &triple, "-Zbuild-std"])
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTFLAGS", "-Zsanitizer=thread -Clink-arg=-rdynamic"),
        }
    }

    /// Where cargo puts what it has built with [`Build::cargo`].
    pub fn release(&self, target: PathBuf) -> PathBuf {
        match self.sanitizer {
            Sanitizer::Undefined => target.join("release"),
            Sanitizer::Address | Sanitizer::Thread => target.join(triple()).join("release"),
        }
    }

    fn compile_flags(&self) -> &'static str {
        match self.sanitizer {
            Sanitizer::Address => "-fsanitize=address -fno-omit-frame-pointer -g1",
            Sanitizer::Undefined => "-fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1",
            Sanitizer::Thread => "-fsanitize=thread -fno-omit-frame-pointer -g1",
        }
    }

    /// g++'s own libraries except its sanitizer runtime; what a library leaves open the program has.
    const OPEN: &'static str = "-lstdc++ -lm -lgcc_s -lgcc -lc -Wl,-z,undefs";

    /// Further definitions of a CMake project.
    pub fn defines(&self) -> Vec<(&'static str, String)> {
        // g++ warns about correct code that it cannot follow through the instrumentation.
        let mut defines = vec![("CMAKE_CXX_FLAGS", format!("{} -Wno-error", self.compile_flags()))];
        if let Some(runtime) = &self.runtime {
            let whole = format!("-Wl,--whole-archive {} -Wl,--no-whole-archive", runtime.display());
            let libraries = format!("{} -lpthread -ldl -lrt -lresolv", Build::OPEN);
            defines.extend([
                ("CMAKE_SHARED_LINKER_FLAGS", "-nodefaultlibs".to_owned()),
                ("CMAKE_MODULE_LINKER_FLAGS", "-nodefaultlibs".to_owned()),
                // CMake's own check of the compiler gets these flags, but not the standard libraries.
                ("CMAKE_EXE_LINKER_FLAGS", format!("-nodefaultlibs -rdynamic {whole} {libraries}")),
                ("CMAKE_CXX_STANDARD_LIBRARIES", libraries),
            ]);
        }
        defines
    }

    /// Flags of one g++ call that makes a shared object; the kernel compiler reads them from [`KERNEL_FLAGS`].
    pub fn kernel_flags(&self) -> String {
        match self.runtime {
            Some(_) => format!("{} -nodefaultlibs {}", self.compile_flags(), Build::OPEN),
            None => self.compile_flags().to_owned(),
        }
    }
}

/// Environment variable with further flags for kernels, at the end of the line.
pub const KERNEL_FLAGS: &str = "XTASK_KERNEL_FLAGS";

fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

fn rustc(args: &[&str]) -> Result<String> {
    let program = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let text = program::probe(&program, args);
    Ok(text.with_context(|| format!("`{program} {}` failed", args.join(" ")))?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_runtime_library_per_process() {
        let build = Build { sanitizer: Sanitizer::Thread, runtime: Some("/r/rt.tsan.a".into()) };
        let defines = build.defines();
        let value = |key: &str| defines.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        assert_eq!(value("CMAKE_SHARED_LINKER_FLAGS"), Some("-nodefaultlibs"));
        assert!(value("CMAKE_EXE_LINKER_FLAGS").is_some_and(|flags| flags.contains("/r/rt.tsan.a")));
        assert!(build.kernel_flags().starts_with("-fsanitize=thread ") && !build.kernel_flags().contains(".a"));
        let plain = Build { sanitizer: Sanitizer::Undefined, runtime: None };
        assert_eq!(plain.defines().len(), 1, "g++ links libubsan.so itself");
    }
}

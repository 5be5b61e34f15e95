//! Short commands, the C++ compiler and the number of jobs.

use std::path::Path;
use std::process::Command;

/// stdout of a short command; None when it cannot be started or fails.
pub fn probe(program: &str, args: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    if program == "python3" {
        // -m looks for modules in the current directory first.
        command.current_dir("/");
    }
    let output = command.args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The C++ compiler: CXX as everywhere, else the g++ that upstream's build calls.
pub fn cxx() -> String {
    std::env::var("CXX").ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "g++".to_owned())
}

/// CXX may be several words, as in `ccache g++`; a file of that name is one.
fn cxx_words() -> Vec<String> {
    let cxx = cxx();
    if Path::new(&cxx).is_file() { vec![cxx] } else { cxx.split_whitespace().map(str::to_owned).collect() }
}

pub fn cxx_program() -> String {
    cxx_words().swap_remove(0)
}

pub fn cxx_args() -> Vec<String> {
    cxx_words().split_off(1)
}

/// What `$CXX --version` prints.
pub fn cxx_version() -> Option<String> {
    let args = cxx_args();
    probe(&cxx_program(), &args.iter().map(String::as_str).chain(["--version"]).collect::<Vec<_>>())
}

pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

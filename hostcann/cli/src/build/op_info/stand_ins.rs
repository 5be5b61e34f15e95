//! A Python implementation of op_select_format, run apart from everything: `python3 -I` with stand-ins for the toolkit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::base::diag::{HintExt, Kind, failed};

const PROGRAM: &str = include_str!("stand_ins.py");
pub const LIMIT: Duration = Duration::from_secs(60);

/// What the function gave as text.
pub fn run(file: &Path, function: &str, arguments: &[Value], stand_ins: &BTreeMap<String, Value>) -> Result<String> {
    let temp = tempfile::tempdir().context("cannot make a temporary directory")?;
    let at = |name: &str| temp.path().join(name);
    let file =
        fs::canonicalize(file).map_err(|error| failed(Kind::Usage, format!("--impl {}: {error}", file.display())))?;
    let request = json!({"file": file, "function": function, "arguments": arguments, "stand_ins": stand_ins});
    for (name, text) in [("run.py", PROGRAM.to_owned()), ("request.json", request.to_string())] {
        fs::write(at(name), text).with_context(|| format!("cannot write {}", at(name).display()))?;
    }
    let mut command = Command::new("python3");
    // -I: no variables, no user's packages, nothing of the current directory; -B: no files beside the implementation.
    command
        .args(["-I", "-B"])
        .arg(at("run.py"))
        .arg(at("request.json"))
        .arg(at("result.json"))
        .current_dir(temp.path());
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).stdin(Stdio::null()).stdout(Stdio::null());
    let errors = fs::File::create(at("errors.txt")).context("cannot write into a temporary directory")?;
    command.stderr(errors);
    let mut child = command.spawn().map_err(|error| {
        failed(Kind::Tool, format!("python3 does not run: {error}"))
            .hint("install python3 (Debian, Ubuntu: `apt install python3`)")
    })?;
    let Some(status) = ended(&mut child, LIMIT)? else {
        return Err(failed(Kind::Tests, format!("{function} has not come back after {} s", LIMIT.as_secs())));
    };
    let Ok(text) = fs::read_to_string(at("result.json")) else {
        let said = fs::read_to_string(at("errors.txt")).unwrap_or_default();
        let last = said.lines().last().unwrap_or("it said nothing").to_owned();
        return Err(failed(Kind::Tests, format!("{}: python3 ended with {status}: {last}", file.display())));
    };
    result(&file, function, &serde_json::from_str(&text).context("python3 wrote no JSON")?)
}

/// None: it had to be stopped.
pub fn ended(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for a process")? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn result(file: &Path, function: &str, result: &Value) -> Result<String> {
    if let Some(text) = result["text"].as_str() {
        return Ok(text.to_owned());
    }
    let line = match result["line"].as_u64() {
        None | Some(0) => String::new(),
        Some(line) => format!(":{line}"),
    };
    let place = format!("{}{line}", file.display());
    if let Some(name) = result["unknown"].as_str() {
        let short = name.split('(').next().unwrap_or(name).rsplit('.').next().unwrap_or(name);
        return Err(failed(
            Kind::Usage,
            format!("{place}: {function} wants the value of {name}, which is the toolkit's"),
        )
        .hint(format!("say what it is, for example --stand-in '{short}=true'; a value is JSON or a word")));
    }
    let error = result["error"].as_str().unwrap_or("it failed without a word");
    Err(failed(Kind::Tests, format!("{place}: {error}")))
}

//! What launches were found to do wrong: the text of a launch, a line of JSON for each finding, and how many there were.
//!
//! `HOSTCANN_FINDINGS` names a file that gets the lines; xtask takes them from a file next to that of `HOSTCANN_CHECK_COUNT`.

use crate::base::env::Settings;
use crate::base::failure::{Failure, codes, lock};
use aicore::{Fault, FaultOwner, Severity};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock};

/// Findings that the text of a launch lists.
const LISTED: usize = 20;

/// Kernel launches of this process so far.
static LAUNCHES: AtomicUsize = AtomicUsize::new(0);
/// Those that ran checked, and what was found in them.
static CHECKED: AtomicUsize = AtomicUsize::new(0);
static FOUND: AtomicUsize = AtomicUsize::new(0);

/// The number of the launch that begins, from 1.
pub fn next_launch() -> usize {
    LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1
}

/// What becomes of the text that an earlier launch had as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// One line: a stream's log has the text.
    Line,
    /// All of it: each unit test stands for itself.
    Text,
}

/// What is reported of a launch.
pub fn failure(launch: usize, faults: &[Fault], repeated: Repeated) -> Failure {
    static SAID: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);
    let code = match faults.first().map(|fault| fault.owner) {
        Some(FaultOwner::NotImplemented) => codes::RT_FEATURE_NOT_SUPPORT,
        _ => codes::RT_VECTOR_CORE_EXCEPTION,
    };
    let text = text(faults);
    if repeated == Repeated::Text {
        return Failure::new(code, text);
    }
    let first = *lock(&SAID).get_or_insert_default().entry(text.clone()).or_insert(launch);
    Failure::new(code, if first == launch { text } else { again(faults, launch, first) })
}

fn text(faults: &[Fault]) -> String {
    let mut text: Vec<String> = faults.iter().take(LISTED).map(Fault::to_string).collect();
    if faults.len() > LISTED {
        text.push(format!("and {} more findings of this launch", faults.len() - LISTED));
    }
    text.join("\n")
}

fn again(faults: &[Fault], launch: usize, first: usize) -> String {
    let headline = faults.first().map_or(String::new(), Fault::headline);
    let more = match faults.len() {
        0 | 1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    format!("{headline}{more}: the same in launch {launch} as in launch {first}")
}

/// Whether this process has not said it before.
pub fn is_first(text: &str) -> bool {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    lock(&SAID).insert(text.to_owned())
}

fn open(path: &Path, end: &str) -> Option<File> {
    let mut path = path.as_os_str().to_owned();
    path.push(end);
    File::options().append(true).create(true).open(path).ok()
}

/// Who reads the file knows that the checker was there; programs that die and processes side by side count as well. A
/// character for the launch, and one for every finding after its first.
pub fn count(settings: &Settings, found: usize) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    static AT_EXIT: Once = Once::new();
    if settings.check.is_none() {
        return;
    }
    CHECKED.fetch_add(1, Ordering::Relaxed);
    FOUND.fetch_add(found, Ordering::Relaxed);
    let Some(path) = &settings.check_count else {
        return AT_EXIT.call_once(|| {
            // SAFETY: the function may be called at any time. Without memory to register it the line is missing.
            unsafe { libc::atexit(say_count) };
        });
    };
    if let Some(mut file) = FILE.get_or_init(|| open(path, "")).as_ref() {
        let marks = if found == 0 { ".".to_owned() } else { format!("!{}", "+".repeat(found - 1)) };
        // A count that cannot be kept is no reason to fail a launch.
        let _ = file.write_all(marks.as_bytes());
    }
}

/// What nobody else says when the program ends.
extern "C" fn say_count() {
    if crate::base::fork::failure().is_some() {
        return;
    }
    let number = |n: usize, what: &str| {
        format!(
            "{n} {what}{}",
            if n == 1 {
                ""
            } else if what == "launch" {
                "es"
            } else {
                "s"
            }
        )
    };
    let (launches, found) = (CHECKED.load(Ordering::Relaxed), FOUND.load(Ordering::Relaxed));
    // Standard error may be closed by then.
    let _ = writeln!(std::io::stderr(), "checked: {}, {}", number(launches, "launch"), number(found, "finding"));
}

/// A line of JSON, in one write. `stops`: the launch failed by it.
pub fn keep(settings: &Settings, launch: usize, fault: &Fault, stops: bool) {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    let files = || {
        let counted = settings.check_count.as_ref().zip(settings.check.as_ref());
        let beside = counted.and_then(|(path, _)| open(path, ".findings"));
        settings.findings.as_ref().and_then(|path| open(path, "")).into_iter().chain(beside).collect()
    };
    let files = FILES.get_or_init(files);
    if !files.is_empty() {
        let line = format!("{}\n", json(launch, fault, stops));
        for mut file in files {
            let _ = file.write_all(line.as_bytes());
        }
    }
}

fn json(launch: usize, fault: &Fault, stops: bool) -> serde_json::Value {
    let (said, class) = (&fault.said, fault.class.name());
    let severity = match fault.severity {
        Severity::Error => "error",
        Severity::Rule => "rule",
        Severity::Note => "note",
    };
    let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    serde_json::json!({
        "launch": launch,
        "class": class,
        "severity": severity,
        "stops": stops,
        "kernel": fault.kernel,
        "op": fault.op(),
        "core": fault.core,
        "pipe": fault.pipe.to_string(),
        "instruction": fault.instruction,
        "operand": said.operand,
        "file": fault.location.as_ref().map(|location| &location.file),
        "line": fault.location.as_ref().map(|location| location.line),
        "place": fault.location.as_ref().map(ToString::to_string),
        "message": said.what,
        "expected": text(&said.expected),
        "got": text(&said.got),
        "fix": text(&said.fix),
        "page": format!("docs/guides/checking.md#{class}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aicore::{FaultClass, Location, Pipe, Raise};

    fn fault(operand: &str) -> Fault {
        let at = Location { file: "a \"b\".h".to_owned(), line: 7 };
        let raise = Raise::new(FaultClass::Race, Pipe::V, "Add<float>", "reads\n").operand(operand).fix("wait");
        raise.into_fault("Row_a4502c9194702bf35b8c97e190484246_0", 3, Some(at))
    }

    #[test]
    fn a_line_has_every_key() {
        let line = json(2, &fault("src0"), true).to_string();
        let want = r##"{"launch":2,"class":"race","severity":"error","stops":true,"kernel":"Row_a4502c9194702bf35b8c97e190484246_0","op":"Row","core":3,"pipe":"V","instruction":"Add<float>","operand":"src0","file":"a \"b\".h","line":7,"place":"a \"b\".h:7","message":"reads\n","expected":null,"got":null,"fix":"wait","page":"docs/guides/checking.md#race"}"##;
        assert_eq!(line, want);
    }

    #[test]
    fn a_launch_lists_so_many_and_the_same_again_is_one_line() {
        let faults: Vec<Fault> = (0..22).map(|i| fault(&format!("src{i}"))).collect();
        let first = failure(1000, &faults, Repeated::Line);
        assert_eq!(first.code, codes::RT_VECTOR_CORE_EXCEPTION);
        assert_eq!(first.message.matches("kernel fault").count(), 20);
        assert!(first.message.ends_with("\nand 2 more findings of this launch"), "{}", first.message);
        let head = "kernel fault: kernel Row, core 3, pipe V, Add<float> at a \"b\".h:7 (race)";
        assert_eq!(
            failure(1001, &faults, Repeated::Line).message,
            format!("{head} and 21 more: the same in launch 1001 as in launch 1000")
        );
        let one = failure(1002, &faults[..1], Repeated::Line).message;
        assert_eq!(one, format!("{head}\n    operand src0: reads\n\n    Fix: wait"));
        assert_eq!(
            failure(1003, &faults[..1], Repeated::Line).message,
            format!("{head}: the same in launch 1003 as in launch 1002")
        );
        assert_eq!(failure(1004, &faults[..1], Repeated::Text).message, one);
        let mut other = fault("src0");
        other.owner = FaultOwner::NotImplemented;
        assert_eq!(failure(1005, &[other], Repeated::Line).code, codes::RT_FEATURE_NOT_SUPPORT);
    }
}

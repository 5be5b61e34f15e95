//! Annotations for a forge (`--format github`): what the log says about a line of a file, in the workflow command that GitHub
//! and those who follow it show next to that line. The log stays as it is.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::plain::plain;
use crate::base::report::CheckFinding;
use crate::base::work_tree::Sources;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Notice,
}

/// File and line, 0 for the whole file, and the column where it is known.
type Place = (String, u32, Option<u32>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Annotation {
    level: Level,
    place: Option<Place>,
    title: String,
    message: String,
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Notice => "notice",
        };
        write!(f, "::{level} ")?;
        if let Some((file, line, column)) = &self.place {
            write!(f, "file={},", property(file))?;
            if *line > 0 {
                write!(f, "line={line},")?;
            }
            if let Some(column) = column {
                write!(f, "col={column},")?;
            }
        }
        write!(f, "title={}::{}", property(&self.title), message(&self.message))
    }
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

static WANTED: AtomicBool = AtomicBool::new(false);
static LOG: Mutex<Log> = Mutex::new(Log::new());

pub fn configure(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

pub fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// What the log has got. `stream`: of several that are written side by side.
pub fn read(stream: usize, bytes: &[u8]) -> Vec<String> {
    if is_wanted() { with_log(|log| log.feed(stream, bytes)) } else { Vec::new() }
}

/// The rest, at the end of a run or of an error.
pub fn rest() -> Vec<String> {
    if is_wanted() { with_log(Log::end) } else { Vec::new() }
}

/// From here on messages name files of a directory as if it were at `name`.
pub fn look_in(name: &str, dir: &Path) {
    with_log(|log| log.dir = Some((PathBuf::from(name), dir.to_path_buf())));
}

/// What the checker found, for operators of these names.
pub fn findings(found: &[CheckFinding], ops: &[String]) -> Vec<String> {
    let sources = Sources::here();
    let all = found.iter().map(|one| of_finding(one, |file| sources.find(file, ops)));
    with_log(|log| all.filter_map(|one| log.first(&one)).collect())
}

fn with_log<T>(work: impl FnOnce(&mut Log) -> T) -> T {
    // What a thread that panicked has left are lines all the same.
    work(&mut LOG.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Lines of a log, and the annotation that still grows.
struct Log {
    /// The last line of each stream, as long as it has no end.
    open: [Vec<u8>; 2],
    grows: Option<Annotation>,
    /// What messages call a directory, and where it lies.
    dir: Option<(PathBuf, PathBuf)>,
    said: BTreeSet<String>,
}

impl Log {
    const fn new() -> Log {
        Log { open: [Vec::new(), Vec::new()], grows: None, dir: None, said: BTreeSet::new() }
    }

    fn feed(&mut self, stream: usize, bytes: &[u8]) -> Vec<String> {
        let Some(open) = self.open.get_mut(stream) else { return Vec::new() };
        open.extend_from_slice(bytes);
        let Some(end) = open.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let text = String::from_utf8_lossy(&open[..end]).into_owned();
        open.drain(..=end);
        text.lines().filter_map(|line| self.line(&plain(line))).collect()
    }

    /// The annotation that ends before this line.
    fn line(&mut self, line: &str) -> Option<String> {
        if let Some(grows) = &mut self.grows
            && continues(line)
        {
            grows.message = format!("{}\n{}", grows.message, line.trim());
            return None;
        }
        let done = self.grows.take();
        self.grows = parse(line, |path| {
            let inside = self.dir.as_ref().and_then(|(name, dir)| Some(dir.join(path.strip_prefix(name).ok()?)));
            inside.filter(|path| path.is_file()).or_else(|| path.is_file().then(|| path.to_path_buf()))
        });
        done.and_then(|one| self.first(&one))
    }

    fn end(&mut self) -> Vec<String> {
        let done = self.grows.take();
        done.and_then(|one| self.first(&one)).into_iter().collect()
    }

    /// Its line, unless it was said before.
    fn first(&mut self, one: &Annotation) -> Option<String> {
        let text = one.to_string();
        self.said.insert(text.clone()).then_some(text)
    }
}

/// What this program writes below an error.
fn continues(line: &str) -> bool {
    ["caused by: ", "hint: ", "fix: ", "Fix: "].iter().any(|start| line.trim_start().starts_with(start))
}

/// A line of a compiler (`file:line:column: error: …`), of gtest (`file:line: Failure`), of this program (`error: …`,
/// `warning: file:line: …`) or of its rules (`file:line: …`, where that file is there).
fn parse(line: &str, file: impl Fn(&Path) -> Option<PathBuf>) -> Option<Annotation> {
    const TITLE: &str = "hostcann";
    let (level, rest) = severity(line.trim_start());
    // About a file as a whole, where this program says so.
    let whole = || {
        let (name, rest) =
            rest.split_once(": ").filter(|(name, _)| level.is_some() && file(Path::new(name)).is_some())?;
        Some(((name.to_owned(), 0, None), rest))
    };
    let (place, rest) = match located(rest).or_else(whole) {
        Some((place, rest)) => (Some(place), rest),
        None => (None, rest),
    };
    let (inner, said) = severity(rest);
    let is_failure = place.is_some() && said == "Failure";
    let there = place.as_ref().and_then(|(name, ..)| file(Path::new(name)));
    let is_rule = there.is_some() && !line.starts_with(char::is_whitespace);
    let level = match level.or(inner) {
        Some(level) => level,
        None if is_failure || is_rule => Level::Error,
        None => return None,
    };
    let (title, said) = match is_failure {
        true => ("unit test", "a check of this line failed; the log has the values"),
        false => (TITLE, said),
    };
    (!said.is_empty()).then(|| Annotation {
        level,
        place: place.map(|(name, line, column)| {
            let path = there.unwrap_or_else(|| PathBuf::from(name));
            (Sources::here().relative(&path), line, column)
        }),
        title: title.to_owned(),
        message: said.to_owned(),
    })
}

/// The severity that a text begins with.
fn severity(text: &str) -> (Option<Level>, &str) {
    let levels = [("fatal error: ", Level::Error), ("error: ", Level::Error), ("warning: ", Level::Warning)];
    let found = levels.into_iter().find_map(|(word, level)| Some((level, text.strip_prefix(word)?)));
    found.map_or((None, text), |(level, rest)| (Some(level), rest))
}

/// `file:line: ` or `file:line:column: ` at the start.
fn located(text: &str) -> Option<(Place, &str)> {
    let (head, rest) = text.split_once(": ")?;
    let mut parts = head.split(':');
    let (file, line) = (parts.next()?, parts.next()?.parse().ok()?);
    let column = parts.next().map(str::parse).transpose().ok()?;
    let is_name = !file.is_empty() && !file.contains(['"', '`', '\'']) && parts.next().is_none();
    is_name.then(|| ((file.to_owned(), line, column), rest.trim()))
}

fn of_finding(one: &CheckFinding, find: impl Fn(&str) -> String) -> Annotation {
    let level = match one.more.get("severity").and_then(serde_json::Value::as_str) {
        Some("note") => Level::Notice,
        Some("rule") => Level::Warning,
        _ => Level::Error,
    };
    let place = one.place.as_ref().and_then(|place| {
        let (file, line) = place.rsplit_once(':')?;
        Some((find(file), line.parse().ok()?, None))
    });
    let operand = one.operand.as_ref().map(|operand| format!("operand {operand}: ")).unwrap_or_default();
    let mut lines = vec![format!("{}: {operand}{}", one.instruction, one.message.trim_end())];
    for (word, text) in [("expected", &one.expected), ("got", &one.got), ("fix:", &one.fix)] {
        lines.extend(text.as_ref().map(|text| format!("{word} {text}")));
    }
    // The kernels of an operator's data types have the same finding: once is enough.
    let op = one.more.get("op").and_then(serde_json::Value::as_str).unwrap_or(&one.kernel);
    Annotation { level, place, title: format!("{} in {op}", one.class), message: lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped() {
        let one = Annotation {
            level: Level::Error,
            place: Some(("a,b:c%.h".to_owned(), 7, Some(2))),
            title: "x: y,\nz".to_owned(),
            message: "100 %: a,\r\nb".to_owned(),
        };
        let want = "::error file=a%2Cb%3Ac%25.h,line=7,col=2,title=x%3A y%2C%0Az::100 %25: a,%0D%0Ab";
        assert_eq!(one.to_string(), want);
        let bare = Annotation { level: Level::Notice, place: None, ..one };
        assert_eq!(bare.to_string(), "::notice title=x%3A y%2C%0Az::100 %25: a,%0D%0Ab");
    }

    fn of(lines: &str) -> Vec<String> {
        let mut log = Log::new();
        // In pieces, as a program writes.
        let mut found: Vec<String> = lines.as_bytes().chunks(5).flat_map(|bytes| log.feed(0, bytes)).collect();
        found.extend(log.end());
        found
    }

    #[test]
    fn messages_with_a_place() {
        for (line, want) in [
            (
                "/x/k.cpp:7:1: \x1b[31merror: \x1b[mexpected ';'",
                "::error file=/x/k.cpp,line=7,col=1,title=hostcann::expected ';'",
            ),
            ("k.h:9: warning: unused", "::warning file=k.h,line=9,title=hostcann::unused"),
            (
                "k.h:9:3: fatal error: x.h: No such file",
                "::error file=k.h,line=9,col=3,title=hostcann::x.h: No such file",
            ),
            ("           warning: y.md:1: blanks", "::warning file=y.md,line=1,title=hostcann::blanks"),
            (
                "/x/t.cpp:12: Failure",
                "::error file=/x/t.cpp,line=12,title=unit test::a check of this line failed; the log has the values",
            ),
            ("error: 2 of 3 failed", "::error title=hostcann::2 of 3 failed"),
            ("src/lib.rs:1: a rule", "::error file=hostcann/cli/src/lib.rs,line=1,title=hostcann::a rule"),
        ] {
            assert_eq!(of(&format!("before\n{line}\nafter\n")), [want], "{line}");
        }
    }

    #[test]
    fn files_of_an_operator() {
        let temp = tempfile::tempdir().expect("a directory");
        crate::base::files::write_if_changed(&temp.path().join("README.md"), b"").expect("write");
        let mut log = Log::new();
        log.dir = Some(("experimental/math/x".into(), temp.path().to_path_buf()));
        log.line("error: experimental/math/x/README.md:3: no title");
        // Temporary files may lie in a work tree.
        let want = format!("file={},line=3,", Sources::here().relative(&temp.path().join("README.md")));
        assert!(log.end()[0].contains(&want), "{want}");
        log.line("warning: experimental/math/x/README.md: too short");
        assert!(log.end()[0].contains("/README.md,title=hostcann::too short"));
        // The current directory has others.
        log.line("error: src/lib.rs:3: no title");
        assert!(log.end()[0].contains("file=hostcann/cli/src/lib.rs,"));
    }

    #[test]
    fn other_lines_have_none() {
        let lines = "k.h:9:3: note: here\n  In file included from a.h:1:\nerror\nno error: here\n12:30: late\nk.h:9: x\n\
                     operand at k.h:9: error\n`k.h:9: x\nerror: \n";
        assert_eq!(of(lines), [""; 0]);
    }

    #[test]
    fn what_belongs_to_an_error_goes_with_it_once() {
        let lines = "error: a\n  caused by: b\nhint: c\nk.h:1: warning: d\n             fix: e\nerror: f\nk.h:1: warning: d\n fix: e\n";
        let want = [
            "::error title=hostcann::a%0Acaused by: b%0Ahint: c",
            "::warning file=k.h,line=1,title=hostcann::d%0Afix: e",
            "::error title=hostcann::f",
        ];
        assert_eq!(of(lines), want);
    }

    #[test]
    fn findings_of_the_checker() {
        let line = r#"{"class":"race","severity":"error","stops":true,"kernel":"Add_0","op":"Add","instruction":"Add","operand":"src0",
            "place":"op_kernel/a.h:65","message":"reads\n","expected":"an event","got":null,"fix":"set it"}"#;
        let mut one: CheckFinding = serde_json::from_str(line).expect("a finding");
        let told = |one: &CheckFinding| of_finding(one, |file| format!("math/add/{file}")).to_string();
        let rest = "file=math/add/op_kernel/a.h,line=65,title=race in Add::Add: operand src0: reads%0Aexpected an event%0Afix: set it";
        for (severity, level) in [("error", "error"), ("rule", "warning"), ("note", "notice")] {
            one.more.insert("severity".to_owned(), severity.into());
            assert_eq!(told(&one), format!("::{level} {rest}"));
        }
        one.place = None;
        assert!(told(&one).starts_with("::notice title=race in Add::"), "{}", told(&one));
    }
}

//! A time limit for a sub-tool that prints nothing: at its end the tool and everything it started are stopped.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often one looks for processes that a stopped one had just started.
const AGAIN: Duration = Duration::from_millis(100);
/// So often; what is left then no longer belongs to the tool, but may hold its output open.
const LOOKS: u32 = 10;

/// So long a program that is alone may say what it was doing: the host toolkit does on SIGABRT.
const LAST_WORDS: Duration = Duration::from_secs(3);

pub struct Watch {
    /// Counts from the last line of output: how long all of the work takes says nothing about a program that tells of it.
    limit: Option<Duration>,
    start: Instant,
    /// When the limit is over, or the next look at what is left.
    next: Option<Instant>,
    /// How often the processes were stopped.
    looks: u32,
    was_asked: bool,
}

impl Watch {
    pub fn new(limit: Option<Duration>) -> Watch {
        let start = Instant::now();
        let next = limit.and_then(|limit| start.checked_add(limit));
        Watch { limit, start, next, looks: 0, was_asked: false }
    }

    /// The program has printed a line.
    pub fn heard(&mut self) {
        if self.looks == 0 && !self.was_asked {
            self.next = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        }
    }

    /// How long the caller may wait before it calls `look`.
    pub fn patience(&self) -> Duration {
        self.next.map_or(Duration::MAX, |next| next.saturating_duration_since(Instant::now()))
    }

    pub fn look(&mut self, process: u32) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        let below = descendants(process, &parents());
        if below.is_empty() && !self.was_asked {
            self.was_asked = true;
            signal("ABRT", &[process]);
            self.next = Some(now + LAST_WORDS);
            return;
        }
        // From the top: what ends starts nothing more.
        signal("KILL", &[vec![process], below].concat());
        self.looks += 1;
        self.next = Some(now + AGAIN);
    }

    pub fn has_given_up(&self) -> bool {
        self.looks >= LOOKS
    }

    /// What stands in place of the exit status of a process that was stopped.
    pub fn verdict(&self) -> Option<String> {
        let limit = self.limit.filter(|_| self.looks > 0 || self.was_asked)?;
        let ran = self.start.elapsed().as_secs_f64();
        Some(format!("time limit of {} s without a line of output: stopped after {ran:.0} s", limit.as_secs()))
    }
}

fn signal(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(u32::to_string);
    // The shell's own `kill` is there wherever a shell is. A process that has ended meanwhile is no error.
    let script = format!("for process; do kill -{name} \"$process\"; done");
    let _ =
        Command::new("sh").args(["-c", &script, "sh"]).args(ids).stdin(Stdio::null()).stderr(Stdio::null()).status();
}

/// Process to parent, for all of this machine.
fn parents() -> BTreeMap<u32, u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| Some((id, parent(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?))).collect()
}

/// proc(5): `pid (name) state ppid …`; the name may hold blanks and brackets.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// A parent in front of its children.
fn descendants(process: u32, parents: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut found = Vec::new();
    for (&id, _) in parents.iter().filter(|(_, parent)| **parent == process) {
        found.push(id);
        found.extend(descendants(id, parents));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_child() {
        assert_eq!(parent("17 (a) b) S 4 17 17 0"), Some(4));
        assert_eq!(parent(""), None);
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 2), (5, 4), (9, 8)]);
        assert_eq!(descendants(2, &parents), [3, 4, 5]);
    }

    #[test]
    fn a_grandchild_that_sleeps_is_stopped_too() {
        let mut child = Command::new("sh").args(["-c", "sleep 100 & sleep 100; true"]).spawn().expect("sh");
        let mut watch = Watch::new(Some(Duration::from_millis(300)));
        assert_eq!(watch.verdict(), None);
        let two = loop {
            let found = descendants(child.id(), &parents());
            if found.len() == 2 {
                break found;
            }
        };
        while watch.verdict().is_none() {
            std::thread::sleep(watch.patience());
            watch.look(child.id());
        }
        assert!(!child.wait().expect("it ended").success());
        let verdict = watch.verdict().expect("a verdict");
        assert!(verdict.starts_with("time limit of 0 s without a line of output: stopped after "), "{verdict}");
        let end = Instant::now() + Duration::from_secs(5);
        // A process that nobody has waited for yet is still listed, as a zombie.
        let alive = |id: &u32| fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        while two.iter().any(alive) {
            assert!(Instant::now() < end, "a grandchild lives");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_program_may_say_what_it_was_doing() {
        let script = "trap 'echo last words; exit 1' ABRT; while :; do :; done";
        let child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().expect("sh");
        let mut watch = Watch::new(Some(Duration::from_millis(300)));
        while watch.verdict().is_none() {
            std::thread::sleep(watch.patience());
            watch.look(child.id());
        }
        let output = child.wait_with_output().expect("it ended");
        assert_eq!((output.status.code(), output.stdout), (Some(1), b"last words\n".to_vec()));
    }

    #[test]
    fn a_line_of_output_gives_more_time() {
        let mut watch = Watch::new(Some(Duration::from_secs(5)));
        let (before, wait) = (watch.next.expect("a limit"), Duration::from_millis(5));
        std::thread::sleep(wait);
        watch.heard();
        assert!(watch.next >= Some(before + wait));
        // Last words are not the tests' progress.
        watch.was_asked = true;
        let last = watch.next;
        std::thread::sleep(wait);
        watch.heard();
        assert_eq!(watch.next, last);
        let verdict = watch.verdict().expect("a verdict");
        assert!(verdict.starts_with("time limit of 5 s without a line of output: stopped after "), "{verdict}");
    }

    #[test]
    fn no_limit_no_end() {
        let mut watch = Watch::new(None);
        assert_eq!(watch.patience(), Duration::MAX);
        watch.look(u32::MAX);
        assert_eq!(watch.verdict(), None);
    }
}

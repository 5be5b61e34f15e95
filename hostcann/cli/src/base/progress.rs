//! What a long step shows while it runs: a line that is drawn over on a terminal, a plain line now and then elsewhere.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::base::cargo_bar::Bar;
use crate::base::gauge::Gauge;
use crate::base::plural::number;
use crate::base::term::{self, Colour, Stream};

/// A file that the kernel compiler writes "done/all" to: ninja holds back what a running command prints.
pub const FILE: &str = "XTASK_PROGRESS";

/// For the step that runs this process; it does without when the file cannot be written.
pub fn report(done: usize, all: usize) {
    if let Some(path) = std::env::var_os(FILE) {
        let _ = fs::write(path, format!("{done}/{all}"));
    }
}

/// Short steps show nothing.
const FIRST: Duration = Duration::from_millis(700);
const REDRAW: Duration = Duration::from_millis(250);
const PLAIN: Duration = Duration::from_secs(30);
/// What is measured moves.
const PLAIN_MEASURED: Duration = Duration::from_secs(10);

pub struct Progress {
    start: Instant,
    next: Duration,
    redraws: bool,
    drawn: bool,
    seen: Seen,
    gauge: Option<Gauge>,
    kernels: PathBuf,
}

impl Progress {
    pub fn new(step: &str, kernels: PathBuf) -> Progress {
        let _ = fs::remove_file(&kernels);
        let redraws = term::can_redraw();
        let next = if redraws { FIRST } else { PLAIN };
        Progress { start: Instant::now(), next, redraws, drawn: false, seen: Seen::new(step), gauge: None, kernels }
    }

    pub fn measure(&mut self, gauge: Gauge) {
        self.gauge = Some(gauge);
        self.next = self.next.min(self.pause());
    }

    fn pause(&self) -> Duration {
        match (self.redraws, &self.gauge) {
            (true, _) => REDRAW,
            (false, None) => PLAIN,
            (false, Some(_)) => PLAIN_MEASURED,
        }
    }

    pub fn feed(&mut self, line: &str) {
        self.seen.feed(line);
        if let Some(downloaded) = self.gauge.as_mut().and_then(|gauge| gauge.feed(line)) {
            self.clear();
            term::say("Downloaded", &format!("{downloaded} in {} s", self.start.elapsed().as_secs()));
        }
    }

    pub fn bar(&mut self, bar: Bar) {
        self.seen.bar(bar);
    }

    /// How long the caller may wait before it calls `tick`.
    pub fn patience(&self) -> Duration {
        self.next.saturating_sub(self.start.elapsed()).max(Duration::from_millis(20))
    }

    /// `silent`: the step shows nothing that a line of ours could get into.
    pub fn tick(&mut self, silent: bool) {
        let elapsed = self.start.elapsed();
        if elapsed < self.next {
            return;
        }
        if !silent || term::quiet() {
            self.next = Duration::MAX;
            return;
        }
        self.next = elapsed + self.pause();
        self.seen.measured = self.gauge.as_mut().map(Gauge::text).unwrap_or_default();
        let kernels = fs::read_to_string(&self.kernels).unwrap_or_default();
        let text = self.seen.text(elapsed, kernels.trim());
        let head = term::paint(Colour::Cyan, &format!("{:>12}", "Running"));
        if self.redraws {
            // Without wrapping, a long line stays one line.
            term::write(Stream::Err, format!("\r\x1b[K\x1b[?7l{head} {text}\x1b[?7h").as_bytes());
            self.drawn = true;
        } else {
            term::write(Stream::Err, format!("{head} {text}\n").as_bytes());
        }
    }

    /// Makes room for other lines.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            term::write(Stream::Err, b"\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
        let _ = fs::remove_file(&self.kernels);
    }
}

/// What the output of cmake, ninja, cargo and test programs tells about how far they are.
#[derive(Debug, Default)]
struct Seen {
    step: String,
    /// Of ninja, and of cargo's bar.
    count: String,
    /// Without a bar.
    crates: u64,
    tests: u64,
    /// What has ended last.
    last: String,
    /// What runs.
    units: String,
    has_bar: bool,
    /// What a gauge tells.
    measured: String,
}

impl Seen {
    fn new(step: &str) -> Seen {
        Seen { step: step.to_owned(), ..Seen::default() }
    }

    fn feed(&mut self, line: &str) {
        if let Some((count, rest)) = ninja_status(line) {
            self.count = count.to_owned();
            self.last = rest.to_owned();
        } else if let Some(rest) = line.trim_start().strip_prefix("Compiling ") {
            // It has only begun, and others may run next to it: a bar has all of them.
            if !self.has_bar {
                self.crates += 1;
                self.units = rest.split(" (").next().unwrap_or(rest).to_owned();
            }
        } else if line.starts_with("test ") && line.contains(" ... ") || line.starts_with("[       OK ]") {
            self.tests += 1;
        }
    }

    fn bar(&mut self, bar: Bar) {
        (self.crates, self.has_bar) = (0, true);
        (self.count, self.units) = (bar.count, bar.units);
    }

    fn text(&self, elapsed: Duration, kernels: &str) -> String {
        let mut text = self.step.clone();
        if !self.count.is_empty() {
            text.push_str(&format!(" {}", self.count));
        }
        if !self.measured.is_empty() {
            text.push_str(&format!(" {}", self.measured));
        }
        for (count, what) in [(self.crates, "crate"), (self.tests, "test")] {
            if count > 0 {
                text.push_str(&format!(", {}", number(count, what)));
            }
        }
        if !kernels.is_empty() {
            text.push_str(&format!(", kernels {kernels}"));
        }
        text.push_str(&format!(", {} s", elapsed.as_secs()));
        if !self.last.is_empty() {
            text.push_str(&format!("; last {}", self.last));
        }
        if !self.units.is_empty() {
            text.push_str(&format!(": {}", self.units));
        }
        text
    }
}

/// `[3/40] Building …` as count and rest.
pub fn ninja_status(line: &str) -> Option<(&str, &str)> {
    let (count, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (done, all) = count.split_once('/')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(done) && digits(all)).then_some((count, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_build_is() {
        let mut seen = Seen::new("ops");
        assert_eq!(seen.text(Duration::from_secs(3), ""), "ops, 3 s");
        seen.feed("[3/40] Building CXX object a.o");
        seen.feed("/x/a.cpp:3:1: warning: [1/2] no status");
        let told = "ops 3/40, kernels 7/35, 65 s; last Building CXX object a.o";
        assert_eq!(seen.text(Duration::from_secs(65), "7/35"), told);
        assert_eq!(ninja_status("[x/4] y"), None);
        assert_eq!(ninja_status("[1/4]"), None);
    }

    #[test]
    fn how_far_cargo_is() {
        let mut seen = Seen::new("cargo-test");
        for line in ["   Compiling libc v0.2.1", "   Compiling xtask v0.1.0 (/some/where)", "test a::b ... ok"] {
            seen.feed(line);
        }
        assert_eq!(seen.text(Duration::ZERO, ""), "cargo-test, 2 crates, 1 test, 0 s: xtask v0.1.0");
        // The crate that began last need not be the one that takes long.
        seen.bar(Bar { count: "47/49".into(), units: "hostcann-aicore".into() });
        seen.feed("   Compiling other v0.1.0");
        assert_eq!(seen.text(Duration::ZERO, ""), "cargo-test 47/49, 1 test, 0 s: hostcann-aicore");
    }
}

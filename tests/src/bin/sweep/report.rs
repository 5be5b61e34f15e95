//! Progress for people on stderr, the result as JSON.

use std::env;
use std::ffi::CStr;
use std::fs;
use std::io::IsTerminal;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fmod_tests::golden::Mode;
use fmod_tests::{DynType, Runtime};
use serde_json::{Map, Value, json};

use crate::class::{Class, Form, Shard};

/// Pairs of one kind within a class.
pub struct Part {
    pub name: &'static str,
    pub pairs: u64,
    pub mismatches: u64,
}

/// A pair that the operator got wrong, in bits.
pub struct Example {
    pub part: &'static str,
    pub block: u64,
    pub x: u32,
    pub y: u32,
    pub got: u32,
    pub want: u32,
}

/// What the sweep of a class found.
pub struct Found {
    pub parts: Vec<Part>,
    pub examples: Vec<Example>,
    pub seconds: f64,
}

impl Found {
    pub fn pairs(&self) -> u64 {
        self.parts.iter().map(|part| part.pairs).sum()
    }

    pub fn mismatches(&self) -> u64 {
        self.parts.iter().map(|part| part.mismatches).sum()
    }
}

impl Example {
    pub fn text(&self, dtype: DynType) -> String {
        let show = |bits: u32| format!("{} ({bits:#0width$x})", decimal(dtype, bits), width = 2 + 2 * dtype.bytes());
        let [x, y, got, want] = [self.x, self.y, self.got, self.want].map(show);
        format!("fmod({x}, {y}) gave {got}, expected {want}; {}, block {}", self.part, self.block)
    }
}

fn decimal(dtype: DynType, bits: u32) -> String {
    match dtype {
        DynType::F32 => format!("{:e}", f32::from_bits(bits)),
        DynType::F16 => format!("{:e}", half::f16::from_bits(bits as u16).to_f32()),
        DynType::BF16 => format!("{:e}", f32::from_bits(bits << 16)),
        DynType::I8 => (bits as i8).to_string(),
        DynType::I16 => (bits as i16).to_string(),
        DynType::I32 => (bits as i32).to_string(),
        _ => bits.to_string(),
    }
}

/// One line that is rewritten on a terminal, and a line now and then elsewhere.
pub struct Progress {
    name: &'static str,
    blocks: u64,
    block_pairs: u64,
    start: Instant,
    last: Instant,
    terminal: bool,
}

impl Progress {
    pub fn new(name: &'static str, blocks: u64, block_pairs: u64) -> Progress {
        let now = Instant::now();
        Progress { name, blocks, block_pairs, start: now, last: now, terminal: std::io::stderr().is_terminal() }
    }

    pub fn show(&mut self, done: u64) {
        let pause = if self.terminal { Duration::from_millis(500) } else { Duration::from_secs(10) };
        if self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        let line = self.line(done, self.start.elapsed().as_secs_f64());
        if self.terminal { eprint!("\r{line}  ") } else { eprintln!("{line}") }
    }

    pub fn end(&self, done: u64) {
        let line = self.line(done, self.start.elapsed().as_secs_f64());
        eprintln!("{}{line}  ", if self.terminal { "\r" } else { "" });
    }

    fn line(&self, done: u64, seconds: f64) -> String {
        let share = if self.blocks == 0 { 1.0 } else { done as f64 / self.blocks as f64 };
        let rate = (done * self.block_pairs) as f64 / seconds.max(1e-9) / 1e6;
        let rest = match done {
            0 => "unknown".to_owned(),
            _ => clock(seconds * (self.blocks - done) as f64 / done as f64),
        };
        let (name, percent, spent) = (self.name, 100.0 * share, clock(seconds));
        format!("{name:<18} {percent:5.1} %  {rate:7.1} M pairs/s  {spent}  ETA {rest}")
    }
}

fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The whole result; `classes` in the order of the sweep.
pub fn document(shard: Shard, workers: usize, runtime: &Runtime, seconds: f64, classes: &[(Class, Found)]) -> Value {
    let entries: Vec<Value> = classes.iter().map(|(class, found)| entry(class, found)).collect();
    json!({
        "schema": 1,
        "shard": format!("{}/{}", shard.index, shard.count),
        "date": utc(SystemTime::now()),
        "machine": { "cpu": cpu(), "cores": cores(), "workers": workers },
        "soc": soc(runtime),
        "switches": switches(),
        "pairs": classes.iter().map(|(_, found)| found.pairs()).sum::<u64>(),
        "mismatches": classes.iter().map(|(_, found)| found.mismatches()).sum::<u64>(),
        "seconds": round(seconds),
        "classes": entries,
    })
}

fn entry(class: &Class, found: &Found) -> Value {
    let parts = found.parts.iter();
    json!({
        "name": class.name,
        "api": if class.form == Form::Tensor { "tensor" } else { "scalar" },
        "mode": if class.mode == Mode::Tbe { "tbe" } else { "exact" },
        "all_pairs": class.is_exhaustive(),
        "pairs": found.pairs(),
        "mismatches": found.mismatches(),
        "seconds": round(found.seconds),
        "parts": parts
            .map(|part| json!({"name": part.name, "pairs": part.pairs, "mismatches": part.mismatches}))
            .collect::<Vec<_>>(),
        "examples": found.examples.iter().map(|example| example.text(class.dtype)).collect::<Vec<_>>(),
    })
}

fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    value("model name").or_else(|| value("CPU part")).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn soc(runtime: &Runtime) -> String {
    // SAFETY: no arguments; the name is a constant of the library.
    let name = unsafe { runtime.api().aclrtGetSocName() };
    if name.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: not null, documented as a C string.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// The `HOSTCANN_…` variables that are set; without them the SoC file decides.
fn switches() -> Map<String, Value> {
    let mut set: Vec<_> = env::vars().filter(|(name, _)| name.starts_with("HOSTCANN_")).collect();
    set.sort();
    set.into_iter().map(|(name, value)| (name, Value::String(value))).collect()
}

/// ISO 8601; the calendar by days since 1970-01-01 in eras of 400 years that begin on 1 March.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_767_225_599), "2025-12-31T23:59:59Z");
    }

    #[test]
    fn examples_show_value_and_bits() {
        let example = Example { part: "all pairs", block: 3, x: 0x4580, y: 0x3c66, got: 0, want: 0x1800 };
        let text = example.text(DynType::F16);
        assert!(text.starts_with("fmod(5.5e0 (0x4580), 1.0996094e0 (0x3c66)) gave 0e0 (0x0000), expected"), "{text}");
    }

    #[test]
    fn progress_line() {
        let progress = Progress::new("i16", 4, 1_000_000);
        assert_eq!(progress.line(1, 2.0), "i16                 25.0 %      0.5 M pairs/s  00:00:02  ETA 00:00:06");
        assert!(progress.line(0, 2.0).ends_with("ETA unknown"));
    }
}

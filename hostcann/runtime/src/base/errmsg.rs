//! Messages of failed calls: kept per thread (or per process, `err_msg_mode` of the aclInit configuration) until
//! `aclGetRecentErrMsg` reads them. Text layout: runtime docs, "Error reporting APIs".

use crate::base::locks::lock;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::CString;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program that never reads its messages keeps only the newest ones.
const KEPT: usize = 64;

#[derive(Clone)]
struct Entry {
    code: String,
    message: String,
    time: String,
}

thread_local! {
    static ENTRIES: RefCell<VecDeque<Entry>> = const { RefCell::new(VecDeque::new()) };
    static LAST_ERROR: Cell<i32> = const { Cell::new(0) };
}
static PROCESS_ENTRIES: Mutex<VecDeque<Entry>> = Mutex::new(VecDeque::new());
static PROCESS_LEVEL: AtomicBool = AtomicBool::new(false);

pub fn set_process_level(on: bool) {
    PROCESS_LEVEL.store(on, Ordering::Relaxed);
}

fn with_entries<T>(f: impl FnOnce(&mut VecDeque<Entry>) -> T) -> T {
    if PROCESS_LEVEL.load(Ordering::Relaxed) {
        f(&mut lock(&PROCESS_ENTRIES))
    } else {
        ENTRIES.with(|e| f(&mut e.borrow_mut()))
    }
}

pub fn report(code: &str, message: &str) {
    let entry = Entry { code: code.to_owned(), message: message.to_owned(), time: timestamp() };
    with_entries(|entries| {
        entries.push_front(entry);
        entries.truncate(KEPT);
    });
}

/// The messages, newest first, and forgets them; None when there are none.
pub fn take() -> Option<String> {
    let entries = with_entries(std::mem::take);
    let newest = entries.front()?;
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "[PID: {}] {} {}({}): {}",
        std::process::id(),
        newest.time,
        title(&newest.code),
        newest.code,
        newest.message
    );
    if entries.len() > 1 {
        text.push_str("\n        TraceBack (most recent call last):");
        for entry in entries.iter().skip(1) {
            let _ = write!(text, "\n        {}({}): {}", title(&entry.code), entry.code, entry.message);
        }
    }
    text.push('\n');
    Some(text)
}

fn title(code: &str) -> &'static str {
    match code {
        "EZ1001" => "AclNN_Parameter_Error",
        "EZ1009" => "AclNN_Execution_Error",
        "EZ9903" => "AclNN_Runtime_Error",
        "EZ9999" => "AclNN_Inner_Error",
        _ if code.starts_with("EZ") => "AclNN_Error",
        "EH0001" => "Invalid_Argument_Value",
        "EH0002" => "Null_Pointer",
        "EE1001" => "Runtime_Parameter_Error",
        _ => "Runtime_Error",
    }
}

fn timestamp() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seconds = now.as_secs() as libc::time_t;
    // SAFETY: tm is plain data for which all-zero bytes are valid, and localtime_r writes only to it.
    let tm = unsafe {
        let mut tm: libc::tm = std::mem::zeroed();
        libc::localtime_r(&seconds, &mut tm);
        tm
    };
    format!(
        "{:04}-{:02}-{:02}-{:02}:{:02}:{:02}.{:03}.{:03}",
        tm.tm_year + 1900,
        tm.tm_mon + 1,
        tm.tm_mday,
        tm.tm_hour,
        tm.tm_min,
        tm.tm_sec,
        now.subsec_millis(),
        now.subsec_micros() % 1000
    )
}

pub fn last_error() -> i32 {
    LAST_ERROR.get()
}

/// Returns the one before.
pub fn set_last_error(code: i32) -> i32 {
    LAST_ERROR.replace(code)
}

/// Text without interior NUL bytes, which would end it early for a C caller.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_first_and_read_once() {
        assert_eq!(take(), None);
        report("EZ1001", "first");
        report("EZ9999", "second");
        let text = take().unwrap();
        let head = text.lines().next().unwrap();
        assert!(head.starts_with(&format!("[PID: {}] ", std::process::id())), "{head}");
        assert!(head.ends_with("AclNN_Inner_Error(EZ9999): second"), "{head}");
        assert!(
            text.ends_with(
                "\n        TraceBack (most recent call last):\n        AclNN_Parameter_Error(EZ1001): first\n"
            )
        );
        assert_eq!(take(), None);
    }

    #[test]
    fn other_threads_see_nothing() {
        report("EZ1001", "mine");
        std::thread::spawn(|| assert_eq!(take(), None)).join().unwrap();
        assert!(take().unwrap().contains("mine"));
    }

    #[test]
    fn keeps_only_the_newest() {
        for i in 0..KEPT + 10 {
            report("EZ1001", &format!("message {i}."));
        }
        let text = take().unwrap();
        assert!(text.contains(&format!("message {}.", KEPT + 9)));
        assert!(text.contains("message 10."));
        assert!(!text.contains("message 9."));
    }
}

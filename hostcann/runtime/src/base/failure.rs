//! One error type for the whole library: a status code, the report code of the message list, and the text.

pub use crate::base::codes;
pub use crate::base::locks::lock;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: i32,
    pub report: &'static str,
    pub message: String,
    /// Whether the log has it already: a failed task is told when it fails, and returned by a later call.
    pub is_logged: bool,
    /// Of a task after which the program goes on (`HOSTCANN_STOP_ON_FAILURE=off`): it does not stay the last error, which
    /// torch_npu gives as the code of whatever fails next.
    pub is_past: bool,
    /// "No" to a caller's question, no fault: only the code is given. In the log and the list of messages it would stand in
    /// front of the faults of programs that probe, as torch_npu does.
    pub is_answer: bool,
}

pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(code: i32, message: impl Into<String>) -> Failure {
        let report = match code {
            100_000..=106_999 => "EH0001",
            107_000..=107_999 => "EE1001",
            161_000..=161_999 => "EZ1001",
            361_000..=361_999 => "EZ9903",
            561_000..=561_999 => "EZ9999",
            _ => "EE9999",
        };
        Failure { code, report, message: message.into(), is_logged: false, is_past: false, is_answer: false }
    }

    /// A required pointer of an acl function is null.
    pub fn null(function: &str, parameter: &str) -> Failure {
        Failure {
            code: codes::INVALID_PARAM,
            report: "EH0002",
            message: format!("{function}: {parameter} is a null pointer, pass a valid address"),
            is_logged: false,
            is_past: false,
            is_answer: false,
        }
    }

    pub fn answer(mut self) -> Failure {
        self.is_answer = true;
        self
    }

    pub fn with_report(mut self, report: &'static str) -> Failure {
        self.report = report;
        self
    }

    /// Logs, adds the text to the calling thread's message list and returns the status code.
    pub fn raise(&self) -> i32 {
        if self.is_answer {
            crate::base::log::write(crate::base::log::Level::Info, "ACL", &format!("[{}] {}", self.code, self.message));
            return self.code;
        }
        crate::base::verdict::append_inner(self.code, &self.message);
        if !self.is_logged {
            crate::base::log::write(
                crate::base::log::Level::Error,
                "ACL",
                &format!("[{}] {}", self.code, self.message),
            );
        }
        crate::base::errmsg::report(self.report, &self.message);
        if is_of_runtime(self.code) && !self.is_past {
            crate::base::errmsg::set_last_error(self.code);
        }
        self.code
    }
}

/// The thread's last error is the runtime's own: checks that the acl layer and aclnn make before they call it leave it. So
/// does what the host toolkit does not have: torch_npu takes a last error of 207000 for the code of every later failure, and
/// only warns.
fn is_of_runtime(code: i32) -> bool {
    matches!(code, 107_000..108_000 | 207_000..208_000 | 507_000..508_000) && code != codes::RT_FEATURE_NOT_SUPPORT
}

/// Runs the body of an API function and turns its outcome into a status code.
pub fn status(outcome: Outcome) -> i32 {
    match outcome {
        Ok(()) => codes::SUCCESS,
        Err(failure) => failure.raise(),
    }
}

/// # Safety
/// `out` is null or writable.
pub(crate) unsafe fn put<T>(function: &str, parameter: &str, out: *mut T, value: impl FnOnce() -> Outcome<T>) -> i32 {
    if out.is_null() {
        return Failure::null(function, parameter).raise();
    }
    status(value().map(|v| {
        // SAFETY: checked for null, writable by contract.
        unsafe { out.write(v) }
    }))
}

macro_rules! fail {
    ($code:ident, $($text:tt)+) => {
        return Err($crate::base::failure::Failure::new($crate::base::codes::$code, format!($($text)+)))
    };
}

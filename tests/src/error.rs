//! One error type for everything a call can answer.

use std::fmt;

pub use hostcann_types::status::name as status_name;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed call: which, with what status, and what the library said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The C function, or the Rust function that refused before any C call.
    pub call: &'static str,
    /// `None` when the refusal came from Rust and no C function was called.
    pub code: Option<i32>,
    pub name: Option<&'static str>,
    /// Text of `aclGetRecentErrMsg`, or our own.
    pub message: String,
}

impl Error {
    /// A refusal before any C call.
    pub fn refused(call: &'static str, message: impl Into<String>) -> Error {
        Error { call, code: None, name: None, message: message.into() }
    }

    /// A status that is not success. `message` is what `aclGetRecentErrMsg` returned.
    pub fn status(call: &'static str, code: i32, message: Option<String>) -> Error {
        let message = message.unwrap_or_else(|| "no further message from the library".to_owned());
        Error { call, code: Some(code), name: status_name(code), message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.code, self.name) {
            (Some(code), Some(name)) => {
                write!(f, "{} failed: {code} {name}: {}", self.call, self.message)
            }
            (Some(code), None) => write!(f, "{} failed: {code}: {}", self.call, self.message),
            (None, _) => write!(f, "{}: {}", self.call, self.message),
        }
    }
}

impl std::error::Error for Error {}

/// CRLF and indentation of `aclGetRecentErrMsg` texts made plain.
pub(crate) fn normalise(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_call_code_and_text() {
        let error = Error::status("aclnnFmodTensorGetWorkspaceSize", 161002, Some("self is DOUBLE".into()));
        assert_eq!(
            error.to_string(),
            "aclnnFmodTensorGetWorkspaceSize failed: 161002 ACLNN_ERR_PARAM_INVALID: self is DOUBLE"
        );
        assert_eq!(
            Error::status("aclrtFree", 5, None).to_string(),
            "aclrtFree failed: 5: no further message from the library"
        );
        assert_eq!(Error::refused("Tensor::new", "too long").to_string(), "Tensor::new: too long");
    }

    #[test]
    fn messages_lose_carriage_returns() {
        assert_eq!(normalise("EH0002: x. \r\n        Solution: y\r\n\r\n"), "EH0002: x.\nSolution: y");
    }
}

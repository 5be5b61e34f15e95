//! One error type for everything a call can answer.

use std::fmt;

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

/// Name of a status code of acl (`acl_base.h`, `rt_error_codes.h`) or aclnn (`opdev/op_errno.h`); the ranges do not overlap.
pub fn status_name(code: i32) -> Option<&'static str> {
    let (_, name) = NAMES.iter().find(|(known, _)| *known == code)?;
    Some(name)
}

/// The aclnn codes are macros of a header that applications do not see, hence a list and not bindings.
const NAMES: &[(i32, &str)] = &[
    (0, "ACL_SUCCESS"),
    (100000, "ACL_ERROR_INVALID_PARAM"),
    (100001, "ACL_ERROR_UNINITIALIZE"),
    (100002, "ACL_ERROR_REPEAT_INITIALIZE"),
    (100003, "ACL_ERROR_INVALID_FILE"),
    (100024, "ACL_ERROR_OP_NOT_FOUND"),
    (100026, "ACL_ERROR_UNSUPPORTED_DATA_TYPE"),
    (100029, "ACL_ERROR_KERNEL_NOT_FOUND"),
    (100037, "ACL_ERROR_REPEAT_FINALIZE"),
    (100039, "ACL_ERROR_COMPILING_STUB_MODE"),
    (107000, "ACL_ERROR_RT_PARAM_INVALID"),
    (107001, "ACL_ERROR_RT_INVALID_DEVICEID"),
    (107002, "ACL_ERROR_RT_CONTEXT_NULL"),
    (107003, "ACL_ERROR_RT_STREAM_CONTEXT"),
    (107006, "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID"),
    (107007, "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL"),
    (107017, "ACL_ERROR_RT_INVALID_HANDLE"),
    (107018, "ACL_ERROR_RT_INVALID_MALLOC_TYPE"),
    (107019, "ACL_ERROR_RT_WAIT_TIMEOUT"),
    (148049, "ACL_ERROR_INVALID_OPP_PATH"),
    (161001, "ACLNN_ERR_PARAM_NULLPTR"),
    (161002, "ACLNN_ERR_PARAM_INVALID"),
    (200000, "ACL_ERROR_BAD_ALLOC"),
    (200001, "ACL_ERROR_API_NOT_SUPPORT"),
    (200002, "ACL_ERROR_INVALID_DEVICE"),
    (200003, "ACL_ERROR_MEMORY_ADDRESS_UNALIGNED"),
    (200005, "ACL_ERROR_INVALID_RESOURCE_HANDLE"),
    (207000, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"),
    (207001, "ACL_ERROR_RT_MEMORY_ALLOCATION"),
    (207002, "ACL_ERROR_RT_MEMORY_FREE"),
    (207018, "ACL_ERROR_RT_DEVICE_OOM"),
    (361001, "ACLNN_ERR_RUNTIME_ERROR"),
    (500000, "ACL_ERROR_INTERNAL_ERROR"),
    (500001, "ACL_ERROR_FAILURE"),
    (507000, "ACL_ERROR_RT_INTERNAL_ERROR"),
    (507015, "ACL_ERROR_RT_AICORE_EXCEPTION"),
    (507034, "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT"),
    (507035, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION"),
    (507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"),
    (507047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT"),
    (561000, "ACLNN_ERR_INNER"),
    (561001, "ACLNN_ERR_INNER_INFERSHAPE_ERROR"),
    (561002, "ACLNN_ERR_INNER_TILING_ERROR"),
    (561003, "ACLNN_ERR_INNER_FIND_KERNEL_ERROR"),
    (561101, "ACLNN_ERR_INNER_CREATE_EXECUTOR"),
    (561102, "ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR"),
    (561103, "ACLNN_ERR_INNER_NULLPTR"),
    (561107, "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND"),
    (561108, "ACLNN_ERR_INNER_LOAD_JSON_FAILED"),
    (561109, "ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND"),
    (561110, "ACLNN_ERR_INNER_JSON_FORMAT_INVALID"),
    (561111, "ACLNN_ERR_INNER_JSON_DTYPE_INVALID"),
    (561112, "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND"),
];

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

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

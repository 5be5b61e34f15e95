//! Status codes of `acl/acl_base_rt.h`, `acl/error_codes/rt_error_codes.h` and `aclnn/opdev/op_errno.h`.

pub const SUCCESS: i32 = 0;
pub const INVALID_PARAM: i32 = 100000;
pub const REPEAT_INITIALIZE: i32 = 100002;
pub const INVALID_FILE: i32 = 100003;
pub const PARSE_FILE: i32 = 100006;
pub const REPEAT_FINALIZE: i32 = 100037;

pub const RT_PARAM_INVALID: i32 = 107000;
pub const RT_INVALID_DEVICEID: i32 = 107001;
pub const RT_CONTEXT_NULL: i32 = 107002;
pub const RT_EVENT_TIMESTAMP_INVALID: i32 = 107006;
pub const RT_EVENT_TIMESTAMP_REVERSAL: i32 = 107007;
pub const RT_INVALID_HANDLE: i32 = 107017;
pub const RT_SYSPARAMOPT_NOT_SET: i32 = 107021;
pub const RT_FEATURE_NOT_SUPPORT: i32 = 207000;
pub const RT_MEMORY_ALLOCATION: i32 = 207001;
pub const RT_NO_EVENT_RESOURCE: i32 = 207007;
pub const RT_NO_STREAM_RESOURCE: i32 = 207008;
pub const RT_INTERNAL_ERROR: i32 = 507000;
pub const RT_VECTOR_CORE_EXCEPTION: i32 = 507035;
pub const RT_STREAM_SYNC_TIMEOUT: i32 = 507046;
pub const RT_EVENT_SYNC_TIMEOUT: i32 = 507047;

pub const NN_PARAM_NULLPTR: i32 = 161001;
pub const NN_PARAM_INVALID: i32 = 161002;
pub const NN_RUNTIME_ERROR: i32 = 361001;
pub const NN_INNER: i32 = 561000;
pub const NN_TILING: i32 = 561002;
pub const NN_FIND_KERNEL: i32 = 561003;
pub const NN_NULLPTR: i32 = 561103;
pub const NN_OPP_PATH_NOT_FOUND: i32 = 561107;
pub const NN_LOAD_JSON_FAILED: i32 = 561108;
pub const NN_JSON_VALUE_NOT_FOUND: i32 = 561109;
pub const NN_JSON_FORMAT_INVALID: i32 = 561110;
pub const NN_JSON_DTYPE_INVALID: i32 = 561111;
pub const NN_KERNEL_PKG_NOT_FOUND: i32 = 561112;
pub const NN_OP_FILE_INVALID: i32 = 561113;

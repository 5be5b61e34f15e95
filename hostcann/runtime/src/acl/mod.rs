//! The functions of acl that programs call, a file per chapter of its reference; `hc_observe` and `hc_stats_*` next to
//! them.

pub mod data_type;
pub mod device;
pub mod device_info;
pub mod device_mode;
pub mod error;
pub mod event;
pub mod init;
pub mod kernel_binary;
pub mod memcpy;
pub mod memory;
pub mod objects;
pub mod observe;
pub mod op_attr;
pub mod single_op;
pub mod single_op_call;
pub mod stats;
pub mod stream;
pub mod sys_param;
pub mod tensor_desc;
pub mod unsupported;
pub mod version;

//! The toolkit root, pinned tools, environments, and what a run works on.

pub mod aclnn_headers;
pub mod around;
pub mod clang_format;
pub mod doctor;
pub mod evidence;
pub mod finished;
pub mod form;
pub mod forwards;
pub mod installed;
pub mod npu;
pub mod part;
pub mod plan;
pub mod platform_ini;
pub mod record;
pub mod root;
pub mod runfile;
pub mod select;
pub mod setup;
pub mod socs;
pub mod tools;
pub mod upstream;
pub mod venv;
pub mod wheels;

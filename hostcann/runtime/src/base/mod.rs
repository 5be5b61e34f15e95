//! What every room uses: codes and types, failures and their reports, the environment and the SoC file, the structures
//! of the C ABI.

#[macro_use]
pub mod failure;
#[macro_use]
pub mod fork;

pub mod cast;
pub mod dtype;
pub mod env;
pub mod errmsg;
pub mod findings;
pub mod handle;
pub mod host_abi;
pub mod locks;
pub mod log;
pub(crate) mod sim_words;
pub mod soc;
pub(crate) mod verdict;

pub use hostcann_types::status as codes;

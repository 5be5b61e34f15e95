//! Instructions: the records of the C ABI decoded into types with named operands, and the shapes of their bytes.

pub(crate) mod copy_units;
pub(crate) mod decode;
pub(crate) mod head;
pub(crate) mod shape;
pub(crate) mod ub;
pub mod vector;

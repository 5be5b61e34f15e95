//! Which instructions a node becomes, as data: `steps` is what a kernel does, in order; `instructions` is what each step
//! executes; `types` is the same for every row of the registry. `codegen` prints the steps as C++.

pub mod instructions;
pub mod steps;
pub mod types;

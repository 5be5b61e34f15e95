//! Which instructions a node becomes, as data: `steps` is what a kernel does, in order; `instructions` is what each step
//! executes; `numbers` says which operands are numbers in an instruction; `types` is the same for every row of the registry. `codegen` prints the steps as C++.

pub mod instructions;
pub mod numbers;
pub mod steps;
pub mod types;

//! Everything that a run writes as JSON: what `--json` prints, what `target/xtask/last` stores, and the pieces that it keeps
//! for `report`. docs/reference/json.md is made of these types.

mod graph;
mod measure;
mod object;
mod operators;
mod opinfo;
#[cfg(test)]
mod page;
mod part;
mod piece;
mod rules;
mod run;
mod sim;
mod test;

pub use graph::*;
pub use measure::*;
pub use operators::*;
pub use opinfo::*;
pub use part::*;
pub use piece::*;
pub use rules::*;
pub use run::*;
pub use sim::*;
pub use test::*;

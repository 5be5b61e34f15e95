//! AscGraph: what an operator computes, as a graph of AscIR nodes over symbolic axes (the hint graph), and how a vector
//! core does it (the impl graph).
//!
//! `model` has the structures under upstream's field names, `expr` the sizes, `ir` the registry of node types. Graphs come
//! from a file (`load`) or from the builder (`build`), are judged by `check` and shown by `dump`.

#![warn(clippy::missing_errors_doc)]

pub mod bind;
pub mod build;
pub mod check;
pub mod codegen;
pub mod cost;
pub mod cpp;
pub mod dtype;
pub mod dump;
pub mod expr;
pub mod fuse;
pub mod fused;
pub mod infer;
pub mod interp;
pub mod ir;
pub mod literal;
pub mod load;
pub mod lower;
pub mod memory;
pub mod model;
pub mod npy;
pub mod parse;
pub mod plan;
mod plural;
pub mod schedule;
pub mod tiling;
pub mod timing;
pub mod transform;
pub mod value;

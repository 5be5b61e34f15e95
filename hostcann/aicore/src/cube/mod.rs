//! The cube core as far as the Matmul object reaches: matrices, products, what is done to a result on its way out.
//!
//! On a device a vector core sends the calls of its object to the cube core of its block, which serves them. Here the core that
//! calls multiplies itself; L1, L0 and the instructions behind the object are not modelled.

mod calls;
mod fixpipe;
mod limits;
mod matrix;
mod object;
mod product;

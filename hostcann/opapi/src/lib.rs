//! libopapi.so of the host toolkit: a stand-in on the host for CANN's built-in operators, so that frameworks find the
//! aclnn functions they need. It computes on the host and models no kernel. `operators.txt` is the table; `build.rs`
//! makes the exported functions from it.

mod abi;
mod activations;
mod attention;
mod attributes;
mod call;
mod conv;
mod data_type;
mod fill;
mod host;
mod index;
mod interleave;
mod kernels;
mod loss;
mod lstm;
mod lstm_cell;
mod map;
mod matmul;
mod movement;
mod norm;
mod pool;
mod random;
mod recurrent;
mod reduce;
mod rnn;
mod rows;
mod scaling;
mod scatter;
mod single;
mod view;

include!(concat!(env!("OUT_DIR"), "/operators.rs"));

//! The vector unit: one body for every vector instruction.

pub mod adv;
pub mod adv_rows;
pub mod cast;
pub mod cast_int4;
pub mod cmp_mask;
pub mod compare;
pub mod fill;
pub mod fused_cast;
pub mod gather;
pub mod lane_unit;
pub mod reduce;
pub mod reduce_repeat;
pub mod sort;
pub mod transpose;
pub mod vec_arith;
pub mod vec_bits;
pub mod vector_unit;

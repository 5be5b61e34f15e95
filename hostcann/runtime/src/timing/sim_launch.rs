//! What a launch is of, for the timing model: the operator and its tensors, which a kernel alone does not know.

use crate::base::dtype::{self, DType};
use serde_json::{Value, json};
use std::cell::RefCell;

thread_local! {
    static CURRENT: RefCell<Option<Value>> = const { RefCell::new(None) };
}

/// A tensor of a launch: its name, its type and its shape, as far as they are known.
type Tensor = (String, Option<DType>, Option<Vec<i64>>);

/// While it lives, launches of this thread are of that operator.
pub struct Current(());

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.with(|current| current.replace(None));
    }
}

pub fn enter(op: &str, tensors: impl Iterator<Item = Tensor>) -> Current {
    let tensor = |(name, dtype, shape): Tensor| json!({"name": name, "dtype": dtype.map(dtype::name), "shape": shape});
    let tensors: Vec<Value> = tensors.map(tensor).collect();
    CURRENT.with(|current| current.replace(Some(json!({"type": op, "tensors": tensors}))));
    Current(())
}

/// None: a kernel that is launched with `<<<…>>>`.
pub fn current() -> Option<Value> {
    CURRENT.with(|current| current.borrow().clone())
}

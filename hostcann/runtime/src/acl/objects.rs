//! Objects behind opaque pointers that callers create, read and destroy. A pointer that is not alive is recognised.

use crate::base::failure::{Failure, Outcome, lock};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The living objects of one kind.
pub struct Table<T> {
    kind: &'static str,
    living: Mutex<BTreeMap<usize, T>>,
}

impl<T> Table<T> {
    pub const fn new(kind: &'static str) -> Table<T> {
        Table { kind, living: Mutex::new(BTreeMap::new()) }
    }

    pub fn add<P>(&self, object: T) -> *mut P {
        let handle = crate::base::handle::new_handle();
        lock(&self.living).insert(handle, object);
        handle as *mut P
    }

    /// Runs the work on the object behind the pointer.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the pointer is null or leads to no living object; otherwise what the work returns.
    pub fn with<P, R>(&self, function: &str, object: *const P, work: impl FnOnce(&mut T) -> Outcome<R>) -> Outcome<R> {
        match lock(&self.living).get_mut(&(object as usize)) {
            Some(found) => work(found),
            None => Err(self.unknown(function, object)),
        }
    }

    /// Ends the life of the object behind the pointer.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the pointer is null or leads to no living object.
    pub fn remove<P>(&self, function: &str, object: *const P) -> Outcome {
        match lock(&self.living).remove(&(object as usize)) {
            Some(_) => Ok(()),
            None => Err(self.unknown(function, object)),
        }
    }

    fn unknown<P>(&self, function: &str, object: *const P) -> Failure {
        if object.is_null() {
            return Failure::null(function, self.kind);
        }
        let text = format!("{function}: {} {object:p} does not exist or was already destroyed", self.kind);
        Failure::new(crate::base::codes::INVALID_PARAM, text)
    }
}

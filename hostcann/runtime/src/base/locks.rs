//! Locking without poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Data behind these locks is valid after every statement, so a panic elsewhere does not make it unusable.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

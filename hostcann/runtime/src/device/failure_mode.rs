//! What a failed task does to the streams of its context (aclrtSetStreamFailureMode). With ACL_STOP_ON_FAILURE, set on any
//! stream, the first failure ends the work of all of them: what is queued does not run, nothing new is taken, and every
//! synchronisation returns its code until the context is gone.

use crate::base::failure::{Failure, Outcome, lock};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct FailureMode {
    stops: AtomicBool,
    /// A call has returned the failure.
    told: AtomicBool,
    first: Mutex<Option<Failure>>,
}

static MODES: Mutex<BTreeMap<usize, Arc<FailureMode>>> = Mutex::new(BTreeMap::new());

/// That of a context, which its streams share.
pub fn of_context(context: usize) -> Arc<FailureMode> {
    lock(&MODES).entry(context).or_default().clone()
}

pub fn forget_context(context: usize) {
    lock(&MODES).remove(&context);
}

impl FailureMode {
    /// The runtime looks at the lowest bit, and does not go back.
    ///
    /// # Errors
    ///
    /// `RT_FEATURE_NOT_SUPPORT` where the mode would go back to `ACL_CONTINUE_ON_FAILURE`, `INVALID_PARAM` where a
    /// variable of the environment is invalid.
    pub fn set(&self, mode: u64) -> Outcome {
        match mode & 1 {
            0 if self.stops.load(Ordering::Acquire) => fail!(
                RT_FEATURE_NOT_SUPPORT,
                "aclrtSetStreamFailureMode: a stream of this context stops on failure; going back to \
                 ACL_CONTINUE_ON_FAILURE is not possible"
            ),
            0 => Ok(()),
            _ => {
                let obeyed = crate::base::env::settings()?.stop_on_failure;
                self.stops.store(obeyed, Ordering::Release);
                Ok(())
            }
        }
    }

    pub fn note(&self, failure: &Failure) {
        if self.stops.load(Ordering::Acquire) {
            lock(&self.first).get_or_insert_with(|| failure.clone());
        }
    }

    /// Whether a failure has ended all work.
    pub fn is_stopped(&self) -> bool {
        self.stops.load(Ordering::Acquire) && lock(&self.first).is_some()
    }

    /// The failure after which nothing runs any more, for a call that returns it.
    ///
    /// # Errors
    ///
    /// The first failure of a task, where it has ended all work.
    pub fn stopped(&self) -> Outcome {
        if !self.is_stopped() {
            return Ok(());
        }
        self.told.store(true, Ordering::Release);
        lock(&self.first).clone().map_or(Ok(()), Err)
    }

    /// Whether a call has returned the failure that has ended all work.
    pub fn is_told(&self) -> bool {
        self.told.load(Ordering::Acquire)
    }
}

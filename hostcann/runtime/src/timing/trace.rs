//! The trace log of `HOSTCANN_TRACE`.

use crate::base::failure::{Failure, Outcome, codes};
use aicore::{Trace, Watch};
use std::fs::File;
use std::sync::{Arc, OnceLock};

fn open(path: &str) -> Outcome<Arc<dyn Watch>> {
    let file = File::create(path).map_err(|e| {
        let what = format!("environment variable HOSTCANN_TRACE is \"{path}\", which cannot be written: {e}");
        Failure::new(codes::INVALID_PARAM, format!("{what}; name a file in a directory that exists"))
    })?;
    Ok(Arc::new(Trace::new(file)))
}

/// The log, if there is one: who watches every launch of this process.
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment is invalid, or the file cannot be written.
pub fn log() -> Outcome<Vec<Arc<dyn Watch>>> {
    static LOG: OnceLock<Outcome<Vec<Arc<dyn Watch>>>> = OnceLock::new();
    let path = crate::base::env::settings()?.trace.as_deref();
    LOG.get_or_init(|| path.map(open).transpose().map(|log| log.into_iter().collect())).clone()
}

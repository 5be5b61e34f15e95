//! Digests of what a package is made of.

use std::io;
use std::path::Path;

use hostcann_types::sources;
pub use hostcann_types::sources::{KEY, TOOLKIT};
use sha2::{Digest, Sha256};

use crate::base::files;
use crate::base::installation::Installation;

/// Of an op directory.
pub fn of_op(dir: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    sources::of_op(dir, |bytes| hash.update(bytes))?;
    Ok(files::hex(&hash.finalize()))
}

/// Of the toolkit in a repository, or of the one that an installation was made from.
pub fn of_toolkit(home: &Path) -> io::Result<String> {
    if let Some(installed) = Installation::read(home).map_err(io::Error::other)? {
        return Ok(installed.toolkit);
    }
    let mut hash = Sha256::new();
    sources::of_toolkit(home, |bytes| hash.update(bytes))?;
    Ok(files::hex(&hash.finalize()))
}

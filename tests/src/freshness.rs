//! Tests of an older package than the sources prove nothing: a package built by the host toolkit says what it was built
//! from, and is refused when the sources are others now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hostcann_types::sources;
use sha2::{Digest, Sha256};

/// The op directory that the package was built from, when it is not this repository's.
pub const OP_DIR: &str = "XTASK_OP_DIR";
const OP: &str = "fmod";

pub struct Sources {
    pub repository: PathBuf,
    pub op: PathBuf,
}

impl Sources {
    pub fn of(workspace: &Path, op_dir: Option<PathBuf>) -> Sources {
        let op = op_dir.unwrap_or_else(|| workspace.join("experimental/math").join(OP));
        Sources { repository: workspace.to_owned(), op }
    }

    /// Why the package must not be tested; a toolkit that is not the host's packs no digests.
    pub fn refuse(&self, home: &Path, vendor: &Path) -> Result<(), String> {
        if !home.join("hostcann.toml").is_file() {
            return Ok(());
        }
        let version = vendor.join("version.info");
        let text = fs::read_to_string(&version).unwrap_or_default();
        let packed = |name: &str| {
            let key = format!("{}{name}=", sources::KEY);
            text.lines().find_map(|line| line.strip_prefix(&key).map(str::to_owned))
        };
        let stale = |what: &Path| {
            Err(format!(
                "the package in {} is not the one that {} gives now\nhint: run `cargo xtask install`",
                vendor.display(),
                what.display()
            ))
        };
        let Some(op) = packed(OP) else {
            return Err(format!(
                "{} does not say what the package was built from\nhint: run `cargo xtask install`",
                version.display()
            ));
        };
        if op != read(&self.op, of_op)? {
            return stale(&self.op);
        }
        // A finished toolkit, used as it is, has none.
        match packed(sources::TOOLKIT) {
            Some(toolkit) if toolkit != read(&self.repository, of_toolkit)? => stale(&self.repository.join("hostcann")),
            _ => Ok(()),
        }
    }
}

fn of_op(dir: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    sources::of_op(dir, |bytes| hash.update(bytes))?;
    Ok(hex(&hash.finalize()))
}

fn of_toolkit(repository: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    sources::of_toolkit(repository, |bytes| hash.update(bytes))?;
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(dir: &Path, digest: impl Fn(&Path) -> io::Result<String>) -> Result<String, String> {
    digest(dir).map_err(|error| format!("cannot read the sources in {}: {error}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn only_the_package_of_these_sources() {
        let temp = tempfile::tempdir().unwrap();
        let (repository, home) = (temp.path().join("repository"), temp.path().join("home"));
        let vendor = home.join("opp/vendors/custom_math");
        let sources = Sources::of(&repository, None);
        assert_eq!(sources.op, repository.join("experimental/math/fmod"));
        let check = || sources.refuse(&home, &vendor);
        assert_eq!(check(), Ok(()), "not the host toolkit");

        write(&home.join("hostcann.toml"), "");
        assert!(check().unwrap_err().contains("does not say what the package was built from"));

        let (source, toolkit) = (sources.op.join("op_host/a.cpp"), repository.join("hostcann/x.rs"));
        write(&source, "1");
        write(&toolkit, "1");
        let op = of_op(&sources.op).unwrap();
        write(&vendor.join("version.info"), &format!("content_sha256=0\nsources.fmod={op}\n"));
        assert_eq!(check(), Ok(()));
        let both = format!("sources.fmod={op}\nsources.toolkit={}\n", of_toolkit(&repository).unwrap());
        write(&vendor.join("version.info"), &both);
        assert_eq!(check(), Ok(()));

        write(&toolkit, "2");
        let why = check().unwrap_err();
        assert!(why.contains("/repository/hostcann gives now\nhint: run `cargo xtask install`"), "{why}");
        write(&toolkit, "1");
        write(&source, "2");
        let why = check().unwrap_err();
        assert!(
            why.contains("/home/opp/vendors/custom_math is not the one that ") && why.contains("/fmod gives"),
            "{why}"
        );
    }
}

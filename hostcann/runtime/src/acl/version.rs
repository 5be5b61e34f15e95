//! Versions of the API and of the toolkit's packages.

use super::op_attr;
use crate::base::failure::{Failure, Outcome, codes, put, status};
use crate::base::soc::toolkit;
use std::ffi::c_char;
use std::path::Path;

/// The API version whose names and codes are offered (`acl_rt.h`).
const API: [i32; 3] = [1, 17, 0];

/// Bytes of the caller's buffer, ACL_PKG_VERSION_MAX_SIZE.
const TEXT_SIZE: usize = 128;

/// # Safety
/// The pointers are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetVersion(major: *mut i32, minor: *mut i32, patch: *mut i32) -> i32 {
    refuse_forked!();
    for (name, out) in [("majorVersion", major), ("minorVersion", minor), ("patchVersion", patch)] {
        if out.is_null() {
            return status(Err(Failure::null("aclrtGetVersion", name)));
        }
    }
    // SAFETY: checked for null above, writable by contract.
    unsafe {
        major.write(API[0]);
        minor.write(API[1]);
        patch.write(API[2]);
    }
    codes::SUCCESS
}

/// The text behind `Version=` in the package's `version.info`.
///
/// # Safety
/// `package` is null or a NUL-terminated string, `text` null or `TEXT_SIZE` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionStr(package: *const c_char, text: *mut c_char) -> i32 {
    refuse_forked!();
    let function = "aclsysGetVersionStr";
    if text.is_null() {
        return status(Err(Failure::null(function, "versionStr")));
    }
    // SAFETY: by this function's contract.
    let version = match unsafe { op_attr::text(function, "pkgName", package) }.and_then(|package| version(&package)) {
        Ok(version) => version,
        Err(failure) => return failure.raise(),
    };
    let bytes = version.as_bytes();
    // SAFETY: `version` gives fewer than TEXT_SIZE bytes, and that many are writable by contract.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), text.cast::<u8>(), bytes.len());
        text.add(bytes.len()).write(0);
    }
    codes::SUCCESS
}

/// The version as a number that grows with it: major * 10^7 + minor * 10^5 + patch * 10^3.
///
/// # Safety
/// `package` is null or a NUL-terminated string, `number` null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionNum(package: *const c_char, number: *mut i32) -> i32 {
    refuse_forked!();
    let function = "aclsysGetVersionNum";
    // SAFETY: by this function's contract.
    unsafe {
        put(function, "versionNum", number, || {
            let package = op_attr::text(function, "pkgName", package)?;
            let version = version(&package)?;
            number_of(&version).ok_or_else(|| {
                let said = format!("{function}: package {package} has version {version}, expected three numbers");
                Failure::new(codes::INVALID_FILE, said)
            })
        })
    }
}

/// `share/info/<package>/version.info` of the toolkit.
fn version(package: &str) -> Outcome<String> {
    version_in(&toolkit()?.join("share").join("info"), package)
}

fn version_in(all: &Path, package: &str) -> Outcome<String> {
    if package.is_empty() || package.contains(['/', '\0']) || package.starts_with('.') {
        fail!(INVALID_PARAM, "'{package}' is no package name, expected the name of a directory in {}", all.display());
    }
    let file = all.join(package).join("version.info");
    let Ok(text) = std::fs::read_to_string(&file) else {
        let said =
            format!("package {package}: cannot read {}; this toolkit has {}", file.display(), packages(all).join(", "));
        return Err(Failure::new(codes::INVALID_FILE, said).answer());
    };
    let line = text.lines().find_map(|line| line.strip_prefix("Version=")).map(str::trim);
    match line {
        Some(version) if !version.is_empty() && version.len() < TEXT_SIZE => Ok(version.to_owned()),
        _ => fail!(INVALID_FILE, "{}: expected a line Version=<1 to {} bytes>", file.display(), TEXT_SIZE - 1),
    }
}

fn packages(all: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(all).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What follows the patch number (`.alpha001`) does not count.
fn number_of(version: &str) -> Option<i32> {
    let mut parts = version.split('.').map(|part| part.parse::<i32>().ok().filter(|number| (0..100).contains(number)));
    let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
    Some(major * 10_000_000 + minor * 100_000 + patch * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// torch_npu asks for five packages at every start.
    #[test]
    fn a_package_that_is_not_there_is_no_fault() {
        let all = tempfile::tempdir().unwrap();
        assert!(version_in(all.path(), "ops_nn").unwrap_err().is_answer);
        std::fs::create_dir(all.path().join("bad")).unwrap();
        std::fs::write(all.path().join("bad/version.info"), "no version").unwrap();
        assert!(!version_in(all.path(), "bad").unwrap_err().is_answer);
        assert!(!version_in(all.path(), "../bad").unwrap_err().is_answer);
    }

    #[test]
    fn numbers_grow_with_the_version() {
        assert_eq!(number_of("0.1.0"), Some(100_000));
        assert_eq!(number_of("9.1.0"), Some(90_100_000));
        assert_eq!(number_of("8.5.12.alpha001"), Some(80_512_000));
        for bad in ["", "9", "9.1", "9.x.0", "9.1.100", "-1.0.0"] {
            assert_eq!(number_of(bad), None, "{bad}");
        }
    }
}

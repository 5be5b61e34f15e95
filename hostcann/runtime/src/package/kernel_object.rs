//! Whether a kernel object is the file that was packed, and one for this machine: what the loader would find out by dying
//! of a bus error, or tell in words that mean something else.

use sha2::{Digest, Sha256};
use std::path::Path;

/// Machines of the ELF specification (e_machine) that hosts are.
const MACHINES: [(u16, &str); 2] = [(62, "x86_64"), (183, "aarch64")];

/// Checks the hash and the machine of an object. `sha256`: what the metadata beside the object says of it.
///
/// # Errors
///
/// What is wrong, to follow the name of the object: it cannot be read, its hash differs, or it is no ELF file of this
/// machine.
pub fn check(object: &Path, sha256: Option<&str>) -> Result<(), String> {
    let bytes = std::fs::read(object).map_err(|error| format!("cannot be read: {error}; reinstall the package"))?;
    if let Some(packed) = sha256 {
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if !found.eq_ignore_ascii_case(packed) {
            return Err(format!(
                "was damaged or replaced after it was built: its {} bytes have the SHA-256 {found}, its json says \
                 {packed}; reinstall the package",
                bytes.len()
            ));
        }
    }
    check_machine(&bytes)
}

fn check_machine(bytes: &[u8]) -> Result<(), String> {
    let machine = match bytes.get(18..20) {
        Some(&[low, high]) if bytes.starts_with(b"\x7fELF") => u16::from_le_bytes([low, high]),
        _ => return Err("is no ELF file; rebuild the package".to_owned()),
    };
    let here = std::env::consts::ARCH;
    match MACHINES.iter().find(|(number, _)| *number == machine) {
        Some((_, name)) if *name == here => Ok(()),
        Some((_, name)) => Err(format!("was built on {name}, this machine is {here}; build the package here")),
        None => Err(format!(
            "is for another machine (ELF machine {machine}, this one is {here}): a kernel that a real CANN built runs \
             on the device only; build the package with the host toolkit"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file of this machine, and its hash.
    fn object(dir: &Path) -> (std::path::PathBuf, Vec<u8>, String) {
        let bytes = std::fs::read("/bin/true").unwrap();
        let path = dir.join("K.o");
        std::fs::write(&path, &bytes).unwrap();
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        (path, bytes, hash)
    }

    #[test]
    fn a_whole_object_with_or_without_a_hash() {
        let dir = tempfile::tempdir().unwrap();
        let (path, _, hash) = object(dir.path());
        assert_eq!(check(&path, Some(&hash)), Ok(()));
        assert_eq!(check(&path, None), Ok(()));
    }

    #[test]
    fn a_cut_or_changed_object() {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes, hash) = object(dir.path());
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for other in [&bytes[..6000], &bytes[..bytes.len() - 1], &[], &flipped] {
            std::fs::write(&path, other).unwrap();
            let why = check(&path, Some(&hash)).unwrap_err();
            let start = format!("was damaged or replaced after it was built: its {} bytes have", other.len());
            assert!(why.starts_with(&start) && why.ends_with("; reinstall the package"), "{why}");
            assert!(why.contains(&format!("its json says {hash}")), "{why}");
        }
    }

    #[test]
    fn objects_of_other_machines() {
        let other = |machine: u16| {
            let mut bytes = std::fs::read("/bin/true").unwrap();
            bytes[18..20].copy_from_slice(&machine.to_le_bytes());
            check_machine(&bytes).unwrap_err()
        };
        let here = std::env::consts::ARCH;
        let (number, name) = *MACHINES.iter().find(|(_, name)| *name != here).unwrap();
        assert_eq!(other(number), format!("was built on {name}, this machine is {here}; build the package here"));
        assert!(other(0x1029).starts_with("is for another machine (ELF machine 4137, "));
        assert_eq!(check_machine(b"\x7fELF").unwrap_err(), "is no ELF file; rebuild the package");
        assert_eq!(check_machine(&[0; 64]).unwrap_err(), "is no ELF file; rebuild the package");
    }
}

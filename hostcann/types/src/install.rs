//! Where a toolkit and the installed packages of operators are.
//!
//! Search order of op packages: CANN's own, `ASCEND_CUSTOM_OPP_PATH` entries first, then `vendors/` of the opp directory
//! in the order of `load_priority` in `vendors/config.ini`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The environment variables that choose an installation.
pub const ENV: [&str; 3] = ["ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"];

/// Below the opp directory: which packages are in use, and in which order.
pub const CONFIG: &str = "vendors/config.ini";

/// A toolkit root and the op packages visible from it. Nothing in here is checked for existence.
#[derive(Clone, Debug)]
pub struct Install {
    pub home: PathBuf,
    pub opp: PathBuf,
    /// Candidate package directories (`…/vendors/<vendor>_math`), first wins.
    pub vendors: Vec<PathBuf>,
    /// Why the vendor list is shorter than a reader may expect, e.g. an unreadable `config.ini`.
    pub notes: Vec<String>,
}

impl Install {
    /// `workspace` is the repository root: without any variable its `target/hostcann` is meant.
    pub fn find(workspace: &Path, env: impl Fn(&str) -> Option<OsString>) -> Install {
        let path = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path(ENV[0]).unwrap_or_else(|| workspace.join("target/hostcann"));
        let opp = path(ENV[1]).unwrap_or_else(|| home.join("opp"));
        let mut vendors = Vec::new();
        if let Some(list) = env(ENV[2]) {
            vendors.extend(std::env::split_paths(&list).filter(|entry| !entry.as_os_str().is_empty()));
        }
        let mut notes = Vec::new();
        let config = opp.join(CONFIG);
        match fs::read_to_string(&config) {
            Ok(text) => match load_priority(&text) {
                Some(names) => vendors.extend(names.iter().map(|name| opp.join("vendors").join(name))),
                None => notes.push(format!("{}: no `load_priority=` line", config.display())),
            },
            Err(error) => notes.push(format!("{}: {error}", config.display())),
        }
        Install { home, opp, vendors, notes }
    }

    /// Package library candidates in search order.
    pub fn libraries(&self) -> Vec<PathBuf> {
        self.vendors.iter().map(|vendor| vendor.join("op_api/lib/libcust_opapi.so")).collect()
    }
}

/// The packages of an opp directory that are in use, in the order of the search; none where it has no [`CONFIG`].
pub fn load_order(opp: &Path) -> Vec<String> {
    let text = fs::read_to_string(opp.join(CONFIG)).unwrap_or_default();
    load_priority(&text).unwrap_or_default()
}

/// The packages below `opp/vendors` that are in use, in the order of the search; of the text of [`CONFIG`]. None: it has no
/// such line.
pub fn load_priority(text: &str) -> Option<Vec<String>> {
    let list = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "load_priority").then(|| value.trim().to_owned())
    })?;
    Some(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(env: &'static [(&str, &str)]) -> Install {
        Install::find(Path::new("/ws"), move |name| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn default_is_the_workspace() {
        let install = find(&[]);
        assert_eq!(install.home, Path::new("/ws/target/hostcann"));
        assert_eq!(install.opp, Path::new("/ws/target/hostcann/opp"));
        assert!(install.vendors.is_empty());
        assert!(install.notes[0].starts_with("/ws/target/hostcann/opp/vendors/config.ini: "), "{:?}", install.notes);
    }

    #[test]
    fn variables_win_and_empty_ones_do_not_count() {
        let install =
            find(&[("ASCEND_HOME_PATH", "/cann"), ("ASCEND_OPP_PATH", ""), ("ASCEND_CUSTOM_OPP_PATH", "/a::/b")]);
        assert_eq!(install.opp, Path::new("/cann/opp"));
        assert_eq!(install.libraries()[1], Path::new("/b/op_api/lib/libcust_opapi.so"));
        assert_eq!(install.vendors.len(), 2);
    }

    #[test]
    fn load_priority_keeps_its_order() {
        assert_eq!(
            load_priority("[x]\nload_priority = b_math, a_math,\n"),
            Some(vec!["b_math".into(), "a_math".into()])
        );
        assert_eq!(load_priority("load_priority=\n"), Some(Vec::new()));
        assert_eq!(load_priority("other=1\n"), None);
    }
}

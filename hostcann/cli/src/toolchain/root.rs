//! Which toolkit root everything is built against.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::Cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};

pub const MARKER: &str = "hostcann.toml";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// The one that this program assembles in the project.
    Embedded,
    /// A finished host toolkit elsewhere.
    HostCann,
    Cann,
}

#[derive(Clone, Debug)]
pub struct Root {
    pub kind: RootKind,
    pub path: PathBuf,
}

impl Root {
    pub fn choose(cx: &Ctx) -> Result<Root> {
        let home = std::env::var_os("ASCEND_HOME_PATH").filter(|value| !value.is_empty()).map(PathBuf::from);
        choose(&cx.project.toolkit(), home.as_deref())
    }

    pub fn is_host(&self) -> bool {
        self.kind != RootKind::Cann
    }

    pub fn describe(&self, cx: &Ctx) -> String {
        let path = cx.project.show(&self.path);
        match self.kind {
            RootKind::Embedded => {
                let whose = match &cx.project.installed {
                    Some(installed) => format!("of hostcann {}", installed.version),
                    None => "of this repository".to_owned(),
                };
                let why = if std::env::var_os("ASCEND_HOME_PATH").is_none() { "is not set" } else { "points to it" };
                format!("{path} (host toolkit {whose}; ASCEND_HOME_PATH {why})")
            }
            RootKind::HostCann => format!("{path} (host toolkit, used as it is; from ASCEND_HOME_PATH)"),
            RootKind::Cann => format!("{path} (CANN; from ASCEND_HOME_PATH)"),
        }
    }

    pub fn announce(&self, cx: &mut Ctx) {
        cx.console.say("Toolkit", self.describe(cx));
        cx.run.sdk = Some(if self.is_host() { "host" } else { "cann" });
        cx.run.about.toolkit = Some(self.path.display().to_string());
    }

    pub fn include(&self) -> PathBuf {
        self.path.join("include")
    }

    pub fn lib64(&self) -> PathBuf {
        self.path.join("lib64")
    }

    /// Where find_package(ASC) and find_package(tikicpulib) look.
    pub fn cmake_dirs(&self) -> [PathBuf; 2] {
        [self.lib64().join("cmake"), self.path.join("tools/tikicpulib/lib/cmake")]
    }

    /// ASCEND_OPP_PATH: the user's for a toolkit the user chose, else the root's own.
    pub fn opp(&self) -> PathBuf {
        let own = self.path.join("opp");
        match std::env::var_os("ASCEND_OPP_PATH").filter(|value| !value.is_empty()) {
            Some(path) if self.kind != RootKind::Embedded => PathBuf::from(path),
            _ => own,
        }
    }

    /// Entries of ASCEND_CUSTOM_OPP_PATH. A leftover of another toolkit must not redirect the embedded one.
    pub fn custom_opp(&self) -> Vec<PathBuf> {
        match std::env::var_os("ASCEND_CUSTOM_OPP_PATH") {
            Some(list) if self.kind != RootKind::Embedded => {
                std::env::split_paths(&list).filter(|entry| !entry.as_os_str().is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// LD_LIBRARY_PATH of the user, with the root's libraries in front of it.
pub fn libraries(root: &Root) -> OsString {
    let mut libs = root.lib64().into_os_string();
    if let Some(old) = std::env::var_os("LD_LIBRARY_PATH").filter(|old| !old.is_empty()) {
        libs.push(":");
        libs.push(old);
    }
    libs
}

/// The environment that `set_env.sh` of the root would give.
pub fn with_root<'a>(cmd: Cmd<'a>, root: &Root) -> Cmd<'a> {
    let cmd = cmd
        .env("ASCEND_HOME_PATH", &root.path)
        .env("ASCEND_TOOLKIT_HOME", &root.path)
        .env("ASCEND_OPP_PATH", root.opp())
        .env("LD_LIBRARY_PATH", libraries(root));
    if root.custom_opp().is_empty() { cmd.env_remove("ASCEND_CUSTOM_OPP_PATH") } else { cmd }
}

fn choose(embedded: &Path, home: Option<&Path>) -> Result<Root> {
    let Some(home) = home else {
        return Ok(Root { kind: RootKind::Embedded, path: embedded.to_path_buf() });
    };
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if home == embedded || same(home, embedded) {
        return Ok(Root { kind: RootKind::Embedded, path: embedded.to_path_buf() });
    }
    if !home.join("include/acl/acl.h").is_file() {
        let what = if home.is_dir() { "it has no include/acl/acl.h" } else { "there is no such directory" };
        return Err(failed(Kind::NoToolkit, format!("ASCEND_HOME_PATH={} is not a toolkit: {what}", home.display()))
            .hint(
                "`source <CANN>/set_env.sh` for a real toolkit, or `unset ASCEND_HOME_PATH` to use the \
                   embedded host toolkit",
            ));
    }
    let kind = if home.join(MARKER).is_file() { RootKind::HostCann } else { RootKind::Cann };
    Ok(Root { kind, path: home.canonicalize().unwrap_or_else(|_| home.to_path_buf()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    #[test]
    fn choice() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path().canonicalize().expect("canonical");
        let embedded = dir.join("target/hostcann");
        assert_eq!(choose(&embedded, None).expect("root").kind, RootKind::Embedded);
        assert_eq!(choose(&embedded, Some(&embedded)).expect("root").kind, RootKind::Embedded);

        let error = choose(&embedded, Some(&dir.join("nowhere"))).expect_err("no directory");
        assert_eq!(diag::code(&error), 14);
        let other = dir.join("other");
        std::fs::create_dir(&other).expect("mkdir");
        let error = choose(&embedded, Some(&other)).expect_err("no toolkit");
        assert!(diag::causes(&error)[0].ends_with("it has no include/acl/acl.h"), "{error:?}");

        write_if_changed(&other.join("include/acl/acl.h"), b"").expect("write");
        assert_eq!(choose(&embedded, Some(&other)).expect("root").kind, RootKind::Cann);
        write_if_changed(&other.join(MARKER), b"").expect("write");
        let root = choose(&embedded, Some(&other)).expect("root");
        assert_eq!((root.kind, root.path), (RootKind::HostCann, other));
    }

    #[test]
    fn a_link_to_the_embedded_root_is_the_embedded_root() {
        let temp = tempfile::tempdir().expect("temp dir");
        let embedded = temp.path().join("hostcann");
        std::fs::create_dir(&embedded).expect("mkdir");
        let link = temp.path().join("link");
        std::os::unix::fs::symlink(&embedded, &link).expect("symlink");
        assert_eq!(choose(&embedded, Some(&link)).expect("root").kind, RootKind::Embedded);
    }
}

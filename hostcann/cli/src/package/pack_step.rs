//! Hidden verb: the staged files of a project's package become a `.run` file, as npu_op_package() asks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::package::verb::sign;
use crate::toolchain::runfile;

const STUB: &str = include_str!("../../../../scripts/package/run_stub.sh");
const SCRIPTS: [(&str, &str); 4] = [
    ("install.sh", include_str!("../../../../scripts/package/install.sh")),
    ("uninstall.sh", include_str!("../../../../scripts/package/uninstall.sh")),
    ("upgrade.sh", include_str!("../../../../scripts/package/upgrade.sh")),
    ("help.info", include_str!("../../../../scripts/package/help.info")),
];

#[derive(Args)]
pub struct PackStep {
    /// Holds packages/vendors/<vendor>
    #[arg(long)]
    stage: PathBuf,
    #[arg(long)]
    vendor: String,
    #[arg(long)]
    out: PathBuf,
}

impl PackStep {
    /// # Errors
    ///
    /// The package is not staged, or a file cannot be read or written.
    pub fn run(self) -> Result<()> {
        let inner = self.stage.join("packages/vendors").join(&self.vendor);
        if !inner.is_dir() {
            return Err(failed(Kind::Build, format!("{} does not exist: the package is empty", inner.display()))
                .hint(format!("npu_op_package_add({} LIBRARY <target>...) fills it", self.vendor)));
        }
        let content = sign(&inner)?;
        for (name, text) in SCRIPTS {
            let path = self.stage.join(name);
            files::write_if_changed(&path, text.replace("@VENDOR_DIR@", &self.vendor).as_bytes())?;
            if name.ends_with(".sh") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                    .with_context(|| format!("cannot set the mode of {}", path.display()))?;
            }
        }
        let label = format!("{} {}", self.vendor, env!("CARGO_PKG_VERSION"));
        runfile::write(&self.stage, STUB, &label, &content, &self.out).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staged_package_becomes_a_file() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (stage, out) = (temp.path().join("stage"), temp.path().join("custom_opp.run"));
        let step = |vendor: &str| PackStep { stage: stage.clone(), vendor: vendor.to_owned(), out: out.clone() }.run();
        files::write_if_changed(&stage.join("packages/vendors/mine/op_api/include/a.h"), b"int a;").expect("write");
        let error = step("other").expect_err("nothing staged");
        assert!(error.root_cause().to_string().ends_with("the package is empty"), "{error:?}");
        step("mine").expect("packed");
        let info = runfile::inspect(&out).expect("read").expect("one of ours");
        assert_eq!(info.vendor, "mine");
        let version = fs::read_to_string(stage.join("packages/vendors/mine/version.info")).expect("version.info");
        assert!(version.contains(&format!("content_sha256={}", info.content)), "{version}");
        let installer = fs::read_to_string(stage.join("install.sh")).expect("install.sh");
        assert!(installer.contains("vendor=mine\n"), "{installer}");
    }
}

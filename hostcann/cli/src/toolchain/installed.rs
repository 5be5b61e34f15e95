//! Packages that are installed in a toolkit, as they lie there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hostcann_types::install::load_order;
use serde_json::Value;

use crate::base::files;
use crate::base::proc;
use crate::toolchain::root::Root;

pub struct Package {
    /// `<vendor>_math`
    pub dir: PathBuf,
    pub ops: Vec<String>,
    pub socs: Vec<String>,
    /// What --define said when it was packed.
    pub definitions: String,
    /// Local time, to the minute.
    pub date: String,
}

impl Package {
    pub fn name(&self) -> String {
        self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn library_dir(&self) -> PathBuf {
        self.dir.join("op_api/lib")
    }
}

/// Packages of `opp/vendors`, those of `config.ini` first and in its order.
pub fn packages(root: &Root) -> Result<Vec<Package>> {
    let vendors = root.opp().join("vendors");
    let mut names = Vec::new();
    if vendors.is_dir() {
        for entry in fs::read_dir(&vendors).with_context(|| format!("cannot list {}", vendors.display()))? {
            let path = entry.with_context(|| format!("cannot list {}", vendors.display()))?.path();
            let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !hidden && path.join("version.info").is_file() {
                names.push(path);
            }
        }
    }
    let order = load_order(&root.opp());
    let place = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        order.iter().position(|other| *other == name).unwrap_or(usize::MAX)
    };
    names.sort_by_key(|path| (place(path), path.clone()));
    names.into_iter().map(read).collect()
}

pub fn read(dir: PathBuf) -> Result<Package> {
    let version = dir.join("version.info");
    let text = fs::read_to_string(&version).with_context(|| format!("cannot read {}", version.display()))?;
    let definitions = text.lines().find_map(|line| line.strip_prefix("definitions=")).unwrap_or_default().to_owned();
    let date =
        proc::probe("date", &["-r", &version.to_string_lossy(), "+%F %H:%M"]).unwrap_or_default().trim().to_owned();
    let mut ops = Vec::new();
    let config = dir.join("op_impl/ai_core/tbe/config");
    let files = if config.is_dir() { files::walk(&config)? } else { Vec::new() };
    for file in files.iter().filter(|file| file.to_string_lossy().ends_with("-ops-info.json")) {
        let path = config.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // A damaged package is listed with what can be read of it.
        let types = match serde_json::from_str(&text) {
            Ok(Value::Object(types)) => types.keys().cloned().collect(),
            _ => Vec::new(),
        };
        ops.extend(types);
    }
    ops.sort();
    ops.dedup();
    let socs = kernel_socs(&dir.join("op_impl/ai_core/tbe/kernel"))?;
    Ok(Package { dir, ops, socs, definitions, date })
}

/// The definition may name more SoCs than kernels were built for.
fn kernel_socs(kernels: &Path) -> Result<Vec<String>> {
    let mut socs = BTreeSet::new();
    let files = if kernels.is_dir() { files::walk(kernels)? } else { Vec::new() };
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "o")) {
        socs.extend(file.iter().next().map(|soc| soc.to_string_lossy().into_owned()));
    }
    Ok(socs.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;
    use crate::toolchain::root::RootKind;

    #[test]
    fn packages_in_load_order() {
        let temp = tempfile::tempdir().expect("temp dir");
        let vendors = temp.path().join("opp/vendors");
        let put = |file: &str, text: &str| write_if_changed(&vendors.join(file), text.as_bytes()).expect("write");
        for name in ["a_math", "b_math", "c_math", ".d_math.old.1"] {
            put(&format!("{name}/version.info"), "content_sha256=1\ndefinitions=X=1\n");
        }
        put("e_math/op_api/lib/libcust_opapi.so", "");
        put("config.ini", "load_priority=c_math,b_math\n");
        put("b_math/op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json", r#"{"Two": {}, "One": {}}"#);
        put("b_math/op_impl/ai_core/tbe/config/ascend910_93/aic-ascend910_93-ops-info.json", "damaged");
        put("b_math/op_impl/ai_core/tbe/kernel/ascend910b/one/One_1.o", "");
        put("b_math/op_impl/ai_core/tbe/kernel/config/ascend910_93/one.json", "");
        let root = Root { kind: RootKind::Embedded, path: temp.path().to_path_buf() };
        let packages = packages(&root).expect("packages");
        assert_eq!(packages.iter().map(Package::name).collect::<Vec<_>>(), ["c_math", "b_math", "a_math"]);
        assert_eq!((packages[1].ops.join(","), packages[1].socs.join(",")), ("One,Two".into(), "ascend910b".into()));
        assert_eq!(packages[1].definitions, "X=1");
    }
}

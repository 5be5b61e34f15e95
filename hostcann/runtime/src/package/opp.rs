//! Installed operator packages: the vendor directories in the order in which the runtime searches them.

use crate::base::failure::{Failure, Outcome, codes, lock};
use crate::base::log::{self, Level};
use crate::package::kernel_config::KernelConfig;
use crate::package::opinfo::{OpInfo, OpsFile};
use std::collections::HashMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

const TBE: &str = "op_impl/ai_core/tbe";

pub struct Vendor {
    pub directory: PathBuf,
    pub c_directory: CString,
    soc: String,
    ops: OnceLock<Outcome<OpsFile>>,
    kernels: Mutex<HashMap<String, Outcome<Arc<KernelConfig>>>>,
}

pub struct Installed {
    pub vendors: Vec<Vendor>,
    /// Whether either variable that leads to packages is set.
    pub configured: bool,
    /// What is wrong with the places that were searched.
    pub doubts: Vec<String>,
}

/// What the environment says now. Results are kept for the life of the process, as pointers into them are handed out.
///
/// # Errors
///
/// `INVALID_PARAM` where the SoC cannot be loaded.
pub fn installed() -> Outcome<&'static Installed> {
    type Key = (Option<OsString>, Option<OsString>, String);
    static CACHE: Mutex<Vec<(Key, &'static Installed)>> = Mutex::new(Vec::new());
    let folder = crate::base::soc::soc()?.folder.to_string_lossy().into_owned();
    let get = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let key: Key = (get("ASCEND_CUSTOM_OPP_PATH"), get("ASCEND_OPP_PATH"), folder);
    let mut cache = lock(&CACHE);
    if let Some((_, found)) = cache.iter().find(|(k, _)| *k == key) {
        return Ok(found);
    }
    let found: &'static Installed = Box::leak(Box::new(scan(key.0.as_deref(), key.1.as_deref(), &key.2)));
    found.doubts.iter().for_each(|doubt| log::write(Level::Warn, "OPP", doubt));
    for (i, vendor) in found.vendors.iter().enumerate() {
        log::write(Level::Debug, "OPP", &format!("package {}: {}", i + 1, vendor.directory.display()));
    }
    cache.push((key, found));
    Ok(found)
}

pub fn scan(custom: Option<&OsStr>, opp: Option<&OsStr>, soc: &str) -> Installed {
    let configured = custom.is_some() || opp.is_some();
    let entries = custom.map(OsStr::as_bytes).unwrap_or_default().split(|&b| b == b':');
    let mut directories: Vec<(&str, PathBuf)> = entries
        .filter(|e| !e.is_empty())
        .map(|e| ("ASCEND_CUSTOM_OPP_PATH", PathBuf::from(OsStr::from_bytes(e))))
        .collect();
    let mut doubts = Vec::new();
    if let Some(opp) = opp {
        let vendors = Path::new(opp).join("vendors");
        let names = load_priority(&vendors).unwrap_or_else(|doubt| {
            doubts.push(doubt);
            Vec::new()
        });
        directories.extend(names.into_iter().map(|name| ("load_priority of config.ini", vendors.join(name))));
    }
    let mut unique: Vec<PathBuf> = Vec::new();
    for (source, directory) in directories {
        let shown = directory.display();
        if !directory.is_dir() {
            doubts.push(format!("{source} names {shown}, which is no directory: it is passed over"));
        } else if !directory.join("op_impl").is_dir() && !directory.join("op_api").is_dir() {
            doubts.push(format!(
                "{source} names {shown}, which is no operator package (it has neither op_impl nor op_api; expected \
                 …/vendors/<vendor>_math)"
            ));
        }
        if directory.is_dir() && !unique.contains(&directory) {
            unique.push(directory);
        }
    }
    let vendors = unique.into_iter().map(|directory| Vendor::new(directory, soc)).collect();
    Installed { vendors, configured, doubts }
}

/// `load_priority=a,b` of vendors/config.ini.
fn load_priority(vendors: &Path) -> Result<Vec<String>, String> {
    let file = vendors.join("config.ini");
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{} cannot be read: {error}; its packages are passed over", file.display())),
    };
    Ok(hostcann_types::install::load_priority(&text).unwrap_or_default())
}

impl Vendor {
    fn new(directory: PathBuf, soc: &str) -> Vendor {
        Vendor {
            c_directory: crate::base::errmsg::c_text(&directory.to_string_lossy()),
            directory,
            soc: soc.to_owned(),
            ops: OnceLock::new(),
            kernels: Mutex::default(),
        }
    }

    pub fn tbe(&self) -> PathBuf {
        self.directory.join(TBE)
    }

    /// None: this package does not have the op type for the SoC.
    ///
    /// # Errors
    ///
    /// Those of `OpsFile::read` and `OpsFile::op`, where the package's library or the entry is broken.
    pub fn op(&self, op_type: &str) -> Outcome<Option<&OpInfo>> {
        let ops = self.ops.get_or_init(|| {
            let file = self.tbe().join("config").join(&self.soc).join(format!("aic-{}-ops-info.json", self.soc));
            OpsFile::read(&file)
        });
        ops.as_ref().map_err(Clone::clone)?.op(op_type)
    }

    /// The kernels of an op; the file is read once, and its failure kept.
    ///
    /// # Errors
    ///
    /// Those of `KernelConfig::read`, where the package has no kernels of the op for the SoC or the file is broken.
    pub fn kernel_config(&self, op: &OpInfo) -> Outcome<Arc<KernelConfig>> {
        let mut kernels = lock(&self.kernels);
        let read = || KernelConfig::read(&self.tbe().join("kernel"), &self.soc, &op.op_file).map(Arc::new);
        kernels.entry(op.op_file.clone()).or_insert_with(read).clone()
    }
}

impl Installed {
    /// The first package that has the op type wins.
    ///
    /// # Errors
    ///
    /// Those of `Vendor::op`, of the first package that is broken before one has the op type.
    pub fn find(&self, op_type: &str) -> Outcome<Option<(&Vendor, &OpInfo)>> {
        for vendor in &self.vendors {
            if let Some(op) = vendor.op(op_type)? {
                return Ok(Some((vendor, op)));
            }
        }
        Ok(None)
    }

    /// As `find`, where the op type must be there.
    ///
    /// # Errors
    ///
    /// Those of `find`; `NN_OPP_PATH_NOT_FOUND` where no variable leads to packages, `NN_KERNEL_PKG_NOT_FOUND` where
    /// none is installed, `NN_FIND_KERNEL` where none has the op type.
    pub fn require(&self, op_type: &str) -> Outcome<(&Vendor, &OpInfo)> {
        if let Some(found) = self.find(op_type)? {
            return Ok(found);
        }
        let names: Vec<String> = self.vendors.iter().map(|v| v.directory.display().to_string()).collect();
        Err(if !self.configured {
            Failure::new(
                codes::NN_OPP_PATH_NOT_FOUND,
                format!(
                    "op type {op_type}: neither ASCEND_OPP_PATH nor ASCEND_CUSTOM_OPP_PATH is set; source set_env.sh \
                     of the toolkit and install the operator package"
                ),
            )
        } else if names.is_empty() {
            Failure::new(
                codes::NN_KERNEL_PKG_NOT_FOUND,
                format!(
                    "op type {op_type}: no operator package is installed (ASCEND_CUSTOM_OPP_PATH and the \
                     load_priority of $ASCEND_OPP_PATH/vendors/config.ini name no existing directory){}",
                    self.doubts.iter().map(|doubt| format!("; {doubt}")).collect::<String>()
                ),
            )
        } else {
            let soc = &self.vendors[0].soc;
            Failure::new(
                codes::NN_FIND_KERNEL,
                format!(
                    "op type {op_type} is in none of the installed operator packages for {soc}: {}",
                    names.join(", ")
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn custom_entries_come_before_load_priority() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        for p in ["c1", "c2", "opp/vendors/a_math", "opp/vendors/b_math", "opp/vendors/unlisted"] {
            fs::create_dir_all(at(p)).unwrap();
        }
        fs::write(at("opp/vendors/config.ini"), "# order\nload_priority=b_math, a_math,gone\n").unwrap();
        let custom = format!("{0}/c2:{0}/missing::{0}/c1:{0}/c2:", dir.path().display());
        let found = scan(Some(OsStr::new(&custom)), Some(at("opp").as_os_str()), "ascend910b");
        let got: Vec<_> = found.vendors.iter().map(|v| v.directory.clone()).collect();
        assert_eq!(got, [at("c2"), at("c1"), at("opp/vendors/b_math"), at("opp/vendors/a_math")]);
        let missing = format!(
            "ASCEND_CUSTOM_OPP_PATH names {}, which is no directory: it is passed over",
            at("missing").display()
        );
        assert!(found.doubts.contains(&missing), "{:?}", found.doubts);
        let gone = format!("load_priority of config.ini names {}", at("opp/vendors/gone").display());
        assert!(found.doubts.iter().any(|doubt| doubt.starts_with(&gone)), "{:?}", found.doubts);
        assert!(
            found.doubts.iter().any(|doubt| doubt.contains("c1, which is no operator package")),
            "{:?}",
            found.doubts
        );
        fs::create_dir_all(at("c1/op_api")).unwrap();
        let right = scan(Some(at("c1").as_os_str()), None, "ascend910b");
        assert_eq!((right.doubts, right.vendors.len()), (Vec::<String>::new(), 1));
        let file = scan(None, Some(at("opp/vendors/config.ini").as_os_str()), "ascend910b");
        assert!(file.doubts[0].contains("cannot be read"), "{:?}", file.doubts);
    }

    #[test]
    fn missing_configuration_and_missing_packages_differ() {
        let dir = tempfile::tempdir().unwrap();
        let code = |installed: Installed| installed.require("Fmod").err().unwrap().code;
        assert_eq!(code(scan(None, None, "ascend910b")), codes::NN_OPP_PATH_NOT_FOUND);
        assert_eq!(code(scan(None, Some(dir.path().as_os_str()), "ascend910b")), codes::NN_KERNEL_PKG_NOT_FOUND);
        assert_eq!(code(scan(Some(dir.path().as_os_str()), None, "ascend910b")), codes::NN_FIND_KERNEL);
    }
}

//! Kernel objects: the metadata json and the host shared object beside it, opened at the first launch.

use crate::base::dtype::{self, DType};
use crate::base::failure::{Failure, Outcome, codes, lock};
use crate::base::log::{self, Level};
use crate::package::init_value::{InitValue, Pattern};
use crate::package::kernel_config::Tensor;
use crate::package::kernel_object;
use crate::package::opinfo::read_object;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Request {
    pub op_type: String,
    pub inputs: Vec<Tensor>,
    pub outputs: Vec<Tensor>,
}

/// What a message about a tensor of a launch needs.
#[derive(Clone, Debug, Default)]
pub struct TensorInfo {
    /// "input 0 (x1)"
    pub name: String,
    pub dtype: Option<DType>,
    /// In a launch, and only for the timing model.
    pub shape: Option<Vec<i64>>,
    /// The kernel may write a part of it: an output whose shape is one of the results (OutputShapeDependOnCompute).
    pub partial: bool,
    /// What fills an output before a kernel whose tiling function asks for that (SetNeedAtomic).
    pub init: Option<Pattern>,
}

pub struct KernelBinary {
    pub op_type: String,
    pub name: String,
    pub inputs: Vec<TensorInfo>,
    pub outputs: Vec<TensorInfo>,
    object: PathBuf,
    sha256: Option<String>,
    /// Symbol of each tiling key.
    symbols: BTreeMap<u64, String>,
    library: OnceLock<Outcome<Library>>,
}

/// The binary for exactly these types, from the first package that has the op type.
///
/// # Errors
///
/// `INVALID_PARAM` where the SoC cannot be loaded, `NN_FIND_KERNEL` where the package has no binary for the types;
/// otherwise as `Installed::require`, `Vendor::kernel_config` and `KernelBinary::read`.
pub fn find(request: Request) -> Outcome<&'static KernelBinary> {
    /// By the installed packages that were searched: the environment may lead to others later.
    static FOUND: Mutex<Option<HashMap<(usize, Request), &'static KernelBinary>>> = Mutex::new(None);
    let installed = crate::package::opp::installed()?;
    let key = (std::ptr::from_ref(installed) as usize, request);
    if let Some(&known) = lock(&FOUND).as_ref().and_then(|found| found.get(&key)) {
        return Ok(known);
    }
    let request = &key.1;
    let (vendor, op) = installed.require(&request.op_type)?;
    let config = vendor.kernel_config(op)?;
    let entry = config.select(&request.inputs, &request.outputs).map_err(|f| {
        Failure::new(f.code, format!("op type {}: {}", request.op_type, f.message)).with_report("EZ1009")
    })?;
    let mut binary = KernelBinary::read(&request.op_type, &entry.json)?;
    binary.inputs = describe("input", &op.inputs, (&[], &[]), &request.inputs);
    binary.outputs = describe("output", &op.outputs, (&op.partial, &op.init), &request.outputs);
    if log::enabled(Level::Info) {
        log::write(Level::Info, "KERNEL", &format!("{}: {}", request.op_type, binary.object.display()));
    }
    let binary: &'static KernelBinary = Box::leak(Box::new(binary));
    // Another thread may have been faster; both binaries open the same library.
    Ok(lock(&FOUND).get_or_insert_default().entry(key).or_insert(binary))
}

fn describe(
    kind: &str,
    names: &[(String, Vec<DType>)],
    (partial, init): (&[bool], &[Option<InitValue>]),
    types: &[Tensor],
) -> Vec<TensorInfo> {
    let info = |(i, tensor): (usize, &Tensor)| {
        let dtype = tensor.and_then(|(dtype, _)| dtype::of_number(dtype));
        TensorInfo {
            name: match names.get(i) {
                Some((name, _)) => format!("{kind} {i} ({name})"),
                None => format!("{kind} {i}"),
            },
            dtype,
            shape: None,
            partial: partial.get(i).copied().unwrap_or_default(),
            init: init.get(i).and_then(Option::as_ref).and_then(|init| init.of(dtype)).cloned(),
        }
    };
    types.iter().enumerate().map(info).collect()
}

impl KernelBinary {
    /// Reads the metadata of a kernel object, which is not opened yet.
    ///
    /// # Errors
    ///
    /// `NN_LOAD_JSON_FAILED` where the file cannot be read or is not JSON, `NN_JSON_FORMAT_INVALID` where it holds no
    /// object or the name of a kernel does not end in a tiling key, `NN_JSON_VALUE_NOT_FOUND` where a required key is
    /// missing.
    pub fn read(op_type: &str, json: &Path) -> Outcome<KernelBinary> {
        let object = read_object(json)?;
        let text = |key: &str| match object.get(key).and_then(Value::as_str) {
            Some(text) => Ok(text),
            None => fail!(NN_JSON_VALUE_NOT_FOUND, "{}: {key} is missing", json.display()),
        };
        let name = text("kernelName")?.to_owned();
        let Some(list) = object.get("kernelList").and_then(Value::as_array) else {
            fail!(NN_JSON_VALUE_NOT_FOUND, "{}: kernelList is missing", json.display());
        };
        let mut symbols = BTreeMap::new();
        for item in list {
            let symbol = item.get("kernelName").and_then(Value::as_str).unwrap_or_default();
            let key = symbol.strip_prefix(&name).and_then(|s| s.strip_prefix('_')).and_then(|s| s.parse().ok());
            let Some(key) = key else {
                fail!(
                    NN_JSON_FORMAT_INVALID,
                    "{}: kernelList names \"{symbol}\", expected {name}_<tiling key>",
                    json.display()
                );
            };
            symbols.insert(key, symbol.to_owned());
        }
        let sha256 = object.get("sha256").and_then(Value::as_str).map(str::to_owned);
        let suffix = object.get("binFileSuffix").and_then(Value::as_str).unwrap_or(".o");
        let object = json.with_file_name(format!("{}{suffix}", text("binFileName")?));
        Ok(KernelBinary {
            op_type: op_type.to_owned(),
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
            object,
            sha256,
            symbols,
            library: OnceLock::new(),
        })
    }

    /// The function of a tiling key and its symbol; the first call opens the object.
    ///
    /// # Errors
    ///
    /// `NN_FIND_KERNEL` where the object has no such key, `NN_OP_FILE_INVALID` where it is damaged, is for another
    /// machine, cannot be loaded or lacks the symbol.
    pub fn kernel(&self, tiling_key: u64) -> Outcome<(aicore::KernelFn, &str)> {
        let Some(symbol) = self.symbols.get(&tiling_key) else {
            let keys: Vec<String> = self.symbols.keys().map(u64::to_string).collect();
            fail!(
                NN_FIND_KERNEL,
                "op type {}: tiling asks for key {tiling_key}, but {} has the keys {}; rebuild the package if the \
                 kernel's template selections changed",
                self.op_type,
                self.object.display(),
                keys.join(", ")
            );
        };
        let broken = |what: String| {
            Failure::new(
                codes::NN_OP_FILE_INVALID,
                format!("op type {}: {} {what}", self.op_type, self.object.display()),
            )
        };
        let library = self.library.get_or_init(|| {
            kernel_object::check(&self.object, self.sha256.as_deref()).map_err(broken)?;
            // SAFETY: the object comes from an installed operator package; running its initialisers is what
            // installing it asks for.
            unsafe { Library::open(Some(&self.object), RTLD_NOW | RTLD_LOCAL) }
                .map_err(|e| broken(format!("cannot be loaded: {e}; rebuild the package")))
        });
        let library = library.as_ref().map_err(Clone::clone)?;
        // SAFETY: kernel objects export every listed symbol with this signature (kernel object format).
        let function = unsafe { library.get::<aicore::KernelFn>(symbol.as_bytes()) }
            .map_err(|e| broken(format!("has no symbol {symbol}: {e}; rebuild the package")))?;
        Ok((*function, symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Outcome<KernelBinary> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("K.json");
        std::fs::write(&path, json).unwrap();
        KernelBinary::read("Fmod", &path)
    }

    const GOOD: &str = r#"{"binFileName": "K", "binFileSuffix": ".o", "kernelName": "K",
        "kernelList": [{"kernelName": "K_0"}, {"kernelName": "K_18446744073709551615"}]}"#;

    #[test]
    fn keys_come_from_the_kernel_list() {
        let binary = read(GOOD).unwrap();
        assert_eq!(binary.symbols.keys().copied().collect::<Vec<_>>(), [0, u64::MAX]);
        assert!(binary.object.ends_with("K.o"));
    }

    #[test]
    fn a_missing_key_names_the_keys_there_are() {
        let error = read(GOOD).unwrap().kernel(7).unwrap_err();
        assert_eq!(error.code, codes::NN_FIND_KERNEL);
        assert!(error.message.contains("key 7") && error.message.contains("0, 18446744073709551615"));
    }

    #[test]
    fn a_missing_object_is_named() {
        let error = read(GOOD).unwrap().kernel(0).unwrap_err();
        assert_eq!(error.code, codes::NN_OP_FILE_INVALID);
        assert!(error.message.contains("K.o cannot be read: No such file"), "{}", error.message);
    }

    #[test]
    fn the_hash_beside_an_object_is_compared() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy("/bin/true", dir.path().join("K.o")).unwrap();
        let json = GOOD.replacen('{', r#"{"sha256": "c0ffee", "#, 1);
        std::fs::write(dir.path().join("K.json"), json).unwrap();
        let error = KernelBinary::read("Fmod", &dir.path().join("K.json")).unwrap().kernel(0).unwrap_err();
        assert_eq!(error.code, codes::NN_OP_FILE_INVALID);
        assert!(
            error.message.starts_with("op type Fmod: ") && error.message.contains("says c0ffee;"),
            "{}",
            error.message
        );
    }

    #[test]
    fn broken_metadata() {
        let code = |json| read(json).err().unwrap().code;
        assert_eq!(code("{}"), codes::NN_JSON_VALUE_NOT_FOUND);
        assert_eq!(code(r#"{"kernelName": "K", "binFileName": "K"}"#), codes::NN_JSON_VALUE_NOT_FOUND);
        let bad = r#"{"kernelName": "K", "binFileName": "K", "kernelList": [{"kernelName": "K_x"}]}"#;
        assert_eq!(code(bad), codes::NN_JSON_FORMAT_INVALID);
    }
}

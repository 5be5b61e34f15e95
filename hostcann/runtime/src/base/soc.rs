//! The modelled SoC: a table of `<toolkit>/data/platform_config/chips.toml` over what all chips share, with the key names
//! of the platform_config ini files and a section of switches for behaviour that no document settles.

use crate::base::env::{Settings, settings};
use crate::base::errmsg::c_text;
use crate::base::failure::{Failure, Outcome, codes};
use hostcann_types::soc::{DEFAULT, find};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// In `data/platform_config`.
const FILE: &str = "chips.toml";
/// The table of what all chips share.
const BASE: &str = "base";

pub struct Soc {
    pub name: CString,
    /// Folder below op_impl/ai_core/tbe/{config,kernel}.
    pub folder: CString,
    pub(crate) file: PathBuf,
    values: BTreeMap<(String, String), CString>,
}

/// The SoC of this process; it is loaded at the first call.
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment is invalid, the toolkit is not found, or `load` fails.
pub fn soc() -> Outcome<&'static Soc> {
    static SOC: OnceLock<Outcome<Soc>> = OnceLock::new();
    SOC.get_or_init(|| {
        let settings = settings()?;
        load(&data_directory()?, settings)
    })
    .as_ref()
    .map_err(Clone::clone)
}

fn data_directory() -> Outcome<PathBuf> {
    Ok(data(&toolkit()?))
}

fn data(root: &Path) -> PathBuf {
    root.join("data").join("platform_config")
}

/// The toolkit of this library, `<root>/lib64/libascendcl.so`, else ASCEND_HOME_PATH.
///
/// # Errors
///
/// `INVALID_PARAM` where neither has the data of the chips.
pub fn toolkit() -> Outcome<PathBuf> {
    let own = own_file().and_then(|file| Some(file.parent()?.parent()?.to_path_buf()));
    if let Some(own) = own.filter(|root| data(root).is_dir()) {
        return Ok(own);
    }
    match std::env::var_os("ASCEND_HOME_PATH").map(PathBuf::from) {
        Some(home) if data(&home).is_dir() => Ok(home),
        Some(home) => {
            fail!(INVALID_PARAM, "{} is not a directory; source set_env.sh of the toolkit", data(&home).display())
        }
        None => fail!(
            INVALID_PARAM,
            "cannot find the toolkit: libascendcl.so does not lie in <toolkit>/lib64 and ASCEND_HOME_PATH is unset; \
             source set_env.sh of the toolkit"
        ),
    }
}

fn own_file() -> Option<PathBuf> {
    // SAFETY: Dl_info is plain data for which zero bytes are valid; dladdr fills it for an address of this library,
    // and the name it points to lives as long as the library is loaded.
    let name = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(own_file as fn() -> Option<PathBuf> as *const c_void, &mut info) == 0
            || info.dli_fname.is_null()
        {
            return None;
        }
        CStr::from_ptr(info.dli_fname).to_bytes().to_vec()
    };
    std::path::absolute(Path::new(OsStr::from_bytes(&name))).ok()
}

/// Loads the SoC that the settings name from the file in the directory.
///
/// # Errors
///
/// `INVALID_PARAM` where the file cannot be read, is malformed, lacks a required value, or does not have the SoC.
pub fn load(directory: &Path, settings: &Settings) -> Outcome<Soc> {
    let file = directory.join(FILE);
    let chips = read(&file)?;
    let name = model(&chips, settings.soc.as_deref().unwrap_or(DEFAULT), &file)?;
    let values = values(&chips, &name, &file)?;
    let mut soc = Soc { name: c_text(&name), folder: CString::default(), file, values };
    soc.folder = c_text(&soc.text("version", "Short_SoC_version")?.to_lowercase());
    for key in ["ai_core_cnt", "cube_core_cnt", "vector_core_cnt", "l2_size"] {
        soc.required_number("SoCInfo", key)?;
    }
    soc.required_number("AICoreSpec", "ub_size")?;
    soc.override_with(settings);
    Ok(soc)
}

/// The model that HOSTCANN_SOC means: its name, or that of its family, which the default stands for when it is of it.
/// Case does not matter.
fn model(chips: &toml::Table, asked: &str, file: &Path) -> Outcome<String> {
    let names = names(chips);
    let family = |name: &String| {
        let family = chips[name].get("version").and_then(|version| version.get("Short_SoC_version"));
        family.and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    match find(&names, |name| name, family, asked) {
        Some(name) => Ok(name.clone()),
        None => fail!(
            INVALID_PARAM,
            "SoC {asked} (HOSTCANN_SOC) is not in {}; available: {}",
            file.display(),
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ),
    }
}

/// In the order of the names.
fn names(chips: &toml::Table) -> Vec<String> {
    chips.keys().filter(|name| *name != BASE).cloned().collect()
}

fn read(file: &Path) -> Outcome<toml::Table> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) => fail!(INVALID_PARAM, "SoC file: cannot read {}: {e}; install the toolkit again", file.display()),
    };
    text.parse()
        .map_err(|e: toml::de::Error| Failure::new(codes::INVALID_PARAM, format!("SoC file {}: {e}", file.display())))
}

/// What all chips share, and over it what the chip has of its own.
fn values(chips: &toml::Table, name: &str, file: &Path) -> Outcome<BTreeMap<(String, String), CString>> {
    let mut values = BTreeMap::new();
    for table in [BASE, name] {
        let Some(sections) = chips.get(table).and_then(toml::Value::as_table) else {
            fail!(INVALID_PARAM, "SoC file {}: the table [{table}] is missing", file.display());
        };
        for (section, content) in sections {
            let Some(content) = content.as_table() else {
                fail!(INVALID_PARAM, "SoC file {}: {section} stands outside of a [{table}.section]", file.display());
            };
            for (key, value) in content {
                let text = match value {
                    toml::Value::String(s) => s.clone(),
                    toml::Value::Integer(n) => n.to_string(),
                    toml::Value::Float(n) => n.to_string(),
                    _ => fail!(
                        INVALID_PARAM,
                        "SoC file {}: [{table}.{section}] {key} is neither text nor number",
                        file.display()
                    ),
                };
                values.insert((section.clone(), key.clone()), c_text(&text));
            }
        }
    }
    values.insert(("version".to_owned(), "SoC_version".to_owned()), c_text(name));
    Ok(values)
}

impl Soc {
    pub fn get(&self, section: &str, key: &str) -> Option<&CStr> {
        self.values.get(&(section.to_owned(), key.to_owned())).map(CString::as_c_str)
    }

    /// The text of a key that must be there.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the key is missing or its value is not UTF-8.
    pub fn text(&self, section: &str, key: &str) -> Outcome<&str> {
        match self.get(section, key).and_then(|v| v.to_str().ok()) {
            Some(text) => Ok(text),
            None => fail!(INVALID_PARAM, "{}: [{section}] {key} is missing", self.file.display()),
        }
    }

    pub fn number(&self, section: &str, key: &str) -> Option<u64> {
        self.get(section, key)?.to_str().ok()?.parse().ok()
    }

    /// The number of a key that must be there.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the key is missing or its value is no unsigned number of 64 bits.
    pub fn required_number(&self, section: &str, key: &str) -> Outcome<u64> {
        let text = self.text(section, key)?;
        match text.parse() {
            Ok(n) => Ok(n),
            Err(_) => {
                fail!(INVALID_PARAM, "{}: [{section}] {key} is \"{text}\", expected a number", self.file.display())
            }
        }
    }

    fn set(&mut self, section: &str, key: &str, value: &str) {
        self.values.insert((section.to_owned(), key.to_owned()), c_text(value));
    }

    fn override_with(&mut self, settings: &Settings) {
        if let Some(cores) = settings.cores {
            self.set("SoCInfo", "vector_core_cnt", &cores.to_string());
            // Two vector cores belong to one cube core.
            for key in ["cube_core_cnt", "ai_core_cnt"] {
                self.set("SoCInfo", key, &cores.div_ceil(2).to_string());
            }
        }
        let switches = [
            ("div_ulp", &settings.div_ulp),
            ("fma", &settings.fma),
            ("ftz", &settings.ftz),
            ("saturation", &settings.saturation),
            ("reciprocal", &settings.reciprocal),
            ("atomic_order", &settings.atomic_order),
            ("matmul_order", &settings.matmul_order),
        ];
        for (key, value) in switches {
            if let Some(value) = value {
                self.set("undocumented", key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc")
    }

    fn for_soc(name: &str) -> Soc {
        load(&files(), &Settings { soc: Some(name.to_owned()), ..Settings::default() }).unwrap()
    }

    #[test]
    fn every_chip_has_the_values_of_its_ini() {
        const MI: u64 = 1 << 20;
        const GI: u64 = 1 << 30;
        // name, folder, vector cores, cube_freq, L2, HBM
        let table = [
            ("Ascend910B1", "ascend910b", 48, 1850, 192 * MI, Some(64 * GI)),
            ("Ascend910B2", "ascend910b", 48, 1800, 192 * MI, Some(64 * GI)),
            ("Ascend910B2C", "ascend910b", 48, 1800, 192 * MI, None),
            ("Ascend910B3", "ascend910b", 40, 1800, 192 * MI, Some(64 * GI)),
            ("Ascend910B4", "ascend910b", 40, 1500, 96 * MI, Some(32 * GI)),
            ("Ascend910B4-1", "ascend910b", 40, 1500, 168 * MI, Some(32 * GI)),
            ("Ascend910_9391", "ascend910_93", 48, 1850, 192 * MI, Some(64 * GI)),
            ("Ascend910_9392", "ascend910_93", 48, 1850, 192 * MI, Some(64 * GI)),
            ("Ascend910_9381", "ascend910_93", 48, 1800, 192 * MI, Some(64 * GI)),
            ("Ascend910_9382", "ascend910_93", 48, 1800, 192 * MI, Some(64 * GI)),
            ("Ascend910_9372", "ascend910_93", 40, 1800, 192 * MI, Some(64 * GI)),
            ("Ascend910_9362", "ascend910_93", 40, 1500, 168 * MI, Some(64 * GI)),
        ];
        for (name, folder, vector, freq, l2, hbm) in table {
            let soc = for_soc(name);
            assert_eq!(soc.folder.to_str().unwrap(), folder, "{name}");
            for (section, key, want) in [
                ("SoCInfo", "vector_core_cnt", vector),
                ("SoCInfo", "cube_core_cnt", vector / 2),
                ("SoCInfo", "ai_core_cnt", vector / 2),
                ("SoCInfo", "l2_size", l2),
                ("AICoreSpec", "cube_freq", freq),
                ("AICoreSpec", "ub_size", 196608),
                ("AICoreSpec", "ubblock_size", 32),
                ("AICoreMemoryRates", "l2_write_rate", 86),
                ("version", "NpuArch", 2201),
            ] {
                assert_eq!(soc.number(section, key), Some(want), "{name} {section} {key}");
            }
            assert_eq!(soc.number("SoCInfo", "memory_size"), hbm, "{name}");
            assert_eq!(soc.text("SoCInfo", "core_type_list").unwrap(), "CubeCore,VectorCore");
            assert_eq!(soc.text("undocumented", "div_ulp").unwrap(), "0");
            // Tiling functions refuse a chip without it.
            assert_eq!(soc.text("AICoreintrinsicDtypeMap", "Intrinsic_fix_pipe_l0c2out").unwrap(), "f32,s32,f16");
        }
        assert_eq!(names(&read(&files().join(FILE)).unwrap()).len(), table.len());
    }

    #[test]
    fn every_chip_states_the_defaults_of_the_switches() {
        for name in names(&read(&files().join(FILE)).unwrap()) {
            assert_eq!(
                crate::device::engine::switches(&for_soc(&name)).unwrap(),
                aicore::Switches::default(),
                "{name}"
            );
        }
    }

    #[test]
    fn settings_win_over_the_file() {
        let settings = Settings { cores: Some(7), fma: Some("fused".into()), ..Settings::default() };
        let soc = load(&files(), &settings).unwrap();
        assert_eq!(soc.name.to_str().unwrap(), "Ascend910B3");
        assert_eq!(soc.number("SoCInfo", "vector_core_cnt"), Some(7));
        assert_eq!(soc.number("SoCInfo", "cube_core_cnt"), Some(4));
        assert_eq!(soc.text("undocumented", "fma").unwrap(), "fused");
        assert_eq!(soc.text("undocumented", "saturation").unwrap(), "infnan");
    }

    #[test]
    fn a_family_is_a_name_and_case_does_not_matter() {
        let named = |soc: &str| {
            let settings = Settings { soc: Some(soc.into()), ..Settings::default() };
            load(&files(), &settings).ok().map(|soc| soc.name.into_string().unwrap())
        };
        for (asked, want) in [
            ("ascend910b", "Ascend910B3"),
            ("Ascend910_93", "Ascend910_9362"),
            ("ascend910b1", "Ascend910B1"),
            ("Ascend910_9391", "Ascend910_9391"),
        ] {
            assert_eq!(named(asked).as_deref(), Some(want), "{asked}");
        }
        for none in ["ascend910", "", "../soc/Ascend910B1"] {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn an_unknown_soc_lists_the_known_ones() {
        let settings = Settings { soc: Some("Ascend910X".into()), ..Settings::default() };
        let error = load(&files(), &settings).err().unwrap();
        assert_eq!(error.code, codes::INVALID_PARAM);
        assert!(error.message.contains("Ascend910X") && error.message.contains("Ascend910_9362"), "{}", error.message);
    }

    #[test]
    fn a_broken_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        for (text, hint) in [
            ("[base\n", "chips.toml"),
            ("[base.version]\nArch_type = 4\n", "available: none"),
            ("[Ascend910B3.version]\nArch_type = 4\n", "the table [base] is missing"),
            ("base.x = 1\n[Ascend910B3]\n", "x stands outside of a [base.section]"),
            ("base.x.y = []\n[Ascend910B3]\n", "[base.x] y is neither text nor number"),
            ("[base.version]\nArch_type = 4\n[Ascend910B3]\n", "Short_SoC_version is missing"),
        ] {
            std::fs::write(dir.path().join(FILE), text).unwrap();
            let error = load(dir.path(), &Settings::default()).err().unwrap();
            assert!(error.message.contains(hint), "{}", error.message);
        }
        std::fs::remove_file(dir.path().join(FILE)).unwrap();
        assert!(load(dir.path(), &Settings::default()).err().unwrap().message.contains("cannot read"));
    }
}

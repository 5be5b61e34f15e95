//! The parameters of the timing model: `timing/model.toml` next to the SoC file.

use crate::base::failure::Outcome;
use crate::base::soc::{Soc, soc};
use aicore::model::{ParamFile, Params};
use std::path::Path;

/// Those of the SoC of this process.
///
/// # Errors
///
/// `INVALID_PARAM` where the SoC cannot be loaded, or the file cannot be read or has no valid parameters for it.
pub fn params() -> Outcome<Params> {
    load(soc()?)
}

fn load(soc: &Soc) -> Outcome<Params> {
    read(&soc.file.with_file_name("timing").join("model.toml"), soc)
}

fn read(file: &Path, soc: &Soc) -> Outcome<Params> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) => fail!(INVALID_PARAM, "timing model: cannot read {}: {e}; install the toolkit again", file.display()),
    };
    let parsed: Result<ParamFile, _> = toml::from_str(&text);
    let values = match parsed {
        Ok(values) => values,
        Err(e) => fail!(INVALID_PARAM, "timing model: {}: {e}", file.display()),
    };
    let cores = soc.required_number("SoCInfo", "vector_core_cnt")? as u32;
    let l2 = soc.required_number("SoCInfo", "l2_size")?;
    let name = soc.text("version", "SoC_version")?;
    match Params::for_soc(&values, name, cores, l2) {
        Ok(params) => Ok(params),
        Err(e) => fail!(INVALID_PARAM, "timing model: {}: {e}", file.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::env::Settings;

    fn of(name: &str) -> Soc {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc");
        crate::base::soc::load(&files, &Settings { soc: Some(name.to_owned()), ..Settings::default() }).unwrap()
    }

    #[test]
    fn every_soc_has_parameters() {
        for (name, clock, cores, l2) in [
            ("Ascend910B1", 1850.0, 48, 192 << 20),
            ("Ascend910B2", 1800.0, 48, 192 << 20),
            ("Ascend910B2C", 1800.0, 48, 192 << 20),
            ("Ascend910B3", 1800.0, 40, 192 << 20),
            ("Ascend910B4", 1650.0, 40, 96 << 20),
            ("Ascend910B4-1", 1650.0, 40, 168 << 20),
            ("Ascend910_9391", 1850.0, 48, 192 << 20),
            ("Ascend910_9392", 1850.0, 48, 192 << 20),
            ("Ascend910_9381", 1800.0, 48, 192 << 20),
            ("Ascend910_9382", 1800.0, 48, 192 << 20),
            ("Ascend910_9372", 1800.0, 40, 192 << 20),
            ("Ascend910_9362", 1650.0, 40, 168 << 20),
        ] {
            let p = load(&of(name)).unwrap();
            assert_eq!((p.soc.as_str(), p.clock, p.vector_cores, p.l2_bytes), (name, clock, cores, l2));
            assert_eq!(p.entries.len(), Params::NAMES.len());
            assert!(p.entries.iter().all(|(_, e)| !e.source.is_empty() && !e.unit.is_empty()));
        }
    }

    #[test]
    fn a_broken_file_is_named_with_its_entry() {
        let good = include_str!("../../../soc/timing/model.toml");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("model.toml");
        let soc = of("Ascend910B3");
        for (from, to, hint) in [
            ("entry = {", "entrance = {", "[base] entry is missing"),
            ("port = { value = 165", "port = { value = 0", "port is 0"),
            ("port = { value = 165", "port = { value = -1", "port is -1"),
            ("mark = \"fitted\"", "mark = \"guessed\"", "guessed"),
            ("ops = [\"Mul\"]", "ops = [\"Mull\"]", "Mull is no instruction"),
            ("ops = [\"Mul\"]", "ops = [\"Add\"]", "Mul has no row"),
            ("types = [\"float\"]", "types = [\"floot\"]", "types \"floot\""),
            (
                "[soc.Ascend910B1]",
                "[soc.Ascend910B1]\nspeed = { value = 1, unit = \"\", mark = \"fitted\", source = \"\" }",
                "speed is no parameter",
            ),
            ("[base]", "[base", "model.toml"),
        ] {
            assert!(good.contains(from), "{from}");
            std::fs::write(&file, good.replace(from, to)).unwrap();
            let message = read(&file, &soc).err().unwrap().message;
            assert!(message.contains(hint), "{hint}: {message}");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(read(&file, &soc).err().unwrap().message.contains("cannot read"));
    }
}

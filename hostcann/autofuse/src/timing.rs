//! Tiles by what they cost: the timing model's parameters, from the toolkit's files of its chips.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use ascgraph::plan::Plan;
use ascgraph::timing::{File, Soc, Timing};
use hostcann_types::soc::{self, DEFAULT};

/// Why a plan has no prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriceError {
    /// No chip of the directory has the name, and which it has.
    UnknownSoc { asked: String, known: Vec<String> },
    /// A file that is missing or holds something else.
    File(String),
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PriceError::UnknownSoc { asked, .. } => write!(f, "the timing model has no SoC {asked} (HOSTCANN_SOC)"),
            PriceError::File(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for PriceError {}

/// Prices the kernels of a plan by the chip `soc`, a name of a SoC or of its family; `None` is the default. Nothing is
/// done where the directory has no model.
///
/// # Errors
///
/// `dir` has no such chip, or a file of it cannot be read.
pub fn price(plan: &mut Plan, dir: &Path, soc: Option<&str>) -> Result<(), PriceError> {
    if let Some(timing) = of(dir, soc)? {
        plan.price(&timing);
    }
    Ok(())
}

/// The model of a chip; `None` where the directory has none.
///
/// # Errors
///
/// As of [`price`].
pub fn of(dir: &Path, soc: Option<&str>) -> Result<Option<Timing>, PriceError> {
    let there = dir.join("timing/model.toml").is_file();
    there.then(|| read(dir, soc.filter(|name| !name.is_empty()).unwrap_or(DEFAULT))).transpose()
}

fn read(dir: &Path, asked: &str) -> Result<Timing, PriceError> {
    let (model, (name, soc)) = (dir.join("timing/model.toml"), chip(&dir.join("chips.toml"), asked)?);
    let file: File =
        toml::from_str(&text(&model)?).map_err(|error| wrong(&model, "is no parameter file of the model", &error))?;
    Timing::of(&file, &name, &soc).map_err(|error| wrong(&model, &format!("for {name}"), &error))
}

fn text(path: &Path) -> Result<String, PriceError> {
    fs::read_to_string(path).map_err(|error| wrong(path, "cannot be read", &error))
}

fn wrong(path: &Path, what: &str, error: &dyn fmt::Display) -> PriceError {
    PriceError::File(format!("{} {what}: {error}", path.display()))
}

/// The sections of every chip in a text of chips.toml, by names: what all share, and over it what the chip has of its own.
///
/// # Errors
///
/// The text is no table of sections for each chip.
pub fn chips(text: &str) -> Result<BTreeMap<String, toml::Table>, toml::de::Error> {
    let mut tables: BTreeMap<String, BTreeMap<String, toml::Table>> = toml::from_str(text)?;
    let base = tables.remove("base").unwrap_or_default();
    let merged = |own: BTreeMap<String, toml::Table>| {
        let mut sections = base.clone();
        for (section, values) in own {
            sections.entry(section).or_default().extend(values);
        }
        sections.into_iter().map(|(section, values)| (section, values.into())).collect()
    };
    Ok(tables.into_iter().map(|(name, own)| (name, merged(own))).collect())
}

/// A SoC by its name, or by its family's, which the default stands for when it is of it: what all share, and over it what
/// the chip has of its own.
fn chip(file: &Path, asked: &str) -> Result<(String, Soc), PriceError> {
    let mut chips =
        chips(&text(file)?).map_err(|error| wrong(file, "is not a table of sections for each chip", &error))?;
    let names: Vec<String> = chips.keys().cloned().collect();
    let family = |name: &String| {
        let family = chips[name].get("version").and_then(|version| version.get("Short_SoC_version"));
        family.and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let Some(name) = soc::find(&names, |name| name, family, asked).cloned() else {
        return Err(PriceError::UnknownSoc { asked: asked.to_owned(), known: names });
    };
    let sections = chips.remove(&name).unwrap_or_default();
    let soc = sections.try_into().map_err(|error| wrong(file, &name, &error))?;
    Ok((name, soc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ascgraph::build::fmod_example;

    fn dir() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc")
    }

    #[test]
    fn every_chip_has_a_price() {
        for (asked, name, cores) in [
            ("Ascend910B3", "Ascend910B3", 20),
            ("ascend910b", "Ascend910B3", 20),
            ("ascend910_93", "Ascend910_9362", 20),
            ("Ascend910B1", "Ascend910B1", 24),
        ] {
            let timing = read(&dir(), asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
            assert_eq!((timing.soc.as_str(), timing.ai_cores), (name, cores));
            let mut plan = ascgraph::plan::plan(&fmod_example()).expect("planned");
            plan.price(&timing);
            assert!(plan.cases.iter().all(|kernel| kernel.cost.is_some()));
        }
        let error = read(&dir(), "Ascend310").expect_err("no such chip").to_string();
        assert!(error.contains("the timing model has no SoC Ascend310 (HOSTCANN_SOC)"), "{error}");
    }

    #[test]
    fn a_broken_model_is_named() {
        let temp = tempfile::tempdir().expect("temp dir");
        let to = temp.path();
        fs::create_dir(to.join("timing")).expect("made");
        fs::copy(dir().join("chips.toml"), to.join("chips.toml")).expect("copied");
        let whole = fs::read_to_string(dir().join("timing/model.toml")).expect("the model");
        for (from, by, part) in [
            ("\nlaunch_step = {", "\nlaunch_stop = {", "the model's launch_step is missing"),
            ("mte2_rate = { value = 110", "mte2_rate = { value = 0", "the model's mte2_rate is 0, a number of 0.001"),
            ("[base]", "[base", "is no parameter file of the model"),
        ] {
            assert!(whole.contains(from), "{from}");
            fs::write(to.join("timing/model.toml"), whole.replace(from, by)).expect("written");
            let error = read(to, DEFAULT).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

//! Tiles by what they cost: the timing model's parameters, as the toolkit's sources have them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ascgraph::plan::Plan;
use ascgraph::timing::{File, Soc, Timing};
use clap::ValueEnum;

use crate::base::chips;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};

/// How the tiling function chooses
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tiles {
    /// The cheapest by the timing model of HOSTCANN_SOC; the largest without its parameters
    #[default]
    Model,
    /// The largest that fit, fewer on a core
    Largest,
}

/// Prices the plan. Nothing is done where there is no model.
pub fn price(cx: &Ctx, plan: &mut Plan, tiles: Tiles) -> Result<()> {
    let dir = cx.repo.join("hostcann/soc");
    if tiles == Tiles::Model && dir.join("timing/model.toml").is_file() {
        let asked = std::env::var("HOSTCANN_SOC").ok().filter(|name| !name.is_empty());
        plan.price(&read(&dir, asked.as_deref().unwrap_or(chips::DEFAULT))?);
    }
    Ok(())
}

fn read(dir: &Path, asked: &str) -> Result<Timing> {
    let (model, own) = (dir.join("timing/model.toml"), dir.join(chips::FILE));
    let all = chips::read(&own)?;
    let Some(chip) = chips::find(&all, asked) else {
        let names: Vec<&str> = all.iter().map(|chip| chip.name.as_str()).collect();
        let error = failed(Kind::UnknownSoc, format!("the timing model has no SoC {asked} (HOSTCANN_SOC)"));
        return Err(error.hint(format!("it has {}", names.join(", "))));
    };
    let text = fs::read_to_string(&model).with_context(|| format!("cannot read {}", model.display()))?;
    let file: File =
        toml::from_str(&text).with_context(|| format!("{} is no parameter file of the model", model.display()))?;
    let soc: Soc = chip.sections.clone().try_into().with_context(|| format!("{}: {}", own.display(), chip.name))?;
    Timing::of(&file, &chip.name, &soc).with_context(|| format!("{} for {}", model.display(), chip.name))
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
            let timing = read(&dir(), asked).unwrap_or_else(|error| panic!("{asked}: {error:#}"));
            assert_eq!((timing.soc.as_str(), timing.ai_cores), (name, cores));
            let mut plan = ascgraph::plan::plan(&fmod_example()).expect("planned");
            plan.price(&timing);
            assert!(plan.cases.iter().all(|kernel| kernel.cost.is_some()));
        }
        let error = format!("{:#}", read(&dir(), "Ascend310").expect_err("no such chip"));
        assert!(error.contains("the timing model has no SoC Ascend310 (HOSTCANN_SOC)"), "{error}");
    }

    #[test]
    fn a_broken_model_is_named() {
        let temp = tempfile::tempdir().expect("temp dir");
        let to = temp.path();
        fs::create_dir(to.join("timing")).expect("made");
        fs::copy(dir().join(chips::FILE), to.join(chips::FILE)).expect("copied");
        let whole = fs::read_to_string(dir().join("timing/model.toml")).expect("the model");
        for (from, by, part) in [
            ("\nlaunch_step = {", "\nlaunch_stop = {", "the model's launch_step is missing"),
            ("mte2_rate = { value = 110", "mte2_rate = { value = 0", "the model's mte2_rate is 0, a number of 0.001"),
            ("[base]", "[base", "is no parameter file of the model"),
        ] {
            assert!(whole.contains(from), "{from}");
            fs::write(to.join("timing/model.toml"), whole.replace(from, by)).expect("written");
            let error = format!("{:#}", read(to, chips::DEFAULT).expect_err(part));
            assert!(error.contains(part), "{error}");
        }
    }
}

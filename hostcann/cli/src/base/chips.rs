//! The chips that the toolkit of this repository models: a file each in hostcann/soc.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Where neither `--soc` nor HOSTCANN_SOC names another.
pub const DEFAULT: &str = "Ascend910B3";

/// One of them.
pub struct Chip {
    pub name: String,
    pub family: String,
    pub vector_cores: u32,
}

/// In the order of their names; none where the repository is another one.
pub fn of(repo: &Path) -> Result<Vec<Chip>> {
    let dir = repo.join("hostcann/soc");
    let mut chips = Vec::new();
    let Ok(entries) = fs::read_dir(&dir) else { return Ok(chips) };
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let table: toml::Table = toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
        let value = |section: &str, key: &str| table.get(section).and_then(|values| values.get(key)).cloned();
        let text = |value: Option<toml::Value>| value.and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        let count = value("SoCInfo", "vector_core_cnt");
        let count = count.as_ref().and_then(|v| v.as_integer().or_else(|| v.as_str()?.parse().ok()));
        chips.push(Chip {
            name: name.to_owned(),
            family: text(value("version", "Short_SoC_version")),
            vector_cores: count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0),
        });
    }
    chips.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(chips)
}

/// By its own name, or the first one of a family: the default where it is of that.
pub fn find<'a>(chips: &'a [Chip], asked: &str) -> Option<&'a Chip> {
    let family = || chips.iter().filter(|chip| chip.family.eq_ignore_ascii_case(asked));
    let by_name = chips.iter().find(|chip| chip.name.eq_ignore_ascii_case(asked));
    by_name.or_else(|| family().find(|chip| chip.name == DEFAULT)).or_else(|| family().next())
}

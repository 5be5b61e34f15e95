//! The chips that the toolkit of this repository models: a table each in hostcann/soc/chips.toml.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The chip where neither `--soc` nor HOSTCANN_SOC names another.
pub use hostcann_types::soc::DEFAULT;

/// Below `hostcann/soc`, and below `data/platform_config` of a toolkit.
pub const FILE: &str = "chips.toml";

/// One of them.
pub struct Chip {
    pub name: String,
    pub family: String,
    pub vector_cores: u32,
    /// What all share, and over it what the chip has of its own.
    pub sections: toml::Table,
}

/// In the order of their names; none where the repository is another one.
pub fn of(repo: &Path) -> Result<Vec<Chip>> {
    let file = repo.join("hostcann/soc").join(FILE);
    if file.is_file() { read(&file) } else { Ok(Vec::new()) }
}

/// The chips of such a file, in the order of their names.
///
/// # Errors
///
/// The file cannot be read, or is not a table of sections for each chip.
pub fn read(file: &Path) -> Result<Vec<Chip>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    parse(&text).with_context(|| format!("{} is not a table of sections for each chip", file.display()))
}

fn parse(text: &str) -> Result<Vec<Chip>> {
    let chip = |(name, mut sections): (String, toml::Table)| {
        let version = sections.entry("version").or_insert_with(|| toml::Table::new().into());
        if let Some(version) = version.as_table_mut() {
            version.insert("SoC_version".to_owned(), name.clone().into());
        }
        let value = |section: &str, key: &str| sections.get(section).and_then(|values| values.get(key));
        let family = value("version", "Short_SoC_version").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let cores = value("SoCInfo", "vector_core_cnt").and_then(toml::Value::as_integer);
        let vector_cores = cores.and_then(|cores| u32::try_from(cores).ok()).unwrap_or(0);
        Chip { name, family, vector_cores, sections }
    };
    Ok(autofuse::timing::chips(text)?.into_iter().map(chip).collect())
}

/// By its own name, or the first one of a family: the default where it is of that.
pub fn find<'a>(chips: &'a [Chip], asked: &str) -> Option<&'a Chip> {
    hostcann_types::soc::find(chips, |chip| &chip.name, |chip| chip.family.clone(), asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_has_what_all_share_unless_it_has_its_own() {
        let text = "[base.version]\nArch_type = 4\n[base.SoCInfo]\nl2_size = 1\nmemory_size = 2\n\
                    [A-1]\nversion.Short_SoC_version = \"a\"\nSoCInfo.l2_size = 7\nSoCInfo.vector_core_cnt = 40\n[B]\n";
        let chips = parse(text).expect("chips");
        let sections = |text: &str| text.parse::<toml::Table>().expect("sections");
        let own = "[SoCInfo]\nl2_size = 7\nmemory_size = 2\nvector_core_cnt = 40\n\
                   [version]\nArch_type = 4\nSoC_version = \"A-1\"\nShort_SoC_version = \"a\"\n";
        assert_eq!(chips[0].sections, sections(own));
        assert_eq!((chips[0].family.as_str(), chips[0].vector_cores), ("a", 40));
        assert_eq!(chips[1].sections["SoCInfo"], sections("l2_size = 1\nmemory_size = 2").into());
        assert!(parse("").expect("none").is_empty() && parse("a = 1").is_err());
    }
}

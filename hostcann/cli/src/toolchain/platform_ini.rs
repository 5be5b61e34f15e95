//! `platform_config/<SoC>.ini` from the toolkit's chips, whose sections and keys are those of the ini.

use anyhow::{Context, Result, bail};

/// Behaviour that no document settles: no key of the ini.
const OURS: &str = "undocumented";

/// As Python's configparser reads it: sections, `key=value`, no quotes.
pub fn of(sections: &toml::Table) -> Result<String> {
    let mut ini = String::new();
    for (section, content) in sections.iter().filter(|(section, _)| *section != OURS) {
        let content = content.as_table().with_context(|| format!("{section} is no section"))?;
        ini.push_str(&format!("[{section}]\n"));
        for (key, value) in content {
            let value = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                _ => bail!("[{section}] {key} is neither text nor number"),
            };
            ini.push_str(&format!("{key}={value}\n"));
        }
    }
    Ok(ini)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::chips;

    #[test]
    fn sections_and_plain_values() {
        let text = "[version]\nSoC_version = \"Ascend910B3\"\nArch_type = 4\n[SoCInfo]\nmemory_type = \"\"\n\
                    core_type_list = \"CubeCore,VectorCore\"\n[undocumented]\nftz = \"off\"\n";
        let of = |text: &str| super::of(&text.parse().expect("TOML"));
        let ini = of(text).expect("an ini");
        let lines = |ini: &str| ini.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        let wanted = "[version]\nSoC_version=Ascend910B3\nArch_type=4\n[SoCInfo]\nmemory_type=\n\
                      core_type_list=CubeCore,VectorCore\n";
        assert_eq!(lines(&ini), lines(wanted));
        let (version, info) = (ini.find("[version]").expect("there"), ini.find("[SoCInfo]").expect("there"));
        let arch = ini.find("Arch_type").expect("there");
        assert!(arch > version && (info < version || arch < info), "in its section: {ini}");
        assert!(of("[a]\nb = [1]\n").is_err() && of("b = 1\n").is_err());
    }

    #[test]
    fn every_chip_of_the_toolkit_has_one() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc").join(chips::FILE);
        let all = chips::read(&file).expect("the file");
        let ini = of(&chips::find(&all, "Ascend910B3").expect("a chip").sections).expect("an ini");
        // What test kits cannot do without.
        for line in
            ["Short_SoC_version=Ascend910B", "CCEC_AIC_version=dav-c220-cube", "ai_core_cnt=20", "vector_core_cnt=40"]
        {
            assert!(ini.lines().any(|own| own == line), "{line} is missing in {ini}");
        }
        assert!(!ini.contains("div_ulp") && !ini.contains('"'));
    }
}

//! `opc info`: one ops-info.json and one binary_info_config.json per SoC, over all ops of the package.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use hostcann_types::soc::FAMILIES;

use super::InfoArgs;
use super::combos;
use super::ini::{self, Op};
use super::meta;
use crate::base::files;

pub fn run(args: &InfoArgs) -> Result<()> {
    let mut socs: BTreeMap<&str, Vec<Op>> = BTreeMap::new();
    for (soc, path) in &args.def_ini {
        let is_modelled = FAMILIES.contains(&soc.as_str());
        let ops = if is_modelled { ini::read(path)? } else { ini::read_known(path)? };
        socs.entry(soc).or_default().extend(ops);
    }
    for (soc, ops) in &mut socs {
        combos::choose(soc, ops, &args.combinations)?;
    }
    for (soc, ops) in &socs {
        let info = args.out.join("config").join(soc).join(format!("aic-{soc}-ops-info.json"));
        files::write_if_changed(&info, ini::to_json(ops)?.as_bytes())?;
        // Op info is shipped for every SoC of the definition, kernels for those that were built.
        let kernels = args.out.join("kernel/config").join(soc);
        let mut binaries = BTreeMap::new();
        for op in ops {
            if kernels.join(format!("{}.json", op.file()?)).is_file() {
                binaries.insert(op.name.as_str(), meta::binary_info(op, soc)?);
            }
        }
        if !binaries.is_empty() {
            files::write_if_changed(&kernels.join("binary_info_config.json"), meta::pretty(&binaries)?.as_bytes())?;
        }
    }
    fs::write(&args.stamp, "").with_context(|| format!("cannot write {}", args.stamp.display()))
}

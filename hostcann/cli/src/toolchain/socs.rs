//! Which SoCs an op can be built for.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::op_dir::{OpDir, definitions};

/// What hostcann models. A real CANN takes whatever its build.sh takes.
use hostcann_types::soc::FAMILIES as HOST_SOCS;

/// Upstream's rule (build_options.sh): case does not matter, a supported name that is a prefix of the given one, the longest,
/// or the other way round. Here the other way round must be one name.
fn match_soc(given: &str) -> Result<Option<&'static str>> {
    let low = given.to_ascii_lowercase();
    if low.is_empty() {
        return Ok(None);
    }
    let longer: Vec<&str> = HOST_SOCS.into_iter().filter(|soc| soc.starts_with(&low)).collect();
    match longer.as_slice() {
        [] => Ok(HOST_SOCS.into_iter().filter(|soc| low.starts_with(*soc)).max_by_key(|soc| soc.len())),
        [one] => Ok(Some(one)),
        several => Err(failed(Kind::UnknownSoc, format!("--soc={given} is {}", several.join(" or ")))
            .hint("give the whole name, or several with commas")),
    }
}

/// Whether the host toolkit can build all of the op for one of these SoCs; none: for any.
pub fn is_for(op: &OpDir, given: &[String]) -> Result<bool> {
    let have = if definitions(op)?.is_empty() { socs_of(op)? } else { configured_socs(op)? };
    let mut wanted = given.iter().map(|name| match_soc(name)).collect::<Result<Vec<_>>>()?;
    if given.is_empty() {
        wanted = HOST_SOCS.into_iter().map(Some).collect();
    }
    Ok(wanted.into_iter().flatten().any(|soc| have.iter().any(|have| have == soc)))
}

pub fn other_soc(op: &OpDir) -> anyhow::Error {
    failed(Kind::UnknownSoc, format!("{} has no AddConfig(\"…\") for a SoC that is asked for", op.name))
        .hint(format!("the host toolkit models {}", HOST_SOCS.join(" and ")))
}

pub fn host_socs(cx: &Ctx, ops: &[OpDir], given: &[String]) -> Result<Vec<String>> {
    let socs = ops.iter().map(socs_of).collect::<Result<Vec<_>>>()?;
    let common = common_socs(ops, &socs, given)?;
    let missing: BTreeSet<&str> =
        socs.iter().flatten().map(String::as_str).filter(|soc| !common.contains(soc)).collect();
    if given.is_empty() && !missing.is_empty() {
        let missing = missing.into_iter().collect::<Vec<_>>().join(", ");
        cx.console.warn(format!("not every op has {missing}: built for {} only", common.join(", ")));
    }
    Ok(common.into_iter().map(str::to_owned).collect())
}

/// What is built: of the SoCs that every op has, those that are asked for.
fn common_socs<'a>(ops: &[OpDir], socs: &'a [Vec<String>], given: &[String]) -> Result<Vec<&'a str>> {
    let first = socs.first().map(Vec::as_slice).unwrap_or_default();
    let common: Vec<&str> = first
        .iter()
        .map(String::as_str)
        .filter(|soc| socs.iter().all(|have| have.iter().any(|have| have == soc)))
        .collect();
    let names = ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(", ");
    if common.is_empty() {
        let message = format!("{names}: no AddConfig(\"…\") for a SoC that the host toolkit models");
        return Err(
            failed(Kind::UnknownSoc, message).hint(format!("the host toolkit models {}", HOST_SOCS.join(" and ")))
        );
    }
    if given.is_empty() {
        return Ok(common);
    }
    let mut chosen = Vec::new();
    for name in given {
        let matched = match_soc(name)?;
        let soc = common.iter().copied().find(|have| Some(*have) == matched).ok_or_else(|| {
            let message = format!("unknown SoC `{name}`; {names} can be built for: {}", common.join(", "));
            failed(Kind::UnknownSoc, message).hint("for example --soc=ascend910b")
        })?;
        if !chosen.contains(&soc) {
            chosen.push(soc);
        }
    }
    Ok(chosen)
}

/// AI CPU kernels are the same for every SoC: an op that has them, but no AI Core kernels for a SoC that is modelled, can
/// be built without those.
fn socs_of(op: &OpDir) -> Result<Vec<String>> {
    let have = configured_socs(op)?;
    if have.is_empty() && !op.aicpu_kernels()?.is_empty() {
        return Ok(HOST_SOCS.map(str::to_owned).to_vec());
    }
    Ok(have)
}

/// The literal `AddConfig("<soc>"` of the definition, as upstream's build looks for it.
fn configured_socs(op: &OpDir) -> Result<Vec<String>> {
    let mut socs = Vec::new();
    for path in definitions(op)? {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for part in text.split("AddConfig(\"").skip(1) {
            let soc = part.split('"').next().unwrap_or_default();
            if HOST_SOCS.contains(&soc) && !socs.iter().any(|have| have == soc) {
                socs.push(soc.to_owned());
            }
        }
    }
    Ok(socs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;
    use std::path::{Path, PathBuf};

    fn op(dir: &Path, name: &str, socs: &[&str]) -> OpDir {
        let path: PathBuf = dir.join(name);
        let def: String = socs.iter().map(|soc| format!("this->AICore().AddConfig(\"{soc}\");\n")).collect();
        write_if_changed(&path.join(format!("op_host/{name}_def.cpp")), def.as_bytes()).expect("write");
        OpDir { name: name.to_owned(), path }
    }

    #[test]
    fn soc_names() {
        let matched = |name| match_soc(name).expect("not ambiguous");
        assert_eq!(matched("ascend910b"), Some("ascend910b"));
        assert_eq!(matched("Ascend910B3"), Some("ascend910b"));
        assert_eq!(matched("Ascend910_9391"), Some("ascend910_93"));
        assert_eq!(matched("ascend910_9"), Some("ascend910_93"));
        assert_eq!(matched("ascend310p"), None);
        assert_eq!(matched(""), None);
        assert_eq!(diag::code(&match_soc("Ascend910").expect_err("two of them")), 16);
    }

    #[test]
    fn aicpu_kernels_are_for_every_soc() {
        let temp = tempfile::tempdir().expect("temp dir");
        let other = op(temp.path(), "other", &["ascend950"]);
        assert!(socs_of(&other).expect("socs").is_empty());
        write_if_changed(&other.path.join("op_kernel_aicpu/other_aicpu.cpp"), b"").expect("write");
        assert_eq!(socs_of(&other).expect("socs"), HOST_SOCS);
        // A pattern means ops that are built whole.
        assert!(!is_for(&other, &[]).expect("socs"));
        std::fs::remove_dir_all(other.path.join("op_host")).expect("remove");
        assert!(is_for(&other, &["ascend910b".to_owned()]).expect("socs"));
    }

    #[test]
    fn socs_of_the_definition() {
        let temp = tempfile::tempdir().expect("temp dir");
        let ops = [op(temp.path(), "one", &["ascend910b", "ascend910_93", "ascend950"])];
        let have = [configured_socs(&ops[0]).expect("socs")];
        let socs =
            |given: &[&str]| common_socs(&ops, &have, &given.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(socs(&[]).expect("socs"), ["ascend910b", "ascend910_93"]);
        assert_eq!(socs(&["Ascend910B1", "ascend910b"]).expect("socs"), ["ascend910b"]);
        let error = socs(&["ascend950"]).expect_err("not modelled");
        assert_eq!(diag::code(&error), 16);
        assert_eq!(diag::causes(&error)[0], "unknown SoC `ascend950`; one can be built for: ascend910b, ascend910_93");
    }
}

//! What a verb works on: root, op directories, SoCs, vendor.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::args::OpArgs;
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::files;
use crate::proc;
use crate::root::Root;
use crate::select;

/// What hostcann models. A real CANN takes whatever its build.sh takes.
const HOST_SOCS: [&str; 2] = ["ascend910b", "ascend910_93"];

#[derive(Clone, Debug)]
pub struct OpDir {
    pub name: String,
    pub path: PathBuf,
}

#[derive(Clone)]
pub struct Plan {
    pub root: Root,
    pub ops: Vec<OpDir>,
    pub socs: Vec<String>,
    pub vendor: String,
    /// `NAME=VALUE` for the ops' sources.
    pub defines: Vec<String>,
    /// The ops are this repository's, all of them: its own test layers belong to the run.
    pub is_repository: bool,
    pub debug: bool,
    pub jobs: usize,
    pub ops_math: Option<PathBuf>,
}

impl Plan {
    pub fn new(cx: &mut Ctx, args: &OpArgs) -> Result<Plan> {
        let root = Root::choose(cx)?;
        root.announce(cx);
        let ops = select::ops(cx, args, &root)?;
        let is_repository = is_repository(&cx.repo, &ops)?;
        let vendor = match &args.vendor_name {
            Some(name) => name.clone(),
            None if is_repository => "custom".to_owned(),
            None => joint_name(&ops),
        };
        check_vendor(&vendor)?;
        check_defines(&ops, &args.defines)?;
        let socs = if root.is_host() { host_socs(cx, &ops, &args.soc)? } else { args.soc.clone() };
        cx.report("soc", socs.join(","));
        cx.report("ops", ops.iter().map(|op| op.name.clone()).collect::<Vec<_>>());
        cx.report("vendor", vendor.clone());
        Ok(Plan {
            root,
            ops,
            socs,
            vendor,
            defines: args.defines.clone(),
            is_repository,
            debug: args.debug,
            jobs: proc::jobs(args.jobs),
            ops_math: args.checkout(),
        })
    }

    /// For work on the toolkit alone.
    pub fn of_toolkit(root: Root, jobs: usize) -> Plan {
        Plan {
            root,
            ops: Vec::new(),
            socs: Vec::new(),
            vendor: String::new(),
            defines: Vec::new(),
            is_repository: false,
            debug: false,
            jobs,
            ops_math: None,
        }
    }

    pub fn vendor_dir(&self) -> String {
        format!("{}_math", self.vendor)
    }

    pub fn op_names(&self) -> String {
        self.ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Everything that decides what is in the build directory names it: no stale file of another selection survives.
    pub fn build_dir(&self, cx: &Ctx) -> PathBuf {
        let mut key = self.root.path.display().to_string();
        for part in self
            .ops
            .iter()
            .map(|op| op.path.display().to_string())
            .chain(self.socs.iter().cloned())
            .chain(self.defines.iter().cloned())
            .chain(self.debug.then(|| "debug".to_owned()))
        {
            key.push('\n');
            key.push_str(&part);
        }
        let hash = files::sha256(key.as_bytes());
        cx.work().join("build").join(format!("{}-{}", self.vendor, &hash[..8]))
    }

    pub fn run_name(&self) -> String {
        format!("cann-ops-math-{}_linux-{}.run", self.vendor, std::env::consts::ARCH)
    }
}

/// The vendor of ops from elsewhere: a file name has an end.
fn joint_name(ops: &[OpDir]) -> String {
    const LONGEST: usize = 60;
    let all = ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join("_");
    match ops {
        [first, others @ ..] if all.len() > LONGEST => format!("{}_and_{}_more", first.name, others.len()),
        _ => all,
    }
}

fn check_vendor(name: &str) -> Result<()> {
    let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if good {
        return Ok(());
    }
    Err(failed(Kind::Usage, format!("--vendor_name `{name}`: only letters, digits and `_` are allowed"))
        .hint("it becomes a directory name, for example --vendor_name=custom"))
}

/// A name that no source reads would change nothing.
fn check_defines(ops: &[OpDir], defines: &[String]) -> Result<()> {
    for define in defines {
        let name = define.split('=').next().unwrap_or_default();
        let mut found = false;
        for op in ops {
            found |= op.mentions(name, &["op_host", "op_api", "op_kernel"])?;
        }
        if !found {
            let names = ops.iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(failed(Kind::Usage, format!("--define {define}: no source of {names} reads {name}"))
                .hint("an op's README names what its sources take from -DNAME=VALUE"));
        }
    }
    Ok(())
}

impl OpDir {
    /// Whether a source below one of these directories has the word.
    pub fn mentions(&self, word: &str, dirs: &[&str]) -> Result<bool> {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for dir in dirs.iter().map(|dir| self.path.join(dir)).filter(|dir| dir.is_dir()) {
            for file in files::walk(&dir)? {
                let path = dir.join(file);
                let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                if String::from_utf8_lossy(&bytes).split(|c| !part(c)).any(|found| found == word) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn is_repository(repo: &Path, ops: &[OpDir]) -> Result<bool> {
    let own = select::in_tree(repo)?;
    Ok(own.len() == ops.len() && own.iter().all(|own| ops.iter().any(|op| op.path == own.path)))
}

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

/// Whether the host toolkit can build the op for one of these SoCs; none: for any.
pub fn is_for(op: &OpDir, given: &[String]) -> Result<bool> {
    let have = configured_socs(op)?;
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

fn host_socs(cx: &Ctx, ops: &[OpDir], given: &[String]) -> Result<Vec<String>> {
    let socs = ops.iter().map(configured_socs).collect::<Result<Vec<_>>>()?;
    let common = common_socs(ops, &socs, given)?;
    let missing: BTreeSet<&str> =
        socs.iter().flatten().map(String::as_str).filter(|soc| !common.contains(soc)).collect();
    if given.is_empty() && !missing.is_empty() {
        let missing = missing.into_iter().collect::<Vec<_>>().join(", ");
        cx.warn(format!("not every op has {missing}: built for {} only", common.join(", ")));
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

/// The literal `AddConfig("<soc>"` of the definition, as upstream's build looks for it.
fn configured_socs(op: &OpDir) -> Result<Vec<String>> {
    let mut socs = Vec::new();
    for path in select::definitions(op)? {
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
    use crate::diag;
    use crate::files::write_if_changed;
    use crate::select::open;

    fn op(dir: &Path, name: &str, socs: &[&str]) -> PathBuf {
        let path = dir.join(name);
        let def: String = socs.iter().map(|soc| format!("this->AICore().AddConfig(\"{soc}\");\n")).collect();
        write_if_changed(&path.join("CMakeLists.txt"), b"").expect("write");
        write_if_changed(&path.join(format!("op_host/{name}_def.cpp")), def.as_bytes()).expect("write");
        write_if_changed(&path.join(format!("op_kernel/{name}.cpp")), b"").expect("write");
        path
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
    fn socs_of_the_definition() {
        let temp = tempfile::tempdir().expect("temp dir");
        let ops = [open(&op(temp.path(), "one", &["ascend910b", "ascend910_93", "ascend950"])).expect("op")];
        let have = [configured_socs(&ops[0]).expect("socs")];
        let socs =
            |given: &[&str]| common_socs(&ops, &have, &given.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(socs(&[]).expect("socs"), ["ascend910b", "ascend910_93"]);
        assert_eq!(socs(&["Ascend910B1", "ascend910b"]).expect("socs"), ["ascend910b"]);
        let error = socs(&["ascend950"]).expect_err("not modelled");
        assert_eq!(diag::code(&error), 16);
        assert_eq!(diag::causes(&error)[0], "unknown SoC `ascend950`; one can be built for: ascend910b, ascend910_93");
    }

    #[test]
    fn not_an_op() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = op(temp.path(), "one", &[]);
        fs::remove_file(path.join("op_kernel/one.cpp")).expect("remove");
        let error = open(&path).expect_err("no kernel");
        assert_eq!(diag::code(&error), 15);
        assert!(diag::causes(&error)[0].ends_with("op_kernel/one.cpp is missing"), "{error:?}");
    }

    #[test]
    fn many_ops_have_a_short_name() {
        let ops = |names: &[&str]| -> Vec<OpDir> {
            names.iter().map(|name| OpDir { name: (*name).to_owned(), path: PathBuf::new() }).collect()
        };
        assert_eq!(joint_name(&ops(&["acos", "sqrt"])), "acos_sqrt");
        assert_eq!(joint_name(&ops(&["acos"; 30])), "acos_and_29_more");
    }

    #[test]
    fn vendor_names() {
        assert!(check_vendor("custom_1").is_ok());
        for bad in ["", "a/b", "a b", "ä", "a;b", "$(x)"] {
            assert_eq!(check_vendor(bad).map_err(|error| diag::code(&error)), Err(2), "{bad}");
        }
    }
}

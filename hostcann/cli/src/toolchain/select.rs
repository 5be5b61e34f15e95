//! Which op directories a command line means: --op-dir, --ops, --repo.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::op_dir::OpDir;
use crate::toolchain::around::{self, has_parts, open};
use crate::toolchain::root::Root;
use crate::toolchain::socs;

/// The op directories of a run; they share a package.
pub fn ops(cx: &Ctx, args: &OpArgs, root: &Root) -> Result<Vec<OpDir>> {
    let known = known(cx, args)?;
    if args.ops.is_empty() {
        if known.is_empty() {
            return Err(around::which(cx));
        }
        return Ok(known.into_values().collect());
    }
    let mut chosen: Vec<OpDir> = Vec::new();
    let mut refused = Vec::new();
    for (place, by_pattern) in places(cx, args, &known)? {
        match open(&place) {
            // A pattern means what can be built of that which it matches.
            Err(error) if by_pattern && diag::kind(&error) == Some(Kind::UnknownOp) => refused.push(error),
            Ok(op) if by_pattern && root.is_host() && !socs::is_for(&op, &args.soc)? => {
                refused.push(socs::other_soc(&op))
            }
            result => add(&mut chosen, result?)?,
        }
    }
    for error in &refused {
        cx.console.warn(format!("left out: {}", diag::causes(error).join(": ")));
    }
    match refused.into_iter().next() {
        Some(error) if chosen.is_empty() => Err(error),
        _ => Ok(chosen),
    }
}

/// The op directories that `--op-dir` and `--ops` name. Whether one that was named is an op, its own run says; a pattern
/// means only those that are.
pub fn each(cx: &Ctx, args: &OpArgs) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = args.op_dir.iter().map(|dir| cx.run.sh.current_dir().join(dir)).collect();
    if !args.ops.is_empty() {
        let (ops, others) = tried(places(cx, args, &BTreeMap::new())?);
        found.extend(ops);
        for error in &others {
            cx.console.warn(format!("no operator: {}", diag::causes(error).join(": ")));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|place| seen.insert(place.canonicalize().unwrap_or_else(|_| place.clone())));
    Ok(found)
}

/// What is tried, and why other directories that a pattern matches are no operators.
fn tried(places: Vec<(PathBuf, bool)>) -> (Vec<PathBuf>, Vec<anyhow::Error>) {
    let mut found = Vec::new();
    let mut others = Vec::new();
    for (place, by_pattern) in places {
        match open(&place) {
            Err(error) if by_pattern && diag::kind(&error) == Some(Kind::UnknownOp) => others.push(error),
            _ => found.push(place),
        }
    }
    (found, others)
}

/// The ops that a bare name may mean without a checkout.
fn known(cx: &Ctx, args: &OpArgs) -> Result<BTreeMap<String, OpDir>> {
    if args.op_dir.is_empty() {
        return Ok(around::ops(cx)?.into_iter().map(|op| (op.name.clone(), op)).collect());
    }
    let mut given = Vec::new();
    for path in &args.op_dir {
        add(&mut given, open(&cx.run.sh.current_dir().join(path))?)?;
    }
    Ok(given.into_iter().map(|op| (op.name.clone(), op)).collect())
}

fn add(chosen: &mut Vec<OpDir>, op: OpDir) -> Result<()> {
    let Some(other) = chosen.iter().find(|other| other.name == op.name) else {
        chosen.push(op);
        return Ok(());
    };
    if other.path == op.path {
        return Ok(());
    }
    let message =
        format!("two op directories are called {}: {} and {}", op.name, other.path.display(), op.path.display());
    Err(failed(Kind::Usage, message).hint("one package holds one op of a name: rename one, or build them apart"))
}

/// What each word of --ops means, and whether it is a pattern: an op that is known by name, else a place in the checkout.
fn places(cx: &Ctx, args: &OpArgs, known: &BTreeMap<String, OpDir>) -> Result<Vec<(PathBuf, bool)>> {
    let mut found = Vec::new();
    for word in &args.ops {
        if let Some(op) = known.get(word) {
            found.push((op.path.clone(), false));
            continue;
        }
        let Some(checkout) = args.checkout(&cx.project) else { return Err(unknown(word, known.keys())) };
        let by_pattern = word.contains(['*', '?']);
        found
            .extend(in_checkout(&checkout, args.checkout_source(), word)?.into_iter().map(|place| (place, by_pattern)));
    }
    Ok(found)
}

/// `acos`, `experimental/math/acos` or `experimental/math/a*` in an ops-math checkout.
fn in_checkout(checkout: &Path, source: &str, word: &str) -> Result<Vec<PathBuf>> {
    let experimental = checkout.join("experimental");
    if !experimental.is_dir() {
        let message = format!("{source}: {} is no checkout of operators: it has no experimental", checkout.display());
        return Err(failed(Kind::NoOpsMath, message)
            .hint("--repo DIR or OPS_MATH_HOME=DIR names the directory that holds build.sh"));
    }
    let found = if word.contains('/') {
        matching(checkout, word)?
    } else {
        // Categories differ from repository to repository; examples/ is like one.
        let of_any = format!("*/{word}");
        let mut all = matching(&experimental, &of_any)?;
        all.extend(matching(checkout, &of_any)?);
        all
    };
    let names: BTreeSet<_> = found.iter().filter_map(|place| place.file_name()).collect();
    if names.len() < found.len() && !word.contains('/') {
        let places: Vec<String> = found.iter().map(|place| shown(checkout, place)).collect();
        return Err(failed(Kind::UnknownOp, format!("--ops {word} is {}", places.join(" and ")))
            .hint("name the one you mean by its path in the checkout"));
    }
    if found.is_empty() {
        return Err(failed(Kind::UnknownOp, format!("{source}: {} has no op directory `{word}`", checkout.display())).hint(
            "ops are named by directory (acos), by path (experimental/math/acos) or by a quoted pattern ('experimental/math/*')",
        ));
    }
    Ok(found)
}

/// As the user would name it.
pub fn shown(checkout: &Path, place: &Path) -> String {
    place.strip_prefix(checkout).unwrap_or(place).display().to_string()
}

/// Directories with a CMakeLists.txt below `base` that fit the pattern, segment by segment; hidden ones are none.
fn matching(base: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    let mut open = vec![base.to_path_buf()];
    for segment in pattern.split('/').filter(|segment| !segment.is_empty()) {
        let mut next = Vec::new();
        for dir in open.iter().filter(|dir| dir.is_dir()) {
            for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
                let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if !name.starts_with('.') && fits(&name, segment) {
                    next.push(path);
                }
            }
        }
        next.sort();
        open = next;
    }
    open.retain(|dir| dir.join("CMakeLists.txt").is_file() && has_parts(dir));
    Ok(open)
}

/// `*`: any characters, `?`: one.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            (0..=name.len()).any(|at| name.is_char_boundary(at) && fits(&name[at..], rest))
        }
        Some(wanted) => {
            let mut chars = name.chars();
            chars.next().is_some_and(|first| wanted == '?' || wanted == first)
                && fits(chars.as_str(), &pattern[wanted.len_utf8()..])
        }
    }
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> anyhow::Error {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    failed(Kind::UnknownOp, format!("unknown op `{name}`; known ops: {known}")).hint(
        "ops are named by directory below experimental/<category>/; other places need --op-dir PATH, a checkout --repo DIR",
    )
}

/// The one op directory that a verb is about. It need not be complete: that is the verb's to say.
pub fn one(cx: &Ctx, op_dir: Option<&Path>, ops: Option<&str>) -> Result<PathBuf> {
    if let Some(dir) = op_dir {
        let path = cx.run.sh.current_dir().join(dir);
        let no_op = |why: String| {
            failed(Kind::UnknownOp, format!("{} is not an op directory{why}", path.display()))
                .hint("it holds CMakeLists.txt and op_host/")
        };
        let path = path.canonicalize().map_err(|error| no_op(format!(": {error}")))?;
        if !path.join("op_host").is_dir() && !path.join("CMakeLists.txt").is_file() {
            return Err(no_op(String::new()));
        }
        return Ok(path);
    }
    if let (Some(name), Some(checkout)) = (ops, cx.project.checkout()) {
        let found = in_checkout(&checkout, "the current directory", name)?;
        if let [path] = found.as_slice() {
            return Ok(path.clone());
        }
    }
    let known = around::ops(cx)?;
    let chosen: Vec<&OpDir> = known.iter().filter(|op| ops.is_none_or(|name| name == op.name)).collect();
    match chosen.as_slice() {
        [op] => Ok(op.path.clone()),
        found => {
            let names: Vec<&str> = known.iter().map(|op| op.name.as_str()).collect();
            if known.is_empty() {
                return Err(around::which(cx));
            }
            let what = if found.is_empty() { "there is no such op below experimental/" } else { "which op?" };
            Err(failed(Kind::UnknownOp, what).hint(format!("--ops of {}, or --op-dir PATH", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    fn checkout(ops: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().expect("temp dir");
        for op in ops {
            let name = op.rsplit('/').next().expect("a name");
            for file in [
                format!("{op}/CMakeLists.txt"),
                format!("{op}/op_host/{name}_def.cpp"),
                format!("{op}/op_kernel/{name}.cpp"),
            ] {
                write_if_changed(&temp.path().join(file), b"").expect("write");
            }
        }
        write_if_changed(&temp.path().join("experimental/math/CMakeLists.txt"), b"").expect("write");
        temp
    }

    fn found(checkout: &Path, word: &str) -> Result<Vec<String>, (u8, String)> {
        match in_checkout(checkout, "OPS_MATH_HOME", word) {
            Ok(places) => Ok(places.iter().map(|place| shown(checkout, place)).collect()),
            Err(error) => Err((diag::code(&error), diag::causes(&error).remove(0))),
        }
    }

    #[test]
    fn names_paths_and_patterns() {
        let temp = checkout(&[
            "experimental/math/acos",
            "experimental/math/atan",
            "math/acos",
            "examples/add_example",
            "foreach/foreach_abs",
        ]);
        let dir = temp.path();
        let all = |word: &str| found(dir, word).unwrap_or_else(|error| panic!("{word}: {error:?}"));
        assert_eq!(all("atan"), ["experimental/math/atan"]);
        assert_eq!(all("add_example"), ["examples/add_example"]);
        assert_eq!(all("foreach_abs"), ["foreach/foreach_abs"], "a category that ops-math does not have");
        assert_eq!(all("math/acos"), ["math/acos"]);
        assert_eq!(all("experimental/math/*"), ["experimental/math/acos", "experimental/math/atan"]);
        assert_eq!(all("experimental/*/at?n"), ["experimental/math/atan"]);
        assert_eq!(all("*/acos"), ["math/acos"], "one segment is one directory");
        let (code, text) = found(dir, "acos").expect_err("two of them");
        assert_eq!((code, text.as_str()), (15, "--ops acos is experimental/math/acos and math/acos"));
        let (code, text) = found(dir, "experimental/math/x*").expect_err("none");
        assert_eq!(
            (code, text),
            (15, format!("OPS_MATH_HOME: {} has no op directory `experimental/math/x*`", dir.display()))
        );
        assert_eq!(found(dir, "experimental/*").expect_err("a category is no op").0, 15);
        let math = dir.join("math");
        let (code, text) = found(&math, "acos").expect_err("no checkout");
        let no_checkout = "is no checkout of operators: it has no experimental";
        assert_eq!((code, text), (17, format!("OPS_MATH_HOME: {} {no_checkout}", math.display())));
    }

    #[test]
    fn a_pattern_means_operators_alone() {
        let temp = checkout(&["math/acos", "math/old"]);
        let place = |name: &str| temp.path().join("math").join(name);
        fs::remove_file(place("old").join("op_host/old_def.cpp")).expect("remove");
        let (found, others) = tried(vec![(place("acos"), true), (place("old"), true)]);
        assert_eq!((found, others.len()), (vec![place("acos")], 1));
        let (found, others) = tried(vec![(place("old"), false)]);
        assert_eq!((found, others.len()), (vec![place("old")], 0), "its run says why");
    }

    #[test]
    fn patterns() {
        for (name, pattern, expected) in [
            ("acos", "*", true),
            ("acos", "a*s", true),
            ("acos", "a?os", true),
            ("acos", "acos", true),
            ("acos", "aco", false),
            ("acos", "*x*", false),
            ("größe", "gr??e", true),
            ("", "*", true),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }
}

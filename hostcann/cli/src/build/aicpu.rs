//! AI CPU kernels that operators ask for and do not bring: those of the checkout, as a CANN has them in its built-in
//! package.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

/// What a build needs beside the ops' own sources.
#[derive(Default)]
pub struct Aicpu {
    /// Kernels of other directories.
    pub kernels: Vec<PathBuf>,
    /// Where Eigen is, when a kernel includes it.
    pub eigen: Option<PathBuf>,
}

pub fn of_plan(cx: &mut Ctx, plan: &Plan) -> Result<Aicpu> {
    let kernels = missing(cx, plan)?;
    let dirs = kernels.iter().filter_map(|kernel| kernel.parent()?.parent());
    let others = dirs.map(|dir| OpDir { name: String::new(), path: dir.to_path_buf() });
    let ops: Vec<OpDir> = plan.ops.iter().cloned().chain(others).collect();
    let eigen = eigen(cx, &ops)?;
    Ok(Aicpu { kernels, eigen })
}

/// Where Eigen is, when the kernels of one of the ops include it.
pub fn eigen(cx: &mut Ctx, ops: &[OpDir]) -> Result<Option<PathBuf>> {
    for op in ops {
        // The toolkit's eigen_tensor.h is Eigen's tensors.
        let kernels = ["op_kernel_aicpu"];
        if op.mentions("Eigen", &kernels)? || op.mentions("eigen_tensor", &kernels)? || has_tests(op) {
            return tools::eigen(cx).map(Some);
        }
    }
    Ok(None)
}

/// Upstream's helpers for these tests include Eigen.
pub fn has_tests(op: &OpDir) -> bool {
    op.path.join("tests/ut/op_kernel_aicpu").is_dir()
}

/// The kernels of op types that the ops send to the AI CPU and have no kernel for.
fn missing(cx: &Ctx, plan: &Plan) -> Result<Vec<PathBuf>> {
    let mut own = BTreeSet::new();
    for op in &plan.ops {
        for kernel in op.aicpu_kernels()? {
            own.extend(registered(&read(&kernel)?));
        }
    }
    let mut found = BTreeSet::new();
    for op in &plan.ops {
        let wanted: Vec<String> = asked_for(op)?.into_iter().filter(|name| !own.contains(name)).collect();
        let Some(checkout) = checkout(&op.path).or(plan.ops_math.clone()).filter(|_| !wanted.is_empty()) else {
            continue;
        };
        let there = kernels(&checkout)?;
        for name in wanted {
            match there.get(&name) {
                Some(kernel) => drop(found.insert(kernel.clone())),
                None => cx.console.warn(format!(
                    "{} sends data types to the AI CPU kernel of {name}, which {} does not have: such calls will fail",
                    op.name,
                    checkout.display()
                )),
            }
        }
    }
    for kernel in &found {
        cx.console.say("Adding", format!("AI CPU kernel {}", kernel.display()));
    }
    Ok(found.into_iter().collect())
}

/// What holds `experimental/<category>/<op>` or `<category>/<op>`, when it looks like a checkout.
fn checkout(op: &Path) -> Option<PathBuf> {
    let above = op.parent()?.parent()?;
    let root = if above.file_name().is_some_and(|name| name == "experimental") { above.parent()? } else { above };
    root.join("build.sh").is_file().then(|| root.to_path_buf())
}

/// Op types of `AicpuTaskSpace space("Type"`.
fn asked_for(op: &OpDir) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for place in ["op_api", "op_host/op_api"].map(|dir| op.path.join(dir)) {
        if !place.is_dir() {
            continue;
        }
        for file in files::walk(&place)?.iter().filter(|file| file.extension().is_some_and(|end| end == "cpp")) {
            found.extend(spaces(&read(&place.join(file))?));
        }
    }
    Ok(found)
}

fn spaces(text: &str) -> Vec<String> {
    let starts = text.split("AicpuTaskSpace").skip(1);
    starts
        .filter_map(|rest| literal(rest.trim_start().trim_start_matches(word).trim_start().strip_prefix('(')?))
        .collect()
}

/// Op type -> kernel, for every AI CPU kernel of a checkout. The standard ones first: they are the built-in package's.
fn kernels(checkout: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for place in [checkout.to_path_buf(), checkout.join("experimental")] {
        for category in directories(&place) {
            for path in directories(&category) {
                for kernel in (OpDir { name: String::new(), path }).aicpu_kernels()? {
                    for name in registered(&read(&kernel)?) {
                        found.entry(name).or_insert_with(|| kernel.clone());
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Op types that a source makes known: `REGISTER_CPU_KERNEL(kType, Class)` with `kType` a constant of the file, also by
/// upstream's macro with the name's end `V2`.
fn registered(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in text.split("REGISTER_CPU_KERNEL").skip(1) {
        let rest = rest.strip_prefix("V2").unwrap_or(rest).trim_start();
        let Some(argument) = rest.strip_prefix('(').and_then(|rest| rest.split([',', ')']).next()) else { continue };
        let argument = argument.trim();
        found.extend(literal(argument).or_else(|| constant(text, argument)));
    }
    found
}

/// `"value"` of the constant `name`: behind `=`, in braces or in brackets.
fn constant(text: &str, name: &str) -> Option<String> {
    let places = text.match_indices(name).filter(|(at, _)| !text[..*at].ends_with(word));
    let mut values = places.filter_map(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        let rest = rest.strip_prefix("[]").unwrap_or(rest).trim_start();
        literal(rest.strip_prefix(['=', '{', '('])?)
    });
    values.next()
}

/// The text of the literal that this begins with.
fn literal(text: &str) -> Option<String> {
    let inner = text.trim_start().strip_prefix('"')?;
    inner.split_once('"').map(|(value, _)| value.to_owned())
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn read(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut found: Vec<PathBuf> = entries.unwrap_or_default();
    found.retain(|path| {
        path.is_dir() && !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    });
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    #[test]
    fn op_types_of_launches() {
        let text = "static internal::AicpuTaskSpace space(\"Equal\");\nstatic AicpuTaskSpace s2( \"Less\", ge::X, true);\n\
                    void f(AicpuTaskSpace& space);";
        assert_eq!(spaces(text), ["Equal", "Less"]);
    }

    #[test]
    fn op_types_of_kernels() {
        for (declared, used) in [
            ("const char* const kOne = \"One\";", "REGISTER_CPU_KERNEL(kOne, OneKernel);"),
            ("const char *kOne{\"One\"};", "REGISTER_CPU_KERNEL(kOne, OneKernel);"),
            ("constexpr char kOne[] = \"One\";", "OPS_MATH_REGISTER_CPU_KERNELV2(kOne, OneKernel);"),
            ("const std::string kOne(\"One\"); int akOne = 1;", "REGISTER_CPU_KERNEL( kOne , OneKernel);"),
        ] {
            assert_eq!(registered(&format!("{declared}\n{used}")), ["One"], "{declared} {used}");
        }
        assert!(registered("REGISTER_CPU_KERNEL(kElsewhere, K);").is_empty());
    }

    #[test]
    fn kernels_of_a_checkout() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
        let kernel = |name: &str| format!("const char* k = \"{name}\";\nREGISTER_CPU_KERNEL(k, K);");
        write("experimental/math/equal/op_kernel_aicpu/equal_aicpu.cpp", &kernel("Equal"));
        write("math/equal/op_kernel_aicpu/equal_aicpu.cpp", &kernel("Equal"));
        write("math/equal/op_kernel_aicpu/helper.cpp", &kernel("Helper"));
        write("math/equal/op_kernel_aicpu/parts/other_aicpu.cpp", &kernel("Other"));
        let found = kernels(temp.path()).expect("kernels");
        let standard = temp.path().join("math/equal/op_kernel_aicpu/equal_aicpu.cpp");
        assert_eq!(found, BTreeMap::from([("Equal".to_owned(), standard)]));

        let op = temp.path().join("experimental/math/equal");
        assert_eq!(checkout(&op), None, "nothing says that it is one");
        write("build.sh", "");
        assert_eq!(checkout(&op).as_deref(), Some(temp.path()));
        assert_eq!(checkout(&temp.path().join("math/equal")).as_deref(), Some(temp.path()));
        write("experimental/math/equal/op_api/equal.cpp", "AicpuTaskSpace space(\"Equal\");");
        write("experimental/math/equal/op_api/inc/x.h", "AicpuTaskSpace space(\"Header\");");
        let asked = asked_for(&OpDir { name: "equal".to_owned(), path: op }).expect("types");
        assert_eq!(asked, BTreeSet::from(["Equal".to_owned()]));
    }
}

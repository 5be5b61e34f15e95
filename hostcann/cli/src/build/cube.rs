//! Operators that need what is not modelled, refused before anything of them is built: the cube core below the Matmul
//! API, and communication between devices.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cpptext::{Kind, Token, includes, tokens};

use crate::base::diag::{HintExt, Kind as Failure, failed};
use crate::base::files;
use crate::base::op_dir::OpDir;

/// Functions of the cube core, in the toolkit's own words, and how the header spells each.
const FUNCTIONS: &str = include_str!("../../../include/ascendc/kernel/cube_absent.h");
const FUNCTION: &str = "HOSTCANN_CUBE_FUNCTION(";
/// The class through which kernels communicate.
const HCCL: &str = "Hccl";

/// A call that no kernel here can make.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    file: PathBuf,
    line: usize,
    name: String,
}

/// # Errors
/// An operator whose kernel for the modelled chips calls one of them, and files that cannot be read.
pub fn refuse(ops: &[OpDir]) -> Result<()> {
    for op in ops {
        let Some(call) = first_call(&op.path.join("op_kernel"))? else { continue };
        let needs = if call.name == HCCL { "several devices (HCCL)" } else { "the cube core" };
        let (file, Call { line, name, .. }) = (call.file.display(), &call);
        let what = format!("{}: needs {needs}: {name} in {file}:{line}; not modelled", op.name);
        return Err(failed(Failure::Build, what)
            .hint("docs/reference/interfaces.md lists what is modelled and why the rest is not"));
    }
    Ok(())
}

/// Whether kernels in this directory would be refused.
pub fn is_needed(kernels: &Path) -> Result<bool> {
    Ok(first_call(kernels)?.is_some())
}

fn functions() -> BTreeSet<&'static str> {
    let names = FUNCTIONS.split(FUNCTION).skip(1).filter_map(|rest| rest.split(')').next());
    names.filter(|name| *name != "name").chain([HCCL]).collect()
}

/// The first call in the files of the kernels and what they include of the directory and its neighbours. Folders and
/// kernels of other chips are passed over.
fn first_call(kernels: &Path) -> Result<Option<Call>> {
    if !kernels.is_dir() {
        return Ok(None);
    }
    let names = functions();
    let top = |file: &PathBuf| {
        let name = file.to_string_lossy();
        name.ends_with(".cpp") && !name.contains('/') && !name.ends_with("_apt.cpp")
    };
    let mut open: Vec<PathBuf> = files::walk(kernels)?.into_iter().filter(top).map(|file| kernels.join(file)).collect();
    open.sort();
    let mut seen = BTreeSet::new();
    while let Some(file) = open.pop() {
        if !seen.insert(file.clone()) || file.components().any(|part| part.as_os_str() == "arch35") {
            continue;
        }
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        if let Some((line, name)) = call_in(&text, &names) {
            return Ok(Some(Call { file, line, name }));
        }
        let beside = file.parent().unwrap_or(kernels);
        for include in includes(&text).into_iter().filter(|include| !include.angle) {
            let places = [beside.join(&include.path), kernels.join(&include.path)];
            open.extend(places.into_iter().find(|path| path.is_file()).and_then(|path| path.canonicalize().ok()));
        }
    }
    Ok(None)
}

/// `Name(…)` or `Name<…>`, not as a member and not where it is declared.
fn call_in(text: &str, names: &BTreeSet<&str>) -> Option<(usize, String)> {
    let tokens = tokens(text);
    let is_call = |at: &usize| {
        let (name, after) = (&tokens[*at], tokens.get(at + 1));
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let is_own =
            |before: &Token| before.is(".") || before.is("->") || before.kind == Kind::Word && !before.is("return");
        name.kind == Kind::Word
            && name.directive.is_none()
            && names.contains(name.text)
            && !before.is_some_and(is_own)
            && after.is_some_and(|after| after.is("(") || after.is("<"))
    };
    let at = (0..tokens.len()).find(is_call)?;
    Some((tokens[at].line, tokens[at].text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    #[test]
    fn the_first_cube_call_is_named() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
        write("op/op_kernel/op.cpp", "#include \"op.h\"\n#if __NPU_ARCH__ == 3510\n#include \"arch35/op.h\"\n#endif\n");
        write("op/op_kernel/arch35/op.h", "void f() { AscendC::Mmad(a); }");
        write("op/op_kernel/op_apt.cpp", "void f() { AscendC::Mmad(a); }");
        write("op/op_kernel/op.h", "// Mmad(a)\nvoid g() { x.Fixpipe(a); }\nvoid LoadData(int a);\n");
        let op = OpDir { name: "op".to_owned(), path: temp.path().join("op") };
        refuse(std::slice::from_ref(&op)).expect("nothing of the cube core is called");
        write("op/op_kernel/op.h", "#include \"../../common/tile.h\"\n");
        write("common/tile.h", "\nvoid g()\n{\n    AscendC::LoadData<half>(a);\n}\n");
        let error = refuse(std::slice::from_ref(&op)).expect_err("a call of the cube core");
        let what = diag::causes(&error).join(": ");
        assert!(what.starts_with("op: needs the cube core: LoadData in ") && what.contains("tile.h:4; not"), "{what}");
        write("common/tile.h", "Hccl<HCCL_SERVER_TYPE_AICPU> hccl;\n");
        let error = refuse(&[op]).expect_err("several devices");
        assert!(diag::causes(&error).join(": ").contains("needs several devices (HCCL): Hccl in "), "{error:#}");
    }

    #[test]
    fn the_list_is_the_toolkits() {
        let names = functions();
        assert!(names.contains("Mmad") && names.contains("Fixpipe") && names.len() > 15, "{names:?}");
    }
}

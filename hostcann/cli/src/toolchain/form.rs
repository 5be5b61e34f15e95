//! Which form a directory with kernels has: an operator in upstream layout, or a project with a build of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Operator,
    Msopgen,
    NpuOp,
    KernelLibrary,
    TorchExtension,
}

impl Form {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::Operator => "operator directory",
            Form::Msopgen => "msopgen project",
            Form::NpuOp => "npu_op project",
            Form::KernelLibrary => "kernel library project",
            Form::TorchExtension => "torch extension",
        }
    }

    /// By the files at the top of the directory, and the CMakeLists.txt one level below.
    pub fn of(dir: &Path) -> Option<Form> {
        let text = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let cmake = text(dir.join("CMakeLists.txt"));
        if is_operator(dir, &cmake) {
            return Some(Form::Operator);
        }
        if text(dir.join("setup.py")).contains("torch") {
            return Some(Form::TorchExtension);
        }
        if cmake.is_empty() {
            return None;
        }
        if text(dir.join("CMakePresets.json")).contains("ASCEND_CANN_PACKAGE_PATH") && dir.join("op_host").is_dir() {
            return Some(Form::Msopgen);
        }
        let below = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut all = vec![cmake];
        all.extend(below.filter(|path| path.is_dir()).map(|path| text(path.join("CMakeLists.txt"))));
        let calls = |name: &str| all.iter().any(|cmake| cmake.contains(name));
        if calls("npu_op_package(") {
            return Some(Form::NpuOp);
        }
        (calls("ascendc_library(") || calls("find_package(ASC")).then_some(Form::KernelLibrary)
    }
}

fn is_operator(dir: &Path, cmake: &str) -> bool {
    let calls = ["add_modules_sources", "add_all_modules_sources", "add_mc2_modules_sources"];
    let entries = fs::read_dir(dir.join("op_host")).into_iter().flatten().flatten();
    let has_definition =
        || entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with("_def.cpp"));
    calls.iter().any(|call| cmake.contains(call)) || !cmake.is_empty() && has_definition()
}

/// A project with a build of its own.
#[derive(Clone, Debug)]
pub struct Project {
    pub dir: PathBuf,
    pub form: Form,
}

/// The one that a command line means: `--op-dir`, else the directory that the user is in.
pub fn asked(cx: &Ctx, args: &OpArgs) -> Option<Project> {
    let here = cx.run.sh.current_dir();
    let dir = match args.op_dir.as_slice() {
        [] => here,
        [one] => here.join(one),
        _ => return None,
    };
    let form = Form::of(&dir).filter(|form| *form != Form::Operator && args.ops.is_empty())?;
    Some(Project { dir: dir.canonicalize().unwrap_or(dir), form })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    /// Files, and the form of a directory that has them.
    type Case = (&'static [(&'static str, &'static str)], Option<Form>);

    #[test]
    fn forms_by_their_files() {
        let cases: [Case; 8] = [
            (&[("CMakeLists.txt", "add_all_modules_sources(OPTYPE x)")], Some(Form::Operator)),
            (&[("CMakeLists.txt", "project(x)"), ("op_host/x_def.cpp", "")], Some(Form::Operator)),
            (
                &[
                    ("CMakeLists.txt", "project(opp)"),
                    ("CMakePresets.json", "{\"ASCEND_CANN_PACKAGE_PATH\": 1}"),
                    ("op_host/x.cpp", ""),
                ],
                Some(Form::Msopgen),
            ),
            (&[("CMakeLists.txt", "find_package(ASC)\nnpu_op_package(x TYPE RUN)")], Some(Form::NpuOp)),
            (&[("CMakeLists.txt", "project(x)"), ("op/CMakeLists.txt", "npu_op_package(x)")], Some(Form::NpuOp)),
            (&[("CMakeLists.txt", "ascendc_library(x SHARED x.cpp)")], Some(Form::KernelLibrary)),
            (&[("setup.py", "import torch"), ("CMakeLists.txt", "ascendc_library(x)")], Some(Form::TorchExtension)),
            (&[("CMakeLists.txt", "project(x)"), ("setup.py", "import setuptools")], None),
        ];
        for (files, form) in cases {
            let temp = tempfile::tempdir().expect("temp dir");
            for (name, text) in files {
                write_if_changed(&temp.path().join(name), text.as_bytes()).expect("write");
            }
            assert_eq!(Form::of(temp.path()), form, "{files:?}");
        }
        assert_eq!(Form::of(Path::new("/nowhere")), None);
    }
}

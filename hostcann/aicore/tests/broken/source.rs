//! One source file of broken kernels: built as the kernel compiler builds, with the lines its faults are expected at.

use crate::rows::Row;
use aicore::KernelFn;
use hostcann_types::kernel_flags::{ARCH, CODE, MODE, OPERATOR, OPTIMISED, STANDARD};
use std::{
    collections::BTreeMap,
    ffi::{CString, c_char, c_int, c_void},
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::Command,
};

/// Those of the kernel compiler: these kernels are built the same way.
fn flags() -> impl Iterator<Item = &'static str> {
    let lists: [&[&str]; 6] = [&STANDARD, &ARCH, &MODE, &CODE, &OPERATOR, &OPTIMISED];
    lists.into_iter().flatten().copied().chain(["-DASCENDC_TPL_KERNEL"])
}

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A loaded object. Every kernel is a template over one `bool`: broken or not.
pub struct Source {
    pub file: &'static str,
    handle: *mut c_void,
    /// Kernel -> line and class of its `// FAULT(kernel): Class` mark.
    marks: BTreeMap<String, (usize, String)>,
    /// Kernel -> line of its `// FIRST(kernel)` mark.
    firsts: BTreeMap<String, (usize, String)>,
}

/// Compiles the files at the same time: the compiler is what takes long here.
pub fn build_all(files: &[(&'static str, Vec<Row>)]) -> Vec<PathBuf> {
    std::thread::scope(|scope| {
        let start = |(file, rows): &(&'static str, Vec<Row>)| {
            let (file, kernels) = (*file, rows.iter().map(|r| r.kernel).collect::<Vec<_>>());
            scope.spawn(move || build(file, &kernels))
        };
        let started: Vec<_> = files.iter().map(start).collect();
        started.into_iter().map(|built| built.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("broken")
}

fn build(file: &str, kernels: &[&str]) -> PathBuf {
    let dir = directory();
    let wrapper = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broken_{file}"));
    std::fs::write(&wrapper, entries(&dir.join(file), kernels)).unwrap();
    let object = wrapper.with_extension("so");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let mut command = Command::new("g++");
    command.args(flags()).arg("-I").arg(&dir);
    // The last match wins.
    command.arg(format!("-ffile-prefix-map={}=.", std::env::current_dir().unwrap().display()));
    command.arg(format!("-ffile-prefix-map={}=op_kernel", dir.display()));
    command.arg("-isystem").arg(include).arg("-shared").arg(&wrapper).arg("-o").arg(&object);
    let output = command.output().expect("g++ is required: install it (Debian: apt-get install g++)");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{file} does not compile cleanly:\n{messages}");
    object
}

impl Source {
    pub fn load(file: &'static str, object: &Path) -> Source {
        assert!(!aicore::exports().is_empty(), "kernels call back into this executable: its entries stay alive");
        let path = CString::new(object.to_str().unwrap()).unwrap();
        // SAFETY: a fresh object without constructors that matter.
        let handle = unsafe { dlopen(path.as_ptr(), 2) };
        assert!(!handle.is_null(), "cannot load {}", object.display());
        let text = std::fs::read_to_string(directory().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        Source { file, handle, marks: marks(&text, "// FAULT("), firsts: marks(&text, "// FIRST(") }
    }

    pub fn kernel(&self, name: &str, broken: bool) -> KernelFn {
        let symbol = CString::new(entry(name, broken)).unwrap();
        // SAFETY: the wrapper defines it with this signature.
        unsafe {
            let p = dlsym(self.handle, symbol.as_ptr());
            assert!(!p.is_null(), "{} has no kernel {name}", self.file);
            std::mem::transmute::<*mut c_void, KernelFn>(p)
        }
    }

    /// Another line that the text has to name, as `file.cpp:7`.
    pub fn first(&self, kernel: &str) -> Option<String> {
        self.firsts.get(kernel).map(|(line, _)| format!("{}:{line}", self.file))
    }

    /// Where the fault of a kernel is expected.
    pub fn mark(&self, kernel: &str) -> (usize, &str) {
        let (line, class) = self.marks.get(kernel).unwrap_or_else(|| panic!("{}: no FAULT({kernel}) mark", self.file));
        (*line, class)
    }
}

fn entry(kernel: &str, broken: bool) -> String {
    format!("{kernel}_{}", if broken { "broken" } else { "right" })
}

/// Around the source one exported function per kernel and variant, as the kernel compiler writes one per tiling key.
fn entries(source: &Path, kernels: &[&str]) -> String {
    let mut text = format!("#include \"{}\"\n", source.display());
    let args: Vec<String> = (0..5).map(|i| format!("static_cast<GM_ADDR>(args[{i}])")).collect();
    for kernel in kernels {
        for broken in [true, false] {
            text += &format!(
                "extern \"C\" __attribute__((visibility(\"default\"))) void {}(void* const* args)\n{{\n    {kernel}<{broken}>({});\n}}\n",
                entry(kernel, broken),
                args.join(", ")
            );
        }
    }
    text
}

/// `// FAULT(kernel): Class`, several kernels separated by commas.
fn marks(text: &str, start: &str) -> BTreeMap<String, (usize, String)> {
    let mut found = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let Some((kernels, class)) = line.split_once(start).and_then(|(_, m)| m.split_once(')')) else {
            continue;
        };
        for kernel in kernels.split(", ") {
            let class = class.split("//").next().unwrap_or_default().trim_matches([':', ' ']);
            let old = found.insert(kernel.to_owned(), (i + 1, class.to_owned()));
            assert!(old.is_none(), "two marks for {kernel}");
        }
    }
    found
}

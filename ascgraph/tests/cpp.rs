//! The C++ that is printed: each header compiles alone, and no word that stands for something else is left in a file.

use std::path::{Path, PathBuf};
use std::process::Command;

use ascgraph::build::fmod_example;
use ascgraph::codegen::{Names, autofuse, launch, op_dir, plan_operator};

mod sources;

use sources::sources;

/// Code of kernels, which needs the toolkit's headers.
const DEVICE: [&str; 14] = [
    "columns",
    "copy",
    "fold",
    "gates",
    "logic",
    "masks",
    "ones",
    "pieces",
    "powers",
    "reduce",
    "remainder",
    "rows",
    "spread",
    "turned",
];

fn cpp() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp")
}

/// Headers without those of kernels.
fn of_the_host() -> Vec<String> {
    let files = std::fs::read_dir(cpp()).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    let names = files.filter_map(|file| file.to_str()?.strip_suffix(".h").map(str::to_owned));
    names.filter(|name| !DEVICE.contains(&name.as_str())).collect()
}

fn compile<S: AsRef<str>>(names: &[S], options: &[String]) {
    for name in names {
        let header = cpp().join(format!("{}.h", name.as_ref()));
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let built = Command::new(compiler)
            .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"])
            .args(options)
            .arg(&header)
            .status()
            .expect("the compiler starts");
        assert!(built.success(), "{}", header.display());
    }
}

#[test]
fn headers_of_the_host_compile_alone() {
    let names = of_the_host();
    assert_eq!(names.len(), 5, "{names:?}");
    compile(&names, &[]);
}

#[test]
#[ignore = "needs the toolkit: cargo xtask build"]
fn headers_of_kernels_compile_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/hostcann");
    assert!(root.join("include/kernel_operator.h").exists(), "no toolkit in {}: cargo xtask build", root.display());
    let mut options = ["ASCENDC_CPU_DEBUG=1", "__CCE_AICORE__=220", "__NPU_ARCH__=2201", "__DAV_C220_VEC__=1"]
        .map(|define| format!("-D{define}"))
        .to_vec();
    options.extend(["include", "include/tiling"].map(|dir| format!("-isystem{}", root.join(dir).display())));
    compile(&DEVICE, &options);
}

#[test]
fn nothing_of_a_template_is_left() {
    const PLACES: [&str; 25] = [
        "ARGUMENTS",
        "ASSIGNED",
        "CASES",
        "CONTEXT",
        "DECLARED",
        "GIVEN",
        "INPUTS",
        "INPUT_TYPES",
        "KEYS",
        "LONG_ROWS",
        "MODE",
        "NOTHING",
        "OUTPUTS",
        "OUTPUT_NUM",
        "OUTPUT_TYPES",
        "PARAMETERS",
        "PASCAL",
        "READ_SHAPES",
        "RULE",
        "RUNS",
        "SET_SHAPES",
        "SET_TYPES",
        "SHAPES",
        "SHOWN",
        "SNAKE",
    ];
    let plan = plan_operator(&fmod_example()).expect("planned");
    let names = Names::of("an_op").expect("a name");
    let mut files = op_dir(&plan, &names, &sources()).expect("made");
    files.extend(launch::program(&plan, &names, &sources()).expect("made"));
    let texts = autofuse(&fmod_example(), &plan, &sources()).expect("made");
    files.extend([("host_impl", texts.host_impl), ("device_impl", texts.device_impl)].map(|(a, b)| (a.to_owned(), b)));
    for (path, text) in files {
        // Names that have such a word in them.
        let code = text.replace("AN_OP_SHAPES_H", "").replace("OP_CHECK_NULL_WITH_CONTEXT", "");
        for place in PLACES {
            assert!(!code.contains(place), "{path} has {place}");
        }
    }
}

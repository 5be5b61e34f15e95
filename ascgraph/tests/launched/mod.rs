//! Generated kernels of several graphs as one program, so that the headers are read once, and its runs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ascgraph::codegen::{Names, op_dir, op_dir_parts};
use ascgraph::expr::Values;
use ascgraph::fused::Parts;
use ascgraph::interp::Buffer;
use ascgraph::model::FusedNode;
use ascgraph::plan::{Kernel, Plan};
use ascgraph::schedule::{Case as Rows, Role};

use crate::faults::Fault;
use crate::sources::sources;

/// One kernel on one shape.
pub struct Case {
    pub graph: usize,
    pub sizes: Values,
    pub cores: i64,
    pub ub: i64,
    pub inputs: BTreeMap<i64, Buffer>,
    pub outputs: BTreeMap<i64, Buffer>,
}

pub fn names(at: usize) -> Names {
    Names::of(&format!("kernel{at}")).expect("a name")
}

/// A kernel's call: its own arguments, tiling and launch.
fn runner(plan: &Plan, at: usize, inputs: usize, outputs: usize) -> String {
    let (snake, pascal) = (format!("kernel{at}"), format!("Kernel{at}"));
    let mut text = format!(
        "static int Run{at}(const std::vector<int64_t>& values, int64_t cores, int64_t ub, std::vector<void*> gm)\n{{\n    \
         Ns{pascal}::Sizes sizes;\n    (void)values;\n"
    );
    for (nth, var) in plan.hint().size_vars.iter().enumerate() {
        let _ = writeln!(text, "    sizes.{} = values[{nth}];", var.name);
    }
    let has_parts = |kernel: &Kernel| kernel.s.case != Rows::C && kernel.s.roles.contains(&Role::Reduce);
    let parts = if plan.cases.iter().any(has_parts) { "data->parts" } else { "1" };
    let _ = write!(
        text,
        "    auto* data = static_cast<{pascal}TilingData*>(AscendC::GmAlloc(sizeof({pascal}TilingData)));\n    \
         if (!Ns{pascal}::Choose(sizes, cores, 0, ub, *data)) {{\n        return 2;\n    }}\n    \
         std::cout << \"tiling \" << data->mode << \" \" << data->block_dim << \" \" << data->tile << \" \" << data->row_tiles << \" \" \
         << data->core_tiles << \" \" << data->tiles << \" \" << data->stride << \" \" << {parts} << std::endl;\n    \
         const int64_t shared = Ns{pascal}::WorkspaceOf(*data);\n    \
         uint8_t* workspace = nullptr;\n    \
         if (shared > 0) {{\n        \
         const size_t bytes = AscendC::RESERVED_WORKSPACE + static_cast<size_t>(shared);\n        \
         workspace = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));\n    }}\n    \
         uint8_t* tiling = reinterpret_cast<uint8_t*>(data);\n    \
         const uint32_t blocks = static_cast<uint32_t>(data->block_dim);\n"
    );
    let pointers: Vec<String> = (0..inputs + outputs).map(|nth| format!("static_cast<uint8_t*>(gm[{nth}])")).collect();
    for mode in 0..plan.cases.len() {
        let _ = writeln!(
            text,
            "    if (data->mode == {mode}) {{\n        ICPU_RUN_KF({snake}<{mode}>, blocks, {}, workspace, tiling);\n    }}",
            pointers.join(", ")
        );
    }
    text.push_str("    AscendC::GmFree(data);\n    AscendC::GmFree(workspace);\n    return 0;\n}\n\n");
    text
}

const MAIN: &str = r#"
// kernel cores ub, symbols, files of the inputs, files and bytes of the outputs: one case for each line.
int main()
{
    std::string line;
    int failed = 0;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        size_t kernel = 0, symbols = 0, inputs = 0, outputs = 0;
        int64_t cores = 0, ub = 0;
        words >> kernel >> cores >> ub >> symbols;
        std::vector<int64_t> values(symbols);
        for (int64_t& value : values) {
            words >> value;
        }
        std::vector<void*> gm;
        words >> inputs;
        for (size_t i = 0; i < inputs; i++) {
            std::string path;
            words >> path;
            std::ifstream file(path, std::ios::binary);
            const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
            void* data = AscendC::GmAlloc(bytes.size() + 32);
            std::copy(bytes.begin(), bytes.end(), static_cast<char*>(data));
            gm.push_back(data);
        }
        words >> outputs;
        std::vector<std::pair<std::string, size_t>> files(outputs);
        for (auto& [path, size] : files) {
            words >> path >> size;
            gm.push_back(AscendC::GmAlloc(size + 32));
        }
        try {
            const int status = RUNS[kernel](values, cores, ub, gm);
            if (status != 0) {
                std::cout << line << ": no tiling" << std::endl;
                failed = 1;
            }
        } catch (const std::exception& error) {
            std::cout << line << ": " << error.what() << std::endl;
            failed = 1;
        }
        for (size_t i = 0; i < outputs; i++) {
            std::ofstream(files[i].first, std::ios::binary).write(static_cast<char*>(gm[inputs + i]), files[i].second);
        }
        for (void* data : gm) {
            AscendC::GmFree(data);
        }
    }
    return failed;
}
"#;

fn made(plan: &Plan, at: usize) -> Vec<(String, String)> {
    op_dir(plan, &names(at), &sources()).unwrap_or_else(|error| panic!("{}: {error}", plan.hint().name))
}

/// The program, in `dir`.
pub fn build(plans: &[Plan], faults: &[&Fault], dir: &Path, root: &Path) -> PathBuf {
    let mut main = String::from(
        "#include <algorithm>\n#include <fstream>\n#include <iostream>\n#include <iterator>\n#include <sstream>\n\
         #include <string>\n#include <vector>\n#include \"tikicpulib.h\"\n",
    );
    let mut runners = String::new();
    for (at, plan) in plans.iter().enumerate() {
        for (path, text) in made(plan, at) {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            let text = match faults.get(at).filter(|_| path.extension().is_some_and(|end| end == "h")) {
                Some(fault) if path.parent().is_some_and(|dir| dir.ends_with("op_kernel")) => {
                    text.replace(fault.from, fault.to)
                }
                _ => text,
            };
            std::fs::write(path, text).expect("written");
        }
        let _ = writeln!(main, "#include \"op_kernel/kernel{at}.cpp\"\n#include \"op_host/kernel{at}_choose.h\"");
        let ends = |node_type: &str| plan.hint().of_type(node_type).count();
        runners += &runner(plan, at, ends("Data"), ends("Output"));
    }
    let runs: Vec<String> = (0..plans.len()).map(|at| format!("Run{at}")).collect();
    let _ = write!(
        main,
        "\n{runners}using Runner = int (*)(const std::vector<int64_t>&, int64_t, int64_t, std::vector<void*>);\n\
         static constexpr Runner RUNS[] = {{{}}};\n{MAIN}",
        runs.join(", ")
    );
    compile(&main, dir, root)
}

/// The program of this text, in `dir`.
fn compile(main: &str, dir: &Path, root: &Path) -> PathBuf {
    std::fs::write(dir.join("main.cpp"), main).expect("written");
    let program = dir.join("kernels");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let defines = ["ASCENDC_CPU_DEBUG=1", "ASCENDC_TPL_KERNEL", "__CCE_AICORE__=220", "__CCE_KT_TEST__=1"];
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fnon-call-exceptions"])
        .args(defines.map(|define| format!("-D{define}")))
        .args(["-D__NPU_ARCH__=2201", "-D__DAV_C220_VEC__=1", "-include", "cstdint"])
        .args(
            ["include", "include/op_common", "include/tiling"].map(|at| format!("-isystem{}", root.join(at).display())),
        )
        .arg(format!("-I{}", dir.display()))
        .arg(dir.join("main.cpp"))
        .arg("-o")
        .arg(&program)
        .arg(format!("-L{}", root.join("lib64").display()))
        .arg(format!("-Wl,-rpath,{}", root.join("lib64").display()))
        .args(["-lnnopbase", "-lascendcl"])
        .status()
        .expect("the compiler starts");
    assert!(built.success());
    program
}

/// The program of one operator of several kernels, in `dir`; it prints the cores of each, and how many share a row of the first.
pub fn build_several(parts: &Parts, symbols: &[&str], dir: &Path, root: &Path) -> PathBuf {
    let names = names(0);
    for (path, text) in op_dir_parts(parts, &names, &sources()).expect("made") {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let ends = parts.fused.nodes.iter().filter(|node| !matches!(node, FusedNode::AscBackend { .. })).count();
    let pointers: Vec<String> = (0..ends).map(|nth| format!("static_cast<uint8_t*>(gm[{nth}])")).collect();
    let values: String =
        symbols.iter().enumerate().map(|(at, name)| format!("    sizes.{name} = values[{at}];\n")).collect();
    let main = format!(
        "#include <algorithm>\n#include <fstream>\n#include <iostream>\n#include <iterator>\n#include <sstream>\n\
         #include <string>\n#include <vector>\n#include \"tikicpulib.h\"\n#include \"op_kernel/kernel0.cpp\"\n\
         #include \"op_host/kernel0_choose.h\"\n\
         static int Run0(const std::vector<int64_t>& values, int64_t cores, int64_t ub, std::vector<void*> gm)\n{{\n    \
         NsKernel0::Sizes sizes;\n{values}    \
         auto* data = static_cast<Kernel0TilingData*>(AscendC::GmAlloc(sizeof(Kernel0TilingData)));\n    \
         if (!NsKernel0::Choose(sizes, cores, 0, ub, *data)) {{\n        return 2;\n    }}\n    \
         std::cout << \"tiling \" << data->part0.block_dim << \" \" << data->part1.block_dim << \" \" << data->part0.parts << std::endl;\n    \
         const size_t bytes = AscendC::RESERVED_WORKSPACE + static_cast<size_t>(NsKernel0::WorkspaceOf(*data));\n    \
         uint8_t* workspace = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));\n    \
         uint8_t* tiling = reinterpret_cast<uint8_t*>(data);\n    \
         ICPU_RUN_KF(kernel0<0>, static_cast<uint32_t>(data->block_dim), {}, workspace, tiling);\n    \
         AscendC::GmFree(data);\n    AscendC::GmFree(workspace);\n    return 0;\n}}\n\n\
         using Runner = int (*)(const std::vector<int64_t>&, int64_t, int64_t, std::vector<void*>);\n\
         static constexpr Runner RUNS[] = {{Run0}};\n{MAIN}",
        pointers.join(", ")
    );
    compile(&main, dir, root)
}

/// What the program printed of its tilings, and what it wrote: for each case, by the index of the output.
pub type Ran = (Vec<String>, Vec<BTreeMap<i64, Vec<u8>>>);

/// The symbols of each graph, in the order of their values.
pub fn symbols(plans: &[Plan]) -> Vec<Vec<&str>> {
    plans.iter().map(|plan| plan.hint().size_vars.iter().map(|var| var.name.as_str()).collect()).collect()
}

/// Runs the cases, or says what the program says where it fails.
pub fn launch(
    symbols: &[Vec<&str>],
    cases: &[&Case],
    [dir, root, program]: [&Path; 3],
    variables: &[(&str, &str)],
) -> Result<Ran, String> {
    let mut lines = String::new();
    let bin = |at: usize, kind: &str, index: i64| dir.join(format!("{at}_{kind}{index}.bin"));
    for (at, case) in cases.iter().enumerate() {
        let values: Vec<String> = symbols[case.graph].iter().map(|name| case.sizes[*name].to_string()).collect();
        let _ = write!(lines, "{} {} {} {} {}", case.graph, case.cores, case.ub, values.len(), values.join(" "));
        let _ = write!(lines, " {}", case.inputs.len());
        for (index, buffer) in &case.inputs {
            std::fs::write(bin(at, "x", *index), &buffer.bytes).expect("written");
            let _ = write!(lines, " {}", bin(at, "x", *index).display());
        }
        let _ = write!(lines, " {}", case.outputs.len());
        for (index, buffer) in &case.outputs {
            let _ = write!(lines, " {} {}", bin(at, "y", *index).display(), buffer.bytes.len());
        }
        lines.push('\n');
    }
    std::fs::write(dir.join("cases"), lines).expect("written");
    let stdin = std::fs::File::open(dir.join("cases")).expect("opened");
    let mut command = Command::new(program);
    command.env("ASCEND_HOME_PATH", root).envs(variables.iter().copied());
    let ran = command.stdin(stdin).output().expect("runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() || said.contains("[ERROR]") {
        return Err(said.chars().take(4000).collect());
    }
    let tilings = said.lines().filter_map(|line| line.strip_prefix("tiling ")).map(str::to_owned).collect();
    let read = |at: usize, index: &i64| (*index, std::fs::read(bin(at, "y", *index)).expect("a result"));
    let outputs = cases.iter().enumerate();
    Ok((tilings, outputs.map(|(at, case)| case.outputs.keys().map(|index| read(at, index)).collect()).collect()))
}

pub fn toolkit() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").join("target/hostcann");
    assert!(root.join("include/tikicpulib.h").exists(), "no toolkit in {}: cargo xtask build makes it", root.display());
    root
}

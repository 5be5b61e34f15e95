//! Generated kernels, built against the toolkit and run on its cores: every bit as the graph says, with the checker on.
//! All of them are one program, so that the headers are read once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ascgraph::codegen::{Names, Plan, op_dir, plan};
use ascgraph::dtype::DType;
use ascgraph::expr::Values;
use ascgraph::interp::{Buffer, choose, run, tiling};
use ascgraph::model::FusedGraph;
use ascgraph::schedule::Case as Rows;
use ascgraph::tiling::Limits;
use faults::{FAULTS, Fault};

mod faults;
mod graphs;

/// One kernel on one shape.
struct Case {
    graph: usize,
    sizes: Values,
    cores: i64,
    ub: i64,
    inputs: BTreeMap<i64, Buffer>,
    outputs: BTreeMap<i64, Buffer>,
}

fn names(at: usize) -> Names {
    Names::of(&format!("kernel{at}")).expect("a name")
}

fn case(plan: &Plan, graph: usize, sizes: &[i64], cores: i64, ub: i64) -> Case {
    let hint = plan.hint();
    let sizes: Values = hint.size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect();
    let inputs = graphs::inputs(hint, &sizes);
    let outputs = run(hint, &inputs, &sizes).unwrap_or_else(|error| panic!("{}: {error}", hint.name)).outputs;
    Case { graph, sizes, cores, ub, inputs, outputs }
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
    let _ = write!(
        text,
        "    auto* data = static_cast<{pascal}TilingData*>(AscendC::GmAlloc(sizeof({pascal}TilingData)));\n    \
         if (!Ns{pascal}::Choose(sizes, cores, 0, ub, *data)) {{\n        return 2;\n    }}\n    \
         std::cout << \"tiling \" << data->mode << \" \" << data->block_dim << \" \" << data->tile << \" \" << data->row_tiles << \" \" \
         << data->core_tiles << \" \" << data->tiles << \" \" << data->stride << std::endl;\n    \
         uint8_t* tiling = reinterpret_cast<uint8_t*>(data);\n    \
         const uint32_t blocks = static_cast<uint32_t>(data->block_dim);\n"
    );
    let pointers: Vec<String> = (0..inputs + outputs).map(|nth| format!("static_cast<uint8_t*>(gm[{nth}])")).collect();
    for mode in 0..plan.cases.len() {
        let _ = writeln!(
            text,
            "    if (data->mode == {mode}) {{\n        ICPU_RUN_KF({snake}<{mode}>, blocks, {}, nullptr, tiling);\n    }}",
            pointers.join(", ")
        );
    }
    text.push_str("    AscendC::GmFree(data);\n    return 0;\n}\n\n");
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

fn build(plans: &[Plan], faults: &[&Fault], dir: &Path, root: &Path) -> PathBuf {
    let mut main = String::from(
        "#include <algorithm>\n#include <fstream>\n#include <iostream>\n#include <iterator>\n#include <sstream>\n\
         #include <string>\n#include <vector>\n#include \"tikicpulib.h\"\n",
    );
    let mut runners = String::new();
    for (at, plan) in plans.iter().enumerate() {
        for (path, text) in op_dir(plan, &names(at)).unwrap_or_else(|error| panic!("{}: {error}", plan.hint().name)) {
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

/// What the program says of the cases, and the first of them whose bits are others: graph, sizes, element.
fn go(plans: &[Plan], cases: &[Case], [dir, root, program]: [&Path; 3], check: bool) -> Result<(), String> {
    let mut lines = String::new();
    let bin = |at: usize, kind: &str, index: i64| dir.join(format!("{at}_{kind}{index}.bin"));
    for (at, case) in cases.iter().enumerate() {
        let values: Vec<String> =
            plans[case.graph].hint().size_vars.iter().map(|var| case.sizes[&var.name].to_string()).collect();
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
    command.env("ASCEND_HOME_PATH", root);
    if check {
        command.env("HOSTCANN_CHECK", "1");
    }
    let ran = command.stdin(stdin).output().expect("runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() || said.contains("error") {
        return Err(said.chars().take(4000).collect());
    }
    let tilings: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("tiling ")).collect();
    for (at, case) in cases.iter().enumerate() {
        let limits = Limits { cores: case.cores, aiv_num: 0, ub_size: case.ub };
        let (mode, t) = choose(&plans[case.graph], &case.sizes, limits).expect("a tiling");
        let numbers = [mode as i64, t.block_dim, t.tile, t.row_tiles, t.core_tiles, t.tiles, t.stride];
        assert_eq!(tilings[at], numbers.map(|number| number.to_string()).join(" "), "{:?}", case.sizes);
        for (index, buffer) in &case.outputs {
            let bytes = std::fs::read(bin(at, "y", *index)).expect("a result");
            let size = buffer.dtype.size();
            let wrong = bytes.chunks(size).zip(buffer.bytes.chunks(size)).position(|(a, b)| a != b);
            let graph = &plans[case.graph].hint().name;
            let what = format!("{graph} {:?}, {} cores, {} B of UB", case.sizes, case.cores, case.ub);
            if let Some(element) = wrong {
                return Err(format!("{what}: element {element} of y{index} is wrong"));
            }
        }
    }
    Ok(())
}

/// Rows around the length that fits as a whole, and some that are far beyond.
fn long_rows(plans: &[Plan], cases: &mut Vec<Case>) {
    for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.cases.iter().any(|k| k.s.case == Rows::P)) {
        let (cores, ub) = (3, 100 << 10);
        let whole = |columns: i64| {
            let sizes: Values = [("s0".to_owned(), 2), ("s1".to_owned(), columns)].into();
            tiling(&plan.cases[0], &sizes, Limits { cores, aiv_num: 0, ub_size: ub }).is_ok()
        };
        if plan.hint().size_vars.len() != 2 {
            continue;
        }
        let most = graphs::last(whole);
        for sizes in [[2, most], [5, most + 1], [7, 8 << 10]] {
            cases.push(case(plan, at, &sizes, cores, ub));
        }
        cases.push(case(plan, at, &[1, 100 << 10], 40, 188_416));
        // Pieces of a few lanes.
        let kernel = &plan.cases[1];
        let demand = kernel.memory.demand(&kernel.s);
        let small = demand.wide * 2 * demand.step + demand.narrow * 128 + demand.fixed;
        for sizes in [[3, 1], [2, 300], [2, 4 * demand.step + 1]] {
            cases.push(case(plan, at, &sizes, 2, small));
        }
    }
}

/// Rows of one element that is a NaN with bits of its own, of either sign, signalling or not.
fn rows_of_nan(plans: &[Plan], cases: &mut Vec<Case>) {
    for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.hint().name.starts_with("bare_")) {
        let sizes: Values = [("s0".to_owned(), 8), ("s1".to_owned(), 1)].into();
        let mut inputs = graphs::inputs(plan.hint(), &sizes);
        for buffer in inputs.values_mut() {
            let nans: &[u32] = match buffer.dtype {
                DType::Float32 => &[0x7fc0_1234, 0xffc0_0000, 0x7f80_0001, 0xff81_2345],
                _ => &[0x7e12, 0xfe00, 0x7c01, 0xfd23],
            };
            let size = buffer.dtype.size();
            buffer.bytes = (0..8).flat_map(|n| nans[n % 4].to_le_bytes()[..size].to_vec()).collect();
        }
        let outputs = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
        let kernel = &plan.cases[1];
        let demand = kernel.memory.demand(&kernel.s);
        // Too little for rows as a whole, and the usual.
        for ub in [demand.wide * demand.step + demand.narrow * 128 + demand.fixed, 188_416] {
            let (sizes, inputs, outputs) = (sizes.clone(), inputs.clone(), outputs.clone());
            cases.push(Case { graph: at, sizes, cores: 3, ub, inputs, outputs });
        }
    }
}

fn toolkit() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").join("target/hostcann");
    assert!(root.join("include/tikicpulib.h").exists(), "no toolkit in {}: cargo xtask build makes it", root.display());
    root
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn generated_kernels_give_the_graphs_bits() {
    let root = toolkit();
    let mut wanted: Vec<(FusedGraph, Vec<Vec<i64>>)> = [graphs::all(), graphs::made()].concat();
    wanted.extend(graphs::long::all().into_iter().map(|fused| (fused, vec![vec![1000, 7], vec![3, 1]])));
    let plans: Vec<Plan> =
        wanted.iter().map(|(fused, _)| plan(fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name))).collect();
    let mut cases = Vec::new();
    for (at, (_, shapes)) in wanted.iter().enumerate() {
        for sizes in shapes {
            cases.push(case(&plans[at], at, sizes, 40, 188_416));
            cases.push(case(&plans[at], at, sizes, 3, 100 << 10));
        }
    }
    long_rows(&plans, &mut cases);
    rows_of_nan(&plans, &mut cases);
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build(&plans, &[], temp.path(), &root);
    for check in [false, true] {
        go(&plans, &cases, [temp.path(), &root, &program], check).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn faults_in_kernels_are_caught() {
    let root = toolkit();
    let mut all: Vec<FusedGraph> = graphs::made().into_iter().map(|(fused, _)| fused).collect();
    all.extend(graphs::long::all());
    all.push(ascgraph::build::fmod_example());
    let find = |name: &str| all.iter().find(|fused| fused.name == name).expect("a graph");
    let plans: Vec<Plan> = FAULTS.iter().map(|fault| plan(find(fault.graph)).expect("planned")).collect();
    for (at, fault) in FAULTS.iter().enumerate().skip(1) {
        let files = op_dir(&plans[at], &names(at)).expect("made");
        assert!(files.iter().any(|(_, text)| text.contains(fault.from)), "{}: no {}", fault.what, fault.from);
    }
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build(&plans, &FAULTS.iter().collect::<Vec<_>>(), temp.path(), &root);
    for (at, fault) in FAULTS.iter().enumerate() {
        let shapes: &[&[i64]] = match plans[at].hint().size_vars.len() {
            2 => &[&[77, 130], &[40, 9], &[3, 2049], &[3, 9001]],
            _ => &[&[33, 5, 70], &[4, 30, 17]],
        };
        let cases: Vec<Case> = shapes.iter().map(|sizes| case(&plans[at], at, sizes, 7, 100 << 10)).collect();
        let found = go(&plans, &cases, [temp.path(), &root, &program], true);
        assert_eq!(found.is_err(), at > 0, "{}, {}: {found:?}", fault.graph, fault.what);
    }
}

//! Operators made of models: shapes and tilings of the host side, in C++.

use std::fmt::Write;
use std::process::Command;

use ascgraph::codegen::{Names, Sources, op_dir_parts};
use ascgraph::dtype::DType;
use ascgraph::fuse::{Attr, Fused, fuse};
use ascgraph::fused::parts;
use ascgraph::load::load;

use crate::operators::{launches, model, value};

/// What a program with the headers of the operator prints.
fn printed(fused: &Fused, statements: &str) -> String {
    let files = op_dir_parts(&fused.parts, &Names::of("my_op").expect("a name"), &Sources::default());
    let temp = tempfile::tempdir().expect("temp dir");
    for (path, text) in files.unwrap_or_else(|error| panic!("{}: {error}", fused.name)) {
        let path = temp.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let (source, program) = (temp.path().join("main.cpp"), temp.path().join("program"));
    let main = format!(
        "#include <iostream>\n#include <iterator>\n#include \"op_host/my_op_choose.h\"\nusing namespace NsMyOp;\n\
         static std::string Wrong(const std::vector<Shape>& inputs, Sizes& sizes) {{ return Bind(inputs, sizes); }}\n\
         int main() {{\n{statements}}}\n"
    );
    std::fs::write(&source, main).expect("written");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover", "-I"])
        .arg(temp.path())
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("the compiler starts");
    assert!(built.success(), "{}", fused.name);
    let ran = Command::new(&program).output().expect("runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A row that a reduction has left, next to a tensor of as many axes: `[n]` is `[n, 1]` of the graph.
#[test]
fn shapes_without_the_last_axis_are_taken() {
    let values = [("x", value(DType::Float32, &["n", "40"])), ("v", value(DType::Float32, &["n"]))];
    let mut all = model(&values, &["m: ReduceMax(x)", "r: Add(m, v)"], &["r"]);
    all.nodes[0].attrs = [("axes".to_owned(), Attr::Ints(vec![1])), ("keepdims".to_owned(), Attr::Int(0))].into();
    let fusion = fuse(&mut all, None);
    let mut statements = String::new();
    for shapes in ["{7, 40}, {7}", "{7, 40}, {7, 1}", "{1, 40}, {1}", "{7, 40}, {8}", "{7, 40}, {7, 2}", "{40}, {1}"] {
        let _ = writeln!(
            statements,
            "{{ Sizes sizes; const std::string wrong = Wrong({{{shapes}}}, sizes); std::cout << (wrong.empty() ? TextOf(sizes) : wrong) << '\\n'; }}"
        );
    }
    assert_eq!(
        printed(&fusion.fused[0], &statements).lines().collect::<Vec<_>>(),
        [
            "z0 = 7, z1 = 40",
            "z0 = 7, z1 = 40",
            "z0 = 1, z1 = 40",
            "axis z0 of x1 is 8, but n is 7",
            "axis z1 of x1 is 2, but 1 is 1",
            "z0 = 1, z1 = 40"
        ]
    );
}

/// Two kernels of one operator: symbols of both, outputs of both, and what lies between them in the workspace.
#[test]
fn two_kernels_have_one_tiling() {
    let values = [("x", value(DType::Float32, &["n", "m"])), ("v", value(DType::Float32, &["n", "m"]))];
    let nodes = ["a: Abs(x)", "r: ReduceMax(a)", "s: Sub(a, r)", "c: ReduceMax(s)", "d: Sub(s, c)", "e: Add(d, v)"];
    let mut all = model(&values, &nodes, &["c", "e"]);
    for (node, axis) in [(1, 1), (3, 0)] {
        all.nodes[node].attrs.insert("axes".to_owned(), Attr::Ints(vec![axis]));
    }
    let fusion = fuse(&mut all, None);
    assert_eq!(launches(&fusion), [vec![vec!["a", "r", "s"], vec!["c", "d", "e"]]], "{:?}", fusion.log);
    let statements = "Sizes sizes; const std::vector<Shape> x{{9, 100}, {9, 100}};\n\
        std::cout << Wrong(x, sizes) << TextOf(sizes) << '\\n';\n\
        for (int64_t dim : Output0(x, sizes)) { std::cout << dim << ' '; }\n\
        for (int64_t dim : Output1(x, sizes)) { std::cout << dim << ' '; }\n\
        MyOpTilingData data{};\n\
        std::cout << Choose(sizes, 40, 0, 188416, data) << ' ' << data.offset0 << ' ' << data.workspace_bytes << ' '\n\
                  << WorkspaceOf(data) << ' ' << (data.block_dim == std::max(data.part0.block_dim, data.part1.block_dim)) << '\\n';\n\
        Sizes others; std::cout << Wrong({{9, 100}, {9, 99}}, others) << '\\n';\n";
    // 9 rows of 100 floats, at multiples of 512 bytes.
    let wanted = "z0 = 9, z1 = 100\n1 100 9 100 1 0 4096 4096 1\naxis z1 of x1 is 99, but m is 100\n";
    assert_eq!(printed(&fusion.fused[0], statements), wanted);
    // Its launch waits between the two.
    let files = op_dir_parts(&fusion.fused[0].parts, &Names::of("my_op").expect("a name"), &Sources::default());
    let files = files.expect("made");
    let text = |end: &str| &files.iter().find(|(path, _)| path.ends_with(end)).expect("a file").1;
    let body = "    NsMyOpPart0::Run(x0, kept + tilingData.offset0, kept + tilingData.shared, tilingData.part0);\n    \
                AscendC::SyncAll();\n    NsMyOpPart1::Run(x1, kept + tilingData.offset0, y0, y1, tilingData.part1);\n";
    assert!(text("op_kernel/my_op.cpp").contains(body), "{}", text("op_kernel/my_op.cpp"));
    let waits =
        "else if (tiling.parts > 1) {\n        for (int32_t i = 0; i < 1; i++) {\n            AscendC::SyncAll();\n";
    assert!(text("op_kernel/my_op.h").contains(waits));
    assert!(text("op_host/my_op_tiling.cpp").contains("SetScheduleMode(1)"));
}

/// What only a tensor between two kernels has as a size, a launch of the operator does not know.
#[test]
fn symbols_of_no_input_are_refused() {
    let loaded = load(include_str!("../../examples/several.json")).expect("loads");
    let parts = parts(&loaded.fused).expect("planned");
    assert_eq!(parts.plans.len(), 2);
    let made = op_dir_parts(&parts, &Names::of("my_op").expect("a name"), &Sources::default());
    let wanted =
        "size variable n: no input of several has it as the size of an axis; --form autofuse takes it as an argument";
    assert_eq!(made.expect_err("refused").to_string(), wanted);
}

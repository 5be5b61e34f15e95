//! A program that launches the kernel directly, `kernel<<<…>>>`, on tensors in files: the operator without its package.

use std::fmt::Write;

use super::{Ends, Names, banner, kernel};
use crate::plan::{Plan, PlanError};

/// Where the program lies beside the operator's directories.
pub const PROGRAM: &str = "launch.asc";

/// The operator's files that the program includes, and the program.
pub fn program(plan: &Plan, names: &Names) -> Result<Vec<(String, String)>, PlanError> {
    let included = |path: &str| path.ends_with(".h");
    let mut files: Vec<(String, String)> =
        super::op_dir(plan, names)?.into_iter().filter(|file| included(&file.0)).collect();
    files.push((PROGRAM.to_owned(), text(plan, &Ends::of(plan)?, names)));
    Ok(files)
}

fn text(plan: &Plan, ends: &Ends, names: &Names) -> String {
    let pointers = kernel::pointers(ends);
    let declared: Vec<String> = pointers.iter().map(|name| format!("GM_ADDR {name}")).collect();
    let arguments = |letter: &str, count: usize| (0..count).map(|at| format!("{letter}[{at}]")).collect::<Vec<_>>();
    let given = [arguments("x", ends.inputs.len()), arguments("y", ends.outputs.len())].concat();
    let mut outputs = String::new();
    for end in &ends.outputs {
        let _ = writeln!(
            outputs,
            "    shapes.push_back(Ns{}::Output{}(inputs, sizes));\n    bytes.push_back({});",
            names.pascal,
            end.index,
            end.dtype.size()
        );
    }
    let runs: Vec<String> = (0..plan.cases.len())
        .map(|case| {
            let class = kernel::class_name(case);
            let pointers = pointers.join(", ");
            format!(
                "    if (tiling.mode == {case}) {{\n        Ns{}::{class} op;\n        op.Init({pointers}, tiling, pipe);\n        \
                 op.Process();\n    }}\n",
                names.pascal
            )
        })
        .collect();
    let text = PROGRAM_CPP
        .replace("SNAKE", &names.snake)
        .replace("DECLARED", &declared.join(", "))
        .replace("RUNS\n", &runs.concat())
        .replace("GIVEN", &given.join(", "))
        .replace("INPUTS", &ends.inputs.len().to_string())
        .replace("OUTPUTS\n", &outputs)
        .replace("PASCAL", &names.pascal);
    banner(plan.hint()) + &text
}

const PROGRAM_CPP: &str = r#"// launch CORES UB_BYTES DIR, then a file and a shape (5x7, - for none) for each input. It writes DIR/y<index>.bin and
// DIR/tiling.txt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "op_host/SNAKE_choose.h"
#include "op_host/SNAKE_shapes.h"
#include "op_kernel/SNAKE.h"

__global__ __vector__ void SNAKE_launch(DECLARED, PASCALTilingData tiling)
{
    AscendC::TPipe pipe;
RUNS
}

#define CHECK_STATUS(call)                                                                                       \
    do {                                                                                                         \
        const int32_t status = (call);                                                                           \
        if (status != 0) {                                                                                       \
            const char* text = aclGetRecentErrMsg();                                                             \
            std::fprintf(stderr, "%s returned %d: %s\n", #call, status, text == nullptr ? "no message" : text);  \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

namespace {
using NsPASCAL::Shape;

Shape ShapeOf(const std::string& text)
{
    Shape shape;
    size_t at = text == "-" ? text.size() : 0;
    while (at < text.size()) {
        shape.push_back(std::strtoll(text.c_str() + at, nullptr, 10));
        const size_t next = text.find('x', at);
        at = next == std::string::npos ? text.size() : next + 1;
    }
    return shape;
}

int32_t Allocate(const std::vector<char>& bytes, uint8_t*& memory)
{
    void* data = nullptr;
    CHECK_STATUS(aclrtMalloc(&data, bytes.size() + 32, ACL_MEM_MALLOC_HUGE_FIRST));
    memory = static_cast<uint8_t*>(data);
    if (!bytes.empty()) {
        CHECK_STATUS(aclrtMemcpy(memory, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    return 0;
}

int32_t Solve(const NsPASCAL::Sizes& sizes, int64_t cores, int64_t ubBytes, const std::string& file,
              PASCALTilingData& data)
{
    if (!NsPASCAL::Choose(sizes, cores, 0, ubBytes, data)) {
        std::fprintf(stderr, "no tiling: %lld cores, %lld bytes of UB\n", static_cast<long long>(cores),
                     static_cast<long long>(ubBytes));
        return 1;
    }
    std::ofstream(file) << data.mode << ' ' << data.block_dim << ' ' << data.tile << ' ' << data.row_tiles << ' ' << data.core_tiles << ' '
                        << data.tiles << ' ' << data.stride << '\n';
    return 0;
}

int32_t Launch(const std::vector<Shape>& inputs, const std::vector<std::vector<char>>& given, int64_t cores,
               int64_t ubBytes, const std::string& dir, aclrtStream stream)
{
    NsPASCAL::Sizes sizes;
    const std::string wrong = NsPASCAL::Bind(inputs, sizes);
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        return 1;
    }
    std::vector<Shape> shapes;
    std::vector<size_t> bytes;
OUTPUTS
    PASCALTilingData data;
    if (Solve(sizes, cores, ubBytes, dir + "/tiling.txt", data) != 0) {
        return 1;
    }
    std::vector<uint8_t*> x(given.size());
    std::vector<uint8_t*> y(shapes.size());
    std::vector<std::vector<char>> results(shapes.size());
    for (size_t i = 0; i < x.size(); i++) {
        CHECK_STATUS(Allocate(given[i], x[i]));
    }
    for (size_t i = 0; i < y.size(); i++) {
        const size_t size = static_cast<size_t>(NsPASCAL::CountOf(shapes[i])) * bytes[i];
        results[i].assign(size, '\xa5'); // shows where the kernel writes nothing
        CHECK_STATUS(Allocate(results[i], y[i]));
    }
    SNAKE_launch<<<static_cast<uint32_t>(data.block_dim), nullptr, stream>>>(GIVEN, data);
    CHECK_STATUS(aclrtSynchronizeStream(stream));
    for (size_t i = 0; i < y.size(); i++) {
        if (!results[i].empty()) {
            CHECK_STATUS(aclrtMemcpy(results[i].data(), results[i].size(), y[i], results[i].size(),
                                     ACL_MEMCPY_DEVICE_TO_HOST));
        }
        std::ofstream(dir + "/y" + std::to_string(i) + ".bin", std::ios::binary)
            .write(results[i].data(), static_cast<std::streamsize>(results[i].size()));
    }
    for (uint8_t* memory : x) {
        CHECK_STATUS(aclrtFree(memory));
    }
    for (uint8_t* memory : y) {
        CHECK_STATUS(aclrtFree(memory));
    }
    return 0;
}
} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() != 3 + 2 * INPUTS) {
        std::fprintf(stderr, "CORES UB_BYTES DIR and INPUTS times a file and a shape are expected\n");
        return 2;
    }
    std::vector<Shape> inputs;
    std::vector<std::vector<char>> given;
    for (size_t at = 3; at < words.size(); at += 2) {
        std::ifstream file(words[at], std::ios::binary);
        given.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        inputs.push_back(ShapeOf(words[at + 1]));
    }
    aclrtStream stream = nullptr;
    CHECK_STATUS(aclInit(nullptr));
    CHECK_STATUS(aclrtSetDevice(0));
    CHECK_STATUS(aclrtCreateStream(&stream));
    const int32_t failed = Launch(inputs, given, std::strtoll(words[0].c_str(), nullptr, 10),
                                  std::strtoll(words[1].c_str(), nullptr, 10), words[2], stream);
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(0));
    CHECK_STATUS(aclFinalize());
    return failed;
}
"#;

//! A fused graph as torch_npu's Inductor back end wants it: three texts, of which a library with `AutofuseTiling` and
//! `AutofuseLaunch` is built. The kernel and its tiling are those of an operator; around them is no operator.

use std::fmt::Write;
use std::slice::from_ref;

use super::{Ends, Names, Sources, banner, choose, fmod, host, kernel, refuse};
use crate::expr::Values;
use crate::interp::choose as choose_tiling;
use crate::model::{FusedGraph, FusedNode};
use crate::plan::{Plan, PlanError};
use crate::tiling::Limits;

/// What `Autofuser.codegen` gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// `struct AutofuseTilingData`; the caller of both functions includes it, too.
    pub tiling_def: String,
    /// `AutofuseTiling`: C++. It includes the first text as `autofuse_tiling_data.h`.
    pub host_impl: String,
    /// `AutofuseLaunch` and the kernel: Ascend C. It includes the first text, too.
    pub device_impl: String,
}

/// Atlas A2 and A3: what every chip has of cores, and of unified buffer without what the tiling function leaves.
pub(super) const ANY_CHIP: Limits = Limits { cores: 40, aiv_num: 0, ub_size: 192 * 1024 - 256 - 8192 };

/// Which of the fused graph's pointers the kernel reads and writes: by the index of the graph's Data, and of its Output.
struct Wiring {
    inputs: usize,
    outputs: usize,
    data: Vec<usize>,
    output: Vec<usize>,
}

/// The texts of the kernels that were planned from `fused`.
///
/// # Errors
///
/// A size cannot be written in C++, the wires of `fused` do not fit its graph, known sizes have no tiling, `sources`
/// lacks a header, or a constant cannot be written in its data type.
pub fn autofuse(fused: &FusedGraph, plan: &Plan, sources: &Sources) -> Result<Texts, PlanError> {
    let names = names();
    refuse::check_sizes(plan, &refuse::Symbols::Given)?;
    let ends = Ends::any(plan);
    let wiring = wiring(fused)?;
    if plan.hint().size_vars.is_empty() {
        // Said now rather than when the library is loaded.
        choose_tiling(plan, &Values::new(), ANY_CHIP).map_err(|error| PlanError::Graph(error.to_string()))?;
    }
    Ok(Texts {
        tiling_def: kernel::tiling_data(plan, &names),
        host_impl: host_impl(plan, &names),
        device_impl: device_impl(plan, &ends, &wiring, &entry_name(&fused.name), sources)?,
    })
}

pub(super) fn names() -> Names {
    Names { snake: "autofuse".to_owned(), pascal: "Autofuse".to_owned() }
}

fn wiring(fused: &FusedGraph) -> Result<Wiring, PlanError> {
    let lost = |what: &str| PlanError::Graph(format!("{what} of {} is wired to nothing", fused.name));
    let place = |index: i64| usize::try_from(index).map_err(|_| lost("a node with a negative index"));
    let mut wiring = Wiring { inputs: 0, outputs: 0, data: Vec::new(), output: Vec::new() };
    for node in &fused.nodes {
        match node {
            FusedNode::Data { index, .. } => wiring.inputs = wiring.inputs.max(place(*index)? + 1),
            FusedNode::Output { index, input, .. } => {
                wiring.outputs = wiring.outputs.max(place(*index)? + 1);
                let result = input.rsplit_once(".y").and_then(|(_, at)| at.parse::<usize>().ok());
                let result = result.ok_or_else(|| lost("an Output"))?;
                wiring.output.resize(wiring.output.len().max(result + 1), usize::MAX);
                if wiring.output[result] != usize::MAX {
                    return Err(PlanError::Graph(format!("{input} is two Outputs of {}", fused.name)));
                }
                wiring.output[result] = place(*index)?;
            }
            FusedNode::AscBackend { inputs, .. } => {
                for input in inputs {
                    let data = fused.nodes.iter().find_map(|node| match node {
                        FusedNode::Data { name, index } if name == input => Some(*index),
                        _ => None,
                    });
                    wiring.data.push(place(data.ok_or_else(|| lost("an AscBackend"))?)?);
                }
            }
        }
    }
    Ok(wiring)
}

/// The graph's name, as a fault and the timing model show it.
pub(super) fn entry_name(graph: &str) -> String {
    let clean: String = graph.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("autofused_{}", clean.trim_start_matches("autofused_").trim_matches('_'))
}

/// Symbols in the order of the arguments of `AutofuseTiling`: by name, and by number where names end in one (ks2, ks10),
/// which is the order in which torch_npu numbers them.
pub(super) fn in_order(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_by_key(|name| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.to_owned(), name[stem.len()..].parse::<u64>().ok(), (*name).to_owned())
    });
    names
}

pub(super) const HOST_INCLUDES: &str = "#include <cstdint>\n#include <cstdio>\n#include <exception>\n\
    #include \"tiling/platform/platform_ascendc.h\"\n#include \"autofuse_tiling_data.h\"\n\n";

pub(super) const DEVICE_INCLUDES: &str = "#include <cstdint>\n#include <cstdio>\n#include \"kernel_operator.h\"\n\
    #include \"autofuse_tiling_data.h\"\n\n";

fn host_impl(plan: &Plan, names: &Names) -> String {
    let symbols = in_order(plan.hint().size_vars.iter().map(|var| var.name.as_str()).collect());
    format!(
        "{}{HOST_INCLUDES}namespace NsAutofuse {{\n{}\n{}}} // namespace NsAutofuse\n\n{}",
        banner(plan.hint()),
        host::sizes(&host::symbols(plan)),
        choose::choice(plan, names),
        tiling_function(&symbols, &host::long_rows(plan), "static_cast<uint64_t>(WorkspaceOf(*tiling_data))")
    )
}

/// `AutofuseTiling`; `workspace` is its bytes in C++.
pub(super) fn tiling_function(symbols: &[&str], long_rows: &str, workspace: &str) -> String {
    let parameters: String = symbols.iter().map(|name| format!("int64_t {name}, ")).collect();
    let assigned: String = symbols.iter().map(|name| format!("        sizes.{name} = {name};\n")).collect();
    let shown: String = symbols
        .iter()
        .map(|name| format!("            std::fprintf(stderr, \" {name} = %lld,\", static_cast<long long>({name}));\n"))
        .collect();
    TILING
        .replace("LONG_ROWS", long_rows)
        .replace("WORKSPACE", workspace)
        .replace("PARAMETERS", &parameters)
        .replace("        ASSIGNED;\n", &assigned)
        .replace("            SHOWN;\n", &shown)
}

const TILING: &str = include_str!("../../cpp/autofuse_tiling.cpp");

/// A function of the device that runs a class of kernels.
pub(super) fn entry(name: &str, plan: &Plan, ends: &Ends, tiling_data: &str) -> String {
    let own = kernel::given(plan, ends, "workspace");
    let declared: Vec<String> = own.iter().map(|name| format!("GM_ADDR {name}")).collect();
    format!(
        "\ntemplate <typename Kernel>\n__global__ {} void {name}({}, {tiling_data} tilingData)\n{{\n    \
         AscendC::TPipe pipe;\n    Kernel op;\n    op.Init({}, tilingData, pipe);\n    op.Process();\n}}\n",
        kernel::core_type(plan),
        declared.join(", "),
        own.join(", ")
    )
}

/// `AutofuseLaunch` up to the launches.
pub(super) fn launch_function(inputs: usize, outputs: usize) -> String {
    let ins = (0..inputs).map(|at| format!("void* input{at}, "));
    let all: String = ins.chain((0..outputs).map(|at| format!("void* output{at}, "))).collect();
    format!(
        "\n// Queues the kernel on the stream. 0, or 1 with a line on stderr.\n\
         extern \"C\" int64_t AutofuseLaunch(uint32_t block_dim, void* stream, {all}void* workspace,\n                                  \
         AutofuseTilingData* tiling_data)\n{{\n{}",
        LAUNCH_CHECKS.replace("UNUSED", &unused(inputs, outputs))
    )
}

fn device_impl(plan: &Plan, ends: &Ends, wiring: &Wiring, name: &str, sources: &Sources) -> Result<String, PlanError> {
    let mut text = format!(
        "{}{DEVICE_INCLUDES}{}{}{}",
        banner(plan.hint()),
        in_one_text(&fmod::headers(from_ref(plan), sources)?),
        kernel::classes(plan, ends, &names())?,
        entry(name, plan, ends, "AutofuseTilingData")
    );
    let lost = |letter: &str, index: i64| {
        PlanError::Graph(format!("{letter}{index} of graph {} is wired to nothing", plan.hint().name))
    };
    // Nobody would write the others.
    let written = |at: usize| ends.outputs.iter().any(|end| end.index == at as i64);
    if let Some(at) = (0..wiring.output.len()).find(|at| wiring.output[*at] != usize::MAX && !written(*at)) {
        return Err(PlanError::Graph(format!("Output {at} of graph {} has no Store of its own", plan.hint().name)));
    }
    let mut passed = Vec::new();
    for (letter, pointer, list, to) in
        [("x", "input", &ends.inputs, &wiring.data), ("y", "output", &ends.outputs, &wiring.output)]
    {
        for end in list {
            let at = usize::try_from(end.index).ok().and_then(|index| to.get(index)).filter(|at| **at != usize::MAX);
            let at = at.ok_or_else(|| lost(letter, end.index))?;
            passed.push(format!("static_cast<GM_ADDR>({pointer}{at})"));
        }
    }
    if kernel::has_workspace(plan) {
        passed.push("static_cast<GM_ADDR>(workspace)".to_owned());
    }
    text.push_str(&launch_function(wiring.inputs, wiring.outputs));
    // Blocks beyond them would have no part of a row, and those that share one would wait for them.
    text.push_str("    const uint32_t blocks = static_cast<uint32_t>(tiling_data->block_dim);\n    switch (tiling_data->mode) {\n");
    for case in 0..plan.cases.len() {
        let _ = write!(
            text,
            "        case {case}:\n            {name}<NsAutofuse::{}><<<blocks, nullptr, stream>>>({}, *tiling_data);\n            \
             return 0;\n",
            kernel::class_name(case),
            passed.join(", ")
        );
    }
    text.push_str(LAUNCH_END);
    Ok(text)
}

const LAUNCH_END: &str = r#"        default:
            std::fprintf(stderr, "AutofuseLaunch: the tiling has mode %lld\n", static_cast<long long>(tiling_data->mode));
            return 1;
    }
}
"#;

/// The operator's headers that a remainder is made of.
pub(super) fn in_one_text(headers: &[(&str, &str)]) -> String {
    let own = |line: &&str| !line.trim_start().starts_with("#include \"fmod_");
    let lines = headers.iter().flat_map(|(_, text)| text.lines());
    lines.filter(own).map(|line| format!("{line}\n")).collect()
}

/// Every pointer: which of them the kernel takes is the graph's business.
fn unused(inputs: usize, outputs: usize) -> String {
    let inputs = (0..inputs).map(|at| format!("(void)input{at}; "));
    let outputs = (0..outputs).map(|at| format!("(void)output{at}; "));
    inputs.chain(outputs).collect::<String>() + "(void)workspace;"
}

const LAUNCH_CHECKS: &str = r#"    UNUSED
    if (tiling_data == nullptr) {
        std::fprintf(stderr, "AutofuseLaunch: tiling_data is nullptr\n");
        return 1;
    }
    if (block_dim < tiling_data->block_dim) {
        std::fprintf(stderr, "AutofuseLaunch: %u blocks, the tiling is for %lld\n", block_dim,
                     static_cast<long long>(tiling_data->block_dim));
        return 1;
    }
"#;

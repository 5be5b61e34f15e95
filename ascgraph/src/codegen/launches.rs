//! The three texts of autofuse for a fused graph of several kernels: each a part with its own tiling data, launched one
//! after the other on the stream. What one part writes and a later one reads lies in the workspace.

use std::fmt::Write;

use super::autofuse::{self, ANY_CHIP, Texts};
use super::{Ends, Names, Sources, banner, choose, contiguous, fmod, host, kernel, refuse};
use crate::expr::{Expr, Values};
use crate::fused::{Parts, backends};
use crate::interp::choose as choose_tiling;
use crate::model::{FusedNode, Graph, Node};
use crate::plan::{Plan, PlanError};

/// Bytes between the beginnings of two tensors in the workspace.
const ALIGN: i64 = 512;

/// The texts of one kernel or of several.
///
/// # Errors
///
/// As of [`autofuse::autofuse`], of each part; or a part reads what is stored with gaps.
pub fn autofuse_parts(parts: &Parts, sources: &Sources) -> Result<Texts, PlanError> {
    if let [plan] = parts.plans.as_slice() {
        return autofuse::autofuse(&parts.fused, plan, sources);
    }
    for plan in &parts.plans {
        refuse::check_sizes(plan, &refuse::Symbols::Given)?;
        if plan.hint().size_vars.is_empty() {
            choose_tiling(plan, &Values::new(), ANY_CHIP).map_err(|error| PlanError::Graph(error.to_string()))?;
        }
    }
    let (tensors, all) = (Tensors::of(parts)?, autofuse::names());
    Ok(Texts {
        tiling_def: tiling_def(parts, &tensors, &all),
        host_impl: host_impl(parts, &tensors, &all),
        device_impl: device_impl(parts, &tensors, &all, sources)?,
    })
}

/// Of a part.
pub(super) fn part_names(all: &Names, part: usize) -> Names {
    Names { snake: format!("{}_part{part}", all.snake), pascal: format!("{}Part{part}", all.pascal) }
}

/// Where each operand and result of a part lies.
pub(super) struct Tensors {
    inputs: usize,
    outputs: usize,
    /// Results in the workspace: name, part, bytes.
    inner: Vec<(String, usize, Expr)>,
    /// Results that are Outputs, by index.
    pub ends: Vec<(String, usize)>,
    pub data: Vec<(String, usize)>,
}

/// A tensor of a part.
#[derive(Clone, Copy)]
pub(super) enum Tensor {
    Data(usize),
    Output(usize),
    /// At this offset of the workspace.
    Inner(usize),
}

impl Tensors {
    pub fn of(parts: &Parts) -> Result<Tensors, PlanError> {
        let fused = &parts.fused;
        let mut tensors = Tensors { inputs: 0, outputs: 0, inner: Vec::new(), ends: Vec::new(), data: Vec::new() };
        let place = |name: &str, index: i64| {
            usize::try_from(index).map_err(|_| PlanError::Graph(format!("{name} has the negative index {index}")))
        };
        for node in &fused.nodes {
            match node {
                FusedNode::Data { name, index } => {
                    let at = place(name, *index)?;
                    tensors.inputs = tensors.inputs.max(at + 1);
                    tensors.data.push((name.clone(), at));
                }
                FusedNode::Output { name, index, input } => {
                    let at = place(name, *index)?;
                    tensors.outputs = tensors.outputs.max(at + 1);
                    if tensors.ends.iter().any(|end| end.0 == *input) {
                        return Err(PlanError::Graph(format!("{input} is two Outputs of {}", fused.name)));
                    }
                    tensors.ends.push((input.clone(), at));
                }
                FusedNode::AscBackend { .. } => {}
            }
        }
        for (part, (name, graph, _)) in backends(fused).enumerate() {
            for (_, output) in graph.of_type("Output") {
                let result = format!("{name}.y{}", output.index().unwrap_or_default());
                if tensors.ends.iter().all(|end| end.0 != result) && tensors.inner.iter().all(|inner| inner.0 != result)
                {
                    tensors.inner.push((result, part, bytes(graph, output)?));
                }
            }
        }
        Ok(tensors)
    }

    /// By its name in the fused graph.
    pub fn find(&self, name: &str) -> Option<Tensor> {
        let find = |list: &[(String, usize)]| list.iter().find(|known| known.0 == name).map(|known| known.1);
        let inner = || self.inner.iter().position(|inner| inner.0 == name).map(Tensor::Inner);
        find(&self.data).map(Tensor::Data).or_else(|| find(&self.ends).map(Tensor::Output)).or_else(inner)
    }

    /// Of the pointers that a part takes, in their order.
    pub fn of_part(&self, parts: &Parts, part: usize, ends: &Ends) -> Result<Vec<Tensor>, PlanError> {
        let inputs = backends(&parts.fused).nth(part).map_or(&[][..], |one| one.2);
        let lost = |letter: &str, index: i64| {
            let graph = &parts.plans[part].hint().name;
            PlanError::Graph(format!("{letter}{index} of graph {graph} is wired to nothing"))
        };
        let mut all = Vec::new();
        for end in &ends.inputs {
            let name = usize::try_from(end.index).ok().and_then(|index| inputs.get(index));
            all.push(name.and_then(|name| self.find(name)).ok_or_else(|| lost("x", end.index))?);
        }
        for end in &ends.outputs {
            let name = format!("part{part}.y{}", end.index);
            all.push(self.find(&name).ok_or_else(|| lost("y", end.index))?);
        }
        Ok(all)
    }
}

/// The pointer in AutofuseLaunch.
fn pointer(tensor: Tensor) -> String {
    match tensor {
        Tensor::Data(at) => format!("static_cast<GM_ADDR>(input{at})"),
        Tensor::Output(at) => format!("static_cast<GM_ADDR>(output{at})"),
        Tensor::Inner(at) => format!("static_cast<GM_ADDR>(workspace) + tiling_data->offset{at}"),
    }
}

/// Of a result in the workspace.
fn bytes(graph: &Graph, output: &Node) -> Result<Expr, PlanError> {
    let store = output.inputs.first().and_then(|input| graph.nodes.get(input.from?));
    let Some(store) = store else { return Err(PlanError::Graph(format!("{} stores nothing", output.name))) };
    contiguous(store)?;
    let size = store.y.dtype.map_or(4, crate::dtype::DType::size) as i64;
    Ok(store.y.size.iter().fold(Expr::from(size), |all, size| all.times(size)))
}

/// The tiling data of all parts.
pub(super) fn tiling_def(parts: &Parts, tensors: &Tensors, all: &Names) -> String {
    let each = parts.plans.iter().enumerate().map(|(part, plan)| kernel::tiling_data(plan, &part_names(all, part)));
    let mut text: String = each.collect();
    let _ = write!(
        text,
        "\n// Most cores of a part, bytes of workspace, and where its tensors begin.\nstruct {}TilingData {{\n",
        all.pascal
    );
    text.push_str("    int64_t block_dim;\n    int64_t workspace_bytes;\n");
    for (at, (name, ..)) in tensors.inner.iter().enumerate() {
        let _ = writeln!(text, "    int64_t offset{at}; // {name}");
    }
    if shares(parts).next().is_some() {
        text.push_str("    int64_t shared; // what cores of a row give each other, part after part\n");
    }
    for part in 0..parts.plans.len() {
        let _ = writeln!(text, "    {}TilingData part{part};", part_names(all, part).pascal);
    }
    text + "};\n"
}

/// Parts with rows that cores share.
fn shares(parts: &Parts) -> impl Iterator<Item = usize> + '_ {
    (0..parts.plans.len()).filter(|part| kernel::has_workspace(&parts.plans[*part]))
}

/// The symbols of all parts.
pub(super) fn symbols(parts: &Parts) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for var in parts.plans.iter().flat_map(|plan| &plan.hint().size_vars) {
        if !all.contains(&var.name.as_str()) {
            all.push(&var.name);
        }
    }
    autofuse::in_order(all)
}

fn host_impl(parts: &Parts, tensors: &Tensors, all: &Names) -> String {
    let symbols = symbols(parts);
    let long: String = parts.plans.iter().map(host::long_rows).collect();
    format!(
        "{}{}{}namespace Ns{} {{\n{}\n{}}} // namespace Ns{2}\n\n{}",
        banner(parts.plans[0].hint()),
        autofuse::HOST_INCLUDES,
        choices(parts, all),
        all.pascal,
        host::sizes(&symbols),
        choose_all(parts, tensors, all),
        autofuse::tiling_function(&symbols, &long, "static_cast<uint64_t>(tiling_data->workspace_bytes)")
    )
}

/// The solver of each part, in a namespace of its own.
pub(super) fn choices(parts: &Parts, all: &Names) -> String {
    let mut text = String::new();
    for (part, plan) in parts.plans.iter().enumerate() {
        let names = part_names(all, part);
        let (sizes, choice) = (host::sizes(&host::symbols(plan)), choose::choice(plan, &names));
        let _ = write!(text, "namespace Ns{0} {{\n{sizes}\n{choice}}} // namespace Ns{0}\n\n", names.pascal);
    }
    text
}

/// `Choose` of all parts, behind their `Sizes`.
pub(super) fn choose_all(parts: &Parts, tensors: &Tensors, all: &Names) -> String {
    let mut text = format!(
        "// The tilings of all parts; false where one has none.\ninline bool Choose(const Sizes& sizes, int64_t cores, int64_t aivNum, \
         int64_t ubSize, {}TilingData& data)\n{{\n    (void)sizes;\n    data.block_dim = 0;\n    data.workspace_bytes = 0;\n",
        all.pascal
    );
    for (part, plan) in parts.plans.iter().enumerate() {
        let pascal = part_names(all, part).pascal;
        let _ = writeln!(text, "    Ns{pascal}::Sizes sizes{part};");
        for var in &plan.hint().size_vars {
            let _ = writeln!(text, "    sizes{part}.{0} = sizes.{0};", var.name);
        }
        let _ = write!(
            text,
            "    if (!Ns{pascal}::Choose(sizes{part}, cores, aivNum, ubSize, data.part{part})) {{\n        return false;\n    }}\n    \
             data.block_dim = data.part{part}.block_dim > data.block_dim ? data.part{part}.block_dim : data.block_dim;\n"
        );
    }
    for (at, (.., bytes)) in tensors.inner.iter().enumerate() {
        let size = host::over(bytes, |name| format!("sizes.{name}"));
        let _ = write!(
            text,
            "    data.offset{at} = data.workspace_bytes;\n    \
             data.workspace_bytes += ({size} + {}) / {ALIGN} * {ALIGN};\n",
            ALIGN - 1
        );
    }
    let mut shared = shares(parts).peekable();
    if shared.peek().is_some() {
        text.push_str("    data.shared = data.workspace_bytes;\n");
    }
    for part in shared {
        let _ = write!(
            text,
            "    const int64_t shared{part} = data.shared + Ns{}::WorkspaceOf(data.part{part});\n    \
             data.workspace_bytes = shared{part} > data.workspace_bytes ? shared{part} : data.workspace_bytes;\n",
            part_names(all, part).pascal
        );
    }
    text + "    return true;\n}\n"
}

fn device_impl(parts: &Parts, tensors: &Tensors, all: &Names, sources: &Sources) -> Result<String, PlanError> {
    let mut text = format!("{}{}", banner(parts.plans[0].hint()), autofuse::DEVICE_INCLUDES);
    text.push_str(&autofuse::in_one_text(&fmod::headers(&parts.plans, sources)?));
    let entry = autofuse::entry_name(&parts.fused.name);
    let mut launches = String::new();
    for (part, plan) in parts.plans.iter().enumerate() {
        let (ends, names) = (Ends::any(plan), part_names(all, part));
        text.push_str(&kernel::classes(plan, &ends, &names)?);
        text.push_str(&autofuse::entry(
            &format!("{entry}_part{part}"),
            plan,
            &ends,
            &format!("{}TilingData", names.pascal),
        ));
        let mut passed: Vec<String> = tensors.of_part(parts, part, &ends)?.into_iter().map(pointer).collect();
        if kernel::has_workspace(plan) {
            passed.push("static_cast<GM_ADDR>(workspace) + tiling_data->shared".to_owned());
        }
        launches.push_str(&launch(
            plan,
            part,
            &format!("{entry}_part{part}"),
            &passed.join(",\n                "),
            &names,
        ));
    }
    text.push_str(&autofuse::launch_function(tensors.inputs, tensors.outputs));
    Ok(text + &launches + "    return 0;\n}\n")
}

fn launch(plan: &Plan, part: usize, entry: &str, passed: &str, names: &Names) -> String {
    let mut text = format!("    switch (tiling_data->part{part}.mode) {{\n");
    for case in 0..plan.cases.len() {
        let _ = write!(
            text,
            "        case {case}:\n            {entry}<Ns{}::{}><<<static_cast<uint32_t>(tiling_data->part{part}.block_dim), nullptr, \
             stream>>>(\n                {passed}, tiling_data->part{part});\n            break;\n",
            names.pascal,
            kernel::class_name(case)
        );
    }
    let _ = write!(
        text,
        "        default:\n            std::fprintf(stderr, \"AutofuseLaunch: part {part} of the tiling has mode %lld\\n\",\n                         \
         static_cast<long long>(tiling_data->part{part}.mode));\n            return 1;\n    }}\n"
    );
    text
}

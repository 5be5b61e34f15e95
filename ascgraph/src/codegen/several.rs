//! The operator of a fused graph of several kernels: one launch, in which all cores wait for each other between them. What
//! one part writes and a later one reads lies in the workspace.

use std::fmt::Write;

use super::launches::{Tensor, Tensors, choices, choose_all, part_names, symbols, tiling_def};
use super::pieces::meetings;
use super::{
    Device, End, Ends, Names, Operator, Sources, axes, check_wires, example, files, fmod, host, kernel, refuse,
};
use crate::expr::Expr;
use crate::fused::{self, Parts};
use crate::plan::{Plan, PlanError};

/// Files of the operator of one kernel or of several: path below its directory, and text.
///
/// # Errors
///
/// As of [`super::op_dir`], of each part; or an input or output of the operator is none of a part.
pub fn op_dir_parts(parts: &Parts, names: &Names, sources: &Sources) -> Result<Vec<(String, String)>, PlanError> {
    if let [plan] = parts.plans.as_slice() {
        check_wires(&parts.fused, plan.hint())?;
        return super::op_dir(plan, names, sources);
    }
    let tensors = Tensors::of(parts)?;
    let mut each = Vec::new();
    for (at, plan) in parts.plans.iter().enumerate() {
        let ends = Ends::of(plan)?;
        refuse::check_tiling(plan)?;
        let given = tensors.of_part(parts, at, &ends)?;
        each.push(Part { plan, names: part_names(names, at), ends, given });
    }
    let (ends, views) = ends(&each, &tensors, &parts.fused.name)?;
    let symbols = symbols(parts);
    let sizes = || views.iter().flat_map(|view| &view.axes).map(|axis| &axis.1);
    if let Some(lost) = symbols.iter().find(|symbol| sizes().all(|size| *size != Expr::symbol(symbol))) {
        let why = format!("size variable {lost}: no input of {} has it as the size of an axis", parts.fused.name);
        return Err(PlanError::Graph(why + "; --form autofuse takes it as an argument"));
    }
    let mut all_axes = Vec::new();
    for axis in each.iter().flat_map(|part| axes(part.plan.hint())) {
        if !all_axes.contains(&axis) {
            all_axes.push(axis);
        }
    }
    let operator = Operator {
        graph: parts.plans[0].hint(),
        symbols,
        ends,
        views,
        axes: all_axes,
        meets: true,
        long_rows: parts.plans.iter().map(host::long_rows).collect(),
    };
    let graphs: Vec<_> = parts.plans.iter().map(Plan::hint).collect();
    let computed = |inputs: &_, sizes: &_| Some(fused::run(&parts.fused, inputs, sizes).ok()?.outputs);
    let example = example::example(&operator, &graphs, &computed, names, sources);
    let device = device(&each, parts, (&operator.ends, &tensors), names)?;
    files(&operator, device, example, &fmod::headers(&parts.plans, sources)?, names)
}

/// A kernel, and the tensors that it is given.
struct Part<'a> {
    plan: &'a Plan,
    names: Names,
    ends: Ends,
    given: Vec<Tensor>,
}

/// The operator's own tensors, and the inputs as each part sees them.
fn ends(parts: &[Part], tensors: &Tensors, name: &str) -> Result<(Ends, Vec<End>), PlanError> {
    let (mut views, mut outputs) = (Vec::new(), Vec::new());
    for part in parts {
        for (tensor, end) in part.given.iter().zip(part.ends.inputs.iter().chain(&part.ends.outputs)) {
            match *tensor {
                Tensor::Data(at) => views.push(End { index: at as i64, ..end.clone() }),
                // A later part may read it.
                Tensor::Output(at) if outputs.iter().all(|known: &End| known.index != at as i64) => {
                    outputs.push(End { index: at as i64, ..end.clone() });
                }
                _ => {}
            }
        }
    }
    let mut inputs: Vec<End> = Vec::new();
    for view in &views {
        match inputs.iter().find(|known| known.index == view.index) {
            Some(known) if known.dtype == view.dtype => {}
            Some(known) => {
                let types = [known.dtype.name(), view.dtype.name()];
                let why =
                    format!("input {} of {name} is {} in one kernel and {} in another", view.index, types[0], types[1]);
                return Err(PlanError::Graph(why));
            }
            None => inputs.push(view.clone()),
        }
    }
    inputs.sort_by_key(|end| end.index);
    outputs.sort_by_key(|end| end.index);
    for (what, list, wanted) in [("input", &inputs, &tensors.data), ("output", &outputs, &tensors.ends)] {
        let lost = wanted.iter().find(|(_, at)| list.iter().all(|end| end.index != *at as i64));
        if let Some((lost, _)) = lost {
            return Err(PlanError::Graph(format!(
                "{lost} of {name} is no {what} of a kernel; an operator has no such {what}"
            )));
        }
    }
    Ok((Ends { inputs, outputs }, views))
}

fn device<'a>(
    each: &[Part],
    parts: &Parts,
    (ends, tensors): (&Ends, &Tensors),
    names: &Names,
) -> Result<Device<'a>, PlanError> {
    let Names { pascal, .. } = names;
    let mut classes = String::new();
    for part in each {
        classes.push_str(&kernel::classes(part.plan, &part.ends, &part.names)?);
        classes.push_str(&run(part));
        classes.push('\n');
    }
    let upper = names.upper();
    let guarded = format!(
        "#ifndef {upper}_TILING_DATA_H\n#define {upper}_TILING_DATA_H\n\n{}#endif // {upper}_TILING_DATA_H\n",
        tiling_def(parts, tensors, names)
    );
    Ok(Device {
        entry: entry(each, ends, names),
        header: kernel::header(parts.plans[0].hint(), names, &fmod::includes(&parts.plans), &classes),
        tiling_data: guarded,
        keys: 1,
        mode: "0",
        choose: format!(
            "{}namespace Ns{pascal} {{\n{}\ninline int64_t WorkspaceOf(const {pascal}TilingData& data) {{ return data.workspace_bytes; }}\n\
             }} // namespace Ns{pascal}\n",
            choices(parts, names),
            choose_all(parts, tensors, names)
        ),
    })
}

/// A part on the cores of its tiling; the others wait as often as those that share rows.
fn run(part: &Part) -> String {
    let Names { pascal, .. } = &part.names;
    let pointers = kernel::given(part.plan, &part.ends, "workspace");
    let declared: Vec<String> = pointers.iter().map(|name| format!("GM_ADDR {name}")).collect();
    let mut text = format!(
        "\nnamespace Ns{pascal} {{\n__aicore__ inline void Run({}, const {pascal}TilingData& tiling)\n{{\n    \
         if (AscendC::GetBlockIdx() < tiling.block_dim) {{\n        AscendC::TPipe pipe;\n",
        declared.join(", ")
    );
    for (case, _) in part.plan.cases.iter().enumerate() {
        let _ = write!(
            text,
            "        if (tiling.mode == {case}) {{\n            {} op;\n            op.Init({}, tiling, pipe);\n            \
             op.Process();\n        }}\n",
            kernel::class_name(case),
            pointers.join(", ")
        );
    }
    let shared = part.plan.cases.iter().find(|kernel| kernel.s.shares_rows());
    text.push_str(&match shared {
        Some(kernel) => format!(
            "    }} else if (tiling.parts > 1) {{\n        for (int32_t i = 0; i < {}; i++) {{\n            AscendC::SyncAll();\n        \
             }}\n    }}\n",
            meetings(&kernel.s)
        ),
        None => "    }\n".to_owned(),
    });
    let _ = write!(text, "}}\n}} // namespace Ns{pascal}\n");
    text
}

fn entry(parts: &[Part], ends: &Ends, names: &Names) -> String {
    let Names { snake, pascal } = names;
    let declared: Vec<String> = kernel::pointers(ends).iter().map(|name| format!("GM_ADDR {name}")).collect();
    let pointer = |tensor: &Tensor| match tensor {
        Tensor::Data(at) => format!("x{at}"),
        Tensor::Output(at) => format!("y{at}"),
        Tensor::Inner(at) => format!("kept + tilingData.offset{at}"),
    };
    let runs = parts.iter().enumerate().map(|(at, part)| {
        let shared = kernel::has_workspace(part.plan).then(|| "kept + tilingData.shared".to_owned());
        let given: Vec<String> = part.given.iter().map(pointer).chain(shared).collect();
        format!("    Ns{}::Run({}, tilingData.part{at});\n", part.names.pascal, given.join(", "))
    });
    let runs: Vec<String> = runs.collect();
    format!(
        "#include \"{snake}.h\"\n\ntemplate <uint32_t mode>\n__global__ __aicore__ void {snake}({}, GM_ADDR workspace, \
         GM_ADDR tiling)\n{{\n    REGISTER_TILING_DEFAULT({pascal}TilingData);\n    \
         GET_TILING_DATA_WITH_STRUCT({pascal}TilingData, tilingData, tiling);\n    \
         KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n    \
         [[maybe_unused]] GM_ADDR kept = AscendC::GetUserWorkspace(workspace);\n{}}}\n",
        declared.join(", "),
        runs.join("    AscendC::SyncAll();\n")
    )
}

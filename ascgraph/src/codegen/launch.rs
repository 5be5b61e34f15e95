//! A program that launches the kernel directly, `kernel<<<…>>>`, on tensors in files: the operator without its package.

use std::fmt::Write;

use super::{Ends, Names, Sources, banner, kernel};
use crate::plan::{Plan, PlanError};

/// Where the program lies beside the operator's directories.
pub const PROGRAM: &str = "launch.asc";

/// The operator's files that the program includes, and the program.
///
/// # Errors
///
/// The plan makes no operator, as for [`super::op_dir`].
pub fn program(plan: &Plan, names: &Names, sources: &Sources) -> Result<Vec<(String, String)>, PlanError> {
    let included = |path: &str| path.ends_with(".h");
    let mut files: Vec<(String, String)> =
        super::op_dir(plan, names, sources)?.into_iter().filter(|file| included(&file.0)).collect();
    files.push((PROGRAM.to_owned(), text(plan, &Ends::of(plan)?, names)));
    Ok(files)
}

fn text(plan: &Plan, ends: &Ends, names: &Names) -> String {
    let pointers = kernel::pointers(ends);
    let runs_with = kernel::given(plan, ends, "workspace");
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
            let pointers = runs_with.join(", ");
            format!(
                "    if (tiling.mode == {case}) {{\n        Ns{}::{class} op;\n        op.Init({pointers}, tiling, pipe);\n        \
                 op.Process();\n    }}\n",
                names.pascal
            )
        })
        .collect();
    let text = PROGRAM_CPP
        .replace("SNAKE", &names.snake)
        .replace("CORE_TYPE", kernel::core_type(plan))
        .replace("PARTS", if kernel::has_segments(plan) { "data.parts" } else { "1" })
        .replace("DECLARED", &declared.join(", "))
        .replace("    RUNS;\n", &runs.concat())
        .replace("GIVEN", &given.join(", "))
        .replace("INPUTS", &ends.inputs.len().to_string())
        .replace("    OUTPUTS;\n", &outputs)
        .replace("PASCAL", &names.pascal);
    banner(plan.hint()) + &text
}

const PROGRAM_CPP: &str = include_str!("../../cpp/launch.asc");

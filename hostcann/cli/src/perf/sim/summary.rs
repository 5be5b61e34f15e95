//! `--csv`: the columns of msprof's op_summary, so that scripts written for it read predictions, too.

use serde_json::{Map, Value, json};

use super::launch::{Launch, PIPES, Run};

/// Not in op_summary: the longest that the task may take near the size of the L2, the class of the launch and the mean error
/// of the calibration and hold-outs in it.
const ERRORS: [&str; 3] = ["Longest Task Duration(us)", "Error Class", "Mean Error(%)"];

/// As in op_summary; the first two say that nothing of it was measured and in which launch of which program it was
/// predicted.
fn columns() -> Vec<String> {
    let first = ["Source", "Program", "Task ID", "Op Name", "OP Type", "Task Type", "Task Duration(us)", "Block Dim"];
    let mut all: Vec<String> = first.map(str::to_owned).to_vec();
    all.extend(["aiv_time(us)", "aiv_total_cycles"].map(str::to_owned));
    all.extend(PIPES.iter().flat_map(|pipe| [format!("{pipe}_time(us)"), format!("{pipe}_ratio")]));
    all.extend(ERRORS.map(str::to_owned));
    all
}

pub fn of(runs: &[Run]) -> String {
    let mut text = line(&columns());
    for run in runs {
        for (at, launch) in run.launches.iter().enumerate() {
            text += &line(&row(&run.program, at + 1, launch));
        }
    }
    text
}

/// Columns that hold names, even if one of them reads like a number.
const NAMES: [&str; 6] = ["Source", "Program", "Op Name", "OP Type", "Task Type", "Error Class"];

/// The row of a launch for `--json`, by column.
pub fn object(program: &str, number: usize, launch: &Launch) -> Map<String, Value> {
    let value = |(column, cell): (String, String)| {
        let number = if NAMES.contains(&&*column) { None } else { serde_json::from_str(&cell).ok() };
        (column, number.map_or_else(|| json!(cell), Value::Number))
    };
    columns().into_iter().zip(row(program, number, launch)).map(value).collect()
}

/// Times are means over cores except the task's, cycles are the sum over them, as in op_summary.
fn row(program: &str, number: usize, launch: &Launch) -> Vec<String> {
    let us = |value: f64| format!("{value:.3}");
    let cycles: f64 = launch.cores.iter().map(|core| core.cycles).sum();
    let source = format!("model {} {}", launch.soc, launch.mode);
    let of_kernel = || launch.kernel.split('_').next().unwrap_or_default().to_owned();
    let kind = launch.op.as_ref().map_or_else(of_kernel, |op| op.kind.clone());
    let mut all =
        vec![source, program.to_owned(), number.to_string(), launch.kernel.clone(), kind, "AI_VECTOR_CORE".into()];
    all.extend([us(launch.task_us), launch.blocks.to_string(), us(launch.core_us().mean), format!("{cycles:.0}")]);
    for pipe in 0..PIPES.len() {
        all.extend([us(launch.pipe_us(pipe).mean), us(launch.pipe_ratio(pipe))]);
    }
    let error = launch.error.clone().unwrap_or_default();
    let percent = error.percent.map_or(String::new(), |percent| percent.to_string());
    all.extend([us(launch.longest_us()), error.class, percent]);
    all
}

fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::launch::tests::{at_the_edge, launch};
    use super::*;

    #[test]
    fn columns_of_op_summary() {
        let text = of(&[Run { program: "test, one".into(), launches: vec![launch(), at_the_edge()] }]);
        assert_eq!(
            text,
            "Source,Program,Task ID,Op Name,OP Type,Task Type,Task Duration(us),Block Dim,aiv_time(us),aiv_total_cycles,\
             aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,\
             aiv_mte3_time(us),aiv_mte3_ratio,Longest Task Duration(us),Error Class,Mean Error(%)\n\
             model Ascend910B3 warm,\"test, one\",1,Add_k_3,Add,AI_VECTOR_CORE,11.250,2,9.000,32400,\
             4.500,0.500,1.000,0.111,2.500,0.278,2.000,0.222,11.250,\"element-wise, long calls\",4\n\
             model Ascend910B3 warm,\"test, one\",2,Add_k_3,Add,AI_VECTOR_CORE,11.250,2,9.000,32400,\
             4.500,0.500,1.000,0.111,2.500,0.278,2.000,0.222,178.600,near the size of the L2,\n"
        );
    }

    #[test]
    fn names_stay_names_and_counts_whole_numbers() {
        let op = Launch { kernel: "Inf_k_3".into(), ..launch() };
        let row = object("1e3", 1, &op);
        let cells = ["Program", "OP Type", "Task ID", "Block Dim", "aiv_total_cycles", "aiv_vec_ratio"];
        assert_eq!(json!(cells.map(|cell| &row[cell])), json!(["1e3", "Inf", 1, 2, 32400, 0.5]));
    }
}

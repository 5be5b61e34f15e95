//! The result for people: what every launch of a program is predicted to cost, and why.

use std::fmt::Write as _;

use super::advice;
use super::launch::{Launch, PIPES, Spread};
use crate::base::plural::number;

/// Lines of the list of expensive source lines, and of conflicts and changes.
const SHOWN: usize = 6;

/// The host's compiler makes other code of it than the device's, so nothing of it can be counted.
const UNPRICED: &str = "plain C++ between calls of Ascend C is not priced";

/// What stands next to every time.
pub const ERRORS: &str = "± is the mean error of the calibration and hold-outs in a class, no bound";

/// With the slowest launch in detail.
pub fn brief(program: &str, launches: &[Launch]) -> String {
    let us = |at: usize| launches[at].task_us;
    let slowest = (0..launches.len()).reduce(|best, at| if us(at) > us(best) { at } else { best });
    text(program, launches, &slowest.into_iter().collect::<Vec<_>>())
}

/// `details`: the launches that are shown whole, by number from 0; those that are like one of them are named with it.
pub fn text(program: &str, launches: &[Launch], details: &[usize]) -> String {
    let mut text = format!(
        "\n{program}: {}; all times and rates are of the timing model, none is measured; {ERRORS}; {UNPRICED}\n",
        number(launches.len(), "launch")
    );
    text += &overview(launches);
    for group in alike(launches).into_iter().filter(|group| group.iter().any(|at| details.contains(at))) {
        text += &one(launches, &group);
    }
    text
}

/// Numbers of launches that cost the same, by the first of them.
fn alike(launches: &[Launch]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, launch) in launches.iter().enumerate() {
        match groups.iter_mut().find(|group| launches[group[0]].same_as(launch)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Columns of one width each below a line of titles; those of numbers to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = 0..rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let number = |cell: &String| cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let numbers = |column: usize| rows.iter().skip(1).all(|row| number(&row[column]));
    let shapes: Vec<(usize, bool)> = columns.map(|column| (width(column), numbers(column))).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(cell, (width, right)): (&String, &(usize, bool))| match right {
            true => format!("  {cell:>width$}"),
            false => format!("  {cell:width$}"),
        };
        let line: String = row.iter().zip(&shapes).map(cell).collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn us(value: f64) -> String {
    format!("{value:.2}")
}

fn overview(launches: &[Launch]) -> String {
    let head =
        ["", "kernel", "tensors", "key", "blocks", "Task Duration(us)", "core mean", "max", "error", "bound (model)"];
    let known = launches.iter().any(|launch| launch.op.is_some());
    let columns = |mut row: Vec<String>| {
        if !known {
            row.remove(2);
        }
        row
    };
    let mut rows = vec![columns(head.map(str::to_owned).to_vec())];
    for (at, launch) in launches.iter().enumerate() {
        let core = launch.core_us();
        let (key, blocks) = (launch.tiling_key.to_string(), launch.blocks.to_string());
        let number = (at + 1).to_string();
        rows.push(columns(vec![
            number,
            launch.name(),
            launch.tensors(),
            key,
            blocks,
            launch.us_text(),
            us(core.mean),
            us(core.max),
            launch.error_text(),
            launch.bound.clone(),
        ]));
    }
    aligned(&rows)
}

fn one(launches: &[Launch], group: &[usize]) -> String {
    let launch = &launches[group[0]];
    let numbers: Vec<String> = group.iter().map(|at| (at + 1).to_string()).collect();
    let which = if group.len() == 1 { "launch" } else { "launches, all alike:" };
    let (kernel, key, soc, mode) = (&launch.kernel, launch.tiling_key, &launch.soc, &launch.mode);
    let mut text = format!("\n{which} {}: {kernel} (key {key}), {soc}, {mode}\n", numbers.join(", "));
    if !launch.tensors().is_empty() {
        let _ = writeln!(text, "  {}", launch.tensors());
    }
    if launch.simulated < launch.blocks {
        let (some, all) = (launch.simulated, launch.blocks);
        let _ = writeln!(
            text,
            "  {some} of {all} blocks are simulated, the others are taken to be like one of them (--sampled)"
        );
    }
    let (task, outside) = (launch.us_text(), us(launch.launch_us));
    let _ = writeln!(
        text,
        "  Task Duration {task} us (model), of it {outside} outside of the cores; bound: {} (model)",
        launch.bound
    );
    if let Some(error) = &launch.error {
        let which =
            if launch.l2_edge.is_some() { "all times below are of the shorter one" } else { "all of these times" };
        let of = if error.percent.is_some() { ", mean error of the calibration and hold-outs" } else { "" };
        let _ = writeln!(text, "  {which}: {}{of}", error.text());
    }
    let parts = [pipes(launch), memory(launch), conflicts(launch), lines(launch), changes(launch)];
    parts.iter().filter(|part| !part.is_empty()).for_each(|part| text += &format!("\n{part}"));
    launch.notes.iter().for_each(|note| text += &format!("  note: {note}\n"));
    text
}

fn pipes(launch: &Launch) -> String {
    let spread =
        |name: String, spread: Spread, last: String| vec![name, us(spread.mean), us(spread.min), us(spread.max), last];
    let head = ["time of a core (us, model)", "mean", "min", "max", "ratio"].map(str::to_owned).to_vec();
    let core = launch.core_us();
    let mut rows = vec![head, spread("aiv_time".into(), core, String::new())];
    for (at, pipe) in PIPES.iter().enumerate() {
        rows.push(spread(format!("{pipe}_time"), launch.pipe_us(at), format!("{:.3}", launch.pipe_ratio(at))));
    }
    aligned(&rows)
}

fn memory(launch: &Launch) -> String {
    let bytes = &launch.bytes;
    let mut rows = vec![["global memory (model)", "bytes", "GB/s", ""].map(str::to_owned).to_vec()];
    for (name, bytes, of) in [
        ("read", bytes.read, 0.0),
        ("of it found in L2", bytes.l2_hit, 0.0),
        ("written", bytes.write, 0.0),
        ("read and written", bytes.read + bytes.write, launch.roofs.l2_gbs),
        ("from and to HBM", bytes.hbm_read + bytes.hbm_write, launch.roofs.hbm_gbs),
    ] {
        let of = if of > 0.0 { format!("of {of:.0}") } else { String::new() };
        rows.push(vec![name.to_owned(), bytes.to_string(), format!("{:.1}", launch.gbs(bytes)), of]);
    }
    aligned(&rows)
}

fn conflicts(launch: &Launch) -> String {
    if launch.conflicts.is_empty() {
        return String::new();
    }
    let mut sorted: Vec<_> = launch.conflicts.iter().collect();
    sorted.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    let head = ["bank conflicts (model)", "operands", "repeats", "cycles lost", "line"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for conflict in sorted.iter().take(SHOWN) {
        let operands = conflict.operands_text();
        let line = conflict.line.clone().unwrap_or_default();
        rows.push(vec![
            conflict.op.clone(),
            operands,
            conflict.repeats.to_string(),
            format!("{:.0}", conflict.cycles),
            line,
        ]);
    }
    aligned(&rows) + &more(sorted.len())
}

fn more(count: usize) -> String {
    if count > SHOWN { format!("  and {} more: --json\n", count - SHOWN) } else { String::new() }
}

fn lines(launch: &Launch) -> String {
    if launch.lines.is_empty() {
        return String::new();
    }
    let mut sorted: Vec<_> = launch.lines.iter().collect();
    sorted.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    let head = ["busiest lines (model)", "pipe", "instructions", "us, slowest core"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for line in sorted.iter().take(SHOWN) {
        let pipe = super::rows::row(&line.pipe).1.to_owned();
        rows.push(vec![line.line.clone(), pipe, line.instructions.to_string(), us(launch.us(line.cycles))]);
    }
    aligned(&rows) + &more(sorted.len())
}

fn changes(launch: &Launch) -> String {
    let all = advice::of(launch);
    if all.is_empty() {
        return String::new();
    }
    let mut rows = vec![["what would help (model)", "us", "gain"].map(str::to_owned).to_vec()];
    for advice in all.iter().take(SHOWN) {
        rows.push(vec![advice.text.clone(), us(advice.task_us), format!("-{:.1} %", advice.gain * 100.0)]);
    }
    aligned(&rows) + &more(all.len())
}

#[cfg(test)]
mod tests {
    use super::super::launch::{
        Op, Tensor,
        tests::{at_the_edge, launch},
    };
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_others_are_lines_of_the_overview() {
        let tensor = |name: &str| Tensor { name: name.into(), dtype: Some("float32".into()), shape: Some(vec![8, 4]) };
        let op = Op { kind: "Add".into(), tensors: vec![tensor("input 0 (x)"), tensor("output 0 (y)")] };
        let known = Launch { op: Some(op), task_us: 20.0, ..launch() };
        let text = text("test_add", &[launch(), known], &[1]);
        let lines: Vec<&str> = text.lines().skip(2).take(7).collect();
        assert_eq!(
            lines,
            [
                "     kernel   tensors                         key  blocks  Task Duration(us)  core mean    max  error                             bound (model)",
                "  1  Add_k_3                                    3       2              11.25       9.00  10.00  ± 4 % (element-wise, long calls)  vector",
                "  2  Add      float32[8, 4] -> float32[8, 4]    3       2              20.00       9.00  10.00  ± 4 % (element-wise, long calls)  vector",
                "",
                "launch 2: Add_k_3 (key 3), Ascend910B3, warm",
                "  float32[8, 4] -> float32[8, 4]",
                "  Task Duration 20.00 us (model), of it 1.25 outside of the cores; bound: vector (model)",
            ]
        );
        assert!(!text.contains("launch 1"));
    }

    #[test]
    fn near_the_size_of_the_l2_there_are_two_times() {
        let text = brief("test_add", &[at_the_edge()]);
        let lines: Vec<&str> = text.lines().skip(2).take(5).collect();
        assert_eq!(
            lines,
            [
                "     kernel   key  blocks  Task Duration(us)  core mean    max  error                                     bound (model)",
                "  1  Add_k_3    3       2    11.25 to 178.60       9.00  10.00  no error known (near the size of the L2)  vector",
                "",
                "launch 1: Add_k_3 (key 3), Ascend910B3, warm",
                "  Task Duration 11.25 to 178.60 us (model), of it 1.25 outside of the cores; bound: vector (model)",
            ]
        );
        let below = "\n  all times below are of the shorter one: no error known (near the size of the L2)\n";
        assert!(text.contains(below), "{text}");
    }

    #[test]
    fn a_stride_conflict_is_of_one_operand() {
        let mut one = launch();
        one.conflicts[0].operands = ["dst".into(), "dst".into()];
        one.conflicts[0].at = [64, 64];
        one.conflicts[0].kind = "stride".into();
        assert!(
            conflicts(&one).contains("  Add                     dst at 0x00040, by its stride  "),
            "{}",
            conflicts(&one)
        );
    }

    #[test]
    fn what_a_launch_costs() {
        let mut part = launch();
        (part.simulated, part.conflicts, part.notes) = (1, Vec::new(), vec!["something is assumed".into()]);
        let mut other_tensor = launch();
        other_tensor.trace.clear();
        let text = text("test_add", &[launch(), other_tensor, part], &[0, 2]);
        expect![[r#"

            test_add: 3 launches; all times and rates are of the timing model, none is measured; ± is the mean error of the calibration and hold-outs in a class, no bound; plain C++ between calls of Ascend C is not priced
                 kernel   key  blocks  Task Duration(us)  core mean    max  error                             bound (model)
              1  Add_k_3    3       2              11.25       9.00  10.00  ± 4 % (element-wise, long calls)  vector
              2  Add_k_3    3       2              11.25       9.00  10.00  ± 4 % (element-wise, long calls)  vector
              3  Add_k_3    3       2              11.25       9.00  10.00  ± 4 % (element-wise, long calls)  vector

            launches, all alike: 1, 2: Add_k_3 (key 3), Ascend910B3, warm
              Task Duration 11.25 us (model), of it 1.25 outside of the cores; bound: vector (model)
              all of these times: ± 4 % (element-wise, long calls), mean error of the calibration and hold-outs

              time of a core (us, model)  mean   min    max  ratio
              aiv_time                    9.00  8.00  10.00
              aiv_vec_time                4.50  4.00   5.00  0.500
              aiv_scalar_time             1.00  1.00   1.00  0.111
              aiv_mte2_time               2.50  2.50   2.50  0.278
              aiv_mte3_time               2.00  2.00   2.00  0.222

              global memory (model)     bytes    GB/s
              read                    9000000   800.0
              of it found in L2       9000000   800.0
              written                 4500000   400.0
              read and written       13500000  1200.0  of 6400
              from and to HBM         4500000   400.0  of 1400

              bank conflicts (model)  operands                          repeats  cycles lost  line
              Add                     src0 at 0x00000, src1 at 0x04000       64           64  op_kernel/add.h:52

              busiest lines (model)  pipe    instructions  us, slowest core
              op_kernel/add.h:52     VECTOR             4              0.33

              what would help (model)                                                                         us     gain
              src0 and src1 of Add share bank groups at op_kernel/add.h:52: move one of them by 256 bytes   9.00  -20.0 %
              the same time for every core                                                                 10.12  -10.0 %

            launch 3: Add_k_3 (key 3), Ascend910B3, warm
              1 of 2 blocks are simulated, the others are taken to be like one of them (--sampled)
              Task Duration 11.25 us (model), of it 1.25 outside of the cores; bound: vector (model)
              all of these times: ± 4 % (element-wise, long calls), mean error of the calibration and hold-outs

              time of a core (us, model)  mean   min    max  ratio
              aiv_time                    9.00  8.00  10.00
              aiv_vec_time                4.50  4.00   5.00  0.500
              aiv_scalar_time             1.00  1.00   1.00  0.111
              aiv_mte2_time               2.50  2.50   2.50  0.278
              aiv_mte3_time               2.00  2.00   2.00  0.222

              global memory (model)     bytes    GB/s
              read                    9000000   800.0
              of it found in L2       9000000   800.0
              written                 4500000   400.0
              read and written       13500000  1200.0  of 6400
              from and to HBM         4500000   400.0  of 1400

              busiest lines (model)  pipe    instructions  us, slowest core
              op_kernel/add.h:52     VECTOR             4              0.33

              what would help (model)                                                            us     gain
              no bank conflict anywhere: operands of an instruction in different bank groups   9.00  -20.0 %
              the same time for every core                                                    10.12  -10.0 %
              note: something is assumed
        "#]].assert_eq(&text);
    }
}

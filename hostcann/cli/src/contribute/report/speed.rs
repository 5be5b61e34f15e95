//! Speed on the chip, as the timing model predicts it: gates, speed-up by size, tables of times.

use std::collections::BTreeSet;

use super::doc::{Block, Cell, Section, State, Table, Tone, both, same};
use super::{Subject, small, words};
use crate::base::plural;
use crate::base::report::SimBenchPiece;
use crate::perf::predict::matrix::{MODES, size};
use crate::perf::predict::row::Row;
use crate::perf::predict::svg;

pub fn section(subject: &Subject) -> Section {
    let mut section = Section::new("speed", both("性能（模型预测，非实测）", "Speed (model, not measured)"));
    if subject.companion.as_ref().is_none_or(|companion| companion.sim.is_none()) || !subject.in_tree {
        section.brief =
            both("该算子没有性能模型的对照程序", "the operator has nothing to hold the model's times against");
        section.blocks.push(Block::Text(section.brief.clone()));
        return section;
    }
    section.blocks.push(Block::Text(both(
        "所有时间与比值均由时序模型预测，没有任何一项是在芯片上测得的（docs/guides/performance.md、docs/explanation/model.md）。基准chain为内置TBE算子的指令序列。±为模型对该类launch的平均误差（校准与留出的测量），并非上界；数据量接近L2容量的launch有两个时间，图与比值取较短者。",
        "All times and ratios are predicted by the timing model; nothing was measured on a chip (docs/guides/performance.md, docs/explanation/model.md). The baseline, chain, is the instruction sequence of the built-in TBE operator. ± is the mean error of the model for launches of that class, over the calibration and the held-out measurements, no bound; near the size of the L2 a launch has two times, of which charts and ratios take the shorter.",
    )));
    let data = match subject.store.data::<SimBenchPiece>("bench_sim") {
        Err(why) => {
            section.open(&same("bench sim"), &why.text(), &subject.command(&["bench", "sim"]));
            return section;
        }
        Ok(data) => data,
    };
    gates(&data, &mut section);
    let rows = data.rows;
    section.blocks.extend(small::blocks(&rows));
    let socs: BTreeSet<&str> = rows.iter().map(|row| row.soc.as_str()).collect();
    let mut pictures = Vec::new();
    let mut tables = Vec::new();
    for soc in socs {
        for cache in ["warm", "cold"] {
            let some: Vec<&Row> = rows.iter().filter(|row| row.soc == soc && row.cache == cache).collect();
            let named = words::named(cache);
            for mode in MODES.into_iter().filter(|mode| some.iter().any(|row| row.op.contains_key(*mode))) {
                let title = both(
                    format!("{mode}，同形状，{soc}，{}：与内置算子指令序列的速度比（模型）", named.zh),
                    format!("{mode}, same shape, {soc}, {cache}: times as fast as the built-in chain (model)"),
                );
                if some.iter().any(|row| row.case == "same" && row.op.contains_key(mode)) {
                    let draw = |title: &str, axis: &str| svg::speed_up(&some, mode, title, axis);
                    pictures.push([draw(&title.zh, "元素数"), draw(&title.en, "elements")]);
                }
                let name = both(
                    format!("{soc}，{}，{mode}：微秒（模型）与速度比（模型）", named.zh),
                    format!("{soc}, {cache}, {mode}: µs (model) and times as fast as the chain (model)"),
                );
                tables.push(Block::Folded(name, times(&some, mode)));
            }
        }
    }
    section.blocks.push(Block::Heading(both("速度比随元素数的变化（模型）", "Speed-up by size (model)")));
    section.blocks.push(Block::Pictures(pictures));
    section.blocks.extend(tables);
    section
}

fn gates(data: &SimBenchPiece, section: &mut Section) {
    let gates = data.gates.as_deref().unwrap_or_default();
    let held = gates.iter().filter(|gate| gate.failed == 0 && gate.rows > 0).count();
    let tried = gates.iter().filter(|gate| gate.rows > 0).count();
    section.judge(if held == tried { State::Good } else { State::Bad });
    if tried < gates.len() {
        section.judge(State::Open);
    }
    let (rows, all) = (data.rows.len(), gates.len());
    section.brief = both(
        format!("{rows}行（模型），{held}/{tried}个门限满足，{}个门限无数据", all - tried),
        format!("{} (model), {held} of {tried} gates hold, {} without rows", plural::number(rows, "row"), all - tried),
    );
    let head = ["门限", "要求", "行数", "未满足", "最差（占要求的比例，模型）", "所在行"].into_iter().zip([
        "gate",
        "required",
        "rows",
        "failed",
        "worst, part of what is required (model)",
        "at",
    ]);
    let mut table = Table { head: head.map(|(zh, en)| both(zh, en)).collect(), rows: Vec::new() };
    for gate in gates {
        let tone = match (gate.rows, gate.failed) {
            (0, _) => Tone::Open,
            (_, 0) => Tone::Good,
            _ => Tone::Bad,
        };
        let (row, part) = gate.worst.clone().unzip();
        table.rows.push(vec![
            Cell::text(words::gate(&gate.name)),
            Cell::text(words::required(&gate.name, &gate.text)),
            Cell::plain(gate.rows.to_string()),
            Cell::toned(gate.failed.to_string(), tone),
            Cell::plain(part.map_or(String::new(), |part| format!("{part:.3}"))),
            Cell::text(words::row_name(&row.unwrap_or_default())),
        ]);
    }
    section.blocks.push(Block::Table(table));
}

/// A row for each type and case, a column for each size.
fn times(rows: &[&Row], mode: &str) -> Table {
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.elements).collect();
    let mut table = Table { head: vec![both("类型，形状", "type, case")], rows: Vec::new() };
    table.head.extend(sizes.iter().map(|elements| same(size(*elements))));
    let mut kinds: Vec<(usize, usize, &str, &str)> = rows
        .iter()
        .filter(|row| row.op.contains_key(mode))
        .map(|row| {
            let (dtype, case, ..) = row.order();
            (dtype, case, row.dtype.as_str(), row.case.as_str())
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    for (_, _, dtype, case) in kinds {
        let mut line = vec![Cell::text(words::typed_case(dtype, case))];
        line.extend(sizes.iter().map(|elements| {
            let row = rows.iter().find(|row| row.dtype == dtype && row.case == case && row.elements == *elements);
            let told = row.and_then(|row| {
                let us = row.us_text(mode, *row.op.get(mode)?, |us| format!("{us:.2}"));
                Some(format!("{us}  {:.2}x  {}", row.speed_up(mode)?, row.error_text(mode)).trim_end().to_owned())
            });
            Cell::plain(told.unwrap_or_default())
        }));
        table.rows.push(line);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::predict::row::tests::{at_the_edge, row};

    #[test]
    fn every_time_has_its_error() {
        let row = |elements| row(("f32", "same", elements, "warm"), [10.0, 40.0, 20.0, 8.0]);
        let rows = [row(1 << 20), at_the_edge(row(1 << 24))];
        let table = times(&rows.iter().collect::<Vec<_>>(), "tbe");
        let cells = [
            "10.00  2.00x  ± 4 % (element-wise, long calls)",
            "10.00 to 30.00  2.00x  no error known (near the size of the L2)",
        ];
        let named = Cell::text(words::typed_case("f32", "same"));
        assert_eq!(table.rows, [[vec![named], cells.map(Cell::plain).to_vec()].concat()]);
    }
}

//! The host side: which kernel with which tiling.

use std::fmt::Write;

use super::fields::fields;
use super::host::{over, read_shapes};
use super::kernel::{has_segments, has_workspace};
use super::pieces::reductions;
use super::{Names, Operator, banner};
use crate::cost;
use crate::cpp;
use crate::expr::Expr;
use crate::model::Graph;
use crate::plan::Plan;
use crate::schedule::MOST_STEP;

/// The file around `content`: the solver, and `Choose` that fills the tiling data of these sizes.
pub fn choose(graph: &Graph, names: &Names, content: &str) -> String {
    let (Names { snake, .. }, upper) = (names, names.upper());
    format!(
        "{}#ifndef {upper}_CHOOSE_H\n#define {upper}_CHOOSE_H\n\n#include <cstdint>\n\
         #include \"../op_kernel/{snake}_tiling_data.h\"\n#include \"{snake}_shapes.h\"\n\n\
         {content}#endif // {upper}_CHOOSE_H\n",
        banner(graph)
    )
}

/// The solver and `Choose`, behind `Sizes` and the tiling data.
pub(super) fn choice(plan: &Plan, names: &Names) -> String {
    let priced = plan.cases.iter().all(|kernel| kernel.cost.is_some());
    let pricing = if priced { ["\n", cpp::PRICE] } else { ["", ""] }.concat();
    let rule = if priced { CHEAPEST } else { FEWEST };
    let mut text = format!(
        "{}{pricing}\n{}\n{}",
        cpp::SOLVE,
        cpp::EXACT,
        CHOOSE.replace("PASCAL", &names.pascal).replace("RULE", rule)
    );
    let mut values: Vec<Expr> = Vec::new();
    for var in &plan.hint().size_vars {
        let _ = writeln!(text, "    if (sizes.{} < 0) {{\n        return false;\n    }}", var.name);
    }
    let mut calls = String::new();
    for (case, kernel) in plan.cases.iter().enumerate() {
        let s = &kernel.s;
        let places: Vec<String> = s.demanded().into_iter().map(|size| place(&mut values, size)).collect();
        let d = kernel.memory.demand(s);
        let mut holds = |(step, length): &(Expr, Expr)| {
            let [step, length] = [step, length].map(|size| place(&mut values, size.clone()));
            format!("{step} >= {length} && {step} < {MOST_STEP} &&\n        ")
        };
        let mut apart: String = s.row_steps().iter().map(&mut holds).collect();
        for size in s.around() {
            let _ = write!(apart, "{} > 0 &&\n        ", place(&mut values, size.clone()));
        }
        let solve = match &kernel.cost {
            Some(cost) if priced => {
                let _ = writeln!(calls, "    const Cost cost{case}{};", cost::cpp_value(cost));
                format!("SolvePriced(need, cost{case}, cores, aivNum, ubSize, tiling, price)")
            }
            _ => "SolveTiling(need, cores, aivNum, ubSize, tiling)".to_owned(),
        };
        let (value, better) =
            if priced { ("price", "price < least") } else { ("tiling.coreTiles", "tiling.coreTiles < least") };
        let better = if case == 0 { String::new() } else { format!(" &&\n        (mode < 0 || {better})") };
        let kept = if plan.cases.len() == 1 { String::new() } else { format!("least = {value};\n        ") };
        let _ = write!(
            calls,
            "    // {:?}: bytes of an element, a row, an element of one row.\n    \
             const Demand demand{case}{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}};\n    \
             if ({apart}NeedOf(demand{case}, {}, need) && {solve}{better}) {{\n        \
             best = tiling;\n        {kept}mode = {case};\n    }}\n",
            s.case,
            d.whole_rows,
            d.pieces,
            d.columns,
            d.wide,
            d.narrow,
            d.once,
            d.lanes,
            d.fixed,
            d.sums,
            d.step,
            d.align,
            d.repeated,
            places.join(", ")
        );
    }
    calls.push_str(FILL);
    let columns = plan.cases.iter().find_map(|kernel| Some(kernel.s.graph.axis[kernel.s.columns?].size.clone()));
    if let Some(columns) = columns.filter(|_| has_segments(plan)) {
        let columns = place(&mut values, columns);
        let _ = write!(calls, "    data.parts = best.parts;\n    data.segment = SegmentOf({columns});\n");
    }
    for (field, expr) in fields(plan) {
        let _ = writeln!(calls, "    data.{field} = {};", place(&mut values, expr));
    }
    text.push_str("    const Exact values[] = {\n");
    for value in &values {
        let _ = writeln!(text, "        {}, // {value}", over(value, |name| format!("Exact(sizes.{name})")));
    }
    text.push_str(VALID);
    text.push_str(if plan.cases.len() > 1 { "    int64_t least = 0;\n" } else { "" });
    text.push_str(if priced { "    int64_t price = 0;\n" } else { "" });
    text + &calls + "    return true;\n}\n\n" + &workspace(plan, names)
}

/// Bytes for what cores that share rows give each other.
fn workspace(plan: &Plan, names: &Names) -> String {
    let sums: usize = plan.cases.iter().map(|kernel| reductions(&kernel.s).len()).max().unwrap_or(0);
    let bytes = match has_workspace(plan) {
        true => format!("data.parts > 1 ? data.tiles / data.parts * {sums} * KEPT_BYTES : 0"),
        false => "0".to_owned(),
    };
    let name = if has_workspace(plan) { " data" } else { "" };
    format!("inline int64_t WorkspaceOf(const {}TilingData&{name}) {{ return {bytes}; }}\n", names.pascal)
}

/// Each size is computed once.
fn place(values: &mut Vec<Expr>, size: Expr) -> String {
    let at = values.iter().position(|known| *known == size).unwrap_or_else(|| {
        values.push(size);
        values.len() - 1
    });
    format!("values[{at}].value")
}

const FEWEST: &str = "the one whose cores have the fewest tiles";
const CHEAPEST: &str = "the cheapest by the timing model";

const CHOOSE: &str = "\
// Of the kernels for these sizes RULE; false where there is none, or where a size does
// not fit into 64 bits or is no integer.
inline bool Choose(const Sizes& sizes, int64_t cores, int64_t aivNum, int64_t ubSize, PASCALTilingData& data)
{
    (void)sizes;
";

const VALID: &str = "    };
    for (const Exact& value : values) {
        if (!value.valid) {
            return false;
        }
    }
    Need need;
    Tiling tiling;
    Tiling best{};
    int64_t mode = -1;
";

const FILL: &str = "    if (mode < 0) {
        return false;
    }
    data.mode = mode;
    data.block_dim = best.blockDim;
    data.tile = best.tile;
    data.row_tiles = best.rowTiles;
    data.core_tiles = best.coreTiles;
    data.tiles = best.tiles;
    data.stride = best.stride;
";

/// The tiling function: how many tiling keys there are, and which of them a launch has in C++.
pub fn tiling(operator: &Operator, names: &Names, (keys, mode): (usize, &str)) -> String {
    let keys: Vec<String> = (0..keys).map(|key| key.to_string()).collect();
    let text = TILING
        .replace(
            "READ_SHAPES;\n",
            &read_shapes("gert::TilingContext", "given->GetStorageShape()", &operator.ends, names),
        )
        .replace("KEYS", &keys.join(", "))
        .replace("MODE", mode)
        .replace(
            "    SCHEDULE;\n",
            if operator.meets { "    context->SetScheduleMode(1); // cores that meet start together\n" } else { "" },
        )
        .replace("LONG_ROWS", &operator.long_rows)
        .replace("SNAKE", &names.snake)
        .replace("PASCAL", &names.pascal);
    banner(operator.graph) + &text
}

const TILING: &str = include_str!("../../cpp/op_tiling.cpp");

//! Results of a whole case file for `report`: those of every standard, and errors by size of the quotient.

use std::path::Path;

use serde_json::{Value, json};

use super::RunOptions;
use super::case::Case;
use super::dtype::Dtype;
use super::result_row::ResultRow;
use super::runner::{CaseOutcome, EDGES, ErrorCounts};
use super::standard::Standard;
use crate::base::ctx::Ctx;
use crate::base::op_dir::OpDir;
use crate::toolchain::evidence;
use crate::toolchain::plan::Plan;

#[derive(Default)]
pub struct CaseResults {
    /// A case under one standard.
    results: Vec<(Standard, Value)>,
    errors: Vec<ErrorsByType>,
}

/// ErrorCounts of all cases of one mode and type.
struct ErrorsByType {
    mode: String,
    dtype: String,
    by: String,
    bins: Vec<[u64; 5]>,
}

impl CaseResults {
    pub fn note(&mut self, case: &Case, interface: &str, outcome: &CaseOutcome, rows: &[ResultRow]) {
        let mut standards: Vec<Standard> = Vec::new();
        for row in rows {
            if !standards.contains(&row.standard) {
                standards.push(row.standard);
            }
        }
        for standard in standards {
            let results: Vec<Value> = rows.iter().filter(|row| row.standard == standard).map(ResultRow::json).collect();
            let mut about = about(case, interface);
            about["results"] = json!(results);
            self.results.push((standard, about));
        }
        for (output, stored) in case.output_desc.iter().zip(outcome.iter().flatten()) {
            if let Some(errors) = &stored.errors {
                self.count(mode(case), dtype(&output.data_type).to_owned(), errors);
            }
        }
    }

    fn count(&mut self, mode: String, dtype: String, more: &ErrorCounts) {
        let is_it = |one: &&mut ErrorsByType| one.mode == mode && one.dtype == dtype && one.by == more.by;
        let Some(known) = self.errors.iter_mut().find(is_it) else {
            self.errors.push(ErrorsByType { mode, dtype, by: more.by.clone(), bins: more.bins.clone() });
            return;
        };
        for (sum, more) in known.bins.iter_mut().flatten().zip(more.bins.iter().flatten()) {
            *sum += more;
        }
    }

    pub fn keep(&self, cx: &mut Ctx, plan: &Plan, op: &OpDir, file: &Path, options: &RunOptions) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let shown = file.strip_prefix(&op.path).unwrap_or(file).display().to_string();
        for standard in options.standards {
            let cases: Vec<&Value> =
                self.results.iter().filter(|(of, _)| of == standard).map(|(_, value)| value).collect();
            let name = standard.name();
            let data = json!({"file": shown, "standard": name, "seed": options.seed, "cases": cases});
            evidence::keep_of(cx, plan, op, &format!("acceptance.{stem}.{name}"), data);
        }
        let errors = self
            .errors
            .iter()
            .map(|one| json!({"mode": one.mode, "dtype": one.dtype, "by": one.by, "bins": one.bins}))
            .collect::<Vec<_>>();
        let data = json!({"file": shown, "seed": options.seed, "edges": EDGES, "errors": errors});
        evidence::keep_of(cx, plan, op, &format!("errors.{stem}"), data);
    }
}

fn about(case: &Case, interface: &str) -> Value {
    let inputs = case.input_desc.iter().map(|input| {
        let range = input.value_range;
        json!({"name": input.name, "dtype": dtype(&input.data_type), "shape": input.shape, "range": range})
    });
    let outputs = case
        .output_desc
        .iter()
        .map(|output| json!({"name": output.name, "dtype": dtype(&output.data_type), "shape": output.shape}));
    json!({
        "case": case.case_name,
        "interface": interface,
        "mode": mode(case),
        "inputs": inputs.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}

/// Attributes, as `name=value`.
fn mode(case: &Case) -> String {
    case.attr_desc.iter().map(|attr| format!("{}={}", attr.name, attr.value)).collect::<Vec<_>>().join(", ")
}

/// numpy's name: `float` and `float32` are one type.
fn dtype(name: &str) -> &str {
    Dtype::named(name).map_or(name, |dtype| dtype.name)
}

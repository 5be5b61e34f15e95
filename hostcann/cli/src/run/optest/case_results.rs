//! Results of a whole case file for `report`: those of every standard, and errors by size of the quotient.

use std::path::Path;

use super::RunOptions;
use super::case::Case;
use super::dtype::Dtype;
use super::result_row::ResultRow;
use super::runner::{CaseOutcome, EDGES, ErrorCounts};
use super::standard::Standard;
use crate::base::ctx::Ctx;
use crate::base::op_dir::OpDir;
use crate::base::report::{AcceptanceCase, AcceptancePiece, CaseTensor, ErrorBins, ErrorsPiece};
use crate::toolchain::evidence;
use crate::toolchain::plan::Plan;

#[derive(Default)]
pub struct CaseResults {
    /// A case under one standard.
    results: Vec<(Standard, AcceptanceCase)>,
    /// Of all cases of one mode and type
    errors: Vec<ErrorBins>,
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
            let results = rows.iter().filter(|row| row.standard == standard).map(ResultRow::reported).collect();
            self.results.push((standard, AcceptanceCase { results, ..about(case, interface) }));
        }
        for (output, stored) in case.output_desc.iter().zip(outcome.iter().flatten()) {
            if let Some(errors) = &stored.errors {
                self.count(mode(case), dtype(&output.data_type).to_owned(), errors);
            }
        }
    }

    fn count(&mut self, mode: String, dtype: String, more: &ErrorCounts) {
        let is_it = |one: &&mut ErrorBins| one.mode == mode && one.dtype == dtype && one.by == more.by;
        let Some(known) = self.errors.iter_mut().find(is_it) else {
            self.errors.push(ErrorBins { mode, dtype, by: more.by.clone(), bins: more.bins.clone() });
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
            let cases = self.results.iter().filter(|(of, _)| of == standard).map(|(_, case)| case.clone());
            let (file, name) = (shown.clone(), standard.name());
            let data = AcceptancePiece { file, standard: name.to_owned(), seed: options.seed, cases: cases.collect() };
            evidence::keep_of(cx, plan, op, &format!("acceptance.{stem}.{name}"), &data);
        }
        let (edges, errors) = (EDGES.into_iter().map(i64::from).collect(), self.errors.clone());
        let data = ErrorsPiece { file: shown, seed: options.seed, edges, errors };
        evidence::keep_of(cx, plan, op, &format!("errors.{stem}"), &data);
    }
}

fn about(case: &Case, interface: &str) -> AcceptanceCase {
    let inputs = case.input_desc.iter().map(|input| CaseTensor {
        name: input.name.clone(),
        dtype: dtype(&input.data_type).to_owned(),
        shape: input.shape.clone(),
        range: input.value_range,
    });
    let outputs = case.output_desc.iter().map(|output| CaseTensor {
        name: output.name.clone(),
        dtype: dtype(&output.data_type).to_owned(),
        shape: output.shape.clone(),
        range: None,
    });
    AcceptanceCase {
        case: case.case_name.clone(),
        interface: interface.to_owned(),
        mode: mode(case),
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        results: Vec::new(),
    }
}

/// Attributes, as `name=value`.
fn mode(case: &Case) -> String {
    case.attr_desc.iter().map(|attr| format!("{}={}", attr.name, attr.value)).collect::<Vec<_>>().join(", ")
}

/// numpy's name: `float` and `float32` are one type.
fn dtype(name: &str) -> &str {
    Dtype::named(name).map_or(name, |dtype| dtype.name)
}

//! What a run of a whole case file leaves for `report`: for every standard its results, and errors by size of the quotient.

use std::path::Path;

use serde_json::{Value, json};

use super::Wish;
use super::case::Case;
use super::drive::{EDGES, Errors, Ran};
use super::dtype::Dtype;
use super::row::Row;
use super::standard::Standard;
use crate::ctx::Ctx;
use crate::evidence;
use crate::op_dir::OpDir;
use crate::plan::Plan;

#[derive(Default)]
pub struct Left {
    /// A case under one standard.
    results: Vec<(Standard, Value)>,
    errors: Vec<Spread>,
}

/// Errors of all cases of one mode and type.
struct Spread {
    mode: String,
    dtype: String,
    by: String,
    bins: Vec<[u64; 5]>,
}

impl Left {
    pub fn note(&mut self, case: &Case, interface: &str, outcome: &Ran, rows: &[Row]) {
        let mut standards: Vec<Standard> = Vec::new();
        for row in rows {
            if !standards.contains(&row.standard) {
                standards.push(row.standard);
            }
        }
        for standard in standards {
            let results: Vec<Value> = rows.iter().filter(|row| row.standard == standard).map(Row::json).collect();
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

    fn count(&mut self, mode: String, dtype: String, more: &Errors) {
        let is_it = |one: &&mut Spread| one.mode == mode && one.dtype == dtype && one.by == more.by;
        let Some(known) = self.errors.iter_mut().find(is_it) else {
            self.errors.push(Spread { mode, dtype, by: more.by.clone(), bins: more.bins.clone() });
            return;
        };
        for (sum, more) in known.bins.iter_mut().flatten().zip(more.bins.iter().flatten()) {
            *sum += more;
        }
    }

    pub fn keep(&self, cx: &mut Ctx, plan: &Plan, op: &OpDir, file: &Path, wish: &Wish) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let shown = file.strip_prefix(&op.path).unwrap_or(file).display().to_string();
        for standard in wish.standards {
            let cases: Vec<&Value> =
                self.results.iter().filter(|(of, _)| of == standard).map(|(_, value)| value).collect();
            let name = standard.name();
            let data = json!({"file": shown, "standard": name, "seed": wish.seed, "cases": cases});
            evidence::keep_of(cx, plan, op, &format!("acceptance.{stem}.{name}"), data);
        }
        let errors = self
            .errors
            .iter()
            .map(|one| json!({"mode": one.mode, "dtype": one.dtype, "by": one.by, "bins": one.bins}))
            .collect::<Vec<_>>();
        let data = json!({"file": shown, "seed": wish.seed, "edges": EDGES, "errors": errors});
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// The runner's own function on arrays whose errors are known. It needs the pinned numpy, which the acceptance layer gets.
    #[test]
    fn errors_by_size_of_the_quotient() {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent").join("target/tools");
        let (numpy, ml_dtypes) = (tools.join("bench"), tools.join("ml_dtypes"));
        if !numpy.is_dir() || !ml_dtypes.is_dir() {
            crate::term::err!(
                "left out: numpy and ml_dtypes are not there; `cargo xtask test --only acceptance` gets them"
            );
            return;
        }
        let runner = include_str!("runner.py");
        let (_, rest) = runner.split_once("\ndef errors(").expect("the function");
        let (body, _) = rest.split_once("\ndef store(").expect("its end");
        let program = format!(
            "import sys\nsys.path[:0] = {:?}\nimport numpy as np, ml_dtypes\nJOB = {{'edges': [0, 4]}}\ndef errors({body}\n{CHECKS}",
            [&numpy, &ml_dtypes]
        );
        let output = Command::new("python3").args(["-I", "-c", &program]).output().expect("python3 runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Places: below 1, 1 to 16, from 16 on, no number. Degrees: equal, 1 ulp, 32 ulp, farther, a number against none.
    const CHECKS: &str = r#"
case = {"inputs": [{"name": "x"}, {"name": "y"}]}
f = np.float32
x, y = np.array([1, 1, 15, 16, 1, 0, 1, 3], f), np.array([2, 1, 1, 1, 0, 0, 1, 1], f)
golden = np.array([1, 1, 1, 1, np.nan, np.nan, 1, 1], f)
ulp = 2.0 ** -23
result = np.array([1, 1 + ulp, 1 + 32 * ulp, 1 + 33 * ulp, np.nan, 1, np.inf, 1], f)
found = errors(case, [x, y], result, golden)
assert found["by"] == "|x / y|", found
assert found["bins"] == [[1, 0, 0, 0, 0], [1, 1, 1, 0, 1], [0, 0, 0, 1, 0], [1, 0, 0, 0, 1]], found
# Broadcasting, a scalar, and integers, whose unit is 1.
found = errors(case, [np.array([[4], [64]], np.int16), np.array(4, np.int16)], np.array([[0], [7]], np.int16), np.array([[0], [5]], np.int16))
assert found["bins"] == [[0] * 5, [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0] * 5], found
# One operand stands for itself; the unit of bfloat16 is 2^-7 at 1.
b = ml_dtypes.bfloat16
found = errors({"inputs": [{"name": "x"}]}, [np.array([0.5], b)], np.array([1 + 2.0 ** -7], b), np.array([1], b))
assert found == {"by": "|x|", "bins": [[0, 1, 0, 0, 0], [0] * 5, [0] * 5, [0] * 5]}, found
assert errors(case, [x, y], result, golden.astype(np.float64)) is None
"#;
}

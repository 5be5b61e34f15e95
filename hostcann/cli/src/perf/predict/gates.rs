//! What is required of the operator, each requirement with a name, judged on the rows of one run.

use super::row::Row;
use crate::base::report::{GateOutcome, MissedRow};

/// A requirement and the rows that it is about.
pub struct Gate {
    pub name: &'static str,
    pub text: &'static str,
    judge: fn(&Row, &Rows) -> Option<Verdict>,
}

/// How far a row is from what it has to reach, and the ratio that it has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Verdict {
    /// 1 or more holds.
    part: f64,
    ratio: f64,
    /// What is the least forbids it: the row has to be within a tenth of that instead.
    beyond: bool,
}

/// All rows of a run, to find the one beside another.
pub struct Rows<'a>(pub &'a [Row]);

impl Rows<'_> {
    fn same_shape(&self, row: &Row) -> Option<&Row> {
        let key = (row.soc.as_str(), row.dtype.as_str(), "same", row.elements, row.cache.as_str());
        self.0.iter().find(|other| other.key() == key)
    }
}

impl GateOutcome {
    pub fn holds(&self) -> bool {
        self.failed == 0
    }
}

const MI: u64 = 1 << 20;
/// Of the floor, where more cannot be asked for.
const NEAR: f64 = 1.10;
/// As fast as something else: the tolerance of the model, and of the task.
const AS_FAST: f64 = 0.95;

pub const GATES: [Gate; 7] = [
    Gate {
        name: "tbe-chain",
        text: "tbe mode, f32, f16, bf16, i16: at least 0.95 times as fast as the built-in chain",
        judge: |row, _| (!is_wide_int(row)).then(|| ratio(row, "tbe", AS_FAST)).flatten(),
    },
    Gate {
        name: "broadcast",
        text: "tbe mode: broadcasting is at least 0.95 times as fast as two operands of the result's shape",
        judge: |row, all| {
            let counts = ["scalar", "row", "column", "both"].contains(&row.case.as_str());
            let same = all.same_shape(row).filter(|_| counts)?;
            Some(of(same.op.get("tbe")? / row.op.get("tbe")?, AS_FAST))
        },
    },
    Gate {
        name: "strided",
        text: "tbe mode: strided rows that go direct: 1.2 times as fast as contiguous copies around the operator",
        judge: |row, all| {
            let road = row.road.filter(|_| row.direct)?;
            // The road contains the operator: where that takes most of it, nobody is so much faster.
            let contiguous = all.same_shape(row).and_then(|same| same.op.get("tbe").copied()).unwrap_or(0.0);
            reach(row, road, 1.2, row.limit.max(contiguous))
        },
    },
    Gate {
        name: "exact-cold-f32",
        text: "exact mode, f32, same shape, cold, 1 Mi and more: at least 0.9 times as fast as the chain",
        judge: |row, _| {
            let counts = row.dtype == "f32" && row.case == "same" && row.is_cold() && row.elements >= MI;
            counts.then(|| ratio(row, "exact", 0.9)).flatten()
        },
    },
    Gate {
        name: "exact-warm-16-bit",
        text: "exact mode, f16 and bf16, same shape, warm, 1 Mi and more: at least 0.9 times as fast as the chain",
        judge: |row, _| {
            let counts = is_16_bit(row) && row.case == "same" && !row.is_cold() && row.elements >= MI;
            counts.then(|| ratio(row, "exact", 0.9)).flatten()
        },
    },
    Gate {
        name: "integers",
        text: "i8, u8: at least 0.95 times as fast as the built-in chain",
        judge: |row, _| (is_wide_int(row) && row.dtype != "i32").then(|| ratio(row, "tbe", AS_FAST)).flatten(),
    },
    Gate {
        name: "exact-i32",
        text: "i32, which is exact where the built-in chain rounds: at least 0.9 times as fast as the chain",
        judge: |row, _| (row.dtype == "i32" && row.case != "wide").then(|| ratio(row, "tbe", 0.9)).flatten(),
    },
];

/// Types that have a gate of their own: the chain rounds 32-bit integers, ours does not.
fn is_wide_int(row: &Row) -> bool {
    ["i32", "i8", "u8"].contains(&row.dtype.as_str())
}

fn is_16_bit(row: &Row) -> bool {
    ["f16", "bf16", "i16"].contains(&row.dtype.as_str())
}

fn of(ratio: f64, required: f64) -> Verdict {
    Verdict { part: ratio / required, ratio, beyond: false }
}

fn ratio(row: &Row, mode: &str, required: f64) -> Option<Verdict> {
    row.speed_up(mode).map(|speed_up| of(speed_up, required))
}

/// So many times as fast as what takes that long, or near the least that there is where that forbids it.
fn reach(row: &Row, beside: f64, required: f64, least: f64) -> Option<Verdict> {
    let own = row.op.get("tbe")?;
    let ratio = beside / own;
    if beside / least >= required {
        return Some(of(ratio, required));
    }
    Some(Verdict { part: NEAR * least / own, ratio, beyond: true })
}

/// Two replays of one launch are equal, two launches that differ in less than a cycle of thousands are as fast.
const ROUNDING: f64 = 1e-4;

pub fn judge(rows: &[Row]) -> Vec<GateOutcome> {
    GATES.iter().map(|gate| outcome(gate, rows)).collect()
}

fn outcome(gate: &Gate, rows: &[Row]) -> GateOutcome {
    let mut found = GateOutcome {
        name: gate.name.to_owned(),
        text: gate.text.to_owned(),
        rows: 0,
        failed: 0,
        mean: None,
        beyond_limit: 0,
        worst: None,
        missed: vec![],
    };
    let mut logarithms = 0.0;
    for row in rows {
        let Some(Verdict { part: value, ratio, beyond }) = (gate.judge)(row, &Rows(rows)) else { continue };
        logarithms += ratio.ln();
        found.rows += 1;
        found.beyond_limit += usize::from(beyond);
        if value < 1.0 - ROUNDING {
            found.failed += 1;
            found.missed.push(MissedRow { row: row.name(), part: value, limit: row.limit, bound: row.bound.clone() });
        }
        if found.worst.as_ref().is_none_or(|(_, worst)| value < *worst) {
            found.worst = Some((row.name(), value));
        }
    }
    found.mean = (found.rows > 0).then(|| (logarithms / found.rows as f64).exp());
    found
}

/// Rows that every gate of the chain is about, and the least that exact mode reaches there: the default may change when it
/// is 0.95 or more.
pub fn exact_default(rows: &[Row]) -> Option<(String, f64)> {
    let all = rows.iter().filter(|row| !is_wide_int(row));
    let ratios = all.filter_map(|row| row.speed_up("exact").map(|ratio| (row.name(), ratio)));
    ratios.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    fn gate(name: &str, rows: &[Row]) -> GateOutcome {
        judge(rows).into_iter().find(|outcome| outcome.name == name).unwrap_or_else(|| panic!("no gate {name}"))
    }

    fn counts(name: &str, rows: &[Row]) -> (usize, usize) {
        let outcome = gate(name, rows);
        (outcome.rows, outcome.failed)
    }

    #[test]
    fn as_fast_as_the_chain() {
        let rows = [
            row(("f32", "same", 1 << 14, "cold"), [2.0, 3.0, 2.0, 1.0]),
            row(("i16", "row", 1 << 14, "warm"), [4.0, 3.0, 2.0, 1.0]),
            row(("i32", "row", 1 << 14, "warm"), [4.0, 3.0, 2.0, 1.0]),
            row(("i32", "wide", 1 << 14, "warm"), [4.0, 3.0, 2.0, 1.0]),
        ];
        assert_eq!(counts("tbe-chain", &rows), (2, 1));
        let name = "Ascend910B3 i16 row 16 Ki warm".to_owned();
        let part = 0.5 / 0.95;
        let missed = vec![MissedRow { row: name.clone(), part, limit: 1.0, bound: "memory".to_owned() }];
        assert_eq!(gate("tbe-chain", &rows).missed, missed);
        assert_eq!(gate("tbe-chain", &rows).worst, Some((name, part)));
        assert_eq!(gate("tbe-chain", &rows).mean, Some((0.5f64.ln() / 2.0).exp()));
        // Integers of the full range are shown, not judged.
        assert_eq!((counts("exact-i32", &rows), gate("exact-i32", &rows[..2]).worst), ((1, 1), None));
        assert_eq!(gate("exact-i32", &rows[..2]).mean, None);
        assert_eq!(
            (
                counts("integers", &rows),
                counts("integers", &[row(("u8", "same", 1 << 14, "warm"), [2.0, 3.0, 2.0, 1.0])])
            ),
            ((0, 0), (1, 0))
        );
        let near = |us| [row(("f32", "same", 1 << 14, "cold"), [us, 0.0, 1.9, 1.0])];
        assert_eq!([counts("tbe-chain", &near(2.0)), counts("tbe-chain", &near(2.01))], [(1, 0), (1, 1)]);
    }

    #[test]
    fn broadcasting_against_the_same_shape() {
        let rows = [
            row(("f16", "same", MI, "warm"), [9.5, 0.0, 20.0, 8.0]),
            row(("f16", "row", MI, "warm"), [10.0, 0.0, 20.0, 8.0]),
            row(("f16", "both", MI, "warm"), [10.5, 0.0, 20.0, 8.0]),
            row(("f16", "row", MI, "cold"), [90.0, 0.0, 20.0, 8.0]),
        ];
        assert_eq!(counts("broadcast", &rows), (2, 1));
    }

    #[test]
    fn strided_rows_that_go_direct() {
        let of = |road, direct| {
            [Row { road: Some(road), direct, ..row(("f32", "strided", MI, "warm"), [10.0, 0.0, 20.0, 8.0]) }]
        };
        assert_eq!(counts("strided", &of(12.0, true)), (1, 0));
        assert_eq!(counts("strided", &of(11.9, true)), (1, 1));
        assert_eq!(counts("strided", &of(9.0, false)), (0, 0));
        // The limit is 8: 1.2 times is out of reach, 10 is more than a tenth above the limit.
        assert_eq!((gate("strided", &of(9.5, true)).beyond_limit, counts("strided", &of(9.5, true))), (1, (1, 1)));
        // On contiguous tensors it takes 9.5 of a road of 11: nothing is 1.2 times as fast, and 10 is near 9.5. Warm only.
        let same = |us, cache| row(("f32", "same", MI, cache), [us, 0.0, 20.0, 8.0]);
        let beside = |us, cache| [same(us, cache), of(11.0, true)[0].clone()];
        let near = gate("strided", &beside(9.5, "warm"));
        assert_eq!((near.rows, near.beyond_limit, near.failed), (1, 1, 0));
        assert_eq!(gate("strided", &beside(9.5, "cold")).failed, 1);
    }

    #[test]
    fn exact_mode() {
        let of = |dtype, elements, cache, us| [row((dtype, "same", elements, cache), [1.0, us, 10.0, 8.0])];
        assert_eq!(counts("exact-cold-f32", &of("f32", MI, "cold", 11.1)), (1, 0));
        assert_eq!(counts("exact-cold-f32", &of("f32", MI, "cold", 11.2)), (1, 1));
        assert_eq!(counts("exact-cold-f32", &of("f32", MI, "warm", 99.0)), (0, 0));
        assert_eq!(counts("exact-warm-16-bit", &of("f16", MI, "warm", 11.1)), (1, 0));
        assert_eq!(counts("exact-warm-16-bit", &of("bf16", MI, "warm", 11.2)), (1, 1));
        let name = "Ascend910B3 f16 same 1 Mi warm".to_owned();
        assert_eq!(exact_default(&of("f16", MI, "warm", 20.0)), Some((name, 0.5)));
    }
}

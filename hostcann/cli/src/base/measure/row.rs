//! The rows of the table: what runs beside what, and which ratio is required.

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use super::side::Side;
use crate::base::report::{Beside, HostRow, HostTimes};

/// The processes of one benchmark. Idle ones wait for a line and use no processor.
pub struct Sides {
    pub fast: Side,
    pub single: Side,
    pub check: Side,
    /// Under the timing model.
    pub sim: Side,
    pub numpy: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The op against numpy.
    Fast,
    /// The op on one host thread against numpy.
    Single,
    /// The op with the checker against the op without.
    Check,
    /// The op under the timing model against the op without.
    Sim,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    pub dtype: String,
    /// A word for both sides; what it means is theirs.
    mode: String,
    against: Against,
    /// At least this many times as fast as numpy; at most this many times the time without an observer.
    required: Option<f64>,
    /// Both sides compute the same.
    #[serde(default)]
    equals_numpy: bool,
}

/// Milliseconds of the timed calls of one side.
pub struct Times(Vec<f64>);

impl Times {
    pub fn new(mut ms: Vec<f64>) -> Times {
        ms.sort_by(f64::total_cmp);
        Times(ms)
    }

    pub fn median(&self) -> f64 {
        let (low, high) = (self.0[(self.0.len() - 1) / 2], self.0[self.0.len() / 2]);
        (low + high) / 2.0
    }

    pub fn min(&self) -> f64 {
        self.0[0]
    }

    pub fn max(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    fn reported(&self) -> HostTimes {
        let ms = |value: f64| (value * 1e4).round() / 1e4;
        HostTimes { median_ms: ms(self.median()), min_ms: ms(self.min()), max_ms: ms(self.max()) }
    }
}

pub struct Measured {
    pub row: Row,
    pub op: Times,
    /// numpy, or the op without an observer.
    pub beside: Times,
    /// Elements whose bits differ from numpy's; not known for a row without numpy.
    pub differing: Option<u64>,
}

impl Row {
    /// The op against itself, with somebody who watches.
    fn is_watched(&self) -> bool {
        matches!(self.against, Against::Check | Against::Sim)
    }

    pub fn needs_checker(&self) -> bool {
        self.against == Against::Check
    }

    pub fn measure(self, sides: &mut Sides, elements: u64, reps: usize, dir: &Path) -> Result<Measured> {
        let Sides { fast, single, check, sim, numpy } = sides;
        let (op, beside) = match self.against {
            Against::Fast => (fast, numpy),
            Against::Single => (single, numpy),
            Against::Check => (check, fast),
            Against::Sim => (sim, fast),
        };
        let (dtype, mode, shown) = (&self.dtype, &self.mode, dir.display());
        op.ask(&format!("make {dtype} {elements} {shown}"))?;
        for side in [&mut *op, &mut *beside] {
            side.ask(&format!("load {dtype} {elements} {mode} {shown}"))?;
        }
        op.ask("check")?;
        let differing = match self.against {
            Against::Check | Against::Sim => None,
            Against::Fast | Against::Single => {
                let file = dir.join("out.bin");
                beside.ask(&format!("save {}", file.display()))?;
                Some(op.number(&format!("compare {}", file.display()))?)
            }
        };
        let (mut own, mut other) = (Vec::with_capacity(reps), Vec::with_capacity(reps));
        for _ in 0..reps {
            own.push(op.number("run")? as f64 / 1e6);
            other.push(beside.number("run")? as f64 / 1e6);
        }
        Ok(Measured { row: self, op: Times::new(own), beside: Times::new(other), differing })
    }
}

impl Measured {
    /// How many times as fast as numpy, or how many times as slow as without an observer.
    pub fn ratio(&self) -> f64 {
        match self.row.against {
            Against::Fast | Against::Single => self.beside.median() / self.op.median(),
            Against::Check | Against::Sim => self.op.median() / self.beside.median(),
        }
    }

    pub fn holds(&self) -> bool {
        let fast_enough = self.row.required.is_none_or(|required| match self.row.against {
            Against::Fast | Against::Single => self.ratio() >= required,
            Against::Check | Against::Sim => self.ratio() <= required,
        });
        fast_enough && !(self.row.equals_numpy && self.differing.is_some_and(|count| count > 0))
    }

    pub fn beside_name(&self) -> &'static str {
        match self.row.against {
            Against::Fast | Against::Single => "numpy",
            Against::Check => "no checker",
            Against::Sim => "no model",
        }
    }

    /// The requirement, in words.
    pub fn required(&self) -> String {
        match self.row.required {
            None => String::new(),
            Some(required) if self.row.is_watched() => format!("<= {required}"),
            Some(required) => format!(">= {required}"),
        }
    }

    pub fn reported(&self) -> HostRow {
        HostRow {
            name: self.row.name.clone(),
            dtype: self.row.dtype.clone(),
            mode: self.row.mode.clone(),
            op: self.op.reported(),
            beside: Beside { name: self.beside_name().to_owned(), times: self.beside.reported() },
            ratio: (self.ratio() * 1000.0).round() / 1000.0,
            required: self.row.required,
            holds: self.holds(),
            differs_from_numpy: self.differing,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn row(against: Against, required: f64, equals_numpy: bool) -> Row {
        let (name, dtype, mode) = ("a row".to_owned(), "f32".to_owned(), "fast".to_owned());
        Row { name, dtype, mode, against, required: Some(required), equals_numpy }
    }

    /// At least 10 times as fast as numpy.
    pub fn fast(op: &[f64], beside: &[f64], differing: Option<u64>) -> Measured {
        measured(row(Against::Fast, 10.0, false), op, beside, differing)
    }

    /// At most 20 times as slow as without the checker.
    pub fn checked(op: &[f64], beside: &[f64]) -> Measured {
        measured(row(Against::Check, 20.0, false), op, beside, None)
    }

    /// At most 5 times as slow as without the model.
    fn simulated(op: &[f64], beside: &[f64]) -> Measured {
        measured(row(Against::Sim, 5.0, false), op, beside, None)
    }

    fn measured(row: Row, op: &[f64], beside: &[f64], differing: Option<u64>) -> Measured {
        let times = |ms: &[f64]| Times::new(ms.to_vec());
        Measured { row, op: times(op), beside: times(beside), differing }
    }

    #[test]
    fn medians() {
        assert_eq!(Times::new(vec![3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(Times::new(vec![4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        assert_eq!(Times::new(vec![7.0]).median(), 7.0);
    }

    #[test]
    fn required_ratios() {
        assert!(fast(&[1.0], &[10.0], Some(7)).holds());
        assert!(!fast(&[1.0], &[9.99], Some(0)).holds());
        assert!(checked(&[20.0], &[1.0]).holds());
        assert!(!checked(&[20.1], &[1.0]).holds());
        assert_eq!(checked(&[20.0], &[10.0]).ratio(), 2.0);
        assert!(simulated(&[10.0], &[2.0]).holds() && !simulated(&[10.1], &[2.0]).holds());
        assert_eq!(
            (simulated(&[1.0], &[1.0]).beside_name(), simulated(&[1.0], &[1.0]).required()),
            ("no model", "<= 5".to_owned())
        );
    }

    #[test]
    fn rows_that_must_give_numpys_bits() {
        let exact = |differing| measured(row(Against::Fast, 1.0, true), &[1.0], &[1.0], Some(differing));
        assert!(exact(0).holds());
        assert!(!exact(1).holds());
    }
}

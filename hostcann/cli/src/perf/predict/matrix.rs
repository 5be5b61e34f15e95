//! What `bench sim` runs: types, cases, sizes and chips.

use clap::Args;

/// Name and bytes of an element, in the order of the table. The first four have gates of their own.
pub const DTYPES: [(&str, u64); 7] =
    [("f32", 4), ("f16", 2), ("bf16", 2), ("i16", 2), ("i32", 4), ("i8", 1), ("u8", 1)];
/// What tests/src/bin/sim.rs calls, and tests/bench/chains launches. `wide` is the same shape with integers of the full range,
/// of i32 alone.
pub const CASES: [&str; 7] = ["same", "wide", "scalar", "row", "column", "both", "strided"];
pub const SOCS: [&str; 4] = ["Ascend910B3", "Ascend910B2", "Ascend910B4", "Ascend910_9391"];
pub const ELEMENTS: [u64; 6] = [16 << 10, 128 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];
/// Precisions, and exact with hard quotients.
pub const MODES: [&str; 3] = ["tbe", "exact", "hard"];

/// Columns of every case with rows, and the outer axis of `both`.
pub const COLUMNS: u64 = 1024;
pub const OUTER: u64 = 8;
/// Elements from row to row of a strided tensor.
pub const PITCH: u64 = 2048;

/// Which of them.
#[derive(Args, Clone, Debug, Default)]
pub struct Filter {
    /// Predict only these types: f32, f16, bf16, i16, i32, i8, u8
    #[arg(long, value_delimiter = ',', value_name = "TYPE", value_parser = DTYPES.map(|(name, _)| name))]
    dtype: Vec<String>,
    /// Predict only these cases: same, wide (i32), scalar, row, column, both, strided
    #[arg(long = "case", value_delimiter = ',', value_name = "CASE", value_parser = CASES)]
    cases: Vec<String>,
    /// Predict only these numbers of elements, such as 16Ki or 4Mi
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = elements)]
    elements: Vec<u64>,
    /// Predict only these chips
    #[arg(long, value_delimiter = ',', value_name = "SOC", value_parser = SOCS)]
    soc: Vec<String>,
    /// Predict only these modes: tbe, exact, exact with hard quotients
    #[arg(long, value_delimiter = ',', value_name = "MODE", value_parser = MODES)]
    mode: Vec<String>,
    /// Predict f32 and f16 with 16 Ki, 1 Mi and 16 Mi elements on the first chip, unless flags differ
    #[arg(long)]
    quick: bool,
}

/// One shape of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub dtype: &'static str,
    pub case: &'static str,
    pub elements: u64,
}

impl Filter {
    pub fn socs(&self) -> Vec<&'static str> {
        let all = if self.quick { &SOCS[..1] } else { &SOCS };
        chosen(&SOCS, all, &self.soc)
    }

    /// Largest first, so that operands of a type are made once.
    pub fn shapes(&self) -> Vec<Shape> {
        let names = DTYPES.map(|(name, _)| name);
        let dtypes = chosen(&names, if self.quick { &names[..2] } else { &names }, &self.dtype);
        let quick = [16 << 10, 1 << 20, 16 << 20];
        let mut sizes = if self.elements.is_empty() {
            if self.quick { quick.to_vec() } else { ELEMENTS.to_vec() }
        } else {
            self.elements.clone()
        };
        sizes.sort_unstable();
        sizes.dedup();
        let cases = chosen(&CASES, &CASES, &self.cases);
        let mut all = Vec::new();
        for dtype in dtypes {
            for elements in sizes.iter().rev() {
                // The tensors of the last case are the largest.
                let of_type = cases.iter().rev().filter(|case| **case != "wide" || dtype == "i32");
                all.extend(of_type.map(|case| Shape { dtype, case, elements: *elements }));
            }
        }
        all
    }

    /// In which an op of floating-point numbers is called.
    pub fn precisions(&self) -> Vec<&'static str> {
        ["tbe", "exact"].into_iter().filter(|mode| self.has_mode(mode)).collect()
    }

    pub fn has_mode(&self, mode: &str) -> bool {
        self.mode.is_empty() || self.mode.iter().any(|wanted| wanted == mode)
    }
}

fn chosen(known: &[&'static str], all: &[&'static str], wanted: &[String]) -> Vec<&'static str> {
    if wanted.is_empty() {
        return all.to_vec();
    }
    known.iter().copied().filter(|name| wanted.iter().any(|wanted| wanted == name)).collect()
}

/// `4Mi`, `16Ki` or a plain number; every case needs whole rows.
fn elements(text: &str) -> Result<u64, String> {
    let (digits, unit) = match (text.strip_suffix("Ki"), text.strip_suffix("Mi")) {
        (Some(digits), _) => (digits, 1 << 10),
        (_, Some(digits)) => (digits, 1 << 20),
        _ => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    match number {
        Some(number) if number > 0 && number <= 1 << 28 && number % (COLUMNS * OUTER) == 0 => Ok(number),
        _ => Err(format!("`{text}`: expected a multiple of {}, up to 256Mi", COLUMNS * OUTER)),
    }
}

pub fn size(elements: u64) -> String {
    match elements {
        n if n.is_multiple_of(1 << 20) => format!("{} Mi", n >> 20),
        n if n.is_multiple_of(1 << 10) => format!("{} Ki", n >> 10),
        n => n.to_string(),
    }
}

impl Shape {
    /// What tells it from others on a chip.
    pub fn unit(&self, soc: &str) -> String {
        format!("{soc} {} {} {}", self.dtype, self.case, self.elements)
    }

    pub fn bytes_each(&self) -> u64 {
        DTYPES.iter().find(|(name, _)| *name == self.dtype).map_or(0, |(_, bytes)| *bytes)
    }

    pub fn is_floating(&self) -> bool {
        ["f32", "f16", "bf16"].contains(&self.dtype)
    }

    /// The case by its layout alone.
    pub fn layout(&self) -> &'static str {
        if self.case == "wide" { "same" } else { self.case }
    }

    /// What the operands are like.
    pub fn data(&self) -> &'static str {
        if self.case == "wide" { "wide" } else { "ordinary" }
    }

    pub fn rows(&self) -> u64 {
        self.elements / COLUMNS
    }

    /// Rows of the result that share a row of a broadcast operand.
    pub fn group(&self) -> u64 {
        if self.case == "both" { self.rows() / OUTER } else { self.rows() }
    }

    /// Bytes that any way has to read and to write once.
    pub fn bytes(&self) -> (u64, u64) {
        let (all, rows) = (self.elements, self.rows());
        let read = match self.case {
            "scalar" => all,
            "row" => all + COLUMNS,
            "column" => all + rows,
            "both" => OUTER * COLUMNS + rows,
            _ => 2 * all,
        };
        (read * self.bytes_each(), all * self.bytes_each())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(case: &'static str) -> Shape {
        Shape { dtype: "f16", case, elements: 1 << 20 }
    }

    #[test]
    fn the_whole_matrix_and_parts_of_it() {
        let all = Filter::default();
        assert_eq!((all.shapes().len(), all.socs().len()), (7 * 6 * 6 + 6, 4));
        let quick = Filter { quick: true, ..Filter::default() };
        assert_eq!((quick.shapes().len(), quick.socs()), (2 * 6 * 3, vec!["Ascend910B3"]));
        let part = Filter {
            quick: true,
            dtype: vec!["i8".to_owned()],
            cases: vec!["row".to_owned()],
            elements: vec![1 << 14, 1 << 20],
            mode: vec!["exact".to_owned()],
            ..Filter::default()
        };
        let row = |elements| Shape { dtype: "i8", case: "row", elements };
        assert_eq!(part.shapes(), [row(1 << 20), row(1 << 14)]);
        assert_eq!((part.precisions(), all.precisions()), (vec!["exact"], vec!["tbe", "exact"]));
        assert!(part.has_mode("exact") && !part.has_mode("tbe") && all.has_mode("hard"));
    }

    #[test]
    fn sizes_are_read_and_written() {
        assert_eq!(elements("16Ki"), Ok(16384));
        assert_eq!(elements("4Mi"), Ok(4 << 20));
        assert_eq!(elements("8192"), Ok(8192));
        for wrong in ["", "Mi", "1000", "4Gi", "0", "512Mi", "-1"] {
            assert!(elements(wrong).is_err(), "{wrong}");
        }
        assert_eq!([16384, 4 << 20, 1000].map(size), ["16 Ki", "4 Mi", "1000"]);
    }

    #[test]
    fn bytes_that_have_to_move() {
        let mi = 2 << 20;
        assert_eq!(shape("same").bytes(), (2 * mi, mi));
        assert_eq!(shape("strided").bytes(), (2 * mi, mi));
        assert_eq!(shape("scalar").bytes(), (mi, mi));
        assert_eq!(shape("row").bytes(), (mi + 2048, mi));
        assert_eq!(shape("column").bytes(), (mi + 2048, mi));
        assert_eq!(shape("both").bytes(), (2 * (8192 + 1024), mi));
        assert_eq!((shape("both").group(), shape("row").group()), (128, 1024));
    }
}

//! A row of the result: the model's times of one shape on one chip, warm or cold.

use crate::perf::sim::launch::{ErrorBar, Launch, Roofs};

use super::matrix::{CASES, DTYPES, SOCS, Shape};

pub use crate::base::report::{BenchRow as Row, RowError};

impl RowError {
    pub fn of<'a>(launches: impl IntoIterator<Item = &'a Launch>) -> RowError {
        let mut classes: Vec<&str> = Vec::new();
        let mut percent = Some(0.0_f64);
        for error in launches.into_iter().filter_map(|launch| launch.error.as_ref()) {
            if !classes.contains(&&*error.class) {
                classes.push(&error.class);
            }
            percent = percent.zip(error.percent).map(|(one, other)| one.max(other));
        }
        RowError { class: classes.join(" + "), percent: percent.filter(|_| !classes.is_empty()), longest_us: None }
    }
}

impl Row {
    /// How many times as fast as the built-in chain.
    pub fn speed_up(&self, mode: &str) -> Option<f64> {
        self.op.get(mode).map(|us| self.chain / us)
    }

    /// A time of the row, or the two that it lies between.
    pub fn us_text(&self, what: &str, us: f64, number: fn(f64) -> String) -> String {
        let longest = self.error.get(what).and_then(|error| error.longest_us);
        longest.map_or_else(|| number(us), |longest| format!("{} to {}", number(us), number(longest)))
    }

    /// `± 4 % (element-wise, long calls)`; empty in a row of a run that did not keep it.
    pub fn error_text(&self, what: &str) -> String {
        let known = self.error.get(what).filter(|error| !error.class.is_empty());
        let text = |error: &RowError| {
            ErrorBar { class: error.class.clone(), percent: error.percent, ..ErrorBar::default() }.text()
        };
        known.map_or(String::new(), text)
    }

    pub fn is_cold(&self) -> bool {
        self.cache == "cold"
    }

    pub fn name(&self) -> String {
        format!("{} {} {} {} {}", self.soc, self.dtype, self.case, super::matrix::size(self.elements), self.cache)
    }

    pub fn is_of(&self, shape: &Shape) -> bool {
        (self.dtype.as_str(), self.case.as_str(), self.elements) == (shape.dtype, shape.case, shape.elements)
    }

    /// Its place in a table.
    pub fn order(&self) -> (usize, usize, u64, bool) {
        let dtype = DTYPES.iter().position(|(name, _)| *name == self.dtype).unwrap_or(DTYPES.len());
        let case = CASES.iter().position(|name| *name == self.case).unwrap_or(CASES.len());
        (dtype, case, self.elements, self.is_cold())
    }

    /// Its place in the rows of a run.
    pub fn order_of_run(&self) -> (usize, (usize, usize, u64, bool)) {
        (SOCS.iter().position(|soc| *soc == self.soc).unwrap_or(SOCS.len()), self.order())
    }

    /// What tells it from others.
    pub fn key(&self) -> (&str, &str, &str, u64, &str) {
        (&self.soc, &self.dtype, &self.case, self.elements, &self.cache)
    }
}

/// The model's floor: a launch of blocks that do nothing, and then whatever takes longest of what the bytes need at the
/// rates that the model has, which were achieved and are not the maker's peaks: the engines of all cores, the way into every AI core, the L2, the memory. Warm, as much as possible has stayed in
/// the L2, results first; cold, every operand comes from memory, results stay in the L2, and what they replace has to leave.
/// Operands of a launch that fits the L2 replace something, too: the code is the same as warm, and if it led them past the
/// L2, they would not be there then.
pub fn limit(shape: &Shape, roofs: &Roofs, all_cores: f64, cold: bool) -> f64 {
    let (read, written) = shape.bytes();
    let (read, written, l2) = (read as f64, written as f64, roofs.l2_bytes as f64);
    let us = |bytes: f64, gbs: f64| bytes / gbs / 1e3;
    // Those of a launch that uses fewer cores are theirs.
    let engines = [
        us(read, roofs.pairs_read_gbs),
        us(read, roofs.cores_read_gbs * all_cores),
        us(written, roofs.cores_write_gbs * all_cores),
        us(read + written, roofs.cores_gbs * all_cores),
    ];
    let shared = us(read, roofs.l2_read_gbs) + us(written, roofs.l2_write_gbs);
    let more = (written - l2).max(0.0);
    let memory = if cold {
        let replaced = if read + written <= l2 { read + written } else { written.min(l2) };
        us(read, roofs.hbm_gbs) + us(more + roofs.l2_cold_dirty * replaced, roofs.hbm_write_gbs)
    } else {
        us((read + written - l2).max(0.0) - more, roofs.hbm_gbs) + us(more, roofs.hbm_write_gbs)
    };
    roofs.empty_us + engines.into_iter().fold(shared.max(memory), f64::max)
}

/// The middle one, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    (count > 0).then(|| (values[(count - 1) / 2] + values[count / 2]) / 2.0)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row with times in tbe and exact mode, of the chain, and at the limit.
    pub fn row(key: (&str, &str, u64, &str), us: [f64; 4]) -> Row {
        let (dtype, case, elements, cache) = key;
        let op = [("tbe".to_owned(), us[0]), ("exact".to_owned(), us[1])].into();
        let error = |class: &str, percent| RowError { class: class.into(), percent, longest_us: None };
        let known = |what: &str| (what.to_owned(), error("element-wise, long calls", Some(4.0)));
        let short = ("chain".to_owned(), error("chains of short calls", None));
        Row {
            soc: "Ascend910B3".to_owned(),
            dtype: dtype.to_owned(),
            case: case.to_owned(),
            elements,
            cache: cache.to_owned(),
            op,
            bound: "memory".to_owned(),
            chain: us[2],
            plain: us[2],
            limit: us[3],
            error: ["tbe", "exact", "plain"].map(known).into_iter().chain([short]).collect(),
            lanes_per_byte: 0.5,
            roofs: [6000.0, 1500.0, 4600.0],
            ..Row::default()
        }
    }

    /// Near the size of the L2, with 30 µs instead in tbe mode.
    pub fn at_the_edge(row: Row) -> Row {
        let class = "near the size of the L2".to_owned();
        let error = RowError { class, percent: None, longest_us: Some(30.0) };
        Row { error: [("tbe".to_owned(), error)].into(), ..row }
    }

    #[test]
    fn several_launches_are_as_good_as_the_worst_of_them() {
        let launch = |class: &str, percent| {
            let error = ErrorBar { class: class.into(), percent, source: String::new() };
            Launch { error: Some(error), ..Launch::default() }
        };
        let of = |launches: &[Launch]| {
            let found = RowError::of(launches);
            (found.class, found.percent)
        };
        let (copies, long) = (launch("copies", Some(15.3)), launch("long", Some(4.0)));
        assert_eq!(of(&[copies.clone(), long.clone(), copies.clone()]), ("copies + long".to_owned(), Some(15.3)));
        assert_eq!(of(&[long, launch("short", None), copies]).1, None);
        assert_eq!(of(&[Launch::default()]), (String::new(), None));
    }

    #[test]
    fn rows_of_several_parts_are_in_the_order_of_one_run() {
        let of = |soc: &str, dtype: &str, case: &str, elements: u64, cache: &str| Row {
            soc: soc.to_owned(),
            ..row((dtype, case, elements, cache), [1.0; 4])
        };
        let run = [
            of("Ascend910B3", "f32", "same", 1 << 14, "warm"),
            of("Ascend910B3", "f32", "same", 1 << 14, "cold"),
            of("Ascend910B3", "f32", "same", 1 << 20, "warm"),
            of("Ascend910B3", "f32", "row", 1 << 14, "warm"),
            of("Ascend910B3", "f16", "same", 1 << 14, "warm"),
            of("Ascend910B2", "f32", "same", 1 << 14, "warm"),
        ];
        let mut parts: Vec<Row> = [5, 3, 1, 4, 2, 0].map(|at| run[at].clone()).into();
        parts.sort_by_key(Row::order_of_run);
        assert_eq!(parts, run);
    }

    fn roofs() -> Roofs {
        Roofs {
            hbm_gbs: 1000.0,
            hbm_write_gbs: 2000.0,
            empty_us: 2.0,
            l2_read_gbs: 5000.0,
            l2_write_gbs: 20000.0,
            cores_read_gbs: 8000.0,
            cores_write_gbs: 4000.0,
            cores_gbs: 10000.0,
            pairs_read_gbs: 5000.0,
            l2_bytes: 100_000_000,
            l2_cold_dirty: 0.5,
            ..Roofs::default()
        }
    }

    fn of(case: &'static str, elements: u64, cold: bool) -> f64 {
        let us = limit(&Shape { dtype: "f32", case, elements }, &roofs(), 1.0, cold);
        (us * 1000.0).round() / 1000.0
    }

    #[test]
    fn the_limit_is_what_takes_longest() {
        // 8 MB read and 4 MB written: L2 1.6 + 0.2, engines 1.0, 1.0 and 1.2.
        assert_eq!(of("same", 1_000_000, false), 3.8);
        // 4 MB each: L2 0.8 + 0.2; engines 0.5, 1.0, 0.8.
        assert_eq!(of("scalar", 1_000_000, false), 3.0);
        // Results keep 40 MB of the L2, operands 60 of their 80.
        assert_eq!(of("same", 10_000_000, false), 22.0);
        // 160 MB of results and 320 of operands: all of them, and 60 MB of results, go past an L2 of 100 MB.
        assert_eq!(of("same", 40_000_000, false), 2.0 + 320.0 + 30.0);
        // 60 MB fit an L2 of 100: half of the lines that all of them replace leave.
        assert_eq!(of("same", 5_000_000, true), 2.0 + 40.0 + 15.0);
        // Cold: all operands, half of the lines that results replace, and the results beyond the L2.
        assert_eq!(of("same", 10_000_000, true), 2.0 + 80.0 + 10.0);
        assert_eq!(of("same", 40_000_000, true), 2.0 + 320.0 + 30.0 + 25.0);
    }

    #[test]
    fn the_way_into_the_ai_cores_is_a_limit() {
        let roofs = Roofs { pairs_read_gbs: 2000.0, ..roofs() };
        assert_eq!(limit(&Shape { dtype: "f32", case: "same", elements: 1_000_000 }, &roofs, 1.0, false), 2.0 + 4.0);
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }
}

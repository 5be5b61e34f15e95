//! Bit comparison that shows what went wrong, not only that it did.

use std::fmt;

use crate::data::Data;
use crate::dtype::DataType;

const SHOWN: usize = 10;

/// Elements that are not what they should be; the first few in full.
#[derive(Debug)]
pub struct Mismatch {
    total: usize,
    elements: usize,
    lines: Vec<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {} elements differ", self.total, self.elements)?;
        for line in &self.lines {
            write!(f, "\n  {line}")?;
        }
        if self.total > self.lines.len() {
            write!(f, "\n  … and {} more", self.total - self.lines.len())?;
        }
        Ok(())
    }
}

impl std::error::Error for Mismatch {}

/// Compares element-wise results; `x` and `y` are the operands, for the report.
pub fn compare<T: DataType>(x: &[T], y: impl Fn(usize) -> T, got: &[T], want: &[T]) -> Result<(), Mismatch> {
    let y: Vec<T> = (0..x.len()).map(y).collect();
    compare_data([&Data::of(x), &Data::of(&y)], &Data::of(got), &Data::of(want))
}

/// Compares element-wise results; the operands are for the report.
pub fn compare_data(operands: [&Data; 2], got: &Data, want: &Data) -> Result<(), Mismatch> {
    compare_where(operands, got, want, |_| true)
}

/// [`compare_data`] of the elements that `counts` names.
pub fn compare_where(
    [x, y]: [&Data; 2],
    got: &Data,
    want: &Data,
    counts: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    assert_eq!((x.len(), y.len()), (want.len(), want.len()), "numbers of operands and expectations");
    differences(got, want, counts, |index| format!(" x {} y {}", x.show(index), y.show(index)))
}

/// Compares whole storages, gaps included.
pub fn compare_storage(got: &Data, want: &Data) -> Result<(), Mismatch> {
    differences(got, want, |_| true, |_| String::new())
}

fn differences(
    got: &Data,
    want: &Data,
    counts: impl Fn(usize) -> bool,
    context: impl Fn(usize) -> String,
) -> Result<(), Mismatch> {
    assert_eq!(got.dtype, want.dtype, "types of results and expectations");
    if got.len() != want.len() {
        let line = format!("got {} elements, expected {}", got.len(), want.len());
        return Err(Mismatch { total: got.len().abs_diff(want.len()), elements: want.len(), lines: vec![line] });
    }
    let wrong = |index: &usize| !got.same(*index, want) && counts(*index);
    let total = (0..got.len()).filter(wrong).count();
    if total == 0 {
        return Ok(());
    }
    let line =
        |index: usize| format!("[{index}]{} got {} expected {}", context(index), got.show(index), want.show(index));
    let lines = (0..got.len()).filter(wrong).take(SHOWN).map(line).collect();
    Err(Mismatch { total, elements: got.len(), lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_index_operands_and_bits() {
        let x = [5.3f32, 1.0, f32::NAN];
        let error = compare(&x, |_| 2.0, &[1.3, 0.0, -f32::NAN], &[1.3, -0.0, f32::NAN]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1 of 3 elements differ\n  [1] x 1.0 (0x3f800000) y 2.0 (0x40000000) got 0.0 (0x00000000) expected -0.0 (0x80000000)"
        );
    }

    #[test]
    fn shows_ten_and_counts_the_rest() {
        let error = compare_storage(&Data::of(&[1i16; 25]), &Data::of(&[2i16; 25])).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 12, "{error}");
        assert!(error.ends_with("… and 15 more"), "{error}");
        let error = compare_storage(&Data::of(&[1u8; 2]), &Data::of(&[1u8; 3])).unwrap_err().to_string();
        assert!(error.contains("got 2 elements, expected 3"), "{error}");
    }
}

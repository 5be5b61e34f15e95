//! What a comparison found, whatever the standard.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub elements: usize,
    /// Elements outside of the tolerance.
    pub bad: usize,
    pub max_abs: f64,
    pub max_rel: f64,
    /// Index, result and golden of the first bad element.
    pub first_bad: Option<(usize, String, String)>,
    pub passed: bool,
    /// The limits in words.
    pub limits: String,
}

impl Measured {
    /// Notes one element. Errors that are no numbers, against a NaN or an infinity, count as infinite.
    pub fn note(&mut self, good: bool, abs: f64, golden: f64, shown: impl FnOnce() -> (String, String)) {
        let index = self.elements;
        self.elements += 1;
        let abs = if abs.is_nan() { f64::INFINITY } else { abs };
        self.max_abs = self.max_abs.max(abs);
        self.max_rel = self.max_rel.max(if abs == 0.0 { 0.0 } else { abs / golden.abs().max(1e-7) });
        if !good {
            self.bad += 1;
            if self.first_bad.is_none() {
                let (result, golden) = shown();
                self.first_bad = Some((index, result, golden));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_are_no_numbers_are_infinite() {
        let mut measured = Measured::default();
        measured.note(false, f64::NAN, 1.0, || ("NaN".into(), "1".into()));
        assert_eq!((measured.max_abs, measured.bad), (f64::INFINITY, 1));
    }
}

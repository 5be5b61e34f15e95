//! What a result is measured by. AscendOpTest: `accuracy_config.py` and `data_compare.py` of the tool. Ecosystem:
//! `ops_precision_standard/experimental_standard.md` of opbase, whose two languages are two standards.

use clap::ValueEnum;

use super::aot;
use super::dtype::Dtype;
use super::ecosystem;
use super::measured::Measured;
use crate::base::plural::number;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Standard {
    /// AscendOpTest: the thresholds of the case file, else the tool's own
    Ascendoptest,
    /// The ecosystem standard, Chinese edition: combined tolerance for 99 % of the elements, and a largest error
    Ecosystem,
    /// The ecosystem standard, English edition: mean and largest relative error
    EcosystemEn,
}

impl Standard {
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// `golden` has the type `of_golden`, which only the ecosystem standard lets be another one than the result's.
    pub fn compare(
        self,
        dtype: Dtype,
        result: &[u8],
        (of_golden, golden): (Dtype, &[u8]),
        threshold: Option<[f64; 2]>,
    ) -> Result<Measured, String> {
        let (Some(count), Some(expected)) = (dtype.count(result), of_golden.count(golden)) else {
            return Err("the stored bytes are no whole elements".to_owned());
        };
        if count != expected {
            return Err(format!("the golden has {}, the output {count}", number(expected, "element")));
        }
        match self {
            Standard::Ascendoptest if dtype != of_golden => Err(format!(
                "the golden is {}, the output {}: AscendOpTest reads both as the latter",
                of_golden.name, dtype.name
            )),
            Standard::Ascendoptest => aot::compare(dtype, result, golden, threshold),
            Standard::Ecosystem => ecosystem::mixed(dtype, result, of_golden, golden),
            Standard::EcosystemEn => ecosystem::relative(dtype, result, of_golden, golden),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_types_must_agree() {
        let (f32, f64) = (Dtype::named("float").expect("a type"), Dtype::named("double").expect("a type"));
        let error = |standard: Standard, golden: (Dtype, &[u8])| {
            standard.compare(f32, &[0; 8], golden, None).expect_err("refused")
        };
        assert_eq!(error(Standard::Ascendoptest, (f32, &[0; 4])), "the golden has 1 element, the output 2");
        assert_eq!(
            error(Standard::Ascendoptest, (f64, &[0; 16])),
            "the golden is float64, the output float32: AscendOpTest reads both as the latter"
        );
        assert!(Standard::Ecosystem.compare(f32, &[0; 8], (f64, &[0; 16]), None).is_ok_and(|found| found.passed));
    }
}

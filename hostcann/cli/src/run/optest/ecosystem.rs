//! The ecosystem standard of opbase in both editions. It is about floating-point results; integers must be equal.

use super::dtype::{BF16, Dtype, F16, F32, Format, Kind, floats, integers};
use super::measured::Measured;

/// Share of elements that must be within the tolerance.
const MATCHED: f64 = 0.99;
/// Beyond the largest error that a type may have, an element still passes within as many units in the last place.
const ULPS: f64 = 32.0;
/// What keeps relative errors finite.
const LEAST: f64 = 1e-7;

struct Tolerance {
    rtol: f64,
    atol: f64,
    limit: f64,
    /// Of the English edition.
    relative: f64,
}

fn tolerance(format: Format, dtype: Dtype) -> Result<Tolerance, String> {
    let power = |exponent: i32| 2.0_f64.powi(exponent);
    match format {
        F16 => Ok(Tolerance { rtol: power(-9), atol: power(-9), limit: 1e-1, relative: power(-10) }),
        BF16 => Ok(Tolerance { rtol: power(-6), atol: power(-6), limit: 1.0, relative: power(-7) }),
        F32 => Ok(Tolerance { rtol: power(-10), atol: power(-16), limit: 1e-2, relative: power(-13) }),
        _ => Err(format!("the ecosystem standard says nothing about {}", dtype.name)),
    }
}

/// Chinese edition.
pub fn mixed(dtype: Dtype, result: &[u8], of_golden: Dtype, golden: &[u8]) -> Result<Measured, String> {
    let Some((format, given, wanted)) = numbers(dtype, result, of_golden, golden)? else {
        return Ok(equal(dtype, result, golden));
    };
    let tolerance = tolerance(format, dtype)?;
    let mut measured = Measured::default();
    let mut beyond = 0_usize;
    for (r, g) in given.into_iter().zip(wanted) {
        let error = error(r, g);
        let good = error == 0.0 || g.is_finite() && error <= tolerance.atol + tolerance.rtol * g.abs();
        if !(error <= tolerance.limit || g.is_finite() && error <= ULPS * format.ulp(g)) {
            beyond += 1;
        }
        measured.note(good, error, g, || (r.to_string(), g.to_string()));
    }
    let matched = measured.elements - measured.bad;
    measured.passed = beyond == 0 && matched as f64 >= MATCHED * measured.elements as f64;
    measured.limits = format!(
        "rtol {:e}, atol {:e} for 99 %, largest error {:e} or 32 ulp ({beyond} beyond)",
        tolerance.rtol, tolerance.atol, tolerance.limit
    );
    Ok(measured)
}

/// English edition.
pub fn relative(dtype: Dtype, result: &[u8], of_golden: Dtype, golden: &[u8]) -> Result<Measured, String> {
    let Some((format, given, wanted)) = numbers(dtype, result, of_golden, golden)? else {
        return Ok(equal(dtype, result, golden));
    };
    let tolerance = tolerance(format, dtype)?;
    let mut measured = Measured::default();
    let (mut sum, mut worst) = (0.0_f64, 0.0_f64);
    for (r, g) in given.into_iter().zip(wanted) {
        let error = error(r, g);
        let ratio = if error == 0.0 { 0.0 } else { error / (g.abs() + LEAST) };
        let ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
        (sum, worst) = (sum + ratio, worst.max(ratio));
        measured.note(ratio < 10.0 * tolerance.relative, error, g, || (r.to_string(), g.to_string()));
    }
    let mean = if measured.elements == 0 { 0.0 } else { sum / measured.elements as f64 };
    measured.passed = mean < tolerance.relative && worst < 10.0 * tolerance.relative;
    measured.limits = format!(
        "mean relative error {mean:.3e} < {:e}, largest {worst:.3e} < {:e}",
        tolerance.relative,
        10.0 * tolerance.relative
    );
    Ok(measured)
}

/// Equal infinities and two NaNs are no error.
fn error(result: f64, golden: f64) -> f64 {
    if result == golden || result.is_nan() && golden.is_nan() {
        return 0.0;
    }
    let error = (result - golden).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

type Numbers = (Format, Vec<f64>, Vec<f64>);

/// The parts of both sides, if they are floating-point numbers. A golden may be wider than the result.
fn numbers(dtype: Dtype, result: &[u8], of_golden: Dtype, golden: &[u8]) -> Result<Option<Numbers>, String> {
    match (dtype.kind, of_golden.kind) {
        (Kind::Float(format), Kind::Float(wide)) | (Kind::Complex(format), Kind::Complex(wide)) => {
            Ok(Some((format, floats(format, result).collect(), floats(wide, golden).collect())))
        }
        _ if dtype == of_golden => Ok(None),
        _ => Err(format!("the golden is {}, the output {}", of_golden.name, dtype.name)),
    }
}

fn equal(dtype: Dtype, result: &[u8], golden: &[u8]) -> Measured {
    let mut measured = Measured::default();
    let signed = dtype.kind == Kind::Signed;
    for (r, g) in integers(dtype.size, signed, result).zip(integers(dtype.size, signed, golden)) {
        measured.note(r == g, (r - g).abs() as f64, g as f64, || (r.to_string(), g.to_string()));
    }
    measured.passed = measured.bad == 0;
    "equal".clone_into(&mut measured.limits);
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn of(name: &str) -> Dtype {
        Dtype::named(name).expect("a type")
    }

    type Compare = fn(Dtype, &[u8], Dtype, &[u8]) -> Result<Measured, String>;

    fn f32_passes(compare: Compare, result: &[f32], golden: &[f32]) -> bool {
        compare(of("float"), &f32s(result), of("float"), &f32s(golden)).expect("compared").passed
    }

    #[test]
    fn the_mixed_tolerance_includes_its_edge() {
        let edge = 2.0_f32.powi(-16);
        assert!(f32_passes(mixed, &[edge], &[0.0]));
        assert!(!f32_passes(mixed, &[edge.next_up()], &[0.0]));
        // 2^-16 + 2^-10 at 1.
        let edge = 1.0 + 2.0_f32.powi(-10) + 2.0_f32.powi(-16);
        assert!(f32_passes(mixed, &[edge], &[1.0]));
        assert!(!f32_passes(mixed, &[edge.next_up()], &[1.0]));
    }

    #[test]
    fn one_of_a_hundred_may_be_outside_but_not_far() {
        let golden = vec![1.0_f32; 100];
        let with = |errors: &[f32]| {
            let mut result = golden.clone();
            result.iter_mut().zip(errors).for_each(|(value, error)| *value += error);
            f32_passes(mixed, &result, &golden)
        };
        assert!(with(&[0.009]));
        assert!(!with(&[0.009, 0.009]));
        assert!(!with(&[0.011]), "beyond 1e-2");
    }

    #[test]
    fn units_in_the_last_place_excuse_large_errors_of_large_numbers() {
        // An ulp at 2^20 is 1/8.
        let golden = 1_048_576.0_f32;
        assert!(f32_passes(mixed, &[golden + 4.0], &[golden]), "32 ulp");
        assert!(!f32_passes(mixed, &[golden + 4.125], &[golden]));
    }

    #[test]
    fn the_relative_standard_excludes_its_edges() {
        // One element: the mean is the largest. The denominator has 1e-7 in it, so 2^-13 itself is just below.
        let error = |error: f32| f32_passes(relative, &[1.0 + error], &[1.0]);
        assert!(error(2.0_f32.powi(-13)));
        assert!(!error(2.0_f32.powi(-13) + f32::EPSILON));
        // The largest of many may be ten times that.
        let many = |error: f32| {
            let golden = vec![1.0_f32; 100];
            let mut result = golden.clone();
            result[99] += error;
            f32_passes(relative, &result, &golden)
        };
        assert!(many(10.0 * 2.0_f32.powi(-13)));
        assert!(!many(10.0 * 2.0_f32.powi(-13) + 2.0 * f32::EPSILON));
        assert!(f32_passes(relative, &[], &[]));
        // A golden of 0 leaves 1e-7 to divide by.
        assert!(f32_passes(relative, &[1e-11], &[0.0]) && !f32_passes(relative, &[2e-11], &[0.0]));
    }

    #[test]
    fn infinities_and_nans() {
        for compare in [mixed as Compare, relative] {
            assert!(f32_passes(compare, &[f32::INFINITY, f32::NAN], &[f32::INFINITY, f32::NAN]));
            assert!(!f32_passes(compare, &[f32::INFINITY], &[f32::NEG_INFINITY]));
            assert!(!f32_passes(compare, &[f32::INFINITY], &[f32::MAX]));
            assert!(!f32_passes(compare, &[f32::NAN], &[0.0]));
            assert!(!f32_passes(compare, &[0.0], &[f32::NAN]));
        }
    }

    #[test]
    fn limits_of_the_types() {
        let pass = |name: &str, compare: Compare, result: u16, golden: u16| {
            compare(of(name), &result.to_le_bytes(), of(name), &golden.to_le_bytes()).expect("compared").passed
        };
        // Half: 2^-9 is 0x1800; bfloat16: 2^-6 is 0x3c80.
        assert!(pass("float16", mixed, 0x1800, 0) && !pass("float16", mixed, 0x1801, 0));
        assert!(pass("bfloat16", mixed, 0x3c80, 0) && !pass("bfloat16", mixed, 0x3c81, 0));
        // One step from 1 is 2^-10 in half and 2^-7 in bfloat16: just below with 1e-7 in the denominator.
        assert!(pass("float16", relative, 0x3c01, 0x3c00) && !pass("float16", relative, 0x3c02, 0x3c00));
        assert!(pass("bfloat16", relative, 0x3f81, 0x3f80) && !pass("bfloat16", relative, 0x3f82, 0x3f80));
        let error = mixed(of("double"), &[], of("double"), &[]).expect_err("no tolerance");
        assert_eq!(error, "the ecosystem standard says nothing about float64");
    }

    #[test]
    fn a_golden_may_be_wider_and_integers_are_equal() {
        let golden = (1.0 + 2.0_f64.powi(-10)).to_le_bytes();
        assert!(mixed(of("float"), &f32s(&[1.0]), of("double"), &golden).is_ok_and(|found| found.passed));
        let bytes = |value: i16| value.to_le_bytes();
        assert!(mixed(of("int16"), &bytes(-5), of("int16"), &bytes(-5)).is_ok_and(|found| found.passed));
        assert!(relative(of("int16"), &bytes(5), of("int16"), &bytes(4)).is_ok_and(|found| !found.passed));
        assert_eq!(
            mixed(of("int16"), &[], of("float"), &[]).expect_err("another type"),
            "the golden is float32, the output int16"
        );
    }
}

//! The comparison of AscendOpTest. It computes in the type of the output, and so does this: a tolerance of 0.001 is
//! 0.00100040 in half, and the difference of two int8 wraps.

use super::dtype::{Dtype, Format, Kind, floats, integers, wrap};
use super::measured::Measured;

/// What keeps a quotient finite; vanishes in half.
const LEAST: f64 = 1e-9;

/// Tolerance and allowed ratio of bad elements, `accuracy_config.py`.
pub fn default_threshold(name: &str) -> Option<[f64; 2]> {
    Some(match name {
        "float32" | "float64" | "int32" | "int64" => [1e-4, 1e-4],
        "float16" => [1e-3, 1e-3],
        "bfloat16" => [4e-3, 4e-3],
        "int8" | "int16" => [1.0, 1e-3],
        "uint8" | "uint32" => [1.0, 1e-2],
        "bool" => [0.0, 0.0],
        _ => return None,
    })
}

pub fn compare(dtype: Dtype, result: &[u8], golden: &[u8], threshold: Option<[f64; 2]>) -> Result<Measured, String> {
    let Some([tolerance, ratio]) = threshold.or_else(|| default_threshold(dtype.name)) else {
        return Err(format!("AscendOpTest has no threshold of its own for {}: give err_threshold", dtype.name));
    };
    let mut measured = match dtype.kind {
        Kind::Float(format) => of_floats(format, result, golden, tolerance),
        Kind::Complex(format) => of_complex(format, result, golden, tolerance),
        Kind::Signed => of_integers((dtype.size, true), result, golden, tolerance),
        Kind::Unsigned | Kind::Bool => of_integers((dtype.size, false), result, golden, tolerance),
    };
    measured.passed = measured.bad as f64 <= measured.elements as f64 * ratio;
    measured.limits = format!("error {tolerance:e}, bad ratio {ratio:e}");
    Ok(measured)
}

/// A difference of 1 and more counts as a ratio to the larger of the two numbers, a smaller one by itself.
fn of_floats(format: Format, result: &[u8], golden: &[u8], tolerance: f64) -> Measured {
    let mut measured = Measured::default();
    let (tolerance, least) = (format.round(tolerance), format.round(LEAST));
    let finite = |value: f64| if value.is_infinite() { format.max().copysign(value) } else { value };
    for (given, wanted) in floats(format, result).zip(floats(format, golden)) {
        let (r, g) = (finite(given), finite(wanted));
        let error = format.round(r - g).abs();
        let ratio = || format.round(error / format.round(r.abs().max(g.abs()) + least));
        let both_nan = r.is_nan() && g.is_nan();
        let good = both_nan || if error >= 1.0 { ratio() <= tolerance } else { error <= tolerance };
        let error = if both_nan { 0.0 } else { error };
        measured.note(good, error, wanted, || (given.to_string(), wanted.to_string()));
    }
    measured
}

/// The parts by themselves, each by its absolute error alone.
fn of_complex(format: Format, result: &[u8], golden: &[u8], tolerance: f64) -> Measured {
    let mut measured = Measured::default();
    let tolerance = format.round(tolerance);
    let parts = |bytes| floats(format, bytes).collect::<Vec<_>>();
    for (given, wanted) in parts(result).chunks_exact(2).zip(parts(golden).chunks_exact(2)) {
        let error = |part: usize| format.round(given[part] - wanted[part]).abs();
        let good = error(0) <= tolerance && error(1) <= tolerance;
        // Not `max`, which leaves a NaN out.
        let worst = if error(0).is_nan() || error(0) > error(1) { error(0) } else { error(1) };
        let shown = |value: &[f64]| format!("{}{:+}i", value[0], value[1]);
        measured.note(good, worst, length(wanted), || (shown(given), shown(wanted)));
    }
    measured
}

/// Not `f64::hypot`: with the C library's a program for every Linux would need glibc 2.35.
fn length(parts: &[f64]) -> f64 {
    let largest =
        parts.iter().fold(0.0_f64, |largest, part| if part.is_nan() { *part } else { largest.max(part.abs()) });
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * parts.iter().map(|part| (part / largest).powi(2)).sum::<f64>().sqrt()
}

fn of_integers((size, signed): (usize, bool), result: &[u8], golden: &[u8], tolerance: f64) -> Measured {
    let mut measured = Measured::default();
    // The magnitude of the least number of a signed type is itself.
    let magnitude = |value: i128| if signed { wrap(value.abs(), size, true) } else { value };
    for (r, g) in integers(size, signed, result).zip(integers(size, signed, golden)) {
        let error = magnitude(wrap(r - g, size, signed)) as f64;
        let larger = magnitude(r).max(magnitude(g)) as f64 + LEAST;
        let good = if error >= 1.0 { error / larger <= tolerance } else { error <= tolerance };
        measured.note(good, (r - g).abs() as f64, g as f64, || (r.to_string(), g.to_string()));
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(name: &str, result: &[u8], golden: &[u8], threshold: Option<[f64; 2]>) -> bool {
        let dtype = Dtype::named(name).expect("a type");
        compare(dtype, result, golden, threshold).expect("compared").passed
    }

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// One element each.
    fn f32_passes(result: f32, golden: f32) -> bool {
        passes("float", &f32s(&[result]), &f32s(&[golden]), None)
    }

    fn f16_passes(result: u16, golden: u16) -> bool {
        passes("float16", &result.to_le_bytes(), &golden.to_le_bytes(), None)
    }

    #[test]
    fn a_small_difference_counts_by_itself() {
        // The float next to 1e-4, and its neighbour: differences from 0 are exact.
        let edge = 1e-4_f32;
        assert!(f32_passes(edge, 0.0));
        assert!(!f32_passes(edge.next_up(), 0.0));
        // Also where the numbers are large: 0.5 at 4 million is a ratio of 1e-7, and an error.
        assert!(!f32_passes(4_194_304.5, 4_194_304.0));
    }

    #[test]
    fn a_difference_of_one_and_more_is_a_ratio() {
        assert!(f32_passes(1e7 + 1.0, 1e7));
        // 1 / 10000 in float is exactly what 1e-4 is there; a larger denominator is on the safe side.
        assert!(f32_passes(10_000.0, 9_999.0));
        assert!(!f32_passes(9_999.0, 9_998.0));
        // Just below 1 it is an absolute error again.
        assert!(!f32_passes(8_388_607.5, 8_388_607.0));
        assert!(f32_passes(8_388_608.0, 8_388_607.0));
    }

    #[test]
    fn half_has_a_tolerance_of_its_own_type() {
        // 0.001 is 1049 * 2^-20 in half.
        assert!(f16_passes(0x1419, 0), "1049 * 2^-20");
        assert!(!f16_passes(0x141a, 0));
        // 1025 - 1024 = 1, and 1 / 1025 in half is 1023 * 2^-20.
        assert!(f16_passes(0x6401, 0x6400));
        // 513.5 - 512.5 = 1, and 1 / 513.5 is 0.00195.
        assert!(!f16_passes(0x6003, 0x6001));
    }

    #[test]
    fn bfloat16_too() {
        let bf16 = |result: u16, golden: u16| passes("bfloat16", &result.to_le_bytes(), &golden.to_le_bytes(), None);
        assert!(bf16(0x3b83, 0), "131 * 2^-15");
        assert!(!bf16(0x3b84, 0));
    }

    #[test]
    fn infinities_are_the_largest_numbers_and_nans_are_equal() {
        assert!(f32_passes(f32::INFINITY, f32::INFINITY));
        assert!(f32_passes(f32::INFINITY, f32::MAX));
        assert!(!f32_passes(f32::INFINITY, f32::NEG_INFINITY));
        assert!(!f32_passes(f32::INFINITY, 1.0));
        assert!(f32_passes(f32::NAN, -f32::NAN));
        assert!(!f32_passes(f32::NAN, 1.0));
        assert!(!f32_passes(1.0, f32::NAN));
        assert!(f16_passes(0x7c00, 0x7bff));
    }

    #[test]
    fn the_ratio_of_bad_elements_is_a_limit_that_may_be_met() {
        let mut result = vec![0.0_f32; 10_000];
        let golden = f32s(&result);
        result[17] = 1.0;
        assert!(passes("float", &f32s(&result), &golden, None), "1 of 10000");
        result[18] = 1.0;
        assert!(!passes("float", &f32s(&result), &golden, None), "2 of 10000");
        assert!(passes("float", &f32s(&result), &golden, Some([1e-4, 2e-4])));
        assert!(passes("float", &[], &[], None), "nothing is wrong with nothing");
    }

    #[test]
    fn the_first_bad_element_is_kept() {
        let found =
            compare(Dtype::named("float").expect("a type"), &f32s(&[1.0, 2.5, 9.0]), &f32s(&[1.0, 2.0, 3.0]), None)
                .expect("compared");
        assert_eq!(found.first_bad, Some((1, "2.5".to_owned(), "2".to_owned())));
        assert_eq!((found.bad, found.max_abs, found.max_rel), (2, 6.0, 2.0));
    }

    #[test]
    fn integers_of_a_tolerance_of_one_pass_whenever_their_signs_agree() {
        let i16 = |result: i16, golden: i16| passes("int16", &result.to_le_bytes(), &golden.to_le_bytes(), None);
        // An error of 1 and more is divided by the larger number, and the quotient is at most 1.
        assert!(i16(1, 0) && i16(0, 1) && i16(30_000, 1));
        assert!(!i16(-1, 1) && !i16(-3, 2));
        let exact =
            |result: i16, golden: i16| passes("int16", &result.to_le_bytes(), &golden.to_le_bytes(), Some([0.0, 0.0]));
        assert!(exact(-7, -7) && !exact(30_000, 29_999));
    }

    #[test]
    fn differences_of_integers_wrap() {
        let i8 = |result: i8, golden: i8| passes("int8", &result.to_le_bytes(), &golden.to_le_bytes(), None);
        assert!(i8(127, -128), "a difference of -1");
        let u8 = |result: u8, golden: u8| passes("uint8", &[result], &[golden], None);
        assert!(u8(6, 5));
        assert!(!u8(5, 6), "a difference of 255");
        let i32 = |result: i32, golden: i32| passes("int32", &result.to_le_bytes(), &golden.to_le_bytes(), None);
        assert!(i32(10_000, 9_999) && !i32(9_999, 9_998));
    }

    #[test]
    fn booleans_are_equal_or_not() {
        assert!(passes("bool", &[1, 0], &[1, 0], None));
        assert!(!passes("bool", &[1, 1], &[1, 0], None));
    }

    #[test]
    fn complex_numbers_by_their_parts() {
        let complex = |result: &[f32], threshold| passes("complex64", &f32s(result), &f32s(&[3.0, 1e6]), threshold);
        assert!(complex(&[3.0, 1e6], Some([1e-4, 1e-4])));
        // No ratio for large parts.
        assert!(!complex(&[3.0, 1e6 + 1.0], Some([1e-4, 1e-4])));
        assert!(!complex(&[f32::NAN, 1e6], Some([1e-4, 1e-4])));
        let dtype = Dtype::named("complex64").expect("a type");
        assert_eq!(
            compare(dtype, &[], &[], None).expect_err("no default"),
            "AscendOpTest has no threshold of its own for complex64: give err_threshold"
        );
    }
}

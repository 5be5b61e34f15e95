//! Erf and Pow in the steps of `cpp/powers.h`, each rounded to float.

use super::{exp, max_f, min_f};

/// Of x^2, the highest power first.
const ABOVE: [u32; 6] = [0x3609_9557, 0x3995_5bb6, 0x3b76_c427, 0x3d58_0e31, 0x3e42_f83d, 0x3f90_6eba];
const BELOW: [u32; 6] = [0x381f_c525, 0x3a98_5e2d, 0x3c75_3f39, 0x3de9_b0ab, 0x3f00_87b0, 0x3f80_0000];

/// x P(x^2) / Q(x^2): within 7 ulp of the error function.
pub fn erf(x: f32) -> f32 {
    let x = max_f(min_f(x, 3.92), -3.92);
    let square = x * x;
    let polynomial = |of: [u32; 6]| {
        let [first, rest @ .., last] = of.map(f32::from_bits);
        rest.iter().fold(square * first, |sum, next| (sum + next) * square) + last
    };
    max_f(min_f(polynomial(ABOVE) * x / polynomial(BELOW), 1.0), -1.0)
}

/// exp(y ln|x|), and what pow has for the ends: within (2 + |y ln x|) / 2^23 of it.
pub fn pow(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    let size = f64::from(x.abs()).ln() as f32;
    let result = exp(size * max_f(min_f(y, f32::MAX), -f32::MAX));
    let near = max_f(min_f(y, 33_554_432.0), -33_554_432.0);
    let whole = near.floor();
    if (-f32::MAX..0.0).contains(&x) && whole != near {
        return f32::NAN;
    }
    let is_odd = whole == near && whole - 2.0 * (whole * 0.5).floor() == 1.0;
    if is_odd && x.is_sign_negative() { -result } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the error function, from its series and its continued fraction.
    fn exact(x: f64) -> f64 {
        if x.abs() < 2.5 {
            let (mut term, mut sum) = (x, x);
            for n in 1..80 {
                term *= -x * x / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            return sum * 2.0 / std::f64::consts::PI.sqrt();
        }
        let x2 = x.abs();
        let fraction = (1..200).rev().fold(0.0, |below, n| f64::from(n) / 2.0 / (x2 + below));
        (1.0 - (-x * x).exp() / std::f64::consts::PI.sqrt() / (x2 + fraction)).copysign(x)
    }

    #[test]
    fn erf_is_near() {
        let mut most = 0f64;
        for step in -45_000..45_000 {
            let x = step as f32 * 1e-4;
            let (got, wanted) = (f64::from(erf(x)), exact(f64::from(x)));
            let ulp = (f64::from(f32::from_bits((wanted.abs() as f32).to_bits() + 1)) - f64::from(wanted.abs() as f32))
                .max(1e-45);
            most = most.max((got - wanted).abs() / ulp);
        }
        assert!(most > 1.0 && most < 7.0, "{most} ulp");
        assert_eq!([erf(f32::INFINITY), erf(-4.0), erf(0.0)], [1.0, -1.0, 0.0]);
        assert!(erf(-0.0).is_sign_negative() && erf(f32::NAN).is_nan());
    }

    #[test]
    fn pow_is_near_and_has_the_ends() {
        for (x, y) in (1..4000).map(|n| (n as f32 * 0.013, (n % 37) as f32 * 0.61 - 11.0)) {
            let (got, wanted) = (f64::from(pow(x, y)), f64::from(x).powf(f64::from(y)));
            let bound = (2.0 + (f64::from(y) * f64::from(x).ln()).abs()) / f64::from(1 << 23);
            assert!((got / wanted - 1.0).abs() <= bound, "{x} ^ {y}: {got} {wanted}");
        }
        let ends = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5];
        let ends =
            [&ends[..], &[f32::INFINITY, -f32::INFINITY, f32::NAN, f32::MAX, -f32::MAX, 1e-40, 16_777_217.0]].concat();
        for x in &ends {
            for y in &ends {
                let (got, wanted) = (pow(*x, *y), x.powf(*y));
                let near = (got - wanted).abs() <= wanted.abs() * 1e-5;
                let same = got == wanted && got.is_sign_negative() == wanted.is_sign_negative();
                // Within the bound of the largest number it may be infinite.
                let near = near || wanted.abs() > 3e38 && got.is_infinite();
                assert!(same || got.is_nan() && wanted.is_nan() || near && wanted != 0.0, "{x} ^ {y}: {got} {wanted}");
            }
        }
    }
}

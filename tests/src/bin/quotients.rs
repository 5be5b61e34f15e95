//! How far the default precision is from C's fmod, by the size of the quotient: the table of
//! `docs/explanation/precision.md`. Golden arithmetic only, no operator.
//!
//!   cargo run --release -p fmod-tests --bin fmod-quotients

use fmod_tests::generate::Rng;
use fmod_tests::golden::{Golden, Mode};
use half::{bf16, f16};

const PAIRS: u32 = 1_000_000;
const EXPONENTS: [i32; 16] = [0, 1, 2, 3, 5, 7, 10, 12, 13, 14, 16, 18, 20, 22, 23, 24];

/// A type whose numbers are rounded from double.
trait Float: Golden {
    fn near(value: f64) -> Self;
    fn value(self) -> f64;
    fn word(self) -> u32;
}

macro_rules! float {
    ($($type:ty: $near:expr),*) => {$(
        impl Float for $type {
            fn near(value: f64) -> Self {
                $near(value)
            }
            fn value(self) -> f64 {
                self.into()
            }
            fn word(self) -> u32 {
                self.to_bits().into()
            }
        }
    )*};
}

float!(f32: |value| value as f32, f16: f16::from_f64, bf16: bf16::from_f64);

/// Of pairs with a quotient in [2^exponent, 2^(exponent + 1)): the share off by a whole divisor, or by any bit.
fn shares<T: Float>(exponent: i32) -> Option<(f64, f64)> {
    let mut rng = Rng::new(u64::from(exponent.unsigned_abs()));
    let (mut all, mut off, mut other) = (0, 0, 0);
    let least = if exponent > 10 { -(f64::from(exponent) - 10.0).min(8.0) } else { -4.0 };
    for _ in 0..PAIRS {
        let y = T::near((least + 4.0 * rng.unit()).exp2());
        let quotient = f64::from(exponent).exp2() * (1.0 + rng.unit());
        let x = T::near(quotient * y.value() * if rng.next_u32() & 1 == 0 { 1.0 } else { -1.0 });
        if !x.value().is_finite() || y.value() == 0.0 {
            continue;
        }
        let (tbe, exact) = (x.fmod(y, Mode::Tbe), x.fmod(y, Mode::Exact));
        all += 1;
        other += u32::from(tbe.word() != exact.word());
        off += u32::from((tbe.value() - exact.value()).abs() > y.value() / 2.0);
    }
    // Half ends at 65504.
    (all > PAIRS / 2).then(|| (f64::from(off) / f64::from(all), f64::from(other) / f64::from(all)))
}

fn cell(share: Option<(f64, f64)>) -> String {
    let number = |share: f64| match share {
        0.0 => "0".to_owned(),
        share if share >= 0.01 => format!("{:.1} %", share * 100.0),
        share => format!("{share:.1e}"),
    };
    share.map_or("– | –".to_owned(), |(off, other)| format!("{} | {}", number(off), number(other)))
}

fn main() {
    println!(
        "| Quotient from | float32: off by a divisor | any bit | float16: off by a divisor | any bit | bfloat16: off by a divisor | any bit |"
    );
    println!("|---|---|---|---|---|---|---|");
    for exponent in EXPONENTS {
        let cells = [shares::<f32>(exponent), shares::<f16>(exponent), shares::<bf16>(exponent)].map(cell);
        println!("| 2^{exponent} | {} |", cells.join(" | "));
    }
}

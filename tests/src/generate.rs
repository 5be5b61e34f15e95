//! Deterministic test vectors. The class names V01… are the project's shared vocabulary (docs: named test-vector classes).

/// xorshift64* seeded through splitmix64: the same vectors on every machine, no dependency.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Rng((z ^ (z >> 31)) | 1)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// In `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In `low..=high`.
    pub fn range(&mut self, low: i32, high: i32) -> i32 {
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        (i64::from(low) + (self.next_u64() % span) as i64) as i32
    }

    /// Standard normal, Box-Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Positive, significand random, exponent in `low..=high`.
    fn positive(&mut self, low: i32, high: i32) -> f32 {
        let exponent = self.range(low, high);
        f32::from_bits(((exponent + 127) as u32) << 23 | (self.next_u32() >> 9))
    }
}

/// A pair of operands.
pub type Pair = (f32, f32);

/// The fp32 classes of this file. V18-V23 are about other types; V24 and V25 are ways to run, not vectors.
pub const CLASSES: [&str; 17] = [
    "V01", "V02", "V03", "V04", "V05", "V06", "V07", "V08", "V09", "V10", "V11", "V12", "V13", "V14", "V15", "V16",
    "V17",
];

/// The vectors of a class, or `None` for a name that is not in [`CLASSES`].
pub fn class(name: &str) -> Option<Vec<Pair>> {
    let seed = name.bytes().fold(0, |seed, byte| seed * 256 + u64::from(byte));
    let mut rng = Rng::new(seed);
    Some(match name {
        "V01" => signs(vec![(5.3, 2.0), (7.0, 3.0), (1.0, 3.0), (6.0, 3.0)]),
        "V02" => signs(near_integer_below(&mut rng)),
        "V03" => signs(near_integer_above(&mut rng)),
        "V04" => signs(half_integer(&mut rng)),
        "V05" => signs(tier_edges(&mut rng)),
        "V06" => signs(large_quotient(&mut rng)),
        "V07" => signs(huge_quotient(&mut rng)),
        "V08" => signs(top_binade(&mut rng)),
        "V09" => signs(big_divisor(&mut rng)),
        "V10" => signs(mantissa_edges()),
        "V11" => signs(subnormal(&mut rng)),
        "V12" => signs(magnitudes().into_iter().map(|y| (0.0, y)).collect()),
        "V13" => signs(magnitudes().into_iter().map(|x| (x, 0.0)).collect()),
        "V14" => specials(),
        "V15" => (0..65_536).map(|_| (rng.uniform(-5.0, 5.0) as f32, rng.uniform(-5.0, 5.0) as f32)).collect(),
        "V16" => (0..65_536).map(|_| (rng.normal() as f32, rng.normal() as f32)).collect(),
        "V17" => mixed_tile(&mut rng),
        _ => return None,
    })
}

/// The four sign combinations of every pair.
fn signs(pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.into_iter().flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)]).collect()
}

/// `x` moved by `steps` units in the last place; `x` positive and finite, the result clamped to that too.
fn step(x: f32, steps: i32) -> f32 {
    let bits = x.to_bits().saturating_add_signed(steps).min(f32::MAX.to_bits());
    f32::from_bits(bits)
}

fn two_to(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

/// `quotient · y` as f32, kept finite.
fn times(quotient: f64, y: f32) -> f32 {
    (quotient * f64::from(y)).min(f32::MAX.into()) as f32
}

fn near_integer_below(rng: &mut Rng) -> Vec<Pair> {
    let known = [(5.5, 1.1), (3.3, 1.1), (6.6, 2.2), (12.0, 0.4), (9.9, 3.3), (0.3, 0.1), (1.2, 0.1)];
    let mut pairs = known.to_vec();
    let divisors = [1.0, 3.0, 1.1, 2.2, 0.4, 3.3, 0.1].into_iter().chain((0..16).map(|_| rng.positive(-20, 20)));
    for y in divisors.collect::<Vec<_>>() {
        for bit in 0..=21 {
            let n = two_to(bit) + f64::from(rng.range(0, (1 << bit) - 1));
            pairs.extend((0..4).map(|k| (step(times(n, y), -k), y)));
        }
    }
    pairs
}

fn near_integer_above(rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for _ in 0..64 {
        // 12 significant bits each side: the product is exact
        let y = f32::from_bits(rng.positive(-20, 20).to_bits() & !0xfff);
        let n = f64::from(rng.range(1, 4095));
        pairs.extend((0..4).map(|k| (step(times(n, y), k), y)));
    }
    pairs
}

fn half_integer(rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for bit in 0..=21 {
        for _ in 0..4 {
            let y = rng.positive(-20, 20);
            let n = two_to(bit) + f64::from(rng.range(0, (1 << bit) - 1)) + 0.5;
            pairs.extend((-2..=2).map(|k| (step(times(n, y), k), y)));
        }
    }
    pairs
}

fn tier_edges(rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for exponent in [12, 13, 15, 16, 21, 22, 23, 24, 31] {
        for offset in [-1.0, 0.0, 1.0] {
            for y in [1.0, 3.0, 1.1, rng.positive(-30, 30), rng.positive(-30, 30)] {
                let x = times(two_to(exponent) + offset, y);
                pairs.extend((-2..=2).map(|k| (step(x, k), y)));
            }
        }
    }
    pairs
}

fn large_quotient(rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = vec![(1e10, 3.0), (16777217.0 * 4.0, 3.0), (100.0, 6.1e-5), (32767.0, 1e-3)];
    pairs.extend((0..256).map(|_| {
        let y = rng.positive(-60, 60);
        (times(rng.uniform(1.0, 2.0) * two_to(rng.range(24, 60)), y), y)
    }));
    pairs
}

fn huge_quotient(rng: &mut Rng) -> Vec<Pair> {
    let tiny = f32::from_bits(1);
    let mut pairs = vec![(3.4e38, 7.0), (1e38, 1e-38), (1.0, 1e-45), (f32::MAX, tiny), (f32::MAX, f32::MIN_POSITIVE)];
    pairs.extend((0..256).map(|_| {
        let y = rng.positive(-126, 60);
        (times(rng.uniform(1.0, 2.0) * two_to(rng.range(60, 253)), y), y)
    }));
    pairs
}

fn top_binade(rng: &mut Rng) -> Vec<Pair> {
    let top = two_to(127) as f32;
    // −0x1.c31da6p+127, −0x1.15b08cp+127: rint(q)·b overflows
    let overflow = (f32::from_bits(0x7f61_8ed3), f32::from_bits(0x7f0a_d846));
    let mut pairs = vec![(f32::MAX, top), (f32::MAX, f32::MAX), overflow, (1.9e38, two_to(100) as f32), (3e38, 7.0)];
    pairs.extend((0..128).map(|_| (rng.positive(127, 127), rng.positive(90, 127))));
    pairs
}

fn big_divisor(rng: &mut Rng) -> Vec<Pair> {
    let mut pairs = vec![(300.0, 1e35), (1e35, 9e34), (1e30, 3e38)];
    pairs.extend((0..64).map(|_| (rng.positive(8, 127), rng.positive(117, 127))));
    pairs
}

fn mantissa_edges() -> Vec<Pair> {
    // (0x1.fffffcp+16, 0x1.fffff2p+5): catches truncated-quotient shortcuts
    let mut pairs = vec![(f32::from_bits(0x47ff_fffe), f32::from_bits(0x427f_fff9))];
    let fractions = [0, 1, 2, 0x40_0000, 0x7f_fffe, 0x7f_ffff];
    for x in fractions {
        for y in fractions {
            pairs.extend(
                [0, 5, 12, 22, 23].map(|gap| (f32::from_bits((127 + gap) << 23 | x), f32::from_bits(127 << 23 | y))),
            );
        }
    }
    pairs
}

fn subnormal(rng: &mut Rng) -> Vec<Pair> {
    let edge = f32::MIN_POSITIVE;
    let tiny = f32::from_bits(1);
    let mut pairs =
        vec![(tiny, tiny), (tiny, edge), (edge, tiny), (1.0, tiny), (step(edge, -1), edge), (edge, step(edge, -1))];
    pairs.extend((-1..=1).map(|k| (1.5 * edge, step(edge, k))));
    for _ in 0..64 {
        let (x, y) = (f32::from_bits(rng.next_u32() >> 9), f32::from_bits((rng.next_u32() >> 9).max(1)));
        pairs.extend([(x, y), (rng.positive(-126, -100), y), (x, rng.positive(-126, -100))]);
    }
    pairs
}

/// Positive numbers of every kind.
fn magnitudes() -> Vec<f32> {
    let finite =
        [0.0, f32::from_bits(1), 0.5 * f32::MIN_POSITIVE, f32::MIN_POSITIVE, 1e-20, 0.1, 1.0, 3.0, 1e20, f32::MAX];
    finite.into_iter().chain([f32::INFINITY]).collect()
}

fn specials() -> Vec<Pair> {
    let signalling = f32::from_bits(0x7fa0_0001);
    let values =
        [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, signalling, f32::from_bits(0xffc0_0000)];
    values.into_iter().flat_map(|x| values.map(|y| (x, y))).collect()
}

/// Ordinary numbers with one lane of a huge quotient per 4096.
fn mixed_tile(rng: &mut Rng) -> Vec<Pair> {
    let ordinary = |rng: &mut Rng| (rng.uniform(-5.0, 5.0) as f32, rng.uniform(-5.0, 5.0) as f32);
    let pair = |index: usize| {
        if index % 4096 == 1234 { (3.4e38, 7.0) } else { ordinary(rng) }
    };
    (0..16_384).map(pair).collect()
}

/// `count` operands of the kind that the size sweeps use: ordinary quotients, no specials, divisor never 0.
pub fn ordinary(seed: u64, count: usize) -> (Vec<f32>, Vec<f32>) {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| (rng.uniform(-100.0, 100.0) as f32, signed(&mut rng))).unzip()
}

fn signed(rng: &mut Rng) -> f32 {
    let magnitude = rng.positive(-3, 3);
    if rng.next_u32() & 1 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_vectors_and_is_repeatable() {
        for name in CLASSES {
            let bits = |pairs: Vec<Pair>| pairs.iter().map(|(x, y)| (x.to_bits(), y.to_bits())).collect::<Vec<_>>();
            let first = bits(class(name).unwrap());
            assert!(first.len() >= 16, "{name} has {} vectors", first.len());
            assert_eq!(first, bits(class(name).unwrap()), "{name}");
        }
        assert!(class("V26").is_none());
    }

    #[test]
    fn quotients_are_where_the_class_says() {
        let quotient = |(x, y): &Pair| f64::from(*x).abs() / f64::from(*y).abs();
        assert!(class("V06").unwrap().iter().all(|pair| quotient(pair) >= two_to(20)));
        assert!(class("V07").unwrap().iter().any(|pair| quotient(pair) >= two_to(270)));
        assert!(class("V08").unwrap().iter().all(|(x, _)| x.abs() >= two_to(127) as f32));
        assert!(class("V11").unwrap().iter().any(|(x, y)| x.is_subnormal() && y.is_subnormal()));
    }

    #[test]
    fn the_generator_keeps_its_sequence() {
        let mut rng = Rng::new(0);
        let first = [rng.next_u64(), rng.next_u64()];
        let mut again = Rng::new(0);
        assert_eq!(first, [again.next_u64(), again.next_u64()]);
        assert_ne!(first[0], Rng::new(1).next_u64());
        assert!((0..1000).all(|_| (0.0..1.0).contains(&again.unit())));
        assert!((0..1000).map(|_| again.range(-2, 2)).all(|value| (-2..=2).contains(&value)));
    }
}

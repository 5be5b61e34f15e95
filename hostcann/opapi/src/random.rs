//! Random numbers of the host's own: the sequence of SplitMix64 for a seed, from its element `offset` on. Equal seeds and
//! offsets give equal numbers, which are not those of a device.

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::{DataType, Width};
use crate::view::count;

#[derive(Clone, Copy)]
struct Sequence {
    seed: u64,
    offset: u64,
}

impl Sequence {
    fn of(call: &Call) -> Outcome<Sequence> {
        let word = |name| call.integer(name).map(i64::cast_unsigned);
        Ok(Sequence { seed: word("seed")?, offset: word("offset")? })
    }

    fn at(self, place: usize) -> u64 {
        let step = self.offset.wrapping_add(place as u64).wrapping_add(1);
        let mut mixed = self.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1, of so many bits.
    fn fraction(self, place: usize, bits: i32) -> f64 {
        (self.at(place) >> (64 - bits)) as f64 * 2f64.powi(-bits)
    }

    /// From 0 to below `span`.
    fn below(self, place: usize, span: u64) -> u64 {
        ((u128::from(self.at(place)) * u128::from(span)) >> 64) as u64
    }
}

/// Bits of a fraction that the type holds: none of them is rounded up to 1.
fn bits(data_type: DataType) -> i32 {
    match data_type {
        DataType::F16 => 11,
        DataType::Bf16 => 8,
        DataType::F32 => 24,
        _ => 53,
    }
}

/// `from` to below `to`; integers are rounded down.
pub fn uniform(call: &Call) -> Outcome<Task> {
    let (from, to) = (call.number("from")?.real(), call.number("to")?.real());
    let (sequence, out) = (Sequence::of(call)?, call.tensor("selfRef")?.clone());
    if from > to || !(to - from).is_finite() {
        refuse!("argument [from]: expected at most [to], {to}, and a finite distance, got {from}");
    }
    Task::new(move |memory| {
        let data_type = out.data_type;
        let value = |place: usize| {
            let value = from + sequence.fraction(place, bits(data_type)) * (to - from);
            let value = if data_type.is_real() { data_type.settle(value) } else { value.floor() };
            if value < to { value } else { from }
        };
        out.store(memory, &(0..out.count()).map(value).collect::<Vec<f64>>());
    })
}

/// By the Box-Muller transform: two elements of the sequence for each number.
pub fn normal(call: &Call) -> Outcome<Task> {
    let (mean, deviation) = (call.number("mean")?.real(), call.number("std")?.real());
    let (sequence, out) = (Sequence::of(call)?, call.tensor("selfRef")?.clone());
    if deviation < 0.0 || deviation.is_nan() {
        refuse!("argument [std]: expected 0 or more, got {deviation}");
    }
    Task::new(move |memory| {
        let value = |place: usize| {
            // From above 0 to 1, for the logarithm.
            let radius = 1.0 - sequence.fraction(2 * place, 53);
            let angle = std::f64::consts::TAU * sequence.fraction(2 * place + 1, 53);
            mean + deviation * (-2.0 * radius.ln()).sqrt() * angle.cos()
        };
        out.store(memory, &(0..out.count()).map(value).collect::<Vec<f64>>());
    })
}

/// Whole numbers, `from` to below `to`.
pub fn integers(call: &Call) -> Outcome<Task> {
    let (from, to) = (call.integer("from")?, call.integer("to")?);
    let (sequence, out) = (Sequence::of(call)?, call.tensor("selfRef")?.clone());
    if from >= to {
        refuse!("argument [from]: expected less than [to], {to}, got {from}");
    }
    let span = to.wrapping_sub(from).cast_unsigned();
    Task::new(move |memory| {
        let value = |place: usize| from.wrapping_add_unsigned(sequence.below(place, span));
        let values: Vec<i64> = (0..out.count()).map(value).collect();
        match out.data_type.is_real() {
            true => out.store(memory, &values.iter().map(|value| *value as f64).collect::<Vec<f64>>()),
            false => out.store(memory, &values),
        }
    })
}

/// 0 to n - 1 in any order.
pub fn permutation(call: &Call) -> Outcome<Task> {
    let (count, sequence, out) = (call.integer("n")?, Sequence::of(call)?, call.tensor("out")?.clone());
    call.expect_dims("out", &out, &[count])?;
    Task::new(move |memory| {
        let mut values: Vec<i64> = (0..count).collect();
        for place in (1..values.len()).rev() {
            values.swap(place, sequence.below(place, place as u64 + 1) as usize);
        }
        match out.data_type.is_real() {
            true => out.store(memory, &values.iter().map(|value| *value as f64).collect::<Vec<f64>>()),
            false => out.store(memory, &values),
        }
    })
}

/// A bit for each element of `shape`, 1 with probability 1 - `prob`; bits past the last one are 0.
pub fn dropout_mask(call: &Call) -> Outcome<Task> {
    let (dropped, sequence, out) = (call.number("prob")?.real(), Sequence::of(call)?, call.tensor("out")?.clone());
    if !(0.0..=1.0).contains(&dropped) {
        refuse!("argument [prob]: expected 0 to 1, got {dropped}");
    }
    let elements = count(call.ints("shape")?);
    call.expect_type("out", &out, DataType::U8)?;
    // Page aclnnDropoutGenMaskV2: whole blocks of 128 bits.
    call.expect_dims("out", &out, &[elements.div_ceil(128) as i64 * 16])?;
    Task::new(move |memory| {
        let mut bytes = vec![0i64; out.count()];
        (0..elements).filter(|&e| sequence.fraction(e, 53) >= dropped).for_each(|e| bytes[e / 8] |= 1 << (e % 8));
        out.store(memory, &bytes);
    })
}

/// Elements whose bit is 1, divided by 1 - `prob`; the others are 0.
pub fn dropout(call: &Call) -> Outcome<Task> {
    let [input, mask, out] = ["self", "mask", "out"].map(|name| call.tensor(name).cloned());
    let (input, mask, out, dropped) = (input?, mask?, out?, call.number("prob")?.real());
    call.expect_dims("out", &out, &input.dims)?;
    call.expect_type("out", &out, input.data_type)?;
    call.expect_type("mask", &mask, DataType::U8)?;
    if !(0.0..=1.0).contains(&dropped) {
        refuse!("argument [prob]: expected 0 to 1, got {dropped}");
    }
    if mask.count() * 8 < input.count() {
        refuse!("argument [mask]: expected a bit for each of {} elements, got {} bytes", input.count(), mask.count());
    }
    let scale = if dropped == 1.0 { 0.0 } else { 1.0 / (1.0 - dropped) };
    Task::new(move |memory| {
        let mut values: Vec<f64> = input.load(memory, Width::Double);
        let bytes: Vec<i64> = mask.load(memory, Width::Double);
        for (e, value) in values.iter_mut().enumerate() {
            *value = if bytes[e / 8] >> (e % 8) & 1 == 1 { *value * scale } else { 0.0 };
        }
        out.store(memory, &values);
    })
}

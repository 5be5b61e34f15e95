//! The vector classes V01-V22 in every type they apply to, in both precisions, as tensors and as scalars.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use fmod_tests::data::Data;
use fmod_tests::generate::{CLASSES, class_data, every_pattern, integer_class};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{Device, DynType, Layout, Number, Stream};
use half::{bf16, f16};

const FLOATS: [DynType; 3] = [DynType::F32, DynType::F16, DynType::BF16];
const INTEGERS: [DynType; 4] = [DynType::I16, DynType::I32, DynType::I8, DynType::U8];

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

fn tensor(x: &Data, y: &Data) -> Call {
    Call::on(Operand::flat(x), Divisor::Tensor(Operand::flat(y)))
}

/// A scalar with exactly this value of this type.
fn scalar(dtype: DynType, bits: u32) -> Number {
    match dtype {
        DynType::F32 => Number::F32(f32::from_bits(bits)),
        DynType::F16 => Number::F16(f16::from_bits(bits as u16)),
        DynType::BF16 => Number::BF16(bf16::from_bits(bits as u16)),
        _ => Number::I64(dtype.decode(bits) as i64),
    }
}

/// At most `count` of the elements, evenly spread.
fn thin(data: &Data, count: usize) -> Data {
    data.pick((0..data.len()).step_by(data.len().div_ceil(count)))
}

#[test]
fn floating_classes_as_tensors() -> Result<()> {
    let stream = stream()?;
    for dtype in FLOATS {
        for name in CLASSES {
            let (x, y) = class_data(name, dtype).context(name)?;
            for mode in Mode::ALL {
                let call = tensor(&x, &y).with(mode);
                call.check(&stream).with_context(|| format!("{name} {dtype:?} {mode:?}"))?;
                call.in_place().check(&stream).with_context(|| format!("{name} {dtype:?} {mode:?} in place"))?;
            }
        }
    }
    Ok(())
}

/// Divisors of every class over dividends of every class.
#[test]
fn floating_classes_as_scalars() -> Result<()> {
    let stream = stream()?;
    for dtype in FLOATS {
        let mut dividends = Data { dtype, bits: Vec::new() };
        let mut divisors = BTreeSet::new();
        for name in CLASSES {
            let (x, y) = class_data(name, dtype).context(name)?;
            dividends.bits.extend(thin(&x, 300).bits);
            divisors.extend(thin(&y, 24).bits);
        }
        for divisor in divisors {
            // The pairs of a class belong to each other: multiples of this divisor, ± some units, join the dividends.
            let mut x = dividends.clone();
            for multiple in [1.0, 3.0, 1000.5, 2047.0, 4095.5, 32767.0, 2097151.0, 2097152.5, 4194303.0, 1e9] {
                let near = dtype.encode(multiple * dtype.decode(divisor).abs());
                x.bits.extend((0..5).map(|step| near.saturating_add(step).saturating_sub(2)));
            }
            let number = scalar(dtype, divisor);
            for mode in Mode::ALL {
                let call = Call::on(Operand::flat(&x), Divisor::Scalar(number)).with(mode);
                call.check(&stream).with_context(|| format!("{dtype:?} {mode:?} scalar {number:?}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn integer_edges_and_all_bytes() -> Result<()> {
    let stream = stream()?;
    for dtype in INTEGERS {
        let (x, y) = integer_class(dtype);
        for mode in Mode::ALL {
            tensor(&x, &y).with(mode).check(&stream).with_context(|| format!("{dtype:?} {mode:?}"))?;
        }
        tensor(&x, &y).in_place().check(&stream).with_context(|| format!("{dtype:?} in place"))?;
    }
    Ok(())
}

#[test]
fn integer_scalars() -> Result<()> {
    let stream = stream()?;
    for dtype in INTEGERS {
        let (x, y) = integer_class(dtype);
        let dividends = Data { dtype, bits: x.bits.iter().copied().collect::<BTreeSet<_>>().into_iter().collect() };
        let divisors: BTreeSet<u32> = thin(&y, 600).bits.into_iter().chain([0, 1]).collect();
        for divisor in divisors {
            let call = Call::on(Operand::flat(&dividends), Divisor::Scalar(scalar(dtype, divisor)));
            call.check(&stream).with_context(|| format!("{dtype:?} by {}", dtype.decode(divisor)))?;
        }
    }
    Ok(())
}

/// V18, V19, V20: every dividend of the 16-bit types over sixteen divisors, as one broadcast tensor and as scalars.
#[test]
fn every_16_bit_dividend() -> Result<()> {
    let stream = stream()?;
    for dtype in [DynType::F16, DynType::BF16, DynType::I16] {
        let (x, y) = every_pattern(dtype);
        let x = Operand::flat(&Data { dtype, bits: x });
        let column = Operand::of(Layout::contiguous(&[16, 1]), &Data { dtype, bits: y.to_vec() });
        for mode in Mode::ALL {
            let call = Call::on(x.clone(), Divisor::Tensor(column.clone())).with(mode);
            call.check(&stream).with_context(|| format!("{dtype:?} {mode:?}"))?;
            for divisor in y {
                let number = scalar(dtype, divisor);
                let call = Call::on(x.clone(), Divisor::Scalar(number)).with(mode);
                call.check(&stream).with_context(|| format!("{dtype:?} {mode:?} scalar {number:?}"))?;
            }
        }
    }
    Ok(())
}

/// The other way round: sixteen dividends over every divisor.
#[test]
fn every_16_bit_divisor() -> Result<()> {
    let stream = stream()?;
    for dtype in [DynType::F16, DynType::BF16, DynType::I16] {
        let (all, some) = every_pattern(dtype);
        let y = Operand::flat(&Data { dtype, bits: all });
        let x = Operand::of(Layout::contiguous(&[16, 1]), &Data { dtype, bits: some.to_vec() });
        for mode in Mode::ALL {
            let call = Call::on(x.clone(), Divisor::Tensor(y.clone())).with(mode);
            call.check(&stream).with_context(|| format!("{dtype:?} {mode:?}"))?;
        }
    }
    Ok(())
}

/// The official distributions at full size.
#[test]
fn uniform_and_normal_at_four_million() -> Result<()> {
    let stream = stream()?;
    let mut rng = fmod_tests::generate::Rng::new(15);
    let count = 1 << 22;
    let uniform: Vec<f32> = (0..2 * count).map(|_| rng.uniform(-5.0, 5.0) as f32).collect();
    let normal: Vec<f32> = (0..2 * count).map(|_| (rng.uniform(-5.0, 5.0) + 1.3 * rng.normal()) as f32).collect();
    for (name, values) in [("V15", uniform), ("V16", normal)] {
        let (x, y) = values.split_at(count);
        for mode in Mode::ALL {
            Call::tensor(x, y).with(mode).check(&stream).with_context(|| format!("{name} {mode:?}"))?;
        }
    }
    Ok(())
}

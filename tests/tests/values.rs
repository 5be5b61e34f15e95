//! Results of the four APIs on contiguous data: values, sizes, special numbers, vector classes, layouts in storage.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use fmod_tests::generate::{CLASSES, class, ordinary};
use fmod_tests::host::{Call, Divisor, Operand, Out};
use fmod_tests::{Device, DynType, Layout, Number, Stream};

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

/// All four APIs on the same contiguous data.
fn check_all(stream: &Stream, x: &[f32], y: &[f32]) -> Result<()> {
    let size = x.len();
    let divisor = Number::F32(y.first().copied().unwrap_or(2.0));
    Call::tensor(x, y).check(stream).with_context(|| format!("FmodTensor, {size} elements"))?;
    Call::scalar(x, divisor).check(stream).with_context(|| format!("FmodScalar, {size} elements"))?;
    let call = Call::tensor(x, y).in_place();
    call.check(stream).with_context(|| format!("InplaceFmodTensor, {size} elements"))?;
    let call = Call::scalar(x, divisor).in_place();
    call.check(stream).with_context(|| format!("InplaceFmodScalar, {size} elements"))
}

#[test]
fn four_sign_cases_of_the_task() -> Result<()> {
    let stream = stream()?;
    let x = [5.3, -5.3, 5.3, -5.3];
    let want = [1.3000002, -1.3000002, 1.3000002, -1.3000002];
    let tensor = Call::tensor(&x, &[2.0, 2.0, -2.0, -2.0]);
    tensor.check_against(&stream, &want)?;
    tensor.in_place().check_against(&stream, &want)?;
    for divisor in [2.0, -2.0] {
        let scalar = Call::scalar(&x, Number::F32(divisor));
        scalar.check_against(&stream, &want)?;
        scalar.in_place().check_against(&stream, &want)?;
    }
    Ok(())
}

#[test]
fn every_small_size() -> Result<()> {
    let stream = stream()?;
    let (x, y) = ordinary(1, 300);
    (1..=300).try_for_each(|size| check_all(&stream, &x[..size], &y[..size]))
}

/// Powers of two, whole 32-byte blocks and 256-byte repeats per core for every core count of the family, and the
/// tile lengths that 192 KiB of UB give, each ± 1.
#[test]
fn sizes_around_core_and_tile_boundaries() -> Result<()> {
    let mut sizes = BTreeSet::new();
    sizes.extend((9..=16).map(|exponent| 1usize << exponent));
    for cores in [20, 24, 32, 40, 48] {
        sizes.extend([8, 64, 128, 256, 512, 1024].map(|elements| cores * elements));
    }
    sizes.extend((1..=48).map(|cores| cores * 1024)); // a further core is worth its start from 4 KiB on
    for buffers in [4, 6, 8] {
        for bytes in [188_160, 191_488, 196_352, 196_608] {
            let tile = bytes / buffers / 4;
            sizes.extend([tile, tile / 64 * 64, tile / 8 * 8, 2 * (tile / 64 * 64)]);
        }
    }
    let sizes: BTreeSet<usize> = sizes.iter().flat_map(|size| [size - 1, *size, size + 1]).collect();
    let stream = stream()?;
    let (x, y) = ordinary(2, 70_000);
    for size in sizes {
        let (x, y) = (&x[..size], &y[..size]);
        Call::tensor(x, y).check(&stream).with_context(|| format!("FmodTensor, {size} elements"))?;
        let scalar = Call::scalar(x, Number::F32(-2.7));
        scalar.check(&stream).with_context(|| format!("FmodScalar, {size} elements"))?;
    }
    Ok(())
}

/// Several tiles on every core.
#[test]
fn large_sizes() -> Result<()> {
    let stream = stream()?;
    let (x, y) = ordinary(3, (1 << 20) + 1);
    let multiple = 48 * 8 * 1024; // whole blocks on 48 and on 24 cores
    for size in [(1 << 17) + 1, multiple - 1, multiple, multiple + 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1] {
        let (x, y) = (&x[..size], &y[..size]);
        Call::tensor(x, y).check(&stream).with_context(|| format!("FmodTensor, {size} elements"))?;
        let scalar = Call::scalar(x, Number::F32(3.3)).in_place();
        scalar.check(&stream).with_context(|| format!("InplaceFmodScalar, {size} elements"))?;
    }
    Ok(())
}

#[test]
fn vector_classes_tensor() -> Result<()> {
    let stream = stream()?;
    for name in CLASSES {
        let (x, y): (Vec<f32>, Vec<f32>) = class(name).context(name)?.into_iter().unzip();
        Call::tensor(&x, &y).check(&stream).with_context(|| name.to_owned())?;
        Call::tensor(&x, &y).in_place().check(&stream).with_context(|| format!("{name} in place"))?;
    }
    Ok(())
}

/// Every divisor kind as a scalar, over dividends of every kind.
#[test]
fn vector_classes_scalar() -> Result<()> {
    let stream = stream()?;
    let mut dividends = Vec::new();
    let mut divisors = BTreeSet::new();
    for name in ["V01", "V05", "V07", "V08", "V10", "V11", "V13", "V14"] {
        let pairs = class(name).context(name)?;
        dividends.extend(pairs.iter().map(|(x, _)| *x).step_by(pairs.len().div_ceil(200)));
        divisors.extend(pairs.iter().map(|(_, y)| y.to_bits()).step_by(pairs.len().div_ceil(20)));
    }
    for divisor in divisors.into_iter().map(f32::from_bits) {
        let call = Call::scalar(&dividends, Number::F32(divisor));
        call.check(&stream).with_context(|| format!("divisor {divisor:e} ({:#x})", divisor.to_bits()))?;
    }
    Ok(())
}

/// torch passes every Python number as DOUBLE or INT64: rounded to the tensor's type, computed in it.
#[test]
fn scalar_types() -> Result<()> {
    let stream = stream()?;
    let (x, _) = ordinary(4, 1000);
    for number in [
        Number::F32(1.1),
        Number::F64(1.1),
        Number::F64(-2.000000000001),
        Number::I64(7),
        Number::I64((1 << 24) + 1),
        Number::I32(-3),
    ] {
        Call::scalar(&x, number).check(&stream).with_context(|| format!("{number:?}"))?;
        Call::scalar(&x, number).in_place().check(&stream).with_context(|| format!("{number:?} in place"))?;
    }
    Ok(())
}

#[test]
fn offsets_and_flat_storage_like_torch() -> Result<()> {
    let stream = stream()?;
    let (x, y) = ordinary(5, 3 * 5 * 7);
    let shape = [3, 5, 7];
    for offset in [0, 1, 7, 8, 33] {
        let layout = Layout::contiguous(&shape).offset(offset).flat_storage();
        let tail = layout.storage[0] + 9; // a storage that goes on behind the view
        let longer = layout.clone().storage(&[tail]);
        let outs =
            [Some(layout), Some(longer.clone()), None].map(|layout| Some(Out { dtype: DynType::F32, layout: layout? }));
        for out in outs {
            let self_ = Operand::new(longer.clone(), &x);
            let other = Operand::new(Layout::contiguous(&shape).offset(2 * offset).flat_storage(), &y);
            let what = format!("offset {offset}, out {out:?}");
            let tensor = Call { self_: self_.clone(), other: Divisor::Tensor(other), out: out.clone(), mode: None };
            tensor.check(&stream).with_context(|| format!("tensor, {what}"))?;
            let scalar = Call { self_, other: Divisor::Scalar(Number::F64(1.3)), out, mode: None };
            scalar.check(&stream).with_context(|| format!("scalar, {what}"))?;
        }
    }
    Ok(())
}

#[test]
fn ranks_zero_to_eight() -> Result<()> {
    let stream = stream()?;
    for rank in 0..=8 {
        let shape: Vec<i64> = (0..rank).map(|axis| 1 + axis % 3).collect();
        let layout = Layout::contiguous(&shape);
        let (x, y) = ordinary(6, layout.numel());
        let (self_, other) = (Operand::new(layout.clone(), &x), Operand::new(layout.clone(), &y));
        let call = Call::on(self_, Divisor::Tensor(other));
        call.check(&stream).with_context(|| format!("{shape:?}"))?;
        call.in_place().check(&stream).with_context(|| format!("{shape:?} in place"))?;
    }
    Ok(())
}

#[test]
fn empty_tensors_touch_nothing() -> Result<()> {
    let stream = stream()?;
    for shape in [&[0][..], &[0, 3], &[4, 0, 2]] {
        let empty = || Operand::new::<f32>(Layout::contiguous(shape), &[]);
        for other in [Divisor::Tensor(empty()), Divisor::Scalar(Number::F32(2.0))] {
            let call = Call::on(empty(), other);
            call.check(&stream).with_context(|| format!("{shape:?}"))?;
            call.in_place().check(&stream).with_context(|| format!("{shape:?} in place"))?;
        }
    }
    Ok(())
}

//! Random sizes and values within a time budget. A failure prints the seed; `ARBTEST_SEED=… cargo test` replays it.

use arbtest::arbitrary::{Result, Unstructured};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{Device, Layout, Number};

const BUDGET_MS: u64 = 2000;

/// Any bit pattern.
fn values(u: &mut Unstructured, count: usize) -> Result<Vec<f32>> {
    (0..count).map(|_| u.arbitrary().map(f32::from_bits)).collect()
}

#[test]
fn any_bits_any_size() {
    let stream = Device::open(0).and_then(|device| device.stream()).expect("a stream");
    arbtest::arbtest(|u| {
        let size = u.int_in_range(1..=2000)?;
        let (x, y) = (values(u, size)?, values(u, size)?);
        let mut call = Call::tensor(&x, &y);
        if u.arbitrary()? {
            call = call.in_place();
        }
        if let Err(failure) = call.check(&stream, Mode::Tbe) {
            panic!("tensor, {size} elements: {failure}");
        }
        let mut call = Call::scalar(&x, Number::F32(y[0]));
        if u.arbitrary()? {
            call = call.in_place();
        }
        if let Err(failure) = call.check(&stream, Mode::Tbe) {
            panic!("scalar {}, {size} elements: {failure}", y[0]);
        }
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn any_shape_and_offset() {
    let stream = Device::open(0).and_then(|device| device.stream()).expect("a stream");
    arbtest::arbtest(|u| {
        let rank = u.int_in_range(0..=8)?;
        let shape = (0..rank).map(|_| u.int_in_range(0..=4)).collect::<Result<Vec<i64>>>()?;
        let layout = |u: &mut Unstructured| -> Result<Layout> {
            Ok(Layout::contiguous(&shape).offset(u.int_in_range(0..=40)?).flat_storage())
        };
        let (x, y, out) = (layout(u)?, layout(u)?, layout(u)?);
        let count = x.numel();
        let self_ = Operand::new(x, &values(u, count)?);
        let other = Divisor::Tensor(Operand::new(y, &values(u, count)?));
        let out = if u.arbitrary()? { Some(out) } else { None };
        let call = Call { self_, other, out };
        if let Err(failure) = call.check(&stream, Mode::Tbe) {
            panic!("{:?} -> {:?}: {failure}", call.self_.layout, call.out);
        }
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

//! Random calls: types, shapes, strides, broadcasts, precisions and bits of any kind. The same number of them, and the same
//! ones, on every machine; `PROPERTY_SEED=7 cargo test` takes others, and a failure says which case of which seed it is.

use arbitrary::{Result, Unstructured};
use fmod_tests::arrange::{Arrangement, Broadcast};
use fmod_tests::data::Data;
use fmod_tests::generate::Rng;
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand, Out};
use fmod_tests::promote::convert;
use fmod_tests::{Device, DynType, Layout, Number, Stream};

const CASES: u64 = 1500;

/// The first cases are drawn from 32 bytes, which makes them small, the last ones from 64 KiB.
fn property(cases: u64, mut check: impl FnMut(&mut Unstructured) -> Result<()>) {
    struct Case(u64, u64);
    impl Drop for Case {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("case {} of PROPERTY_SEED={}", self.1, self.0);
            }
        }
    }
    let seed = std::env::var("PROPERTY_SEED").map_or(0, |text| text.parse().expect("PROPERTY_SEED is a number"));
    let mut fitting = 0;
    for case in 0..cases {
        let mut rng = Rng::new(seed << 32 | case);
        let bytes = 32.0 * 2048f64.powf(case as f64 / cases as f64);
        let data: Vec<u8> = (0..bytes as usize).map(|_| rng.next_u64() as u8).collect();
        let running = Case(seed, case);
        // Too few bytes for what the case wants to draw: it is none.
        fitting += u64::from(check(&mut Unstructured::new(&data)).is_ok());
        std::mem::forget(running);
    }
    assert!(fitting * 10 >= cases * 9, "only {fitting} of {cases} cases had enough bytes");
}

fn stream() -> Stream {
    Device::open(0).and_then(|device| device.stream()).expect("a stream")
}

/// Any bit pattern.
fn values(u: &mut Unstructured, dtype: DynType, count: usize) -> Result<Data> {
    let mask = u32::MAX >> (32 - 8 * dtype.bytes());
    let bits = (0..count).map(|_| Ok(u.arbitrary::<u32>()? & mask)).collect::<Result<_>>()?;
    Ok(Data { dtype, bits })
}

fn operand(u: &mut Unstructured, layout: Layout) -> Result<Operand> {
    let dtype = *u.choose(&DynType::SUPPORTED)?;
    let values = values(u, dtype, layout.numel())?;
    Ok(Operand::of(layout, &values))
}

/// Strides of the axes in a random order in memory, with random gaps, from a random element on.
fn scattered(u: &mut Unstructured, shape: &[i64]) -> Result<Layout> {
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    for last in (1..axes.len()).rev() {
        // in row-major order half of the time: those can run in place
        if u.arbitrary()? {
            axes.swap(last, u.int_in_range(0..=last)?);
        }
    }
    let mut strides = vec![1; shape.len()];
    let mut step = u.int_in_range(1..=2)?;
    for axis in axes.into_iter().rev() {
        strides[axis] = step;
        step = step * shape[axis].max(1) + if u.arbitrary()? { u.int_in_range(0..=5)? } else { 0 };
    }
    Ok(Layout::contiguous(shape).strides(&strides).offset(u.int_in_range(0..=9)?).flat_storage())
}

/// For an input: also views that read elements more than once.
fn input(u: &mut Unstructured, shape: &[i64]) -> Result<Layout> {
    if u.ratio(1, 3)? { Ok(u.choose(&Arrangement::INPUTS)?.layout(shape)) } else { scattered(u, shape) }
}

fn shape(u: &mut Unstructured) -> Result<Vec<i64>> {
    let rank = u.int_in_range(0..=8)?;
    let mut shape = (0..rank).map(|_| u.int_in_range(0..=3)).collect::<Result<Vec<i64>>>()?;
    if let Some(last) = shape.last_mut()
        && u.arbitrary()?
    {
        *last = u.int_in_range(1..=150)?;
    }
    // Empty results are rare enough to leave room for the others.
    let keep = u.ratio(1, 8)?;
    shape.iter_mut().for_each(|dim| *dim = if *dim == 0 && !keep { 1 } else { *dim });
    Ok(shape)
}

/// Any precision, or the plain API, and any type of the result; or in place where that is allowed.
fn dress(u: &mut Unstructured, mut call: Call) -> Result<Call> {
    call.mode = *u.choose(&[None, Some(Mode::Tbe), Some(Mode::Exact)])?;
    let shape = call.out.as_ref().map(|out| out.layout.shape.clone()).unwrap_or_default();
    let own_places = call.self_.layout.shape == shape && {
        let mut places = call.self_.layout.indices();
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0] != pair[1]) && !call.self_.layout.strides.contains(&0)
    };
    if own_places && u.arbitrary()? {
        return Ok(call.in_place());
    }
    let dtype = *u.choose(&DynType::SUPPORTED)?;
    call.out = Some(Out { dtype, layout: scattered(u, &shape)? });
    Ok(call)
}

fn describe(call: &Call) -> String {
    let other = match &call.other {
        Divisor::Tensor(other) => format!("{:?} {:?}", other.dtype(), other.layout),
        Divisor::Scalar(number) => format!("{number:?}"),
    };
    let (dtype, layout) = (call.self_.dtype(), &call.self_.layout);
    format!("{dtype:?} {layout:?} % {other} -> {:?}, {:?}", call.out, call.mode)
}

fn check(call: &Call, stream: &Stream) {
    if let Err(failure) = call.check(stream) {
        panic!("{}: {failure}", describe(call));
    }
}

#[test]
fn any_bits_any_size() {
    let stream = stream();
    property(CASES, |u| {
        let size = u.int_in_range(1..=2000)?;
        let dtype = *u.choose(&DynType::SUPPORTED)?;
        let (x, y) = (values(u, dtype, size)?, values(u, dtype, size)?);
        let call = Call::on(Operand::flat(&x), Divisor::Tensor(Operand::flat(&y)));
        let call = call.with(*u.choose(&Mode::ALL)?);
        check(&call, &stream);
        check(&call.in_place(), &stream);
        Ok(())
    });
}

#[test]
fn any_tensors() {
    let stream = stream();
    property(2 * CASES, |u| {
        let (a, b) = u.choose(&Broadcast::ALL)?.shapes(&shape(u)?);
        let (a, b) = (input(u, &a)?, input(u, &b)?);
        let call = Call::on(operand(u, a)?, Divisor::Tensor(operand(u, b)?));
        check(&dress(u, call)?, &stream);
        Ok(())
    });
}

#[test]
fn any_scalar() {
    let stream = stream();
    property(CASES, |u| {
        let shape = shape(u)?;
        let layout = input(u, &shape)?;
        let self_ = operand(u, layout)?;
        let number = match u.int_in_range(0..=5)? {
            0 => Number::F32(f32::from_bits(u.arbitrary()?)),
            1 => Number::F64(f32::from_bits(u.arbitrary()?).into()),
            2 => Number::F64(f64::from(u.int_in_range(-1000..=1000)?) / 64.0),
            3 => Number::I64(u.int_in_range(-300..=300)?),
            4 => Number::I32(u.arbitrary()?),
            _ => Number::Bool(u.arbitrary()?),
        };
        let call = Call::on(self_, Divisor::Scalar(number));
        // INT64 is the AI CPU's
        if convert(number, call.computed()).is_some() {
            check(&dress(u, call)?, &stream);
        }
        Ok(())
    });
}

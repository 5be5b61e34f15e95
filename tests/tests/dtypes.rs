//! Operands of different types, scalars of every type, results cast to `out`, and the APIs with a precision (V23).

use anyhow::{Context, Result, ensure};
use fmod_tests::data::Data;
use fmod_tests::generate::varied;
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{DataType, Device, DynType, Error, Layout, Number, Stream, Tensor, TensorMut, fmod_tensor_v2};
use half::{bf16, f16};
use hostcann_types::status;

const INNER: i32 = status::NN_NULLPTR;

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

/// The operands' types compute in one that only the AI CPU knows, which the host toolkit does not have.
fn needs_the_ai_cpu(call: impl FnOnce() -> Result<()>) -> Result<()> {
    let Err(error) = call() else {
        ensure!(!Device::open(0)?.runtime().is_host_toolkit(), "the host toolkit computed on an AI CPU");
        return Ok(());
    };
    let error = error.downcast::<Error>()?;
    ensure!(error.code == Some(INNER), "expected {INNER}: {error}");
    ensure!(error.message.contains("needs the AI CPU operator Mod"), "{error}");
    Ok(())
}

/// Every self × other × out in both precisions, broadcast and plain.
#[test]
fn every_combination_of_types() -> Result<()> {
    let stream = stream()?;
    for self_ in DynType::SUPPORTED {
        for other in DynType::SUPPORTED {
            let x = Operand::of(Layout::contiguous(&[7, 43]), &varied(1, self_, 301));
            let y = varied(2, other, 301);
            let divisors = [
                Operand::of(Layout::contiguous(&[7, 43]), &y),
                Operand::of(Layout::contiguous(&[43]), &y.pick(0..43)),
                Operand::of(Layout::contiguous(&[7, 1]), &y.pick(0..7)),
            ];
            for divisor in divisors {
                for out in DynType::SUPPORTED {
                    let call = Call::on(x.clone(), Divisor::Tensor(divisor.clone())).out_dtype(out);
                    let what = || format!("{self_:?} % {other:?} {:?} -> {out:?}", divisor.layout.shape);
                    call.check(&stream).with_context(what)?;
                    call.with(Mode::Exact).check(&stream).with_context(what)?;
                }
                let call = Call::on(x.clone(), Divisor::Tensor(divisor.clone())).in_place();
                let what = || format!("{self_:?} %= {other:?} {:?}", divisor.layout.shape);
                call.check(&stream).with_context(what)?;
                call.with(Mode::Exact).check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// A one-dimensional tensor of a type that [`Data`] does not hold, or of one that it does.
struct Wide {
    dtype: DynType,
    bytes: Vec<u8>,
}

impl Wide {
    fn i64(values: &[i64]) -> Wide {
        Wide { dtype: DynType::I64, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }

    fn f64(values: &[f64]) -> Wide {
        Wide { dtype: DynType::F64, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }

    fn of<T: DataType>(values: &[T]) -> Wide {
        Wide { dtype: T::TYPE, bytes: Data::of(values).to_bytes() }
    }

    fn layout(&self) -> Layout {
        Layout::contiguous(&[(self.bytes.len() / self.dtype.bytes()) as i64])
    }

    /// What `out`, of the type and length of `want`, is after the call.
    fn check(stream: &Stream, x: &Wide, y: &Wide, want: &Wide) -> Result<()> {
        let device = stream.device();
        let (a, b) = (device.upload(&x.bytes)?, device.upload(&y.bytes)?);
        let mut c = device.upload(&vec![0x5a_u8; want.bytes.len()])?;
        let self_ = Tensor::with_type(&a, x.dtype, &x.layout())?;
        let other = Tensor::with_type(&b, y.dtype, &y.layout())?;
        let mut out = TensorMut::with_type(&mut c, want.dtype, &want.layout())?;
        fmod_tensor_v2(&self_, &other, Mode::Exact, &mut out)?.run(stream)?;
        drop(out);
        let got = c.to_vec()?;
        ensure!(got == want.bytes, "{:?} % {:?} -> {:?}: {got:?}", x.dtype, y.dtype, want.dtype);
        Ok(())
    }
}

/// INT64 operands beside floating ones, and results of any type in INT64 and DOUBLE, need casts only.
#[test]
fn operands_and_results_of_64_bits() -> Result<()> {
    let stream = stream()?;
    let (f, h, b) = (f16::from_f32, bf16::from_f32, |value: f32| value);
    let integers = Wide::i64(&[7, -7, 16_777_217, 5, -9]);
    let reals = [2.5, 2.0, 16.0, 0.75, -4.0];
    Wide::check(&stream, &integers, &Wide::of(&reals.map(b)), &Wide::of(&[2.0f32, -1.0, 0.0, 0.5, -1.0]))?;
    let small = Wide::i64(&[7, -7, 2049, 5, -9]); // 2049 is 2048 in half
    Wide::check(&stream, &small, &Wide::of(&reals.map(f)), &Wide::of(&[2.0, -1.0, 0.0, 0.5, -1.0].map(f)))?;
    Wide::check(&stream, &small, &Wide::of(&reals.map(h)), &Wide::of(&[2.0, -1.0, 0.0, 0.5, -1.0].map(h)))?;
    let divisors = Wide::i64(&[2, -3, 4]);
    Wide::check(&stream, &Wide::of(&[5.5f32, -7.25, 8.0]), &divisors, &Wide::i64(&[1, -1, 0]))?;
    Wide::check(&stream, &Wide::of(&[5.5f32, -7.25, 8.0]), &divisors, &Wide::f64(&[1.5, -1.25, 0.0]))?;
    Wide::check(&stream, &Wide::of(&[7i16, -7, 300]), &Wide::of(&[4i8, 4, 127]), &Wide::i64(&[3, -3, 46]))?;
    Wide::check(&stream, &Wide::of(&[7u8, 200, 0]), &Wide::of(&[4u8, 0, 3]), &Wide::f64(&[3.0, 0.0, 0.0]))?;
    Wide::check(&stream, &Wide::of(&[i32::MIN, 9]), &Wide::of(&[7i32, -4]), &Wide::i64(&[-2, 1]))?;
    Ok(())
}

#[test]
fn computation_in_64_bits() -> Result<()> {
    let stream = stream()?;
    let (integers, reals) = (Wide::i64(&[7, -7]), Wide::f64(&[2.5, 2.0]));
    needs_the_ai_cpu(|| Wide::check(&stream, &integers, &Wide::i64(&[4, 4]), &Wide::i64(&[3, -3])))?;
    needs_the_ai_cpu(|| Wide::check(&stream, &integers, &Wide::of(&[4i32, 4]), &Wide::of(&[3i32, -3])))?;
    needs_the_ai_cpu(|| Wide::check(&stream, &reals, &Wide::of(&[2.0f32, 0.75]), &Wide::of(&[0.5f32, 0.5])))?;
    needs_the_ai_cpu(|| Wide::check(&stream, &integers, &reals, &Wide::f64(&[2.0, -1.0])))?;
    let call = Call::on(Operand::contiguous(&[7i32, i32::MIN]), Divisor::Scalar(Number::I64(1 << 31)));
    for call in [call.clone().out_dtype(DynType::I32), call.in_place()] {
        needs_the_ai_cpu(|| {
            let got = call.result(&stream)?;
            ensure!(got == Data::of(&[7i32, 0]), "{got:?}");
            Ok(())
        })?;
    }
    Ok(())
}

/// Small numbers that every type holds, of every type a scalar can have.
fn numbers() -> Vec<Number> {
    vec![
        Number::F32(2.5),
        Number::F16(f16::from_f32(2.5)),
        Number::BF16(bf16::from_f32(2.5)),
        Number::F64(1.1),
        Number::F64(-2.000_000_000_001),
        Number::F64(1.0 + 1.0 / 2048.0 + 1e-12), // beside a tie of half
        Number::I8(-3),
        Number::U8(7),
        Number::I16(11),
        Number::I32(-100),
        Number::I64(97),
        Number::I64(0),
        Number::Bool(true),
        Number::Bool(false),
    ]
}

#[test]
fn every_scalar_type() -> Result<()> {
    let stream = stream()?;
    for self_ in DynType::SUPPORTED {
        let x = Operand::of(Layout::contiguous(&[5, 67]), &varied(3, self_, 335));
        for number in numbers() {
            for out in DynType::SUPPORTED {
                let call = Call::on(x.clone(), Divisor::Scalar(number)).out_dtype(out);
                let what = || format!("{self_:?} % {number:?} -> {out:?}");
                call.check(&stream).with_context(what)?;
                call.with(Mode::Exact).check(&stream).with_context(what)?;
            }
            let call = Call::on(x.clone(), Divisor::Scalar(number)).in_place();
            let what = || format!("{self_:?} %= {number:?}");
            call.check(&stream).with_context(what)?;
            call.with(Mode::Exact).check(&stream).with_context(what)?;
        }
    }
    Ok(())
}

/// A floating tensor takes any scalar, rounded once to its type; an integral one is divided by any.
#[test]
fn scalars_beyond_the_type() -> Result<()> {
    let stream = stream()?;
    let wide = [
        Number::F64(1e300),
        Number::F64(-1e-300),
        Number::F64(f64::NAN),
        Number::F64(f64::INFINITY),
        Number::I64(i64::MAX),
        Number::I64(i64::MIN),
        Number::I64((1 << 24) + 1),
        Number::I64((1 << 60) + (1 << 36) + 1),
        Number::I64(65_520),
        Number::I64(65_519),
    ];
    for self_ in [DynType::F32, DynType::F16, DynType::BF16] {
        let x = Operand::flat(&varied(4, self_, 300));
        for number in wide {
            for mode in Mode::ALL {
                let call = Call::on(x.clone(), Divisor::Scalar(number)).with(mode);
                call.check(&stream).with_context(|| format!("{self_:?} % {number:?} {mode:?}"))?;
            }
        }
    }
    for self_ in [DynType::I8, DynType::U8, DynType::I16, DynType::I32] {
        let x = Operand::flat(&varied(5, self_, 300));
        for limit in [0i64, 127, 128, 255, 256, 300, 32_767, 32_768, 65_535, 1 << 30, (1 << 31) - 1] {
            for value in [limit, -limit, -limit - 1] {
                let call = Call::on(x.clone(), Divisor::Scalar(Number::I64(value))).out_dtype(self_);
                let what = || format!("{self_:?} % {value}");
                call.check(&stream).with_context(what)?;
                call.in_place().check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// Divisors beyond INT32 leave every dividend of fewer bits as it is.
#[test]
fn scalars_beyond_every_type() -> Result<()> {
    let stream = stream()?;
    for self_ in [DynType::I8, DynType::U8, DynType::I16] {
        let x = varied(5, self_, 300);
        for value in [1 << 31, -(1 << 31) - 1, 1 << 40, i64::MAX, i64::MIN] {
            let call = Call::on(Operand::flat(&x), Divisor::Scalar(Number::I64(value))).in_place();
            ensure!(call.result(&stream)? == x, "{self_:?} % {value}");
        }
    }
    Ok(())
}

/// Rows of the semantics table.
#[test]
fn known_results_of_promotion() -> Result<()> {
    let stream = stream()?;
    let one = |x: Data, number| Call::on(Operand::flat(&x), Divisor::Scalar(number));
    let half = one(Data::of(&[f16::from_f32(5.5)]), Number::F64(1.1));
    half.with(Mode::Exact).check_against(&stream, &[f16::from_f64(0.001953125)])?;
    let bfloat = one(Data::of(&[bf16::from_f32(5.5)]), Number::F64(1.1));
    bfloat.with(Mode::Exact).check_against(&stream, &[bf16::from_f64(1.09375)])?;
    one(Data::of(&[7i16, -7]), Number::F64(2.5)).check_against(&stream, &[2.0f32, -2.0])?;
    one(Data::of(&[7i16, -7]), Number::I64(3)).check_against(&stream, &[1i16, -1])?;
    one(Data::of(&[i32::MIN, 7]), Number::I64(-1)).check_against(&stream, &[0i32, 0])?;
    one(Data::of(&[-128i8, 127]), Number::I32(300)).check_against(&stream, &[-128i16, 127])?;
    one(Data::of(&[200u8, 7]), Number::I32(-3)).check_against(&stream, &[2i16, 1])?;
    one(Data::of(&[7i8, -7]), Number::F64(2.5)).in_place().check_against(&stream, &[2i8, -2])?;
    let mixed = Call::on(Operand::contiguous(&[-7i8, 100]), Divisor::Tensor(Operand::contiguous(&[200u8, 200])));
    mixed.check_against(&stream, &[-7i16, 100])?;
    let wide = Call::on(
        Operand::contiguous(&[f16::from_f32(5.5)]),
        Divisor::Tensor(Operand::contiguous(&[bf16::from_f32(2.0)])),
    );
    wide.check_against(&stream, &[1.5f32])?;
    Ok(())
}

/// The plain APIs compute as precision 0.
#[test]
fn the_default_precision_is_tbe() -> Result<()> {
    let stream = stream()?;
    for dtype in DynType::SUPPORTED {
        let (x, y) = (varied(6, dtype, 5000), varied(7, dtype, 5000));
        let tensor = Call::on(Operand::flat(&x), Divisor::Tensor(Operand::flat(&y)));
        let scalar = Call::on(Operand::flat(&x), Divisor::Scalar(Number::Bool(true)));
        for call in [tensor, scalar] {
            for call in [call.clone(), call.in_place()] {
                let plain = call.result(&stream)?;
                call.clone().with(Mode::Tbe).check_data(&stream, &plain).with_context(|| format!("{dtype:?}"))?;
            }
        }
    }
    Ok(())
}

/// Where the precisions differ they must differ here, too: nobody reads the attribute if they do not.
#[test]
fn the_precisions_differ() -> Result<()> {
    let stream = stream()?;
    let call = Call::tensor(&[5.5f32, 3.0, -6.0, 1e38], &[1.1, f32::INFINITY, 3.0, 1e-38]);
    call.clone().with(Mode::Tbe).check_against(&stream, &[0.0, f32::NAN, 0.0, f32::NEG_INFINITY])?;
    let exact = [1.0999999, 3.0, -0.0, f32::from_bits(0x0068_f60e)]; // C's fmodf
    call.with(Mode::Exact).check_against(&stream, &exact)?;
    Ok(())
}

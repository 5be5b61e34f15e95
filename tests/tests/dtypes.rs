//! Operands of different types, scalars of every type, results cast to `out`, and the APIs with a precision (V23).

use anyhow::{Context, Result, ensure};
use fmod_tests::data::Data;
use fmod_tests::generate::varied;
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::promote::{can_cast, promote, promote_scalar};
use fmod_tests::{Device, DynType, Layout, Number, Stream};
use half::{bf16, f16};

const INVALID: i32 = 161002;

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

/// Phase one must refuse with 161002 and name this argument.
fn refused(call: &Call, stream: &Stream, name: &str) -> Result<()> {
    let error = match call.run(stream) {
        Ok(_) => anyhow::bail!("the call was accepted"),
        Err(error) => error,
    };
    ensure!(error.code == Some(INVALID), "expected {INVALID}: {error}");
    ensure!(error.message.contains(name), "the message does not name {name}: {error}");
    Ok(())
}

/// Every self × other × out in both precisions, broadcast and plain; casts that CanCast forbids are refused.
#[test]
fn every_combination_of_types() -> Result<()> {
    let stream = stream()?;
    for self_ in DynType::SUPPORTED {
        for other in DynType::SUPPORTED {
            let computed = promote(self_, other);
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
                    if can_cast(computed, out) {
                        call.check(&stream).with_context(what)?;
                        call.with(Mode::Exact).check(&stream).with_context(what)?;
                    } else {
                        refused(&call, &stream, "out").with_context(what)?;
                    }
                }
                let call = Call::on(x.clone(), Divisor::Tensor(divisor.clone())).in_place();
                let what = || format!("{self_:?} %= {other:?} {:?}", divisor.layout.shape);
                if can_cast(computed, self_) {
                    call.check(&stream).with_context(what)?;
                    call.with(Mode::Exact).check(&stream).with_context(what)?;
                } else {
                    refused(&call, &stream, "out").with_context(what)?;
                }
            }
        }
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
            if self_ == DynType::U8 && number.to_i64().is_some_and(|value| value < 0) {
                continue; // out of range, below
            }
            let computed = promote_scalar(self_, number);
            for out in DynType::SUPPORTED {
                let call = Call::on(x.clone(), Divisor::Scalar(number)).out_dtype(out);
                let what = || format!("{self_:?} % {number:?} -> {out:?}");
                if can_cast(computed, out) {
                    call.check(&stream).with_context(what)?;
                    call.with(Mode::Exact).check(&stream).with_context(what)?;
                } else {
                    refused(&call, &stream, "out").with_context(what)?;
                }
            }
            let call = Call::on(x.clone(), Divisor::Scalar(number)).in_place();
            let what = || format!("{self_:?} %= {number:?}");
            if can_cast(computed, self_) {
                call.check(&stream).with_context(what)?;
                call.with(Mode::Exact).check(&stream).with_context(what)?;
            } else {
                refused(&call, &stream, "out").with_context(what)?;
            }
        }
    }
    Ok(())
}

/// A floating tensor takes any scalar, rounded once to its type; an integral one only what it can hold.
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
    for (self_, low, high) in [
        (DynType::I8, -128, 127),
        (DynType::U8, 0, 255),
        (DynType::I16, -32_768, 32_767),
        (DynType::I32, i64::from(i32::MIN), i64::from(i32::MAX)),
    ] {
        let x = Operand::flat(&varied(5, self_, 300));
        let call = |value| Call::on(x.clone(), Divisor::Scalar(Number::I64(value)));
        for value in [low, high] {
            call(value).check(&stream).with_context(|| format!("{self_:?} % {value}"))?;
        }
        for value in [low - 1, high + 1, i64::MIN, i64::MAX] {
            refused(&call(value), &stream, "other").with_context(|| format!("{self_:?} % {value}"))?;
            refused(&call(value).in_place(), &stream, "other").with_context(|| format!("{self_:?} %= {value}"))?;
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

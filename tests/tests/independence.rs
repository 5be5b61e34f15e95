//! A result is a function of dividend, divisor, type and precision alone: not of where the elements lie, what lies
//! beside them, how they were broadcast, or which kernel ran.

use anyhow::{Context, Result};
use fmod_tests::arrange::{Arrangement, Broadcast};
use fmod_tests::compare::compare_data;
use fmod_tests::data::Data;
use fmod_tests::generate::{Rng, class_data, varied};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{Device, DynType, Layout, Number, Stream};

const COUNT: usize = 5040;

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

fn flat(x: &Data, y: &Data, mode: Mode) -> Call {
    Call::on(Operand::flat(x), Divisor::Tensor(Operand::flat(y))).with(mode)
}

fn kinds() -> impl Iterator<Item = (DynType, Mode)> {
    DynType::SUPPORTED.into_iter().flat_map(|dtype| Mode::ALL.map(|mode| (dtype, mode)))
}

/// Ordinary and special numbers of the type; for floating types tiles that take the long way, too.
fn operands(dtype: DynType) -> (Data, Data) {
    let (mut x, mut y) = (varied(1, dtype, COUNT), varied(2, dtype, COUNT));
    if let Some((a, b)) = class_data("V05", dtype) {
        for index in (0..COUNT / 2).step_by(7) {
            (x.bits[index], y.bits[index]) = (a.bits[index % a.len()], b.bits[index % b.len()]);
        }
    }
    (x, y)
}

#[test]
fn not_on_the_shape() -> Result<()> {
    let stream = stream()?;
    for (dtype, mode) in kinds() {
        let (x, y) = operands(dtype);
        let usual = flat(&x, &y, mode).result(&stream)?;
        for shape in [&[70, 72][..], &[1, 5040], &[5040, 1], &[2, 3, 4, 5, 6, 7], &[1, 2, 1, 3, 4, 5, 6, 7], &[3, 1680]]
        {
            let operand = |data: &Data| Operand::of(Layout::contiguous(shape), data);
            let call = Call::on(operand(&x), Divisor::Tensor(operand(&y))).with(mode);
            let what = || format!("{dtype:?} {mode:?} {shape:?}");
            compare_data([&x, &y], &call.result(&stream)?, &usual).with_context(what)?;
        }
    }
    Ok(())
}

#[test]
fn not_on_the_layout() -> Result<()> {
    let stream = stream()?;
    for (dtype, mode) in kinds() {
        let (x, y) = operands(dtype);
        let usual = flat(&x, &y, mode).result(&stream)?;
        for shape in [&[70, 72][..], &[4, 1260], &[12, 6, 70]] {
            for self_ in Arrangement::OUTPUTS {
                for other in Arrangement::OUTPUTS {
                    let (x1, y1) = (Operand::of(self_.layout(shape), &x), Operand::of(other.layout(shape), &y));
                    let call = Call::on(x1, Divisor::Tensor(y1)).with(mode);
                    for call in [call.clone().out_layout(other.layout(shape)), call.in_place()] {
                        let what = || format!("{dtype:?} {mode:?} {shape:?} {self_:?} {other:?}");
                        compare_data([&x, &y], &call.result(&stream)?, &usual).with_context(what)?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn not_on_the_order() -> Result<()> {
    let stream = stream()?;
    let mut rng = Rng::new(5);
    for (dtype, mode) in kinds() {
        let (x, y) = operands(dtype);
        let usual = flat(&x, &y, mode).result(&stream)?;
        for round in 0..4 {
            let mut order: Vec<usize> = (0..COUNT).collect();
            (1..COUNT).rev().for_each(|last| order.swap(last, rng.next_u64() as usize % (last + 1)));
            let pick = |data: &Data| data.pick(order.iter().copied());
            let (x, y, usual) = (pick(&x), pick(&y), pick(&usual));
            let what = || format!("{dtype:?} {mode:?} permutation {round}");
            compare_data([&x, &y], &flat(&x, &y, mode).result(&stream)?, &usual).with_context(what)?;
        }
        // Alone or in company: single elements and short runs.
        for start in (0..COUNT - 40).step_by(331) {
            for length in [1, 3, 33] {
                let pick = |data: &Data| data.pick(start..start + length);
                let (x, y, usual) = (pick(&x), pick(&y), pick(&usual));
                let what = || format!("{dtype:?} {mode:?} {length} from {start}");
                compare_data([&x, &y], &flat(&x, &y, mode).result(&stream)?, &usual).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// Repeated by the kernel, by a stride of 0, or written out.
#[test]
fn not_on_broadcasting() -> Result<()> {
    let stream = stream()?;
    for (dtype, mode) in kinds() {
        for shape in [vec![40, 71], vec![5, 8, 33], vec![2, 3, 2, 3, 2, 3, 2, 17]] {
            for broadcast in Broadcast::ALL {
                let (a, b) = broadcast.shapes(&shape);
                let operand = |seed: u64, shape: &[i64]| {
                    let layout = Layout::contiguous(shape);
                    let values = varied(seed, dtype, layout.numel());
                    Operand::of(layout, &values)
                };
                let (x, y) = (operand(1, &a), operand(2, &b));
                let call = Call::on(x, Divisor::Tensor(y)).with(mode);
                let (x, y) = call.operands()?;
                let usual = flat(&x, &y, mode).result(&stream)?;
                let what = || format!("{dtype:?} {mode:?} {shape:?} {broadcast:?}");
                compare_data([&x, &y], &call.result(&stream)?, &usual).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// A scalar, a tensor of one element and a whole tensor of that element.
#[test]
fn not_on_the_kind_of_divisor() -> Result<()> {
    let stream = stream()?;
    for (dtype, mode) in kinds() {
        let (x, _) = operands(dtype);
        let floats = [Number::F64(0.0), Number::F64(1.1), Number::F64(-7.0), Number::F64(1e-3), Number::F64(1e30)];
        let integers = [0, 1, 3, 7, 100].map(Number::I64);
        for number in if dtype.is_floating() { floats } else { integers } {
            let scalar = Call::on(Operand::flat(&x), Divisor::Scalar(number)).with(mode);
            let (_, y) = scalar.operands()?;
            let usual = scalar.result(&stream)?;
            let point = Operand::of(Layout::contiguous(&[]), &y.pick([0]));
            let point = Call::on(Operand::flat(&x), Divisor::Tensor(point)).with(mode);
            for (what, call) in [("one element", point), ("every element", flat(&x, &y, mode))] {
                let what = || format!("{dtype:?} {mode:?} {number:?} as {what}");
                compare_data([&x, &y], &call.result(&stream)?, &usual).with_context(what)?;
            }
        }
    }
    Ok(())
}

//! One set of calls that goes through every path of the kernel in every type and precision, for runs under different
//! numbers of cores and different guesses about the hardware.

use crate::arrange::{Arrangement, Broadcast};
use crate::data::Data;
use crate::dtype::DynType;
use crate::generate::{CLASSES, class_data, integer_class, varied};
use crate::golden::Mode;
use crate::host::{Call, Divisor, Operand};
use crate::layout::Layout;
use crate::scalar::Number;

/// At most `count` of the pairs, evenly spread.
fn thin((x, y): (Data, Data), count: usize) -> (Data, Data) {
    let step = x.len().div_ceil(count);
    (x.pick((0..x.len()).step_by(step)), y.pick((0..y.len()).step_by(step)))
}

fn flat(x: &Data, y: &Data) -> Call {
    Call::on(Operand::flat(x), Divisor::Tensor(Operand::flat(y)))
}

fn operand(seed: u64, dtype: DynType, layout: Layout) -> Operand {
    let values = varied(seed, dtype, layout.numel());
    Operand::of(layout, &values)
}

/// Scalars for the short way, for none, and at the edges of the long way.
fn scalars(dtype: DynType) -> Vec<Number> {
    if !dtype.is_floating() {
        let (low, high) = (dtype.decode(dtype.encode(f64::MIN)) as i64, dtype.decode(dtype.encode(f64::MAX)) as i64);
        return [0, 1, 2, 3, 7, 100, 127, low, high, high - 1].map(Number::I64).to_vec();
    }
    [0.0, 1.1, -3.0, 7.0, 0.07, 1e-3, 6e-5, 1e30, 1e-30, 2f64.powi(100), 2f64.powi(-101), 1e-40, f64::INFINITY]
        .map(Number::F64)
        .to_vec()
}

/// Named calls of one type and precision.
pub fn calls(dtype: DynType, mode: Mode) -> Vec<(String, Call)> {
    let mut calls = Vec::new();
    let mut add = |what: String, call: Call| calls.push((format!("{dtype:?} {mode:?} {what}"), call.with(mode)));
    if dtype.is_floating() {
        for (name, (x, y)) in CLASSES.iter().filter_map(|name| Some((name, thin(class_data(name, dtype)?, 6000)))) {
            add(name.to_string(), flat(&x, &y));
        }
    } else {
        let (x, y) = thin(integer_class(dtype), 66_000);
        add("edges".to_owned(), flat(&x, &y));
    }
    add("flat".to_owned(), flat(&varied(1, dtype, 20_011), &varied(2, dtype, 20_011)));
    let dividends = varied(3, dtype, 3001);
    for number in scalars(dtype) {
        add(format!("scalar {number:?}"), Call::on(Operand::flat(&dividends), Divisor::Scalar(number)));
    }
    for broadcast in Broadcast::ALL {
        let (x, y) = broadcast.shapes(&[3, 101, 67]);
        let (x, y) = (operand(4, dtype, Layout::contiguous(&x)), operand(5, dtype, Layout::contiguous(&y)));
        add(format!("{broadcast:?}"), Call::on(x, Divisor::Tensor(y)));
    }
    let shape = [67, 71];
    for arrangement in Arrangement::INPUTS {
        let x = operand(6, dtype, arrangement.layout(&shape));
        let y = operand(7, dtype, Arrangement::Sliced.layout(&shape));
        let out = Arrangement::Sliced.layout(&shape);
        add(format!("{arrangement:?}"), Call::on(x.clone(), Divisor::Tensor(y)).out_layout(out.clone()));
        let scalar = Call::on(x, Divisor::Scalar(Number::I64(3)));
        add(format!("{arrangement:?} scalar"), scalar.out_layout(out));
    }
    calls
}

//! API × type × rank × broadcast × layout × precision against the golden model, memory beside the result included.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use fmod_tests::arrange::{Arrangement, Broadcast};
use fmod_tests::generate::{Rng, varied};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::{Device, DynType, Layout, Number, Runtime, Stream};

fn stream() -> Result<Stream> {
    Ok(Device::open(0)?.stream()?)
}

fn operand(seed: u64, dtype: DynType, layout: Layout) -> Operand {
    let values = varied(seed, dtype, layout.numel());
    Operand::of(layout, &values)
}

fn tensor_call(dtype: DynType, x: Layout, y: Layout) -> Call {
    Call::on(operand(1, dtype, x), Divisor::Tensor(operand(2, dtype, y)))
}

fn out_shape(call: &Call) -> Vec<i64> {
    call.out.as_ref().map(|out| out.layout.shape.clone()).unwrap_or_default()
}

/// Rows of 70 elements are long enough to be moved in place by strides, rows of 5 are not.
fn shapes(rank: usize) -> Vec<Vec<i64>> {
    let front = [2, 3, 2, 2, 1, 3, 2];
    let with_last = |last: i64| front[..rank.saturating_sub(1)].iter().copied().chain([last]).collect();
    if rank == 0 { vec![vec![]] } else { vec![with_last(70), with_last(5)] }
}

fn ranks_and_broadcasts(dtype: DynType) -> Result<()> {
    let stream = stream()?;
    let mut rng = Rng::new(dtype as u64);
    for rank in 0..=8 {
        for shape in shapes(rank) {
            for broadcast in Broadcast::ALL {
                for round in 0..4 {
                    let (x, y) = broadcast.shapes(&shape);
                    let mut pick = |choices: &[Arrangement]| match round {
                        0 => Arrangement::Contiguous,
                        _ => choices[rng.next_u64() as usize % choices.len()],
                    };
                    let (a, b, c) =
                        (pick(&Arrangement::INPUTS), pick(&Arrangement::INPUTS), pick(&Arrangement::OUTPUTS));
                    let call = tensor_call(dtype, a.layout(&x), b.layout(&y));
                    let out = c.layout(&out_shape(&call));
                    let call = call.out_layout(out);
                    let mode = Mode::ALL[round % 2];
                    let what =
                        || format!("{dtype:?} {mode:?} {shape:?} {broadcast:?} self {a:?} other {b:?} out {c:?}");
                    call.with(mode).check(&stream).with_context(what)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn ranks_and_broadcasts_bf16() -> Result<()> {
    ranks_and_broadcasts(DynType::BF16)
}
#[test]
fn ranks_and_broadcasts_f16() -> Result<()> {
    ranks_and_broadcasts(DynType::F16)
}
#[test]
fn ranks_and_broadcasts_f32() -> Result<()> {
    ranks_and_broadcasts(DynType::F32)
}
#[test]
fn ranks_and_broadcasts_i16() -> Result<()> {
    ranks_and_broadcasts(DynType::I16)
}
#[test]
fn ranks_and_broadcasts_i32() -> Result<()> {
    ranks_and_broadcasts(DynType::I32)
}
#[test]
fn ranks_and_broadcasts_i8() -> Result<()> {
    ranks_and_broadcasts(DynType::I8)
}
#[test]
fn ranks_and_broadcasts_u8() -> Result<()> {
    ranks_and_broadcasts(DynType::U8)
}

/// Every combination of layouts of self, other and out.
#[test]
fn every_combination_of_layouts() -> Result<()> {
    let stream = stream()?;
    for (number, dtype) in DynType::SUPPORTED.into_iter().enumerate() {
        for shape in [vec![6, 70], vec![3, 4, 33]] {
            for (a, x) in Arrangement::INPUTS.iter().enumerate() {
                for (b, y) in Arrangement::INPUTS.iter().enumerate() {
                    for (c, out) in Arrangement::OUTPUTS.iter().enumerate() {
                        let mode = Mode::ALL[(a + b + c + number) % 2];
                        let call = tensor_call(dtype, x.layout(&shape), y.layout(&shape));
                        let call = call.out_layout(out.layout(&shape)).with(mode);
                        let what = || format!("{dtype:?} {mode:?} {shape:?} self {x:?} other {y:?} out {out:?}");
                        call.check(&stream).with_context(what)?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn layouts_with_a_scalar() -> Result<()> {
    let stream = stream()?;
    for dtype in DynType::SUPPORTED {
        for shape in [vec![70], vec![6, 70], vec![3, 4, 33], vec![2, 2, 2, 2, 2, 2, 2, 35]] {
            for x in Arrangement::INPUTS {
                for out in Arrangement::OUTPUTS {
                    for mode in Mode::ALL {
                        let call = Call::on(operand(3, dtype, x.layout(&shape)), Divisor::Scalar(Number::I64(7)));
                        let call = call.out_layout(out.layout(&shape)).with(mode);
                        let what = || format!("{dtype:?} {mode:?} {shape:?} self {x:?} out {out:?}");
                        call.check(&stream).with_context(what)?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn layouts_in_place() -> Result<()> {
    let stream = stream()?;
    for dtype in DynType::SUPPORTED {
        for shape in [vec![6, 70], vec![3, 4, 33]] {
            for x in Arrangement::OUTPUTS {
                for broadcast in [Broadcast::None, Broadcast::Outer, Broadcast::Inner, Broadcast::Point] {
                    for y in Arrangement::INPUTS {
                        let mode = Mode::ALL[(x as usize + y as usize) % 2];
                        let other = y.layout(&broadcast.shapes(&shape).1);
                        let call = tensor_call(dtype, x.layout(&shape), other).in_place().with(mode);
                        let what = || format!("{dtype:?} {mode:?} {shape:?} {broadcast:?} self {x:?} other {y:?}");
                        call.check(&stream).with_context(what)?;
                    }
                }
                let call = Call::on(operand(3, dtype, x.layout(&shape)), Divisor::Scalar(Number::I64(5))).in_place();
                let what = || format!("{dtype:?} {shape:?} self {x:?} scalar");
                call.clone().with(Mode::Exact).check(&stream).with_context(what)?;
                call.check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// Different types and layouts at once: casts, copies and strides in one plan.
#[test]
fn layouts_of_mixed_types() -> Result<()> {
    let stream = stream()?;
    let mut rng = Rng::new(77);
    let shape = [4, 3, 35];
    for self_ in DynType::SUPPORTED {
        for other in DynType::SUPPORTED {
            for broadcast in Broadcast::ALL {
                let (x, y) = broadcast.shapes(&shape);
                let mut pick = |choices: &[Arrangement]| choices[rng.next_u64() as usize % choices.len()];
                let (a, b, c) = (pick(&Arrangement::INPUTS), pick(&Arrangement::INPUTS), pick(&Arrangement::OUTPUTS));
                let (x, y) = (operand(1, self_, a.layout(&x)), operand(2, other, b.layout(&y)));
                let call = Call::on(x, Divisor::Tensor(y)).out_dtype(DynType::F32);
                let out = c.layout(&out_shape(&call));
                let what = || format!("{self_:?} % {other:?} {broadcast:?} self {a:?} other {b:?} out {c:?}");
                call.out_layout(out).with(Mode::Exact).check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// Tiles as high and as wide as one core makes them, under the checker: what writes beyond a buffer into another one leaves
/// right results.
#[test]
fn broadcasts_on_one_core_under_the_checker() -> Result<()> {
    const SETTING: [(&str, &str); 2] = [("HOSTCANN_CHECK", "1"), ("HOSTCANN_CORES", "1")];
    if !Runtime::get()?.is_host_toolkit() {
        eprintln!("skipped: a device has no checker");
        return Ok(());
    }
    if SETTING.iter().any(|(name, value)| std::env::var(name).as_deref() != Ok(value)) {
        let mut again = Command::new(std::env::current_exe()?);
        again.args(["--exact", "broadcasts_on_one_core_under_the_checker"]).envs(SETTING);
        let output = again.output()?;
        let said = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{SETTING:?}:\n{}", said());
        return Ok(());
    }
    let stream = stream()?;
    for shape in [[100, 1000], [1000, 8], [2041, 3], [7, 3000]] {
        for (turn, dtype) in DynType::SUPPORTED.into_iter().enumerate() {
            for (position, broadcast) in Broadcast::ALL.into_iter().enumerate() {
                let mode = Mode::ALL[(position + turn) % 2];
                let (x, y) = broadcast.shapes(&shape);
                let call = tensor_call(dtype, Layout::contiguous(&x), Layout::contiguous(&y));
                let what = || format!("{dtype:?} {mode:?} {shape:?} {broadcast:?}");
                call.with(mode).check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

/// Sizes that cross tiles, row tiles, cores and the counters of the copy and broadcast instructions.
#[test]
fn long_rows_and_columns() -> Result<()> {
    let stream = stream()?;
    let shapes: [&[i64]; 14] = [
        &[2, 70_001], // a row is several tiles
        &[3, 30_000],
        &[5, 8_192],
        &[333, 1001], // odd rows
        &[100, 129],
        &[2039, 33], // around 255 repeats of 8 rows
        &[2040, 33],
        &[2041, 33],
        &[4095, 17], // around the block count of a copy
        &[4097, 17],
        &[40_003, 3], // long columns
        &[100_003, 1],
        &[47, 2, 2500],
        &[3, 1500, 2, 31],
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        for (turn, dtype) in DynType::SUPPORTED.into_iter().enumerate() {
            let broadcasts = [
                Broadcast::Outer,
                Broadcast::Inner,
                Broadcast::TwoSided,
                Broadcast::Point,
                Broadcast::SelfOuter,
                Broadcast::SelfInner,
                Broadcast::SelfPoint,
            ];
            // every broadcast with every type over the shapes; the two that spread an operand always
            for (position, broadcast) in broadcasts.into_iter().enumerate() {
                if position > 1 && (position + turn + number) % 3 != 0 {
                    continue;
                }
                let mode = Mode::ALL[(position + turn + number) % 2];
                let (x, y) = broadcast.shapes(shape);
                let call = tensor_call(dtype, Layout::contiguous(&x), Layout::contiguous(&y));
                let what = || format!("{dtype:?} {mode:?} {shape:?} {broadcast:?}");
                call.with(mode).check(&stream).with_context(what)?;
            }
        }
    }
    Ok(())
}

#[test]
fn long_strided_rows() -> Result<()> {
    let stream = stream()?;
    let shapes: [&[i64]; 8] = [
        &[2, 70_001],
        &[333, 1001],
        &[2041, 70],
        &[4097, 65],
        &[3, 1500, 67],
        &[20_011, 16],
        &[1, 50_000],
        &[9, 13, 130],
    ];
    use Arrangement::{Overlapping, Sliced, Swapped};
    for shape in shapes {
        for (turn, dtype) in DynType::SUPPORTED.into_iter().enumerate() {
            for (position, [a, b, c]) in
                [[Sliced, Sliced, Sliced], [Swapped, Sliced, Swapped], [Overlapping, Swapped, Sliced]]
                    .into_iter()
                    .enumerate()
            {
                let mode = Mode::ALL[(turn + position) % 2];
                let call = tensor_call(dtype, a.layout(shape), b.layout(shape)).out_layout(c.layout(shape)).with(mode);
                let what = || format!("{dtype:?} {mode:?} {shape:?} self {a:?} other {b:?} out {c:?}");
                call.check(&stream).with_context(what)?;
                if position == 0 {
                    call.in_place().check(&stream).with_context(|| format!("{} in place", what()))?;
                    let call = Call::on(operand(1, dtype, a.layout(shape)), Divisor::Scalar(Number::I64(3)));
                    let call = call.out_layout(c.layout(shape)).with(mode);
                    call.check(&stream).with_context(|| format!("{} scalar", what()))?;
                }
            }
        }
    }
    Ok(())
}

/// An 8-dimensional walk that cannot be merged, with every axis in its own direction.
#[test]
fn eight_axes_that_do_not_merge() -> Result<()> {
    let stream = stream()?;
    for dtype in DynType::SUPPORTED {
        for (x, y) in [
            (vec![2, 1, 3, 1, 2, 1, 3, 1], vec![1, 3, 1, 2, 1, 3, 1, 40]),
            (vec![1, 3, 1, 2, 1, 3, 1, 40], vec![2, 1, 3, 1, 2, 1, 3, 1]),
            (vec![2, 1, 3, 1, 2, 1, 3, 40], vec![1, 3, 1, 2, 1, 3, 1, 40]),
            (vec![2, 1, 3, 1, 2, 1, 3, 2500], vec![1, 3, 1, 2, 1, 3, 1, 2500]),
        ] {
            for mode in Mode::ALL {
                let call = tensor_call(dtype, Layout::contiguous(&x), Layout::contiguous(&y)).with(mode);
                call.check(&stream).with_context(|| format!("{dtype:?} {mode:?} {x:?} {y:?}"))?;
            }
        }
    }
    Ok(())
}

/// Empty results launch nothing and touch nothing; also when only one operand is empty.
#[test]
fn empty_shapes() -> Result<()> {
    let stream = stream()?;
    for dtype in DynType::SUPPORTED {
        for (x, y) in [
            (&[0][..], &[0][..]),
            (&[0], &[1]),
            (&[1], &[0]),
            (&[3, 0, 2], &[]),
            (&[1, 2], &[0, 1]),
            (&[1, 0, 1, 4, 1, 1, 1, 2], &[5, 1, 1, 1, 1, 1, 1, 2]),
        ] {
            let call = tensor_call(dtype, Layout::contiguous(x), Layout::contiguous(y));
            call.check(&stream).with_context(|| format!("{dtype:?} {x:?} {y:?}"))?;
            call.with(Mode::Exact).check(&stream).with_context(|| format!("{dtype:?} {x:?} {y:?}"))?;
        }
    }
    Ok(())
}

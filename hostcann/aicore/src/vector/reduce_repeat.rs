//! Reductions with a result per repeat, per 32-byte block or per pair.

use crate::{
    base::{
        fault::Raise,
        float::F16,
        ins::{Dtype, Opcode, ReduceOrder},
        lanes::{BLOCK, REPEAT},
    },
    instruction::vector::{ReduceRepeat, bad_dtype},
    machine::core::Core,
    vector::reduce::{Source, Value, extreme, put, repeat_extreme},
};

pub(crate) fn execute(core: &mut Core, ins: &ReduceRepeat) -> Result<(), Raise> {
    match ins.head.dtype {
        Dtype::F32 => run::<f32>(core, ins),
        Dtype::F16 => run::<F16>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

fn run<T: Value>(core: &mut Core, ins: &ReduceRepeat) -> Result<(), Raise> {
    let Some(source) = Source::<T>::new(core, &ins.head, &ins.span, ins.src)? else {
        return Ok(());
    };
    match ins.head.op {
        Opcode::WholeReduceMax | Opcode::WholeReduceMin => extremes(core, ins, &source),
        Opcode::WholeReduceSum => sums(core, ins, &source),
        Opcode::PairReduceSum => pairs(core, ins, &source),
        _ => blocks(core, ins, &source),
    }
}

/// WholeReduceMax, WholeReduceMin. The stride of dst counts results (ReduceRepeat page, table 3).
fn extremes<T: Value>(core: &mut Core, ins: &ReduceRepeat, s: &Source<T>) -> Result<(), Raise> {
    let (size, order) = (size_of::<T>(), ins.order);
    let max = ins.head.op == Opcode::WholeReduceMax;
    let unit = match order {
        ReduceOrder::ValueIndex | ReduceOrder::IndexValue => 2 * size,
        ReduceOrder::OnlyValue => size,
        ReduceOrder::OnlyIndex => 4,
    };
    let step = ins.dst_repeat * unit;
    let dst = core.write(&ins.head, "dst", ins.dst.aligned(unit), s.results(step, Source::<T>::LANES, unit))?;
    let mut x = [0f32; 128];
    let mut all: Option<(f32, usize)> = None;
    for r in 0..s.repeats {
        let on = s.read(r, &mut x);
        let Some((v, i)) = repeat_extreme(max, &x[..Source::<T>::LANES], on) else {
            continue;
        };
        if all.is_none_or(|a| extreme(max, &[a.0, v], 3).is_some_and(|e| e.1 == 1)) {
            all = Some((v, r * Source::<T>::LANES + i));
        }
        let value = s.down(v).bits();
        // SAFETY: the extent was checked.
        unsafe {
            let to = dst.add(r * step);
            match order {
                ReduceOrder::ValueIndex => {
                    put(to, value, size);
                    put(to.add(size), i as u64, size);
                }
                ReduceOrder::IndexValue => {
                    put(to, i as u64, size);
                    put(to.add(size), value, size);
                }
                ReduceOrder::OnlyValue => put(to, value, size),
                ReduceOrder::OnlyIndex => put(to, i as u64, 4),
            }
        }
    }
    if let Some((v, at)) = all {
        core.machine.spr.max_min = [s.down(v).bits(), at as u64];
    }
    Ok(())
}

/// WholeReduceSum: one element per repeat.
fn sums<T: Value>(core: &mut Core, ins: &ReduceRepeat, s: &Source<T>) -> Result<(), Raise> {
    let size = size_of::<T>();
    let step = ins.dst_repeat * size;
    let dst = core.write(&ins.head, "dst", ins.dst.aligned(size), s.results(step, Source::<T>::LANES, size))?;
    let mut x = [0f32; 128];
    for r in 0..s.repeats {
        let on = s.read(r, &mut x);
        if let Some(v) = s.tree(&mut x[..Source::<T>::LANES], on) {
            // SAFETY: the extent was checked.
            unsafe { put(dst.add(r * step), s.down(v).bits(), size) };
        }
    }
    Ok(())
}

/// BlockReduceMax, BlockReduceMin, BlockReduceSum: eight elements per repeat; a block without active lanes writes nothing.
fn blocks<T: Value>(core: &mut Core, ins: &ReduceRepeat, s: &Source<T>) -> Result<(), Raise> {
    let (op, size) = (ins.head.op, size_of::<T>());
    let per = BLOCK / size;
    let step = ins.dst_repeat * 8 * size;
    let dst = core.write(&ins.head, "dst", ins.dst.aligned(8 * size), s.results(step, per, size))?;
    let mut x = [0f32; 128];
    for r in 0..s.repeats {
        let on = s.read(r, &mut x);
        for k in 0..8 {
            let (lanes, on) = (&mut x[k * per..(k + 1) * per], on >> (k * per));
            let v = match op {
                Opcode::BlockReduceSum => s.tree(lanes, on),
                _ => repeat_extreme(op == Opcode::BlockReduceMax, lanes, on).map(|e| e.0),
            };
            if let Some(v) = v {
                // SAFETY: the extent was checked.
                unsafe { put(dst.add(r * step + k * size), s.down(v).bits(), size) };
            }
        }
    }
    Ok(())
}

/// PairReduceSum: neighbours, half a repeat of results per repeat; a pair without active lanes writes nothing.
fn pairs<T: Value>(core: &mut Core, ins: &ReduceRepeat, s: &Source<T>) -> Result<(), Raise> {
    let size = size_of::<T>();
    let step = ins.dst_repeat * REPEAT / 2;
    let dst = core.write(&ins.head, "dst", ins.dst, s.results(step, 2, size))?;
    let mut x = [0f32; 128];
    for r in 0..s.repeats {
        let on = s.read(r, &mut x);
        for i in 0..Source::<T>::LANES / 2 {
            if let Some(v) = s.tree(&mut x[2 * i..2 * i + 2], on >> (2 * i)) {
                // SAFETY: the extent was checked.
                unsafe { put(dst.add(r * step + i * size), s.down(v).bits(), size) };
            }
        }
    }
    Ok(())
}

//! High-level instructions over rows: Sum, Mean, CumSum and Broadcast.

use crate::{
    base::{
        fault::Raise,
        float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
        ins::{Dtype, Opcode, Operand},
        lanes::REPEAT,
    },
    instruction::{
        shape::Shape,
        vector::{Broadcast, Head, Rows, bad_dtype},
    },
    machine::core::Core,
};

trait Value: Pod {
    fn up(self) -> f32;
    fn down(x: f32) -> Self;
}
impl Value for f32 {
    fn up(self) -> f32 {
        self
    }
    fn down(x: f32) -> f32 {
        canon(x)
    }
}
impl Value for F16 {
    fn up(self) -> f32 {
        f16_to_f32(self)
    }
    fn down(x: f32) -> F16 {
        f32_to_f16::<{ round::RINT }, false>(x)
    }
}

pub(crate) fn rows(core: &mut Core, ins: &Rows) -> Result<(), Raise> {
    match ins.head.dtype {
        Dtype::F32 => run::<f32>(core, ins),
        Dtype::F16 => run::<F16>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

pub(crate) fn broadcast(core: &mut Core, ins: &Broadcast) -> Result<(), Raise> {
    match ins.head.dtype.size() {
        1 => broadcast_typed::<u8>(core, ins),
        2 => broadcast_typed::<u16>(core, ins),
        4 => broadcast_typed::<u32>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::I8, Dtype::F16, Dtype::F32])),
    }
}

fn run<T: Value>(core: &mut Core, ins: &Rows) -> Result<(), Raise> {
    let Rows { rows, columns, pitch, flag, tmp: (tmp, used), .. } = *ins;
    let op = ins.head.op;
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let size = size_of::<T>();
    bounded(core, &ins.head, ins.src, rows.max(columns).max(pitch))?;
    let matrix = Shape::Blocks { n: rows, len: columns * size, step: pitch * size };
    let src = core.read(&ins.head, "src", ins.src, matrix)? as *const T;
    if used != 0 {
        core.write(&ins.head, "sharedTmpBuffer", tmp, Shape::Bytes(used))?;
    }
    let out = if op == Opcode::CumSum { matrix } else { Shape::Bytes(rows * size) };
    let dst = core.write(&ins.head, "dst", ins.dst, out)? as *mut T;
    // SAFETY: the extents were checked; everything is read before the first result is written.
    let at = |r: usize, c: usize| unsafe { src.add(r * pitch + c).read() };
    let row = |r: usize| (0..columns).map(|c| at(r, c)).collect::<Vec<T>>();
    let results: Vec<(usize, T)> = match op {
        Opcode::Sum => (0..rows).map(|r| (r, sum(row(r)))).collect(),
        Opcode::Mean if flag => {
            let wide = |r: usize| sum(row(r).into_iter().map(Value::up).collect::<Vec<f32>>());
            (0..rows).map(|r| (r, T::down(wide(r) * (1.0 / columns as f32)))).collect()
        }
        Opcode::Mean => {
            let share = T::down(1.0 / columns as f32).up();
            (0..rows).map(|r| (r, T::down(sum(row(r)).up() * share))).collect()
        }
        _ => running(rows, columns, flag, &at)
            .into_iter()
            .enumerate()
            .map(|(i, v)| (i / columns * pitch + i % columns, v))
            .collect(),
    };
    for (i, v) in results {
        // SAFETY: as above.
        unsafe { dst.add(i).write(v) };
    }
    Ok(())
}

/// The tree of one repeat over every 256 bytes, then over those results, until one is left (Sum page).
fn sum<T: Value>(mut values: Vec<T>) -> T {
    let lanes = REPEAT / size_of::<T>();
    while values.len() > 1 {
        values = values.chunks(lanes).map(tree).collect();
    }
    values[0]
}

/// Neighbours are added, then neighbouring sums; a missing one counts as 0.
fn tree<T: Value>(values: &[T]) -> T {
    let mut v = values.to_vec();
    while v.len() > 1 {
        v = v.chunks(2).map(|p| T::down(p[0].up() + p.get(1).map_or(0.0, |x| x.up()))).collect();
    }
    v[0]
}

/// Running sums in float, each rounded to T when it is stored.
fn running<T: Value>(rows: usize, columns: usize, along: bool, at: &dyn Fn(usize, usize) -> T) -> Vec<T> {
    let mut sums = vec![0f32; rows * columns];
    for r in 0..rows {
        for c in 0..columns {
            let before = match (along, r, c) {
                (true, _, 1..) => Some(sums[r * columns + c - 1]),
                (false, 1.., _) => Some(sums[(r - 1) * columns + c]),
                _ => None,
            };
            let x = at(r, c).up();
            sums[r * columns + c] = before.map_or(x, |b| b + x);
        }
    }
    sums.into_iter().map(T::down).collect()
}

/// A number of elements that no buffer holds: refused before it is multiplied.
fn bounded(core: &mut Core, head: &Head, src: Operand, elements: usize) -> Result<(), Raise> {
    if elements > core.machine.spec.ub_size {
        core.read(head, "src", src, Shape::Bytes(elements.min(u32::MAX as usize)))?;
    }
    Ok(())
}

fn broadcast_typed<T: Pod>(core: &mut Core, ins: &Broadcast) -> Result<(), Raise> {
    let Broadcast { rows, columns, has_rows, has_columns, .. } = *ins;
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    bounded(core, &ins.head, ins.src, rows.max(columns))?;
    let (down, along) = (has_rows as usize, has_columns as usize);
    let (src_rows, src_columns) = (if has_rows { rows } else { 1 }, if has_columns { columns } else { 1 });
    let source = Shape::Bytes(src_rows * src_columns * size_of::<T>());
    let src = core.read(&ins.head, "src", ins.src, source)? as *const T;
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::Bytes(rows * columns * size_of::<T>()))? as *mut T;
    // SAFETY: the extents were checked.
    let values: Vec<T> = (0..src_rows * src_columns).map(|i| unsafe { src.add(i).read() }).collect();
    for r in 0..rows {
        for c in 0..columns {
            // SAFETY: as above.
            unsafe { dst.add(r * columns + c).write(values[r * down * src_columns + c * along]) };
        }
    }
    Ok(())
}

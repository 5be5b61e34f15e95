//! High-level instructions over rows: Sum, Mean, CumSum and Broadcast.
//!
//! `mask` holds the number of rows and the elements of each, `base` the elements from row to row, `scalar` the bytes of
//! temporary space in src2.

use crate::{
    core::{Core, bad_dtype},
    fault::Raise,
    float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
    ins::{Dtype, Opcode, VecIns},
    lanes::REPEAT,
    shape::Shape,
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

pub(crate) fn execute(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    if op == Opcode::Broadcast {
        return match ins.dst_type().map(Dtype::size) {
            Some(1) => broadcast::<u8>(core, ins),
            Some(2) => broadcast::<u16>(core, ins),
            Some(4) => broadcast::<u32>(core, ins),
            _ => Err(bad_dtype(ins, &[Dtype::I8, Dtype::F16, Dtype::F32])),
        };
    }
    match ins.dst_type() {
        Some(Dtype::F32) => run::<f32>(core, ins, op),
        Some(Dtype::F16) => run::<F16>(core, ins, op),
        _ => Err(bad_dtype(ins, &[Dtype::F16, Dtype::F32])),
    }
}

fn run<T: Value>(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    let (rows, columns, pitch) = (ins.mask[0] as usize, ins.mask[1] as usize, ins.base as usize);
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let size = size_of::<T>();
    bounded(core, ins, rows.max(columns).max(pitch))?;
    let matrix = Shape::Blocks { n: rows, len: columns * size, step: pitch * size };
    let src = core.read(ins, "src", ins.src[0], matrix)? as *const T;
    if ins.scalar != 0 {
        core.write(ins, "sharedTmpBuffer", ins.src[2], Shape::Bytes(ins.scalar as usize))?;
    }
    let out = if op == Opcode::CumSum { matrix } else { Shape::Bytes(rows * size) };
    let dst = core.write(ins, "dst", ins.dst, out)? as *mut T;
    // SAFETY: the extents were checked; everything is read before the first result is written.
    let at = |r: usize, c: usize| unsafe { src.add(r * pitch + c).read() };
    let row = |r: usize| (0..columns).map(|c| at(r, c)).collect::<Vec<T>>();
    let results: Vec<(usize, T)> = match op {
        Opcode::Sum => (0..rows).map(|r| (r, sum(row(r)))).collect(),
        Opcode::Mean if ins.flags & 1 != 0 => {
            let wide = |r: usize| sum(row(r).into_iter().map(Value::up).collect::<Vec<f32>>());
            (0..rows).map(|r| (r, T::down(wide(r) * (1.0 / columns as f32)))).collect()
        }
        Opcode::Mean => {
            let share = T::down(1.0 / columns as f32).up();
            (0..rows).map(|r| (r, T::down(sum(row(r)).up() * share))).collect()
        }
        _ => running(rows, columns, ins.flags & 1 != 0, &at)
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
fn bounded(core: &mut Core, ins: &VecIns, elements: usize) -> Result<(), Raise> {
    if elements > core.spec.ub_size {
        core.read(ins, "src", ins.src[0], Shape::Bytes(elements.min(u32::MAX as usize)))?;
    }
    Ok(())
}

/// `rep` 0 repeats the source's only row (first) or column (second).
fn broadcast<T: Pod>(core: &mut Core, ins: &VecIns) -> Result<(), Raise> {
    let (rows, columns) = (ins.mask[0] as usize, ins.mask[1] as usize);
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    bounded(core, ins, rows.max(columns))?;
    let (down, along) = ((ins.rep[0] != 0) as usize, (ins.rep[1] != 0) as usize);
    let (src_rows, src_columns) = (if down == 0 { 1 } else { rows }, if along == 0 { 1 } else { columns });
    let source = Shape::Bytes(src_rows * src_columns * size_of::<T>());
    let src = core.read(ins, "src", ins.src[0], source)? as *const T;
    let dst = core.write(ins, "dst", ins.dst, Shape::Bytes(rows * columns * size_of::<T>()))? as *mut T;
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

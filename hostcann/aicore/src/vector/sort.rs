//! Sort32 and MrgSort. An element is 8 bytes: the score (float, or half and two unused bytes), then the index.

use std::cmp::Ordering;

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{F16, f16_to_f32},
        ins::{Dtype, Operand},
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        vector::{Head, MrgSort, Sort32, bad_dtype},
    },
    machine::{
        core::Core,
        observe::{Sorted, Step},
    },
};

const ELEMENT: usize = 8;
const SOURCES: [&str; 4] = ["src1", "src2", "src3", "src4"];

fn is_half(head: &Head) -> Result<bool, Raise> {
    match head.dtype {
        Dtype::F32 => Ok(false),
        Dtype::F16 => Ok(true),
        _ => Err(bad_dtype(head, &[Dtype::F16, Dtype::F32])),
    }
}

fn score(element: u64, half: bool) -> f32 {
    if half { f16_to_f32(F16(element as u16)) } else { f32::from_bits(element as u32) }
}

/// Descending with NaN first, as the TopK page has it for either direction; 0 and -0 are equal.
fn by_score(a: f32, b: f32) -> Ordering {
    b.is_nan().cmp(&a.is_nan()).then(b.partial_cmp(&a).unwrap_or(Ordering::Equal))
}

/// Equal scores keep their order (Sort, TopK page).
pub(crate) fn sort32(core: &mut Core, ins: &Sort32) -> Result<(), Raise> {
    let (half, n) = (is_half(&ins.head)?, ins.repeats);
    if n == 0 {
        return Ok(());
    }
    let size = if half { 2 } else { 4 };
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::Bytes(n * 32 * ELEMENT))?;
    let scores = core.read(&ins.head, "src0", ins.scores, Shape::Bytes(n * 32 * size))?;
    let indices = core.read(&ins.head, "src1", ins.indices, Shape::Bytes(n * 32 * 4))? as *const u32;
    let mut from = Vec::new();
    for r in 0..n {
        let mut x = [0u64; 32];
        for (i, e) in x.iter_mut().enumerate() {
            let at = r * 32 + i;
            // SAFETY: the extents were checked.
            let bits = unsafe {
                if half {
                    (scores as *const u16).add(at).read() as u64
                } else {
                    (scores as *const u32).add(at).read() as u64
                }
            };
            // SAFETY: as above.
            *e = bits | (unsafe { indices.add(at).read() } as u64) << 32;
        }
        let mut order: [usize; 32] = std::array::from_fn(|i| i);
        order.sort_by(|a, b| by_score(score(x[*a], half), score(x[*b], half)));
        for (to, i) in order.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { (dst as *mut u64).add(r * 32 + to).write(x[i]) };
            if core.observed() {
                let at = |list: Operand, size: usize| list.addr + ((r * 32 + i) * size) as u32;
                from.push(Sorted { score: at(ins.scores, size), index: at(ins.indices, 4) });
            }
        }
    }
    core.observe(Step::Sorted { from: &from, together: 32 })
}

/// An element of a list that is merged.
fn element(list: Operand, i: usize) -> Sorted {
    let score = list.addr + (i * ELEMENT) as u32;
    Sorted { score, index: score + 4 }
}

pub(crate) fn merge(core: &mut Core, ins: &MrgSort) -> Result<(), Raise> {
    let (half, repeats) = (is_half(&ins.head)?, ins.repeats);
    if repeats == 0 {
        return Ok(());
    }
    let MrgSort { used, suspend, queues: all, .. } = *ins;
    let mut queue = [std::ptr::null::<u64>(); 4];
    let mut length = [0usize; 4];
    for i in 0..used {
        let (o, n) = all[i];
        if n > 4095 {
            return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "queue too long")
                .operand(format!("elementLengths[{i}]"))
                .expected("0 to 4095 elements of 8 bytes")
                .got(n.to_string())
                .fix("merge in more than one step"));
        }
        length[i] = n;
        queue[i] = core.read(&ins.head, SOURCES[i], o.aligned(ELEMENT), Shape::Bytes(n * ELEMENT))? as *const u64;
    }
    let total: usize = length.iter().sum();
    let consecutive = (1..4).all(|i| all[i].0.addr as usize == all[0].0.addr as usize + i * length[0] * ELEMENT);
    let even = used == 4 && length.iter().all(|n| *n == length[0]);
    if repeats > 1 && (suspend || !even || !consecutive) {
        return Err(Raise::new(
            FaultClass::Argument,
            Pipe::V,
            ins.head.name(),
            "repeats need four equal queues in a row",
        )
        .operand("repeatTimes")
        .expected("1, or four consecutive queues of one length without ifExhaustedSuspension")
        .got(repeats.to_string())
        .fix("call once per group of queues"));
    }
    if repeats > 1 {
        core.read(&ins.head, "src1", all[0].0.aligned(ELEMENT), Shape::Bytes(repeats * total * ELEMENT))?;
    }
    let mut merged = vec![0u64; repeats * total];
    let mut taken = [0usize; 4];
    let mut from = Vec::new();
    for r in 0..repeats {
        taken = [0; 4];
        for out in 0..total {
            let mut best: Option<(f32, usize)> = None;
            for i in (0..used).filter(|i| taken[*i] < length[*i]) {
                // SAFETY: the extents of all repeats were checked.
                let v = score(unsafe { queue[i].add(r * total + taken[i]).read() }, half);
                // The first of equal scores comes from the first queue.
                if best.is_none_or(|b| by_score(v, b.0).is_lt()) {
                    best = Some((v, i));
                }
            }
            let Some((_, i)) = best else { break };
            // SAFETY: as above.
            merged[r * total + out] = unsafe { queue[i].add(r * total + taken[i]).read() };
            if core.observed() {
                from.push(element(all[i].0, r * total + taken[i]));
            }
            taken[i] += 1;
            if suspend && taken[i] == length[i] {
                break;
            }
        }
    }
    // A suspended merge writes what it took.
    let n = if repeats > 1 { repeats * total } else { taken.iter().sum() };
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::Bytes(n * ELEMENT))?;
    // SAFETY: the extent was checked.
    unsafe { std::ptr::copy_nonoverlapping(merged.as_ptr() as *const u8, dst, n * ELEMENT) };
    if core.observed() {
        // What a suspended merge leaves was compared with what it took.
        from.extend((0..used).filter(|i| taken[*i] < length[*i]).map(|i| element(all[i].0, taken[i])));
        let together = if repeats > 1 { total } else { from.len() };
        core.observe(Step::Sorted { from: &from, together })?;
    }
    core.machine.spr.mrg_sort = taken.map(|n| n as u16);
    Ok(())
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;

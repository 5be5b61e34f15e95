//! Gather (elements at byte offsets), Gatherb (blocks at byte offsets) and GatherMask (the elements of set bits).

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::Pod,
        ins::{Dtype, Opcode, Operand},
        lanes::{self, BLOCK, Mask, REPEAT, Stride, Walk},
        mask::MaskRegs,
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        ub,
        vector::{Gather, GatherMask, Gatherb, Head, Pattern, Taken, bad_dtype},
    },
    machine::core::Core,
};

const TYPES: &[Dtype] = &[Dtype::I16, Dtype::U16, Dtype::F16, Dtype::Bf16, Dtype::I32, Dtype::U32, Dtype::F32];

fn check_type(head: &Head) -> Result<(), Raise> {
    if TYPES.contains(&head.dtype) { Ok(()) } else { Err(bad_dtype(head, TYPES)) }
}

pub(crate) fn gather(core: &mut Core, ins: &Gather) -> Result<(), Raise> {
    // It compiles for other types and issues nothing, dst stays as it is.
    check_type(&ins.head).map_err(Raise::silent)?;
    match ins.head.dtype.size() {
        2 => gather_typed::<u16>(core, ins),
        _ => gather_typed::<u32>(core, ins),
    }
}

pub(crate) fn gather_mask(core: &mut Core, ins: &GatherMask) -> Result<(), Raise> {
    check_type(&ins.head)?;
    match ins.head.dtype.size() {
        2 => gather_mask_typed::<u16>(core, ins),
        _ => gather_mask_typed::<u32>(core, ins),
    }
}

#[cold]
fn bad_offset(core: &Core, head: &Head, i: usize, offset: u32, at: u64, align: usize, bytes: usize) -> Raise {
    let name = if head.op == Opcode::Gatherb { "offset" } else { "srcOffset" };
    if !at.is_multiple_of(align as u64) {
        return Raise::new(FaultClass::Alignment, Pipe::V, head.name(), "gather offset is not aligned")
            .operand(format!("{name}[{i}]"))
            .expected(format!("a multiple of {align} bytes"))
            .got(offset.to_string())
            .fix("offsets are in bytes, not in elements");
    }
    let what = format!("src at {name}[{i}] = {offset}");
    match ub::in_range(core.machine.spec.ub_size, Pipe::V, || head.name(), &what, at.min(u32::MAX as u64) as u32, bytes)
    {
        Err(r) => r.fix(format!("check {name}: offsets are in bytes, not in elements")),
        // Only offsets that are outside get here.
        Ok(()) => {
            Raise::new(FaultClass::OutOfRange, Pipe::V, head.name(), "operand leaves the unified buffer").operand(what)
        }
    }
}

/// Observers want to know every element that is read; without them the address was checked already. `taken` are place and
/// value of its offset.
#[inline]
fn declare(
    core: &mut Core,
    head: &Head,
    src: Operand,
    addr: u32,
    size: usize,
    taken: (usize, u32),
) -> Result<(), Raise> {
    if core.observed() {
        let read = core.read(head, "src", src.part(addr, size as u32).aligned(size), Shape::Bytes(size));
        read.map_err(|raise| by_offset(raise, head, taken))?;
    }
    Ok(())
}

/// Says which offset led there.
#[cold]
fn by_offset(mut raise: Raise, head: &Head, (i, offset): (usize, u32)) -> Raise {
    let name = if head.op == Opcode::Gatherb { "offset" } else { "srcOffset" };
    raise.operand = Some(format!("src at {name}[{i}] = {offset}"));
    let fix = format!("check {name}: offsets are in bytes, not in elements; {}", raise.fix);
    raise.fix(fix)
}

/// Offsets lie densely, a repeat takes one for each of its lanes. A block is gathered before it is written, so that dst may be
/// src where no element comes from a block before its own. The page wants them apart; merged operators exchange neighbours in
/// place (RotaryPositionEmbedding of ops-transformer) and spread the first element of each block over it (AddRmsNorm of ops-nn).
fn gather_typed<T: Pod>(core: &mut Core, ins: &Gather) -> Result<(), Raise> {
    let size = size_of::<T>();
    let lanes = REPEAT / size;
    let walk = core.machine.walk(&ins.span, lanes);
    let stride = match walk {
        Walk::Count(_) => Stride::default(),
        Walk::Repeats { dst, .. } => dst,
    };
    let shape = Shape::of(&walk, stride, size, lanes);
    if shape.extent() == 0 {
        return Ok(());
    }
    let dst = core.write(&ins.head, "dst", ins.dst, shape)?;
    let dense = Shape::of(&walk, Stride { blk: BLOCK, rep: lanes * 4 }, 4, lanes);
    let offsets = core.read(&ins.head, "srcOffset", ins.offsets, dense)? as *const u32;
    core.read(&ins.head, "src", ins.src, Shape::Bytes(0))?;
    let base = ins.src.addr as u64 + ins.base as u64;
    let end = core.machine.spec.ub_size as u64 - size as u64;
    let one = |core: &mut Core, i: usize| {
        // SAFETY: extents of dst and offsets were checked, the source address is checked here.
        unsafe {
            let offset = offsets.add(i).read();
            let at = base + offset as u64;
            if at > end || !at.is_multiple_of(size as u64) {
                return Err(bad_offset(core, &ins.head, i, offset, at, size, size));
            }
            declare(core, &ins.head, ins.src, at as u32, size, (i, offset))?;
            Ok((core.machine.ub_at(at as u32) as *const T).read())
        }
    };
    let per = BLOCK / size;
    let mut taken: Vec<(usize, T)> = Vec::with_capacity(per);
    // SAFETY: the extent of dst was checked.
    let write = |(to, value)| unsafe { (dst.add(to) as *mut T).write(value) };
    match walk {
        Walk::Count(n) => {
            for first in (0..n).step_by(per) {
                for i in first..n.min(first + per) {
                    taken.push((i * size, one(core, i)?));
                }
                taken.drain(..).for_each(write);
            }
        }
        Walk::Repeats { n, mask, .. } => {
            for r in 0..n {
                let m = mask.at(r, lanes);
                for first in (0..lanes).step_by(per) {
                    for i in (first..first + per).filter(|i| m[i / 64] >> (i % 64) & 1 != 0) {
                        let to = r * stride.rep + i / per * stride.blk + i % per * size;
                        taken.push((to, one(core, r * lanes + i)?));
                    }
                    taken.drain(..).for_each(write);
                }
            }
        }
    }
    Ok(())
}

/// Eight blocks per repeat, no mask. A block stride of 0 counts as 1 (Gatherb page).
pub(crate) fn gatherb(core: &mut Core, ins: &Gatherb) -> Result<(), Raise> {
    let t = ins.head.dtype;
    const BLOCKS: &[Dtype] = &[Dtype::U16, Dtype::U32];
    if !BLOCKS.contains(&t) {
        return Err(bad_dtype(&ins.head, BLOCKS).fix("ReinterpretCast to uint16_t or uint32_t: whole blocks are moved"));
    }
    let n = ins.repeats;
    if n == 0 {
        return Ok(());
    }
    let (blk, rep) = (ins.dst_stride.blk.max(BLOCK), ins.dst_stride.rep);
    let all = Mask::Bits([u64::MAX; 2]);
    let shape = Shape::Lanes { n, mask: all, stride: Stride { blk, rep }, size: t.size(), lanes: REPEAT / t.size() };
    let dst = core.write(&ins.head, "dst", ins.dst, shape)?;
    let offsets = core.read(&ins.head, "offset", ins.offsets, Shape::Bytes(n * 8 * 4))? as *const u32;
    core.read(&ins.head, "src", ins.src, Shape::Bytes(0))?;
    for i in 0..n * 8 {
        // SAFETY: extents of dst and offsets were checked, the source address is checked here.
        unsafe {
            let offset = offsets.add(i).read();
            let at = ins.src.addr as u64 + offset as u64;
            if !at.is_multiple_of(BLOCK as u64) || at + BLOCK as u64 > core.machine.spec.ub_size as u64 {
                return Err(bad_offset(core, &ins.head, i, offset, at, BLOCK, BLOCK));
            }
            declare(core, &ins.head, ins.src, at as u32, BLOCK, (i, offset))?;
            std::ptr::copy(core.machine.ub_at(at as u32), dst.add(i / 8 * rep + i % 8 * blk), BLOCK);
        }
    }
    Ok(())
}

/// Kept elements lie densely in dst over all repeats (GatherMask page).
fn gather_mask_typed<T: Pod>(core: &mut Core, ins: &GatherMask) -> Result<(), Raise> {
    let size = size_of::<T>();
    let per = BLOCK / size;
    let repeats = ins.repeats;
    let elements = ins.taken.elements(&core.machine.mask).unwrap_or(REPEAT / size);
    if let Taken::Argument { mask, .. } = ins.taken {
        core.machine.mask = MaskRegs { counter: false, bits: [mask as u64, 0] };
    }
    core.machine.spr.rsvd_cnt = 0;
    if repeats == 0 || elements == 0 {
        return Ok(());
    }
    let Stride { blk, rep } = ins.src_stride;
    let last = elements - 1;
    let src = if elements * size <= REPEAT {
        let mask = Mask::Bits(lanes::first(elements));
        let lanes = REPEAT / size;
        core.read(
            &ins.head,
            "src0",
            ins.src,
            Shape::Lanes { n: repeats, mask, stride: Stride { blk, rep }, size, lanes },
        )?
    } else {
        let len = last / per * blk + (last % per + 1) * size;
        core.read(&ins.head, "src0", ins.src, Shape::Blocks { n: repeats, len, step: rep })?
    };
    let (mut pattern, mut bits_rep, mut step, mut first) = (std::ptr::null(), 0, 1, 0);
    match ins.pattern {
        Pattern::Bits(bits, rep) => {
            let shape = Shape::Blocks { n: repeats, len: elements.div_ceil(8), step: rep };
            (pattern, bits_rep) = (core.read(&ins.head, "src1Pattern", bits, shape)?, rep);
        }
        Pattern::Fixed(1) => step = 2,
        Pattern::Fixed(2) => (step, first) = (2, 1),
        Pattern::Fixed(n @ 3..=6) => (step, first) = (4, n as usize - 3),
        Pattern::Fixed(_) => {}
    }
    let mut kept: Vec<T> = Vec::with_capacity(repeats.saturating_mul(elements).min(core.machine.spec.ub_size));
    for r in 0..repeats {
        // SAFETY: the extents of src0 and of the pattern were checked.
        let element = |e: usize| unsafe { (src.add(r * rep + e / per * blk + e % per * size) as *const T).read() };
        if pattern.is_null() {
            kept.extend((first..elements).step_by(step).map(element));
        } else {
            // SAFETY: as above.
            let on = |e: usize| unsafe { pattern.add(r * bits_rep + e / 8).read() } >> (e % 8) & 1 != 0;
            kept.extend((0..elements).filter(|e| on(*e)).map(element));
        }
    }
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::Dense { n: kept.len(), size })?;
    if core.observed() {
        for (r, e) in (0..repeats).flat_map(|r| (0..elements).map(move |e| (r, e))) {
            let on = if pattern.is_null() {
                e >= first && (e - first).is_multiple_of(step)
            } else {
                // SAFETY: as above.
                let byte = unsafe { pattern.add(r * bits_rep + e / 8).read() };
                byte >> (e % 8) & 1 != 0
            };
            if on {
                let at = ins.src.addr + (r * rep + e / per * blk + e % per * size) as u32;
                core.read(&ins.head, "src", ins.src.part(at, size as u32).aligned(size), Shape::Bytes(size))?;
            }
        }
    }
    // SAFETY: the extent was checked; everything was read, so dst may be src0.
    unsafe { std::ptr::copy_nonoverlapping(kept.as_ptr(), dst as *mut T, kept.len()) };
    core.machine.spr.rsvd_cnt = kept.len() as u64;
    Ok(())
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;

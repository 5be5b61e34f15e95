//! Instructions that place data: Duplicate, CreateVecIndex, Brcb, Copy, Gather.

use crate::{
    core::{Core, bad_dtype},
    event::Pipe,
    fault::{FaultClass, Raise},
    float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
    ins::{Dtype, Opcode, VecIns},
    lanes::{BLOCK, Mask, Op, REPEAT, Stride, Walk},
    shape::Shape,
    ub,
};

/// Types that Duplicate, Brcb, Copy and Gather move.
const MOVES: &[Dtype] = &[Dtype::I16, Dtype::U16, Dtype::F16, Dtype::Bf16, Dtype::I32, Dtype::U32, Dtype::F32];

#[derive(Clone, Copy)]
struct Fill<T>(T);
impl<T: Pod> Op for Fill<T> {
    type D = T;
    type A = ();
    type B = ();
    type C = ();
    #[inline(always)]
    fn f(self, _: (), _: (), _: ()) -> T {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Move<T>(std::marker::PhantomData<T>);
impl<T: Pod> Op for Move<T> {
    type D = T;
    type A = T;
    type B = ();
    type C = ();
    #[inline(always)]
    fn f(self, a: T, _: (), _: ()) -> T {
        a
    }
}

pub(crate) fn execute(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    if op == Opcode::CreateVecIndex {
        return index(core, ins);
    }
    let Some(t) = ins.dst_type().filter(|t| MOVES.contains(t)) else {
        return Err(bad_dtype(ins, MOVES));
    };
    match (op, t.size()) {
        (Opcode::Duplicate, 2) => core.lanes(ins, [0, 1, 2], Fill(ins.scalar as u16)),
        (Opcode::Duplicate, _) => core.lanes(ins, [0, 1, 2], Fill(ins.scalar as u32)),
        (Opcode::Copy, size) => copy(core, ins, size),
        (Opcode::Brcb, size) => brcb(core, ins, size),
        (_, size) => gather(core, ins, size),
    }
}

/// In counter mode Copy keeps its mask as elements per repeat (mask page), so it never uses a total.
fn copy(core: &mut Core, ins: &VecIns, size: usize) -> Result<(), Raise> {
    let counter = std::mem::replace(&mut core.mask.counter, false);
    let r = match size {
        2 => core.lanes(ins, [0, 1, 2], Move::<u16>(std::marker::PhantomData)),
        _ => core.lanes(ins, [0, 1, 2], Move::<u32>(std::marker::PhantomData)),
    };
    core.mask.counter = counter;
    r
}

fn index(core: &mut Core, ins: &VecIns) -> Result<(), Raise> {
    const TYPES: &[Dtype] = &[Dtype::I16, Dtype::F16, Dtype::I32, Dtype::F32];
    let Some(t) = ins.dst_type().filter(|t| TYPES.contains(t)) else {
        return Err(bad_dtype(ins, TYPES));
    };
    let Walk::Count(n) = core.walk(ins, 64) else {
        return Err(Raise::unsupported(Pipe::V, "CreateVecIndex with mask and repeat"));
    };
    if n > core.spec.ub_size {
        return Err(Raise::new(FaultClass::OutOfRange, Pipe::V, ins.name(), "operand leaves the unified buffer")
            .operand("dst")
            .expected(format!("at most {} bytes", core.spec.ub_visible))
            .got(format!("{n} elements"))
            .fix("check count"));
    }
    let dst = core.write(ins, "dst", ins.dst, Shape::Bytes(n * t.size()))?;
    for i in 0..n {
        // SAFETY: the extent was checked.
        unsafe {
            match t {
                Dtype::I16 => (dst as *mut i16).add(i).write((ins.scalar as i16).wrapping_add(i as i16)),
                Dtype::I32 => (dst as *mut i32).add(i).write((ins.scalar as i32).wrapping_add(i as i32)),
                Dtype::F16 => {
                    let v = f16_to_f32(F16(ins.scalar as u16)) + i as f32;
                    (dst as *mut u16).add(i).write(f32_to_f16::<{ round::RINT }, false>(v).0);
                }
                _ => (dst as *mut f32).add(i).write(canon(f32::from_bits(ins.scalar as u32) + i as f32)),
            }
        }
    }
    Ok(())
}

/// Each repeat reads eight elements; each fills one block.
fn brcb(core: &mut Core, ins: &VecIns, size: usize) -> Result<(), Raise> {
    let n = ins.repeat as usize;
    if n == 0 {
        return Ok(());
    }
    let (blk, rep) = (ins.blk[0] as usize * BLOCK, ins.rep[0] as usize * BLOCK);
    if blk == 0 {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.name(), "destination block stride is zero")
            .operand("dstBlkStride")
            .expected("1 or more")
            .got("0")
            .fix("pass BrcbRepeatParams{1, 8} for a dense result"));
    }
    let stride = Stride { blk, rep };
    let out = Shape::Lanes { n, mask: Mask::Bits([u64::MAX; 2]), stride, size, lanes: REPEAT / size };
    let dst = core.write(ins, "dst", ins.dst, out)?;
    let src = core.read(ins, "src", ins.src[0], Shape::Bytes(n * 8 * size))?;
    // SAFETY: the extents were checked; one repeat is read before it is written.
    unsafe {
        for r in 0..n {
            let mut eight = [0u8; 32];
            std::ptr::copy_nonoverlapping(src.add(r * 8 * size), eight.as_mut_ptr(), 8 * size);
            for k in 0..8 {
                for j in 0..BLOCK / size {
                    let to = dst.add(r * rep + k * blk + j * size);
                    std::ptr::copy_nonoverlapping(eight.as_ptr().add(k * size), to, size);
                }
            }
        }
    }
    Ok(())
}

fn gather(core: &mut Core, ins: &VecIns, size: usize) -> Result<(), Raise> {
    let Walk::Count(n) = core.walk(ins, 64) else {
        return Err(Raise::unsupported(Pipe::V, "Gather with mask and repeat"));
    };
    let dst = core.write(ins, "dst", ins.dst, Shape::Bytes(n.saturating_mul(size)))?;
    let offsets = core.read(ins, "srcOffset", ins.src[1], Shape::Bytes(n.saturating_mul(4)))?;
    core.read(ins, "src", ins.src[0], Shape::Bytes(0))?;
    for i in 0..n {
        // SAFETY: extents of dst and offsets were checked, the source address is checked here.
        unsafe {
            let offset = (offsets as *const u32).add(i).read();
            let at = ins.src[0].addr as u64 + ins.base as u64 + offset as u64;
            if !at.is_multiple_of(size as u64) || at > u32::MAX as u64 {
                return Err(Raise::new(
                    FaultClass::Alignment,
                    Pipe::V,
                    ins.name(),
                    "gather offset is not a multiple of the element size",
                )
                .operand(format!("srcOffset[{i}]"))
                .expected(format!("a multiple of {size} bytes"))
                .got(offset.to_string())
                .fix("offsets are in bytes, not in elements"));
            }
            let name = || ins.name();
            ub::in_range(core.spec.ub_visible, Pipe::V, name, &format!("src at srcOffset[{i}]"), at as u32, size)?;
            // dst may overlap src in a wrong kernel.
            std::ptr::copy(core.ub_at(at as u32), dst.add(i * size), size);
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;

//! Instructions that place data: Duplicate, CreateVecIndex, Brcb, Copy.

use crate::{
    core::{Core, bad_dtype, check_count},
    fault::{FaultClass, Raise},
    float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
    ins::{Dtype, Opcode, VecIns},
    lanes::{BLOCK, Mask, Op, REPEAT, Stride, Walk},
    pipe::Pipe,
    shape::Shape,
};

/// Types that Duplicate, Brcb and Copy move.
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
        (_, size) => brcb(core, ins, size),
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
    let (start, size) = (ins.scalar, t.size());
    let value = |i: usize| match t {
        Dtype::I16 => (start as i16).wrapping_add(i as i16) as u16 as u32,
        Dtype::I32 => (start as i32).wrapping_add(i as i32) as u32,
        Dtype::F16 => f32_to_f16::<{ round::RINT }, false>(f16_to_f32(F16(start as u16)) + i as f32).0 as u32,
        _ => canon(f32::from_bits(start as u32) + i as f32).to_bits(),
    };
    check_count(ins)?;
    let lanes = REPEAT / size;
    let walk = core.walk(ins, lanes);
    let stride = match walk {
        Walk::Count(_) => Stride::default(),
        Walk::Repeats { dst, .. } => dst,
    };
    let dst = core.write(ins, "dst", ins.dst, Shape::of(&walk, stride, size, lanes))?;
    let put = |at: usize, i: usize| {
        let bytes = value(i).to_le_bytes();
        // SAFETY: the extent was checked.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), dst.add(at), size) }
    };
    match walk {
        Walk::Count(n) => (0..n).for_each(|i| put(i * size, i)),
        Walk::Repeats { n, mask, .. } => {
            // Values run on over the repeats, masked lanes included.
            let per = BLOCK / size;
            for r in 0..n {
                let m = mask.at(r, lanes);
                for i in (0..lanes).filter(|i| m[i / 64] >> (i % 64) & 1 != 0) {
                    put(r * stride.rep + i / per * stride.blk + i % per * size, r * lanes + i);
                }
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

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;

//! Instructions that place data: Duplicate, CreateVecIndex, Brcb, Copy.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
        ins::Dtype,
        lanes::{self, BLOCK, Mask, Op, REPEAT, Stride, Walk},
        mask::MaskRegs,
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        vector::{self, Brcb, Head, MaskArg, Span, Unary, bad_dtype},
    },
    machine::core::Core,
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

fn check_moves(head: &Head) -> Result<(), Raise> {
    if MOVES.contains(&head.dtype) { Ok(()) } else { Err(bad_dtype(head, MOVES)) }
}

pub(crate) fn duplicate(core: &mut Core, ins: &vector::Fill) -> Result<(), Raise> {
    check_moves(&ins.head)?;
    match ins.head.dtype.size() {
        2 => core.lanes(ins.lanes(), Fill(ins.scalar as u16)),
        _ => core.lanes(ins.lanes(), Fill(ins.scalar as u32)),
    }
}

pub(crate) fn copy(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    check_moves(&ins.head)?;
    check_repeat_sizes(ins)?;
    if !core.machine.mask.counter {
        return move_elements(core, ins);
    }
    let Span::Repeats { n, mask, dst, src } = ins.span else { return move_elements(core, ins) };
    // In counter mode the mask of Copy is the number of elements of each repeat, and repeatTime counts (Copy page).
    let elements = match mask {
        MaskArg::Elements(elements) | MaskArg::Bits([elements, _]) => elements,
        MaskArg::Register => core.machine.mask.bits[0],
    };
    let lanes = (REPEAT / ins.head.dtype.size()) as u64;
    let mask = MaskArg::Bits(lanes::first(elements.min(lanes) as usize));
    core.machine.mask.counter = false;
    let r = move_elements(core, &Unary { span: Span::Repeats { n, mask, dst, src }, ..*ins });
    core.machine.mask = MaskRegs { counter: true, bits: [elements, 0] };
    r
}

fn move_elements(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    match ins.head.dtype.size() {
        2 => core.lanes(ins.lanes(), Move::<u16>(std::marker::PhantomData)),
        _ => core.lanes(ins.lanes(), Move::<u32>(std::marker::PhantomData)),
    }
}

/// Copy alone has repeat strides of 12 bits (Copy page, table 4).
fn check_repeat_sizes(ins: &Unary) -> Result<(), Raise> {
    const MOST: u16 = 4095;
    let Span::Repeats { dst, src, .. } = ins.span else { return Ok(()) };
    let Some((name, size)) =
        [("dstRepeatSize", dst.rep), ("srcRepeatSize", src[0].rep)].into_iter().find(|s| s.1 > MOST)
    else {
        return Ok(());
    };
    Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "repeat stride out of range")
        .operand(name)
        .expected(format!("0 to {MOST}"))
        .got(size.to_string())
        .fix("loop over smaller parts"))
}

pub(crate) fn index(core: &mut Core, ins: &vector::Fill) -> Result<(), Raise> {
    const TYPES: &[Dtype] = &[Dtype::I16, Dtype::F16, Dtype::I32, Dtype::F32];
    let t = ins.head.dtype;
    if !TYPES.contains(&t) {
        return Err(bad_dtype(&ins.head, TYPES));
    }
    let (start, size) = (ins.scalar, t.size());
    let value = |i: usize| match t {
        Dtype::I16 => (start as i16).wrapping_add(i as i16) as u16 as u32,
        Dtype::I32 => (start as i32).wrapping_add(i as i32) as u32,
        Dtype::F16 => f32_to_f16::<{ round::RINT }, false>(f16_to_f32(F16(start as u16)) + i as f32).0 as u32,
        _ => canon(f32::from_bits(start as u32) + i as f32).to_bits(),
    };
    let lanes = REPEAT / size;
    let walk = core.machine.walk(&ins.span, lanes);
    let stride = match walk {
        Walk::Count(_) => Stride::default(),
        Walk::Repeats { dst, .. } => dst,
    };
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::of(&walk, stride, size, lanes))?;
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
pub(crate) fn brcb(core: &mut Core, ins: &Brcb) -> Result<(), Raise> {
    check_moves(&ins.head)?;
    let (n, size, stride) = (ins.repeats, ins.head.dtype.size(), ins.dst_stride);
    if n == 0 {
        return Ok(());
    }
    let Stride { blk, rep } = stride;
    if blk == 0 {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "destination block stride is zero")
            .operand("dstBlkStride")
            .expected("1 or more")
            .got("0")
            .fix("pass BrcbRepeatParams{1, 8} for a dense result"));
    }
    let out = Shape::Lanes { n, mask: Mask::Bits([u64::MAX; 2]), stride, size, lanes: REPEAT / size };
    let dst = core.write(&ins.head, "dst", ins.dst, out)?;
    let src = core.read(&ins.head, "src", ins.src, Shape::Bytes(n * 8 * size))?;
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

//! The forms of Compare and Select that go through the 128-bit CMPMASK register, and its transfers.

use crate::{
    base::{
        fault::Raise,
        float::{F16, Pod},
        ins::{CmpMode, Dtype, SelMode},
        lanes::{BLOCK, REPEAT, Stride, Walk},
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        vector::{CmpMaskMove, CompareRegister, SelectRegister, bad_dtype},
    },
    machine::{core::Core, observe::Step},
    vector::compare::{Key, holds},
};

/// GetCmpMask: the register to 16 bytes.
pub(crate) fn get(core: &mut Core, ins: &CmpMaskMove) -> Result<(), Raise> {
    let dst = core.write(&ins.head, "dst", ins.tensor.aligned(16), Shape::Bytes(16))?;
    // SAFETY: 16 bytes were checked.
    unsafe { (dst as *mut [u64; 2]).write_unaligned(core.machine.spr.cmp_mask) };
    Ok(())
}

/// SetCmpMask: 16 bytes to the register.
pub(crate) fn set(core: &mut Core, ins: &CmpMaskMove) -> Result<(), Raise> {
    let src = core.read(&ins.head, "src", ins.tensor.aligned(16), Shape::Bytes(16))?;
    // SAFETY: 16 bytes were checked.
    let bits = unsafe { (src as *const [u64; 2]).read_unaligned() };
    core.machine.spr.cmp_mask = bits;
    core.observe(Step::CmpMask { bits })
}

pub(crate) fn compare(core: &mut Core, ins: &CompareRegister) -> Result<(), Raise> {
    match ins.head.stype {
        Dtype::F32 => compare_typed::<f32>(core, ins),
        Dtype::F16 => compare_typed::<F16>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

pub(crate) fn select(core: &mut Core, ins: &SelectRegister) -> Result<(), Raise> {
    match ins.head.stype {
        Dtype::F32 => select_typed::<u32>(core, ins),
        Dtype::F16 => select_typed::<u16>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

fn at(s: Stride, r: usize, i: usize, size: usize) -> usize {
    let per = BLOCK / size;
    r * s.rep + i / per * s.blk + i % per * size
}

/// One repeat; lanes that the mask switches off give 0.
fn compare_typed<T: Key>(core: &mut Core, ins: &CompareRegister) -> Result<(), Raise> {
    let size = size_of::<T>();
    let lanes = REPEAT / size;
    let walk = core.machine.walk(&ins.span, lanes);
    let Walk::Repeats { mask, src: strides, .. } = walk else {
        return Err(Raise::unsupported(Pipe::V, "Compare into the register over a count"));
    };
    let mut src = [std::ptr::null::<u8>(); 2];
    for k in 0..2 {
        let shape = Shape::of(&walk, strides[k], size, lanes);
        if shape.extent() == 0 {
            return Ok(());
        }
        src[k] = core.read(&ins.head, ["src0", "src1"][k], [ins.src0, ins.src1][k], shape)?;
    }
    let test = match ins.mode {
        CmpMode::Lt => holds::<0>,
        CmpMode::Gt => holds::<1>,
        CmpMode::Eq => holds::<2>,
        CmpMode::Le => holds::<3>,
        CmpMode::Ge => holds::<4>,
        CmpMode::Ne => holds::<5>,
    };
    let m = mask.at(0, lanes);
    let mut bits = [0u64; 2];
    for i in (0..lanes).filter(|i| m[i / 64] >> (i % 64) & 1 != 0) {
        // SAFETY: active lanes lie inside the checked extents.
        let value = |k: usize| unsafe { (src[k].add(at(strides[k], 0, i, size)) as *const T).read().key() };
        bits[i / 64] |= (test(value(0), value(1)) as u64) << (i % 64);
    }
    core.machine.spr.cmp_mask = bits;
    core.observe(Step::CmpMask { bits })
}

/// Mode 0 takes the bits from the register, mode 1 the scalar src1, mode 2 the address of the bits (SetCmpMask page).
fn select_typed<T: Pod>(core: &mut Core, ins: &SelectRegister) -> Result<(), Raise> {
    let size = size_of::<T>();
    let lanes = REPEAT / size;
    let mode = ins.mode;
    let walk = core.machine.walk(&ins.span, lanes);
    let Walk::Repeats { n, mask, dst: ds, src: ss } = walk else {
        return Err(Raise::unsupported(Pipe::V, "Select with the register over a count"));
    };
    let shape = |s: Stride| Shape::of(&walk, s, size, lanes);
    if shape(ds).extent() == 0 {
        return Ok(());
    }
    let register = core.machine.spr.cmp_mask;
    let dst = core.write(&ins.head, "dst", ins.dst, shape(ds))?;
    let mut sel = ins.mask;
    if mode == SelMode::TensorTensor {
        sel.addr = register[0] as u32;
    }
    let bits = match mode {
        SelMode::CmpMaskSpr => register.as_ptr() as *const u8,
        _ => core.read(&ins.head, "selMask", sel, Shape::Bits { n: n * lanes, period: n * lanes })?,
    };
    let src0 = core.read(&ins.head, "src0", ins.src0, shape(ss[0]))?;
    let src1 = match mode {
        SelMode::TensorScalar => std::ptr::null(),
        _ => core.read(&ins.head, "src1", ins.src1, shape(ss[1]))?,
    };
    for r in 0..n {
        let m = mask.at(r, lanes);
        for i in (0..lanes).filter(|i| m[i / 64] >> (i % 64) & 1 != 0) {
            let bit = if mode == SelMode::CmpMaskSpr { i } else { r * lanes + i };
            // SAFETY: active lanes lie inside the checked extents; the register has a bit for every lane of a repeat.
            unsafe {
                let v = if bits.add(bit / 8).read() >> (bit % 8) & 1 != 0 {
                    (src0.add(at(ss[0], r, i, size)) as *const T).read()
                } else if src1.is_null() {
                    (register.as_ptr() as *const T).read()
                } else {
                    (src1.add(at(ss[1], r, i, size)) as *const T).read()
                };
                (dst.add(at(ds, r, i, size)) as *mut T).write(v);
            }
        }
    }
    Ok(())
}

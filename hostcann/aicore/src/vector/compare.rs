//! Compare, CompareScalar and Select. A mask is a bit stream, LSB first. The CMPMASK register has its own file.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{F16, Pod, f16_to_f32},
        ins::{CmpMode, Dtype, Operand, SelMode},
        isa::{self, Body},
        lanes::{Mask, REPEAT, Stride, Walk},
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        vector::{Compare, Other, Select, Span, bad_dtype},
    },
    machine::{core::Core, observe::Step},
};

/// A type that compares as float.
pub(crate) trait Key: Pod {
    fn key(self) -> f32;
}
impl Key for f32 {
    #[inline(always)]
    fn key(self) -> f32 {
        self
    }
}
impl Key for F16 {
    #[inline(always)]
    fn key(self) -> f32 {
        f16_to_f32(self)
    }
}

/// Every comparison with a NaN gives 0, NE included (boundary tables 30, 31).
#[inline(always)]
pub(crate) fn holds<const MODE: u8>(a: f32, b: f32) -> bool {
    match MODE {
        0 => a < b,
        1 => a > b,
        2 => a == b,
        3 => a <= b,
        4 => a >= b,
        UNLIKE_NAN => (a.is_finite() & b.is_nan()) | (a < b) | (a > b),
        _ => (a < b) | (a > b),
    }
}

/// NE of a half with a scalar in saturation mode: a NaN differs from every number (boundary table 31).
const UNLIKE_NAN: u8 = 6;

/// Eight truth values, one per byte, to one byte: byte i lands in bit i.
#[inline(always)]
fn pack(truth: [u8; 8]) -> u8 {
    (u64::from_le_bytes(truth).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Repeats of a compare; `step` is how far each source moves per repeat (blocks may repeat).
struct CompareBody<T, const MODE: u8> {
    dst: *mut u8,
    src0: *const u8,
    src1: *const u8,
    strides: [Stride; 2],
    scalar: Option<T>,
    repeats: usize,
}

impl<T: Key, const MODE: u8> Body for CompareBody<T, MODE> {
    #[inline(always)]
    fn run(self) {
        let lanes = const { REPEAT / size_of::<T>() };
        let per = const { 32 / size_of::<T>() };
        for r in 0..self.repeats {
            let mut truth = [0u8; 128];
            for k in 0..8 {
                let [s0, s1] = self.strides;
                // SAFETY: the extents of both sources and of dst were checked.
                unsafe {
                    let a = self.src0.add(r * s0.rep + k * s0.blk) as *const T;
                    let b = self.src1.add(r * s1.rep + k * s1.blk) as *const T;
                    for j in 0..per {
                        let y = match self.scalar {
                            Some(s) => s.key(),
                            None => b.add(j).read().key(),
                        };
                        truth[k * per + j] = holds::<MODE>(a.add(j).read().key(), y) as u8;
                    }
                }
            }
            for i in 0..lanes / 8 {
                let mut eight = [0u8; 8];
                eight.copy_from_slice(&truth[i * 8..i * 8 + 8]);
                // SAFETY: as above.
                unsafe { self.dst.add(r * lanes / 8 + i).write(pack(eight)) };
            }
        }
    }
}

pub(crate) fn compare(core: &mut Core, ins: &Compare) -> Result<(), Raise> {
    let scalar = match ins.src1 {
        Other::Scalar(bits) => Some(bits),
        Other::Tensor(_) => None,
    };
    match (ins.head.stype, ins.mode) {
        (Dtype::F32, _) => compare_float::<f32>(core, ins, scalar.map(|s| f32::from_bits(s as u32))),
        (Dtype::F16, _) => compare_float::<F16>(core, ins, scalar.map(|s| F16(s as u16))),
        (Dtype::I32, CmpMode::Eq) => compare_int(core, ins, scalar.map(|s| s as i32)),
        (Dtype::I32, mode) => {
            Err(Raise::new(FaultClass::Dtype, Pipe::V, ins.head.name(), "int32_t compares for equality only")
                .operand("cmpMode")
                .expected("CMPMODE::EQ")
                .got(mode.name())
                .fix("compare as float, or use the sign of a difference"))
        }
        (other, _) => {
            let mut r = bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32, Dtype::I32]);
            r.got = other.name().to_owned();
            Err(r)
        }
    }
}

struct CompareSetup {
    dst: *mut u8,
    src: [*const u8; 2],
    strides: [Stride; 2],
    repeats: usize,
}

/// Operands of a compare over elements of `size` bytes. The mask has no effect (Compare page), nor has its mode, and the
/// registers stay as they are: upstream sets none for it.
fn compare_setup(core: &mut Core, ins: &Compare, size: usize) -> Result<CompareSetup, Raise> {
    let lanes = REPEAT / size;
    let (repeats, strides) = match ins.span {
        Span::Count(n) => {
            // Only whole repeats take part (Compare page, count).
            if !(n * size).is_multiple_of(REPEAT) && core.observed() {
                let what = "the device compares whole repeats only and drops the rest";
                let raise = Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), what)
                    .silent()
                    .operand("count")
                    .expected(format!("a multiple of {lanes} elements (256 bytes)"))
                    .got(n.to_string())
                    .fix("round count up and allocate the buffers accordingly");
                core.observe(Step::Broken(&raise))?;
            }
            (n / lanes, [Stride { blk: 32, rep: 256 }; 2])
        }
        Span::Repeats { n, src, .. } => (n, [src[0].into(), src[1].into()]),
    };
    let mask = Mask::Bits([u64::MAX; 2]);
    let dst = core.write(&ins.head, "dst", ins.dst, Shape::Bits { n: repeats * lanes, period: repeats * lanes })?;
    let shape = |k: usize| Shape::Lanes { n: repeats, mask, stride: strides[k], size, lanes };
    let src0 = core.read(&ins.head, "src0", ins.src0, shape(0))?;
    let src1 = match ins.src1 {
        Other::Tensor(tensor) => core.read(&ins.head, "src1", tensor, shape(1))?,
        Other::Scalar(_) => src0,
    };
    let src = [src0, src1];
    Ok(CompareSetup { dst, src, strides, repeats })
}

fn compare_float<T: Key>(core: &mut Core, ins: &Compare, scalar: Option<T>) -> Result<(), Raise> {
    let s = compare_setup(core, ins, size_of::<T>())?;
    macro_rules! go {
        ($m:literal) => {
            isa::dispatch(CompareBody::<T, $m> {
                dst: s.dst,
                src0: s.src[0],
                src1: s.src[1],
                strides: s.strides,
                scalar,
                repeats: s.repeats,
            })
        };
    }
    match ins.mode {
        CmpMode::Lt => go!(0),
        CmpMode::Gt => go!(1),
        CmpMode::Eq => go!(2),
        CmpMode::Le => go!(3),
        CmpMode::Ge => go!(4),
        CmpMode::Ne if scalar.is_some() && size_of::<T>() == 2 && core.machine.ctrl.float_saturates() => go!(6),
        CmpMode::Ne => go!(5),
    }
    Ok(())
}

fn compare_int(core: &mut Core, ins: &Compare, scalar: Option<i32>) -> Result<(), Raise> {
    let s = compare_setup(core, ins, 4)?;
    for r in 0..s.repeats {
        for i in 0..64 {
            // SAFETY: the extents were checked.
            unsafe {
                let at = |k: usize| {
                    let st = s.strides[k];
                    (s.src[k].add(r * st.rep + i / 8 * st.blk) as *const i32).add(i % 8).read()
                };
                let y = scalar.unwrap_or_else(|| at(1));
                let byte = s.dst.add(r * 8 + i / 8);
                let bit = ((at(0) == y) as u8) << (i % 8);
                byte.write(if i % 8 == 0 { bit } else { byte.read() | bit });
            }
        }
    }
    Ok(())
}

#[repr(C, align(64))]
struct Repeat([u8; REPEAT]);

/// One repeat at a time through local copies, so that dst may be one of the sources.
struct SelectBody<T> {
    dst: *mut T,
    mask: *const u8,
    a: *const T,
    b: *const T,
    scalar: Option<T>,
    /// Mask bytes reused for every repeat (mode 0) instead of consumed.
    reuse: bool,
    n: usize,
}

impl<T: Pod> Body for SelectBody<T> {
    #[inline(always)]
    fn run(self) {
        let lanes = const { REPEAT / size_of::<T>() };
        let mut i = 0;
        while i < self.n {
            let n = (self.n - i).min(lanes);
            // SAFETY: the mask holds a bit for each of n elements.
            let m = if self.reuse { self.mask } else { unsafe { self.mask.add(i / 8) } };
            let mut bits = [0u8; 16];
            let (mut x, mut y) = (Repeat([0; REPEAT]), Repeat([0; REPEAT]));
            // SAFETY: extents were checked for n elements; the mask holds a bit for each. The copies are aligned for T.
            unsafe {
                std::ptr::copy_nonoverlapping(m, bits.as_mut_ptr(), n.div_ceil(8));
                let (x, y) = (x.0.as_mut_ptr() as *mut T, y.0.as_mut_ptr() as *mut T);
                std::ptr::copy_nonoverlapping(self.a.add(i), x, n);
                match self.scalar {
                    Some(s) => (0..lanes).for_each(|j| y.add(j).write(s)),
                    None => std::ptr::copy_nonoverlapping(self.b.add(i), y, n),
                }
                let d = self.dst.add(i);
                for (g, byte) in bits.iter().enumerate().take(n / 8) {
                    for j in 0..8 {
                        let take = byte & (1 << j) != 0;
                        let v = if take { x.add(g * 8 + j).read() } else { y.add(g * 8 + j).read() };
                        d.add(g * 8 + j).write(v);
                    }
                }
                for j in n / 8 * 8..n {
                    let take = bits[j / 8] >> (j % 8) & 1 != 0;
                    d.add(j).write(if take { x.add(j).read() } else { y.add(j).read() });
                }
            }
            i += n;
        }
    }
}

pub(crate) fn select(core: &mut Core, ins: &Select) -> Result<(), Raise> {
    match ins.head.dtype {
        Dtype::F32 => select_typed::<u32>(core, ins, |bits| bits as u32),
        Dtype::F16 => select_typed::<u16>(core, ins, |bits| bits as u16),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

/// What Select puts into its scratch.
const SCRATCH_ELEMENTS: usize = 32;

fn select_typed<T: Pod>(core: &mut Core, ins: &Select, narrow: fn(u64) -> T) -> Result<(), Raise> {
    let size = size_of::<T>();
    let lanes = REPEAT / size;
    let reuse = ins.mode == SelMode::CmpMaskSpr;
    let (sources, scalar): (&[(&'static str, Operand)], Option<T>) = match ins.src1 {
        Other::Tensor(src1) => (&[("src0", ins.src0), ("src1", src1)], None),
        Other::Scalar(bits) => (&[("src0", ins.src0)], Some(narrow(bits))),
    };
    if !reuse {
        reserve(core, ins, scalar)?;
    }
    let walk = core.machine.walk(&ins.span, lanes);
    match walk {
        Walk::Count(n) => {
            let dst = core.write(&ins.head, "dst", ins.dst, Shape::Dense { n, size })?;
            let mask =
                core.read(&ins.head, "selMask", ins.mask, Shape::Bits { n, period: if reuse { lanes } else { n } })?;
            let mut src = [dst as *const u8; 2];
            for (k, (name, o)) in sources.iter().enumerate() {
                src[k] = core.read(&ins.head, name, *o, Shape::Dense { n, size })?;
            }
            isa::dispatch(SelectBody {
                dst: dst as *mut T,
                mask,
                a: src[0] as *const T,
                b: src[1] as *const T,
                scalar,
                reuse,
                n,
            });
        }
        Walk::Repeats { n, mask: on, dst: ds, src: ss } => {
            let dst = core.write(&ins.head, "dst", ins.dst, Shape::of(&walk, ds, size, lanes))?;
            let mask = Shape::Bits { n: n * lanes, period: if reuse { lanes } else { n * lanes } };
            let bits = core.read(&ins.head, "selMask", ins.mask, mask)?;
            let mut src = [dst as *const u8; 2];
            // BinaryRepeatParams describe dst, src0, src1, which stand in slots 0, 1, 2 of the strides.
            for (k, (name, o)) in sources.iter().enumerate() {
                src[k] = core.read(&ins.head, name, *o, Shape::of(&walk, ss[k], size, lanes))?;
            }
            let per = 32 / size;
            for r in 0..n {
                let m = on.at(r, lanes);
                for i in (0..lanes).filter(|i| m[i / 64] >> (i % 64) & 1 != 0) {
                    let bit = if reuse { i } else { r * lanes + i };
                    let at = |s: Stride| r * s.rep + i / per * s.blk + i % per * size;
                    // SAFETY: active lanes lie inside the checked extents.
                    unsafe {
                        let take = bits.add(bit / 8).read() >> (bit % 8) & 1 != 0;
                        let v = if take {
                            (src[0].add(at(ss[0])) as *const T).read()
                        } else if let Some(scalar) = scalar {
                            scalar
                        } else {
                            (src[1].add(at(ss[1])) as *const T).read()
                        };
                        (dst.add(at(ds)) as *mut T).write(v);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Modes 1 and 2 fill 32 elements of the reserved area with the scalar or with the address of the mask; whatever the
/// kernel has there is lost (`kernel_operator_vec_cmpsel_impl.h`).
fn reserve<T: Pod>(core: &mut Core, ins: &Select, scalar: Option<T>) -> Result<(), Raise> {
    let start = core.machine.spec.ub_size - core.machine.spec.ub_reserved.min(core.machine.spec.ub_size);
    core.observe(Step::Reserved)?;
    let at = core.machine.ub_at(start as u32);
    if start + SCRATCH_ELEMENTS * size_of::<u32>() <= core.machine.spec.ub_size {
        // SAFETY: inside the buffer by the test above; no lane is wider than 4 bytes, and the area starts on a block.
        unsafe {
            match scalar {
                Some(value) => std::slice::from_raw_parts_mut(at.cast(), SCRATCH_ELEMENTS).fill(value),
                None => std::slice::from_raw_parts_mut(at.cast(), SCRATCH_ELEMENTS).fill(ins.mask.addr),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;

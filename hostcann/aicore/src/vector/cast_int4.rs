//! Cast between half and int4b_t: two elements a byte, the first in the low bits. Lanes count halves.

use crate::{
    base::{
        fault::Raise,
        float::{F16, f16_to_f32, f32_to_f16, integral, round},
        ins::Dtype,
        lanes::{BLOCK, Mask, REPEAT, Stride, Walk},
    },
    instruction::{shape::Shape, vector::Cast},
    machine::core::Core,
};

const LANES: usize = REPEAT / 2;
/// Elements of a block.
const HALVES: usize = BLOCK / 2;
const NIBBLES: usize = BLOCK * 2;

/// The bytes of the nibbles of active lanes.
fn nibbles(walk: &Walk, stride: Stride) -> Shape {
    let pairs = |mask: Mask| match mask {
        Mask::Total(n) => Mask::Total(n.div_ceil(2)),
        Mask::Bits(m) => {
            let on = m[0] as u128 | (m[1] as u128) << 64;
            Mask::Bits([(0..LANES / 2).fold(0, |bits, i| bits | ((on >> (2 * i) & 3 != 0) as u64) << i), 0])
        }
    };
    match *walk {
        Walk::Count(n) => Shape::Bytes(n.div_ceil(2)),
        Walk::Repeats { n, mask, .. } => Shape::Lanes { n, mask: pairs(mask), stride, size: 1, lanes: LANES / 2 },
    }
}

fn rounded(mode: u8, x: f32) -> f32 {
    match mode {
        round::FLOOR => integral::<{ round::FLOOR }>(x),
        round::CEIL => integral::<{ round::CEIL }>(x),
        round::ROUND => integral::<{ round::ROUND }>(x),
        round::TRUNC => integral::<{ round::TRUNC }>(x),
        _ => integral::<{ round::RINT }>(x),
    }
}

/// The low four bits of a half as an integer.
fn to_nibble(mode: u8, wrap: bool, x: F16) -> u8 {
    let x = rounded(mode, f16_to_f32(x));
    let x = match (x.is_nan(), wrap) {
        (true, _) => 0,
        (false, true) if x.is_infinite() => 0,
        (false, true) => x as i32,
        (false, false) => x.clamp(-8.0, 7.0) as i32,
    };
    x as u8 & 15
}

fn from_nibble(x: u8) -> F16 {
    f32_to_f16::<{ round::RINT }, false>(((x << 4) as i8 >> 4) as f32)
}

pub(crate) fn execute(core: &mut Core, ins: &Cast) -> Result<(), Raise> {
    let head = &ins.head;
    let packs = head.dtype == Dtype::I4;
    let walk = core.machine.walk(&ins.span, LANES);
    let per = |halves: bool| if halves { Stride { blk: BLOCK, rep: REPEAT } } else { Stride { blk: BLOCK, rep: 64 } };
    let (repeats, to, from) = match walk {
        Walk::Count(n) => (n.div_ceil(LANES), per(!packs), per(packs)),
        Walk::Repeats { n, dst, src, .. } => (n, dst, src[0]),
    };
    let halves = Shape::of(&walk, if packs { from } else { to }, 2, LANES);
    let packed = nibbles(&walk, if packs { to } else { from });
    if halves.extent() == 0 {
        return Ok(());
    }
    let (written, read) = if packs { (packed, halves) } else { (halves, packed) };
    let src = core.read(head, "src0", ins.src, read)?;
    let dst = core.write(head, "dst", ins.dst, written)?;
    let wrap = core.machine.ctrl.cast_wraps();
    let half_at = |base: *const u8, s: Stride, r: usize, i: usize| {
        // SAFETY: an active lane inside the extent that was checked.
        unsafe { (base.add(r * s.rep + i / HALVES * s.blk) as *mut F16).add(i % HALVES) }
    };
    let byte_at = |base: *const u8, s: Stride, r: usize, i: usize| {
        // SAFETY: as above.
        unsafe { base.add(r * s.rep + i / NIBBLES * s.blk + i % NIBBLES / 2) as *mut u8 }
    };
    for r in 0..repeats {
        let on = match walk {
            Walk::Count(n) => crate::base::lanes::first((n - r * LANES).min(LANES)),
            Walk::Repeats { mask, .. } => mask.at(r, LANES),
        };
        let active = (0..LANES).filter(|i| on[i / 64] >> (i % 64) & 1 != 0);
        let mut x = [0u16; LANES];
        for i in active.clone() {
            // SAFETY: as above.
            x[i] = unsafe {
                if packs {
                    to_nibble(ins.mode, wrap, half_at(src, from, r, i).read()) as u16
                } else {
                    from_nibble(byte_at(src, from, r, i).read() >> (i % 2 * 4)).0
                }
            };
        }
        for i in active {
            // SAFETY: as above.
            unsafe {
                if packs {
                    let byte = byte_at(dst, to, r, i);
                    let shift = i % 2 * 4;
                    byte.write(byte.read() & !(15 << shift) | (x[i] as u8) << shift);
                } else {
                    half_at(dst, to, r, i).write(F16(x[i]));
                }
            }
        }
    }
    Ok(())
}

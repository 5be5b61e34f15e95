//! Reductions: of a whole tensor (ReduceMax, ReduceMin, ReduceSum), of every repeat, of every 32-byte block, of pairs.

use crate::{
    base::{
        fault::Raise,
        float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
        ins::{Dtype, Form, Opcode, Operand},
        lanes::{BLOCK, Mask, REPEAT, Stride, Walk, first},
    },
    instruction::{
        shape::Shape,
        vector::{Head, Reduce, Span, bad_dtype},
    },
    machine::core::Core,
};

/// A type that is reduced in float.
pub(crate) trait Value: Pod {
    fn up(self) -> f32;
    fn down(x: f32, saturate: bool) -> Self;
    /// Bits of a value or of an index, as stored in the element type.
    fn bits(self) -> u64;
}
impl Value for f32 {
    #[inline(always)]
    fn up(self) -> f32 {
        self
    }
    #[inline(always)]
    fn down(x: f32, _: bool) -> f32 {
        canon(x)
    }
    fn bits(self) -> u64 {
        self.to_bits() as u64
    }
}
impl Value for F16 {
    #[inline(always)]
    fn up(self) -> f32 {
        f16_to_f32(self)
    }
    #[inline(always)]
    fn down(x: f32, saturate: bool) -> F16 {
        if saturate { f32_to_f16::<{ round::RINT }, true>(x) } else { f32_to_f16::<{ round::RINT }, false>(x) }
    }
    fn bits(self) -> u64 {
        self.0 as u64
    }
}

pub(crate) fn tensor(core: &mut Core, ins: &Reduce) -> Result<(), Raise> {
    match ins.head.dtype {
        Dtype::F32 => tensor_typed::<f32>(core, ins),
        Dtype::F16 => tensor_typed::<F16>(core, ins),
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

/// The lanes to reduce, repeat by repeat.
pub(crate) struct Source<T> {
    base: *const T,
    stride: Stride,
    mask: Mask,
    pub repeats: usize,
    saturate: bool,
}

impl<T: Value> Source<T> {
    pub const LANES: usize = REPEAT / size_of::<T>();

    /// None when no lane is active.
    pub fn new(core: &mut Core, head: &Head, span: &Span, src: Operand) -> Result<Option<Source<T>>, Raise> {
        let walk = core.machine.walk(span, Self::LANES);
        let (repeats, mask, stride) = match walk {
            Walk::Count(n) => (n.div_ceil(Self::LANES), Mask::Total(n), Stride { blk: BLOCK, rep: REPEAT }),
            Walk::Repeats { n, mask, src, .. } => (n, mask, src[0]),
        };
        let shape = Shape::of(&walk, stride, size_of::<T>(), Self::LANES);
        if shape.extent() == 0 {
            return Ok(None);
        }
        let base = core.read(head, "src", src, shape)? as *const T;
        let saturate = core.machine.ctrl.float_saturates();
        Ok(Some(Source { base, stride, mask, repeats, saturate }))
    }

    /// Reads a repeat; lanes whose bit is 0 hold anything.
    pub fn read(&self, r: usize, x: &mut [f32; 128]) -> u128 {
        let per = const { BLOCK / size_of::<T>() };
        let m = self.mask.at(r, Self::LANES);
        let on = m[0] as u128 | (m[1] as u128) << 64;
        for k in 0..8 {
            if on >> (k * per) & ((1 << per) - 1) != 0 {
                // SAFETY: the extent was checked up to an active lane of this block, and buffers end at a block's end.
                unsafe {
                    let block = self.base.byte_add(r * self.stride.rep + k * self.stride.blk);
                    for j in 0..per {
                        x[k * per + j] = block.add(j).read().up();
                    }
                }
            }
        }
        on
    }

    pub fn down(&self, x: f32) -> T {
        T::down(x, self.saturate)
    }

    /// Where results lie that every `group` lanes give, `size` bytes each, dense in a repeat; repeats `step` bytes apart.
    pub fn results(&self, step: usize, group: usize, size: usize) -> Shape {
        let mask = match self.mask {
            Mask::Total(n) => Mask::Total(n.div_ceil(group)),
            Mask::Bits(m) => {
                let on = m[0] as u128 | (m[1] as u128) << 64;
                let lanes = if group >= 128 { u128::MAX } else { (1 << group) - 1 };
                let any = |k: usize| on >> (k * group) & lanes != 0;
                Mask::Bits([(0..Self::LANES / group).fold(0, |bits, k| bits | (any(k) as u64) << k), 0])
            }
        };
        let stride = Stride { blk: BLOCK, rep: step };
        Shape::Lanes { n: self.repeats, mask, stride, size, lanes: Self::LANES / group }
    }

    /// Binary tree over neighbours, every sum rounded to the element type; a masked lane adds nothing.
    pub fn tree(&self, x: &mut [f32], mut on: u128) -> Option<f32> {
        let mut n = x.len();
        let full = if n >= 128 { u128::MAX } else { (1 << n) - 1 };
        if on & full == full {
            while n > 1 {
                n /= 2;
                for i in 0..n {
                    x[i] = self.down(x[2 * i] + x[2 * i + 1]).up();
                }
            }
            return Some(x[0]);
        }
        on &= full;
        while n > 1 {
            n /= 2;
            let mut next = 0u128;
            for i in 0..n {
                let (a, b) = (on >> (2 * i) & 1 != 0, on >> (2 * i + 1) & 1 != 0);
                x[i] = match (a, b) {
                    (true, true) => self.down(x[2 * i] + x[2 * i + 1]).up(),
                    (false, true) => x[2 * i + 1],
                    _ => x[2 * i],
                };
                next |= ((a | b) as u128) << i;
            }
            on = next;
        }
        (on != 0).then_some(x[0])
    }
}

/// The first extreme wins, a NaN wins over everything.
pub(crate) fn extreme(max: bool, x: &[f32], on: u128) -> Option<(f32, usize)> {
    let better = |a: f32, b: f32| !b.is_nan() && (a.is_nan() || if max { a > b } else { a < b });
    let mut best: Option<(f32, usize)> = None;
    for (i, v) in x.iter().enumerate().filter(|(i, _)| on >> i & 1 != 0) {
        if best.is_none_or(|b| better(*v, b.0)) {
            best = Some((*v, i));
        }
    }
    best
}

/// [`extreme`] of whole repeats without branches.
fn extreme_full(max: bool, x: &[f32]) -> (f32, usize) {
    let sign = if max { 1.0f32 } else { -1.0 };
    let mut acc = [f32::NEG_INFINITY; 8];
    let mut nan = false;
    for c in x.chunks_exact(8) {
        for (a, v) in acc.iter_mut().zip(c) {
            let v = v * sign;
            *a = if v > *a { v } else { *a };
            nan |= v.is_nan();
        }
    }
    let top = acc.iter().copied().fold(f32::NEG_INFINITY, |a, v| if v > a { v } else { a }) * sign;
    let at = x.iter().position(|v| if nan { v.is_nan() } else { *v == top }).unwrap_or(0);
    (x[at], at)
}

pub(crate) fn repeat_extreme(max: bool, x: &[f32], on: u128) -> Option<(f32, usize)> {
    let full = if x.len() >= 128 { u128::MAX } else { (1 << x.len()) - 1 };
    if on & full == full { Some(extreme_full(max, x)) } else { extreme(max, x, on & full) }
}

/// Writes `bytes` of a result.
///
/// # Safety
/// `to` has room for them.
pub(crate) unsafe fn put(to: *mut u8, value: u64, bytes: usize) {
    // SAFETY: as promised by the caller.
    unsafe { std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), to, bytes) }
}

fn tensor_typed<T: Value>(core: &mut Core, ins: &Reduce) -> Result<(), Raise> {
    let Some(s) = Source::<T>::new(core, &ins.head, &ins.span, ins.src)? else {
        return Ok(());
    };
    let (op, size) = (ins.head.op, size_of::<T>());
    let sum = op == Opcode::ReduceSum;
    let index = !sum && ins.index;
    // Over a count, and over whatever the mask registers say, ReduceSum needs no work buffer (ReduceSum page, A2).
    let by_mask = matches!(ins.head.form, Form::MaskCount | Form::MaskBits);
    let repeats = if by_mask { s.repeats } else { (ins.span.n() / Source::<T>::LANES).max(1) };
    let work = match (sum, by_mask) {
        (true, false) => None,
        (true, true) => Some(rounded::<T>(s.repeats)),
        // Value and index of a single repeat are the result.
        _ if index && s.repeats == 1 => None,
        _ => Some(work_elements::<T>(repeats, index)),
    };
    let work = match work {
        Some(n) => core.write(&ins.head, "sharedTmpBuffer", ins.work, Shape::Bytes(n * size))?,
        None => std::ptr::null_mut(),
    };
    let unit = size * (1 + index as usize);
    let dst = core.write(&ins.head, "dst", ins.dst.aligned(unit), Shape::Bytes(unit))?;
    let mut x = [0f32; 128];
    let x = &mut x;
    let mut partial = Vec::new();
    let mut best: Option<(f32, usize)> = None;
    for r in 0..s.repeats {
        let on = s.read(r, x);
        let lanes = &mut x[..Source::<T>::LANES];
        if sum {
            partial.extend(s.tree(lanes, on));
        } else if let Some((v, i)) = repeat_extreme(op == Opcode::ReduceMax, lanes, on) {
            let at = r * s.stride.rep / size + i;
            // Saturated before the repeats meet: a NaN counts as 0 among them (boundary table 39).
            let v = s.down(v).up();
            partial.push(v);
            // A single lane bit keeps the rule of the first extreme between repeats.
            let pair = [best.map_or(v, |b| b.0), v];
            if best.is_none() || extreme(op == Opcode::ReduceMax, &pair, 3).is_some_and(|e| e.1 == 1) {
                best = Some((v, at));
            }
        }
    }
    let Some(first) = partial.first().copied() else {
        return Ok(());
    };
    let value = match best {
        Some((v, _)) => v,
        None if by_mask => s.levels(&partial),
        None => partial[1..].iter().fold(first, |a, b| s.down(a + b).up()),
    };
    let value = s.down(value);
    // SAFETY: the extents were checked. Everything was read before, so dst or the work buffer may be src.
    unsafe {
        if !work.is_null() {
            let step = if sum { size } else { 2 * size };
            for (i, v) in partial.iter().enumerate().take(repeats) {
                put(work.add(i * step), s.down(*v).bits(), size);
            }
        }
        put(dst, value.bits(), size);
        if let Some((_, at)) = best.filter(|_| index) {
            put(dst.add(size), at as u64, size);
        }
    }
    match best {
        Some((_, at)) => core.machine.spr.max_min = [value.bits(), at as u64],
        None if !by_mask => core.machine.spr.acc_val = value.bits(),
        None => {}
    }
    Ok(())
}

impl<T: Value> Source<T> {
    /// ReduceSum with a mask sums the results of the repeats as if they were lanes, until one is left.
    fn levels(&self, partial: &[f32]) -> f32 {
        let mut level = partial.to_vec();
        let mut x = [0f32; 128];
        loop {
            let next: Vec<f32> = level
                .chunks(Self::LANES)
                .filter_map(|c| {
                    x[..c.len()].copy_from_slice(c);
                    let on = first(c.len());
                    self.tree(&mut x[..Self::LANES], on[0] as u128 | (on[1] as u128) << 64)
                })
                .collect();
            if next.len() <= 1 {
                return next.first().copied().unwrap_or(0.0);
            }
            level = next;
        }
    }
}

fn rounded<T>(elements: usize) -> usize {
    elements.next_multiple_of(BLOCK / size_of::<T>())
}

/// Elements of sharedTmpBuffer for the extremes (ReduceMax page): each level stores a value and an index per repeat; with
/// an index no level may overwrite the one before.
fn work_elements<T>(repeats: usize, index: bool) -> usize {
    let lanes = REPEAT / size_of::<T>();
    let one = 2 * repeats;
    if !index {
        return rounded::<T>(one);
    }
    let two = one.div_ceil(lanes) * 2;
    let three = if two > 2 { rounded::<T>(two.div_ceil(lanes) * 2) } else { 0 };
    rounded::<T>(one) + rounded::<T>(two) + three
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;

//! The lane engine: one scalar function, two ways to walk the unified buffer.
//!
//! A repeat reads all of its sources before it writes (256 bytes of the widest type), which is what the hardware does
//! and what makes `dst == src` legal. Count forms walk contiguously; mask/repeat/stride forms gather and scatter 32-byte
//! blocks around the same function.

use crate::base::{
    float::Pod,
    isa::{self, Body},
};
use std::mem::size_of;

pub(crate) const REPEAT: usize = 256;
pub(crate) const BLOCK: usize = 32;

/// A lane function of up to three sources; unused ones are `()`.
pub(crate) trait Op: Copy {
    type D: Pod;
    type A: Pod;
    type B: Pod;
    type C: Pod;
    fn f(self, a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// Bytes per element of the operands of a lane function; 0 for a source that it does not have.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub dst: usize,
    pub src: [usize; 3],
}

impl Sizes {
    pub const fn of<O: Op>() -> Sizes {
        Sizes { dst: size_of::<O::D>(), src: [size_of::<O::A>(), size_of::<O::B>(), size_of::<O::C>()] }
    }

    /// Elements per repeat: counted in the widest operand.
    pub const fn lanes(&self) -> usize {
        let mut widest = self.dst;
        let mut i = 0;
        while i < 3 {
            if self.src[i] > widest {
                widest = self.src[i];
            }
            i += 1;
        }
        REPEAT / widest
    }
}

/// Strides in bytes of one operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stride {
    pub blk: usize,
    pub rep: usize,
}

/// Which lanes of each repeat are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// The same bits in every repeat.
    Bits([u64; 2]),
    /// Counter mode: this many elements over all repeats.
    Total(usize),
}

impl Mask {
    /// Lane bits of repeat `r` for `lanes` elements per repeat.
    pub fn at(self, r: usize, lanes: usize) -> [u64; 2] {
        match self {
            Mask::Bits(m) if lanes >= 128 => m,
            Mask::Bits(m) if lanes == 64 => [m[0], 0],
            Mask::Bits(m) => [m[0] & ((1 << lanes) - 1), 0],
            Mask::Total(n) => first(n.saturating_sub(r * lanes).min(lanes)),
        }
    }
}

/// The lowest `n` bits of 128.
pub(crate) fn first(n: usize) -> [u64; 2] {
    let word = |n: usize| if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
    [word(n.min(64)), word(n.saturating_sub(64).min(64))]
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Walk {
    Count(usize),
    Repeats { n: usize, mask: Mask, dst: Stride, src: [Stride; 3] },
}

/// Operand addresses, already checked.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub dst: *mut u8,
    pub src: [*const u8; 3],
}

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Buf([u8; REPEAT]);

impl Buf {
    const ZERO: Buf = Buf([0; REPEAT]);
}

/// # Safety
/// Each source holds `n` elements of its size, at most a repeat.
#[inline(always)]
unsafe fn copy_in(buf: &mut Buf, src: *const u8, at: usize, size: usize, n: usize) {
    // SAFETY: as promised by the caller; a repeat fits into the copy.
    unsafe { std::ptr::copy_nonoverlapping(src.add(at * size), buf.0.as_mut_ptr(), n * size) }
}

/// `n` elements one after the other. A repeat is copied before it is computed, so results may take the place of operands.
struct Contiguous<O: Op> {
    op: O,
    place: Place,
    n: usize,
}

impl<O: Op> Body for Contiguous<O> {
    #[inline(always)]
    fn run(self) {
        let Contiguous { op, place, n } = self;
        let sizes = const { Sizes::of::<O>() };
        let lanes = const { Sizes::of::<O>().lanes() };
        let (mut a, mut b, mut c, mut last) = (Buf::ZERO, Buf::ZERO, Buf::ZERO, Buf::ZERO);
        let mut i = 0;
        while i < n {
            let rest = n - i;
            let full = rest >= lanes;
            // SAFETY: the caller checked that every operand holds n elements inside the buffer. The lanes of a last, shorter
            // repeat that are not there hold elements of the one before or zeros: they are computed and dropped.
            unsafe {
                let to = place.dst.add(i * sizes.dst);
                // A length that is known when this is compiled needs no call.
                for (buf, k) in [(&mut a, 0), (&mut b, 1), (&mut c, 2)] {
                    if full {
                        copy_in(buf, place.src[k], i, sizes.src[k], lanes);
                    } else {
                        copy_in(buf, place.src[k], i, sizes.src[k], rest);
                    }
                }
                let d = if full { to.cast::<O::D>() } else { last.0.as_mut_ptr().cast() };
                let (a, b, c) = (a.0.as_ptr().cast::<O::A>(), b.0.as_ptr().cast::<O::B>(), c.0.as_ptr().cast::<O::C>());
                for j in 0..lanes {
                    d.add(j).write(op.f(a.add(j).read(), b.add(j).read(), c.add(j).read()));
                }
                if !full {
                    std::ptr::copy_nonoverlapping(last.0.as_ptr(), to, rest * sizes.dst);
                }
            }
            i += lanes;
        }
    }
}

/// Bits of the lanes that lie in block `k` of an operand with `per` lanes per block.
#[inline]
fn block_bits(mask: [u64; 2], k: usize, per: usize) -> u64 {
    let at = k * per;
    let word = mask[at / 64] >> (at % 64);
    if per >= 64 { word } else { word & ((1 << per) - 1) }
}

/// # Safety
/// Active blocks lie inside the buffer.
unsafe fn gather(buf: &mut Buf, src: *const u8, size: usize, s: Stride, r: usize, mask: [u64; 2], lanes: usize) {
    if size == 0 {
        return;
    }
    let per = (BLOCK / size).min(lanes);
    for k in 0..lanes / per {
        if block_bits(mask, k, per) != 0 {
            // SAFETY: an active block, and the copy has room for one.
            unsafe {
                let from = src.add(r * s.rep + k * s.blk);
                std::ptr::copy_nonoverlapping(from, buf.0.as_mut_ptr().add(k * BLOCK), per * size);
            }
        }
    }
}

/// # Safety
/// As for [`gather`].
unsafe fn scatter(buf: &Buf, dst: *mut u8, size: usize, s: Stride, r: usize, mask: [u64; 2], lanes: usize) {
    let per = (BLOCK / size).min(lanes);
    let full = if per >= 64 { u64::MAX } else { (1 << per) - 1 };
    for k in 0..lanes / per {
        let bits = block_bits(mask, k, per);
        if bits == 0 {
            continue;
        }
        // SAFETY: an active block, and its copy.
        let (to, from) = unsafe { (dst.add(r * s.rep + k * s.blk), buf.0.as_ptr().add(k * BLOCK)) };
        if bits == full {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(from, to, per * size) };
        } else {
            for j in (0..per).filter(|j| bits >> j & 1 != 0) {
                // SAFETY: as above.
                unsafe { std::ptr::copy_nonoverlapping(from.add(j * size), to.add(j * size), size) };
            }
        }
    }
}

/// A lane function behind a pointer: what walks around it is compiled once for all of them.
struct Kernel<'a> {
    sizes: Sizes,
    /// Elements one after the other.
    run: &'a dyn Fn(Place, usize),
}

impl Kernel<'_> {
    fn walk(&self, walk: Walk, place: Place) {
        match walk {
            Walk::Count(n) => (self.run)(place, n),
            Walk::Repeats { n, mask, dst, src } => match dense(self.sizes, n, mask, dst, src) {
                Some(n) => (self.run)(place, n),
                None => self.strided(place, n, mask, dst, src),
            },
        }
    }

    fn strided(&self, place: Place, n: usize, mask: Mask, dst: Stride, src: [Stride; 3]) {
        let (sizes, lanes) = (self.sizes, self.sizes.lanes());
        let (mut from, mut out) = ([Buf::ZERO; 3], Buf::ZERO);
        for r in 0..n {
            let m = mask.at(r, lanes);
            if m == [0, 0] {
                continue;
            }
            // SAFETY: the caller checked the extent of the active lanes of every operand.
            unsafe {
                for (k, buf) in from.iter_mut().enumerate() {
                    gather(buf, place.src[k], sizes.src[k], src[k], r, m, lanes);
                }
                let src = [from[0].0.as_ptr(), from[1].0.as_ptr(), from[2].0.as_ptr()];
                (self.run)(Place { dst: out.0.as_mut_ptr(), src }, lanes);
                scatter(&out, place.dst, sizes.dst, dst, r, m, lanes);
            }
        }
    }
}

/// Repeats that touch the elements of a dense call, in its order: how many.
fn dense(sizes: Sizes, n: usize, mask: Mask, dst: Stride, src: [Stride; 3]) -> Option<usize> {
    let lanes = sizes.lanes();
    let is_dense = |s: Stride, size: usize| size == 0 || (s.blk == BLOCK && s.rep == lanes * size);
    if !is_dense(dst, sizes.dst) || !src.iter().zip(sizes.src).all(|(s, size)| is_dense(*s, size)) {
        return None;
    }
    leading(n, mask, lanes)
}

/// How many elements are active, where they are the first ones of all repeats.
fn leading(n: usize, mask: Mask, lanes: usize) -> Option<usize> {
    match mask {
        Mask::Total(total) => Some(total.min(n * lanes)),
        Mask::Bits(_) => (mask.at(0, lanes) == first(lanes)).then_some(n * lanes),
    }
}

/// Runs `op` over a walk.
pub(crate) fn run<O: Op>(op: O, walk: Walk, place: Place) {
    let run = |place, n| isa::dispatch(Contiguous { op, place, n });
    Kernel { sizes: Sizes::of::<O>(), run: &run }.walk(walk, place)
}

/// Like [`run`] without the per-instruction-set copies: for variants that are rarely used.
pub(crate) fn run_plain<O: Op>(op: O, walk: Walk, place: Place) {
    let run = |place, n| Contiguous { op, place, n }.run();
    Kernel { sizes: Sizes::of::<O>(), run: &run }.walk(walk, place)
}

/// Bytes from the start of an operand to the end of its last active lane; 0 when nothing is active.
pub(crate) fn extent(walk: &Walk, stride: Stride, size: usize, lanes: usize) -> usize {
    let (n, mask) = match *walk {
        Walk::Count(n) => return n * size,
        Walk::Repeats { n, mask, .. } => (n, mask),
    };
    let per = (BLOCK / size).min(lanes);
    // Repeats are equal except for the last one in counter mode, so the last two decide.
    (n.saturating_sub(2)..n)
        .map(|r| {
            let m = mask.at(r, lanes);
            let blocks = (0..lanes / per).filter_map(|k| {
                let bits = block_bits(m, k, per);
                (bits != 0).then(|| r * stride.rep + k * stride.blk + (64 - bits.leading_zeros() as usize) * size)
            });
            blocks.max().unwrap_or(0)
        })
        .max()
        .unwrap_or(0)
}

/// Calls `f` with the runs of bytes that the active lanes of one operand touch, adjacent runs joined.
pub(crate) fn runs(n: usize, mask: Mask, stride: Stride, size: usize, lanes: usize, mut f: impl FnMut(usize, usize)) {
    if stride.blk == BLOCK
        && stride.rep == lanes * size
        && let Some(active) = leading(n, mask, lanes)
    {
        if active > 0 {
            f(0, active * size);
        }
        return;
    }
    let per = (BLOCK / size).min(lanes);
    let mut open: Option<(usize, usize)> = None;
    let mut put = |at: usize, len: usize| match &mut open {
        Some((start, n)) if *start + *n == at => *n += len,
        // The same bytes again: a block that a source repeats.
        Some((start, n)) if at >= *start && at + len <= *start + *n => {}
        _ => {
            if let Some((start, n)) = open.replace((at, len)) {
                f(start, n);
            }
        }
    };
    for r in 0..n {
        let m = mask.at(r, lanes);
        for k in 0..lanes / per {
            let mut bits = block_bits(m, k, per);
            let base = r * stride.rep + k * stride.blk;
            while bits != 0 {
                let from = bits.trailing_zeros() as usize;
                let len = (!(bits >> from)).trailing_zeros() as usize;
                put(base + from * size, len.min(per - from) * size);
                bits &= if from + len >= 64 { 0 } else { u64::MAX << (from + len) };
            }
        }
    }
    if let Some((start, n)) = open {
        f(start, n);
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;

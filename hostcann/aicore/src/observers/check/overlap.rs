//! Sources and destinations that overlap.
//!
//! Inside one repeat a source and the destination coincide completely or are apart; across repeats the destination of
//! one repeat is not the source of the next, except in the accumulate idiom (general constraints page; Brcb, Gather,
//! Compare, Select and Cast pages).

use super::Declared;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{CopyIns, Dtype, Opcode, Operand},
        lanes::{BLOCK, REPEAT},
        pipe::Pipe,
    },
    instruction::{
        shape::{Place, Shape},
        vector::Head,
    },
    machine::observe::Access,
};

fn ranges_meet(a: &Declared, b: &Declared) -> bool {
    let end = |o: &Declared| o.end.min(o.addr + o.shape.extent());
    a.addr < end(b) && b.addr < end(a)
}

fn raise(pipe: Pipe, name: String, dst: &Declared, src: &Declared, what: &str, fix: &str) -> Raise {
    let end = |o: &Declared| o.addr + o.shape.extent();
    Raise::new(FaultClass::Overlap, pipe, name, what)
        .operand(src.name)
        .expected("dst and source at the same place, or apart")
        .got(format!("dst at UB bytes {} to {}, {} at {} to {}", dst.addr, end(dst), src.name, src.addr, end(src)))
        .fix(fix)
}

const APART: &str = "write the result to another tensor";

pub(crate) fn vector(head: &Head, operands: &[Declared], gathered: &[(usize, usize)]) -> Option<Raise> {
    let op = head.op;
    let dst = operands.iter().find(|o| o.access == Access::Write && o.name == "dst")?;
    let found = |src: &Declared, what: &str| Some(raise(Pipe::V, head.name(), dst, src, what, APART));
    let sources = operands.iter().filter(|o| o.access == Access::Read && o.name != "dst");
    // What changes nothing is told only when no other source is overwritten.
    let mut harmless = None;
    for src in sources.filter(|s| ranges_meet(dst, s)) {
        match (dst.shape, src.shape) {
            _ if op == Opcode::MrgSort => {
                return found(src, "dst overlaps a list that is merged");
            }
            _ if op == Opcode::Gather && dst.addr == src.addr && dst.shape == src.shape => {
                harmless = found(src, "dst overlaps the offsets of its elements").map(Raise::rule);
            }
            (Shape::Bits { .. }, _) if masks_behind(op, dst, src) => {
                harmless = found(src, "a bit mask overlaps the elements it belongs to").map(Raise::rule);
            }
            _ if matches!(op, Opcode::Brcb | Opcode::Gather | Opcode::Gatherb) => {
                return found(src, "dst overlaps a source of an instruction that spreads its elements");
            }
            (Shape::Bits { .. }, _) | (_, Shape::Bits { .. }) => {
                return found(src, "a bit mask overlaps the elements it belongs to");
            }
            (Shape::Dense { size, .. }, Shape::Dense { size: s, .. }) => {
                if size != s {
                    let what = "dst overlaps a source of another element size";
                    let read = narrows(dst, src) || widens_from_behind((dst.addr, size), (src.addr, s), dst.shape);
                    return found(src, what).map(|r| if read { r.rule() } else { r });
                }
                // A count runs repeat after repeat too: dst may trail a source by whole repeats, which are read by then.
                if dst.addr != src.addr && dst.addr + REPEAT > src.addr {
                    return found(src, "dst overlaps a source in part");
                }
            }
            (Shape::Lanes { .. }, Shape::Lanes { .. }) => {
                let Some(what) = repeats(head, dst, src) else { continue };
                if !results_behind(dst, src) {
                    return found(src, what).map(|r| if narrows(dst, src) { r.rule() } else { r });
                }
                harmless = found(src, what).map(Raise::rule);
            }
            // Reductions to one result and whatever else has no lanes of its own.
            _ => {}
        }
    }
    // These read everything before they write.
    if matches!(op, Opcode::GatherMask | Opcode::Transpose) {
        return harmless;
    }
    let (start, end) = (dst.addr, dst.addr + dst.shape.extent());
    let meets = |&(at, len): &(usize, usize)| at < end && start < at + len;
    let Some(first) = gathered.iter().copied().find(meets) else {
        return harmless;
    };
    // Elements of the block that a result goes to, and of blocks behind it, are read before they are overwritten (see the
    // model's gather); one of a block before it is not.
    let written = |(from, to): &((usize, usize), usize)| meets(from) && from.0 / BLOCK < to / BLOCK;
    let lost = match op {
        Opcode::Gather => gathered.iter().copied().zip(places(dst)).find(written).map(|(from, _)| from),
        _ => Some(first),
    };
    let (at, len) = lost.unwrap_or(first);
    let src = Declared {
        name: "src",
        addr: at,
        shape: Shape::Bytes(len),
        access: Access::Read,
        end: at + len,
        ordered: true,
    };
    let raise = found(&src, "dst overlaps the elements that are gathered");
    if lost.is_some() { raise } else { harmless.or(raise.map(Raise::rule)) }
}

/// Where the results of Gather go, in their order.
fn places(dst: &Declared) -> impl Iterator<Item = usize> {
    let (addr, shape) = (dst.addr, dst.shape);
    (0..shape.lanes().unwrap_or(0)).filter_map(move |lane| match shape.place(lane) {
        Place::Bytes { at, .. } => Some(addr + at),
        _ => None,
    })
}

/// Whether the results of a reduction per repeat, block or pair stay behind what it still has to read: a repeat is read
/// before its results are written, and they end where the next one starts or before. The pages want operands that coincide
/// or are apart (general constraints page).
fn results_behind(dst: &Declared, src: &Declared) -> bool {
    match (dst.shape, src.shape) {
        (Shape::Lanes { stride: d, size, lanes: results, .. }, Shape::Lanes { n, stride: s, lanes, .. }) => {
            let spares = d.rep <= s.rep && results * size <= s.rep;
            results < lanes && dst.addr <= src.addr && (n == 1 || spares)
        }
        _ => false,
    }
}

/// Whether a narrower result goes to the place of its source: what it overwrites has been read, in this repeat or before. The
/// pages want operands that coincide, and warn of wider results only (Cast page).
fn narrows(dst: &Declared, src: &Declared) -> bool {
    let behind = match (dst.shape, src.shape) {
        (Shape::Dense { size, .. }, Shape::Dense { size: s, .. }) => size < s,
        (Shape::Lanes { stride: d, size, .. }, Shape::Lanes { stride: s, size: wide, .. }) => {
            size < wide && d.blk == BLOCK && s.blk == BLOCK && d.rep <= s.rep && s.rep >= REPEAT
        }
        _ => false,
    };
    behind && dst.addr == src.addr
}

/// Whether a wider result comes to a source that lies further up, and no repeat writes to what a later one reads: operators
/// copy in to the end of a buffer and widen to its start. Operands are address and element size.
fn widens_from_behind(dst: (usize, usize), src: (usize, usize), shape: Shape) -> bool {
    let (per, count) = (REPEAT / dst.1, shape.extent() / dst.1);
    let spares = |next: &usize| dst.0 + next * dst.1 <= src.0 + next * src.1;
    src.0 > dst.0 && src.1 < dst.1 && (per..count).step_by(per).all(|next| spares(&next))
}

/// Whether a comparison writes its mask where only this repeat and those before it read: a repeat moves on by at least a
/// block of elements, and by less than a block of mask bytes. Its pages say nothing of overlap, which counts as not supported.
fn masks_behind(op: Opcode, dst: &Declared, src: &Declared) -> bool {
    let moves_on = match src.shape {
        Shape::Lanes { n, stride, .. } => n == 1 || stride.rep >= BLOCK,
        _ => false,
    };
    matches!(op, Opcode::Compare | Opcode::CompareScalar) && dst.addr <= src.addr && moves_on
}

/// Start of every active block of repeat `r`, and how many bytes of it may be touched.
fn blocks(o: &Declared, r: usize) -> ([usize; 8], usize) {
    let mut at = [usize::MAX; 8];
    let Shape::Lanes { mask, stride, size, lanes, .. } = o.shape else { return (at, 0) };
    let per = (BLOCK / size).min(lanes);
    let m = mask.at(r, lanes);
    for (k, at) in at.iter_mut().enumerate().take(lanes / per) {
        let bit = k * per;
        let word = m[bit / 64] >> (bit % 64);
        let on = if per >= 64 { word } else { word & ((1 << per) - 1) };
        if on != 0 {
            *at = o.addr + r * stride.rep + k * stride.blk;
        }
    }
    (at, per * size)
}

fn meet(a: &[usize; 8], b: &[usize; 8], la: usize, lb: usize) -> bool {
    let live = |x: &&usize| **x != usize::MAX;
    a.iter().filter(live).any(|x| b.iter().filter(live).any(|y| *x < y + lb && *y < x + la))
}

fn repeats(head: &Head, dst: &Declared, src: &Declared) -> Option<&'static str> {
    let (Shape::Lanes { n, stride: d, size: ds, .. }, Shape::Lanes { stride: s, size: ss, .. }) =
        (dst.shape, src.shape)
    else {
        return None;
    };
    if dst.addr == src.addr && d == s && ds == ss && d.rep >= 7 * d.blk + BLOCK {
        return None;
    }
    let accumulates = {
        use Opcode::*;
        matches!(head.op, Add | Sub | Mul | Max | Min | AddRelu | SubRelu)
            && matches!(head.dtype, Dtype::F16 | Dtype::F32 | Dtype::I32)
            && src.name == "src1"
            && dst.addr == src.addr
            && (s.rep == 0 || d.rep == 0)
    };
    let mut before: Option<[usize; 8]> = None;
    for r in 0..n {
        let ((to, wide), (from, narrow)) = (blocks(dst, r), blocks(src, r));
        if meet(&to, &from, wide, narrow) && (to != from || ds != ss) {
            return Some("dst overlaps a source in part inside one repeat");
        }
        if let Some(before) = before
            && !accumulates
            && meet(&before, &from, wide, narrow)
        {
            return Some("the destination of one repeat is the source of the next");
        }
        before = Some(to);
    }
    None
}

/// A high-level function whose page allows no overlap. It changes nothing on exactly the same bytes where the device's
/// function has read them before it writes them.
pub(crate) fn call(name: &str, [dst, sources @ ..]: [Operand; 3], reads_first: bool) -> Option<Raise> {
    let (i, o) = sources.iter().enumerate().find(|(_, o)| dst.meets(**o))?;
    let raise = Raise::new(FaultClass::Overlap, Pipe::V, name, "the destination lies over a source")
        .silent()
        .operand(format!("src{i}"))
        .expected(format!("bytes outside of dst, {} to {}", dst.addr, dst.addr + dst.bytes))
        .got(format!("bytes {} to {}", o.addr, o.addr + o.bytes))
        .fix("give the result a buffer of its own; the page of this function allows no overlap");
    Some(if reads_first && dst.addr == o.addr { raise.rule() } else { raise })
}

/// UB -> UB copies. Bursts run in order and a burst block by block: one that moves down, and falls behind no burst it still
/// has to read, overwrites what has been read. No page says so, overlap counts as not supported (general constraints page).
pub(crate) fn copy(ins: &CopyIns, operands: &[Declared]) -> Option<Raise> {
    if ins.pipe() != Pipe::V {
        return None;
    }
    let of = |access| operands.iter().find(|o| o.access == access);
    let (dst, src) = (of(Access::Write)?, of(Access::Read)?);
    let same = dst.addr == src.addr && ins.dst_stride == ins.src_stride;
    if same || !ranges_meet(dst, src) || !runs_meet(dst, src) {
        return None;
    }
    let raise = raise(Pipe::V, ins.name(), dst, src, "dst overlaps the source in part", APART);
    let moves_down = dst.addr <= src.addr && ins.dst_stride <= ins.src_stride;
    Some(if moves_down { raise.rule() } else { raise })
}

fn runs_meet(a: &Declared, b: &Declared) -> bool {
    let runs = |o: &Declared| {
        let mut v = Vec::new();
        o.shape.runs(|at, len| v.push((o.addr + at, o.addr + at + len)));
        v
    };
    let (a, b) = (runs(a), runs(b));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].0 < b[j].1 && b[j].0 < a[i].1 {
            return true;
        }
        if a[i].1 <= b[j].1 { i += 1 } else { j += 1 }
    }
    false
}

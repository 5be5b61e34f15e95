//! ReduceMax, ReduceMin and ReduceSum over a whole tensor.

use crate::{
    core::{Core, bad_dtype},
    event::Pipe,
    fault::Raise,
    float::{F16, Pod, canon, f16_to_f32, f32_to_f16, round},
    ins::{Dtype, Opcode, VecIns},
    lanes::{Mask, REPEAT, Walk, first},
    shape::Shape,
};

trait Value: Pod {
    fn up(self) -> f32;
    fn down(x: f32) -> Self;
    /// The bits of an index, as the instruction stores it in the element type.
    fn index(i: usize) -> Self;
}
impl Value for f32 {
    fn up(self) -> f32 {
        self
    }
    fn down(x: f32) -> f32 {
        canon(x)
    }
    fn index(i: usize) -> f32 {
        f32::from_bits(i as u32)
    }
}
impl Value for F16 {
    fn up(self) -> f32 {
        f16_to_f32(self)
    }
    fn down(x: f32) -> F16 {
        f32_to_f16::<{ round::RINT }, false>(x)
    }
    fn index(i: usize) -> F16 {
        F16(i as u16)
    }
}

pub(crate) fn execute(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    match ins.dst_type() {
        Some(Dtype::F32) => run::<f32>(core, ins, op),
        Some(Dtype::F16) => run::<F16>(core, ins, op),
        _ => Err(bad_dtype(ins, &[Dtype::F16, Dtype::F32])),
    }
}

/// Operands: dst, src0 = src, src1 = work buffer.
fn run<T: Value>(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    let size = size_of::<T>();
    let lanes = REPEAT / size;
    let n = match core.walk(ins, lanes) {
        Walk::Count(n) => n,
        // ReduceSum without isSetMask: the mask registers say how many.
        walk => match prefix(&walk, lanes).filter(|_| op == Opcode::ReduceSum) {
            Some(n) => n,
            None => return Err(Raise::unsupported(Pipe::V, &format!("{} with mask and repeat", op.name()))),
        },
    };
    if n == 0 {
        return Ok(());
    }
    let with_index = op != Opcode::ReduceSum && ins.flags & 1 != 0;
    let repeats = n.div_ceil(lanes);
    let src = core.read(ins, "src", ins.src[0], Shape::Bytes(n.saturating_mul(size)))? as *const T;
    let work =
        core.write(ins, "sharedTmpBuffer", ins.src[1], Shape::Bytes(repeats * size * (1 + with_index as usize)))?
            as *mut T;
    let dst = core.write(ins, "dst", ins.dst, Shape::Bytes(size * (1 + with_index as usize)))? as *mut T;
    // SAFETY: the extents were checked.
    let at = |i: usize| unsafe { src.add(i).read().up() };
    // Each repeat leaves its result in the work buffer; those are then taken in order.
    let mut best = (at(0), 0usize);
    let mut sum = T::down(0.0).up();
    let mut per_repeat = Vec::with_capacity(repeats);
    for r in 0..repeats {
        let (from, to) = (r * lanes, (r * lanes + lanes).min(n));
        if op == Opcode::ReduceSum {
            let part = tree::<T>(&(from..to).map(at).collect::<Vec<_>>());
            sum = if r == 0 { part } else { T::down(sum + part).up() };
            per_repeat.push(T::down(part));
        } else {
            let mut local = (at(from), from);
            for i in from..to {
                if better(op, at(i), local.0) {
                    local = (at(i), i);
                }
            }
            if better(op, local.0, best.0) {
                best = local;
            }
            per_repeat.push(T::down(local.0));
            if with_index {
                per_repeat.push(T::index(local.1 - from));
            }
        }
    }
    // SAFETY: as above. Results are written after everything was read, so dst or work may be src.
    unsafe {
        for (i, v) in per_repeat.iter().enumerate() {
            work.add(i).write(*v);
        }
        dst.write(if op == Opcode::ReduceSum { T::down(sum) } else { T::down(best.0) });
        if with_index {
            dst.add(1).write(T::index(best.1));
        }
    }
    Ok(())
}

/// How many elements one dense repeat under the mask registers takes, if they are the first ones.
fn prefix(walk: &Walk, lanes: usize) -> Option<usize> {
    match *walk {
        Walk::Count(n) | Walk::Repeats { mask: Mask::Total(n), .. } => Some(n),
        Walk::Repeats { n, mask, .. } => {
            let m = mask.at(0, lanes);
            let on = (m[0].count_ones() + m[1].count_ones()) as usize;
            (n == 1 && m == first(on)).then_some(on)
        }
    }
}

/// Whether `x` replaces `y`: the first extreme wins, a NaN wins over everything.
fn better(op: Opcode, x: f32, y: f32) -> bool {
    if y.is_nan() {
        return false;
    }
    x.is_nan() || if op == Opcode::ReduceMax { x > y } else { x < y }
}

/// Binary tree over neighbours, each addition rounded to the element type.
fn tree<T: Value>(x: &[f32]) -> f32 {
    let mut level = x.to_vec();
    while level.len() > 1 {
        level = level.chunks(2).map(|p| if p.len() == 2 { T::down(p[0] + p[1]).up() } else { p[0] }).collect();
    }
    level.first().copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;

    #[test]
    fn max_min_with_index() {
        for n in [1usize, 5, 64, 65, 1000] {
            let x: Vec<f32> = (0..n).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
            let mut t = Bench::new();
            let max = x.iter().copied().fold(f32::MIN, f32::max);
            let min = x.iter().copied().fold(f32::MAX, f32::min);
            for (op, want) in [(Opcode::ReduceMax, max), (Opcode::ReduceMin, min)] {
                let r = t.reduce(op, Dtype::F32, true, &x);
                assert_eq!(r[0], want, "{op:?} {n}");
                assert_eq!(r[1].to_bits() as usize, x.iter().position(|v| *v == want).unwrap());
            }
            let h: Vec<u16> = x.iter().map(|v| half::f16::from_f32(*v).to_bits()).collect();
            let r = t.reduce(Opcode::ReduceMax, Dtype::F16, true, &h);
            assert_eq!(r[0], half::f16::from_f32(max).to_bits());
            assert_eq!(r[1] as usize, x.iter().position(|v| *v == max).unwrap());
        }
        let mut t = Bench::new();
        let r = t.reduce(Opcode::ReduceMax, Dtype::F32, true, &[1.0, f32::NAN, f32::INFINITY]);
        assert_eq!((r[0].to_bits(), r[1].to_bits()), (crate::float::F32_NAN, 1));
    }

    #[test]
    fn sum_is_a_tree_per_repeat() {
        let mut t = Bench::new();
        // 2^24 + 1 + 1: a tree adds the ones first, a running sum would lose them.
        let x = [16777216.0f32, 0.0, 1.0, 1.0];
        assert_eq!(t.reduce(Opcode::ReduceSum, Dtype::F32, false, &x)[0], 16777218.0);
        let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        assert_eq!(t.reduce(Opcode::ReduceSum, Dtype::F32, false, &x)[0], 499500.0);
    }
}

use crate::{
    base::ins::{Dtype, Opcode, VecIns},
    testkit::{A, B, Bench, DST},
};

fn pairs(t: &mut Bench, addr: u32, n: usize) -> Vec<(f32, u32)> {
    t.get::<u32>(addr, 2 * n).chunks(2).map(|c| (f32::from_bits(c[0]), c[1])).collect()
}

/// Stable, descending.
fn sorted(x: &[f32], first: u32) -> Vec<(f32, u32)> {
    let mut v: Vec<(f32, u32)> = x.iter().enumerate().map(|(i, x)| (*x, first + i as u32)).collect();
    v.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
    v
}

#[test]
fn sort32_is_stable_and_descending() {
    let mut t = Bench::new();
    let x: Vec<f32> = (0..96).map(|i| ((i * 29) % 17) as f32 - 8.0).collect();
    let index: Vec<u32> = (0..96).collect();
    t.put(A, &x);
    t.put(B, &index);
    let ins = VecIns { repeat: 3, ..Bench::ins(Opcode::Sort32, Dtype::F32, Dtype::F32, 0) };
    t.core.issue(&ins).unwrap();
    let want: Vec<_> = (0..3).flat_map(|r| sorted(&x[r * 32..r * 32 + 32], r as u32 * 32)).collect();
    assert_eq!(pairs(&mut t, DST, 96), want);
    let h: Vec<u16> = x.iter().map(|v| half::f16::from_f32(*v).to_bits()).collect();
    t.put(A, &h);
    t.core.issue(&VecIns { dtype: Dtype::F16 as u8, stype: Dtype::F16 as u8, ..ins }).unwrap();
    let want: Vec<(u16, u32)> = want.iter().map(|(v, i)| (half::f16::from_f32(*v).to_bits(), *i)).collect();
    let got: Vec<(u16, u32)> = t.get::<u64>(DST, 96).iter().map(|e| (*e as u16, (*e >> 32) as u32)).collect();
    assert_eq!(got, want);
}

/// Rows of special values: how many elements, and where NaN, infinities and zeros of both signs stand.
fn special(n: usize, nans: usize) -> Vec<f32> {
    let mut x: Vec<f32> = (0..n).map(|i| ((i * 29) % 17) as f32 - 8.0).collect();
    for (at, value) in [(1, f32::INFINITY), (4, f32::NEG_INFINITY), (6, 0.0), (9, -0.0), (10, 0.0), (12, f32::INFINITY)]
    {
        x[at % n] = value;
    }
    (0..nans).for_each(|i| x[(i * 7 + 3) % n] = if i % 2 == 0 { f32::NAN } else { -f32::NAN });
    x
}

/// Bits and indices: NaN first, then descending, equal ones in their order.
fn ordered(mut v: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let key = |bits: u32| f32::from_bits(bits);
    let before = |a: f32, b: f32| (a.is_nan() && !b.is_nan()) || a > b;
    // Bubbles, so that nothing of the library under test is used.
    for end in (1..v.len()).rev() {
        for i in 0..end {
            if before(key(v[i + 1].0), key(v[i].0)) {
                v.swap(i, i + 1);
            }
        }
    }
    v
}

#[test]
fn nan_comes_first_in_sort_and_merge() {
    let mut t = Bench::new();
    let index: Vec<u32> = (0..128).collect();
    t.put(B, &index);
    let ins = VecIns { repeat: 1, ..Bench::ins(Opcode::Sort32, Dtype::F32, Dtype::F32, 0) };
    for nans in [0, 1, 2, 5, 31, 32] {
        let x = special(32, nans);
        t.put(A, &x);
        t.core.issue(&ins).unwrap();
        let all: Vec<(u32, u32)> = x.iter().map(|x| x.to_bits()).zip(0..).collect();
        let got: Vec<(u32, u32)> = t.get::<u32>(DST, 64).chunks(2).map(|c| (c[0], c[1])).collect();
        assert_eq!(got, ordered(all), "{nans} NaN");
        let half: Vec<u16> = x.iter().map(|v| half::f16::from_f32(*v).to_bits()).collect();
        t.put(A, &half);
        t.core.issue(&VecIns { dtype: Dtype::F16 as u8, stype: Dtype::F16 as u8, ..ins }).unwrap();
        let got: Vec<u32> = t.get::<u64>(DST, 32).iter().map(|e| (*e >> 32) as u32).collect();
        let wide: Vec<(u32, u32)> = half.iter().map(|h| half::f16::from_bits(*h).to_f32().to_bits()).zip(0..).collect();
        assert_eq!(got, ordered(wide).iter().map(|e| e.1).collect::<Vec<_>>(), "{nans} NaN in half");
    }
    for (lengths, valid) in [([32u64, 32, 32, 32], 15u8), ([5, 40, 17, 0], 7), ([33, 20, 0, 0], 3)] {
        for nans in [0, 1, 3, 16] {
            let mut first = 0;
            let queues: Vec<Vec<(u32, u32)>> = (lengths.iter().filter(|n| **n > 0))
                .map(|n| {
                    let bits = special(*n as usize, nans.min(*n as usize)).into_iter().map(f32::to_bits);
                    let queue = ordered(bits.zip(first..).collect());
                    first += *n as u32;
                    queue
                })
                .collect();
            let all: Vec<(u32, u32)> = queues.concat();
            t.put(A, &all.iter().flat_map(|(v, i)| [*v, *i]).collect::<Vec<u32>>());
            t.core.issue(&merge(lengths, valid, false, 1)).unwrap();
            let got: Vec<(u32, u32)> = t.get::<u32>(DST, 2 * all.len()).chunks(2).map(|c| (c[0], c[1])).collect();
            assert_eq!(got, ordered(all), "{lengths:?}, {nans} NaN each");
        }
    }
}

/// Queues of these lengths, one after the other at A.
fn merge(lengths: [u64; 4], valid: u8, suspend: bool, repeat: u8) -> VecIns {
    let mut ins = Bench::ins(Opcode::MrgSort, Dtype::F32, Dtype::F32, 0);
    let mut at = A;
    let mut addr = [0u32; 4];
    for i in 0..4 {
        addr[i] = at;
        at += lengths[i] as u32 * 8;
    }
    for (src, addr) in ins.src.iter_mut().zip(addr) {
        src.addr = addr;
    }
    ins.scalar = addr[3] as u64;
    ins.mask[0] = (0..4).map(|i| lengths[i] << (16 * i)).sum();
    VecIns { mode: valid, flags: suspend as u8, repeat, ..ins }
}

fn fill(t: &mut Bench, addr: u32, queues: &[Vec<f32>]) -> Vec<(f32, u32)> {
    let mut all = Vec::new();
    for q in queues {
        let first = all.len() as u32;
        all.extend(sorted(q, first));
    }
    let words: Vec<u32> = all.iter().flat_map(|(v, i)| [v.to_bits(), *i]).collect();
    t.put(addr, &words);
    all
}

fn queue(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 31 + seed * 7) % 23) as f32).collect()
}

#[test]
fn merge_keeps_the_order_of_equal_scores() {
    let mut t = Bench::new();
    for (lengths, valid) in [([32u64, 32, 32, 32], 15u8), ([5, 40, 1, 0], 7), ([33, 7, 0, 0], 3)] {
        let queues: Vec<Vec<f32>> = lengths.iter().enumerate().map(|(i, n)| queue(*n as usize, i)).collect();
        let all = fill(&mut t, A, &queues);
        t.core.issue(&merge(lengths, valid, false, 1)).unwrap();
        let mut want = all.clone();
        want.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
        assert_eq!(pairs(&mut t, DST, all.len()), want, "{lengths:?}");
        let taken = lengths.iter().rev().fold(0, |b, n| b << 16 | n);
        assert_eq!(t.core.machine.spr.read(4).unwrap(), taken);
    }
}

#[test]
fn merge_repeats_and_suspends() {
    let mut t = Bench::new();
    let queues: Vec<Vec<f32>> = (0..8).map(|i| queue(32, i)).collect();
    let first = fill(&mut t, A, &queues[..4]);
    let second = fill(&mut t, A + 4 * 256, &queues[4..]);
    t.core.issue(&merge([32; 4], 15, false, 2)).unwrap();
    let by_score = |mut v: Vec<(f32, u32)>| {
        v.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
        v
    };
    assert_eq!(pairs(&mut t, DST, 128), by_score(first));
    assert_eq!(pairs(&mut t, DST + 1024, 128), by_score(second));
    // The second queue has the high scores and runs out first.
    fill(&mut t, A, &[vec![3.0, 2.0, 1.0], vec![9.0, 8.0], vec![], vec![]]);
    t.put(DST, &[0u64; 5]);
    t.core.issue(&merge([3, 2, 0, 0], 3, true, 1)).unwrap();
    assert_eq!(pairs(&mut t, DST, 3), [(9.0, 3), (8.0, 4), (0.0, 0)]);
    assert_eq!(t.core.machine.spr.read(4).unwrap(), 2 << 16);
}

/// Queues of these values in the type of the scores, each sorted, one after the other at A; all of them as (score, index).
fn fill_special(t: &mut Bench, queues: &[Vec<f32>], half: bool) -> Vec<Vec<(u32, u32)>> {
    let mut first = 0;
    let sorted: Vec<Vec<(u32, u32)>> = (queues.iter())
        .map(|queue| {
            let queue = ordered(queue.iter().map(|x| x.to_bits()).zip(first..).collect());
            first += queue.len() as u32;
            queue
        })
        .collect();
    let element = |(bits, index): &(u32, u32)| match half {
        true => u64::from(half::f16::from_f32(f32::from_bits(*bits)).to_bits()) | u64::from(*index) << 32,
        false => u64::from(*bits) | u64::from(*index) << 32,
    };
    t.put(A, &sorted.iter().flatten().map(element).collect::<Vec<u64>>());
    sorted
}

/// Indices that a merge writes.
fn merged(t: &mut Bench, n: usize) -> Vec<u32> {
    t.get::<u64>(DST, n).iter().map(|e| (*e >> 32) as u32).collect()
}

fn indices(v: &[(u32, u32)]) -> Vec<u32> {
    v.iter().map(|(_, index)| *index).collect()
}

/// In both types, in several repeats, and where the merge ends with the first queue that is used up.
#[test]
fn nan_comes_first_in_half_in_repeats_and_in_a_suspended_merge() {
    let mut t = Bench::new();
    for is_half in [false, true] {
        let of = |ins: VecIns| {
            let dtype = if is_half { Dtype::F16 } else { Dtype::F32 } as u8;
            VecIns { dtype, stype: dtype, ..ins }
        };
        for nans in [0, 1, 3, 16, 32] {
            let queues: Vec<Vec<f32>> = (0..8).map(|i| special(32, if i % 3 == 2 { 0 } else { nans })).collect();
            let sorted = fill_special(&mut t, &queues, is_half);
            t.core.issue(&of(merge([32; 4], 15, false, 2))).unwrap();
            let want: Vec<u32> = sorted.chunks(4).flat_map(|four| indices(&ordered(four.concat()))).collect();
            assert_eq!(merged(&mut t, 256), want, "{nans} NaN, half {is_half}, two repeats");
            for (lengths, valid) in [([32u64, 32, 32, 32], 15u8), ([5, 40, 17, 0], 7), ([33, 20, 0, 0], 3)] {
                let queues: Vec<Vec<f32>> = (lengths.iter().enumerate())
                    .map(|(i, n)| if *n == 0 { Vec::new() } else { special(*n as usize, (nans + i).min(*n as usize)) })
                    .collect();
                let sorted = fill_special(&mut t, &queues, is_half);
                let all = ordered(sorted.concat());
                // A suspended merge ends with the element that is the last of its queue.
                let lasts: Vec<(u32, u32)> = sorted.iter().filter_map(|queue| queue.last().copied()).collect();
                let end = 1 + all.iter().position(|element| lasts.contains(element)).unwrap();
                for (suspend, n) in [(false, all.len()), (true, end)] {
                    t.put(DST, &vec![u64::MAX; all.len() + 1]);
                    t.core.issue(&of(merge(lengths, valid, suspend, 1))).unwrap();
                    let place = format!("{lengths:?}, {nans} NaN, half {is_half}, suspend {suspend}");
                    assert_eq!(merged(&mut t, n), indices(&all[..n]), "{place}");
                    assert_eq!(merged(&mut t, n + 1)[n], u32::MAX, "{place}");
                    let taken = |queue: &Vec<(u32, u32)>| all[..n].iter().filter(|e| queue.contains(e)).count() as u64;
                    let want = sorted.iter().rev().fold(0, |bits, queue| bits << 16 | taken(queue));
                    assert_eq!(t.core.machine.spr.read(4).unwrap(), want, "{place}");
                }
            }
        }
    }
}

#[test]
fn merge_faults() {
    let mut t = Bench::new();
    let e = t.core.issue(&merge([1; 4], 5, false, 1)).unwrap_err();
    assert_eq!(e.operand.as_deref(), Some("validBit"));
    let e = t.core.issue(&merge([1, 2, 1, 1], 15, false, 2)).unwrap_err();
    assert_eq!(e.operand.as_deref(), Some("repeatTimes"));
    let e = t.core.issue(&merge([5000, 1, 1, 1], 15, false, 1)).unwrap_err();
    assert_eq!(e.operand.as_deref(), Some("elementLengths[0]"));
}

//! Which sum comes out, by hand, whatever order the host calls in.

use super::*;

const SUM: Atomic = Atomic { op: AtomicOp::Add, dtype: Dtype::F32 };

fn add(adds: &Adds, core: u32, atomic: Atomic, value: u32, cell: &mut u32) {
    let src = value.to_ne_bytes();
    // SAFETY: both sides have 4 bytes.
    unsafe { adds.combine(core, atomic, src.as_ptr(), (&raw mut *cell).cast(), 4) };
}

fn sum(adds: &Adds, core: u32, value: f32, cell: &mut u32) {
    add(adds, core, SUM, value.to_bits(), cell);
}

fn value(cell: u32) -> f32 {
    f32::from_bits(cell)
}

/// 2^24 + 1 is 2^24, so the result says who came first.
const BIG: f32 = 16777216.0;

#[test]
fn adds_count_in_the_order_of_the_cores() {
    // By core: 1, 2^24, 1, -2^24. From the front 1 + 2^24 = 2^24, + 1 = 2^24, - 2^24 = 0; from the back -2^24 + 1 + 2^24 + 1 = 2.
    for (order, want) in [(AtomicOrder::Ascending, 0.0), (AtomicOrder::Descending, 2.0)] {
        for sequence in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let adds = Adds::new(order);
            let mut cell = 0f32.to_bits();
            for core in sequence {
                sum(&adds, core, [1.0, BIG, 1.0, -BIG][core as usize], &mut cell);
                adds.ended(core);
            }
            adds.finish();
            assert_eq!(value(cell), want, "{order} {sequence:?}");
        }
    }
}

#[test]
fn the_first_core_that_has_not_ended_adds_at_once() {
    let adds = Adds::new(AtomicOrder::Ascending);
    let mut cell = 0f32.to_bits();
    sum(&adds, 1, BIG, &mut cell);
    assert_eq!(value(cell), 0.0, "core 0 may still add");
    adds.ended(0);
    assert_eq!(value(cell), BIG);
    sum(&adds, 1, 2.0, &mut cell);
    assert_eq!(value(cell), BIG + 2.0);
}

#[test]
fn other_accesses_find_the_sum() {
    let adds = Adds::new(AtomicOrder::Ascending);
    let mut cells = [0u32; 2];
    sum(&adds, 1, 2.0, &mut cells[0]);
    sum(&adds, 2, 3.0, &mut cells[1]);
    let at = cells.as_ptr() as usize;
    adds.settle(at + 8, 64);
    assert_eq!(cells.map(value), [0.0, 0.0]);
    adds.settle(at - 60, 61);
    assert_eq!(cells.map(value), [2.0, 0.0]);
    add(&adds, 0, Atomic { op: AtomicOp::Max, ..SUM }, 1f32.to_bits(), &mut cells[1]);
    assert_eq!(cells.map(value), [2.0, 3.0]);
    sum(&adds, 1, 4.0, &mut cells[0]);
    adds.post(1);
    sum(&adds, 1, 5.0, &mut cells[0]);
    adds.settle_posted();
    assert_eq!(value(cells[0]), 6.0);
    adds.settle_all();
    assert_eq!(value(cells[0]), 11.0);
}

#[test]
fn integers_never_wait() {
    let adds = Adds::new(AtomicOrder::Descending);
    let mut cell = 5;
    add(&adds, 3, Atomic { op: AtomicOp::Add, dtype: Dtype::I32 }, 2, &mut cell);
    assert_eq!(cell, 7);
}

#[test]
fn a_second_run_starts_with_core_0() {
    let adds = Adds::new(AtomicOrder::Ascending);
    let mut cell = 0;
    (0..3).for_each(|core| adds.ended(core));
    adds.finish();
    sum(&adds, 0, 1.0, &mut cell);
    assert_eq!(value(cell), 1.0);
    sum(&adds, 1, 1.0, &mut cell);
    assert_eq!(value(cell), 1.0);
}

//! Walks of the lane engine: masks, dense repeats, extents, in place and strided.

use super::*;

#[derive(Clone, Copy)]
struct Inc;
impl Op for Inc {
    type D = i32;
    type A = i32;
    type B = ();
    type C = ();
    #[inline(always)]
    fn f(self, a: i32, _: (), _: ()) -> i32 {
        a.wrapping_add(1)
    }
}

#[test]
fn masks() {
    assert_eq!(first(0), [0, 0]);
    assert_eq!(first(64), [u64::MAX, 0]);
    assert_eq!(first(65), [u64::MAX, 1]);
    assert_eq!(first(128), [u64::MAX; 2]);
    assert_eq!(Mask::Total(70).at(1, 64), [0x3f, 0]);
    assert_eq!(Mask::Total(70).at(2, 64), [0, 0]);
}

#[test]
fn dense_repeats() {
    let dense_of =
        |mask, blk, rep| dense(Sizes::of::<Inc>(), 3, mask, Stride { blk: 32, rep: 256 }, [Stride { blk, rep }; 3]);
    assert_eq!(dense_of(Mask::Bits(first(64)), 32, 256), Some(192));
    assert_eq!(dense_of(Mask::Total(130), 32, 256), Some(130));
    assert_eq!(dense_of(Mask::Total(300), 32, 256), Some(192));
    assert_eq!(dense_of(Mask::Bits(first(63)), 32, 256), None);
    assert_eq!(dense_of(Mask::Bits(first(64)), 64, 256), None);
    assert_eq!(dense_of(Mask::Bits(first(64)), 32, 224), None);
    assert_eq!(dense_of(Mask::Total(130), 0, 256), None);
}

#[test]
fn extents() {
    let rep = |n, mask| Walk::Repeats { n, mask, dst: Stride::default(), src: [Stride::default(); 3] };
    let s = Stride { blk: 64, rep: 512 };
    assert_eq!(extent(&Walk::Count(5), s, 4, 64), 20);
    assert_eq!(extent(&rep(2, Mask::Bits(first(64))), s, 4, 64), 512 + 7 * 64 + 32);
    assert_eq!(extent(&rep(2, Mask::Bits([1, 0])), s, 4, 64), 512 + 4);
    assert_eq!(extent(&rep(2, Mask::Total(66)), s, 4, 64), 512 + 8);
    assert_eq!(extent(&rep(3, Mask::Bits([0, 0])), s, 4, 64), 0);
}

#[test]
fn in_place_and_strided_agree() {
    let mut x: Vec<i32> = (0..130).collect();
    let p = x.as_mut_ptr() as *mut u8;
    run(Inc, Walk::Count(130), Place { dst: p, src: [p, p, p] });
    assert!(x.iter().enumerate().all(|(i, v)| *v == i as i32 + 1));
    // Two repeats, every second block of the source, 3 active lanes.
    let src: Vec<i32> = (0..512).collect();
    let mut dst = vec![-1; 128];
    let walk = Walk::Repeats {
        n: 2,
        mask: Mask::Bits([0b1_0000_0011, 0]),
        dst: Stride { blk: 32, rep: 256 },
        src: [Stride { blk: 64, rep: 1024 }; 3],
    };
    let s = src.as_ptr() as *const u8;
    run(Inc, walk, Place { dst: dst.as_mut_ptr() as *mut u8, src: [s, s, s] });
    let mut want = vec![-1; 128];
    for (i, v) in [(0, 1), (1, 2), (8, 17), (64, 257), (65, 258), (72, 273)] {
        want[i] = v;
    }
    assert_eq!(dst, want);
}

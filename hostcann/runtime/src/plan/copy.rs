//! Strided copies: what Contiguous and ViewCopy do.

use crate::base::failure::Outcome;

/// One axis: extent, and steps of destination and source in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    pub extent: u64,
    pub dst: i64,
    pub src: i64,
}

/// A copy with as few axes as possible, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StridedCopy {
    pub axes: Vec<Axis>,
    pub element: usize,
    pub empty: bool,
}

impl StridedCopy {
    /// Plans a copy. Strides in elements.
    ///
    /// # Errors
    ///
    /// `NN_PARAM_INVALID` where a dimension is negative, or a stride in bytes does not fit 64 bits.
    pub fn new(dims: &[i64], dst: &[i64], src: &[i64], element: usize) -> Outcome<StridedCopy> {
        let mut axes = Vec::new();
        for (i, &dim) in dims.iter().enumerate() {
            let Ok(extent) = u64::try_from(dim) else {
                fail!(NN_PARAM_INVALID, "copy: dimension {i} is {dim}, expected 0 or more");
            };
            let step = |stride: i64| match i64::try_from(element).ok().and_then(|e| stride.checked_mul(e)) {
                Some(bytes) => Ok(bytes),
                None => fail!(NN_PARAM_INVALID, "copy: stride {stride} of dimension {i} is too large"),
            };
            axes.push(Axis { extent, dst: step(dst[i])?, src: step(src[i])? });
        }
        let empty = axes.iter().any(|a| a.extent == 0);
        axes.retain(|a| a.extent != 1);
        // Elements are independent, so the order is free: large steps of the destination outside, broadcast axes of
        // the source last among equals.
        axes.sort_by_key(|a| std::cmp::Reverse((a.dst.unsigned_abs(), a.src.unsigned_abs())));
        let mut merged: Vec<Axis> = Vec::new();
        for axis in axes {
            let fits = |outer: &Axis| {
                let extent = i64::try_from(axis.extent).ok();
                let spans = |outer: i64, inner: i64| extent.and_then(|n| inner.checked_mul(n)) == Some(outer);
                spans(outer.dst, axis.dst) && spans(outer.src, axis.src)
            };
            match merged.last_mut() {
                Some(outer) if fits(outer) => *outer = Axis { extent: outer.extent * axis.extent, ..axis },
                _ => merged.push(axis),
            }
        }
        Ok(StridedCopy { axes: merged, element, empty })
    }

    /// Elements.
    pub fn count(&self) -> u64 {
        if self.empty { 0 } else { self.axes.iter().map(|axis| axis.extent).product() }
    }

    /// Lowest and one past the highest byte reached, relative to the first element.
    pub fn reach(&self, step: impl Fn(&Axis) -> i64) -> (i128, i128) {
        let (mut low, mut high) = (0i128, self.element as i128);
        for axis in &self.axes {
            let far = i128::from(step(axis)) * (i128::from(axis.extent) - 1);
            if far < 0 { low += far } else { high += far }
        }
        if self.empty { (0, 0) } else { (low, high) }
    }

    /// # Safety
    /// `dst` and `src` are valid for the bytes that `reach` names. They may be the same memory only if element and
    /// destination of every copy coincide.
    pub unsafe fn run(&self, dst: *mut u8, src: *const u8) {
        if self.empty {
            return;
        }
        let element = self.element as i64;
        let (outer, inner) = match self.axes.split_last() {
            Some((last, rest)) if last.dst == element && last.src == element => {
                let row = last.extent as usize * self.element;
                // SAFETY: by this function's contract.
                return unsafe { walk(rest, dst, src, &|d, s| std::ptr::copy(s, d, row)) };
            }
            Some((last, rest)) => (rest, *last),
            None => (&[][..], Axis { extent: 1, dst: 0, src: 0 }),
        };
        // SAFETY: by this function's contract.
        unsafe {
            match self.element {
                1 => walk(outer, dst, src, &|d, s| line::<u8>(inner, d, s)),
                2 => walk(outer, dst, src, &|d, s| line::<u16>(inner, d, s)),
                4 => walk(outer, dst, src, &|d, s| line::<u32>(inner, d, s)),
                8 => walk(outer, dst, src, &|d, s| line::<u64>(inner, d, s)),
                16 => walk(outer, dst, src, &|d, s| line::<u128>(inner, d, s)),
                n => walk(outer, dst, src, &|d, s| {
                    for i in 0..inner.extent as i64 {
                        std::ptr::copy(s.offset((i * inner.src) as isize), d.offset((i * inner.dst) as isize), n);
                    }
                }),
            }
        }
    }
}

/// # Safety
/// Every position of the axes is valid for `body`.
unsafe fn walk(axes: &[Axis], dst: *mut u8, src: *const u8, body: &impl Fn(*mut u8, *const u8)) {
    let Some((axis, rest)) = axes.split_first() else {
        return body(dst, src);
    };
    for i in 0..axis.extent as i64 {
        // SAFETY: by this function's contract.
        unsafe { walk(rest, dst.offset((i * axis.dst) as isize), src.offset((i * axis.src) as isize), body) };
    }
}

/// # Safety
/// As for `walk`, with elements of type T at any alignment.
unsafe fn line<T: Copy>(axis: Axis, dst: *mut u8, src: *const u8) {
    for i in 0..axis.extent as i64 {
        // SAFETY: by this function's contract.
        unsafe {
            let value = src.offset((i * axis.src) as isize).cast::<T>().read_unaligned();
            dst.offset((i * axis.dst) as isize).cast::<T>().write_unaligned(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(dims: &[i64], dst: &[i64], src: &[i64]) -> StridedCopy {
        StridedCopy::new(dims, dst, src, 4).unwrap()
    }

    #[test]
    fn axes_collapse() {
        assert_eq!(plan(&[2, 3, 4], &[12, 4, 1], &[12, 4, 1]).axes, [Axis { extent: 24, dst: 4, src: 4 }]);
        assert_eq!(
            plan(&[2, 1, 3, 4], &[12, 99, 4, 1], &[24, 7, 8, 1]).axes,
            [Axis { extent: 6, dst: 16, src: 32 }, Axis { extent: 4, dst: 4, src: 4 }]
        );
        assert_eq!(plan(&[], &[], &[]).axes, []);
        // A transposed pair of views is one dense run.
        assert_eq!(plan(&[3, 4], &[1, 3], &[1, 3]).axes, [Axis { extent: 12, dst: 4, src: 4 }]);
    }

    /// Against plain index arithmetic.
    fn check(dims: &[i64], dst: &[i64], src: &[i64], dst_len: usize, src_start: usize, src_len: usize) {
        let source: Vec<u32> = (0..src_len as u32).map(|i| i * 7 + 1).collect();
        let mut want = vec![u32::MAX; dst_len];
        let count: i64 = dims.iter().product();
        for n in 0..count {
            let (mut rest, mut d, mut s) = (n, 0, src_start as i64);
            for i in (0..dims.len()).rev() {
                d += rest % dims[i] * dst[i];
                s += rest % dims[i] * src[i];
                rest /= dims[i];
            }
            want[d as usize] = source[s as usize];
        }
        let mut got = vec![u32::MAX; dst_len];
        let copy = plan(dims, dst, src);
        // SAFETY: the strides stay inside of `got` and `source`.
        unsafe { copy.run(got.as_mut_ptr().cast(), source[src_start..].as_ptr().cast()) };
        assert_eq!(got, want, "{dims:?} {dst:?} {src:?}");
    }

    #[test]
    fn copies_like_index_arithmetic() {
        check(&[2, 3, 4], &[12, 4, 1], &[12, 4, 1], 24, 0, 24);
        check(&[3, 4], &[4, 1], &[1, 3], 12, 0, 12);
        check(&[3, 4], &[4, 1], &[0, 1], 12, 0, 4);
        check(&[3, 4], &[4, 1], &[1, 0], 12, 0, 3);
        check(&[2, 3], &[8, 2], &[3, 1], 14, 0, 6);
        check(&[5], &[1], &[-1], 5, 4, 5);
        check(&[2, 2, 3], &[6, 3, 1], &[12, -6, 2], 12, 6, 24);
        check(&[], &[], &[], 1, 3, 5);
        check(&[0, 4], &[4, 1], &[4, 1], 2, 0, 2);
    }

    #[test]
    fn every_element_size() {
        for element in [1usize, 2, 3, 4, 8, 16] {
            let source: Vec<u8> = (0..=255).cycle().take(6 * element).collect();
            let mut got = vec![0u8; 6 * element];
            let copy = StridedCopy::new(&[2, 3], &[3, 1], &[1, 2], element).unwrap();
            // SAFETY: six elements each.
            unsafe { copy.run(got.as_mut_ptr(), source.as_ptr()) };
            for (to, from) in [0, 2, 4, 1, 3, 5].into_iter().enumerate() {
                assert_eq!(got[to * element..][..element], source[from * element..][..element], "{element}");
            }
        }
    }

    #[test]
    fn reach_covers_negative_strides() {
        let copy = plan(&[2, 5], &[5, 1], &[10, -1]);
        assert_eq!(copy.reach(|a| a.src), (-16, 44));
        assert_eq!(copy.reach(|a| a.dst), (0, 40));
        assert_eq!(plan(&[0], &[1], &[1]).reach(|a| a.dst), (0, 0));
    }

    #[test]
    fn negative_dimensions_are_refused() {
        assert!(StridedCopy::new(&[-1], &[1], &[1], 4).unwrap_err().message.contains("dimension 0 is -1"));
    }
}

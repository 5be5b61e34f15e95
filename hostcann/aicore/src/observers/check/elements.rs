//! Which bytes of a strided result are its elements'.

use crate::base::shadow::Shadow;

/// The elements of a strided view, from where its memory begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Of one element.
    pub bits: u32,
    /// Bits before the first one.
    pub first: i64,
    /// Count and stride in elements of each dimension, the outermost first.
    pub dims: Vec<(i64, i64)>,
}

impl Elements {
    /// Their bytes among the first `bytes` of the memory, marked.
    pub(crate) fn marked(&self, bytes: usize) -> Shadow {
        let marked = Shadow::new(bytes);
        self.mark(&marked, &self.dims, i128::from(self.first));
        marked
    }

    fn mark(&self, marked: &Shadow, dims: &[(i64, i64)], first: i128) {
        let bits = i128::from(self.bits);
        // A row whose elements lie one behind the other is one range.
        let row = match dims {
            [] => 1,
            [(count, 1)] => i128::from(*count).max(0),
            [(count, stride), rest @ ..] => {
                let step = i128::from(*stride) * bits;
                return (0..*count).for_each(|i| self.mark(marked, rest, first + i128::from(i) * step));
            }
        };
        let place = |bit: i128| usize::try_from(bit.max(0)).unwrap_or(usize::MAX);
        let (from, to) = (place(first.div_euclid(8)), place((first + row * bits + 7).div_euclid(8)));
        marked.mark(from, to.saturating_sub(from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(bits: u32, first: i64, dims: &[(i64, i64)], bytes: usize) -> Vec<usize> {
        let shadow = Elements { bits, first, dims: dims.to_vec() }.marked(bytes);
        (0..bytes).filter(|at| shadow.get(*at)).collect()
    }

    #[test]
    fn elements_of_views() {
        assert_eq!(marked(16, 0, &[(2, 3), (2, 1)], 12), [0, 1, 2, 3, 6, 7, 8, 9], "rows of 2 in 3");
        assert_eq!(marked(16, 32, &[(2, 1), (2, 2)], 12), [4, 5, 6, 7, 8, 9, 10, 11], "transposed, from element 2 on");
        assert_eq!(marked(32, 32, &[], 12), [4, 5, 6, 7], "one element of rank 0");
        assert_eq!(marked(8, 0, &[(3, 2)], 6), [0, 2, 4]);
        assert_eq!(marked(8, 0, &[(2, 0), (3, 2)], 6), [0, 2, 4], "a repeated row");
        assert_eq!(marked(8, 0, &[(0, 1)], 6), [0; 0]);
        assert_eq!(marked(8, 0, &[(2, 3), (-1, 1)], 6), [0; 0]);
        assert_eq!(marked(4, 4, &[(2, 1)], 4), [0, 1], "halves of bytes count as the byte");
    }

    #[test]
    fn what_lies_outside_is_cut() {
        assert_eq!(marked(32, -64, &[(4, 1)], 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(marked(32, -64, &[(2, 1)], 8), [0; 0]);
        assert_eq!(marked(32, 32, &[(2, i64::MAX), (4, 1)], 8), [4, 5, 6, 7]);
    }
}

//! The ways a tensor of a shape can lie in memory, and the ways two shapes can broadcast: the axes of the test matrix.

use crate::layout::Layout;

/// A layout class. All have one-dimensional storage just long enough, as torch describes it, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Storage shape as view shape.
    Contiguous,
    /// Contiguous, from an odd element on.
    Offset,
    /// Axes in reverse order in memory.
    Transposed,
    /// The two outermost axes exchanged in memory: rows stay dense.
    Swapped,
    /// A part of longer rows: dense rows with a pitch.
    Sliced,
    /// Every second index of the outermost axis.
    SkippedRows,
    /// Every third element of the innermost axis.
    Stepped,
    /// The outermost axis repeats one slice (inputs only).
    ExpandedOuter,
    /// The innermost axis repeats one element (inputs only).
    ExpandedInner,
    /// Rows that overlap: row n starts one element after row n - 1 (inputs only).
    Overlapping,
}

use Arrangement::*;

impl Arrangement {
    pub const INPUTS: [Arrangement; 10] = [
        Contiguous,
        Offset,
        Transposed,
        Swapped,
        Sliced,
        SkippedRows,
        Stepped,
        ExpandedOuter,
        ExpandedInner,
        Overlapping,
    ];
    /// Those in which every element has a place of its own.
    pub const OUTPUTS: [Arrangement; 7] = [Contiguous, Offset, Transposed, Swapped, Sliced, SkippedRows, Stepped];

    pub fn layout(self, shape: &[i64]) -> Layout {
        let rank = shape.len();
        let plain = Layout::contiguous(shape);
        if self == Contiguous || rank == 0 && self != Offset {
            return plain;
        }
        let mut strides = plain.strides.clone();
        let mut offset = 0;
        match self {
            Contiguous => {}
            Offset => offset = 5,
            Transposed => strides = ordered(shape, (0..rank).collect()),
            Swapped => {
                let mut axes: Vec<usize> = (0..rank).rev().collect();
                if rank > 1 {
                    axes.swap(rank - 1, rank - 2);
                }
                strides = ordered(shape, axes);
            }
            Sliced => {
                let mut wide = shape.to_vec();
                wide[rank - 1] += 3;
                strides = Layout::contiguous(&wide).strides;
                offset = 2;
            }
            SkippedRows => strides[0] *= 2,
            Stepped => strides.iter_mut().for_each(|stride| *stride *= 3),
            ExpandedOuter => strides[0] = 0,
            ExpandedInner => {
                let mut narrow = shape.to_vec();
                narrow[rank - 1] = 1;
                strides = Layout::contiguous(&narrow).strides;
                strides[rank - 1] = 0;
            }
            Overlapping => strides[0] = 1,
        }
        plain.strides(&strides).offset(offset).flat_storage()
    }
}

/// Strides when `axes` lists the axes from the fastest in memory to the slowest.
fn ordered(shape: &[i64], axes: Vec<usize>) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    let mut step = 1;
    for axis in axes {
        strides[axis] = step;
        step *= shape[axis].max(1);
    }
    strides
}

/// Which axes of self and other have one element where the result has more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broadcast {
    None,
    /// other lacks the outer half of the axes.
    Outer,
    /// other has ones in the inner half of the axes.
    Inner,
    /// self has ones in the outer half, other in the inner half.
    TwoSided,
    /// other is one element.
    Point,
    /// self is one element.
    SelfPoint,
    /// self lacks the outer half.
    SelfOuter,
    /// self has ones in the inner half.
    SelfInner,
    /// self has a one at the front, other in the middle.
    Mixed,
    /// Ones by turns.
    Alternating,
    /// Both have a one at the same axis; the result keeps it.
    Common,
}

impl Broadcast {
    pub const ALL: [Broadcast; 11] = [
        Broadcast::None,
        Broadcast::Outer,
        Broadcast::Inner,
        Broadcast::TwoSided,
        Broadcast::Point,
        Broadcast::SelfPoint,
        Broadcast::SelfOuter,
        Broadcast::SelfInner,
        Broadcast::Mixed,
        Broadcast::Alternating,
        Broadcast::Common,
    ];

    /// Shapes of self and other that give `shape`, which for [`Broadcast::Common`] loses an axis itself.
    pub fn shapes(self, shape: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let rank = shape.len();
        let half = rank / 2;
        let ones = |lacks: &dyn Fn(usize) -> bool| -> Vec<i64> {
            (0..rank).map(|axis| if lacks(axis) { 1 } else { shape[axis] }).collect()
        };
        let full = shape.to_vec();
        match self {
            Broadcast::None => (full.clone(), full),
            Broadcast::Outer => (full, shape[half..].to_vec()),
            Broadcast::Inner => (full, ones(&|axis| axis >= half)),
            Broadcast::TwoSided => (ones(&|axis| axis < half), ones(&|axis| axis >= half)),
            Broadcast::Point => (full, vec![]),
            Broadcast::SelfPoint => (vec![1], full),
            Broadcast::SelfOuter => (shape[half..].to_vec(), full),
            Broadcast::SelfInner => (ones(&|axis| axis >= half), full),
            Broadcast::Mixed => (ones(&|axis| axis == 0), ones(&|axis| axis == half && axis != 0)),
            Broadcast::Alternating => (ones(&|axis| axis % 2 == 1), ones(&|axis| axis % 2 == 0)),
            Broadcast::Common => (ones(&|axis| axis == half), ones(&|axis| axis == half || axis == 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::broadcast_shape;
    use std::collections::BTreeSet;

    #[test]
    fn arrangements_stay_in_their_storage() {
        for shape in [&[][..], &[5], &[4, 6], &[3, 1, 5], &[2, 3, 2, 4]] {
            for arrangement in Arrangement::INPUTS {
                let layout = arrangement.layout(shape);
                layout.check(layout.storage_len()).unwrap();
                assert_eq!(layout.numel() as i64, shape.iter().product::<i64>());
                let places: BTreeSet<usize> = layout.indices().into_iter().collect();
                if Arrangement::OUTPUTS.contains(&arrangement) {
                    assert_eq!(places.len(), layout.numel(), "{arrangement:?} {shape:?}");
                }
            }
        }
    }

    #[test]
    fn broadcasts_give_the_shape() {
        let shape = [2, 3, 4, 5];
        for broadcast in Broadcast::ALL {
            let (a, b) = broadcast.shapes(&shape);
            let joint = broadcast_shape(&a, &b).unwrap();
            let expected = if broadcast == Broadcast::Common { vec![2, 3, 1, 5] } else { shape.to_vec() };
            assert_eq!(joint, expected, "{broadcast:?}");
        }
        assert_eq!(Broadcast::Alternating.shapes(&[2, 3, 4]), (vec![2, 1, 4], vec![1, 3, 1]));
    }
}

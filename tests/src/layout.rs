//! Shape, strides, offset and storage shape of a tensor, and the arithmetic on them.

use crate::error::{Error, Result};

/// How a tensor lies in its storage. Strides and offset count elements, as in `aclCreateTensor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub offset: i64,
    pub storage: Vec<i64>,
}

impl Layout {
    pub fn contiguous(shape: &[i64]) -> Layout {
        Layout { shape: shape.to_vec(), strides: contiguous_strides(shape), offset: 0, storage: shape.to_vec() }
    }

    pub fn strides(mut self, strides: &[i64]) -> Layout {
        self.strides = strides.to_vec();
        self
    }

    pub fn offset(mut self, offset: i64) -> Layout {
        self.offset = offset;
        self
    }

    pub fn storage(mut self, storage: &[i64]) -> Layout {
        self.storage = storage.to_vec();
        self
    }

    /// Storage as torch describes it: one dimension, just long enough.
    pub fn flat_storage(mut self) -> Layout {
        let (_, last) = self.extent();
        self.storage = vec![last + 1];
        self
    }

    pub fn numel(&self) -> usize {
        self.shape.iter().product::<i64>().max(0) as usize
    }

    pub fn storage_len(&self) -> usize {
        self.storage.iter().product::<i64>().max(0) as usize
    }

    /// Lowest and highest element index in use; `(offset, offset - 1)` when the tensor is empty.
    pub fn extent(&self) -> (i64, i64) {
        if self.numel() == 0 {
            return (self.offset, self.offset - 1);
        }
        let reach = |sign: i64| -> i64 {
            let steps = self.shape.iter().zip(&self.strides).map(|(dim, stride)| (dim - 1) * stride);
            steps.filter(|step| step.signum() == sign).sum()
        };
        (self.offset + reach(-1), self.offset + reach(1))
    }

    /// Storage index of every element, in row-major order of the shape.
    pub fn indices(&self) -> Vec<usize> {
        let mut indices = Vec::with_capacity(self.numel());
        if self.numel() > 0 {
            self.push_indices(0, self.offset, &mut indices);
        }
        indices
    }

    fn push_indices(&self, axis: usize, at: i64, indices: &mut Vec<usize>) {
        match self.shape.get(axis) {
            None => indices.push(at as usize),
            Some(&dim) => (0..dim).for_each(|i| self.push_indices(axis + 1, at + i * self.strides[axis], indices)),
        }
    }

    /// Refuses what acl would accept and the kernel would then read out of bounds. `len` is the buffer's, in elements.
    pub fn check(&self, len: usize) -> Result<()> {
        let refuse = |why: String| Err(Error::refused("Layout::check", format!("{why} (layout {self:?})")));
        if self.strides.len() != self.shape.len() {
            return refuse(format!("{} strides for {} dimensions", self.strides.len(), self.shape.len()));
        }
        if let Some(dim) = self.shape.iter().chain(&self.storage).find(|&&dim| dim < 0) {
            return refuse(format!("dimension {dim} is negative"));
        }
        let storage = self.storage_len();
        if storage > len {
            return refuse(format!("the storage shape has {storage} elements, the buffer {len}"));
        }
        let (first, last) = self.extent();
        if first < 0 || last >= storage as i64 {
            return refuse(format!("elements {first}..={last} reach outside the {storage} elements of the storage"));
        }
        Ok(())
    }
}

fn contiguous_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}

/// Shape of an element-wise result by numpy's rule; `None` when the shapes do not go together.
pub fn broadcast_shape(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let dim = |shape: &[i64], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let join = |axis| match (dim(a, axis), dim(b, axis)) {
        (x, y) if x == y || y == 1 => Some(x),
        (1, y) => Some(y),
        _ => None,
    };
    (0..rank).map(join).collect()
}

/// `layout` viewed with the larger `shape`: repeated axes get stride 0.
pub fn broadcast_to(layout: &Layout, shape: &[i64]) -> Option<Layout> {
    if broadcast_shape(&layout.shape, shape)? != shape {
        return None;
    }
    let missing = shape.len() - layout.shape.len();
    let stride = |axis: usize| match axis.checked_sub(missing) {
        Some(own) if layout.shape[own] == shape[axis] => layout.strides[own],
        _ => 0,
    };
    Some(Layout { shape: shape.to_vec(), strides: (0..shape.len()).map(stride).collect(), ..layout.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_indices_count_up() {
        let layout = Layout::contiguous(&[2, 3]).offset(4);
        assert_eq!(layout.strides, [3, 1]);
        assert_eq!(layout.indices(), [4, 5, 6, 7, 8, 9]);
        assert_eq!(layout.clone().flat_storage().storage, [10]);
        assert!(layout.clone().flat_storage().check(10).is_ok());
        assert_eq!(Layout::contiguous(&[]).indices(), [0]);
    }

    #[test]
    fn strided_indices() {
        let transposed = Layout::contiguous(&[2, 3]).strides(&[1, 2]);
        assert_eq!(transposed.indices(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(transposed.extent(), (0, 5));
    }

    #[test]
    fn out_of_bounds_is_refused_with_numbers() {
        let error = Layout::contiguous(&[4]).offset(1).check(4).unwrap_err();
        assert!(error.message.contains("elements 1..=4 reach outside the 4 elements"), "{error}");
        let error = Layout::contiguous(&[4]).strides(&[-1]).check(4).unwrap_err();
        assert!(error.message.contains("elements -3..=0"), "{error}");
        let error = Layout::contiguous(&[8]).check(4).unwrap_err();
        assert!(error.message.contains("storage shape has 8 elements, the buffer 4"), "{error}");
        assert!(Layout::contiguous(&[0, 5]).check(0).is_ok());
    }

    #[test]
    fn broadcasting_follows_numpy() {
        assert_eq!(broadcast_shape(&[2, 1, 3], &[4, 1]), Some(vec![2, 4, 3]));
        assert_eq!(broadcast_shape(&[2], &[3]), None);
        assert_eq!(broadcast_shape(&[], &[0, 2]), Some(vec![0, 2]));
        let row = broadcast_to(&Layout::contiguous(&[3]), &[2, 3]).unwrap();
        assert_eq!(row.indices(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(broadcast_to(&Layout::contiguous(&[3]), &[3, 1]), None);
    }
}

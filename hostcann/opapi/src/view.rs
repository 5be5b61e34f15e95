//! Tensors as an operator sees them, and the walk over their elements.

use crate::data_type::{DataType, Lane, Width};

/// Elements of the tensor in `slot`: `dims` and, in elements, `strides` and the first one's distance from the address
/// that the slot has in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub slot: usize,
    pub data_type: DataType,
    pub dims: Vec<i64>,
    pub strides: Vec<i64>,
    pub skip: i64,
}

/// The addresses of a run, one for each slot.
#[derive(Clone, Copy)]
pub struct Memory<'a>(pub &'a [*mut u8]);

pub fn count(dims: &[i64]) -> usize {
    dims.iter().product::<i64>() as usize
}

/// None: the shapes do not go together.
pub fn broadcast(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let dim = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |at| dims[at]);
    (0..rank)
        .map(|i| match (dim(a, i), dim(b, i)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

/// What an operator reads while it writes `out` has memory of its own: a device reads and writes in any order.
pub fn expect_apart<'a>(
    name: &str,
    mut read: impl Iterator<Item = &'a View>,
    out: &View,
    memory: Memory,
) -> Result<(), String> {
    match read.any(|view| view.meets(out, memory)) {
        true => Err(format!("argument [out]: its memory overlaps that of [{name}], expected memory of its own")),
        false => Ok(()),
    }
}

impl View {
    pub fn count(&self) -> usize {
        count(&self.dims)
    }

    /// Whether both are rows of memory without gaps that meet, but for the same elements at the same place.
    pub fn meets(&self, other: &View, memory: Memory) -> bool {
        let bytes = |view: &View| {
            let size = view.data_type.size();
            let from = (memory.0[view.slot] as usize).wrapping_add_signed(view.skip as isize * size as isize);
            from..from + view.count() * size
        };
        let (own, others) = (bytes(self), bytes(other));
        let both = own.start.max(others.start)..own.end.min(others.end);
        own != others && !both.is_empty() && self.is_dense() && other.is_dense()
    }

    fn is_dense(&self) -> bool {
        let inner = |dim: usize| self.dims[dim + 1..].iter().product::<i64>();
        (0..self.dims.len()).all(|dim| self.dims[dim] == 1 || self.strides[dim] == inner(dim))
    }

    /// The same bytes as integers, for moves.
    pub fn raw(&self) -> View {
        View { data_type: self.data_type.raw(), ..self.clone() }
    }

    /// Repeats the elements to `dims`, which the shape broadcasts to.
    pub fn expand(&self, dims: &[i64]) -> View {
        let added = dims.len() - self.dims.len();
        let mut strides = vec![0; added];
        strides.extend(
            self.dims.iter().zip(&self.strides).zip(&dims[added..]).map(
                |((&own, &stride), &wanted)| {
                    if own == wanted { stride } else { 0 }
                },
            ),
        );
        View { dims: dims.to_vec(), strides, ..self.clone() }
    }

    pub fn permute(&self, order: &[usize]) -> View {
        let dims = order.iter().map(|&i| self.dims[i]).collect();
        View { dims, strides: order.iter().map(|&i| self.strides[i]).collect(), ..self.clone() }
    }

    /// `length` elements of dim `dim` from `start` on, `step` apart.
    pub fn part(&self, dim: usize, start: i64, length: i64, step: i64) -> View {
        let mut part = self.clone();
        part.skip += start * self.strides[dim];
        part.dims[dim] = length;
        part.strides[dim] *= step;
        part
    }

    /// One element of dim `dim`, without it.
    pub fn select(&self, dim: usize, index: i64) -> View {
        let mut part = self.part(dim, index, 1, 1);
        part.dims.remove(dim);
        part.strides.remove(dim);
        part
    }

    /// The element at a place in row-major order of the dims.
    pub fn at(&self, mut place: usize) -> i64 {
        let mut offset = 0;
        for (&dim, &stride) in self.dims.iter().zip(&self.strides).rev() {
            offset += (place as i64 % dim) * stride;
            place /= dim as usize;
        }
        offset
    }

    pub fn address(&self, memory: Memory) -> *mut u8 {
        // An empty tensor may have no memory at all.
        memory.0[self.slot].wrapping_offset(self.skip as isize * self.data_type.size() as isize)
    }

    /// The bytes between the first and behind the last element.
    pub fn extent(&self, memory: Memory) -> std::ops::Range<usize> {
        let at = self.address(memory) as isize;
        if self.count() == 0 {
            return at as usize..at as usize;
        }
        let reach = |sign: i64| -> i64 {
            self.dims.iter().zip(&self.strides).map(|(&dim, &stride)| (dim - 1) * stride).filter(|r| r * sign > 0).sum()
        };
        let size = self.data_type.size() as isize;
        (at + reach(-1) as isize * size) as usize..(at + (reach(1) as isize + 1) * size) as usize
    }

    pub fn walk(&self, memory: Memory) -> Walk {
        Walk::new(self, self.address(memory))
    }

    /// All elements in row-major order.
    pub fn load<L: Lane>(&self, memory: Memory, width: Width) -> Vec<L> {
        let mut lanes = vec![L::default(); self.count()];
        self.walk(memory).load(width, &mut lanes);
        lanes
    }

    pub fn store<L: Lane>(&self, memory: Memory, lanes: &[L]) {
        self.walk(memory).store(lanes);
    }
}

/// Goes over the elements of a view in row-major order, in runs of equal distance.
pub struct Walk {
    data_type: DataType,
    address: *mut u8,
    /// Length and stride in bytes; dims that one stride covers are one.
    dims: Vec<(usize, isize)>,
    index: Vec<usize>,
}

impl Walk {
    fn new(view: &View, address: *mut u8) -> Walk {
        let size = view.data_type.size() as i64;
        let mut dims: Vec<(usize, isize)> = Vec::with_capacity(view.dims.len());
        for (&dim, &stride) in view.dims.iter().zip(&view.strides).filter(|(dim, _)| **dim != 1) {
            let (length, stride) = (dim as usize, (stride * size) as isize);
            match dims.last_mut() {
                Some(outer) if outer.1 == stride * length as isize => *outer = (outer.0 * length, stride),
                _ => dims.push((length, stride)),
            }
        }
        if dims.is_empty() {
            dims.push((1, size as isize));
        }
        let index = vec![0; dims.len()];
        Walk { data_type: view.data_type, address, dims, index }
    }

    /// Calls `each(address, stride, done, length)` for the runs of the next `count` elements, which exist.
    fn runs(&mut self, count: usize, mut each: impl FnMut(*mut u8, isize, usize, usize)) {
        let mut done = 0;
        let last = self.dims.len() - 1;
        while done < count {
            let (length, stride) = self.dims[last];
            let run = (length - self.index[last]).min(count - done);
            each(self.address, stride, done, run);
            done += run;
            self.advance(run);
        }
    }

    fn advance(&mut self, run: usize) {
        let mut dim = self.dims.len() - 1;
        self.index[dim] += run;
        self.address = self.address.wrapping_offset(run as isize * self.dims[dim].1);
        while self.index[dim] == self.dims[dim].0 && dim > 0 {
            self.address = self.address.wrapping_offset(-(self.dims[dim].0 as isize * self.dims[dim].1));
            self.index[dim] = 0;
            dim -= 1;
            self.index[dim] += 1;
            self.address = self.address.wrapping_offset(self.dims[dim].1);
        }
    }

    pub fn load<L: Lane>(&mut self, width: Width, to: &mut [L]) {
        let data_type = self.data_type;
        self.runs(to.len(), |address, stride, done, length| {
            // SAFETY: phase 1 has checked that the view lies in its storage, the plan that the storage is live memory.
            unsafe { data_type.load(address, stride, width, &mut to[done..done + length]) };
        });
    }

    pub fn store<L: Lane>(&mut self, from: &[L]) {
        let data_type = self.data_type;
        self.runs(from.len(), |address, stride, done, length| {
            // SAFETY: as in `load`.
            unsafe { data_type.store(&from[done..done + length], address, stride) };
        });
    }
}

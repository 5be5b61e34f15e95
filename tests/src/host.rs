//! One call from host data to host data, and what it must give: the unit that most tests are made of.

use std::fmt;

use crate::compare::{Mismatch, compare, compare_storage};
use crate::device::{DeviceBuffer, Stream};
use crate::dtype::DataType;
use crate::error::Error;
use crate::fmod::{fmod_scalar, fmod_tensor, inplace_fmod_scalar, inplace_fmod_tensor};
use crate::golden::{Golden, Mode};
use crate::layout::{Layout, broadcast_shape, broadcast_to};
use crate::scalar::{Number, Scalar};
use crate::tensor::{Tensor, TensorMut};

/// Elements behind every written storage that must keep their sentinel.
const GUARD: usize = 64;

/// Fills memory that nobody may write; an unlikely result in every type.
pub fn sentinel<T: DataType>() -> T {
    T::from_bits(0xa5a5_a5a5_a5a5_a5a5)
}

/// A tensor's host image: the whole storage, gaps included.
#[derive(Clone, Debug)]
pub struct Operand<T> {
    pub layout: Layout,
    pub storage: Vec<T>,
}

impl<T: DataType> Operand<T> {
    /// `values` in row-major order of the layout's shape, everything between them a sentinel.
    pub fn new(layout: Layout, values: &[T]) -> Operand<T> {
        assert_eq!(layout.numel(), values.len(), "number of values for {layout:?}");
        let mut storage = vec![sentinel(); layout.storage_len()];
        for (index, value) in layout.indices().into_iter().zip(values) {
            storage[index] = *value;
        }
        Operand { layout, storage }
    }

    pub fn contiguous(values: &[T]) -> Operand<T> {
        Operand::new(Layout::contiguous(&[values.len() as i64]), values)
    }

    /// The elements in row-major order of the shape.
    pub fn values(&self) -> Vec<T> {
        self.layout.indices().into_iter().map(|index| self.storage[index]).collect()
    }

    /// The elements repeated to a larger shape; `None` when the shapes do not go together.
    fn broadcast(&self, shape: &[i64]) -> Option<Vec<T>> {
        let layout = broadcast_to(&self.layout, shape)?;
        Some(layout.indices().into_iter().map(|index| self.storage[index]).collect())
    }
}

#[derive(Clone, Debug)]
pub enum Divisor<T> {
    Tensor(Operand<T>),
    Scalar(Number),
}

/// Which of the four APIs, with data.
#[derive(Clone, Debug)]
pub struct Call<T> {
    pub self_: Operand<T>,
    pub other: Divisor<T>,
    /// `None`: the in-place API.
    pub out: Option<Layout>,
}

/// Why a call did not give what it must.
#[derive(Debug)]
pub enum Failure {
    Call(Error),
    Result(Mismatch),
    /// All elements are right, but memory beside them changed.
    Stray(Mismatch),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Call(error) => write!(f, "{error}"),
            Failure::Result(mismatch) => write!(f, "wrong result: {mismatch}"),
            Failure::Stray(mismatch) => {
                write!(f, "memory outside the result was written: {mismatch}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Call(error)
    }
}

impl<T: Golden> Call<T> {
    /// `out = fmod(x, y)` on contiguous one-dimensional data.
    pub fn tensor(x: &[T], y: &[T]) -> Call<T> {
        let out = Some(Layout::contiguous(&[x.len() as i64]));
        Call { self_: Operand::contiguous(x), other: Divisor::Tensor(Operand::contiguous(y)), out }
    }

    /// `out = fmod(x, number)` on contiguous one-dimensional data.
    pub fn scalar(x: &[T], number: Number) -> Call<T> {
        let out = Some(Layout::contiguous(&[x.len() as i64]));
        Call { self_: Operand::contiguous(x), other: Divisor::Scalar(number), out }
    }

    pub fn in_place(mut self) -> Call<T> {
        self.out = None;
        self
    }

    /// Layout of what is written.
    fn written(&self) -> &Layout {
        self.out.as_ref().unwrap_or(&self.self_.layout)
    }

    /// Runs the call and waits; the written storage with its guard.
    pub fn run(&self, stream: &Stream) -> Result<Vec<T>, Error> {
        let device = stream.device();
        let mut written = device.upload(&self.before())?;
        match &self.other {
            Divisor::Tensor(other) => {
                let divisor = device.upload(&other.storage)?;
                let other = Tensor::new(&divisor, &other.layout)?;
                self.run_with(stream, &mut written, Some(&other), None)?;
            }
            Divisor::Scalar(number) => {
                let other = Scalar::new(&device, *number)?;
                self.run_with(stream, &mut written, None, Some(&other))?;
            }
        }
        written.to_vec()
    }

    fn run_with(
        &self,
        stream: &Stream,
        written: &mut DeviceBuffer<T>,
        tensor: Option<&Tensor>,
        scalar: Option<&Scalar>,
    ) -> Result<(), Error> {
        let Some(out_layout) = &self.out else {
            let mut self_ref = TensorMut::new(written, &self.self_.layout)?;
            let plan = match (tensor, scalar) {
                (Some(other), _) => inplace_fmod_tensor(&mut self_ref, other)?,
                (None, Some(other)) => inplace_fmod_scalar(&mut self_ref, other)?,
                (None, None) => return Err(Error::refused("Call::run", "no divisor")),
            };
            return plan.run(stream);
        };
        let dividend = stream.device().upload(&self.self_.storage)?;
        let self_ = Tensor::new(&dividend, &self.self_.layout)?;
        let mut out = TensorMut::new(written, out_layout)?;
        let plan = match (tensor, scalar) {
            (Some(other), _) => fmod_tensor(&self_, other, &mut out)?,
            (None, Some(other)) => fmod_scalar(&self_, other, &mut out)?,
            (None, None) => return Err(Error::refused("Call::run", "no divisor")),
        };
        plan.run(stream)
    }

    /// The written storage and its guard before the call.
    fn before(&self) -> Vec<T> {
        let mut storage = match &self.out {
            Some(layout) => vec![sentinel(); layout.storage_len()],
            None => self.self_.storage.clone(),
        };
        storage.extend([sentinel::<T>(); GUARD]);
        storage
    }

    /// Dividends and divisors, one per element of the result.
    fn operands(&self) -> Result<(Vec<T>, Vec<T>), Error> {
        let refuse = |why: String| Error::refused("Call::operands", why);
        let x = &self.self_;
        match &self.other {
            Divisor::Tensor(y) => {
                let shape = broadcast_shape(&x.layout.shape, &y.layout.shape);
                let shape = shape.filter(|shape| *shape == self.written().shape);
                let both = shape.and_then(|shape| Some((x.broadcast(&shape)?, y.broadcast(&shape)?)));
                let shapes = || format!("{:?}, {:?}", x.layout.shape, y.layout.shape);
                both.ok_or_else(|| refuse(format!("shapes {} do not give {:?}", shapes(), self.written().shape)))
            }
            Divisor::Scalar(number) => {
                let values = x.values();
                let divisor = T::from_f64(number.to_f64());
                let divisors = vec![divisor; values.len()];
                Ok((values, divisors))
            }
        }
    }

    /// Runs the call and compares with the golden model of `mode`.
    pub fn check(&self, stream: &Stream, mode: Mode) -> Result<(), Failure> {
        let (x, y) = self.operands()?;
        let want: Vec<T> = x.iter().zip(&y).map(|(x, y)| x.fmod(*y, mode)).collect();
        self.check_against(stream, &want)
    }

    /// Runs the call and compares with these results.
    pub fn check_against(&self, stream: &Stream, want: &[T]) -> Result<(), Failure> {
        let (x, y) = self.operands()?;
        let got = self.run(stream)?;
        let indices = self.written().indices();
        let results: Vec<T> = indices.iter().map(|index| got[*index]).collect();
        compare(&x, |index| y[index], &results, want).map_err(Failure::Result)?;
        let mut storage = self.before();
        indices.iter().zip(want).for_each(|(index, want)| storage[*index] = *want);
        compare_storage(&got, &storage).map_err(Failure::Stray)
    }
}

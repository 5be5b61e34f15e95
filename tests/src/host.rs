//! One call from host data to host data, and what it must give: the unit that most tests are made of.

use std::fmt;

use crate::compare::{Mismatch, compare_storage, compare_where};
use crate::data::Data;
use crate::device::Stream;
use crate::dtype::{DataType, DynType};
use crate::error::Error;
use crate::golden::{Mode, results, results_on};
use crate::layout::{Layout, broadcast_shape, broadcast_to};
use crate::promote::{convert, promote, promote_scalar};
use crate::scalar::Number;
use crate::staged::Staged;

/// Elements behind every written storage that must keep their sentinel.
const GUARD: usize = 64;

/// A tensor's host image: the whole storage, gaps included.
#[derive(Clone, Debug)]
pub struct Operand {
    pub layout: Layout,
    pub storage: Data,
}

impl Operand {
    /// `values` in row-major order of the layout's shape, everything between them a sentinel.
    pub fn new<T: DataType>(layout: Layout, values: &[T]) -> Operand {
        Operand::of(layout, &Data::of(values))
    }

    /// [`Operand::new`] with a type known at run time. Where elements share memory the last one counts.
    pub fn of(layout: Layout, values: &Data) -> Operand {
        assert_eq!(layout.numel(), values.len(), "number of values for {layout:?}");
        let mut storage = Data::sentinels(values.dtype, layout.storage_len());
        for (index, bits) in layout.indices().into_iter().zip(&values.bits) {
            storage.bits[index] = *bits;
        }
        Operand { layout, storage }
    }

    pub fn contiguous<T: DataType>(values: &[T]) -> Operand {
        Operand::flat(&Data::of(values))
    }

    /// One contiguous dimension.
    pub fn flat(values: &Data) -> Operand {
        Operand::of(Layout::contiguous(&[values.len() as i64]), values)
    }

    pub fn dtype(&self) -> DynType {
        self.storage.dtype
    }

    /// The elements in row-major order of the shape.
    pub fn values(&self) -> Data {
        self.storage.pick(self.layout.indices())
    }

    /// The elements repeated to a larger shape; `None` when the shapes do not go together.
    pub fn broadcast(&self, shape: &[i64]) -> Option<Data> {
        Some(self.storage.pick(broadcast_to(&self.layout, shape)?.indices()))
    }
}

#[derive(Clone, Debug)]
pub enum Divisor {
    Tensor(Operand),
    Scalar(Number),
}

/// Where the result goes.
#[derive(Clone, Debug)]
pub struct Out {
    pub dtype: DynType,
    pub layout: Layout,
}

/// Which of the APIs, with data.
#[derive(Clone, Debug)]
pub struct Call {
    pub self_: Operand,
    pub other: Divisor,
    /// `None`: the in-place API.
    pub out: Option<Out>,
    /// `None`: the API without a precision, which computes as [`Mode::Tbe`].
    pub mode: Option<Mode>,
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

impl Call {
    /// `out = fmod(x, y)` on contiguous one-dimensional data.
    pub fn tensor<T: DataType>(x: &[T], y: &[T]) -> Call {
        Call::on(Operand::contiguous(x), Divisor::Tensor(Operand::contiguous(y)))
    }

    /// `out = fmod(x, number)` on contiguous one-dimensional data.
    pub fn scalar<T: DataType>(x: &[T], number: Number) -> Call {
        Call::on(Operand::contiguous(x), Divisor::Scalar(number))
    }

    /// A contiguous `out` of the broadcast shape and of the type that is computed with.
    pub fn on(self_: Operand, other: Divisor) -> Call {
        let shape = match &other {
            Divisor::Tensor(other) => broadcast_shape(&self_.layout.shape, &other.layout.shape),
            Divisor::Scalar(_) => None,
        };
        let layout = Layout::contiguous(shape.as_ref().unwrap_or(&self_.layout.shape));
        let mut call = Call { self_, other, out: None, mode: None };
        call.out = Some(Out { dtype: call.computed(), layout });
        call
    }

    pub fn in_place(mut self) -> Call {
        self.out = None;
        self
    }

    /// The V2 API with this precision.
    pub fn with(mut self, mode: Mode) -> Call {
        self.mode = Some(mode);
        self
    }

    pub fn out_layout(mut self, layout: Layout) -> Call {
        let dtype = self.written().0;
        self.out = Some(Out { dtype, layout });
        self
    }

    pub fn out_dtype(mut self, dtype: DynType) -> Call {
        let layout = self.written().1.clone();
        self.out = Some(Out { dtype, layout });
        self
    }

    /// The type that the call computes in.
    pub fn computed(&self) -> DynType {
        match &self.other {
            Divisor::Tensor(other) => promote(self.self_.dtype(), other.dtype()),
            Divisor::Scalar(number) => promote_scalar(self.self_.dtype(), *number),
        }
    }

    /// Type and layout of what is written.
    pub(crate) fn written(&self) -> (DynType, &Layout) {
        match &self.out {
            Some(out) => (out.dtype, &out.layout),
            None => (self.self_.dtype(), &self.self_.layout),
        }
    }

    /// Runs the call and waits; the written storage with its guard.
    pub fn run(&self, stream: &Stream) -> Result<Data, Error> {
        let staged = Staged::new(&stream.device(), self)?;
        let mut target = staged.target()?;
        staged.bind(&mut target)?.plan()?.run(stream)?;
        Ok(Data::from_bytes(self.written().0, &target.to_vec()?))
    }

    /// Runs the call and waits; the elements of the result in row-major order.
    pub fn result(&self, stream: &Stream) -> Result<Data, Error> {
        Ok(self.run(stream)?.pick(self.written().1.indices()))
    }

    /// The written storage and its guard before the call.
    pub(crate) fn before(&self) -> Data {
        let mut storage = match &self.out {
            Some(out) => Data::sentinels(out.dtype, out.layout.storage_len()),
            None => self.self_.storage.clone(),
        };
        storage.bits.extend(Data::sentinels(storage.dtype, GUARD).bits);
        storage
    }

    /// Dividends and divisors, one per element of the result; a scalar divisor in the type that is computed with.
    pub fn operands(&self) -> Result<(Data, Data), Error> {
        let refuse = |why: String| Error::refused("Call::operands", why);
        let (x, shape) = (&self.self_, &self.written().1.shape);
        match &self.other {
            Divisor::Tensor(y) => {
                let joint = broadcast_shape(&x.layout.shape, &y.layout.shape).filter(|joint| joint == shape);
                let both = joint.and_then(|shape| Some((x.broadcast(&shape)?, y.broadcast(&shape)?)));
                let shapes = || format!("{:?}, {:?}", x.layout.shape, y.layout.shape);
                both.ok_or_else(|| refuse(format!("shapes {} do not give {shape:?}", shapes())))
            }
            Divisor::Scalar(number) => {
                let values = x.values();
                let divisor = convert(*number, self.computed());
                let divisor =
                    divisor.ok_or_else(|| refuse(format!("{number:?} does not fit {:?}", self.computed())))?;
                let divisors = divisor.pick(std::iter::repeat_n(0, values.len()));
                Ok((values, divisors))
            }
        }
    }

    /// What the golden model gives.
    pub fn golden(&self) -> Result<Data, Error> {
        let (x, y) = self.operands()?;
        Ok(results(&x, &y, self.computed(), self.written().0, self.mode.unwrap_or_default()))
    }

    /// Runs the call and compares with the golden model.
    pub fn check(&self, stream: &Stream) -> Result<(), Failure> {
        self.check_data(stream, &self.golden()?)
    }

    /// What the golden model gives on hardware whose Div is off by `ulps`, see [`results_on`].
    pub fn golden_on(&self, ulps: i32) -> Result<Data, Error> {
        let (x, y) = self.operands()?;
        Ok(results_on(&x, &y, self.computed(), self.written().0, self.mode.unwrap_or_default(), ulps))
    }

    /// Runs the call and compares every element with one of these results, those left out whose dividend, divisor or any
    /// of the results `counts` does not take: they may be anything, but must not disturb the others.
    pub fn check_one_of(
        &self,
        stream: &Stream,
        wants: &[Data],
        counts: impl Fn(f64, f64, f64) -> bool,
    ) -> Result<(), Failure> {
        self.compare(stream, wants, counts)
    }

    /// Runs the call and compares with these results.
    pub fn check_against<T: DataType>(&self, stream: &Stream, want: &[T]) -> Result<(), Failure> {
        self.check_data(stream, &Data::of(want))
    }

    /// [`Call::check_against`] with a type known at run time.
    pub fn check_data(&self, stream: &Stream, want: &Data) -> Result<(), Failure> {
        self.compare(stream, std::slice::from_ref(want), |_, _, _| true)
    }

    fn compare(&self, stream: &Stream, wants: &[Data], counts: impl Fn(f64, f64, f64) -> bool) -> Result<(), Failure> {
        let (x, y) = self.operands()?;
        let got = self.run(stream)?;
        let indices = self.written().1.indices();
        let results = got.pick(indices.iter().copied());
        let number = |data: &Data, index: usize| data.dtype.decode(data.bits[index]);
        let counted =
            |index: usize| wants.iter().all(|want| counts(number(&x, index), number(&y, index), number(want, index)));
        // The one that came, or the first, which the report then shows.
        let Some(first) = wants.first() else {
            return Err(Error::refused("Call::check", "nothing to compare with").into());
        };
        let mut want = first.clone();
        for index in 0..results.len().min(want.len()) {
            if let Some(same) = wants.iter().find(|want| results.same(index, want)) {
                want.bits[index] = same.bits[index];
            }
        }
        compare_where([&x, &y], &results, &want, counted).map_err(Failure::Result)?;
        let mut storage = self.before();
        indices.iter().zip(&results.bits).for_each(|(index, result)| storage.bits[*index] = *result);
        compare_storage(&got, &storage).map_err(Failure::Stray)
    }
}

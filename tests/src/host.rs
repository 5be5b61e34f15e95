//! One call on host data and what it must give: the unit that most tests are made of.

use crate::data::Data;
use crate::dtype::{DataType, DynType};
use crate::error::Error;
use crate::golden::{Mode, results, results_on};
use crate::layout::{Layout, broadcast_shape, broadcast_to};
use crate::promote::{convert, promote, promote_scalar};
use crate::scalar::Number;

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

    /// What the golden model gives on hardware whose Div is off by `ulps`, see [`results_on`].
    pub fn golden_on(&self, ulps: i32) -> Result<Data, Error> {
        let (x, y) = self.operands()?;
        Ok(results_on(&x, &y, self.computed(), self.written().0, self.mode.unwrap_or_default(), ulps))
    }
}

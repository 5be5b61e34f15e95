//! A call from host data to host data: run, and compared with what it must give.

use std::fmt;

use crate::compare::{Mismatch, compare_storage, compare_where};
use crate::data::Data;
use crate::device::Stream;
use crate::dtype::DataType;
use crate::error::Error;
use crate::host::Call;
use crate::staged::Staged;

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

    /// Runs the call and compares with the golden model.
    pub fn check(&self, stream: &Stream) -> Result<(), Failure> {
        self.check_data(stream, &self.golden()?)
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

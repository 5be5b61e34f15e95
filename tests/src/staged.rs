//! A call whose operands lie on the device, for launching it once or many times at once.

use crate::device::{Device, DeviceBuffer};
use crate::dtype::DynType;
use crate::error::Error;
use crate::fmod::{
    Plan, fmod_scalar, fmod_scalar_v2, fmod_tensor, fmod_tensor_v2, inplace_fmod_scalar, inplace_fmod_scalar_v2,
    inplace_fmod_tensor, inplace_fmod_tensor_v2,
};
use crate::golden::Mode;
use crate::host::{Call, Divisor, Operand};
use crate::layout::Layout;
use crate::scalar::Scalar;
use crate::tensor::{Tensor, TensorMut};

/// An operand's storage on the device.
struct Stored {
    buffer: DeviceBuffer<u8>,
    dtype: DynType,
    layout: Layout,
}

impl Stored {
    fn new(device: &Device, operand: &Operand) -> Result<Stored, Error> {
        let buffer = device.upload(&operand.storage.to_bytes())?;
        Ok(Stored { buffer, dtype: operand.dtype(), layout: operand.layout.clone() })
    }

    fn tensor(&self) -> Result<Tensor<'_>, Error> {
        Tensor::with_type(&self.buffer, self.dtype, &self.layout)
    }
}

enum StoredDivisor {
    Tensor(Stored),
    Scalar(Scalar),
}

/// The operands of a call; they are only read, by any number of launches.
pub struct Staged {
    device: Device,
    mode: Option<Mode>,
    /// `None`: the in-place API.
    dividend: Option<Stored>,
    divisor: StoredDivisor,
    written: (DynType, Layout),
    before: Vec<u8>,
}

impl Staged {
    pub fn new(device: &Device, call: &Call) -> Result<Staged, Error> {
        let divisor = match &call.other {
            Divisor::Tensor(other) => StoredDivisor::Tensor(Stored::new(device, other)?),
            Divisor::Scalar(number) => StoredDivisor::Scalar(Scalar::new(device, *number)?),
        };
        let dividend = call.out.as_ref().map(|_| Stored::new(device, &call.self_)).transpose()?;
        let (dtype, layout) = call.written();
        let written = (dtype, layout.clone());
        Ok(Staged { device: *device, mode: call.mode, dividend, divisor, written, before: call.before().to_bytes() })
    }

    /// Fresh storage for one launch to write, with what must be in it before.
    pub fn target(&self) -> Result<DeviceBuffer<u8>, Error> {
        self.device.upload(&self.before)
    }

    /// Descriptors for one launch into `target`.
    pub fn bind<'a>(&'a self, target: &'a mut DeviceBuffer<u8>) -> Result<Bound<'a>, Error> {
        let written = TensorMut::with_type(target, self.written.0, &self.written.1)?;
        let dividend = self.dividend.as_ref().map(Stored::tensor).transpose()?;
        let divisor = match &self.divisor {
            StoredDivisor::Tensor(stored) => BoundDivisor::Tensor(stored.tensor()?),
            StoredDivisor::Scalar(scalar) => BoundDivisor::Scalar(scalar),
        };
        Ok(Bound { mode: self.mode, dividend, divisor, written })
    }
}

enum BoundDivisor<'a> {
    Tensor(Tensor<'a>),
    Scalar(&'a Scalar),
}

/// The arguments of one launch.
pub struct Bound<'a> {
    mode: Option<Mode>,
    dividend: Option<Tensor<'a>>,
    divisor: BoundDivisor<'a>,
    written: TensorMut<'a>,
}

impl Bound<'_> {
    /// Phase one.
    pub fn plan(&mut self) -> Result<Plan<'_>, Error> {
        let out = &mut self.written;
        match (&self.dividend, &self.divisor, self.mode) {
            (Some(x), BoundDivisor::Tensor(y), None) => fmod_tensor(x, y, out),
            (Some(x), BoundDivisor::Tensor(y), Some(mode)) => fmod_tensor_v2(x, y, mode, out),
            (Some(x), BoundDivisor::Scalar(y), None) => fmod_scalar(x, y, out),
            (Some(x), BoundDivisor::Scalar(y), Some(mode)) => fmod_scalar_v2(x, y, mode, out),
            (None, BoundDivisor::Tensor(y), None) => inplace_fmod_tensor(out, y),
            (None, BoundDivisor::Tensor(y), Some(mode)) => inplace_fmod_tensor_v2(out, y, mode),
            (None, BoundDivisor::Scalar(y), None) => inplace_fmod_scalar(out, y),
            (None, BoundDivisor::Scalar(y), Some(mode)) => inplace_fmod_scalar_v2(out, y, mode),
        }
    }
}

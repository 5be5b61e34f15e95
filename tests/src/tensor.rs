//! Tensor descriptors over device buffers.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::device::DeviceBuffer;
use crate::dtype::{DataType, DynType};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::result;
use crate::runtime::Runtime;
use crate::sys::aclTensor;

/// A readable view of a buffer. Bounds are checked here, because acl does not check them.
pub struct Tensor<'a> {
    raw: *mut aclTensor,
    runtime: &'static Runtime,
    buffer: PhantomData<&'a ()>,
}

// SAFETY: a descriptor is plain data; the calls that take it do not keep it beyond phase two.
unsafe impl Send for Tensor<'_> {}
// SAFETY: shared use only reads the descriptor.
unsafe impl Sync for Tensor<'_> {}

impl<'a> Tensor<'a> {
    pub fn new<T: DataType>(buffer: &'a DeviceBuffer<T>, layout: &Layout) -> Result<Tensor<'a>> {
        Tensor::create(buffer, T::TYPE, layout)
    }

    /// A view whose element type is not the buffer's, e.g. one that the operator must refuse.
    pub fn with_type(buffer: &'a DeviceBuffer<u8>, dtype: DynType, layout: &Layout) -> Result<Tensor<'a>> {
        Tensor::create(buffer, dtype, layout)
    }

    fn create<T: DataType>(buffer: &DeviceBuffer<T>, dtype: DynType, layout: &Layout) -> Result<Tensor<'a>> {
        layout.check(buffer.bytes() / dtype.bytes())?;
        let runtime = buffer.device().runtime();
        let strides = Some(layout.strides.as_slice());
        let (shape, storage, data) = (&layout.shape, &layout.storage, buffer.as_ptr());
        // SAFETY: extent and storage were checked against the buffer, which 'a keeps alive.
        let raw =
            unsafe { result::tensor::create(runtime, shape, dtype.acl(), strides, layout.offset, storage, data)? };
        Ok(Tensor { raw, runtime, buffer: PhantomData })
    }

    pub fn as_raw(&self) -> *mut aclTensor {
        self.raw
    }

    pub(crate) fn runtime(&self) -> &'static Runtime {
        self.runtime
    }
}

impl Drop for Tensor<'_> {
    fn drop(&mut self) {
        // SAFETY: created by `create`, destroyed once.
        let destroyed = unsafe { result::tensor::destroy(self.runtime, self.raw) };
        self.runtime.defer(destroyed);
    }
}

/// A view that may be written. Two elements must not share memory.
pub struct TensorMut<'a> {
    tensor: Tensor<'a>,
}

impl<'a> TensorMut<'a> {
    pub fn new<T: DataType>(buffer: &'a mut DeviceBuffer<T>, layout: &Layout) -> Result<TensorMut<'a>> {
        no_self_overlap(layout)?;
        Ok(TensorMut { tensor: Tensor::create(buffer, T::TYPE, layout)? })
    }

    pub fn with_type(buffer: &'a mut DeviceBuffer<u8>, dtype: DynType, layout: &Layout) -> Result<TensorMut<'a>> {
        no_self_overlap(layout)?;
        Ok(TensorMut { tensor: Tensor::create(buffer, dtype, layout)? })
    }
}

impl<'a> Deref for TensorMut<'a> {
    type Target = Tensor<'a>;

    fn deref(&self) -> &Tensor<'a> {
        &self.tensor
    }
}

/// Sufficient test: sorted by stride, each axis must step over everything the smaller ones reach.
fn no_self_overlap(layout: &Layout) -> Result<()> {
    let mut axes: Vec<_> = layout.strides.iter().zip(&layout.shape).filter(|(_, dim)| **dim > 1).collect();
    axes.sort_by_key(|(stride, _)| stride.abs());
    let mut reach = 0;
    for (stride, dim) in axes {
        if stride.abs() <= reach && layout.numel() > 0 {
            let message = format!("stride {stride} makes elements of an output share memory (layout {layout:?})");
            return Err(Error::refused("TensorMut::new", message));
        }
        reach += stride.abs() * (dim - 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_outputs_are_refused() {
        assert!(no_self_overlap(&Layout::contiguous(&[3, 4])).is_ok());
        assert!(no_self_overlap(&Layout::contiguous(&[3, 4]).strides(&[1, 3])).is_ok());
        assert!(no_self_overlap(&Layout::contiguous(&[3, 4]).strides(&[0, 1])).is_err());
        assert!(no_self_overlap(&Layout::contiguous(&[3, 4]).strides(&[2, 1])).is_err());
    }
}

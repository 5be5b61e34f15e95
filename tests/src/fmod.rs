//! The two-phase calls: four, and four with a precision. Phase one checks and plans; the [`Plan`] it returns is consumed
//! by phase two.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;

use crate::device::{Device, DeviceBuffer, Stream};
use crate::error::Result;
use crate::golden::Mode;
use crate::runtime::Runtime;
use crate::scalar::Scalar;
use crate::sys::{aclOpExecutor, aclnnStatus, aclrtStream};
use crate::tensor::{Tensor, TensorMut};

type PhaseTwo = unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> aclnnStatus;

/// A call that has passed phase one. It can run once, phase two destroys the executor:
///
/// ```compile_fail,E0382
/// fn twice(plan: fmod_tests::Plan<'static>, stream: &'static fmod_tests::Stream) {
///     let _ = plan.run(stream);
///     let _ = plan.run(stream);
/// }
/// ```
///
/// and it keeps what it writes borrowed until then:
///
/// ```compile_fail,E0502
/// use fmod_tests::{DeviceBuffer, Layout, Result, Stream, Tensor, TensorMut, fmod_tensor};
/// fn read_too_early(x: &Tensor, out: &mut DeviceBuffer<f32>, stream: &Stream) -> Result<()> {
///     let mut tensor = TensorMut::new(out, &Layout::contiguous(&[1]))?;
///     let plan = fmod_tensor(x, x, &mut tensor)?;
///     out.to_vec()?;
///     plan.run(stream)
/// }
/// ```
#[must_use = "a plan that is not launched leaks its executor"]
pub struct Plan<'a> {
    runtime: &'static Runtime,
    call: &'static str,
    phase_two: PhaseTwo,
    executor: *mut aclOpExecutor,
    workspace_bytes: u64,
    buffers: PhantomData<&'a mut ()>,
}

// SAFETY: an executor may be made on one thread and run on another (torch does), used by one at a time.
unsafe impl Send for Plan<'_> {}

impl<'a> Plan<'a> {
    pub fn workspace_bytes(&self) -> u64 {
        self.workspace_bytes
    }

    /// Launches, waits and frees the workspace.
    pub fn run(self, stream: &'a Stream) -> Result<()> {
        let workspace = self.workspace(stream.device())?;
        // SAFETY: tensors' buffers are borrowed for 'a and the workspace lives until after the wait.
        let launched = unsafe { self.launch(&workspace, stream) };
        let waited = stream.synchronize();
        launched.and(waited)
    }

    /// Device memory of the size that phase one asked for.
    pub(crate) fn workspace(&self, device: Device) -> Result<DeviceBuffer<u8>> {
        device.alloc(self.workspace_bytes as usize)
    }

    /// Queues the work and returns.
    ///
    /// # Safety
    /// The buffers of all tensors and the workspace must live until the stream has been waited for.
    pub(crate) unsafe fn launch(mut self, workspace: &DeviceBuffer<u8>, stream: &Stream) -> Result<()> {
        stream.device().bind()?;
        let executor = std::mem::replace(&mut self.executor, null_mut());
        // SAFETY: the executor is unused; the caller vouches for the memory.
        let code = unsafe { (self.phase_two)(workspace.as_ptr(), workspace.bytes() as u64, executor, stream.as_raw()) };
        self.runtime.check(self.call, code)
    }
}

impl Drop for Plan<'_> {
    /// CANN documents no way to destroy an executor that is neither repeatable nor launched, so it leaks, counted.
    fn drop(&mut self) {
        if !self.executor.is_null() {
            self.runtime.count_abandoned_plan();
        }
    }
}

/// One phase-one call: `phase_one!(runtime, aclnnX, aclnnXGetWorkspaceSize(arguments…))`
macro_rules! phase_one {
    ($runtime:expr, $phase_two:ident, $phase_one:ident($($argument:expr),*)) => {{
        let runtime: &'static Runtime = $runtime;
        let (mut workspace_bytes, mut executor) = (0, null_mut());
        // SAFETY: the arguments are live handles, the two out-pointers are valid.
        let code = unsafe { runtime.api().$phase_one($($argument,)* &mut workspace_bytes, &mut executor) };
        runtime.check(stringify!($phase_one), code)?;
        Ok(Plan {
            runtime,
            call: stringify!($phase_two),
            phase_two: runtime.api().$phase_two,
            executor,
            workspace_bytes,
            buffers: PhantomData,
        })
    }};
}

/// `out = fmod(self, other)`, element by element.
pub fn fmod_tensor<'a>(self_: &'a Tensor, other: &'a Tensor, out: &'a mut TensorMut) -> Result<Plan<'a>> {
    let (self_raw, other_raw, out_raw) = (self_.as_raw(), other.as_raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodTensor, aclnnFmodTensorGetWorkspaceSize(self_raw, other_raw, out_raw))
}

/// [`fmod_tensor_v2`] on views that may share memory, which the borrows of the safe functions do not let pass.
///
/// # Safety
/// The tensors and their buffers must live until the stream has been waited for.
pub unsafe fn fmod_shared_tensor_v2<'a>(self_: &Tensor, other: &Tensor, mode: Mode, out: &Tensor) -> Result<Plan<'a>> {
    let (raw, other_raw, mode, out_raw) = (self_.as_raw(), other.as_raw(), mode.raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodTensorV2, aclnnFmodTensorV2GetWorkspaceSize(raw, other_raw, mode, out_raw))
}

/// [`fmod_scalar_v2`] as [`fmod_shared_tensor_v2`].
///
/// # Safety
/// The tensors and their buffers must live until the stream has been waited for.
pub unsafe fn fmod_shared_scalar_v2<'a>(self_: &Tensor, other: &Scalar, mode: Mode, out: &Tensor) -> Result<Plan<'a>> {
    let (raw, other_raw, mode, out_raw) = (self_.as_raw(), other.as_raw(), mode.raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodScalarV2, aclnnFmodScalarV2GetWorkspaceSize(raw, other_raw, mode, out_raw))
}

/// `out = fmod(self, other)` with one divisor for all.
pub fn fmod_scalar<'a>(self_: &'a Tensor, other: &Scalar, out: &'a mut TensorMut) -> Result<Plan<'a>> {
    let (self_raw, other_raw, out_raw) = (self_.as_raw(), other.as_raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodScalar, aclnnFmodScalarGetWorkspaceSize(self_raw, other_raw, out_raw))
}

/// `self = fmod(self, other)`, element by element.
pub fn inplace_fmod_tensor<'a>(self_ref: &'a mut TensorMut, other: &'a Tensor) -> Result<Plan<'a>> {
    let (raw, other_raw) = (self_ref.as_raw(), other.as_raw());
    phase_one!(self_ref.runtime(), aclnnInplaceFmodTensor, aclnnInplaceFmodTensorGetWorkspaceSize(raw, other_raw))
}

/// `self = fmod(self, other)` with one divisor for all.
pub fn inplace_fmod_scalar<'a>(self_ref: &'a mut TensorMut, other: &Scalar) -> Result<Plan<'a>> {
    let (raw, other_raw) = (self_ref.as_raw(), other.as_raw());
    phase_one!(self_ref.runtime(), aclnnInplaceFmodScalar, aclnnInplaceFmodScalarGetWorkspaceSize(raw, other_raw))
}

/// [`fmod_tensor`] with a precision.
pub fn fmod_tensor_v2<'a>(
    self_: &'a Tensor,
    other: &'a Tensor,
    mode: Mode,
    out: &'a mut TensorMut,
) -> Result<Plan<'a>> {
    let (raw, other_raw, mode, out_raw) = (self_.as_raw(), other.as_raw(), mode.raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodTensorV2, aclnnFmodTensorV2GetWorkspaceSize(raw, other_raw, mode, out_raw))
}

/// [`fmod_scalar`] with a precision.
pub fn fmod_scalar_v2<'a>(self_: &'a Tensor, other: &Scalar, mode: Mode, out: &'a mut TensorMut) -> Result<Plan<'a>> {
    let (raw, other_raw, mode, out_raw) = (self_.as_raw(), other.as_raw(), mode.raw(), out.as_raw());
    phase_one!(self_.runtime(), aclnnFmodScalarV2, aclnnFmodScalarV2GetWorkspaceSize(raw, other_raw, mode, out_raw))
}

/// [`inplace_fmod_tensor`] with a precision.
pub fn inplace_fmod_tensor_v2<'a>(self_ref: &'a mut TensorMut, other: &'a Tensor, mode: Mode) -> Result<Plan<'a>> {
    let (raw, other, mode) = (self_ref.as_raw(), other.as_raw(), mode.raw());
    let runtime = self_ref.runtime();
    phase_one!(runtime, aclnnInplaceFmodTensorV2, aclnnInplaceFmodTensorV2GetWorkspaceSize(raw, other, mode))
}

/// [`inplace_fmod_scalar`] with a precision.
pub fn inplace_fmod_scalar_v2<'a>(self_ref: &'a mut TensorMut, other: &Scalar, mode: Mode) -> Result<Plan<'a>> {
    let (raw, other, mode) = (self_ref.as_raw(), other.as_raw(), mode.raw());
    let runtime = self_ref.runtime();
    phase_one!(runtime, aclnnInplaceFmodScalarV2, aclnnInplaceFmodScalarV2GetWorkspaceSize(raw, other, mode))
}

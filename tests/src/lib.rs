//! The installed Fmod operator package from Rust, for the tests in `tests/`.
//!
//! | Idea | Type |
//! |---|---|
//! | the loaded package and toolkit | [`Runtime`] |
//! | an NPU, bound to a thread | [`Device`] |
//! | `Vec<T>` on the device | [`DeviceBuffer`] |
//! | ordered asynchronous work | [`Stream`], [`StreamScope`], [`Event`] |
//! | a view of a buffer | [`Tensor`], [`TensorMut`], described by a [`Layout`] |
//! | a host number as an argument | [`Scalar`] |
//! | phase one done, phase two to come | [`Plan`] |
//!
//! Layers, bottom up: [`sys`] (bindgen's names, untouched), [`result`] (one call, one `Result`), and the safe types above.
//! Beside them: [`golden`] (what the operator must return) on [`data`] (elements of any type) cast by [`promote`],
//! [`generate`] (test vectors), [`arrange`] (layouts and broadcasts), [`battery`] (a call for every path) and [`limits`] (calls
//! around the limits of the exact kernels), [`cases`]
//! (YAML tables), [`compare`] (bit comparison), [`host`] (one call on host data), [`staged`] (its operands on the device)
//! and [`check`] (the call run and compared).

pub mod arrange;
pub mod battery;
pub mod cases;
pub mod check;
pub mod compare;
pub mod data;
mod device;
mod dtype;
mod error;
mod fmod;
mod freshness;
pub mod generate;
pub mod golden;
pub mod host;
mod layout;
pub mod limits;
pub mod promote;
pub mod result;
mod runtime;
mod scalar;
mod scope;
pub mod staged;
pub mod sys;
mod tensor;

pub use device::{Device, DeviceBuffer, Event, Stream};
pub use dtype::{DataType, DynType};
pub use error::{Error, Result, status_name};
pub use fmod::{
    Plan, fmod_scalar, fmod_scalar_v2, fmod_shared_scalar_v2, fmod_shared_tensor_v2, fmod_tensor, fmod_tensor_v2,
    inplace_fmod_scalar, inplace_fmod_scalar_v2, inplace_fmod_tensor, inplace_fmod_tensor_v2,
};
pub use layout::Layout;
pub use runtime::Runtime;
pub use scalar::{Number, Scalar};
pub use scope::StreamScope;
pub use tensor::{Tensor, TensorMut};

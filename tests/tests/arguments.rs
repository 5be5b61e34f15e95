//! Wrong arguments: status code, and a message that names the argument. Calls go through the raw bindings, because the
//! safe layer does not let most of these mistakes happen.

use std::ptr::{null, null_mut};

use anyhow::{Result, ensure};
use fmod_tests::sys::{aclOpExecutor, aclScalar, aclTensor};
use fmod_tests::{Device, DynType, Layout, Number, Runtime, Scalar, Tensor, TensorMut, fmod_tensor};
use hostcann_types::status;

const NULL: i32 = 161001;
const INVALID: i32 = status::NN_PARAM_INVALID;

/// Valid arguments to spoil one at a time; a null pointer where an API does not take the argument.
#[derive(Clone, Copy)]
struct Arguments {
    self_: *mut aclTensor,
    other: *mut aclTensor,
    scalar: *mut aclScalar,
    out: *mut aclTensor,
    precision: i8,
    no_size: bool,
    no_executor: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Api {
    Tensor,
    Scalar,
    InplaceTensor,
    InplaceScalar,
    TensorV2,
    ScalarV2,
    InplaceTensorV2,
    InplaceScalarV2,
}

const APIS: [Api; 8] = [
    Api::Tensor,
    Api::Scalar,
    Api::InplaceTensor,
    Api::InplaceScalar,
    Api::TensorV2,
    Api::ScalarV2,
    Api::InplaceTensorV2,
    Api::InplaceScalarV2,
];

impl Api {
    fn in_place(self) -> bool {
        matches!(self, Api::InplaceTensor | Api::InplaceScalar | Api::InplaceTensorV2 | Api::InplaceScalarV2)
    }

    fn takes_scalar(self) -> bool {
        matches!(self, Api::Scalar | Api::InplaceScalar | Api::ScalarV2 | Api::InplaceScalarV2)
    }

    fn has_precision(self) -> bool {
        matches!(self, Api::TensorV2 | Api::ScalarV2 | Api::InplaceTensorV2 | Api::InplaceScalarV2)
    }

    fn phase_one(self, runtime: &Runtime, arguments: Arguments) -> i32 {
        let (mut bytes, mut executor) = (0u64, null_mut::<aclOpExecutor>());
        let size = if arguments.no_size { null_mut() } else { &raw mut bytes };
        let plan = if arguments.no_executor { null_mut() } else { &raw mut executor };
        let (api, a) = (runtime.api(), arguments);
        // SAFETY: handles are live or null; null is what is tested.
        unsafe {
            match self {
                Api::Tensor => api.aclnnFmodTensorGetWorkspaceSize(a.self_, a.other, a.out, size, plan),
                Api::Scalar => api.aclnnFmodScalarGetWorkspaceSize(a.self_, a.scalar, a.out, size, plan),
                Api::InplaceTensor => api.aclnnInplaceFmodTensorGetWorkspaceSize(a.self_, a.other, size, plan),
                Api::InplaceScalar => api.aclnnInplaceFmodScalarGetWorkspaceSize(a.self_, a.scalar, size, plan),
                Api::TensorV2 => {
                    api.aclnnFmodTensorV2GetWorkspaceSize(a.self_, a.other, a.precision, a.out, size, plan)
                }
                Api::ScalarV2 => {
                    api.aclnnFmodScalarV2GetWorkspaceSize(a.self_, a.scalar, a.precision, a.out, size, plan)
                }
                Api::InplaceTensorV2 => {
                    api.aclnnInplaceFmodTensorV2GetWorkspaceSize(a.self_, a.other, a.precision, size, plan)
                }
                Api::InplaceScalarV2 => {
                    api.aclnnInplaceFmodScalarV2GetWorkspaceSize(a.self_, a.scalar, a.precision, size, plan)
                }
            }
        }
    }

    /// Expects `code` and a message with one of `names` in it, and nothing left over in the message queue.
    #[track_caller]
    fn refuses(self, runtime: &Runtime, arguments: Arguments, code: i32, names: &[&str]) {
        runtime.take_message();
        let got = self.phase_one(runtime, arguments);
        let message = runtime.take_message().unwrap_or_default();
        assert_eq!(got, code, "{self:?}: status; message: {message}");
        assert!(names.iter().any(|name| message.contains(name)), "{self:?}: no {names:?} in `{message}`");
    }
}

/// Runs `test` with good arguments for every API: fp32, shape [2, 3].
fn with_arguments(test: impl Fn(&'static Runtime, Api, Arguments) -> Result<()>) -> Result<()> {
    let device = Device::open(0)?;
    let buffer = device.upload(&[0u8; 4096])?;
    let tensor = || Tensor::with_type(&buffer, DynType::F32, &Layout::contiguous(&[2, 3]));
    let (self_, other, out) = (tensor()?, tensor()?, tensor()?);
    let scalar = Scalar::new(&device, Number::F32(2.0))?;
    let (self_, other, out, scalar) = (self_.as_raw(), other.as_raw(), out.as_raw(), scalar.as_raw());
    for api in APIS {
        let arguments = Arguments { self_, other, scalar, out, precision: 1, no_size: false, no_executor: false };
        test(device.runtime(), api, arguments)?;
    }
    Ok(())
}

/// Runs `test` with a tensor of this type and shape.
fn with_tensor(dtype: DynType, shape: &[i64], test: impl Fn(*mut aclTensor)) -> Result<()> {
    let buffer = Device::open(0)?.upload(&[0u8; 65_536])?;
    let tensor = Tensor::with_type(&buffer, dtype, &Layout::contiguous(shape))?;
    test(tensor.as_raw());
    Ok(())
}

#[test]
fn null_pointers() -> Result<()> {
    with_arguments(|runtime, api, good| {
        let self_name: &[&str] = if api.in_place() { &["selfRef", "self"] } else { &["self"] };
        api.refuses(runtime, Arguments { self_: null_mut(), ..good }, NULL, self_name);
        api.refuses(runtime, Arguments { other: null_mut(), scalar: null_mut(), ..good }, NULL, &["other"]);
        if !api.in_place() {
            api.refuses(runtime, Arguments { out: null_mut(), ..good }, NULL, &["out"]);
        }
        api.refuses(runtime, Arguments { no_size: true, ..good }, NULL, &["workspaceSize", "workspace"]);
        api.refuses(runtime, Arguments { no_executor: true, ..good }, NULL, &["executor"]);
        Ok(())
    })
}

#[test]
fn unsupported_types() -> Result<()> {
    with_arguments(|runtime, api, good| {
        for dtype in [DynType::U16, DynType::U32, DynType::U64, DynType::Bool, DynType::C64] {
            with_tensor(dtype, &[2, 3], |wrong| {
                api.refuses(runtime, Arguments { self_: wrong, ..good }, INVALID, &["self"]);
                if !api.takes_scalar() {
                    api.refuses(runtime, Arguments { other: wrong, ..good }, INVALID, &["other"]);
                }
                if !api.in_place() {
                    api.refuses(runtime, Arguments { out: wrong, ..good }, INVALID, &["out"]);
                }
            })?;
        }
        Ok(())
    })
}

#[test]
fn wrong_out_shape() -> Result<()> {
    with_arguments(|runtime, api, good| {
        if api.in_place() {
            return Ok(());
        }
        for shape in [&[3, 2][..], &[6], &[2, 3, 1], &[2, 4], &[], &[0, 3]] {
            with_tensor(DynType::F32, shape, |wrong| {
                api.refuses(runtime, Arguments { out: wrong, ..good }, INVALID, &["out"]);
            })?;
        }
        Ok(())
    })
}

#[test]
fn shapes_that_do_not_broadcast() -> Result<()> {
    with_arguments(|runtime, api, good| {
        if api.takes_scalar() {
            return Ok(());
        }
        for shape in [&[2, 4][..], &[4], &[3, 3]] {
            with_tensor(DynType::F32, shape, |wrong| {
                api.refuses(runtime, Arguments { other: wrong, ..good }, INVALID, &["other", "broadcast"]);
            })?;
        }
        Ok(())
    })
}

#[test]
fn rank_nine() -> Result<()> {
    with_arguments(|runtime, api, good| {
        with_tensor(DynType::F32, &[1, 1, 1, 1, 1, 1, 1, 2, 3], |nine| {
            api.refuses(runtime, Arguments { self_: nine, out: nine, ..good }, INVALID, &["self"]);
            if !api.takes_scalar() {
                api.refuses(runtime, Arguments { other: nine, ..good }, INVALID, &["other"]);
            }
        })
    })
}

/// Nulls are found before types, types before shapes: the first mistake in that order decides the code.
#[test]
fn order_of_checks() -> Result<()> {
    with_arguments(|runtime, api, good| {
        with_tensor(DynType::U32, &[1, 1, 1, 1, 1, 1, 1, 2, 3], |wrong| {
            let arguments = Arguments { self_: wrong, other: null_mut(), scalar: null_mut(), ..good };
            api.refuses(runtime, arguments, NULL, &["other"]);
        })
    })
}

#[test]
fn unknown_precisions() -> Result<()> {
    with_arguments(|runtime, api, good| {
        for precision in [-1, 2, 127, -128] {
            if api.has_precision() {
                api.refuses(runtime, Arguments { precision, ..good }, INVALID, &["precisionMode"]);
            }
        }
        Ok(())
    })
}

/// `out` has two elements in one place.
#[test]
fn outputs_with_stride_zero() -> Result<()> {
    let buffer = Device::open(0)?.upload(&[0u8; 4096])?;
    let layout = Layout::contiguous(&[2, 3]).strides(&[0, 1]);
    let expanded = Tensor::with_type(&buffer, DynType::F32, &layout)?;
    with_arguments(|runtime, api, good| {
        let arguments = match api.in_place() {
            true => Arguments { self_: expanded.as_raw(), ..good },
            false => Arguments { out: expanded.as_raw(), ..good },
        };
        api.refuses(runtime, arguments, INVALID, &["out", "selfRef"]);
        Ok(())
    })
}

/// Views that run backwards, in every argument; the stride of an axis of one element means nothing.
#[test]
fn negative_strides() -> Result<()> {
    let buffer = Device::open(0)?.upload(&[0u8; 4096])?;
    let layout = Layout::contiguous(&[2, 3]).strides(&[-3, 1]).offset(3).storage(&[6]);
    let backwards = Tensor::with_type(&buffer, DynType::F32, &layout)?;
    let layout = Layout::contiguous(&[1, 3]).strides(&[-3, 1]);
    let single = Tensor::with_type(&buffer, DynType::F32, &layout)?;
    with_arguments(|runtime, api, good| {
        let self_name: &[&str] = &["self: expected strides of at least 0, got -3 at axis 0"];
        api.refuses(runtime, Arguments { self_: backwards.as_raw(), ..good }, INVALID, self_name);
        if !api.takes_scalar() {
            let name: &[&str] = &["other: expected strides of at least 0, got -3 at axis 0"];
            api.refuses(runtime, Arguments { other: backwards.as_raw(), ..good }, INVALID, name);
            let code = api.phase_one(runtime, Arguments { other: single.as_raw(), ..good });
            ensure!(code == 0, "{api:?}: {code} {:?}", runtime.take_message());
        }
        if !api.in_place() {
            let name: &[&str] = &["out: expected strides of at least 1, got -3 at axis 0"];
            api.refuses(runtime, Arguments { out: backwards.as_raw(), ..good }, INVALID, name);
        }
        Ok(())
    })
}

/// In place, the broadcast shape must be self's own.
#[test]
fn broadcasts_that_self_cannot_take() -> Result<()> {
    with_arguments(|runtime, api, good| {
        if api.in_place() && !api.takes_scalar() {
            with_tensor(DynType::F32, &[4, 2, 3], |larger| {
                api.refuses(runtime, Arguments { other: larger, ..good }, INVALID, &["selfRef", "out"]);
            })?;
        }
        Ok(())
    })
}

#[test]
fn a_refusal_does_not_disturb_the_next_call() -> Result<()> {
    with_arguments(|runtime, api, good| {
        api.refuses(runtime, Arguments { self_: null_mut(), ..good }, NULL, &["self"]);
        let (mut bytes, mut executor) = (0, null_mut());
        if api == Api::Tensor {
            // SAFETY: live handles, valid out-pointers; phase two gets device memory of the size asked for, or null.
            unsafe {
                let acl = runtime.api();
                let code =
                    acl.aclnnFmodTensorGetWorkspaceSize(good.self_, good.other, good.out, &mut bytes, &mut executor);
                ensure!(code == 0, "phase one: {code} {:?}", runtime.take_message());
                let workspace = Device::open(0)?.alloc::<u8>(bytes as usize)?;
                let code = acl.aclnnFmodTensor(workspace.as_ptr(), bytes, executor, null_mut());
                ensure!(code == 0, "phase two on the default stream: {code} {:?}", runtime.take_message());
                ensure!(
                    acl.aclrtSynchronizeStream(null_mut()) == 0,
                    "the default stream: {:?}",
                    runtime.take_message()
                );
            }
            ensure!(runtime.take_message().is_none(), "a message was left behind");
        }
        Ok(())
    })
}

#[test]
fn phase_two_without_executor() -> Result<()> {
    let runtime = Device::open(0)?.runtime();
    let api = runtime.api();
    // SAFETY: null executor, workspace and stream are what is tested.
    let codes = unsafe {
        [
            api.aclnnFmodTensor(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnFmodScalar(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnInplaceFmodTensor(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnInplaceFmodScalar(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnFmodTensorV2(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnFmodScalarV2(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnInplaceFmodTensorV2(null_mut(), 0, null_mut(), null_mut()),
            api.aclnnInplaceFmodScalarV2(null_mut(), 0, null_mut(), null_mut()),
        ]
    };
    assert_eq!(codes, [NULL; 8]);
    assert!(runtime.take_message().is_some());
    Ok(())
}

#[test]
fn a_plan_that_is_never_launched_is_counted() -> Result<()> {
    let device = Device::open(0)?;
    let layout = Layout::contiguous(&[8]);
    let (x, mut out) = (device.upload(&[1.0f32; 8])?, device.alloc::<f32>(8)?);
    let (x, mut out) = (Tensor::new(&x, &layout)?, TensorMut::new(&mut out, &layout)?);
    let before = device.runtime().abandoned_plans();
    drop(fmod_tensor(&x, &x, &mut out)?);
    ensure!(device.runtime().abandoned_plans() == before + 1);
    Ok(())
}

#[test]
fn safe_layer_refuses_out_of_bounds_views() -> Result<()> {
    let device = Device::open(0)?;
    let buffer = device.alloc::<f32>(10)?;
    let error = Tensor::new(&buffer, &Layout::contiguous(&[11])).err().map(|error| error.to_string());
    let error = error.unwrap_or_default();
    assert!(error.contains("the storage shape has 11 elements, the buffer 10"), "{error}");
    // SAFETY: null dimensions with a rank are refused before they are read.
    let tensor = unsafe {
        let (dtype, format) = (DynType::F32.acl(), fmod_tests::sys::aclFormat::ACL_FORMAT_ND);
        device.runtime().api().aclCreateTensor(null(), 1, dtype, null(), 0, format, null(), 1, null_mut())
    };
    assert!(tensor.is_null());
    device.runtime().take_message();
    Ok(())
}

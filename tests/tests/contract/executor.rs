//! Tensors, the two phases, repeatable executors, leaks.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use fmod_tests::compare::compare;
use fmod_tests::data::sentinel;
use fmod_tests::generate::ordinary;
use fmod_tests::golden::{Golden, Mode};
use fmod_tests::sys::{aclFormat, aclOpExecutor, aclTensor};
use fmod_tests::{Device, DeviceBuffer, DynType, Runtime};

use crate::probe;

fn golden(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x.fmod(*y, Mode::Tbe)).collect()
}

#[test]
fn tensors_are_created_and_destroyed() -> Result<()> {
    let runtime = Device::open(0)?.runtime();
    let api = runtime.api();
    let buffer = Device::open(0)?.alloc::<f32>(64)?;
    let (dtype, format) = (DynType::F32.acl(), aclFormat::ACL_FORMAT_ND);
    let dims = [2i64, 3];
    // SAFETY: null arguments are what is tested; dimension arrays have the length given.
    unsafe {
        let (no_dims, no_strides) = (null(), null());
        let data = buffer.as_ptr();
        assert!(api.aclCreateTensor(no_dims, 1, dtype, no_strides, 0, format, dims.as_ptr(), 2, data).is_null());
        runtime.take_message();
        let scalar = api.aclCreateTensor(no_dims, 0, dtype, no_strides, 0, format, no_dims, 0, data);
        assert!(!scalar.is_null(), "0 dimensions");
        assert_eq!(api.aclDestroyTensor(scalar), 0);
        let tensor = api.aclCreateTensor(dims.as_ptr(), 2, dtype, no_strides, 5, format, dims.as_ptr(), 2, data);
        let (mut offset, mut type_, mut address) = (0, DynType::I8.acl(), null_mut());
        assert_eq!(api.aclGetViewOffset(tensor, &mut offset), 0);
        assert_eq!(api.aclGetDataType(tensor, &mut type_), 0);
        assert_eq!(api.aclGetRawTensorAddr(tensor, &mut address), 0);
        assert_eq!((offset, type_, address), (5, dtype, data));
        assert_eq!(api.aclGetViewOffset(tensor, null_mut()), 161001);
        assert_eq!(api.aclDestroyTensor(tensor), 0);
        assert_eq!(api.aclDestroyTensor(null()), 0, "destroying null");
        assert_eq!(api.aclDestroyScalar(null()), 0, "destroying null");
        assert!(api.aclCreateScalar(null_mut(), dtype).is_null(), "a scalar of nothing");
    }
    runtime.take_message();
    Ok(())
}

/// A null stride pointer means contiguous.
#[test]
fn null_strides_are_contiguous() -> Result<()> {
    let device = Device::open(0)?;
    let runtime = device.runtime();
    let (x, y) = ordinary(42, 60);
    let (a, b, out) = (device.upload(&x)?, device.upload(&y)?, device.alloc::<f32>(60)?);
    let mut plan = RawPlan::with_dims(runtime, [&a, &b, &out], &[3, 4, 5])?;
    let workspace = device.alloc::<u8>(plan.bytes as usize)?;
    plan.launch(runtime, &workspace, null_mut())?;
    synchronize(runtime)?;
    compare(&x, |index| y[index], &out.to_vec()?, &golden(&x, &y))?;
    plan.destroy_tensors(runtime);
    Ok(())
}

/// Behind a host function that does not return, a launch returns and writes nothing; once it returns, the launch runs.
#[test]
fn launches_are_asynchronous() -> Result<()> {
    const SIZE: usize = 100_000;
    let device = Device::open(0)?;
    let runtime = device.runtime();
    let stream = device.stream()?;
    let (x, y) = ordinary(41, SIZE);
    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let out = device.upload(&vec![sentinel::<f32>(); SIZE])?;
    let mut plan = RawPlan::new(runtime, &a, &b, &out)?;
    let workspace = device.alloc::<u8>(plan.bytes as usize)?;
    let Some(gate) = Gate::close(runtime, stream.as_raw())? else {
        return Ok(()); // a toolkit without aclrtLaunchHostFunc
    };
    plan.launch(runtime, &workspace, stream.as_raw())?;
    ensure!(!gate.gave_up(), "phase two waited for the stream");
    let early = out.to_vec()?;
    ensure!(early.iter().all(|value| value.to_bits() == sentinel::<f32>().to_bits()), "written before its turn");
    gate.open();
    stream.synchronize()?;
    ensure!(!gate.gave_up(), "the copy of the old values waited for the stream");
    compare(&x, |index| y[index], &out.to_vec()?, &golden(&x, &y))?;
    plan.destroy_tensors(runtime);
    Ok(())
}

/// A host function that holds its stream until the gate is opened, or for so long that whoever should have opened it must
/// be waiting for the stream.
struct Gate(Mutex<GateState>, Condvar);

#[derive(Default)]
struct GateState {
    open: bool,
    gave_up: bool,
}

impl Gate {
    const PATIENCE: Duration = Duration::from_secs(20);

    fn close(runtime: &Runtime, stream: *mut c_void) -> Result<Option<&'static Gate>> {
        type LaunchHostFunc = unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void), *mut c_void) -> i32;
        // SAFETY: the runtime has loaded this library already.
        let library = unsafe { libloading::Library::new("libascendcl.so") }?;
        // SAFETY: the type is that of acl_rt.h.
        let Ok(launch) = (unsafe { library.get::<LaunchHostFunc>(b"aclrtLaunchHostFunc") }) else {
            ensure!(!runtime.is_host_toolkit(), "the host toolkit has lost aclrtLaunchHostFunc");
            return Ok(None);
        };
        let gate: &'static Gate = Box::leak(Box::new(Gate(Mutex::default(), Condvar::new())));
        // SAFETY: the gate lives as long as the process.
        let code = unsafe { launch(stream, Gate::hold, std::ptr::from_ref(gate).cast_mut().cast()) };
        ensure!(code == 0, "aclrtLaunchHostFunc: {code} {:?}", runtime.take_message());
        Ok(Some(gate))
    }

    unsafe extern "C" fn hold(gate: *mut c_void) {
        // SAFETY: the argument given to aclrtLaunchHostFunc.
        let Gate(state, changed) = unsafe { &*gate.cast::<Gate>() };
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(state, Gate::PATIENCE, |state| !state.open);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.gave_up = timeout.timed_out();
    }

    fn open(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).open = true;
        self.1.notify_all();
    }

    fn gave_up(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).gave_up
    }
}

#[test]
fn phase_two_checks_its_workspace() -> Result<()> {
    let device = Device::open(0)?;
    let runtime = device.runtime();
    let (x, y) = ordinary(43, 10);
    let (a, b, out) = (device.upload(&x)?, device.upload(&y)?, device.alloc::<f32>(10)?);
    let plan = RawPlan::new(runtime, &a, &b, &out)?;
    // SAFETY: the executor is live; it is destroyed by the call.
    let code = unsafe { runtime.api().aclnnFmodTensor(null_mut(), 512, plan.executor, null_mut()) };
    assert_eq!(code, 161001);
    ensure!(
        runtime.take_message().is_some_and(|message| message.contains("workspace")),
        "no message about the workspace"
    );
    plan.destroy_tensors(runtime);

    // More than asked for is fine.
    let mut plan = RawPlan::new(runtime, &a, &b, &out)?;
    let workspace = device.alloc::<u8>(plan.bytes as usize + 4096)?;
    plan.launch(runtime, &workspace, null_mut())?;
    synchronize(runtime)?;
    compare(&x, |index| y[index], &out.to_vec()?, &golden(&x, &y))?;
    plan.destroy_tensors(runtime);
    Ok(())
}

/// Arguments are copied by phase two: tensors and scalars may go before the stream has run.
#[test]
fn descriptors_may_be_destroyed_after_launch() -> Result<()> {
    const SIZE: usize = 300_000;
    let device = Device::open(0)?;
    let runtime = device.runtime();
    let api = runtime.api();
    let (x, _) = ordinary(44, SIZE);
    let (a, out) = (device.upload(&x)?, device.alloc::<f32>(SIZE)?);
    let dims = [SIZE as i64];
    let (self_, out_tensor) = (create(runtime, &a, &dims)?, create(runtime, &out, &dims)?);
    // SAFETY: live handles; the value is copied by aclCreateScalar, then overwritten.
    unsafe {
        let mut value = 0.3f32;
        let other = api.aclCreateScalar((&raw mut value).cast(), DynType::F32.acl());
        value = 0.7;
        let (mut bytes, mut executor) = (0, null_mut());
        assert_eq!(api.aclnnFmodScalarGetWorkspaceSize(self_, other, out_tensor, &mut bytes, &mut executor), 0);
        let workspace = device.alloc::<u8>(bytes as usize)?;
        assert_eq!(api.aclnnFmodScalar(workspace.as_ptr(), bytes, executor, null_mut()), 0);
        assert_eq!(api.aclDestroyScalar(other), 0);
        assert_eq!(api.aclDestroyTensor(self_), 0);
        assert_eq!(api.aclDestroyTensor(out_tensor), 0);
        synchronize(runtime)?;
        assert_eq!(value, 0.7);
    }
    compare(&x, |_| 0.3, &out.to_vec()?, &golden(&x, &vec![0.3; SIZE]))?;
    Ok(())
}

#[test]
fn executors_may_be_repeatable() -> Result<()> {
    let runtime = Device::open(0)?.runtime();
    // SAFETY: null is what is tested.
    unsafe {
        assert_eq!(runtime.api().aclSetAclOpExecutorRepeatable(null_mut()), 561103);
        assert_eq!(runtime.api().aclDestroyAclOpExecutor(null_mut()), 561103);
    }
    runtime.take_message();
    // A thread of its own: phase one of a known call may answer with a cached executor, which cannot be repeatable.
    thread::scope(|scope| scope.spawn(repeat).join()).map_err(|_| anyhow::anyhow!("the thread panicked"))?
}

fn repeat() -> Result<()> {
    let device = Device::open(0)?;
    let runtime = device.runtime();
    let api = runtime.api();
    let data: Vec<_> = (0..3).map(|round| ordinary(50 + round, 999)).collect();
    let other = device.upload(&data[0].1)?;
    let inputs = data.iter().map(|(x, _)| device.upload(x)).collect::<Result<Vec<_>, _>>()?;
    let outputs = data.iter().map(|_| device.alloc::<f32>(999)).collect::<Result<Vec<_>, _>>()?;
    let plan = RawPlan::new(runtime, &inputs[0], &other, &outputs[0])?;
    let workspace = device.alloc::<u8>(plan.bytes as usize)?;
    // SAFETY: the executor lives until it is destroyed below; all buffers live longer.
    unsafe {
        assert_eq!(api.aclSetAclOpExecutorRepeatable(plan.executor), 0, "{:?}", runtime.take_message());
        for (input, output) in inputs.iter().zip(&outputs) {
            assert_eq!(api.aclSetInputTensorAddr(plan.executor, 0, plan.tensors[0], input.as_ptr()), 0);
            assert_eq!(api.aclSetOutputTensorAddr(plan.executor, 0, plan.tensors[2], output.as_ptr()), 0);
            assert_eq!(api.aclnnFmodTensor(workspace.as_ptr(), plan.bytes, plan.executor, null_mut()), 0);
            synchronize(runtime)?;
        }
        assert_eq!(api.aclDestroyAclOpExecutor(plan.executor), 0);
    }
    let y = &data[0].1;
    for ((x, _), output) in data.iter().zip(&outputs) {
        compare(x, |index| y[index], &output.to_vec()?, &golden(x, y))?;
    }
    plan.destroy_tensors(runtime);
    Ok(())
}

/// What fails in a `Drop` is returned by the next call, once.
#[test]
fn failures_of_drop_surface_later() -> Result<()> {
    let text = probe(&["deferred"])?;
    ensure!(text == "0\naclrtFree\nnothing\n", "{text}");
    Ok(())
}

/// Counters are an addition of the host toolkit; elsewhere the probe prints `absent` on both lines.
#[test]
fn nothing_leaks() -> Result<()> {
    let text = probe(&["leaks", "50"])?;
    let counts: Vec<_> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    ensure!(counts.len() == 2 && counts[0].0 == "before" && counts[1].0 == "after", "{text}");
    ensure!(!Runtime::get()?.is_host_toolkit() || !text.contains("absent"), "a counter is gone: {text}");
    ensure!(counts[0].1 == counts[1].1, "executors and tensors grew: {text}");
    Ok(())
}

fn synchronize(runtime: &Runtime) -> Result<()> {
    // SAFETY: null is the default stream.
    let code = unsafe { runtime.api().aclrtSynchronizeStream(null_mut()) };
    ensure!(code == 0, "aclrtSynchronizeStream: {code} {:?}", runtime.take_message());
    Ok(())
}

fn create(runtime: &Runtime, buffer: &DeviceBuffer<f32>, dims: &[i64]) -> Result<*mut aclTensor> {
    let (dtype, format, rank) = (DynType::F32.acl(), aclFormat::ACL_FORMAT_ND, dims.len() as u64);
    let (dims, api) = (dims.as_ptr(), runtime.api());
    // SAFETY: the dimensions are copied; the buffer is only stored.
    let tensor = unsafe { api.aclCreateTensor(dims, rank, dtype, null(), 0, format, dims, rank, buffer.as_ptr()) };
    ensure!(!tensor.is_null(), "aclCreateTensor: {:?}", runtime.take_message());
    Ok(tensor)
}

/// Phase one of aclnnFmodTensor without the safe layer.
struct RawPlan {
    /// self, other, out
    tensors: [*mut aclTensor; 3],
    bytes: u64,
    executor: *mut aclOpExecutor,
}

impl RawPlan {
    fn new(
        runtime: &Runtime,
        self_: &DeviceBuffer<f32>,
        other: &DeviceBuffer<f32>,
        out: &DeviceBuffer<f32>,
    ) -> Result<RawPlan> {
        RawPlan::with_dims(runtime, [self_, other, out], &[self_.len() as i64])
    }

    fn with_dims(runtime: &Runtime, [x, y, z]: [&DeviceBuffer<f32>; 3], dims: &[i64]) -> Result<RawPlan> {
        let tensors = [create(runtime, x, dims)?, create(runtime, y, dims)?, create(runtime, z, dims)?];
        let [self_, other, out] = tensors;
        let (mut bytes, mut executor) = (0, null_mut());
        // SAFETY: live handles and valid out-pointers.
        let code =
            unsafe { runtime.api().aclnnFmodTensorGetWorkspaceSize(self_, other, out, &mut bytes, &mut executor) };
        ensure!(code == 0, "phase one: {code} {:?}", runtime.take_message());
        Ok(RawPlan { tensors, bytes, executor })
    }

    fn launch(&mut self, runtime: &Runtime, workspace: &DeviceBuffer<u8>, stream: *mut c_void) -> Result<()> {
        // SAFETY: the executor is unused; the callers keep buffers and workspace until they have waited.
        let code = unsafe { runtime.api().aclnnFmodTensor(workspace.as_ptr(), self.bytes, self.executor, stream) };
        ensure!(code == 0, "phase two: {code} {:?}", runtime.take_message());
        Ok(())
    }

    fn destroy_tensors(&self, runtime: &Runtime) {
        for tensor in self.tensors {
            // SAFETY: created by `create`, destroyed once.
            assert_eq!(unsafe { runtime.api().aclDestroyTensor(tensor) }, 0);
        }
    }
}

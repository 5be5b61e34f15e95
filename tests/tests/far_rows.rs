//! Rows farther apart than the 32 bits of a copy's gap can say, in memory of which only these rows are touched.

use std::ffi::c_void;

use anyhow::{Result, ensure};
use fmod_tests::golden::{Golden, Mode};
use fmod_tests::sys::aclrtMemcpyKind;
use fmod_tests::{Device, DeviceBuffer, Layout, Tensor, TensorMut, inplace_fmod_tensor_v2};

const COLUMNS: usize = 100;
/// Bytes; without its 33rd bit the gap behind a row would be 0.
const PITCH: usize = (1 << 32) + COLUMNS;

fn copy(buffer: &DeviceBuffer<i8>, row: usize, host: *mut i8, kind: aclrtMemcpyKind) -> Result<()> {
    let api = buffer.device().runtime().api();
    // SAFETY: a row inside the buffer and one of the host, both of COLUMNS bytes.
    let code = unsafe {
        let device: *mut c_void = buffer.as_ptr().cast::<i8>().add(row * PITCH).cast();
        let (to, from) = if kind == aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE {
            (device, host.cast())
        } else {
            (host.cast(), device)
        };
        api.aclrtMemcpy(to, COLUMNS, from, COLUMNS, kind)
    };
    ensure!(code == 0, "aclrtMemcpy: {code}");
    Ok(())
}

#[test]
fn gaps_of_more_than_32_bits() -> Result<()> {
    let device = Device::open(0)?;
    let stream = device.stream()?;
    let mut far = device.alloc::<i8>(PITCH + COLUMNS)?;
    let x: Vec<i8> = (0..2 * COLUMNS as i64).map(|i| (i * 37 % 251 - 125) as i8).collect();
    let y: Vec<i8> = (0..2 * COLUMNS as i64).map(|i| (i * 53 % 249 - 124) as i8).collect();
    for (row, values) in x.chunks(COLUMNS).enumerate() {
        copy(&far, row, values.as_ptr().cast_mut(), aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE)?;
    }
    let other = device.upload(&y)?;
    let shape = [2, COLUMNS as i64];
    let other = Tensor::new(&other, &Layout::contiguous(&shape))?;
    let strided = Layout::contiguous(&shape).strides(&[PITCH as i64, 1]).flat_storage();
    inplace_fmod_tensor_v2(&mut TensorMut::new(&mut far, &strided)?, &other, Mode::Exact)?.run(&stream)?;
    let mut got = vec![0i8; 2 * COLUMNS];
    for (row, values) in got.chunks_mut(COLUMNS).enumerate() {
        copy(&far, row, values.as_mut_ptr(), aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST)?;
    }
    let want: Vec<i8> = x.iter().zip(&y).map(|(x, y)| x.fmod(*y, Mode::Exact)).collect();
    assert_eq!(got, want);
    Ok(())
}

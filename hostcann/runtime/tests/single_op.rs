//! Descriptions, attributes and single-operator calls; functions that are there to be linked only.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

const FLOAT: i32 = 0;
const ND: i32 = 2;
const FRACTAL_NZ: i32 = 29;

#[test]
fn descriptions_are_read_back_until_they_are_destroyed() {
    let api = ready();
    unsafe {
        let desc = (api.aclCreateTensorDesc)(FLOAT, 3, [2, 3, 4].as_ptr(), ND);
        assert_eq!(((api.aclGetTensorDescType)(desc), (api.aclGetTensorDescFormat)(desc)), (FLOAT, ND));
        assert_eq!((api.aclGetTensorDescNumDims)(desc), 3);
        assert_eq!(((api.aclGetTensorDescElementCount)(desc), (api.aclGetTensorDescSize)(desc)), (24, 96));
        let mut dim = 0;
        assert_eq!((api.aclGetTensorDescDimV2)(desc, 2, &mut dim), 0);
        assert_eq!(dim, 4);
        assert_eq!((api.aclGetTensorDescDimV2)(desc, 3, &mut dim), 100000);
        assert_eq!((api.aclSetTensorPlaceMent)(desc, 3), 100000);
        assert_eq!((api.aclSetTensorShape)(desc, 1, null()), 100000);
        (api.aclDestroyTensorDesc)(desc);
        message();
        assert_eq!((api.aclGetTensorDescType)(desc), -1);
        assert!(message().contains("aclTensorDesc"), "a description that is gone");
        (api.aclDestroyTensorDesc)(desc);
        assert!(message().contains("was already destroyed"));

        let buffer = (api.aclCreateDataBuffer)(0x40 as Handle, 96);
        assert_eq!(((api.aclGetDataBufferAddr)(buffer), (api.aclGetDataBufferSizeV2)(buffer)), (0x40 as Handle, 96));
        assert_eq!((api.aclDestroyDataBuffer)(buffer), 0);
        assert_eq!((api.aclDestroyDataBuffer)(buffer), 100000);
        assert_eq!((api.aclDestroyDataBuffer)(null_mut()), 100000);
        assert!((api.aclCreateTensorDesc)(FLOAT, -1, null(), ND).is_null());

        let attr = (api.aclopCreateAttr)();
        assert_eq!((api.aclopSetAttrInt)(attr, c"axis".as_ptr(), -1), 0);
        assert_eq!((api.aclopSetAttrInt)(attr, null(), -1), 100000);
        let (row, counts) = ([1_i64, 2], [2, 1]);
        let rows = [row.as_ptr(), null()];
        assert_eq!((api.aclopSetAttrListListInt)(attr, c"a".as_ptr(), 1, counts.as_ptr(), rows.as_ptr()), 0);
        assert_eq!((api.aclopSetAttrListListInt)(attr, c"a".as_ptr(), 2, counts.as_ptr(), rows.as_ptr()), 100000);
        (api.aclopDestroyAttr)(attr);
        assert_eq!((api.aclopSetAttrInt)(attr, c"axis".as_ptr(), -1), 100000);
        message();
    }
}

struct Operand {
    desc: Handle,
    buffer: Handle,
}

fn operand(dims: &[i64], memory: &DeviceBuffer) -> Operand {
    let (api, bytes) = (api(), dims.iter().product::<i64>() as usize * 4);
    unsafe {
        Operand {
            desc: (api.aclCreateTensorDesc)(FLOAT, dims.len() as i32, dims.as_ptr(), ND),
            buffer: (api.aclCreateDataBuffer)(memory.0, bytes),
        }
    }
}

macro_rules! caller {
    ($name:ident $function:ident) => {
        fn $name(name: &std::ffi::CStr, from: &Operand, to: &Operand, stream: Handle) -> i32 {
            let (name, attr, path) = (name.as_ptr(), null_mut(), null());
            let ((a, b), (c, d)) = ((&from.desc, &from.buffer), (&to.desc, &to.buffer));
            unsafe { (api().$function)(name, 1, a, b, 1, c, d, attr, 0, 0, path, stream) }
        }
    };
}

caller! { call aclopCompileAndExecuteV2 }
caller! { queue aclopCompileAndExecute }

#[test]
fn identity_copies_and_nothing_else_is_there() {
    let api = ready();
    let (source, result) = (DeviceBuffer::from(&[1.5_f32, -2.0]), DeviceBuffer::from(&[0_f32; 2]));
    let (from, to) = (operand(&[2], &source), operand(&[2], &result));
    let stream = Stream::new();
    assert_eq!(call(c"Identity", &from, &to, stream.0), 0);
    assert_eq!(stream.sync(), 0);
    assert_eq!(result.read::<f32>(2), [1.5, -2.0]);
    message();
    assert_eq!(call(c"Mul", &from, &to, stream.0), 207000);
    assert!(message().contains("single-operator calls of Mul are not supported"));
    assert_eq!(call(c"Identity", &from, &operand(&[1], &result), stream.0), 100000);
    unsafe { assert_eq!((api.aclSetTensorFormat)(to.desc, FRACTAL_NZ), 0) };
    assert_eq!(call(c"Identity", &from, &to, stream.0), 207000);
    assert!(message().contains("Identity from format 2 to 29"));
    unsafe { (api.aclrtGetLastError)(0) };
}

/// torch_npu's task queue takes an error code as its end and drops what comes after it.
#[test]
fn a_queued_call_that_is_refused_fails_at_the_next_synchronisation() {
    let api = ready();
    let (source, result) = (DeviceBuffer::from(&[1.5_f32, -2.0]), DeviceBuffer::from(&[0_f32; 2]));
    let (from, to, short) = (operand(&[2], &source), operand(&[2], &result), operand(&[1], &result));
    let stream = Stream::new();
    message();
    for (name, to, text) in [
        (c"LayerNorm", &to, "single-operator calls of LayerNorm are not supported"),
        (c"Identity", &short, "aclopCompileAndExecute: Identity from data type 0 of shape [2] to 0 of [1]"),
    ] {
        assert_eq!(queue(name, &from, to, stream.0), 0);
        assert_eq!(queue(c"Conv2D", &from, to, stream.0), 0, "the first failure is the one that is returned");
        assert_eq!(stream.sync(), 507000, "torch_npu only warns of 207000");
        let message = message();
        assert!(message.contains(text), "{message}");
        assert_eq!(stream.sync(), 0);
    }
    assert_eq!(queue(c"Identity", &from, &to, stream.0), 0);
    let mut failed = -1;
    assert_eq!(unsafe { ((api.hc_stream_wait)(stream.0, &mut failed), failed) }, (0, 0));
    assert_eq!(queue(c"LayerNorm", &from, &to, stream.0), 0);
    assert_eq!(unsafe { ((api.hc_stream_wait)(stream.0, &mut failed), failed) }, (0, 1), "it waits and takes nothing");
    assert_eq!(stream.sync(), 507000);
    assert_eq!(stream.sync(), 0);
    assert_eq!(result.read::<f32>(2), [1.5, -2.0], "the stream goes on");
    unsafe { (api.aclrtGetLastError)(0) };
}

#[test]
fn settings_are_kept() {
    let api = ready();
    unsafe {
        assert_eq!((api.aclGetCompileoptSize)(0), 0);
        assert_eq!((api.aclSetCompileopt)(0, c"must_keep_origin_dtype".as_ptr()), 0);
        assert_eq!((api.aclGetCompileoptSize)(0), 23);
        let mut value = [0; 256];
        assert_eq!((api.aclGetCompileopt)(0, value.as_mut_ptr(), 22), 100000);
        assert_eq!((api.aclGetCompileopt)(0, value.as_mut_ptr(), 23), 0);
        assert_eq!(text(value.as_ptr()), "must_keep_origin_dtype");
        assert_eq!((api.aclGetCompileopt)(10, value.as_mut_ptr(), 256), 0);
        assert_eq!(text(value.as_ptr()), "disable", "nothing is compiled online");
        assert_eq!((api.aclSetCompileopt)(17, c"".as_ptr()), 100000);

        let (mut mode, mut time) = (-1, 0);
        assert_eq!((api.aclrtGetDeviceSatMode)(&mut mode), 0);
        assert_eq!(mode, 1, "infinities and NaN are results");
        assert_eq!((api.aclrtSetDeviceSatMode)(1), 0);
        message();
        assert_eq!((api.aclrtSetDeviceSatMode)(0), 207000);
        assert!(message().contains("HOSTCANN_SATURATION=saturate"));
        assert_eq!((api.aclrtGetOpExecuteTimeout)(&mut time), 0);
        assert_eq!(time, 1_091_000, "page «aclrtSetOpExecuteTimeOut»");
        assert_eq!((api.aclrtSetOpExecuteTimeOut)(7), 0);
        assert_eq!((api.aclrtGetOpExecuteTimeout)(&mut time), 0);
        assert_eq!(time, 7000);

        let (mut access, mut process) = (-1, 0);
        assert_eq!((api.aclrtDeviceCanAccessPeer)(&mut access, 0, 0), 100000);
        assert_eq!((api.aclrtDeviceCanAccessPeer)(&mut access, 0, 1), 107001);
        assert_eq!((api.aclrtDeviceGetBareTgid)(&mut process), 0);
        assert_eq!(process as u32, std::process::id());

        let mut option = -1;
        assert_eq!((api.aclrtGetSysParamOpt)(1, &mut option), 0);
        assert_eq!(option, 0, "page «aclrtSetSysParamOpt»: the default");
        assert_eq!((api.aclrtSetSysParamOpt)(1, 1), 0);
        assert_eq!((api.aclrtGetSysParamOpt)(1, &mut option), 0);
        assert_eq!(option, 1);
        (api.aclrtGetLastError)(0);
    }
}

#[test]
fn a_missing_function_says_so_and_hides_nothing() {
    let api = ready();
    unsafe {
        assert_eq!((api.aclrtFree)(8 as Handle), 107000);
        message();
        assert_eq!((api.aclrtReserveMemAddress)(), 207000);
        assert!(message().contains("aclrtReserveMemAddress is not supported by the host toolkit"));
        assert_eq!((api.aclrtGetLastError)(0), 107000, "still the last error of the program's own");
    }
}

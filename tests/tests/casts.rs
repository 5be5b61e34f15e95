//! Casts that phase one plans: each has an AI Core kernel on A2.

use std::ptr::null_mut;

use anyhow::{Context, Result, ensure};
use fmod_tests::{Device, DynType, Layout, Tensor};

/// Pairs that have an AI Core kernel on A2 (ops-math, Cast); others would go to the AI CPU. DOUBLE has none.
const A2_CASTS: [(&str, &[&str]); 8] = [
    ("float32", &["float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64"]),
    ("float16", &["float32", "bfloat16", "int8", "uint8", "int16", "int32", "int64"]),
    ("bfloat16", &["float32", "float16", "int8", "uint8", "int32", "int64"]),
    ("int8", &["float32", "float16", "bfloat16", "uint8", "int16", "int32", "int64"]),
    ("uint8", &["float32", "float16", "bfloat16", "int8", "int16", "int32", "int64"]),
    ("int16", &["float32", "float16", "int8", "uint8", "int32", "int64"]),
    ("int32", &["float32", "float16", "bfloat16", "int8", "uint8", "int16", "int64"]),
    ("int64", &["float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32"]),
];

/// Every self × other × out that computes on the AI Core: no planned cast needs the AI CPU, but those of DOUBLE results.
#[test]
fn casts_have_kernels() -> Result<()> {
    let device = Device::open(0)?;
    let (runtime, api) = (device.runtime(), device.runtime().api());
    if !runtime.is_host_toolkit() {
        eprintln!("skipped: this toolkit does not report what it planned");
        return Ok(());
    }
    let buffer = device.upload(&[1u8; 1024])?;
    let types = DynType::SUPPORTED.into_iter().chain([DynType::I64, DynType::F64]);
    let mut casts = 0;
    for self_ in types.clone() {
        for other in types.clone() {
            let has_float = [self_, other].iter().any(|dtype| dtype.is_floating());
            let is_wide = |dtype| dtype == DynType::F64 || (dtype == DynType::I64 && !has_float);
            if is_wide(self_) || is_wide(other) {
                continue; // computes on the AI CPU
            }
            for out in types.clone() {
                let tensor = |dtype| Tensor::with_type(&buffer, dtype, &Layout::contiguous(&[5]));
                let (x, y, z) = (tensor(self_)?, tensor(other)?, tensor(out)?);
                let (mut bytes, mut executor) = (0, null_mut());
                let sizes = (&mut bytes, &mut executor);
                // SAFETY: live handles.
                let code = unsafe {
                    api.aclnnFmodTensorGetWorkspaceSize(x.as_raw(), y.as_raw(), z.as_raw(), sizes.0, sizes.1)
                };
                ensure!(code == 0, "{self_:?} % {other:?} -> {out:?}: {code} {:?}", runtime.take_message());
                // SAFETY: the executor of phase one.
                let steps = unsafe { runtime.steps(executor) }.context("no hc_executor_text")?;
                for step in steps.iter().filter_map(|step| step.strip_prefix("cast ")) {
                    let (from, to) =
                        step.split(',').next().and_then(|pair| pair.split_once(" to ")).context("a cast")?;
                    let known = A2_CASTS.iter().any(|(source, targets)| *source == from && targets.contains(&to));
                    let is_double = out == DynType::F64 && to == "double";
                    ensure!(known || is_double, "{self_:?} % {other:?} -> {out:?} plans {step}: no kernel on A2");
                    casts += 1;
                }
            }
        }
    }
    ensure!(casts == 944, "{casts} casts were planned, expected 944");
    Ok(())
}

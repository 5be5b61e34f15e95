//! Every row of `cases/*.yaml` as a named test: `cargo test --test cases -- <part of a name>`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use fmod_tests::cases::{self, Api, Case, Divisor, Outcome, Spec};
use fmod_tests::data::Data;
use fmod_tests::host::{self, Call, Out};
use fmod_tests::{
    Device, DeviceBuffer, DynType, Error, Plan, Scalar, Stream, Tensor, TensorMut, fmod_scalar, fmod_tensor,
    inplace_fmod_scalar, inplace_fmod_tensor,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let entries = fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut tables = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    tables.retain(|path| path.extension() == Some(OsStr::new("yaml")));
    tables.sort();
    ensure!(!tables.is_empty(), "{} holds no *.yaml", dir.display());
    let mut trials = Vec::new();
    for table in tables {
        let stem = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for case in cases::load(&table).map_err(anyhow::Error::msg)? {
            let name = format!("{stem}::{}", case.name);
            trials.push(Trial::test(name, move || run(&case).map_err(|error| Failed::from(format!("{error:#}")))));
        }
    }
    Ok(trials)
}

fn run(case: &Case) -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    let Outcome::Refusal { status, names } = &case.outcome else {
        return succeed(case, &stream);
    };
    let Some(error) = refused(case, &stream)? else {
        bail!("expected status {status}, the call was accepted");
    };
    ensure!(error.code == Some(*status), "expected status {status}, got: {error}");
    match names {
        Some(names) if !error.message.contains(names) => {
            bail!("the message does not name `{names}`: {error}")
        }
        _ => Ok(()),
    }
}

fn succeed(case: &Case, stream: &Stream) -> Result<()> {
    let specs = [Some(&case.self_), case.out.as_ref(), divisor_spec(case)];
    if let Some(spec) = specs.iter().flatten().find(|spec| !DynType::SUPPORTED.contains(&spec.dtype)) {
        bail!("no golden model for {:?}, only refusals can be tested with it", spec.dtype);
    }
    let other = match &case.other {
        Divisor::Tensor(spec) => host::Divisor::Tensor(spec.operand()),
        Divisor::Scalar(number) => host::Divisor::Scalar(*number),
    };
    let out = case.out.as_ref().map(|spec| Out { dtype: spec.dtype, layout: spec.layout.clone() });
    let call = Call { self_: case.self_.operand(), other, out, mode: case.mode };
    match &case.expect {
        Some(values) => {
            let dtype = case.out.as_ref().unwrap_or(&case.self_).dtype;
            let bits = values.iter().map(|value| value.bits(dtype)).collect();
            call.check_data(stream, &Data { dtype, bits })?;
        }
        None => call.check(stream)?,
    }
    Ok(())
}

fn divisor_spec(case: &Case) -> Option<&Spec> {
    match &case.other {
        Divisor::Tensor(spec) => Some(spec),
        Divisor::Scalar(_) => None,
    }
}

/// Phase one only, on zeros of any element type.
fn refused(case: &Case, stream: &Stream) -> Result<Option<Error>> {
    let device = stream.device();
    let buffer = |spec: &Spec| -> Result<DeviceBuffer<u8>, Error> {
        device.upload(&vec![0u8; spec.layout.storage_len() * spec.dtype.bytes()])
    };
    let mut self_ = buffer(&case.self_)?;
    let other = divisor_spec(case).map(&buffer).transpose()?;
    let other = match (&other, divisor_spec(case)) {
        (Some(buffer), Some(spec)) => Some(Tensor::with_type(buffer, spec.dtype, &spec.layout)?),
        _ => None,
    };
    let scalar = match &case.other {
        Divisor::Scalar(number) => Some(Scalar::new(&device, *number)?),
        Divisor::Tensor(_) => None,
    };
    let planned = |plan: Result<Plan, Error>| plan.err();
    let Some(out) = &case.out else {
        let mut self_ref = TensorMut::with_type(&mut self_, case.self_.dtype, &case.self_.layout)?;
        return Ok(match (case.api, &other, &scalar) {
            (Api::InplaceFmodTensor, Some(other), _) => planned(inplace_fmod_tensor(&mut self_ref, other)),
            (_, _, Some(other)) => planned(inplace_fmod_scalar(&mut self_ref, other)),
            _ => bail!("the case has no divisor"),
        });
    };
    let self_ = Tensor::with_type(&self_, case.self_.dtype, &case.self_.layout)?;
    let mut out_buffer = buffer(out)?;
    let mut out = TensorMut::with_type(&mut out_buffer, out.dtype, &out.layout)?;
    Ok(match (case.api, &other, &scalar) {
        (Api::FmodTensor, Some(other), _) => planned(fmod_tensor(&self_, other, &mut out)),
        (_, _, Some(other)) => planned(fmod_scalar(&self_, other, &mut out)),
        _ => bail!("the case has no divisor"),
    })
}

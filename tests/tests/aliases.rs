//! One memory in several roles (V24): out is self, out is other, self is other; every type and precision, and tiles
//! that repeat from their operands after a first result was formed.

use anyhow::{Context, Result};
use fmod_tests::compare::compare_storage;
use fmod_tests::data::Data;
use fmod_tests::generate::{class_data, varied};
use fmod_tests::golden::{Mode, results};
use fmod_tests::sys::aclTensor;
use fmod_tests::{Device, DynType, Layout, Stream, Tensor};
use std::ptr::null_mut;

#[derive(Clone, Copy, Debug)]
enum Alias {
    OutIsSelf,
    OutIsOther,
    SelfIsOther,
    All,
}

/// Runs the V2 API on raw handles, which the borrow rules of the safe layer would not let overlap.
fn run(stream: &Stream, [x, y, out]: [*mut aclTensor; 3], mode: Mode) -> Result<()> {
    let device = stream.device();
    let (api, runtime) = (device.runtime().api(), device.runtime());
    let (mut bytes, mut executor) = (0, null_mut());
    // SAFETY: live handles over live memory; the workspace has the size asked for and lives until after the wait.
    unsafe {
        let code = api.aclnnFmodTensorV2GetWorkspaceSize(x, y, mode.raw(), out, &mut bytes, &mut executor);
        anyhow::ensure!(code == 0, "phase one: {code} {:?}", runtime.take_message());
        let workspace = device.alloc::<u8>(bytes as usize)?;
        let code = api.aclnnFmodTensorV2(workspace.as_ptr(), bytes, executor, stream.as_raw());
        anyhow::ensure!(code == 0, "phase two: {code} {:?}", runtime.take_message());
        stream.synchronize()?;
    }
    Ok(())
}

/// `sets` descriptors of one memory may be one object or several.
fn check(stream: &Stream, alias: Alias, layout: &Layout, x: &Data, y: &Data, mode: Mode, one: bool) -> Result<()> {
    let device = stream.device();
    let scatter = |data: &Data| {
        let mut storage = Data::sentinels(data.dtype, layout.storage_len());
        layout.indices().into_iter().zip(&data.bits).for_each(|(index, bits)| storage.bits[index] = *bits);
        storage
    };
    let buffers = [scatter(x), scatter(y), Data::sentinels(x.dtype, layout.storage_len())];
    let buffers = buffers.map(|data| device.upload(&data.to_bytes()));
    let [a, b, c] = buffers;
    let buffers = [a?, b?, c?];
    let roles = match alias {
        Alias::OutIsSelf => [0, 1, 0],
        Alias::OutIsOther => [0, 1, 1],
        Alias::SelfIsOther => [0, 0, 2],
        Alias::All => [0, 0, 0],
    };
    let mut tensors = Vec::new();
    for role in roles {
        tensors.push(Tensor::with_type(&buffers[role], x.dtype, layout)?);
    }
    let first = |role: usize| roles.iter().position(|other| *other == role).unwrap_or(0);
    let handle = |place: usize| if one { tensors[first(roles[place])].as_raw() } else { tensors[place].as_raw() };
    run(stream, [handle(0), handle(1), handle(2)], mode)?;
    let y = if roles[1] == 0 { x } else { y };
    let want = scatter(&results(x, y, x.dtype, x.dtype, mode));
    let got = Data::from_bytes(x.dtype, &buffers[roles[2]].to_vec()?);
    compare_storage(&got, &want)?;
    Ok(())
}

#[test]
fn every_alias() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    for dtype in DynType::SUPPORTED {
        for layout in [
            Layout::contiguous(&[257]),
            Layout::contiguous(&[60_001]),
            Layout::contiguous(&[30, 70]).strides(&[73, 1]).flat_storage(),
            Layout::contiguous(&[30, 70]).strides(&[1, 30]).flat_storage(),
            Layout::contiguous(&[300, 7]).strides(&[9, 1]).offset(1).flat_storage(),
        ] {
            let (x, y) = (varied(1, dtype, layout.numel()), varied(2, dtype, layout.numel()));
            for alias in [Alias::OutIsSelf, Alias::OutIsOther, Alias::SelfIsOther, Alias::All] {
                for (mode, one) in [(Mode::Tbe, true), (Mode::Exact, false), (Mode::Exact, true)] {
                    let what = || format!("{alias:?} {dtype:?} {mode:?} {layout:?}, one descriptor: {one}");
                    check(&stream, alias, &layout, &x, &y, mode, one).with_context(what)?;
                }
            }
        }
    }
    Ok(())
}

/// Every tile takes the long way.
#[test]
fn aliases_in_tiles_that_repeat() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    for dtype in [DynType::F32, DynType::F16, DynType::BF16] {
        for name in ["V07", "V11", "V14", "V17"] {
            let (x, y) = class_data(name, dtype).context(name)?;
            let layout = Layout::contiguous(&[x.len() as i64]);
            for alias in [Alias::OutIsSelf, Alias::OutIsOther, Alias::SelfIsOther, Alias::All] {
                let what = || format!("{name} {alias:?} {dtype:?}");
                check(&stream, alias, &layout, &x, &y, Mode::Exact, false).with_context(what)?;
            }
        }
    }
    Ok(())
}

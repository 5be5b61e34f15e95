//! One memory in several roles (V24): out is self, out is other, self is other; every type and precision, and tiles
//! that repeat from their operands after a first result was formed. And views that share a part of their memory: the
//! result is that of operands copied before the call.

use anyhow::{Context, Result};
use fmod_tests::compare::compare_storage;
use fmod_tests::data::Data;
use fmod_tests::generate::{Rng, class_data, varied};
use fmod_tests::golden::{Mode, results};
use fmod_tests::host::Operand;
use fmod_tests::{
    Device, DynType, Layout, Number, Scalar, Stream, Tensor, fmod_shared_scalar_v2, fmod_shared_tensor_v2,
};

#[derive(Clone, Copy, Debug)]
enum Alias {
    OutIsSelf,
    OutIsOther,
    SelfIsOther,
    All,
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
    let tensor = |place: usize| if one { &tensors[first(roles[place])] } else { &tensors[place] };
    // SAFETY: tensors and buffers live until after the wait.
    unsafe { fmod_shared_tensor_v2(tensor(0), tensor(1), mode, tensor(2)) }?.run(stream)?;
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

/// Views of one memory, in elements. `other: None` is a call with a scalar divisor.
#[derive(Debug)]
struct Views {
    self_: Layout,
    other: Option<Layout>,
    out: Layout,
}

impl Views {
    fn check(self, stream: &Stream, dtype: DynType, mode: Mode) -> Result<()> {
        let layouts = [Some(&self.self_), self.other.as_ref(), Some(&self.out)];
        let total = layouts.into_iter().flatten().map(|layout| layout.extent().1 + 1).max().unwrap_or(0);
        let memory = varied(3, dtype, total as usize);
        let whole = |layout: &Layout| layout.clone().storage(&[total]);
        let operand = |layout: &Layout| Operand { layout: whole(layout), storage: memory.clone() };
        let buffer = stream.device().upload(&memory.to_bytes())?;
        let tensor = |layout: &Layout| Tensor::with_type(&buffer, dtype, &whole(layout));
        let (x, out) = (tensor(&self.self_)?, tensor(&self.out)?);
        let values = |layout: &Layout| operand(layout).broadcast(&self.out.shape).context("shapes do not go together");
        let y = match &self.other {
            Some(layout) => {
                let other = tensor(layout)?;
                // SAFETY: tensors and buffer live until after the wait.
                unsafe { fmod_shared_tensor_v2(&x, &other, mode, &out) }?.run(stream)?;
                values(layout)?
            }
            None => {
                let number = Number::I32(7);
                let scalar = Scalar::new(&stream.device(), number)?;
                // SAFETY: as above.
                unsafe { fmod_shared_scalar_v2(&x, &scalar, mode, &out) }?.run(stream)?;
                Data::encode(dtype, vec![7.0; self.out.numel()])
            }
        };
        let mut want = memory.clone();
        let results = results(&values(&self.self_)?, &y, dtype, dtype, mode);
        self.out.indices().into_iter().zip(&results.bits).for_each(|(index, bits)| want.bits[index] = *bits);
        compare_storage(&Data::from_bytes(dtype, &buffer.to_vec()?), &want)
            .with_context(|| format!("{dtype:?} {mode:?} {self:?}"))
    }
}

/// Rows one behind the other in longer rows, out one row before and behind self or other; divisors taken from the
/// tensor that is divided in place; one element to either side.
#[test]
fn overlaps_that_users_write() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    let rows = |count: i64, row: i64| Layout::contiguous(&[count, 64]).strides(&[72, 1]).offset(72 * row);
    let flat = |count: i64, first: i64| Layout::contiguous(&[count]).offset(first);
    for count in [400, 4000] {
        for (below, above) in [(0, 1), (1, 0)] {
            let [self_, out] = [below, above].map(|row| rows(count, row));
            let apart = rows(count, count + 2);
            let views = Views { self_: self_.clone(), other: Some(apart.clone()), out: out.clone() };
            views.check(&stream, DynType::F32, Mode::Exact)?;
            let views = Views { self_: apart, other: Some(self_.clone()), out: out.clone() };
            views.check(&stream, DynType::F32, Mode::Tbe)?;
            Views { self_, other: None, out }.check(&stream, DynType::F16, Mode::Exact)?;
        }
    }
    let matrix = Layout::contiguous(&[300, 400]);
    let padded = matrix.clone().strides(&[408, 1]);
    for (matrix, pitch) in [(matrix, 400), (padded, 408)] {
        for other in [
            Layout::contiguous(&[400]).offset(150 * pitch),
            Layout::contiguous(&[1]).offset(77 * pitch + 5),
            Layout::contiguous(&[300, 1]).strides(&[pitch, 1]).offset(3),
        ] {
            let views = Views { self_: matrix.clone(), other: Some(other), out: matrix.clone() };
            views.check(&stream, DynType::F32, Mode::Exact)?;
        }
    }
    for (self_, out) in [(0, 1), (1, 0), (8, 0), (0, 8)] {
        for dtype in DynType::SUPPORTED {
            let (self_, out) = (flat(200_000, self_), flat(200_000, out));
            let other = Some(flat(200_000, 200_008));
            Views { self_: self_.clone(), other, out: out.clone() }.check(&stream, dtype, Mode::Exact)?;
            Views { self_, other: None, out }.check(&stream, dtype, Mode::Tbe)?;
        }
    }
    Ok(())
}

/// Any rows of any memory.
#[test]
fn random_overlaps() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    let mut rng = Rng::new(24);
    let mut below = |limit: i64| (rng.next_u64() % limit as u64) as i64;
    for case in 0..600 {
        let (rows, columns) = ([3, 40, 700][case % 3], [5, 40, 64, 130][below(4) as usize]);
        let pitch = columns + [0, 0, 1, 24][below(4) as usize];
        let mut view = |rows: i64, columns: i64| {
            let pitch = if below(4) == 0 { pitch + 3 } else { pitch };
            let layout = Layout::contiguous(&[rows, columns]).offset(below(3 * pitch));
            if rows == 1 { layout } else { layout.strides(&[pitch, 1]) }
        };
        let (mut self_, out) = (view(rows, columns), view(rows, columns));
        let other = match case % 5 {
            0 => None,
            1 => Some(view(1, columns)),
            2 => Some(view(rows, 1)),
            3 => {
                // In place, so that nothing but the divisor asks for a copy: it is at out's address, with other strides.
                self_ = out.clone();
                Some(Layout { strides: vec![pitch - 1, 1], ..out.clone() })
            }
            _ => Some(view(rows, columns)),
        };
        let (dtype, mode) = (DynType::SUPPORTED[case % 7], Mode::ALL[case % 2]);
        Views { self_, other, out }.check(&stream, dtype, mode).with_context(|| format!("case {case}"))?;
    }
    Ok(())
}

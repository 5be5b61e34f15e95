//! What phase one plans: launches with their tiling keys and operand bytes, casts, copies, workspace, and the bytes that
//! the kernel reads. Values are the other tests' subject; here a call that takes a longer road than it must fails.

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use anyhow::{Context, Result, ensure};
use fmod_tests::{Device, DeviceBuffer, DynType, Layout, Number, Scalar, Stream, Tensor};
use libloading::Library;

/// Bytes that launches of the host toolkit copy from GM to UB.
struct Traffic(Library);

impl Traffic {
    fn open() -> Result<Traffic> {
        // SAFETY: the runtime has loaded this library already.
        Ok(Traffic(unsafe { Library::new("libascendcl.so") }?))
    }

    fn count(&self, launches: impl FnOnce() -> Result<()>) -> Result<u64> {
        // SAFETY: the signatures are those of hostcann/stats.h; the text is copied at once.
        unsafe {
            let enable = self.0.get::<unsafe extern "C" fn(i32) -> i32>(b"hc_stats_enable")?;
            let reset = self.0.get::<unsafe extern "C" fn() -> i32>(b"hc_stats_reset")?;
            let text = self.0.get::<unsafe extern "C" fn() -> *const c_char>(b"hc_stats_text")?;
            ensure!((reset(), enable(1)) == (0, 0), "hc_stats_enable failed");
            let launched = launches();
            enable(0);
            launched?;
            let text = CStr::from_ptr(text()).to_str()?;
            let line = text.lines().find_map(|line| line.strip_prefix("MTE2: ")).context("no MTE2 in hc_stats_text")?;
            Ok(line.split(' ').next().unwrap_or_default().parse()?)
        }
    }
}

type View = (DynType, Layout);

struct Road {
    name: &'static str,
    self_: View,
    /// `None`: the scalar 7.
    other: Option<View>,
    out: View,
    /// All views lie in one memory.
    shared: bool,
    steps: &'static [&'static str],
    workspace: u64,
    /// Bytes the kernel reads.
    reads: u64,
}

impl Road {
    fn check(&self, stream: &Stream, traffic: &Traffic) -> Result<()> {
        let device = stream.device();
        let buffers: Vec<DeviceBuffer<u8>> =
            (0..3).map(|_| device.upload(&[1u8; 1 << 17])).collect::<Result<_, _>>()?;
        let tensor = |(dtype, layout): &View, role: usize| {
            Tensor::with_type(&buffers[if self.shared { 0 } else { role }], *dtype, layout)
        };
        let (x, out) = (tensor(&self.self_, 0)?, tensor(&self.out, 2)?);
        let (api, runtime) = (device.runtime().api(), device.runtime());
        let (mut bytes, mut executor) = (0, null_mut());
        let other = self.other.as_ref().map(|view| tensor(view, 1)).transpose()?;
        let scalar = Scalar::new(&device, Number::I32(7))?;
        // SAFETY: live handles.
        let code = unsafe {
            let (x, out, bytes, executor) = (x.as_raw(), out.as_raw(), &mut bytes, &mut executor);
            match &other {
                Some(other) => api.aclnnFmodTensorGetWorkspaceSize(x, other.as_raw(), out, bytes, executor),
                None => api.aclnnFmodScalarGetWorkspaceSize(x, scalar.as_raw(), out, bytes, executor),
            }
        };
        ensure!(code == 0, "phase one: {code} {:?}", runtime.take_message());
        // SAFETY: the executor of phase one.
        let steps = unsafe { runtime.steps(executor) }.context("the host toolkit has lost hc_executor_text")?;
        ensure!(steps == self.steps, "planned {steps:#?}, expected {:#?}", self.steps);
        ensure!(bytes == self.workspace, "{bytes} bytes of workspace, expected {}", self.workspace);
        let workspace = device.alloc::<u8>(bytes as usize)?;
        let reads = traffic.count(|| {
            // SAFETY: the executor of phase one; everything lives until the stream was waited for.
            let code = unsafe {
                match &other {
                    Some(_) => api.aclnnFmodTensor(workspace.as_ptr(), bytes, executor, stream.as_raw()),
                    None => api.aclnnFmodScalar(workspace.as_ptr(), bytes, executor, stream.as_raw()),
                }
            };
            ensure!(code == 0, "phase two: {code} {:?}", runtime.take_message());
            Ok(stream.synchronize()?)
        })?;
        ensure!(reads == self.reads, "the kernel reads {reads} bytes, expected {}", self.reads);
        Ok(())
    }
}

fn f32_view(layout: Layout) -> View {
    (DynType::F32, layout)
}

/// [rows, columns] with this distance between rows, from this element on.
fn rows(rows: i64, columns: i64, pitch: i64, offset: i64) -> View {
    f32_view(Layout::contiguous(&[rows, columns]).strides(&[pitch, 1]).offset(offset).flat_storage())
}

fn dense(shape: &[i64]) -> View {
    f32_view(Layout::contiguous(shape))
}

fn roads() -> Vec<Road> {
    let road = |name, self_, other, out, steps, workspace, reads| Road {
        name,
        self_,
        other,
        out,
        shared: false,
        steps,
        workspace,
        reads,
    };
    let transposed = || f32_view(Layout::contiguous(&[6, 70]).strides(&[1, 6]).flat_storage());
    let swapped = || f32_view(Layout::contiguous(&[3, 4, 33]).strides(&[33, 99, 1]).flat_storage());
    let int = |layout| (DynType::I16, layout);
    let bf = |layout| (DynType::BF16, layout);
    let flat = || Layout::contiguous(&[100]);
    let mut roads = vec![
        road(
            "contiguous",
            dense(&[6, 70]),
            Some(dense(&[6, 70])),
            dense(&[6, 70]),
            &["Fmod key 1: 1680 1680 1680 bytes"],
            0,
            3360,
        ),
        road("scalar", dense(&[6, 70]), None, dense(&[6, 70]), &["Fmod key 0: 1680 - 1680 bytes"], 0, 1680),
        road("0-dim", dense(&[]), Some(dense(&[])), dense(&[]), &["Fmod key 1: 4 4 4 bytes"], 0, 8),
        road("empty", dense(&[0, 3]), Some(dense(&[3])), dense(&[0, 3]), &[], 0, 0),
        road(
            "a contiguous part of a larger storage",
            f32_view(Layout::contiguous(&[70]).offset(11).storage(&[200])),
            Some(dense(&[70])),
            f32_view(Layout::contiguous(&[70]).offset(5).storage(&[300])),
            &["Fmod key 1: 280 280 280 bytes"],
            0,
            560,
        ),
        road(
            "one row for all",
            dense(&[6, 70]),
            Some(dense(&[70])),
            dense(&[6, 70]),
            &["Fmod key 2: 1680 280 1680 bytes"],
            0,
            1960, // 420 values and one row of 70
        ),
        road(
            "one value for all",
            dense(&[6, 70]),
            Some(dense(&[1])),
            dense(&[6, 70]),
            &["Fmod key 2: 1680 4 1680 bytes"],
            0,
            1684, // 420 values and one
        ),
        // 8 floats are a block of 32 bytes, the shortest row that strided copies move
        road(
            "rows of 32 bytes",
            rows(6, 8, 11, 2),
            Some(rows(6, 8, 12, 0)),
            rows(6, 8, 17, 1),
            &["Fmod key 4: 252 272 372 bytes"],
            0,
            384,
        ),
        road(
            "rows of 28 bytes",
            rows(6, 7, 11, 2),
            Some(rows(6, 7, 12, 0)),
            rows(6, 7, 17, 1),
            &["copy 42 x 4 bytes", "copy 42 x 4 bytes", "Fmod key 1: 168 168 168 bytes", "copy 42 x 4 bytes"],
            1536,
            336,
        ),
        road(
            "rows of other of 28 bytes",
            dense(&[6, 7]),
            Some(rows(6, 7, 11, 0)),
            dense(&[6, 7]),
            &["copy 42 x 4 bytes", "Fmod key 1: 168 168 168 bytes"],
            512,
            336,
        ),
        road(
            "rows of self that overlap",
            rows(6, 70, 3, 0),
            Some(dense(&[6, 70])),
            dense(&[6, 70]),
            &["copy 420 x 4 bytes", "Fmod key 1: 1680 1680 1680 bytes"],
            2048,
            3360,
        ),
        road(
            "rows of out only",
            dense(&[6, 70]),
            Some(dense(&[70])),
            rows(6, 70, 75, 0),
            &["Fmod key 4: 1680 280 1780 bytes"],
            0,
            1960,
        ),
        road(
            "rows by a scalar",
            rows(6, 70, 75, 3),
            None,
            dense(&[6, 70]),
            &["Fmod key 3: 1780 - 1680 bytes"],
            0,
            1680,
        ),
        road(
            "a column for all",
            rows(6, 70, 75, 3),
            Some(dense(&[6, 1])),
            dense(&[6, 70]),
            &["Fmod key 4: 1780 24 1680 bytes"],
            0,
            1704, // 420 values and six
        ),
        road(
            "a column of values that are not adjacent",
            dense(&[6, 70]),
            Some(rows(6, 1, 75, 3)),
            dense(&[6, 70]),
            &["copy 6 x 4 bytes", "Fmod key 2: 1680 24 1680 bytes"],
            512,
            1704,
        ),
        road(
            "outer axes exchanged",
            swapped(),
            Some(dense(&[3, 4, 33])),
            dense(&[3, 4, 33]),
            &["Fmod key 4: 1584 1584 1584 bytes"],
            0,
            3168,
        ),
        road(
            "transposed",
            transposed(),
            Some(dense(&[6, 70])),
            dense(&[6, 70]),
            &["copy 420 x 4 bytes", "Fmod key 1: 1680 1680 1680 bytes"],
            2048,
            3360,
        ),
        road(
            "INT16 by BF16 into INT16",
            int(flat()),
            Some(bf(flat())),
            int(flat()),
            &[
                "cast int16 to float32, 100 elements",
                "cast float32 to bfloat16, 100 elements",
                "Fmod key 1: 200 200 200 bytes",
                "cast bfloat16 to float32, 100 elements",
                "cast float32 to int16, 100 elements",
            ],
            1024,
            400,
        ),
        road(
            "rows of another type",
            (DynType::F16, rows(6, 70, 75, 0).1),
            Some(dense(&[6, 70])),
            dense(&[6, 70]),
            &["copy 420 x 2 bytes", "cast float16 to float32, 420 elements", "Fmod key 1: 1680 1680 1680 bytes"],
            3072,
            3360,
        ),
    ];
    let shared = |name, self_, other, out, steps, workspace, reads| Road {
        shared: true,
        ..road(name, self_, other, out, steps, workspace, reads)
    };
    let at = |shape: &[i64], offset| f32_view(Layout::contiguous(shape).offset(offset).flat_storage());
    roads.extend([
        shared(
            "out is self",
            dense(&[6, 70]),
            Some(at(&[6, 70], 500)),
            dense(&[6, 70]),
            &["Fmod key 1: 1680 1680 1680 bytes"],
            0,
            3360,
        ),
        shared(
            "rows of out are those of self",
            rows(6, 70, 75, 3),
            Some(at(&[6, 70], 500)),
            rows(6, 70, 75, 3),
            &["Fmod key 4: 1780 1680 1780 bytes"],
            0,
            3360,
        ),
        shared(
            "out one element behind self",
            at(&[70], 0),
            Some(at(&[70], 500)),
            at(&[70], 1),
            &["copy 70 x 4 bytes", "Fmod key 1: 280 280 280 bytes"],
            512,
            560,
        ),
        shared(
            "out right behind self",
            at(&[70], 0),
            Some(at(&[70], 500)),
            at(&[70], 70),
            &["Fmod key 1: 280 280 280 bytes"],
            0,
            560,
        ),
        shared(
            "out is self in another type",
            at(&[70], 0),
            Some(at(&[70], 500)),
            (DynType::F16, Layout::contiguous(&[70])),
            &["Fmod key 1: 280 280 280 bytes", "cast float32 to float16, 70 elements"],
            512,
            560,
        ),
        shared(
            "rows of out over self",
            at(&[6, 70], 0),
            Some(at(&[6, 70], 500)),
            rows(6, 70, 75, 0),
            &["Fmod key 1: 1680 1680 1680 bytes", "copy 420 x 4 bytes"],
            2048,
            3360,
        ),
        shared(
            "a row of out as divisor",
            at(&[6, 70], 0),
            Some(at(&[70], 140)),
            at(&[6, 70], 0),
            &["copy 70 x 4 bytes", "Fmod key 2: 1680 280 1680 bytes"],
            512,
            1960,
        ),
        shared(
            "rows of out one row behind those of self",
            rows(6, 70, 75, 0),
            None,
            rows(6, 70, 75, 75),
            &["copy 420 x 4 bytes", "Fmod key 0: 1680 - 1680 bytes", "copy 420 x 4 bytes"],
            4096,
            1680,
        ),
    ]);
    roads
}

#[test]
fn every_layout_takes_its_road() -> Result<()> {
    let stream = Device::open(0)?.stream()?;
    if !stream.device().runtime().is_host_toolkit() {
        eprintln!("skipped: this toolkit does not tell what it planned");
        return Ok(());
    }
    let traffic = Traffic::open()?;
    let wrong: Vec<String> = roads()
        .iter()
        .filter_map(|road| Some(format!("{}: {}", road.name, road.check(&stream, &traffic).err()?)))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

//! Operators that `cargo xtask ascgraph codegen` makes of graphs with Fmod, beside the one that was written by hand: built,
//! packaged, installed, called through aclnn, and every bit compared. Then what both cost by the timing model, and what
//! fusing saves. The whole takes minutes: `cargo xtask test --only rust hand_written_one -- --ignored`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use fmod_tests::data::Data;
use fmod_tests::generate::Rng;
use fmod_tests::golden::Mode;
use fmod_tests::{Device, DeviceBuffer, DynType, Layout, Stream, Tensor, TensorMut, fmod_tensor_v2};
use libloading::Library;

mod packages;

use packages::{B, E, SOC, T, child, workspace, xtask};

/// An operator of one graph: its name, the graph's data type, how it is computed.
struct Made {
    name: &'static str,
    dtype: DynType,
    /// In AscGraph's words.
    word: &'static str,
    mode: Mode,
}

const fn made(name: &'static str, dtype: DynType, word: &'static str, mode: Mode) -> Made {
    Made { name, dtype, word, mode }
}

/// int16 by conversions to float and back, as torch's back end writes it.
const MADE: [Made; 7] = [
    made("fmod_auto", DynType::F32, "float32", Mode::Tbe),
    made("fmod_auto_half", DynType::F16, "float16", Mode::Tbe),
    made("fmod_auto_bf", DynType::BF16, "bfloat16", Mode::Tbe),
    made("fmod_auto_short", DynType::I16, "int16", Mode::Tbe),
    made("exact_auto", DynType::F32, "float32", Mode::Exact),
    made("exact_auto_half", DynType::F16, "float16", Mode::Exact),
    made("exact_auto_bf", DynType::BF16, "bfloat16", Mode::Exact),
];

/// What the fused demo is, and what it is without fusing.
const DEMO: [&str; 4] = ["fused", "remainder", "abs", "add"];

const VENDOR: &str = "made";

fn place() -> PathBuf {
    workspace().join("target/xtask/fmod-auto")
}

fn example(name: &str) -> Result<String> {
    let path = workspace().join(format!("ascgraph/examples/{name}.json"));
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The graph of `examples/remainder.json` with another data type and precision.
fn graph(made: &Made) -> Result<String> {
    let mut text = example("remainder")?;
    if made.dtype == DynType::I16 {
        let cast = |name: &str, from: &str, to: &str| {
            format!(
                "    {{\"name\": \"{name}\", \"type\": \"Cast\", \"inputs\": [{{\"name\": \"x\", \"from\": \"{from}\"}}], \
                 \"y\": {{\"dtype\": \"{to}\", \"axis\": [\"z0\"], \"size\": [\"n\"], \"strides\": [1]}}}},\n"
            )
        };
        let (float, short) = ("float32", "int16");
        let before = cast("wide_x", "load_x", float) + &cast("wide_y", "load_y", float);
        let fmod = "    {\"name\": \"fmod\"";
        text = text.replace("\"from\": \"load_", "\"from\": \"wide_").replace(fmod, &(before + fmod));
        let store = "    {\"name\": \"store\"";
        text = text.replace("\"from\": \"fmod\"", "\"from\": \"back\"");
        text = text.replace(store, &(cast("back", "fmod", short) + store));
        text = text.replace("\"y\": {\"dtype\": \"float32\"}", "\"y\": {\"dtype\": \"int16\"}");
        return Ok(text);
    }
    if made.mode == Mode::Exact {
        text = text.replace("\"type\": \"Fmod\"", "\"type\": \"Fmod\", \"ir_attr\": {\"precision_mode\": 1}");
    }
    Ok(text.replace("float32", made.word))
}

/// Writes the operators, builds them into one package and installs it. The package.
fn build() -> Result<PathBuf> {
    let dir = place();
    let graphs = dir.join("graphs");
    fs::create_dir_all(&graphs)?;
    let mut operators = Vec::new();
    let mut write = |name: &str, text: &str| -> Result<()> {
        let file = graphs.join(format!("{name}.json"));
        fs::write(&file, text)?;
        let (file, out) = (file.display().to_string(), dir.join("made").display().to_string());
        xtask(&["ascgraph", "codegen", &file, "--name", name, "--out", &out])?;
        operators.extend(["--op-dir".to_owned(), format!("{out}/math/{name}")]);
        Ok(())
    };
    for made in &MADE {
        write(made.name, &graph(made)?)?;
    }
    for name in DEMO {
        write(&format!("demo_{name}"), &example(name)?)?;
    }
    packages::install(&dir, VENDOR, &operators)
}

/// The package of this process; none in the process that builds it.
fn package() -> Option<Library> {
    packages::library(&place(), VENDOR)
}

/// Calls `aclnn<Name>` with these inputs and one output.
fn call(library: &Library, name: &str, inputs: &[&Tensor], out: &TensorMut, stream: &Stream) -> Result<()> {
    let pascal: String = name.split('_').map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect();
    let x: Vec<T> = inputs.iter().map(|tensor| tensor.as_raw()).collect();
    let out = out.as_raw();
    // SAFETY: the generated interface takes the inputs, the output, and where the size and the executor go.
    packages::call(library, &pascal, stream, |first, bytes, executor| unsafe {
        match x[..] {
            [a] => Ok(library.get::<unsafe extern "C" fn(T, T, B, E) -> i32>(first)?(a, out, bytes, executor)),
            [a, b] => Ok(library.get::<unsafe extern "C" fn(T, T, T, B, E) -> i32>(first)?(a, b, out, bytes, executor)),
            [a, b, c] => {
                Ok(library.get::<unsafe extern "C" fn(T, T, T, T, B, E) -> i32>(first)?(a, b, c, out, bytes, executor))
            }
            _ => anyhow::bail!("{} inputs", x.len()),
        }
    })
}

/// Numbers of a moderate size, and among them every kind of pattern.
fn operand(rng: &mut Rng, dtype: DynType, length: usize) -> Vec<u8> {
    let numbers: Vec<f64> = (0..length)
        .map(|_| if dtype.is_floating() { rng.uniform(-100.0, 100.0) } else { f64::from(rng.range(-32768, 32767)) })
        .collect();
    let mut bytes = Data::encode(dtype, numbers).to_bytes();
    for at in 0..length {
        if rng.range(0, 3) == 0 {
            let random = rng.next_u64().to_le_bytes();
            bytes[at * dtype.bytes()..(at + 1) * dtype.bytes()].copy_from_slice(&random[..dtype.bytes()]);
        }
    }
    bytes
}

/// Up to four axes and a few thousand elements, some of them none.
fn shape(rng: &mut Rng) -> Vec<i64> {
    let rank = rng.range(1, 4);
    let most = [9000, 90, 20, 9][rank as usize - 1];
    (0..rank).map(|_| i64::from(if rng.range(0, 40) == 0 { 0 } else { rng.range(1, most) })).collect()
}

#[test]
#[ignore = "called by generated_operators_equal_the_hand_written_one"]
fn compare() -> Result<()> {
    // The package finds the toolkit's libraries in the process.
    let device = Device::open(0)?;
    let Some(library) = package() else { return Ok(()) };
    let stream = device.stream()?;
    let mut rng = Rng::new(20);
    for made in &MADE {
        let mut elements = 0;
        for round in 0..60 {
            let shape = shape(&mut rng);
            let layout = Layout::contiguous(&shape);
            let length = layout.numel();
            let (a, b) = (operand(&mut rng, made.dtype, length), operand(&mut rng, made.dtype, length));
            let (x, y) = (device.upload(&a)?, device.upload(&b)?);
            let mut results: [DeviceBuffer<u8>; 2] = [device.alloc(a.len())?, device.alloc(a.len())?];
            let x = Tensor::with_type(&x, made.dtype, &layout)?;
            let y = Tensor::with_type(&y, made.dtype, &layout)?;
            let [by_hand, by_graph] = &mut results;
            let mut out = TensorMut::with_type(by_hand, made.dtype, &layout)?;
            fmod_tensor_v2(&x, &y, made.mode, &mut out)?.run(&stream)?;
            drop(out);
            let out = TensorMut::with_type(by_graph, made.dtype, &layout)?;
            call(&library, made.name, &[&x, &y], &out, &stream)?;
            drop(out);
            let [by_hand, by_graph] = [results[0].to_vec()?, results[1].to_vec()?];
            let size = made.dtype.bytes();
            let differs = (0..length).find(|at| by_hand[at * size..][..size] != by_graph[at * size..][..size]);
            if let Some(at) = differs {
                let bits = |bytes: &[u8]| {
                    bytes[at * size..][..size].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
                };
                anyhow::bail!(
                    "{}, round {round}, {shape:?}, element {at}: {} mod {} is {} by hand, {} by the graph",
                    made.name,
                    bits(&a),
                    bits(&b),
                    bits(&by_hand),
                    bits(&by_graph)
                );
            }
            elements += length;
        }
        println!("{}: 60 shapes, {elements} elements, every bit the same", made.name);
    }
    Ok(())
}

/// One launch of each operator at one size, in this order; what they compute is compared above.
#[test]
#[ignore = "called by generated_operators_equal_the_hand_written_one"]
fn launches() -> Result<()> {
    // The package finds the toolkit's libraries in the process.
    let device = Device::open(0)?;
    let Some(library) = package() else { return Ok(()) };
    let stream = device.stream()?;
    let length = 1 << 22;
    let layout = Layout::contiguous(&[length]);
    let mut rng = Rng::new(3);
    let mut numbers = |low: f64| -> Result<DeviceBuffer<u8>> {
        let pattern = Data::encode(DynType::F32, (0..1 << 16).map(|_| rng.uniform(low, 100.0))).to_bytes();
        Ok(device.upload(&pattern.repeat(length as usize >> 16))?)
    };
    let (x, y, z) = (numbers(-100.0)?, numbers(1.0)?, numbers(-100.0)?);
    let [x, y, z] = [&x, &y, &z].map(|buffer| Tensor::with_type(buffer, DynType::F32, &layout));
    let (x, y, z) = (x?, y?, z?);
    let mut result = device.alloc::<u8>(4 * length as usize)?;
    let mut out = TensorMut::with_type(&mut result, DynType::F32, &layout)?;
    for mode in [Mode::Tbe, Mode::Exact] {
        fmod_tensor_v2(&x, &y, mode, &mut out)?.run(&stream)?;
    }
    let all: [(&str, &[&Tensor]); 6] = [
        ("fmod_auto", &[&x, &y]),
        ("exact_auto", &[&x, &y]),
        ("demo_fused", &[&x, &y, &z]),
        ("demo_remainder", &[&x, &y]),
        ("demo_abs", &[&x]),
        ("demo_add", &[&x, &z]),
    ];
    for (name, inputs) in all {
        call(&library, name, inputs, &out, &stream)?;
    }
    Ok(())
}

/// Task time and bytes moved of a launch, by the model.
fn predicted(line: &str) -> Result<(String, f64, u64)> {
    let launch: serde_json::Value = serde_json::from_str(line)?;
    let bytes = |name: &str| launch["bytes"][name].as_u64().context("no bytes");
    let kernel = launch["kernel"].as_str().context("no kernel")?.to_owned();
    Ok((kernel, launch["task_us"].as_f64().context("no time")?, bytes("read")? + bytes("write")?))
}

#[test]
#[ignore = "slow: builds and installs eleven generated operators"]
fn generated_operators_equal_the_hand_written_one() -> Result<()> {
    let package = build()?;
    let compared = child("compare", &[&package], &[])?;
    print!("{compared}");
    // Without a package it compares nothing.
    ensure!(compared.matches("every bit the same").count() == MADE.len(), "an operator was not compared:\n{compared}");
    let file = place().join("launches.jsonl");
    fs::remove_file(&file).ok();
    child("launches", &[&package], &[("HOSTCANN_SIM", format!("warm:{}", file.display()))])?;
    let text = fs::read_to_string(&file)?;
    let all = text.lines().map(predicted).collect::<Result<Vec<_>>>()?;
    ensure!(all.len() == 8, "{} launches: {:?}", all.len(), all.iter().map(|one| &one.0).collect::<Vec<_>>());
    println!("4 Mi elements of float on {SOC}, warm, model:");
    for ((_, us, bytes), name) in all.iter().zip([
        "by hand, tbe",
        "by hand, exact",
        "fmod_auto",
        "exact_auto",
        "fused",
        "remainder",
        "abs",
        "add",
    ]) {
        println!("{name:>16} {us:8.2} us {:6.1} MiB", *bytes as f64 / f64::from(1 << 20));
    }
    // Without fusing the result of each kernel goes to memory and comes back: eight tensors instead of four.
    let tensor = 4u64 << 22;
    let apart: u64 = all[5..].iter().map(|one| one.2).sum();
    ensure!(all[4].2 / tensor == 4 && apart / tensor == 8, "{} and {apart} bytes", all[4].2);
    ensure!(all[4].1 < all[5..].iter().map(|one| one.1).sum(), "fusing costs time");
    Ok(())
}

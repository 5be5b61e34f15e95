//! Operators that `cargo xtask ascgraph codegen` makes of graphs beside those that were written by hand, of check-outs of
//! ops-nn and ops-math that lie elsewhere: the same results within the type's rounding, and what each launch costs by the
//! timing model. The whole takes minutes:
//! `OPS_NN_HOME=… OPS_MATH_HOME=… cargo xtask test --only rust against_those_by_hand -- --ignored`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use ascgraph::dtype::DType;
use ascgraph::dump;
use fmod_tests::data::Data;
use fmod_tests::generate::Rng;
use fmod_tests::{Device, DeviceBuffer, DynType, Layout, Stream, Tensor};
use libloading::Library;

mod graphs;
#[path = "../packages/mod.rs"]
mod packages;

use packages::{B, E, SOC, T, child, workspace, xtask};

const EPSILON: f64 = 1e-6;

/// What is computed, of which type, and rows by columns: sizes of models, and some odd ones.
const CASES: [(&str, DType, [i64; 2]); 24] = [
    ("rms_norm", DType::Float32, [32, 4096]),
    ("rms_norm", DType::Float32, [2048, 5120]),
    ("rms_norm", DType::Float16, [2048, 5120]),
    ("rms_norm", DType::Float16, [7, 1000]),
    ("rms_norm", DType::BFloat16, [4096, 128]),
    ("rms_norm", DType::BFloat16, [512, 7168]),
    ("layer_norm", DType::Float32, [32, 4096]),
    ("layer_norm", DType::Float32, [3000, 768]),
    ("layer_norm", DType::Float16, [3000, 768]),
    ("layer_norm", DType::Float16, [512, 7168]),
    ("softmax", DType::Float32, [64, 1000]),
    ("softmax", DType::Float32, [2048, 1024]),
    ("softmax", DType::Float16, [2048, 1024]),
    ("softmax", DType::Float16, [5000, 77]),
    ("swiglu", DType::Float32, [100, 1000]),
    ("swiglu", DType::Float32, [1024, 2048]),
    ("swiglu", DType::Float16, [4096, 5504]),
    ("swiglu", DType::BFloat16, [512, 2816]),
    ("add_mul", DType::Float32, [1, 16384]),
    ("add_mul", DType::Float32, [1, 1 << 20]),
    ("add_mul", DType::Float32, [1, 1 << 23]),
    ("add_mul", DType::Float16, [1, 50_000]),
    ("add_mul", DType::Float16, [1, 1 << 20]),
    ("add_mul", DType::Float16, [1, 1 << 23]),
];

/// Directories of operators below a check-out, the variable that names it, and the vendor of their package.
const BY_HAND: [(&str, &str, &str); 2] = [
    ("OPS_NN_HOME", "nnhand", "norm/rms_norm,norm/layer_norm_v4,activation/swi_glu,experimental/activation/softmax_v2"),
    ("OPS_MATH_HOME", "mathhand", "experimental/math/add_v2,experimental/math/mul_v2"),
];
const VENDOR: &str = "generated";

fn place() -> PathBuf {
    workspace().join("target/xtask/by-hand")
}

/// The name of the generated operator.
fn name(what: &str, dtype: DType) -> String {
    format!("{what}_{dtype}_auto")
}

fn of(dtype: DType) -> DynType {
    match dtype {
        DType::Float16 => DynType::F16,
        DType::BFloat16 => DynType::BF16,
        _ => DynType::F32,
    }
}

/// Tensors of one case: inputs filled, results not.
struct Tensors {
    buffers: Vec<DeviceBuffer<u8>>,
    layouts: Vec<(DynType, Layout)>,
}

impl Tensors {
    fn new() -> Tensors {
        Tensors { buffers: Vec::new(), layouts: Vec::new() }
    }

    fn push(&mut self, dtype: DynType, shape: &[i64], buffer: DeviceBuffer<u8>) {
        self.buffers.push(buffer);
        self.layouts.push((dtype, Layout::contiguous(shape)));
    }

    fn result(&mut self, device: &Device, dtype: DynType, shape: &[i64]) -> Result<()> {
        let bytes = Layout::contiguous(shape).numel() * dtype.bytes();
        self.push(dtype, shape, device.alloc(bytes)?);
        Ok(())
    }

    fn described(&self) -> fmod_tests::Result<Vec<Tensor<'_>>> {
        let all = self.buffers.iter().zip(&self.layouts);
        all.map(|(buffer, (dtype, layout))| Tensor::with_type(buffer, *dtype, layout)).collect()
    }

    fn read(&self, at: usize) -> Result<Data> {
        Ok(Data::from_bytes(self.layouts[at].0, &self.buffers[at].to_vec()?))
    }
}

/// Numbers that repeat after a while: filling is no part of what is asked.
fn numbers(rng: &mut Rng, dtype: DynType, length: usize) -> Vec<u8> {
    let some = Data::encode(dtype, (0..length.min(1 << 16)).map(|_| rng.uniform(-3.0, 3.0))).to_bytes();
    some.into_iter().cycle().take(length * dtype.bytes()).collect()
}

/// The tensors of a case: inputs, and as many they are; then results. A reduced axis is left with one element. The operator
/// by hand has the halves of swiglu in one tensor, side by side in each row; a generated operator's tensors are dense.
fn tensors(device: &Device, what: &str, dtype: DType, shape: [i64; 2], by_hand: bool) -> Result<(Tensors, usize)> {
    let ([rows, columns], dtype) = (shape, of(dtype));
    let (narrow, row) = ([rows, 1], [columns]);
    let (inputs, more): (Vec<&[i64]>, usize) = match what {
        "rms_norm" => (vec![&shape, &row], 1),
        "layer_norm" => (vec![&shape, &row, &row], 2),
        "softmax" => (vec![&shape], 0),
        "swiglu" => (vec![&shape, &shape], 0),
        _ => (vec![&shape, &shape, &shape], 0),
    };
    let (mut all, mut rng) = (Tensors::new(), Rng::new(11));
    let mut given: Vec<(Vec<u8>, Vec<i64>)> = Vec::new();
    for shape in &inputs {
        given.push((numbers(&mut rng, dtype, Layout::contiguous(shape).numel()), shape.to_vec()));
    }
    if what == "swiglu" && by_hand {
        let row = columns as usize * dtype.bytes();
        let halves = given[0].0.chunks(row).zip(given[1].0.chunks(row));
        given = vec![(halves.flat_map(|(a, b)| [a, b].concat()).collect(), vec![rows, 2 * columns])];
    }
    for (bytes, shape) in &given {
        all.push(dtype, shape, device.upload(bytes)?);
    }
    all.result(device, dtype, &shape)?;
    for _ in 0..more {
        all.result(device, DynType::F32, &narrow)?;
    }
    Ok((all, given.len()))
}

/// Interfaces of the two check-outs and of what was generated.
struct Libraries {
    nn: Library,
    math: Library,
    generated: Library,
}

type I = *mut std::ffi::c_void;

/// Calls the operators by hand; add_mul has two, with a tensor between them.
fn by_hand(all: &Libraries, what: &str, t: &[T], between: T, columns: i64, stream: &Stream) -> Result<()> {
    // SAFETY: each interface as its header declares it, the dependencies of a package have acl's own functions.
    unsafe {
        match what {
            "rms_norm" => packages::call(&all.nn, "RmsNorm", stream, |first, bytes, executor| {
                let first = all.nn.get::<unsafe extern "C" fn(T, T, f64, T, T, B, E) -> i32>(first)?;
                Ok(first(t[0], t[1], EPSILON, t[2], t[3], bytes, executor))
            }),
            "layer_norm" => {
                let make = all.nn.get::<unsafe extern "C" fn(*const i64, u64) -> I>(b"aclCreateIntArray")?;
                let normal = make(&columns, 1);
                let done = packages::call(&all.nn, "FastLayerNorm", stream, |first, bytes, executor| {
                    type First = unsafe extern "C" fn(T, I, T, T, f64, T, T, T, B, E) -> i32;
                    let first = all.nn.get::<First>(first)?;
                    Ok(first(t[0], normal, t[1], t[2], EPSILON, t[3], t[4], t[5], bytes, executor))
                });
                all.nn.get::<unsafe extern "C" fn(I) -> i32>(b"aclDestroyIntArray")?(normal);
                done
            }
            "softmax" => packages::call(&all.nn, "SoftmaxV2", stream, |first, bytes, executor| {
                let first = all.nn.get::<unsafe extern "C" fn(T, i64, T, B, E) -> i32>(first)?;
                Ok(first(t[0], 1, t[1], bytes, executor)) // it takes no -1
            }),
            "swiglu" => packages::call(&all.nn, "SwiGlu", stream, |first, bytes, executor| {
                let first = all.nn.get::<unsafe extern "C" fn(T, i64, T, B, E) -> i32>(first)?;
                Ok(first(t[0], -1, t[1], bytes, executor))
            }),
            _ => {
                for (name, [a, b, out]) in [("AddV2", [t[0], t[1], between]), ("MulV2", [between, t[2], t[3]])] {
                    packages::call(&all.math, name, stream, |first, bytes, executor| {
                        let first = all.math.get::<unsafe extern "C" fn(T, T, T, B, E) -> i32>(first)?;
                        Ok(first(a, b, out, bytes, executor))
                    })?;
                }
                Ok(())
            }
        }
    }
}

/// The generated interface takes the inputs and the results in the order of the graph.
fn generated(library: &Library, name: &str, t: &[T], stream: &Stream) -> Result<()> {
    let pascal: String = name.split('_').map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect();
    // SAFETY: as many tensors as the graph has inputs and results.
    packages::call(library, &pascal, stream, |first, bytes, executor| unsafe {
        Ok(match *t {
            [a, b] => library.get::<unsafe extern "C" fn(T, T, B, E) -> i32>(first)?(a, b, bytes, executor),
            [a, b, c] => library.get::<unsafe extern "C" fn(T, T, T, B, E) -> i32>(first)?(a, b, c, bytes, executor),
            [a, b, c, d] => {
                library.get::<unsafe extern "C" fn(T, T, T, T, B, E) -> i32>(first)?(a, b, c, d, bytes, executor)
            }
            [a, b, c, d, e, f] => {
                type First = unsafe extern "C" fn(T, T, T, T, T, T, B, E) -> i32;
                library.get::<First>(first)?(a, b, c, d, e, f, bytes, executor)
            }
            _ => bail!("{} tensors", t.len()),
        })
    })
}

/// Launches, and their time warm and cold, of what the model wrote behind `from` lines.
fn times(from: &mut usize) -> Result<(usize, [f64; 2])> {
    let text = fs::read_to_string(place().join("launches.jsonl"))?;
    let lines: Vec<serde_json::Value> = text.lines().skip(*from).map(serde_json::from_str).collect::<Result<_, _>>()?;
    *from += lines.len();
    let sum = |mode: &str| {
        let of = lines.iter().filter(|line| line["mode"] == mode);
        of.map(|line| line["task_us"].as_f64().context("no time")).sum::<Result<f64>>()
    };
    Ok((lines.len() / 2, [sum("warm")?, sum("cold")?]))
}

/// The first element that is farther away than rounding may be.
fn apart(dtype: DynType, a: &Data, b: &Data) -> Option<(usize, f64, f64)> {
    let bound = match dtype {
        DynType::F16 => 4e-3,
        DynType::BF16 => 3e-2,
        _ => 2e-5,
    };
    let [a, b] = [a, b].map(|data| data.cast(DynType::F32).to_vec::<f32>().into_iter().map(f64::from));
    let mut pairs = a.zip(b).enumerate();
    let is_near = |a: f64, b: f64| (a - b).abs() <= bound * a.abs().max(1.0);
    pairs.find(|(_, (a, b))| !is_near(*a, *b)).map(|(at, (a, b))| (at, a, b))
}

#[test]
#[ignore = "called by generated_operators_against_those_by_hand"]
fn launches() -> Result<()> {
    // The packages find the toolkit's libraries in the process.
    let device = Device::open(0)?;
    let library = |vendor: &str| packages::library(&place(), vendor);
    let [nn, math, made] = [BY_HAND[0].1, BY_HAND[1].1, VENDOR].map(library);
    let (Some(nn), Some(math), Some(made)) = (nn, math, made) else { return Ok(()) };
    let (all, stream, mut lines) = (Libraries { nn, math, generated: made }, device.stream()?, 0);
    println!(
        "| operator | type | shape | by hand, warm | generated, warm | ratio | by hand, cold | generated, cold | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (what, dtype, shape) in CASES {
        let (theirs, skip) = tensors(&device, what, dtype, shape, true)?;
        let (ours, inputs) = tensors(&device, what, dtype, shape, false)?;
        let mut between = Tensors::new();
        between.result(&device, of(dtype), &shape)?;
        let (a, b, c) = (theirs.described()?, ours.described()?, between.described()?);
        let raw = |tensors: &[Tensor]| tensors.iter().map(Tensor::as_raw).collect::<Vec<T>>();
        by_hand(&all, what, &raw(&a), c[0].as_raw(), shape[1], &stream)
            .with_context(|| format!("{what} {dtype} {shape:?} by hand"))?;
        let hand = times(&mut lines)?;
        let name = name(what, dtype);
        generated(&all.generated, &name, &raw(&b), &stream).with_context(|| name.clone())?;
        let made = times(&mut lines)?;
        for at in inputs..ours.buffers.len() {
            let (a, b) = (theirs.read(at - inputs + skip)?, ours.read(at)?);
            if let Some((element, a, b)) = apart(ours.layouts[at].0, &a, &b) {
                bail!("{name} {shape:?}, result {}, element {element}: {a} by hand, {b} generated", at - inputs);
            }
        }
        let [warm, cold] = [0, 1].map(|at| {
            let (hand, made) = (hand.1[at], made.1[at]);
            format!("{hand:.2} | {made:.2} | {:.2}", hand / made)
        });
        let shape = shape.map(|size| size.to_string()).join(" x ");
        let (hand, made) = (launched(hand.0), launched(made.0));
        println!("| {what}{hand}{made} | {dtype} | {shape} | {warm} | {cold} |");
    }
    Ok(())
}

/// Of more than one.
fn launched(launches: usize) -> String {
    if launches == 1 { String::new() } else { format!(", {launches} launches") }
}

#[test]
#[ignore = "slow: builds operators of other check-outs"]
fn generated_operators_against_those_by_hand() -> Result<()> {
    let mut found = Vec::new();
    for (variable, vendor, operators) in BY_HAND {
        let home = std::env::var(variable).with_context(|| format!("{variable} is to be the path of a check-out"))?;
        let line = ["--repo", &home, "--ops", operators].map(str::to_owned);
        found.push(packages::install(&place(), vendor, &line)?);
    }
    let mut made: Vec<String> = Vec::new();
    for (what, dtype, _) in CASES {
        let name = name(what, dtype);
        let dir = place().join("made").display().to_string();
        let line = ["--op-dir".to_owned(), format!("{dir}/math/{name}")];
        if made.contains(&line[1]) {
            continue;
        }
        let file = place().join(format!("{name}.json"));
        fs::write(&file, dump::json(&graphs::graph(&name, what, dtype)?))?;
        xtask(&["ascgraph", "codegen", &file.display().to_string(), "--name", &name, "--out", &dir])?;
        made.extend(line);
    }
    found.push(packages::install(&place(), VENDOR, &made)?);
    let file = place().join("launches.jsonl");
    fs::remove_file(&file).ok();
    fs::write(&file, "")?;
    let paths: Vec<&std::path::Path> = found.iter().map(PathBuf::as_path).collect();
    println!("us on {SOC}, by the model:");
    let table = child("launches", &paths, &[("HOSTCANN_SIM", format!("warm,cold:{}", file.display()))])?;
    print!("{table}");
    // Without the packages it launches nothing.
    let rows = table.lines().filter(|line| line.starts_with("| ")).count();
    ensure!(rows == CASES.len() + 1, "{rows} rows, with the head");
    Ok(())
}

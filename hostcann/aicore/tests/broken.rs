//! Deliberately broken kernels, each next to its right twin. The checker has to name every fault and to stay silent on
//! every twin. Own main: one line per pair, the count that `cargo xtask test` shows.

#[path = "broken/rows/mod.rs"]
mod rows;
#[path = "broken/source.rs"]
mod source;

use aicore::{CoreSpec, Engine, Fault, KernelFn, Launch, Switches};
use rows::Row;
use source::Source;
use std::{ffi::c_void, process::ExitCode};

/// Elements of room behind every tensor: a kernel that leaves its tensor must not hurt the test program.
const ROOM: usize = 1 << 18;
const UNTOUCHED: f32 = -12345.0;

/// Arguments of one launch: two inputs, one output, a workspace, tiling data.
struct Arguments {
    x1: Vec<f32>,
    x2: Vec<f32>,
    y: Vec<f32>,
    workspace: Vec<f32>,
    tiling: Vec<u32>,
}

impl Arguments {
    fn new(row: &Row) -> Arguments {
        let padded = |value: &dyn Fn(usize) -> f32| (0..row.length + ROOM).map(value).collect::<Vec<f32>>();
        Arguments {
            x1: padded(&rows::x1),
            x2: padded(&rows::x2),
            y: padded(&|_| UNTOUCHED),
            workspace: padded(&|_| UNTOUCHED),
            tiling: vec![row.length as u32, row.tile],
        }
    }

    fn pointers(&mut self) -> [*mut c_void; 5] {
        [
            self.x1.as_mut_ptr().cast(),
            self.x2.as_mut_ptr().cast(),
            self.y.as_mut_ptr().cast(),
            self.workspace.as_mut_ptr().cast(),
            self.tiling.as_mut_ptr().cast(),
        ]
    }
}

fn launch(engine: &Engine, row: &Row, kernel: KernelFn, args: &mut Arguments) -> Result<(), Fault> {
    let args = args.pointers();
    engine.run(&Launch::new(kernel, row.kernel, 0, row.cores, &args))
}

/// What is wrong with the finding on the broken kernel.
fn broken(engine: &Engine, row: &Row, source: &Source) -> Vec<String> {
    let mut args = Arguments::new(row);
    let fault = match launch(engine, row, source.kernel(row.kernel, true), &mut args) {
        Ok(()) => return vec![format!("broken: not caught, expected {:?}", row.class)],
        Err(fault) => fault,
    };
    let mut wrong = Vec::new();
    let mut differ = |what: &str, expected: String, got: String| {
        if expected != got {
            wrong.push(format!("broken: {what}: expected {expected}, got {got}"));
        }
    };
    let (line, class) = source.mark(row.kernel);
    differ("class of the mark", format!("{:?}", row.class), class.to_owned());
    differ("class", format!("{:?}", row.class), format!("{:?}", fault.class));
    differ("pipe", row.pipe.to_string(), fault.pipe.to_string());
    differ("instruction", row.instruction.to_owned(), fault.instruction.clone());
    differ("kernel", row.kernel.to_owned(), fault.kernel.clone());
    if let Some(core) = row.core {
        differ("core", core.to_string(), fault.core.to_string());
    }
    let place = fault
        .location
        .as_ref()
        .map_or("none".to_owned(), |l| format!("{}:{}", l.file.rsplit('/').next().unwrap_or_default(), l.line));
    differ("line", format!("{}:{line}", source.file), place);
    for word in row.words.iter().filter(|w| !fault.message.contains(**w)) {
        wrong.push(format!("broken: the text lacks `{word}`"));
    }
    if !fault.message.contains("Fix: ") {
        wrong.push("broken: the text names no fix".to_owned());
    }
    if !wrong.is_empty() {
        wrong.push(format!("text: {fault}"));
    }
    wrong
}

/// What is wrong with the right twin.
fn right(engine: &Engine, row: &Row, source: &Source) -> Vec<String> {
    let mut args = Arguments::new(row);
    if let Err(fault) = launch(engine, row, source.kernel(row.kernel, false), &mut args) {
        return vec![format!("twin: not silent: {fault}")];
    }
    let want = (row.want)(row.length);
    let differ = (0..want.len()).find(|&i| want[i].to_bits() != args.y[i].to_bits());
    let behind = (want.len()..args.y.len()).find(|&i| args.y[i] != UNTOUCHED);
    match (differ, behind) {
        (Some(i), _) => vec![format!("twin: y[{i}] is {}, expected {}", args.y[i], want[i])],
        (None, Some(i)) => vec![format!("twin: wrote y[{i}], the tensor has {} elements", want.len())],
        (None, None) => Vec::new(),
    }
}

fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608, 196352), Switches::default(), 2);
    let (mut passed, mut failed) = (0, Vec::new());
    let wanted = |file: &str, row: &Row| row.kernel.contains(&filter) || file.contains(&filter);
    let files = rows::all().into_iter().map(|(file, rows)| {
        let rows: Vec<Row> = rows.into_iter().filter(|row| wanted(file, row)).collect();
        (file, rows)
    });
    let files: Vec<_> = files.filter(|(_, rows)| !rows.is_empty()).collect();
    let sources = source::build_all(&files);
    for ((file, rows), source) in files.iter().zip(&sources) {
        for row in rows {
            let mut wrong = broken(&engine, row, source);
            wrong.extend(right(&engine, row, source));
            println!("test {file}::{} ... {}", row.kernel, if wrong.is_empty() { "ok" } else { "FAILED" });
            if wrong.is_empty() {
                passed += 1;
            } else {
                failed.push((file, row.kernel, wrong));
            }
        }
    }
    for (file, kernel, wrong) in &failed {
        println!("\n---- {file}::{kernel} ----");
        wrong.iter().for_each(|w| println!("  {w}"));
    }
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; broken kernels, each with its right twin",
        failed.len()
    );
    if failed.is_empty() && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

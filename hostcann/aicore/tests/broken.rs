//! Deliberately broken kernels, each next to its right twin. The checker has to name every fault and to stay silent on
//! every twin. Own main: one line per pair, the count that `cargo xtask test` shows.

#[path = "broken/rows/mod.rs"]
mod rows;
#[path = "broken/source.rs"]
mod source;

use aicore::{
    CoreSpec, Engine, Fault, FaultClass, KernelFn, Launch, Severity, Shadow, Switches,
    check::{Extent, Findings, LaunchInfo, Options, Role},
};
use rows::{Row, UNTOUCHED};
use source::Source;
use std::{ffi::c_void, process::ExitCode, sync::Arc};

/// Elements of room behind every tensor: a kernel that leaves its tensor must not hurt the test program.
const ROOM: usize = 1 << 18;

/// Global memory as aclrtMalloc gives it: 512-byte aligned.
struct Memory {
    words: Vec<u32>,
    skip: usize,
}

impl Memory {
    fn new(length: usize, value: impl Fn(usize) -> u32) -> Memory {
        let mut words = vec![0; length + ROOM + 128];
        let skip = words.as_ptr().align_offset(512);
        words[skip..].iter_mut().enumerate().for_each(|(i, word)| *word = value(i));
        Memory { words, skip }
    }
    fn floats(length: usize, value: impl Fn(usize) -> f32) -> Memory {
        Memory::new(length, |i| value(i).to_bits())
    }
    fn pointer(&mut self) -> *mut c_void {
        self.words[self.skip..].as_mut_ptr().cast()
    }
    fn read(&self, i: usize) -> f32 {
        f32::from_bits(self.words[self.skip + i])
    }
}

/// Arguments of one launch: two inputs, one output, a workspace, tiling data.
struct Arguments {
    memory: [Memory; 5],
    info: LaunchInfo,
}

const Y: usize = 2;

impl Arguments {
    fn new(row: &Row) -> Arguments {
        let mut memory = [
            Memory::floats(row.length, rows::x1),
            Memory::floats(row.length, rows::x2),
            Memory::floats(row.length, |_| UNTOUCHED),
            Memory::floats(row.length, |_| UNTOUCHED),
            Memory::new(2, |i| if i == 0 { row.length as u32 } else { row.tile }),
        ];
        let whole = (row.want)(row.length).len() == row.length;
        let names = [
            ("input 0 x1", Role::Input),
            ("input 1 x2", Role::Input),
            ("output 0 y", if whole { Role::Output } else { Role::PartOutput }),
            ("workspace", Role::Workspace),
        ];
        let extents = names.iter().zip(&mut memory).map(|((name, role), m)| Extent {
            base: m.pointer() as usize,
            bytes: row.length * size_of::<f32>(),
            name: (*name).to_owned(),
            role: *role,
        });
        let extents: Vec<Extent> = extents.collect();
        // The inputs are written, to their last byte; the output and the workspace are not.
        let shadows = extents.iter().map(|e| {
            let shadow = Shadow::new(e.bytes.next_multiple_of(32));
            if e.role == Role::Input {
                shadow.mark(0, e.bytes);
            }
            (e.base, Arc::new(shadow))
        });
        let shadows = shadows.collect();
        let options = Options { auto_sync: row.auto_sync, allow: Vec::new(), strict: true };
        Arguments { memory, info: LaunchInfo { options, extents, shadows, ..LaunchInfo::default() } }
    }
}

fn launch(engine: &Engine, row: &Row, kernel: KernelFn, args: &mut Arguments, check: bool) -> Result<(), Fault> {
    let pointers: Vec<*mut c_void> = args.memory.iter_mut().map(Memory::pointer).collect();
    let check = check.then_some(&args.info);
    engine.run(&Launch { check, ..Launch::new(kernel, row.kernel, 0, row.cores, &pointers) })
}

/// What is wrong with the finding on the broken kernel.
fn broken(engine: &Engine, row: &Row, source: &Source) -> Vec<String> {
    let mut args = Arguments::new(row);
    args.info.options.strict = row.severity == Severity::Rule;
    let kernel = source.kernel(row.kernel, true);
    let fault = match launch(engine, row, kernel, &mut args, true) {
        Ok(()) => return vec![format!("broken: not caught, expected {:?}", row.class)],
        Err(fault) => fault,
    };
    let mut wrong = Vec::new();
    if !row.auto_sync {
        let mut args = Arguments::new(row);
        (args.info.options.auto_sync, args.info.options.strict) = (true, false);
        if let Err(fault) = launch(engine, row, kernel, &mut args, true) {
            wrong.push(format!("broken: not silent with automatic sync: {fault}"));
        }
        // One note that names the line; vector instructions after each other are nobody's business.
        let scalar = row.words.iter().any(|word| word.starts_with("S_") || word.ends_with("_S"));
        let notes: Vec<_> = args.info.rules.take();
        let named = notes.iter().filter(|n| n.class == FaultClass::AutoSync && n.location == fault.location).count();
        if named != scalar as usize || notes.iter().any(|n| n.severity != Severity::Note) {
            wrong.push(format!("broken: {named} notes on the automatic sync, expected {}: {notes:?}", scalar as usize));
        }
    }
    if row.severity == Severity::Rule {
        wrong.extend(noted(engine, row, source, &fault));
    }
    wrong.extend(all(engine, row, source, &fault));
    let mut differ = |what: &str, expected: String, got: String| {
        if expected != got {
            wrong.push(format!("broken: {what}: expected {expected}, got {got}"));
        }
    };
    let (line, class) = source.mark(row.kernel);
    differ("class of the mark", format!("{:?}", row.class), class.to_owned());
    differ("class", format!("{:?}", row.class), format!("{:?}", fault.class));
    differ("severity", format!("{:?}", row.severity), format!("{:?}", fault.severity));
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
    // What is found when the launch has ended has no line.
    if fault.instruction != "kernel end" {
        differ("line", format!("{}:{line}", source.file), place);
    }
    for word in row.words.iter().filter(|w| !fault.message.contains(**w)) {
        wrong.push(format!("broken: the text lacks `{word}`"));
    }
    if let Some(first) = source.first(row.kernel).filter(|line| !fault.message.contains(line)) {
        wrong.push(format!("broken: the text does not name {first}"));
    }
    if !fault.message.contains("Fix: ") {
        wrong.push("broken: the text names no fix".to_owned());
    }
    if !wrong.is_empty() {
        wrong.push(format!("text: {fault}"));
    }
    wrong
}

/// What a launch finds that goes on where it can: the same first, and what else the kernel does wrong.
fn all(engine: &Engine, row: &Row, source: &Source, first: &Fault) -> Option<String> {
    let mut args = Arguments::new(row);
    args.info.options.strict = row.severity == Severity::Rule;
    args.info.errors = Some(Findings::default());
    let result = launch(engine, row, source.kernel(row.kernel, true), &mut args, true);
    let found = args.info.errors.take().map(|errors| errors.take()).unwrap_or_default();
    // Memory lies elsewhere in every launch.
    let plain = |text: &str| text.split_whitespace().filter(|w| !w.starts_with("0x")).collect::<Vec<_>>().join(" ");
    let of = |f: &Fault| (f.class, f.core, f.location.clone(), plain(&f.message));
    // Where each core meets the fault, the launch that ends at its first one has that of whichever core came first.
    let agrees = |f: &Fault| {
        (f.class, &f.location) == (first.class, &first.location) && (f.core != first.core || of(f) == of(first))
    };
    let causes = found.iter().take_while(|_| row.kernel == CAUSED).take(1).count();
    let same = found.get(causes).is_some_and(agrees) && result.as_ref().err().map(of) == found.first().map(of);
    if !same {
        return Some(format!("broken: first of all findings: expected {first}, got {found:?}"));
    }
    let known = MORE.iter().find(|(kernel, _)| *kernel == row.kernel).map_or(&[] as &[&str], |(_, more)| more);
    let brief = |f: &Fault| {
        let operand = f.said.operand.as_ref().map_or(String::new(), |operand| format!(" {operand}"));
        format!("{} {}{operand}", f.class.name(), f.instruction)
    };
    let more: Vec<String> = found.iter().filter(|f| !agrees(f)).map(brief).collect();
    (more != known).then(|| format!("broken: after {}: expected {known:#?}, got {more:#?}", first.headline()))
}

/// The kernel whose fault is the effect of a rule, which comes first then.
const CAUSED: &str = "beyond_budget";

/// What kernels do wrong besides the row's finding: other operands of the instruction, and other lines.
const MORE: &[(&str, &[&str])] = &[
    ("nine_input_buffers", &["event AllocEventID", "event AllocEventID"]),
    ("output_left_in_queue", &["output-unwritten kernel end output 0 y"]),
    ("no_mte2_v", &["race Add<float> src1"]),
    ("opposite_event", &["race Add<float> src1"]),
    ("flag_before_copy", &["race Add<float> src1"]),
    // What the first tile leaves is there in the next one.
    ("one_id_for_two_copies", &["event SetFlag eventID", "leak SetFlag eventID"]),
    ("gap_in_bytes", &["uninitialized DataCopy<float> UB->GM src"]),
    ("barrier_for_event", &["race Add<float> src1"]),
    ("tail_without_event", &["race Add<float> src1"]),
    ("last_core_without_event", &["race Add<float> src1"]),
    ("count_beyond_buffer", &["buffer-bounds Add<float> src0", "buffer-bounds Add<float> src1"]),
    ("tbuf_too_short", &["buffer-bounds Add<float> src0"]),
    ("stride_beyond_buffer", &["buffer-bounds Muls<float> src0"]),
    ("copy_beyond_buffer", &["buffer-bounds DataCopyPad<float> UB->GM src"]),
    ("mask_beyond_buffer", &["buffer-bounds Select<float> selMask"]),
    ("dst_stride_zero", &["uninitialized DataCopyPad<float> UB->GM src"]),
    (CAUSED, &["buffer-space InitBuffer len"]),
    ("dropped_tail", &["output-unwritten kernel end output 0 y"]),
    ("dropped_tail_in", &["race DataCopyPad<float> GM->UB dst"]),
    ("compare_tail", &["uninitialized DataCopyPad<float> UB->GM src"]),
    ("tensor_without_buffer", &["buffer-bounds Select<float> selMask"]),
    ("size_set_larger", &["buffer-bounds Muls<float> src0"]),
    ("all_not_ended", &["leak Matmul::End"]),
    ("single_beyond_matrix", &["gm-bounds Matmul<float> GlobalTensor"]),
    ("reinterpreted_at_end", &["buffer-bounds DataCopy<float> UB->GM src"]),
];

/// A broken rule stops no launch unless that is asked for, and is noted.
fn noted(engine: &Engine, row: &Row, source: &Source, fault: &Fault) -> Option<String> {
    let mut args = Arguments::new(row);
    args.info.options.strict = false;
    if let Err(fault) = launch(engine, row, source.kernel(row.kernel, true), &mut args, true) {
        return Some(format!("broken: a rule stops the launch: {fault}"));
    }
    let notes = args.info.rules.take();
    let known = notes.iter().any(|n| n.class == fault.class && n.location == fault.location);
    (!known).then(|| format!("broken: the rule is not noted, only {notes:?}"))
}

/// What is wrong with the right twin, with the checker and without.
fn right(engine: &Engine, row: &Row, source: &Source, check: bool) -> Vec<String> {
    let mut args = Arguments::new(row);
    if let Err(fault) = launch(engine, row, source.kernel(row.kernel, false), &mut args, check) {
        return vec![format!("twin: not silent: {fault}")];
    }
    if !row.auto_sync && check {
        args.info.options.auto_sync = true;
        if let Err(fault) = launch(engine, row, source.kernel(row.kernel, false), &mut args, true) {
            return vec![format!("twin: not silent with automatic sync: {fault}")];
        }
        let notes = args.info.rules.take();
        if !notes.is_empty() {
            return vec![format!("twin: noted {notes:?}")];
        }
    }
    let (want, y) = ((row.want)(row.length), &args.memory[Y]);
    let differ = (0..want.len()).find(|&i| want[i].to_bits() != y.read(i).to_bits());
    let behind = (want.len()..row.length + ROOM).find(|&i| y.read(i) != UNTOUCHED);
    match (differ, behind) {
        (Some(i), _) => vec![format!("twin: y[{i}] is {}, expected {}", y.read(i), want[i])],
        (None, Some(i)) => vec![format!("twin: wrote y[{i}], the result has {} elements", want.len())],
        (None, None) => Vec::new(),
    }
}

fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 2);
    let (mut passed, mut failed) = (0, Vec::new());
    let wanted = |file: &str, row: &Row| row.kernel.contains(&filter) || file.contains(&filter);
    let files = rows::all().into_iter().map(|(file, rows)| {
        let rows: Vec<Row> = rows.into_iter().filter(|row| wanted(file, row)).collect();
        (file, rows)
    });
    let files: Vec<_> = files.filter(|(_, rows)| !rows.is_empty()).collect();
    let objects = source::build_all(&files);
    for ((file, rows), object) in files.iter().zip(&objects) {
        // Not before the faults of the files before it: a new object has lines as well.
        let source = Source::load(file, object);
        for row in rows {
            let mut wrong = broken(&engine, row, &source);
            wrong.extend(right(&engine, row, &source, true));
            wrong.extend(right(&engine, row, &source, false));
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
    // A filter may leave none here: the rows of another program were meant.
    if failed.is_empty() && (passed > 0 || !filter.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

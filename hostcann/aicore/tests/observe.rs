//! The seam: what observers of a launch are told, by whom they are chosen, and the trace log.

use crate::support::{Aligned, Object};
use aicore::{
    Access, Block, CoreSpec, Engine, Fault, FaultClass, Launch, Lines, Observer, Raise, Site, Step, Switches, Trace,
    Watch, WatchLaunch, check::LaunchInfo, instruction::vector::Vector,
};
use std::{
    ffi::c_void,
    io::Write,
    sync::{Arc, Mutex, OnceLock},
};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("steps.cpp"))
}

fn engine(threads: usize) -> Engine {
    Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), threads)
}

fn run(e: &Engine, watch: &[Arc<dyn Watch>], check: bool) -> Result<(), Fault> {
    let (mut x, mut y, mut sum) = (Aligned::<f32>::new(256), Aligned::<f32>::new(256), Aligned::<f32>::new(32));
    x.iter_mut().enumerate().for_each(|(i, v)| *v = i as f32);
    let mut sync = Aligned::<i32>::new(16);
    let mut tiling = [60u32];
    let args = [
        x.as_mut_ptr() as *mut c_void,
        y.as_mut_ptr() as *mut c_void,
        sum.as_mut_ptr() as *mut c_void,
        sync.as_mut_ptr() as *mut c_void,
        tiling.as_mut_ptr() as *mut c_void,
    ];
    let info = LaunchInfo::default();
    let check = check.then_some(&info);
    let result = e.run(&Launch { watch, check, ..Launch::new(kernels().kernel("steps"), "steps", 7, 2, &args) });
    if result.is_ok() {
        // Each core: the largest of (2x + 1) * x is put first; the second block of 64 starts at 64.
        assert_eq!((y[1], y[64], sum[1]), (3.0, 247.0 * 123.0, 3.0 + 131.0 * 65.0));
    }
    result
}

/// A file that can be read while it is written.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Without the places, which depend on the compiler.
fn steps(text: &str) -> String {
    text.lines().map(|l| format!("{}\n", l.split(" @").next().unwrap())).collect()
}

#[test]
fn a_trace_has_a_line_for_every_step_and_is_the_same_every_time() {
    let golden = include_str!("observe/steps.log");
    for threads in [1, 2] {
        let log = Log::default();
        let e = engine(threads);
        e.watch(vec![Arc::new(Trace::new(log.clone()))]);
        for check in [false, true] {
            run(&e, &[], check).unwrap_or_else(|f| panic!("{f}"));
        }
        e.watch(Vec::new());
        run(&e, &[], false).unwrap();
        let text = steps(&log.text());
        assert_eq!(text, golden.repeat(2), "{threads} threads; the trace is:\n{text}");
    }
}

#[test]
fn every_line_of_a_trace_names_the_kernels_line() {
    let log = Log::default();
    let watch: [Arc<dyn Watch>; 1] = [Arc::new(Trace::new(log.clone()))];
    run(&engine(1), &watch, false).unwrap();
    let text = log.text();
    let source = include_str!("kernels/steps.cpp");
    for (step, call) in [
        ("MTE2 DataCopyPad", "DataCopyPad(a, x"),
        ("V Add<float>", "Add<float, false>(b"),
        ("barrier V", "PipeBarrier<PIPE_V>"),
        ("GetValue ub", "GetValue(0)"),
        ("sync-all", "SyncAll()"),
    ] {
        let line = 1 + source.lines().position(|l| l.contains(call)).unwrap();
        let want = format!("/steps.cpp:{line}");
        let found = text.lines().filter(|l| l.split(' ').skip(2).collect::<Vec<_>>().join(" ").starts_with(step));
        let found: Vec<_> = found.collect();
        assert!(found.len() == 2 && found.iter().all(|l| l.ends_with(&want)), "{want}: {found:#?}");
    }
    let without = text.lines().filter(|l| !l.contains(" @")).count();
    assert_eq!(without, 1 + 2, "the launch itself and `enter` have no line");
}

#[test]
fn a_launch_may_bring_its_own_observer_and_gets_every_line_at_once() {
    let lines = Arc::new(Mutex::new(vec![Vec::new(); 2]));
    let to = lines.clone();
    let watch: Arc<dyn Watch> =
        Arc::new(Lines::new(move |core, line| to.lock().unwrap()[core as usize].push(line.to_owned())));
    let e = engine(2);
    run(&e, &[watch], false).unwrap();
    run(&e, &[], false).unwrap();
    let golden: Vec<&str> = include_str!("observe/steps.log").lines().collect();
    for (core, lines) in lines.lock().unwrap().iter().enumerate() {
        let start = format!("core {core} ");
        let want: Vec<_> = golden.iter().filter_map(|l| l.strip_prefix(start.as_str())).collect();
        assert_eq!(lines.iter().map(|l| l.split(" @").next().unwrap()).collect::<Vec<_>>(), want);
    }
}

/// A small timing model: what it needs is in the steps.
#[derive(Default)]
struct Times {
    bytes: u64,
    lanes: u64,
    calls: u64,
    depth: i32,
    ended: Vec<(u32, u64, u64, u64)>,
}

struct Model(Arc<Mutex<Times>>);
struct BlockModel(Arc<Mutex<Times>>, Times, u32);

impl Watch for Model {
    fn launch(&self, kernel: &str, key: u64, blocks: u32) -> Option<Arc<dyn WatchLaunch>> {
        assert_eq!((kernel, key, blocks), ("steps", 7, 2));
        Some(Arc::new(Model(self.0.clone())))
    }
}

impl WatchLaunch for Model {
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        assert_eq!((block.args.len(), block.spec.ub_size), (5, 196608));
        Some(Box::new(BlockModel(self.0.clone(), Times::default(), block.index)))
    }
    fn end(&self, fault: Option<&Fault>) -> Result<(), Fault> {
        assert!(fault.is_none(), "{fault:?}");
        self.0.lock().unwrap().ended.sort();
        Ok(())
    }
}

impl Observer for BlockModel {
    fn step(&mut self, _: Site, step: &Step<'_>) -> Result<(), Raise> {
        let t = &mut self.1;
        match *step {
            Step::Enter => assert_eq!(std::mem::take(&mut t.depth), 0),
            Step::Vector { ins: Vector::Binary(b), .. } => {
                assert_eq!(t.depth, 0, "{b:?}");
                t.depth = 1;
            }
            Step::Vector { .. } | Step::Copy { .. } => t.depth = 1,
            Step::Operand { operand, shape, access: Access::Write, .. } => {
                assert_eq!((t.depth, operand.addr % 4), (1, 0));
                t.lanes += shape.lanes().unwrap_or(0) as u64;
            }
            Step::Global { addr, shape, .. } => {
                assert!(addr > 4096 && t.depth == 1);
                t.bytes += shape.extent() as u64;
            }
            Step::Done => t.depth -= 1,
            Step::AllocTensor { .. } | Step::EnQue { .. } | Step::DeQue { .. } | Step::FreeTensor { .. } => {
                t.calls += 1
            }
            Step::End { .. } => self.0.lock().unwrap().ended.push((self.2, t.bytes, t.lanes, t.calls)),
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn a_timing_model_finds_what_it_needs() {
    let times = Arc::new(Mutex::new(Times::default()));
    run(&engine(2), &[Arc::new(Model(times.clone()))], true).unwrap();
    // 60 elements in, 60 and 32 out; lanes of Adds, Add in counter mode, Mul over two repeats, the maximum, the copy in has none.
    let core = |i| (i, 4 * (60 + 60 + 32), 64 + 64 + 128 + 1, 8);
    assert_eq!(times.lock().unwrap().ended, [core(0), core(1)]);
}

/// Stops at the first copy to global memory.
struct Stop;
struct StopBlock(u32);

impl Watch for Stop {
    fn launch(&self, _: &str, _: u64, _: u32) -> Option<Arc<dyn WatchLaunch>> {
        Some(Arc::new(Stop))
    }
}

impl WatchLaunch for Stop {
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        (block.index == 1).then(|| Box::new(StopBlock(block.index)) as Box<dyn Observer>)
    }
}

impl Observer for StopBlock {
    fn step(&mut self, _: Site, step: &Step<'_>) -> Result<(), Raise> {
        match step {
            Step::Global { access: Access::Write, .. } => {
                let raise = Raise::new(FaultClass::GmBounds, aicore::Pipe::MTE3, "DataCopyPad", "not today");
                Err(raise.got(format!("core {}", self.0)))
            }
            _ => Ok(()),
        }
    }
}

#[test]
fn an_observer_may_stop_a_launch_and_the_trace_shows_where() {
    let log = Log::default();
    let watch: [Arc<dyn Watch>; 2] = [Arc::new(Trace::new(log.clone())), Arc::new(Stop)];
    let fault = run(&engine(1), &watch, false).unwrap_err();
    assert_eq!((fault.core, fault.class), (1, FaultClass::GmBounds));
    assert!(fault.location.as_ref().is_some_and(|l| l.file.ends_with("steps.cpp")), "{fault}");
    let text = log.text();
    let last = text.lines().rfind(|l| l.starts_with("core 1 ")).unwrap();
    assert!(last.starts_with("core 1 MTE3 DataCopyPad<float> UB->GM at=arg1+256 "), "{last}");
    assert!(last.contains(" gm=w:240 stopped @") && last.contains("/steps.cpp:"), "{last}");
    assert!(text.lines().last().unwrap().contains("not today"), "{text}");
}

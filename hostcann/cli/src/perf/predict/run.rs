//! Runs the matrix: on every chip the operator and the kernels it is held against, each in a process of its own.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use xshell::cmd;

use crate::base::chips;
use crate::base::ctx::Ctx;
use crate::base::diag::{Kind, failed};
use crate::base::files;
use crate::base::measure::side::Side;
use crate::base::term;
use crate::perf::sim::launch::{self, Launch, Roofs};
use crate::toolchain::finished::Finished;
use crate::toolchain::root::{self, Root};

use super::matrix::{COLUMNS, Filter, PITCH, Shape};
use super::row::{Row, RowError, limit};

/// A process under the timing model and the file that it writes to.
struct Watched {
    side: Side,
    file: PathBuf,
    read: u64,
}

/// Both caches of one or several launches.
struct Times {
    warm: Vec<Launch>,
    cold: Vec<Launch>,
}

/// The time of a launch, the shorter or the longer one near the size of the L2.
type Us = fn(&Launch) -> f64;

fn shorter(launch: &Launch) -> f64 {
    launch.task_us
}

/// A time and what is known of its error.
type VerdictFile = (f64, RowError);

/// `us` gives the time of the launches by the shorter or the longer times of each.
fn told<'a>(launches: impl Iterator<Item = &'a Launch> + Clone, us: impl Fn(Us) -> f64) -> VerdictFile {
    let edge = launches.clone().any(|launch| launch.l2_edge.is_some());
    let longest_us = edge.then(|| us(Launch::longest_us));
    (us(shorter), RowError { longest_us, ..RowError::of(launches) })
}

impl Times {
    fn told(&self, cold: bool) -> VerdictFile {
        told(self.of(cold).iter(), |us| self.us(cold, us))
    }

    fn of(&self, cold: bool) -> &[Launch] {
        if cold { &self.cold } else { &self.warm }
    }

    fn us(&self, cold: bool, us: Us) -> f64 {
        self.of(cold).iter().map(us).sum()
    }
}

impl Watched {
    /// Every launch has two lines: warm, cold.
    fn ask(&mut self, line: &str) -> Result<Times> {
        self.side.ask(line)?;
        let mut file = File::open(&self.file).with_context(|| format!("`{line}` launched nothing"))?;
        let mut text = String::new();
        file.seek(SeekFrom::Start(self.read))
            .and_then(|_| file.read_to_string(&mut text))
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        self.read += text.len() as u64;
        let (cold, warm): (Vec<_>, Vec<_>) = launch::read(&text)?.into_iter().partition(|launch| launch.mode == "cold");
        if warm.is_empty() || warm.len() != cold.len() {
            return Err(failed(Kind::Tests, format!("`{line}`: {} warm and {} cold launches", warm.len(), cold.len())));
        }
        Ok(Times { warm, cold })
    }
}

/// A kernel on contiguous tensors and the copies before and behind it. Cold, the first copy is; what it leaves is in the L2,
/// and of the operands of the kernel only the other one comes from memory, which takes `operand` at least. The code of the
/// later launches is taken to be there: rather too fast than too slow.
fn road(copies: &[Times; 2], kernel: &Times, operand: f64, cold: bool) -> VerdictFile {
    let empty = kernel.warm[0].roofs.empty_us;
    let [before, after] = copies;
    told(before.of(cold).iter().chain(&kernel.warm).chain(&after.warm), |us| {
        let alone = kernel.us(false, us);
        let alone = if cold { alone.max(empty + operand) } else { alone };
        before.us(cold, us) + alone + after.us(false, us)
    })
}

/// The shortest of launches that do nothing: who takes fewer cores has started them and entered them sooner.
fn least_empty<'a>(all: impl Iterator<Item = &'a Times>, cold: bool) -> f64 {
    all.flat_map(|times| times.of(cold)).map(|launch| launch.roofs.empty_us).fold(f64::INFINITY, f64::min)
}

/// What one chip runs on.
struct Chip {
    soc: &'static str,
    shapes: Vec<Shape>,
    cores: u64,
    op: Watched,
    chains: Watched,
}

/// The program that calls the op, and the one that launches chains.
pub struct Programs<'a> {
    pub op: &'a Path,
    pub chains: &'a Path,
}

/// Rows of shapes that `kept` has are not computed again, those of other parts not at all.
pub fn all(cx: &mut Ctx, root: &Root, programs: &Programs, filter: &Filter, kept: &Finished) -> Result<Vec<Row>> {
    let mut chips = Vec::new();
    for soc in filter.socs() {
        let mut shapes = filter.shapes();
        shapes.retain(|shape| cx.run.takes(&shape.unit(soc)));
        if !shapes.is_empty() {
            chips.push(chip(cx, root, programs, soc, shapes)?);
        }
    }
    let (chips, next) = (chips.into_iter().map(|chip| Mutex::new(Some(chip))).collect::<Vec<_>>(), AtomicUsize::new(0));
    // As many chips at once as the host has processors: each is one thread of work for most of the time.
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(chips.len());
    let found: Vec<Mutex<Vec<Row>>> = chips.iter().map(|_| Mutex::default()).collect();
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(chip) = chips.get(at) else { return Ok(()) };
            let Some(mut chip) = chip.lock().ok().and_then(|mut chip| chip.take()) else { return Ok(()) };
            let rows = chip.rows(filter, kept)?;
            if let Ok(mut found) = found[at].lock() {
                *found = rows;
            }
        }
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked"))))
    })?;
    Ok(found.into_iter().flat_map(|rows| rows.into_inner().unwrap_or_default()).collect())
}

fn chip(cx: &Ctx, root: &Root, programs: &Programs, soc: &'static str, shapes: Vec<Shape>) -> Result<Chip> {
    let watched = |name: &'static str, program: &Path| -> Result<Watched> {
        let file = cx.project.work().join("bench-sim").join(format!("{soc}-{name}.jsonl"));
        std::fs::create_dir_all(file.parent().unwrap_or(&file)).context("cannot create a directory for predictions")?;
        files::remove_file_if_there(&file)?;
        let line = root::with_root(cmd!(cx.run.sh, "{program}"), root).env("HOSTCANN_SOC", soc);
        // What the caller's shell has must not turn a row into another one.
        let line = line.env_remove("HOSTCANN_CHECK").env_remove("HOSTCANN_FLIP").env_remove("HOSTCANN_CORES");
        let line = line.env("HOSTCANN_SIM", format!("warm,cold:{}", file.display()));
        Ok(Watched { side: Side::start(cx, name, line)?, file, read: 0 })
    };
    Ok(Chip {
        soc,
        shapes,
        cores: cores(root, soc)?,
        op: watched("the op", programs.op)?,
        chains: watched("the chains", programs.chains)?,
    })
}

/// Says what was predicted, and how long that took.
fn predicted<T>(at: usize, all: usize, unit: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = work()?;
    term::say("Predicted", &format!("[{}/{all}] {unit} in {:.1} s", at + 1, start.elapsed().as_secs_f64()));
    Ok(result)
}

/// Vector cores by the toolkit's file of chips.
fn cores(root: &Root, soc: &str) -> Result<u64> {
    let file = root.path.join("data/platform_config").join(chips::FILE);
    let all = chips::read(&file)?;
    let cores = chips::find(&all, soc).map_or(0, |chip| chip.vector_cores);
    ensure!(cores > 0, "{} has no SoCInfo.vector_core_cnt of {soc}", file.display());
    Ok(cores.into())
}

impl Chip {
    fn rows(&mut self, filter: &Filter, kept: &Finished) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        let (soc, shapes) = (self.soc, std::mem::take(&mut self.shapes));
        let units = |shapes: &[Shape], what: &str| -> Vec<String> {
            let unit = |shape: &Shape| format!("{} {what}", shape.unit(soc));
            shapes.iter().map(unit).collect()
        };
        let ordinary = units(&shapes, "ordinary");
        let found: Vec<Vec<Row>> = kept.each(
            &ordinary,
            |_| true,
            |at, unit| predicted(at, ordinary.len(), unit, || self.shape(&shapes[at], filter)),
        )?;
        rows.extend(found.into_iter().flatten());
        // Hard operands are others: after all of the ordinary ones.
        if filter.has_mode("hard") {
            let hard = shapes.iter().filter(|shape| shape.case == "same" && shape.is_floating());
            let hard: Vec<Shape> = hard.copied().collect();
            let names = units(&hard, "hard");
            let found: Vec<[VerdictFile; 2]> = kept.each(
                &names,
                |_| true,
                |at, unit| {
                    let times = predicted(at, names.len(), unit, || self.call(&hard[at], "hard", "exact"))?;
                    Ok([times.told(false), times.told(true)])
                },
            )?;
            for (shape, [warm, cold]) in hard.iter().zip(found) {
                for row in rows.iter_mut().filter(|row| row.is_of(shape)) {
                    let (us, error) = if row.is_cold() { &cold } else { &warm };
                    row.op.insert("hard".to_owned(), *us);
                    row.error.insert("hard".to_owned(), error.clone());
                }
            }
        }
        // In the order of the matrix, from the smallest.
        rows.sort_by_key(|row| row.order());
        Ok(rows)
    }

    fn call(&mut self, shape: &Shape, data: &str, mode: &str) -> Result<Times> {
        self.op.ask(&format!("call {} {} {data} {} {mode}", shape.dtype, shape.layout(), shape.elements))
    }

    fn chain(&mut self, name: &str, shape: &Shape, case: &str) -> Result<Times> {
        let Shape { dtype, .. } = shape;
        let (rows, group, cores) = (shape.rows(), shape.group(), self.cores);
        self.chains.ask(&format!("{name} {dtype} {case} {rows} {COLUMNS} {group} {cores}"))
    }

    fn copy(&mut self, shape: &Shape, from: u64, to: u64) -> Result<Times> {
        let (row, rows, cores) = (COLUMNS * shape.bytes_each(), shape.rows(), self.cores);
        self.chains.ask(&format!("copy {row} {rows} {from} {to} {cores}"))
    }

    fn shape(&mut self, shape: &Shape, filter: &Filter) -> Result<Vec<Row>> {
        // Integers are exact in either precision: one kernel.
        let modes = ["tbe", "exact"].into_iter().filter(|mode| *mode == "tbe" || shape.is_floating());
        let mut own = BTreeMap::new();
        for mode in modes.filter(|mode| filter.has_mode(mode)) {
            own.insert(mode.to_owned(), self.call(shape, shape.data(), mode)?);
        }
        let strided = shape.case == "strided";
        let dense = Shape { case: if strided { "same" } else { shape.layout() }, ..*shape };
        let mut around = None;
        let mut alone = None;
        if strided {
            let (row, pitch) = (COLUMNS * shape.bytes_each(), PITCH * shape.bytes_each());
            around = Some([self.copy(shape, pitch, row)?, self.copy(shape, row, pitch)?]);
            alone = Some(self.call(&dense, "ordinary", "tbe")?);
        }
        let chain = self.chain("tbe", &dense, dense.case)?;
        let plain = self.chain("plain", &dense, dense.case)?;
        let row = |cold: bool| {
            let shown = own.values().next().unwrap_or(&chain).of(cold);
            let roofs = chain.of(cold)[0].roofs.clone();
            let roofs = Roofs { empty_us: least_empty(own.values().chain([&chain, &plain]), cold), ..roofs };
            let used = chain.of(cold)[0].cores.len().max(1) as f64;
            let key = |launches: &[Launch]| launches.iter().map(|launch| launch.tiling_key).collect::<Vec<_>>();
            let (read, written) = shape.bytes();
            let between = |times: &Times| match &around {
                Some(copies) => road(copies, times, written as f64 / roofs.hbm_gbs / 1e3, cold),
                None => times.told(cold),
            };
            let mut error = BTreeMap::new();
            let mut keep = |what: &str, (us, of): VerdictFile| {
                error.insert(what.to_owned(), of);
                us
            };
            let op = own.iter().map(|(mode, times)| (mode.clone(), keep(mode, times.told(cold)))).collect();
            let (chain_us, plain_us) = (keep("chain", between(&chain)), keep("plain", between(&plain)));
            let road = alone.as_ref().map(|alone| keep("road", between(alone)));
            let mut notes: Vec<String> =
                own.values().flat_map(|times| times.of(cold)).flat_map(|launch| launch.notes.clone()).collect();
            notes.dedup();
            Row {
                soc: self.soc.to_owned(),
                dtype: shape.dtype.to_owned(),
                case: shape.case.to_owned(),
                elements: shape.elements,
                cache: if cold { "cold" } else { "warm" }.to_owned(),
                op,
                bound: shown[0].bound.clone(),
                chain: chain_us,
                plain: plain_us,
                error,
                notes,
                limit: limit(shape, &roofs, self.cores as f64 / used, cold),
                road,
                direct: alone.as_ref().is_some_and(|alone| key(alone.of(cold)) != key(shown)),
                lanes_per_byte: shown[0].vec_ops / (read + written) as f64,
                roofs: [roofs.l2_gbs, roofs.hbm_gbs, roofs.vec_gops].map(|roof| roof * self.cores as f64 / used),
            }
        };
        Ok(vec![row(false), row(true)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::sim::launch::L2Edge;

    fn times(warm: f64, cold: f64) -> Times {
        let roofs = Roofs { empty_us: 2.0, ..Roofs::default() };
        let launch = |task_us| vec![Launch { task_us, roofs: roofs.clone(), ..Launch::default() }];
        Times { warm: launch(warm), cold: launch(cold) }
    }

    #[test]
    fn only_the_first_of_three_launches_is_cold() {
        let copies = [times(3.0, 9.0), times(4.0, 10.0)];
        let us = |operand, cold| road(&copies, &times(6.0, 20.0), operand, cold).0;
        assert_eq!(us(5.0, false), 13.0);
        assert_eq!(us(3.0, true), 9.0 + 6.0 + 4.0);
        // The other operand does not come faster than the memory gives it.
        assert_eq!(us(5.0, true), 9.0 + 7.0 + 4.0);
    }

    /// Warm launches near the size of the L2 have two times, alone and on a road of three launches.
    #[test]
    fn both_times_of_a_launch_as_large_as_the_l2_are_kept() {
        let mut edge = times(6.0, 20.0);
        edge.warm[0].l2_edge = Some(L2Edge { part: 1.0, fits_us: 6.0, misses_us: 30.0 });
        let of = |(us, error): VerdictFile| (us, error.longest_us);
        assert_eq!([of(edge.told(false)), of(edge.told(true))], [(6.0, Some(30.0)), (20.0, None)]);
        let copies = [times(3.0, 9.0), times(4.0, 10.0)];
        assert_eq!(of(road(&copies, &edge, 0.0, false)), (13.0, Some(37.0)));
        assert_eq!(of(road(&copies, &times(6.0, 20.0), 0.0, false)), (13.0, None));
    }

    #[test]
    fn a_launch_of_fewer_cores_is_not_below_the_limit() {
        let mut fewer = times(1.8, 2.4);
        fewer.warm[0].roofs.empty_us = 1.5;
        let chain = times(2.5, 3.3);
        assert_eq!(least_empty([&fewer, &chain].into_iter(), false), 1.5);
        assert_eq!(least_empty([&chain, &fewer].into_iter(), true), 2.0);
    }
}

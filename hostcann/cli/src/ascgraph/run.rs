//! `ascgraph run`: the graph on the user's tensors: by node, by tile, and by its kernel.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ascgraph::codegen;
use ascgraph::expr::Values;
use ascgraph::fused::{self, Parts, parts};
use ascgraph::interp::{self, Buffer};
use ascgraph::model::FusedGraph;
use ascgraph::npy;
use ascgraph::plan::Plan;
use ascgraph::schedule::Case;
use ascgraph::tiling::{Limits, Tiling};
use clap::Args;

use super::launch::{self, Given};
use super::load_good;
use super::schedule::refused;
use super::timing::{self, Tiles};
use crate::base::args::CheckArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::plural::number;
use crate::base::report::{GraphKernel, GraphLaunch, GraphRun};
use crate::base::term::out;
use crate::perf::sim::table;

/// Compute a graph by node, by tile and by its kernel, and compare the bits
#[derive(Args)]
pub struct Run {
    file: PathBuf,
    /// Read the tensor of each Data, in index order, from a .npy file (little-endian, C order)
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Write results to DIR/y<index>.npy
    #[arg(short, long, alias = "output", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run only the two interpreters and build nothing
    #[arg(long, conflicts_with_all = ["check", "flip", "sim"])]
    no_launch: bool,
    #[command(flatten)]
    check: CheckArgs,
    /// Predict the launch time on the chip, as `cargo xtask sim` does
    #[arg(long)]
    sim: bool,
    /// Choose tiles by this method
    #[arg(long, value_enum, default_value_t = Tiles::Model)]
    tiles: Tiles,
    /// Spread the tiles over N vector cores
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(i64).range(1..=4096))]
    cores: i64,
    /// Give a tile at most this many bytes of the unified buffer
    #[arg(long, value_name = "BYTES", default_value_t = 188_416, value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    ub: i64,
}

/// By the index of the Data.
type Shapes = BTreeMap<i64, Vec<i64>>;

impl Run {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let fused = load_good(cx, &self.file)?.fused;
        let (shapes, inputs) = self.tensors(cx)?;
        let sizes = fused::bind(&fused, &shapes)
            .map_err(|why| failed(Kind::Usage, why).hint("--input gives one .npy for each Data"))?;
        let ran = fused::run(&fused, &inputs, &sizes).map_err(|error| failed(Kind::Usage, error.to_string()))?;
        let iterations: u64 = ran.iterations.values().sum();
        out!("graph: {}, {}", number(ran.nodes, "node"), number(iterations, "iteration"));
        let mut result = GraphRun { iterations, kernels: Vec::new() };
        let same = match parts(&fused) {
            // Asked for what only a kernel can do.
            Err(error) if self.sim || self.check.is_wanted() => return Err(refused(error)),
            Err(error) => {
                out!("kernel: none, {error}");
                true
            }
            Ok(parts) => self.kernels(cx, parts, (&shapes, &inputs), (&ran.outputs, &sizes), &mut result)?,
        };
        if let Some(dir) = &self.out {
            write(cx, &fused, &ran.outputs, &sizes, &cx.run.sh.current_dir().join(dir))?;
        }
        let done = Done::with(&result);
        if !same {
            return Ok(done.failed(failed(Kind::Tests, "ascgraph run: the kernel and the graph differ")));
        }
        Ok(done.verdict(format!("ascgraph run: {}", number(ran.outputs.len(), "output"))))
    }

    /// Whether the kernels, each on what those before it wrote, give the bits of the graph.
    fn kernels(
        &self,
        cx: &mut Ctx,
        mut parts: Parts,
        (shapes, inputs): (&Shapes, &BTreeMap<i64, Buffer>),
        (wanted, sizes): (&BTreeMap<i64, Buffer>, &Values),
        result: &mut GraphRun,
    ) -> Result<bool> {
        for why in &parts.apart {
            out!("{why}");
        }
        for plan in &mut parts.plans {
            timing::price(cx, plan, self.tiles)?;
        }
        let [plan] = parts.plans.as_slice() else {
            let ran =
                fused::run(&parts.fused, inputs, sizes).map_err(|error| failed(Kind::Usage, error.to_string()))?;
            let mut same = compare("the kernels' graphs", wanted, &ran.outputs);
            for (part, plan) in parts.plans.iter().enumerate() {
                let own = ran.ends(&parts.fused, part, sizes, shapes);
                let (kernel, equal) = self.kernel(cx, plan, (&own.shapes, &own.inputs), (&own.outputs, sizes))?;
                result.kernels.push(kernel);
                same &= equal;
            }
            return Ok(same);
        };
        codegen::check_wires(&parts.fused, plan.hint()).map_err(refused)?;
        let (kernel, same) = self.kernel(cx, plan, (shapes, inputs), (wanted, sizes))?;
        result.kernels.push(kernel);
        Ok(same)
    }

    /// Whether the kernel, interpreted and launched, gives the bits of the graph.
    fn kernel(
        &self,
        cx: &mut Ctx,
        plan: &Plan,
        (shapes, inputs): (&Shapes, &BTreeMap<i64, Buffer>),
        (wanted, sizes): (&BTreeMap<i64, Buffer>, &Values),
    ) -> Result<(GraphKernel, bool)> {
        let limits = Limits { cores: self.cores, aiv_num: 0, ub_size: self.ub };
        let (case, tiling) =
            interp::choose(plan, sizes, limits).map_err(|error| failed(Kind::Usage, format!("no tiling: {error}")))?;
        let kernel = &plan.cases[case];
        let tiles = interp::run_tiles(kernel, inputs, sizes, &tiling)
            .map_err(|error| failed(Kind::Tests, format!("the kernel: {error}")))?;
        let mut same = compare("tile by tile", wanted, &tiles);
        let Tiling { tiles: count, tile, block_dim, stride, .. } = tiling;
        let what = match kernel.s.case {
            Case::P => format!("a row in pieces of {}", number(stride, "element")),
            Case::C => format!("{} in pieces of {}", number(tile, "column"), number(stride, "row")),
            Case::Y0 => number(tile, "row"),
            _ => number(tile, "element"),
        };
        out!("tiles: {count} of {what} on {}: {}", number(block_dim, "core"), word(same));
        let mut report = GraphKernel { tiles: count, tile, block_dim, same, launched: None, model: None };
        if !self.no_launch {
            let given = Given { shapes, inputs, limits, check: &self.check, sim: self.sim };
            let launched = launch::launch(cx, plan, &given, wanted)?;
            let equal = compare("the launched kernel", wanted, &launched.outputs);
            if launched.tiling != (case, tiling) {
                let (wrong, right) = (&launched.tiling, (case, tiling));
                out!("tiling: {wrong:?} by the generated function, {right:?} by the solver");
            }
            out!("kernel: launched on {}: {}", number(launched.tiling.1.block_dim, "core"), word(equal));
            same &= equal && launched.tiling == (case, tiling);
            report.launched = Some(GraphLaunch { same: equal });
            if self.sim {
                out!("{}", table::brief("ascgraph run", &launched.predicted));
                report.model = Some(launched.predicted.iter().map(|launch| launch.without_trace()).collect());
            }
        }
        Ok((report, same))
    }

    fn tensors(&self, cx: &Ctx) -> Result<(Shapes, BTreeMap<i64, Buffer>)> {
        let (mut shapes, mut inputs) = (Shapes::new(), BTreeMap::new());
        for (index, file) in self.inputs.iter().enumerate() {
            let refused = |why: String| failed(Kind::Usage, format!("{} cannot be read: {why}", file.display()));
            let bytes = fs::read(cx.run.sh.current_dir().join(file)).map_err(|error| refused(error.to_string()))?;
            let (shape, buffer) = npy::read(&bytes).map_err(refused)?;
            shapes.insert(index as i64, shape);
            inputs.insert(index as i64, buffer);
        }
        Ok((shapes, inputs))
    }
}

fn word(same: bool) -> &'static str {
    if same { "the same bits" } else { "other bits" }
}

/// Says where the first difference of each output is.
fn compare(who: &str, wanted: &BTreeMap<i64, Buffer>, got: &BTreeMap<i64, Buffer>) -> bool {
    for (index, buffer) in wanted {
        let Some(other) = got.get(index).filter(|other| *other != buffer) else { continue };
        let differs = |at: &usize| buffer.get(*at) != other.get(*at);
        let length = buffer.len().max(other.len());
        let (first, count) = ((0..length).find(differs), (0..length).filter(differs).count());
        let Some(at) = first else { continue };
        let bits = |buffer: &Buffer| match buffer.get(at) {
            Some(bits) => format!("0x{bits:0width$x}", width = 2 * buffer.dtype.size()),
            None => "nothing".to_owned(),
        };
        let (graph, kernel) = (bits(buffer), bits(other));
        out!(
            "output {index}: {count} of {length} elements differ, the first is element {at}: {graph} by the graph, {kernel} by {who}"
        );
    }
    wanted == got
}

fn write(cx: &mut Ctx, fused: &FusedGraph, outputs: &BTreeMap<i64, Buffer>, sizes: &Values, dir: &Path) -> Result<()> {
    for (index, buffer) in outputs {
        let bytes = fused::output_shape(fused, *index, sizes).and_then(|shape| npy::write(&shape, buffer));
        let Some(bytes) = bytes else {
            return Err(failed(Kind::Usage, format!("numpy has no {}", buffer.dtype)).hint("leave --out away"));
        };
        let path = dir.join(format!("y{index}.npy"));
        files::write_if_changed(&path, &bytes)?;
        cx.run.artifact(&path, Some(&files::sha256(&bytes)));
    }
    Ok(())
}

//! The kernel of a graph, built and launched on the host toolkit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ascgraph::codegen::{Names, launch};
use ascgraph::interp::Buffer;
use ascgraph::lower::instructions;
use ascgraph::plan::Plan;
use ascgraph::tiling::{Limits, Tiling};
use xshell::cmd;

use super::schedule::refused;
use super::sources::SOURCES;
use crate::base::args::CheckArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::files;
use crate::base::proc;
use crate::base::verdict_file::VerdictFile;
use crate::build::hostroot;
use crate::perf::sim;
use crate::perf::sim::launch::Launch;
use crate::run::example;
use crate::toolchain::plan;
use crate::toolchain::root::{self, Root, RootKind};
use crate::toolchain::tools;

/// Name of the kernel in messages of the toolkit.
const NAME: &str = "ascgraph_kernel";

/// What a launch is given.
pub struct Given<'a> {
    pub shapes: &'a BTreeMap<i64, Vec<i64>>,
    pub inputs: &'a BTreeMap<i64, Buffer>,
    pub limits: Limits,
    pub check: &'a CheckArgs,
    pub sim: bool,
}

/// What came of it.
pub struct Launched {
    pub outputs: BTreeMap<i64, Buffer>,
    /// Which kernel, and its tiling, as the generated function chooses them.
    pub tiling: (usize, Tiling),
    pub predicted: Vec<Launch>,
}

/// Builds what is stale, launches, and reads what was written. `wanted` has the outputs' types.
pub fn launch(cx: &mut Ctx, plan: &Plan, given: &Given, wanted: &BTreeMap<i64, Buffer>) -> Result<Launched> {
    let root = Root::choose(cx)?;
    if root.kind == RootKind::Cann {
        let message = format!("ascgraph run: {} is a real CANN; kernels run on the host toolkit", root.path.display());
        return Err(failed(Kind::Usage, message)
            .hint("unset ASCEND_HOME_PATH, or say --no-launch to run the interpreters only"));
    }
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    if root.kind == RootKind::Embedded {
        cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&root.path)));
        hostroot::assemble(cx, &plan::Plan::of_toolkit(root.clone(), proc::jobs(None)), &tools)?;
    }
    let program = build(cx, &root, plan)?;
    run(cx, &root, &program, plan, given, wanted)
}

/// One directory for each kernel: what has not changed is not built again.
fn build(cx: &mut Ctx, root: &Root, plan: &Plan) -> Result<PathBuf> {
    let names = Names::of(NAME).map_err(refused)?;
    let files = launch::program(plan, &names, &SOURCES).map_err(refused)?;
    let dir = cx.project.work().join("ascgraph").join(&files::sha256(format!("{files:?}").as_bytes())[..12]);
    for (path, text) in &files {
        files::write_if_changed(&dir.join(path), text.as_bytes())?;
    }
    let (bisheng, program) = (root.path.join("bin/bisheng"), dir.join("launch"));
    let include = root.include();
    let headers: Vec<PathBuf> = files::walk(&include)?.into_iter().map(|file| include.join(file)).collect();
    let used = files::fingerprint([headers, vec![bisheng.clone()]].concat())?;
    let stamp = dir.join("stamp");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|old| old == used) {
        return Ok(program);
    }
    files::remove_file_if_there(&stamp)?;
    cx.console.say("Compiling", cx.project.show(&dir.join(launch::PROGRAM)));
    let source = dir.join(launch::PROGRAM);
    cx.step(NAME, |cx| {
        let line = cmd!(
            cx.run.sh,
            "{bisheng} -std=c++17 -O2 --npu-arch=dav-2201 -Wall -Wextra -I {dir} {source} -o {program}"
        );
        proc::must_run(cx, NAME, Kind::Build, root::with_root(line, root))
    })?;
    files::write_if_changed(&stamp, used.as_bytes())?;
    Ok(program)
}

fn run(
    cx: &mut Ctx,
    root: &Root,
    program: &Path,
    plan: &Plan,
    given: &Given,
    wanted: &BTreeMap<i64, Buffer>,
) -> Result<Launched> {
    let dir = program.with_file_name("run");
    files::remove_dir_if_there(&dir)?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut operands = Vec::new();
    for (index, buffer) in given.inputs {
        let file = dir.join(format!("x{index}.bin"));
        fs::write(&file, &buffer.bytes).with_context(|| format!("cannot write {}", file.display()))?;
        let dims: Vec<String> = given.shapes[index].iter().map(i64::to_string).collect();
        let shape = if dims.is_empty() { "-".to_owned() } else { dims.join("x") };
        operands.extend([file.display().to_string(), shape]);
    }
    cx.run.watch(&cx.project, given.check);
    let Limits { cores, ub_size, .. } = given.limits;
    let (cores, ub_size) = (cores.to_string(), ub_size.to_string());
    let (verdict, predictions) = (dir.join("verdict"), example::predictions(cx, NAME));
    let sh = cx.run.sh.clone();
    let mut line = root::with_root(cmd!(sh, "{program} {cores} {ub_size} {dir} {operands...}"), root);
    if given.sim {
        files::remove_file_if_there(&predictions)?;
        line = line.env("HOSTCANN_SIM", format!("warm,what-if:{}", predictions.display()));
    }
    let outcome = cx.step("launch", |cx| proc::log_program(cx, "launch", line.env("HOSTCANN_VERDICT", &verdict)))?;
    let told = VerdictFile::read(&fs::read_to_string(&verdict).unwrap_or_default());
    if !outcome.ok || !told.failures.is_empty() {
        let said = [outcome.text.trim_end(), &told.failures.join("\n")].join("\n");
        let hint = followed(plan, &said)
            .unwrap_or_else(|| format!("the kernel is {}", cx.project.show(&program.with_file_name("op_kernel"))));
        let why = format!("ascgraph run: the launch failed ({})", outcome.status);
        return Err(failed_with(Kind::Tests, why, said.trim().to_owned()).hint(hint));
    }
    let read = |name: &str| {
        let file = dir.join(name);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    };
    let mut outputs = BTreeMap::new();
    for (index, buffer) in wanted {
        outputs.insert(*index, Buffer { dtype: buffer.dtype, bytes: read(&format!("y{index}.bin"))? });
    }
    let tiling = String::from_utf8_lossy(&read("tiling.txt")?).into_owned();
    let predicted = if given.sim { sim::read(&predictions)? } else { Vec::new() };
    Ok(Launched { outputs, tiling: solved(&tiling)?, predicted })
}

/// What `--flip` has found, in the words of the graph.
fn followed(plan: &Plan, said: &str) -> Option<String> {
    let (_, moved) = said.split_once("no document states: ")?;
    let hint = plan.hint();
    let alive = hint.alive();
    let (mut nodes, mut switches) = (Vec::new(), BTreeSet::new());
    for (_, node) in hint.nodes.iter().enumerate().filter(|(id, _)| alive[*id]) {
        let all = instructions::followed(node, hint);
        let own: Vec<&str> = all.into_iter().filter(|switch| moved.contains(&format!("{switch}="))).collect();
        if !own.is_empty() {
            nodes.push(format!("{} ({}) follows {}", node.name, node.node_type, own.join(", ")));
            switches.extend(own.into_iter().map(|switch| format!("-{switch}")));
        }
    }
    let switches: Vec<String> = switches.into_iter().collect();
    (!nodes.is_empty()).then(|| format!("{}; --flip={} asks the others", nodes.join("; "), switches.join(",")))
}

fn solved(text: &str) -> Result<(usize, Tiling)> {
    let numbers: Vec<i64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [mode, block_dim, tile, row_tiles, core_tiles, tiles, stride, parts] = numbers[..] else {
        anyhow::bail!("tiling.txt holds `{text}`, eight numbers are expected");
    };
    Ok((usize::try_from(mode)?, Tiling { block_dim, tile, row_tiles, core_tiles, tiles, stride, parts }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ascgraph::build::fmod_example;

    #[test]
    fn what_a_flip_finds_has_names_of_the_graph() {
        let plan = ascgraph::plan::plan(&fmod_example()).expect("planned");
        let said = "kernel: results depend on hardware behaviour that no document states: div_ulp=+1: output 0 is 1";
        let wanted = "div (Div) follows div_ulp; --flip=-div_ulp asks the others";
        assert_eq!(followed(&plan, said).as_deref(), Some(wanted));
        assert_eq!(followed(&plan, "out of bounds"), None);
    }
}

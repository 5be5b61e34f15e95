//! An operator directory of a graph: kernel, tiling data, tiling function, shape inference, definition and an example
//! that checks it. The same graph gives the same bytes.

mod ahead;
mod autofuse;
mod before;
mod body;
mod calls;
mod choose;
mod example;
mod fields;
mod fmod;
mod host;
mod kernel;
pub mod launch;
mod launches;
mod pieces;
mod refuse;
mod several;
mod sources;

use std::slice::from_ref;

use crate::build::contiguous_strides;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::fused::parts;
use crate::interp::run;
use crate::model::{AttrValue, FusedGraph, Graph, Node, NodeId};
use crate::plan::{Plan, PlanError};
use crate::schedule::{Role, Scheduled, Unsupported, unsupported};

pub use autofuse::{Texts, autofuse};
pub use example::pattern;
pub use launches::autofuse_parts;
pub use refuse::check_wires;
pub use several::op_dir_parts;
pub use sources::Sources;

/// A plan that becomes an operator, whose tensors are in the order of the graph: a fused graph of another order is refused.
///
/// # Errors
///
/// [`parts`] refuses the graph or makes several kernels of it, or `fused` has other tensors than the graph or has them
/// in another order.
pub fn plan_operator(fused: &FusedGraph) -> Result<Plan, PlanError> {
    let (plan, fused) = parts(fused)?.only()?;
    refuse::check_wires(&fused, plan.hint())?;
    Ok(plan)
}

/// One end of the operator.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub index: i64,
    pub dtype: DType,
    /// A Load or Store whose sizes are the tensor's shape.
    pub by: NodeId,
    /// Names and sizes of its axes.
    pub axes: Vec<(String, Expr)>,
}

impl End {
    /// One axis: the operator takes any shape and walks it as one row.
    fn is_flat(&self) -> bool {
        self.axes.len() == 1
    }
}

/// What the host side has to know of an operator.
pub(crate) struct Operator<'a> {
    /// Its name is in all files.
    pub graph: &'a Graph,
    pub symbols: Vec<&'a str>,
    pub ends: Ends,
    /// The inputs as each graph in the operator sees them.
    pub views: Vec<End>,
    pub axes: Vec<(String, Expr)>,
    /// Do cores wait for each other?
    pub meets: bool,
    /// Behind what the tiling function says of sizes without a tiling.
    pub long_rows: String,
}

/// Names and sizes of a graph's axes.
fn axes(hint: &Graph) -> impl Iterator<Item = (String, Expr)> + '_ {
    hint.sched.axis.iter().map(|id| (hint.axis_name(*id).to_owned(), hint.axis[*id].size.clone()))
}

/// Names of an operator: `fmod_auto` and `FmodAuto`.
#[derive(Clone, Debug)]
pub struct Names {
    pub snake: String,
    pub pascal: String,
}

impl Names {
    /// Makes the names of an operator from its name in snake case.
    ///
    /// # Errors
    ///
    /// `snake` is not made of words of two or more small letters and digits, has more than 40 characters, or is a
    /// keyword of C++.
    pub fn of(snake: &str) -> Result<Names, PlanError> {
        let bad = |part: &str| !part.starts_with(|c: char| c.is_ascii_lowercase()) || part.len() < 2;
        let strange = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if snake.contains(strange) || snake.len() > 40 || snake.split('_').any(bad) {
            let rule = "words of two or more small letters and digits with `_` between them, 40 at most";
            return Err(PlanError::Graph(format!("`{snake}` is no operator's name: {rule}")));
        }
        if refuse::is_keyword(snake) {
            return Err(PlanError::Graph(format!("`{snake}` is no operator's name: the kernel is a function of C++")));
        }
        let word = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
        Ok(Names { snake: snake.to_owned(), pascal: snake.split('_').map(word).collect() })
    }

    fn upper(&self) -> String {
        self.snake.to_ascii_uppercase()
    }
}

/// Files of the operator: path below its directory, and text.
///
/// # Errors
///
/// A tensor is not dense, not used, or seen with two shapes or types; a size or a constant cannot be written in C++;
/// known sizes have no tiling; or `sources` lacks a header that a kernel includes or has one named like the operator's.
pub fn op_dir(plan: &Plan, names: &Names, sources: &Sources) -> Result<Vec<(String, String)>, PlanError> {
    let hint = plan.hint();
    let ends = Ends::of(plan)?;
    refuse::check_tiling(plan)?;
    let operator = Operator {
        graph: hint,
        symbols: host::symbols(plan),
        views: ends.inputs.clone(),
        ends,
        axes: axes(hint).collect(),
        meets: kernel::has_workspace(plan),
        long_rows: host::long_rows(plan),
    };
    let choice = choose::choice(plan, names);
    let device = Device {
        entry: kernel::entry(plan, &operator.ends, names),
        header: kernel::header(
            hint,
            names,
            &fmod::includes(from_ref(plan)),
            &kernel::classes(plan, &operator.ends, names)?,
        ),
        tiling_data: kernel::tiling_data(plan, names),
        keys: plan.cases.len(),
        choose: format!("namespace Ns{0} {{\n{choice}}} // namespace Ns{0}\n", names.pascal),
        mode: "data->mode",
    };
    let computed = |inputs: &_, sizes: &_| Some(run(hint, inputs, sizes).ok()?.outputs);
    let example = example::example(&operator, &[hint], &computed, names, sources);
    files(&operator, device, example, &fmod::headers(from_ref(plan), sources)?, names)
}

/// Texts of the device side, and what the host side has to know of it.
struct Device<'a> {
    entry: String,
    header: String,
    tiling_data: String,
    /// How many tiling keys, and which of them in C++.
    keys: usize,
    mode: &'a str,
    choose: String,
}

fn files(
    operator: &Operator,
    device: Device,
    example: String,
    headers: &[(&str, &str)],
    names: &Names,
) -> Result<Vec<(String, String)>, PlanError> {
    let Names { snake, .. } = names;
    let file = |path: &str, text: String| (path.replace("{op}", snake), text);
    let mut files = vec![
        file("CMakeLists.txt", format!("add_all_modules_sources(OPTYPE {snake} ACLNNTYPE aclnn)\n")),
        file("op_kernel/{op}.cpp", device.entry),
        file("op_kernel/{op}.h", device.header),
        file("op_kernel/{op}_tiling_data.h", device.tiling_data),
        file("op_kernel/{op}_tiling_key.h", kernel::tiling_key(device.keys, names)),
        file("op_host/{op}_def.cpp", host::definition(&operator.ends, names)),
        file("op_host/{op}_shapes.h", host::shapes(operator, names)),
        file("op_host/{op}_choose.h", choose::choose(operator.graph, names, &device.choose)),
        file("op_host/{op}_infershape.cpp", host::infershape(operator, names)),
        file("op_host/{op}_tiling.cpp", choose::tiling(operator, names, (device.keys, device.mode))),
        file("examples/test_aclnn_{op}.cpp", example),
    ];
    for (name, text) in headers {
        let path = format!("op_kernel/{name}");
        if files.iter().any(|file| file.0 == path) {
            let why = format!("the name {snake} is taken: the kernel has a header {path} of that operator");
            return Err(PlanError::Graph(why));
        }
        files.push((path, (*text).to_owned()));
    }
    Ok(files)
}

/// What the operator takes and gives, by index.
pub(crate) struct Ends {
    pub inputs: Vec<End>,
    pub outputs: Vec<End>,
}

/// Loads and Stores with the Data or Output behind them.
fn moves(s: &Scheduled) -> Vec<(NodeId, &Node)> {
    // A Load of which parts are read has no role itself.
    let alive = s.hint.alive();
    let end = |id: NodeId| match s.hint.nodes[id].node_type.as_str() {
        _ if !alive[id] => None,
        "Load" => s.hint.nodes[id].inputs[0].from,
        "Store" => s.hint.consumers(id).first().copied(),
        _ => None,
    };
    (0..s.hint.nodes.len()).filter_map(|id| Some((id, &s.hint.nodes[end(id)?]))).collect()
}

impl Ends {
    /// Tensors of any strides and offsets, as many as are used.
    fn any(plan: &Plan) -> Ends {
        let (s, mut ends) = (&plan.cases[0].s, Ends { inputs: Vec::new(), outputs: Vec::new() });
        for (id, end) in moves(s) {
            let list = if s.roles[id] == Role::Store { &mut ends.outputs } else { &mut ends.inputs };
            let (index, dtype) = (end.index().unwrap_or_default(), end.y.dtype.unwrap_or(DType::Float32));
            if list.iter().all(|known| known.index != index) {
                let y = &s.hint.nodes[id].y;
                let names = y.axis.iter().map(|axis| s.hint.axis_name(*axis).to_owned());
                list.push(End { index, dtype, by: id, axes: names.zip(y.size.iter().cloned()).collect() });
            }
        }
        ends.inputs.sort_by_key(|end| end.index);
        ends.outputs.sort_by_key(|end| end.index);
        ends
    }

    /// Of an operator: dense tensors, each of one shape, and none that is not used.
    fn of(plan: &Plan) -> Result<Ends, PlanError> {
        let (s, ends) = (&plan.cases[0].s, Ends::any(plan));
        for (id, end) in moves(s) {
            let (node, index) = (&s.hint.nodes[id], end.index().unwrap_or_default());
            contiguous(node)?;
            let list = if s.roles[id] == Role::Store { &ends.outputs } else { &ends.inputs };
            let other = list.iter().find(|known| known.index == index).map_or(node, |known| &s.hint.nodes[known.by]);
            if other.y.size != node.y.size {
                let why = format!("{} sees the same tensor with another shape", other.name);
                return Err(unsupported(node, why).into());
            }
            if other.y.dtype != node.y.dtype {
                let types = [node, other].map(|node| node.y.dtype.map_or("nothing", DType::name));
                let why = format!("it reads {}, and {} reads {} of the same index", types[0], other.name, types[1]);
                return Err(unsupported(node, why).into());
            }
        }
        for (list, node_type) in [(&ends.inputs, "Data"), (&ends.outputs, "Output")] {
            // An operator has no operand that it does not read.
            for (_, node) in s.hint.of_type(node_type) {
                if list.iter().all(|end| Some(end.index) != node.index()) {
                    return Err(unsupported(node, "it is not used; an operator has no such operand").into());
                }
            }
        }
        refuse::check_sizes(plan, &refuse::Symbols::OfInputs(&ends))?;
        Ok(ends)
    }
}

/// Operands of an operator are dense.
fn contiguous(node: &Node) -> Result<(), Unsupported> {
    let offset = match node.ir_attr.get("offset") {
        Some(AttrValue::Expr(expr)) => expr.is(0),
        _ => true,
    };
    let ones = node
        .y
        .size
        .iter()
        .zip(&node.y.strides)
        .map(|(size, stride)| if size.is(1) { 0.into() } else { stride.clone() });
    if offset && ones.eq(contiguous_strides(&node.y.size)) {
        return Ok(());
    }
    Err(unsupported(node, "its tensor is not dense; an operator's tensors are"))
}

/// A name of C++ for a node: that of its tensor in generated code.
pub fn variable(graph: &Graph, id: NodeId) -> String {
    let clean: String = graph.nodes[id].name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("n{id}_{clean}")
}

pub(crate) fn banner(graph: &Graph) -> String {
    // A name may hold anything: none of it ends the comment.
    let clean: String = graph.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    format!("// Made by `cargo xtask ascgraph codegen` of graph {clean}: change the graph, not this file.\n")
}

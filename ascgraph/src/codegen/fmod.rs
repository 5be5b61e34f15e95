//! `Fmod` by the kernel code of the operator in this repository. Its headers go into the generated operator as
//! they are, so that a fused kernel computes what the hand-written one does, in either precision.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Plan;
use super::instructions::Instruction;
use crate::dtype::DType::{self, BFloat16, Float16, Float32};
use crate::model::{Graph, Node, NodeId};
use crate::schedule::{Role, Scheduled};

/// The operator's headers, each behind those that it includes (`build.rs`).
const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

const DTYPES: [DType; 3] = [Float16, Float32, BFloat16];

/// Elements that the work memory of the exact classes has at least: their long division takes thirteen parts of it, each
/// of a repeat or more.
const LEAST_TILE: usize = 256;

/// `FMOD_FIXED_BYTES`: beside the work memory of each element. The generated kernel asserts it.
const FIXED_BYTES: usize = 3328;

/// A compute class of the operator. A kernel has one object of each, which all of its Fmod nodes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    dtype: DType,
    exact: bool,
    /// Somebody reads the divisor again, or it is the dividend, too; the class of float may write into it otherwise.
    keeps_divisor: bool,
}

pub fn is_exact(node: &Node) -> bool {
    node.node_type == "Fmod" && node.int("precision_mode") == Some(1)
}

pub fn is_known(node: &Node, operands: DType) -> bool {
    node.node_type == "Fmod" && DTYPES.contains(&operands) && node.y.dtype == Some(operands)
}

/// Those of a schedule; `lives` as [`crate::memory::Memory::lives`].
pub fn classes(s: &Scheduled, lives: &[Option<(usize, usize)>]) -> Vec<Class> {
    let mut all = BTreeSet::new();
    let nodes = || s.order.iter().copied().filter(|id| is_fmod(s, *id));
    for id in nodes() {
        let (dtype, exact) = kind(&s.graph, id);
        let alike = |other: &NodeId| kind(&s.graph, *other) == (dtype, exact);
        let keeps_divisor = dtype == Float32 && nodes().filter(alike).any(|id| keeps(s, lives, id));
        all.insert(Class { dtype, exact, keeps_divisor });
    }
    all.into_iter().collect()
}

fn is_fmod(s: &Scheduled, id: NodeId) -> bool {
    s.roles[id] == Role::Compute && s.graph.nodes[id].node_type == "Fmod"
}

fn kind(graph: &Graph, id: NodeId) -> (DType, bool) {
    let node = &graph.nodes[id];
    (node.y.dtype.unwrap_or(Float32), is_exact(node))
}

fn keeps(s: &Scheduled, lives: &[Option<(usize, usize)>], id: NodeId) -> bool {
    let root = |at: usize| s.graph.nodes[id].inputs.get(at).and_then(|input| input.from).map(|from| s.root(from));
    let (Some(x1), Some(x2)) = (root(0), root(1)) else { return true };
    let begin = lives[id].map(|life| life.0);
    x1 == x2 || s.roles[x2] == Role::Constant || lives[x2].map(|life| life.1) != begin
}

/// Whether the divisor's tile has other values behind the node than before.
pub fn spoils_divisor(classes: &[Class], graph: &Graph, id: NodeId) -> bool {
    let (dtype, exact) = kind(graph, id);
    dtype == Float32
        && graph.nodes[id].node_type == "Fmod"
        && classes.contains(&Class { dtype, exact, keeps_divisor: false })
}

impl Class {
    /// `FmodWorkOf`, and a copy of the divisor: bytes of unified buffer for an element of a tile.
    pub fn bytes_per_element(self) -> usize {
        self.work() + if self.copies_divisor() { 4 } else { 0 }
    }

    pub fn fixed_bytes(self) -> usize {
        FIXED_BYTES + if self.exact { LEAST_TILE * self.work() } else { 0 }
    }

    fn work(self) -> usize {
        match (self.dtype, self.exact) {
            (Float32, false) => usize::from(self.keeps_divisor) * 4,
            (Float32, true) => 16,
            _ => 12,
        }
    }

    fn copies_divisor(self) -> bool {
        self.exact && self.keeps_divisor
    }

    /// The first parameter of `FmodWorkOf`.
    fn name(self) -> String {
        let wide = if self.dtype == Float32 { "FLOAT" } else { "FLOAT16" };
        format!("FmodFormula::{wide}{}", if self.exact { "_EXACT" } else { "" })
    }

    fn is_rows(self) -> bool {
        self.keeps_divisor && !self.exact
    }

    fn cpp(self) -> String {
        let cpp = self.dtype.cpp();
        match (self.dtype, self.exact) {
            (_, false) => format!("NsFmod::ComputeTbe<{cpp}, false, {}>", self.is_rows()),
            _ => format!("NsFmod::ComputeExact<{cpp}, false>"),
        }
    }

    fn object(self) -> String {
        object(self.dtype, self.exact)
    }

    /// The operator's description of a tile that is neither spread nor cast yet.
    fn operand(self, tile: &str) -> String {
        let own = self.dtype.cpp();
        let wide = if self.exact { own } else { "float" };
        format!("NsFmod::Operand<{own}, {wide}>{{{tile}, {{}}}}")
    }
}

fn object(dtype: DType, exact: bool) -> String {
    let name = match dtype {
        Float16 => "Half",
        BFloat16 => "Bfloat16",
        _ => "Float",
    };
    format!("fmod{name}{}_", if exact { "Exact" } else { "" })
}

/// Of all kernels of a plan.
fn all(plan: &Plan) -> BTreeSet<Class> {
    plan.cases.iter().flat_map(|kernel| kernel.memory.fmod.iter().copied()).collect()
}

pub fn includes(plan: &Plan) -> String {
    let headers = headers(plan);
    let roots = ["fmod_tbe.h", "fmod_exact.h"];
    headers.iter().filter(|(name, _)| roots.contains(name)).map(|(name, _)| format!("#include \"{name}\"\n")).collect()
}

/// What the solver's numbers are held against.
pub fn assertions(plan: &Plan) -> String {
    let mut text = String::new();
    let classes = all(plan);
    for class in &classes {
        let (name, rows, work) = (class.name(), class.is_rows(), class.work());
        let _ = writeln!(
            text,
            "static_assert(FmodWorkOf({name}, false, {rows}).low + FmodWorkOf({name}, false, {rows}).high == {work},\n              \
             \"the tiling counts {work} bytes of work memory for an element\");"
        );
    }
    if !classes.is_empty() {
        let _ = writeln!(
            text,
            "static_assert(FMOD_FIXED_BYTES == {FIXED_BYTES}, \"the tiling counts {FIXED_BYTES} bytes beside\");"
        );
    }
    text
}

/// The operator's headers that the kernels need: name and text, each behind those that it includes.
pub fn headers(plan: &Plan) -> Vec<(&'static str, &'static str)> {
    let classes = all(plan);
    let tbe = classes.iter().any(|class| !class.exact);
    let exact = classes.iter().any(|class| class.exact);
    let mut needed: Vec<&str> = Vec::new();
    needed.extend(tbe.then_some("fmod_tbe.h"));
    needed.extend(exact.then_some("fmod_exact.h"));
    // From the last on, so that what a header includes is found behind it.
    for (name, text) in HEADERS.iter().rev() {
        if needed.contains(name) {
            needed.extend(text.lines().filter_map(|line| line.strip_prefix("#include \"")?.split('"').next()));
        }
    }
    HEADERS.iter().copied().filter(|(name, _)| needed.contains(name)).collect()
}

/// Lines of the class's Init; the work memory comes behind the tiles, for `tile` elements.
pub fn init(classes: &[Class], tile: &str) -> String {
    let mut text = String::new();
    if !classes.is_empty() {
        text.push_str("        const FmodTilingData noScalar{};\n");
    }
    for class in classes {
        let object = class.object();
        let length =
            if class.exact { format!("{tile} < {LEAST_TILE} ? {LEAST_TILE} : {tile}") } else { tile.to_owned() };
        let _ = writeln!(text, "        {object}.Init(pipe, noScalar, {length});");
        if class.copies_divisor() {
            let _ = writeln!(text, "        pipe.InitBuffer({}, {tile} * 4);", copy(&object));
        }
    }
    text
}

/// Lines before the first tile.
pub fn prepare(classes: &[Class]) -> String {
    classes.iter().fold(String::new(), |text, class| text + &format!("        {}.Prepare();\n", class.object()))
}

pub fn members(classes: &[Class]) -> String {
    let mut text = String::new();
    for class in classes {
        let object = class.object();
        let _ = writeln!(text, "    {} {object};", class.cpp());
        if class.copies_divisor() {
            let _ = writeln!(text, "    AscendC::TBuf<AscendC::TPosition::VECCALC> {};", copy(&object));
        }
    }
    text
}

fn copy(object: &str) -> String {
    format!("{}Divisor_", object.trim_end_matches('_'))
}

/// Statements of a node; `to` is ready, and not the tile of an operand.
pub fn code(classes: &[Class], graph: &Graph, id: NodeId, to: &str, from: &[String], count: &str) -> Vec<String> {
    let [x1, x2] = from else { return Vec::new() };
    let (dtype, exact) = kind(graph, id);
    let Some(class) = classes.iter().find(|class| (class.dtype, class.exact) == (dtype, exact)) else {
        return Vec::new();
    };
    let object = class.object();
    let mut lines = Vec::new();
    let mut divisor = x2.clone();
    // The remainder does not depend on the sign of the divisor.
    if class.copies_divisor() {
        divisor = format!("{to}Divisor");
        lines.push(format!("AscendC::LocalTensor<float> {divisor} = {}.Get<float>();", copy(&object)));
        lines.push(format!("AscendC::Abs({divisor}, {x2}, {count});"));
    }
    let (x1, x2) = (class.operand(x1), class.operand(&divisor));
    lines.push(format!("{object}.Compute({to}, {x1}, {x2}, {count});"));
    lines
}

/// What the class does with every element where its probe finds nothing: four steps in float, or the exact way, whose
/// instructions the operator's header counts (12 for float, 13 for 16 bits).
pub fn instructions(node: &Node, source: DType) -> Vec<Instruction> {
    let float = |name| Instruction { name, to: Float32, from: Float32 };
    let steps: &[&'static str] = match (is_exact(node), source) {
        (false, _) => &["Div", "Cast", "Mul", "Sub"],
        (true, Float32) => &["Abs", "Div", "Cast", "Mul", "Mul", "Sub", "Mul", "Sub", "Max", "Mul", "Add", "Or"],
        (true, _) => &["Abs", "Div", "Cast", "Mul", "Sub", "Mul", "Sub", "Mul", "Add", "Or"],
    };
    let mut all: Vec<Instruction> = steps.iter().copied().map(float).collect();
    if source != Float32 {
        all.extend([Instruction { name: "Cast", to: Float32, from: source }; 2]);
        all.push(Instruction { name: "Cast", to: source, from: Float32 });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str) -> &'static str {
        HEADERS.iter().find(|header| header.0 == name).map_or("", |header| header.1)
    }

    /// A header that is not copied would be missing on every machine but this one.
    #[test]
    fn headers_include_only_what_came_before_them() {
        let mut known = vec!["kernel_operator.h"];
        for (name, text) in HEADERS {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
                assert!(known.contains(&line.trim_end_matches('"')), "{name} includes {line}");
            }
            known.push(name);
        }
    }

    /// The solver's numbers are those of the operator's table; the generated kernel asserts the same.
    #[test]
    fn work_memory_is_the_operators() {
        let table = header("fmod_tiling_data.h");
        let row = |case: &str| {
            let (_, rest) = table.split_once(&format!("case FmodFormula::{case}:")).expect(case);
            rest.trim_start().lines().next().expect("a row").to_owned()
        };
        assert_eq!(row("FLOAT"), "return isScalar ? FmodWork{0, 4} : FmodWork{0, isRows ? 4U : 0U};");
        assert!(row("FLOAT_EXACT").ends_with(": FmodWork{8, 8};"));
        assert!(row("FLOAT16").ends_with(": FmodWork{8, 4};"));
        assert!(row("FLOAT16_EXACT").ends_with(": FmodWork{4, 8};"));
        let constant = |name: &str| {
            let (_, rest) = table.split_once(&format!("{name} = ")).expect(name);
            rest.split(';').next().expect("a value").to_owned()
        };
        let number = |name: &str| constant(name).parse::<usize>().expect("a number");
        assert_eq!(constant("FMOD_FIXED_BYTES"), "FMOD_BANK_GAP_BYTES + FMOD_CONST_BYTES");
        assert_eq!(number("FMOD_BANK_GAP_BYTES") + number("FMOD_CONST_BYTES"), FIXED_BYTES);
    }
}

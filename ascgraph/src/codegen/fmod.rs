//! `Fmod` by the kernel code of an operator, which the caller brings. Its headers go into the generated operator as they
//! are, so that a fused kernel computes what the hand-written one does, in either precision.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::slice::from_ref;

use super::Sources;
use crate::dtype::DType::{BFloat16, Float16, Float32};
use crate::memory::fmod::{Class, FIXED_BYTES, LEAST_TILE};
use crate::model::{Graph, NodeId};
use crate::plan::{Plan, PlanError};

/// The headers of either precision, which include all others.
const ROOTS: [&str; 2] = ["fmod_tbe.h", "fmod_exact.h"];

impl Class {
    /// The first parameter of `FmodWorkOf`.
    fn name(self) -> String {
        let wide = if self.dtype == Float32 { "FLOAT" } else { "FLOAT16" };
        format!("FmodFormula::{wide}{}", if self.exact { "_EXACT" } else { "" })
    }

    fn cpp(self) -> String {
        let cpp = self.dtype.cpp();
        match (self.dtype, self.exact) {
            (_, false) => format!("NsFmod::ComputeTbe<{cpp}, false, {}>", self.is_rows()),
            _ => format!("NsFmod::ComputeExact<{cpp}, false>"),
        }
    }

    fn object(self) -> String {
        let name = match self.dtype {
            Float16 => "Half",
            BFloat16 => "Bfloat16",
            _ => "Float",
        };
        format!("fmod{name}{}_", if self.exact { "Exact" } else { "" })
    }

    /// The operator's description of a tile that is neither spread nor cast yet.
    fn operand(self, tile: &str) -> String {
        let own = self.dtype.cpp();
        let wide = if self.exact { own } else { "float" };
        format!("NsFmod::Operand<{own}, {wide}>{{{tile}, {{}}}}")
    }
}

/// Of all kernels of these plans.
fn all(plans: &[Plan]) -> BTreeSet<Class> {
    plans.iter().flat_map(|plan| &plan.cases).flat_map(|kernel| kernel.memory.fmod.iter().copied()).collect()
}

/// The headers of the precisions that the kernels compute in.
fn roots(plans: &[Plan]) -> Vec<&'static str> {
    let classes = all(plans);
    let used = [false, true].map(|exact| classes.iter().any(|class| class.exact == exact));
    ROOTS.into_iter().zip(used).filter_map(|(root, used)| used.then_some(root)).collect()
}

pub fn includes(plans: &[Plan]) -> String {
    roots(plans).iter().map(|name| format!("#include \"{name}\"\n")).collect()
}

/// What the solver's numbers are held against.
pub fn assertions(plan: &Plan) -> String {
    let mut text = String::new();
    let classes = all(from_ref(plan));
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

/// The operator's headers that the kernels need: name and text, each after those that it includes.
pub fn headers<'a>(plans: &[Plan], sources: &Sources<'a>) -> Result<Vec<(&'a str, &'a str)>, PlanError> {
    sources.with_included(&roots(plans)).map_err(|name| {
        let graphs: Vec<&str> = plans.iter().map(|plan| plan.hint().name.as_str()).collect();
        let why = "its caller brings the kernel code of Fmod, and that has no such header";
        PlanError::Graph(format!("{name} is needed for graph {}: {why}", graphs.join(", ")))
    })
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
    let Some(class) = Class::find(classes, graph, id) else { return Vec::new() };
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

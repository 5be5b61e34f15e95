//! The device side: entry, class, tiling data.

use std::fmt::Write;

use super::{Ends, Kernel, Names, banner, calls, variable};
use crate::expr::Expr;
use crate::literal;
use crate::memory::{Place, QUEUE_BUFFERS};
use crate::model::{AttrValue, NodeId, Position};
use crate::schedule::{Role, Unsupported, unsupported};

/// What the kernel is told beside the tiling: loop sizes, offsets and strides that are no constants.
pub fn fields(kernel: &Kernel) -> Vec<(String, Expr)> {
    let s = &kernel.s;
    let mut fields: Vec<(String, Expr)> = Vec::new();
    for (at, axis) in s.outer.iter().enumerate() {
        fields.push((format!("outer{at}"), s.graph.axis[*axis].size.clone()));
    }
    fields.push(("row".to_owned(), s.graph.axis[s.row].size.clone()));
    for (id, steps) in s.steps.iter().enumerate() {
        for (at, step) in steps.iter().take(s.outer.len()).enumerate() {
            if step.constant().is_none() {
                fields.push((format!("step{id}_{at}"), step.clone()));
            }
        }
    }
    fields
}

pub fn tiling_data(kernel: &Kernel, names: &Names) -> String {
    let Names { pascal, .. } = names;
    let upper = names.upper();
    let mut text = format!(
        "{}#ifndef {upper}_TILING_DATA_H\n#define {upper}_TILING_DATA_H\n\n#include <cstdint>\n\n",
        banner(&kernel.s.hint)
    );
    let _ = write!(text, "// Elements, and tiles of them.\nstruct {pascal}TilingData {{\n");
    for field in ["block_dim", "tile", "row_tiles", "core_tiles", "tiles"] {
        let _ = writeln!(text, "    int64_t {field};");
    }
    for (field, expr) in fields(kernel) {
        let _ = writeln!(text, "    int64_t {field}; // {expr}");
    }
    let _ = write!(text, "}};\n#endif // {upper}_TILING_DATA_H\n");
    text
}

pub fn tiling_key(names: &Names) -> String {
    let (pascal, upper) = (&names.pascal, names.upper());
    format!(
        "#ifndef {upper}_TILING_KEY_H\n#define {upper}_TILING_KEY_H\n\n\
         #include \"ascendc/host_api/tiling/template_argument.h\"\n\n\
         ASCENDC_TPL_ARGS_DECL({pascal}, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, 0));\n\
         ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0)));\n\
         #endif // {upper}_TILING_KEY_H\n"
    )
}

fn pointers(ends: &Ends) -> Vec<String> {
    let inputs = ends.inputs.iter().map(|end| format!("x{}", end.index));
    inputs.chain(ends.outputs.iter().map(|end| format!("y{}", end.index))).collect()
}

pub fn entry(ends: &Ends, names: &Names) -> String {
    let Names { snake, pascal } = names;
    let pointers = pointers(ends);
    let declared: Vec<String> = pointers.iter().map(|name| format!("GM_ADDR {name}")).collect();
    format!(
        "#include \"{snake}.h\"\n\ntemplate <uint32_t mode>\n__global__ __aicore__ void {snake}({}, GM_ADDR workspace, \
         GM_ADDR tiling)\n{{\n    REGISTER_TILING_DEFAULT({pascal}TilingData);\n    \
         GET_TILING_DATA_WITH_STRUCT({pascal}TilingData, tilingData, tiling);\n    AscendC::TPipe pipe;\n    \
         Ns{pascal}::Kernel op;\n    op.Init({}, tilingData, pipe);\n    op.Process();\n}}\n",
        declared.join(", "),
        pointers.join(", ")
    )
}

fn queue(place: Place) -> String {
    match place.position {
        Position::VecIn => format!("in{}_", place.id),
        Position::VecOut => format!("out{}_", place.id),
        _ => format!("buf{}_", place.id),
    }
}

pub fn class(kernel: &Kernel, ends: &Ends, names: &Names) -> Result<String, Unsupported> {
    let Names { snake, pascal } = names;
    let upper = names.upper();
    let mut text = format!(
        "{}#ifndef {upper}_H\n#define {upper}_H\n\n#include \"kernel_operator.h\"\n#include \"{snake}_tiling_data.h\"\n\
         #include \"{snake}_tiling_key.h\"\n\nnamespace Ns{pascal} {{\nclass Kernel {{\npublic:\n",
        banner(&kernel.s.hint)
    );
    init(&mut text, kernel, ends, pascal);
    process(&mut text, kernel)?;
    members(&mut text, kernel, ends, pascal);
    let _ = write!(text, "}};\n}} // namespace Ns{pascal}\n#endif // {upper}_H\n");
    Ok(text)
}

fn init(text: &mut String, kernel: &Kernel, ends: &Ends, pascal: &str) {
    let declared: Vec<String> = pointers(ends).iter().map(|name| format!("GM_ADDR {name}")).collect();
    let _ = write!(
        text,
        "    __aicore__ inline void Init({}, const {pascal}TilingData& tiling, AscendC::TPipe& pipe)\n    {{\n        \
         tiling_ = &tiling;\n",
        declared.join(", ")
    );
    for (letter, list) in [("x", &ends.inputs), ("y", &ends.outputs)] {
        for end in list {
            let (at, cpp) = (end.index, end.dtype.cpp());
            let _ = writeln!(
                text,
                "        {letter}{at}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ {cpp}*>({letter}{at}));"
            );
        }
    }
    let _ = writeln!(text, "        const uint32_t tile = static_cast<uint32_t>(tiling.tile);");
    let memory = &kernel.memory;
    for (name, list) in [("in", &memory.vec_in), ("out", &memory.vec_out)] {
        for (at, bytes) in list.iter().enumerate() {
            let _ = writeln!(text, "        pipe.InitBuffer({name}{at}_, {QUEUE_BUFFERS}, tile * {bytes});");
        }
    }
    for (at, bytes) in memory.buffers.iter().enumerate() {
        let _ = writeln!(text, "        pipe.InitBuffer(buf{at}_, tile * {bytes});");
    }
    text.push_str("    }\n\n");
}

fn process(text: &mut String, kernel: &Kernel) -> Result<(), Unsupported> {
    let s = &kernel.s;
    text.push_str("    __aicore__ inline void Process()\n    {\n");
    constants(text, kernel)?;
    text.push_str(
        "        const int64_t begin = AscendC::GetBlockIdx() * tiling_->core_tiles;\n        \
         const int64_t share = begin + tiling_->core_tiles;\n        \
         const int64_t end = share < tiling_->tiles ? share : tiling_->tiles;\n        \
         for (int64_t index = begin; index < end; index++) {\n            \
         const int64_t column = index % tiling_->row_tiles * tiling_->tile;\n            \
         const int64_t left = tiling_->row - column;\n            \
         const uint32_t length = static_cast<uint32_t>(left < tiling_->tile ? left : tiling_->tile);\n",
    );
    if !s.outer.is_empty() {
        text.push_str("            int64_t rest = index / tiling_->row_tiles;\n");
        for at in (0..s.outer.len()).rev() {
            let _ = writeln!(text, "            const int64_t at{at} = rest % tiling_->outer{at};");
            if at > 0 {
                let _ = writeln!(text, "            rest /= tiling_->outer{at};");
            }
        }
    }
    let mut body = Vec::new();
    for (step, id) in s.order.iter().enumerate() {
        node(&mut body, kernel, *id);
        release(&mut body, kernel, step);
    }
    for line in body {
        let _ = writeln!(text, "            {line}");
    }
    text.push_str("        }\n    }\n\nprivate:\n");
    Ok(())
}

fn constants(text: &mut String, kernel: &Kernel) -> Result<(), Unsupported> {
    let s = &kernel.s;
    for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
        let (Some(place), node) = (kernel.memory.places[id], &s.graph.nodes[id]) else { continue };
        let (Some(AttrValue::Text(value)), Some(dtype)) = (node.ir_attr.get("value"), node.y.dtype) else { continue };
        if !calls::is_repeated(dtype) {
            return Err(unsupported(node, format!("Duplicate has no {dtype}")));
        }
        let number = literal::bits(value, dtype).and_then(|bits| calls::literal(bits, dtype));
        let Some(number) = number else { return Err(unsupported(node, format!("no literal for {value}"))) };
        let (name, cpp) = (variable(&s.graph, id), dtype.cpp());
        let _ = writeln!(text, "        AscendC::LocalTensor<{cpp}> {name} = {}.Get<{cpp}>();", queue(place));
        let _ = writeln!(text, "        AscendC::Duplicate({name}, {number}, static_cast<int32_t>(tiling_->tile));");
    }
    Ok(())
}

/// Where a tile, or an element, begins in memory.
fn offset(kernel: &Kernel, id: NodeId) -> String {
    let s = &kernel.s;
    let mut parts = Vec::new();
    for (at, step) in s.steps[id].iter().enumerate() {
        let by = if at < s.outer.len() { format!("at{at}") } else { "column".to_owned() };
        match step.constant() {
            Some(0) => {}
            Some(1) => parts.push(by),
            Some(step) => parts.push(format!("{by} * {step}")),
            None => parts.push(format!("{by} * tiling_->step{id}_{at}")),
        }
    }
    if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
}

fn node(body: &mut Vec<String>, kernel: &Kernel, id: NodeId) {
    let s = &kernel.s;
    let node = &s.graph.nodes[id];
    let cpp = node.y.dtype.map_or("float", |dtype| dtype.cpp());
    let name = variable(&s.graph, id);
    let from = |at: usize| s.root(node.inputs[at].from.unwrap_or(id));
    let place = kernel.memory.places[id];
    let memory_of = |letter: &str, end: Option<NodeId>| {
        let index = end.and_then(|end| s.graph.nodes[end].index()).unwrap_or_default();
        format!("{letter}{index}Gm_[{}]", offset(kernel, id))
    };
    match (&s.roles[id], place) {
        (Role::Load, Some(place)) => {
            let (queue, source) = (queue(place), memory_of("x", node.inputs[0].from));
            body.push(format!("AscendC::LocalTensor<{cpp}> {name} = {queue}.AllocTensor<{cpp}>();"));
            let bytes = format!("static_cast<uint32_t>(length * sizeof({cpp}))");
            body.push(format!(
                "AscendC::DataCopyPad({name}, {source}, AscendC::DataCopyExtParams{{1, {bytes}, 0, 0, 0}},"
            ));
            body.push(format!("                     AscendC::DataCopyPadExtParams<{cpp}>{{}});"));
            body.push(format!("{queue}.EnQue({name});"));
            body.push(format!("{name} = {queue}.DeQue<{cpp}>();"));
        }
        (Role::LoadElement, _) => {
            let source = memory_of("x", node.inputs[0].from);
            body.push(format!("const {cpp} {name} = {source}.GetValue(0);"));
        }
        (Role::Compute | Role::Repeat, Some(place)) => {
            let queue = queue(place);
            let out = place.position == Position::VecOut;
            let get = if out { "AllocTensor" } else { "Get" };
            body.push(format!("AscendC::LocalTensor<{cpp}> {name} = {queue}.{get}<{cpp}>();"));
            if s.roles[id] == Role::Repeat {
                let element = variable(&s.graph, from_element(kernel, id));
                body.push(format!("AscendC::Duplicate({name}, {element}, static_cast<int32_t>(length));"));
            } else {
                let operands: Vec<String> = (0..node.inputs.len()).map(|at| variable(&s.graph, from(at))).collect();
                body.extend(calls::code(node, &s.graph, &name, &operands).unwrap_or_default());
            }
            if out {
                body.push(format!("{queue}.EnQue({name});"));
                body.push(format!("{name} = {queue}.DeQue<{cpp}>();"));
            }
        }
        (Role::Store, _) => {
            let target = memory_of("y", s.graph.consumers(id).first().copied());
            let bytes = format!("static_cast<uint32_t>(length * sizeof({cpp}))");
            let source = variable(&s.graph, from(0));
            body.push(format!(
                "AscendC::DataCopyPad({target}, {source}, AscendC::DataCopyExtParams{{1, {bytes}, 0, 0, 0}});"
            ));
        }
        _ => {}
    }
}

/// The element that a Repeat repeats: behind all aliases of its operand.
fn from_element(kernel: &Kernel, id: NodeId) -> NodeId {
    kernel.s.root(kernel.s.graph.nodes[id].inputs[0].from.unwrap_or(id))
}

/// Queues get their tile back behind its last reader.
fn release(body: &mut Vec<String>, kernel: &Kernel, step: usize) {
    for (id, place) in kernel.memory.places.iter().enumerate() {
        let Some(place) = place.filter(|place| place.position != Position::VecCalc) else { continue };
        if kernel.memory.lives[id].is_some_and(|life| life.1 == step) {
            body.push(format!("{}.FreeTensor({});", queue(place), variable(&kernel.s.graph, id)));
        }
    }
}

fn members(text: &mut String, kernel: &Kernel, ends: &Ends, pascal: &str) {
    let _ = writeln!(text, "    const {pascal}TilingData* tiling_ = nullptr;");
    for (letter, list) in [("x", &ends.inputs), ("y", &ends.outputs)] {
        for end in list {
            let _ = writeln!(text, "    AscendC::GlobalTensor<{}> {letter}{}Gm_;", end.dtype.cpp(), end.index);
        }
    }
    let memory = &kernel.memory;
    for (name, position, list) in [("in", "VECIN", &memory.vec_in), ("out", "VECOUT", &memory.vec_out)] {
        for at in 0..list.len() {
            let _ = writeln!(text, "    AscendC::TQue<AscendC::TPosition::{position}, 1> {name}{at}_;");
        }
    }
    for at in 0..memory.buffers.len() {
        let _ = writeln!(text, "    AscendC::TBuf<AscendC::TPosition::VECCALC> buf{at}_;");
    }
}

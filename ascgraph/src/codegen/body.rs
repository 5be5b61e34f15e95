//! What a core does: tile after tile, node after node.

use std::cmp::Ordering;
use std::fmt::Write;
use std::ops::Range;

use super::fields::{queue, start};
use super::{calls, fmod, variable};
use crate::dtype::DType;
use crate::expr::Expr;
use crate::ir::{self, Reduction};
use crate::memory::{Place, column_bytes};
use crate::model::{NodeId, Position};
use crate::plan::Kernel;
use crate::schedule::{Case, Role, Span, Unsupported};

pub(super) struct Body<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) fields: &'a [(String, Expr)],
}

/// `fields` are those of the tiling data.
pub fn process(text: &mut String, kernel: &Kernel, fields: &[(String, Expr)]) -> Result<(), Unsupported> {
    let body = Body { kernel, fields };
    let s = &kernel.s;
    text.push_str("    __aicore__ inline void Process()\n    {\n");
    body.stride(text);
    if s.case == Case::Y0 && s.roles.contains(&Role::Reduce) {
        text.push_str("        const uint32_t segment = static_cast<uint32_t>(tiling_->segment);\n");
    }
    body.constants(text)?;
    body.ones(text);
    body.turns(text);
    let _ = write!(
        text,
        "        const int64_t begin = AscendC::GetBlockIdx() * tiling_->core_tiles;\n        \
         const int64_t share = begin + tiling_->core_tiles;\n        \
         const int64_t end = share < tiling_->tiles ? share : tiling_->tiles;\n"
    );
    if body.reads_ahead() {
        text.push_str("        if (begin < end) {\n            Read(begin);\n        }\n");
    }
    text.push_str(&fmod::prepare(&kernel.memory.fmod));
    body.hoisted(text);
    let mut index = "index";
    if s.case == Case::P {
        body.share(text);
        index = "unit";
    } else {
        text.push_str("        for (int64_t index = begin; index < end; index++) {\n");
    }
    body.position(text, index, "            ");
    if s.case.has_passes() {
        body.passes(text);
    } else {
        body.write(text, s.first()..s.order.len(), "            ");
    }
    text.push_str("        }\n    }\n\nprivate:\n");
    if body.reads_ahead() {
        body.read(text);
    }
    Ok(())
}

impl Body<'_> {
    /// Elements from row to row of a tile that has rows.
    pub(super) fn stride(&self, text: &mut String) {
        if self.kernel.s.columns.is_some() {
            let stride = if self.kernel.s.case == Case::C { "tile" } else { "stride" };
            let _ = writeln!(
                text,
                "        [[maybe_unused]] const uint32_t stride = static_cast<uint32_t>(tiling_->{stride});"
            );
        }
    }

    /// Where a tile begins, and what it has of a row.
    pub(super) fn position(&self, text: &mut String, index: &str, indent: &str) {
        let s = &self.kernel.s;
        let [_, row, _] = s.demanded();
        let (length, row) = match s.case {
            Case::C => ("columns", self.size(&row)),
            _ => (if s.columns.is_some() { "rows" } else { "length" }, self.size(&row)),
        };
        let _ = write!(
            text,
            "{indent}const int64_t column = {index} % tiling_->row_tiles * tiling_->tile;\n{indent}\
             const int64_t left = {row} - column;\n{indent}\
             const uint32_t {length} = static_cast<uint32_t>(left < tiling_->tile ? left : tiling_->tile);\n"
        );
        if s.case == Case::Y0 {
            let _ = writeln!(text, "{indent}[[maybe_unused]] const uint32_t length = rows * stride;");
        }
        let kept = &s.outer[..s.outer.len() - s.around];
        if !kept.is_empty() {
            let _ = writeln!(text, "{indent}int64_t rest = {index} / tiling_->row_tiles;");
            for (at, axis) in kept.iter().enumerate().rev() {
                let size = self.size(&s.graph.axis[*axis].size);
                let _ = writeln!(text, "{indent}const int64_t at{at} = rest % {size};");
                if at > 0 {
                    let _ = writeln!(text, "{indent}rest /= {size};");
                }
            }
        }
    }

    /// Steps one behind the other.
    pub(super) fn write(&self, text: &mut String, steps: Range<usize>, indent: &str) {
        let s = &self.kernel.s;
        let mut lines = Vec::new();
        let ahead = self.ahead();
        for (id, place) in &ahead {
            let (cpp, name) = (s.graph.nodes[*id].y.dtype.map_or("float", DType::cpp), variable(&s.graph, *id));
            lines.push(format!("AscendC::LocalTensor<{cpp}> {name} = {}.DeQue<{cpp}>();", queue(*place)));
        }
        if !ahead.is_empty() {
            lines.push("if (index + 1 < end) {".to_owned());
            lines.push("    Read(index + 1);".to_owned());
            lines.push("}".to_owned());
        }
        // All copies that follow each other before their flags: behind a flag a copy begins when the one before has arrived.
        let (mut flags, mut waits) = (Vec::new(), Vec::new());
        for step in steps {
            let (mut own, mut freed) = (Vec::new(), Vec::new());
            if ahead.iter().all(|(id, _)| *id != s.order[step]) {
                self.node(&mut own, s.order[step]);
            }
            self.release(&mut freed, step..step + 1, s.pass(s.order[step]).is_some());
            let loads = s.roles[s.order[step]] == Role::Load && !own.is_empty();
            if !loads && !own.is_empty() || !freed.is_empty() {
                lines.append(&mut flags);
                lines.append(&mut waits);
            }
            if loads {
                waits.extend(own.pop());
                flags.extend(own.pop());
            }
            lines.append(&mut own);
            lines.append(&mut freed);
        }
        lines.append(&mut flags);
        lines.append(&mut waits);
        for line in lines {
            let _ = writeln!(text, "{indent}{line}");
        }
    }

    /// A tile, and what writes it.
    pub(super) fn tile(&self, lines: &mut Vec<String>, id: NodeId, place: Place, writes: Vec<String>) {
        let s = &self.kernel.s;
        let (cpp, name, queue) =
            (s.graph.nodes[id].y.dtype.map_or("float", DType::cpp), variable(&s.graph, id), queue(place));
        let out = place.position == Position::VecOut;
        let get = if out { "AllocTensor" } else { "Get" };
        lines.push(format!("AscendC::LocalTensor<{cpp}> {name} = {queue}.{get}<{cpp}>();"));
        lines.extend(writes);
        if out {
            lines.push(format!("{queue}.EnQue({name});"));
            lines.push(format!("{name} = {queue}.DeQue<{cpp}>();"));
        }
    }

    /// A size, step or offset in C++.
    pub(super) fn size(&self, expr: &Expr) -> String {
        if let Some(value) = expr.constant() {
            return value.to_string();
        }
        let known = self.fields.iter().find(|(_, known)| known == expr);
        known.map_or_else(|| expr.cpp(), |(name, _)| format!("tiling_->{name}"))
    }

    /// Where a tile, or an element, begins in memory.
    fn offset(&self, id: NodeId, column: &Expr) -> String {
        let s = &self.kernel.s;
        let mut parts = Vec::new();
        for at in 0..s.outer.len() + if s.case == Case::C { 2 } else { 1 } {
            let by = match at.cmp(&s.outer.len()) {
                Ordering::Less => format!("at{at}"),
                Ordering::Equal if s.case == Case::C => "piece".to_owned(),
                _ => "column".to_owned(),
            };
            match self.step(id, at).as_str() {
                "0" => {}
                "1" => parts.push(by),
                step => parts.push(format!("{by} * {step}")),
            }
        }
        if s.case == Case::P && s.is_piece(id) && s.spans[id] == Span::Wide {
            parts.push("piece".to_owned());
        }
        if !column.is(0) {
            parts.push(self.size(column));
        }
        if let Some(start) = start(self.kernel, id).filter(|start| !start.is(0)) {
            parts.push(self.size(start));
        }
        if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
    }

    fn step(&self, id: NodeId, at: usize) -> String {
        self.kernel.s.steps[id].get(at).map_or_else(|| "0".to_owned(), |step| self.size(step))
    }

    /// Elements that a call over a part of a tile has.
    fn count(&self, id: NodeId) -> &'static str {
        let s = &self.kernel.s;
        match s.spans[id] {
            Span::Wide if s.is_hoisted(id) && s.columns.is_some() => "tile * stride",
            Span::Wide | Span::Narrow if s.is_hoisted(id) => "tile",
            Span::Wide => "length",
            Span::Narrow => "rows",
            Span::Row => "stride",
            Span::One => "1",
        }
    }

    /// A copy between memory and a tile: `DataCopyPad` with the operands in their order.
    fn copy(&self, id: NodeId, tile: NodeId, length: &Expr) -> [String; 2] {
        let s = &self.kernel.s;
        let cpp = s.graph.nodes[tile].y.dtype.map_or("float", DType::cpp);
        let count = match (s.columns, s.spans[tile]) {
            (Some(_), Span::Wide) if s.case == Case::P => "length".to_owned(),
            (Some(_), Span::Wide) => {
                let step = self.step(id, s.outer.len());
                let length = if s.case == Case::C { "columns".to_owned() } else { self.size(length) };
                return ["Rows".to_owned(), format!("rows, {length}, {step}, stride")];
            }
            (Some(_), Span::Row) if s.case == Case::C => "columns".to_owned(),
            (Some(_), Span::Row) => self.size(length),
            (Some(_), _) => "rows".to_owned(),
            _ => "length".to_owned(),
        };
        let bytes = format!("static_cast<uint32_t>({count} * sizeof({cpp}))");
        ["DataCopyPad".to_owned(), format!("AscendC::DataCopyExtParams{{1, {bytes}, 0, 0, 0}}")]
    }

    pub(super) fn node(&self, body: &mut Vec<String>, id: NodeId) {
        let s = &self.kernel.s;
        let node = &s.graph.nodes[id];
        let cpp = node.y.dtype.map_or("float", |dtype| dtype.cpp());
        let name = variable(&s.graph, id);
        let from = |at: usize| s.root(node.inputs[at].from.unwrap_or(id));
        let memory_of = |letter: &str, end: Option<NodeId>, column: &Expr| {
            let index = end.and_then(|end| s.graph.nodes[end].index()).unwrap_or_default();
            format!("{letter}{index}Gm_[{}]", self.offset(id, column))
        };
        let zero = Expr::from(0);
        match (&s.roles[id], self.kernel.memory.places[id]) {
            (Role::Load, Some(place)) => {
                let (queue, source) = (queue(place), memory_of("x", node.inputs[0].from, &zero));
                let get = if s.is_hoisted(id) { "Get" } else { "AllocTensor" };
                body.push(format!("AscendC::LocalTensor<{cpp}> {name} = {queue}.{get}<{cpp}>();"));
                let [how, params] = self.copy(id, id, &s.lengths[id]);
                if s.is_turned(id) {
                    let length = if s.case == Case::C { "columns".to_owned() } else { self.size(&s.lengths[id]) };
                    let step = self.step(id, s.outer.len() + 1);
                    // Each is 32 bytes of a queue at least: fewer than one DataCopyPad copies.
                    body.push(format!(
                        "LoadRows({name}, {source}, static_cast<uint32_t>({length}), rows, {step}, pitch);"
                    ));
                } else if how == "Rows" {
                    body.push(format!("LoadRows({name}, {source}, {params});"));
                } else {
                    body.push(format!("AscendC::DataCopyPad({name}, {source}, {params},"));
                    body.push(format!("                     AscendC::DataCopyPadExtParams<{cpp}>{{}});"));
                }
                if s.is_hoisted(id) {
                    return;
                }
                body.push(format!("{queue}.EnQue({name});"));
                body.push(format!("{name} = {queue}.DeQue<{cpp}>();"));
            }
            (Role::LoadElement, _) => {
                let source = memory_of("x", node.inputs[0].from, &zero);
                body.push(format!("const {cpp} {name} = {source}.GetValue(0);"));
            }
            (Role::Store, _) => {
                for piece in s.pieces(id) {
                    let target = memory_of("y", s.graph.consumers(id).first().copied(), &piece.column);
                    let source = variable(&s.graph, piece.node);
                    let [how, params] = self.copy(id, piece.node, &piece.length);
                    let call = if how == "Rows" { "StoreRows" } else { "AscendC::DataCopyPad" };
                    // What a row has once is stored by one of its cores.
                    let once = if s.case == Case::P && !s.is_piece(id) { "if (part == 0) " } else { "" };
                    match once {
                        "" => body.push(format!("{call}({target}, {source}, {params});")),
                        _ => body.push(format!("{once}{{ {call}({target}, {source}, {params}); }}")),
                    }
                }
            }
            (_, Some(place)) if s.roles[id] != Role::Constant => self.computed(body, id, place, &name, &from),
            _ => {}
        }
    }

    fn computed(&self, body: &mut Vec<String>, id: NodeId, place: Place, name: &str, from: &dyn Fn(usize) -> NodeId) {
        let s = &self.kernel.s;
        let node = &s.graph.nodes[id];
        let cpp = node.y.dtype.map_or("float", |dtype| dtype.cpp());
        let operands: Vec<String> = (0..node.inputs.len()).map(|at| variable(&s.graph, from(at))).collect();
        let (count, all) = (self.count(id), operands.join(", "));
        let length = |id: NodeId| match s.case {
            Case::P => "length".to_owned(),
            Case::C => "columns".to_owned(),
            _ => self.size(&s.lengths[id]),
        };
        let writes = match s.roles[id] {
            Role::Turn => {
                let size = node.y.dtype.map_or(4, DType::size);
                vec![format!("AscendC::Gather({name}, {all}, turn{size}, 0, {count});")]
            }
            Role::Repeat => vec![format!("AscendC::Duplicate({name}, {all}, static_cast<int32_t>({count}));")],
            Role::RepeatRows if s.repeats_once(id) => {
                let tile = format!("{}.Get<{cpp}>()", queue(place));
                body.push(format!("const AscendC::LocalTensor<{cpp}> {name} = tile > 1 ? {tile} : {all};"));
                body.push("if (tile > 1) {".to_owned());
                body.push(format!("    RepeatRows({name}, {all}, tile, stride);"));
                return body.push("}".to_owned());
            }
            Role::RepeatRows => vec![format!("RepeatRows({name}, {all}, rows, stride);")],
            Role::RepeatColumns => {
                // Behind the lanes of the reductions, which wait for the next piece.
                let size = node.y.dtype.map_or(4, DType::size);
                let blocks = match s.case {
                    Case::P => format!("[{}]", 2 * s.accumulators() * 256 / size),
                    Case::C => format!("[{} * stride]", column_bytes(s) / size),
                    _ => String::new(),
                };
                let length = length(id);
                vec![format!("RepeatColumns({name}, {all}, lanes_.Get<{cpp}>(){blocks}, rows, {length}, stride);")]
            }
            Role::Reduce if s.case.has_passes() => return body.push(self.take(id, &all)),
            Role::Reduce => {
                let (call, work) = match kind(&node.node_type) {
                    (_, true) => ("MeanOfRows".to_owned(), ""),
                    (kind, false) if s.folds(id) => (format!("FoldRows<Reduction::{kind}>"), FOLD_WORK),
                    (kind, false) => (format!("ReduceRows<Reduction::{kind}>"), ""),
                };
                let length = length(from(0));
                vec![format!("{call}({name}, {all}, lanes_.Get<{cpp}>(), {work}rows, {length}, stride, segment);")]
            }
            Role::Compute if let Some((at, call)) = s.column(id) => {
                let (x, column) = (&operands[1 - at], variable(&s.graph, s.tile_of(from(at))));
                let (kind, left, length) = (call.to_ascii_uppercase(), at == 0, length(id));
                let blocks = format!("lanes_.Get<{cpp}>()");
                vec![format!(
                    "WithColumns<Binary::{kind}, {left}>({name}, {x}, {column}, {blocks}, rows, {length}, stride);"
                )]
            }
            _ if node.node_type == "Fmod" => fmod::code(&self.kernel.memory.fmod, &s.graph, id, name, &operands, count),
            _ => calls::code(node, &s.graph, name, &operands, count).unwrap_or_default(),
        };
        self.tile(body, id, place, writes);
    }

    /// Queues get their tile back behind its last reader: of a piece, or of what a row has once.
    pub(super) fn release(&self, body: &mut Vec<String>, steps: Range<usize>, pieces: bool) {
        let (s, memory) = (&self.kernel.s, &self.kernel.memory);
        for (id, place) in memory.places.iter().enumerate() {
            let Some(place) = place.filter(|place| place.position != Position::VecCalc) else { continue };
            if s.is_piece(id) == pieces && memory.lives[id].is_some_and(|life| steps.contains(&life.1)) {
                body.push(format!("{}.FreeTensor({});", queue(place), variable(&s.graph, id)));
            }
        }
    }
}

/// What lanes of int32 meet in, as an argument.
pub(super) const FOLD_WORK: &str = "scratch_.Get<int32_t>(), ";

/// A `Reduction` of `cpp/reduce.h`; a mean is a sum that is divided.
pub(super) fn kind(node_type: &str) -> (&'static str, bool) {
    let (reduction, is_mean) = ir::reduction(node_type);
    let kind = match reduction {
        Reduction::Sum => "SUM",
        Reduction::Max => "MAX",
        Reduction::Min => "MIN",
    };
    (kind, is_mean)
}

//! What goes by in pieces: the passes of a tile and its reductions.

use std::fmt::Write;

use super::body::{Body, kind};
use super::variable;
use crate::dtype::DType;
use crate::memory::column_bytes;
use crate::model::NodeId;
use crate::schedule::{Case, Role};
use crate::value::ROW_LANES;

impl Body<'_> {
    /// A tile goes by in pieces, pass after pass; in front of each, between them and behind the last is what it has once.
    pub(super) fn passes(&self, text: &mut String) {
        let s = &self.kernel.s;
        let mut begin = 0;
        for section in s.passes.sections() {
            let end = begin + s.order[begin..].iter().take_while(|id| s.section(**id) == section).count();
            if section.is_multiple_of(2) {
                self.write(text, begin..end, "            ");
            } else {
                let indent = self.begin_pieces(text);
                self.write(text, begin..end, &indent);
                for depth in (3..indent.len() / 4).rev() {
                    let _ = writeln!(text, "{}}}", "    ".repeat(depth));
                }
                let mut lines = Vec::new();
                for id in s.order[begin..end].iter().filter(|id| s.roles[**id] == Role::Reduce) {
                    self.meet(&mut lines, *id);
                }
                self.release(&mut lines, begin..end, false);
                for line in lines {
                    let _ = writeln!(text, "            {line}");
                }
            }
            begin = end;
        }
    }

    /// Loops over the pieces, and what a piece has; the indent of what it does.
    fn begin_pieces(&self, text: &mut String) -> String {
        let s = &self.kernel.s;
        let mut indent = "            ".to_owned();
        for (at, axis) in s.outer.iter().enumerate().skip(s.outer.len() - s.around) {
            let size = self.size(&s.graph.axis[*axis].size);
            let _ = writeln!(text, "{indent}for (int64_t at{at} = 0; at{at} < {size}; at{at}++) {{");
            indent.push_str("    ");
        }
        let [_, _, whole] = s.demanded();
        let whole = self.size(&whole);
        let (step, name) = if s.case == Case::C { ("tiling_->stride", "rows") } else { ("stride", "length") };
        let _ = write!(
            text,
            "{indent}for (int64_t piece = 0; piece < {whole}; piece += {step}) {{\n{indent}    \
             const int64_t ahead = {whole} - piece;\n{indent}    \
             const uint32_t {name} = static_cast<uint32_t>(ahead < {step} ? ahead : {step});\n"
        );
        if s.case == Case::C {
            let _ = writeln!(text, "{indent}    [[maybe_unused]] const uint32_t length = rows * stride;");
        }
        indent + "    "
    }

    /// The lanes of a reduction.
    fn lanes(&self, id: NodeId) -> String {
        let s = &self.kernel.s;
        let dtype = s.graph.nodes[id].y.dtype.unwrap_or(DType::Float32);
        let (at, all) = (s.accumulator(id), s.accumulators().max(1));
        let begin = match s.case {
            Case::C if at == 0 => String::new(),
            Case::C => format!("[{} * stride]", at * column_bytes(s) / all / dtype.size()),
            _ => format!("[{}]", at * 256 / dtype.size()),
        };
        format!("lanes_.Get<{}>(){begin}", dtype.cpp())
    }

    /// A reduction's part in a pass.
    pub(super) fn take(&self, id: NodeId, piece: &str) -> String {
        let s = &self.kernel.s;
        let (kind, _) = kind(&s.graph.nodes[id].node_type);
        let around = (s.outer.len() - s.around..s.outer.len()).map(|at| format!("at{at} == 0 && "));
        let first = around.collect::<String>() + "piece == 0";
        let lanes = self.lanes(id);
        match s.case {
            Case::C => format!("TakeRows<Reduction::{kind}>({lanes}, {piece}, rows, stride, {first});"),
            _ => format!("TakePiece<Reduction::{kind}>({lanes}, {piece}, length, {first});"),
        }
    }

    /// Behind its pass a reduction has its result.
    fn meet(&self, lines: &mut Vec<String>, id: NodeId) {
        let s = &self.kernel.s;
        let Some(place) = self.kernel.memory.places[id] else { return };
        let (name, lanes) = (variable(&s.graph, id), self.lanes(id));
        let [_, _, whole] = s.demanded();
        let whole = self.size(&whole);
        let count = s.around().fold(whole.clone(), |all, size| format!("{all} * {}", self.size(size)));
        let own = if s.case == Case::C { ["MeanOfColumns", "MeetRows"] } else { ["MeanOfLanes", "MeetLanes"] };
        let stride = if s.case == Case::C { ", stride" } else { "" };
        let call = match kind(&s.graph.nodes[id].node_type) {
            (_, true) => format!("{}({name}, {lanes}, {whole}, {count}{stride});", own[0]),
            (kind, false) => format!("{}<Reduction::{kind}>({name}, {lanes}, {whole}{stride});", own[1]),
        };
        self.tile(lines, id, place, vec![call]);
    }
}

/// Rows of partial results in `cpp/columns.h`.
const _: () = assert!(ROW_LANES == 8);

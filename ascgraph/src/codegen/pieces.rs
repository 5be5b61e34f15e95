//! What goes by in pieces: the passes of a tile and its reductions, and cores that share a row.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::body::{Body, FOLD_WORK, kind};
use super::variable;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::memory::column_bytes;
use crate::model::NodeId;
use crate::schedule::{Case, Role, Scheduled};
use crate::tiling::KEPT_BYTES;
use crate::value::ROW_LANES;

/// Reductions of all passes: each has room in the workspace.
pub(super) fn reductions(s: &Scheduled) -> Vec<NodeId> {
    s.order.iter().copied().filter(|id| s.roles[*id] == Role::Reduce && s.pass(*id).is_some()).collect()
}

/// How often cores that share rows wait for each other.
pub(super) fn meetings(s: &Scheduled) -> usize {
    let passes: BTreeSet<usize> = reductions(s).into_iter().map(|id| s.section(id)).collect();
    passes.len()
}

impl Body<'_> {
    fn columns(&self) -> String {
        let s = &self.kernel.s;
        self.size(&s.columns.map_or_else(|| Expr::from(1), |columns| s.graph.axis[columns].size.clone()))
    }

    /// The loop over parts of rows, and which elements a part has.
    pub(super) fn share(&self, text: &mut String) {
        let columns = self.columns();
        let _ = write!(
            text,
            "        const int64_t segment = tiling_->segment;\n        \
             const int64_t segments = ({columns} + segment - 1) / segment;\n        \
             const int64_t own = (segments + tiling_->parts - 1) / tiling_->parts;\n        \
             for (int64_t index = begin; index < end; index++) {{\n            \
             const int64_t unit = index / tiling_->parts;\n            \
             const int64_t part = index % tiling_->parts;\n            \
             const RowPart row{{{columns}, segment, part * own * segment, tiling_->parts > 1}};\n            \
             const int64_t after = row.first + own * segment;\n            \
             const int64_t last = after < row.columns ? after : row.columns;\n"
        );
    }

    /// Cores that share rows give each other the lanes of a pass. Behind the last pass only one of a row has work.
    fn exchange(&self, lines: &mut Vec<String>, steps: &[NodeId], is_last: bool) {
        let s = &self.kernel.s;
        let here: Vec<NodeId> = steps.iter().copied().filter(|id| s.roles[*id] == Role::Reduce).collect();
        if here.is_empty() {
            return;
        }
        let all = reductions(s);
        let slot = |id: NodeId| {
            let at = all.iter().position(|other| *other == id).unwrap_or_default();
            format!("workspace_ + (unit * {} + {at}) * {KEPT_BYTES}", all.len())
        };
        lines.push("if (row.isShared) {".to_owned());
        lines.push(
            "    const int32_t kept = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE3));"
                .to_owned(),
        );
        lines.push("    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(kept);".to_owned());
        lines.push("    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(kept);".to_owned());
        for id in here.iter().copied() {
            lines.push(format!("    StoreLanes({}, {}, row, last);", slot(id), self.kept(id)));
        }
        lines.push("    AscendC::SyncAll();".to_owned());
        if is_last {
            lines.push("    if (part > 0) {\n                    return;\n                }".to_owned());
        }
        for id in here {
            let dtype = s.graph.nodes[id].y.dtype.unwrap_or(DType::Float32);
            let (kind, _) = kind(&s.graph.nodes[id].node_type);
            let kept = format!("kept_.Get<{}>()", dtype.cpp());
            lines.push(format!("    LoadLanes<Reduction::{kind}>({}, {kept}, {}, row);", self.lanes(id), slot(id)));
        }
        lines.push("}".to_owned());
    }

    /// The lanes of a core's own segments: those of the reductions of a pass one behind the other.
    pub(super) fn kept(&self, id: NodeId) -> String {
        let s = &self.kernel.s;
        let dtype = s.graph.nodes[id].y.dtype.unwrap_or(DType::Float32);
        match s.accumulator(id) {
            0 => format!("kept_.Get<{}>()", dtype.cpp()),
            at => format!("kept_.Get<{}>()[{at} * own * {}]", dtype.cpp(), 256 / dtype.size()),
        }
    }

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
                if s.shares_rows() {
                    self.exchange(&mut lines, &s.order[begin..end], section / 2 + 1 == s.passes.count);
                }
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
        let [begin, end, step, name] = match s.case {
            Case::C => ["0", &whole, "tiling_->stride", "rows"],
            _ => ["row.first", "last", "stride", "length"],
        };
        let _ = write!(
            text,
            "{indent}for (int64_t piece = {begin}; piece < {end}; piece += {step}) {{\n{indent}    \
             const int64_t ahead = {end} - piece;\n{indent}    \
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
            _ => format!("[{}]", 2 * at * 256 / dtype.size()),
        };
        format!("lanes_.Get<{}>(){begin}", dtype.cpp())
    }

    /// A reduction's part in a pass.
    pub(super) fn take(&self, id: NodeId, piece: &str) -> String {
        let s = &self.kernel.s;
        let (kind, _) = kind(&s.graph.nodes[id].node_type);
        let mut first: Vec<String> =
            (s.outer.len() - s.around..s.outer.len()).map(|at| format!("at{at} == 0")).collect();
        let lanes = self.lanes(id);
        if s.case == Case::C {
            first.push("piece == 0".to_owned());
            return format!("TakeRows<Reduction::{kind}>({lanes}, {piece}, rows, stride, {});", first.join(" && "));
        }
        // Only cores that share a row keep lanes.
        let kept = if s.shares_rows() { format!("row.isShared ? {} : {lanes}", self.kept(id)) } else { lanes.clone() };
        let first = if first.is_empty() { String::new() } else { format!(", {}", first.join(" && ")) };
        format!("TakePiece<Reduction::{kind}>({lanes}, {kept}, {piece}, length, piece, row{first});")
    }

    /// Behind its pass a reduction has its result.
    fn meet(&self, lines: &mut Vec<String>, id: NodeId) {
        let s = &self.kernel.s;
        let Some(place) = self.kernel.memory.places[id] else { return };
        let (name, lanes) = (variable(&s.graph, id), self.lanes(id));
        let [_, _, whole] = s.demanded();
        let whole = self.size(&whole);
        let count = s.around().fold(whole.clone(), |all, size| format!("{all} * {}", self.size(size)));
        let own = match s.case {
            Case::C => ["MeanOfColumns", "MeetRows"],
            _ if s.folds(id) => ["", "FoldLanes"],
            _ => ["MeanOfLanes", "MeetLanes"],
        };
        let (work, stride) =
            (if s.folds(id) { FOLD_WORK } else { "" }, if s.case == Case::C { ", stride" } else { "" });
        let call = match kind(&s.graph.nodes[id].node_type) {
            (_, true) => format!("{}({name}, {lanes}, {whole}, {count}{stride});", own[0]),
            (kind, false) => format!("{}<Reduction::{kind}>({name}, {lanes}, {work}{whole}{stride});", own[1]),
        };
        self.tile(lines, id, place, vec![call]);
    }
}

/// Rows of partial results in `cpp/columns.h`.
const _: () = assert!(ROW_LANES == 8);

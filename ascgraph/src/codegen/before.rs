//! What a core does before the first tile: constants, and what is the same for all tiles.

use std::fmt::Write;

use super::body::Body;
use super::fields::queue;
use super::{calls, variable};
use crate::dtype::DType;
use crate::expr::Expr;
use crate::literal;
use crate::memory::{BLOCK, Place};
use crate::model::{AttrValue, NodeId};
use crate::schedule::{Case, Role, Unsupported, unsupported};

impl Body<'_> {
    /// Of columns that go by in pieces a piece has the rows.
    fn rows_of_a_tile(&self) -> &'static str {
        if self.kernel.s.case == Case::C { "tiling_->stride" } else { "tiling_->tile" }
    }

    pub(super) fn constants(&self, text: &mut String) -> Result<(), Unsupported> {
        let s = &self.kernel.s;
        let rows = self.rows_of_a_tile();
        let count = if s.columns.is_some() { format!("{rows} * stride") } else { rows.to_owned() };
        for id in s.order.iter().copied().filter(|id| s.roles[*id] == Role::Constant) {
            let (Some(place), node) = (self.kernel.memory.places[id], &s.graph.nodes[id]) else { continue };
            let Some(dtype) = node.y.dtype else { continue };
            if let Some(size) = s.graph.size_of(id) {
                text.push_str(&self.size_everywhere(id, place, size, &count)?);
                continue;
            }
            let Some(AttrValue::Text(value)) = node.ir_attr.get("value") else { continue };
            let Some(bits) = literal::bits(value, dtype) else {
                return Err(unsupported(node, format!("{value} is no {dtype}")));
            };
            let (name, cpp) = (variable(&s.graph, id), dtype.cpp());
            let tile = format!("        AscendC::LocalTensor<{cpp}> {name} = {}.Get<{cpp}>();\n", queue(place));
            let fill = match (dtype.size(), calls::literal(bits, dtype)) {
                (2 | 4, Some(number)) => {
                    format!("AscendC::Duplicate({name}, {number}, static_cast<int32_t>({count}));")
                }
                // What has no literal has bits.
                (2, None) => format!(
                    "AscendC::Duplicate({name}.ReinterpretCast<uint16_t>(), static_cast<uint16_t>({bits}), \
                     static_cast<int32_t>({count}));"
                ),
                (4, None) => format!(
                    "AscendC::Duplicate({name}.ReinterpretCast<uint32_t>(), static_cast<uint32_t>({bits}), \
                     static_cast<int32_t>({count}));"
                ),
                (1, _) => format!(
                    "AscendC::Duplicate({name}.ReinterpretCast<uint16_t>(), static_cast<uint16_t>({}), \
                     static_cast<int32_t>({count} / 2));",
                    bits * 257
                ),
                _ => return Err(unsupported(node, format!("Duplicate has no {dtype}"))),
            };
            let _ = writeln!(text, "{tile}        {fill}");
        }
        Ok(())
    }

    /// A tile of a size.
    fn size_everywhere(&self, id: NodeId, place: Place, size: &Expr, count: &str) -> Result<String, Unsupported> {
        let graph = &self.kernel.s.graph;
        let (node, name, size) = (&graph.nodes[id], variable(graph, id), self.size(size));
        let Some(dtype) = node.y.dtype.filter(|dtype| dtype.is_float()) else {
            return Err(unsupported(node, "a size is computed with as a float only: a Cast to one helps"));
        };
        let (cpp, mut value) = (dtype.cpp(), format!("static_cast<float>({size})"));
        if dtype != DType::Float32 {
            value = format!("static_cast<{cpp}>({value})");
        }
        Ok(format!(
            "        AscendC::LocalTensor<{cpp}> {name} = {}.Get<{cpp}>();\n        \
             AscendC::Duplicate({name}, {value}, static_cast<int32_t>({count}));\n",
            queue(place)
        ))
    }

    /// A block of ones for what divides 1.
    pub(super) fn ones(&self, text: &mut String) {
        for dtype in &self.kernel.memory.ones {
            let (cpp, count) = (dtype.cpp(), BLOCK / dtype.size());
            let _ = write!(
                text,
                "        const AscendC::LocalTensor<{cpp}> one_{cpp} = one_{cpp}_.Get<{cpp}>();\n        \
                 AscendC::Duplicate(one_{cpp}, static_cast<{cpp}>(1.0f), {count});\n"
            );
        }
    }

    /// Where in a tile that is to be turned an element of the turned one lies.
    pub(super) fn turns(&self, text: &mut String) {
        let (rows, align) = (self.rows_of_a_tile(), self.kernel.s.align());
        if !self.kernel.memory.turns.is_empty() {
            let _ = writeln!(
                text,
                "        const uint32_t pitch = static_cast<uint32_t>(({rows} + {}) / {align} * {align});",
                align - 1
            );
        }
        for size in &self.kernel.memory.turns {
            let _ = write!(
                text,
                "        const AscendC::LocalTensor<uint32_t> turn{size} = turn{size}_.Get<uint32_t>();\n        \
                 TurnPlaces(turn{size}_.Get<int32_t>(), static_cast<uint32_t>({rows}), stride, pitch, {size});\n"
            );
        }
    }

    /// What is the same for all tiles, as often as a tile has it. What is read has arrived before anything is computed.
    pub(super) fn hoisted(&self, text: &mut String) {
        let s = &self.kernel.s;
        let (mut reads, mut computes) = (Vec::new(), Vec::new());
        for id in s.order[..s.first()].iter().copied() {
            self.node(if s.roles[id] == Role::Load { &mut reads } else { &mut computes }, id);
        }
        if reads.len() + computes.len() == 0 {
            return;
        }
        let rows = self.rows_of_a_tile();
        let _ = writeln!(text, "        [[maybe_unused]] const uint32_t tile = static_cast<uint32_t>({rows});");
        text.push_str("        if (begin >= end) {\n            return;\n        }\n");
        if !reads.is_empty() {
            reads.push("const int32_t arrived = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE2_V));".to_owned());
            reads.push("AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived);".to_owned());
            reads.push("AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived);".to_owned());
        }
        for line in reads.into_iter().chain(computes) {
            let _ = writeln!(text, "        {line}");
        }
    }
}

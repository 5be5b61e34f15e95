//! Tiles that are copied while the one before is computed.

use std::fmt::Write;

use super::body::Body;
use crate::memory::Place;
use crate::model::NodeId;
use crate::schedule::Role;

impl Body<'_> {
    /// The tiles of a kernel that copies the next one before it computes: the exact Fmod waits for its results, and no
    /// copy would be under way meanwhile.
    pub(super) fn ahead(&self) -> Vec<(NodeId, Place)> {
        let (s, memory) = (&self.kernel.s, &self.kernel.memory);
        if s.case.has_passes() || !memory.fmod.iter().any(|class| class.exact) {
            return Vec::new();
        }
        let loads = s.order.iter().copied().filter(|id| s.roles[*id] == Role::Load && !s.is_hoisted(*id));
        let loads: Vec<_> = loads.filter_map(|id| Some((id, memory.places[id]?))).collect();
        let shared = loads.iter().any(|one| loads.iter().any(|other| other.0 != one.0 && other.1 == one.1));
        let turned = loads.iter().any(|(id, _)| s.is_turned(*id));
        if shared || turned { Vec::new() } else { loads }
    }

    pub(super) fn reads_ahead(&self) -> bool {
        !self.ahead().is_empty()
    }

    /// A function that copies a tile's operands.
    pub(super) fn read(&self, text: &mut String) {
        text.push_str("    __aicore__ inline void Read(int64_t index)\n    {\n");
        self.stride(text);
        self.position(text, "index", "        ");
        let (mut lines, mut flags) = (Vec::new(), Vec::new());
        for (id, _) in self.ahead() {
            let mut own = Vec::new();
            self.node(&mut own, id);
            // The last waits.
            own.pop();
            flags.extend(own.pop());
            lines.append(&mut own);
        }
        for line in lines.iter().chain(&flags) {
            let _ = writeln!(text, "        {line}");
        }
        text.push_str("    }\n\n");
    }
}

//! Names of the generated kernel that several of its parts use: fields of the tiling data, queues and buffers.

use crate::expr::Expr;
use crate::memory::Place;
use crate::model::{AttrValue, NodeId, Position};
use crate::plan::{Kernel, Plan};
use crate::schedule::Role;

/// What the kernels are told beside the tiling: loop sizes, offsets, strides and lengths that are no constants, each
/// expression once. A size variable alone gives its field the name.
pub fn fields(plan: &Plan) -> Vec<(String, Expr)> {
    let mut fields: Vec<(String, Expr)> = Vec::new();
    for expr in plan.cases.iter().flat_map(needs).filter(|expr| expr.constant().is_none()) {
        if fields.iter().any(|(_, known)| *known == expr) {
            continue;
        }
        let name = match expr.symbols().as_slice() {
            [only] if Expr::symbol(only) == expr => format!("size_{only}"),
            _ => format!("value{}", fields.len()),
        };
        fields.push((name, expr));
    }
    fields
}

fn needs(kernel: &Kernel) -> Vec<Expr> {
    let s = &kernel.s;
    let mut needs: Vec<Expr> = s.outer.iter().chain([&s.row]).map(|axis| s.graph.axis[*axis].size.clone()).collect();
    for (id, steps) in s.steps.iter().enumerate() {
        let more = if s.is_turned(id) { 2 } else { usize::from(s.columns.is_some()) };
        needs.extend(steps.iter().take(s.outer.len() + more).cloned());
        needs.extend(start(kernel, id).cloned());
    }
    let sizes = (0..s.roles.len()).filter(|id| kernel.memory.places[*id].is_some());
    needs.extend(sizes.filter_map(|id| s.graph.size_of(id).cloned()));
    if s.columns.is_some() {
        let used = |id: &usize| !matches!(s.roles[*id], Role::None | Role::Constant);
        needs.extend((0..s.roles.len()).filter(used).map(|id| s.lengths[id].clone()));
        let pieces = (0..s.roles.len()).filter(|id| s.roles[*id] == Role::Store).flat_map(|id| s.pieces(id));
        needs.extend(pieces.flat_map(|piece| [piece.column, piece.length]));
    }
    needs
}

/// The first element of a Load or Store in its tensor.
pub fn start(kernel: &Kernel, id: NodeId) -> Option<&Expr> {
    let moves = matches!(kernel.s.roles[id], Role::Load | Role::LoadElement | Role::Store);
    match kernel.s.graph.nodes[id].ir_attr.get("offset") {
        Some(AttrValue::Expr(expr)) if moves => Some(expr),
        _ => None,
    }
}

pub fn queue(place: Place) -> String {
    match place.position {
        Position::VecIn => format!("in{}_", place.id),
        Position::VecOut => format!("out{}_", place.id),
        _ => format!("buf{}_", place.id),
    }
}

//! Names of the generated kernel that several of its parts use: fields of the tiling data, queues and buffers.

use crate::expr::Expr;
use crate::memory::Place;
use crate::model::{AttrValue, NodeId, Position};
use crate::plan::Kernel;
use crate::schedule::Role;

/// What a kernel is told beside the tiling: loop sizes, offsets, strides and lengths that are no constants. Those of a
/// second kernel have its number in front.
pub fn fields(kernel: &Kernel, case: usize) -> Vec<(String, Expr)> {
    let s = &kernel.s;
    let mut fields: Vec<(String, Expr)> = Vec::new();
    for (at, axis) in s.outer.iter().enumerate() {
        fields.push((format!("outer{at}"), s.graph.axis[*axis].size.clone()));
    }
    fields.push(("row".to_owned(), s.graph.axis[s.row].size.clone()));
    for (id, steps) in s.steps.iter().enumerate() {
        for (at, step) in steps.iter().take(s.outer.len() + usize::from(s.columns.is_some())).enumerate() {
            if step.constant().is_none() {
                fields.push((format!("step{id}_{at}"), step.clone()));
            }
        }
        if let Some(start) = start(kernel, id).filter(|start| start.constant().is_none()) {
            fields.push((format!("start{id}"), start.clone()));
        }
    }
    if s.columns.is_some() {
        let used = |id: &usize| !matches!(s.roles[*id], Role::None | Role::Constant);
        let pieces = (0..s.roles.len()).filter(|id| s.roles[*id] == Role::Store).flat_map(|id| s.pieces(id));
        let columns = pieces.flat_map(|piece| [piece.column, piece.length]);
        for length in (0..s.roles.len()).filter(used).map(|id| s.lengths[id].clone()).chain(columns) {
            if length.constant().is_none()
                && !fields.iter().any(|(name, known)| name.starts_with("columns") && *known == length)
            {
                fields.push((format!("columns{}", fields.len()), length));
            }
        }
    }
    let number = |name: String| if case == 0 { name } else { format!("m{case}_{name}") };
    fields.into_iter().map(|(name, expr)| (number(name), expr)).collect()
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

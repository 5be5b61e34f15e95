//! What each node is in the kernel, and what part of a tile it has.

use super::{Role, Span, Unsupported, is_one, is_whole, turned, unsupported};
use crate::dtype::DType;
use crate::expr::Expr;
use crate::ir::{self, ComputeType};
use crate::lower::steps;
use crate::model::{AxisId, Graph, Node, NodeId};
use crate::tiling::MOST_ELEMENTS;
use crate::transform::{COPY, Transform};

/// One number everywhere: Scalars, sizes, and what only repeats one.
pub fn constants(graph: &Graph) -> Vec<bool> {
    let mut constant = vec![false; graph.nodes.len()];
    for id in graph.topological() {
        let node = &graph.nodes[id];
        constant[id] = node.node_type == "Scalar"
            || graph.size_of(id).is_some()
            || node.node_type == "Broadcast" && operand(node).is_some_and(|id| constant[id]);
    }
    constant
}

fn operand(node: &Node) -> Option<NodeId> {
    node.inputs.first().and_then(|input| input.from)
}

fn is_kept(graph: &Graph, node: &Node) -> bool {
    let source = operand(node).and_then(|from| graph.nodes.get(from));
    node.node_type == "Cast" && source.is_some_and(|source| source.y.dtype == node.y.dtype)
}

/// What comes from memory and goes back unchanged passes the vector unit: queues go in one direction.
pub fn insert_copies(transform: &mut Transform) {
    let alive = transform.graph().alive();
    for id in (0..alive.len()).filter(|id| alive[*id]) {
        let node = &transform.graph().nodes[id];
        if !["Store", "Concat"].contains(&node.node_type.as_str()) {
            continue;
        }
        for which in 0..node.inputs.len() {
            let graph = transform.graph();
            let mut from = graph.nodes[id].inputs[which].from;
            while let Some(node) = from.map(|from| &graph.nodes[from])
                && (node.node_type == "Broadcast" || is_kept(graph, node))
            {
                from = operand(node);
            }
            if from.is_some_and(|from| ["Load", "Scalar", "IndexExpr"].contains(&graph.nodes[from].node_type.as_str()))
            {
                transform.insert_copy(id, which);
            }
        }
    }
}

/// Tiles leave their queues at once: what is read several times, or stored and read, has a copy in a buffer.
pub fn insert_copies_of_tiles(transform: &mut Transform) {
    let graph = transform.graph().clone();
    let alive = graph.alive();
    let is = |id: NodeId, names: &[&str]| names.contains(&graph.nodes[id].node_type.as_str());
    for id in (0..alive.len()).filter(|id| alive[*id]) {
        if is(id, &["Store"]) && operand(&graph.nodes[id]).is_some_and(|from| !is(from, &[COPY, "Concat"])) {
            transform.insert_copy(id, 0);
        }
        if !is(id, &["Load"]) {
            continue;
        }
        let mut copy = None;
        for reader in graph.consumers(id).into_iter().filter(|reader| !is(*reader, &["Broadcast", COPY, turned::TURN]))
        {
            for which in 0..graph.nodes[reader].inputs.len() {
                match copy {
                    _ if graph.nodes[reader].inputs[which].from != Some(id) => {}
                    Some(copy) => transform.turn(reader, which, copy),
                    None => copy = Some(transform.insert_copy(reader, which)),
                }
            }
        }
    }
}

/// Parts of a tile; `row` is the axis that is cut.
pub fn spans(graph: &Graph, row: AxisId, columns: Option<AxisId>) -> Vec<Span> {
    let span = |node: &Node| match columns {
        None if is_one(graph, &node.y, row) => Span::One,
        None => Span::Wide,
        Some(columns) => match (is_one(graph, &node.y, row), is_one(graph, &node.y, columns)) {
            (false, false) => Span::Wide,
            (false, true) => Span::Narrow,
            (true, false) => Span::Row,
            (true, true) => Span::One,
        },
    };
    graph.nodes.iter().map(span).collect()
}

/// Sizes along an axis.
pub fn lengths(graph: &Graph, axis: AxisId) -> Vec<Expr> {
    let length = |node: &Node| {
        let at = node.y.axis.iter().position(|other| *other == axis);
        at.map_or_else(|| graph.axis[axis].size.clone(), |at| node.y.size[at].clone())
    };
    graph.nodes.iter().map(length).collect()
}

/// Strides in memory of what is read and written, and whether rows can be copied in one piece.
pub fn steps(
    graph: &Graph,
    alive: &[bool],
    loops: &[AxisId],
    is_reduced: &dyn Fn(AxisId) -> bool,
) -> Result<Vec<Vec<Expr>>, Unsupported> {
    let mut all = vec![Vec::new(); graph.nodes.len()];
    let joins = graph.nodes.iter().zip(alive).any(|(node, alive)| *alive && node.node_type == "Concat");
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| alive[*id]) {
        if !["Load", "Store"].contains(&node.node_type.as_str()) {
            continue;
        }
        for (nth, axis) in loops.iter().enumerate() {
            let (last, name) = (nth + 1 == loops.len(), graph.axis_name(*axis));
            let at = node.y.axis.iter().position(|other| other == axis);
            let Some(at) = at else { return Err(unsupported(node, "its axes are not those of the schedule")) };
            let (size, stride, one) = (&node.y.size[at], &node.y.strides[at], node.y.size[at].is(1));
            // Operands of a Concat have a part of its axis.
            if !(one || is_whole(graph, &node.y, *axis) || last && joins) {
                let why = format!("size {size} along axis {name} of size {}", graph.axis[*axis].size);
                return Err(unsupported(node, why));
            }
            let sideways = turned::is_turned(graph, alive, id);
            if sideways && nth + 2 == loops.len() && !stride.is(1) {
                let why = format!("stride {stride} along axis {name}; what is turned lies side by side along it");
                return Err(unsupported(node, why));
            }
            if last && !one && !stride.is(1) && !sideways {
                return Err(unsupported(node, format!("stride {stride} along its last axis; only 1 is copied")));
            }
            let written_once = last && loops.len() > 1 || is_reduced(*axis);
            if one && node.node_type == "Store" && !graph.axis[*axis].size.is(1) && !written_once {
                return Err(unsupported(node, format!("size 1 along axis {name}: every iteration would write it")));
            }
            all[id].push(if one { Expr::from(0) } else { stride.clone() });
        }
    }
    Ok(all)
}

/// One element for each row is copied as one piece of memory.
pub fn check_narrow(graph: &Graph, spans: &[Span], steps: &[Vec<Expr>], cut: usize) -> Result<(), Unsupported> {
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| spans[*id] == Span::Narrow) {
        if let Some(step) = steps[id].get(cut).filter(|step| !step.is(1) && !step.is(0)) {
            let why = format!("one element for each row, {step} elements apart; only neighbours are copied");
            return Err(unsupported(node, why));
        }
    }
    Ok(())
}

/// What a tile has of the results.
pub struct Parts<'a> {
    pub spans: &'a [Span],
    pub columns: Option<AxisId>,
    /// Case C: columns are reduced, and one row of a tile is left.
    pub is_column: bool,
    /// Has it several rows?
    pub has_rows: bool,
}

pub fn roles(graph: &Graph, alive: &[bool], constant: &[bool], parts: &Parts) -> Result<Vec<Role>, Unsupported> {
    let Parts { spans, columns, .. } = *parts;
    let mut roles = vec![Role::None; graph.nodes.len()];
    let find = |roles: &[Role], mut id: NodeId| {
        while let Role::Alias(from) = roles[id] {
            id = from;
        }
        id
    };
    for id in graph.topological().into_iter().filter(|id| alive[*id]) {
        let node = &graph.nodes[id];
        let Some(ir) = ir::find(&node.node_type) else { return Err(unsupported(node, "no such type")) };
        let from = operand(node);
        roles[id] = match (ir.compute_type, from) {
            (ComputeType::Invalid, None) if constant[id] => Role::Constant,
            (ComputeType::Invalid, _) => Role::None,
            (ComputeType::Transpose, _) => turned::role(node, parts.has_rows && spans[id] == Span::Wide)?,
            (ComputeType::Load, _) if spans[id] == Span::One => Role::LoadElement,
            (ComputeType::Load, _) => Role::Load,
            (ComputeType::Store, _) => {
                store(graph, id, parts)?;
                let ends = graph.consumers(id).len();
                if ends > 1 {
                    return Err(unsupported(node, format!("{ends} Outputs read it; each takes a Store of its own")));
                }
                Role::Store
            }
            (ComputeType::Broadcast, Some(from)) if constant[from] => Role::Alias(from),
            (ComputeType::Broadcast, Some(from)) => {
                broadcast(node, from, [spans[from], spans[id]], &roles[find(&roles, from)])?
            }
            (ComputeType::Elewise, Some(from)) if is_kept(graph, node) => Role::Alias(from),
            (ComputeType::Elewise, _) if constant[id] => Role::Constant,
            (ComputeType::Elewise, _) if !steps::is_known(node, graph) => {
                return Err(unsupported(node, "no instructions are known for its data types"));
            }
            (ComputeType::Elewise, _) if spans[id] == Span::One => {
                return Err(unsupported(node, "it has one element for a whole tile; only a Load may have that"));
            }
            (ComputeType::Elewise, _) => Role::Compute,
            (ComputeType::Reduce, Some(from)) => reduce(node, [spans[from], spans[id]], parts.is_column)?,
            (ComputeType::Concat, _) => join(graph, node, id, spans, columns)?,
            (ComputeType::Broadcast | ComputeType::Reduce, None) => {
                return Err(unsupported(node, "it has no operand"));
            }
        };
        let joined =
            |input: &crate::model::Input| input.from.is_some_and(|from| roles[find(&roles, from)] == Role::Join);
        if !matches!(roles[id], Role::Store | Role::Alias(_) | Role::None) && node.inputs.iter().any(joined) {
            return Err(unsupported(node, "it computes with what a Concat has joined; only a Store takes that"));
        }
    }
    Ok(roles)
}

/// Every element that a Store writes is one of its own.
fn store(graph: &Graph, id: NodeId, parts: &Parts) -> Result<(), Unsupported> {
    let (node, span, columns) = (&graph.nodes[id], parts.spans[id], parts.columns);
    match (span, columns) {
        (Span::Wide, _) => Ok(()),
        (Span::Narrow, Some(_)) if !parts.is_column => Ok(()),
        (Span::Row, Some(_)) if parts.is_column => Ok(()),
        _ => {
            let axis = columns.filter(|_| span == Span::Row).or(node.y.axis.last().copied()).unwrap_or_default();
            Err(unsupported(
                node,
                format!("size 1 along axis {}: every iteration would write it", graph.axis_name(axis)),
            ))
        }
    }
}

fn broadcast(node: &Node, from: NodeId, spans: [Span; 2], source: &Role) -> Result<Role, Unsupported> {
    let dtype = node.y.dtype.unwrap_or(DType::Float32);
    match spans {
        [a, b] if a == b => Ok(Role::Alias(from)),
        [Span::One, _] if *source != Role::LoadElement => Err(unsupported(node, "only a Load may have one element")),
        [Span::One, _] if !ir::is_repeated(dtype) => Err(unsupported(node, "Duplicate does not have its data type")),
        [Span::One, _] => Ok(Role::Repeat),
        [Span::Narrow, Span::Wide] if ![2, 4].contains(&dtype.size()) => {
            Err(unsupported(node, format!("Brcb has no {dtype}; a Cast before it helps")))
        }
        [Span::Narrow, Span::Wide] => Ok(Role::RepeatColumns),
        [Span::Row, Span::Wide] => Ok(Role::RepeatRows),
        _ => Err(unsupported(node, "it makes a result smaller")),
    }
}

/// Of whole rows of a tile one element is left, of its columns one row.
fn reduce(node: &Node, spans: [Span; 2], is_column: bool) -> Result<Role, Unsupported> {
    let left = if is_column { Span::Row } else { Span::Narrow };
    match spans {
        [a, b] if a == b => {
            Err(unsupported(node, "it reduces nothing: its operand has one element for each of its own"))
        }
        [Span::Wide, b] if b == left && ir::is_reduced(&node.node_type, node.y.dtype) => Ok(Role::Reduce),
        [Span::Wide, b] if b == left => Err(unsupported(node, "no instructions are known for its data type")),
        _ => Err(unsupported(node, "its operand is the same for all rows: reduce it before it is repeated")),
    }
}

/// Along the last axis: each operand has its part of every row.
fn join(graph: &Graph, node: &Node, id: NodeId, spans: &[Span], columns: Option<AxisId>) -> Result<Role, Unsupported> {
    for from in node.inputs.iter().filter_map(|input| input.from) {
        let source = &graph.nodes[from].y;
        let other = node.y.axis.iter().zip(node.y.size.iter().zip(&source.size));
        for (axis, (to, from)) in other.filter(|(axis, _)| Some(**axis) != columns) {
            if to.static_eq(from) != crate::expr::Tri::True {
                let name = graph.axis_name(*axis);
                return Err(unsupported(node, format!("it joins along axis {name}; only the last axis is joined")));
            }
        }
        if spans[from] != Span::Wide || spans[id] != Span::Wide {
            let name = &graph.nodes[from].name;
            return Err(unsupported(node, format!("{name} has size 1 along the axis; more are joined")));
        }
    }
    Ok(Role::Join)
}

/// Sizes whose product, or a stride of which, is beyond what a kernel counts with.
pub fn fits(hint: &Graph) -> Result<(), String> {
    let sizes = || hint.sched.axis.iter().map(|id| &hint.axis[*id].size);
    let all = sizes().fold(Expr::from(1), |all, size| all.times(size));
    let strides = hint.nodes.iter().flat_map(|node| &node.y.strides).any(Expr::is_overflow);
    if !strides && !all.is_overflow() && all.constant().is_none_or(|all| all <= MOST_ELEMENTS) {
        return Ok(());
    }
    let axes: Vec<String> =
        hint.sched.axis.iter().zip(sizes()).map(|(id, size)| format!("{} = {size}", hint.axis_name(*id))).collect();
    let axes = axes.join(", ");
    Err(format!(
        "axes {axes} are more than 2^48 elements, which is the most; cut one of them and launch once for each part"
    ))
}

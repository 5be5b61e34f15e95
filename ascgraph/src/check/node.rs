//! Rules about one node and its type.

use super::{Report, Rule};
use crate::dtype::DType;
use crate::expr::{Expr, Tri};
use crate::ir::{self, AscIr, AttrKind, ComputeType, Inputs};
use crate::literal;
use crate::model::{AttrValue, Node, NodeId, TensorAttr};

pub fn check(report: &mut Report, id: NodeId, node: &Node) {
    let Some(ir) = ir::find(&node.node_type) else {
        report.of(Rule::UnknownType, node, format!("type {}", node.node_type));
        return;
    };
    attributes(report, node, ir);
    if !arity(report, node, ir) {
        return;
    }
    let operands: Vec<&Node> = node.inputs.iter().filter_map(|input| report.graph.nodes.get(input.from?)).collect();
    neighbours(report, node, &operands);
    dtypes(report, id, node, ir, &operands);
    match ir.compute_type {
        ComputeType::Elewise => elewise(report, node, &operands),
        ComputeType::Broadcast => broadcast(report, node, &operands),
        ComputeType::Reduce => reduced(report, node, &operands),
        ComputeType::Concat => concat(report, node, &operands),
        ComputeType::Transpose => transpose(report, node, &operands),
        ComputeType::Store => elewise(report, node, &operands),
        ComputeType::Load | ComputeType::Invalid => {}
    }
}

fn attributes(report: &mut Report, node: &Node, ir: &AscIr) {
    for (name, kind) in ir.attrs {
        let given = node.ir_attr.get(*name);
        let good = match (kind, given) {
            (AttrKind::Index, Some(AttrValue::Int(index))) => *index >= 0,
            (AttrKind::Text, Some(AttrValue::Text(_))) => true,
            (AttrKind::Choice, None | Some(AttrValue::Int(0 | 1)))
            | (AttrKind::ResultType | AttrKind::Offset, None) => true,
            (AttrKind::ResultType, Some(AttrValue::Text(text))) => {
                DType::of_name(text).is_some_and(|dtype| node.y.dtype == Some(dtype))
            }
            (AttrKind::Offset | AttrKind::Size, Some(AttrValue::Expr(expr))) => {
                super::graph::expression(report, &node.name, "", name, expr);
                true
            }
            (AttrKind::Literal, Some(AttrValue::Text(text))) => {
                node.y.dtype.is_none_or(|dtype| literal::bits(text, dtype).is_some())
            }
            _ => false,
        };
        if !good {
            let result = node.y.dtype.map_or("a data type", DType::name);
            let wanted = match kind {
                AttrKind::Index => "an integer from 0",
                AttrKind::Literal => "a number of the node's data type, as text",
                AttrKind::Offset | AttrKind::Size => "an expression",
                AttrKind::Text => "a text",
                AttrKind::Choice => "0 or 1",
                AttrKind::ResultType => result,
            };
            let came = given.map_or_else(|| "is not there".to_owned(), |value| format!("is {value}"));
            report.of(Rule::Attribute, node, format!("ir_attr.{name} {came}, expected {wanted}"));
        }
    }
    for name in node.ir_attr.keys().filter(|name| !ir.attrs.iter().any(|attr| attr.0 == name.as_str())) {
        report.of(Rule::Attribute, node, format!("{} has no attribute {name}", ir.name));
    }
}

/// Are all operands there?
fn arity(report: &mut Report, node: &Node, ir: &AscIr) -> bool {
    let wanted = match ir.inputs {
        Inputs::Named(names) => names.to_vec(),
        Inputs::List(name) => vec![name; node.inputs.len().max(1)],
    };
    let given: Vec<&str> = node.inputs.iter().map(|input| input.name.as_str()).collect();
    if given != wanted {
        let message = format!("{} takes [{}], and has [{}]", ir.name, wanted.join(", "), given.join(", "));
        report.of(Rule::Arity, node, message);
        return false;
    }
    let mut all = true;
    for input in &node.inputs {
        if input.from.is_none_or(|from| from >= report.graph.nodes.len()) {
            report.of(Rule::MissingInput, node, format!("operand {} comes from nowhere", input.name));
            all = false;
        }
    }
    all
}

fn neighbours(report: &mut Report, node: &Node, operands: &[&Node]) {
    for operand in operands {
        let right = match (operand.node_type.as_str(), node.node_type.as_str()) {
            ("Data", "Load") | ("Store", "Output") => true,
            ("Data" | "Store" | "Output", _) | (_, "Load" | "Output") => false,
            _ => true,
        };
        if !right {
            report.of(
                Rule::Neighbours,
                node,
                format!("{} reads {} {}", node.node_type, operand.node_type, operand.name),
            );
        }
    }
}

fn dtypes(report: &mut Report, id: NodeId, node: &Node, ir: &AscIr, operands: &[&Node]) {
    let types: Option<Vec<DType>> = operands.iter().map(|operand| operand.y.dtype).collect();
    // Said once, where the type is missing; and a node that nobody needs owes nothing.
    let Some(types) = types else { return };
    let Some(result) = node.y.dtype else {
        if ir.dtypes != ir::Dtypes::None && report.graph.alive()[id] {
            if types.is_empty() || ir.has_row(&types) {
                report.of(Rule::NoDtype, node, "y.dtype is not there".to_owned());
            } else {
                let table = ir.dtype_text();
                report.of(Rule::Dtype, node, format!("{} from [{}]; its table has {table}", ir.name, names(&types)));
            }
        }
        return;
    };
    // A number, and no instruction that makes it.
    if report.graph.size_of(id).is_some() {
        return;
    }
    if ir.dtypes != ir::Dtypes::None && !ir.takes(&types, result) {
        let message = format!("{} from [{}] to {result}; its table has {}", ir.name, names(&types), ir.dtype_text());
        report.of(Rule::Dtype, node, message);
    }
}

fn names(types: &[DType]) -> String {
    types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

/// May the two sizes be the same?
fn may_be(a: &Expr, b: &Expr) -> bool {
    a == b || a.static_eq(b) == Tri::True
}

fn elewise(report: &mut Report, node: &Node, operands: &[&Node]) {
    for operand in operands {
        let same = operand.y.axis == node.y.axis
            && operand.y.size.len() == node.y.size.len()
            && operand.y.size.iter().zip(&node.y.size).all(|(a, b)| may_be(a, b));
        if !same {
            let graph = report.graph;
            let message = format!(
                "{} is {}, the result {}",
                operand.name,
                graph.tensor_text(&operand.y),
                graph.tensor_text(&node.y)
            );
            report.of(Rule::Operands, node, message);
        }
    }
}

/// The same axes, with the same sizes.
fn transpose(report: &mut Report, node: &Node, operands: &[&Node]) {
    let sizes = |y: &TensorAttr| {
        let mut all: Vec<_> = y.axis.iter().copied().zip(y.size.iter().cloned()).collect();
        all.sort_by_key(|(axis, _)| *axis);
        all
    };
    for operand in operands {
        let (from, to) = (sizes(&operand.y), sizes(&node.y));
        if from.len() != to.len() || !from.iter().zip(&to).all(|(a, b)| a.0 == b.0 && may_be(&a.1, &b.1)) {
            let graph = report.graph;
            let (from, to) = (graph.tensor_text(&operand.y), graph.tensor_text(&node.y));
            report.of(Rule::Operands, node, format!("{} is {from}, the result {to}", operand.name));
        }
    }
}

/// The operand's sizes along the result's axes; a scalar has size 1 along each.
fn source_sizes(operand: &Node, result: &TensorAttr) -> Option<Vec<Expr>> {
    if operand.y.axis.is_empty() {
        return Some(vec![Expr::from(1); result.axis.len()]);
    }
    (operand.y.axis == result.axis && operand.y.size.len() == result.size.len()).then(|| operand.y.size.clone())
}

fn broadcast(report: &mut Report, node: &Node, operands: &[&Node]) {
    let Some(operand) = operands.first() else { return };
    let graph = report.graph;
    let Some(sizes) = source_sizes(operand, &node.y) else {
        let axes = [&operand.y, &node.y].map(|tensor| graph.axis_names(&tensor.axis));
        report.of(Rule::Broadcast, node, format!("axes [{}] become [{}]", axes[0], axes[1]));
        return;
    };
    let mut changed = Vec::new();
    for ((from, to), id) in sizes.iter().zip(&node.y.size).zip(&node.y.axis) {
        if may_be(from, to) {
            continue;
        }
        let name = graph.axis_name(*id).to_owned();
        if !from.is(1) {
            report.add(Rule::Broadcast, &node.name, &name, format!("from {from} to {to}"));
        }
        changed.push(name);
    }
    if changed.len() > 1 {
        report.add(Rule::OneAxis, &node.name, &changed[1], format!("it changes [{}]", changed.join(", ")));
    }
}

fn reduced(report: &mut Report, node: &Node, operands: &[&Node]) {
    let Some(operand) = operands.first() else { return };
    if operand.y.axis != node.y.axis || operand.y.size.len() != node.y.size.len() {
        let graph = report.graph;
        let axes = [&operand.y, &node.y].map(|tensor| graph.axis_names(&tensor.axis));
        report.of(Rule::Reduced, node, format!("axes [{}] become [{}]", axes[0], axes[1]));
        return;
    }
    for ((from, to), id) in operand.y.size.iter().zip(&node.y.size).zip(&node.y.axis) {
        if !may_be(from, to) && !to.is(1) {
            let name = report.graph.axis_name(*id).to_owned();
            report.add(Rule::Reduced, &node.name, &name, format!("from {from} to {to}"));
        }
    }
}

fn concat(report: &mut Report, node: &Node, operands: &[&Node]) {
    let mut joined = 0;
    for (at, id) in node.y.axis.iter().enumerate() {
        let name = report.graph.axis_name(*id).to_owned();
        let sizes: Option<Vec<&Expr>> =
            operands.iter().map(|o| (o.y.axis == node.y.axis).then(|| o.y.size.get(at))?).collect();
        let (Some(sizes), Some(to)) = (sizes, node.y.size.get(at)) else {
            report.add(Rule::Concat, &node.name, &name, "an operand has other axes".to_owned());
            return;
        };
        if sizes.iter().all(|size| may_be(size, to)) {
            continue;
        }
        joined += 1;
        let sum = sizes.iter().fold(Expr::from(0), |sum, size| sum.plus(size));
        if !may_be(&sum, to) || joined > 1 {
            report.add(Rule::Concat, &node.name, &name, format!("the operands add up to {sum}, the result has {to}"));
        }
    }
}

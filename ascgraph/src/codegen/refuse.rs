//! What a graph may say and an operator cannot do: refused here by name, so that no operator is made that does not build
//! or takes its tensors in another order than the graph.

use std::collections::BTreeMap;

use super::Ends;
use crate::expr::Expr;
use crate::interp::choose;
use crate::model::{AttrValue, FusedGraph, FusedNode, Graph, Node};
use crate::plan::{Plan, PlanError};
use crate::schedule::{Role, unsupported};
use crate::tiling::Limits;

/// Words that C++17 keeps for itself and that a symbol or an operator could be called.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class \
    compl const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export \
    extern false float for friend goto half if inline int long main mutable namespace new noexcept not not_eq nullptr \
    operator or or_eq private protected public register reinterpret_cast return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using \
    virtual void volatile wchar_t while xor xor_eq ";

pub fn is_keyword(word: &str) -> bool {
    !word.contains(' ') && KEYWORDS.contains(&format!(" {word} "))
}

/// The operator has the tensors of its one graph, in the order of the graph: the fused graph may say nothing else.
///
/// # Errors
///
/// An operand or a result has another place in `fused`, or is missing there.
pub fn check_wires(fused: &FusedGraph, graph: &Graph) -> Result<(), PlanError> {
    let Some((name, inputs)) = fused.nodes.iter().find_map(|node| match node {
        FusedNode::AscBackend { name, inputs, .. } => Some((name, inputs)),
        _ => None,
    }) else {
        return Ok(());
    };
    let data = fused.nodes.iter().filter_map(|node| match node {
        FusedNode::Data { name, index } => Some((name, *index)),
        _ => None,
    });
    let data: Vec<(&String, i64)> = data.collect();
    for (at, input) in inputs.iter().enumerate() {
        if !data.contains(&(input, at as i64)) {
            let why = format!("operand {at} of {name} is {input}, which is not the Data of index {at}");
            return Err(PlanError::Graph(why + "; an operator's inputs are in the order of its graph"));
        }
    }
    if let Some((unread, _)) = data.iter().find(|(_, index)| *index >= inputs.len() as i64) {
        return Err(PlanError::Graph(format!("{name} does not read {unread}; an operator has no such input")));
    }
    let mut written = 0;
    for node in &fused.nodes {
        let FusedNode::Output { name: output, index, input } = node else { continue };
        if *input != format!("{name}.y{index}") {
            let why = format!("{output} of index {index} is {input}, {name}.y{index} is expected");
            return Err(PlanError::Graph(why + "; an operator's outputs are in the order of its graph"));
        }
        written += 1;
    }
    let made = graph.of_type("Output").count();
    if written != made {
        let why = format!("{made} results of {name}, and {written} of them are an Output; an operator writes all");
        return Err(PlanError::Graph(why));
    }
    Ok(())
}

/// Where the values of symbols come from.
pub enum Symbols<'a> {
    /// The shapes of an operator's inputs.
    OfInputs(&'a Ends),
    /// The arguments of `AutofuseTiling`: all that the graph declares.
    Given,
}

/// What `AutofuseTiling` calls its own arguments and variables.
const TAKEN: [&str; 12] = [
    "Choose",
    "aivNum",
    "block_dim",
    "cores",
    "error",
    "limit",
    "platform",
    "sizes",
    "tiling_data",
    "ub",
    "ubBytes",
    "workspace_size",
];

/// Sizes become C++ over the symbols that a launch knows.
pub fn check_sizes(plan: &Plan, symbols: &Symbols) -> Result<(), PlanError> {
    let (hint, s) = (plan.hint(), &plan.cases[0].s);
    let given = matches!(symbols, Symbols::Given);
    for var in &hint.size_vars {
        let name = &var.name;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if is_keyword(name) || !name.chars().all(word) || name.starts_with(|c: char| !c.is_ascii_alphabetic()) {
            let rule = "letters, digits and `_`, a letter in front, and no keyword of C++";
            return Err(PlanError::Graph(format!("size variable `{name}` cannot be a name in C++: {rule}")));
        }
        if name == "Sizes" || given && TAKEN.contains(&name.as_str()) {
            let why = format!("size variable `{name}`: the generated code has this name; another is expected");
            return Err(PlanError::Graph(why));
        }
    }
    let alone = |size: &Expr| size.symbols().into_iter().find(|symbol| Expr::symbol(symbol) == *size);
    let (bound, who): (Vec<String>, &str) = match symbols {
        Symbols::OfInputs(ends) => {
            let sizes = ends.inputs.iter().flat_map(|end| &hint.nodes[end.by].y.size);
            (sizes.filter_map(alone).collect(), "no input has SYMBOL as the size of an axis")
        }
        Symbols::Given => {
            (hint.size_vars.iter().map(|var| var.name.clone()).collect(), "SYMBOL is no size variable of the graph")
        }
    };
    let check = |node: &Node, expr: &Expr| {
        if let Some(symbol) = expr.symbols().iter().find(|symbol| !bound.contains(symbol)) {
            let why = format!("{expr}: {}, so a launch does not know it", who.replace("SYMBOL", symbol));
            return Err(PlanError::from(unsupported(node, why)));
        }
        Ok(())
    };
    for (_, node) in hint.nodes.iter().enumerate().filter(|(id, _)| s.roles[*id] != Role::None) {
        for expr in node.y.size.iter().chain(&node.y.strides).chain(node.y.axis.iter().map(|id| &hint.axis[*id].size)) {
            if !expr.is_polynomial() {
                let why = format!("{expr}: a kernel's sizes are sums and products of sizes, without quotients");
                return Err(unsupported(node, why).into());
            }
            check(node, expr)?;
        }
        if let Some(AttrValue::Expr(offset)) = node.ir_attr.get("offset") {
            check(node, offset)?;
        }
    }
    Ok(())
}

/// Sizes that are known have a tiling on every chip of the kind, or there is no operator.
pub fn check_tiling(plan: &Plan) -> Result<(), PlanError> {
    let hint = plan.hint();
    if !hint.size_vars.is_empty() {
        return Ok(());
    }
    let tiling = choose(plan, &BTreeMap::new(), Limits { cores: 40, aiv_num: 0, ub_size: UB_SIZE });
    tiling.map(|_| ()).map_err(|error| {
        let axes = hint.sched.axis.iter().map(|id| format!("{} = {}", hint.axis_name(*id), hint.axis[*id].size));
        let axes: Vec<String> = axes.collect();
        PlanError::Graph(format!("no tiling for {}: {error}", axes.join(", ")))
    })
}

/// Unified buffer of Atlas A2 and A3 without what the tiling function leaves for the compiler.
const UB_SIZE: i64 = 196_608 - 8192;

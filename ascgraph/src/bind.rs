//! Values of a graph's symbols, from the shapes of its inputs.

use std::collections::BTreeMap;

use crate::expr::{Expr, Values};
use crate::model::Graph;

/// Shapes by the index of the Data. A graph of one axis takes any shape with as many elements; one of several takes
/// the sizes of its axes, and axes that a shape does not have in front are 1; or those behind, where the graph has 1. What
/// does not fit says so.
///
/// # Errors
///
/// A Load reads no Data, `shapes` lacks an input or gives it a rank that the graph does not take, or a dimension is not
/// the size that the graph gives its axis.
pub fn bind(graph: &Graph, shapes: &BTreeMap<i64, Vec<i64>>) -> Result<Values, String> {
    bind_known(graph, shapes, &BTreeMap::new(), Values::new())
}

/// How many of the last axes have size 1: a reduction without them gives such tensors, and their readers read such.
pub(crate) fn last_ones<'a>(sizes: impl DoubleEndedIterator<Item = &'a Expr>) -> usize {
    sizes.rev().take_while(|size| size.is(1)).count()
}

/// The same, with symbols whose values are known, and dense tensors of so many elements, which any shape may have.
pub(crate) fn bind_known(
    graph: &Graph,
    shapes: &BTreeMap<i64, Vec<i64>>,
    counts: &BTreeMap<i64, i64>,
    mut values: Values,
) -> Result<Values, String> {
    let rank = graph.sched.axis.len();
    let mut seen: Vec<(String, Expr, i64)> = Vec::new();
    for (_, load) in graph.of_type("Load") {
        let data = load.inputs.first().and_then(|input| graph.nodes.get(input.from?));
        let Some(index) = data.and_then(|data| data.index()) else {
            return Err(format!("{} reads no Data", load.name));
        };
        if let Some(count) = counts.get(&index) {
            let all = load.y.size.iter().fold(Expr::from(1), |all, size| all.times(size));
            seen.push((format!("the number of elements of input {index}"), all, *count));
            continue;
        }
        let Some(shape) = shapes.get(&index) else { return Err(format!("input {index} is not there")) };
        if let [size] = load.y.size.as_slice() {
            let count = shape.iter().try_fold(1i64, |count, dim| count.checked_mul(*dim));
            let Some(count) = count else { return Err(format!("input {index} has too many elements")) };
            seen.push((format!("the number of elements of input {index}"), size.clone(), count));
            continue;
        }
        if shape.len() > rank || load.y.size.len() != rank {
            return Err(format!("input {index} has another rank, {}, than the graph, {rank}", shape.len()));
        }
        let missing = match shape.len() + last_ones(load.y.size.iter()) == rank {
            true => 0,
            false => rank - shape.len(),
        };
        for (at, size) in load.y.size.iter().enumerate() {
            let dim = at.checked_sub(missing).and_then(|at| shape.get(at).copied()).unwrap_or(1);
            let axis = graph.axis_name(load.y.axis[at]);
            seen.push((format!("axis {axis} of input {index}"), size.clone(), dim));
        }
    }
    // Symbols that stand alone get their values; then everything is compared.
    for (_, size, value) in &seen {
        if let [symbol] = size.symbols().as_slice()
            && *size == Expr::symbol(symbol)
        {
            values.entry(symbol.clone()).or_insert(*value);
        }
    }
    for (what, size, value) in seen {
        let wanted = size.eval(&values).map_err(|error| format!("{what}: {error}"))?;
        if wanted != value {
            return Err(format!("{what} is {value}, but {size} is {wanted}"));
        }
    }
    Ok(values)
}

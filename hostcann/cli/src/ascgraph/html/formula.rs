//! What a node computes, as one would write it: `load_x / brc_y`, or of the graph's inputs alone, `x - trunc(x / y) * y`.

use ascgraph::model::{AttrValue, Graph, Node, NodeId};

/// A text and how strongly its outermost operator binds.
type Term = (String, u8);

const COMPARE: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;
const UNARY: u8 = 4;
const ATOM: u8 = 5;

/// Longer ones are the name of their node in what reads them.
const LONGEST: usize = 100;

/// Of the names of its operands.
pub fn own(graph: &Graph, id: NodeId) -> String {
    term(graph, id, &|from| (graph.nodes[from].name.clone(), ATOM)).0
}

/// `out = x - trunc(x / y) * y`, for each Output.
pub fn whole(graph: &Graph) -> Vec<String> {
    let mut terms = vec![None; graph.nodes.len()];
    let outputs = graph.nodes.iter().enumerate().filter(|(_, node)| node.node_type == "Output");
    outputs.map(|(id, node)| format!("{} = {}", node.name, expand(graph, id, &mut terms).0)).collect()
}

/// What is being expanded counts as its name: a circle ends there.
fn expand(graph: &Graph, id: NodeId, terms: &mut Vec<Option<Term>>) -> Term {
    let name = || (graph.nodes[id].name.clone(), ATOM);
    if let Some(known) = &terms[id] {
        return known.clone();
    }
    terms[id] = Some(name());
    let operands = graph.nodes[id].inputs.iter().filter_map(|input| input.from);
    for from in operands.filter(|from| *from < graph.nodes.len()) {
        expand(graph, from, terms);
    }
    let found = match graph.nodes[id].node_type.as_str() {
        "Data" => name(),
        _ => term(graph, id, &|from| terms[from].clone().unwrap_or_else(|| (graph.nodes[from].name.clone(), ATOM))),
    };
    let found = if found.0.chars().count() > LONGEST && graph.nodes[id].node_type != "Output" { name() } else { found };
    terms[id] = Some(found.clone());
    found
}

fn term(graph: &Graph, id: NodeId, operand: &dyn Fn(NodeId) -> Term) -> Term {
    let node = &graph.nodes[id];
    let known = |from: &NodeId| *from < graph.nodes.len();
    let inputs: Vec<Term> = node
        .inputs
        .iter()
        .map(|input| input.from.filter(known).map_or_else(|| ("?".to_owned(), ATOM), operand))
        .collect();
    // Operands that bind less than `least` are in brackets.
    let side = |at: usize, least: u8| match &inputs[at] {
        (text, binds) if *binds < least => format!("({text})"),
        (text, _) => text.clone(),
    };
    let infix = |sign: &str, binds: u8| (format!("{} {sign} {}", side(0, binds), side(1, binds + 1)), binds);
    match (node.node_type.as_str(), inputs.len()) {
        ("Data", _) => (format!("input {}", attr(node, "index")), ATOM),
        ("Scalar", _) => (attr(node, "value"), ATOM),
        ("Load" | "Store" | "Output" | "Ub2ub", 1) => inputs[0].clone(),
        // An axis that repeats is in the table; it changes no value.
        ("Broadcast", 1) => inputs[0].clone(),
        ("Add", 2) => infix("+", SUM),
        ("Sub", 2) => infix("-", SUM),
        ("Mul", 2) => infix("*", PRODUCT),
        ("Div" | "TrueDiv", 2) => infix("/", PRODUCT),
        ("FloorDiv", 2) => (format!("floor({})", infix("/", PRODUCT).0), ATOM),
        ("Eq", 2) => infix("==", COMPARE),
        ("Ne", 2) => infix("!=", COMPARE),
        ("Ge", 2) => infix(">=", COMPARE),
        ("Gt", 2) => infix(">", COMPARE),
        ("Le", 2) => infix("<=", COMPARE),
        ("Lt", 2) => infix("<", COMPARE),
        ("Neg", 1) => (format!("-{}", side(0, UNARY)), UNARY),
        ("Reciprocal", 1) => (format!("1 / {}", side(0, UNARY)), PRODUCT),
        ("Where" | "Select", 3) => (format!("{} ? {} : {}", side(0, SUM), side(1, COMPARE), side(2, COMPARE)), 0),
        ("Cast", 1) => {
            let dtype = node.y.dtype.map_or("cast", |dtype| dtype.name());
            (format!("{dtype}({})", inputs[0].0), ATOM)
        }
        (other, _) => {
            let all: Vec<&str> = inputs.iter().map(|(text, _)| text.as_str()).collect();
            (format!("{}({})", other.to_lowercase(), all.join(", ")), ATOM)
        }
    }
}

fn attr(node: &Node, name: &str) -> String {
    match node.ir_attr.get(name) {
        Some(AttrValue::Text(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ascgraph::build::fmod_example;

    #[test]
    fn brackets_stand_where_they_are_needed() {
        let mut fused = fmod_example();
        let graph = &mut fused.graphs[0];
        let id = |graph: &Graph, name: &str| graph.node(name).expect(name);
        assert_eq!(whole(graph), ["out = x - trunc(x / y) * y"]);
        let own = |graph: &Graph, name: &str| own(graph, id(graph, name));
        assert_eq!(
            ["x", "load_x", "div", "mul", "sub"].map(|name| own(graph, name)),
            ["input 0", "x", "load_x / brc_y", "trunc * brc_y", "load_x - mul"]
        );
        let mut with = |name: &str, node_type: &str| {
            let at = id(graph, name);
            graph.nodes[at].node_type = node_type.to_owned();
            whole(graph).remove(0)
        };
        assert_eq!(with("trunc", "Neg"), "out = x - -(x / y) * y");
        assert_eq!(with("mul", "Sub"), "out = x - (-(x / y) - y)");
        assert_eq!(with("trunc", "Betrag"), "out = x - (betrag(x / y) - y)");
        assert_eq!(with("sub", "Lt"), "out = x < betrag(x / y) - y");
    }

    #[test]
    fn circles_and_strangers_end() {
        let mut fused = fmod_example();
        let graph = &mut fused.graphs[0];
        let [div, sub] = ["div", "sub"].map(|name| graph.node(name).expect(name));
        graph.nodes[div].inputs[0].from = Some(sub);
        graph.nodes[div].inputs[1].from = Some(99);
        assert_eq!(whole(graph), ["out = x - trunc(sub / ?) * y"]);
    }
}

//! Models of operators, and runs of what they become.

use std::collections::BTreeMap;

use ascgraph::dtype::DType;
use ascgraph::expr::{Expr, Values};
use ascgraph::fuse::{Attr, Fused, Fusion, Machine, Operator, Operators, Value, fuse};
use ascgraph::fused;
use ascgraph::interp::{self, Buffer};
use ascgraph::tiling::Limits;
use ascgraph::timing::Timing;

pub const LIMITS: Limits = Limits { cores: 40, aiv_num: 0, ub_size: 184 * 1024 };

pub fn value(dtype: DType, shape: &[&str]) -> Value {
    let dim = |text: &&str| text.parse::<i64>().map_or_else(|_| Expr::symbol(text), Expr::from);
    Value { dtype: Some(dtype), shape: Some(shape.iter().map(dim).collect()), constant: None }
}

pub fn number(literals: &[&str], dtype: DType) -> Value {
    let shape = if literals.len() == 1 { vec![] } else { vec![Expr::from(literals.len() as i64)] };
    let constant = Some(literals.iter().map(|text| (*text).to_owned()).collect());
    Value { dtype: Some(dtype), shape: Some(shape), constant }
}

/// `name: Kind(a, b)`, its result is `name`.
pub fn operator(text: &str, attrs: &[(&str, Attr)]) -> Operator {
    let (name, rest) = text.split_once(": ").expect("a name");
    let (kind, inputs) = rest.trim_end_matches(')').split_once('(').expect("operands");
    Operator {
        name: name.to_owned(),
        kind: kind.to_owned(),
        inputs: inputs.split(", ").map(str::to_owned).collect(),
        outputs: vec![name.to_owned()],
        attrs: attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        captured: Vec::new(),
    }
}

pub fn model(values: &[(&str, Value)], nodes: &[&str], outputs: &[&str]) -> Operators {
    Operators {
        name: "model".to_owned(),
        values: values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        nodes: nodes.iter().map(|text| operator(text, &[])).collect(),
        outputs: outputs.iter().map(|name| (*name).to_owned()).collect(),
    }
}

pub fn priced(all: &mut Operators, timing: &Timing, sizes: &[(&str, i64)]) -> Fusion {
    let sizes: Values = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    fuse(all, Some(Machine { timing, limits: LIMITS, sizes: &sizes }))
}

pub fn left(fusion: &Fusion) -> Vec<String> {
    fusion.left.iter().map(|left| format!("{}: {}", left.name, left.why)).collect()
}

pub fn launches(fusion: &Fusion) -> Vec<Vec<Vec<&str>>> {
    let names = |launch: &Vec<String>| launch.iter().map(|name| fusion_name(fusion, name)).collect();
    fusion.fused.iter().map(|fused| fused.launches.iter().map(names).collect()).collect()
}

pub fn fusion_name<'a>(fusion: &'a Fusion, name: &str) -> &'a str {
    let all = fusion.fused.iter().flat_map(|fused| fused.launches.iter().flatten());
    all.map(String::as_str).find(|known| *known == name).unwrap_or_default()
}

pub fn numbers(count: i64, seed: i64) -> Vec<f32> {
    (0..count).map(|at| ((at * 37 + seed * 11) % 101) as f32 / 7.0 - 5.0).collect()
}

/// The results by index, after every bit of the operators, of the joined graphs and of the tiles of the kernels was compared.
pub fn same_bits(
    one: &Fused,
    inputs: &BTreeMap<i64, Buffer>,
    shapes: &BTreeMap<i64, Vec<i64>>,
) -> BTreeMap<i64, Buffer> {
    let sizes = fused::bind(&one.single, shapes).unwrap_or_else(|why| panic!("{}: {why}", one.name));
    let wanted = fused::run(&one.single, inputs, &sizes).unwrap_or_else(|error| panic!("{}: {error}", one.name));
    let ran = fused::run(&one.parts.fused, inputs, &sizes).unwrap_or_else(|error| panic!("{}: {error}", one.name));
    assert_eq!(ran.outputs, wanted.outputs, "{}", one.name);
    assert_eq!(ran.outputs.len(), one.outputs.len());
    for (part, plan) in one.parts.plans.iter().enumerate() {
        let ends = ran.ends(&one.parts.fused, part, &sizes, shapes);
        let (case, tiling) = interp::choose(plan, &sizes, LIMITS).unwrap_or_else(|error| panic!("{error}"));
        let tiles = interp::run_tiles(&plan.cases[case], &ends.inputs, &sizes, &tiling);
        assert_eq!(tiles.unwrap_or_else(|error| panic!("{error}")), ends.outputs, "{} part {part}", one.name);
    }
    wanted.outputs
}

/// Results of a fused graph of float tensors of these shapes.
pub fn run(one: &Fused, shapes: &[&[i64]]) -> Vec<Vec<f32>> {
    let shapes: BTreeMap<i64, Vec<i64>> = (0..).zip(shapes.iter().map(|shape| shape.to_vec())).collect();
    let input = |(index, shape): (&i64, &Vec<i64>)| (*index, Buffer::of_f32(&numbers(shape.iter().product(), *index)));
    let inputs = shapes.iter().map(input).collect();
    same_bits(one, &inputs, &shapes).values().map(floats).collect()
}

pub fn floats(buffer: &Buffer) -> Vec<f32> {
    buffer.bytes.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("4 bytes"))).collect()
}

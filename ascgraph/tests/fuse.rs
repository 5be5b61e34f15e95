//! From an ONNX model to kernels: what fuses and why not, and that every bit stays.

use std::collections::BTreeMap;

use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::fuse::{Attr, Value, fuse, kinds};
use ascgraph::fused;
use ascgraph::interp::Buffer;

mod graphs;
mod made;
mod models;
mod operators;
mod proto;
mod rewritten;

use operators::{floats, launches, left, model, number, numbers, operator, priced, run, same_bits, value};

#[test]
fn a_chain_between_two_products_is_one_launch() {
    let x = value(DType::Float32, &["n", "96"]);
    let values =
        [("x", x.clone()), ("bias", value(DType::Float32, &["96"])), ("half", number(&["0.5"], DType::Float32))];
    let nodes =
        ["add: Add(x, bias)", "scale: Mul(add, half)", "relu: Relu(scale)", "dot: MatMul(relu, w)", "abs: Abs(dot)"];
    let mut all = model(&values, &nodes, &["abs"]);
    all.values.insert("w".to_owned(), value(DType::Float32, &["96", "8"]));
    all.values.insert("dot".to_owned(), value(DType::Float32, &["n", "8"]));
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[("n", 512)]);
    assert_eq!(launches(&fusion), [vec![vec!["add", "scale", "relu"]], vec![vec!["abs"]]]);
    assert_eq!(left(&fusion), ["dot: MatMul has no lowering"]);
    let [first, second] = &fusion.fused[..] else { panic!("{:?}", fusion.log) };
    assert_eq!(
        (&first.inputs[..], &first.outputs[..]),
        (&["x".to_owned(), "bias".to_owned()][..], &["relu".to_owned()][..])
    );
    assert!(first.price.expect("priced") < first.price_single.expect("priced"));
    assert_eq!(second.price, second.price_single);
    assert_eq!(fusion.log.len(), 2);
    assert!(fusion.log[0].starts_with("add and scale are one launch: "), "{:?}", fusion.log);
    let (x, bias) = (numbers(7 * 96, 0), numbers(96, 1));
    let wanted: Vec<f32> = x.iter().zip(bias.iter().cycle()).map(|(x, bias)| ((x + bias) * 0.5).max(0.0)).collect();
    assert_eq!(run(first, &[&[7, 96], &[96]]), [wanted]);
}

/// A softmax and a norm, in two ways each: of single operators, and as one.
#[test]
fn rows_are_reduced_in_one_launch() {
    let timing = graphs::timing("Ascend910B3");
    let values = [("x", value(DType::Float32, &["n", "100"]))];
    let nodes = ["max: ReduceMax(x)", "sub: Sub(x, max)", "exp: Exp(sub)", "sum: ReduceSum(exp)", "div: Div(exp, sum)"];
    let mut apart = model(&values, &nodes, &["div"]);
    for node in apart.nodes.iter_mut().filter(|node| node.kind.starts_with("Reduce")) {
        node.attrs.insert("axes".to_owned(), Attr::Ints(vec![-1]));
    }
    let fusion = priced(&mut apart, &timing, &[("n", 64)]);
    assert_eq!(launches(&fusion), [vec![vec!["max", "sub", "exp", "sum", "div"]]], "{:?}", fusion.log);
    let apart = run(&fusion.fused[0], &[&[6, 100]]);
    let fusion = priced(&mut model(&values, &["soft: Softmax(x)"], &["soft"]), &timing, &[("n", 64)]);
    assert_eq!(run(&fusion.fused[0], &[&[6, 100]]), apart);
    for row in apart[0].chunks(100) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

/// What is behind an operator without a lowering and in front of it does not meet, and a value is an output once.
#[test]
fn nothing_goes_around_another_operator() {
    let values = [("x", value(DType::Float32, &["8", "8"])), ("w", value(DType::Float32, &["8", "8"]))];
    let mut all = model(&values, &["a: Abs(x)", "dot: MatMul(a, w)", "b: Neg(a)", "c: Add(b, dot)"], &["c"]);
    all.values.insert("dot".to_owned(), value(DType::Float32, &["8", "8"]));
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[]);
    assert_eq!(launches(&fusion), [vec![vec!["a", "b"]], vec![vec!["c"]]]);
    assert_eq!(fusion.fused[0].outputs, ["a", "b"]);
    assert_eq!(fusion.fused[1].inputs, ["b", "dot"]);
}

/// A model in which a launch costs less than nothing: then nothing is worth joining, and the log has both prices.
#[test]
fn the_price_decides() {
    let mut timing = graphs::timing("Ascend910B3");
    let values = [("x", value(DType::Float32, &["64", "64"]))];
    let nodes = ["a: Abs(x)", "b: Neg(a)"];
    assert_eq!(priced(&mut model(&values, &nodes, &["b"]), &timing, &[]).fused[0].launches.len(), 1);
    timing.launch_base = -1e6;
    let fusion = priced(&mut model(&values, &nodes, &["b"]), &timing, &[]);
    assert_eq!(launches(&fusion), [vec![vec!["a"], vec!["b"]]]);
    let [line] = &fusion.log[..] else { panic!("{:?}", fusion.log) };
    assert!(
        line.starts_with("a and b are two launches: one would take -") && line.contains(" us, two take -"),
        "{line}"
    );
    // Two launches of one operator.
    assert_eq!(fusion.fused[0].parts.fused.graphs.len(), 2);
    run(&fusion.fused[0], &[&[64, 64]]);
}

#[test]
fn axes_that_do_not_fit_are_launches_and_said() {
    let values = [("x", value(DType::Float32, &["8", "16"])), ("y", value(DType::Float32, &["16"]))];
    // A row of numbers, whose largest is of one element.
    let mut all = model(&values, &["a: Exp(y)", "m: ReduceMax(a)", "b: Mul(x, a)", "c: Add(b, m)"], &["c"]);
    all.nodes[1].attrs.insert("axes".to_owned(), Attr::Ints(vec![0]));
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[]);
    assert_eq!(left(&fusion), Vec::<String>::new());
    assert_eq!(fusion.fused.len(), 1);
    let (x, y) = (numbers(8 * 16, 0), numbers(16, 1));
    let [one] = &fusion.fused[..] else { panic!() };
    let inputs = if one.inputs == ["y", "x"] { [&[16][..], &[8, 16][..]] } else { [&[8, 16][..], &[16][..]] };
    let got = run(one, &inputs);
    let (x, y) = if one.inputs[0] == "y" { (numbers(8 * 16, 1), numbers(16, 0)) } else { (x, y) };
    let exp: Vec<f32> = y.iter().map(|y| f64::from(*y).exp() as f32).collect();
    let most = exp.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let wanted: Vec<f32> = x.iter().zip(exp.iter().cycle()).map(|(x, a)| x * a + most).collect();
    assert_eq!(got, [wanted], "{:?}", fusion.log);
}

/// An operator, its attributes, how far off it may be, and the formula.
type Lowering<'a> = (&'a str, &'a [(&'a str, Attr)], f64, fn(&[f32]) -> f32);

/// Every operator with a lowering, against the formula of ONNX in double precision.
#[test]
fn lowerings_compute_what_onnx_means() {
    let float = |value: f32| Attr::Float(value);
    let cases: &[Lowering] = &[
        ("r: Abs(x)", &[], 0.0, |v| v[0].abs()),
        ("r: Neg(x)", &[], 0.0, |v| -v[0]),
        ("r: Relu(x)", &[], 0.0, |v| v[0].max(0.0)),
        ("r: Exp(x)", &[], 1e-6, |v| v[0].exp()),
        ("r: Log(p)", &[], 1e-6, |v| v[0].ln()),
        ("r: Sqrt(p)", &[], 0.0, |v| v[0].sqrt()),
        ("r: Reciprocal(p)", &[], 0.0, |v| 1.0 / v[0]),
        ("r: Sigmoid(x)", &[], 1e-6, |v| (1.0 / (1.0 + (-f64::from(v[0])).exp())) as f32),
        ("r: Tanh(x)", &[], 1e-5, |v| f64::from(v[0]).tanh() as f32),
        ("r: Sign(x)", &[], 0.0, |v| if v[0] == 0.0 { 0.0 } else { v[0].signum() }),
        ("r: Add(x, y)", &[], 0.0, |v| v[0] + v[1]),
        ("r: Sub(x, y)", &[], 0.0, |v| v[0] - v[1]),
        ("r: Mul(x, y)", &[], 0.0, |v| v[0] * v[1]),
        ("r: Div(x, p)", &[], 0.0, |v| v[0] / v[1]),
        ("r: Sum(x, y, p)", &[], 0.0, |v| v[0] + v[1] + v[2]),
        ("r: Max(x, y)", &[], 0.0, |v| v[0].max(v[1])),
        ("r: Min(x, y)", &[], 0.0, |v| v[0].min(v[1])),
        ("r: Mod(x, p)", &[("fmod", Attr::Int(1))], 0.0, |v| v[0] % v[1]),
        ("r: Pow(x, two)", &[], 0.0, |v| v[0] * v[0]),
        ("r: Pow(p, half)", &[], 0.0, |v| v[0].sqrt()),
        ("r: Clip(x, low, two)", &[], 0.0, |v| v[0].clamp(-1.0, 2.0)),
        ("r: Clip(x, , two)", &[], 0.0, |v| v[0].min(2.0)),
        ("r: Clip(x)", &[("min", float(-1.0)), ("max", float(2.0))], 0.0, |v| v[0].clamp(-1.0, 2.0)),
        ("r: HardSigmoid(x)", &[("alpha", float(0.25))], 0.0, |v| (v[0] * 0.25 + 0.5).clamp(0.0, 1.0)),
        ("r: LeakyRelu(x)", &[("alpha", float(0.5))], 0.0, |v| if v[0] >= 0.0 { v[0] } else { v[0] * 0.5 }),
    ];
    let values = [
        ("x", value(DType::Float32, &["5", "33"])),
        ("y", value(DType::Float32, &["5", "1"])),
        ("p", value(DType::Float32, &["33"])),
        ("two", number(&["2"], DType::Float32)),
        ("half", number(&["0.5"], DType::Float32)),
        ("low", number(&["-1"], DType::Float32)),
    ];
    for (text, attrs, most, wanted) in cases {
        let mut all = model(&values, &[], &["r"]);
        all.nodes = vec![operator(text, attrs)];
        let fusion = fuse(&mut all, None);
        let [one] = &fusion.fused[..] else { panic!("{text}: {:?}", fusion.left) };
        let shape = |name: &String| if name == "p" { vec![33] } else { vec![5, if name == "y" { 1 } else { 33 }] };
        let shapes: BTreeMap<i64, Vec<i64>> = (0..).zip(one.inputs.iter().map(shape)).collect();
        let tensors: Vec<Vec<f32>> = one
            .inputs
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let all = numbers(shapes[&(at as i64)].iter().product(), at as i64);
                if name == "p" { all.iter().map(|x| x.abs() + 0.5).collect() } else { all }
            })
            .collect();
        let inputs = (0..).zip(&tensors).map(|(at, tensor)| (at, Buffer::of_f32(tensor))).collect();
        let got = same_bits(one, &inputs, &shapes);
        let got = floats(&got[&0]);
        // Tensors of one row have its elements only.
        let wide = if one.inputs == ["p"] { 33 } else { 5 * 33 };
        assert_eq!(got.len(), wide, "{text}");
        for (at, got) in got.into_iter().enumerate() {
            let element = |(tensor, name): (&Vec<f32>, &String)| match name.as_str() {
                "p" => tensor[at % 33],
                "y" => tensor[at / 33],
                _ => tensor[at],
            };
            let operands: Vec<f32> = tensors.iter().zip(&one.inputs).map(element).collect();
            let want = wanted(&operands);
            let off = (f64::from(got) - f64::from(want)).abs() / f64::from(want).abs().max(1e-6);
            assert!(off <= *most, "{text} of {operands:?} is {got}, not {want}");
        }
    }
    // Those with other types or shapes are in tests of their own.
    let here: Vec<&str> = cases.iter().map(|case| case.0.split(['(', ' ']).nth(1).unwrap_or_default()).collect();
    let missing: Vec<&str> = kinds().into_iter().filter(|kind| !here.contains(kind)).collect();
    assert_eq!(
        missing,
        [
            "And",
            "Cast",
            "Equal",
            "Greater",
            "GreaterOrEqual",
            "IsNaN",
            "LayerNormalization",
            "Less",
            "LessOrEqual",
            "Not",
            "Or",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceSum",
            "Softmax",
            "Where"
        ]
    );
}

/// Bytes between: comparisons, what is made of them, and what chooses by them.
#[test]
fn comparisons_choose() {
    let values = [("x", value(DType::Float32, &["4", "50"])), ("y", value(DType::Float32, &["4", "50"]))];
    let nodes = [
        "gt: Greater(x, y)",
        "le: LessOrEqual(x, zero)",
        "nan: IsNaN(x)",
        "real: Not(nan)",
        "both: And(gt, real)",
        "any: Or(both, le)",
        "r: Where(any, x, y)",
    ];
    let mut all = model(&values, &nodes, &["r"]);
    all.values.insert("zero".to_owned(), number(&["0"], DType::Float32));
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[]);
    assert_eq!(fusion.fused.len(), 1, "{:?}", fusion.left);
    let (x, y) = (numbers(200, 0), numbers(200, 1));
    let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| if x > y || *x <= 0.0 { *x } else { *y }).collect();
    assert_eq!(run(&fusion.fused[0], &[&[4, 50], &[4, 50]]), [wanted], "{:?}", fusion.log);
}

#[test]
fn a_norm_is_within_a_few_units() {
    let values = [
        ("x", value(DType::Float32, &["n", "64"])),
        ("scale", value(DType::Float32, &["64"])),
        ("bias", value(DType::Float32, &["64"])),
    ];
    let mut all = model(&values, &["r: LayerNormalization(x, scale, bias)", "m: ReduceMean(r)"], &["r", "m"]);
    all.nodes[1].attrs = [("axes".to_owned(), Attr::Ints(vec![1])), ("keepdims".to_owned(), Attr::Int(0))].into();
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[("n", 128)]);
    assert_eq!(launches(&fusion), [vec![vec!["r", "m"]]], "{:?} {:?}", fusion.log, fusion.left);
    assert_eq!(all.values["m"].shape, Some(vec![Expr::symbol("n")]));
    let got = run(&fusion.fused[0], &[&[5, 64], &[64], &[64]]);
    let (x, scale, bias) = (numbers(320, 0), numbers(64, 1), numbers(64, 2));
    for (row, got) in x.chunks(64).zip(got[0].chunks(64)) {
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / 64.0;
        let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / 64.0;
        for (at, got) in got.iter().enumerate() {
            let root = (variance + 1e-5).sqrt();
            let want = (f64::from(row[at]) - mean) / root * f64::from(scale[at]) + f64::from(bias[at]);
            assert!((f64::from(*got) - want).abs() < 2e-5, "{got} is not {want}");
        }
    }
}

/// Rows without the axis that was reduced, next to a tensor that never had it.
#[test]
fn results_of_fewer_axes_meet_tensors_of_as_many() {
    let values = [("x", value(DType::Float32, &["n", "40"])), ("v", value(DType::Float32, &["n"]))];
    let mut all = model(&values, &["m: ReduceMax(x)", "r: Add(m, v)"], &["r"]);
    all.nodes[0].attrs = [("axes".to_owned(), Attr::Ints(vec![1])), ("keepdims".to_owned(), Attr::Int(0))].into();
    let fusion = priced(&mut all, &graphs::timing("Ascend910B3"), &[("n", 64)]);
    assert_eq!(launches(&fusion), [vec![vec!["m", "r"]]], "{:?}", fusion.log);
    let (x, v) = (numbers(7 * 40, 0), numbers(7, 1));
    let most = x.chunks(40).map(|row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let wanted: Vec<f32> = most.zip(&v).map(|(most, v)| most + v).collect();
    assert_eq!(run(&fusion.fused[0], &[&[7, 40], &[7]]), [wanted]);
    // By the operators, and by the one that they become.
    let shapes = [(0, vec![7, 40]), (1, vec![7])].into();
    assert_eq!(fused::bind(&fusion.fused[0].parts.fused, &shapes).map(|sizes| sizes["n"]), Ok(7));
    let shapes = [(0, vec![7, 40]), (1, vec![8])].into();
    let wrong = fused::bind(&fusion.fused[0].parts.fused, &shapes);
    assert_eq!(wrong, Err("axis z0 of input 1 is 8, but n is 7".to_owned()));
}

#[test]
fn what_is_left_is_named() {
    let values = [
        ("x", value(DType::Float32, &["4", "8"])),
        ("h", value(DType::Float16, &["4", "8"])),
        ("i", value(DType::Int64, &["4", "8"])),
        ("b", value(DType::Float32, &["a", "8"])),
        ("d", Value { dtype: None, ..value(DType::Float32, &["4"]) }),
        ("u", Value { shape: None, ..value(DType::Float32, &[]) }),
    ];
    let of = |text: &str, attrs: &[(&str, Attr)]| {
        let mut all = model(&values, &[], &["r"]);
        all.nodes = vec![operator(text, attrs)];
        left(&fuse(&mut all, None)).join("; ")
    };
    for (text, wanted) in [
        ("r: Erf(x)", "r: Erf has no lowering"),
        ("r: com.microsoft::Add(x, x)", "r: com.microsoft::Add has no lowering"),
        ("r: Add(i, i)", "r: AscIR has no Add of int64, int64"),
        ("r: Add(x, h)", "r: AscIR has no Add of float32, float16"),
        ("r: Add(x, b)", "r: 4 and a are not known to broadcast (b)"),
        ("r: Abs(d)", "r: the data type of d is not known, or none of a kernel"),
        ("r: Abs(u)", "r: the shape of u is not known"),
        ("r: Softmax(h)", "r: a kernel has no Sum of float16"),
        ("r: Pow(x, x)", "r: a lowering has exponents 2, 0.5 and -1, each a constant"),
        ("r: Clip(x, x)", "r: its min is no constant"),
    ] {
        assert_eq!(of(text, &[]), wanted);
    }
    let axes = |axis: i64| [("axis", Attr::Int(axis))];
    assert_eq!(of("r: Softmax(x)", &axes(0)), "r: it goes along axis 0 of 2; a lowering has the last one");
    assert_eq!(of("r: Cast(x)", &[("to", Attr::Int(9))]), "r: a kernel has no Cast to ONNX's type 9");
    // It knows what stands behind it.
    let two = model(&values, &["e: Erf(x)", "r: Abs(e)"], &["r"]);
    assert_eq!(left(&fuse(&mut two.clone(), None))[1], "r: the shape of e is not known");
}

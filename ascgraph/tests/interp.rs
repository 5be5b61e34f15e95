//! Hint graphs run: against values that were worked out by plain loops.

use std::collections::BTreeMap;

use ascgraph::build::fmod_example;
use ascgraph::dtype::DType;
use ascgraph::expr::Values;
use ascgraph::interp::{Buffer, Ran, run};
use ascgraph::load::load;
use ascgraph::model::Graph;
use half::f16;

fn recorded(name: &str) -> Graph {
    let corpus: serde_json::Value = serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    load(&corpus[name].to_string()).expect("loads").fused.graphs.remove(0)
}

fn ramp(count: usize, step: f32, start: f32) -> Vec<f32> {
    (0..count).map(|at| start + step * at as f32).collect()
}

fn go(graph: &Graph, inputs: &[Buffer], sizes: &[(&str, i64)]) -> Ran {
    let inputs: BTreeMap<i64, Buffer> = inputs.iter().enumerate().map(|(at, b)| (at as i64, b.clone())).collect();
    let sizes: Values = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    run(graph, &inputs, &sizes).unwrap_or_else(|error| panic!("{error}"))
}

fn f32s(buffer: &Buffer) -> Vec<f32> {
    buffer.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn go_f32(name: &str, inputs: &[&[f32]], sizes: &[(&str, i64)]) -> Vec<f32> {
    let inputs: Vec<Buffer> = inputs.iter().map(|values| Buffer::of_f32(values)).collect();
    f32s(&go(&recorded(name), &inputs, sizes).outputs[&0])
}

#[test]
fn the_example_rounds_after_each_node() {
    let fused = fmod_example();
    let (x, y) = (ramp(7 * 5, 1.37, -20.0), ramp(5, 0.31, 0.4));
    let ran = go(&fused.graphs[0], &[Buffer::of_f32(&x), Buffer::of_f32(&y)], &[("s0", 7), ("s1", 5)]);
    let wanted: Vec<f32> = (0..35).map(|at| x[at] - (x[at] / y[at % 5]).trunc() * y[at % 5]).collect();
    assert_eq!(f32s(&ran.outputs[&0]), wanted);
    // Every node ran over the whole nest, also the Load of one row.
    assert_eq!(ran.iterations.len(), 8);
    assert!(ran.iterations.values().all(|count| *count == 35), "{:?}", ran.iterations);
}

#[test]
fn recorded_elementwise_and_broadcast() {
    let (a, b, c) = (ramp(240, 0.173, -11.0), ramp(40, 0.09, 0.7), ramp(6, 1.1, -3.0));
    let wanted: Vec<f32> = (0..240).map(|at| a[at] / b[at % 40]).collect();
    assert_eq!(go_f32("0_div", &[&a, &b], &[]), wanted);
    assert_eq!(go_f32("1_div", &[&a, &b], &[("ks0", 6), ("ks1", 40)]), wanted);
    let trunc: Vec<f32> = wanted.iter().map(|q| q.trunc()).collect();
    let rest: Vec<f32> = (0..240).map(|at| a[at] - trunc[at] * b[at % 40]).collect();
    assert_eq!(go_f32("0_mul_sub", &[&a, &b, &trunc], &[]), rest);
    let relu: Vec<f32> = (0..240).map(|at| (a[at] * b[at % 40] + c[at / 40]).max(0.0)).collect();
    assert_eq!(go_f32("4_add_mul_relu", &[&a, &b, &c], &[]), relu);
    assert_eq!(go_f32("3_mul", &[&a], &[]), a.iter().map(|x| x * 2.0).collect::<Vec<_>>());
    let joined: Vec<f32> = (0..480)
        .map(|at| (at / 80 * 40 + at % 40, at % 80 < 40))
        .map(|(at, first)| if first { a[at] } else { a[at] * 2.0 })
        .collect();
    assert_eq!(go_f32("13_cat_mul", &[&a], &[]), joined);
}

#[test]
fn recorded_half_and_integers() {
    let values: Vec<f16> = (0..240).map(|at| f16::from_f32(at as f32 * 0.37 - 40.0)).collect();
    let bytes = values.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
    let ran = go(&recorded("5_abs_add_mul"), &[Buffer { dtype: DType::Float16, bytes }], &[]);
    let wanted: Vec<u8> =
        values.iter().flat_map(|x| f16::from_f32((x.to_f32().abs() + 1.0) * 2.0).to_bits().to_le_bytes()).collect();
    assert_eq!(ran.outputs[&0], Buffer { dtype: DType::Float16, bytes: wanted });

    let ints: Vec<i32> = (0..240).map(|at| at * 31 - 4000).collect();
    let bytes = ints.iter().flat_map(|x| x.to_le_bytes()).collect();
    let ran = go(&recorded("14_add_remainder"), &[Buffer { dtype: DType::Int32, bytes }], &[]);
    let wanted: Vec<u8> = ints.iter().flat_map(|x| (x.rem_euclid(7) + 1).to_le_bytes()).collect();
    assert_eq!(ran.outputs[&0].bytes, wanted);

    let mask: Vec<u8> = (0..240).map(|at| u8::from(at % 3 == 0)).collect();
    let (a, b) = (ramp(240, 0.5, 0.0), ramp(40, 1.0, 100.0));
    let inputs = [Buffer::of_f32(&a), Buffer::of_f32(&b), Buffer { dtype: DType::UInt8, bytes: mask }];
    let wanted: Vec<f32> = (0..240).map(|at| if at % 3 == 0 { a[at] } else { b[at % 40] * 2.0 }).collect();
    assert_eq!(f32s(&go(&recorded("11_mul_where"), &inputs, &[]).outputs[&0]), wanted);
}

/// Of up to 64 floats: neighbours, then neighbours of neighbours.
fn sum(row: &[f32]) -> f32 {
    let mut sums = row.to_vec();
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|pair| pair.iter().copied().reduce(|a, b| a + b).expect("one")).collect();
    }
    sums[0]
}

#[test]
fn recorded_reductions() {
    let a = ramp(240, 0.173, -11.0);
    let rows = |f: fn(&[f32]) -> f32| a.chunks(40).map(f).collect::<Vec<f32>>();
    assert_eq!(go_f32("7_abs_sum", &[&a], &[]), rows(|row| sum(&row.iter().map(|x| x.abs()).collect::<Vec<_>>())));
    let soft = go_f32("8__softmax", &[&a], &[]);
    let (most, row) = (rows(|row| row.iter().copied().fold(f32::MIN, f32::max)), &a[..40]);
    let exp: Vec<f32> = row.iter().map(|x| f64::from(x - most[0]).exp() as f32).collect();
    let all = sum(&exp);
    assert_eq!(soft[..40], exp.iter().map(|e| e / all).collect::<Vec<f32>>());
    // Layer norm: the mean of every row is 0 and its variance 1.
    for row in go_f32("9_native_layer_norm", &[&a], &[]).chunks(40) {
        let mean = row.iter().sum::<f32>() / 40.0;
        let square = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 40.0;
        assert!(mean.abs() < 1e-5 && (square - 1.0).abs() < 1e-4, "{mean} {square}");
    }
}

#[test]
fn two_outputs_and_nothing() {
    let a = ramp(240, 0.01, -1.0);
    let ran = go(&recorded("15_add_exp"), &[Buffer::of_f32(&a)], &[]);
    let exp: Vec<f32> = a.iter().map(|x| f64::from(*x).exp() as f32).collect();
    assert_eq!(f32s(&ran.outputs[&0]), exp);
    assert_eq!(f32s(&ran.outputs[&1]), exp.iter().map(|e| e + 1.0).collect::<Vec<_>>());
    let empty = go(&recorded("1_div"), &[Buffer::of_f32(&[]), Buffer::of_f32(&[])], &[("ks0", 0), ("ks1", 3)]);
    assert!(empty.outputs[&0].is_empty());
    assert!(empty.iterations.values().all(|count| *count == 0));
}

#[test]
fn what_stops_a_run_names_the_node() {
    let graph = recorded("0_div");
    let error = |inputs: BTreeMap<i64, Buffer>| run(&graph, &inputs, &Values::new()).expect_err("stops").to_string();
    assert_eq!(error(BTreeMap::new()), "data: the input is not there");
    let short = Buffer::of_f32(&ramp(239, 1.0, 0.0));
    assert_eq!(error(BTreeMap::from([(0, short)])), "load: reads element 239 of 239");
    let half = Buffer::zeros(DType::Float16, 240);
    assert_eq!(error(BTreeMap::from([(0, half)])), "data: the input is float16, float32 is expected");
    let symbols = run(&recorded("1_div"), &BTreeMap::new(), &Values::new()).expect_err("stops").to_string();
    assert_eq!(symbols, "load: symbol ks0 has no value");
}

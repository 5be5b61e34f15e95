//! Models as files: the example, mutations of it, and what is no model.

use std::collections::BTreeSet;

use ascgraph::dtype::DType;
use ascgraph::fuse::{Value, fuse, onnx};

use crate::operators::{launches, left, model, number, operator, priced, run, value};
use crate::proto::{bytes, info, int, node, tensor};

/// The example of the documentation: the end of a classifier, between products of matrices.
fn classifier() -> Vec<u8> {
    let numbers = |count: usize, step: usize| -> Vec<f32> {
        (0..count).map(|at| ((at * step) % 23) as f32 / 32.0 - 0.34375).collect()
    };
    let axis = [bytes(1, b"axis"), int(3, -1), int(20, 2)].concat();
    let graph = [
        node("MatMul", "hidden", &["x", "w1"], "h", &[]),
        node("Add", "bias", &["h", "b1"], "hb", &[]),
        node("Sigmoid", "gate", &["hb"], "g", &[]),
        node("Mul", "silu", &["hb", "g"], "s", &[]),
        node("MatMul", "classes", &["s", "w2"], "c", &[]),
        node("Mul", "scale", &["c", "k"], "cs", &[]),
        node("Softmax", "softmax", &["cs"], "y", &axis),
        bytes(2, b"classifier"),
        bytes(5, &tensor("w1", &[16, 24], &numbers(16 * 24, 7))),
        bytes(5, &tensor("b1", &[24], &numbers(24, 5))),
        bytes(5, &tensor("w2", &[24, 10], &numbers(240, 3))),
        bytes(5, &tensor("k", &[], &[0.125])),
        bytes(11, &info("x", 1, &["batch", "16"])),
        bytes(12, &info("y", 1, &["batch", "10"])),
        bytes(13, &info("h", 1, &["batch", "24"])),
        bytes(13, &info("c", 1, &["batch", "10"])),
    ];
    let opset = [bytes(1, b""), int(2, 17)].concat();
    [int(1, 8), bytes(7, &graph.concat()), bytes(8, &opset)].concat()
}

#[test]
fn the_example_is_read_and_fused() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/classifier.onnx");
    let model = classifier();
    if std::env::var_os("ASCGRAPH_UPDATE").is_some() {
        std::fs::write(&path, &model).expect("written");
    }
    assert_eq!(std::fs::read(&path).expect("the example"), model, "ASCGRAPH_UPDATE=1 writes it");
    let mut all = onnx::read(&model).expect("a model");
    let fusion = priced(&mut all, &crate::graphs::timing("Ascend910B3"), &[("batch", 256)]);
    assert_eq!(launches(&fusion), [vec![vec!["bias", "gate", "silu"]], vec![vec!["scale", "softmax"]]]);
    assert_eq!(left(&fusion), ["hidden: MatMul has no lowering", "classes: MatMul has no lowering"]);
    assert_eq!(fusion.fused[0].inputs, ["h", "b1"]);
    run(&fusion.fused[0], &[&[9, 24], &[24]]);
    run(&fusion.fused[1], &[&[9, 10]]);
}

/// Cut off and with other bytes: no panic, and each refusal has a cause. Weights are left out, which nobody looks at.
#[test]
fn no_mutation_of_a_model_panics() {
    let model = classifier();
    // Behind the name of a tensor and the key of raw_data are its weights.
    let weights = [("w1J", 16 * 24), ("b1J", 24), ("w2J", 240)].map(|(key, count)| {
        let begin = model.windows(3).position(|three| three == key.as_bytes()).expect("weights") + 5;
        begin..begin + 4 * count - 1
    });
    let mut random = fastrand::Rng::with_seed(0x2545_f491_4f6c_dd1d);
    let mut next = |below: usize| random.usize(..below);
    let places: Vec<usize> = (0..model.len()).filter(|at| !weights.iter().any(|w| w.contains(at))).collect();
    let mut mutants: Vec<Vec<u8>> = places.iter().map(|end| model[..*end].to_vec()).collect();
    for _ in 0..2000 {
        let mut mutant = model.clone();
        for _ in 0..=next(2) {
            let at = places[next(places.len())] % mutant.len();
            match next(4) {
                0 => mutant[at] ^= 1 << next(8),
                1 => mutant[at] = [0, 1, 0x7f, 0x80, 0xff][next(5)],
                2 => drop(mutant.remove(at)),
                _ => mutant.insert(at, next(256) as u8),
            }
        }
        mutants.push(mutant);
    }
    let (mut known, mut refused) = (BTreeSet::new(), 0);
    for mutant in &mutants {
        match onnx::read(mutant) {
            Ok(mut all) => {
                // Other weights are no other model; of the others every third is fused.
                if known.insert(format!("{all:?}")) && known.len() % 3 == 1 {
                    let fusion = fuse(&mut all, None);
                    let parts: usize = fusion.fused.iter().flat_map(|fused| &fused.launches).map(Vec::len).sum();
                    assert_eq!(parts + fusion.left.len(), all.nodes.len(), "{all:?}");
                    assert!(fusion.left.iter().all(|left| !left.why.is_empty()), "{:?}", fusion.left);
                }
            }
            Err(why) => {
                let begins = ["no ONNX model: ", "a model of opset "];
                let cause = begins.iter().find_map(|begin| why.strip_prefix(begin));
                assert!(cause.is_some_and(|cause| !cause.is_empty()), "{why}");
                refused += 1;
            }
        }
    }
    assert!(known.len() > 100 && refused > 500, "{} models, {refused} refused", known.len());
}

/// More elements than a number counts, and parameters of more dimensions than what they are for.
#[test]
fn sizes_that_do_not_go_together_are_left() {
    let values = [
        ("x", value(DType::Float32, &["4"])),
        ("big", value(DType::Float32, &["4294967296", "4294967296", "4294967296"])),
        ("row", value(DType::Float32, &["4294967296"])),
        ("negative", value(DType::Float32, &["-4", "-8"])),
        ("three", value(DType::Float32, &["1", "1", "4"])),
        ("two", Value { constant: Some(vec!["2".to_owned()]), ..value(DType::Float32, &["1", "1", "1"]) }),
        ("axes", number(&["-3", "-1"], DType::Int64)),
    ];
    let of = |text: &str| {
        let mut all = model(&values, &[], &["r"]);
        all.nodes = vec![operator(text, &[])];
        left(&fuse(&mut all, None)).join("; ")
    };
    for (text, wanted) in [
        ("r: Pow(x, three)", "r: a lowering has exponents 2, 0.5 and -1, each a constant"),
        ("r: Pow(x, two)", "r: its exponent has more dimensions than its base"),
        ("r: Clip(x, three, three)", "r: its min is no constant"),
        ("r: Clip(x, , three)", "r: its max is no constant"),
        ("r: ReduceSum(x, axes)", "r: its axes are not those of 1 dimensions"),
        ("r: ReduceSum(big, x)", "r: its axes are no constant"),
        (
            "r: Abs(negative)",
            "r: its graph breaks a rule: error AG114: [r] axis z0: size -4; give the size from 0 and the stride from 0",
        ),
    ] {
        assert_eq!(of(text), wanted);
    }
    for text in ["r: Abs(big)", "r: Softmax(big)", "r: Add(big, row)", "r: ReduceSum(big)"] {
        let why = of(text);
        assert!(why.contains("[r/load0] axis z0: stride: a constant that does not fit into 64 bits"), "{text}: {why}");
    }
}

#[test]
fn what_is_no_model_is_refused() {
    assert!(onnx::read(b"no model at all").expect_err("refused").starts_with("no ONNX model: "));
    assert_eq!(onnx::read(&[]).expect_err("refused"), "no ONNX model: it has no graph");
    let opset = [bytes(1, b""), int(2, 6)].concat();
    let old = [bytes(7, &[]), bytes(8, &opset)].concat();
    assert!(onnx::read(&old).expect_err("refused").starts_with("a model of opset 6; "));
    let new = |nodes: &[Vec<u8>]| {
        let opset = [bytes(1, b""), int(2, 17)].concat();
        onnx::read(&[bytes(7, &nodes.concat()), bytes(8, &opset)].concat()).map(drop)
    };
    let [first, second] =
        [("a", "x", "y"), ("b", "y", "z")].map(|(name, from, to)| node("Abs", name, &[from], to, &[]));
    assert_eq!(new(&[first.clone(), second.clone()]), Ok(()));
    let why = new(&[second, first.clone()]).expect_err("refused");
    assert_eq!(why, "no ONNX model: b reads y, and a, which makes it, is not in front of it");
    let why = new(&[first.clone(), node("Neg", "c", &["x"], "y", &[])]).expect_err("refused");
    assert_eq!(why, "no ONNX model: a and c make y");
    // A constant of 2^64 elements, which is not there, is one that nobody looks at.
    let far = bytes(5, &tensor("far", &[1 << 32, 1 << 32], &[1.0]));
    assert_eq!(new(&[far, first]), Ok(()));
}

//! `ascgraph` as a user calls it: files, flags, messages, exit codes.

mod common;

use common::{Ran, Repo};

const ABS: &str = r#"{"ascgraph": 1, "name": "k", "graphs": [{"name": "g", "axis": [{"name": "a0", "size": 8}],
"sched": {"axis": ["a0"]}, "nodes": [
{"name": "x", "type": "Data", "ir_attr": {"index": 0}, "y": {"dtype": "float32"}},
{"name": "lx", "type": "Load", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "x"}], "y": {"axis": ["a0"], "size": [8], "strides": [1]}},
{"name": "abs", "type": "Abs", "inputs": [{"name": "x", "from": "lx"}], "y": {"axis": ["a0"], "size": [8], "strides": [1]}},
{"name": "s", "type": "Store", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "abs"}], "y": {"axis": ["a0"], "size": [8], "strides": [1]}},
{"name": "o", "type": "Output", "ir_attr": {"index": 0}, "inputs": [{"name": "x", "from": "s"}], "y": {"dtype": "float32"}}]}]}"#;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("good.json", ABS);
    repo.write("bad.json", &ABS.replace("\"Abs\"", "\"Betrag\""));
    let dead = r#"{"name": "dead", "type": "Abs", "inputs": [{"name": "x", "from": "lx"}], "y": {"axis": ["a0"], "size": [8], "strides": [1]}},"#;
    repo.write("dead.json", &ABS.replace("{\"name\": \"s\",", &format!("{dead}\n{{\"name\": \"s\",")));
    repo
}

fn prints(ran: &Ran, part: &str) {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains(part), "{part} is not in\n{}", ran.out);
}

#[test]
fn checks() {
    let repo = repo();
    let ascgraph = |args: &[&str]| repo.xtask(&[&["ascgraph"], args].concat());
    ascgraph(&["check", "good.json"]).expect(0, &["ascgraph check: 1 graph, 0 errors, 0 warnings"]);
    let bad = ascgraph(&["check", "good.json", "bad.json"]);
    bad.expect(32, &["ascgraph check: 2 graphs, 1 error, 0 warnings"]);
    assert!(bad.out.starts_with("bad.json: error AG101: [g/abs] type Betrag; use a type of the table"), "{}", bad.out);
    let dead = ascgraph(&["check", "dead.json"]);
    dead.expect(0, &["1 graph, 0 errors, 1 warning"]);
    assert!(dead.out.starts_with("dead.json: warning AG116: [g/dead] Abs: no Output needs it;"), "{}", dead.out);
    ascgraph(&["check", "dead.json", "--strict"]).expect(32, &["0 errors, 1 warning"]);
    let rule = "AG112 broadcast (error): a Broadcast goes from size 1 to n along an axis that it changes";
    for name in ["ag112", "broadcast"] {
        prints(&ascgraph(&["check", "--explain", name]), rule);
    }
    ascgraph(&["check", "--explain", "AG999"]).expect(2, &["no rule has the code or slug AG999", "AG101"]);
    ascgraph(&["check", "gone.json"]).expect(2, &["gone.json cannot be read"]);
    repo.write("two.json", &ABS.replace("\"ascgraph\": 1", "\"ascgraph\": 2"));
    ascgraph(&["check", "two.json"]).expect(2, &["is 2, 1 is expected"]);
    repo.write("none.json", "{\"ascgraph\": 1, \"graphs\": []}");
    ascgraph(&["check", "none.json"]).expect(2, &["the file has no graph"]);
    let json = repo.xtask(&["--json", "ascgraph", "check", "bad.json"]);
    assert_eq!(json.code, Some(32));
    assert!(json.out.contains("\"code\": \"AG101\"") && json.out.contains("\"node\": \"abs\""), "{}", json.out);
}

#[test]
fn dumps() {
    let repo = repo();
    let ascgraph = |args: &[&str]| repo.xtask(&[&["ascgraph", "dump"], args].concat());
    prints(&ascgraph(&["good.json"]), "  abs: Abs(x=lx) -> float32 [a0] size [8] strides [1]");
    prints(&ascgraph(&["bad.json"]), "  abs: Betrag(x=lx) -> ? [a0]");
    prints(&ascgraph(&["good.json", "--format", "dot"]), "g0n1 -> g0n2");
    ascgraph(&["good.json", "--format", "svg"]).expect(2, &["text, dot, json, html"]);
    ascgraph(&["good.json", "--html", "page.html"]).expect(0, &["ascgraph dump: page.html"]);
    let page = std::fs::read_to_string(repo.path("page.html")).expect("a page");
    prints(&ascgraph(&["good.json", "--format", "html"]), "<title>AscGraph k</title>");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Generated code"));
    ascgraph(&["good.json", "--html", "a", "--out", "b"]).expect(2, &["cannot be used with"]);
    ascgraph(&["good.json", "--format", "json", "-o", "out.json"]).expect(0, &["ascgraph dump: out.json"]);
    repo.xtask(&["ascgraph", "check", "out.json"]).expect(0, &["0 errors, 0 warnings"]);
    // Nothing is written where nothing can be read: no file, another version, no graph, no JSON.
    repo.write("two.json", &ABS.replace("\"ascgraph\": 1", "\"ascgraph\": 2"));
    repo.write("none.json", "{\"ascgraph\": 1, \"graphs\": []}");
    repo.write("broken.json", "{");
    let cases = [
        ("gone.json", "gone.json cannot be read"),
        ("two.json", "is 2, 1 is expected"),
        ("none.json", "the file has no graph"),
        ("broken.json", "broken.json cannot be read"),
    ];
    for (file, message) in cases {
        for how in [["--out", "nothing"], ["--html", "nothing"]] {
            ascgraph(&[&[file], &how[..]].concat()).expect(2, &[message]);
        }
        for verb in ["codegen", "run"] {
            repo.xtask(&["ascgraph", verb, file, "--out", "nothing"]).expect(2, &[message]);
        }
        assert!(!repo.path("nothing").exists(), "{file}");
    }
}

#[test]
fn schedules_and_operators() {
    let repo = repo();
    let ascgraph = |args: &[&str]| repo.xtask(&[&["ascgraph"], args].concat());
    prints(&ascgraph(&["schedule", "good.json"]), "Memory: 16 B for each element of a tile");
    ascgraph(&["schedule", "bad.json"]).expect(32, &["error AG101: [g/abs] type Betrag", "bad.json: 1 error"]);
    repo.write("sum.json", &ABS.replace("\"Abs\"", "\"Sum\""));
    ascgraph(&["schedule", "sum.json"]).expect(20, &["no kernel: abs (Sum) is not supported here", "allfallback"]);
    ascgraph(&["codegen", "sum.json"]).expect(20, &["no kernel: abs (Sum)"]);
    assert!(!repo.path("target/ascgraph").exists());
    ascgraph(&["codegen", "good.json", "--name", "My-Op"]).expect(2, &["`My-Op` is no operator's name"]);
    ascgraph(&["codegen", "good.json", "--name", "my_abs", "-o", "made"]).expect(0, &["11 files in made/math/my_abs"]);
    let texts = ascgraph(&["codegen", "good.json", "--form", "autofuse", "-o", "made"]);
    texts.expect(0, &["3 texts in made/k"]);
    for name in ["autofuse_tiling_data.h", "autofuse_tiling.cpp", "autofuse_kernel.asc"] {
        assert!(repo.path("made/k").join(name).is_file(), "{name}");
    }
    assert!(repo.path("made/math/my_abs/op_kernel/my_abs.h").is_file());
}

/// numpy's file of float32 values.
fn npy(values: &[f32]) -> Vec<u8> {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let buffer = ascgraph::interp::Buffer { dtype: ascgraph::dtype::DType::Float32, bytes };
    ascgraph::npy::write(&[values.len() as i64], &buffer).expect("a file")
}

#[test]
fn runs() {
    let repo = repo();
    // A stand-in repository has no toolkit to launch on.
    let ascgraph = |args: &[&str]| repo.xtask(&[&["ascgraph", "run", "--no-launch"], args].concat());
    let values = [-1.0, 2.0, -3.5, 0.0, 5.0, -6.0, 7.0, -8.0];
    std::fs::write(repo.path("a.npy"), npy(&values)).expect("written");
    let ran = ascgraph(&["good.json", "--input", "a.npy", "-o", "made"]);
    prints(&ran, "graph: 3 nodes, 24 iterations\ntiles: 1 of 64 elements on 1 core: the same bits\n");
    assert_eq!(std::fs::read(repo.path("made/y0.npy")).expect("a result"), npy(&values.map(f32::abs)));
    ascgraph(&["good.json", "--check"]).expect(2, &["'--no-launch' cannot be used with"]);
    ascgraph(&["good.json"]).expect(2, &["input 0 is not there", "--input gives one .npy for each Data"]);
    std::fs::write(repo.path("b.npy"), npy(&values[1..])).expect("written");
    ascgraph(&["good.json", "--input", "b.npy"]).expect(2, &["the number of elements of input 0 is 7, but 8 is 8"]);
    ascgraph(&["good.json", "--input", "good.json"]).expect(2, &["good.json cannot be read: no file of numpy"]);
    // What no kernel is made of is still computed.
    repo.write("sum.json", &ABS.replace("\"Abs\"", "\"Sum\""));
    prints(&ascgraph(&["sum.json", "--input", "a.npy"]), "kernel: none, abs (Sum) is not supported here");
}

const CLASSIFIER: &[u8] = include_bytes!("../../ascgraph/examples/classifier.onnx");
const EXTREMES: &[u8] = include_bytes!("../../ascgraph/examples/extremes.onnx");

/// Operators of a model, and the model with them, without a Python that has onnx.
#[test]
fn fuses() {
    let repo = repo();
    std::fs::write(repo.path("classifier.onnx"), CLASSIFIER).expect("written");
    std::fs::write(repo.path("extremes.onnx"), EXTREMES).expect("written");
    let ran = repo.xtask(&["ascgraph", "fuse", "extremes.onnx", "--html", "page.html", "--out", "made"]);
    prints(&ran, "size_5: [size, rows, below_row], then [columns, below_both]");
    ran.expect(0, &["ascgraph fuse: 5 operators in 2 launches, 0 left"]);
    let page = std::fs::read_to_string(repo.path("page.html")).expect("a page");
    assert!(page.contains("[size, rows, below_row] and [columns, below_both] are two launches: "));
    assert!(repo.path("made/size_5/autofuse_kernel.asc").is_file());

    for (name, count, kinds) in [
        ("classifier", 2, &["MatMul", "ascend::Fused", "MatMul", "ascend::Fused"][..]),
        ("extremes", 1, &["ascend::Fused"]),
    ] {
        let (model, out, ops) = (format!("{name}.onnx"), format!("{name}.fused.onnx"), format!("{name}.ops"));
        let ran = repo.xtask(&["onnx", "fuse", &model, &out, "--ops", &ops]);
        let next = format!("onnx fuse: {out}; next: cargo xtask onnx run --op-dir {ops}/math/fused_x");
        ran.expect(0, &[&next]);
        assert_eq!(ran.out.matches("ascend::Fused ").count(), count, "{}", ran.out);
        let made = std::fs::read(repo.path(&out)).expect("a model");
        let nodes = ascgraph::fuse::onnx::read(&made).expect("a model").nodes;
        assert_eq!(nodes.iter().map(|node| node.kind.as_str()).collect::<Vec<_>>(), kinds);
        let list = std::fs::read_to_string(repo.path(&ops).join("operators.json")).expect("a list");
        let list: Vec<serde_json::Value> = serde_json::from_str(&list).expect("JSON");
        for (entry, node) in list.iter().zip(nodes.iter().filter(|node| node.kind == "ascend::Fused")) {
            let interface = entry["interface"].as_str().expect("a name");
            assert_eq!(node.attrs["interface"], ascgraph::fuse::Attr::Text(interface.to_owned()));
            let dir = std::path::Path::new(entry["dir"].as_str().expect("a directory"));
            let snake = interface.trim_start_matches("aclnnFusedX");
            assert!(dir.join(format!("op_kernel/fused_x{snake}.cpp")).is_file(), "{}", dir.display());
        }
        assert_eq!(list.len(), count);
    }
}

/// Every error of a broken model names the file, what is wrong with it, and what is expected.
#[test]
fn models_that_cannot_be_fused_are_named() {
    let repo = repo();
    let write = |name: &str, bytes: &[u8]| std::fs::write(repo.path(name), bytes).expect("written");
    write("good.onnx", CLASSIFIER);
    write("cut.onnx", &CLASSIFIER[..CLASSIFIER.len() / 2]);
    write("text.onnx", b"no model at all");
    write("empty.onnx", b"");
    // The opset's version, the model's last byte.
    write("old.onnx", &[&CLASSIFIER[..CLASSIFIER.len() - 1], &[6]].concat());
    // Nothing of it has a lowering.
    let mut left = CLASSIFIER.to_vec();
    for kind in ["Add", "Sigmoid", "Mul", "Softmax"] {
        let key = [&[34, kind.len() as u8][..], kind.as_bytes()].concat();
        while let Some(at) = left.windows(key.len()).position(|window| window == key) {
            left[at + 2] = b'X';
        }
    }
    write("left.onnx", &left);
    let model =
        "hint: an ONNX model of opset 7 or later is expected; onnx.checker.check_model says what is wrong with one";
    for (verb, out) in [("ascgraph", &[][..]), ("onnx", &["out.onnx"][..])] {
        let fuse = |file: &str, more: &[&str]| repo.xtask(&[&[verb, "fuse", file], out, more].concat());
        for (file, why) in [
            ("cut.onnx", "no ONNX model: failed to decode Protobuf message: "),
            ("text.onnx", "no ONNX model: failed to decode Protobuf message: "),
            ("empty.onnx", "no ONNX model: it has no graph"),
            ("old.onnx", "a model of opset 6; operators broadcast as here from opset 7 on: convert the model"),
        ] {
            fuse(file, &[]).expect(2, &[&format!("error: {file} cannot be read: {why}"), model]);
        }
        fuse("good.onnx", &["--size", "rows=4"]).expect(
            2,
            &[
                "error: good.onnx: --size rows=4: the model has no dimension rows",
                "hint: its symbolic dimensions: batch",
            ],
        );
        fuse("gone.onnx", &[]).expect(2, &["gone.onnx", "hint: "]);
    }
    repo.xtask(&["onnx", "fuse", "left.onnx", "out.onnx"]).expect(
        20,
        &[
            "error: left.onnx: no operator becomes one of the domain ascend",
            "hint: the lines above say why each stays; no file was written",
        ],
    );
    assert!(!repo.path("out.onnx").exists());
}

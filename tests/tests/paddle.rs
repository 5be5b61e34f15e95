//! The fragments for Paddle's tree agree with each other and with the operator that is built outside of it. Needs no Paddle.

use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

fn adapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/paddle/fmod")
}

fn text(file: &str) -> String {
    let path = adapter().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The one entry of a fragment.
fn entry(file: &str) -> Value {
    let all: Value = serde_yaml::from_str(&text(&format!("in_tree/paddle/phi/ops/yaml/{file}"))).expect(file);
    let Value::Sequence(entries) = all else { panic!("{file} is no list") };
    let [entry] = entries.as_slice() else { panic!("{file} has {} entries", entries.len()) };
    entry.clone()
}

fn word<'a>(entry: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().fold(entry, |value, key| &value[*key]);
    found.as_str().unwrap_or_else(|| panic!("no text at {path:?}"))
}

/// `(Tensor x, int mode = -1)` as types and names.
fn arguments(list: &str) -> Vec<(String, String)> {
    let inner = list.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).expect("parentheses");
    let pair = |one: &str| {
        let (kind, name) = one.split('=').next().unwrap_or_default().trim().split_once(' ').expect("type and name");
        (kind.to_owned(), name.trim().to_owned())
    };
    inner.split(',').map(pair).collect()
}

fn names(list: &str) -> Vec<String> {
    arguments(list).into_iter().map(|(_, name)| name).collect()
}

/// `Tensor(x_grad), Tensor(y_grad)`.
fn outputs(list: &str) -> Vec<String> {
    let one =
        |text: &str| text.trim().strip_prefix("Tensor(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
    list.split(',').map(|text| one(text).expect("Tensor(…)")).collect()
}

/// The quoted names in `.Inputs({…})` of a registration.
fn quoted<'a>(source: &'a str, from: &str, call: &str) -> Vec<&'a str> {
    let registration = source.split(from).nth(1).and_then(|rest| rest.split(';').next()).expect(from);
    let list = registration.split(call).nth(1).and_then(|rest| rest.split("})").next()).expect(call);
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn backward_repeats_forward() {
    let (forward, backward) = (entry("ops.yaml"), entry("backward.yaml"));
    let (op, args) = (word(&forward, &["op"]), word(&forward, &["args"]));
    assert_eq!(word(&forward, &["backward"]), word(&backward, &["backward_op"]));
    assert_eq!(word(&backward, &["forward"]), format!("{op} {args} -> {}", word(&forward, &["output"])));
    let out = outputs(word(&forward, &["output"]));
    assert_eq!(out, ["out"]);
    let tensors: Vec<String> =
        arguments(args).into_iter().filter(|(kind, _)| kind == "Tensor").map(|(_, name)| name).collect();
    assert_eq!(tensors, ["x", "y"]);
    // A backward operator reads inputs, outputs and gradients of outputs, and makes gradients of inputs.
    let mut known = [tensors.clone(), out.clone()].concat();
    known.extend(out.iter().map(|name| format!("{name}_grad")));
    assert!(names(word(&backward, &["args"])).iter().all(|name| known.contains(name)));
    let gradients: Vec<String> = tensors.iter().map(|name| format!("{name}_grad")).collect();
    assert_eq!(outputs(word(&backward, &["output"])), gradients);
}

#[test]
fn functions_that_the_fragments_name_are_there() {
    let (forward, backward) = (entry("ops.yaml"), entry("backward.yaml"));
    let infer_meta = text("in_tree/paddle/phi/infermeta/fmod_infermeta.h");
    let list =
        infer_meta.split(&format!("void {}", word(&forward, &["infer_meta", "func"]))).nth(1).expect("InferMeta");
    let list = list.split(") {").next().unwrap_or_default();
    let at: Vec<Option<usize>> =
        ["MetaTensor& x", "MetaTensor& y", "int precision_mode", "MetaTensor* out", "MetaConfig config"]
            .map(|argument| list.find(argument))
            .to_vec();
    assert!(at.iter().all(Option::is_some) && at.is_sorted(), "in the order of args, then outputs: {at:?}");
    for (fragment, file) in [(&forward, "fmod_kernel"), (&backward, "fmod_grad_kernel")] {
        let kernel = word(fragment, &["kernel", "func"]);
        let [cpu, gpu] = ["cpu/{file}.cc", "gpu/{file}.cu"]
            .map(|path| text(&format!("in_tree/paddle/phi/kernels/{}", path.replace("{file}", file))));
        assert!(cpu.contains(&format!("PD_REGISTER_KERNEL({kernel}, CPU,")), "{file} registers {kernel}");
        let (path, place) = (["cpu/", "gpu/"], ["CPU", "GPU"]);
        let alike = cpu.replace(path[0], path[1]).replace("cpu_context", "gpu_context").replace(place[0], place[1]);
        assert_eq!(alike.replace(".cc\n", ".cu\n"), gpu, "{file}: one kernel for both");
        let header = text(&format!("in_tree/paddle/phi/kernels/{file}.h"));
        let header = header.split("\nvoid ").nth(1).expect("a declaration");
        let places: Vec<usize> = names(word(fragment, &["args"]))
            .iter()
            .chain(&outputs(word(fragment, &["output"])))
            .map(|name| header.find(&format!(" {name},")).or_else(|| header.find(&format!(" {name});"))).expect(name))
            .collect();
        assert!(places.is_sorted(), "{file}.h: the order of args, then outputs");
    }
    let device = text("in_tree/backends/npu/kernels/fmod_kernel.cc");
    assert!(device.contains(&format!("PD_REGISTER_PLUGIN_KERNEL({},", word(&forward, &["kernel", "func"]))));
}

/// Names in older programs, in the operator outside of the tree and in the unit test are the same.
#[test]
fn names_are_the_same_outside_of_the_tree() {
    let (forward, compat) = (entry("ops.yaml"), entry("op_compat.yaml"));
    let old = |kind: &str, name: &str| word(&compat, &[kind, name]).to_owned();
    let source = text("csrc/ascend_fmod.cpp");
    let registration = "PD_BUILD_OP(ascend_fmod)";
    let inputs = [old("inputs", "x"), old("inputs", "y")];
    assert_eq!(quoted(&source, registration, ".Inputs({"), inputs);
    assert_eq!(quoted(&source, registration, ".Outputs({"), [old("outputs", "out")]);
    assert_eq!(word(&compat, &["backward"]), word(&forward, &["backward"]));
    let attributes: Vec<String> = arguments(word(&forward, &["args"]))
        .into_iter()
        .filter(|(kind, _)| kind != "Tensor")
        .map(|(kind, name)| format!("{name}: {kind}"))
        .collect();
    assert_eq!(quoted(&source, registration, ".Attrs({"), attributes);
    let backward = quoted(&source, "PD_BUILD_GRAD_OP(ascend_fmod)", ".Inputs({");
    assert_eq!(backward, [inputs[0].as_str(), &inputs[1], "Out"], "the last one in paddle::Grad");
    for api in ["python/ascend_fmod/api.py", "in_tree/python/paddle/tensor/fmod.py"] {
        let call = r#"inputs={"X": x, "Y": y}, outputs={"Out": out}, attrs={"precision_mode":"#;
        assert!(text(api).contains(call), "{api}");
    }
    let test = text("in_tree/test/legacy_test/test_fmod_op.py");
    assert!(test.contains(r#"self.inputs = {"X": x, "Y": y}"#) && test.contains(r#"self.outputs = {"Out":"#));
}

#[test]
fn the_adapter_belongs_to_this_operator() {
    let words = text("adapter.toml");
    assert!(words.contains("\nop = \"fmod\"\n") && words.contains("\npackage = \"ascend_fmod\"\n"), "{words}");
    assert!(adapter().join("python/ascend_fmod/__init__.py").is_file());
}

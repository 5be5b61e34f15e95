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

/// The in-place form: an entry of the yaml, a function that is exported with the other one, and a page.
#[test]
fn the_result_may_lie_in_x() {
    let forward = entry("ops.yaml");
    assert_eq!(word(&forward, &["inplace"]), "(x -> out)");
    let api = text("in_tree/python/paddle/tensor/fmod.py");
    let (one, inplace) = api.split_once("\n@inplace_apis_in_dygraph_only\ndef fmod_(").expect("fmod_");
    assert!(one.contains("return _C_ops.fmod(x, y, -1)") && inplace.contains("return _C_ops.fmod_(x, y, -1)"));
    assert!(inplace.contains("if shape != x.shape:"), "y broadcasts to x, x does not grow");
    assert!(one.contains("These lists export both functions"), "{one}");
    for name in ["fmod", "fmod_"] {
        let page = text(&format!("in_tree/docs/api/paddle/{name}_cn.rst"));
        assert!(page.contains(&format!(".. py:function:: paddle.{name}(x, y, name=None)\n")), "{page}");
    }
    // Shapes with symbols are Paddle's own for element-wise operators, of both forms.
    assert_eq!(word(&forward, &["interfaces"]), "paddle::dialect::InferSymbolicShapeInterface");
    let notes = text("in_tree/paddle/phi/ops/yaml/ops.yaml");
    assert!(notes.contains("OP_ELEMENT_WISE_BINARY(Fmod) and (Fmod_)"), "{notes}");
}

/// English and Chinese pages name the types that the kernel is registered for.
#[test]
fn both_pages_have_the_types_of_the_kernel() {
    let list = |source: &str, from: &str, to: &str| -> Vec<String> {
        let found = source.split(from).nth(1).and_then(|rest| rest.split(to).next()).expect(from);
        let words = found.replace([',', '、'], " ").replace(" or ", " ").replace(" 或 ", " ");
        let mut types: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        types.sort();
        types
    };
    let english = list(&text("in_tree/python/paddle/tensor/fmod.py"), "x (Tensor): The dividend:", ".\n");
    assert_eq!(english, list(&text("in_tree/docs/api/paddle/fmod_cn.rst"), "被除数，数据类型为", "。"));
    let kernel = text("in_tree/paddle/phi/kernels/cpu/fmod_kernel.cc");
    let registered = list(&kernel, "phi::FmodKernel,", ")");
    let name = |of: &String| match of.trim_start_matches("phi::dtype::").trim_end_matches("_t") {
        "float" => "float32".to_owned(),
        "double" => "float64".to_owned(),
        "int" => "int32".to_owned(),
        other => other.to_owned(),
    };
    let mut registered: Vec<String> = registered.iter().map(name).collect();
    registered.sort();
    assert_eq!(english, registered);
}

#[test]
fn the_adapter_belongs_to_this_operator() {
    let words = text("adapter.toml");
    assert!(words.contains("\nop = \"fmod\"\n") && words.contains("\npackage = \"ascend_fmod\"\n"), "{words}");
    assert!(adapter().join("python/ascend_fmod/__init__.py").is_file());
}

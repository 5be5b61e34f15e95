//! HOSTCANN_SIM writes a line of JSON for every launch: what the timing model predicts.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use serde_json::{Value, json};

unsafe extern "C" fn keep(_: Handle) {}

/// y = x * x over 512 elements, by a kernel that is launched with <<<…>>> and whose addresses are arguments 1 and 3, or are not
/// known to be any.
fn launch_direct(named: bool) {
    let opp = std::env::var("ASCEND_OPP_PATH").unwrap();
    let object = format!("{opp}/vendors/test_math/op_impl/ai_core/tbe/kernel/ascend910b/scale/Scale_k.o");
    let library = unsafe { libloading::Library::new(object) }.unwrap();
    let kernel: Kernel = unsafe { *library.get(b"Squared").unwrap() };
    let (stream, x, y) = (Stream::new(), DeviceBuffer::from(&[3f32; 512]), DeviceBuffer::from(&[0f32; 512]));
    let at = [x.0, y.0];
    let pointers = [Pointer { index: 1, address: x.0 }, Pointer { index: 3, address: y.0 }];
    let count = if named { 2 } else { 0 };
    let state = std::ptr::from_ref(&at).cast_mut().cast();
    let launch = ready().hc_launch_kernel;
    assert_eq!(unsafe { launch(kernel, state, keep, c"Squared".as_ptr(), 1, pointers.as_ptr(), count, stream.0) }, 0);
    assert_eq!(stream.sync(), 0);
    assert_eq!(y.read::<f32>(512), [9.0; 512]);
    // The task has ended, but its stream may still hold the kernel.
    std::mem::forget(library);
}

fn text(text: &str) -> Value {
    Value::from(text)
}

/// A launch while another stream has a task.
fn two_streams() {
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    let other = Stream::new();
    assert_eq!(unsafe { (api().aclrtLaunchHostFunc)(other.0, Some(nothing), std::ptr::null_mut()) }, 0);
    assert_eq!(other.sync(), 0);
    launch_direct(true);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn kinds(line: &Value) -> Vec<&str> {
    line["what_if"].as_array().unwrap().iter().map(|w| w["kind"].as_str().unwrap()).collect()
}

/// Addresses of a `<<<…>>>` launch are told from its arguments; those that none names cost the same.
fn direct(named: &Value, hidden: &Value) {
    let copies = |line: &Value| -> Vec<(Value, Value)> {
        let events = line["trace"][0]["events"].as_array().unwrap().iter();
        let copies = events.filter(|e| e["name"] == "DataCopyPad<float>").map(|e| &e["args"]);
        copies.map(|args| (args["bytes"].clone(), args["global memory"].clone())).collect()
    };
    let bytes = Value::from(2048);
    assert_eq!(
        copies(named),
        [(bytes.clone(), text("argument 1 + 0")), (bytes.clone(), text("argument 3 + 0"))],
        "{named}"
    );
    assert_eq!(copies(hidden), [(bytes.clone(), Value::Null), (bytes, Value::Null)]);
    assert_eq!((&named["kernel"], &named["task_us"]), (&text("Squared"), &hidden["task_us"]));
    assert_eq!((&named["bytes"]["hbm_read"], &named["bytes"]), (&Value::from(2048), &hidden["bytes"]));
    // An instruction that reads one tensor twice loses time, and no place in the unified buffer would help.
    let conflict = &named["conflicts"][0];
    assert_eq!((&conflict["kind"], &conflict["at"][0]), (&text("read-read"), &conflict["at"][1]));
    assert!(number(&conflict["cycles"]) > 0.0 && !kinds(named).contains(&"no-bank-conflict"), "{named}");
}

#[test]
fn a_line_for_every_launch() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("launches.json");
    set_up(&[("HOSTCANN_SIM", &format!("cold,what-if,trace=0+5-9:{}", path.display()))]);
    launch();
    launch();
    launch_direct(true);
    launch_direct(false);
    two_streams();
    let file = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5, "{file}");
    // One stream after the other does not overlap, two that exist at once may.
    let notes = |line: &Value| line["notes"].to_string();
    assert!(lines[..4].iter().all(|line| !notes(line).contains("streams have tasks")), "{file}");
    assert!(
        notes(&lines[4]).contains("2 streams have tasks: each launch is priced as if it had the chip for itself"),
        "{file}"
    );
    let error = &lines[4]["error"];
    assert_eq!(
        (&error["class"], &error["percent"]),
        (&Value::from("element-wise, long calls"), &Value::from(4.0)),
        "{error}"
    );
    direct(&lines[2], &lines[3]);
    assert_eq!(lines[0], lines[1], "the same launch costs the same");
    let line = &lines[0];
    let texts = ["kernel", "soc", "mode"].map(|key| line[key].as_str().unwrap());
    assert_eq!(texts, ["Scale_k_0", "Ascend910B3", "cold"]);
    let numbers = ["tiling_key", "blocks", "simulated", "ai_cores", "ub_size"].map(|key| line[key].as_u64().unwrap());
    assert_eq!(numbers, [0, 1, 1, 20, 196_608]);
    assert_eq!((&line["bytes"]["read"], &line["bytes"]["write"]), (&Value::from(32), &Value::from(32)));
    // These operands are made without tensors, whose shapes would be known.
    let tensor = |name: &str| json!({"name": name, "dtype": "float32", "shape": null});
    assert_eq!(line["op"], json!({"type": "Scale", "tensors": [tensor("input 0 (x1)"), tensor("output 0 (y)")]}));
    assert_eq!(lines[2]["op"], Value::Null, "a kernel of the program itself");
    let cores = line["cores"].as_array().unwrap();
    assert_eq!(cores.len(), 1);
    let outside = number(&line["task_us"]) - number(&cores[0]["cycles"]) / number(&line["mhz"]);
    assert!((number(&line["launch_us"]) - outside).abs() < 1e-9 && outside > 0.0, "{line}");

    assert_eq!(
        kinds(line),
        ["balance", "warm", "no-scalar", "no-fixed-cost", "no-vector", "no-memory"],
        "one tile is not made fewer by larger ones"
    );
    let task = |kind: &str| {
        number(&line["what_if"].as_array().unwrap().iter().find(|w| w["kind"] == kind).unwrap()["task_us"])
    };
    assert_eq!(task("balance"), number(&line["task_us"]), "one core is as fast as itself");
    for kind in ["warm", "no-scalar", "no-fixed-cost", "no-memory"] {
        assert!(task(kind) < number(&line["task_us"]), "{kind}: {line}");
    }
    assert!(task("no-vector") < task("no-fixed-cost"), "{line}");

    let trace = line["trace"].as_array().unwrap();
    assert_eq!((trace.len(), &trace[0]["core"]), (1, &Value::from(0)));
    let events = trace[0]["events"].as_array().unwrap();
    let named = |name: &str| events.iter().find(|e| e["name"].as_str().unwrap().starts_with(name)).unwrap();
    let (copy, scaled) = (named("DataCopyPad"), named("Muls"));
    assert_eq!((&copy["pipe"], &copy["args"]["bytes"]), (&Value::from("MTE2"), &Value::from(32)));
    assert_eq!((&scaled["pipe"], &scaled["args"]["repeats"]), (&Value::from("V"), &Value::from(1)));
    assert!(number(&copy["end"]) <= number(&scaled["start"]), "{line}");
    assert!(scaled["line"].as_str().unwrap().contains("scale.cpp:"), "{scaled}");
    let tail = &events[events.len() - 2..];
    let part = |event: &Value| (event["name"].clone(), event["pipe"].clone());
    assert_eq!((part(&tail[0]), part(&tail[1])), ((text("entry"), text("S")), (text("launch"), text("LAUNCH"))));
    assert_eq!((number(&tail[0]["start"]), number(&tail[1]["end"])), (0.0, 0.0));
    let before = -number(&tail[1]["start"]) / number(&line["mhz"]);
    assert!((before - number(&line["launch_us"])).abs() < 1e-9, "{}", tail[1]);
    assert!(number(&tail[0]["end"]) > 0.0, "{}", tail[0]);
    for flow in trace[0]["flows"].as_array().unwrap() {
        let end = |at: &str| &events[flow[at].as_u64().unwrap() as usize];
        assert!(number(&end("from")["end"]) <= number(&end("to")["end"]), "{flow}");
    }
    let dear = line["lines"].as_array().unwrap();
    assert!(dear.iter().any(|l| l["pipe"] == "V" && l["line"] == scaled["line"] && l["instructions"] == 1), "{line}");
}

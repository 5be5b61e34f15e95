//! HOSTCANN_SIM writes a line of JSON for every launch: what the timing model predicts.

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use serde_json::Value;

/// y = 2x over eight elements.
fn launch() {
    let tiling = Tiling::new(0).count(8).scale(2.0);
    let (x, y) = (DeviceBuffer::from(&[3f32; 8]), DeviceBuffer::from(&[0f32; 8]));
    let (x1, y1) = ((x.0, 32), (y.0, 32));
    let scale = Scale { key: 0, blocks: 1, tiling: &tiling.bytes, other: None, workspace: 0, x1, x2: None, y: y1 };
    let (code, text) = scale.run();
    assert_eq!((code, text.as_str()), (0, ""));
    assert_eq!(y.read::<f32>(8), [6.0; 8]);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_line_for_every_launch() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("launches.json");
    set_up(&[("HOSTCANN_SIM", &format!("cold,what-if,trace=0+5-9:{}", path.display()))]);
    launch();
    launch();
    let file = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{file}");
    assert_eq!(lines[0], lines[1], "the same launch costs the same");
    let line = &lines[0];
    let texts = ["kernel", "soc", "mode"].map(|key| line[key].as_str().unwrap());
    assert_eq!(texts, ["Scale_k_0", "Ascend910B3", "cold"]);
    let numbers = ["tiling_key", "blocks", "simulated", "ub_size"].map(|key| line[key].as_u64().unwrap());
    assert_eq!(numbers, [0, 1, 1, 196_608]);
    assert_eq!((&line["bytes"]["read"], &line["bytes"]["write"]), (&Value::from(32), &Value::from(32)));
    let cores = line["cores"].as_array().unwrap();
    assert_eq!(cores.len(), 1);
    let outside = number(&line["task_us"]) - number(&cores[0]["cycles"]) / number(&line["mhz"]);
    assert!((number(&line["launch_us"]) - outside).abs() < 1e-9 && outside > 0.0, "{line}");

    let kinds: Vec<&str> = line["what_if"].as_array().unwrap().iter().map(|w| w["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["balance", "warm", "twice-the-tile", "no-scalar", "no-fixed-cost", "no-vector", "no-memory"]);
    let task = |kind: &str| {
        number(&line["what_if"].as_array().unwrap().iter().find(|w| w["kind"] == kind).unwrap()["task_us"])
    };
    assert_eq!(task("balance"), number(&line["task_us"]), "one core is as fast as itself");
    for kind in ["warm", "twice-the-tile", "no-scalar", "no-fixed-cost", "no-memory"] {
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
    for flow in trace[0]["flows"].as_array().unwrap() {
        let end = |at: &str| &events[flow[at].as_u64().unwrap() as usize];
        assert!(number(&end("from")["end"]) <= number(&end("to")["end"]), "{flow}");
    }
    let dear = line["lines"].as_array().unwrap();
    assert!(dear.iter().any(|l| l["pipe"] == "V" && l["line"] == scaled["line"] && l["instructions"] == 1), "{line}");
}

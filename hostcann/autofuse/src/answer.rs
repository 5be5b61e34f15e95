//! A request in JSON and its answer: what torch.compile asks for a graph.

use std::path::PathBuf;

use ascgraph::check::errors;
use ascgraph::codegen::{self, Sources};
use ascgraph::dump;
use ascgraph::fused::parts;
use ascgraph::load::load;
use ascgraph::model::FusedGraph;
use serde::{Deserialize, Serialize};

use crate::{KERNEL_HEADERS, timing};

/// What is wanted of a graph, which is the text of a graph file.
#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// The three texts that torch_npu's back end `ascendc` compiles.
    Codegen {
        graph: String,
        /// Parameters of the timing model; without them, and where there is no such file, tiles are as large as they can be.
        soc_dir: Option<PathBuf>,
        /// By which chip tiles are chosen.
        soc: Option<String>,
    },
    /// The graph as `ascgraph dump` shows it.
    Dump { graph: String },
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Codegen { tiling_def: String, host_impl: String, device_impl: String },
    Dump(String),
    Error(String),
}

/// The answer to a request, or `{"error": "…"}`.
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(request) => of(request).unwrap_or_else(Answer::Error),
        Err(error) => Answer::Error(format!("the request cannot be read: {error}")),
    };
    serde_json::to_string(&answer).unwrap_or_else(|error| format!("{{\"error\": \"no answer: {error}\"}}"))
}

fn of(request: Request) -> Result<Answer, String> {
    match request {
        Request::Dump { graph } => {
            let loaded = load(&graph).map_err(|error| format!("the graph cannot be read: {error}"))?;
            Ok(Answer::Dump(dump::text(&loaded.fused)))
        }
        Request::Codegen { graph, soc_dir, soc } => {
            let fused = good(&graph)?;
            let mut parts = parts(&fused).map_err(|error| format!("no kernel: {error}"))?;
            if let Some(dir) = soc_dir {
                for plan in &mut parts.plans {
                    timing::price(plan, &dir, soc.as_deref()).map_err(|error| error.to_string())?;
                }
            }
            let sources = Sources { kernel_headers: KERNEL_HEADERS, ..Sources::default() };
            let texts = codegen::autofuse_parts(&parts, &sources).map_err(|error| format!("no kernel: {error}"))?;
            let codegen::Texts { tiling_def, host_impl, device_impl } = texts;
            Ok(Answer::Codegen { tiling_def, host_impl, device_impl })
        }
    }
}

/// A graph that breaks no rule.
fn good(graph: &str) -> Result<FusedGraph, String> {
    let loaded = load(graph).map_err(|error| format!("the graph cannot be read: {error}"))?;
    let wrong: Vec<String> = errors(&loaded.findings).map(ToString::to_string).collect();
    if wrong.is_empty() {
        return Ok(loaded.fused);
    }
    let cure = "`cargo xtask ascgraph check --explain CODE` explains a rule";
    Err(format!("{}: {}\n{cure}", loaded.fused.name, wrong.join("\n")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ascgraph::build::fmod_example;
    use serde_json::{Value, json};

    use super::*;

    fn ask(request: &Value) -> Value {
        serde_json::from_str(&answer(&request.to_string())).expect("JSON")
    }

    fn error(request: &Value) -> String {
        ask(request)["error"].as_str().expect("an error").to_owned()
    }

    fn corpus(name: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ascgraph").join(name);
        std::fs::read_to_string(path).expect("a graph")
    }

    #[test]
    fn texts_are_those_of_the_generator() {
        let socs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc");
        let graph = dump::json(&fmod_example());
        let made = |soc_dir: Value, soc: Value| {
            let answer = ask(&json!({"verb": "codegen", "graph": graph, "soc_dir": soc_dir, "soc": soc}));
            let text = |name: &str| answer["codegen"][name].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
            [text("tiling_def"), text("host_impl"), text("device_impl")]
        };
        let mut plan = codegen::plan_operator(&fmod_example()).expect("planned");
        let wanted = |plan: &ascgraph::plan::Plan| {
            let texts = codegen::autofuse(&fmod_example(), plan, &Sources::default()).expect("made");
            [texts.tiling_def, texts.host_impl, texts.device_impl]
        };
        assert_eq!(made(Value::Null, Value::Null), wanted(&plan));
        timing::price(&mut plan, &socs, Some("Ascend910B1")).expect("priced");
        assert_eq!(made(json!(socs), json!("Ascend910B1")), wanted(&plan));
        assert_ne!(made(json!(socs), Value::Null), wanted(&plan), "another chip");
        assert_ne!(made(json!("/nowhere"), Value::Null), wanted(&plan), "no model");
    }

    #[test]
    fn fmod_has_its_kernel_code() {
        let graph = corpus("examples/fused.json");
        let answer = ask(&json!({"verb": "codegen", "graph": graph, "soc_dir": null, "soc": null}));
        let text = answer["codegen"]["device_impl"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(text.contains("namespace NsFmod {") && text.contains("NsFmod::Compute"), "{text}");
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let codegen = |graph: &str| json!({"verb": "codegen", "graph": graph, "soc_dir": null, "soc": null});
        let recorded: Value = serde_json::from_str(&corpus("tests/corpus.json")).expect("JSON");
        let good = recorded["3_mul"].to_string();
        assert!(error(&codegen(&good.replace("\"Mul\"", "\"Betrag\""))).contains("error AG101"), "a rule");
        let lost = good.replace("\"HintGraph\"", "\"HintGraph\",");
        assert!(error(&codegen(&lost)).starts_with("the graph cannot be read: "), "no JSON");
        let socs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../soc");
        let request = json!({"verb": "codegen", "graph": good, "soc_dir": socs, "soc": "Ascend310"});
        assert_eq!(error(&request), "the timing model has no SoC Ascend310 (HOSTCANN_SOC)");
        let unknown = json!({"verb": "schedule", "graph": good});
        assert!(error(&unknown).contains("unknown variant `schedule`, expected `codegen` or `dump`"));
        let answer = ask(&json!({"verb": "dump", "graph": good}));
        assert!(answer["dump"].as_str().expect("a text").contains("Mul(x1="), "{answer}");
    }
}

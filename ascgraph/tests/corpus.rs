//! Programs that torch_npu's Inductor back end built, as recorded by python/record.py: 17 kernels of 16 functions.

use std::path::{Path, PathBuf};
use std::process::Command;

use ascgraph::build::fmod_example;
use ascgraph::check::{Severity, check_fused};
use ascgraph::dtype::DType;
use ascgraph::dump;
use ascgraph::load::load;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn corpus() -> Vec<(String, String)> {
    let all: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    all.into_iter().map(|(name, program)| (name, program.to_string())).collect()
}

#[test]
fn every_recorded_program_is_right() {
    let all = corpus();
    assert_eq!(all.len(), 17);
    for (name, text) in &all {
        let loaded = load(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found: Vec<String> = loaded.findings.iter().map(ToString::to_string).collect();
        // Layer norm has a node that stands for a weight nobody uses.
        if name == "9_native_layer_norm" {
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(loaded.findings[0].rule.severity(), Severity::Warning);
            assert!(found[0].starts_with("warning AG116: [graph_hint/unsupported] Unsupported: no Output needs it"));
        } else {
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

#[test]
fn data_types_that_the_program_leaves_open() {
    let dtype = |file: &str, node: &str| {
        let (_, text) = corpus().into_iter().find(|(name, _)| name == file).expect("recorded");
        let graph = load(&text).expect("loads").fused.graphs.remove(0);
        graph.nodes[graph.node(node).expect("a node")].y.dtype
    };
    assert_eq!(dtype("11_mul_where", "where"), Some(DType::Float32));
    assert_eq!(dtype("11_mul_where", "load"), Some(DType::UInt8));
    assert_eq!(dtype("13_cat_mul", "store"), Some(DType::Float32));
    assert_eq!(dtype("5_abs_add_mul", "cast2"), Some(DType::Float16));
    assert_eq!(dtype("14_add_remainder", "remainder"), Some(DType::Int32));
    assert_eq!(dtype("9_native_layer_norm", "unsupported"), None);
}

#[test]
fn json_is_read_as_it_is_written() {
    for (name, text) in corpus() {
        let first = load(&text).expect("loads");
        let written = dump::json(&first.fused);
        let second = load(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(dump::text(&second.fused), dump::text(&first.fused), "{name}");
        assert_eq!(dump::json(&second.fused), written, "{name}");
    }
}

#[test]
fn the_builders_example_is_right_and_shown() {
    let fused = fmod_example();
    assert_eq!(check_fused(&fused), []);
    assert_eq!(dump::text(&fused), include_str!("fmod.txt"));
    let dot = dump::dot(&fused);
    let edge = "    g0n5 -> g0n6 [label=\"float32 [z0, z1] size [s0, s1] strides [s1, 1]\"]\n";
    assert!(dot.starts_with("digraph \"fmod\" {\n") && dot.contains(edge) && dot.ends_with("}\n"), "{dot}");
}

/// The recorder keeps what the program builds: the same graph from Python and from Rust.
#[test]
fn the_recorder_writes_what_a_program_builds() {
    let temp = tempfile::tempdir().expect("temp dir");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let status = Command::new(python)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(root().join("python/record.py"))
        .arg(root().join("examples/fmod.py"))
        .arg("-o")
        .arg(temp.path())
        .status()
        .expect("python3 starts");
    assert!(status.success());
    let recorded = load(&std::fs::read_to_string(temp.path().join("fmod.json")).expect("a file")).expect("loads");
    assert!(recorded.findings.is_empty(), "{:?}", recorded.findings);
    assert_eq!(dump::text(&recorded.fused), include_str!("fmod.txt"));
}

/// Programs that mutations start from.
const SEEDS: [&str; 3] = ["1_mul_sub", "9_native_layer_norm", "13_cat_mul"];

/// Words of the format: one in the place of another makes a file that is still read.
const WORDS: [&str; 18] = [
    "\"a0\"",
    "\"a1\"",
    "\"ks0\"",
    "\"load\"",
    "\"mul\"",
    "\"Abs\"",
    "\"Concat\"",
    "\"float16\"",
    "null",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "\"ks0*ks0*ks0\"",
    "\"9223372036854775807*ks1\"",
    "[]",
    "{}",
    "\"ks0//0\"",
];

/// Values of the file: strings and numbers that are no keys.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(|c: char| c == '"' || c.is_ascii_digit()) {
        let start = at + found;
        let rest = &text[start..];
        let end = match rest.strip_prefix('"') {
            Some(inside) => inside.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
        };
        at = start + end;
        if !text[at..].starts_with(':') {
            all.push((start, at));
        }
    }
    all
}

/// Whatever is in a file, reading and checking it ends with an answer. `ASCGRAPH_FUZZ=N` makes N mutations.
#[test]
fn no_mutation_panics() {
    let rounds: u64 = std::env::var("ASCGRAPH_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(800);
    let mut random = fastrand::Rng::with_seed(0x2545_f491_4f6c_dd1d);
    let mut next = |below: usize| random.usize(..below);
    let corpus = corpus();
    let seeds = SEEDS.map(|seed| &corpus.iter().find(|(name, _)| name == seed).expect("recorded").1);
    let (mut read, mut clean) = (0, 0);
    for round in 0..rounds {
        let mut text = seeds[round as usize % seeds.len()].clone();
        for _ in 0..1 + next(3) {
            let all = tokens(&text);
            match next(20) {
                0 => drop(text.pop()),
                _ if all.is_empty() => {}
                1 => {
                    let (start, end) = all[next(all.len())];
                    text.replace_range(start..end, "");
                }
                _ => {
                    let (start, end) = all[next(all.len())];
                    text.replace_range(start..end, WORDS[next(WORDS.len())]);
                }
            }
        }
        if let Ok(loaded) = load(&text) {
            read += 1;
            clean += u64::from(loaded.findings.is_empty());
            for finding in &loaded.findings {
                let _ = finding.to_string();
            }
            let _ = (dump::text(&loaded.fused), dump::dot(&loaded.fused), dump::json(&loaded.fused));
        }
    }
    // The mutations reach the rules, not the parser alone.
    assert!(read * 4 > rounds && clean < read, "{read} of {rounds} were read, {clean} without a finding");
}

//! One graph that is right, and for every rule one change that breaks it.

use std::collections::BTreeSet;

use ascgraph::check::{RULES, Rule, check};
use ascgraph::load::{LoadError, load};
use ascgraph::model::{AttrValue, Graph, TransInfo};

/// x [s0, 40] plus y [1, 40]; the sum of each row, and both joined along the rows.
const GOOD: &str = r#"{"ascgraph": 1, "name": "k", "graphs": [
{"name": "g", "size_vars": ["s0"], "axis": [{"name": "a0", "size": "s0"}, {"name": "a1", "size": 40}],
"sched": {"axis": ["a0", "a1"]}, "nodes": [
{"name": "x", "type": "Data", "ir_attr": {"index": 0}, "y": {"dtype": "float32"}},
{"name": "y", "type": "Data", "ir_attr": {"index": 1}, "y": {"dtype": "float32"}},
{"name": "lx", "type": "Load", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "x"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}},
{"name": "ly", "type": "Load", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "y"}], "y": {"axis": ["a0", "a1"], "size": [1, 40], "strides": [0, 1]}},
{"name": "by", "type": "Broadcast", "inputs": [{"name": "x", "from": "ly"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}},
{"name": "add", "type": "Add", "inputs": [{"name": "x1", "from": "lx"}, {"name": "x2", "from": "by", "tensor": {"dtype": "float32", "axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}}], "y": {"axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}},
{"name": "s", "type": "Store", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "add"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}},
{"name": "o", "type": "Output", "ir_attr": {"index": 0}, "inputs": [{"name": "x", "from": "s"}], "y": {"dtype": "float32"}},
{"name": "sum", "type": "Sum", "inputs": [{"name": "x", "from": "add"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 1], "strides": [1, 0]}},
{"name": "cat", "type": "Concat", "inputs": [{"name": "x", "from": "sum"}, {"name": "x", "from": "sum"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 2], "strides": [2, 1]}},
{"name": "s2", "type": "Store", "ir_attr": {"offset": 0}, "inputs": [{"name": "x", "from": "cat"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 2], "strides": [2, 1]}},
{"name": "o2", "type": "Output", "ir_attr": {"index": 1}, "inputs": [{"name": "x", "from": "s2"}], "y": {"dtype": "float32"}}
]}]}"#;

/// What to replace, with what, and the one finding of it.
const BROKEN: &[(&str, &str, &str)] = &[
    (r#""type": "Sum""#, r#""type": "Summe""#, "error AG101: [g/sum] type Summe;"),
    (r#""name": "x1", "#, r#""name": "x3", "#, "error AG102: [g/add] Add takes [x1, x2], and has [x3, x2];"),
    (r#""from": "lx"}"#, r#""from": "zz"}"#, "error AG103: [g/add] operand x1 is zz, which is no node;"),
    (r#""from": "lx"}"#, r#""from": "add"}"#, "error AG104: [g/add] waits for itself;"),
    (r#""name": "lx", "type""#, r#""name": "ly", "type""#, "error AG105: [g/ly] a second node ly;"),
    (r#""size_vars": ["s0"]"#, r#""size_vars": ["s0", "s0"]"#, "error AG105: [g] axis s0: a second size variable s0;"),
    (
        r#""y"}], "y": {"axis": ["a0""#,
        r#""y"}], "y": {"axis": ["b0""#,
        "error AG106: [g/ly] axis b0: the graph has no axis of this name;",
    ),
    (r#""size": [1, 40]"#, r#""size": [40]"#, "error AG107: [g/ly] axes: 2, sizes: 1, strides: 2;"),
    (
        r#""sched": {"axis": ["a0", "a1"]}"#,
        r#""sched": {"axis": ["a0", "a1", "a0"]}"#,
        "error AG108: [g] axis a0: a second time in sched.axis;",
    ),
    (r#"{"index": 0}, "y""#, r#"{"index": 2}, "y""#, "error AG109: [g/x] index 2, and there are 2 of them;"),
    (r#"{"index": 1}, "inputs""#, r#"{"index": 0}, "inputs""#, "error AG110: [g/o2] a second Output with index 0;"),
    (
        r#"{"index": 0}, "y": {"dtype": "float32"}"#,
        r#"{"index": 0}, "y": {"dtype": "int64"}"#,
        "error AG111: [g/add] Add from [int64, float32]; its table has int16, int32, float16, float32;",
    ),
    (
        r#""from": "s"}], "y": {"dtype": "float32"}"#,
        r#""from": "s"}], "y": {"dtype": "int8"}"#,
        "error AG111: [g/o] Output from [float32] to int8;",
    ),
    (
        r#""size": [1, 40], "strides": [0, 1]"#,
        r#""size": [1, 1], "strides": [0, 0]"#,
        "warning AG129: [g/by] axis a1: it changes [a0, a1];",
    ),
    (
        r#""size": [1, 40], "strides": [0, 1]"#,
        r#""size": [2, 40], "strides": [40, 1]"#,
        "error AG112: [g/by] axis a0: from 2 to s0;",
    ),
    (
        r#""size": [1, 40], "strides": [0, 1]"#,
        r#""size": [1, 40], "strides": [40, 1]"#,
        "warning AG113: [g/ly] axis a0: size 1 and stride 40;",
    ),
    (r#"[1, 40], "strides": [0, 1]"#, r#"[1, 40], "strides": [0, -1]"#, "error AG114: [g/ly] axis a1: stride -1;"),
    (
        r#""size": ["s0", 40], "strides": [40, 1]}}]"#,
        r#""size": ["s0", 40], "strides": [80, 1]}}]"#,
        "error AG115: [g/add] operand x2 is float32 [a0, a1] size [s0, 40] strides [80, 1] here and float32 [a0, a1] \
         size [s0, 40] strides [40, 1] at by;",
    ),
    (
        r#""sum"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 2], "strides": [2, 1]}},"#,
        r#""sum"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 2], "strides": [2, 1]}},
{"name": "abs", "type": "Abs", "inputs": [{"name": "x", "from": "add"}], "y": {"axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}},"#,
        "warning AG116: [g/abs] Abs: no Output needs it;",
    ),
    (
        r#""type": "Sum", "inputs": [{"name": "x", "from": "add"}], "y": {"#,
        r#""type": "Unsupported", "ir_attr": {"error_msg": "no such thing"}, "y": {"dtype": "float32", "#,
        "error AG117: [g/sum] an Output needs it: 'no such thing';",
    ),
    (
        r#""size_vars": ["s0"]"#,
        r#""size_vars": ["s1"]"#,
        "error AG118: [g] axis a0: size s0: no size variable s0 (and at 7 more);",
    ),
    (
        r#""axis": [{"name": "a0", "size": "s0"}"#,
        r#""axis": [{"name": "a0", "size": "s0 +"}"#,
        "error AG118: [g] axis a0: `s0 +`, character 5: a number or a name is expected, not the end;",
    ),
    (
        r#"{"name": "x", "type": "Data", "ir_attr": {"index": 0}"#,
        r#"{"name": "x", "type": "Data", "ir_attr": {"index": "0"}"#,
        "error AG119: [g/x] ir_attr.index is '0', expected an integer from 0;",
    ),
    (
        r#""x2", "from": "by", "tensor": {"dtype": "float32", "axis": ["a0", "a1"], "size": ["s0", 40], "strides": [40, 1]}"#,
        r#""x2", "from": "ly""#,
        "error AG120: [g/add] ly is float32 [a0, a1] size [1, 40] strides [0, 1], the result float32 [a0, a1] size \
         [s0, 40] strides [40, 1];",
    ),
    (
        r#""sched": {"axis": ["a0", "a1"]}"#,
        r#""sched": {"axis": ["a1"]}"#,
        "error AG121: [g/lx] axis a0: not in sched.axis (and at 7 more);",
    ),
    (
        r#""type": "Broadcast""#,
        r#""type": "Transpose""#,
        "error AG120: [g/by] ly is float32 [a0, a1] size [1, 40] strides [0, 1], the result float32 [a0, a1] size [s0, 40] \
         strides [40, 1];",
    ),
    (r#""size": ["s0", 1]"#, r#""size": ["s0", 7]"#, "error AG122: [g/sum] axis a1: from 40 to 7;"),
    (r#""from": "lx"}"#, r#""from": "x"}"#, "error AG123: [g/add] Add reads Data x;"),
    (
        r#"{"index": 0}, "y": {"dtype": "float32"}"#,
        r#"{"index": 0}, "y": {}"#,
        "error AG124: [g/x] y.dtype is not there;",
    ),
    (
        r#"]}]}"#,
        r#"]}], "nodes": [{"type": "Data", "name": "i", "index": 0}, {"type": "AscBackend", "name": "b", "graph": "g", "inputs": ["i"]}]}"#,
        "error AG125: [k/b] 1 operands, graph g has 2 of Data;",
    ),
    (
        r#""size": ["s0", 2], "strides": [2, 1]}},
{"name": "s2""#,
        r#""size": ["s0", 3], "strides": [3, 1]}},
{"name": "s2""#,
        "error AG126: [g/cat] axis a1: the operands add up to 2, the result has 3;",
    ),
];

fn texts(text: &str) -> Vec<String> {
    let loaded = load(text).unwrap_or_else(|error| panic!("{error}"));
    loaded.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn the_good_graph_is_good() {
    assert_eq!(texts(GOOD).join("\n"), "");
}

#[test]
fn every_change_is_found() {
    let mut failures = Vec::new();
    for (from, to, wanted) in BROKEN {
        assert!(GOOD.contains(from), "{from}");
        let found = texts(&GOOD.replacen(from, to, 1));
        if found.len() > 1 {
            println!("{wanted}\n   {}", found.join("\n   "));
        }
        if !found.iter().any(|text| text.starts_with(wanted)) {
            failures.push(format!("wanted {wanted}\n  found {}", found.join("\n        ")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// An axis that two nodes name and the graph has not is one finding, and so are its first node's followers.
#[test]
fn an_unknown_axis_is_one_cause() {
    let text =
        GOOD.replace(r#""axis": ["a0", "a1"], "size": ["s0", 40]"#, r#""axis": ["b0", "a1"], "size": ["s0", 40]"#);
    let wanted = "error AG106: [g/lx] axis b0: the graph has no axis of this name (and at 3 more); \
                  create the axis in this graph, or use one of its axes";
    assert_eq!(texts(&text), [wanted]);
}

/// Upstream's words, and those of its guide.
#[test]
fn other_words_for_the_same() {
    let same = GOOD.replace("\"size\": [", "\"repeats\": [").replace("\"strides\"", "\"stride\"");
    assert_eq!(load(&same).expect("loads").fused, load(GOOD).expect("loads").fused);
    let cast = |attr: &str, dtype: &str| {
        let node = format!(
            r#""type": "Cast", "ir_attr": {{{attr}}}, "inputs": [{{"name": "x", "from": "add"}}], "y": {{{dtype}"#
        );
        GOOD.replace(r#""type": "Sum", "inputs": [{"name": "x", "from": "add"}], "y": {"#, &node)
            .replace(r#""size": ["s0", 1], "strides": [1, 0]"#, r#""size": ["s0", 40], "strides": [40, 1]"#)
            .replace(r#""size": ["s0", 2], "strides": [2, 1]"#, r#""size": ["s0", 80], "strides": [80, 1]"#)
            .replace(r#""from": "s2"}], "y": {"dtype": "float32"}"#, r#""from": "s2"}], "y": {"dtype": "float16"}"#)
    };
    let dst_type = r#""dst_type": "float16""#;
    assert_eq!(texts(&cast(dst_type, "")), [""; 0]);
    assert_eq!(texts(&cast(dst_type, r#""dtype": "float16", "#)), [""; 0]);
    assert_eq!(texts(&cast("", r#""dtype": "float16", "#)), [""; 0]);
    for (attr, wanted) in [
        (r#""dst_type": "float32""#, "error AG119: [g/sum] ir_attr.dst_type is 'float32', expected float16;"),
        (r#""dst_type": "half""#, "error AG119: [g/sum] ir_attr.dst_type is 'half', expected float16;"),
        (r#""dst_type": 1"#, "error AG119: [g/sum] ir_attr.dst_type is 1, expected float16;"),
    ] {
        let found = texts(&cast(attr, r#""dtype": "float16", "#));
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{found:?}");
    }
}

fn good() -> Graph {
    load(GOOD).expect("loads").fused.graphs.remove(0)
}

fn rules_of(change: impl FnOnce(&mut Graph)) -> Vec<Rule> {
    let mut graph = good();
    change(&mut graph);
    check(&graph).iter().map(|finding| finding.rule).collect()
}

/// Rules that a file cannot break, or breaks only together with others.
#[test]
fn graphs_from_the_builder_are_checked_too() {
    assert_eq!(rules_of(|graph| graph.sched.axis.push(7)), [Rule::UnknownAxis]);
    assert_eq!(rules_of(|graph| graph.sched.loop_axis = Some(0)), [Rule::ImplField]);
    assert_eq!(rules_of(|graph| graph.nodes[2].y.vectorized_axis = vec![1]), [Rule::ImplField]);
    let merge = TransInfo::Merge { from: vec![0, 1], merged: 2 };
    assert_eq!(rules_of(|graph| graph.trans_info_road.push(merge)), [Rule::ImplField]);
    assert_eq!(rules_of(|graph| graph.nodes[2].inputs[0].from = None), [Rule::Dead, Rule::MissingInput]);
    let value = AttrValue::Int(1);
    assert_eq!(rules_of(|graph| drop(graph.nodes[5].ir_attr.insert("alpha".to_owned(), value))), [Rule::Attribute]);
    assert!(rules_of(|graph| graph.nodes.clear()).contains(&Rule::NoOutput));
}

#[test]
fn every_rule_has_a_case() {
    let cased: BTreeSet<&str> = BROKEN.iter().filter_map(|case| case.2.split([' ', ':']).nth(1)).collect();
    let from_builder = [Rule::ImplField, Rule::NoOutput].map(Rule::code);
    for rule in RULES {
        assert!(cased.contains(rule.code()) || from_builder.contains(&rule.code()), "{}", rule.code());
        assert!(!rule.title().is_empty() && !rule.cure().is_empty());
        let by_name = [rule.code(), &rule.code().to_lowercase(), &rule.slug()].map(Rule::of_code);
        assert_eq!(by_name, [Some(*rule); 3], "{}", rule.slug());
        assert!(rule.slug().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.slug());
    }
}

#[test]
fn a_slug_is_the_name_of_its_rule() {
    assert_eq!((Rule::NoDtype.slug(), Rule::Cycle.slug()), ("no-dtype".to_owned(), "cycle".to_owned()));
    assert_eq!((Rule::of_code("stride-of-one"), Rule::of_code("no")), (Some(Rule::StrideOfOne), None));
}

#[test]
fn files_that_are_none_of_ours() {
    let error = |text: &str| load(text).map(drop).expect_err("refused");
    assert!(matches!(error("{"), LoadError::NotJson(_)));
    assert!(matches!(error("[]"), LoadError::NotJson(_)));
    assert_eq!(
        error(r#"{"ascgraph": 2, "graphs": []}"#).to_string(),
        "\"ascgraph\" (the version of the file's form) is 2, 1 is expected"
    );
    assert!(matches!(error("{}"), LoadError::Version(found) if found == "not there"));
    assert_eq!(error(r#"{"ascgraph": 1, "graphs": []}"#), LoadError::NoGraph);
    let unknown = error(&GOOD.replace("\"sched\"", "\"shed\""));
    assert!(unknown.to_string().contains("unknown field `shed`"), "{unknown}");
}

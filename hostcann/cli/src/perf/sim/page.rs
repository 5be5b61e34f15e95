//! `--html`: one page that holds its data, its style and its script; it asks for nothing from outside.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::advice;
use super::launch::{CoreTrace, Launch, Run};
use super::rows;
use super::sources::Sources;
use crate::base::page;

/// What stands in its body.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/charts.js"),
    include_str!("page/roofline.js"),
    include_str!("page/timeline.js"),
    include_str!("page/main.js"),
];

pub fn of(runs: &[Run], sources: &Sources) -> String {
    let run =
        |run: &Run| json!({"program": run.program, "launches": run.launches.iter().map(launch).collect::<Vec<_>>()});
    let launches = runs.iter().flat_map(|run| &run.launches);
    let lines: BTreeSet<&str> = launches.flat_map(lines).collect();
    let text = lines.into_iter().map(|line| (line, sources.line(line))).filter(|(_, text)| !text.is_empty());
    let before = |(run, at): (usize, usize)| runs[..run].iter().map(|run| run.launches.len()).sum::<usize>() + at;
    let data = json!({
        "slowest": super::slowest(runs).map(before),
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
        "source": text.collect::<BTreeMap<_, _>>(),
    });
    let data = data.to_string();
    // Inside of a script element only its own end means anything.
    let data = data.replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let body = PAGE.replacen("{{SCRIPT}}", SCRIPTS.join("\n").trim_end(), 1).replacen("{{DATA}}", &data, 1);
    page::document("en", "sim (timing model)", STYLE, &body)
}

/// Source lines that something on the page is of.
fn lines(launch: &Launch) -> impl Iterator<Item = &str> {
    let events = launch.trace.iter().flat_map(|core| &core.events).filter_map(|event| event.line.as_deref());
    let conflicts = launch.conflicts.iter().filter_map(|conflict| conflict.line.as_deref());
    launch.lines.iter().map(|line| line.line.as_str()).chain(events).chain(conflicts)
}

fn launch(launch: &Launch) -> Value {
    let mut all = json!(launch);
    all["name"] = json!(launch.name());
    all["tensors"] = json!(launch.tensors());
    all["us_text"] = json!(launch.us_text());
    all["error_text"] = json!(launch.error_text());
    for (value, conflict) in all["conflicts"].as_array_mut().into_iter().flatten().zip(&launch.conflicts) {
        value["who"] = json!(conflict.operands_text());
    }
    all["trace"] = launch.trace.iter().map(|core| trace(launch, core)).collect();
    for (value, line) in all["lines"].as_array_mut().into_iter().flatten().zip(&launch.lines) {
        value["row"] = json!(rows::row(&line.pipe).1);
    }
    let advice = advice::of(launch).into_iter();
    all["advice"] = advice.map(|a| json!({"text": a.text, "gain": a.gain, "task_us": a.task_us})).collect();
    all
}

/// With the row and the lane of every event.
fn trace(launch: &Launch, trace: &CoreTrace) -> Value {
    let mut all = json!(trace);
    all["name"] = json!(rows::core(trace.core, launch.ai_cores));
    let events = all["events"].as_array_mut().into_iter().flatten();
    for ((value, event), lane) in events.zip(&trace.events).zip(rows::lanes(trace)) {
        let (order, row) = rows::row(&event.pipe);
        value["row"] = json!(row);
        value["order"] = json!(order);
        value["lane"] = json!(lane);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::launch::tests::launch;
    use super::*;
    use crate::base::page::browser;

    fn page() -> String {
        let dir = tempfile::tempdir().expect("temp dir");
        let mut source = vec![""; 52];
        (source[39], source[51]) = ("  DataCopyPad(x);", "    Add(z, x, y);");
        std::fs::create_dir(dir.path().join("op_kernel")).expect("mkdir");
        std::fs::write(dir.path().join("op_kernel/add.h"), source.join("\n")).expect("write");
        let mut other = launch();
        (other.kernel, other.trace, other.task_us) = ("</script><b>".into(), Vec::new(), 10.0);
        of(
            &[Run { program: "test_add".into(), launches: vec![other, launch()] }],
            &Sources::new(vec![dir.path().to_owned()]),
        )
    }

    #[test]
    fn one_file_that_asks_for_nothing() {
        let page = page();
        for outside in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "{{"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("</script>").count(), 2, "data cannot end their script");
        assert!(page.contains("Nothing is measured"));
    }

    #[test]
    fn data_are_the_launches_with_rows_and_advice() {
        let page = page();
        let data = page.split("type=\"application/json\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
        assert_eq!(data["slowest"], 1);
        assert!(SCRIPTS.concat().contains("choose(data.slowest)"), "it is shown first");
        let launches = &data["runs"][0]["launches"];
        assert_eq!(launches[0]["kernel"], "</script><b>");
        let event = &launches[1]["trace"][0]["events"][2];
        assert_eq!((&event["row"], &event["order"], &event["lane"]), (&json!("VECTOR"), &json!(3), &json!(0)));
        assert_eq!(launches[1]["trace"][0]["name"], "core0.veccore0");
        assert_eq!(launches[1]["advice"][0]["gain"], 0.2);
        assert_eq!(launches[1]["us_text"], "11.25");
        assert_eq!(launches[1]["error_text"], "± 4 % (element-wise, long calls)");
        assert_eq!(
            data["source"],
            json!({"op_kernel/add.h:40": "DataCopyPad(x);", "op_kernel/add.h:52": "Add(z, x, y);"})
        );
    }

    /// Next to the Task Duration, in the table of launches, in their list, and above what would help.
    #[test]
    fn times_are_shown_with_their_error() {
        let functions: Vec<&str> = include_str!("page/main.js").split("\nfunction ").collect();
        let of = |name: &str| functions.iter().find(|text| text.starts_with(name)).expect(name);
        for function in ["summary()", "overview()", "tables()"] {
            assert!(of(function).contains(".error_text"), "{function}");
            assert!(function == "tables()" || of(function).contains(".us_text"), "{function}");
        }
    }

    /// Of the numbers that all runs together have.
    #[test]
    fn the_slowest_launch_of_all_runs_is_known() {
        let run = |us: &[f64]| {
            let launches = us.iter().map(|us| Launch { task_us: *us, ..launch() }).collect();
            Run { program: "x".into(), launches }
        };
        let runs = [run(&[3.0, 2.0]), run(&[]), run(&[1.0, 9.0, 9.0])];
        assert!(of(&runs, &Sources::default()).contains("\"slowest\":3"));
        assert!(of(&runs[1..2], &Sources::default()).contains("\"slowest\":null"));
    }

    #[test]
    fn every_picture_has_a_legend() {
        let pictures: Vec<&str> =
            PAGE.split("<canvas id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(pictures.len(), 5);
        for picture in pictures {
            assert!(SCRIPTS.concat().contains(&format!("legend(\"{picture}\"")), "{picture}");
        }
    }

    /// What the script looks up has to be in the page.
    #[test]
    fn elements_of_the_script_are_there() {
        let within = |start: &'static str| {
            let parts = SCRIPTS.iter().flat_map(move |script| script.split(start).skip(1));
            parts.filter_map(|rest| rest.split('"').next())
        };
        let legends = within("legend(\"").map(|name| format!("{name}-legend"));
        let names: Vec<String> = within("by(\"").map(str::to_owned).chain(legends).collect();
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            assert!(PAGE.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }

    /// Zoom, move, hover, keep, another launch: in a real browser, where this machine has one.
    #[test]
    fn a_browser_shows_it() {
        for (at, result) in browser::opened(&page(), include_str!("page/try.js")).into_iter().enumerate() {
            assert_eq!(result["drawn"], "3", "instructions of the core");
            let (all, near, moved) = (&result["all"], &result["near"], &result["moved"]);
            let width = |view: &Value| view[1].as_f64().unwrap_or(0.0) - view[0].as_f64().unwrap_or(0.0);
            assert!((width(all) - 561.0).abs() < 1e-6, "{all}: 550 cycles and a margin");
            assert!((width(near) / width(all) - (-0.45_f64).exp()).abs() < 1e-6, "{near}");
            assert!((width(moved) - width(near)).abs() < 1e-6 && moved[0].as_f64() < near[0].as_f64(), "{moved}");
            assert_eq!(result["fitted"], *all);
            assert_eq!(
                result["tip"],
                "Add\nop_kernel/add.h:52\n  Add(z, x, y);\n0.222 us, 0.083 us long (model)\ncycles 400 to 550: 150\n\
                 repeats: 64\nwaits for DataCopyPad (MTE2_V:0)"
            );
            assert_eq!(result["kept"], result["tip"]);
            assert_eq!(result["buffer"], "src0 of Add at 0\nshares bank groups with src1\nop_kernel/add.h:52");
            let error = "± 4 % (element-wise, long calls)";
            for place in ["summary", "launches", "tables"] {
                assert!(result["texts"][place].as_str().is_some_and(|text| text.contains(error)), "{place}: {result}");
            }
            assert!(result["texts"]["tables"].as_str().is_some_and(|text| text.contains("Add(z, x, y);")), "{result}");
            assert_eq!((&result["points"], &result["tables"]), (&json!("2"), &json!(3)));
            assert_eq!(result["above"], "0", "points lie under their roofs");
            assert_eq!(result["title"], json!(["</script><b>, Add_k_3", "</script><b>, Add_k_3 (timing model)"]));
            assert_eq!(result["chosen"], 1, "the slowest launch is shown first");
            assert!(
                result["cut"].as_str().is_some_and(|cut| cut.starts_with("DataCo") && cut.ends_with('…')),
                "{result}"
            );
            assert_eq!(result["ub"], "4096", "rows of the map as long as what is in use requires");
            assert_eq!(result["unexplained"], json!([]), "colours of pictures that no legend has, in view {at}");
            assert_eq!((&result["key"], &result["second"]), (&json!(0), &json!("No timeline")));
        }
    }
}

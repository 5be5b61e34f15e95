//! `--html`: one page that holds its data, its style and its script; it asks for nothing from outside.

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
    let launch = |one: &Launch| launch(one, sources);
    let run =
        |run: &Run| json!({"program": run.program, "launches": run.launches.iter().map(launch).collect::<Vec<_>>()});
    let data = json!({"runs": runs.iter().map(run).collect::<Vec<_>>()}).to_string();
    // Inside of a script element only its own end means anything.
    let data = data.replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let body = PAGE.replacen("{{SCRIPT}}", SCRIPTS.join("\n").trim_end(), 1).replacen("{{DATA}}", &data, 1);
    page::document("en", "sim (timing model)", STYLE, &body)
}

fn launch(launch: &Launch, sources: &Sources) -> Value {
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
        value["text"] = json!(sources.line(&line.line));
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
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::super::launch::tests::launch;
    use super::*;
    use crate::base::term::err;

    fn page() -> String {
        let mut other = launch();
        (other.kernel, other.trace, other.task_us) = ("</script><b>".into(), Vec::new(), 10.0);
        of(&[Run { program: "test_add".into(), launches: vec![other, launch()] }], &Sources::default())
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
        let launches = &data["runs"][0]["launches"];
        assert_eq!(launches[0]["kernel"], "</script><b>");
        let event = &launches[1]["trace"][0]["events"][2];
        assert_eq!((&event["row"], &event["order"], &event["lane"]), (&json!("VECTOR"), &json!(3), &json!(0)));
        assert_eq!(launches[1]["trace"][0]["name"], "core0.veccore0");
        assert_eq!(launches[1]["advice"][0]["gain"], 0.2);
        assert_eq!(launches[1]["us_text"], "11.25");
        assert_eq!(launches[1]["error_text"], "± 4 % (element-wise, long calls)");
    }

    /// Next to the Task Duration, in the table of launches, in their list, and above what would help.
    #[test]
    fn times_are_shown_with_their_error() {
        let functions: Vec<&str> = include_str!("page/main.js").split("\nfunction ").collect();
        let of = |name: &str| functions.iter().find(|text| text.starts_with(name)).expect(name);
        for function in ["summary()", "overview()", "start()", "tables()"] {
            assert!(of(function).contains(".error_text"), "{function}");
            assert!(function == "tables()" || of(function).contains(".us_text"), "{function}");
        }
    }

    /// What the script looks up has to be in the page.
    #[test]
    fn elements_of_the_script_are_there() {
        let names =
            SCRIPTS.iter().flat_map(|script| script.split("by(\"").skip(1)).filter_map(|rest| rest.split('"').next());
        let names: Vec<&str> = names.collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(PAGE.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }

    /// A browser of this machine: `CHROME`, or what is on the PATH.
    fn browser() -> Option<PathBuf> {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
        let path = std::env::var_os("PATH")?;
        let found =
            std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name))).find(|path| path.is_file());
        std::env::var_os("CHROME").map(PathBuf::from).or(found)
    }

    /// The page after it and this script have run.
    fn opened(browser: &Path, script: &str) -> String {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("page.html");
        let tried = page().replace("</body>", &format!("<script>{script}</script></body>"));
        std::fs::write(&file, tried).expect("write");
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,1000"])
            .arg(format!("--user-data-dir={}", dir.path().join("profile").display()))
            .args(["--virtual-time-budget=2000", "--dump-dom"])
            .arg(&file)
            .output()
            .expect("the browser starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Zoom, move, hover, keep, another launch: in a real browser, where this machine has one.
    #[test]
    fn a_browser_shows_it() {
        let Some(browser) = browser() else {
            err!("no Chromium on the PATH and no CHROME: the page was not opened");
            return;
        };
        let dom = opened(&browser, include_str!("page/try.js"));
        let result = dom.split("<pre id=\"result\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let result: Value = serde_json::from_str(result.unwrap_or_else(|| panic!("no result in {dom}"))).expect("JSON");
        assert_eq!(result["errors"], json!([]));
        assert_eq!(result["drawn"], "3", "instructions of the core");
        let (all, near, moved) = (&result["all"], &result["near"], &result["moved"]);
        let width = |view: &Value| view[1].as_f64().unwrap_or(0.0) - view[0].as_f64().unwrap_or(0.0);
        assert!((width(all) - 561.0).abs() < 1e-6, "{all}: 550 cycles and a margin");
        assert!((width(near) / width(all) - (-0.45_f64).exp()).abs() < 1e-6, "{near}");
        assert!((width(moved) - width(near)).abs() < 1e-6 && moved[0].as_f64() < near[0].as_f64(), "{moved}");
        assert_eq!(result["fitted"], *all);
        assert_eq!(
            result["tip"],
            "Add\nop_kernel/add.h:52\n0.222 us, 0.083 us long (model)\ncycles 400 to 550: 150\nrepeats: 64\n\
         waits for DataCopyPad (MTE2_V:0)"
        );
        assert_eq!(result["kept"], result["tip"]);
        assert_eq!(result["buffer"], "src0 of Add at 0\nshares bank groups with src1\nop_kernel/add.h:52");
        let error = "± 4 % (element-wise, long calls)";
        for place in ["summary", "launches", "tables"] {
            assert!(result["texts"][place].as_str().is_some_and(|text| text.contains(error)), "{place}: {result}");
        }
        assert_eq!((&result["points"], &result["tables"]), (&json!("2"), &json!(3)));
        assert_eq!((&result["above"], &result["legend"]), (&json!("0"), &json!(5)), "points lie under their roofs");
        assert_eq!(
            result["title"],
            json!(["&lt;/script&gt;&lt;b&gt;, Add_k_3", "&lt;/script&gt;&lt;b&gt;, Add_k_3 (timing model)"])
        );
        assert_eq!(result["chosen"], 2, "the slowest launch is shown first");
        assert!(result["cut"].as_str().is_some_and(|cut| cut.starts_with("DataCo") && cut.ends_with('…')), "{result}");
        assert_eq!(result["wide"], true, "nothing is wider than the window");
        assert_eq!(result["second"], "No timeline");
    }
}

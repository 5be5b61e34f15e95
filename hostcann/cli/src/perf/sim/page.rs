//! `--html`: one page that holds its data, its style and its script; it asks for nothing from outside.

use serde_json::{Value, json};

use super::advice;
use super::launch::{CoreTrace, Launch, Run};
use super::rows;
use super::sources::Sources;

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
    let parts = [("{{STYLE}}", STYLE.to_owned()), ("{{SCRIPT}}", SCRIPTS.join("\n")), ("{{DATA}}", data)];
    parts.into_iter().fold(PAGE.to_owned(), |page, (mark, text)| page.replacen(mark, text.trim_end(), 1))
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
#[path = "page_tests.rs"]
mod tests;

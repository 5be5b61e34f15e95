//! `--trace`: Chrome's trace-event format, which chrome://tracing and Perfetto read.
//!
//! A process is a core, a thread a pipe. Launches follow each other on the same rows, each from the end of the task before
//! it: on a core first its launch, then the entry of its block, then its instructions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::launch::{CoreTrace, Launch};
use super::rows;

/// The row above the pipes: which launch it is.
const LAUNCH_ROW: usize = 0;
/// Rows of a pipe whose instructions overlap.
const LANES: usize = 100;

/// What is written: one object, its events in the order of time behind the names of processes and threads.
pub fn of(launches: &[Launch]) -> Value {
    let mut names: Vec<Value> = Vec::new();
    let mut events: Vec<Value> = Vec::new();
    let mut flows = 0;
    let mut start = 0.0;
    for launch in launches {
        for trace in &launch.trace {
            let mut one = One { launch, trace, start, names: &mut names, events: &mut events, flows: &mut flows };
            one.launch_row();
            one.instructions();
            one.arrows();
            one.occupancy();
        }
        start += launch.task_us;
    }
    events.sort_by(|a, b| time(a).total_cmp(&time(b)));
    names.append(&mut events);
    json!({
        "displayTimeUnit": "ns",
        "otherData": {"source": "timing model of hostcann, nothing is measured", "clock": "us, from the model's cycles"},
        "traceEvents": names,
    })
}

fn time(event: &Value) -> f64 {
    event["ts"].as_f64().unwrap_or_default()
}

/// One core in one launch.
struct One<'a> {
    launch: &'a Launch,
    trace: &'a CoreTrace,
    /// Of the launch
    start: f64,
    names: &'a mut Vec<Value>,
    events: &'a mut Vec<Value>,
    flows: &'a mut u64,
}

impl One<'_> {
    fn at(&self, cycle: f64) -> f64 {
        self.start + self.launch.us(self.trace.before() + cycle)
    }

    fn name(&mut self, what: &str, row: Option<usize>, key: &str, value: Value) {
        let mut event = json!({"name": what, "ph": "M", "pid": self.trace.core, "args": {key: value}});
        if let Some(row) = row {
            event["tid"] = json!(row);
        }
        if !self.names.contains(&event) {
            self.names.push(event);
        }
    }

    fn thread(&mut self, row: usize, name: &str) {
        self.name("thread_name", Some(row), "name", json!(name));
        self.name("thread_sort_index", Some(row), "sort_index", json!(row));
    }

    fn launch_row(&mut self) {
        let (launch, core) = (self.launch, self.trace.core);
        self.name("process_name", None, "name", json!(format!("{} (model)", rows::core(core, launch.ai_cores))));
        self.name("process_sort_index", None, "sort_index", json!(core));
        self.thread(LAUNCH_ROW, "launch");
        let cycles = launch.cores.iter().find(|one| one.core == core).map_or(0.0, |one| one.cycles);
        self.events.push(json!({
            "name": launch.kernel, "cat": "launch", "ph": "X", "ts": self.start, "dur": launch.us(self.trace.before() + cycles),
            "pid": core, "tid": LAUNCH_ROW,
            "args": {
                "tiling_key": launch.tiling_key, "blocks": launch.blocks, "soc": launch.soc, "mode": launch.mode,
                "task duration (us, model)": launch.task_us, "longest task duration (us, model)": launch.longest_us(),
                "mean error (model)": launch.error_text(), "bound (model)": launch.bound,
            },
        }));
    }

    /// The thread of an event.
    fn tid(pipe: &str, lane: usize) -> usize {
        (rows::row(pipe).0 + 1) * LANES + lane.min(LANES - 1)
    }

    fn instructions(&mut self) {
        let mut named = BTreeSet::new();
        for (event, lane) in self.trace.events.iter().zip(rows::lanes(self.trace)) {
            let (tid, row) = (Self::tid(&event.pipe, lane), rows::row(&event.pipe).1);
            if named.insert(tid) {
                self.thread(tid, row);
            }
            let mut args = event.args.clone();
            if let Some(line) = &event.line {
                args.insert("line".to_owned(), json!(line));
            }
            args.insert("start (cycle)".to_owned(), json!(event.start));
            args.insert("cycles".to_owned(), json!(event.end - event.start));
            self.events.push(json!({
                "name": event.name, "cat": row, "ph": "X", "ts": self.at(event.start),
                "dur": self.launch.us(event.end - event.start), "pid": self.trace.core, "tid": tid, "args": args,
            }));
        }
    }

    /// An arrow begins and ends inside of the instructions it ties together: half a cycle before the end of the one, in the
    /// other not before that.
    fn arrows(&mut self) {
        let lanes = rows::lanes(self.trace);
        for flow in &self.trace.flows {
            let pair = (self.trace.events.get(flow.from), self.trace.events.get(flow.to));
            let (Some(first), Some(second)) = pair else { continue };
            let leave = first.start.max(first.end - 0.5);
            if second.end < leave {
                continue;
            }
            *self.flows += 1;
            let arrow = |phase: &str, cycle: f64, event: usize| {
                json!({
                    "name": flow.name, "cat": "event", "ph": phase, "id": *self.flows, "ts": self.at(cycle),
                    "pid": self.trace.core, "tid": Self::tid(&self.trace.events[event].pipe, lanes[event]),
                })
            };
            let begin = arrow("s", leave, flow.from);
            let mut end = arrow("f", second.start.max(leave), flow.to);
            end["bp"] = json!("e");
            self.events.extend([begin, end]);
        }
    }

    fn occupancy(&mut self) {
        for &(cycle, bytes) in &self.trace.ub {
            let ts = self.at(cycle);
            self.events.push(json!({
                "name": "UB in use", "ph": "C", "ts": ts, "pid": self.trace.core, "args": {"bytes": bytes},
            }));
        }
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;

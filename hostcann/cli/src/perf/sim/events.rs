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
mod tests {
    use std::collections::BTreeMap;

    use super::super::launch::tests::{at_the_edge, launch};
    use super::*;

    /// Of an arrow: phase, process and thread, time.
    type End = (String, (u64, u64), f64);

    /// The rules of "Trace Event Format": the object form, the phases and their fields, times, slices that nest, flows that
    /// are whole and lie in a slice.
    pub fn validate(trace: &Value) -> Result<(), String> {
        let events = trace["traceEvents"].as_array().ok_or("traceEvents is no array")?;
        if !["ms", "ns"].contains(&trace["displayTimeUnit"].as_str().unwrap_or_default()) {
            return Err("displayTimeUnit is neither ms nor ns".to_owned());
        }
        let mut last = f64::MIN;
        let mut open: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
        let mut slices: Vec<(u64, u64, f64, f64)> = Vec::new();
        let mut flows: BTreeMap<u64, Vec<End>> = BTreeMap::new();
        for event in events {
            let wrong = |what: &str| Err(format!("{what}: {event}"));
            let number = |key: &str| event[key].as_f64();
            let (Some(phase), Some(_), Some(pid)) =
                (event["ph"].as_str(), event["name"].as_str(), event["pid"].as_u64())
            else {
                return wrong("ph, name or pid is missing");
            };
            if phase == "M" {
                let known = ["process_name", "process_sort_index", "thread_name", "thread_sort_index"];
                if !known.contains(&event["name"].as_str().unwrap_or_default()) || !event["args"].is_object() {
                    return wrong("not a metadata event");
                }
                continue;
            }
            let Some(ts) = number("ts").filter(|ts| ts.is_finite() && *ts >= 0.0) else { return wrong("ts") };
            if ts < last {
                return wrong("ts goes back");
            }
            last = ts;
            let tid = event["tid"].as_u64();
            match (phase, tid) {
                ("X", Some(tid)) => {
                    let Some(dur) = number("dur").filter(|dur| *dur >= 0.0) else { return wrong("dur") };
                    let open = open.entry((pid, tid)).or_default();
                    open.retain(|end| *end > ts + 1e-9);
                    if open.iter().any(|end| ts + dur > end + 1e-9) {
                        return wrong("overlaps another of its thread without lying in it");
                    }
                    open.push(ts + dur);
                    slices.push((pid, tid, ts, ts + dur));
                }
                ("C", None) if event["args"].as_object().is_some_and(|args| args.values().all(Value::is_number)) => {}
                ("s" | "f", Some(tid)) => {
                    let Some(id) = event["id"].as_u64() else { return wrong("id") };
                    if phase == "f" && event["bp"] != "e" {
                        return wrong("the end of a flow is bound to the next slice, not to the one it lies in");
                    }
                    flows.entry(id).or_default().push((phase.to_owned(), (pid, tid), ts));
                }
                _ => return wrong("a phase that is not written, or without its fields"),
            }
        }
        for (id, ends) in &flows {
            let phases: Vec<&str> = ends.iter().map(|(phase, ..)| phase.as_str()).collect();
            if phases != ["s", "f"] {
                return Err(format!("flow {id} consists of {phases:?}"));
            }
            let inside = |(_, (pid, tid), ts): &End| {
                slices.iter().any(|s| (s.0, s.1) == (*pid, *tid) && s.2 <= *ts && *ts <= s.3)
            };
            if !ends.iter().all(inside) {
                return Err(format!("flow {id} ends outside of every slice"));
            }
        }
        Ok(())
    }

    fn phases(trace: &Value, phase: &str) -> Vec<Value> {
        let events = trace["traceEvents"].as_array().expect("events");
        events.iter().filter(|event| event["ph"] == phase).cloned().collect()
    }

    #[test]
    fn every_kind_of_event() {
        let trace = of(&[launch()]);
        assert_eq!(validate(&trace), Ok(()));
        let names: Vec<_> =
            phases(&trace, "M").iter().map(|event| event["args"]["name"].as_str().map(str::to_owned)).collect();
        let names: Vec<String> = names.into_iter().flatten().collect();
        assert_eq!(names, ["core0.veccore0 (model)", "launch", "SCALAR", "MTE2", "VECTOR"]);
        let slices = phases(&trace, "X");
        let brief: Vec<_> =
            slices.iter().map(|e| (e["name"].as_str().unwrap_or_default(), e["tid"].as_u64().unwrap_or(99))).collect();
        assert_eq!(slices[0]["args"]["mean error (model)"], "± 4 % (element-wise, long calls)");
        assert_eq!(brief, [("Add_k_3", 0), ("SetFlag", 200), ("DataCopyPad", 300), ("Add", 400)]);
        let add = &slices[3];
        assert_eq!((add["ts"].as_f64(), add["dur"].as_f64()), (Some(400.0 / 1800.0), Some(150.0 / 1800.0)));
        assert_eq!(
            add["args"],
            json!({"repeats": 64, "line": "op_kernel/add.h:52", "start (cycle)": 400.0, "cycles": 150.0})
        );
        let used: Vec<_> = phases(&trace, "C").iter().map(|event| event["args"]["bytes"].clone()).collect();
        assert_eq!(used, [json!(0), json!(16384), json!(0)]);
        let (begin, end) = (phases(&trace, "s"), phases(&trace, "f"));
        assert_eq!((begin.len(), end.len()), (1, 1));
        assert_eq!((begin[0]["ts"].as_f64(), begin[0]["tid"].as_u64()), (Some(399.5 / 1800.0), Some(300)));
        assert_eq!((end[0]["ts"].as_f64(), end[0]["tid"].as_u64()), (Some(400.0 / 1800.0), Some(400)));
        assert_eq!((&begin[0]["name"], &begin[0]["id"]), (&json!("MTE2_V:0"), &end[0]["id"]));
    }

    #[test]
    fn the_launch_comes_before_the_core() {
        let mut one = launch();
        let event = |pipe: &str, name: &str, start: f64, end: f64| {
            let (pipe, name) = (pipe.to_owned(), name.to_owned());
            super::super::launch::Event { pipe, name, start, end, ..Default::default() }
        };
        one.trace[0].events.push(event("S", "entry", 0.0, 10.0));
        one.trace[0].events.push(event("LAUNCH", "launch", -1800.0, 0.0));
        let trace = of(&[one]);
        assert_eq!(validate(&trace), Ok(()));
        let at = |name: &str| {
            let event = phases(&trace, "X").into_iter().find(|event| event["name"] == name).expect(name);
            (
                event["ts"].as_f64().expect("ts"),
                event["dur"].as_f64().expect("dur"),
                event["tid"].as_u64().expect("tid"),
            )
        };
        assert_eq!(at("launch"), (0.0, 1.0, 100));
        assert_eq!(at("entry"), (1.0, 10.0 / 1800.0, 200));
        assert_eq!(at("Add_k_3"), (0.0, 11.0, 0));
        assert_eq!(at("Add").0, 2200.0 / 1800.0);
    }

    #[test]
    fn near_the_size_of_the_l2_there_are_two_times() {
        let args = &phases(&of(&[at_the_edge()]), "X")[0]["args"];
        let us = ["task duration (us, model)", "longest task duration (us, model)"].map(|key| args[key].as_f64());
        assert_eq!(us, [Some(11.25), Some(178.6)]);
    }

    #[test]
    fn launches_follow_each_other() {
        let trace = of(&[launch(), launch()]);
        assert_eq!(validate(&trace), Ok(()));
        let starts: Vec<f64> = phases(&trace, "X").iter().filter(|event| event["tid"] == 0).map(time).collect();
        assert_eq!(starts, [0.0, 11.25]);
        assert_eq!(phases(&trace, "M").len(), 2 + 2 * 4, "names are said once");
        let ids: Vec<_> = phases(&trace, "s").iter().map(|event| event["id"].as_u64()).collect();
        assert_eq!(ids, [Some(1), Some(2)]);
    }

    #[test]
    fn copies_that_overlap_get_rows_of_their_own() {
        let mut one = launch();
        let mut copy = one.trace[0].events[1].clone();
        (copy.start, copy.end) = (120.0, 420.0);
        one.trace[0].events.push(copy);
        let trace = of(&[one]);
        assert_eq!(validate(&trace), Ok(()));
        let rows: Vec<_> = phases(&trace, "X").iter().filter_map(|event| event["tid"].as_u64()).collect();
        assert_eq!(rows, [0, 200, 300, 301, 400]);
    }

    #[test]
    fn the_validator_sees_what_is_wrong() {
        let good = of(&[launch()]);
        let broken = |change: fn(&mut Vec<Value>)| {
            let mut trace = good.clone();
            change(trace["traceEvents"].as_array_mut().expect("events"));
            validate(&trace).expect_err("it is broken")
        };
        let with = |phase: &'static str| move |event: &Value| event["ph"] == phase;
        assert!(broken(|events| events.retain(|event| event["ph"] != "f")).contains("flow 1 consists of [\"s\"]"));
        assert!(broken(|events| events.reverse()).contains("ts goes back"));
        assert!(
            broken(|events| events.iter_mut().for_each(|event| event["pid"] = json!("0"))).contains("pid is missing")
        );
        assert!(
            broken(|events| events.iter_mut().filter(|e| e["ph"] == "X").for_each(|e| e["dur"] = json!(-1)))
                .contains("dur")
        );
        let overlap = |events: &mut Vec<Value>| {
            for event in events.iter_mut().filter(|e| e["ph"] == "X" && e["tid"] != 0) {
                (event["tid"], event["dur"]) = (json!(7), json!(0.2));
            }
        };
        assert!(broken(overlap).contains("overlaps"));
        assert!(
            broken(|events| events.iter_mut().filter(|e| e["ph"] == "s").for_each(|e| e["tid"] = json!(9)))
                .contains("outside")
        );
        assert!(good["traceEvents"].as_array().expect("events").iter().any(with("C")));
    }
}

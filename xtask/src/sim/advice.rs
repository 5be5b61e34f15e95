//! What would help most: the launch computed again without one of its costs.

use super::launch::{Conflict, Launch, WhatIf};

/// Smaller gains are not worth a line.
const LEAST: f64 = 0.005;

/// A change and what the model gives for it.
#[derive(Debug, PartialEq)]
pub struct Advice {
    pub text: String,
    /// Part of the task's time
    pub gain: f64,
    pub task_us: f64,
}

/// The largest gain first.
pub fn of(launch: &Launch) -> Vec<Advice> {
    let advice = |what: &WhatIf| Advice { text: text(launch, what), gain: launch.gain(what), task_us: what.task_us };
    let mut all: Vec<Advice> = launch.what_if.iter().map(advice).filter(|advice| advice.gain >= LEAST).collect();
    all.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    all
}

fn text(launch: &Launch, what: &WhatIf) -> String {
    let place = what.line.as_ref().map_or(String::new(), |line| format!(" at {line}"));
    match what.kind.as_str() {
        "no-bank-conflict" => {
            match launch.conflicts.iter().find(|c| what.line.is_some() && c.line == what.line && c.avoidable()) {
                Some(conflict) => apart(conflict, &place),
                None => "no bank conflict anywhere: operands of an instruction in different bank groups".to_owned(),
            }
        }
        "balance" => "the same time for every core".to_owned(),
        "twice-the-tile" => "what a call costs by itself halved, as with tiles of twice the size".to_owned(),
        "no-scalar" => "nothing for queues, calls, GetValue and SetValue in the scalar unit".to_owned(),
        "no-fixed-cost" => "vector instructions without their fixed part: more repeats in each".to_owned(),
        "no-vector" => "at most: no time in the vector unit".to_owned(),
        "no-memory" => "at most: no time for global memory".to_owned(),
        "warm" => "data and code in the caches".to_owned(),
        other => format!("{other}{place}"),
    }
}

fn apart(conflict: &Conflict, place: &str) -> String {
    let Conflict { op, kind, operands: [one, other], .. } = conflict;
    match kind.as_str() {
        "read-read" => format!("{one} and {other} of {op} share bank groups{place}: move one of them by 256 bytes"),
        "read-write" => format!("{op} writes {one} out of step into banks of {other}{place}: move one of them"),
        _ => format!("{op} strides within one bank group{place}: another stride"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch::tests::launch;
    use super::*;

    #[test]
    fn the_largest_gain_comes_first_and_small_ones_not_at_all() {
        let mut launch = launch();
        launch.what_if.push(WhatIf { kind: "warm".into(), line: None, task_us: 11.2 });
        launch.what_if.push(WhatIf { kind: "no-scalar".into(), line: None, task_us: 12.0 });
        let found = of(&launch);
        let brief: Vec<_> = found.iter().map(|advice| (advice.text.as_str(), advice.gain, advice.task_us)).collect();
        assert_eq!(
            brief,
            [
                (
                    "src0 and src1 of Add share bank groups at op_kernel/add.h:52: move one of them by 256 bytes",
                    0.2,
                    9.0
                ),
                ("the same time for every core", 0.1, 10.125),
            ]
        );
    }

    #[test]
    fn what_cannot_be_moved_apart_is_no_advice() {
        let mut launch = launch();
        let square = Conflict { op: "Mul".into(), at: [64, 64], ..launch.conflicts[0].clone() };
        launch.conflicts.insert(0, square);
        assert!(of(&launch)[0].text.starts_with("src0 and src1 of Add share bank groups at "));
    }

    #[test]
    fn a_change_that_is_not_known_is_named_as_it_is() {
        let mut launch = launch();
        launch.what_if = vec![
            WhatIf { kind: "no-bank-conflict".into(), line: None, task_us: 1.0 },
            WhatIf { kind: "new".into(), line: Some("k.h:1".into()), task_us: 2.0 },
        ];
        let texts: Vec<String> = of(&launch).into_iter().map(|advice| advice.text).collect();
        assert_eq!(
            texts,
            ["no bank conflict anywhere: operands of an instruction in different bank groups", "new at k.h:1"]
        );
    }
}

//! What would help most: the launch computed again without one of its costs.

use super::launch::{Conflict, Launch, Tiles, WhatIf};

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
        "larger-tiles" => what.tiles.as_ref().map_or_else(|| "larger tiles".to_owned(), larger),
        "no-scalar" => "nothing for queues, calls, GetValue and SetValue in the scalar unit".to_owned(),
        "no-fixed-cost" => "vector instructions without their fixed part: more repeats in each".to_owned(),
        "no-vector" => "at most: no time in the vector unit".to_owned(),
        "no-memory" => "at most: no time for global memory".to_owned(),
        "warm" => "data and code in the caches".to_owned(),
        other => format!("{other}{place}"),
    }
}

/// A tile that is said to fit fits.
fn larger(tiles: &Tiles) -> String {
    let Tiles { factor, now, then, free } = tiles;
    let times = (factor * 100.0).floor() / 100.0;
    format!(
        "tiles of {times} times the size: {then} a core for {now} ({} KiB of the unified buffer are free)",
        free / 1024
    )
}

fn apart(conflict: &Conflict, place: &str) -> String {
    let Conflict { op, kind, operands: [one, other], .. } = conflict;
    match kind.as_str() {
        "read-read" => format!("{one} and {other} of {op} share bank groups{place}: move one of them by 256 bytes"),
        "read-write" => format!("{op} writes {one} out of step into banks of {other}{place}: move one of them"),
        _ if one == other => format!("blocks of {one} of {op} lie in one bank group{place}: another stride"),
        _ => format!("blocks of {one}, and of {other}, of {op} lie in one bank group{place}: other strides"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch::tests::launch;
    use super::*;

    fn what_if(kind: &str, line: Option<String>, task_us: f64) -> WhatIf {
        WhatIf { kind: kind.into(), line, task_us, tiles: None }
    }

    #[test]
    fn tiles_say_what_room_there_is() {
        let tiles = Tiles { factor: 4.0 / 3.0, now: 4, then: 3, free: 49152 };
        let what = WhatIf { tiles: Some(tiles), ..what_if("larger-tiles", None, 10.0) };
        assert_eq!(
            text(&launch(), &what),
            "tiles of 1.33 times the size: 3 a core for 4 (48 KiB of the unified buffer are free)"
        );
    }

    #[test]
    fn a_stride_names_its_operands() {
        let stride = |operands: [&str; 2]| {
            let conflict = Conflict {
                kind: "stride".into(),
                operands: operands.map(str::to_owned),
                ..launch().conflicts[0].clone()
            };
            apart(&conflict, "")
        };
        assert_eq!(stride(["dst", "dst"]), "blocks of dst of Add lie in one bank group: another stride");
        assert_eq!(stride(["dst", "src"]), "blocks of dst, and of src, of Add lie in one bank group: other strides");
    }

    #[test]
    fn the_largest_gain_comes_first_and_small_ones_not_at_all() {
        let mut launch = launch();
        launch.what_if.push(what_if("warm", None, 11.2));
        launch.what_if.push(what_if("no-scalar", None, 12.0));
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
        launch.what_if = vec![what_if("no-bank-conflict", None, 1.0), what_if("new", Some("k.h:1".into()), 2.0)];
        let texts: Vec<String> = of(&launch).into_iter().map(|advice| advice.text).collect();
        assert_eq!(
            texts,
            ["no bank conflict anywhere: operands of an instruction in different bank groups", "new at k.h:1"]
        );
    }
}

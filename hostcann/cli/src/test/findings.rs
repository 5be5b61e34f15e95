//! What the checker found in a layer: each place and kind once, with how often.

use crate::base::report::CheckFinding;

/// Alike but for core, tiling key and numbers: the first one stands for all.
pub fn of(lines: &[CheckFinding]) -> Vec<CheckFinding> {
    let key = |one: &CheckFinding| (one.class.clone(), one.stops, one.instruction.clone(), one.place.clone());
    let mut found: Vec<CheckFinding> = Vec::new();
    for line in lines {
        match found.iter_mut().find(|known| key(known) == key(line)) {
            Some(known) => known.times += 1,
            None => found.push(CheckFinding { times: 1, ..line.clone() }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once() {
        let line = |place: &str, stops: bool, message: &str| CheckFinding {
            class: "race".to_owned(),
            stops,
            kernel: "k_0".to_owned(),
            instruction: "Add".to_owned(),
            place: Some(place.to_owned()),
            message: message.to_owned(),
            ..CheckFinding::default()
        };
        let lines =
            [line("a.h:1", true, "7"), line("a.h:2", true, "7"), line("a.h:1", true, "8"), line("a.h:1", false, "8")];
        let found = of(&lines);
        let told: Vec<(Option<&str>, &str, u64)> =
            found.iter().map(|one| (one.place.as_deref(), one.message.as_str(), one.times)).collect();
        assert_eq!(told, [(Some("a.h:1"), "7", 2), (Some("a.h:2"), "7", 1), (Some("a.h:1"), "8", 1)]);
        assert!(of(&[]).is_empty());
    }
}

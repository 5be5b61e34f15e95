//! What the checker found in a layer: each place and kind once, with how often.

use serde_json::{Value, json};

/// Alike but for core, tiling key and numbers: the first one stands for all.
pub fn of(lines: &[Value]) -> Vec<Value> {
    const SAME: [&str; 4] = ["class", "stops", "instruction", "place"];
    let mut found: Vec<(Vec<&Value>, &Value, u64)> = Vec::new();
    for line in lines {
        let key: Vec<&Value> = SAME.iter().map(|name| &line[*name]).collect();
        match found.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, times)) => *times += 1,
            None => found.push((key, line, 1)),
        }
    }
    let one = |(_, line, times): (Vec<&Value>, &Value, u64)| {
        let mut one = line.clone();
        one["times"] = json!(times);
        one
    };
    found.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once() {
        let line = |place: &str, stops: bool, message: &str| json!({"class": "race", "stops": stops, "kernel": "k_0", "instruction": "Add", "place": place, "message": message});
        let lines =
            [line("a.h:1", true, "7"), line("a.h:2", true, "7"), line("a.h:1", true, "8"), line("a.h:1", false, "8")];
        let told: Vec<(Value, Value, Value)> =
            of(&lines).iter().map(|one| (one["place"].clone(), one["message"].clone(), one["times"].clone())).collect();
        assert_eq!(
            told,
            [
                (json!("a.h:1"), json!("7"), json!(2)),
                (json!("a.h:2"), json!("7"), json!(1)),
                (json!("a.h:1"), json!("8"), json!(1))
            ]
        );
        assert!(of(&[]).is_empty());
    }
}

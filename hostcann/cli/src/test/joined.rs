//! Layers of several parts of a run as those of one.

use super::clock::LayerTime;
use super::layer;
use crate::base::count::{Count, Outcome};
use crate::base::report::{LayerOutcome, TestResult};

/// In the order of a plain run; counts and times of a layer add up.
pub fn outcomes(units: &[String], parts: Vec<TestResult>) -> (Vec<Outcome>, Vec<LayerTime>) {
    let (mut all, mut times): (Vec<Outcome>, Vec<LayerTime>) = Default::default();
    for part in parts {
        for LayerOutcome { layer, only, passed, failed } in part.layers.into_iter().flatten() {
            let more = Count { passed, failed };
            match all.iter_mut().find(|known| (&known.only, &known.layer) == (&only, &layer)) {
                Some(known) => known.count += more,
                None => all.push(Outcome { only, ..Outcome::new(layer, more) }),
            }
        }
        if let Some(of) = all.iter_mut().find(|known| known.layer == "example") {
            of.tests.extend(part.examples.into_iter().flatten().map(|example| (example.name, example.ok)));
        }
        if let Some(of) = all.iter_mut().find(|known| known.layer == "mutants") {
            of.mutants.extend(part.mutants.into_iter().flatten());
        }
        for time in part.layer_times.into_iter().flatten() {
            match times.iter_mut().find(|known| known.layer == time.layer) {
                Some(known) => {
                    known.wall_s += time.wall_s;
                    known.processor_s += time.processor_s;
                }
                None => times.push(time),
            }
        }
    }
    let place = |unit: &str| units.iter().position(|known| known == unit);
    let layers = layer::all();
    all.sort_by_key(|one| {
        // A program of unit tests may be one for every operator.
        let program = one.layer.split(' ').next().unwrap_or_default();
        (layers.iter().position(|layer| layer.name() == one.only), place(&format!("{} {program}", one.only)))
    });
    for one in &mut all {
        one.tests.sort_by_key(|(name, _)| place(&format!("{} {name}", one.only)));
        one.mutants.sort_by_key(|mutant| place(&format!("mutants {}", mutant.name)));
    }
    times.sort_by_key(|time| layers.iter().position(|layer| layer.name() == time.layer));
    (all, times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::report::{ExampleOutcome, MutantOutcome};

    #[test]
    fn layers_add_up_in_the_order_of_the_units() {
        let layer = |only: &str, layer: &str, passed, failed| LayerOutcome {
            layer: layer.to_owned(),
            only: only.to_owned(),
            passed,
            failed,
        };
        let time = |wall_s, processor_s| Some(vec![LayerTime { layer: "example".to_owned(), wall_s, processor_s }]);
        let example = |name: &str, ok| ExampleOutcome { name: name.to_owned(), ok };
        let mutant = |name: &str| MutantOutcome { name: name.to_owned(), ..MutantOutcome::default() };
        let first = TestResult {
            layers: Some(vec![layer("ut", "math_op_kernel_ut x", 1, 0), layer("example", "example", 1, 0)]),
            layer_times: time(1.5, 2.0),
            examples: Some(vec![example("b", true)]),
            ..TestResult::default()
        };
        let second = TestResult {
            layers: Some(vec![
                layer("ut", "math_op_host_ut", 4, 1),
                layer("example", "example", 1, 1),
                layer("mutants", "mutants", 2, 0),
            ]),
            layer_times: time(2.0, 3.0),
            examples: Some(vec![example("c", false), example("a", true)]),
            mutants: Some(vec![mutant("n"), mutant("m")]),
            ..TestResult::default()
        };
        let units = ["ut math_op_host_ut", "ut math_op_kernel_ut", "example a", "example b", "example c"];
        let units =
            [&units[..], &["mutants m", "mutants n"]].concat().iter().map(|unit| unit.to_string()).collect::<Vec<_>>();
        let (all, times) = outcomes(&units, vec![first, second]);
        let of = |layer: &str| all.iter().find(|one| one.layer == layer).expect(layer);
        let place = |layer: &str| all.iter().position(|one| one.layer == layer);
        assert!(place("math_op_host_ut") < place("math_op_kernel_ut x"));
        assert_eq!((of("example").count.passed, of("example").count.failed), (2, 1));
        let examples: Vec<_> = of("example").tests.iter().map(|(name, ok)| (name.as_str(), *ok)).collect();
        assert_eq!(examples, [("a", true), ("b", true), ("c", false)]);
        let mutants: Vec<&str> = of("mutants").mutants.iter().map(|mutant| mutant.name.as_str()).collect();
        assert_eq!(mutants, ["m", "n"]);
        assert_eq!((times.len(), times[0].wall_s, times[0].processor_s), (1, 3.5, 5.0));
    }
}

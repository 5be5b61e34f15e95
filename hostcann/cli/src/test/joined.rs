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

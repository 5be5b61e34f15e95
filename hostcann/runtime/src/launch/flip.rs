//! The same launch under other values of the undocumented switches: a result that moves is a guess.

use crate::base::env::Settings;
use crate::launch::run::{Change, CheckedLaunch, brief, raise};
use crate::launch::snapshot::Snapshot;
use aicore::{AtomicOrder, DivUlp, Engine, Fault, FaultClass, Fma, Ftz, MatmulOrder, Reciprocal, Saturation, Switches};

/// Every other value of the named switches, one at a time; `random` is a mixture of the other values of Div.
fn variants(base: Switches, names: &[&str]) -> Vec<(String, Switches)> {
    let mut all = Vec::new();
    macro_rules! others {
        ($field:ident, $values:expr) => {
            for &value in $values.iter().filter(|&&v| v != base.$field) {
                let name = stringify!($field);
                all.push((name, format!("{name}={value}"), Switches { $field: value, ..base }));
            }
        };
    }
    others!(div_ulp, [DivUlp::Zero, DivUlp::Plus, DivUlp::Minus]);
    others!(fma, Fma::ALL);
    others!(ftz, Ftz::ALL);
    others!(saturation, Saturation::ALL);
    others!(reciprocal, Reciprocal::ALL);
    others!(atomic_order, AtomicOrder::ALL);
    others!(matmul_order, MatmulOrder::ALL);
    all.retain(|(name, ..)| names.contains(name));
    all.into_iter().map(|(_, text, switches)| (text, switches)).collect()
}

/// Called after a run that succeeded; memory is left as that run left it.
///
/// # Errors
///
/// A fault of the class `Undocumented` where another value of a switch changes the results or stops the kernel, unless
/// results differ from run to run.
pub fn flip(launch: &CheckedLaunch<'_>, engine: &Engine, settings: &Settings, before: &Snapshot) -> Result<(), Fault> {
    let after = launch.take();
    let base = engine.switches();
    let again = |switches| launch.again(engine, settings, (before, &after), &Ok(()), (launch.tiling, switches));
    let mut found = Vec::new();
    for (name, switches) in variants(base, &settings.flip) {
        let (ran, change) = again(switches);
        match (change, ran.result) {
            (Some(Change::Result(d)), _) => {
                found.push(format!("{name}: {} is {} instead of {}", d.place(), d.now(), d.before()));
            }
            (_, Err(fault)) => found.push(format!("{name}: the kernel stops with «{}»", brief(&fault))),
            _ => {}
        }
    }
    let unstable = !found.is_empty() && again(base).1.is_some();
    launch.restore(&after);
    if unstable {
        crate::base::log::note("FLIP", &format!("{}: results differ from run to run; not compared", launch.name));
        return Ok(());
    }
    if found.is_empty() {
        return Ok(());
    }
    let what = format!("results depend on hardware behaviour that no document states: {}", found.join("; "));
    let fix =
        "compute so that the result does not move, or accept it and leave the switch out (HOSTCANN_FLIP=1,-<switch>)";
    Err(launch.finding(raise(FaultClass::Undocumented, "launch", what, fix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_switch_moves_at_a_time() {
        let names = |base, list: &[&str]| variants(base, list).into_iter().map(|v| v.0).collect::<Vec<_>>();
        let all = ["div_ulp", "fma", "ftz", "saturation", "reciprocal", "atomic_order", "matmul_order"];
        let want = [
            "div_ulp=+1",
            "div_ulp=-1",
            "fma=fused",
            "ftz=div",
            "ftz=on",
            "saturation=saturate",
            "reciprocal=documented",
            "atomic_order=descending",
            "matmul_order=descending",
        ];
        assert_eq!(names(Switches::default(), &all), want);
        let base = Switches { div_ulp: DivUlp::Minus, ftz: Ftz::On, ..Switches::default() };
        assert_eq!(names(base, &["div_ulp", "ftz"]), ["div_ulp=0", "div_ulp=+1", "ftz=off", "ftz=div"]);
        let (_, switches) = variants(base, &["fma"])[0];
        assert_eq!(switches, Switches { fma: Fma::Fused, ..base });
    }
}

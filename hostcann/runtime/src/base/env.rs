//! The HOSTCANN_* environment variables, read once per process.

use crate::base::failure::{Failure, Outcome, codes};
use crate::base::sim_words::{self, Sim};
use aicore::{FaultClass, check};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    pub soc: Option<String>,
    pub cores: Option<u32>,
    pub threads: Option<usize>,
    pub div_ulp: Option<String>,
    pub fma: Option<String>,
    pub ftz: Option<String>,
    pub saturation: Option<String>,
    pub reciprocal: Option<String>,
    pub second_set: Option<String>,
    pub atomic_order: Option<String>,
    /// None: kernels run unchecked.
    pub check: Option<check::Options>,
    /// A file that gets a character for every checked launch: `.` or, with a finding, `!`; and `+` for every further finding of it.
    pub check_count: Option<PathBuf>,
    /// A file that gets a line of JSON for every finding and every fault.
    pub findings: Option<PathBuf>,
    /// Switches that every launch is repeated with, empty: none.
    pub flip: Vec<&'static str>,
    /// The file that every step of every core is written to.
    pub trace: Option<String>,
    /// What the timing model is asked, and where it answers.
    pub sim: Option<Sim>,
    /// Seconds of processor time for one launch or one host function of an operator.
    pub time_limit: Option<u64>,
    /// Whether ACL_STOP_ON_FAILURE does what it says.
    pub stop_on_failure: bool,
}

/// What the toolkit reads; names that begin with TEST_ are left to tests.
pub const NAMES: &[&str] = &[
    "ATOMIC_ORDER",
    "AUTO_SYNC",
    "CHECK",
    "CHECK_COUNT",
    "CORES",
    "DIV_ULP",
    "FINDINGS",
    "FLIP",
    "FMA",
    "FTZ",
    "LOG",
    "RECIPROCAL",
    "SATURATION",
    "SECOND_SET",
    "SIM",
    "SOC",
    "STOP_ON_FAILURE",
    "THREADS",
    "TIME_LIMIT",
    "TRACE",
    "VERDICT",
];

const TIME_LIMIT: u64 = 600;

/// Names in `HOSTCANN_FLIP`.
pub const SWITCHES: &[&str] = &["div_ulp", "fma", "ftz", "saturation", "reciprocal", "atomic_order"];

pub fn settings() -> Outcome<&'static Settings> {
    static SETTINGS: OnceLock<Outcome<Settings>> = OnceLock::new();
    let start = || {
        refuse_unknown(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()))?;
        let settings = read(|name| std::env::var(name).ok())?;
        aicore::set_time_limit(settings.time_limit.unwrap_or(TIME_LIMIT));
        Ok(settings)
    };
    SETTINGS.get_or_init(start).as_ref().map_err(Clone::clone)
}

/// A misspelt name would leave the run as it was without a word.
fn refuse_unknown(names: impl Iterator<Item = String>) -> Outcome {
    for name in names {
        let Some(own) = name.strip_prefix("HOSTCANN_").filter(|own| !own.starts_with("TEST_")) else { continue };
        if !NAMES.contains(&own) {
            let near = NAMES.iter().copied().min_by_key(|known| distance(own, known)).unwrap_or_default();
            fail!(
                INVALID_PARAM,
                "environment variable {name} means nothing to the toolkit; did you mean HOSTCANN_{near}? correct or unset it \
                 (known: {})",
                NAMES.join(", ")
            );
        }
    }
    Ok(())
}

/// Letters to put in, take out or change to make one word from the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, c) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, d) in other.iter().enumerate() {
            let change = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Whether kernels run checked. A bad environment is reported by the functions that return a status.
pub fn checking() -> bool {
    settings().is_ok_and(|s| s.check.is_some())
}

/// An empty variable counts as unset, as with most tools.
fn read(get: impl Fn(&str) -> Option<String>) -> Outcome<Settings> {
    let get = |name: &str| get(name).filter(|v| !v.is_empty());
    let choice = |name: &str, allowed: &[&str]| match get(name) {
        Some(value) if !allowed.contains(&value.as_str()) => Err(bad(name, &value, &allowed.join(", "))),
        value => Ok(value),
    };
    choice("HOSTCANN_LOG", &["error", "warn", "info", "debug"])?;
    let auto_sync = choice("HOSTCANN_AUTO_SYNC", &["on", "off"])?.is_none_or(|v| v == "on");
    let check = match get("HOSTCANN_CHECK") {
        Some(text) => {
            let names: Vec<&'static str> = FaultClass::FINDINGS.iter().map(|(name, _)| *name).collect();
            let wanted = |name| FaultClass::FINDINGS.iter().find(|(n, _)| *n == name).map(|(_, class)| *class);
            let strict = text.split(',').next().is_some_and(|first| first.trim() == "strict");
            words("HOSTCANN_CHECK", &text, &names, true)?.map(|words| {
                let mut options = check::Options { auto_sync, strict, ..check::Options::default() };
                for (on, name) in words {
                    let class = wanted(name);
                    options.allow.retain(|c| Some(*c) != class);
                    options.allow.extend(class.filter(|_| !on));
                }
                options
            })
        }
        None => None,
    };
    let kept = match get("HOSTCANN_FLIP") {
        Some(text) => words("HOSTCANN_FLIP", &text, SWITCHES, false)?,
        None => None,
    };
    let flip =
        kept.map_or(Vec::new(), |kept| SWITCHES.iter().copied().filter(|s| !kept.contains(&(false, *s))).collect());
    let sim = get("HOSTCANN_SIM")
        .map(|text| Sim::parse(&text).ok_or_else(|| bad("HOSTCANN_SIM", &text, sim_words::EXPECTED)));
    Ok(Settings {
        soc: get("HOSTCANN_SOC"),
        cores: number(&get, "HOSTCANN_CORES", 1..=65535)?.map(|n| n as u32),
        threads: number(&get, "HOSTCANN_THREADS", 1..=4096)?.map(|n| n as usize),
        time_limit: number(&get, "HOSTCANN_TIME_LIMIT", 0..=1_000_000)?,
        div_ulp: choice("HOSTCANN_DIV_ULP", &["0", "+1", "-1", "random"])?,
        fma: choice("HOSTCANN_FMA", &["unfused", "fused"])?,
        ftz: choice("HOSTCANN_FTZ", &["off", "div", "on"])?,
        saturation: choice("HOSTCANN_SATURATION", &["infnan", "saturate"])?,
        reciprocal: choice("HOSTCANN_RECIPROCAL", &["documented", "exact"])?,
        second_set: choice("HOSTCANN_SECOND_SET", &["fault", "counted", "kept"])?,
        atomic_order: choice("HOSTCANN_ATOMIC_ORDER", &["ascending", "descending"])?,
        check,
        check_count: get("HOSTCANN_CHECK_COUNT").map(PathBuf::from),
        findings: get("HOSTCANN_FINDINGS").map(PathBuf::from),
        flip,
        trace: get("HOSTCANN_TRACE"),
        sim: sim.transpose()?,
        stop_on_failure: choice("HOSTCANN_STOP_ON_FAILURE", &["on", "off"])?.is_none_or(|v| v == "on"),
    })
}

/// `0`: None. `1,-name,+name`, or `strict,…` where additions are possible: the names that are taken out (false) or put in (true, where that is possible).
fn words(
    variable: &str,
    text: &str,
    known: &[&'static str],
    additions: bool,
) -> Outcome<Option<Vec<(bool, &'static str)>>> {
    let wrong = || {
        let (strict, add) = if additions { (", strict", " (or to add with +)") } else { ("", "") };
        let example = known[0];
        bad(
            variable,
            text,
            &format!(
                "0, 1{strict}, or 1 and names to leave out{add}, such as 1,-{example}; names: {}",
                known.join(", ")
            ),
        )
    };
    let mut words = text.split(',').map(str::trim);
    match words.next() {
        Some("0") if words.next().is_none() => return Ok(None),
        Some("1") => {}
        Some("strict") if additions => {}
        _ => return Err(wrong()),
    }
    let name = |word: &str| {
        let (on, name) = match (word.strip_prefix('-'), word.strip_prefix('+')) {
            (Some(name), _) => (false, name),
            (_, Some(name)) if additions => (true, name),
            _ => return Err(wrong()),
        };
        known.iter().copied().find(|k| *k == name).map(|name| (on, name)).ok_or_else(wrong)
    };
    words.map(name).collect::<Outcome<Vec<_>>>().map(Some)
}

fn number(get: &impl Fn(&str) -> Option<String>, name: &str, range: RangeInclusive<u64>) -> Outcome<Option<u64>> {
    let Some(text) = get(name) else {
        return Ok(None);
    };
    match text.parse::<u64>() {
        Ok(n) if range.contains(&n) => Ok(Some(n)),
        _ => Err(bad(name, &text, &format!("a whole number from {} to {}", range.start(), range.end()))),
    }
}

fn bad(name: &str, value: &str, allowed: &str) -> Failure {
    Failure::new(
        codes::INVALID_PARAM,
        format!("environment variable {name} is \"{value}\", allowed: {allowed}; correct or unset it"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Outcome<Settings> {
        read(|name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned()))
    }

    #[test]
    fn defaults_and_values() {
        assert_eq!(with(&[]).unwrap(), Settings { stop_on_failure: true, ..Settings::default() });
        let s = with(&[
            ("HOSTCANN_CORES", "8"),
            ("HOSTCANN_DIV_ULP", "-1"),
            ("HOSTCANN_FMA", ""),
            ("HOSTCANN_TRACE", "a.log"),
        ])
        .unwrap();
        assert_eq!((s.cores, s.div_ulp.as_deref(), s.fma), (Some(8), Some("-1"), None));
        assert_eq!(s.trace.as_deref(), Some("a.log"));
        let sim = with(&[("HOSTCANN_SIM", "cold:b.json")]).unwrap().sim.unwrap();
        assert_eq!((sim.file.as_str(), sim.caches), ("b.json", vec![aicore::model::Caches::Cold]));
    }

    #[test]
    fn unknown_names_are_refused_and_the_nearest_is_offered() {
        let refuse = |names: &[&str]| refuse_unknown(names.iter().map(|name| (*name).to_owned()));
        assert!(refuse(&["PATH", "HOSTCANN_LOG", "HOSTCANN_TEST_X", "XHOSTCANN_Y"]).is_ok());
        for (wrong, near) in
            [("CHEK", "CHECK"), ("TIMELIMIT", "TIME_LIMIT"), ("THREAD", "THREADS"), ("TRACES", "TRACE")]
        {
            let e = refuse(&[&format!("HOSTCANN_{wrong}")]).unwrap_err();
            assert_eq!(e.code, codes::INVALID_PARAM);
            let text = format!("HOSTCANN_{wrong} means nothing to the toolkit; did you mean HOSTCANN_{near}?");
            assert!(e.message.contains(&text), "{}", e.message);
        }
        assert_eq!((distance("", "abc"), distance("abc", "abc"), distance("kitten", "sitting")), (3, 0, 3));
    }

    #[test]
    fn check_and_flip_take_exceptions() {
        let checks = |pairs: &[(&str, &str)]| with(pairs).unwrap().check;
        assert_eq!(checks(&[("HOSTCANN_CHECK", "0"), ("HOSTCANN_AUTO_SYNC", "off")]), None);
        assert_eq!(checks(&[("HOSTCANN_CHECK", "1")]), Some(check::Options::default()));
        let allow = vec![FaultClass::SharedBlock, FaultClass::MultiCore, FaultClass::Leak];
        let some = check::Options { auto_sync: false, allow, strict: false };
        assert_eq!(checks(&[("HOSTCANN_CHECK", "1, -multi-core,-leak"), ("HOSTCANN_AUTO_SYNC", "off")]), Some(some));
        let all = check::Options { auto_sync: true, allow: vec![FaultClass::Race], strict: false };
        assert_eq!(checks(&[("HOSTCANN_CHECK", "1,+shared-block,-race")]), Some(all.clone()));
        let strict = Some(check::Options { strict: true, ..all });
        assert_eq!(checks(&[("HOSTCANN_CHECK", "strict,+shared-block,-race")]), strict);
        let flip = |text: &str| with(&[("HOSTCANN_FLIP", text)]).unwrap().flip;
        assert_eq!(flip("0"), Vec::<&str>::new());
        assert_eq!(flip("1"), SWITCHES);
        assert_eq!(flip("1,-ftz,-saturation,-reciprocal"), ["div_ulp", "fma", "atomic_order"]);
    }

    #[test]
    fn bad_values_name_variable_value_and_choices() {
        for (name, value, hint) in [
            ("HOSTCANN_CORES", "0", "1 to 65535"),
            ("HOSTCANN_THREADS", "many", "1 to 4096"),
            ("HOSTCANN_TIME_LIMIT", "-1", "0 to 1000000"),
            ("HOSTCANN_DIV_ULP", "1", "+1"),
            ("HOSTCANN_FMA", "yes", "unfused, fused"),
            ("HOSTCANN_FTZ", "1", "off, div, on"),
            ("HOSTCANN_SATURATION", "inf", "infnan, saturate"),
            ("HOSTCANN_RECIPROCAL", "0", "documented, exact"),
            ("HOSTCANN_SECOND_SET", "bit", "fault, counted, kept"),
            ("HOSTCANN_ATOMIC_ORDER", "0", "ascending, descending"),
            ("HOSTCANN_LOG", "trace", "debug"),
            ("HOSTCANN_AUTO_SYNC", "no", "on, off"),
            (
                "HOSTCANN_CHECK",
                "yes",
                "0, 1, strict, or 1 and names to leave out (or to add with +), such as 1,-race; names: race",
            ),
            ("HOSTCANN_CHECK", "1,multi-core", "multi-core"),
            ("HOSTCANN_CHECK", "0,-race", "0, 1"),
            ("HOSTCANN_CHECK", "1,-races", "leak"),
            ("HOSTCANN_FLIP", "div_ulp", "div_ulp, fma, ftz, saturation, reciprocal, atomic_order"),
            ("HOSTCANN_FLIP", "1,+ftz", "names to leave out, such as"),
            ("HOSTCANN_FLIP", "strict", "0, 1, or 1 and names"),
            ("HOSTCANN_SIM", "clod:x", "words: warm, eager, cold, full, sampled"),
        ] {
            let e = with(&[(name, value)]).unwrap_err();
            assert_eq!(e.code, codes::INVALID_PARAM);
            for part in [name, value, hint] {
                assert!(e.message.contains(part), "{}", e.message);
            }
        }
    }
}

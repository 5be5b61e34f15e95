//! The HOSTCANN_* environment variables, read once per process.

use crate::base::failure::{Failure, Outcome, codes};
use crate::base::sim_words::{self, Sim};
use aicore::{FaultClass, check};
use hostcann_types::variables::{self, PREFIX, SWITCHES, VARIABLES, Values};
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
    pub matmul_order: Option<String>,
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

const TIME_LIMIT: u64 = 600;

/// What the environment says; it is read at the first call.
///
/// # Errors
///
/// `INVALID_PARAM` where a `HOSTCANN_*` variable is unknown or has a value that is not allowed.
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
fn refuse_unknown(mut names: impl Iterator<Item = String>) -> Outcome {
    let Some(name) = names.find(|name| variables::is_unknown(name)) else { return Ok(()) };
    let own = name.strip_prefix(PREFIX).unwrap_or_default();
    let known = VARIABLES.map(|variable| variable.name);
    let near = known.into_iter().min_by_key(|known| distance(own, known)).unwrap_or_default();
    fail!(
        INVALID_PARAM,
        "environment variable {name} means nothing to the toolkit; did you mean {PREFIX}{near}? correct or unset it \
         (known: {})",
        known.join(", ")
    );
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
    let get = |name: &str| get(&format!("{PREFIX}{name}")).filter(|v| !v.is_empty());
    let given = |name: &'static str| get(name).map(|value| (Given::new(name), value));
    let choice = |name: &'static str| given(name).map(|(variable, value)| variable.choice(value)).transpose();
    let number = |name: &'static str| given(name).map(|(variable, value)| variable.number(&value)).transpose();
    let words = |name: &'static str| given(name).map_or(Ok(None), |(variable, value)| variable.words(&value));
    choice("LOG")?;
    let auto_sync = choice("AUTO_SYNC")?.is_none_or(|v| v == "on");
    let strict = get("CHECK").is_some_and(|text| text.split(',').next().is_some_and(|first| first.trim() == "strict"));
    let check = words("CHECK")?.map(|words| {
        let mut options = check::Options { auto_sync, strict, ..check::Options::default() };
        for (on, name) in words {
            let class = FaultClass::finding(name);
            options.allow.retain(|c| Some(*c) != class);
            options.allow.extend(class.filter(|_| !on));
        }
        options
    });
    let flip = words("FLIP")?
        .map_or(Vec::new(), |kept| SWITCHES.into_iter().filter(|switch| !kept.contains(&(false, *switch))).collect());
    let sim = given("SIM")
        .map(|(variable, text)| Sim::parse(&text).ok_or_else(|| variable.bad(&text, sim_words::EXPECTED)))
        .transpose()?;
    Ok(Settings {
        soc: get("SOC"),
        cores: number("CORES")?.map(|n| n as u32),
        threads: number("THREADS")?.map(|n| n as usize),
        time_limit: number("TIME_LIMIT")?,
        div_ulp: choice("DIV_ULP")?,
        fma: choice("FMA")?,
        ftz: choice("FTZ")?,
        saturation: choice("SATURATION")?,
        reciprocal: choice("RECIPROCAL")?,
        second_set: choice("SECOND_SET")?,
        atomic_order: choice("ATOMIC_ORDER")?,
        matmul_order: choice("MATMUL_ORDER")?,
        check,
        check_count: get("CHECK_COUNT").map(PathBuf::from),
        findings: get("FINDINGS").map(PathBuf::from),
        flip,
        trace: get("TRACE"),
        sim,
        stop_on_failure: choice("STOP_ON_FAILURE")?.is_none_or(|v| v == "on"),
    })
}

/// A variable that has a value, and what it takes.
struct Given {
    name: &'static str,
    values: Values,
}

impl Given {
    fn new(name: &'static str) -> Given {
        Given { name, values: variables::find(name).map_or(Values::Other, |variable| variable.values) }
    }

    fn bad(&self, value: &str, allowed: &str) -> Failure {
        let name = self.name;
        Failure::new(
            codes::INVALID_PARAM,
            format!("environment variable {PREFIX}{name} is \"{value}\", allowed: {allowed}; correct or unset it"),
        )
    }

    fn choice(&self, value: String) -> Outcome<String> {
        match self.values {
            Values::Words(allowed) if !allowed.contains(&value.as_str()) => Err(self.bad(&value, &allowed.join(", "))),
            _ => Ok(value),
        }
    }

    fn number(&self, text: &str) -> Outcome<u64> {
        let (least, most) = match self.values {
            Values::Number(least, most) => (least, most),
            _ => (0, u64::MAX),
        };
        match text.parse::<u64>() {
            Ok(n) if (least..=most).contains(&n) => Ok(n),
            _ => Err(self.bad(text, &format!("a whole number from {least} to {most}"))),
        }
    }

    /// `0`: None. `1,-name,+name`, or `strict,…` where additions are possible: the names that are taken out (false) or put in
    /// (true, where that is possible).
    fn words(&self, text: &str) -> Outcome<Option<Vec<(bool, &'static str)>>> {
        let (firsts, signs, known) = (self.values.firsts(), self.values.signs(), self.values.names());
        let wrong = || {
            let (strict, add) = if signs.contains(&'+') { (", strict", " (or to add with +)") } else { ("", "") };
            let example = known.first().copied().unwrap_or_default();
            let names = known.join(", ");
            let allowed =
                format!("0, 1{strict}, or 1 and names to leave out{add}, such as 1,-{example}; names: {names}");
            self.bad(text, &allowed)
        };
        let mut words = text.split(',').map(str::trim);
        match words.next() {
            Some("0") if words.next().is_none() => return Ok(None),
            Some(first) if first != "0" && firsts.contains(&first) => {}
            _ => return Err(wrong()),
        }
        let name = |word: &str| {
            let sign = word.chars().next().filter(|sign| signs.contains(sign)).ok_or_else(wrong)?;
            let name = known.iter().copied().find(|name| *name == &word[1..]).ok_or_else(wrong)?;
            Ok((sign == '+', name))
        };
        words.map(name).collect::<Outcome<Vec<_>>>().map(Some)
    }
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
        assert_eq!(flip("1,-ftz,-saturation,-reciprocal"), ["div_ulp", "fma", "atomic_order", "matmul_order"]);
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
            ("HOSTCANN_MATMUL_ORDER", "0", "ascending, descending"),
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
            ("HOSTCANN_FLIP", "div_ulp", "div_ulp, fma, ftz, saturation, reciprocal, atomic_order, matmul_order"),
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

//! Variables of the host toolkit, and the names that they and the flags of a verb take.

use std::path::Path;

use anyhow::Result;

use crate::base::chips;
use crate::base::diag::{HintExt, Kind, failed};

/// What --check leaves out or adds: the host toolkit's names.
const CLASSES: [&str; 20] = [
    "race",
    "uninitialized",
    "buffer-bounds",
    "gm-bounds",
    "multi-core",
    "shared-block",
    "scalar-cache",
    "tiling",
    "overlap",
    "mask-state",
    "leak",
    "freed",
    "atomic-mode",
    "output-unwritten",
    "buffer-space",
    "reserved-ub",
    "queue",
    "event",
    "argument",
    "auto-sync",
];

/// What --flip leaves out.
const SWITCHES: [&str; 6] = ["div_ulp", "fma", "ftz", "saturation", "reciprocal", "atomic_order"];

pub fn classes(text: &str) -> Result<String, String> {
    exceptions(text, &['-', '+'], &CLASSES, true)
}

pub fn switches(text: &str) -> Result<String, String> {
    exceptions(text, &['-'], &SWITCHES, true)
}

/// Names with a sign in front; empty for none, where that is allowed.
fn exceptions(text: &str, signs: &[char], known: &[&str], empty: bool) -> Result<String, String> {
    let good = |word: &str| word.strip_prefix(signs).is_some_and(|name| known.contains(&name));
    match text.split(',').find(|word| !(good(word) || empty && text.is_empty())) {
        None => Ok(text.to_owned()),
        Some(wrong) => {
            let signs: Vec<String> = signs.iter().map(|sign| format!("{sign}NAME")).collect();
            Err(format!("`{wrong}`: expected {} of {}", signs.join(" or "), known.join(", ")))
        }
    }
}

/// What the host toolkit reads.
const VARIABLES: [&str; 21] = [
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

/// A misspelt variable would leave everything unchecked without a word; a wrong value would be found after the build.
pub fn check(repo: &Path) -> Result<()> {
    check_values(repo, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))?;
    unknown_variable(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned())).map_or(Ok(()), |name| {
        let known: Vec<String> = VARIABLES.iter().map(|name| format!("HOSTCANN_{name}")).collect();
        Err(failed(Kind::Usage, format!("environment variable {name} means nothing here"))
            .hint(format!("unset it or correct its name; known are {}", known.join(", "))))
    })
}

/// Values of the variables that take one of some words.
const CHOICES: [(&str, &[&str]); 10] = [
    ("LOG", &["error", "warn", "info", "debug"]),
    ("AUTO_SYNC", &["on", "off"]),
    ("DIV_ULP", &["0", "+1", "-1", "random"]),
    ("FMA", &["unfused", "fused"]),
    ("FTZ", &["off", "div", "on"]),
    ("SATURATION", &["infnan", "saturate"]),
    ("RECIPROCAL", &["documented", "exact"]),
    ("SECOND_SET", &["fault", "counted", "kept"]),
    ("ATOMIC_ORDER", &["ascending", "descending"]),
    ("STOP_ON_FAILURE", &["on", "off"]),
];

/// Values of the variables that take a whole number.
const NUMBERS: [(&str, u64, u64); 3] = [("CORES", 1, 65535), ("THREADS", 1, 4096), ("TIME_LIMIT", 0, 1_000_000)];

/// What a value has to be, if it is not.
fn wanted(name: &str, value: &str) -> Option<String> {
    if let Some((_, words)) = CHOICES.iter().find(|(known, _)| *known == name) {
        return (!words.contains(&value)).then(|| format!("one of {}", words.join(", ")));
    }
    if let Some((_, least, most)) = NUMBERS.iter().find(|(known, ..)| *known == name) {
        let good = value.parse::<u64>().is_ok_and(|n| (*least..=*most).contains(&n));
        return (!good).then(|| format!("a whole number from {least} to {most}"));
    }
    let (first, rest) = value.split_once(',').map_or((value, None), |(first, rest)| (first, Some(rest)));
    let (firsts, signs, known): (&[&str], &[char], &[&str]) = match name {
        "CHECK" => (&["0", "1", "strict"], &['-', '+'], &CLASSES),
        "FLIP" => (&["0", "1"], &['-'], &SWITCHES),
        _ => return None,
    };
    let first = first.trim();
    if !firsts.contains(&first) || first == "0" && rest.is_some() {
        let names = format!("names to leave out follow after a comma, as in 1,-{}", known[0]);
        return Some(format!("one of {}; {names}", firsts.join(", ")));
    }
    let wrong = rest?.split(',').map(str::trim).find_map(|word| exceptions(word, signs, known, false).err());
    wrong.map(|text| text.split_once("expected ").map_or(text.clone(), |(_, what)| what.to_owned()))
}

/// Values that the toolkit would refuse when the first program starts.
fn check_values(repo: &Path, get: impl Fn(&str) -> Option<String>) -> Result<()> {
    let refuse = |name: &str, value: &str, expected: String| {
        failed(Kind::Usage, format!("environment variable {name} is `{value}`; expected {expected}"))
            .hint("correct it or unset it")
    };
    for name in VARIABLES {
        let full = format!("HOSTCANN_{name}");
        if let Some(value) = get(&full)
            && let Some(expected) = wanted(name, &value)
        {
            return Err(refuse(&full, &value, expected));
        }
    }
    let chips = chips::of(repo)?;
    match get("HOSTCANN_SOC") {
        // Another toolkit may have others.
        Some(soc) if !chips.is_empty() && chips::find(&chips, &soc).is_none() => {
            let names: Vec<&str> = chips.iter().map(|chip| chip.name.as_str()).collect();
            Err(refuse("HOSTCANN_SOC", &soc, format!("one of {}, or a family of them", names.join(", "))))
        }
        _ => Ok(()),
    }
}

fn unknown_variable(mut names: impl Iterator<Item = String>) -> Option<String> {
    names.find(|name| {
        let own = name.strip_prefix("HOSTCANN_");
        own.is_some_and(|own| !VARIABLES.contains(&own) && !own.starts_with("TEST_"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_toolkits() {
        let quoted = |text: &str, from: &str| -> Vec<String> {
            let list = text.split(from).nth(1).and_then(|rest| rest.split("];").next()).expect("the list");
            list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let faults = include_str!("../../../aicore/src/base/fault.rs");
        assert_eq!(quoted(faults, "pub const FINDINGS:"), CLASSES);
        let settings = include_str!("../../../runtime/src/base/env.rs");
        assert_eq!(quoted(settings, "pub const SWITCHES:"), SWITCHES);
        assert_eq!(quoted(settings, "pub const NAMES:"), VARIABLES);
        let code = settings.split("#[cfg(test)]").next().expect("code");
        let choices = code.split("choice(\"HOSTCANN_").skip(1).map(|call| {
            let (name, rest) = call.split_once('"').expect("a name");
            let words = rest.split(']').next().expect("words");
            (name, words.split('"').skip(1).step_by(2).collect::<Vec<_>>())
        });
        assert_eq!(choices.collect::<Vec<_>>(), CHOICES.map(|(name, words)| (name, words.to_vec())));
        let mut numbers: Vec<String> = code
            .split("number(&get, \"HOSTCANN_")
            .skip(1)
            .map(|call| call.split(')').next().unwrap_or_default().replace('_', ""))
            .collect();
        let mut ours =
            NUMBERS.map(|(name, least, most)| format!("{}\", {least}..={most}", name.replace('_', ""))).to_vec();
        numbers.sort();
        ours.sort();
        assert_eq!(numbers, ours);
    }

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(classes("-multi-core,+shared-block").as_deref(), Ok("-multi-core,+shared-block"));
        assert_eq!(switches("").as_deref(), Ok(""));
        let error = classes("-race,foo").expect_err("no such class");
        assert!(error.starts_with("`foo`: expected -NAME or +NAME of race, uninitialized,"), "{error}");
        assert_eq!(
            switches("+ftz").expect_err("nothing to add"),
            "`+ftz`: expected -NAME of div_ulp, fma, ftz, saturation, reciprocal, atomic_order"
        );
        assert!(classes("race").is_err() && classes("-race,").is_err());
    }

    #[test]
    fn misspelt_variables() {
        let find = |names: &[&str]| unknown_variable(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(find(&["PATH", "HOSTCANN_CHECK", "HOSTCANN_TEST_PRINTS", "XHOSTCANN_Y"]), None);
        assert_eq!(find(&["HOSTCANN_CHECK", "HOSTCANN_CHEK"]).as_deref(), Some("HOSTCANN_CHEK"));
    }

    #[test]
    fn values_are_checked_as_names_are() {
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("parent");
        let check = |name: &str, value: &str| {
            let result = check_values(repo, |asked| (asked == name).then(|| value.to_owned()));
            result.map_err(|error| (crate::base::diag::code(&error), crate::base::diag::causes(&error).remove(0)))
        };
        for good in ["Ascend910B3", "ascend910b4-1", "ASCEND910B", "Ascend910_93"] {
            assert_eq!(check("HOSTCANN_SOC", good), Ok(()), "{good}");
        }
        let (code, text) = check("HOSTCANN_SOC", "Ascend910X").expect_err("no such chip");
        let start = "environment variable HOSTCANN_SOC is `Ascend910X`; expected one of Ascend910B1, Ascend910B2,";
        assert!(code == 2 && text.starts_with(start), "{text}");
        assert_eq!(check("HOSTCANN_CORES", "40"), Ok(()));
        for bad in ["0", "-1", "many", "65536", "1.5"] {
            let text =
                format!("environment variable HOSTCANN_CORES is `{bad}`; expected a whole number from 1 to 65535");
            assert_eq!(check("HOSTCANN_CORES", bad), Err((2, text)));
        }
        for (name, good) in
            [("THREADS", "2"), ("FTZ", "div"), ("CHECK", "1,-race, +leak"), ("CHECK", "strict"), ("FLIP", "1,-ftz")]
        {
            assert_eq!(check(&format!("HOSTCANN_{name}"), good), Ok(()), "{name}={good}");
        }
        for (name, bad, expected) in [
            ("THREADS", "0", "a whole number from 1 to 4096"),
            ("TIME_LIMIT", "soon", "a whole number from 0 to 1000000"),
            ("DIV_ULP", "1", "one of 0, +1, -1, random"),
            ("ATOMIC_ORDER", "random", "one of ascending, descending"),
            ("LOG", "trace", "one of error, warn, info, debug"),
            ("CHECK", "yes", "one of 0, 1, strict; names to leave out follow after a comma, as in 1,-race"),
            ("CHECK", "0,-race", "one of 0, 1, strict; names to leave out follow after a comma, as in 1,-race"),
            ("CHECK", "1,-races", "-NAME or +NAME of race, "),
            ("FLIP", "1,+ftz", "-NAME of div_ulp, "),
            ("FLIP", "1,", "-NAME of div_ulp, "),
        ] {
            let (code, text) = check(&format!("HOSTCANN_{name}"), bad).expect_err(bad);
            let start = format!("environment variable HOSTCANN_{name} is `{bad}`; expected {expected}");
            assert!(code == 2 && text.starts_with(&start), "{text}");
        }
    }
}

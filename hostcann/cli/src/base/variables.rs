//! Variables of the host toolkit, and the names that they and the flags of a verb take.

use std::path::Path;

use anyhow::Result;
use hostcann_types::variables::{self, PREFIX, VARIABLES, Values};

use crate::base::chips;
use crate::base::diag::{HintExt, Kind, failed};

pub fn classes(text: &str) -> Result<String, String> {
    exceptions(text, Values::Findings, true)
}

pub fn switches(text: &str) -> Result<String, String> {
    exceptions(text, Values::Switches, true)
}

/// Names with a sign in front; empty for none, where that is allowed.
fn exceptions(text: &str, values: Values, empty: bool) -> Result<String, String> {
    let (signs, known) = (values.signs(), values.names());
    let good = |word: &str| word.strip_prefix(signs).is_some_and(|name| known.contains(&name));
    match text.split(',').find(|word| !(good(word) || empty && text.is_empty())) {
        None => Ok(text.to_owned()),
        Some(wrong) => {
            let signs: Vec<String> = signs.iter().map(|sign| format!("{sign}NAME")).collect();
            Err(format!("`{wrong}`: expected {} of {}", signs.join(" or "), known.join(", ")))
        }
    }
}

/// A misspelt variable would leave everything unchecked without a word; a wrong value would be found after the build.
pub fn check(repo: &Path) -> Result<()> {
    check_values(repo, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))?;
    unknown_variable(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned())).map_or(Ok(()), |name| {
        let known = VARIABLES.map(|known| format!("{PREFIX}{}", known.name));
        Err(failed(Kind::Usage, format!("environment variable {name} means nothing here"))
            .hint(format!("unset it or correct its name; known are {}", known.join(", "))))
    })
}

/// What a value has to be, if it is not.
fn wanted(values: Values, value: &str) -> Option<String> {
    match values {
        Values::Words(words) => return (!words.contains(&value)).then(|| format!("one of {}", words.join(", "))),
        Values::Number(least, most) => {
            let good = value.parse::<u64>().is_ok_and(|n| (least..=most).contains(&n));
            return (!good).then(|| format!("a whole number from {least} to {most}"));
        }
        Values::Other => return None,
        Values::Findings | Values::Switches => {}
    }
    let (first, rest) = value.split_once(',').map_or((value, None), |(first, rest)| (first, Some(rest)));
    let (first, firsts) = (first.trim(), values.firsts());
    if !firsts.contains(&first) || first == "0" && rest.is_some() {
        let example = values.names().first().copied().unwrap_or_default();
        let names = format!("names to leave out follow after a comma, as in 1,-{example}");
        return Some(format!("one of {}; {names}", firsts.join(", ")));
    }
    let wrong = rest?.split(',').map(str::trim).find_map(|word| exceptions(word, values, false).err());
    wrong.map(|text| text.split_once("expected ").map_or(text.clone(), |(_, what)| what.to_owned()))
}

/// Values that the toolkit would refuse when the first program starts.
fn check_values(repo: &Path, get: impl Fn(&str) -> Option<String>) -> Result<()> {
    let refuse = |name: &str, value: &str, expected: String| {
        failed(Kind::Usage, format!("environment variable {name} is `{value}`; expected {expected}"))
            .hint("correct it or unset it")
    };
    for variable in VARIABLES {
        let full = format!("{PREFIX}{}", variable.name);
        if let Some(value) = get(&full)
            && let Some(expected) = wanted(variable.values, &value)
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
    names.find(|name| variables::is_unknown(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(classes("-multi-core,+shared-block").as_deref(), Ok("-multi-core,+shared-block"));
        assert_eq!(switches("").as_deref(), Ok(""));
        let error = classes("-race,foo").expect_err("no such class");
        assert!(error.starts_with("`foo`: expected -NAME or +NAME of race, uninitialized,"), "{error}");
        assert_eq!(
            switches("+ftz").expect_err("nothing to add"),
            "`+ftz`: expected -NAME of div_ulp, fma, ftz, saturation, reciprocal, atomic_order, matmul_order"
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

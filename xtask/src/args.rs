//! Flags that several verbs share, under upstream's names (`build.sh`).

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use crate::chips;
use crate::diag::{HintExt, Kind, failed};

/// A jobserver's tokens must fit into a pipe.
const MAX_JOBS: i64 = 4096;

#[derive(Args, Clone)]
pub struct Global {
    /// Print one JSON object on stdout (always written to target/xtask/last/<verb>.json, too)
    #[arg(long, global = true)]
    pub json: bool,
    /// Show the output of every sub-tool
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Only warnings, errors and results, no lines about progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
}

#[derive(Args, Clone, Debug, Default)]
pub struct OpArgs {
    /// SoC families to build kernels for; a longer name such as Ascend910B3 works, too [default: all the op has]
    #[arg(long, value_delimiter = ',', value_name = "SOC")]
    pub soc: Vec<String>,
    /// Ops by directory name, found below experimental/, among --op-dir or in --ops-math; there also by path and by
    /// pattern: 'experimental/math/*'
    #[arg(long, value_delimiter = ',', value_name = "OP")]
    pub ops: Vec<String>,
    /// An op directory in upstream layout; may be repeated [default: the ops below experimental/]
    #[arg(long = "op-dir", value_name = "PATH")]
    pub op_dir: Vec<PathBuf>,
    /// The package goes to vendors/<VENDOR>_math [default: custom; the op's name when it is not this repository's]
    #[arg(long = "vendor_name", alias = "vendor-name", value_name = "VENDOR")]
    pub vendor_name: Option<String>,
    /// A preprocessor definition for the op's sources; its README says which names it reads. May be repeated
    #[arg(long = "define", value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<String>,
    /// Compile host code, kernels and examples with -O0 -g, to step through them; the package replaces the optimised one
    #[arg(long)]
    pub debug: bool,
    /// Parallel jobs [default: all cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    pub jobs: Option<u16>,
    /// An ops-math checkout: where --ops finds what is not here; with a real CANN, whose build.sh is used
    /// [default: $OPS_MATH_HOME]
    #[arg(long = "ops-math", value_name = "DIR")]
    pub ops_math: Option<PathBuf>,
}

impl OpArgs {
    /// What chooses operators and SoCs, as words for a shell: a hint that names a command has them, too.
    pub fn selectors(&self) -> String {
        let list = |flag: &str, values: &[String]| (!values.is_empty()).then(|| (flag.to_owned(), values.join(",")));
        let dirs = self.op_dir.iter().map(|dir| ("--op-dir".to_owned(), dir.display().to_string()));
        let math = self.ops_math.iter().map(|dir| ("--ops-math".to_owned(), dir.display().to_string()));
        let lists = list("--ops", &self.ops).into_iter().chain(list("--soc", &self.soc));
        lists.chain(dirs).chain(math).map(|(flag, value)| format!(" {flag} {}", word(&value))).collect()
    }

    /// How the checkout was named, for messages about it.
    pub fn checkout_source(&self) -> &'static str {
        if self.ops_math.is_some() { "--ops-math" } else { "OPS_MATH_HOME" }
    }

    pub fn checkout(&self) -> Option<PathBuf> {
        let home = || std::env::var_os("OPS_MATH_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let given = self.ops_math.clone().or_else(home)?;
        Some(given.canonicalize().unwrap_or(given))
    }
}

/// As a POSIX shell takes it.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,=+:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Programs that may not end
#[derive(Args, Clone, Debug)]
pub struct TimeArgs {
    /// How long an example or a program of unit tests may run, and tests in Python without a line of output; then it is
    /// stopped, and says what it was doing
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
}

/// How the host toolkit watches kernels while they run
#[derive(Args, Clone, Debug, Default)]
pub struct CheckArgs {
    /// Stop kernels that would go wrong on the device: missing synchronisation, memory nobody wrote, bounds, tiling
    /// data; `--check=-multi-core,-leak` leaves classes out, `--check=+shared-block` adds one that is off by default
    #[arg(long, value_name = "±CLASS,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          allow_hyphen_values = true, value_parser = classes)]
    pub check: Option<String>,
    /// With --check: rules that are broken without an effect are failures too
    #[arg(long, requires = "check")]
    pub strict: bool,
    /// With --check: as if the compiler were told not to order scalar and vector instructions by itself
    #[arg(long = "no-auto-sync", requires = "check")]
    pub no_auto_sync: bool,
    /// Repeat every launch with each undocumented switch flipped and compare the bits; `--flip=-ftz` leaves one out
    #[arg(long, value_name = "-SWITCH,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          allow_hyphen_values = true, value_parser = switches)]
    pub flip: Option<String>,
}

impl CheckArgs {
    pub fn is_wanted(&self) -> bool {
        self.check.is_some() || self.flip.is_some()
    }

    /// Variables of the host toolkit.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let list = |first: &str, text: &String| {
            if text.is_empty() { first.to_owned() } else { format!("{first},{text}") }
        };
        let check = if self.strict { "strict" } else { "1" };
        let mut all = Vec::new();
        all.extend(self.check.as_ref().map(|text| ("HOSTCANN_CHECK", list(check, text))));
        all.extend(self.no_auto_sync.then(|| ("HOSTCANN_AUTO_SYNC", "off".to_owned())));
        all.extend(self.flip.as_ref().map(|text| ("HOSTCANN_FLIP", list("1", text))));
        all
    }
}

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

fn classes(text: &str) -> Result<String, String> {
    exceptions(text, &['-', '+'], &CLASSES, true)
}

fn switches(text: &str) -> Result<String, String> {
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

/// It travels through CMake lists and command lines: one word.
fn definition(text: &str) -> Result<String, String> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let word = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || more.contains(c))
    };
    if word(name, "") && !name.starts_with(|c: char| c.is_ascii_digit()) && word(value, ".+-") {
        return Ok(text.to_owned());
    }
    Err("expected NAME=VALUE: an identifier, then letters, digits and `_.+-`".to_owned())
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
pub fn check_variables(repo: &Path) -> Result<()> {
    check_values(repo, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))?;
    unknown_variable(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned())).map_or(Ok(()), |name| {
        let known: Vec<String> = VARIABLES.iter().map(|name| format!("HOSTCANN_{name}")).collect();
        Err(failed(Kind::Usage, format!("environment variable {name} means nothing here"))
            .hint(format!("unset it or correct its name; known are {}", known.join(", "))))
    })
}

/// Values of the variables that take one of some words.
const CHOICES: [(&str, &[&str]); 9] = [
    ("LOG", &["error", "warn", "info", "debug"]),
    ("AUTO_SYNC", &["on", "off"]),
    ("DIV_ULP", &["0", "+1", "-1", "random"]),
    ("FMA", &["unfused", "fused"]),
    ("FTZ", &["off", "div", "on"]),
    ("SATURATION", &["infnan", "saturate"]),
    ("RECIPROCAL", &["documented", "exact"]),
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
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        name: Option<String>,
        #[command(flatten)]
        check: CheckArgs,
    }

    #[test]
    fn selectors_as_a_shell_takes_them() {
        assert_eq!(OpArgs::default().selectors(), "");
        let args = OpArgs {
            ops: vec!["a".into(), "experimental/math/b*".into()],
            soc: vec!["ascend910b".into()],
            op_dir: vec!["../my ops/it's".into(), "x".into()],
            ..OpArgs::default()
        };
        let line = r"--ops 'a,experimental/math/b*' --soc ascend910b --op-dir '../my ops/it'\''s' --op-dir x";
        assert_eq!(args.selectors(), format!(" {line}"));
    }

    fn variables(line: &[&str]) -> Vec<(&'static str, String)> {
        let line = Line::try_parse_from([&["xtask"], line].concat()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(line.name.as_deref(), Some("x"));
        line.check.variables()
    }

    #[test]
    fn definitions() {
        assert_eq!(definition("MY_MODE=-1.5").as_deref(), Ok("MY_MODE=-1.5"));
        for bad in ["", "A", "A=", "=1", "1A=1", "A=1;2", "A=\"x\"", "A B=1", "A=$(x)"] {
            assert!(definition(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_the_toolkits() {
        let quoted = |text: &str, from: &str| -> Vec<String> {
            let list = text.split(from).nth(1).and_then(|rest| rest.split("];").next()).expect("the list");
            list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let faults = include_str!("../../hostcann/aicore/src/fault.rs");
        assert_eq!(quoted(faults, "pub const FINDINGS:"), CLASSES);
        let settings = include_str!("../../hostcann/runtime/src/env.rs");
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
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent");
        let check = |name: &str, value: &str| {
            let result = check_values(repo, |asked| (asked == name).then(|| value.to_owned()));
            result.map_err(|error| (crate::diag::code(&error), crate::diag::causes(&error).remove(0)))
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

    #[test]
    fn check_flags_become_variables() {
        assert_eq!(variables(&["x"]), []);
        // A word behind the flag is not its value.
        assert_eq!(variables(&["--check", "x"]), [("HOSTCANN_CHECK", "1".to_owned())]);
        assert_eq!(
            variables(&["x", "--check=-multi-core,-leak", "--no-auto-sync", "--flip=-ftz"]),
            [
                ("HOSTCANN_CHECK", "1,-multi-core,-leak".to_owned()),
                ("HOSTCANN_AUTO_SYNC", "off".to_owned()),
                ("HOSTCANN_FLIP", "1,-ftz".to_owned()),
            ]
        );
        assert_eq!(variables(&["x", "--check=-leak", "--strict"]), [("HOSTCANN_CHECK", "strict,-leak".to_owned())]);
        assert!(Line::try_parse_from(["xtask", "--no-auto-sync"]).is_err());
        assert!(Line::try_parse_from(["xtask", "--strict"]).is_err());
    }
}

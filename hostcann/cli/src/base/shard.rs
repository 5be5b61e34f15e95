//! `--shard I/N`: one part of a run that several machines share.

use std::fmt;
use std::str::FromStr;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use sha2::{Digest, Sha256};

use crate::base::report::Part;

/// Part `index` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    pub index: u16,
    pub count: u16,
}

#[derive(Args, Clone, Debug, Default)]
pub struct ShardArgs {
    /// Run part I of N, counted from 1, and record it for `cargo xtask merge`; a unit is assigned by the hash of its name
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

impl Shard {
    /// All there is.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// By the hash of the name alone: another unit moves no unit to another part.
    pub fn has(self, unit: &str) -> bool {
        let number = Sha256::digest(unit.as_bytes()).iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        number % u64::from(self.count) == u64::from(self.index) - 1
    }

    /// `1-of-4`, for names of files.
    pub fn file_part(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }
}

impl Part {
    /// Name of its record in `target/xtask/last`, without the extension.
    pub fn file(&self, shard: Shard) -> String {
        format!("{}-shard-{}", self.of, shard.file_part())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let number = |text: &str| text.parse::<u16>().ok();
        match text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?))) {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("expected I/N with 1 <= I <= N <= {}, for example 1/4", u16::MAX)),
        }
    }
}

/// What parts of one run may differ in: the part, how fast it is, what it prints, where a checkout lies.
const OWN: [&str; 8] = ["shard", "jobs", "json", "verbose", "quiet", "again", "keep", "ops_math"];
/// The same results whatever it is.
const OWN_VARIABLE: &str = "HOSTCANN_THREADS";

/// What all parts share: options in the order of the verb's definition, and variables of the toolkit.
pub fn options(mut command: Command) -> Vec<String> {
    let mut all = Vec::new();
    if let Ok(matches) = command.try_get_matches_from_mut(std::env::args_os()) {
        words(&command, &matches, &mut all);
    }
    let variables = std::env::vars().filter(|(name, _)| name.starts_with("HOSTCANN_") && name != OWN_VARIABLE);
    let mut variables: Vec<String> = variables.map(|(name, value)| format!("{name}={value}")).collect();
    variables.sort();
    all.extend(variables);
    all
}

fn words(command: &Command, matches: &ArgMatches, all: &mut Vec<String>) {
    for arg in command.get_arguments().filter(|arg| !OWN.contains(&arg.get_id().as_str())) {
        let id = arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let values: Vec<_> = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy()).collect();
        let values = values.join(",");
        all.push(match arg.get_long() {
            Some(long) if arg.get_action().takes_values() => format!("--{long}={values}"),
            Some(long) => format!("--{long}"),
            None => values,
        });
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        all.push(name.to_owned());
        words(command, matches, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        part: ShardArgs,
    }

    #[test]
    fn parts_on_the_command_line() {
        let parse = |text: &str| Line::try_parse_from(["x", &format!("--shard={text}")]).map(|line| line.part.shard);
        assert_eq!(parse("3/8").ok().flatten(), Some(Shard { index: 3, count: 8 }));
        assert_eq!(Shard { index: 3, count: 8 }.to_string(), "3/8");
        for bad in ["0/4", "5/4", "a", "4", "a/b", "-1/2", "1/0", "1/70000"] {
            let error = parse(bad).expect_err(bad).to_string();
            assert!(error.contains("expected I/N with 1 <= I <= N <= 65535, for example 1/4"), "{bad}: {error}");
        }
    }

    /// Parts of different versions of this program fit together: these values never change.
    #[test]
    fn a_unit_stays_where_it_is() {
        let part = |unit: &str, count: u16| (1..=count).find(|index| Shard { index: *index, count }.has(unit));
        let found = ["math/acos", "math/sinh", "fmt", "Ascend910B3 f32 same 1048576"].map(|unit| part(unit, 4));
        assert_eq!(found, [Some(2), Some(4), Some(4), Some(3)]);
    }

    #[test]
    fn parts_are_disjoint_and_complete() {
        for count in [1, 2, 7] {
            let all: Vec<Shard> = (1..=count).map(|index| Shard { index, count }).collect();
            for unit in (0..200).map(|n| format!("unit {n}")) {
                assert_eq!(all.iter().filter(|part| part.has(&unit)).count(), 1, "{unit} of {count}");
            }
            let sizes = all.iter().map(|part| (0..200).filter(|n| part.has(&format!("unit {n}"))).count());
            assert!(sizes.min() > Some(200 / usize::from(count) / 2), "{count}");
        }
    }

    #[test]
    fn options_that_all_parts_share() {
        let command = || {
            let flag = |name: &'static str| clap::Arg::new(name).long(name);
            let verb = Command::new("verb").args([
                flag("dtype").value_delimiter(',').action(clap::ArgAction::Append),
                flag("jobs"),
                flag("shard"),
                flag("assert").action(clap::ArgAction::SetTrue),
                clap::Arg::new("filter"),
            ]);
            Command::new("x").subcommand(verb)
        };
        let of = |line: &str| {
            let (mut command, mut all) = (command(), Vec::new());
            let matches = command.try_get_matches_from_mut(line.split(' ')).expect(line);
            words(&command, &matches, &mut all);
            all
        };
        let first = of("x verb --assert --dtype f32,f16 --jobs 3 --shard 1/2 name");
        assert_eq!(first, ["verb", "--dtype=f32,f16", "--assert", "name"]);
        assert_eq!(of("x verb name --shard=2/2 --dtype=f32 --dtype f16 --assert"), first);
        assert_ne!(of("x verb name --dtype=f32 --assert"), first);
    }
}

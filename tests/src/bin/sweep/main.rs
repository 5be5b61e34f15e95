//! Sweeps the installed operator over every pair of its small types and 10^9 hard pairs of the 32-bit ones, and compares
//! every result bit by bit. `cargo xtask test --exhaustive` installs the package and calls this.

mod class;
mod pairs;
mod report;
mod rows;
mod run;
mod source;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use fmod_tests::Runtime;
use fmod_tests::golden::Mode;

use class::{CLASSES, Class, Shard};
use report::Found;

const USAGE: &str = "\
usage: fmod-sweep [--shard I/N] [--class NAME[,NAME...]] [--switches KEY=VALUE[,...]] [--out FILE]
  --shard     part I of N of every class, counted from 1; a part is spread evenly over the class
  --class     only these classes; `list` shows them
  --switches  HOSTCANN_<KEY>=VALUE for this run, for example div_ulp=random,fma=fused
  --out       the result as JSON
exit status: 0 no mismatch, 1 mismatches or a failed call, 2 wrong arguments";

struct Options {
    shard: Shard,
    classes: Vec<Class>,
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = match parse(env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fmod-sweep: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match sweep(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("fmod-sweep: {why}");
            ExitCode::FAILURE
        }
    }
}

/// `None` when the arguments only ask for information.
fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { shard: Shard { index: 1, count: 1 }, classes: CLASSES.to_vec(), out: None };
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        if name == "--help" {
            println!("{USAGE}");
            return Ok(None);
        }
        let value = arguments.next().ok_or_else(|| format!("{name} has no value"))?;
        match name.as_str() {
            "--shard" => options.shard = Shard::parse(&value)?,
            "--class" if value == "list" => {
                CLASSES.iter().for_each(|class| println!("{}", class.name));
                return Ok(None);
            }
            "--class" => options.classes = value.split(',').map(named).collect::<Result<_, _>>()?,
            "--switches" => value.split(',').try_for_each(switch)?,
            "--out" => options.out = Some(value.into()),
            _ => return Err(format!("unknown argument {name}")),
        }
    }
    Ok(Some(options))
}

fn named(name: &str) -> Result<Class, String> {
    let known = || CLASSES.map(|class| class.name).join(", ");
    let class = CLASSES.iter().find(|class| class.name == name);
    class.copied().ok_or_else(|| format!("there is no class `{name}`; there are: {}", known()))
}

fn switch(text: &str) -> Result<(), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("--switches {text} is not KEY=VALUE"))?;
    // SAFETY: the only thread so far, and the library that reads the variable is not loaded yet.
    unsafe { env::set_var(format!("HOSTCANN_{}", key.to_ascii_uppercase()), value) };
    Ok(())
}

/// The tbe mode is a chain of roundings that all include Div's: it promises bits only for a Div that rounds correctly
/// and keeps subnormals.
fn is_promised(class: &Class) -> bool {
    let is_default =
        |name: &str, default: &str| env::var(name).map_or(true, |value| value.is_empty() || value == default);
    class.mode == Mode::Exact
        || is_default("HOSTCANN_DIV_ULP", "0")
            && is_default("HOSTCANN_FTZ", "off")
            && is_default("HOSTCANN_SATURATION", "infnan")
}

fn sweep(options: &Options) -> Result<bool, String> {
    let runtime = Runtime::get().map_err(|error| error.to_string())?;
    let workers = std::thread::available_parallelism().map_or(1, usize::from).max(2);
    let start = Instant::now();
    let mut swept: Vec<(Class, Found)> = Vec::new();
    let mut failure = None;
    for class in &options.classes {
        if !is_promised(class) {
            eprintln!("{:<18} not swept: the tbe mode promises no bits under these switches", class.name);
            continue;
        }
        match run::sweep(class, options.shard, workers) {
            Ok(found) => {
                judge(class, &found);
                swept.push((*class, found));
            }
            Err(error) => {
                failure = Some(format!("{}: {error}", class.name));
                break;
            }
        }
    }
    if let Some(path) = &options.out {
        let document = report::document(options.shard, workers, runtime, start.elapsed().as_secs_f64(), &swept);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = written.and_then(|()| fs::write(path, format!("{document:#}\n")));
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    failure.map_or(Ok(swept.iter().all(|(_, found)| found.mismatches() == 0)), Err)
}

fn judge(class: &Class, found: &Found) {
    if found.mismatches() == 0 {
        return;
    }
    eprintln!("{:<18} {} of {} pairs differ", class.name, found.mismatches(), found.pairs());
    found.examples.iter().for_each(|example| eprintln!("  {}", example.text(class.dtype)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Options>, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments() {
        let options = parsed("--shard 2/8 --class f16-exact,i16 --out x.json").unwrap().unwrap();
        assert_eq!(options.shard, Shard { index: 2, count: 8 });
        assert_eq!(options.classes.iter().map(|class| class.name).collect::<Vec<_>>(), ["f16-exact", "i16"]);
        assert_eq!(parsed("").unwrap().unwrap().classes.len(), CLASSES.len());
        for (line, why) in [
            ("--class f17", "there is no class `f17`; there are: f16-exact, "),
            ("--shard", "--shard has no value"),
            ("--bogus 1", "unknown argument --bogus"),
            ("--switches div_ulp", "is not KEY=VALUE"),
        ] {
            let error = parsed(line).err().unwrap();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}

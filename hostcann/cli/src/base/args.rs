//! Flags that several verbs share, under upstream's names (`build.sh`).

use std::path::PathBuf;

use clap::Args;

use crate::base::project::Project;
use crate::base::variables::{classes, switches};

/// A jobserver's tokens must fit into a pipe.
const MAX_JOBS: i64 = 4096;

#[derive(Args, Clone, Default)]
pub struct Global {
    /// Print one JSON object on stdout; target/xtask/last/<verb>.json always has it
    #[arg(long, global = true)]
    pub json: bool,
    /// Show the output of every sub-tool
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Print only warnings, errors and results
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Annotate errors, warnings and findings for a forge
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text", value_parser = ["text", "github"])]
    pub format: String,
}

#[derive(Args, Clone, Debug, Default)]
pub struct OpArgs {
    /// Build kernels for these SoC families, or for chips such as Ascend910B3 [default: all of the op]
    #[arg(long, value_delimiter = ',', value_name = "SOC")]
    pub soc: Vec<String>,
    /// Select ops by directory name, below experimental/, among --op-dir or in --repo; there also by path or
    /// pattern: 'experimental/math/*'
    #[arg(long, value_delimiter = ',', value_name = "OP")]
    pub ops: Vec<String>,
    /// Take this op directory in upstream layout; may be repeated [default: the ops below experimental/]
    #[arg(long = "op-dir", value_name = "PATH")]
    pub op_dir: Vec<PathBuf>,
    /// Install the package to vendors/<VENDOR>_math [default: custom; the op's name for an op from elsewhere]
    #[arg(long = "vendor_name", alias = "vendor-name", value_name = "VENDOR")]
    pub vendor_name: Option<String>,
    /// Define a preprocessor macro for the op's sources; the op's README lists the names. May be repeated
    #[arg(long = "define", value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<String>,
    /// Compile host code, kernels and examples with -O0 -g; the package replaces the optimised one
    #[arg(long)]
    pub debug: bool,
    /// Run N jobs in parallel [default: all cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    pub jobs: Option<u16>,
    /// Search this checkout of ops-math or its like for --ops; with a real CANN, use its build.sh
    /// [default: $OPS_MATH_HOME]
    #[arg(long = "repo", visible_alias = "ops-math", value_name = "DIR")]
    pub ops_math: Option<PathBuf>,
}

impl OpArgs {
    /// What chooses operators and SoCs, as words for a shell: a hint that names a command has them, too.
    pub fn selectors(&self) -> String {
        let list = |flag: &str, values: &[String]| (!values.is_empty()).then(|| (flag.to_owned(), values.join(",")));
        let dirs = self.op_dir.iter().map(|dir| ("--op-dir".to_owned(), dir.display().to_string()));
        let math = self.ops_math.iter().map(|dir| ("--repo".to_owned(), dir.display().to_string()));
        let lists = list("--ops", &self.ops).into_iter().chain(list("--soc", &self.soc));
        lists.chain(dirs).chain(math).map(|(flag, value)| format!(" {flag} {}", word(&value))).collect()
    }

    /// How the checkout was named, for messages about it.
    pub fn checkout_source(&self) -> &'static str {
        match (&self.ops_math, named_checkout()) {
            (Some(_), _) => "--repo",
            (None, Some(_)) => "OPS_MATH_HOME",
            (None, None) => "the current directory",
        }
    }

    /// The one that is named, else the one that an installed program works in.
    pub fn checkout(&self, project: &Project) -> Option<PathBuf> {
        let given = self.ops_math.clone().or_else(named_checkout).or_else(|| project.checkout())?;
        Some(given.canonicalize().unwrap_or(given))
    }
}

fn named_checkout() -> Option<PathBuf> {
    std::env::var_os("OPS_MATH_HOME").filter(|value| !value.is_empty()).map(PathBuf::from)
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
    /// Stop a program or test after this time without a line of output
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
}

/// How the host toolkit watches kernels while they run
#[derive(Args, Clone, Debug, Default)]
pub struct CheckArgs {
    /// Stop kernels that would fail on the device: missing synchronisation, uninitialised memory, bounds, tiling data;
    /// `--check=-multi-core,-leak` omits classes, `--check=+shared-block` adds one that is off by default
    #[arg(long, value_name = "±CLASS,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          allow_hyphen_values = true, value_parser = classes)]
    pub check: Option<String>,
    /// With --check: fail on broken rules that have no effect as well
    #[arg(long, requires = "check")]
    pub strict: bool,
    /// With --check: assume that the compiler does not order scalar and vector instructions
    #[arg(long = "no-auto-sync", requires = "check")]
    pub no_auto_sync: bool,
    /// Repeat every launch with each undocumented switch flipped and compare the bits; `--flip=-ftz` omits one
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
    fn check_flags_become_variables() {
        assert_eq!(variables(&["x"]), []);
        // A word after the flag is not its value.
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

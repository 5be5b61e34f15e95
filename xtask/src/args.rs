//! Flags that several verbs share, under upstream's names (`build.sh`).

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::diag::{HintExt, Kind, failed};
use crate::plan::Plan;

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
    /// Ops by directory name, found below experimental/ or among --op-dir
    #[arg(long, value_delimiter = ',', value_name = "OP")]
    pub ops: Vec<String>,
    /// An op directory in upstream layout; may be repeated [default: experimental/math/fmod]
    #[arg(long = "op-dir", value_name = "PATH")]
    pub op_dir: Vec<PathBuf>,
    /// The package goes to vendors/<VENDOR>_math
    #[arg(long = "vendor_name", alias = "vendor-name", value_name = "VENDOR", default_value = "custom")]
    pub vendor_name: String,
    /// What the op's default interfaces compute with; the op reads it as <OP>_DEFAULT_PRECISION (0 or 1)
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Precision::Tbe)]
    pub precision: Precision,
    /// Parallel jobs [default: all cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    pub jobs: Option<u16>,
    /// With a real CANN: the ops-math checkout whose build.sh is used [default: $OPS_MATH_HOME]
    #[arg(long = "ops-math", value_name = "DIR")]
    pub ops_math: Option<PathBuf>,
}

/// How the host toolkit watches kernels while they run
#[derive(Args, Clone, Debug, Default)]
pub struct CheckArgs {
    /// Stop kernels that would go wrong on the device: missing synchronisation, memory nobody wrote, bounds, tiling
    /// data; `--check=-multi-core,-leak` leaves classes out, `--check=+shared-block` adds one that is off by default
    #[arg(long, value_name = "±CLASS,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          allow_hyphen_values = true)]
    pub check: Option<String>,
    /// With --check: as if the compiler were told not to order scalar and vector instructions by itself
    #[arg(long = "no-auto-sync", requires = "check")]
    pub no_auto_sync: bool,
    /// Repeat every launch with each undocumented switch flipped and compare the bits; `--flip=-ftz` leaves one out
    #[arg(long, value_name = "-SWITCH,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          allow_hyphen_values = true)]
    pub flip: Option<String>,
}

impl CheckArgs {
    pub fn is_wanted(&self) -> bool {
        self.check.is_some() || self.flip.is_some()
    }

    /// With a real CANN kernels run on the device.
    pub fn refuse(&self, plan: &Plan) -> Result<()> {
        if !self.is_wanted() {
            return Ok(());
        }
        Err(failed(
            Kind::Usage,
            format!("--check and --flip work with the host toolkit, not with the CANN in {}", plan.root.path.display()),
        )
        .hint("unset ASCEND_HOME_PATH to use the toolkit of this repository"))
    }

    /// Variables of the host toolkit for everything that is run from here on.
    pub fn apply(&self, sh: &xshell::Shell) {
        for (name, value) in self.variables() {
            sh.set_var(name, value);
        }
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let list = |text: &String| if text.is_empty() { "1".to_owned() } else { format!("1,{text}") };
        let mut all = Vec::new();
        all.extend(self.check.as_ref().map(|text| ("HOSTCANN_CHECK", list(text))));
        all.extend(self.no_auto_sync.then(|| ("HOSTCANN_AUTO_SYNC", "off".to_owned())));
        all.extend(self.flip.as_ref().map(|text| ("HOSTCANN_FLIP", list(text))));
        all
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// The rounding steps of the built-in TBE op
    #[default]
    Tbe,
    /// Bit for bit what C gives
    Exact,
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

    fn variables(line: &[&str]) -> Vec<(&'static str, String)> {
        let line = Line::try_parse_from([&["xtask"], line].concat()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(line.name.as_deref(), Some("fmod"));
        line.check.variables()
    }

    #[test]
    fn check_flags_become_variables() {
        assert_eq!(variables(&["fmod"]), []);
        // A word behind the flag is not its value.
        assert_eq!(variables(&["--check", "fmod"]), [("HOSTCANN_CHECK", "1".to_owned())]);
        assert_eq!(
            variables(&["fmod", "--check=-multi-core,-leak", "--no-auto-sync", "--flip=-ftz"]),
            [
                ("HOSTCANN_CHECK", "1,-multi-core,-leak".to_owned()),
                ("HOSTCANN_AUTO_SYNC", "off".to_owned()),
                ("HOSTCANN_FLIP", "1,-ftz".to_owned()),
            ]
        );
        assert!(Line::try_parse_from(["xtask", "--no-auto-sync"]).is_err());
    }
}

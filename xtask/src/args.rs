//! Flags that several verbs share, under upstream's names (`build.sh`).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args, Clone)]
pub struct Global {
    /// Print one JSON object on stdout (always written to target/xtask/last/<verb>.json, too)
    #[arg(long, global = true)]
    pub json: bool,
    /// Show the output of every sub-tool
    #[arg(short, long, global = true)]
    pub verbose: bool,
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
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<usize>,
    /// With a real CANN: the ops-math checkout whose build.sh is used [default: $OPS_MATH_HOME]
    #[arg(long = "ops-math", value_name = "DIR")]
    pub ops_math: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// The rounding steps of the built-in TBE op
    #[default]
    Tbe,
    /// Bit for bit what C gives
    Exact,
}

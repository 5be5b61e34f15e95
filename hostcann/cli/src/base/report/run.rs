//! The frame of every report: what ran, on what, and how it ended.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::object::objects;

/// Counts up when a field changes its meaning or goes.
pub const SCHEMA: u32 = 2;

objects! {
    /// One run of a verb: printed by `--json`, stored as `target/xtask/last/<verb>.json`. The keys of the verb's own object
    /// come last.
    #[serde(default)]
    pub struct Report {
        /// Version of these objects
        pub schema: u32,
        /// The verb; null for a command line that is not understood
        pub command: Option<String>,
        /// `host` or `cann`
        pub sdk: Option<String>,
        /// SoC families, separated by commas
        pub soc: Option<String>,
        /// The run succeeded
        pub ok: bool,
        /// Exit code of the process
        pub exit_code: u8,
        /// Seconds from start to end
        pub elapsed_s: f64,
        /// The command line after the program
        pub arguments: Vec<String>,
        /// What the run is of; null for a verb that writes nothing, and outside of a git repository
        pub revision: Option<Revision>,
        /// Timed steps in the order in which they ended
        pub steps: Vec<Step>,
        /// Files and directories that the run made
        pub artifacts: Vec<Artifact>,
        /// Only with `--shard`
        #[serde(skip_serializing_if = "Option::is_none")]
        pub part: Option<super::Part>,
        /// Only of a run that failed
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<Failure>,
        #[serde(flatten)]
        pub about: About,
        #[serde(flatten)]
        pub result: Map<String, Value>,
    }

    /// What a run is about: keys of the report, as far as the verb chose a toolkit and operators.
    pub struct About {
        /// Directory of the toolkit
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub toolkit: Option<String>,
        /// Directory names of the operators
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ops: Option<Vec<String>>,
        /// Vendor of the package
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub vendor: Option<String>,
        /// With `--check`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub checked: Option<Checked>,
    }

    /// Launches that the checker watched.
    pub struct Checked {
        /// Number of launches
        pub launches: usize,
        /// Number of findings in them
        pub findings: usize,
    }

    /// A commit of git.
    pub struct Revision {
        /// Its hash
        pub commit: String,
        /// Nothing is changed and nothing is there that git does not know, from the start of the run to its end
        pub clean: bool,
    }

    /// A part of a run.
    pub struct Step {
        /// Its name, as in the log file `target/xtask/log/<name>.log`
        pub name: String,
        /// It succeeded
        pub ok: bool,
        /// Seconds that it took
        pub elapsed_s: f64,
    }

    /// A file or directory that a run made.
    pub struct Artifact {
        /// Its path
        pub path: String,
        /// Digest of the file, in hexadecimal; null where none is computed
        pub sha256: Option<String>,
    }

    /// Why a run failed.
    pub struct Failure {
        /// The error and its causes, the outermost first
        pub causes: Vec<String>,
        /// What to do
        pub hint: Option<String>,
        /// What the sub-tool printed
        #[serde(default)]
        pub output: Option<String>,
    }

    /// A command line that is not understood: instead of a report.
    pub struct Usage {
        /// Version of these objects
        pub schema: u32,
        /// Null: no verb ran
        pub command: Option<String>,
        /// False
        pub ok: bool,
        /// Exit code of the process
        pub exit_code: u8,
        /// What is wrong
        pub error: UsageFailure,
    }

    /// What is wrong with a command line.
    pub struct UsageFailure {
        /// One message
        pub causes: Vec<String>,
        /// Null
        pub hint: Option<String>,
    }

    /// `doctor`
    pub struct DoctorResult {
        /// Programs and libraries that the toolkit needs or may use
        pub tools: Vec<Tool>,
    }

    /// A tool that `doctor` looked for.
    pub struct Tool {
        /// Its name
        pub name: String,
        /// Version, `unknown version` or `no`
        pub found: String,
        /// The version that is needed
        pub needed: String,
        /// It is there in that version
        pub ok: bool,
        /// Nothing works without it
        pub required: bool,
        /// How to get it; null where it is there
        pub get: Option<String>,
    }

    /// `list`
    pub struct ListResult {
        /// Installed packages
        pub packages: Vec<InstalledPackage>,
        /// Operators of this repository
        pub operators: Vec<ListedOperator>,
    }

    /// A package of operators in the toolkit.
    pub struct InstalledPackage {
        /// Its vendor
        pub vendor: String,
        /// Its directory
        pub path: String,
        /// Names of its operators
        pub ops: Vec<String>,
        /// SoC families that it has kernels for
        pub soc: Vec<String>,
        /// What `--define` said when it was packed
        pub definitions: String,
        /// Local time of the installation, to the minute
        pub installed: String,
    }

    /// An operator of this repository.
    pub struct ListedOperator {
        /// Directory name
        pub name: String,
        /// Path in the repository
        pub path: String,
        /// Names of its examples
        pub examples: Vec<String>,
        /// Number of unit tests by kind: op_host, op_api, op_kernel
        pub unit_tests: Map<String, Value>,
    }

    /// `env`
    pub struct EnvResult {
        /// Variables of the environment that a program needs, by name
        pub env: Map<String, Value>,
    }

    /// `tidy`
    pub struct TidyResult {
        /// `path:line: what is wrong`
        pub findings: Vec<String>,
    }
}

impl Report {
    /// The verb's own object; None: the report has none of this kind.
    pub fn result<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(Value::Object(self.result.clone())).ok()
    }
}

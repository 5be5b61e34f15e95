//! What runs leave for `report` under `target/xtask/results/<operator>`: a file for each piece of evidence.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::object::objects;
use super::{ErrorBins, LayerOutcome, Revision, SweepClass};

objects! {
    /// A piece of evidence about an operator.
    #[serde(default)]
    pub struct Piece {
        /// Version of these objects
        pub schema: u32,
        /// Its name
        pub piece: String,
        /// The operator's directory name
        pub op: String,
        /// Digest of the operator's directory
        pub sources: String,
        /// What the run was of
        pub revision: Option<Revision>,
        /// The command line after the program
        pub arguments: Vec<String>,
        /// SoC families of the run, separated by commas
        pub soc: String,
        /// The machine that it ran on
        pub environment: Environment,
        /// The evidence: an object by the piece's name
        pub data: Value,
    }

    /// A machine and what compiles on it.
    #[serde(default)]
    pub struct Environment {
        /// Operating system
        pub system: String,
        /// Architecture of the processor
        pub architecture: String,
        /// Model of the processor
        pub cpu: Option<String>,
        /// Number of processor cores
        pub cores: u64,
        /// Version of rustc
        pub rustc: Option<String>,
        /// Version of the C++ compiler
        #[serde(rename = "c++")]
        pub cxx: Option<String>,
        /// Version of CMake
        pub cmake: Option<String>,
        /// Version of Ninja
        pub ninja: Option<String>,
        /// Version of Python
        pub python: Option<String>,
        /// Version of this program
        pub xtask: String,
        /// The toolkit and why it was chosen
        pub toolkit: String,
    }

    /// A layer of `test` that ran as a whole.
    #[serde(default)]
    pub struct LayerPiece {
        /// What it gave
        pub outcomes: Vec<LayerOutcome>,
        /// Tests by name, and whether they passed
        pub tests: Vec<(String, bool)>,
        /// Operators that the run was about
        pub ops: Vec<String>,
        /// With `--check`: launches that the checker watched
        #[serde(skip_serializing_if = "Option::is_none")]
        pub launches: Option<usize>,
        /// With `--check`: number of findings
        #[serde(skip_serializing_if = "Option::is_none")]
        pub findings: Option<usize>,
        /// With `--check`: the findings, each place and kind once
        #[serde(skip_serializing_if = "Option::is_none")]
        pub found: Option<Vec<CheckFinding>>,
    }

    /// What the checker found in launches; the toolkit may add keys.
    #[serde(default)]
    pub struct CheckFinding {
        /// Class of the fault
        pub class: String,
        /// The launch failed
        pub stops: bool,
        /// Name of the kernel
        pub kernel: String,
        /// The instruction that it is about
        pub instruction: String,
        /// Operand of the instruction
        pub operand: Option<String>,
        /// `file:line`
        pub place: Option<String>,
        /// What is wrong
        pub message: String,
        /// What was expected
        pub expected: Option<String>,
        /// What came
        pub got: Option<String>,
        /// What to do
        pub fix: Option<String>,
        /// How often it was found
        pub times: u64,
        #[serde(flatten)]
        pub more: serde_json::Map<String, Value>,
    }

    /// Cases of a file under one standard.
    #[serde(default)]
    pub struct AcceptancePiece {
        /// The file, in the operator's directory
        pub file: String,
        /// `ascendoptest`, `ecosystem` or `ecosystem-en`
        pub standard: String,
        /// Seed of the operands
        pub seed: u64,
        /// The cases
        pub cases: Vec<AcceptanceCase>,
    }

    /// A case under one standard.
    #[serde(default)]
    pub struct AcceptanceCase {
        /// Name of the case
        pub case: String,
        /// The aclnn interface that it calls
        pub interface: String,
        /// Attributes as `name=value`
        pub mode: String,
        /// Operands
        pub inputs: Vec<CaseTensor>,
        /// Results
        pub outputs: Vec<CaseTensor>,
        /// An entry for each compared result
        pub results: Vec<AcceptanceResult>,
    }

    /// An operand or a result of a case.
    #[serde(default)]
    pub struct CaseTensor {
        /// Its name
        pub name: String,
        /// numpy's name of its data type
        pub dtype: String,
        /// Its extents; none for a scalar
        pub shape: Vec<u64>,
        /// Of an operand: least and largest value
        #[serde(skip_serializing_if = "Option::is_none")]
        pub range: Option<[f64; 2]>,
    }

    /// A result of a case, compared. Errors are words: one may be infinite.
    #[serde(default)]
    pub struct AcceptanceResult {
        /// Name of the output; null when the case did not get as far
        pub output: Option<String>,
        /// `pass`, `fail`, `expected`, `unexpected` or `error`
        pub result: String,
        /// Number of elements
        #[serde(skip_serializing_if = "Option::is_none")]
        pub elements: Option<u64>,
        /// Elements beyond the threshold
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bad: Option<u64>,
        /// Largest absolute error
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_abs: Option<String>,
        /// Largest relative error
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_rel: Option<String>,
        /// The first bad element, or why there is no result
        pub message: String,
    }

    /// How errors of a file's cases spread.
    #[serde(default)]
    pub struct ErrorsPiece {
        /// The file, in the operator's directory
        pub file: String,
        /// Seed of the operands
        pub seed: u64,
        /// Binary exponents at which groups begin
        pub edges: Vec<i64>,
        /// Counts by mode and type
        pub errors: Vec<ErrorBins>,
    }

    /// A class of the sweep.
    #[serde(default)]
    pub struct SweepPiece {
        /// What the sweep program says of it
        pub class: SweepClass,
        /// `<part>/<parts>`
        pub shard: String,
        /// Switches of undocumented behaviour that differ from the SoC's file
        pub switches: Vec<String>,
    }

    /// A package.
    #[serde(default)]
    pub struct PackagePiece {
        /// Name of the .run file
        pub file: String,
        /// Its digest, in hexadecimal
        pub sha256: String,
        /// Its size in bytes
        pub bytes: u64,
        /// SoC families that it has kernels for
        pub socs: Vec<String>,
        /// Operators in it
        pub ops: Vec<String>,
        /// Its vendor
        pub vendor: String,
    }
}

impl Piece {
    /// The evidence; None: it is not of this kind.
    pub fn data<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.data).ok()
    }
}

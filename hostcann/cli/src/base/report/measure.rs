//! Times: measured on this machine, and predicted for a chip.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::object::objects;

objects! {
    /// How errors of one mode and type spread over groups of the operands.
    #[serde(default)]
    pub struct ErrorBins {
        /// Attributes as `name=value`
        pub mode: String,
        /// numpy's name of the data type
        pub dtype: String,
        /// What the groups are made by, for example `|x / y|`
        pub by: String,
        /// For each group the number of elements by size of their error
        pub bins: Vec<[u64; 5]>,
    }

    /// `bench host`, and the piece `bench_host`: measured
    #[serde(default)]
    pub struct HostBench {
        /// Elements of each operand
        pub elements: u64,
        /// Calls that are measured
        pub reps: u64,
        /// What was compared
        pub sides: HostSides,
        /// The measurements
        pub rows: Vec<HostRow>,
    }

    /// The two programs of `bench host`, in their own words.
    #[serde(default)]
    pub struct HostSides {
        /// The operator's
        pub op: String,
        /// numpy's
        pub numpy: String,
    }

    /// A measurement.
    #[serde(default)]
    pub struct HostRow {
        /// Its name
        pub name: String,
        /// Data type
        pub dtype: String,
        /// Mode of the operator
        pub mode: String,
        /// Times of the operator
        pub op: HostTimes,
        /// What it is compared with
        pub beside: Beside,
        /// How many times as fast as numpy, or as slow as without an observer
        pub ratio: f64,
        /// The ratio that is required; null: none
        pub required: Option<f64>,
        /// The requirement is met
        pub holds: bool,
        /// Elements that differ from numpy's; null: not compared
        pub differs_from_numpy: Option<u64>,
    }

    /// What a row is compared with.
    #[serde(default)]
    pub struct Beside {
        /// `numpy`, `no checker` or `no model`
        pub name: String,
        /// Its times
        pub times: HostTimes,
    }

    /// Times of the calls of a row, in milliseconds.
    #[serde(default)]
    pub struct HostTimes {
        /// The median
        pub median_ms: f64,
        /// The least
        pub min_ms: f64,
        /// The largest
        pub max_ms: f64,
    }

    /// `bench sim`: predicted by the timing model, not measured
    pub struct SimBench {
        /// What is required of the operator, judged
        pub gates: Vec<GateOutcome>,
        /// Predictions
        pub rows: Vec<BenchRow>,
    }

    /// The piece `bench_sim`, and `target/xtask/bench-sim.json` without `gates`
    pub struct SimBenchPiece {
        /// That these are times of the model
        #[serde(default)]
        pub source: String,
        /// What is required of the operator, judged
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub gates: Option<Vec<GateOutcome>>,
        /// Predictions
        pub rows: Vec<BenchRow>,
    }

    /// A requirement after a run.
    #[serde(default)]
    pub struct GateOutcome {
        /// Its name
        pub name: String,
        /// What it asks for
        pub text: String,
        /// Rows that it judges
        pub rows: usize,
        /// Rows that miss it
        pub failed: usize,
        /// Geometric mean of the ratios of its rows; null without rows
        pub mean: Option<f64>,
        /// Rows in which the floor, or of strided rows the contiguous operator, leaves less room than the gate asks for;
        /// they have to come close to it
        pub beyond_limit: usize,
        /// The row that is farthest off, and its part of what is required
        pub worst: Option<(String, f64)>,
        /// Rows that miss it
        pub missed: Vec<MissedRow>,
    }

    /// A row that a gate fails in.
    #[serde(default)]
    pub struct MissedRow {
        /// Its name
        pub row: String,
        /// Its part of what is required
        pub part: f64,
        /// The least time there is, in µs
        pub limit: f64,
        /// What the launch in tbe mode is bound by
        pub bound: String,
    }

    /// The model's times of one shape on one chip, warm or cold, in µs; none of them measured.
    pub struct BenchRow {
        /// Name of the chip
        pub soc: String,
        /// Data type
        pub dtype: String,
        /// Shapes of the operands, for example `same`
        pub case: String,
        /// Elements of the result
        pub elements: u64,
        /// `warm` or `cold`
        pub cache: String,
        /// Time of the operator by mode, in µs
        pub op: BTreeMap<String, f64>,
        /// What the launch in tbe mode is bound by
        pub bound: String,
        /// Time of the built-in operator's eight instructions, in µs
        pub chain: f64,
        /// Time of four instructions, operands where they come, in µs
        pub plain: f64,
        /// How far times may be off: of `op` by mode, of `chain`, `plain` and `road`
        #[serde(default)]
        pub error: BTreeMap<String, RowError>,
        /// What the model could not do, or assumed, of the operator's launches
        #[serde(default)]
        pub notes: Vec<String>,
        /// Below this time, in µs, nothing can go
        pub limit: f64,
        /// Of a strided case: time of contiguous copies around the operator on contiguous tensors, in µs
        pub road: Option<f64>,
        /// Of a strided case: the operator does without these copies
        pub direct: bool,
        /// 32-bit lanes that the operator computes, by bytes that it moves at least
        pub lanes_per_byte: f64,
        /// Roofs of the chip: GB/s of the L2, GB/s of the memory, 10^9 lanes a second
        pub roofs: [f64; 3],
    }

    /// How far a time of a row may be off.
    pub struct RowError {
        /// Classes of its launches
        pub class: String,
        /// The largest of their mean errors, in percent; null where one is not known
        pub percent: Option<f64>,
        /// Near the size of the L2: the longer of two times, in µs
        pub longest_us: Option<f64>,
    }

    /// `sim`
    pub struct SimResult {
        /// Programs in the order in which they ran
        pub runs: Vec<SimRun>,
    }

    /// A program and its launches.
    pub struct SimRun {
        /// Name of the program
        pub program: String,
        /// Its launches in the order in which they ended
        pub launches: Vec<SimLaunch>,
    }

    /// A launch, as msprof's table has it and as the model has it.
    pub struct SimLaunch {
        /// Columns of msprof's op_summary by name
        pub op_summary: Map<String, Value>,
        /// The prediction
        pub model: super::Launch,
    }

    /// `sim --params`
    pub struct ParametersResult {
        /// Parameters of the model
        pub parameters: Parameters,
    }

    /// Parameters of the timing model.
    pub struct Parameters {
        /// Of every chip, by name
        pub base: BTreeMap<String, Parameter>,
        /// What differs on a chip, by chip and name
        pub soc: BTreeMap<String, BTreeMap<String, Parameter>>,
        /// Of instructions
        pub instructions: Vec<InstructionCost>,
    }

    /// A parameter and where it is from.
    pub struct Parameter {
        /// Its value
        pub value: f64,
        /// Unit of the value
        pub unit: String,
        /// Kind of the source
        pub mark: String,
        /// The source
        pub source: String,
    }

    /// Some instructions for some types: `fixed + ii * repeats` cycles.
    pub struct InstructionCost {
        /// Instructions
        pub ops: Vec<String>,
        /// Data types
        pub types: Vec<String>,
        /// Cycles of a repeat
        pub ii: f64,
        /// Kind of the source of `ii`
        pub ii_mark: String,
        /// Source of `ii`
        pub ii_source: String,
        /// Cycles of the instruction besides
        pub fixed: f64,
        /// Kind of the source of `fixed`
        pub fixed_mark: String,
        /// Source of `fixed`
        pub fixed_source: String,
        /// It is a function of several instructions
        #[serde(default)]
        pub function: bool,
    }
}

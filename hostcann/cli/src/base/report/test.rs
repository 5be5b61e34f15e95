//! What tests, examples and sweeps give.

use super::object::objects;

objects! {
    /// `test`; of `torch test` and `paddle test`, `passed` and `failed`
    pub struct TestResult {
        /// Tests that passed
        pub passed: u64,
        /// Tests that failed
        pub failed: u64,
        /// Layers in the order of a plain run
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub layers: Option<Vec<LayerOutcome>>,
        /// What the layers cost, in the order in which they ran
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub layer_times: Option<Vec<LayerTime>>,
        /// Of the layer `example`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub examples: Option<Vec<ExampleOutcome>>,
        /// Of the layer `mutants`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mutants: Option<Vec<MutantOutcome>>,
    }

    /// Tests of one layer, or of one part of it.
    pub struct LayerOutcome {
        /// Name of the layer or the part
        pub layer: String,
        /// The layer as `--only` takes it
        #[serde(default)]
        pub only: String,
        /// Tests that passed
        pub passed: u64,
        /// Tests that failed
        pub failed: u64,
    }

    /// What a layer costs.
    pub struct LayerTime {
        /// Name of the layer
        pub layer: String,
        /// Seconds from start to end
        pub wall_s: f64,
        /// User and system time of sub-processes, in seconds; what another layer has started counts where it ends
        pub processor_s: f64,
    }

    /// `example`
    pub struct ExampleResult {
        /// Every example that was compiled
        pub examples: Vec<ExampleOutcome>,
        /// A line for each operator of which the examples launch not every column of data types
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub not_launched: Option<Vec<String>>,
    }

    /// One example.
    pub struct ExampleOutcome {
        /// Stem of its source
        pub name: String,
        /// It ran to its end and the toolkit reported no failure
        pub ok: bool,
    }

    /// A fault put into a copy of an operator.
    pub struct MutantOutcome {
        /// Its name
        pub name: String,
        /// File that it changes
        pub file: String,
        /// What the fault is
        pub why: String,
        /// `killed`, `killed before`, `SURVIVED`, `BROKEN` or `equivalent`
        pub result: String,
        /// The test that must notice it
        pub test: Option<String>,
        /// Seconds that its build took
        pub build_s: Option<f64>,
        /// Seconds that its test took
        pub test_s: Option<f64>,
    }

    /// `sample`
    pub struct SampleResult {
        /// Commands in the order in which they ran
        pub steps_of_sample: Vec<SampleStep>,
    }

    /// A command of a sample.
    pub struct SampleStep {
        /// The command line
        pub command: String,
        /// It succeeded
        pub ok: bool,
    }

    /// `torch run` and `paddle run`
    pub struct ScriptResult {
        /// What the toolkit reported: failed tasks and inner errors of aclnn functions
        pub failures: Vec<String>,
        /// With `--sim`: predictions of the launches
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<Vec<super::Launch>>,
    }

    /// `test --exhaustive`
    pub struct SweepResult {
        /// The document, also in `target/xtask/exhaustive-<shard>.json`
        pub exhaustive: Sweep,
    }

    /// What the sweep program of an operator writes; it may add keys of its own.
    #[serde(default)]
    pub struct Sweep {
        /// Pairs of operands
        pub pairs: u64,
        /// Pairs with another result than the golden's
        pub mismatches: u64,
        /// Seconds of all classes together
        pub seconds: f64,
        /// Classes of operands
        pub classes: Vec<SweepClass>,
        #[serde(flatten)]
        pub more: serde_json::Map<String, serde_json::Value>,
    }

    /// A class of operands; the program may add keys of its own.
    #[serde(default)]
    pub struct SweepClass {
        /// Its name
        pub name: String,
        /// Pairs of operands
        pub pairs: u64,
        /// Pairs with another result than the golden's
        pub mismatches: u64,
        /// Every pair there is, not a part that was drawn
        pub all_pairs: bool,
        /// Seconds that it took
        pub seconds: f64,
        #[serde(flatten)]
        pub more: serde_json::Map<String, serde_json::Value>,
    }

    /// `optest`
    pub struct OptestResult {
        /// A case under one standard each
        pub results: Vec<CaseOutcome>,
    }

    /// A case under one standard.
    pub struct CaseOutcome {
        /// Name of the case
        #[serde(default)]
        pub case: String,
        /// `ascendoptest`, `ecosystem` or `ecosystem-en`
        #[serde(default)]
        pub standard: String,
        /// `pass`, `fail`, `expected`, `unexpected` or `error`
        pub result: String,
    }
}

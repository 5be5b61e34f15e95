//! What `operators` and `test --only operators` give for each operator.

use serde::{Deserialize, Serialize};

use super::object::objects;

/// Whether an operator builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Builds {
    Yes,
    #[default]
    No,
    /// Its definition names none of the SoCs that were asked for.
    #[serde(rename = "-")]
    OtherSoc,
}

objects! {
    /// `operators`
    pub struct OperatorsResult {
        /// Operators in the order of their names
        pub operators: Vec<OperatorRow>,
    }

    /// One operator.
    pub struct OperatorRow {
        /// Its directory name
        pub op: String,
        /// `yes`, `no`, or `-` where its definition names none of the SoCs that were asked for
        pub builds: Builds,
        /// Its examples; null: not tried, or it has none
        pub examples: Option<Tally>,
        /// Its examples with the checker
        pub checked: Option<Tally>,
        /// Its unit tests by kind: host, api, kernel
        pub tests: Vec<(String, Tally)>,
        /// The first error of every step that failed, with the step in front
        pub errors: Vec<String>,
        /// Seconds that it took
        pub seconds: f64,
        /// Something outside has stopped a step: the row is no verdict; false if it is not there
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub stopped: bool,
    }

    /// How many passed.
    pub struct Tally {
        /// That passed
        pub passed: u64,
        /// All of them
        pub all: u64,
    }
}

impl Copy for Tally {}

//! What `--shard` records of a part, and what `merge` gives.

use super::Environment;
use super::object::objects;

objects! {
    /// A part of a run that several machines share.
    #[serde(default)]
    pub struct Part {
        /// What is divided: `test`, `exhaustive`, `operators` or `bench_sim`
        pub of: String,
        /// `<part>/<parts>`
        pub shard: String,
        /// Options and variables, which all parts share
        pub options: Vec<String>,
        /// Digest of toolkit and operators, which all parts share
        pub digest: String,
        /// Units of the whole run, in its order
        pub units: Vec<String>,
        /// Units of this part
        pub taken: Vec<String>,
        /// The machine that it ran on
        pub environment: Environment,
    }

    /// `merge`, next to the keys of the verb that is divided
    pub struct MergeResult {
        /// The parts in their order
        pub parts: Vec<MergedPart>,
    }

    /// A part that was merged.
    pub struct MergedPart {
        /// File of its record
        pub file: String,
        /// `<part>/<parts>`
        pub shard: String,
        /// Exit code of its run
        pub exit_code: u8,
        /// Seconds that it took
        pub elapsed_s: f64,
        /// Number of its units
        pub units: usize,
        /// The machine that it ran on
        pub environment: Environment,
    }
}

//! What the verbs of `ascgraph` give.

use super::Launch;
use super::object::objects;

objects! {
    /// `ascgraph check`
    pub struct GraphCheck {
        /// Files in the order of the command line
        pub files: Vec<GraphFile>,
    }

    /// A file of graphs.
    pub struct GraphFile {
        /// Its path
        pub file: String,
        /// Number of graphs in it
        pub graphs: usize,
        /// What is wrong in them
        pub findings: Vec<GraphFinding>,
    }

    /// Something that is wrong in a graph.
    pub struct GraphFinding {
        /// Code of the rule
        pub code: String,
        /// Its name on the command line
        pub slug: String,
        /// `error` or `warning`
        pub severity: String,
        /// Name of the graph
        pub graph: String,
        /// Node that it is about; empty: the graph
        pub node: String,
        /// Axis that it is about; empty: none
        pub axis: String,
        /// What is wrong
        pub message: String,
        /// What to do
        pub cure: String,
    }

    /// `ascgraph check --explain`
    pub struct GraphRules {
        /// Rules
        pub rules: Vec<GraphRule>,
    }

    /// A rule of graphs.
    pub struct GraphRule {
        /// Its code
        pub code: String,
        /// Its name on the command line
        pub slug: String,
        /// `error` or `warning`
        pub severity: String,
        /// What it says
        pub rule: String,
        /// What to do
        pub cure: String,
    }

    /// `ascgraph schedule`
    pub struct GraphSchedule {
        /// Kernels, one for each case of the tiling
        pub cases: Vec<GraphCase>,
    }

    /// A case of the tiling.
    pub struct GraphCase {
        /// Its name
        pub case: String,
        /// Bytes of the unified buffer for each element of a tile
        pub bytes_per_element: usize,
    }

    /// `ascgraph run`
    pub struct GraphRun {
        /// Elements that the nodes of the graph computed
        pub iterations: u64,
        /// The kernels, in the order of their launches; empty: none is made of the graph
        pub kernels: Vec<GraphKernel>,
    }

    /// The kernel of a graph, run tile by tile and launched.
    pub struct GraphKernel {
        /// Number of tiles
        pub tiles: i64,
        /// Elements or rows of a tile
        pub tile: i64,
        /// Cores
        pub block_dim: i64,
        /// Tile by tile it gives the bits of the graph
        pub same: bool,
        /// Not with `--no-launch`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub launched: Option<GraphLaunch>,
        /// With `--sim`: predictions of the launches
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<Vec<Launch>>,
    }

    /// The launched kernel.
    pub struct GraphLaunch {
        /// It gives the bits of the graph
        pub same: bool,
    }
    /// `ascgraph fuse`
    pub struct GraphFusion {
        /// Operators that became one, in the order of the model
        pub fused: Vec<FusedOperator>,
        /// Operators that stay as they are
        pub left: Vec<LeftOperator>,
        /// A line for each two that became one launch or did not
        pub log: Vec<String>,
    }

    /// Operators of a model that became one.
    pub struct FusedOperator {
        /// Its name
        pub name: String,
        /// Which operators each of its launches computes
        pub launches: Vec<Vec<String>>,
        /// Values of the model that it reads
        pub inputs: Vec<String>,
        /// Values of the model that it gives
        pub outputs: Vec<String>,
        /// Predicted time of all launches in us; null: the timing model has no number
        pub us: Option<f64>,
        /// The same of a launch for each operator
        pub us_single: Option<f64>,
    }

    /// An operator that stays as it is.
    pub struct LeftOperator {
        /// Its name
        pub name: String,
        /// Its type
        pub kind: String,
        /// Why it stays
        pub why: String,
    }
}

//! What `pr` and `report` give.

use serde::{Deserialize, Serialize};

use super::object::objects;

/// How much a finding of a rule counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    #[default]
    Error,
    Warning,
}

objects! {
    /// `pr`
    #[serde(default)]
    pub struct PrResult {
        /// Path of the operator in the checkout
        #[serde(skip_serializing_if = "Option::is_none")]
        pub op: Option<String>,
        /// Rules by number
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rules: Option<Vec<RuleOutcome>>,
        /// Errors that nothing explains
        #[serde(skip_serializing_if = "Option::is_none")]
        pub errors: Option<usize>,
        /// Warnings that nothing explains
        #[serde(skip_serializing_if = "Option::is_none")]
        pub warnings: Option<usize>,
        /// Hash of the commit that was made
        #[serde(skip_serializing_if = "Option::is_none")]
        pub commit: Option<String>,
        /// Branch that it is on
        #[serde(skip_serializing_if = "Option::is_none")]
        pub branch: Option<String>,
    }

    /// The piece `rules`
    #[serde(default)]
    pub struct RulesPiece {
        /// There was a checkout of ops-math
        pub checkout: bool,
        /// Rules by number
        pub rules: Vec<RuleOutcome>,
    }

    /// A rule and what came of it.
    #[serde(default)]
    pub struct RuleOutcome {
        /// Its number
        pub rule: u8,
        /// Its name on the command line
        pub slug: String,
        /// What it is about
        pub title: String,
        /// The same in Chinese
        pub zh: String,
        /// `pass`, `warning`, `error` or `not run`
        pub status: String,
        /// Why it was not run
        #[serde(skip_serializing_if = "Option::is_none")]
        pub why: Option<String>,
        /// What it found
        #[serde(skip_serializing_if = "Option::is_none")]
        pub findings: Option<Vec<RuleFinding>>,
    }

    /// `pr --list`
    pub struct RuleList {
        /// Rules by number
        pub rules: Vec<RuleText>,
    }

    /// A rule in words.
    pub struct RuleText {
        /// Its number
        pub rule: u8,
        /// Its name on the command line
        pub slug: String,
        /// What it is about
        pub title: String,
        /// The same in Chinese
        pub zh: String,
        /// What it requires and why
        pub why: String,
    }

    /// Something that a rule found.
    #[serde(default)]
    pub struct RuleFinding {
        /// Number of the rule
        pub rule: u8,
        /// Its name on the command line
        pub slug: String,
        /// `error` or `warning`
        pub severity: Severity,
        /// Path as it will be in the checkout
        pub path: String,
        /// Line; 0: about the file or the directory
        pub line: usize,
        /// What is there
        pub found: String,
        /// What to do
        pub fix: String,
        /// Why it is all right here (xtask/pr.txt); warnings only
        pub explained: Option<String>,
    }

    /// `report`
    pub struct ReportResult {
        /// Directory name of the operator
        pub op: String,
        /// Digest of its directory
        pub sources: String,
        /// Parts that something can be missing of
        pub parts: Vec<ReportPart>,
    }

    /// A part of the report.
    pub struct ReportPart {
        /// Its name
        pub part: String,
        /// `good`, `failed` or `open`
        pub state: String,
        /// Its result in a few words
        pub result: String,
        /// Commands that run what is missing, as words of a command line
        pub fill: Vec<Vec<String>>,
    }
}

//! What the verbs of `opinfo` give.

use super::object::objects;

objects! {
    /// `opinfo check`
    pub struct OpInfoCheck {
        /// Whose converter the rules are of
        pub profile: String,
        /// Files in the order of the command line
        pub files: Vec<OpInfoFile>,
    }

    /// A file that was checked.
    pub struct OpInfoFile {
        /// Its path
        pub file: String,
        /// Number of operators in it
        pub operators: usize,
        /// What is wrong in it
        pub findings: Vec<OpInfoFinding>,
    }

    /// Something that is wrong in an entry.
    pub struct OpInfoFinding {
        /// Code of the rule
        pub code: String,
        /// `error` or `warning`
        pub severity: String,
        /// Line of the file
        pub line: usize,
        /// OpType
        pub op: String,
        /// What is wrong
        pub message: String,
        /// What the rule says
        pub rule: String,
    }

    /// `opinfo check --explain`
    pub struct OpInfoRules {
        /// Rules
        pub rules: Vec<OpInfoRule>,
    }

    /// A rule of op information.
    pub struct OpInfoRule {
        /// Its code
        pub code: String,
        /// `error` or `warning`, or both by kind of file
        pub severity: String,
        /// What it says
        pub rule: String,
        /// Why it is there
        pub why: String,
    }

    /// `opinfo json`
    pub struct OpInfoJson {
        /// OpTypes that were converted
        pub operators: Vec<String>,
    }

    /// `opinfo show`
    pub struct OpInfoShow {
        /// The file
        pub file: String,
        /// The operator
        pub operator: OpInfoOperator,
        /// Keys that are no tensor and no attribute, as `group.key=value`
        pub keys: Vec<String>,
        /// What is wrong in the entry
        pub findings: Vec<OpInfoFinding>,
    }

    /// An operator of a file.
    pub struct OpInfoOperator {
        /// OpType
        pub name: String,
        /// File of the kernel
        #[serde(rename = "opFile")]
        pub op_file: String,
        /// Function of the kernel
        #[serde(rename = "opInterface")]
        pub interface: String,
        /// Where its formats are from
        pub formats: String,
        /// Its inputs
        pub inputs: Vec<OpInfoTensor>,
        /// Its outputs
        pub outputs: Vec<OpInfoTensor>,
        /// Its attributes
        pub attributes: Vec<OpInfoAttribute>,
    }

    /// An input or output of an operator.
    pub struct OpInfoTensor {
        /// For example `input0`
        pub place: String,
        /// Its name
        pub name: String,
        /// `required`, `optional` or `dynamic`
        #[serde(rename = "paramType")]
        pub param_type: String,
        /// Data types by column
        pub dtype: Vec<String>,
        /// Formats by column
        pub format: Vec<String>,
        /// Formats of unknown shapes by column
        pub unknownshape_format: Vec<String>,
    }

    /// An attribute of an operator.
    pub struct OpInfoAttribute {
        /// Its name
        pub name: String,
        /// Its type
        #[serde(rename = "type")]
        pub kind: String,
        /// It has to be given
        pub required: bool,
        /// Values that it may have; null: any
        pub values: Option<Vec<String>>,
        /// Its value where none is given
        pub default: Option<String>,
    }

    /// `opinfo diff` of two operators
    pub struct OpInfoDiff {
        /// The first file
        pub a: String,
        /// The second file
        pub b: String,
        /// Where the operators differ
        pub differences: Vec<OpInfoDifference>,
    }

    /// `opinfo diff` of two files
    pub struct OpInfoFilesDiff {
        /// The first file
        pub a: String,
        /// The second file
        pub b: String,
        /// OpTypes that the first file alone has
        pub only_a: Vec<String>,
        /// OpTypes that the second file alone has
        pub only_b: Vec<String>,
        /// Operators of both files that differ
        pub differing: Vec<OpInfoDiffering>,
    }

    /// An operator of both files.
    pub struct OpInfoDiffering {
        /// OpType
        pub op: String,
        /// Where it differs
        pub differences: Vec<OpInfoDifference>,
    }

    /// A key that differs.
    pub struct OpInfoDifference {
        /// `group.key`
        pub place: String,
        /// Value in the first file; null: none
        pub a: Option<String>,
        /// Value in the second file; null: none
        pub b: Option<String>,
    }

    /// `opinfo select-format`
    #[serde(default)]
    pub struct SelectFormatResult {
        /// Findings in what the function of the operator answered
        #[serde(skip_serializing_if = "Option::is_none")]
        pub findings: Option<Vec<OpInfoFinding>>,
        /// Where the formats are from
        pub formats: String,
        /// The function is asked for every shape
        pub dynamic: bool,
        /// Columns that it answered
        pub columns: Vec<FormatColumn>,
        /// With operands: the column that the framework takes, or null
        #[serde(skip_serializing_if = "Option::is_none")]
        pub chosen: Option<Option<ChosenColumn>>,
    }

    /// `opinfo select-format` where the function's answer has errors
    pub struct SelectFormatRefused {
        /// Findings in what the function of the operator answered
        pub findings: Vec<OpInfoFinding>,
    }

    /// A column: a data type and format for each tensor.
    pub struct FormatColumn {
        /// Its tensors
        pub tensors: Vec<ColumnTensor>,
        /// The framework may fall back to it; null: not said
        pub fallback: Option<bool>,
    }

    /// A tensor in a column.
    pub struct ColumnTensor {
        /// For example `input0`
        pub tensor: String,
        /// Data type
        pub dtype: String,
        /// Format; null: none
        pub format: Option<String>,
    }

    /// The column that the framework takes.
    pub struct ChosenColumn {
        /// Its number
        pub column: usize,
        /// The column
        pub tensors: FormatColumn,
    }
}

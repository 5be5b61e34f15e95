//! The rules by their codes: what holds, and what to do where it does not.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The graph has no meaning, or another one than it seems to have.
    Error,
    /// It has one, and is hardly meant so.
    Warning,
}

macro_rules! rules {
    ($($name:ident = $code:literal, $severity:ident, $title:literal, $cure:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($name),* }

        /// In the order of their codes.
        pub const RULES: &[Rule] = &[$(Rule::$name),*];

        impl Rule {
            pub fn code(self) -> &'static str {
                match self { $(Rule::$name => $code),* }
            }

            /// The rule's name in lower case, words joined by hyphens.
            pub fn slug(self) -> String {
                let name = match self { $(Rule::$name => stringify!($name)),* };
                let mut slug = String::new();
                for (at, c) in name.char_indices() {
                    if c.is_ascii_uppercase() && at > 0 {
                        slug.push('-');
                    }
                    slug.push(c.to_ascii_lowercase());
                }
                slug
            }

            pub fn severity(self) -> Severity {
                match self { $(Rule::$name => Severity::$severity),* }
            }

            /// What holds.
            pub fn title(self) -> &'static str {
                match self { $(Rule::$name => $title),* }
            }

            /// What to do.
            pub fn cure(self) -> &'static str {
                match self { $(Rule::$name => $cure),* }
            }
        }
    };
}

rules! {
    UnknownType = "AG101", Error, "a node's type is a registered AscIR",
        "use a type of the table in docs/reference/ascgraph.md, or let the front end fall back for this operation";
    Arity = "AG102", Error, "a node has the operands of its type, each once",
        "connect every operand of the type and no other";
    MissingInput = "AG103", Error, "every operand comes from a node of the graph",
        "connect it to the result of a node of the same graph";
    Cycle = "AG104", Error, "no node needs its own result",
        "cut the cycle";
    DuplicateName = "AG105", Error, "nodes, axes and size variables have names of their own",
        "rename one of the two";
    UnknownAxis = "AG106", Error, "an axis belongs to the graph",
        "create the axis in this graph, or use one of its axes";
    Lengths = "AG107", Error, "a tensor has as many sizes and strides as axes",
        "give one size and one stride for each axis";
    RepeatedAxis = "AG108", Error, "an axis is in a list once",
        "take the second one out";
    Index = "AG109", Error, "the indices of Data, and of Output, are 0, 1, … without a gap",
        "number them anew";
    OutputIndex = "AG110", Error, "two Outputs have two indices",
        "give the second one the next index";
    Dtype = "AG111", Error, "the type's table has the data types of operands and result",
        "insert a Cast to a type of the table in docs/reference/ascgraph.md";
    Broadcast = "AG112", Error, "a Broadcast goes from size 1 to n along an axis that it changes",
        "repeat what has size 1, and nothing else";
    StrideOfOne = "AG113", Warning, "an axis of size 1 has the stride 0",
        "write 0: nobody steps along it";
    Negative = "AG114", Error, "sizes and strides are not negative",
        "give the size from 0 and the stride from 0";
    Ends = "AG115", Error, "both ends of an edge say the same of the tensor",
        "correct the operand's description, or leave it out: the node that makes it decides";
    Dead = "AG116", Warning, "an Output needs every node",
        "take the node out, or store its result";
    Unsupported = "AG117", Error, "no Output needs a node of type Unsupported",
        "let the front end fall back for this operation (TORCHINDUCTOR_ASCENDC_DEBUG=allfallback)";
    Expression = "AG118", Error, "an expression is over integers and the graph's size variables",
        "declare the size variable, or correct the expression";
    Attribute = "AG119", Error, "a node has the attributes of its type",
        "give the attribute the value that the type wants";
    Operands = "AG120", Error, "operands and result of an element-wise node have the same axes and sizes",
        "insert a Broadcast: nothing is repeated by itself";
    Order = "AG121", Error, "a tensor's axes are in the schedule",
        "list the axis in sched.axis";
    Reduced = "AG122", Error, "a reduction leaves an axis as it is, or size 1 of it",
        "keep the axis with size 1 and stride 0";
    Neighbours = "AG123", Error, "Load reads Data, Output reads Store; nothing else does",
        "put a Load behind Data and a Store before Output";
    NoDtype = "AG124", Error, "every tensor that is needed has a data type",
        "write the dtype: the operands do not imply it";
    Backend = "AG125", Error, "an AscBackend has a graph, and an operand for each Data of it",
        "connect the AscBackend's operands in the order of its Data's indices";
    Concat = "AG126", Error, "the operands of a Concat differ along one axis, and their sum is the result",
        "correct the sizes along the axis that is joined";
    NoOutput = "AG127", Error, "a graph has an Output",
        "store a result and connect an Output";
    ImplField = "AG128", Error, "a hint graph says nothing of loops, buffers and splits",
        "leave the field to the schedule";
    OneAxis = "AG129", Warning, "a Broadcast changes one axis",
        "write one Broadcast for each axis, as upstream has it";
}

impl Rule {
    /// The rule of a code or a slug.
    pub fn of_code(code: &str) -> Option<Rule> {
        RULES.iter().copied().find(|rule| rule.code().eq_ignore_ascii_case(code) || rule.slug() == code)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    pub graph: String,
    /// Empty where it is about the graph.
    pub node: String,
    /// Empty where it is not about one.
    pub axis: String,
    pub message: String,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Severity::Error { "error" } else { "warning" })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: [{}", self.rule.severity(), self.rule.code(), self.graph)?;
        if !self.node.is_empty() {
            write!(f, "/{}", self.node)?;
        }
        write!(f, "] ")?;
        if !self.axis.is_empty() {
            write!(f, "axis {}: ", self.axis)?;
        }
        write!(f, "{}; {}", self.message, self.rule.cure())
    }
}

pub fn errors(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.rule.severity() == Severity::Error)
}

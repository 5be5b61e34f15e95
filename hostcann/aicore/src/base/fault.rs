//! Faults of the modelled hardware: who has to act, where it happened, what was expected.

use crate::base::{
    pipe::Pipe,
    site::{Location, Site},
};
use std::fmt;

pub use hostcann_types::FaultClass;

/// Who has to act on a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultOwner {
    /// The kernel breaks a rule of the hardware or of the programming model.
    Kernel,
    /// Legal upstream, not modelled here.
    NotImplemented,
    /// The device accepts it without a message and computes something the author hardly wants.
    UpstreamSilent,
}

/// What a broken rule means for the kernel's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Results can be wrong on a device.
    #[default]
    Error,
    /// A documented rule is broken, and nothing the device does here depends on it.
    Rule,
    /// It is right as the device's compiler builds it by default. Never stops a launch.
    Note,
}

/// A fault before it is known which kernel and core it belongs to. Boxed, because it travels in every `Result`.
#[derive(Clone, Debug)]
pub struct Raise(Box<RaiseParts>);

impl std::ops::Deref for Raise {
    type Target = RaiseParts;
    fn deref(&self) -> &RaiseParts {
        &self.0
    }
}

impl std::ops::DerefMut for Raise {
    fn deref_mut(&mut self) -> &mut RaiseParts {
        &mut self.0
    }
}

/// What a [`Raise`] says.
#[derive(Clone, Debug)]
pub struct RaiseParts {
    pub owner: FaultOwner,
    pub class: FaultClass,
    pub severity: Severity,
    pub pipe: Pipe,
    pub instruction: String,
    pub operand: Option<String>,
    pub what: String,
    pub expected: String,
    pub got: String,
    pub fix: String,
    /// The call to blame, when it is not the current one.
    pub site: Option<Site>,
}

impl Raise {
    /// A fault of the kernel. The other methods add to it.
    pub fn new(class: FaultClass, pipe: Pipe, instruction: impl Into<String>, what: impl Into<String>) -> Raise {
        Raise(Box::new(RaiseParts {
            owner: FaultOwner::Kernel,
            class,
            severity: Severity::Error,
            pipe,
            instruction: instruction.into(),
            operand: None,
            what: what.into(),
            expected: String::new(),
            got: String::new(),
            fix: String::new(),
            site: None,
        }))
    }
    pub fn silent(mut self) -> Raise {
        self.owner = FaultOwner::UpstreamSilent;
        self
    }
    /// A broken rule without an effect: a finding that stops a launch only in strict mode.
    pub fn rule(mut self) -> Raise {
        self.severity = Severity::Rule;
        self
    }
    /// A remark that stops no launch.
    pub fn note(mut self) -> Raise {
        self.severity = Severity::Note;
        self
    }
    pub fn operand(mut self, name: impl Into<String>) -> Raise {
        self.operand = Some(name.into());
        self
    }
    pub fn expected(mut self, text: impl Into<String>) -> Raise {
        self.expected = text.into();
        self
    }
    pub fn got(mut self, text: impl Into<String>) -> Raise {
        self.got = text.into();
        self
    }
    pub fn fix(mut self, text: impl Into<String>) -> Raise {
        self.fix = text.into();
        self
    }
    pub(crate) fn unsupported(pipe: Pipe, name: &str) -> Raise {
        let mut r = Raise::new(
            FaultClass::Unsupported,
            pipe,
            name.split(' ').next().unwrap_or(name),
            format!("not implemented by hostcann: {name}"),
        );
        r.owner = FaultOwner::NotImplemented;
        r
    }

    /// With its place.
    pub fn into_fault(self, kernel: &str, core: u32, location: Option<Location>) -> Fault {
        let RaiseParts { owner, class, severity, pipe, instruction, operand, what, expected, got, fix, .. } = *self.0;
        let said = Said { operand, what, expected, got, fix };
        let message = said.message();
        Fault {
            owner,
            class,
            severity,
            kernel: kernel.to_owned(),
            core,
            pipe,
            instruction,
            location,
            message,
            said: Box::new(said),
        }
    }
}

/// What a fault says, part by part; empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub operand: Option<String>,
    pub what: String,
    pub expected: String,
    pub got: String,
    pub fix: String,
}

impl Said {
    /// The operand and the rule.
    fn rule(&self) -> String {
        match &self.operand {
            Some(operand) => format!("operand {operand}: {}", self.what),
            None => self.what.clone(),
        }
    }

    /// All of it in one line.
    pub fn message(&self) -> String {
        let mut s = self.rule();
        for (word, text) in [("; expected ", &self.expected), ("; got ", &self.got), (". Fix: ", &self.fix)] {
            if !text.is_empty() {
                s += word;
                s += text;
            }
        }
        s
    }
}

/// A fault with its place. `Display` gives a first line that says where it is, and what is wrong indented below.
#[derive(Clone, Debug)]
pub struct Fault {
    pub owner: FaultOwner,
    pub class: FaultClass,
    pub severity: Severity,
    pub kernel: String,
    pub core: u32,
    pub pipe: Pipe,
    pub instruction: String,
    pub location: Option<Location>,
    /// All of `said` in one line.
    pub message: String,
    pub said: Box<Said>,
}

/// The operator that a kernel of a package belongs to: its name goes on with a hash of 32 digits and the tiling key.
fn operator(kernel: &str) -> &str {
    let is_hash = |part: &str| part.len() == 32 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let mut at = 0;
    for part in kernel.split('_') {
        if at > 0 && is_hash(part) {
            return &kernel[..at - 1];
        }
        at += part.len() + 1;
    }
    kernel
}

impl Fault {
    /// The name of the operator, of a kernel without one its own.
    pub fn op(&self) -> &str {
        operator(&self.kernel)
    }

    /// Kind, operator, core, instruction, line and class.
    pub fn headline(&self) -> String {
        let owner = match (self.severity, self.owner) {
            (Severity::Rule, _) => "broken rule (without an effect here)",
            (Severity::Note, _) => "relies on the compiler",
            (_, FaultOwner::Kernel) => "kernel fault",
            (_, FaultOwner::NotImplemented) => "not implemented",
            (_, FaultOwner::UpstreamSilent) => "kernel fault (the device gives no message here)",
        };
        let at = self.location.as_ref().map_or(String::new(), |l| format!(" at {l}"));
        let (core, pipe, class) = (self.core, self.pipe, self.class.name());
        format!("{owner}: kernel {}, core {core}, pipe {pipe}, {}{at} ({class})", self.op(), self.instruction)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = &self.said;
        write!(f, "{}\n    {}", self.headline(), said.rule())?;
        for (word, text) in [("expected ", &said.expected), ("got ", &said.got), ("Fix: ", &said.fix)] {
            if !text.is_empty() {
                write!(f, "\n    {word}{text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_place_rule_and_fix() {
        let f = Raise::new(FaultClass::Alignment, Pipe::V, "Add<float>", "address is not 32-byte aligned")
            .operand("src1")
            .expected("a multiple of 32")
            .got("UB offset 20")
            .fix("start sub-tensors at multiples of 8 elements")
            .into_fault("k", 3, Some(Location { file: "k.cpp".into(), line: 7 }));
        assert_eq!(
            f.to_string(),
            "kernel fault: kernel k, core 3, pipe V, Add<float> at k.cpp:7 (alignment)\n    operand src1: address is not \
             32-byte aligned\n    expected a multiple of 32\n    got UB offset 20\n    Fix: start sub-tensors at multiples \
             of 8 elements"
        );
        assert_eq!(
            f.message,
            "operand src1: address is not 32-byte aligned; expected a multiple of 32; got UB offset 20. Fix: start \
             sub-tensors at multiples of 8 elements"
        );
    }

    #[test]
    fn kernels_of_packages_go_by_their_operator() {
        let hash = "a4502c9194702bf35b8c97e190484246";
        assert_eq!(operator(&format!("RowRmsNorm_{hash}_high_performance_0")), "RowRmsNorm");
        assert_eq!(operator(&format!("Row_Norm_{hash}")), "Row_Norm");
        assert_eq!((operator("k"), operator("add_custom_0"), operator(hash)), ("k", "add_custom_0", hash));
    }

    #[test]
    fn unsupported_is_ours() {
        let f = Raise::unsupported(Pipe::S, "SyncAll").into_fault("k", 0, None);
        assert_eq!(f.owner, FaultOwner::NotImplemented);
        assert!(f.to_string().contains("not implemented by hostcann: SyncAll"));
    }
}

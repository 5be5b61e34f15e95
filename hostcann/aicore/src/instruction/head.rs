//! What every vector instruction has: opcode, data types and form.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{Dtype, Form, Opcode},
        pipe::Pipe,
    },
    instruction::shape::Instruction,
};

/// What every vector instruction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    pub op: Opcode,
    /// Element type of dst.
    pub dtype: Dtype,
    /// Element type of the (first) data source.
    pub stype: Dtype,
    /// How the call says which elements it works on.
    pub form: Form,
}

impl Head {
    /// `Div<float>`, `Cast<float, half>`.
    pub fn name(&self) -> String {
        let (op, d, s) = (self.op.name(), self.dtype.name(), self.stype.name());
        if d == s { format!("{op}<{d}>") } else { format!("{op}<{d}, {s}>") }
    }
}

/// A dtype that the instruction does not have on this core.
pub(crate) fn bad_dtype(head: &Head, allowed: &[Dtype]) -> Raise {
    let names: Vec<_> = allowed.iter().map(|d| d.name()).collect();
    Raise::new(FaultClass::Dtype, Pipe::V, head.name(), "the instruction has no such data type on this core")
        .expected(names.join(", "))
        .got(head.dtype.name())
        .fix("cast to a supported type first")
}

impl Instruction for Head {
    fn name(&self) -> String {
        Head::name(self)
    }
    fn pipe(&self) -> Pipe {
        Pipe::V
    }
}

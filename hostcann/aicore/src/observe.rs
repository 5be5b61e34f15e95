//! The seam for checkers, timing and traces: every step of a core passes here before it is executed.

use crate::{
    event::HardEvent,
    fault::Raise,
    ins::{CopyIns, Operand},
    pipe::Pipe,
    vector::Vector,
};

/// One step of a core, in program order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    Vector(&'a Vector),
    Copy(&'a CopyIns),
    SetFlag(HardEvent, i32),
    WaitFlag(HardEvent, i32),
    Barrier(Pipe),
    /// Scalar access to the unified buffer.
    UbScalar {
        operand: Operand,
        write: bool,
    },
    /// Scalar access to global memory.
    GmScalar {
        addr: usize,
        bytes: u32,
        write: bool,
    },
    /// Space handed out by the pipe.
    InitBuffer {
        addr: u32,
        bytes: u32,
    },
    AllocTensor {
        handle: u32,
    },
    FreeTensor {
        handle: u32,
    },
    EndOfBlock,
}

/// Watches the steps of one block; an error stops the block like any other fault.
pub trait Observer {
    fn step(&mut self, step: Step<'_>) -> Result<(), Raise>;
}

/// Makes the observer of one block, given kernel name and block index; called on the thread that runs the block.
pub type ObserverFactory = dyn Fn(&str, u32) -> Option<Box<dyn Observer>> + Send + Sync;

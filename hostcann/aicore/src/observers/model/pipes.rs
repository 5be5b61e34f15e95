//! What stands in front of a pipe and what runs on it.

use super::{
    cost::CopyCost,
    program::{GmAddress, Word},
};
use crate::base::pipe::Pipe;
use std::collections::VecDeque;

/// A copy that an engine begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub info: u32,
    pub place: GmAddress,
    pub cost: CopyCost,
    /// More latency than a core that has its AI core for itself.
    pub late: f64,
    pub start: f64,
    /// When the data of the copy before has passed.
    pub engine_free: f64,
}

/// What a core cannot go on without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    Data,
    SyncAll(f64),
    CrossWait {
        flag: u32,
        nth: usize,
    },
    /// So many writes of a word.
    Until {
        word: Word,
        count: usize,
    },
    End,
}

/// Times of one step, for the trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub op: u32,
    pub info: u32,
    pub block: u32,
    pub pipe: Pipe,
    pub issued: f64,
    pub start: f64,
    pub end: f64,
    /// Index of the op that it waited for.
    pub from: u32,
}

/// An instruction in front of a pipe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub op: u32,
    pub issued: f64,
}

/// One of V, MTE2 and MTE3.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub ops: VecDeque<Queued>,
    /// When the next instruction may begin.
    pub free: f64,
    /// When the data of the last copy has passed.
    pub engine_free: f64,
    /// When everything so far is done.
    pub done: f64,
    /// A copy whose data is on its way.
    pub flow: Option<Running>,
    pub busy: f64,
    /// A vector instruction went before, with no flag to wait for in between.
    pub chained: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub op: u32,
    pub issued: f64,
    pub start: f64,
}

impl Queue {
    pub fn occupied(&mut self, start: f64, end: f64) {
        self.busy += (end - start.max(self.done)).max(0.0);
        self.done = self.done.max(end);
    }

    pub fn idle(&self) -> bool {
        self.ops.is_empty() && self.flow.is_none()
    }
}

pub(super) const PIPES: [Pipe; 3] = [Pipe::V, Pipe::MTE2, Pipe::MTE3];

pub(super) fn index(pipe: Pipe) -> Option<usize> {
    PIPES.iter().position(|p| *p == pipe)
}

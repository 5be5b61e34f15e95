//! A launch as it was recorded, and the blocks of it that did not run.

use super::{
    extrapolate,
    program::{Block, Program},
};

/// A launch without times.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub kernel: String,
    pub tiling_key: u64,
    pub blocks: u32,
    pub(super) program: Program,
    /// Blocks that were run.
    pub(super) ran: u32,
    /// Why the others are not known.
    pub(super) problem: Option<String>,
}

impl Recording {
    /// Of a kernel that does nothing.
    pub fn of_nothing(blocks: u32) -> Recording {
        let empty = |index| Block { index, ..Block::default() };
        let program = Program { blocks: (0..blocks).map(empty).collect(), ..Program::default() };
        Recording { kernel: "nothing".to_owned(), blocks, program, ran: blocks, ..Recording::default() }
    }

    /// Adds the blocks that did not run, if that has not been done. The problem is what the model cannot know.
    pub(super) fn complete(&mut self) -> Option<String> {
        let recorded = self.program.blocks.len() as u32;
        if self.ran > 0 && recorded == self.blocks {
            return None;
        }
        self.program.blocks.sort_by_key(|b| b.index);
        let problem = extrapolate::add_missing(&mut self.program, self.blocks).err();
        self.ran = if problem.is_none() { recorded } else { 0 };
        problem
    }
}

//! TPipes that live on a core, the newest last.

use super::{LivePipe, Queues, Taken};

impl Queues {
    /// Bytes handed out from the bottom of the buffer.
    pub fn used(&self) -> usize {
        self.pipes.last().map_or(0, |p| p.used)
    }

    pub fn open(&mut self, address: usize) {
        self.pipes.push(LivePipe { taken: Taken::default(), address, used: 0, buffers: 0, first: self.queues.len() });
    }

    /// What the newest pipe hands out next follows what `from` handed out.
    pub fn copy_pipe(&mut self, to: usize, from: usize) {
        let source = self.pipes.iter().find(|pipe| pipe.address == from).map(|pipe| (pipe.used, pipe.buffers));
        if let (Some(pipe), Some(state)) = (self.pipes.last_mut().filter(|pipe| pipe.address == to), source) {
            (pipe.used, pipe.buffers) = state;
        }
    }

    pub fn close(&mut self) {
        if let Some(pipe) = self.pipes.pop() {
            self.queues.truncate(pipe.first);
        }
    }

    /// Address of the live TPipe, 0 when there is none.
    pub fn pipe(&self) -> usize {
        self.pipes.last().map_or(0, |p| p.address)
    }
}

//! TPipes and the space their buffers take in the unified buffer.

use super::{Checker, order::Id};
use crate::base::{
    fault::{FaultClass, Raise},
    ins::Operand,
    pipe::Pipe,
};

impl Checker {
    /// A TPipe begins. The toolkit's own test is one of debug builds only; two pipes hand out the same bytes.
    pub(super) fn pipe_open(&mut self) -> Result<(), Raise> {
        self.pipes += 1;
        if self.pipes == 1 {
            self.buffers.clear();
            return Ok(());
        }
        self.found(
            Raise::new(FaultClass::Queue, Pipe::S, "TPipe", "a second TPipe on this core")
                .rule()
                .expected("one live TPipe")
                .got("two")
                .fix("make one TPipe in the kernel function and pass it by pointer"),
        )
    }

    /// A TPipe ends.
    pub(super) fn pipe_close(&mut self) -> Result<(), Raise> {
        self.pipes = self.pipes.saturating_sub(1);
        if self.pipes > 0 {
            return Ok(());
        }
        self.left_in_queues()?;
        self.buffers.clear();
        Ok(())
    }

    /// InitBuffer. It may reach the reserved area after an instruction has used it.
    pub(super) fn init_buffer(&mut self, queue: bool, start: u32, num: u32, bytes: u32) -> Result<(), Raise> {
        for i in 0..num {
            let at = (start + i * bytes) as usize;
            self.buffers.add(at, bytes as usize, self.site);
            self.tensors.begin(at, bytes as usize);
            // What an earlier pipe left here is no value of the new buffer.
            self.taint.set(at, bytes as usize, false, Id::NONE);
        }
        if queue && (num == 0 || bytes == 0) {
            self.found(
                Raise::new(FaultClass::Queue, Pipe::S, "InitBuffer", "a queue of empty buffers")
                    .rule()
                    .operand(if num == 0 { "num" } else { "len" })
                    .expected("1 or more")
                    .got("0")
                    .fix("check the tiling data"),
            )?;
        }
        let end = (start + num * bytes) as usize;
        if end > self.ub_size {
            self.found(
                Raise::new(
                    FaultClass::BufferSpace,
                    Pipe::S,
                    "InitBuffer",
                    "buffers do not fit into the unified buffer",
                )
                .rule()
                .operand("len")
                .expected(format!("at most {} bytes in total", self.ub_size))
                .got(format!("{start} bytes in use plus {num} x {bytes} bytes = {end}"))
                .fix("shrink the tile in the tiling function; the first instruction that touches these bytes fails"),
            )?;
        }
        match self.reserved_by {
            Some((what, site)) if end > self.reserved_from => self.found(
                Raise::new(FaultClass::ReservedUb, Pipe::S, "InitBuffer", "the buffer reaches into the reserved area")
                    .silent()
                    .expected(format!("buffers below UB offset {}", self.reserved_from))
                    .got(format!("an end at {end}, and {}{} uses that area", what.name(), site.at()))
                    .fix("plan the buffers for 8 KiB less"),
            ),
            _ => Ok(()),
        }
    }

    /// The temporary space of a high-level function. Less than the page asks for makes the device's function work in
    /// smaller parts; what none of them fits into is a fault of its own.
    pub(super) fn small_tmp(&mut self, name: &str, tmp: Operand, document: u32) -> Result<(), Raise> {
        if tmp.bytes >= document {
            return Ok(());
        }
        self.found(
            Raise::new(
                FaultClass::BufferSpace,
                Pipe::V,
                name,
                "the temporary space is smaller than the page's minimum",
            )
            .rule()
            .operand("sharedTmpBuffer")
            .expected(format!("at least {document} bytes"))
            .got(format!("{} bytes", tmp.bytes))
            .fix(format!("reserve what Get{name}MaxMinTmpSize gives in the tiling function")),
        )
    }

    /// Fill and InitGlobalMemory take what lies above the buffers: only before InitBuffer, says the Fill page.
    pub(super) fn fill(&self) -> Result<(), Raise> {
        let used = self.buffers.end();
        if used == 0 {
            return Ok(());
        }
        self.found(
            Raise::new(FaultClass::BufferSpace, Pipe::S, "Fill", "global memory is filled after InitBuffer")
                .rule()
                .expected("Fill, InitGlobalMemory and InitOutput before the first InitBuffer")
                .got(format!("buffers up to UB byte {used}"))
                .fix("call it before InitBuffer, or fill a tensor of a buffer with Duplicate and copy that"),
        )
    }

    /// The current instruction writes the reserved area at the top of the buffer.
    pub(super) fn reserved(&mut self) -> Result<(), Raise> {
        self.reserved_by.get_or_insert((self.now.what, self.now.site));
        let (start, used) = (self.reserved_from, self.buffers.end());
        if used <= start {
            return Ok(());
        }
        let what = "the instruction overwrites the reserved area at the top of the unified buffer, which InitBuffer has \
                    handed out";
        self.found(
            Raise::new(FaultClass::ReservedUb, self.now.what.pipe(), self.now.what.name(), what)
                .silent()
                .expected(format!("nothing of the kernel at or above UB offset {start}"))
                .got(format!("buffers up to {used}"))
                .fix("plan the buffers for 8 KiB less, or use VSEL_CMPMASK_SPR"),
        )
    }
}

//! How one core waits for others and tells them that it is done.

use crate::{
    base::{fault::Raise, ins::Operand, lanes::BLOCK, pipe::Pipe},
    instruction::ub,
    machine::{
        barrier::{self, Meeting, Post, Stop, Wait},
        core::Core,
        gm_place::is_nowhere,
        observe::{Pair, Step},
    },
};

/// Bytes of a waiting core in the workspace of a GroupBarrier (its page).
const GROUP_SLOT: usize = 512;

fn fault(what: &str) -> Raise {
    barrier::fault("SyncAll", what)
}

impl Core {
    /// Waits for other cores.
    pub fn wait_for(&mut self, wait: Wait) -> Result<(), Stop> {
        match &self.launch.grid {
            Some(grid) => grid.wait(self.launch.block_idx, self.observation.site, wait),
            None => Ok(()),
        }
    }

    /// A scalar access past the data cache. A kernel may read in a loop until another core has written: that core has to
    /// run.
    pub fn gm_bypass(&mut self, addr: usize, bytes: u32, write: bool) -> Result<(), Raise> {
        let name = if write { "WriteGmByPassDCache" } else { "ReadGmByPassDCache" };
        if is_nowhere(addr) {
            return Err(self.launch.null_gm(Pipe::S, name, addr));
        }
        if !addr.is_multiple_of(bytes.max(1) as usize) {
            return Err(barrier::fault(name, "the address is not aligned to the element")
                .operand("addr")
                .expected(format!("a multiple of {bytes}"))
                .got(self.launch.gm_place(addr))
                .fix("index the tensor by whole elements"));
        }
        self.launch.settle_adds(addr, bytes as usize);
        self.observe(Step::Paired(Pair::Bypass))?;
        if write { Ok(()) } else { self.launch.spread() }
    }

    fn post(&mut self, post: Post) -> Result<(), Raise> {
        match &self.launch.grid {
            Some(grid) => grid.post(self.launch.block_idx, &post),
            None => Ok(()),
        }
    }

    /// CrossCoreSetFlag: the work of a pipe so far is done before the flag counts.
    pub fn cross_set(&mut self, mode: u32, pipe: u32, flag: u32) -> Result<(), Raise> {
        let cube = self.is_cube();
        let (core, pipes) = if cube {
            ("cube", "PIPE_MTE1, PIPE_MTE2, PIPE_M or PIPE_FIX")
        } else {
            ("vector", "PIPE_V, PIPE_MTE2 or PIPE_MTE3")
        };
        let has = |pipe: &Pipe| match pipe {
            Pipe::MTE2 => true,
            Pipe::V | Pipe::MTE3 => !cube,
            Pipe::M | Pipe::MTE1 | Pipe::FIX => cube,
            _ => false,
        };
        let Some(pipe) = Pipe::from_code(pipe).filter(has) else {
            return Err(barrier::fault("CrossCoreSetFlag", format!("a {core} core has no such pipe to wait for"))
                .operand("pipe")
                .expected(pipes)
                .got(Pipe::from_code(pipe).map_or(format!("pipe {pipe}"), |p| format!("PIPE_{p}")))
                .fix("name the pipe of the last instruction that other cores depend on"));
        };
        let task = self.launch.place.task;
        let joins = match mode {
            1 => task.vectors > 1,
            2 => task.vectors > 0 && task.cubes > 0,
            _ => true,
        };
        if !joins {
            return Err(barrier::fault(
                "CrossCoreSetFlag",
                format!("mode {mode} joins cores that a block does not have"),
            )
            .operand("modeId")
            .expected("mode 1 in kernels of two vector cores a block, mode 2 in kernels of both kinds of cores")
            .got(format!("mode {mode} in {}", task.name()))
            .fix("use mode 0, or name the type: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2), __mix__(1, 2)"));
        }
        // The flag's number has four bits.
        let flag = (flag & 15) as usize;
        self.observe(match mode {
            0 => Step::CrossSet { pipe, flag: flag as u32 },
            _ => Step::Paired(Pair::Flag { pipe, flag: flag as u32 }),
        })?;
        self.post(Post::Flag { mode: mode as usize, flag })
    }

    /// CrossCoreWaitFlag, which holds back every pipe on A2.
    pub fn cross_wait(&mut self, flag: u32) -> Result<Wait, Raise> {
        self.observe(Step::CrossWait { flag: flag & 15 })?;
        Ok(Wait::Flag((flag & 15) as usize))
    }

    /// IBSet and IBWait: the word of a core and an event changes once it is `from`.
    pub fn exchange(&mut self, gm: usize, set: bool) -> Result<Wait, Raise> {
        if is_nowhere(gm) {
            return Err(self.launch.null_gm(Pipe::S, if set { "IBSet" } else { "IBWait" }, gm));
        }
        self.observe(Step::Paired(if set { Pair::Set(gm) } else { Pair::Wait(gm) }))?;
        let (from, to) = if set { (0, 1) } else { (1, 0) };
        Ok(Wait::Exchange { addr: gm, from, to })
    }

    /// InitDetermineComputeWorkspace: nobody has had its turn; the round is kept behind the cores' words.
    pub fn turns_init(&mut self, gm: usize, ub: Operand) -> Result<(), Raise> {
        let round = self.turns_round(gm, ub, "InitDetermineComputeWorkspace", Pair::Turns)?;
        // SAFETY: a word of the unified buffer, checked.
        unsafe { round.write(1) };
        if self.launch.block_idx != 0 {
            return Ok(());
        }
        self.post(Post::Words(self.turn_words(gm, 0..self.launch.block_num, 0)))
    }

    pub fn turn_wait(&mut self, gm: usize, ub: Operand) -> Result<Wait, Raise> {
        let pair = Pair::WaitTurn { gm, core: self.launch.block_idx, cores: self.launch.block_num };
        let round = self.turns_round(gm, ub, "WaitPreBlock", pair)?;
        // SAFETY: as above.
        let round = unsafe { round.read() };
        Ok(Wait::Turn { gm, core: self.launch.block_idx, cores: self.launch.block_num, round })
    }

    /// NotifyNextBlock: the next core has its turn; after the last one the first.
    pub fn turn_done(&mut self, gm: usize, ub: Operand) -> Result<(), Raise> {
        let pair = Pair::EndTurn { gm, core: self.launch.block_idx };
        let at = self.turns_round(gm, ub, "NotifyNextBlock", pair)?;
        // SAFETY: as above.
        let round = unsafe { at.read() };
        let me = self.launch.block_idx;
        let words = if me + 1 == self.launch.block_num {
            self.turn_words(gm, 0..self.launch.block_num, 0)
        } else {
            self.turn_words(gm, me..me + 1, round)
        };
        self.post(Post::Words(words))?;
        // SAFETY: as above.
        unsafe { at.write(round + 1) };
        Ok(())
    }

    fn turn_words(&self, gm: usize, cores: std::ops::Range<u32>, value: i32) -> Vec<(usize, i32)> {
        cores.flat_map(|c| (0..BLOCK / 4).map(move |i| (gm + c as usize * BLOCK + i * 4, value))).collect()
    }

    fn turns_round(&mut self, gm: usize, ub: Operand, name: &str, pair: Pair) -> Result<*mut i32, Raise> {
        if is_nowhere(gm) {
            return Err(self.launch.null_gm(Pipe::S, name, gm));
        }
        self.observe(Step::Paired(pair))?;
        let words = self.launch.block_num as usize * BLOCK;
        if (ub.bytes as usize) < words + BLOCK {
            return Err(barrier::fault(name, "the workspace in the unified buffer is too small")
                .operand("ubWorkspace")
                .expected(format!("{} bytes, 32 per core and 32 more", words + BLOCK))
                .got(format!("{} bytes", ub.bytes))
                .fix("give ubWorkspace GetBlockNum() * 32 + 32 bytes"));
        }
        ub::check(self.machine.spec.ub_size, Pipe::MTE2, || name.to_owned(), "ubWorkspace", ub.addr, words + BLOCK)?;
        Ok(self.machine.ub_at(ub.addr + words as u32) as *mut i32)
    }

    /// GroupBarrier::Arrive.
    pub fn group_arrive(&mut self, gm: usize, waiting: u32) -> Result<(), Raise> {
        if is_nowhere(gm) {
            return Err(self.launch.null_gm(Pipe::S, "GroupBarrier::Arrive", gm));
        }
        self.observe(Step::Paired(Pair::Arrive { gm, slots: waiting, stride: GROUP_SLOT }))?;
        self.post(Post::Count((0..waiting as usize).map(|i| gm + i * GROUP_SLOT).collect()))
    }

    /// GroupBarrier::Wait: until so many arrivals are counted.
    pub fn group_wait(&mut self, gm: usize, slot: u32, arrivals: u32) -> Result<Wait, Raise> {
        if is_nowhere(gm) {
            return Err(self.launch.null_gm(Pipe::S, "GroupBarrier::Wait", gm));
        }
        self.observe(Step::Paired(Pair::Reach { at: gm + slot as usize * GROUP_SLOT, arrivals }))?;
        Ok(Wait::Reach { addr: gm + slot as usize * GROUP_SLOT, value: arrivals as i32 })
    }

    /// The software form: each core counts its calls in its 32 bytes of the workspace.
    pub fn soft_sync(&mut self, gm: usize, ub: Operand, used_cores: i32) -> Result<Meeting, Raise> {
        let cores = if used_cores == 0 { self.launch.block_num } else { used_cores as u32 };
        if cores > self.launch.block_num || cores <= self.launch.block_idx {
            return Err(fault("the calling core is not one of the cores that meet")
                .operand("usedCores")
                .expected(format!("{} to {} on this core", self.launch.block_idx + 1, self.launch.block_num))
                .got(used_cores.to_string())
                .fix("call SyncAll only on the first usedCores cores, and pass at most GetBlockNum()"));
        }
        if is_nowhere(gm) {
            return Err(self.launch.null_gm(Pipe::S, "SyncAll", gm));
        }
        let bytes = cores as usize * BLOCK;
        if (ub.bytes as usize) < bytes {
            return Err(fault("the workspace in the unified buffer is too small")
                .operand("ubWorkspace")
                .expected(format!("{bytes} bytes, 32 per core"))
                .got(format!("{} bytes", ub.bytes))
                .fix("give ubWorkspace GetBlockNum() * 32 bytes"));
        }
        ub::check(self.machine.spec.ub_size, Pipe::MTE2, || "SyncAll".to_owned(), "ubWorkspace", ub.addr, bytes)?;
        self.observe(Step::Cleared { gm, bytes })?;
        let slot = (gm + self.launch.block_idx as usize * BLOCK) as *mut i32;
        // SAFETY: the kernel's own pointer, as on the device. Other cores may zero the workspace at the same time.
        let count = unsafe { slot.read_volatile() };
        if count < 0 || count > self.launch.soft_syncs as i32 {
            return Err(fault("the workspace in global memory was not zero at the first call")
                .operand("gmWorkspace")
                .expected("0 in every int32 before the first SyncAll")
                .got(format!("{count} after {} calls of this core", self.launch.soft_syncs))
                .fix("zero the workspace on the host, or at the start of the kernel on every core"));
        }
        self.launch.soft_syncs += 1;
        // SAFETY: as above.
        unsafe { slot.write_volatile(count + 1) };
        Ok(Meeting::Soft { workspace: gm, cores })
    }
}

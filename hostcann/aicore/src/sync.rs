//! SyncAll of one core.

use crate::{
    barrier::{Meeting, Stop, fault},
    core::{Core, null_gm},
    fault::Raise,
    ins::Operand,
    lanes::BLOCK,
    pipe::Pipe,
    ub,
};

impl Core {
    pub fn sync_all(&mut self, meeting: Meeting) -> Result<(), Stop> {
        match &self.grid {
            Some(grid) => grid.arrive(meeting),
            None => Ok(()),
        }
    }

    /// The software form: each core counts its calls in its 32 bytes of the workspace.
    pub fn soft_sync(&mut self, gm: usize, ub: Operand, used_cores: i32) -> Result<Meeting, Raise> {
        let cores = if used_cores == 0 { self.block_num } else { used_cores as u32 };
        if cores > self.block_num || cores <= self.block_idx {
            return Err(fault("the calling core is not one of the cores that meet".to_owned())
                .operand("usedCores")
                .expected(format!("{} to {} on this core", self.block_idx + 1, self.block_num))
                .got(used_cores.to_string())
                .fix("call SyncAll only on the first usedCores cores, and pass at most GetBlockNum()"));
        }
        if gm < 4096 {
            return Err(null_gm(Pipe::S, "SyncAll", gm));
        }
        let bytes = cores as usize * BLOCK;
        if (ub.bytes as usize) < bytes {
            return Err(fault("the workspace in the unified buffer is too small".to_owned())
                .operand("ubWorkspace")
                .expected(format!("{bytes} bytes, 32 per core"))
                .got(format!("{} bytes", ub.bytes))
                .fix("give ubWorkspace GetBlockNum() * 32 bytes"));
        }
        ub::check(self.spec.ub_visible, Pipe::MTE2, || "SyncAll".to_owned(), "ubWorkspace", ub.addr, bytes)?;
        let slot = (gm + self.block_idx as usize * BLOCK) as *mut i32;
        // SAFETY: the kernel's own pointer, as on the device. Other cores may zero the workspace at the same time.
        let count = unsafe { slot.read_volatile() };
        if count < 0 || count > self.soft_syncs as i32 {
            return Err(fault("the workspace in global memory was not zero at the first call".to_owned())
                .operand("gmWorkspace")
                .expected("0 in every int32 before the first SyncAll")
                .got(format!("{count} after {} calls of this core", self.soft_syncs))
                .fix("zero the workspace on the host, or at the start of the kernel on every core"));
        }
        self.soft_syncs += 1;
        // SAFETY: as above.
        unsafe { slot.write_volatile(count + 1) };
        Ok(Meeting::Soft { workspace: gm, cores })
    }
}

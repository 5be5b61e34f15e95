//! Sizes of a vector core.

/// Sizes of one vector core, all from the SoC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSpec {
    /// Unified buffer in bytes.
    pub ub_size: usize,
    /// Where temporary space ends (PopStackBuffer): the bytes above it hold a message of the toolkit.
    pub stack_end: usize,
    /// Bytes at the top that instructions like Select use as scratch.
    pub ub_reserved: usize,
    /// Flags per hard event, at most 8.
    pub event_ids: u32,
    /// Buffers one TPipe may hold.
    pub max_buffers: usize,
    /// Vector cores of the chip: the blocks that can be alive at once.
    pub vector_cores: u32,
    /// Full SoC name.
    pub soc: String,
}

impl CoreSpec {
    /// A core of the 2201 architecture: its 8 KiB scratch, 8 event ids, 64 buffers and 128-byte message hold for every
    /// SoC of it (`kernel_utils_constants.h`, SetFlag/WaitFlag page, TPipe page, `kernel_pop_stack_buffer.h` with
    /// `kfc_comm.h`). No chip of it has more than 48 vector cores.
    pub fn npu_2201(soc: impl Into<String>, ub_size: usize) -> CoreSpec {
        CoreSpec {
            ub_size,
            stack_end: ub_size.saturating_sub(128),
            ub_reserved: 8192,
            event_ids: 8,
            max_buffers: 64,
            vector_cores: 48,
            soc: soc.into(),
        }
    }

    pub fn with_vector_cores(self, vector_cores: u32) -> CoreSpec {
        CoreSpec { vector_cores, ..self }
    }
}

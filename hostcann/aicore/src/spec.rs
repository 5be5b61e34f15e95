//! Sizes of a vector core.

/// Sizes of one vector core, all from the SoC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSpec {
    /// Unified buffer in bytes.
    pub ub_size: usize,
    /// Bytes a kernel may address.
    pub ub_visible: usize,
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
    /// A core of the 2201 architecture: its 8 KiB scratch, 8 event ids and 64 buffers hold for every SoC of it
    /// (`kernel_utils_constants.h`, SetFlag/WaitFlag page, TPipe page). No chip of it has more than 48 vector cores.
    pub fn npu_2201(soc: impl Into<String>, ub_size: usize, ub_visible: usize) -> CoreSpec {
        CoreSpec {
            ub_size,
            ub_visible,
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

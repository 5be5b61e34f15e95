//! KERNEL_TASK_TYPE: the cores that a kernel asks for, of which only the vector cores are here.

use crate::base::{
    fault::{FaultClass, FaultOwner, Raise},
    pipe::Pipe,
    site::Site,
};

/// Kernel types with a cube core, by their number.
const CUBE: [(u32, &str); 4] = [
    (1, "KERNEL_TYPE_AIC_ONLY"),
    (3, "KERNEL_TYPE_MIX_AIC_1_0"),
    (4, "KERNEL_TYPE_MIX_AIC_1_1"),
    (5, "KERNEL_TYPE_MIX_AIC_1_2"),
];

/// The type of the launch's tiling key if the kernel gives one, else that of the kernel.
#[derive(Clone, Copy, Default)]
pub(crate) struct TaskType {
    keyed: bool,
    /// The type with a cube core, and where it stands.
    cube: Option<(&'static str, Site)>,
}

impl TaskType {
    pub fn set(&mut self, kind: u32, keyed: bool, site: Site) {
        if keyed || !self.keyed {
            self.keyed = keyed;
            self.cube = CUBE.iter().find(|(number, _)| *number == kind).map(|(_, name)| (*name, site));
        }
    }

    /// Asked where a kernel starts to work: a branch may name the type of its key after the kernel's.
    #[inline]
    pub fn refused(&self) -> Option<(Raise, Site)> {
        self.cube.map(|(name, site)| (refusal(name), site))
    }
}

#[cold]
fn refusal(name: &str) -> Raise {
    let what = "hostcann models vector cores only: the AIC half of this kernel is missing";
    let mut raise = Raise::new(FaultClass::Unsupported, Pipe::S, "KERNEL_TASK_TYPE", what)
        .operand("kernel type")
        .expected("KERNEL_TYPE_AIV_ONLY or KERNEL_TYPE_MIX_AIV_1_0")
        .got(name)
        .fix("launch it on a device; here only tiling keys that need no cube core run, with a KERNEL_TASK_TYPE of their own");
    raise.owner = FaultOwner::NotImplemented;
    raise
}

//! KERNEL_TASK_TYPE: which cores run a block of a launch, and how a core finds itself among them.

use crate::base::{
    fault::{FaultClass, FaultOwner, Raise},
    pipe::Pipe,
};

/// Names of the kernel types by their number, and the vector and cube cores of a block.
const TYPES: [(&str, u32, u32); 6] = [
    ("KERNEL_TYPE_AIV_ONLY", 1, 0),
    ("KERNEL_TYPE_AIC_ONLY", 0, 1),
    ("KERNEL_TYPE_MIX_AIV_1_0", 1, 0),
    ("KERNEL_TYPE_MIX_AIC_1_0", 0, 1),
    ("KERNEL_TYPE_MIX_AIC_1_1", 1, 1),
    ("KERNEL_TYPE_MIX_AIC_1_2", 2, 1),
];

/// What a launch whose kernel names no type becomes where it uses a Matmul object.
pub(crate) const AIC_ONLY: u32 = 1;
pub(crate) const MIX_AIC_1_2: u32 = 5;

/// The cores of each block of a launch. A launch starts as one of vector cores. Where its kernel names another type it starts
/// anew: on a device the type is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskType {
    /// Vector cores of a block, and cube cores.
    pub vectors: u32,
    pub cubes: u32,
    /// The kernel names the type, and for the tiling key of the launch, which counts before the kernel's.
    pub named: bool,
    pub keyed: bool,
}

impl Default for TaskType {
    fn default() -> TaskType {
        TaskType { vectors: 1, cubes: 0, named: false, keyed: false }
    }
}

/// The launch has to start anew as this type.
pub(crate) struct Retyped(pub TaskType);

/// What a kernel that names a type means for a launch of another one.
pub(crate) enum Named {
    Same(TaskType),
    Other(TaskType),
}

impl TaskType {
    /// The type of this number, for the tiling key of the launch or for the kernel.
    pub fn named(self, kind: u32, keyed: bool) -> Named {
        let Some((_, vectors, cubes)) = TYPES.get(kind as usize).copied() else { return Named::Same(self) };
        if self.keyed && !keyed {
            return Named::Same(self);
        }
        let named = TaskType { vectors, cubes, named: true, keyed };
        if (vectors, cubes) == (self.vectors, self.cubes) { Named::Same(named) } else { Named::Other(named) }
    }

    /// The type of a kernel that uses a Matmul object and names none.
    pub fn implied(kind: u32) -> TaskType {
        let (_, vectors, cubes) = TYPES[kind as usize];
        TaskType { vectors, cubes, ..TaskType::default() }
    }

    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, v, c)| (*v, *c) == (self.vectors, self.cubes)).map_or("?", |(name, ..)| name)
    }

    /// Cores of a launch of so many blocks.
    pub fn cores(self, blocks: u32) -> u32 {
        (self.vectors + self.cubes) * blocks
    }
}

/// Where a core stands in its launch. The vector cores are numbered first, block by block; the cube cores follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub task: TaskType,
    /// Blocks of the launch.
    pub blocks: u32,
    /// Its number among all cores of the launch.
    pub core: u32,
}

impl Place {
    pub fn is_cube(self) -> bool {
        self.core >= self.vectors()
    }

    /// Vector cores of the launch.
    pub fn vectors(self) -> u32 {
        self.task.vectors * self.blocks
    }

    /// Cores of its kind.
    pub fn alike(self) -> u32 {
        if self.is_cube() { self.task.cubes * self.blocks } else { self.vectors() }
    }

    /// Its number among those of its kind: GetBlockIdx.
    pub fn index(self) -> u32 {
        if self.is_cube() { self.core - self.vectors() } else { self.core }
    }

    /// The block that it runs.
    pub fn block(self) -> u32 {
        if self.is_cube() { self.index() } else { self.core / self.task.vectors.max(1) }
    }

    /// GetSubBlockIdx.
    pub fn sub_block(self) -> u32 {
        if self.is_cube() { 0 } else { self.core % self.task.vectors.max(1) }
    }

    /// The vector cores of its block, and its cube core.
    pub fn group(self) -> (std::ops::Range<u32>, u32) {
        let (block, n) = (self.block(), self.task.vectors);
        (block * n..(block + 1) * n, self.vectors() + block)
    }
}

/// A kernel whose type comes too late to start anew.
#[cold]
pub(crate) fn too_late(wanted: TaskType) -> Raise {
    let what = "a core has written global memory before the kernel named its type";
    let mut raise = Raise::new(FaultClass::Unsupported, Pipe::S, "KERNEL_TASK_TYPE", what)
        .operand("kernel type")
        .expected("the type, or REGIST_MATMUL_OBJ, in front of everything else in the kernel")
        .got(format!("{} after a write", wanted.name()))
        .fix(format!("write KERNEL_TASK_TYPE_DEFAULT({}) at the start of the kernel function", wanted.name()));
    raise.owner = FaultOwner::NotImplemented;
    raise
}

/// A Matmul object in a launch without the core that it needs.
#[cold]
pub(crate) fn no_cube(name: &str, task: TaskType) -> Raise {
    Raise::new(FaultClass::Argument, Pipe::S, name, "the launch has no cube core for it")
        .operand("kernel type")
        .expected("KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2")
        .got(task.name())
        .fix("name a type with a cube core: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)")
}

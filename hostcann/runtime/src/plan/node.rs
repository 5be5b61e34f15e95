//! The nodes of a plan: kernels, copies, casts, and functions of the host.

use crate::base::cast::CastFn;
use crate::base::dtype::{self, DType};
use crate::package::kernel_binary::TensorInfo;
use crate::plan::copy::StridedCopy;
use crate::plan::host_call::{HostCall, tensor_name};
use crate::plan::memory::Operand;
use std::fmt;
use std::sync::Arc;

pub struct KernelNode {
    pub kernel: aicore::KernelFn,
    pub op_type: String,
    pub name: String,
    pub tiling_key: u64,
    pub block_dim: u32,
    pub tiling: Arc<[u8]>,
    /// The tiling data as it is when the buffer held other bytes before. None: the same, or not known.
    pub tiling_other: Option<Arc<[u8]>>,
    pub workspace: Option<Operand>,
    pub tensors: Vec<Option<Operand>>,
    /// One per tensor.
    pub infos: Vec<TensorInfo>,
    pub input_num: usize,
}

pub enum Node {
    Kernel(Arc<KernelNode>),
    Copy {
        copy: Arc<StridedCopy>,
        dst: Operand,
        src: Operand,
    },
    /// `types`: of destination and source.
    Cast {
        cast: CastFn,
        count: usize,
        types: (DType, DType),
        dst: Operand,
        src: Operand,
    },
    Call {
        call: Arc<HostCall>,
        tensors: Vec<Option<Operand>>,
        input_num: usize,
    },
}

impl KernelNode {
    pub fn tensor_name(&self, index: usize) -> String {
        tensor_name(&self.op_type, self.input_num, index)
    }
}

impl Node {
    /// What it reads, without the tensors of lists.
    pub(crate) fn sources(&self) -> Vec<&Operand> {
        match self {
            Node::Kernel(kernel) => kernel.tensors.iter().take(kernel.input_num).flatten().collect(),
            Node::Copy { src, .. } | Node::Cast { src, .. } => vec![src],
            Node::Call { tensors, input_num, .. } => tensors.iter().take(*input_num).flatten().collect(),
        }
    }

    /// Without the tensors of lists.
    pub(crate) fn operands(&self) -> Vec<&Operand> {
        match self {
            Node::Kernel(kernel) => kernel.tensors.iter().flatten().chain(&kernel.workspace).collect(),
            Node::Copy { dst, src, .. } | Node::Cast { dst, src, .. } => vec![dst, src],
            Node::Call { tensors, .. } => tensors.iter().flatten().collect(),
        }
    }
}

/// `Fmod key 1: 128 - 128 bytes`, `copy 32 x 4 bytes`, `cast int16 to float32, 32 elements`, `Pad on the host`
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Node::Kernel(kernel) => {
                write!(f, "{} key {}:", kernel.op_type, kernel.tiling_key)?;
                for tensor in &kernel.tensors {
                    match tensor {
                        Some(tensor) => write!(f, " {}", tensor.bytes)?,
                        None => f.write_str(" -")?,
                    }
                }
                f.write_str(" bytes")
            }
            Node::Copy { copy, .. } => write!(f, "copy {} x {} bytes", copy.count(), copy.element),
            Node::Call { call, .. } => write!(f, "{} on the host", call.name),
            Node::Cast { count, types: (to, from), .. } => {
                write!(f, "cast {} to {}, {count} elements", dtype::name(*from), dtype::name(*to))
            }
        }
    }
}

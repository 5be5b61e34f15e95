//! Executor plans: an ordered list of nodes over storages, bound to addresses and queued when run.

use crate::base::dtype::{self, name_of};
use crate::base::failure::Outcome;
use crate::base::host_abi::{HcOperand, HcStrided};
use crate::package::kernel_binary::{KernelBinary, TensorInfo};
use crate::plan::bound::AlignedBytes;
use crate::plan::copy::StridedCopy;
use crate::plan::host_call::{HostCall, tensor_name};
use crate::plan::memory::{Layout, Operand, padded};
use crate::plan::node::{KernelNode, Node};
use aicore::check::Elements;
use std::collections::BTreeMap;
use std::sync::Arc;

pub enum Storage {
    External(usize),
    Workspace {
        bytes: u64,
    },
    Host(Arc<AlignedBytes>),
    /// A block of words with the addresses of tensors behind them: the argument of a dynamic input.
    List {
        words: Vec<u64>,
        tensors: Vec<Operand>,
    },
    Redirected {
        to: u32,
        offset: u64,
    },
}

/// What a storage object was when a plan met it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    External,
    Workspace,
    Host,
}

/// The storage that a storage object of the caller stands for.
pub struct Binding {
    pub storage: u32,
    pub kind: Kind,
    pub bytes: u64,
    pub redirected: bool,
}

/// The storage objects a plan knows, by their keys.
#[derive(Default)]
pub struct Bindings {
    pub known: BTreeMap<usize, Binding>,
    /// Those whose producer writes an output's memory: their address follows that output at every run.
    pub related: Vec<usize>,
}

#[derive(Default)]
pub struct Plan {
    pub(crate) storages: Vec<Storage>,
    pub nodes: Vec<Node>,
    /// None: to be made again.
    pub(crate) layout: Option<Layout>,
    pub(crate) bindings: Bindings,
    /// See `HcOperand::view`.
    pub(crate) views: Vec<Arc<Elements>>,
    /// The shapes of operands since the last kernel; only for the timing model.
    pub(crate) shapes: Vec<(HcOperand, Vec<i64>)>,
    /// What the tiling functions asked for, one by one.
    pub(crate) kernel_workspaces: Vec<u64>,
}

/// Limits of `blockDim` (launch documentation: 1 to 65535).
const MAX_BLOCKS: u32 = 65535;

impl Plan {
    /// Adds a storage and returns its id.
    ///
    /// # Errors
    ///
    /// `NN_PARAM_INVALID` where a workspace is too large to be padded, `NN_INNER` where the ids of 32 bits are used up.
    pub fn add_storage(&mut self, storage: Storage) -> Outcome<u32> {
        if let Storage::Workspace { bytes } = storage
            && padded(bytes).is_none()
        {
            fail!(NN_PARAM_INVALID, "plan: a workspace of {bytes} bytes is too large");
        }
        let Ok(id) = u32::try_from(self.storages.len()) else {
            fail!(NN_INNER, "plan: too many storages");
        };
        self.layout = None;
        self.storages.push(storage);
        Ok(id)
    }

    pub(crate) fn storage(&self, id: u32) -> Outcome<&Storage> {
        match self.storages.get(id as usize) {
            Some(storage) => Ok(storage),
            None => fail!(NN_INNER, "plan: storage {id} does not exist, there are {}", self.storages.len()),
        }
    }

    /// Changes the address of an external storage.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where the storage does not exist or is not external.
    pub fn set_address(&mut self, id: u32, address: usize) -> Outcome {
        self.storage(id)?;
        match &mut self.storages[id as usize] {
            Storage::External(old) => {
                *old = address;
                Ok(())
            }
            _ => fail!(NN_INNER, "plan: storage {id} is not an external one, its address cannot be set"),
        }
    }

    /// Follows redirections to the storage that has the memory.
    pub(crate) fn resolve(&self, mut id: u32, mut offset: u64) -> Outcome<(u32, u64)> {
        loop {
            match self.storage(id)? {
                Storage::Redirected { to, offset: more } => {
                    let Some(sum) = offset.checked_add(*more) else {
                        fail!(NN_INNER, "plan: the offset of storage {id} overflows");
                    };
                    (id, offset) = (*to, sum);
                }
                _ => return Ok((id, offset)),
            }
        }
    }

    /// Makes a workspace storage mean the place in another one.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where `from` is no workspace storage, or `to` does not exist, leads back to it, is too small for it,
    /// or holds host constants or a list.
    pub fn redirect(&mut self, from: u32, to: u32, offset: u64) -> Outcome {
        let Storage::Workspace { bytes } = *self.storage(from)? else {
            fail!(NN_INNER, "plan: only a workspace storage can be redirected, storage {from} is none");
        };
        let (end, sum) = self.resolve(to, offset)?;
        if end == from {
            fail!(NN_INNER, "plan: storage {from} would be redirected to itself");
        }
        if let Storage::Workspace { bytes: room } = *self.storage(end)?
            && sum.checked_add(bytes).is_none_or(|need| need > room)
        {
            fail!(NN_INNER, "plan: storage {from} ({bytes} bytes) does not fit into storage {end} at {sum} of {room}");
        }
        if let Storage::Host(_) | Storage::List { .. } = self.storage(end)? {
            fail!(NN_INNER, "plan: storage {from} cannot be redirected to host constants (storage {end})");
        }
        self.layout = None;
        self.storages[from as usize] = Storage::Redirected { to, offset };
        Ok(())
    }

    /// Storages that mean the place of another one.
    pub fn redirect_count(&self) -> usize {
        self.storages.iter().filter(|s| matches!(s, Storage::Redirected { .. })).count()
    }

    /// The operand of a node; None where it is absent.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where its storage does not exist or its bytes reach beyond the storage.
    pub fn operand(&self, what: &str, operand: &HcOperand) -> Outcome<Option<Operand>> {
        if operand.present == 0 {
            return Ok(None);
        }
        let found =
            Operand { storage: operand.storage, offset: operand.byte_offset, bytes: operand.bytes, view: operand.view };
        let (id, offset) = self.resolve(found.storage, found.offset)?;
        let room = match self.storage(id)? {
            Storage::Workspace { bytes } => Some(*bytes),
            Storage::Host(data) => Some(data.len() as u64),
            Storage::List { words, tensors } => Some(8 * (words.len() + tensors.len()) as u64),
            _ => None,
        };
        if let Some(room) = room
            && offset.checked_add(found.bytes).is_none_or(|end| end > room)
        {
            fail!(
                NN_INNER,
                "plan: {what} uses bytes {offset} to {} of storage {id}, which has {room}",
                offset.saturating_add(found.bytes)
            );
        }
        Ok(Some(found))
    }

    /// Adds the descriptor of a list of tensors, after its words, and returns its id.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where a tensor is absent, its storage does not exist, or its bytes reach beyond the storage.
    pub fn add_list(&mut self, words: &[u64], tensors: &[HcOperand]) -> Outcome<u32> {
        let mut operands = Vec::with_capacity(tensors.len());
        for (i, tensor) in tensors.iter().enumerate() {
            operands.push(self.present(&format!("tensor {i} of a list"), tensor)?);
        }
        self.add_storage(Storage::List { words: words.to_vec(), tensors: operands })
    }

    fn present(&self, what: &str, operand: &HcOperand) -> Outcome<Operand> {
        match self.operand(what, operand)? {
            Some(operand) => Ok(operand),
            None => fail!(NN_INNER, "plan: {what} must be present"),
        }
    }

    /// Adds the launch of a kernel.
    ///
    /// # Errors
    ///
    /// `NN_TILING` where the block dim is out of range or the sizes of the workspaces overflow, `NN_PARAM_INVALID`
    /// where their sum is too large to be padded; otherwise as `KernelBinary::kernel` and `operand`.
    #[allow(clippy::too_many_arguments)]
    pub fn add_kernel(
        &mut self,
        binary: &'static KernelBinary,
        tiling_key: u64,
        (block_dim, need_atomic): (u32, bool),
        (tiling, tiling_other): (&[u8], Option<&[u8]>),
        workspaces: &[u64],
        inputs: &[HcOperand],
        outputs: &[HcOperand],
    ) -> Outcome {
        let op = &binary.op_type;
        if !(1..=MAX_BLOCKS).contains(&block_dim) {
            fail!(NN_TILING, "op type {op}: block dim {block_dim} is out of range, expected 1 to {MAX_BLOCKS}");
        }
        let (kernel, name) = binary.kernel(tiling_key)?;
        let mut tensors = Vec::with_capacity(inputs.len() + outputs.len());
        for (kind, list) in [("input", inputs), ("output", outputs)] {
            for (i, operand) in list.iter().enumerate() {
                tensors.push(self.operand(&format!("{kind} {i} of {op}"), operand)?);
            }
        }
        // A kernel has one workspace parameter: several requests lie one behind the other in it.
        let mut bytes = 0u64;
        for (i, &size) in workspaces.iter().enumerate() {
            let padded_size = if i + 1 == workspaces.len() { Some(size) } else { padded(size) };
            match padded_size.and_then(|n| bytes.checked_add(n)) {
                Some(sum) => bytes = sum,
                None => fail!(NN_TILING, "op type {op}: workspace {i} of {size} bytes is too large"),
            }
        }
        let workspace = if bytes == 0 {
            None
        } else {
            let storage = self.add_storage(Storage::Workspace { bytes })?;
            Some(Operand { storage, offset: 0, bytes, view: 0 })
        };
        self.kernel_workspaces.extend(workspaces);
        let mut results: Vec<TensorInfo> = infos(&binary.outputs, outputs.len()).collect();
        // The page of InitValue: without SetNeedAtomic(true) it has no effect.
        results.iter_mut().filter(|_| !need_atomic).for_each(|info| info.init = None);
        let mut infos: Vec<TensorInfo> = infos(&binary.inputs, inputs.len()).chain(results).collect();
        for (info, operand) in infos.iter_mut().zip(inputs.iter().chain(outputs)) {
            let at = self.shapes.iter().position(|(known, _)| known == operand);
            info.shape = at.map(|at| self.shapes.remove(at).1);
        }
        self.shapes.clear();
        self.push(Node::Kernel(Arc::new(KernelNode {
            kernel,
            op_type: op.clone(),
            name: name.to_owned(),
            tiling_key,
            block_dim,
            tiling: tiling.into(),
            tiling_other: tiling_other.filter(|other| *other != tiling).map(Into::into),
            workspace,
            infos,
            tensors,
            input_num: inputs.len(),
        })));
        Ok(())
    }

    /// Adds a strided copy.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where the element is not of 1 to 64 bytes or an operand is absent or not in its storage,
    /// `NN_PARAM_INVALID` where a dimension or stride is invalid or the copy reaches beyond an operand.
    pub fn add_copy(
        &mut self,
        dst: (&HcStrided, &[i64]),
        src: (&HcStrided, &[i64]),
        dims: &[i64],
        element: u64,
    ) -> Outcome {
        if !(1..=64).contains(&element) {
            fail!(NN_INNER, "plan: copy with elements of {element} bytes, expected 1 to 64");
        }
        let copy = StridedCopy::new(dims, dst.1, src.1, element as usize)?;
        let to = self.present("the destination of a copy", &dst.0.at)?;
        let from = self.present("the source of a copy", &src.0.at)?;
        for (name, operand, (low, high)) in
            [("destination", to, copy.reach(|a| a.dst)), ("source", from, copy.reach(|a| a.src))]
        {
            if low < 0 || high > i128::from(operand.bytes) {
                fail!(
                    NN_PARAM_INVALID,
                    "plan: the {name} of a copy with shape {dims:?} reaches bytes {low} to {high}, but has {}",
                    operand.bytes
                );
            }
        }
        self.push(Node::Copy { copy: Arc::new(copy), dst: to, src: from });
        Ok(())
    }

    /// Adds a cast of `count` elements.
    ///
    /// # Errors
    ///
    /// `NN_PARAM_INVALID` where there is no cast between the types or an operand has too few bytes, `NN_INNER` where it
    /// is absent or not in its storage.
    pub fn add_cast(
        &mut self,
        dst: &HcOperand,
        dst_dtype: i32,
        src: &HcOperand,
        src_dtype: i32,
        count: u64,
    ) -> Outcome {
        let pair = dtype::of_number(src_dtype).zip(dtype::of_number(dst_dtype));
        let Some((from, to, cast)) = pair.and_then(|(s, d)| Some((s, d, crate::base::cast::find(s, d)?))) else {
            fail!(NN_PARAM_INVALID, "plan: no cast from {} to {}", name_of(src_dtype), name_of(dst_dtype));
        };
        let target = self.present("the destination of a cast", dst)?;
        let source = self.present("the source of a cast", src)?;
        for (name, operand, dtype) in [("destination", target, to), ("source", source, from)] {
            if count.checked_mul(dtype.size() as u64).is_none_or(|need| need > operand.bytes) {
                fail!(
                    NN_PARAM_INVALID,
                    "plan: the {name} of a cast of {count} elements has only {} bytes",
                    operand.bytes
                );
            }
        }
        self.push(Node::Cast { cast, count: count as usize, types: (to, from), dst: target, src: source });
        Ok(())
    }

    /// Adds a function of the host.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where the storage of an operand does not exist or its bytes reach beyond it.
    pub fn add_call(&mut self, call: HostCall, inputs: &[HcOperand], outputs: &[HcOperand]) -> Outcome {
        let mut tensors = Vec::with_capacity(inputs.len() + outputs.len());
        for (i, operand) in inputs.iter().chain(outputs).enumerate() {
            tensors.push(self.operand(&tensor_name(&call.name, inputs.len(), i), operand)?);
        }
        self.push(Node::Call { call: Arc::new(call), tensors, input_num: inputs.len() });
        Ok(())
    }

    fn push(&mut self, node: Node) {
        self.layout = None;
        self.nodes.push(node);
    }
}

/// Without a description a tensor has no name of its own.
fn infos(known: &[TensorInfo], count: usize) -> impl Iterator<Item = TensorInfo> {
    (0..count).map(|i| known.get(i).cloned().unwrap_or_default())
}

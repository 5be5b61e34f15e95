//! From a plan to jobs with addresses: lifetimes of workspace storages, and the memory each operand means.

use crate::base::failure::{Failure, Outcome, codes};
use crate::executor::plan_run::Job;
use crate::plan::bound::{AlignedBytes, Bound, Place};
use crate::plan::executor_plan::{Plan, Storage};
use crate::plan::host_call::tensor_name;
use crate::plan::memory::{Buffer, Layout, Operand, pack, padded};
use crate::plan::node::Node;
use std::sync::Arc;

impl Plan {
    fn layout(&mut self) -> Outcome<&Layout> {
        if self.layout.is_none() {
            self.layout = Some(self.make_layout()?);
        }
        match &self.layout {
            Some(layout) => Ok(layout),
            None => fail!(NN_INNER, "plan: no workspace layout"),
        }
    }

    fn make_layout(&self) -> Outcome<Layout> {
        let mut lives: Vec<Option<(usize, usize)>> = vec![None; self.storages.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            self.used(&node.operands(), |id| lives[id as usize].get_or_insert((at, at)).1 = at)?;
        }
        let mut ids = Vec::new();
        let mut buffers = Vec::new();
        for (id, storage) in self.storages.iter().enumerate() {
            if let (Storage::Workspace { bytes }, Some((first, last))) = (storage, lives[id]) {
                // Sizes were checked when the storage was added.
                buffers.push(Buffer { size: padded(*bytes).unwrap_or(u64::MAX), first, last });
                ids.push(id);
            }
        }
        let (places, total) = pack(&buffers);
        let mut offsets = vec![None; self.storages.len()];
        for (id, place) in ids.into_iter().zip(places) {
            offsets[id] = Some(place);
        }
        Ok(Layout { offsets, total })
    }

    /// The storages behind operands, those of the tensors of a list among them.
    fn used(&self, operands: &[&Operand], mut each: impl FnMut(u32)) -> Outcome {
        for operand in operands {
            let (id, _) = self.resolve(operand.storage, 0)?;
            for used in std::iter::once(*operand).chain(self.listed(id)) {
                each(self.resolve(used.storage, 0)?.0);
            }
        }
        Ok(())
    }

    /// The tensors of a list; none of another storage.
    fn listed(&self, id: u32) -> &[Operand] {
        match self.storages.get(id as usize) {
            Some(Storage::List { tensors, .. }) => tensors,
            _ => &[],
        }
    }

    /// The bytes of workspace that the plan needs.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where an operand names a storage that does not exist, or an offset overflows.
    pub fn workspace_size(&mut self) -> Outcome<u64> {
        Ok(self.layout()?.total)
    }

    /// Binds every node to addresses; the result needs neither the plan nor its tensors.
    ///
    /// # Errors
    ///
    /// `NN_PARAM_NULLPTR` where a workspace is needed and the address is 0, `NN_PARAM_INVALID` where it is too small,
    /// `NN_NULLPTR` where an operand with bytes has a null address, `NN_INNER` where `workspace_size` fails or an
    /// offset overflows.
    pub fn bind(&mut self, workspace: usize, workspace_size: u64) -> Outcome<Vec<Job>> {
        let need = self.layout()?.total;
        if need > 0 && workspace == 0 {
            fail!(NN_PARAM_NULLPTR, "the workspace is a null pointer, but {need} bytes are needed");
        }
        if need > workspace_size {
            return Err(Failure::new(
                codes::NN_PARAM_INVALID,
                format!(
                    "workspaceSize is {workspace_size}, but {need} bytes are needed; pass the size of the first phase"
                ),
            )
            .with_report("EZ1010"));
        }
        let mut read = vec![false; self.storages.len()];
        for node in &self.nodes {
            self.used(&node.sources(), |id| read[id as usize] = true)?;
        }
        self.nodes.iter().map(|node| self.bind_node(node, workspace, &read)).collect()
    }

    /// `read`: by storage, whether some node reads it.
    fn bind_node(&self, node: &Node, workspace: usize, read: &[bool]) -> Outcome<Job> {
        let place = |what: &dyn Fn() -> String, operand: &Operand| self.place(what, operand, workspace);
        Ok(match node {
            Node::Kernel(kernel) => {
                let mut tensors = Vec::with_capacity(kernel.tensors.len());
                for (i, operand) in kernel.tensors.iter().enumerate() {
                    let what = || kernel.tensor_name(i);
                    let mut bound = operand.as_ref().map(|o| place(&what, o)).transpose()?;
                    if let (Some(bound), Some(operand)) = (&mut bound, operand) {
                        let (id, _) = self.resolve(operand.storage, 0)?;
                        if matches!(self.storage(id)?, Storage::Workspace { .. }) && !read[id as usize] {
                            bound.place = Place::Unread;
                        }
                    }
                    tensors.push(bound);
                }
                let what = || format!("the workspace of {}", kernel.op_type);
                let workspace = kernel.workspace.as_ref().map(|o| place(&what, o)).transpose()?;
                Job::Kernel { kernel: kernel.clone(), tensors, workspace }
            }
            Node::Call { call, tensors, input_num } => {
                let what = |i| move || tensor_name(&call.name, *input_num, i);
                let bound = tensors
                    .iter()
                    .enumerate()
                    .map(|(i, operand)| operand.as_ref().map(|operand| place(&what(i), operand)).transpose());
                Job::Call { call: call.clone(), tensors: bound.collect::<Outcome<_>>()?, input_num: *input_num }
            }
            Node::Copy { copy, dst, src } => Job::Copy {
                copy: copy.clone(),
                dst: place(&|| "the destination of a copy".to_owned(), dst)?,
                src: place(&|| "the source of a copy".to_owned(), src)?,
            },
            Node::Cast { cast, count, types: (to, from), dst, src } => Job::Cast {
                cast: *cast,
                count: *count,
                sizes: (to.size(), from.size()),
                dst: place(&|| "the destination of a cast".to_owned(), dst)?,
                src: place(&|| "the source of a cast".to_owned(), src)?,
            },
        })
    }

    fn place(&self, what: &dyn Fn() -> String, operand: &Operand, workspace: usize) -> Outcome<Bound> {
        let (id, offset) = self.resolve(operand.storage, operand.offset)?;
        let (base, place) = match self.storage(id)? {
            Storage::External(0) if operand.bytes > 0 => {
                fail!(NN_NULLPTR, "{} has a null address; give its tensor device memory", what())
            }
            Storage::External(address) => (*address, Place::Device),
            Storage::Workspace { .. } => match self.layout.as_ref().and_then(|l| l.offsets[id as usize]) {
                Some(at) => (workspace + at as usize, Place::Device),
                None => fail!(NN_INNER, "plan: {} has no place in the workspace", what()),
            },
            Storage::Host(data) => (data.address(), Place::Constant(data.clone())),
            Storage::List { words, tensors } => {
                let mut words = words.clone();
                let mut bound = Vec::with_capacity(tensors.len());
                for (i, tensor) in tensors.iter().enumerate() {
                    let tensor = self.place(&|| format!("tensor {i} of {}", what()), tensor, workspace)?;
                    words.push(tensor.address as u64);
                    bound.push(tensor);
                }
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                let block = Arc::new(AlignedBytes::new(&bytes, 1));
                (block.address(), Place::List { block, tensors: bound })
            }
            Storage::Redirected { .. } => fail!(NN_INNER, "plan: {} was not resolved", what()),
        };
        let elements = operand.view.checked_sub(1).and_then(|at| self.views.get(at as usize)).cloned();
        Ok(Bound { address: base.wrapping_add(offset as usize), bytes: operand.bytes, place, elements })
    }
}

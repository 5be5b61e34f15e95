//! From the tensors of a call to storages and operands of its plan: which memory a tensor's storage object means, and what
//! becomes of it when op sources move it.

use crate::base::failure::{Failure, Outcome, codes};
use crate::base::host_abi::{
    HC_MEMORY_EXTERNAL, HC_MEMORY_HOST, HC_MEMORY_WORKSPACE, HcElements, HcMemory, HcOperand, HcTensor, slice,
};
use crate::plan::bound::AlignedBytes;
use crate::plan::executor_plan::{Binding, Kind, Plan, Storage};
use crate::plan::memory::padded;
use aicore::check::Elements;
use std::sync::Arc;

fn kind_of(memory: &HcMemory) -> Outcome<Kind> {
    match memory.kind {
        HC_MEMORY_EXTERNAL => Ok(Kind::External),
        HC_MEMORY_WORKSPACE => Ok(Kind::Workspace),
        HC_MEMORY_HOST => Ok(Kind::Host),
        other => fail!(NN_INNER, "plan: memory of kind {other}, expected 0 (external), 1 (workspace) or 2 (host)"),
    }
}

/// # Safety
/// The address is null or valid for the bytes.
unsafe fn host(memory: &HcMemory) -> Outcome<Storage> {
    // SAFETY: by this function's contract.
    let data = unsafe { slice("host data", memory.address.cast::<u8>(), memory.bytes as usize) }?;
    Ok(Storage::Host(Arc::new(AlignedBytes::new(data, 32))))
}

/// # Safety
/// Dims and strides are null or valid for the rank.
unsafe fn elements_of(given: &HcElements) -> Outcome<Elements> {
    // SAFETY: by this function's contract.
    let dims = unsafe { slice("dims of a view", given.dims, given.rank as usize) }?;
    // SAFETY: as above.
    let strides = unsafe { slice("strides of a view", given.strides, given.rank as usize) }?;
    let dims = dims.iter().copied().zip(strides.iter().copied()).collect();
    Ok(Elements { bits: given.bits, first: given.first, dims })
}

impl Plan {
    /// The storage of a tensor's storage object; made at its first use, as what it is then.
    ///
    /// # Safety
    /// The address of host memory is valid for its bytes.
    unsafe fn bind_memory(&mut self, memory: &HcMemory) -> Outcome<&Binding> {
        let key = memory.key as usize;
        if !self.bindings.known.contains_key(&key) {
            let kind = kind_of(memory)?;
            let storage = match kind {
                Kind::External => Storage::External(memory.address as usize),
                Kind::Workspace => Storage::Workspace { bytes: memory.bytes },
                // SAFETY: by this function's contract.
                Kind::Host => unsafe { host(memory) }?,
            };
            let storage = self.add_storage(storage)?;
            let binding = Binding { storage, kind, bytes: memory.bytes, redirected: false };
            self.bindings.known.insert(key, binding);
        }
        match self.bindings.known.get(&key) {
            Some(binding) => Ok(binding),
            None => fail!(NN_INNER, "plan: a storage object that was just bound is not known"),
        }
    }

    /// What an operand of a node uses of a tensor's memory.
    ///
    /// # Errors
    ///
    /// `NN_PARAM_INVALID` where the offset is negative or overflows, or a workspace is too large; `NN_INNER` where the
    /// kind of memory is unknown or a view reaches beyond its tensor; `NN_NULLPTR` where host data, dims or strides are
    /// null; `INVALID_PARAM` where a variable of the environment is invalid.
    ///
    /// # Safety
    /// As `bind_memory`, and dims and strides are valid for the rank.
    pub unsafe fn operand_of(&mut self, tensor: &HcTensor) -> Outcome<HcOperand> {
        // SAFETY: by this function's contract.
        let binding = unsafe { self.bind_memory(&tensor.memory) }?;
        let external = binding.kind == Kind::External;
        // A redirected storage already means the place its storage offset points to.
        let elements = i128::from(tensor.view_offset) + if external { i128::from(tensor.storage_offset) } else { 0 };
        let byte_offset = elements * i128::from(tensor.element_bits) / 8;
        let Ok(byte_offset) = u64::try_from(byte_offset) else {
            fail!(
                NN_PARAM_INVALID,
                "tensor offset: expected 0 or more elements within 64 bits of bytes, got {elements}"
            );
        };
        // The storage shape of a view counts from its offset, that of any other tensor from the storage's start.
        let skipped = if tensor.view == 0 { byte_offset } else { 0 };
        let bytes = tensor.bytes.saturating_sub(skipped);
        if !external && byte_offset.checked_add(bytes).is_none_or(|end| end > binding.bytes) {
            return Err(Failure::new(
                codes::NN_INNER,
                format!(
                    "a view reaches beyond its tensor: it uses bytes {byte_offset} to {} of {}; check the shape and \
                     offset given to CreateView",
                    byte_offset.saturating_add(bytes),
                    binding.bytes
                ),
            ));
        }
        let storage = binding.storage;
        if tensor.gaps != 0 {
            // SAFETY: by this function's contract.
            let elements = unsafe { elements_of(&tensor.elements) }?;
            self.views.push(Arc::new(elements));
        }
        let view = if tensor.gaps == 0 { 0 } else { self.views.len() as u32 };
        let operand = HcOperand { present: 1, storage, byte_offset, bytes, view };
        if crate::base::env::settings()?.sim.is_some() {
            let HcElements { rank, dims, .. } = tensor.elements;
            // SAFETY: by this function's contract.
            self.shapes.push((operand, unsafe { slice("dims of a tensor", dims, rank as usize) }?.to_vec()));
        }
        Ok(operand)
    }

    /// The producer of `middle` writes where `out` is. Nothing to do where no node writes `middle` to the workspace.
    ///
    /// # Errors
    ///
    /// Those of `operand_of` for `out`; `NN_INNER` where the storage of `middle` cannot mean its place (`redirect`).
    ///
    /// # Safety
    /// As `bind_memory`.
    pub unsafe fn relate(&mut self, out: &HcTensor, middle: usize) -> Outcome {
        self.bindings.related.push(middle);
        let Some(from) = self.bindings.known.get_mut(&middle) else {
            return Ok(());
        };
        if from.kind != Kind::Workspace || from.redirected {
            return Ok(());
        }
        from.redirected = true;
        let storage = from.storage;
        // SAFETY: by this function's contract.
        let target = unsafe { self.operand_of(out) }?;
        self.redirect(storage, target.storage, target.byte_offset)
    }

    /// Storages that op sources moved out of the workspace by hand (SetFromWorkspace, SetAddr) mean their new address.
    ///
    /// # Errors
    ///
    /// `NN_INNER` where the kind of a memory is unknown, or its storage cannot be redirected.
    pub fn settle(&mut self, memories: &[HcMemory]) -> Outcome {
        for memory in memories {
            let key = memory.key as usize;
            let related = self.bindings.related.contains(&key);
            let Some(binding) = self.bindings.known.get_mut(&key) else {
                continue;
            };
            if binding.kind != Kind::Workspace || binding.redirected || related || kind_of(memory)? == Kind::Workspace {
                continue;
            }
            binding.redirected = true;
            let from = binding.storage;
            let to = self.add_storage(Storage::External(memory.address as usize))?;
            self.redirect(from, to, u64::try_from(memory.offset).unwrap_or(0))?;
        }
        Ok(())
    }

    /// The addresses of external memory as they are now.
    ///
    /// # Errors
    ///
    /// `NN_NULLPTR` where a tensor of the call was destroyed.
    pub fn readdress(&mut self, memories: &[HcMemory]) -> Outcome {
        for memory in memories {
            let Some(binding) = self.bindings.known.get(&(memory.key as usize)) else {
                continue;
            };
            if binding.kind != Kind::External {
                continue;
            }
            if memory.gone != 0 {
                fail!(
                    NN_NULLPTR,
                    "a tensor of this call was destroyed before phase 2 ran; call aclDestroyTensor after the second \
                     function has returned"
                );
            }
            self.set_address(binding.storage, memory.address as usize)?;
        }
        Ok(())
    }

    /// The workspace without sharing: each tensor in it and each workspace of a kernel for itself.
    pub fn linear_workspace_size(&self) -> u64 {
        let own = self.bindings.known.values().filter(|b| b.kind == Kind::Workspace && !b.redirected);
        let sizes = own.map(|b| b.bytes).chain(self.kernel_workspaces.iter().copied());
        sizes.fold(0, |sum, bytes| sum.saturating_add(padded(bytes).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::c_void;

    fn memory(key: usize, kind: i32, address: usize, bytes: u64) -> HcMemory {
        HcMemory { key: key as *const c_void, kind, gone: 0, address: address as *mut c_void, bytes, offset: 0 }
    }

    const NONE: HcElements =
        HcElements { rank: 0, dims: std::ptr::null(), strides: std::ptr::null(), bits: 0, first: 0 };

    fn tensor(memory: HcMemory, view_offset: i64, storage_offset: i64) -> HcTensor {
        HcTensor {
            memory,
            view: 0,
            element_bits: 32,
            view_offset,
            storage_offset,
            bytes: memory.bytes,
            gaps: 0,
            elements: NONE,
        }
    }

    fn operand(plan: &mut Plan, tensor: &HcTensor) -> Outcome<(u32, u64, u64)> {
        // SAFETY: no memory of these tests is host memory with bytes.
        unsafe { plan.operand_of(tensor) }.map(|o| (o.storage, o.byte_offset, o.bytes))
    }

    #[test]
    fn one_storage_object_is_one_storage() {
        let mut plan = Plan::default();
        let x = memory(1, HC_MEMORY_EXTERNAL, 0x1000, 64);
        assert_eq!(operand(&mut plan, &tensor(x, 0, 0)), Ok((0, 0, 64)));
        assert_eq!(
            operand(&mut plan, &tensor(x, 2, 3)),
            Ok((0, 20, 44)),
            "an external tensor counts its storage offset"
        );
        let middle = memory(2, HC_MEMORY_WORKSPACE, 0, 64);
        assert_eq!(operand(&mut plan, &tensor(middle, 2, 3)), Ok((1, 8, 56)), "a tensor in the workspace does not");
        let view = HcTensor { view: 1, bytes: 16, ..tensor(middle, 12, 0) };
        assert_eq!(operand(&mut plan, &view), Ok((1, 48, 16)), "a view's bytes count from its offset");
        let (dims, strides) = ([2, 1], [3, 1]);
        let elements = HcElements { rank: 2, dims: dims.as_ptr(), strides: strides.as_ptr(), bits: 32, first: 0 };
        let views = [0, 1].map(|gaps| {
            // SAFETY: no address is read of memory of the workspace.
            unsafe { plan.operand_of(&HcTensor { gaps, elements, ..view }) }.map(|operand| operand.view)
        });
        assert_eq!(views, [Ok(0), Ok(1)]);
        assert_eq!(*plan.views[0], Elements { bits: 32, first: 0, dims: vec![(2, 3), (1, 1)] });
        let int4 = HcTensor { element_bits: 4, ..tensor(middle, 3, 0) };
        assert_eq!(operand(&mut plan, &int4), Ok((1, 1, 63)));
    }

    #[test]
    fn views_stay_within_their_tensors() {
        let mut plan = Plan::default();
        let middle = memory(2, HC_MEMORY_WORKSPACE, 0, 64);
        let beyond = HcTensor { view: 1, bytes: 16, ..tensor(middle, 13, 0) };
        let failure = operand(&mut plan, &beyond).unwrap_err();
        assert_eq!(failure.code, codes::NN_INNER);
        assert!(failure.message.contains("uses bytes 52 to 68 of 64"), "{failure:?}");
        let failure = operand(&mut plan, &tensor(middle, -1, 0)).unwrap_err();
        assert_eq!(failure.code, codes::NN_PARAM_INVALID);
        let failure = operand(&mut plan, &tensor(memory(3, 7, 0, 4), 0, 0)).unwrap_err();
        assert!(failure.message.contains("memory of kind 7"), "{failure:?}");
    }

    #[test]
    fn a_related_tensor_is_written_where_the_output_is() {
        let mut plan = Plan::default();
        let out = tensor(memory(1, HC_MEMORY_EXTERNAL, 0x1000, 64), 0, 4);
        let middle = memory(2, HC_MEMORY_WORKSPACE, 0, 40);
        operand(&mut plan, &tensor(middle, 0, 0)).unwrap();
        assert_eq!(plan.linear_workspace_size(), 512);
        // SAFETY: as above.
        unsafe { plan.relate(&out, 2) }.unwrap();
        assert_eq!(plan.resolve(0, 8), Ok((1, 24)), "16 bytes of storage offset and 8 of its own");
        assert_eq!(plan.linear_workspace_size(), 0);
        // SAFETY: as above.
        unsafe { plan.relate(&out, 2) }.unwrap();
        let moved = memory(2, HC_MEMORY_EXTERNAL, 0x5000, 40);
        plan.settle(&[moved]).unwrap();
        assert_eq!(plan.resolve(0, 0), Ok((1, 16)), "a related storage stays with its output");
    }

    #[test]
    fn what_was_moved_by_hand_means_its_new_address() {
        let mut plan = Plan::default();
        let middle = memory(2, HC_MEMORY_WORKSPACE, 0, 40);
        operand(&mut plan, &tensor(middle, 0, 0)).unwrap();
        plan.settle(&[middle]).unwrap();
        assert_eq!(plan.resolve(0, 0), Ok((0, 0)), "still in the workspace");
        let moved = HcMemory { offset: 16, ..memory(2, HC_MEMORY_EXTERNAL, 0x5000, 40) };
        plan.settle(&[moved]).unwrap();
        plan.settle(&[moved]).unwrap();
        assert_eq!(plan.resolve(0, 4), Ok((1, 20)));
        assert!(matches!(plan.storage(1), Ok(Storage::External(0x5000))));
        assert_eq!(plan.storages.len(), 2, "settled once");
    }

    #[test]
    fn addresses_are_those_of_the_run() {
        let mut plan = Plan::default();
        let x = memory(1, HC_MEMORY_EXTERNAL, 0x1000, 64);
        operand(&mut plan, &tensor(x, 0, 0)).unwrap();
        plan.readdress(&[HcMemory { address: 0x2000 as *mut c_void, ..x }]).unwrap();
        assert!(matches!(plan.storage(0), Ok(Storage::External(0x2000))));
        let failure = plan.readdress(&[HcMemory { gone: 1, ..x }]).unwrap_err();
        assert_eq!(failure.code, codes::NN_NULLPTR);
        assert!(failure.message.contains("aclDestroyTensor"), "{failure:?}");
    }

    #[test]
    fn the_linear_size_counts_every_workspace() {
        let mut plan = Plan::default();
        operand(&mut plan, &tensor(memory(2, HC_MEMORY_WORKSPACE, 0, 481), 0, 0)).unwrap();
        plan.kernel_workspaces.extend([1, 600]);
        assert_eq!(plan.linear_workspace_size(), 1024 + 512 + 1024);
    }
}

//! Kernels of the program itself, launched with `<<<…>>>` (hostcann/direct_launch.h): tasks of a stream over device memory.

use crate::base::failure::{Failure, Outcome, status};
use crate::base::findings::Repeated;
use crate::base::host_abi::{HcPointer, HcStatus};
use crate::launch::checked;
use crate::launch::run::CheckedLaunch;
use crate::launch::snapshot::Region;
use crate::plan::bound::{Bound, Place};
use aicore::check::{Extent, Role};
use aicore::{KernelFn, Launch};
use std::ffi::{CStr, c_char, c_void};

/// The arguments, and who frees them.
struct Call {
    kernel: KernelFn,
    state: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    name: String,
    blocks: u32,
    /// Place and address.
    pointers: Vec<(u32, usize)>,
}

// SAFETY: the state was made for the stream's thread: nobody else refers to it.
unsafe impl Send for Call {}

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: `hc_launch_kernel` got both together; this is the only call.
        unsafe { (self.free)(self.state) };
    }
}

impl Call {
    /// By the places of the arguments: their addresses, null for those that are none.
    fn addresses(&self) -> Vec<*mut c_void> {
        let count = self.pointers.iter().map(|(index, _)| *index as usize + 1).max().unwrap_or(0);
        let mut all = vec![std::ptr::null_mut(); count];
        self.pointers.iter().for_each(|&(index, address)| all[index as usize] = address as *mut c_void);
        all
    }

    fn run(&self) -> Outcome {
        for &(index, address) in self.pointers.iter().filter(|(_, address)| *address != 0) {
            let bound = Bound { address, bytes: 1, place: Place::Device, elements: None };
            bound.check(&|| format!("argument {index} of {}", self.name))?;
        }
        let settings = crate::base::env::settings()?;
        let args = [self.state];
        if settings.check.is_none() && settings.flip.is_empty() {
            let addresses = self.addresses();
            let launch = Launch::new(self.kernel, &self.name, 0, self.blocks, &args);
            let launch = Launch { addresses: Some(&addresses), ..launch };
            return crate::device::engine::run(&launch, Repeated::Line);
        }
        let (extents, regions) = memory(&self.pointers, &crate::device::memory::device_blocks());
        let checked = CheckedLaunch {
            kernel: self.kernel,
            name: &self.name,
            tiling_key: 0,
            block_dim: self.blocks,
            args: args.to_vec(),
            tiling: None,
            tiling_at: None,
            tiling_other: None,
            extents,
            regions,
            elements: Vec::new(),
            shadows: Vec::new(),
        };
        checked::run(&checked, settings, Repeated::Line)
    }
}

/// What a launch may touch: every block of device memory, since structures among the arguments hold addresses, too. Those
/// that arguments name come first, under their names.
fn memory(pointers: &[(u32, usize)], blocks: &[(usize, usize)]) -> (Vec<Extent>, Vec<Region>) {
    let mut extents: Vec<Extent> = Vec::new();
    let mut regions = Vec::new();
    let mut add = |name: String, base: usize, bytes: usize| {
        if extents.iter().all(|extent| extent.base != base) {
            regions.push(Region { name: name.clone(), address: base, bytes, dtype: None, result: true });
            extents.push(Extent { base, bytes, name, role: Role::Block });
        }
    };
    for &(index, address) in pointers {
        if let Some(&(base, bytes)) = blocks.iter().find(|(base, bytes)| (*base..base + bytes).contains(&address)) {
            add(format!("argument {index}"), base, bytes);
        }
    }
    for &(base, bytes) in blocks {
        add(format!("aclrtMalloc({bytes})"), base, bytes);
    }
    (extents, regions)
}

/// Queues `kernel(&state)` for every block; addresses must lie in memory of aclrtMalloc*. `free(state)` is called once, when the launch is over or was refused.
///
/// # Safety
/// `kernel` may be called with `state` as its only argument, by several threads at once, until `free` is; `name` is a C
/// string; `pointers` points to `pointer_num` descriptions.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_launch_kernel(
    kernel: unsafe extern "C-unwind" fn(args: *const *mut c_void),
    state: *mut c_void,
    free: unsafe extern "C" fn(state: *mut c_void),
    name: *const c_char,
    blocks: u32,
    pointers: *const HcPointer,
    pointer_num: usize,
    stream: *mut c_void,
) -> HcStatus {
    // SAFETY: by this function's contract.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let pointers = match pointer_num {
        0 => &[],
        // SAFETY: by this function's contract.
        _ => unsafe { std::slice::from_raw_parts(pointers, pointer_num) },
    };
    let pointers = pointers.iter().map(|pointer| (pointer.index, pointer.address as usize)).collect();
    let call = Call { kernel, state, free, name, blocks, pointers };
    let queue = || {
        let refused =
            |failure: Failure| Failure::new(failure.code, format!("{}<<<…>>>: {}", call.name, failure.message));
        crate::device::context::resolve(stream).map_err(refused)
    };
    status(queue().and_then(|stream| stream.submit(Box::new(move || call.run()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_arguments_name_come_first() {
        let blocks = [(0x1000, 100), (0x2000, 32), (0x3000, 8)];
        let (extents, regions) = memory(&[(0, 0x2010), (2, 0x1000), (3, 0x1040), (4, 0)], &blocks);
        let found: Vec<_> = extents.iter().map(|e| (e.base, e.bytes, e.name.as_str())).collect();
        assert_eq!(found, [(0x2000, 32, "argument 0"), (0x1000, 100, "argument 2"), (0x3000, 8, "aclrtMalloc(8)")]);
        assert!(regions.iter().zip(&extents).all(|(region, extent)| region.address == extent.base && region.result));
    }
}

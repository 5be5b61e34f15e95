//! Kernel unit tests (`ICPU_RUN_KF`): launches whose memory is that of GmAlloc.

use crate::base::failure::Outcome;
use crate::base::findings::Repeated;
use crate::launch::checked;
use crate::launch::run::CheckedLaunch;
use crate::launch::snapshot::Region;
use aicore::check::{Extent, Role};
use aicore::{Launch, Param, Shadow};
use std::sync::Arc;

/// Runs the launch of a unit test, checked if the environment says so.
///
/// # Errors
///
/// `INVALID_PARAM` where the environment or the SoC file is invalid, `RT_FEATURE_NOT_SUPPORT` where the kernel needs
/// what the toolkit does not implement, `RT_VECTOR_CORE_EXCEPTION` after any other fault or finding.
pub fn run(launch: &Launch<'_>, params: &[Param]) -> Outcome {
    let settings = crate::base::env::settings()?;
    if settings.check.is_none() && settings.flip.is_empty() {
        return crate::device::engine::run(launch, Repeated::Text);
    }
    let memory = Memory::of(params, &aicore::gm_blocks());
    let checked = CheckedLaunch {
        kernel: launch.kernel,
        name: launch.name,
        tiling_key: launch.tiling_key,
        block_dim: launch.block_dim,
        args: launch.args.to_vec(),
        tiling: None,
        tiling_at: memory.tiling,
        tiling_other: None,
        extents: memory.extents,
        regions: memory.regions,
        elements: Vec::new(),
        shadows: memory.shadows,
    };
    checked::run(&checked, settings, Repeated::Text)
}

/// Kernel unit tests (`tikicpulib.h`) call no acl function, so they get their engine from the load of the library.
extern "C" fn offer_engine_to_unit_tests() {
    aicore::install_crash_handlers();
    aicore::set_icpu_runner(|launch, params| run(launch, params).map_err(|f| f.message));
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = offer_engine_to_unit_tests;

#[derive(Default)]
struct Memory {
    extents: Vec<Extent>,
    regions: Vec<Region>,
    tiling: Option<(usize, usize)>,
    /// What the test, or an earlier launch, has touched of every block.
    shadows: Vec<(usize, Arc<Shadow>)>,
}

/// What the test has touched of a block.
fn shadow(base: usize, bytes: usize) -> (usize, Arc<Shadow>) {
    let shadow = Shadow::new(bytes);
    shadow.mark(0, bytes);
    for (from, to) in aicore::gm_untouched(base, bytes) {
        shadow.clear(from - base, to - from);
    }
    (base, Arc::new(shadow))
}

impl Memory {
    /// A kernel's parameters are inputs, outputs, workspace, tiling; which are outputs is not known. A pointer to memory
    /// of the test's own means that bounds are not known either.
    fn of(params: &[Param], blocks: &[(usize, usize)]) -> Memory {
        let block =
            |address: usize| blocks.iter().find(|(base, bytes)| (*base..base + bytes.max(&1)).contains(&address));
        let shadows = blocks.iter().map(|(base, bytes)| shadow(*base, *bytes)).collect();
        let mut memory = Memory { shadows, ..Memory::default() };
        let mut foreign = false;
        for (at, param) in params.iter().enumerate().filter(|(_, p)| !p.address.is_null()) {
            let address = param.address as usize;
            let Some(&(base, bytes)) = block(address) else {
                foreign = true;
                continue;
            };
            let name = format!("argument {}", param.index);
            if at + 1 == params.len() {
                memory.tiling = Some((address, base + bytes - address));
            } else if memory.regions.iter().all(|r| r.address != base) {
                let result = at + 2 != params.len();
                memory.regions.push(Region { name: name.clone(), address: base, bytes, dtype: None, result });
            }
            memory.extents.push(Extent { base, bytes, name, role: Role::Unknown });
        }
        // Reached through pointers in other blocks, such as lists of tensors.
        for &(base, bytes) in blocks {
            if memory.extents.iter().all(|e| e.base != base) {
                memory.extents.push(Extent { base, bytes, name: format!("GmAlloc({bytes})"), role: Role::Unknown });
            }
        }
        if foreign || params.is_empty() {
            memory.extents.clear();
        }
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(addresses: &[usize]) -> Vec<Param> {
        addresses.iter().enumerate().map(|(i, &a)| Param { index: i as u32, address: a as *mut _ }).collect()
    }

    #[test]
    fn arguments_are_bounded_by_their_blocks() {
        let blocks = [(0x1000, 100), (0x2000, 32), (0x3000, 64), (0x4000, 16), (0x5000, 8)];
        let memory = Memory::of(&params(&[0x1000, 0x2000, 0, 0x3000, 0x4000]), &blocks);
        let extents: Vec<_> = memory.extents.iter().map(|e| (e.base, e.bytes, e.name.as_str())).collect();
        let want = [
            (0x1000, 100, "argument 0"),
            (0x2000, 32, "argument 1"),
            (0x3000, 64, "argument 3"),
            (0x4000, 16, "argument 4"),
            (0x5000, 8, "GmAlloc(8)"),
        ];
        assert_eq!(extents, want);
        let regions: Vec<_> = memory.regions.iter().map(|r| (r.address, r.result)).collect();
        assert_eq!(regions, [(0x1000, true), (0x2000, true), (0x3000, false)], "the last but one is the workspace");
        assert_eq!(memory.tiling, Some((0x4000, 16)));
    }

    #[test]
    fn memory_of_the_test_itself_has_no_known_bounds() {
        let memory = Memory::of(&params(&[0x1000, 0x9000, 0x2000]), &[(0x1000, 8), (0x2000, 8)]);
        assert_eq!((memory.extents.len(), memory.regions.len()), (0, 1));
    }
}

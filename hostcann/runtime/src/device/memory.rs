//! Device and pinned host memory, and the registry that bounds checks and leak counters read.

use crate::base::failure::{Failure, Outcome, lock};
use crate::device::arena::Arena;
use aicore::Shadow;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// Of pinned host memory.
const ALIGNMENT: usize = 512;
/// Size of the address range when the SoC file names no memory size.
const UNKNOWN_MEMORY: u64 = 64 << 30;
/// Freed addresses that a second free still recognises.
const REMEMBERED: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Device,
    Host,
}

#[derive(Clone)]
struct Block {
    size: usize,
    /// Of the call that made it.
    asked: usize,
    kind: Kind,
    /// Of device memory in check mode.
    shadow: Option<Arc<Shadow>>,
}

struct Registry {
    blocks: BTreeMap<usize, Block>,
    arena: Option<Arena>,
    device_bytes: u64,
    freed: VecDeque<usize>,
}
static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { blocks: BTreeMap::new(), arena: None, device_bytes: 0, freed: VecDeque::new() });

/// What the registry knows about a range of addresses.
#[derive(Debug, PartialEq, Eq)]
pub enum Range {
    Inside(Kind),
    /// Starts in a block of `size` bytes at `base` and ends behind it.
    Overruns {
        base: usize,
        size: usize,
    },
    /// A device address that belongs to no block: freed, or never handed out.
    Unallocated,
    /// Memory of the host program.
    Unknown,
}

pub fn classify(address: usize, bytes: u64) -> Range {
    let registry = lock(&REGISTRY);
    if let Some((&base, block)) = registry.blocks.range(..=address).next_back()
        && address < base + block.size
    {
        let left = (base + block.size - address) as u64;
        return if bytes <= left { Range::Inside(block.kind) } else { Range::Overruns { base, size: block.size } };
    }
    let device = registry.arena.as_ref().is_some_and(|a| a.contains(address));
    if device { Range::Unallocated } else { Range::Unknown }
}

/// Start and size asked for of the blocks of device memory.
pub fn device_blocks() -> Vec<(usize, usize)> {
    let registry = lock(&REGISTRY);
    let device = registry.blocks.iter().filter(|(_, block)| block.kind == Kind::Device);
    device.map(|(base, block)| (*base, block.asked)).collect()
}

/// The shadow of the device block that holds an address, and the block's base. Other memory counts as written.
pub fn shadow_at(address: usize) -> Option<(Arc<Shadow>, usize)> {
    let registry = lock(&REGISTRY);
    let (&base, block) = registry.blocks.range(..=address).next_back()?;
    let shadow = block.shadow.as_ref().filter(|_| address < base + block.size)?;
    Some((shadow.clone(), base))
}

/// Bytes of the modelled device, if the SoC file says.
pub fn device_limit() -> Option<u64> {
    crate::base::soc::soc().ok().and_then(|s| s.number("SoCInfo", "memory_size")).filter(|&n| n > 0)
}

/// Allocates a block. `pad`: bytes behind the size rounded up to 32.
///
/// # Errors
///
/// `INVALID_PARAM` where the size is 0 or too large, `RT_CONTEXT_NULL` without a current context,
/// `RT_MEMORY_ALLOCATION` where the device or the host has no room.
pub fn allocate(function: &str, size: usize, pad: usize, kind: Kind) -> Outcome<*mut c_void> {
    if size == 0 {
        fail!(INVALID_PARAM, "{function}: size is 0, expected at least 1 byte");
    }
    let layout = size.checked_add(31).map(|n| n / 32 * 32).and_then(|n| n.checked_add(pad));
    let layout = layout.and_then(|n| Layout::from_size_align(n, ALIGNMENT).ok());
    let Some(layout) = layout else {
        fail!(INVALID_PARAM, "{function}: size {size} is too large");
    };
    crate::device::context::current()?;
    let real = layout.size();
    let mut registry = lock(&REGISTRY);
    let address = match kind {
        Kind::Device => registry.device_block(function, real)?,
        Kind::Host => {
            // SAFETY: the size is not 0.
            let pointer = unsafe { alloc(layout) };
            if pointer.is_null() {
                fail!(RT_MEMORY_ALLOCATION, "{function}: the host has no {real} bytes of memory left");
            }
            pointer as usize
        }
    };
    let shadow = (kind == Kind::Device && crate::base::env::checking()).then(|| Arc::new(Shadow::new(real)));
    registry.blocks.insert(address, Block { size: real, asked: size, kind, shadow });
    registry.freed.retain(|&a| a != address);
    Ok(address as *mut c_void)
}

impl Registry {
    fn device_block(&mut self, function: &str, bytes: usize) -> Outcome<usize> {
        let (used, limit) = (self.device_bytes, device_limit().unwrap_or(UNKNOWN_MEMORY));
        if self.arena.is_none() {
            self.arena = Arena::reserve(limit as usize);
        }
        let fits = used + bytes as u64 <= limit;
        match self.arena.as_mut().filter(|_| fits).and_then(|a| a.allocate(bytes)) {
            Some(address) => {
                self.device_bytes += bytes as u64;
                Ok(address)
            }
            None if fits => fail!(
                RT_MEMORY_ALLOCATION,
                "{function}: the host gives no memory for {bytes} bytes, although only {used} of {limit} bytes of device \
                 memory are in use; free memory of the host, or raise its limit on addresses (ulimit -v)"
            ),
            None => fail!(
                RT_MEMORY_ALLOCATION,
                "{function}: no room for {bytes} bytes, {used} of {limit} bytes of device memory are in use; free \
                 memory first"
            ),
        }
    }
}

/// Frees a block that `allocate` has returned.
///
/// # Errors
///
/// `INVALID_PARAM` where the pointer is null, `RT_PARAM_INVALID` where it is not the start of a living block of this
/// kind.
pub fn free(function: &str, pointer: *mut c_void, kind: Kind) -> Outcome {
    if pointer.is_null() {
        return Err(Failure::null(function, "the address"));
    }
    let address = pointer as usize;
    let mut registry = lock(&REGISTRY);
    match registry.blocks.get(&address).cloned() {
        Some(block) if block.kind == kind => {
            registry.blocks.remove(&address);
            if registry.freed.len() == REMEMBERED {
                registry.freed.pop_front();
            }
            registry.freed.push_back(address);
            match kind {
                Kind::Device => {
                    registry.device_bytes -= block.size as u64;
                    if let Some(arena) = registry.arena.as_mut() {
                        arena.release(address, block.size);
                    }
                }
                // SAFETY: `allocate` made the block with this size and alignment, and it has just left the registry.
                Kind::Host => unsafe {
                    dealloc(pointer.cast(), Layout::from_size_align_unchecked(block.size, ALIGNMENT));
                },
            }
            Ok(())
        }
        Some(_) => {
            let other =
                if kind == Kind::Device { "host memory, use aclrtFreeHost" } else { "device memory, use aclrtFree" };
            fail!(RT_PARAM_INVALID, "{function}: {pointer:p} is {other}")
        }
        None if registry.freed.contains(&address) => {
            fail!(RT_PARAM_INVALID, "{function}: {pointer:p} was already freed")
        }
        None => fail!(
            RT_PARAM_INVALID,
            "{function}: {pointer:p} was not returned by an allocation function, pass the start address of a block"
        ),
    }
}

/// Bytes of device memory in use, padding included.
pub fn device_bytes() -> u64 {
    lock(&REGISTRY).device_bytes
}

/// Blocks that were allocated and not freed, device and host.
pub fn live_blocks() -> usize {
    lock(&REGISTRY).blocks.len()
}

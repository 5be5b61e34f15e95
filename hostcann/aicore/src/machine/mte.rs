//! Data movement: GM -> UB (MTE2), UB -> GM (MTE3) and UB -> UB (V).

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{CopyIns, CopyKind, Dtype},
        lanes::BLOCK,
        pipe::Pipe,
    },
    instruction::{copy_units::with_units, shape::Shape},
    machine::{
        core::Core,
        gm_place::is_nowhere,
        observe::{Access, Step},
    },
};

const MAX_BLOCKS: u32 = 4095;
const MAX_EXT_LEN: u32 = 2_097_151;

/// Byte that stands for contents the page leaves undefined, so that using them shows.
const UNDEFINED: u8 = 0xa5;

pub(crate) fn execute(core: &mut Core, given: &CopyIns) -> Result<(), Raise> {
    if core.is_cube() {
        return Ok(());
    }
    let set = set_pad_value(core, given).or_else(|| whole_blocks(given));
    let ins = set.as_ref().unwrap_or(given);
    if core.observed() {
        let gm = if ins.pipe() == Pipe::V { None } else { core.launch.tensor_at(ins.gm as usize) };
        core.observe(Step::Copy { ins, gm, atomic: core.machine.atomic })?;
        if ins.block_len != given.block_len {
            core.observe(Step::Broken(&drops_the_rest(given)))?;
        }
    }
    let units = |raise: Raise| if raise.class == FaultClass::OutOfRange { with_units(raise, ins) } else { raise };
    run(core, ins).map_err(units)?;
    core.observe(Step::Done)
}

/// A copy whose pads hold what SetPadValue set. A copy that brings its own value writes it into the same register.
fn set_pad_value(core: &mut Core, ins: &CopyIns) -> Option<CopyIns> {
    if ins.left_pad == 0 && ins.right_pad == 0 || ins.pipe() != Pipe::MTE2 {
        return None;
    }
    if ins.is_pad != 0 {
        core.machine.pad_value = None;
    }
    core.machine.pad_value.map(|pad_value| CopyIns { is_pad: 1, pad_value, ..*ins })
}

/// A copy of a count that is no whole blocks, as the device makes it: rounded down (DataCopy page).
fn whole_blocks(ins: &CopyIns) -> Option<CopyIns> {
    let whole = ins.block_len / BLOCK as u32 * BLOCK as u32;
    let rounds = ins.kind == CopyKind::Count as u8 && whole != ins.block_len;
    rounds.then_some(CopyIns { block_len: whole, ..*ins })
}

/// What is wrong with such a copy.
#[cold]
fn drops_the_rest(ins: &CopyIns) -> Raise {
    let (len, size) = (ins.block_len as usize, Dtype::from_code(ins.dtype as u32).map_or(1, |t| t.size()));
    let what = "the device copies whole 32-byte blocks and drops the rest";
    Raise::new(FaultClass::Argument, ins.pipe(), ins.name(), what)
        .silent()
        .operand("count")
        .expected(format!("a multiple of {} elements", BLOCK / size))
        .got(format!("{} elements ({len} bytes)", len / size))
        .fix("use DataCopyPad for lengths that are not a multiple of 32 bytes")
}

fn run(core: &mut Core, ins: &CopyIns) -> Result<(), Raise> {
    let pipe = ins.pipe();
    let (Some(kind), Some(t)) = (CopyKind::from_code(ins.kind as u32), Dtype::from_code(ins.dtype as u32)) else {
        return Err(Raise::unsupported(pipe, &ins.name()));
    };
    if ins.block_count == 0 || ins.block_len == 0 {
        return Ok(());
    }
    let pad = matches!(kind, CopyKind::Pad | CopyKind::PadShort);
    check_shape(ins, kind, t, pipe)?;
    let gm = ins.gm as usize;
    if pipe != Pipe::V {
        if is_nowhere(gm) {
            return Err(core.launch.null_gm(pipe, ins.name(), gm));
        }
        if !gm.is_multiple_of(t.size()) {
            return Err(Raise::new(
                FaultClass::Alignment,
                pipe,
                ins.name(),
                "global memory address is not aligned to the element",
            )
            .operand("GlobalTensor")
            .expected(format!("a multiple of {} bytes", t.size()))
            .got(core.launch.gm_place(gm))
            .fix("offsets of a GlobalTensor count elements; check the pointer arithmetic before SetGlobalBuffer"));
        }
    }
    let (blocks, len) = (ins.block_count as usize, ins.block_len as usize);
    let (left, right) = (ins.left_pad as usize * t.size(), ins.right_pad as usize * t.size());
    // Each block takes whole 32-byte units of the buffer.
    let unit = (left + len + right).next_multiple_of(BLOCK);
    let step = |gap: u32, unit: usize| unit + gap as usize * BLOCK;
    let ub = |len: usize, step: usize| Shape::Blocks { n: blocks, len, step };
    // The GM side of DataCopy counts its gaps in blocks, that of DataCopyPad in bytes.
    let gm_step = |gap: u32| len + gap as usize * if pad { 1 } else { BLOCK };
    // SAFETY: the UB side was checked; GM addresses are the kernel's own pointers, as on the device.
    unsafe {
        match pipe {
            Pipe::MTE2 => {
                let (step, gap) = (step(ins.dst_stride, unit), gm_step(ins.src_stride));
                core.observe(Step::Global {
                    addr: gm,
                    shape: Shape::Blocks { n: blocks, len, step: gap },
                    access: Access::Read,
                })?;
                core.launch.settle_adds(gm, (blocks - 1) * gap + len);
                if let Some(raise) = core.matmuls.read_early(|| ins.name(), gm, gm + (blocks - 1) * gap + len) {
                    core.observe(Step::Broken(&raise))?;
                }
                let dst = core.write(ins, "dst", ins.ub, ub(unit, step))?;
                if blocks == 1 || (left + right == 0 && gap == len && step == len) {
                    let whole = if blocks == 1 { len } else { len * blocks };
                    copy(core, (ins.gm.cast(), 0), (dst.add(left), 0), 1, whole);
                    if blocks == 1 && unit != len {
                        fill_pad(ins, t, dst, left, right, unit);
                    }
                } else {
                    copy(core, (ins.gm.cast(), gap), (dst.add(left), step), blocks, len);
                    if unit != len {
                        (0..blocks).for_each(|i| fill_pad(ins, t, dst.add(i * step), left, right, unit));
                    }
                }
            }
            Pipe::MTE3 => {
                core.launch.has_written = true;
                let (step, gap) = (step(ins.src_stride, unit), gm_step(ins.dst_stride));
                core.observe(Step::Global {
                    addr: gm,
                    shape: Shape::Blocks { n: blocks, len, step: gap },
                    access: Access::Write,
                })?;
                let src = core.read(ins, "src", ins.ub, ub(len, step))?;
                if let Some(atomic) = core.machine.atomic {
                    atomic.check(ins, |addr| core.launch.gm_place(addr))?;
                    for i in 0..blocks {
                        core.launch.combine(atomic, src.add(i * step), ins.gm.cast::<u8>().add(i * gap), len);
                    }
                    return Ok(());
                }
                core.launch.settle_adds(gm, (blocks - 1) * gap + len);
                if gap == len && step == len {
                    copy(core, (src, 0), (ins.gm.cast(), 0), 1, len * blocks);
                } else {
                    copy(core, (src, step), (ins.gm.cast(), gap), blocks, len);
                }
            }
            _ => {
                let (to, from) = (step(ins.dst_stride, unit), step(ins.src_stride, unit));
                let dst = core.write(ins, "dst", ins.ub, ub(unit, to))?;
                let src = core.read(ins, "src", ins.ub_src, ub(unit, from))?;
                for i in 0..blocks {
                    std::ptr::copy(src.add(i * from), dst.add(i * to), len);
                }
            }
        }
    }
    Ok(())
}

/// Copies `n` rows of `len` bytes; both sides start at an address and have a step. A global address that is no memory
/// unwinds from here: see `crash`.
///
/// # Safety
/// The rows in the unified buffer lie in it.
#[inline]
pub(crate) unsafe fn copy(core: &mut Core, from: (*const u8, usize), to: (*mut u8, usize), n: usize, len: usize) {
    type Rows = unsafe fn((*const u8, usize), (*mut u8, usize), usize, usize);
    core.launch.copying = true;
    // The compiler must not see that nothing here panics: it would leave no way out of the caller.
    let rows: Rows = std::hint::black_box(rows);
    // SAFETY: as promised by the caller; the other side is the kernel's own pointer, as on the device.
    unsafe { rows(from, to, n, len) };
    core.launch.copying = false;
}

/// A function of its own and without anything to drop, so that it may be left at any instruction.
///
/// # Safety
/// As for `copy`.
#[inline(never)]
unsafe fn rows(from: (*const u8, usize), to: (*mut u8, usize), n: usize, len: usize) {
    for i in 0..n {
        // SAFETY: as promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from.0.add(i * from.1), to.0.add(i * to.1), len) };
    }
}

/// Padding of the DataCopyPad page: without any the filler repeats the block's first element; otherwise pad cells and
/// filler hold the padding value with isPad, and anything without.
///
/// # Safety
/// `to` has `unit` bytes and already holds the data behind the left pad.
unsafe fn fill_pad(ins: &CopyIns, t: Dtype, to: *mut u8, left: usize, right: usize, unit: usize) {
    let (size, len) = (t.size(), ins.block_len as usize);
    let end = left + len;
    // SAFETY: as promised by the caller.
    unsafe {
        if left + right == 0 {
            // The filler starts on an element boundary because blockLen is a multiple of the element size.
            for at in (end..unit).step_by(size) {
                std::ptr::copy_nonoverlapping(to, to.add(at), size);
            }
            return;
        }
        let value = if ins.is_pad != 0 { ins.pad_value } else { u64::from_ne_bytes([UNDEFINED; 8]) }.to_le_bytes();
        for at in (0..left).step_by(size).chain((end..unit).step_by(size)) {
            std::ptr::copy_nonoverlapping(value.as_ptr(), to.add(at), size);
        }
    }
}

fn check_shape(ins: &CopyIns, kind: CopyKind, t: Dtype, pipe: Pipe) -> Result<(), Raise> {
    let wrong = |what: &str, operand: &str, expected: String, got: String, fix: &str| {
        Err(Raise::new(FaultClass::Argument, pipe, ins.name(), what)
            .operand(operand)
            .expected(expected)
            .got(got)
            .fix(fix))
    };
    let len = ins.block_len;
    if kind == CopyKind::Count {
        return Ok(());
    }
    if ins.block_count > MAX_BLOCKS {
        return wrong(
            "too many blocks",
            "blockCount",
            format!("1 to {MAX_BLOCKS}"),
            ins.block_count.to_string(),
            "split the copy into several calls",
        );
    }
    if kind == CopyKind::Blocks {
        return Ok(());
    }
    if len > MAX_EXT_LEN || !(len as usize).is_multiple_of(t.size()) {
        return wrong(
            "block length out of range",
            "blockLen",
            format!("1 to {MAX_EXT_LEN} bytes, a multiple of {}", t.size()),
            format!("{len} bytes"),
            "blockLen counts bytes; split longer blocks",
        );
    }
    for (name, n) in [("leftPadding", ins.left_pad), ("rightPadding", ins.right_pad)] {
        if n as usize * t.size() > BLOCK {
            return wrong(
                "padding is longer than a block",
                name,
                format!("at most {} elements (32 bytes)", BLOCK / t.size()),
                n.to_string(),
                "pad with Duplicate before the copy",
            );
        }
    }
    if t.size() == 8 && ins.is_pad != 0 && ins.pad_value != 0 {
        return wrong(
            "64-bit types pad with zero only",
            "paddingValue",
            "0".to_owned(),
            format!("{:#x}", ins.pad_value),
            "pass 0 and overwrite the pad afterwards",
        );
    }
    Ok(())
}

#[cfg(test)]
#[path = "mte_tests.rs"]
mod tests;

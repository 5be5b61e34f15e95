//! Transposition: TransDataTo5HD of sixteen blocks at addresses of their own, and Transpose.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{Dtype, Operand},
        lanes::BLOCK,
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        ub,
        vector::{Head, TransData, Transpose, TransposeKind, bad_dtype},
    },
    machine::core::Core,
};

const TYPES: &[Dtype] = &[Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16, Dtype::F16, Dtype::I32, Dtype::U32, Dtype::F32];
/// Rows of a 16 by 16 matrix, and blocks of one repeat of TransDataTo5HD.
const SIDE: usize = 16;

/// Where element `j` of destination block `i` comes from: the source block and the element of it. A block of 32-bit
/// elements holds half a row of the result.
fn origin(size: usize, i: usize, j: usize) -> (usize, usize) {
    if size == 4 { (i % 2 * 8 + j, i / 2) } else { (j, i) }
}

/// The pages of TransDataTo5HD: 16 blocks of `32 / size` elements in, their columns out. 8-bit types use half of every
/// block.
pub(crate) fn to_5hd(core: &mut Core, ins: &TransData) -> Result<(), Raise> {
    let head = &ins.head;
    if !TYPES.contains(&head.dtype) {
        return Err(bad_dtype(head, TYPES));
    }
    let (n, size) = (ins.repeats, head.dtype.size());
    if n == 0 {
        return Ok(());
    }
    let bytes = BLOCK.min(SIDE * size);
    let [dst_list, src_list] = core.machine.spr.address_lists;
    // A single repeat starts one stride behind its addresses (parameter table of the page).
    let start = |stride: usize| if n == 1 { stride } else { 0 };
    let half = |high: bool| if size == 1 && high { BLOCK / 2 } else { 0 };
    let shape = |stride: usize| Shape::Blocks { n, len: bytes, step: stride };
    let at = |core: &Core, name: &str, addr: u64, skip: usize| {
        let addr = u32::try_from(addr).unwrap_or(!31);
        ub::check(core.machine.spec.ub_size, Pipe::V, || head.name(), name, addr, 0)?;
        Ok::<_, Raise>(Operand::new(addr.saturating_add(skip as u32), bytes as u32).aligned(BLOCK / 2))
    };
    let (mut dst, mut src) = ([std::ptr::null_mut(); SIDE], [std::ptr::null(); SIDE]);
    let (dst_skip, src_skip) = (start(ins.dst_stride) + half(ins.dst_high), start(ins.src_stride) + half(ins.src_high));
    for i in 0..SIDE {
        let operand = at(core, "srcList", src_list[i], src_skip)?;
        src[i] = core.read(head, "srcList", operand, shape(ins.src_stride))?;
        let operand = at(core, "dstList", dst_list[i], dst_skip)?;
        dst[i] = core.write(head, "dstList", operand, shape(ins.dst_stride))?;
    }
    if core.observed() {
        for (i, r, j) in cells(n, bytes / size) {
            let (block, element) = origin(size, i, j);
            let place = src_list[block] as usize + src_skip + r * ins.src_stride + element * size;
            declare(core, head, place, size)?;
        }
    }
    let mut read = [[0u8; BLOCK]; SIDE];
    for r in 0..n {
        // SAFETY: the extents were checked; a repeat reads everything before it writes.
        unsafe {
            for (to, from) in read.iter_mut().zip(src) {
                std::ptr::copy_nonoverlapping(from.add(r * ins.src_stride), to.as_mut_ptr(), bytes);
            }
            for (i, to) in dst.into_iter().enumerate() {
                for j in 0..bytes / size {
                    let (block, element) = origin(size, i, j);
                    let from = read[block].as_ptr().add(element * size);
                    std::ptr::copy_nonoverlapping(from, to.add(r * ins.dst_stride + j * size), size);
                }
            }
        }
    }
    Ok(())
}

/// Destination block, repeat and element, in the order the destinations were declared in.
fn cells(repeats: usize, elements: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..SIDE).flat_map(move |i| (0..repeats).flat_map(move |r| (0..elements).map(move |j| (i, r, j))))
}

/// Observers want to know which element becomes which.
fn declare(core: &mut Core, head: &Head, addr: usize, size: usize) -> Result<(), Raise> {
    let operand = Operand::new(addr as u32, size as u32);
    core.read(head, "src", operand.aligned(size), Shape::Bytes(size)).map(drop)
}

/// 16 by 16 elements of 16 bits, or the axes of an image batch.
pub(crate) fn transpose(core: &mut Core, ins: &Transpose) -> Result<(), Raise> {
    let head = &ins.head;
    let size = head.dtype.size();
    let (n, rows, columns) = match ins.kind {
        TransposeKind::Square if size != 2 => {
            return Err(bad_dtype(head, &[Dtype::I16, Dtype::U16, Dtype::F16]));
        }
        TransposeKind::Square => (1, SIDE, SIDE),
        _ if !TYPES.contains(&head.dtype) => return Err(bad_dtype(head, TYPES)),
        TransposeKind::ChannelsLast => (ins.images, ins.channels, ins.pixels),
        TransposeKind::ChannelsFirst => (ins.images, ins.pixels, ins.channels),
    };
    if ins.kind != TransposeKind::Square {
        limits(ins, size)?;
    }
    let total = n * rows * columns;
    if total == 0 {
        return Ok(());
    }
    if total * size > core.machine.spec.ub_size {
        let bytes = total * size;
        ub::check(core.machine.spec.ub_size, Pipe::V, || head.name(), "src", ins.src.addr, bytes)?;
    }
    let src = core.read(head, "src0", ins.src, Shape::Bytes(total * size))?;
    if ins.tmp.1 != 0 {
        core.write(head, "sharedTmpBuffer", ins.tmp.0, Shape::Bytes(ins.tmp.1))?;
    }
    let dst = core.write(head, "dst", ins.dst, Shape::Dense { n: total, size })?;
    // Row-major order of the destination: rows and columns of each image exchanged.
    let image = rows * columns;
    let from = |to: usize| to / image * image + to % rows * columns + to % image / rows;
    if core.observed() {
        for to in 0..total {
            declare(core, head, ins.src.addr as usize + from(to) * size, size)?;
        }
    }
    let mut result = vec![0u8; total * size];
    for (to, cell) in result.chunks_exact_mut(size).enumerate() {
        // SAFETY: the extent was checked.
        unsafe { std::ptr::copy_nonoverlapping(src.add(from(to) * size), cell.as_mut_ptr(), size) };
    }
    // SAFETY: as above; everything was read, so dst may be src.
    unsafe { std::ptr::copy_nonoverlapping(result.as_ptr(), dst, result.len()) };
    Ok(())
}

/// The ranges of the Transpose page.
fn limits(ins: &Transpose, size: usize) -> Result<(), Raise> {
    const MOST: usize = 4095;
    let wrong = |operand: &str, expected: String, got: usize, fix: &str| {
        Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "shape out of range")
            .operand(operand)
            .expected(expected)
            .got(got.to_string())
            .fix(fix))
    };
    if ins.channels > MOST {
        return wrong("cSize", format!("0 to {MOST}"), ins.channels, "split the channels");
    }
    if ins.pixels > MOST {
        return wrong("hSize * wSize", format!("0 to {MOST}"), ins.pixels, "split the image");
    }
    if !(ins.pixels * size).is_multiple_of(BLOCK) {
        let expected = format!("a multiple of {} elements (32 bytes)", BLOCK / size);
        return wrong("hSize * wSize", expected, ins.pixels, "pad the image");
    }
    Ok(())
}

#[cfg(test)]
#[path = "transpose_tests.rs"]
mod tests;

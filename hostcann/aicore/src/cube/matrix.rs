//! Matrices in global memory and in the unified buffer: rows (ND) or fractals of 16 rows of 32 bytes (NZ).

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{Bf16, F16, bf16_to_f32, f16_to_f32},
        ins::{CopyIns, CopyKind, Direction, Dtype, Operand},
        matmul::{MatmulOperand, MatmulPlace},
        pipe::Pipe,
    },
    instruction::{shape::Shape, ub},
    machine::{
        atomic::Atomic,
        core::Core,
        gm_place::is_nowhere,
        matmul::{Block, Sums},
        mte,
        observe::{Access, Step},
    },
};

/// Rows of a fractal.
pub(super) const FRACTAL: usize = 16;

/// Formats of CubeFormat that are read and written here.
pub(super) const NZ: u8 = 1;

/// A matrix as it is stored, transposed or not.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    pub name: &'static str,
    pub at: MatmulOperand,
    pub dtype: Dtype,
    /// Elements from row to row, in ND.
    pub pitch: usize,
    /// In NZ: rows, in whole fractals, and columns of a fractal.
    pub fractals: Option<(usize, usize)>,
}

/// Rows of bytes of a matrix that lie at equal distances.
struct Piece {
    offset: usize,
    step: usize,
    width: usize,
    /// Where it begins in a row of the block.
    column: usize,
}

impl Matrix {
    pub fn new(name: &'static str, at: MatmulOperand, dtype: Dtype, format: u8, rows: usize, pitch: usize) -> Matrix {
        let columns = if dtype == Dtype::I4 { 64 } else { 32 / dtype.size() };
        let fractals = (format == NZ).then_some((rows.next_multiple_of(FRACTAL), columns));
        Matrix { name, at, dtype, pitch, fractals }
    }

    fn bytes(&self, elements: usize) -> usize {
        if self.dtype == Dtype::I4 { elements / 2 } else { elements * self.dtype.size() }
    }

    fn pieces(&self, b: Block) -> Vec<Piece> {
        let Some((rows, width)) = self.fractals else {
            let offset = self.bytes(b.row * self.pitch + b.column);
            return vec![Piece { offset, step: self.bytes(self.pitch), width: self.bytes(b.columns), column: 0 }];
        };
        let end = b.column + b.columns;
        let of = |fractal: usize| {
            let (from, to) = (b.column.max(fractal * width), end.min((fractal + 1) * width));
            Piece {
                offset: self.bytes((fractal * rows + b.row) * width + from % width),
                step: self.bytes(width),
                width: self.bytes(to - from),
                column: self.bytes(from - b.column),
            }
        };
        (b.column / width..end.div_ceil(width)).map(of).collect()
    }

    /// Addresses in global memory of the rows of a block.
    pub fn ranges(&self, b: Block) -> Vec<(usize, usize)> {
        let base = self.at.gm as usize;
        let rows = |piece: Piece| {
            (0..b.rows).map(move |row| base + piece.offset + row * piece.step).map(move |at| (at, at + piece.width))
        };
        self.pieces(b).into_iter().flat_map(rows).collect()
    }

    /// The bytes of a block, row after row.
    pub fn load(&self, core: &mut Core, b: Block) -> Result<Vec<u8>, Raise> {
        let mut bytes = vec![0; b.rows * self.bytes(b.columns)];
        for piece in self.pieces(b) {
            let from = self.reach(core, b, &piece, Access::Read, None)?;
            let to = bytes[piece.column..].as_mut_ptr();
            // SAFETY: the block has room for its rows; the other side is the kernel's own pointer, or was checked.
            unsafe { mte::copy(core, (from, piece.step), (to, self.bytes(b.columns)), b.rows, piece.width) };
            core.observe(Step::Done)?;
        }
        Ok(bytes)
    }

    /// Writes the bytes of a block, or combines them with what is there.
    pub fn store(&self, core: &mut Core, b: Block, bytes: &[u8], atomic: Option<Atomic>) -> Result<(), Raise> {
        core.launch.has_written = true;
        for piece in self.pieces(b) {
            let to = self.reach(core, b, &piece, Access::Write, atomic)?.cast_mut();
            let (from, pitch) = (bytes[piece.column..].as_ptr(), self.bytes(b.columns));
            match atomic {
                Some(atomic) => (0..b.rows).for_each(|row| {
                    // SAFETY: a row of the block, and the kernel's own pointer.
                    unsafe { core.launch.combine(atomic, from.add(row * pitch), to.add(row * piece.step), piece.width) }
                }),
                // SAFETY: as in `load`.
                None => unsafe { mte::copy(core, (from, pitch), (to, piece.step), b.rows, piece.width) },
            }
            core.observe(Step::Done)?;
        }
        Ok(())
    }

    /// Address of a piece, which is declared to the observers.
    fn reach(
        &self,
        core: &mut Core,
        b: Block,
        piece: &Piece,
        access: Access,
        atomic: Option<Atomic>,
    ) -> Result<*const u8, Raise> {
        let in_ub = self.at.place == MatmulPlace::Ub as u8;
        let shape = Shape::Blocks { n: b.rows, len: piece.width, step: piece.step };
        let copy = CopyIns {
            // The vector core copies operands from its buffer to global memory for the cube core, and results back.
            direction: if in_ub == (access == Access::Read) { Direction::UbToGm } else { Direction::GmToUb } as u8,
            kind: CopyKind::Matmul as u8,
            dtype: self.dtype as u8,
            gm: if in_ub { std::ptr::null_mut() } else { self.at.gm },
            ..CopyIns::default()
        };
        if in_ub {
            let ub = self.part(core, piece, shape)?;
            core.observe(Step::Matmul { ins: &copy, atomic: None })?;
            core.observe(Step::Operand { name: self.name, operand: ub, shape, access })?;
            return Ok(core.machine.ub_at(ub.addr));
        }
        let gm = self.at.gm as usize;
        if is_nowhere(gm) {
            return Err(core.launch.null_gm(copy.pipe(), copy.name(), gm));
        }
        let addr = gm + piece.offset;
        core.observe(Step::Matmul { ins: &copy, atomic })?;
        core.observe(Step::Global { addr, shape, access })?;
        if atomic.is_none() {
            core.launch.settle_adds(addr, shape.extent());
        }
        Ok(addr as *const u8)
    }

    /// The part of a tensor in the unified buffer that a piece takes.
    fn part(&self, core: &Core, piece: &Piece, shape: Shape) -> Result<Operand, Raise> {
        let (ub, extent) = (self.at.ub, piece.offset + shape.extent());
        if extent > ub.bytes as usize {
            return Err(Raise::new(
                FaultClass::BufferBounds,
                Pipe::S,
                "Matmul",
                "the matrix is larger than its tensor",
            )
            .operand(self.name)
            .expected(format!("at least {extent} bytes"))
            .got(format!("{} bytes", ub.bytes))
            .fix(
                "give the tensor room for the whole matrix: baseM * baseN for a block, single M, N and K for the rest",
            ));
        }
        let spec = &core.machine.spec;
        ub::check(spec.ub_size, Pipe::S, || "Matmul".to_owned(), self.name, ub.addr, extent)?;
        Ok(ub.part(ub.addr + piece.offset as u32, shape.extent() as u32))
    }
}

/// The elements of a loaded block as what the cube core multiplies.
pub(super) fn floats(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    let pairs = || bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    match dtype {
        Dtype::F16 => pairs().map(|v| f16_to_f32(F16(v))).collect(),
        Dtype::Bf16 => pairs().map(|v| bf16_to_f32(Bf16(v))).collect(),
        _ => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    }
}

pub(super) fn integers(bytes: &[u8], dtype: Dtype) -> Vec<i32> {
    match dtype {
        Dtype::I4 => bytes.iter().flat_map(|b| [(*b << 4) as i8 >> 4, *b as i8 >> 4]).map(i32::from).collect(),
        Dtype::I8 => bytes.iter().map(|b| i32::from(*b as i8)).collect(),
        _ => bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    }
}

/// Whether the cube core adds up integers.
pub(super) fn is_integer(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::I8 | Dtype::I4 | Dtype::I32)
}

/// A block of a matrix in sums' type; `is_trans`: it is stored transposed.
pub(super) fn elements(core: &mut Core, m: &Matrix, b: Block, is_trans: bool) -> Result<Sums, Raise> {
    if m.at.place == MatmulPlace::Scalar as u8 {
        let bits = m.at.scalar.to_le_bytes();
        let one = &bits[..m.dtype.size()];
        let n = b.rows * b.columns;
        return Ok(if is_integer(m.dtype) {
            Sums::Integers(vec![integers(one, m.dtype)[0]; n])
        } else {
            Sums::Floats(vec![floats(one, m.dtype)[0]; n])
        });
    }
    let stored = if is_trans { Block { row: b.column, column: b.row, rows: b.columns, columns: b.rows } } else { b };
    let bytes = m.load(core, stored)?;
    Ok(if is_integer(m.dtype) {
        Sums::Integers(turned(integers(&bytes, m.dtype), stored, is_trans))
    } else {
        Sums::Floats(turned(floats(&bytes, m.dtype), stored, is_trans))
    })
}

fn turned<T: Copy>(v: Vec<T>, stored: Block, is_trans: bool) -> Vec<T> {
    if !is_trans {
        return v;
    }
    let (rows, columns) = (stored.rows, stored.columns);
    (0..columns).flat_map(|c| (0..rows).map(move |r| r * columns + c)).map(|i| v[i]).collect()
}

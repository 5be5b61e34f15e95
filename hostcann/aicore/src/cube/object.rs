//! One Matmul object: its blocks, their products, where results go.

use super::{
    fixpipe::{self, Quant},
    limits,
    matrix::{Matrix, NZ, elements, integers, is_integer},
    product,
};
use crate::{
    base::{
        fault::Raise,
        ins::Dtype,
        matmul::{MatmulKind, MatmulOperand, MatmulOut, MatmulPlace},
    },
    machine::{
        atomic::Atomic,
        core::Core,
        matmul::{Block, MatmulObject, Sums},
    },
};

/// Formats of CubeFormat.
const ND_ALIGN: u8 = 5;
const VECTOR: u8 = 7;

impl MatmulKind {
    pub(super) fn dtype(self) -> Dtype {
        Dtype::from_code(self.dtype.into()).unwrap_or(Dtype::F32)
    }
}

impl MatmulObject {
    /// Blocks along M and N.
    fn grid(&self) -> (usize, usize) {
        let of = |axis: usize| self.single[axis].div_ceil(self.base(axis));
        (of(0), of(1))
    }

    pub fn blocks(&self) -> usize {
        let (m, n) = self.grid();
        m * n
    }

    pub fn base(&self, axis: usize) -> usize {
        self.tiling.base[axis].max(1) as usize
    }

    /// Bytes of A and of B that lie in a row where a copy takes them to L1: along K as far as the steps go, else along M and N.
    pub fn rows_to_l1(&self) -> [u32; 2] {
        let of = |at: Option<MatmulOperand>, kind: MatmulKind, axis: usize| {
            let is_along_k = at.is_some_and(|at| at.is_trans != 0) == (axis == 1);
            let k = (self.tiling.steps[axis + 2].max(1) as usize * self.base(2)).min(self.single[2]);
            let bits = if kind.dtype() == Dtype::I4 { 4 } else { 8 * kind.dtype().size() };
            match kind.format {
                NZ => 32 * if is_along_k { self.base(axis) as u32 } else { k as u32 },
                _ => (if is_along_k { k } else { self.base(axis) } * bits / 8).max(1) as u32,
            }
        };
        [of(self.a, self.types.a, 0), of(self.b, self.types.b, 1)]
    }

    /// The block that comes at this place of the order.
    pub fn block(&self, index: usize) -> Block {
        let (m, n) = self.grid();
        let along_n = if self.types.order == 2 { self.tiling.along_n } else { self.types.order == 1 };
        let (i, j) = if along_n { (index / n.max(1), index % n.max(1)) } else { (index % m.max(1), index / m.max(1)) };
        let (row, column) = (i * self.base(0), j * self.base(1));
        let rows = self.base(0).min(self.single[0] - row);
        Block { row, column, rows, columns: self.base(1).min(self.single[1] - column) }
    }

    fn left(&self, at: MatmulOperand) -> Matrix {
        let (rows, pitch) = if at.is_trans != 0 { (self.org.ka, self.org.m) } else { (self.org.m, self.org.ka) };
        let pitch = if self.types.a.format == VECTOR { self.single[2] } else { pitch };
        Matrix::new("A", at, self.types.a.dtype(), self.types.a.format, rows, in_blocks(at, self.types.a, pitch))
    }

    fn right(&self, at: MatmulOperand) -> Matrix {
        let (rows, pitch) = if at.is_trans != 0 { (self.org.n, self.org.kb) } else { (self.org.kb, self.org.n) };
        Matrix::new("B", at, self.types.b.dtype(), self.types.b.format, rows, in_blocks(at, self.types.b, pitch))
    }

    /// C as it is written: the whole matrix, or one block after the other.
    pub(super) fn result(&self, at: MatmulOperand, block: Block, is_sequential: bool) -> (Matrix, Block) {
        let dtype = self.types.c.dtype();
        let in_ub = at.place == MatmulPlace::Ub as u8;
        let columns = match (is_sequential, in_ub, self.org.kc) {
            (true, ..) => block.columns,
            (_, true, _) => self.single[1],
            (_, _, 0) => self.org.n,
            (_, _, kc) => kc,
        };
        let rows = match (is_sequential, in_ub) {
            (true, _) => block.rows,
            (_, true) => self.single[0],
            _ => self.org.m,
        };
        let whole = if self.types.c.format == ND_ALIGN { 32 / dtype.size() } else { 1 };
        let mut matrix = Matrix::new("C", at, dtype, self.types.c.format, rows, columns.next_multiple_of(whole));
        if let Some((_, width)) = &mut matrix.fractals {
            // Fractals of results have 16 columns, those of int8_t 32, those of floats 8 with isEnableChannelSplit.
            *width = match dtype {
                Dtype::I8 => 32,
                Dtype::F32 if self.types.channel_split != 0 => 8,
                _ => 16,
            };
        }
        let to = if is_sequential { Block { row: 0, column: 0, ..block } } else { block };
        (matrix, to)
    }
}

/// Rows of a matrix in the unified buffer begin at blocks of 32 bytes.
fn in_blocks(at: MatmulOperand, kind: MatmulKind, pitch: usize) -> usize {
    let whole = if kind.dtype() == Dtype::I4 { 64 } else { 32 / kind.dtype().size() };
    if at.place == MatmulPlace::Ub as u8 { pitch.next_multiple_of(whole) } else { pitch }
}

/// The sums of a block, which begin with the bias or with what L0C holds.
pub(super) fn multiply(core: &mut Core, o: &MatmulObject, b: Block, begin: Option<Sums>) -> Result<Sums, Raise> {
    let (Some(a), Some(right)) = (o.a, o.b) else { return Err(limits::unset(o)) };
    let k = o.single[2];
    let left = elements(core, &o.left(a), Block { column: 0, columns: k, ..b }, a.is_trans != 0)?;
    let right = elements(
        core,
        &o.right(right),
        Block { row: 0, rows: k, column: b.column, columns: b.columns },
        right.is_trans != 0,
    )?;
    let begin = match (begin, o.bias) {
        (Some(sums), _) => sums,
        (None, Some(bias)) => biased(core, o, b, bias)?,
        (None, None) if is_integer(o.types.a.dtype()) => Sums::Integers(vec![0; b.rows * b.columns]),
        (None, None) => Sums::Floats(vec![0.0; b.rows * b.columns]),
    };
    let (size, order) = ((k, b.columns), core.machine.switches.matmul_order);
    match (begin, left, right) {
        (Sums::Floats(mut sums), Sums::Floats(mut a), Sums::Floats(mut b)) => {
            if let Some(mode) = o.hf32 {
                a.iter_mut().chain(&mut b).for_each(|x| *x = product::hf32(*x, mode != 0));
            }
            product::floats(&mut sums, &a, &b, size, order);
            Ok(Sums::Floats(sums))
        }
        (Sums::Integers(mut sums), Sums::Integers(a), Sums::Integers(b)) => {
            product::integers(&mut sums, &a, &b, size);
            Ok(Sums::Integers(sums))
        }
        _ => Err(limits::types_differ(o)),
    }
}

/// Every row begins with the bias.
fn biased(core: &mut Core, o: &MatmulObject, b: Block, at: MatmulOperand) -> Result<Sums, Raise> {
    let matrix = Matrix::new("bias", at, o.types.bias.dtype(), 0, 1, o.single[1]);
    Ok(match elements(core, &matrix, Block { row: 0, rows: 1, ..b }, false)? {
        Sums::Floats(row) => Sums::Floats(row.repeat(b.rows)),
        Sums::Integers(row) => Sums::Integers(row.repeat(b.rows)),
    })
}

/// Writes a block of sums to C.
pub(super) fn write(
    core: &mut Core,
    o: &MatmulObject,
    (b, sums): (Block, &Sums),
    at: MatmulOperand,
    how: MatmulOut,
) -> Result<(), Raise> {
    let dtype = o.types.c.dtype();
    let quant = match (o.quant, o.quant_scalar) {
        (Some(at), _) => Quant::Columns(parameters(core, at, b)?),
        (None, Some(bits)) => Quant::Scalar(bits),
        (None, None) => Quant::None,
    };
    let saturates = core.machine.ctrl.float_saturates();
    let bytes = fixpipe::out(sums, dtype, b.columns, &quant, saturates)?;
    // A cube core has the modes of SetAtomicAdd itself; for a vector core it is the call alone that asks for one.
    let own = core.machine.atomic.filter(|_| core.is_cube());
    let atomic = Atomic::from_codes(how.atomic.into(), dtype as u32)?.or(own);
    let atomic = atomic.filter(|_| at.place == MatmulPlace::Gm as u8);
    let (matrix, to) = o.result(at, b, how.is_sequential != 0);
    matrix.store(core, to, &bytes, atomic)
}

/// The quantisation parameters of a block's columns.
fn parameters(core: &mut Core, at: MatmulOperand, b: Block) -> Result<Vec<u64>, Raise> {
    let matrix = Matrix::new("quantTensor", at, Dtype::U64, 0, 1, 0);
    let bytes = matrix.load(core, Block { row: 0, rows: 1, ..b })?;
    let words = integers(&bytes, Dtype::I32);
    Ok(words.chunks_exact(2).map(|w| u64::from(w[0] as u32) | u64::from(w[1] as u32) << 32).collect())
}

//! State of a Matmul object: what the kernel has set, and the block that lies in L0C.

use crate::base::{
    fault::{FaultClass, Raise},
    matmul::{MatmulOperand, MatmulTypes, TILING_WORDS},
    pipe::Pipe,
    site::Site,
};

/// The fields of TCubeTiling that a multiplication depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tiling {
    pub m: i32,
    pub n: i32,
    pub ka: i32,
    pub kb: i32,
    pub single: [i32; 3],
    pub base: [i32; 3],
    pub depth: [i32; 2],
    pub is_bias: bool,
    pub along_n: bool,
    pub steps: [i32; 4],
    /// dbL0A, dbL0B, dbL0C.
    pub double: [i32; 3],
}

impl Tiling {
    pub fn of(w: &[i32; TILING_WORDS]) -> Tiling {
        Tiling {
            m: w[1],
            n: w[2],
            ka: w[3],
            kb: w[4],
            single: [w[5], w[6], w[7]],
            base: [w[8], w[9], w[10]],
            depth: [w[11], w[12]],
            is_bias: w[15] != 0,
            along_n: w[17] != 0,
            steps: [w[13], w[14], w[26], w[27]],
            double: [w[30], w[31], w[32]],
        }
    }
}

/// SetOrgShape.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OrgShape {
    pub m: usize,
    pub n: usize,
    pub ka: usize,
    pub kb: usize,
    /// Columns of C; 0: those of B.
    pub kc: usize,
}

/// Sums in L0C.
#[derive(Clone, Debug)]
pub(crate) enum Sums {
    Floats(Vec<f32>),
    Integers(Vec<i32>),
}

/// A block of C: where it begins in the part of one core, its rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub row: usize,
    pub column: usize,
    pub rows: usize,
    pub columns: usize,
}

pub(crate) struct MatmulObject {
    pub types: MatmulTypes,
    pub tiling: Tiling,
    pub org: OrgShape,
    /// M, N and K of one core.
    pub single: [usize; 3],
    pub a: Option<MatmulOperand>,
    pub b: Option<MatmulOperand>,
    pub bias: Option<MatmulOperand>,
    pub quant: Option<MatmulOperand>,
    pub workspace: Option<MatmulOperand>,
    pub quant_scalar: Option<u64>,
    /// SetHF32: how floats are rounded; None: they are not.
    pub hf32: Option<u8>,
    /// The next Iterate begins anew, else the number of blocks so far.
    pub is_first: bool,
    pub done: usize,
    /// Blocks of an asynchronous Iterate that GetTensorC has taken from the workspace.
    pub taken: Option<usize>,
    pub l0c: Option<(Block, Sums)>,
    /// An IterateAll that WaitIterateAll has to wait for.
    pub awaited: bool,
    /// It has multiplied since Init.
    pub has_begun: bool,
    /// The call that used the cube core since the last End.
    pub used: Option<Site>,
    /// The cube core ends it when that call is through, as asc-devkit's server of a vector core does behind IterateAll and an
    /// asynchronous Iterate (`matmul_server_impl_c220.h`); behind a synchronous Iterate it waits for End.
    pub ends_itself: bool,
}

/// The Matmul objects of a core; their numbers count from 1.
#[derive(Default)]
pub(crate) struct Matmuls {
    /// An object is away while it is called.
    pub objects: Vec<Option<Box<MatmulObject>>>,
    /// Results that an asynchronous call still writes: from, to, the call.
    pub unfinished: Vec<(usize, usize, Site)>,
}

impl Matmuls {
    /// A read of bytes that an asynchronous call may not have written yet.
    pub fn read_early(&self, instruction: impl Fn() -> String, from: usize, to: usize) -> Option<Raise> {
        let (.., site) = self.unfinished.iter().find(|(start, end, _)| *start < to && from < *end)?;
        let what = format!("reads a result that IterateAll<false>{} may still write", site.at());
        Some(
            Raise::new(FaultClass::Race, Pipe::S, instruction(), what)
                .silent()
                .operand("C")
                .expected("WaitIterateAll before the first use of the result")
                .got("nothing that waits for the cube core")
                .fix("call WaitIterateAll of the object first"),
        )
    }

    /// The kernel returns without End of an object.
    pub fn left(&self) -> Option<Raise> {
        let site = self.objects.iter().flatten().find_map(|o| o.used)?;
        let mut raise =
            Raise::new(FaultClass::Leak, Pipe::S, "Matmul::End", "the kernel returns without End of its object")
                .rule()
                .silent()
                .expected("End after the last result of an object")
                .got("none")
                .fix("call End of the object");
        raise.site = Some(site);
        Some(raise)
    }

    pub fn clear(&mut self) {
        self.objects.clear();
        self.unfinished.clear();
    }
}

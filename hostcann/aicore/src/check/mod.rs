//! The checker: what a kernel does right on this host and wrong on the device.
//!
//! A launch that carries a [`LaunchInfo`] runs in check mode: every instruction declares its operands to the
//! [`Checker`] of its core, and a broken rule is a fault like any other. Without it the core takes one branch.

use crate::{
    core::MaskRegs,
    fault::{FaultClass, Raise},
    ins::{CopyIns, VecIns},
    shadow::Shadow,
    shape::{Instruction, Shape},
    site::Site,
};
use std::sync::Arc;

/// What the checker assumes and lets pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The compiler orders scalar accesses and vector instructions by itself (`--cce-auto-sync`, on by default).
    pub auto_sync: bool,
    /// Findings of these classes are not reported.
    pub allow: Vec<FaultClass>,
}

impl Default for Options {
    fn default() -> Options {
        Options { auto_sync: true, allow: Vec::new() }
    }
}

/// Global memory that a launch may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    pub base: usize,
    /// Bytes of the tensor's storage.
    pub bytes: usize,
    /// "input 0 x1", "output 0 y", "workspace".
    pub name: String,
    /// Outputs and workspace.
    pub writable: bool,
}

/// What the checker knows about a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchInfo {
    pub options: Options,
    /// Empty: global memory is not known and its bounds are not checked.
    pub extents: Vec<Extent>,
    /// Base address and record of blocks of device memory: what was written before the launch, and where the launch
    /// marks what it writes. Memory in none of them counts as written.
    pub shadows: Vec<(usize, Arc<Shadow>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The checker of one core during one block.
pub(crate) struct Checker {}

impl Checker {
    pub fn new(_info: &LaunchInfo) -> Checker {
        Checker {}
    }

    /// Before a vector instruction declares its operands.
    pub fn begin_vector(&mut self, _ins: &VecIns, _mask: MaskRegs, _site: Site) -> Result<(), Raise> {
        Ok(())
    }
    pub fn end_vector(&mut self, _ins: &VecIns) -> Result<(), Raise> {
        Ok(())
    }
    pub fn begin_copy(&mut self, _ins: &CopyIns, _site: Site) -> Result<(), Raise> {
        Ok(())
    }
    pub fn end_copy(&mut self, _ins: &CopyIns) -> Result<(), Raise> {
        Ok(())
    }
    pub fn operand<I: Instruction>(
        &mut self,
        _ins: &I,
        _name: &'static str,
        _addr: u32,
        _shape: Shape,
        _access: Access,
    ) -> Result<(), Raise> {
        Ok(())
    }
    pub fn gm(&mut self, _ins: &CopyIns, _addr: usize, _shape: Shape, _access: Access) -> Result<(), Raise> {
        Ok(())
    }
}

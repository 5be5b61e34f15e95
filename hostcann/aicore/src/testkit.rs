//! A core for unit tests: typed operands in, typed results out, bytes around the result watched.

use crate::{
    abi::{Form, Opcode, Operand, VecIns},
    base::{fault::Raise, ins::Dtype, spec::CoreSpec, switches::Switches},
    machine::core::Core,
};
use std::sync::Arc;

/// Where the operands of a test lie.
pub(crate) const DST: u32 = 0;
pub(crate) const A: u32 = 48 * 1024;
pub(crate) const B: u32 = 96 * 1024;
pub(crate) const C: u32 = 144 * 1024;
const GUARD: u8 = 0x5c;

pub(crate) struct Bench {
    pub core: Core,
}

pub(crate) fn spec() -> CoreSpec {
    CoreSpec::npu_2201("Ascend910B3", 196608)
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(Switches::default())
    }
    pub fn with(switches: Switches) -> Bench {
        Bench { core: Core::new(Arc::new(spec()), switches) }
    }

    pub fn put<T: Copy>(&mut self, addr: u32, v: &[T]) {
        let n = size_of_val(v);
        assert!(addr as usize + n <= self.core.machine.spec.ub_size);
        // SAFETY: the range lies in the unified buffer, as asserted.
        unsafe { std::ptr::copy_nonoverlapping(v.as_ptr() as *const u8, self.core.machine.ub_at(addr), n) };
    }
    pub fn get<T: Copy>(&mut self, addr: u32, n: usize) -> Vec<T> {
        assert!(addr as usize + n * size_of::<T>() <= self.core.machine.spec.ub_size);
        // SAFETY: the range lies in the unified buffer, as asserted.
        (0..n).map(|i| unsafe { (self.core.machine.ub_at(addr) as *const T).add(i).read_unaligned() }).collect()
    }
    pub fn ins(op: Opcode, d: Dtype, s: Dtype, count: usize) -> VecIns {
        let o = |addr| Operand::new(addr, 48 * 1024);
        VecIns {
            opcode: op as u16,
            dtype: d as u8,
            stype: s as u8,
            form: Form::Count as u8,
            count: count as u32,
            dst: o(DST),
            src: [o(A), o(B), o(C)],
            ..VecIns::default()
        }
    }
    /// Issues with guard bytes around dst and checks that exactly `n` results were written.
    pub fn run<D: Copy>(&mut self, ins: &VecIns, n: usize) -> Result<Vec<D>, Raise> {
        let bytes = n * size_of::<D>();
        self.put(DST, &vec![GUARD; bytes + 512]);
        self.core.issue(ins)?;
        assert!(self.get::<u8>(DST + bytes as u32, 512).iter().all(|b| *b == GUARD), "{} wrote past {n}", ins.name());
        Ok(self.get(DST, n))
    }
    pub fn binary<T: Copy>(&mut self, op: Opcode, t: Dtype, a: &[T], b: &[T]) -> Vec<T> {
        self.put(A, a);
        self.put(B, b);
        self.run(&Bench::ins(op, t, t, a.len()), a.len()).unwrap()
    }
    pub fn try_unary<T: Copy>(&mut self, op: Opcode, t: Dtype, scalar: u64, a: &[T]) -> Result<Vec<T>, Raise> {
        self.put(A, a);
        self.run(&VecIns { scalar, ..Bench::ins(op, t, t, a.len()) }, a.len())
    }
    pub fn unary<T: Copy>(&mut self, op: Opcode, t: Dtype, scalar: u64, a: &[T]) -> Vec<T> {
        self.try_unary(op, t, scalar, a).unwrap()
    }
    pub fn cast<S: Copy, D: Copy>(&mut self, s: Dtype, d: Dtype, mode: u8, a: &[S]) -> Result<Vec<D>, Raise> {
        self.put(A, a);
        self.run(&VecIns { mode, ..Bench::ins(Opcode::Cast, d, s, a.len()) }, a.len())
    }
    pub fn reduce<T: Copy>(&mut self, op: Opcode, t: Dtype, index: bool, a: &[T]) -> Vec<T> {
        self.put(A, a);
        let n = 1 + index as usize;
        self.run(&VecIns { flags: index as u8, ..Bench::ins(op, t, t, a.len()) }, n).unwrap()
    }
}

//! One call of a Softmax function on the engine.

use super::{
    Aligned, Object,
    reals::{Real, eighths, filled},
};
use aicore::{
    CoreSpec, Engine, Fault, Launch, Switches,
    check::{LaunchInfo, Options},
};
use std::{ffi::c_void, sync::OnceLock};

/// As in the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub m: u32,
    pub k: u32,
    pub ori_m: u32,
    pub ori_k: u32,
    pub split: u32,
    pub tmp_bytes: u32,
}

/// What a call read, and what it left.
pub struct Run<T, U> {
    pub case: Case,
    pub nz: bool,
    pub packed: bool,
    pub src: Aligned<T>,
    pub other: Aligned<T>,
    pub in_sum: Aligned<U>,
    pub in_max: Aligned<U>,
    pub dst: Aligned<T>,
    pub sum: Aligned<U>,
    pub max: Aligned<U>,
    pub exp_max: Aligned<T>,
    pub first: Aligned<U>,
}

pub const UNTOUCHED: f64 = -77.0;

fn launch(name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    let kernel = O.get_or_init(|| Object::build("softmax.cpp")).kernel(name);
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let info = LaunchInfo { options: Options { auto_sync: false, ..Options::default() }, ..LaunchInfo::default() };
    e.run(&Launch { check: Some(&info), ..Launch::new(kernel, name, 0, 1, args) })
}

impl<T: Real, U: Real> Run<T, U> {
    pub fn new(case: Case, nz: bool, packed: bool) -> Run<T, U> {
        let all = (case.m * case.k) as usize;
        let lanes = |bytes: usize| case.m as usize * if packed { 1 } else { 32 / bytes };
        let untouched = |n| filled(n, |_| UNTOUCHED);
        let mut run = Run {
            case,
            nz,
            packed,
            src: filled(all, |_| 1000.0),
            other: filled(all, |_| 1000.0),
            in_sum: filled(lanes(U::BYTES), |i| eighths(i / (lanes(U::BYTES) / case.m as usize), 3, 1, 9)),
            in_max: filled(lanes(U::BYTES), |i| eighths(i / (lanes(U::BYTES) / case.m as usize), 4, 3, 8)),
            dst: filled(all, |_| UNTOUCHED),
            sum: filled(lanes(U::BYTES), |_| UNTOUCHED),
            max: filled(lanes(U::BYTES), |_| UNTOUCHED),
            exp_max: filled(lanes(T::BYTES), |_| UNTOUCHED),
            first: untouched(lanes(U::BYTES)),
        };
        for r in 0..case.m as usize {
            for c in 0..case.ori_k.min(case.k) as usize {
                let i = run.at(r, c);
                run.src[i] = T::of(eighths(r * 4096 + c, 1, -6, 6));
                run.other[i] = T::of((eighths(r * 4096 + c, 2, -3, 3)).trunc());
            }
        }
        run
    }
    pub fn launch(mut self, name: &str) -> Result<Run<T, U>, Fault> {
        let args = [
            &mut self.case as *mut Case as *mut c_void,
            self.src.as_mut_ptr().cast(),
            self.other.as_mut_ptr().cast(),
            self.in_sum.as_mut_ptr().cast(),
            self.in_max.as_mut_ptr().cast(),
            self.dst.as_mut_ptr().cast(),
            self.sum.as_mut_ptr().cast(),
            self.max.as_mut_ptr().cast(),
            self.exp_max.as_mut_ptr().cast(),
            self.first.as_mut_ptr().cast(),
        ];
        launch(name, &args)?;
        Ok(self)
    }
    /// Place of an element.
    pub fn at(&self, r: usize, c: usize) -> usize {
        let (m, k) = (self.case.m as usize, self.case.k as usize);
        if self.nz { c / 16 * m * 16 + r * 16 + c % 16 } else { r * k + c }
    }
    pub fn row(&self, r: usize, of: &Aligned<T>) -> Vec<f64> {
        (0..self.case.ori_k as usize).map(|c| of[self.at(r, c)].get()).collect()
    }
    /// The value of a row, which all of its block have.
    pub fn stat<S: Real>(&self, of: &Aligned<S>, r: usize) -> f64 {
        let lanes = if self.packed { 1 } else { 32 / S::BYTES };
        let block = &of[r * lanes..(r + 1) * lanes];
        assert!(block.iter().all(|x| x.get().to_bits() == block[0].get().to_bits()), "row {r} of a statistic");
        block[0].get()
    }
}

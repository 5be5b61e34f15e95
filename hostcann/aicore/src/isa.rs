//! Runs one loop body on the best instruction set of the host. The body is the same Rust code in every copy and Rust
//! never contracts a multiply and an add, so the bits are the same; only speed differs.

/// A loop whose `run` is `#[inline(always)]`, so that it takes on the caller's target features.
pub(crate) trait Body {
    fn run(self);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Body;
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    static LEVEL: AtomicU8 = AtomicU8::new(0);

    fn level() -> u8 {
        match LEVEL.load(Relaxed) {
            0 => {
                let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
                let wide = fma
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                let l = 1 + fma as u8 + wide as u8;
                LEVEL.store(l, Relaxed);
                l
            }
            l => l,
        }
    }

    #[target_feature(enable = "avx2,fma")]
    fn avx2<B: Body>(b: B) {
        b.run()
    }

    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512<B: Body>(b: B) {
        b.run()
    }

    #[inline]
    pub fn dispatch<B: Body>(b: B) {
        match level() {
            // SAFETY: the level says that the host has these features.
            3 => unsafe { avx512(b) },
            2 => unsafe { avx2(b) },
            _ => b.run(),
        }
    }

    /// Every copy the host can run, for tests of bit identity.
    #[cfg(test)]
    pub fn run_level<B: Body>(l: u8, b: B) -> bool {
        if l > level() {
            return false;
        }
        match l {
            // SAFETY: as above.
            3 => unsafe { avx512(b) },
            2 => unsafe { avx2(b) },
            _ => b.run(),
        }
        true
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::dispatch;
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) use x86::run_level;

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn dispatch<B: Body>(b: B) {
    b.run()
}

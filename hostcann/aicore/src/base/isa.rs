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

    #[cfg(test)]
    thread_local! {
        static FORCED: std::cell::Cell<Option<u8>> = const { std::cell::Cell::new(None) };
    }

    /// Runs `body` with the loops of one level, 1 to 3; `None` when the host has not its features.
    #[cfg(test)]
    pub fn at_level<T>(l: u8, body: impl FnOnce() -> T) -> Option<T> {
        if l > level() {
            return None;
        }
        FORCED.set(Some(l));
        let result = body();
        FORCED.set(None);
        Some(result)
    }

    pub fn level() -> u8 {
        #[cfg(test)]
        if let Some(l) = FORCED.get() {
            return l;
        }
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
            // SAFETY: as above.
            2 => unsafe { avx2(b) },
            _ => b.run(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::dispatch;
#[cfg(all(test, target_arch = "x86_64"))]
use x86::{at_level, level as current_level};

/// One loop for all: elsewhere there is nothing to choose from.
#[cfg(all(test, not(target_arch = "x86_64")))]
fn at_level<T>(l: u8, body: impl FnOnce() -> T) -> Option<T> {
    (l == 1).then(body)
}

#[cfg(all(test, not(target_arch = "x86_64")))]
fn current_level() -> u8 {
    1
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn dispatch<B: Body>(b: B) {
    b.run()
}

#[cfg(test)]
#[path = "isa_tests.rs"]
mod tests;

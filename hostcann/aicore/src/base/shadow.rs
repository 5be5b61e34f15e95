//! Which bytes of a block of device memory were ever written: one bit per byte. The runtime keeps one per allocation in
//! check mode; a launch reads and marks it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const WORD: usize = 64;

/// Blocks of a launch mark and read at the same time; the launch's end orders them.
#[derive(Debug)]
pub struct Shadow {
    words: Vec<AtomicU64>,
    bytes: usize,
}

impl Shadow {
    /// Nothing is written yet.
    pub fn new(bytes: usize) -> Shadow {
        Shadow { words: (0..bytes.div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect(), bytes }
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Words of a range and the bits in each; a range behind the end is cut.
    fn words(&self, from: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> + use<> {
        let end = from.saturating_add(bytes).min(self.bytes);
        let last = if from < end { end.div_ceil(WORD) } else { from / WORD };
        (from / WORD..last).map(move |word| {
            let (low, high) = (from.max(word * WORD) - word * WORD, end.min((word + 1) * WORD) - word * WORD);
            (word, (u64::MAX << low) & (u64::MAX >> (WORD - high)))
        })
    }

    pub fn mark(&self, from: usize, bytes: usize) {
        for (word, bits) in self.words(from, bytes) {
            self.words[word].fetch_or(bits, Relaxed);
        }
    }

    pub fn clear(&self, from: usize, bytes: usize) {
        for (word, bits) in self.words(from, bytes) {
            self.words[word].fetch_and(!bits, Relaxed);
        }
    }

    pub fn set(&self, at: usize, written: bool) {
        if written { self.mark(at, 1) } else { self.clear(at, 1) }
    }

    pub fn get(&self, at: usize) -> bool {
        at < self.bytes && self.words[at / WORD].load(Relaxed) >> (at % WORD) & 1 == 1
    }

    /// The first byte of the range that was never written.
    pub fn first_unwritten(&self, from: usize, bytes: usize) -> Option<usize> {
        self.words(from, bytes).find_map(|(word, bits)| {
            let missing = bits & !self.words[word].load(Relaxed);
            (missing != 0).then(|| word * WORD + missing.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_over_word_borders() {
        for (from, bytes) in [(0, 1), (0, 64), (63, 2), (1, 199), (128, 72), (199, 1), (70, 0)] {
            let shadow = Shadow::new(200);
            shadow.mark(from, bytes);
            for at in 0..200 {
                assert_eq!(shadow.get(at), (from..from + bytes).contains(&at), "{from} {bytes} {at}");
            }
            assert_eq!(shadow.first_unwritten(from, bytes), None);
            if bytes > 0 {
                shadow.set(from + bytes - 1, false);
                assert_eq!(shadow.first_unwritten(from, bytes), Some(from + bytes - 1));
            }
        }
    }

    #[test]
    fn what_lies_behind_the_end_is_cut() {
        let shadow = Shadow::new(100);
        shadow.mark(90, usize::MAX);
        assert_eq!(shadow.first_unwritten(90, 1000), None);
        assert_eq!(shadow.first_unwritten(80, 1000), Some(80));
        shadow.clear(95, 1000);
        assert_eq!(shadow.first_unwritten(90, 1000), Some(95));
        shadow.mark(100, 5);
        assert!(!shadow.get(100));
        assert_eq!(shadow.len(), 100);
    }
}

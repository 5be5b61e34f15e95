//! Signals between cores: cross-core flags, and words in global memory, which is what IBSet and IBWait, WaitPreBlock and
//! NotifyNextBlock, and GroupBarrier go through.

use super::{
    pipes::Next,
    program::{Scalar, StepKind, Word},
};
use crate::{base::lanes::BLOCK, machine::observe::Pair};
use std::collections::HashMap;

/// The signals of a core, and their times.
#[derive(Debug, Default)]
pub(super) struct Signals {
    flags: HashMap<u32, Vec<f64>>,
    waits: HashMap<u32, usize>,
    words: HashMap<Word, Vec<f64>>,
}

impl Signals {
    pub fn set(&mut self, flag: u32, at: f64) {
        self.flags.entry(flag).or_default().push(at);
    }

    pub fn write(&mut self, word: Word, at: f64) {
        self.words.entry(word).or_default().push(at);
    }

    /// When a flag was set the nth time, counted from 0.
    pub fn flag(&self, flag: u32, nth: usize) -> Option<f64> {
        self.flags.get(&flag)?.get(nth).copied()
    }

    /// When a word was written.
    pub fn writes(&self, word: Word) -> &[f64] {
        self.words.get(&word).map_or(&[], Vec::as_slice)
    }

    /// The flag's next wait.
    pub fn wait(&mut self, flag: u32) -> Next {
        let nth = self.waits.entry(flag).or_default();
        *nth += 1;
        Next::CrossWait { flag, nth: *nth - 1 }
    }
}

/// Counts a block's own calls: the nth IBSet on a word needs n - 1 IBWait before it, and the nth IBWait n IBSet.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<Word, usize>);

impl Calls {
    /// The steps of a call. Each looks at a word, by a copy in, or writes one, by a copy out; what it waits for comes first.
    pub fn steps(&mut self, pair: Pair) -> Vec<StepKind> {
        let look = StepKind::Scalar(Scalar::Look);
        let write = StepKind::Scalar(Scalar::Signal);
        let until = |word, count| (count > 0).then_some(StepKind::Until { word, count });
        let word = |at: usize, back: bool| Word { at, back };
        let steps = match pair {
            Pair::Set(at) => {
                let free = self.count(word(at, false)) - 1;
                vec![until(word(at, true), free), Some(look), Some(write), Some(StepKind::Post(word(at, false)))]
            }
            Pair::Wait(at) => {
                let set = self.count(word(at, true));
                vec![until(word(at, false), set), Some(look), Some(write), Some(StepKind::Post(word(at, true)))]
            }
            Pair::WaitTurn { gm, core, cores } => {
                let round = self.count(word(gm, true));
                let (before, round) = if core > 0 { (core - 1, round) } else { (cores.max(1) - 1, round - 1) };
                vec![until(word(gm + before as usize * BLOCK, false), round), Some(look)]
            }
            Pair::EndTurn { gm, core } => {
                vec![Some(write), Some(StepKind::Post(word(gm + core as usize * BLOCK, false)))]
            }
            Pair::Arrive { gm, slots, stride } => {
                let posts = (0..slots as usize).map(|i| Some(StepKind::Post(word(gm + i * stride, false))));
                std::iter::once(Some(write)).chain(posts).collect()
            }
            Pair::Reach { at, arrivals } => vec![until(word(at, false), arrivals as usize), Some(look)],
            Pair::Flag { pipe, flag } => vec![Some(StepKind::CrossSet { pipe, flag })],
            Pair::Turns | Pair::Bypass => Vec::new(),
        };
        steps.into_iter().flatten().collect()
    }

    fn count(&mut self, word: Word) -> usize {
        let n = self.0.entry(word).or_default();
        *n += 1;
        *n
    }
}

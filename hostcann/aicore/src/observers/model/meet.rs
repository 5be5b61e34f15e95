//! How cores tell each other that they are done: SyncAll, cross-core flags, and words in global memory, which is what IBSet and
//! IBWait, WaitPreBlock and NotifyNextBlock, and GroupBarrier go through.

use super::{
    core::Core,
    params::Params,
    pipes::Next,
    program::{Scalar, What, Word},
};
use crate::{base::lanes::BLOCK, machine::observe::Pair};
use std::collections::HashMap;

/// What a core has told the others, and when.
#[derive(Debug, Default)]
pub(super) struct Told {
    flags: HashMap<u32, Vec<f64>>,
    waits: HashMap<u32, usize>,
    words: HashMap<Word, Vec<f64>>,
}

impl Told {
    pub fn set(&mut self, flag: u32, at: f64) {
        self.flags.entry(flag).or_default().push(at);
    }

    pub fn write(&mut self, word: Word, at: f64) {
        self.words.entry(word).or_default().push(at);
    }

    /// The flag's next wait.
    pub fn wait(&mut self, flag: u32) -> Next {
        let nth = self.waits.entry(flag).or_default();
        *nth += 1;
        Next::CrossWait { flag, nth: *nth - 1 }
    }
}

/// Cores that wait for each other go on together when all of them are there.
pub(super) fn meet(p: &Params, cores: &mut [Core<'_>]) -> bool {
    if cores.iter().all(|c| matches!(c.waits(), Next::End | Next::SyncAll(_)))
        && cores.iter().any(|c| matches!(c.waits(), Next::SyncAll(_)))
    {
        let last = cores.iter().fold(0.0, |t: f64, c| if let Next::SyncAll(at) = c.waits() { t.max(at) } else { t });
        cores.iter_mut().for_each(|c| c.released(last + p.sync_all));
        return true;
    }
    let mut some = false;
    for c in 0..cores.len() {
        let at = match cores[c].waits() {
            Next::CrossWait { flag, nth } => all_set(cores, flag, nth),
            Next::Until { word, count } => written(cores, word, count),
            _ => None,
        };
        if let Some(at) = at {
            cores[c].released(at);
            some = true;
        }
    }
    some
}

/// When every core that is still there had set a flag so often.
fn all_set(cores: &[Core<'_>], flag: u32, nth: usize) -> Option<f64> {
    let set = |c: &Core<'_>| c.told().flags.get(&flag).and_then(|times| times.get(nth)).copied();
    let ready = cores.iter().all(|c| set(c).is_some() || matches!(c.waits(), Next::End));
    ready.then(|| cores.iter().filter_map(set).fold(0.0, f64::max))
}

/// When a word had been written so often, by whomever.
fn written(cores: &[Core<'_>], word: Word, count: usize) -> Option<f64> {
    let mut times: Vec<f64> = cores.iter().filter_map(|c| c.told().words.get(&word)).flatten().copied().collect();
    times.sort_by(f64::total_cmp);
    times.get(count.checked_sub(1)?).copied()
}

/// Counts a block's own calls: the nth IBSet on a word needs n - 1 IBWait before it, and the nth IBWait n IBSet.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<Word, usize>);

impl Calls {
    /// The steps of a call. Each looks at a word, by a copy in, or writes one, by a copy out; what it waits for comes first.
    pub fn steps(&mut self, pair: Pair) -> Vec<What> {
        let look = What::Scalar(Scalar::Look);
        let write = What::Scalar(Scalar::Signal);
        let until = |word, count| (count > 0).then_some(What::Until { word, count });
        let word = |at: usize, back: bool| Word { at, back };
        let steps = match pair {
            Pair::Set(at) => {
                let free = self.count(word(at, false)) - 1;
                vec![until(word(at, true), free), Some(look), Some(write), Some(What::Post(word(at, false)))]
            }
            Pair::Wait(at) => {
                let set = self.count(word(at, true));
                vec![until(word(at, false), set), Some(look), Some(write), Some(What::Post(word(at, true)))]
            }
            Pair::WaitTurn { gm, core, cores } => {
                let round = self.count(word(gm, true));
                let (before, round) = if core > 0 { (core - 1, round) } else { (cores.max(1) - 1, round - 1) };
                vec![until(word(gm + before as usize * BLOCK, false), round), Some(look)]
            }
            Pair::EndTurn { gm, core } => vec![Some(write), Some(What::Post(word(gm + core as usize * BLOCK, false)))],
            Pair::Arrive { gm, slots, stride } => {
                let posts = (0..slots as usize).map(|i| Some(What::Post(word(gm + i * stride, false))));
                std::iter::once(Some(write)).chain(posts).collect()
            }
            Pair::Reach { at, arrivals } => vec![until(word(at, false), arrivals as usize), Some(look)],
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

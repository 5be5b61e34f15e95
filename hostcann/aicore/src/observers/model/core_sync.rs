//! Cores that wait for each other: SyncAll, cross-core flags, words in global memory.

use super::{core::Core, params::Params, pipes::Next, program::Word};

/// Releases the cores whose condition holds; those in SyncAll continue once all have arrived. False: none was released.
pub(super) fn release_waiting(p: &Params, cores: &mut [Core<'_>]) -> bool {
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

/// When every core that still runs and that sets the flag at all has set it for the `nth` time.
fn all_set(cores: &[Core<'_>], flag: u32, nth: usize) -> Option<f64> {
    let set = |c: &Core<'_>| c.signals().flag(flag, nth);
    let ready = cores.iter().all(|c| set(c).is_some() || matches!(c.waits(), Next::End) || !c.sets(flag));
    ready.then(|| cores.iter().filter_map(set).fold(0.0, f64::max))
}

/// When a word has been written `count` times, by any core.
fn written(cores: &[Core<'_>], word: Word, count: usize) -> Option<f64> {
    let mut times: Vec<f64> = cores.iter().flat_map(|c| c.signals().writes(word)).copied().collect();
    times.sort_by(f64::total_cmp);
    times.get(count.checked_sub(1)?).copied()
}

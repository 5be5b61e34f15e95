//! The scalar data cache of one core: 64-byte lines between GetValue/SetValue and global memory.
//!
//! SetValue leaves its bytes in the cache until DataCacheCleanAndInvalid writes the line back; GetValue keeps a line that
//! later copies do not refresh (GlobalTensor::SetValue and DataCacheCleanAndInvalid pages).

use crate::base::site::Site;
use std::collections::BTreeMap;

/// Bytes of a line.
pub(crate) const LINE: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// The last store that is not in global memory yet.
    pub dirty: Option<Site>,
    /// A bit for every byte that such stores wrote.
    stored: u64,
    /// The copy that overwrote the line in global memory after it was cached.
    pub stale: Option<Site>,
    /// Epoch in which the line was cached.
    pub epoch: usize,
}

impl Line {
    /// Whether bytes of a range wait in the line that starts at `at`.
    pub fn holds(&self, at: usize, start: usize, end: usize) -> bool {
        self.stored & bytes_of(at, start, end) != 0
    }
}

/// The bits of a range in the line that starts at `at`.
fn bytes_of(at: usize, start: usize, end: usize) -> u64 {
    let (from, to) = (start.max(at) - at, end.min(at + LINE).saturating_sub(at));
    if from < to { u64::MAX >> (LINE - (to - from)) << from } else { 0 }
}

#[derive(Default)]
pub(crate) struct Cache(BTreeMap<usize, Line>);

fn lines(start: usize, end: usize) -> impl Iterator<Item = usize> {
    (start / LINE * LINE..end.max(start + 1)).step_by(LINE)
}

impl Cache {
    /// The lines that hold bytes of a range and are cached.
    pub fn cached(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, Line)> + '_ {
        self.0.range(start / LINE * LINE..end.max(start + 1)).map(|(a, l)| (*a, *l))
    }

    pub fn load(&mut self, start: usize, end: usize, epoch: usize) {
        for at in lines(start, end) {
            self.0.entry(at).or_insert(Line { epoch, ..Line::default() });
        }
    }

    pub fn store(&mut self, start: usize, end: usize, epoch: usize, site: Site) {
        for at in lines(start, end) {
            let line = self.0.entry(at).or_insert(Line { epoch, ..Line::default() });
            line.dirty = Some(site);
            line.stored |= bytes_of(at, start, end);
        }
    }

    /// A copy of this core into global memory.
    pub fn overwritten(&mut self, start: usize, end: usize, site: Site) {
        for (_, line) in self.0.range_mut(start / LINE * LINE..end.max(start + 1)) {
            line.stale = Some(site);
        }
    }

    /// DataCacheCleanAndInvalid of one line or of all.
    pub fn clean(&mut self, addr: Option<usize>) {
        match addr {
            Some(a) => drop(self.0.remove(&(a / LINE * LINE))),
            None => self.0.clear(),
        }
    }

    /// What is not written back, one range and the last store per line.
    pub fn dirty(&self) -> impl Iterator<Item = (usize, usize, Site)> + '_ {
        self.0.iter().filter_map(|(at, l)| {
            let (first, behind) = (l.stored.trailing_zeros() as usize, LINE - l.stored.leading_zeros() as usize);
            Some((at + first, at + behind, l.dirty?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_dirty_until_cleaned_and_stale_when_overwritten() {
        let mut c = Cache::default();
        c.store(60, 68, 0, Site(1));
        assert_eq!(
            c.cached(0, 200).map(|(a, l)| (a, l.dirty)).collect::<Vec<_>>(),
            [(0, Some(Site(1))), (64, Some(Site(1)))]
        );
        c.clean(Some(70));
        assert_eq!(c.dirty().collect::<Vec<_>>(), [(60, 64, Site(1))]);
        let line = c.cached(0, 1).next().unwrap().1;
        assert!(line.holds(0, 60, 61) && line.holds(0, 63, 300) && !line.holds(0, 0, 60) && !line.holds(0, 64, 68));
        c.clean(None);
        assert_eq!(c.dirty().count(), 0);
        c.load(128, 132, 0);
        c.overwritten(190, 300, Site(2));
        assert_eq!(c.cached(130, 131).next().unwrap().1.stale, Some(Site(2)));
        assert_eq!(c.cached(0, 128).count(), 0);
    }
}

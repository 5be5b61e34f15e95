//! The scalar data cache of one core: 64-byte lines between GetValue/SetValue and global memory.
//!
//! SetValue leaves its bytes in the cache until DataCacheCleanAndInvalid writes the line back; GetValue keeps a line that
//! later copies do not refresh (GlobalTensor::SetValue and DataCacheCleanAndInvalid pages).

use super::launch::LINE;
use crate::site::Site;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// The store that is not in global memory yet.
    pub dirty: Option<Site>,
    /// The copy that overwrote the line in global memory after it was cached.
    pub stale: Option<Site>,
    /// Epoch in which the line was cached.
    pub epoch: usize,
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
            self.0.entry(at).or_insert(Line { epoch, ..Line::default() }).dirty = Some(site);
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

    pub fn first_dirty(&self) -> Option<(usize, Site)> {
        self.0.iter().find_map(|(a, l)| Some((*a, l.dirty?)))
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
        assert_eq!(c.first_dirty(), Some((0, Site(1))));
        c.clean(None);
        assert_eq!(c.first_dirty(), None);
        c.load(128, 132, 0);
        c.overwritten(190, 300, Site(2));
        assert_eq!(c.cached(130, 131).next().unwrap().1.stale, Some(Site(2)));
        assert_eq!(c.cached(0, 128).count(), 0);
    }
}

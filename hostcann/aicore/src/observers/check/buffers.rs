//! The physical buffers of the unified buffer: each TBuf, and each of the `num` buffers of a queue.

use crate::base::site::Site;

#[derive(Default)]
pub(crate) struct Buffers {
    /// Start and end, in the order of InitBuffer. Those of pools and of a second pipe may lie over each other.
    list: Vec<(usize, usize)>,
    /// The InitBuffer of each.
    sites: Vec<Site>,
    /// What PopStackBuffer handed out last.
    stack: Option<(usize, usize)>,
    /// There was a TPipe: a kernel without one places its tensors itself.
    piped: bool,
}

/// Why a range is not inside one buffer.
pub(crate) struct Outside {
    pub what: String,
    pub expected: String,
    /// The end of the buffer it starts in.
    pub end: Option<usize>,
}

impl Buffers {
    pub fn add(&mut self, start: usize, len: usize, site: Site) {
        self.list.push((start, start + len));
        self.sites.push(site);
    }

    /// The last InitBuffer whose buffer holds a byte.
    pub fn made_by(&self, byte: usize) -> Option<Site> {
        let at = self.list.iter().rposition(|(start, end)| (*start..*end).contains(&byte))?;
        Some(self.sites[at])
    }

    pub fn add_stack(&mut self, start: usize, len: usize) {
        self.stack = Some((start, start + len));
    }

    pub fn clear(&mut self) {
        *self = Buffers { piped: true, ..Buffers::default() };
    }

    /// The end of the last buffer of InitBuffer.
    pub fn end(&self) -> usize {
        self.list.iter().map(|b| b.1).max().unwrap_or(0)
    }

    /// An operand stays in the buffer that holds its first byte: neighbours belong to other tensors, and nothing on the
    /// device notices (TPipe InitBuffer page).
    pub fn check(&self, addr: usize, len: usize) -> Result<(), Outside> {
        let mut holding = self.list.iter().chain(&self.stack).filter(|(start, end)| *start <= addr && addr < *end);
        match holding.clone().max_by_key(|(_, end)| *end) {
            None if !self.piped => Ok(()),
            Some((_, end)) if addr + len <= *end => Ok(()),
            Some((_, last)) => {
                let (start, end) = holding.next_back().unwrap_or(&(0, 0));
                Err(Outside {
                    what: "operand leaves the buffer it starts in".to_owned(),
                    expected: format!("an end inside the buffer at bytes {start} to {end}"),
                    end: Some(*last),
                })
            }
            None => Err(Outside {
                what: "operand lies in no buffer of the pipe".to_owned(),
                expected: "memory from InitBuffer".to_owned(),
                end: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stay_in_one_buffer() {
        let mut b = Buffers::default();
        assert!(b.check(0, 1).is_ok(), "there is no TPipe");
        b.clear();
        b.add(0, 64, Site(1));
        b.add(64, 64, Site(2));
        assert_eq!([0, 63, 64, 128].map(|byte| b.made_by(byte)), [Some(Site(1)), Some(Site(1)), Some(Site(2)), None]);
        assert!(b.check(0, 64).is_ok() && b.check(96, 32).is_ok());
        assert_eq!(b.check(32, 64).unwrap_err().expected, "an end inside the buffer at bytes 0 to 64");
        assert_eq!(b.check(128, 1).unwrap_err().what, "operand lies in no buffer of the pipe");
        b.add_stack(128, 1024);
        assert!(b.check(128, 1024).is_ok() && b.check(128, 1025).is_err());
        b.clear();
        assert!(b.check(0, 1).is_err());
        b.add(64, 64, Site(1));
        b.add(64, 128, Site(2));
        assert_eq!(b.made_by(64), Some(Site(2)), "the later one has the byte");
        assert!(b.check(64, 128).is_ok() && b.check(64, 129).is_err() && b.check(0, 32).is_err());
    }
}

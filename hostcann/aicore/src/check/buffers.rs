//! The physical buffers of the unified buffer: each TBuf, and each of the `num` buffers of a queue.

#[derive(Default)]
pub(crate) struct Buffers {
    /// Start and end, ascending.
    list: Vec<(usize, usize)>,
    /// What PopStackBuffer handed out last.
    stack: Option<(usize, usize)>,
}

/// Why a range is not inside one buffer.
pub(crate) struct Outside {
    pub what: String,
    pub expected: String,
}

impl Buffers {
    pub fn add(&mut self, start: usize, len: usize) {
        self.list.push((start, start + len));
    }

    pub fn add_stack(&mut self, start: usize, len: usize) {
        self.stack = Some((start, start + len));
    }

    pub fn clear(&mut self) {
        *self = Buffers::default();
    }

    /// The buffer that holds a byte.
    fn of(&self, addr: usize) -> Option<(usize, usize)> {
        let i = self.list.partition_point(|(start, _)| *start <= addr);
        let holds = |b: &(usize, usize)| b.0 <= addr && addr < b.1;
        self.list[..i].last().copied().filter(holds).or(self.stack.filter(holds))
    }

    /// An operand stays in the buffer that holds its first byte: neighbours belong to other tensors, and nothing on the
    /// device notices (TPipe InitBuffer page).
    pub fn check(&self, addr: usize, len: usize) -> Result<(), Outside> {
        match self.of(addr) {
            Some((_, end)) if addr + len <= end => Ok(()),
            Some((start, end)) => Err(Outside {
                what: "operand leaves the buffer it starts in".to_owned(),
                expected: format!("an end inside the buffer at bytes {start} to {end}"),
            }),
            None => Err(Outside {
                what: "operand lies in no buffer of the pipe".to_owned(),
                expected: "memory from InitBuffer".to_owned(),
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
        b.add(0, 64);
        b.add(64, 64);
        assert!(b.check(0, 64).is_ok() && b.check(96, 32).is_ok());
        assert_eq!(b.check(32, 64).unwrap_err().expected, "an end inside the buffer at bytes 0 to 64");
        assert_eq!(b.check(128, 1).unwrap_err().what, "operand lies in no buffer of the pipe");
        b.add_stack(128, 1024);
        assert!(b.check(128, 1024).is_ok() && b.check(128, 1025).is_err());
        b.clear();
        assert!(b.check(0, 1).is_err());
    }
}

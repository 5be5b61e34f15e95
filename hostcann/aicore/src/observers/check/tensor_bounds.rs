//! An operand stays in the tensor that a queue, a TBuf or an allocator handed out.

use super::Checker;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::Operand,
        lanes::BLOCK,
    },
    instruction::ub,
    machine::observe::Access,
};

/// Whether the tensor's place is known.
pub(super) fn is_known(o: Operand) -> bool {
    o.begin < o.end
}

/// Where an operand begins that does not begin in its tensor: `begins at byte 1024, at the end of its tensor of 1024 bytes`.
fn outside(o: Operand) -> Option<String> {
    if !is_known(o) || (o.begin <= o.addr && o.addr < o.end) {
        return None;
    }
    let bytes = o.end - o.begin;
    if o.addr < o.begin {
        let before = o.begin - o.addr;
        return Some(format!("begins {before} bytes before its tensor of {bytes} bytes"));
    }
    let place = match o.addr - o.end {
        0 => "at the end".to_owned(),
        n => format!("{n} bytes beyond the end"),
    };
    Some(format!("begins at byte {}, {place} of its tensor of {bytes} bytes", o.addr - o.begin))
}

impl Checker {
    /// The device knows no tensors: an offset beyond the end reads or overwrites what lies there.
    pub(super) fn begins_in_tensor(&self, name: &str, o: Operand, extent: usize) -> Result<bool, Raise> {
        let Some(text) = outside(o) else { return Ok(true) };
        self.found(
            self.bounds(name, text + &self.made_by(o))
                .expected(format!("an offset inside the tensor, UB bytes {} to {}", o.begin, o.end))
                .got(format!("UB bytes {} to {}", o.addr, o.addr as usize + extent))
                .fix("check the offset of tensor[offset], in elements, against the length of the tensor"),
        )?;
        Ok(false)
    }

    /// The end counts in whole blocks, which is what copies write; Some: the operand goes on behind it.
    pub(super) fn ends_in_tensor(
        &self,
        name: &str,
        o: Operand,
        extent: usize,
        access: Access,
    ) -> Result<Option<usize>, Raise> {
        let end = o.addr as usize + extent;
        // Whole repeats are compared: see `in_buffer`.
        let beyond = is_known(o) && end > (o.end as usize).next_multiple_of(BLOCK);
        if !beyond || self.compares() && access == Access::Read {
            return Ok(None);
        }
        let (from, to) = (o.addr - o.begin, end - o.begin as usize);
        let limit = (o.end as usize).next_multiple_of(BLOCK);
        self.found(
            self.bounds(name, format!("operand leaves its tensor of {} bytes{}", o.end - o.begin, self.made_by(o)))
                .expected(format!("an end inside the tensor, UB bytes {} to {}", o.begin, o.end))
                .got(format!("its bytes {from} to {to}"))
                .fix(ub::compare_lengths(self.now.what.pipe(), "given to InitBuffer, Get or Alloc")),
        )?;
        Ok(Some(limit))
    }

    /// ` of InitBuffer at k.cpp:7`: the names of tensors are not known here.
    fn made_by(&self, o: Operand) -> String {
        let site = self.buffers.made_by(o.begin as usize);
        site.map_or(String::new(), |site| format!(" of InitBuffer{}", site.at()))
    }

    fn bounds(&self, name: &str, what: String) -> Raise {
        Raise::new(FaultClass::BufferBounds, self.now.what.pipe(), self.now.what.name(), what).operand(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_operand_begins() {
        let at = |addr| outside(Operand { addr, bytes: 0, begin: 1024, end: 2048, lease: 0 });
        assert_eq!((at(1024), at(2047)), (None, None));
        assert_eq!(at(2048).unwrap(), "begins at byte 1024, at the end of its tensor of 1024 bytes");
        assert_eq!(at(2052).unwrap(), "begins at byte 1028, 4 bytes beyond the end of its tensor of 1024 bytes");
        assert_eq!(at(1020).unwrap(), "begins 4 bytes before its tensor of 1024 bytes");
        assert_eq!(outside(Operand::new(5, 0)), None);
    }
}

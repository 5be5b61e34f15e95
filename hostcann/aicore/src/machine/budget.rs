//! What each InitBuffer of a TPipe took of the unified buffer.

use crate::base::{fault::Raise, site::Site};

/// The call of each InitBuffer, and how many buffers of how many bytes it asked for.
#[derive(Default)]
pub(crate) struct Taken(Vec<(Site, u32, u32)>);

impl Taken {
    pub fn add(&mut self, site: Site, num: u32, len: u32) {
        self.0.push((site, num, len));
    }

    /// The call whose buffer holds a byte, and which of its bytes it is.
    pub fn holder(&self, byte: usize) -> Option<(Site, usize)> {
        let mut end = 0;
        self.0.iter().find_map(|(site, num, len)| {
            let start = end;
            end += *num as usize * (*len as usize).next_multiple_of(32);
            (start..end).contains(&byte).then(|| (*site, byte - start))
        })
    }

    /// Says of an operand beyond the unified buffer that the buffers do not fit, who took how much, and which goes over.
    #[cold]
    pub fn explain(&self, mut raise: Raise, used: usize, ub_size: usize) -> Raise {
        const SHOWN: usize = 6;
        let mut end = 0;
        let mut list = Vec::new();
        for (site, num, len) in &self.0 {
            let before = end;
            end += *num as usize * (*len as usize).next_multiple_of(32);
            let at = site.location().map_or(String::new(), |at| format!(" at {at}"));
            let over = if before <= ub_size && end > ub_size { ", which goes over" } else { "" };
            list.push(format!("{num} x {len}{at}{over}"));
        }
        let more = list.len().saturating_sub(SHOWN);
        list.truncate(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        raise.what =
            "the buffers of InitBuffer do not fit into the unified buffer, and the operand lies beyond it".to_owned();
        raise
            .expected(format!("at most {ub_size} bytes of buffers"))
            .got(format!("{used} bytes: {}{more}", list.join(", ")))
            .fix("shrink the tile in the tiling function, or num in InitBuffer")
    }
}

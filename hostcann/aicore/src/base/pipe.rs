//! The pipes of a core.

use std::fmt;

/// Pipe identifiers with the toolkit's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Pipe {
    S = 0,
    V = 1,
    M = 2,
    MTE1 = 3,
    MTE2 = 4,
    MTE3 = 5,
    ALL = 6,
    FIX = 10,
}

impl Pipe {
    pub const TABLE: &'static [(&'static str, Pipe)] = &[
        ("S", Pipe::S),
        ("V", Pipe::V),
        ("M", Pipe::M),
        ("MTE1", Pipe::MTE1),
        ("MTE2", Pipe::MTE2),
        ("MTE3", Pipe::MTE3),
        ("ALL", Pipe::ALL),
        ("FIX", Pipe::FIX),
    ];
    pub fn from_code(code: u32) -> Option<Pipe> {
        Pipe::TABLE.iter().map(|(_, p)| *p).find(|p| *p as u32 == code)
    }
    pub fn name(self) -> &'static str {
        Pipe::TABLE.iter().find(|(_, p)| *p == self).map_or("?", |(n, _)| n)
    }
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

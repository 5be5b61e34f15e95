//! What tensors carry besides their place: their ShapeInfo and tag. A tensor holds a number, the bytes are here once.

use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Notes {
    kept: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
}

impl Notes {
    pub fn clear(&mut self) {
        if !self.kept.is_empty() {
            *self = Notes::default();
        }
    }

    /// The number of these bytes, 1 or more. They stay where they are until [`Notes::clear`].
    pub fn keep(&mut self, bytes: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(bytes) {
            return *number;
        }
        self.kept.push(bytes.into());
        let number = self.kept.len() as u32;
        self.numbers.insert(bytes.into(), number);
        number
    }

    /// Null for 0 and for numbers that were not given out.
    pub fn bytes(&self, number: u32) -> *const u8 {
        self.kept.get((number as usize).wrapping_sub(1)).map_or(std::ptr::null(), |b| b.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_have_one_number() {
        let mut n = Notes::default();
        assert_eq!([n.keep(b"ab"), n.keep(b"cd"), n.keep(b"ab")], [1, 2, 1]);
        // SAFETY: two bytes were kept.
        assert_eq!(unsafe { std::slice::from_raw_parts(n.bytes(2), 2) }, b"cd");
        assert!(n.bytes(0).is_null() && n.bytes(3).is_null());
        n.clear();
        assert!(n.bytes(1).is_null());
    }
}

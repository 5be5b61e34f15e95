//! Elements whose type is known at run time only: the bits of each in the low end of a word.

use crate::dtype::{DataType, DynType, from_word};
use crate::with_type;

const SENTINEL: u32 = 0xa5a5_a5a5;

/// Fills memory that nobody may write; an unlikely result in every type.
pub fn sentinel<T: DataType>() -> T {
    from_word(SENTINEL)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    pub dtype: DynType,
    pub bits: Vec<u32>,
}

impl Data {
    pub fn of<T: DataType>(values: &[T]) -> Data {
        Data { dtype: T::TYPE, bits: values.iter().map(|value| value.bits() as u32).collect() }
    }

    /// Numbers as [`DynType::encode`] converts them.
    pub fn encode(dtype: DynType, numbers: impl IntoIterator<Item = f64>) -> Data {
        Data { dtype, bits: numbers.into_iter().map(|number| dtype.encode(number)).collect() }
    }

    /// Memory that must keep its contents.
    pub fn sentinels(dtype: DynType, count: usize) -> Data {
        Data { dtype, bits: vec![mask(dtype) & SENTINEL; count] }
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    pub fn to_vec<T: DataType>(&self) -> Vec<T> {
        assert_eq!(self.dtype, T::TYPE, "type of the data");
        self.bits.iter().map(|bits| T::from_bits((*bits).into())).collect()
    }

    /// The elements at these indices.
    pub fn pick(&self, indices: impl IntoIterator<Item = usize>) -> Data {
        Data { dtype: self.dtype, bits: indices.into_iter().map(|index| self.bits[index]).collect() }
    }

    /// Device memory image, little endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let width = self.dtype.bytes();
        let mut bytes = Vec::with_capacity(self.len() * width);
        self.bits.iter().for_each(|bits| bytes.extend_from_slice(&bits.to_le_bytes()[..width]));
        bytes
    }

    pub fn from_bytes(dtype: DynType, bytes: &[u8]) -> Data {
        let word = |chunk: &[u8]| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        };
        Data { dtype, bits: bytes.chunks_exact(dtype.bytes()).map(word).collect() }
    }

    /// The device's casts (Ascend C API docs, Cast): between floating types to nearest even, between integers the low
    /// bits, from integers to floating types to nearest even, to the 16-bit ones through fp32, from floating types to
    /// integers toward zero, saturating, NaN to 0.
    pub fn cast(&self, to: DynType) -> Data {
        let from = self.dtype;
        if from == to {
            return self.clone();
        }
        let convert = |bits: &u32| -> u32 {
            match (from.is_floating(), to.is_floating()) {
                (false, false) => mask(to) & signed(from, *bits) as u32,
                (true, false) => to.encode(from.decode(*bits)),
                (_, true) => to.encode((from.decode(*bits) as f32).into()),
            }
        };
        Data { dtype: to, bits: self.bits.iter().map(convert).collect() }
    }

    /// Same bits, or both NaN: which NaN an operation makes is not specified.
    pub fn same(&self, index: usize, other: &Data) -> bool {
        let (a, b) = (self.bits[index], other.bits[index]);
        a == b || (self.dtype.is_nan(a) && self.dtype.is_nan(b))
    }

    /// Value and bits of one element.
    pub fn show(&self, index: usize) -> String {
        let bits = self.bits[index];
        let width = 2 + 2 * self.dtype.bytes();
        with_type!(self.dtype, T => format!("{:?} ({bits:#0width$x})", from_word::<T>(bits)))
    }
}

fn mask(dtype: DynType) -> u32 {
    u32::MAX >> (32 - 8 * dtype.bytes())
}

fn signed(dtype: DynType, bits: u32) -> i32 {
    with_type!(dtype, T => from_word::<T>(bits).to_f64() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn check<X: DataType, Y: DataType>(x: X, y: Y) {
        let got = Data::of(&[x]).cast(Y::TYPE);
        assert!(got.same(0, &Data::of(&[y])), "{x:?} as {:?}: got {}, expected {y:?}", Y::TYPE, got.show(0));
    }

    #[test]
    fn casts_of_the_device() {
        check(300i16, 44i8);
        check(-1i32, 255u8);
        check(200u8, -56i8);
        check(-2i8, -2i32);
        check(16_777_217i32, 16_777_216f32);
        check(70_000i32, f16::INFINITY);
        check(257i16, bf16::from_f32(256.0));
        check(1.0f32 + f32::EPSILON, f16::ONE);
        check(f16::NEG_ZERO, -0.0f32);
        check(bf16::NAN, f16::NAN);
        check(-2.75f32, -2i16);
        check(bf16::from_f32(300.0), 127i8);
        check(f32::NEG_INFINITY, 0u8);
        check(f16::NAN, 0i32);
    }

    #[test]
    fn bytes_there_and_back() {
        for dtype in DynType::SUPPORTED {
            let data = Data::encode(dtype, [0.0, 1.0, -3.0, 100.0]);
            assert_eq!(Data::from_bytes(dtype, &data.to_bytes()), data);
        }
        assert_eq!(Data::of(&[-2i16]).to_bytes(), [0xfe, 0xff]);
    }
}

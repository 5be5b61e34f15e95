//! What is swept: each class is one element type, one precision, one API, and a set of pairs cut into blocks.

use fmod_tests::DynType;
use fmod_tests::golden::Mode;

/// Tensor: a divisor per element. Scalar: a divisor per row, each row one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Tensor,
    Scalar,
}

#[derive(Clone, Copy, Debug)]
pub struct Class {
    pub name: &'static str,
    pub dtype: DynType,
    pub mode: Mode,
    pub form: Form,
}

const fn class(name: &'static str, dtype: DynType, mode: Mode, form: Form) -> Class {
    Class { name, dtype, mode, form }
}

/// Integers are computed the same way in both modes and are swept once.
pub const CLASSES: [Class; 20] = [
    class("f16-exact", DynType::F16, Mode::Exact, Form::Tensor),
    class("bf16-exact", DynType::BF16, Mode::Exact, Form::Tensor),
    class("i16", DynType::I16, Mode::Exact, Form::Tensor),
    class("i8", DynType::I8, Mode::Exact, Form::Tensor),
    class("u8", DynType::U8, Mode::Exact, Form::Tensor),
    class("f32-exact", DynType::F32, Mode::Exact, Form::Tensor),
    class("i32", DynType::I32, Mode::Exact, Form::Tensor),
    class("f16-scalar-exact", DynType::F16, Mode::Exact, Form::Scalar),
    class("bf16-scalar-exact", DynType::BF16, Mode::Exact, Form::Scalar),
    class("i16-scalar", DynType::I16, Mode::Exact, Form::Scalar),
    class("i8-scalar", DynType::I8, Mode::Exact, Form::Scalar),
    class("u8-scalar", DynType::U8, Mode::Exact, Form::Scalar),
    class("f32-scalar-exact", DynType::F32, Mode::Exact, Form::Scalar),
    class("i32-scalar", DynType::I32, Mode::Exact, Form::Scalar),
    class("f16-tbe", DynType::F16, Mode::Tbe, Form::Tensor),
    class("bf16-tbe", DynType::BF16, Mode::Tbe, Form::Tensor),
    class("f32-tbe", DynType::F32, Mode::Tbe, Form::Tensor),
    class("f16-scalar-tbe", DynType::F16, Mode::Tbe, Form::Scalar),
    class("bf16-scalar-tbe", DynType::BF16, Mode::Tbe, Form::Scalar),
    class("f32-scalar-tbe", DynType::F32, Mode::Tbe, Form::Scalar),
];

impl Class {
    /// All pairs, or drawn ones.
    pub fn is_exhaustive(&self) -> bool {
        self.dtype.bytes() < 4
    }
}

/// One part of `n`, counted from 1: the blocks whose number leaves `i - 1` when divided by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: u64,
    pub count: u64,
}

impl Shard {
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("--shard {text} is not I/N with 1 <= I <= N, for example --shard 1/4")),
        }
    }

    /// How many of `blocks` belong to this shard.
    pub fn len(self, blocks: u64) -> u64 {
        (blocks + self.count - self.index) / self.count
    }

    pub fn block(self, position: u64) -> u64 {
        position * self.count + self.index - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition() {
        for (blocks, count) in [(1, 1), (1, 3), (10, 3), (4096, 7)] {
            let shards = (1..=count).map(|index| Shard { index, count });
            let mut all: Vec<u64> =
                shards.flat_map(|shard| (0..shard.len(blocks)).map(move |position| shard.block(position))).collect();
            all.sort_unstable();
            assert_eq!(all, (0..blocks).collect::<Vec<_>>(), "{blocks} in {count}");
        }
    }

    #[test]
    fn shard_texts() {
        assert_eq!(Shard::parse("2/4"), Ok(Shard { index: 2, count: 4 }));
        for bad in ["0/4", "5/4", "4", "a/b", "1/0", ""] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_manifest_names_every_class() {
        let manifest = include_str!("../../../Cargo.toml");
        let list = manifest.split("classes = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let named: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(named, CLASSES.map(|class| class.name));
    }

    #[test]
    fn names_are_unique() {
        let mut names = CLASSES.map(|class| class.name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

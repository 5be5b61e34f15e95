//! C++ that is printed as it is: the headers of `ascgraph/cpp` without their guards and includes. They go into the namespace
//! of an operator, each after those that it includes.

/// How the host side cuts loops into tiles: `NeedOf` and `SolveTiling`, as [`crate::tiling`] does it.
pub const SOLVE: &str = body(include_str!("../cpp/solve.h"));

/// What tilings cost: `Cost`, `PriceOf` and `SolvePriced`, as [`crate::cost`] does it. After [`SOLVE`].
pub const PRICE: &str = body(include_str!("../cpp/price.h"));

/// Sizes: an integer as the graph's expressions have it, where what does not fit, and a quotient with a remainder, stays
/// wrong.
pub(crate) const EXACT: &str = body(include_str!("../cpp/exact.h"));

/// Shapes of tensors.
pub(crate) const SHAPE: &str = body(include_str!("../cpp/shape.h"));

/// What binds symbols to the sizes of shapes. After [`SHAPE`].
pub(crate) const GUARDS: &str = body(include_str!("../cpp/guards.h"));

/// Kernels: a tile of any type is copied.
pub(crate) const COPY: &str = body(include_str!("../cpp/copy.h"));

/// Kernels: comparisons and what chooses by one. `work` has 3 bytes for each element, 5 where int32 is compared.
pub(crate) const MASKS: &str = body(include_str!("../cpp/masks.h"));

/// Kernels: one over a tile.
pub(crate) const ONES: &str = body(include_str!("../cpp/ones.h"));

/// Kernels: Sigmoid, Tanh, Sign. After [`ONES`].
pub(crate) const GATES: &str = body(include_str!("../cpp/gates.h"));

/// Kernels: Erf and Pow.
pub(crate) const POWERS: &str = body(include_str!("../cpp/powers.h"));

/// Kernels: and, or, not of truth values, and of bits.
pub(crate) const LOGIC: &str = body(include_str!("../cpp/logic.h"));

/// Kernels: the remainder of int32 with the sign of the divisor. `work` has 12 bytes for each element.
pub(crate) const REMAINDER: &str = body(include_str!("../cpp/remainder.h"));

/// Kernels: tiles of whole rows, `rows` of them, `length` elements each, `stride` elements apart.
pub(crate) const ROWS: &str = body(include_str!("../cpp/rows.h"));

/// Kernels: rows with one element each. After [`ROWS`].
pub(crate) const SPREAD: &str = body(include_str!("../cpp/spread.h"));

/// Kernels: tiles whose rows are the columns of what is computed with. After [`ROWS`].
pub(crate) const TURNED: &str = body(include_str!("../cpp/turned.h"));

/// Kernels: rows to one element each. After [`ROWS`].
pub(crate) const REDUCE: &str = body(include_str!("../cpp/reduce.h"));

/// Kernels: rows of int32 to one element each. After [`REDUCE`]. `work` has [`FOLD_BYTES`] for each row.
pub(crate) const FOLD: &str = body(include_str!("../cpp/fold.h"));
pub(crate) const FOLD_BYTES: usize = 64;

/// Kernels: rows that go by in pieces. After [`REDUCE`].
pub(crate) const PIECES: &str = body(include_str!("../cpp/pieces.h"));

/// Kernels: columns whose rows go by in pieces. After [`REDUCE`].
pub(crate) const COLUMNS: &str = body(include_str!("../cpp/columns.h"));

/// Without the guard and the includes at the top, and the end of the guard.
const fn body(header: &str) -> &str {
    let bytes = header.as_bytes();
    let mut begin = 0;
    while bytes[begin] == b'#' || bytes[begin] == b'\n' {
        while bytes[begin] != b'\n' {
            begin += 1;
        }
        begin += 1;
    }
    let mut end = bytes.len() - 1;
    while bytes[end] != b'#' {
        end -= 1;
    }
    header.split_at(end).0.split_at(begin).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_and_includes_are_not_printed() {
        assert_eq!(
            body("#ifndef A_H\n#define A_H\n\n#include <a>\n\n// A.\nint a;\n#endif // A_H\n"),
            "// A.\nint a;\n"
        );
        for text in [
            SOLVE, PRICE, EXACT, SHAPE, GUARDS, COPY, MASKS, REMAINDER, ONES, GATES, POWERS, LOGIC, ROWS, REDUCE, FOLD,
            PIECES, COLUMNS,
        ] {
            assert!(!text.contains('#') && text.ends_with("}\n") | text.ends_with(";\n"), "{text}");
        }
    }
}

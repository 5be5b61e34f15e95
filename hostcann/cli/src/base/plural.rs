//! Counts in messages.

use std::fmt::Display;

/// `1 file`, `2 files`, `2 classes`.
pub fn number<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let end = match what {
        _ if count == N::from(1) => "",
        _ if ["s", "x", "ch", "sh"].iter().any(|end| what.ends_with(end)) => "es",
        _ => "s",
    };
    format!("{count} {what}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        let of = |what| [0_usize, 1, 2].map(|count| number(count, what)).join(", ");
        assert_eq!(of("file"), "0 files, 1 file, 2 files");
        assert_eq!(of("launch"), "0 launches, 1 launch, 2 launches");
        assert_eq!(of("class"), "0 classes, 1 class, 2 classes");
        assert_eq!(number(1_u64, "pair"), "1 pair");
    }
}

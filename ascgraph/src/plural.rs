//! Counts in messages.

use std::fmt::Display;

/// `1 element`, `2 elements`.
pub fn number<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let end = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{end}")
}

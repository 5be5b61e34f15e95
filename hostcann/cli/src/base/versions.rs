//! Version numbers out of what tools print.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The first `a.b` or `a.b.c` of the text that starts a word. Parenthesised package names such as
/// `g++ (Debian 12.2.0-14) 12.2.0` and suffixes such as ninja's `1.11.1.git.kitware` do not disturb.
pub fn parse(text: &str) -> Option<Version> {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain.split_whitespace().find_map(parse_word)
}

fn parse_word(word: &str) -> Option<Version> {
    let mut parts = word.split('.').map(|part| {
        let digits = part.find(|c: char| !c.is_ascii_digit()).map_or(part, |end| &part[..end]);
        digits.parse::<u32>().ok()
    });
    let major = parts.next()??;
    let minor = parts.next()??;
    Some(Version(major, minor, parts.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_real_tools_print() {
        let cases = [
            ("cmake version 3.31.6\n\nCMake suite maintained by Kitware", Version(3, 31, 6)),
            ("1.11.1.git.kitware.jobserver-1\n", Version(1, 11, 1)),
            ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022", Version(12, 2, 0)),
            ("g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", Version(11, 4, 0)),
            ("clang-format version 18.1.8", Version(18, 1, 8)),
            ("Debian clang-format version 14.0.6", Version(14, 0, 6)),
            ("Python 3.11.2", Version(3, 11, 2)),
            ("pip 23.0.1 from /usr/lib/python3/dist-packages/pip (python 3.11)", Version(23, 0, 1)),
            ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", Version(1, 95, 0)),
            ("git version 2.39.5", Version(2, 39, 5)),
            ("rustfmt 1.8.0-stable (abc 2026-01-01)", Version(1, 8, 0)),
            ("tar (GNU tar) 1.34", Version(1, 34, 0)),
        ];
        for (text, version) in cases {
            assert_eq!(parse(text), Some(version), "{text}");
        }
        assert_eq!(parse("command not found"), None);
    }

    #[test]
    fn order() {
        assert!(Version(3, 9, 9) < Version(3, 16, 0));
    }
}

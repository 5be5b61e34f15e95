//! cargo's progress bar: how many units of how many are built, and which are being compiled. cargo draws it over itself, so
//! that it is no line of the log.

use std::mem::take;

use super::plain::plain;

/// For cargo: draw the bar although nobody looks at a terminal, wide enough for the names of some crates.
pub const VARIABLES: [(&str, &str); 2] = [("CARGO_TERM_PROGRESS_WHEN", "always"), ("CARGO_TERM_PROGRESS_WIDTH", "160")];

/// What a bar says.
#[derive(Debug, PartialEq, Eq)]
pub struct Bar {
    /// `done/all`
    pub count: String,
    /// The units that are being compiled.
    pub units: String,
}

/// Takes the bars out of what cargo prints.
#[derive(Default)]
pub struct Filter {
    /// Without an end of line so far.
    open: Vec<u8>,
}

impl Filter {
    /// The lines among these bytes, and the last bar.
    pub fn feed(&mut self, chunk: &[u8]) -> (Vec<u8>, Option<Bar>) {
        let (mut lines, mut last) = (Vec::new(), None);
        for piece in chunk.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            self.open.extend_from_slice(piece);
            if !piece.ends_with(b"\r") && !piece.ends_with(b"\n") {
                break;
            }
            let whole = take(&mut self.open);
            match bar(&String::from_utf8_lossy(&whole)) {
                Some(bar) => last = Some(bar),
                None => lines.extend(whole),
            }
        }
        (lines, last)
    }

    /// What has no end of line when cargo ends.
    pub fn rest(&mut self) -> Vec<u8> {
        take(&mut self.open)
    }
}

/// `    Building [====>   ] 47/49: hostcann-aicore, zlib(build)   \r`
fn bar(piece: &str) -> Option<Bar> {
    let text = plain(piece.strip_suffix('\r')?);
    let (count, units) = text.trim_start().strip_prefix("Building [")?.split_once("] ")?.1.split_once(": ")?;
    count.contains('/').then(|| Bar { count: count.to_owned(), units: units.trim_end().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "   Compiling a v0.1.0 (/x)\n    Building [===>      ] 1/5: b, app(build.rs)     \rwarning: unused\n  \
                           \x1b[1m\x1b[96m  Building\x1b[0m [=====>    ] 2/5: app(bin)     \r    Finished";

    /// However the pipe cuts it.
    #[test]
    fn bars_are_no_lines() {
        for size in [1, 2, 7, 64, PRINTED.len()] {
            let (mut filter, mut lines, mut bars) = (Filter::default(), Vec::new(), Vec::new());
            for chunk in PRINTED.as_bytes().chunks(size) {
                let (text, bar) = filter.feed(chunk);
                lines.extend(text);
                bars.extend(bar);
            }
            lines.extend(filter.rest());
            let lines = String::from_utf8(lines).expect("UTF-8");
            assert_eq!(lines, "   Compiling a v0.1.0 (/x)\nwarning: unused\n    Finished", "{size}");
            assert_eq!(bars.last(), Some(&Bar { count: "2/5".into(), units: "app(bin)".into() }), "{size}");
        }
    }

    #[test]
    fn other_lines_are_kept() {
        for text in ["    Building [x\n", "50 %\r", "\r\n", "    Building [=> ] soon\r"] {
            assert_eq!(Filter::default().feed(text.as_bytes()), (text.as_bytes().to_vec(), None), "{text:?}");
        }
    }
}

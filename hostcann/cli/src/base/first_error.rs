//! A failure in one line, for tables.

use crate::base::diag::{self, Kind};
use crate::base::plain::plain;

const LONGEST: usize = 300;

/// The first line that says what is wrong.
pub fn first_of(error: &anyhow::Error) -> String {
    let causes = diag::causes(error);
    let said = diag::detail(error).map(error_line).filter(|line| !line.is_empty());
    // What was stopped has said nothing about why.
    let is_stopped = diag::kind(error) == Some(Kind::Stopped);
    match said {
        Some(line) if !is_stopped && !causes.iter().any(|cause| cause.contains("time limit")) => line,
        _ => shortened(&causes.join(": ")),
    }
}

/// The first line of a compiler, a linker or CMake that tells of an error.
pub fn error_line(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).collect();
    let signs = ["error: ", "fatal error: ", "undefined reference", "cannot find "];
    let found = lines.iter().position(|line| signs.iter().any(|sign| line.contains(sign)));
    if let Some(at) = lines.iter().position(|line| line.starts_with("CMake Error"))
        && found.is_none_or(|found| at < found)
    {
        // What it is about stands in the lines below.
        let more = lines[at + 1..].iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        return shortened(&more.take(3).collect::<Vec<_>>().join(" "));
    }
    let first = || lines.iter().find(|line| !line.trim().is_empty());
    shortened(found.map(|at| &lines[at]).or_else(first).map_or("", String::as_str))
}

/// One line, without the directories in front of the operator's own.
pub fn shortened(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let part = ["/op_kernel/", "/op_host/", "/op_api/", "/examples/", "/tests/ut/", "/hostcann/include/"];
        let at = part.iter().filter_map(|part| word.find(part)).min();
        at.filter(|_| word.starts_with('/')).map_or(word, |at| &word[at + 1..])
    });
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells() {
        let gcc = "In file included from a\n/x/sqrt/op_kernel/sqrt.h:7:3: \x1b[31merror: \x1b[mno 'X'\n/x: error: z";
        assert_eq!(error_line(gcc), "op_kernel/sqrt.h:7:3: error: no 'X'");
        let linker =
            "/usr/bin/ld: a.o: in function `f':\na.cpp:(.text+0x1): undefined reference to `g'\ncollect2: error: ld";
        assert_eq!(error_line(linker), "a.cpp:(.text+0x1): undefined reference to `g'");
        let cmake = "CMake Error at /r/CMakeLists.txt:3 (message):\n  no such\n  op\n\nerror: x";
        assert_eq!(error_line(cmake), "no such op error: x");
        assert_eq!(error_line("\nsomething else\n"), "something else");
        assert_eq!(error_line(""), "");
        assert_eq!(shortened(&"x".repeat(400)).chars().count(), LONGEST + 1);
    }
}

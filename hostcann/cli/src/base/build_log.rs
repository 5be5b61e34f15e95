//! What a failed build said that helps: the compiler's messages, without what cmake, ninja and cargo say about themselves.

use crate::base::plain::plain;
use crate::base::progress::ninja_status;

/// The first error is the one to mend.
const SHOWN_LINES: usize = 60;
/// Of a log without a line that is known to be an error.
const LAST_LINES: usize = 40;

/// Messages of the commands that failed; of CMake, when it did not come to building; else the end of the log.
pub fn messages(text: &str) -> String {
    let failed = failed_commands(text);
    let lines = if !failed.is_empty() {
        failed
    } else if let Some(lines) = cmake_error(text) {
        // A project that compiles while it is configured prints the compiler's messages before its own error.
        let before: Vec<&str> = text.lines().take_while(|line| !plain(line).starts_with("CMake Error")).collect();
        first_error(&before).map_or_else(Vec::new, |start| before[start..].to_vec()).into_iter().chain(lines).collect()
    } else {
        let lines: Vec<&str> = text.trim_end().lines().filter(|line| !is_noise(line)).collect();
        lines[first_error(&lines).unwrap_or(lines.len().saturating_sub(LAST_LINES))..].to_vec()
    };
    let lines: Vec<String> = errors_alone(lines).into_iter().map(cut).collect();
    let mut shown = lines[..lines.len().min(SHOWN_LINES)].join("\n");
    if lines.len() > SHOWN_LINES {
        shown.push_str(&format!("\n… {} more lines in the log", lines.len() - SHOWN_LINES));
    }
    shown
}

/// Where the first error begins, with what leads to it. What a linker says stands before its driver's error.
fn first_error(lines: &[&str]) -> Option<usize> {
    let own = |line: &&str| is_error(&plain(line)) && !plain(line).starts_with("collect2: ");
    let error = lines.iter().position(own)?;
    let led = lines[..error].iter().rev().take_while(|line| leads(&plain(line))).count();
    Some(error - led)
}

fn is_error(line: &str) -> bool {
    line.contains(" error: ") || line.contains(" fatal error: ") || line.starts_with("error")
}

/// `In file included from` and the like stand before the message that they belong to.
fn leads(line: &str) -> bool {
    const LEADS: [&str; 6] = [
        "In file included from",
        "                 from ",
        ": In ",
        ": At global scope",
        "required from",
        "recursively required",
    ];
    LEADS.iter().any(|lead| line.contains(lead))
}

/// Compilers print command lines and types without an end; the log has them whole.
const LONGEST: usize = 400;

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… (the whole line is in the log)", &line[..end]),
        None => line.to_owned(),
    }
}

/// Where there are errors, warnings hide them: those of a kernel's author fill pages. What leads to a message (`In file
/// included from`) goes with it, what explains it (source, notes) too.
fn errors_alone(lines: Vec<&str>) -> Vec<&str> {
    if !lines.iter().any(|line| is_error(&plain(line))) {
        return lines;
    }
    let (mut kept, mut leading) = (Vec::new(), Vec::new());
    let mut keeps = true;
    for line in lines {
        let bare = plain(line);
        if leads(&bare) {
            leading.push(line);
            continue;
        }
        if bare.contains(" warning: ") || bare.starts_with("warning: ") {
            keeps = false;
        } else if !bare.starts_with(' ') && !bare.contains(" note: ") {
            keeps = true;
        }
        if keeps {
            kept.append(&mut leading);
            kept.push(line);
        }
        leading.clear();
    }
    kept
}

/// Warnings of a build that succeeded, with the source lines that belong to each; those of seven kernels from one source
/// once.
pub fn warnings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let bare = plain(line);
        if bare.contains(" warning: ") || bare.starts_with("warning: ") {
            found.push(line.to_owned());
            open = true;
        } else if let Some(warning) = found.last_mut().filter(|_| open && bare.starts_with(' ')) {
            warning.push('\n');
            warning.push_str(line);
        } else {
            open = false;
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|warning| seen.insert(plain(warning)));
    found
}

/// ninja prints `FAILED: outputs`, the command, its output, and then the next status line. A file that two libraries
/// share fails twice with the same words.
fn failed_commands(text: &str) -> Vec<&str> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut source = text.lines();
    let mut inside = false;
    while let Some(line) = source.next() {
        let bare = plain(line);
        if bare.starts_with("FAILED: ") {
            inside = true;
            source.next();
            blocks.push(Vec::new());
        } else if ninja_status(&bare).is_some() || bare.starts_with("ninja: ") {
            inside = false;
        } else if let Some(block) = blocks.last_mut().filter(|_| inside && !is_noise(line)) {
            block.push(line);
        }
    }
    let first = |at: usize| !blocks[..at].contains(&blocks[at]);
    (0..blocks.len()).filter(|&at| first(at)).flat_map(|at| blocks[at].iter().copied()).collect()
}

fn cmake_error(text: &str) -> Option<Vec<&str>> {
    let start = text.lines().position(|line| plain(line).starts_with("CMake Error"))?;
    let end = |line: &&str| !plain(line).starts_with("-- Configuring incomplete");
    Some(text.lines().skip(start).take_while(end).filter(|line| !is_noise(line)).collect())
}

fn is_noise(line: &str) -> bool {
    const CARGO: [&str; 7] =
        ["Compiling ", "Downloading ", "Downloaded ", "Checking ", "Blocking ", "Finished ", "Fresh "];
    let bare = plain(line);
    ninja_status(&bare).is_some()
        || ["ninja: ", "-- ", "cargo:", "running: cd "].iter().any(|start| bare.starts_with(start))
        || CARGO.iter().any(|start| bare.trim_start().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINJA: &str = "\
[1/5] Building CXX object a.o
/x/a.cpp:1:2: warning: unused
[2/5] Building CXX object b.o
FAILED: [code=1] b.o
/usr/bin/c++ -DX -c /x/b.cpp
/x/b.cpp:3:1: error: 'y' was not declared
    3 | y
[3/5] Compiling kernels
FAILED: [code=20] stamp
cd /build && xtask opc kernel --soc ascend910b
/x/k.cpp:7:1: error: expected ';'
error: compiling /x/k.cpp failed (exit status: 1)
ninja: build stopped: subcommand failed.
";

    #[test]
    fn only_what_the_failed_commands_said() {
        let text = "\
/x/b.cpp:3:1: error: 'y' was not declared
    3 | y
/x/k.cpp:7:1: error: expected ';'
error: compiling /x/k.cpp failed (exit status: 1)";
        assert_eq!(messages(NINJA), text);
    }

    #[test]
    fn warnings_with_their_source_once() {
        let text = "[1/3] kernels of a\nk.cpp: In function 'f':\nk.cpp:3:7: \x1b[35mwarning: \x1b[munused 'x'\n    3 | int x\n      |     ^\n\
                    k.cpp: In function 'f':\nk.cpp:3:7: warning: unused 'x'\n    3 | int x\n      |     ^\n[2/3] b\n  c\n\
                    warning: [A] has 2 columns\n";
        assert_eq!(
            warnings(text),
            [
                "k.cpp:3:7: \x1b[35mwarning: \x1b[munused 'x'\n    3 | int x\n      |     ^",
                "warning: [A] has 2 columns"
            ]
        );
        assert!(warnings(NINJA.trim_start_matches("[1/5]")).len() == 1 && warnings("no word of it\n").is_empty());
    }

    #[test]
    fn errors_without_the_warnings_between_them() {
        let text = "\
[1/2] kernels
FAILED: k
xtask opc kernel
k.h: In function 'void f()':
k.h:3:7: warning: unused variable 'x' [-Wunused-variable]
    3 | int x;
      |     ^
k.h:2:1: note: declared here
In file included from k.cpp:1:
k.h: In member function 'void K::Init()':
k.h:9:14: error: 'SoftMax' is not a member of 'AscendC'
    9 |     AscendC::SoftMax(a);
      |              ^~~~~~~
k.h:9:1: note: suggested
k.h:12:1: warning: comma
error: compiling k.cpp failed (exit status: 1)
";
        let shown = "\
In file included from k.cpp:1:
k.h: In member function 'void K::Init()':
k.h:9:14: error: 'SoftMax' is not a member of 'AscendC'
    9 |     AscendC::SoftMax(a);
      |              ^~~~~~~
k.h:9:1: note: suggested
error: compiling k.cpp failed (exit status: 1)";
        assert_eq!(messages(text), shown);
        let long = format!("[1/2] a\nFAILED: a\nc++ a\na.cpp:1: error: {}\n", "x".repeat(1000));
        let shown = messages(&long);
        assert!(shown.len() < 450 && shown.ends_with("x… (the whole line is in the log)"), "{shown}");
    }

    #[test]
    fn the_same_words_once() {
        let text = "[1/2] a\nFAILED: a\nc++ a\nx.h:1: error\n[2/2] b\nFAILED: b\nc++ b\nx.h:1: error\n";
        assert_eq!(messages(text), "x.h:1: error");
    }

    #[test]
    fn colours_stay_on_what_is_kept() {
        let text = "[1/2] a\n\x1b[31mFAILED: \x1b[0m[code=1] a\nc++ a\na.cpp:1: \x1b[01;31merror:\x1b[m x\n[2/2] b\n";
        assert_eq!(messages(text), "a.cpp:1: \x1b[01;31merror:\x1b[m x");
    }

    #[test]
    fn errors_of_cmake() {
        let text = "-- The CXX compiler\nCMake Error at CMakeLists.txt:3 (message):\n  no such op\n\n\n-- Configuring \
                    incomplete, errors occurred!\ncargo:x\n";
        assert_eq!(messages(text).trim_end(), "CMake Error at CMakeLists.txt:3 (message):\n  no such op");
        // What a compiler said while the project was configured comes before.
        let text = "-- Detecting\nbuild info: \n/x/a.cpp:3:4: error: no b\n    3 | b\n\nCMake Error at f.cmake:2 (message):\n  failed\n";
        assert_eq!(
            messages(text).trim_end(),
            "/x/a.cpp:3:4: error: no b\n    3 | b\n\nCMake Error at f.cmake:2 (message):\n  failed"
        );
    }

    #[test]
    fn the_first_errors_of_many() {
        let mut text = "[1/2] x\nFAILED: x\ncommand\n".to_owned();
        (0..100).for_each(|i| text.push_str(&format!("error {i}\n")));
        let shown = messages(&text);
        assert!(shown.starts_with("error 0\n") && shown.ends_with("error 59\n… 40 more lines in the log"), "{shown}");
    }

    #[test]
    fn the_first_errors_of_a_compiler_by_itself() {
        let mut text = "a.h: In function 'f':\na.h:1:2: warning: w\nIn file included from b.cpp:1:\n".to_owned();
        (0..30).for_each(|i| text.push_str(&format!("c.h:{i}:1: error: {i}\n  | x\n")));
        let shown = messages(&text);
        assert!(shown.starts_with("In file included from b.cpp:1:\nc.h:0:1: error: 0\n"), "{shown}");
        let mut text = "ld: a.o: in function `f':\na.cpp:(.text+0x1): undefined reference to `g'\n".to_owned();
        text.push_str("collect2: error: ld returned 1 exit status\n");
        assert!(messages(&text).contains("undefined reference to `g'"), "the linker speaks before its driver does");
    }

    #[test]
    fn cargo_without_what_it_compiled() {
        let text = "   Compiling libc v0.2\n\x1b[1m\x1b[92m   Compiling\x1b[0m x v1\nerror[E0382]: borrow\nerror: could not \
                    compile `x`\n";
        assert_eq!(messages(text), "error[E0382]: borrow\nerror: could not compile `x`");
    }
}

//! A child process that answers line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use xshell::Cmd;

use crate::diag::{HintExt, Kind, failed};

pub struct Side {
    name: &'static str,
    child: Child,
    lines: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Side {
    pub fn start(name: &'static str, cmd: Cmd) -> Result<Side> {
        let mut command: Command = cmd.into();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let (Some(lines), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both ends were asked to be pipes");
        };
        Ok(Side { name, child, lines, answers: BufReader::new(answers) })
    }

    pub fn ask(&mut self, line: &str) -> Result<String> {
        let sent = writeln!(self.lines, "{line}").and_then(|()| self.lines.flush());
        let mut answer = String::new();
        let read = sent.and_then(|()| self.answers.read_line(&mut answer));
        let answer = answer.trim_end();
        match read {
            Ok(0) | Err(_) => {
                let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                Err(failed(Kind::Tests, format!("{} ended at `{line}` ({status})", self.name))
                    .hint("what it printed stands above"))
            }
            Ok(_) => match answer.strip_prefix("error ") {
                Some(why) => Err(failed(Kind::Tests, format!("{}: `{line}`: {why}", self.name))),
                None => Ok(answer.to_owned()),
            },
        }
    }

    /// An answer that is a number.
    pub fn number(&mut self, line: &str) -> Result<u64> {
        let answer = self.ask(line)?;
        answer.parse().with_context(|| format!("{}: `{line}` gave `{answer}`, expected a number", self.name))
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A side that waits for its next line ends when the pipe does; one that hangs must not hang xtask.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xshell::{Shell, cmd};

    #[test]
    fn answers_errors_and_deaths() {
        let sh = Shell::new().expect("a shell");
        let script = "read a; echo 12; read a; echo error no such file; read a; exit 3";
        let mut side = Side::start("script", cmd!(sh, "sh -c {script}")).expect("sh starts");
        assert_eq!(side.number("run").expect("a number"), 12);
        assert_eq!(side.ask("load").expect_err("an error").to_string(), "script: `load`: no such file");
        let death = side.ask("run").expect_err("it is gone");
        assert!(format!("{death:#}").contains("ended at `run` (exit status: 3)"), "{death:#}");
    }
}

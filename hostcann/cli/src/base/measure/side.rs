//! A child process that answers line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result};
use xshell::Cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::proc;
use crate::base::stopped;
use crate::base::watch::Watch;

pub struct Side {
    name: &'static str,
    child: Child,
    lines: ChildStdin,
    answers: Receiver<String>,
    /// For one answer.
    limit: Option<Duration>,
}

impl Side {
    pub fn start(cx: &Ctx, name: &'static str, cmd: Cmd) -> Result<Side> {
        let mut command: Command = cmd.into();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        proc::end_with_us(&mut command);
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let (Some(lines), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both ends were asked to be pipes");
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(answers).lines().map_while(std::io::Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(Side { name, child, lines, answers: receiver, limit: cx.run.limit_of_programs() })
    }

    pub fn ask(&mut self, line: &str) -> Result<String> {
        let mut watch = Watch::new(self.limit);
        let sent = writeln!(self.lines, "{line}").and_then(|()| self.lines.flush());
        let answer = loop {
            match self.answers.recv_timeout(watch.patience()) {
                Ok(answer) if sent.is_ok() && watch.verdict().is_none() => break answer,
                // What it was doing.
                Ok(_) if sent.is_ok() => {}
                Err(RecvTimeoutError::Timeout) if !watch.has_given_up() => watch.look(self.child.id()),
                _ => return Err(self.ended(line, &watch)),
            }
        };
        match answer.trim_end().strip_prefix("error ") {
            Some(why) => Err(failed(Kind::Tests, format!("{}: `{line}`: {why}", self.name))),
            None => Ok(answer.trim_end().to_owned()),
        }
    }

    fn ended(&mut self, line: &str, watch: &Watch) -> anyhow::Error {
        let status = self.child.wait();
        let outside = status.as_ref().ok().and_then(|status| stopped::from_outside(*status));
        match (watch.verdict(), outside, status) {
            (None, Some(outside), _) => failed(Kind::Stopped, format!("{} at `{line}`: {outside}", self.name)),
            (Some(limit), ..) => failed(Kind::Tests, format!("{} gave no answer to `{line}` ({limit})", self.name))
                .hint("--timeout SECONDS gives it more; what it printed stands above"),
            (None, None, status) => {
                let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
                failed(Kind::Tests, format!("{} ended at `{line}` ({status})", self.name))
                    .hint("what it printed stands above")
            }
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
    use crate::base::args::Global;
    use crate::base::diag;
    use xshell::cmd;

    fn cx(seconds: Option<u64>) -> Ctx {
        let mut cx = Ctx::new("bench", &Global::default()).expect("a context");
        cx.run.program_limit = seconds.map(Duration::from_secs);
        cx
    }

    #[test]
    fn answers_errors_and_deaths() {
        let cx = cx(None);
        let sh = &cx.run.sh;
        let script = "read a; echo 12; read a; echo error no such file; read a; exit 3";
        let mut side = Side::start(&cx, "script", cmd!(sh, "sh -c {script}")).expect("sh starts");
        assert_eq!(side.number("run").expect("a number"), 12);
        assert_eq!(side.ask("load").expect_err("an error").to_string(), "script: `load`: no such file");
        let death = side.ask("run").expect_err("it is gone");
        assert!(format!("{death:#}").contains("ended at `run` (exit status: 3)"), "{death:#}");
    }

    #[test]
    fn one_that_something_stops_has_not_failed() {
        let cx = cx(None);
        let sh = &cx.run.sh;
        let script = "read a; echo launched; read a; kill -TERM $$";
        let mut side = Side::start(&cx, "script", cmd!(sh, "sh -c {script}")).expect("sh starts");
        assert_eq!(side.ask("call").expect("an answer"), "launched");
        let error = side.ask("call").expect_err("it is gone");
        assert_eq!(diag::kind(&error), Some(Kind::Stopped));
        let want = "script at `call`: stopped by signal 15 (SIGTERM) from outside; no fault of the operator";
        assert_eq!(diag::causes(&error), [want]);
    }

    #[test]
    fn the_limit_is_for_one_answer() {
        let cx = cx(Some(1));
        let sh = &cx.run.sh;
        let script = "for n in 1 2 3; do read a; sleep 0.5; echo $n; done; read a; exec sleep 100";
        let mut side = Side::start(&cx, "script", cmd!(sh, "sh -c {script}")).expect("sh starts");
        assert_eq!([0; 3].map(|_| side.number("call").expect("a number")), [1, 2, 3]);
        let error = side.ask("call").expect_err("no answer");
        assert_eq!(diag::kind(&error), Some(Kind::Tests));
        let why = &diag::causes(&error)[0];
        assert!(why.starts_with("script gave no answer to `call` (time limit of 1 s without a line"), "{why}");
    }
}

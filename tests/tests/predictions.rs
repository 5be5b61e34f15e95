//! What `bench sim` rests on: the same call has the same predicted cycles, in every process and with any number of host threads.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Calls that make the operator take one core, several, a row again and again, and strided rows.
const CALLS: [&str; 5] = [
    "call f32 same ordinary 1000 tbe",
    "call f32 same ordinary 131072 tbe",
    "call f16 row ordinary 131072 exact",
    "call i16 strided ordinary 131072 tbe",
    "call f32 scalar hard 131072 exact",
];

/// The predictions of all calls, a warm and a cold line for each.
fn predicted(dir: &Path, threads: &str) -> Result<String> {
    let file = dir.join(format!("{threads}.jsonl"));
    std::fs::remove_file(&file).ok();
    let mut side = Command::new(env!("CARGO_BIN_EXE_fmod-sim"))
        .env("HOSTCANN_SIM", format!("warm,cold,trace=all:{}", file.display()))
        .env("HOSTCANN_SOC", "Ascend910B3")
        .env("HOSTCANN_THREADS", threads)
        .env_remove("HOSTCANN_CHECK")
        .env_remove("HOSTCANN_FLIP")
        .env_remove("HOSTCANN_CORES")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut to, from) = (side.stdin.take().context("no stdin")?, side.stdout.take().context("no stdout")?);
    let mut answers = BufReader::new(from).lines();
    for call in CALLS {
        writeln!(to, "{call}")?;
        let answer = answers.next().context("no answer")??;
        ensure!(answer == "launched", "{call}: {answer}");
    }
    drop(to);
    ensure!(side.wait()?.success());
    Ok(std::fs::read_to_string(&file)?)
}

#[test]
fn the_same_call_is_predicted_the_same() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("predictions-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let [one, again, many] = ["1", "1", "5"].map(|threads| predicted(&dir, threads));
    std::fs::remove_dir_all(&dir).ok();
    let (one, again, many) = (one?, again?, many?);
    ensure!(one.lines().count() == 2 * CALLS.len(), "{} lines", one.lines().count());
    for (line, name) in [(&again, "another process"), (&many, "five threads")] {
        for (at, (a, b)) in one.lines().zip(line.lines()).enumerate() {
            let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            let from = same.saturating_sub(80);
            let part = |text: &str| text.chars().skip(from).take(200).collect::<String>();
            ensure!(a == b, "{}, {name}:\n{}\n{}", CALLS[at / 2], part(a), part(b));
        }
    }
    Ok(())
}

//! The self-extracting `.run`: a shell stub, then a gzipped tar. Same content, same bytes.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;

/// What the stub says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInfo {
    /// `content_sha256` of the packed vendor directory (version.info).
    pub content: String,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// `<vendor>_math`, the label's first word.
    pub vendor: String,
}

/// Packs `stage` and writes `out` in one go. Returns the SHA-256 of the file.
pub fn write(stage: &Path, stub: &str, label: &str, content: &str, out: &Path) -> Result<String> {
    let payload = pack(stage)?;
    let filled = stub
        .replace("@LABEL@", label)
        .replace("@CONTENT_SHA256@", content)
        .replace("@PAYLOAD_BYTES@", &payload.len().to_string())
        .replace("@PAYLOAD_SHA256@", &files::sha256(&payload));
    let filled = filled.replace("@PAYLOAD_LINE@", &(filled.lines().count() + 1).to_string());
    let mut bytes = filled.into_bytes();
    bytes.extend_from_slice(&payload);

    let dir = out.parent().context("the .run file has no directory")?;
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut file =
        tempfile::NamedTempFile::new_in(dir).with_context(|| format!("cannot write to {}", dir.display()))?;
    file.write_all(&bytes).with_context(|| format!("cannot write {}", out.display()))?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    file.as_file().set_permissions(mode).with_context(|| format!("cannot set the mode of {}", out.display()))?;
    file.persist(out).with_context(|| format!("cannot write {}", out.display()))?;
    Ok(files::sha256(&bytes))
}

fn pack(stage: &Path) -> Result<Vec<u8>> {
    let gz = GzBuilder::new().mtime(0).write(Vec::new(), Compression::new(6));
    let mut tar = tar::Builder::new(gz);
    tar.mode(tar::HeaderMode::Deterministic);
    tar.follow_symlinks(false);
    for file in files::walk(stage)? {
        tar.append_path_with_name(stage.join(&file), &file)
            .with_context(|| format!("cannot pack {}", file.display()))?;
    }
    let gz = tar.into_inner().context("cannot finish the archive")?;
    gz.finish().context("cannot compress the archive")
}

/// Reads a `.run` written by `write` and proves it whole. None: a script of someone else (upstream's makeself).
pub fn inspect(path: &Path) -> Result<Option<RunInfo>> {
    let again = "build it again with `cargo xtask package`";
    let bad = |what: String| {
        failed(Kind::BadRun, format!("{} is damaged: {what}; nothing was installed", path.display())).hint(again)
    };
    let bytes = fs::read(path).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "check the path; `cargo xtask package` builds a .run file and prints its path"
            }
            _ => again,
        };
        failed(Kind::BadRun, format!("cannot read {}: {error}", path.display())).hint(hint)
    })?;
    if !bytes.starts_with(b"#!") {
        return Err(bad("it does not start with `#!`, it is no .run file".into()));
    }
    // The stub is small; the payload behind it is no text.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(16 * 1024)]).into_owned();
    let field =
        |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned);
    let Some(content) = field("content_sha256") else { return Ok(None) };
    let number = |name: &str| {
        field(name)
            .and_then(|value| value.parse::<usize>().ok())
            .ok_or_else(|| bad(format!("its header has no readable `{name}`")))
    };
    let (line, length) = (number("payload_line")?, number("payload_bytes")?);
    let want = field("payload_sha256").ok_or_else(|| bad("its header has no `payload_sha256`".into()))?;
    let start = line_start(&bytes, line).ok_or_else(|| bad("it ends inside the header".into()))?;
    let payload = &bytes[start..];
    if payload.len() != length {
        return Err(bad(format!("the archive has {} bytes, {length} were packed", payload.len())));
    }
    let have = files::sha256(payload);
    if have != want {
        return Err(bad(format!("the archive's SHA-256 is {have}, packed was {want}")));
    }
    let label = field("label").unwrap_or_default();
    let vendor = label.trim_matches('\'').split(' ').next().unwrap_or_default().to_owned();
    Ok(Some(RunInfo { content, sha256: files::sha256(&bytes), vendor }))
}

/// Offset of the first byte of a line, counted from 1.
fn line_start(bytes: &[u8], line: usize) -> Option<usize> {
    if line <= 1 {
        return Some(0);
    }
    bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').nth(line - 2).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;
    use std::path::PathBuf;
    use std::process::Command;

    const STUB: &str = include_str!("../../../../scripts/package/run_stub.sh");

    fn packed(dir: &Path) -> (PathBuf, String) {
        let stage = dir.join("stage");
        write_if_changed(&stage.join("install.sh"), b"#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n").expect("write");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(stage.join("install.sh"), mode).expect("mode");
        write_if_changed(&stage.join("help.info"), b"the help\n").expect("write");
        write_if_changed(&stage.join("packages/a b/file"), b"content").expect("write");
        let run = dir.join("x.run");
        let sha = write(&stage, STUB, "a_math 1 for x", "c0ffee", &run).expect("pack");
        (run, sha)
    }

    fn sh(run: &Path, args: &[&str]) -> (Option<i32>, String) {
        let dir = run.parent().expect("parent");
        let out = Command::new("sh").arg(run).args(args).current_dir(dir).output().expect("sh");
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    }

    #[test]
    fn same_content_same_bytes() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, sha) = packed(temp.path());
        let first = fs::read(&run).expect("read");
        assert_eq!(packed(temp.path()).1, sha);
        assert_eq!(fs::read(&run).expect("read"), first);
        assert_eq!(
            inspect(&run).expect("whole"),
            Some(RunInfo { content: "c0ffee".into(), sha256: sha, vendor: "a_math".into() })
        );
    }

    #[test]
    fn options_of_the_stub() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, _) = packed(temp.path());
        assert_eq!(sh(&run, &["--check"]).0, Some(0));
        assert_eq!(sh(&run, &["--list"]), (Some(0), "help.info\ninstall.sh\npackages/a b/file\n".into()));
        assert_eq!(sh(&run, &["--help"]), (Some(0), "the help\n".into()));
        assert!(sh(&run, &["--info"]).1.contains("a_math 1 for x"));
        let (code, text) = sh(&run, &["--noexec", "--extract=out"]);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(fs::read(temp.path().join("out/packages/a b/file")).expect("read"), b"content");
    }

    #[test]
    fn the_archive_is_there_for_tar() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, _) = packed(temp.path());
        assert_eq!(sh(&run, &["--tar", "tf"]), (Some(0), "help.info\ninstall.sh\npackages/a b/file\n".into()));
        assert_eq!(sh(&run, &["--tar", "xOf", "packages/a b/file"]), (Some(0), "content".into()));
        let (code, text) = sh(&run, &["--tar", "xf", "nothing of the kind"]);
        assert!(code != Some(0) && text.contains("nothing of the kind"), "{text}");
        for wrong in [&["--tar"][..], &["--force", "--tar", "tf"]] {
            let (code, text) = sh(&run, wrong);
            assert!(code == Some(1) && text.contains("--tar comes alone, with tar's own arguments"), "{text}");
        }
    }

    #[test]
    fn arguments_reach_install_sh_unbroken_and_so_does_its_exit_code() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, _) = packed(temp.path());
        let (code, text) = sh(&run, &["--quiet", "--install-path=/a b/c", "--force"]);
        assert_eq!(code, Some(7));
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines, ["--quiet", "--install-path=/a b/c", "--force"]);
        assert!(text.starts_with("--x.run\n--/"), "{text}");
        let (code, text) = sh(&run, &["--instal-path=/x"]);
        assert_eq!(code, Some(1));
        assert!(text.contains("--instal-path=/x") && text.contains("the help"), "{text}");
    }

    #[test]
    fn damage_is_found_by_us_and_by_the_stub() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, _) = packed(temp.path());
        let whole = fs::read(&run).expect("read");
        let mut flipped = whole.clone();
        let last = flipped.len() - 10;
        flipped[last] ^= 1;
        let cases: [(&str, &[u8]); 3] =
            [("flipped", &flipped), ("truncated", &whole[..whole.len() - 20]), ("header only", &whole[..900])];
        for (name, bytes) in cases {
            fs::write(&run, bytes).expect("write");
            let error = inspect(&run).expect_err(name);
            assert_eq!(diag::code(&error), 41, "{name}: {error:?}");
            assert_ne!(sh(&run, &["--quiet"]).0, Some(7), "{name}: install.sh must not run");
            assert_ne!(sh(&run, &["--check"]).0, Some(0), "{name}");
        }
        fs::write(&run, b"").expect("write");
        assert_eq!(inspect(&run).map_err(|error| diag::code(&error)), Err(41));
        let error = inspect(Path::new("/no/such/file.run")).expect_err("no file");
        let hint = "check the path; `cargo xtask package` builds a .run file and prints its path";
        assert_eq!((diag::code(&error), diag::hint(&error).as_deref()), (41, Some(hint)));
    }

    /// A download that ends early ends anywhere.
    #[test]
    fn a_header_that_is_cut_runs_nothing() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (run, _) = packed(temp.path());
        let whole = fs::read(&run).expect("read");
        let header =
            line_start(&whole, 3).expect("two lines")..=line_start(&whole, STUB.lines().count() + 1).expect("all");
        let ends = header.filter(|&at| whole[at - 1] == b'\n');
        let mut count = 0;
        for end in ends {
            fs::write(&run, &whole[..end]).expect("write");
            let (code, text) = sh(&run, &["--quiet"]);
            assert!(code != Some(0) && code != Some(7), "cut after byte {end}: {code:?} {text}");
            count += 1;
        }
        assert_eq!(count, STUB.lines().count() - 1);
    }

    /// As on a file system that is mounted with noexec: the installer is no program there.
    #[test]
    fn the_installer_need_not_be_executable() {
        let temp = tempfile::tempdir().expect("temp dir");
        packed(temp.path());
        let stage = temp.path().join("stage");
        fs::set_permissions(stage.join("install.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .expect("mode");
        let run = temp.path().join("- my x.run");
        write(&stage, STUB, "a_math 1 for x", "c0ffee", &run).expect("pack");
        let mut command = Command::new("sh");
        command.args(["--", "- my x.run", "--quiet"]).current_dir(temp.path());
        // A relative directory for temporary files, and a trap for a plain `cd`.
        fs::create_dir_all(temp.path().join("t/t")).expect("mkdir");
        let out = command.env("TMPDIR", "t").env("CDPATH", temp.path().join("t")).output().expect("sh");
        let text = String::from_utf8_lossy(&out.stdout);
        assert_eq!((out.status.code(), text.lines().nth(2)), (Some(7), Some("--quiet")), "{out:?}");
        assert_eq!(fs::read_dir(temp.path().join("t")).expect("list").count(), 1, "temporary files stay");
    }

    #[test]
    fn a_foreign_script_is_not_judged() {
        let temp = tempfile::tempdir().expect("temp dir");
        let run = temp.path().join("x.run");
        fs::write(&run, b"#!/bin/sh\n# This script was generated using Makeself 2.5.0\n").expect("write");
        assert_eq!(inspect(&run).expect("readable"), None);
    }
}

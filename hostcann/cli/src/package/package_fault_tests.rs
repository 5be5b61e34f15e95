//! The installer in trouble. kill -9 at every step: the old version or the new one is there, and the next run tidies up.
//! File systems that are full, that take nothing, and that run no programs: real mounts, in a namespace of the test's own
//! (`unshare`, for which no privileges are needed where the kernel allows it to everyone).
//!
//! The programs that change files count their starts and ends; at the wanted number they kill the installer's whole
//! process group.

use super::tests::{Bench, finish, last_line, names};
use super::*;
use crate::base::term::err;
use crate::toolchain::record::installed_content;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;

const NEVER: usize = 0;
const OTHERS: &str = "load_priority=b_math,a_math\n";
const NEWEST: &str = "load_priority=a_math,b_math\n";

/// `$1` if this is the point to die at, after what `$2` does on the way.
const POINTS: &str = r#"
point() {
    read -r at <"$POINTS/at"
    at=$((at + 1))
    echo "$at" >"$POINTS/at"
    [ "$at" = "$DIE_AT" ] || return 0
    "$@"
    kill -9 0
}
a_file() {
    find "$last" -type f 2>/dev/null | { read -r file && echo "$file"; }
}
for last; do :; done
"#;

struct Steps {
    bench: Bench,
    /// Without it the installer cannot exchange two directories.
    python: bool,
}

impl Steps {
    fn new(python: bool) -> Steps {
        let bench = Bench::new();
        fs::create_dir(bench.path("points")).expect("mkdir");
        for name in ["mkdir", "chmod", "mv"] {
            bench.shim(name, &format!("{POINTS}\npoint :\nREAL \"$@\"\ncode=$?\npoint :\nexit $code"));
        }
        // Not a wrapper that some machines have in its place: those take their time.
        let interpreter = bench.command("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let interpreter = String::from_utf8(interpreter.expect("python3").stdout).expect("a path");
        fs::create_dir(bench.path("plain")).expect("mkdir");
        std::os::unix::fs::symlink(interpreter.trim_end(), bench.path("plain/python3")).expect("symlink");
        if python {
            bench.shim(
                "python3",
                &format!("{POINTS}\npoint :\n'{}' \"$@\"\ncode=$?\npoint :\nexit $code", interpreter.trim_end()),
            );
        } else {
            bench.shim("python3", "exit 1");
        }
        // In the middle: a file is there without its content, a file of a tree is gone.
        let half = "half() { file=$(a_file); : >\"$file\"; }";
        bench.shim("cp", &format!("{POINTS}\n{half}\npoint :\nREAL \"$@\"\ncode=$?\npoint half\npoint :\nexit $code"));
        let part = "part() { file=$(a_file); REAL -f \"$file\"; }";
        bench.shim("rm", &format!("{POINTS}\n{part}\npoint :\npoint part\nREAL \"$@\"\ncode=$?\npoint :\nexit $code"));
        Steps { bench, python }
    }

    /// True when it ran to its end.
    fn run(&self, script: &Path, die_at: usize) -> bool {
        fs::write(self.bench.path("points/at"), "0\n").expect("write");
        let mut command: Command = self.bench.command("sh");
        command.args([script.as_os_str(), "--force".as_ref()]).process_group(0);
        let path = std::env::var("PATH").unwrap_or_default();
        let tools = self.bench.path(if die_at == NEVER { "plain" } else { "shims" });
        command.env("PATH", format!("{}:{path}", tools.display())).env("POINTS", self.bench.path("points"));
        command.env("DIE_AT", die_at.to_string()).env("ASCEND_OPP_PATH", self.bench.opp());
        let out = command.output().expect("sh");
        let text = String::from_utf8_lossy(&out.stdout);
        if out.status.signal() == Some(9) {
            return false;
        }
        assert!(
            out.status.success() && last_line(&text) == "SUCCESS",
            "{text}{}",
            String::from_utf8_lossy(&out.stderr)
        );
        true
    }

    /// The installer of `a_math` with this content, unpacked, and the hash of that.
    fn unpacked(&self, content: &str) -> (PathBuf, String) {
        let (stage, hash) = self.bench.stage("a_math", content, b"not ELF");
        let to = self.bench.path(&format!("unpacked_{content}"));
        fs::rename(stage, &to).expect("rename");
        (to.join("install.sh"), hash)
    }
}

/// Upgrades to one version and back, killed one step later each time. Returns the number of steps.
fn upgrades(steps: &Steps) -> usize {
    let bench = &steps.bench;
    assert_eq!(bench.install(&bench.pack("b_math", "1"), &["--force"]).0, Some(0));
    let versions = [steps.unpacked("1"), steps.unpacked("2")];
    assert!(steps.run(&versions[1].0, NEVER));
    let vendor = bench.vendor("a_math");
    let whole = || {
        let content = installed_content(&vendor);
        versions.iter().any(|(_, hash)| content.as_ref() == Some(hash))
    };
    let gapless = steps.python && can_exchange(bench);
    let mut gaps = 0;
    for die_at in 1.. {
        fs::write(bench.opp().join("vendors/config.ini"), OTHERS).expect("write");
        let (script, hash) = &versions[(die_at + 1) % 2];
        let ended = steps.run(script, die_at);
        if !vendor.exists() {
            assert!(!gapless, "step {die_at}: no version is there");
            gaps += 1;
            // Even a run that installs nothing brings the old version back.
            let mut refused = bench.command("sh");
            refused.arg(script).env("ASCEND_OPP_PATH", bench.opp());
            assert!(finish(refused).1.contains("validation failed"));
        }
        assert!(whole(), "step {die_at}");
        assert!(bench.vendor("b_math").join(VERSION).is_file());
        assert!([NEWEST, OTHERS].contains(&bench.config().as_str()), "step {die_at}: {}", bench.config());
        assert!(ended || steps.run(script, NEVER), "step {die_at}");
        assert_eq!(installed_content(&vendor).as_ref(), Some(hash), "step {die_at}");
        assert_eq!((bench.vendors().join(" "), bench.config().as_str()), ("a_math b_math config.ini".into(), NEWEST));
        if ended {
            assert_eq!(gaps > 0, !gapless, "the gap is where two renames are needed, and only there");
            return die_at - 1;
        }
    }
    unreachable!("the installer has an end")
}

fn can_exchange(bench: &Bench) -> bool {
    let (one, two) = (bench.path("one"), bench.path("two"));
    for dir in [&one, &two] {
        fs::create_dir_all(dir).expect("mkdir");
    }
    let line = "import ctypes, os, sys; a, b = map(os.fsencode, sys.argv[1:]); \
                sys.exit(ctypes.CDLL(None).renameat2(-100, a, -100, b, 2) != 0)";
    Command::new("python3").args(["-I", "-c", line]).args([one, two]).status().expect("python3").success()
}

#[test]
fn an_upgrade_killed_anywhere() {
    let count = upgrades(&Steps::new(true));
    assert!(count >= 30, "{count} steps");
}

#[test]
fn an_upgrade_without_an_exchange_killed_anywhere() {
    let count = upgrades(&Steps::new(false));
    assert!(count >= 30, "{count} steps");
}

#[test]
fn a_first_installation_and_its_removal_killed_anywhere() {
    let steps = Steps::new(true);
    let bench = &steps.bench;
    assert_eq!(bench.install(&bench.pack("b_math", "1"), &["--force"]).0, Some(0));
    let (script, hash) = steps.unpacked("1");
    let vendor = bench.vendor("a_math");
    let mut count = 0;
    for die_at in 1.. {
        let ended = steps.run(&script, die_at);
        // Nothing or all of it; the other package is found in any case.
        assert!(!vendor.exists() || installed_content(&vendor).as_ref() == Some(&hash), "step {die_at}");
        assert!(["load_priority=b_math\n", NEWEST].contains(&bench.config().as_str()), "{}", bench.config());
        if ended {
            break;
        }
        count += 1;
        files::remove_dir_if_there(&vendor).expect("remove");
        fs::write(bench.opp().join("vendors/config.ini"), "load_priority=b_math\n").expect("write");
    }
    assert_eq!(bench.vendors(), ["a_math", "b_math", "config.ini"]);

    let uninstall = vendor.join("scripts/uninstall.sh");
    for die_at in 1.. {
        let ended = steps.run(&uninstall, die_at);
        assert!(!vendor.exists() || installed_content(&vendor).as_ref() == Some(&hash), "step {die_at}");
        assert!(["load_priority=b_math\n", NEWEST].contains(&bench.config().as_str()), "{}", bench.config());
        if ended {
            break;
        }
        count += 1;
        assert!(vendor.exists() || steps.run(&script, NEVER));
        fs::write(bench.opp().join("vendors/config.ini"), NEWEST).expect("write");
    }
    assert_eq!(
        (bench.vendors(), bench.config().as_str()),
        (vec!["b_math".into(), "config.ini".into()], "load_priority=b_math\n")
    );
    assert!(count >= 30, "{count} steps");
}

/// Mounts of its own are refused to this process.
const NO_MOUNTS: i32 = 77;

/// Runs a script in which `mounted DIR OPTIONS` mounts an empty file system. None: nothing can be mounted here.
fn with_mounts(bench: &Bench, script: &str) -> Option<(i32, String)> {
    let mounted = format!("mounted() {{ mount -t tmpfs -o \"$2\" none \"$1\" || exit {NO_MOUNTS}; }}");
    let mut command = bench.command("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &format!("{mounted}\n{script}")]);
    command.env("ASCEND_OPP_PATH", bench.opp()).current_dir(bench.path(""));
    if !Path::new("/usr/bin/unshare").is_file() && !Path::new("/bin/unshare").is_file() {
        err!("left out: there is no unshare");
        return None;
    }
    let (code, text) = finish(command);
    let code = code.unwrap_or_else(|| panic!("a signal: {text}"));
    // Its own failure says so before anything of the script runs.
    if code == NO_MOUNTS || text.starts_with("unshare: ") {
        err!("left out: this process may mount nothing: {}", text.trim_end());
        return None;
    }
    Some((code, text))
}

/// A library that this machine loads.
fn loadable() -> Vec<u8> {
    let maps = fs::read_to_string("/proc/self/maps").expect("maps");
    let library = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| path.contains("/libc.so"));
    fs::read(library.expect("the C library")).expect("read")
}

/// From no room at all to enough, in steps of four pages: the old version or the new one, never a part.
#[test]
fn an_upgrade_on_a_disk_that_fills_up() {
    let bench = Bench::new();
    let old = bench.pack_library("a_math", "1", &[1; 20_000]);
    let first = bench.path("first.run");
    fs::rename(old, &first).expect("rename");
    let new = bench.pack_library("a_math", "2", &[2; 20_000]);
    let (mut failed, mut done) = (0, 0);
    for pages in (0..40).step_by(4) {
        let kept = bench.path(&format!("kept_{pages}"));
        let script = format!(
            "mounted opp size=1m
             sh '{first}' --force >/dev/null || exit 90
             # What is free is what this file leaves.
             head -c 1048576 /dev/zero >opp/filler 2>/dev/null
             truncate -s -$(({pages} * 4096)) opp/filler || exit 91
             sh '{new}' --force; code=$?
             rm opp/filler && cp -a opp '{kept}' || exit 92
             exit $code",
            first = first.display(),
            new = new.display(),
            kept = kept.display(),
        );
        let Some((code, text)) = with_mounts(&bench, &script) else { return };
        let content = fs::read_to_string(kept.join("vendors/a_math/op_api/include/aclnn_x.h")).expect("a version");
        assert!(installed_content(&kept.join("vendors/a_math")).is_some(), "{pages} pages: {text}");
        assert_eq!(names(&kept.join("vendors")), ["a_math", "config.ini"], "{pages} pages: {text}");
        match code {
            0 => assert_eq!(content, "2", "{pages} pages: {text}"),
            1 => assert!(content == "1" && text.contains("[ERROR] "), "{pages} pages: {content} {text}"),
            other => panic!("{pages} pages: exit code {other}: {text}"),
        }
        assert!(done == 0 || code == 0, "{pages} pages are too few, fewer were enough: {text}");
        (failed, done) = (failed + u32::from(code == 1), done + u32::from(code == 0));
    }
    assert!(failed >= 2 && done >= 2, "{failed} failed, {done} did not");
}

#[test]
fn no_room_for_temporary_files() {
    let bench = Bench::new();
    let run = bench.pack_library("a_math", "1", &[1; 200_000]);
    fs::create_dir(bench.path("small")).expect("mkdir");
    let script = format!(
        "mounted small size=64k; TMPDIR=$PWD/small sh '{}' --force; code=$?; echo \"left: $(ls -A small).\"; exit $code",
        run.display()
    );
    let Some((code, text)) = with_mounts(&bench, &script) else { return };
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("a_math.run: cannot unpack to "), "{text}");
    assert!(text.contains("left: .\n") && bench.vendors().is_empty(), "{text}");
}

/// The package, its temporary files and its target where no program runs. Libraries that cannot be loaded there are refused.
#[test]
fn where_no_program_runs() {
    let bench = Bench::new();
    let run = bench.pack_library("a_math", "1", &loadable());
    fs::create_dir(bench.path("temp")).expect("mkdir");
    let script = |target: &str, home: &str| {
        format!(
            "mounted temp noexec,size=64m
             [ -z '{target}' ] || mounted opp noexec,size=64m
             cp '{}' temp/x.run && chmod +x temp/x.run
             ! ./temp/x.run 2>/dev/null || exit 93
             {home} TMPDIR=$PWD/temp sh temp/x.run; code=$?
             ls -A temp opp/vendors
             exit $code",
            run.display()
        )
    };
    let Some((code, text)) = with_mounts(&bench, &script("", "ASCEND_HOME_PATH=/nonexistent")) else { return };
    assert!(code == 0 && text.contains("\nSUCCESS\n"), "{code} {text}");
    assert_eq!(bench.vendors(), ["a_math", "config.ini"]);
    assert!(text.contains("\ntemp:\nx.run\n"), "{text}");

    // As on a device's host: the loader is asked where the libraries will stay.
    let (code, text) = with_mounts(&bench, &script("opp", "ASCEND_HOME_PATH=/nonexistent")).expect("as before");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("failed to map segment from shared object"), "{text}");
    assert!(text.contains("Shared library validation failed. To skip this validation use --force."), "{text}");
    assert!(text.contains("\nopp/vendors:\n\ntemp:\nx.run\n"), "{text}");

    // Without a toolkit nothing is loaded.
    let (code, text) = with_mounts(&bench, &script("opp", "")).expect("as before");
    assert!(code == 0 && text.contains("\nSUCCESS\n"), "{code} {text}");
}

#[test]
fn a_target_that_is_mounted_read_only() {
    let bench = Bench::new();
    let (one, two) = (bench.pack("a_math", "1"), bench.pack("b_math", "1"));
    let script = format!(
        "mounted opp size=1m
         sh '{one}' --force >/dev/null || exit 90
         find opp | sort >before
         mount -o remount,ro opp || exit {NO_MOUNTS}
         for run in '{one}' '{two}'; do sh \"$run\" --force && exit 91; done
         sh opp/vendors/a_math/scripts/uninstall.sh && exit 92
         find opp | sort | cmp - before && cat opp/vendors/config.ini",
        one = one.display(),
        two = two.display(),
    );
    let Some((code, text)) = with_mounts(&bench, &script) else { return };
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("[ERROR] ").count(), 3, "{text}");
    assert!(text.contains("Read-only file system") && text.contains("\nload_priority=a_math\n"), "{text}");
}

/// What frees room must not need any.
#[test]
fn removal_on_a_full_disk() {
    let bench = Bench::new();
    let (one, two) = (bench.pack("a_math", "1"), bench.pack("b_math", "1"));
    let script = format!(
        "mounted opp size=1m
         for run in '{one}' '{two}'; do sh \"$run\" --force >/dev/null || exit 90; done
         head -c 1048576 /dev/zero >opp/filler 2>/dev/null
         echo x >opp/more 2>/dev/null && exit 91
         rm -f opp/more; head -c 1048576 /dev/zero >>opp/filler 2>/dev/null
         sh opp/vendors/a_math/scripts/uninstall.sh || exit 92
         ls -A opp/vendors; cat opp/vendors/config.ini",
        one = one.display(),
        two = two.display(),
    );
    let Some((code, text)) = with_mounts(&bench, &script) else { return };
    assert_eq!(code, 0, "{text}");
    assert!(text.ends_with("SUCCESS\nb_math\nconfig.ini\nload_priority=b_math\n"), "{text}");
}

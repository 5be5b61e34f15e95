//! The installer on file systems that are full, that take nothing, and that run no programs: real mounts, in a namespace
//! of the test's own (`unshare`, for which no privileges are needed where the kernel allows it to everyone).

use super::tests::{Bench, finish, names};
use super::*;
use crate::base::term::err;
use crate::toolchain::record::installed_content;

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

//! Where a package goes, whatever the environment, the directory's name, the umask or a neighbour does.

use super::tests::{Bench, STUB, finish, last_line, names};
use super::*;
use crate::toolchain::record::installed_content;
use std::os::unix::fs::PermissionsExt;
use std::thread;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("metadata").permissions().mode() & 0o7777
}

/// An ELF file of this machine; with another machine's number in `e_machine` if asked.
fn library(foreign: bool) -> Vec<u8> {
    let mut bytes = fs::read("/bin/true").expect("/bin/true");
    if foreign {
        bytes[18] ^= 0xff;
    }
    bytes
}

/// What `script` prints after set_env.bash of these packages is sourced, and its exit code.
fn sourced(bench: &Bench, shell: &str, packages: &[PathBuf], script: &str) -> (Option<i32>, String) {
    let mut command = bench.command(shell);
    command.args(["-c", &format!("for package; do . \"$package/bin/set_env.bash\"; done; {script}"), "-"]);
    command.args(packages).current_dir(bench.path(""));
    finish(command)
}

#[test]
fn after_set_env_bash_a_package_is_renewed_where_it_is() {
    let bench = Bench::new();
    // A path with `vendors` in it is none of a package for that.
    let home = bench.path("vendors/mine");
    let at = format!("--install-path={}", home.display());
    let (first, second) = (home.join("vendors/a_math"), home.join("vendors/b_math"));
    for vendor in ["a_math", "b_math"] {
        assert_eq!(bench.install_with(&bench.pack(vendor, "1"), &["--force", &at], &[]).0, Some(0));
    }
    let before = installed_content(&first).expect("whole");
    let run = bench.pack("a_math", "2");
    let again = format!("exec sh '{}' --force", run.display());
    for packages in [vec![first.clone()], vec![first.clone(), second.clone()], vec![second.clone(), first.clone()]] {
        bench.install_with(&bench.pack("a_math", "1"), &["--force", &at], &[]);
        bench.pack("a_math", "2");
        let (code, text) = sourced(&bench, "bash", &packages, &again);
        assert_eq!((code, last_line(&text)), (Some(0), "SUCCESS"), "{text}");
        assert_ne!(installed_content(&first).expect("whole"), before, "{packages:?}");
        assert!(first.join("bin/set_env.bash").is_file());
        assert_eq!(names(&first), ["bin", "op_api", "op_impl", "scripts", "version.info"]);
    }

    // Beside another vendor's package, and told how to use it.
    let (code, text) =
        sourced(&bench, "bash", &[second], &format!("exec sh '{}' --force", bench.pack("c_math", "1").display()));
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(names(&home.join("vendors")), ["a_math", "b_math", "c_math"]);
    assert!(text.contains("to use it: source ") && home.join("vendors/c_math/bin/set_env.bash").is_file(), "{text}");
}

#[test]
fn a_package_that_config_ini_names_stays_one() {
    let bench = Bench::new();
    for vendor in ["a_math", "b_math"] {
        assert_eq!(bench.install(&bench.pack(vendor, "1"), &["--force"]).0, Some(0));
    }
    let env = [("ASCEND_CUSTOM_OPP_PATH", format!("{}/", bench.vendor("a_math").display()))];
    let (code, text) = bench.install_with(&bench.pack("a_math", "2"), &["--force"], &env);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(bench.config(), "load_priority=a_math,b_math\n");
    assert!(!bench.vendor("a_math").join("bin").exists() && !bench.vendor("a_math").join("vendors").exists());
    assert!(fs::read_to_string(bench.vendor("a_math").join("op_api/include/aclnn_x.h")).expect("read") == "2");
}

#[test]
fn several_places_are_none() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    for list in [format!("{0}:{0}", bench.opp().display()), format!("{}:", bench.opp().display())] {
        let (code, text) = bench.install_with(&run, &["--force"], &[("ASCEND_CUSTOM_OPP_PATH", list)]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("[ERROR] env ASCEND_CUSTOM_OPP_PATH holds several paths"), "{text}");
    }
    let (code, text) = bench.install_with(&run, &["--force"], &[("ASCEND_OPP_PATH", "opp".into())]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("[ERROR] opp is not an absolute path"), "{text}");
    assert_eq!(bench.vendors(), Vec::<String>::new());
}

#[test]
fn set_env_bash_takes_any_path_literally() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    for name in
        ["a b", "it's", "x\"y", "$HOME", "a;touch PWNED", "$(touch PWNED)", "`touch PWNED`", "back\\slash", "-n", "*"]
    {
        let home = bench.path(name);
        let (code, text) = bench.install_with(&run, &["--force", &format!("--install-path={}", home.display())], &[]);
        assert_eq!(code, Some(0), "{name}: {text}");
        let vendor = home.join("vendors/a_math");
        // The installer's own hint can be pasted.
        let hint = text.lines().find_map(|line| line.split_once("to use it: ")).expect("a hint").1.to_owned();
        let shown = "printf '%s\\n' \"$ASCEND_CUSTOM_OPP_PATH\" \"$LD_LIBRARY_PATH\"";
        let (path, libraries) = (vendor.display().to_string(), format!("{}/op_api/lib/", vendor.display()));
        for (shell, packages, script) in [
            ("bash", vec![vendor.clone()], shown.to_owned()),
            ("sh", vec![vendor.clone()], shown.to_owned()),
            ("bash", vec![], format!("{hint}; {shown}")),
        ] {
            let (code, text) = sourced(&bench, shell, &packages, &script);
            assert_eq!((code, text), (Some(0), format!("{path}\n{libraries}\n")), "{name} {script}");
        }
        let (_, text) = sourced(&bench, "bash", &[vendor.clone(), vendor.clone()], shown);
        assert_eq!(text, format!("{path}:{path}\n{libraries}:{libraries}\n"));
    }
    assert!(!bench.path("PWNED").exists());

    for name in ["a:b", "a\nb"] {
        let at = format!("--install-path={}", bench.path(name).display());
        let (code, text) = bench.install_with(&run, &["--force", &at], &[]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("a colon or a line break in --install-path cannot be used"), "{text}");
    }
}

#[test]
fn modes_do_not_follow_the_umask() {
    // --install-for-all gives everyone the rights of the group (upstream's help.info: "Allow other users to use").
    for (umask, for_all) in [("077", true), ("077", false), ("000", true), ("000", false)] {
        let bench = Bench::new();
        let all = |private: u32, shared: u32| if for_all { shared } else { private };
        let options = if for_all { "--force --install-for-all" } else { "--force" };
        let run = bench.pack("a_math", "1");
        let home = bench.path("deep/new");
        let line = format!(
            "umask {umask}; sh '{0}' {options} && sh '{0}' {options} --install-path='{1}'",
            run.display(),
            home.display()
        );
        let mut command = bench.command("sh");
        command.args(["-c", &line]).env("ASCEND_OPP_PATH", bench.opp());
        let (code, text) = finish(command);
        assert_eq!(code, Some(0), "{text}");
        for (vendor, what) in [(bench.vendor("a_math"), "opp"), (home.join("vendors/a_math"), "path")] {
            let is = |file: &str| mode(&vendor.join(file));
            for dir in ["", "..", "op_api", "op_api/include", "scripts"] {
                assert_eq!(is(dir), all(0o750, 0o755), "umask {umask}, {what}, {dir}");
            }
            assert_eq!(is("op_api/include/aclnn_x.h"), all(0o640, 0o644), "umask {umask}, {what}");
            assert_eq!(is("scripts/uninstall.sh"), all(0o550, 0o555), "umask {umask}, {what}");
        }
        for dir in [home.clone(), bench.path("deep")] {
            assert_eq!(mode(&dir), all(0o750, 0o755), "umask {umask}, {}", dir.display());
        }
        assert_eq!(mode(&home.join("vendors/a_math/bin/set_env.bash")), all(0o640, 0o644));
        let config = bench.opp().join("vendors/config.ini");
        assert_eq!(mode(&config), all(0o640, 0o644), "umask {umask}");

        // What others rely on stays as it is.
        fs::set_permissions(&config, fs::Permissions::from_mode(0o664)).expect("mode");
        bench.install(&bench.pack("b_math", "1"), &["--force"]);
        assert_eq!((bench.config().as_str(), mode(&config)), ("load_priority=b_math,a_math\n", 0o664));
        let mut command = bench.command("sh");
        command.arg(bench.vendor("b_math").join("scripts/uninstall.sh"));
        assert_eq!(finish(command).0, Some(0));
        assert_eq!((bench.config().as_str(), mode(&config)), ("load_priority=a_math\n", 0o664));
    }
}

#[test]
fn installations_at_once_wait_for_each_other() {
    let bench = Bench::new();
    assert_eq!(bench.install(&bench.pack("a_math", "1"), &["--force"]).0, Some(0));
    // Slow enough that each would read config.ini and the directory before another has changed them.
    bench.shim("mv", "sleep 0.1; exec REAL \"$@\"");
    let env = [("ASCEND_OPP_PATH", bench.opp().display().to_string()), ("PATH", bench.shimmed())];
    let runs: Vec<PathBuf> = ["b_math", "c_math", "d_math"].iter().map(|vendor| bench.pack(vendor, "1")).collect();
    let new = bench.pack("a_math", "2");
    thread::scope(|scope| {
        let at_once = runs.iter().chain([&new, &new]);
        let started: Vec<_> = at_once.map(|run| scope.spawn(|| bench.install_with(run, &["--force"], &env))).collect();
        for ended in started {
            let (code, text) = ended.join().expect("no panic");
            assert_eq!((code, last_line(&text)), (Some(0), "SUCCESS"), "{text}");
        }
    });
    assert_eq!(bench.vendors(), ["a_math", "b_math", "c_math", "config.ini", "d_math"]);
    let config = bench.config();
    let mut listed: Vec<&str> = config.trim_end().trim_start_matches("load_priority=").split(',').collect();
    listed.sort_unstable();
    assert_eq!(listed, ["a_math", "b_math", "c_math", "d_math"]);
    assert_eq!(names(&bench.vendor("a_math")), ["op_api", "op_impl", "scripts", "version.info"]);
    assert_eq!(fs::read_to_string(bench.vendor("a_math").join("op_api/include/aclnn_x.h")).expect("read"), "2");
}

#[test]
fn without_a_lock_the_installer_says_so() {
    let bench = Bench::new();
    bench.shim("flock", "echo 'flock: 9: Bad file descriptor' >&2; exit 71");
    let env = [("ASCEND_OPP_PATH", bench.opp().display().to_string()), ("PATH", bench.shimmed())];
    let (code, text) = bench.install_with(&bench.pack("a_math", "1"), &["--force"], &env);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("[WARNING]") && text.contains("cannot be locked"), "{text}");
}

#[test]
fn what_is_in_the_way_stays() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    let vendor = bench.vendor("a_math");
    files::write_if_changed(&vendor, b"theirs").expect("write");
    let (code, text) = bench.install(&run, &["--force"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("a_math is not a directory: move it away"), "{text}");
    assert_eq!(fs::read(&vendor).expect("read"), b"theirs");
    assert_eq!(bench.vendors(), ["a_math"]);

    fs::remove_file(&vendor).expect("remove");
    std::os::unix::fs::symlink("/nonexistent/x", &vendor).expect("symlink");
    let (code, text) = bench.install(&run, &["--force"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("a_math is not a directory: move it away"), "{text}");

    // A link to a directory is replaced, what it points to is not touched.
    fs::remove_file(&vendor).expect("remove");
    files::write_if_changed(&bench.path("elsewhere/theirs"), b"1").expect("write");
    std::os::unix::fs::symlink(bench.path("elsewhere"), &vendor).expect("symlink");
    let (code, text) = bench.install(&run, &["--force"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(names(&bench.path("elsewhere")), ["theirs"]);
    assert_eq!(bench.vendors(), ["a_math", "config.ini"]);
    assert!(installed_content(&vendor).is_some());
}

#[test]
fn a_target_that_takes_nothing() {
    let bench = Bench::new();
    let run = bench.pack_library("a_math", "1", &vec![0; 100_000]);
    // Not even root creates a directory there.
    let (code, text) = bench.install_with(&run, &["--force"], &[("ASCEND_OPP_PATH", "/proc".into())]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("[ERROR] cannot create /proc/vendors"), "{text}");

    // Files of one block at most: as on a full disk, a copy ends in its middle.
    assert_eq!(bench.install(&run, &["--force"]).0, Some(0));
    let before = installed_content(&bench.vendor("a_math"));
    let out = bench.path("out");
    bench.install(&run, &["--noexec", &format!("--extract={}", out.display())]);
    let mut command = bench.command("sh");
    let line = format!("trap '' XFSZ; ulimit -f 1; exec sh '{}/install.sh' --force", out.display());
    command.args(["-c", &line]).env("ASCEND_OPP_PATH", bench.opp());
    let (code, text) = finish(command);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("[ERROR] cannot copy op_impl (is the disk full?)"), "{text}");
    assert!(before.is_some() && installed_content(&bench.vendor("a_math")) == before);
    assert_eq!(bench.vendors(), ["a_math", "config.ini"]);
}

#[test]
fn libraries_of_another_machine_in_a_directory_with_blanks() {
    let bench = Bench::new();
    let temp = bench.path("my temp dir");
    fs::create_dir(&temp).expect("mkdir");
    let opp = bench.path("my opp");
    fs::create_dir(&opp).expect("mkdir");
    let env = [("ASCEND_OPP_PATH", opp.display().to_string()), ("TMPDIR", temp.display().to_string())];
    let (code, text) = bench.install_with(&bench.pack_library("a_math", "1", &library(false)), &[], &env);
    assert_eq!((code, last_line(&text)), (Some(0), "SUCCESS"), "{text}");
    let (code, text) = bench.install_with(&bench.pack_library("a_math", "2", &library(true)), &[], &env);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("libcust_opmaster_rt2.0.so: not for this machine"), "{text}");
    assert_eq!(names(&temp), Vec::<String>::new());
}

/// Temporary files may lie where programs cannot be loaded.
#[test]
fn libraries_are_tried_where_they_will_stay() {
    let bench = Bench::new();
    bench.shim("python3", &format!("[ $# = 3 ] || exit 1; exec cat >'{}'", bench.path("tried").display()));
    let env = [
        ("ASCEND_OPP_PATH", bench.opp().display().to_string()),
        ("ASCEND_HOME_PATH", "/nonexistent".to_owned()),
        ("PATH", bench.shimmed()),
    ];
    let (code, text) = bench.install_with(&bench.pack("a_math", "1"), &[], &env);
    assert_eq!(code, Some(0), "{text}");
    let tried = fs::read_to_string(bench.path("tried")).expect("python3 was asked");
    let place = format!("{}/vendors/.a_math.new/op_impl/", bench.opp().display());
    assert!(tried.lines().count() == 1 && tried.starts_with(&place), "{tried}");
}

#[test]
fn modules_of_the_current_directory_are_not_run() {
    let bench = Bench::new();
    let out = bench.path("out");
    bench.install(&bench.pack("a_math", "1"), &["--noexec", &format!("--extract={}", out.display())]);
    let evil = bench.path("evil");
    files::write_if_changed(&evil.join("ctypes.py"), b"open('RAN', 'w')\n").expect("write");
    let mut command = bench.command("sh");
    command.arg(out.join("install.sh")).current_dir(&evil);
    command.env("ASCEND_OPP_PATH", bench.opp()).env("ASCEND_HOME_PATH", "/nonexistent").env("PYTHONPATH", &evil);
    let (code, text) = finish(command);
    assert_eq!(names(&evil), ["ctypes.py"]);
    // The real module was asked.
    assert!(code == Some(1) && text.contains("libcust_opmaster_rt2.0.so: file too short"), "{text}");
}

/// Names that reach outside of the directory a package is unpacked in.
#[test]
fn archives_that_reach_out_are_refused() {
    for name in ["../evil", "packages/../../evil"] {
        let bench = Bench::new();
        let mut tar = tar::Builder::new(flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::fast()));
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(4);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, &b"evil"[..]).expect("append");
        let payload = tar.into_inner().expect("tar").finish().expect("gzip");
        let run = bench.pack("a_math", "1");
        let (bytes, sum) = ("payload_bytes=", "payload_sha256=");
        // The header is whole and right about the archive.
        let whole = fs::read(&run).expect("read");
        let head: String = String::from_utf8_lossy(&whole)
            .lines()
            .take(STUB.lines().count())
            .map(|text| match text {
                text if text.starts_with(bytes) => format!("{bytes}{}\n", payload.len()),
                text if text.starts_with(sum) => format!("{sum}{}\n", files::sha256(&payload)),
                text => format!("{text}\n"),
            })
            .collect();
        fs::write(&run, [head.as_bytes(), &payload].concat()).expect("write");
        let (code, text) = bench.install(&run, &["--force"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("cannot unpack to "), "{text}");
        assert!(!bench.path("evil").exists() && bench.vendors().is_empty());
    }
}

//! The installer scripts, run for real on packages with made-up content.

use super::*;
use crate::toolchain::record::{installed_content, installed_ops};
use std::process::Command;

pub(super) const STUB: &str = include_str!("../../../../scripts/package/run_stub.sh");

pub(super) struct Bench {
    temp: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench { temp: tempfile::tempdir().expect("temp dir") };
        fs::create_dir(bench.opp()).expect("mkdir");
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub fn opp(&self) -> PathBuf {
        self.path("opp")
    }

    pub fn vendor(&self, name: &str) -> PathBuf {
        self.opp().join("vendors").join(name)
    }

    /// Packs a vendor directory whose one library is no library; `--force` installs it all the same.
    pub fn pack(&self, vendor: &str, content: &str) -> PathBuf {
        self.pack_library(vendor, content, b"not ELF")
    }

    pub fn pack_library(&self, vendor: &str, content: &str, library: &[u8]) -> PathBuf {
        let (stage, hash) = self.stage(vendor, content, library);
        let run = self.path(&format!("{vendor}.run"));
        runfile::write(&stage, STUB, &format!("{vendor} 1 for y"), &hash, &run).expect("pack");
        run
    }

    /// What the archive holds, and the hash of its content.
    pub fn stage(&self, vendor: &str, content: &str, library: &[u8]) -> (PathBuf, String) {
        let stage = self.path(&format!("stage_{vendor}"));
        files::remove_dir_if_there(&stage).expect("remove");
        let inner = stage.join("packages/vendors").join(vendor);
        let lib = "op_impl/ai_core/tbe/op_tiling/lib/linux/x/libcust_opmaster_rt2.0.so";
        files::write_if_changed(&inner.join(lib), library).expect("write");
        files::write_if_changed(&inner.join("op_api/include/aclnn_x.h"), content.as_bytes()).expect("write");
        let link = inner.join("op_impl/ai_core/tbe/op_tiling/liboptiling.so");
        std::os::unix::fs::symlink("lib/linux/x/libcust_opmaster_rt2.0.so", link).expect("symlink");
        files::write_if_changed(&inner.join(VERSION), b"sources.x=1\n").expect("write");
        let hash = sign(&inner).expect("hash");
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("parent");
        put_scripts(repo, vendor, &stage).expect("scripts");
        (stage, hash)
    }

    pub fn install(&self, run: &Path, args: &[&str]) -> (Option<i32>, String) {
        self.install_with(run, args, &[("ASCEND_OPP_PATH", self.opp().display().to_string())])
    }

    pub fn install_with(&self, run: &Path, args: &[&str], env: &[(&str, String)]) -> (Option<i32>, String) {
        let mut command = self.command("sh");
        command.arg(run).args(args).envs(env.iter().map(|(name, value)| (*name, value)));
        finish(command)
    }

    /// In an environment that only the test decides on.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TMPDIR", self.temp.path());
        command
    }

    /// A program that is found before the real one; `REAL` in the script stands for that one.
    pub fn shim(&self, name: &str, script: &str) {
        let real = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|dir| dir.join(name))
            .find(|path| path.is_file());
        let real = real.map_or_else(|| "false".to_owned(), |path| path.display().to_string());
        let file = self.path("shims").join(name);
        files::write_if_changed(&file, format!("#!/bin/sh\n{}\n", script.replace("REAL", &real)).as_bytes())
            .expect("write");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("mode");
    }

    /// PATH with the shims in front.
    pub fn shimmed(&self) -> String {
        format!("{}:{}", self.path("shims").display(), std::env::var("PATH").unwrap_or_default())
    }

    pub fn config(&self) -> String {
        fs::read_to_string(self.opp().join("vendors/config.ini")).unwrap_or_default()
    }

    /// Names in vendors/: nothing temporary may stay.
    pub fn vendors(&self) -> Vec<String> {
        names(&self.opp().join("vendors"))
    }
}

pub(super) fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub(super) fn finish(mut command: Command) -> (Option<i32>, String) {
    let out = command.output().expect("it starts");
    (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}

pub(super) fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

#[test]
fn newest_vendor_first_and_uninstall() {
    let bench = Bench::new();
    for name in ["a_math", "b_math", "c_math"] {
        let (code, text) = bench.install(&bench.pack(name, "1"), &["--quiet", "--force"]);
        assert_eq!((code, last_line(&text)), (Some(0), "SUCCESS"), "{text}");
    }
    assert_eq!(bench.config(), "load_priority=c_math,b_math,a_math\n");
    bench.install(&bench.path("a_math.run"), &["--force"]);
    assert_eq!(bench.config(), "load_priority=a_math,c_math,b_math\n");
    assert_eq!(bench.vendors(), ["a_math", "b_math", "c_math", "config.ini"]);
    assert!(installed_content(&bench.vendor("a_math")).is_some());

    let uninstall = |name: &str| {
        let status =
            Command::new("sh").arg(bench.vendor(name).join("scripts/uninstall.sh")).output().expect("sh").status;
        assert_eq!(status.code(), Some(0));
    };
    uninstall("c_math");
    assert_eq!(bench.config(), "load_priority=a_math,b_math\n");
    uninstall("a_math");
    uninstall("b_math");
    assert_eq!(bench.vendors(), Vec::<String>::new());
}

#[test]
fn install_path_gets_a_set_env_and_no_config() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    let dir = bench.path("my ops");
    let (code, text) =
        bench.install_with(&run, &["--quiet", "--force", &format!("--install-path={}", dir.display())], &[]);
    assert_eq!((code, last_line(&text)), (Some(0), "SUCCESS"), "{text}");
    let vendor = dir.join("vendors/a_math");
    assert!(vendor.join("bin/set_env.bash").is_file());
    assert!(!dir.join("vendors/config.ini").exists());
    assert!(installed_content(&vendor).is_some(), "set_env.bash is not part of the content");
    let (code, _) = bench.install_with(&run, &["--install-path=relative"], &[]);
    assert_eq!(code, Some(1));
}

#[test]
fn wrong_targets() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    let cases: [(&[(&str, String)], &str); 3] = [
        (&[], "[ERROR] env ASCEND_OPP_PATH no exist"),
        (&[("ASCEND_OPP_PATH", "/nonexistent/opp".into())], "[ERROR] /nonexistent/opp no exist"),
        (&[("ASCEND_CUSTOM_OPP_PATH", "/a:/b".into())], "[ERROR] env ASCEND_CUSTOM_OPP_PATH holds several paths"),
    ];
    for (env, message) in cases {
        let (code, text) = bench.install_with(&run, &["--force"], env);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("[ops_custom] [") && text.contains(message), "{text}");
    }
}

#[test]
fn a_package_whose_libraries_do_not_load_is_refused() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    assert_eq!(bench.install(&run, &["--force"]).0, Some(0));
    let before = installed_content(&bench.vendor("a_math"));
    let run = bench.pack("a_math", "2");
    for home in [None, Some("/nonexistent")] {
        let mut env = vec![("ASCEND_OPP_PATH", bench.opp().display().to_string())];
        env.extend(home.map(|home| ("ASCEND_HOME_PATH", home.to_owned())));
        let (code, text) = bench.install_with(&run, &[], &env);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("Shared library validation failed. To skip this validation use --force."), "{text}");
        assert_eq!(installed_content(&bench.vendor("a_math")), before);
    }
}

#[test]
fn a_failure_on_the_way_keeps_the_previous_installation() {
    let bench = Bench::new();
    assert_eq!(bench.install(&bench.pack("a_math", "1"), &["--force"]).0, Some(0));
    let before = installed_content(&bench.vendor("a_math"));
    assert!(before.is_some());

    // A `cp` that fails at the last part stands for a full disk.
    let run = bench.pack("a_math", "2");
    bench
        .shim("cp", r#"case "$*" in *op_api*) echo 'cp: No space left on device' >&2; exit 1 ;; esac; exec REAL "$@""#);
    let env = [("ASCEND_OPP_PATH", bench.opp().display().to_string()), ("PATH", bench.shimmed())];
    let (code, text) = bench.install_with(&run, &["--force"], &env);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("[ERROR] cannot copy op_api"), "{text}");
    assert_eq!(installed_content(&bench.vendor("a_math")), before);
    assert_eq!(bench.vendors(), ["a_math", "config.ini"]);

    assert_eq!(bench.install(&run, &["--force"]).0, Some(0));
    assert_ne!(installed_content(&bench.vendor("a_math")), before);
}

#[test]
fn the_same_files_from_other_sources_are_another_package() {
    let bench = Bench::new();
    bench.install(&bench.pack("a_math", "1"), &["--force"]);
    let vendor = bench.vendor("a_math");
    let before = installed_content(&vendor).expect("whole");
    assert_eq!(installed_ops(&vendor), ["x"]);
    let version = fs::read_to_string(vendor.join(VERSION)).expect("version");
    assert!(version.ends_with(&format!("content_sha256={before}\nsources.x=1\n")), "{version}");
    fs::write(vendor.join(VERSION), version.replace("sources.x=1", "sources.x=2")).expect("write");
    assert_eq!(installed_content(&vendor), None);
}

#[test]
fn a_touched_installation_is_not_up_to_date() {
    let bench = Bench::new();
    bench.install(&bench.pack("a_math", "1"), &["--force"]);
    let vendor = bench.vendor("a_math");
    assert!(installed_content(&vendor).is_some());
    fs::write(vendor.join("op_api/include/aclnn_x.h"), "changed").expect("write");
    assert_eq!(installed_content(&vendor), None);
}

#[test]
fn upgrade_needs_an_installation() {
    let bench = Bench::new();
    let run = bench.pack("a_math", "1");
    let out = bench.path("out");
    bench.install(&run, &["--noexec", &format!("--extract={}", out.display())]);
    let upgrade = || {
        let mut command = Command::new("sh");
        command.arg(out.join("upgrade.sh")).env_remove("ASCEND_HOME_PATH").env("ASCEND_OPP_PATH", bench.opp());
        command.output().expect("sh")
    };
    let first = upgrade();
    assert_eq!(first.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&first.stdout).contains("a_math is not installed below"));
}

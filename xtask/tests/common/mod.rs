//! A throw-away repository with one op, and xtask run in it with a controlled environment.
#![allow(dead_code, reason = "each test program uses its part")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::ExpectFile;

/// The op directory of `Repo::on_a_toolkit`.
pub const OP: &str = "my_ops/math/some_op";

/// What the toolkit writes of a kernel that has failed.
pub const FAULT: &str =
    r#"echo '{"code":507035,"kind":"task","text":"kernel fault: kernel k, core 0"}' >> "$HOSTCANN_VERDICT""#;

pub struct Repo {
    temp: tempfile::TempDir,
}

pub struct Ran {
    /// The arguments, with blanks between them.
    pub line: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Exit code, and every part somewhere on stderr.
    #[track_caller]
    pub fn expect(&self, code: i32, parts: &[&str]) -> &Ran {
        assert_eq!(self.code, Some(code), "stderr:\n{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in stderr:\n{}", self.err);
        }
        self
    }
}

/// What several runs say, word by word: both streams and the exit code, without what differs from machine to machine.
pub fn check(repo: &Repo, runs: &[Ran], expected: ExpectFile) {
    let here = repo.path("").canonicalize().expect("path");
    let root = here.to_str().expect("UTF-8");
    let mut text = String::new();
    for ran in runs {
        text.push_str(&format!("$ xtask {}\n", ran.line));
        for (name, stream) in [("stdout", &ran.out), ("stderr", &ran.err)] {
            if !stream.is_empty() {
                text.push_str(&format!("--- {name}\n{}", stream.replace(root, "<repo>")));
            }
        }
        text.push_str(&format!("--- exit code {}\n", ran.code.expect("no signal")));
    }
    let text: String = text.lines().map(|line| seconds(line) + "\n").collect();
    expected.assert_eq(&text);
}

/// `in 0.3 s` at the end of a line is not the same twice.
fn seconds(line: &str) -> String {
    match line.rsplit_once(" in ").and_then(|(start, time)| Some((start, time.strip_suffix(" s")?))) {
        Some((start, time)) if time.parse::<f64>().is_ok() => format!("{start} in <time>"),
        _ => line.to_owned(),
    }
}

impl Repo {
    /// A finished host toolkit and a checkout with these operators of experimental/math.
    pub fn of_operators(ops: &[&str]) -> Repo {
        let repo = Repo::new();
        repo.good_compiler();
        for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so"] {
            repo.write(&format!("toolkit/{file}"), "");
        }
        repo.write("hostcann/cli/locks/numpy.lock.txt", "");
        repo.tool("ninja", "echo 1.11.1");
        repo.tool(
            "cmake",
            "case \"$*\" in
        *--version*) echo 'cmake version 3.25.1';;
        *OP_DIRS=*/bad*) echo 'CMake Error at op/CMakeLists.txt:1 (message):'; echo '  no good'; exit 1;;
        *OP_DIRS=*/slow*) sleep 100;;
        *OP_DIRS=*/talks*) for n in 1 2 3 4; do echo \"[$n/4] x\"; sleep 0.5; done;;
        *OP_DIRS=*/ended*) kill -TERM $PPID; sleep 1;;
        esac",
        );
        for op in ops {
            repo.op(&format!("ops-math/experimental/math/{op}"), op, &["ascend910b"]);
        }
        repo
    }

    pub fn new() -> Repo {
        let repo = Repo { temp: tempfile::tempdir().expect("temp dir") };
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent");
        for file in ["hostcann/cli/locks/tools.lock.txt", "scripts/package/run_stub.sh"] {
            repo.write(file, &fs::read_to_string(here.join(file)).expect("read"));
        }
        // A toolkit without headers has none to forward to.
        repo.write("hostcann/include/forwards.txt", "");
        repo.write("hostcann/include/hostcann/l0_functions.h", "\nnamespace l0op {\n\n} // namespace l0op\n");
        repo.op("experimental/math/fmod", "fmod", &["ascend910b", "ascend910_93"]);
        repo.write("experimental/math/fmod/examples/test_aclnn_fmod.cpp", "");
        // A PATH without compiler, python and cmake: what a test needs it adds.
        for tool in [
            "sh",
            "bash",
            "rm",
            "mkdir",
            "cat",
            "env",
            "tail",
            "gzip",
            "tar",
            "sha256sum",
            "wc",
            "tr",
            "cut",
            "dirname",
            "mktemp",
            "sleep",
            "date",
            "sed",
            "basename",
            "mv",
            "cp",
            "flock",
        ] {
            if let Some(path) = which(tool) {
                repo.write("bin/.keep", "");
                symlink(path, repo.path("bin").join(tool)).expect("symlink");
            }
        }
        repo
    }

    /// With a toolkit of empty files; g++ makes programs of shell scripts, cmake a package of OP with nothing in it.
    pub fn on_a_toolkit() -> Repo {
        let repo = Repo::new();
        for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so", "lib64/libnnopbase.so", "opp/.keep"]
        {
            repo.write(&format!("toolkit/{file}"), "");
        }
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/package");
        for entry in fs::read_dir(&scripts).expect("the installer") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            repo.write(&format!("scripts/package/{name}"), &fs::read_to_string(&path).expect("a script"));
        }
        repo.tool("ninja", "echo 1.11.1");
        for tool in
            ["chmod", "find", "touch", "ls", "od", "ln", "rmdir", "grep", "id", "mkfifo", "uname", "stat", "cmp"]
        {
            repo.system_tool(tool);
        }
        repo.tool(
            "g++",
            "for word; do case $word in *.cpp) source=$word;; esac; [ \"$last\" = -o ] && out=$word; last=$word; done
            case \"$*\" in --version|-v*|*dumpversion*) echo 'g++ (Debian) 12.2.0'; exit;; esac
            case $source in *broken*) echo 'x.cpp:1:1: error: no such header' >&2; exit 1;; esac
            [ -n \"$out\" ] && cp \"$source\" \"$out\" && chmod +x \"$out\"",
        );
        repo.tool(
            "cmake",
            "case \"$*\" in
            *--version*) echo 'cmake version 3.25.1';;
            *OP_DIRS=*) dir=packages/vendors/some_op_math; mkdir -p $dir/op_api/lib $dir/op_api/include $dir/op_impl; echo > $dir/op_api/include/aclnn_some_op.h
                # the installer asks for a file of this machine
                for lib in libcust_opapi libcust_opmaster_rt2.0; do cp \"$(command -v sh)\" $dir/op_api/lib/$lib.so; done;;
            esac",
        );
        repo.op(OP, "some_op", &["ascend910b"]);
        repo
    }

    pub fn xtask_on_a_toolkit(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let toolkit = self.path("toolkit");
        let own = [("ASCEND_HOME_PATH", &*toolkit.to_string_lossy()), ("XTASK_TOOLS", "system")];
        self.xtask_with(args, &[&own, env].concat())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
        fs::write(path, text).expect("write");
    }

    /// The least that is an op directory.
    pub fn op(&self, dir: &str, name: &str, socs: &[&str]) {
        let cmake = format!("add_all_modules_sources(OPTYPE {name} ACLNNTYPE aclnn_exclude)\n");
        self.write(&format!("{dir}/CMakeLists.txt"), &cmake);
        let def: String = socs.iter().map(|soc| format!("this->AICore().AddConfig(\"{soc}\");\n")).collect();
        self.write(&format!("{dir}/op_host/{name}_def.cpp"), &def);
        self.write(&format!("{dir}/op_kernel/{name}.cpp"), "");
    }

    /// A program on the PATH of `xtask`.
    pub fn tool(&self, name: &str, script: &str) {
        let file = format!("bin/{name}");
        let _ = fs::remove_file(self.path(&file));
        // Copied by another process: a program that this one has open for writing, if only in a child that another
        // test's thread has just forked, cannot be started (ETXTBSY).
        let text = format!("scripts/{name}");
        self.write(&text, &format!("#!/bin/sh\n{script}\n"));
        self.write("bin/.keep", "");
        let copied = Command::new("cp").arg(self.path(&text)).arg(self.path(&file)).status().expect("cp");
        assert!(copied.success());
        fs::set_permissions(self.path(&file), fs::Permissions::from_mode(0o755)).expect("mode");
    }

    /// A tool of this machine, if it has it.
    pub fn system_tool(&self, name: &str) {
        if let Some(path) = which(name) {
            symlink(path, self.path("bin").join(name)).expect("symlink");
        }
    }

    pub fn good_compiler(&self) {
        self.tool("g++", "echo 'g++ (Test) 12.2.0'");
    }

    pub fn xtask(&self, args: &[&str]) -> Ran {
        self.xtask_with(args, &[])
    }

    pub fn xtask_with(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let output = self.command(args, env).output().expect("xtask runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { line: args.join(" "), code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    pub fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(args).current_dir(self.temp.path()).env_clear();
        command.env("PATH", self.path("bin")).env("CARGO_WORKSPACE_DIR", self.temp.path());
        command.env("HOME", self.temp.path()).env("CARGO", "cargo-is-not-here");
        command.envs(env.iter().copied());
        command
    }
}

fn which(tool: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(tool)).find(|path| path.is_file())
}

/// A python3 that makes environments and whose pip runs `pip`, with the directory behind --target in $into.
pub fn python(repo: &Repo, pip: &str) {
    let script = format!(
        r#"case "$*" in
 *'print(sys.executable)'*) echo "$0" ;;
 *cache_tag*) echo cpython-311 ;;
 *purelib*) echo "$(dirname "$(dirname "$0")")/lib/site" ;;
 *'pip --version') echo 'pip 23.0 (python 3.11)' ;;
 '-m venv --without-pip '*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && echo x > "$4/bin/activate" ;;
 '-m pip install --target '*) into="$5"; {pip} ;;
 *version.py*) echo "$HOME/torch"; echo None ;;
 *) echo "python3: what is $*?" >&2; exit 9 ;;
esac"#
    );
    repo.tool("python3", &script);
}

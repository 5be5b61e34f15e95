//! `example`: what the toolkit tells of a run counts, whatever the program makes of it. g++ makes programs of shell scripts,
//! cmake a package with nothing in it.

mod common;

use common::{Ran, Repo};

const OP: &str = "my_ops/math/some_op";

/// The example's program is the text behind its name.
fn repo(examples: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.good_compiler();
    for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so", "lib64/libnnopbase.so", "opp/.keep"] {
        repo.write(&format!("toolkit/{file}"), "");
    }
    let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/package");
    for entry in std::fs::read_dir(&scripts).expect("the installer") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        repo.write(&format!("scripts/package/{name}"), &std::fs::read_to_string(&path).expect("a script"));
    }
    repo.tool("ninja", "echo 1.11.1");
    for tool in ["chmod", "find", "touch", "ls", "od", "ln", "rmdir", "grep", "id", "mkfifo", "uname", "stat", "cmp"] {
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
    for (name, script) in examples {
        repo.write(&format!("{OP}/examples/test_aclnn_{name}.cpp"), &format!("#!/bin/sh\n{script}\n"));
    }
    repo
}

fn run(repo: &Repo, args: &[&str]) -> Ran {
    let toolkit = repo.path("toolkit");
    let env = [("ASCEND_HOME_PATH", &*toolkit.to_string_lossy()), ("XTASK_TOOLS", "system")];
    repo.xtask_with(&[&["example", "--op-dir", OP, "--vendor_name=some_op"], args].concat(), &env)
}

const FAULT: &str =
    r#"echo '{"code":507035,"kind":"task","text":"kernel fault: kernel k, core 0"}' >> "$HOSTCANN_VERDICT""#;

#[test]
fn a_program_that_hides_a_fault_has_failed() {
    let repo = repo(&[("good", "echo fine"), ("hides", &format!("echo fine\n{FAULT}\nexit 0"))]);
    let ran = run(&repo, &[]);
    ran.expect(30, &["1 of 2 examples failed: test_aclnn_hides"]);
    for line in [
        "run test_aclnn_good, execute samples success\n",
        "run test_aclnn_hides, execute samples failed (the program returned 0, but the toolkit tells of a failure: [507035] \
         kernel fault: kernel k, core 0; log target/xtask/log/test_aclnn_hides.log)\n",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
}

#[test]
fn one_that_does_not_compile_does_not_stop_the_others() {
    let repo = repo(&[("broken", ""), ("good", "echo fine")]);
    let ran = run(&repo, &[]);
    ran.expect(30, &["x.cpp:1:1: error: no such header", "1 of 2 examples failed: test_aclnn_broken"]);
    assert!(ran.out.contains("run test_aclnn_good, execute samples success\n"), "{}", ran.out);
}

#[test]
fn one_that_does_not_end_is_stopped() {
    let repo = repo(&[("good", "echo fine"), ("loops", "echo started; exec sleep 100")]);
    let ran = run(&repo, &["--timeout=1"]);
    ran.expect(30, &["1 of 2 examples failed: test_aclnn_loops"]);
    let line = "run test_aclnn_loops, execute samples failed (time limit of 1 s: stopped after ";
    assert!(ran.out.contains("started\n") && ran.out.contains(line), "{}", ran.out);
}

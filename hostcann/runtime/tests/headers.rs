//! The acl headers compile alone as C11 and C++17, and every function they declare is in the library; the toolkit's own
//! headers are what their Rust sources make. And what the toolkit's directory tells programs.

#![expect(clippy::undocumented_unsafe_blocks, reason = "the test owns every text, and every pointer outlives its call")]

mod common;
use common::*;
use std::ffi::{CStr, c_char};
use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};

fn headers() -> Vec<String> {
    let mut found = Vec::new();
    for sub in ["acl", "acl/error_codes"] {
        for entry in std::fs::read_dir(manifest("../include").join(sub)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".h") {
                found.push(format!("{sub}/{name}"));
            }
        }
    }
    assert_eq!(found.len(), 10);
    found.extend(["hostcann/host_abi.h", "hostcann/observe.h", "hostcann/stats.h"].map(str::to_owned));
    found
}

fn compile(dir: &Path, source: &str, language: &[&str], more: &[&str]) {
    let file = dir.join("unit.c");
    std::fs::write(&file, source).unwrap();
    let output = Command::new("g++")
        .args(language)
        .args(["-Wall", "-Wextra", "-Wshadow", "-Wformat=2", "-Werror", "-I"])
        .arg(manifest("../include"))
        .arg("-o")
        .arg(dir.join("unit"))
        .arg(&file)
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{language:?}\n{source}\n{}", String::from_utf8_lossy(&output.stderr));
}

const C: [&str; 3] = ["-x", "c", "-std=c11"];
const CPP: [&str; 3] = ["-x", "c++", "-std=c++17"];

/// The text of a Rust source without what cbindgen would take for functions of these headers, and with nullable functions
/// as the pointers they are.
fn source(path: &str) -> String {
    let text = std::fs::read_to_string(manifest(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.replace("extern \"C\" fn acl", "fn acl")
        .replace("Option<HcHostCall>", "HcHostCall")
        .replace("Option<HcDrop>", "HcDrop")
}

#[test]
fn host_abi() {
    let sources = [
        "src/base/log.rs",
        "src/base/host_abi.rs",
        "src/executor/host_abi.rs",
        "src/acl/unsupported.rs",
        "src/acl/sys_param.rs",
        "src/executor/plan_abi.rs",
        "src/executor/direct_launch.rs",
        "src/acl/memory.rs",
    ];
    headers::check(&headers::Header {
        path: "hostcann/host_abi.h",
        intro: "// C ABI between libnnopbase.so (C++ types that op sources need) and libascendcl.so (everything else).",
        includes: &["stdbool.h", "stddef.h", "stdint.h"],
        sources: &sources.map(source),
        prelude: "// A kernel of an installed package; owned by the library, never freed.\n\
                  typedef struct hc_kernel_binary hc_kernel_binary;\n\
                  // An ordered list of nodes over storages.\n\
                  typedef struct hc_plan hc_plan;\n",
        names: &[
            ("HcStatus", "hc_status"),
            ("HcStorage", "hc_storage"),
            ("HcHostCall", "hc_host_call"),
            ("HcDrop", "hc_drop"),
            ("KernelBinary", "hc_kernel_binary"),
            ("Plan", "hc_plan"),
            ("HcTensorType", "hc_tensor_type"),
            ("HcOperand", "hc_operand"),
            ("HcMemory", "hc_memory"),
            ("HcElements", "hc_elements"),
            ("HcTensor", "hc_tensor"),
            ("HcLaunch", "hc_launch"),
            ("HcStrided", "hc_strided"),
            ("HcPointer", "hc_pointer"),
        ],
        // Stands in acl_base_rt.h.
        exclude: &["hc_app_log"],
    });
}

#[test]
fn stats() {
    headers::check(&headers::Header {
        path: "hostcann/stats.h",
        intro: "// What the vector cores were asked to do: instruction, lane and byte counts of launches, from libascendcl.so.\n\
                // Counting is off until enabled and costs a launch a few percent while it is on.",
        includes: &["stdint.h"],
        sources: &["../aicore/src/observers/stats.rs", "src/acl/stats.rs"].map(source),
        prelude: "",
        names: &[("LaunchStats", "hc_launch_stats"), ("OpcodeStats", "hc_opcode_stats")],
        exclude: &[],
    });
}

#[test]
fn each_header_compiles_alone() {
    let dir = tempfile::tempdir().unwrap();
    for header in headers() {
        for language in [C, CPP] {
            compile(dir.path(), &format!("#include \"{header}\"\n"), &language, &["-c"]);
        }
    }
}

/// Names of the functions that a header declares.
fn declared(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut names = Vec::new();
    for statement in code.split(';').filter(|s| !s.contains('{')) {
        let Some(paren) = statement.rfind('(') else {
            continue;
        };
        let name: String = statement[..paren].chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let name: String = name.chars().rev().collect();
        if name.starts_with("acl") || name.starts_with("hc_") {
            names.push(name);
        }
    }
    names
}

#[test]
fn every_declared_function_links() {
    let mut source = String::from(
        "#include \"acl/acl.h\"\n#include \"acl/acl_op_compiler.h\"\n#include \"hostcann/host_abi.h\"\n#include \"hostcann/stats.h\"\n",
    );
    source += "#include \"hostcann/observe.h\"\n";
    let mut names = Vec::new();
    for header in headers() {
        names.extend(declared(&std::fs::read_to_string(manifest("../include").join(header)).unwrap()));
    }
    assert!(names.len() > 90, "{names:?}");
    source += "typedef void (*any)(void);\nint main(void)\n{\n    any all[] = {\n";
    for name in &names {
        source += &format!("        (any)&{name},\n");
    }
    source += "    };\n    ACL_APP_LOG(ACL_INFO, \"%d functions\", 1);\n    return all[0] == 0;\n}\n";
    let library = root().join("lib64");
    let library = library.to_str().unwrap();
    let link = ["-L", library, "-lascendcl", &format!("-Wl,-rpath,{library}")];
    let quiet = ["-Wno-cast-function-type", "-Wno-deprecated-declarations"];
    for language in [C, CPP] {
        let dir = tempfile::tempdir().unwrap();
        compile(dir.path(), &source, &language, &[&quiet[..], &["-x", "none"], &link].concat());
        let output = Command::new(dir.path().join("unit")).env("HOSTCANN_LOG", "info").output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("1 functions"));
    }
}

#[test]
fn set_env_leaves_no_empty_elements() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    make_root(&root);
    std::fs::copy(manifest("../set_env.sh"), root.join("set_env.sh")).unwrap();
    let print = "echo $ASCEND_HOME_PATH $ASCEND_OPP_PATH $LD_LIBRARY_PATH";
    let sourced = format!(". {0}/set_env.sh && . {0}/set_env.sh && {print}", root.display());
    let run = |shell: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(shell);
        command.args(["-c", &sourced]).env_remove("LD_LIBRARY_PATH").env_remove("ASCEND_HOME_PATH");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let home = root.to_str().unwrap();
    assert_eq!(run("bash", &[]), format!("{home} {home}/opp {home}/lib64"));
    assert_eq!(run("bash", &[("LD_LIBRARY_PATH", "/x")]), format!("{home} {home}/opp {home}/lib64:/x"));
    assert_eq!(run("sh", &[("ASCEND_HOME_PATH", home)]), format!("{home} {home}/opp {home}/lib64"));
}

#[test]
fn versions_of_packages() {
    let api = ready();
    let number = |package: &CStr| {
        let mut number = -1;
        let code = unsafe { (api.aclsysGetVersionNum)(package.as_ptr(), &mut number) };
        (code, number)
    };
    for (package, text) in
        [("whole", "Version=8.5.12.alpha001 \n"), ("words", "Version=new\n"), ("none", "version=1.2.3\n")]
    {
        let dir = root().join("share/info").join(package);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("version.info"), text).unwrap();
    }
    assert_eq!(number(c"whole"), (0, 80_512_000));
    let mut text = [1 as c_char; 128];
    assert_eq!(unsafe { (api.aclsysGetVersionStr)(c"whole".as_ptr(), text.as_mut_ptr()) }, 0);
    assert_eq!(unsafe { CStr::from_ptr(text.as_ptr()) }, c"8.5.12.alpha001");
    assert_eq!(text[16], 1, "nothing behind the end is written");
    assert_eq!(unsafe { (api.aclsysGetVersionStr)(c"words".as_ptr(), text.as_mut_ptr()) }, 0);
    message();
    assert_eq!(number(c"words"), (100003, -1));
    assert!(message().contains("package words has version new, expected three numbers"));
    assert_eq!(number(c"none"), (100003, -1));
    assert!(message().contains("expected a line Version="));
    // A question that is answered.
    assert_eq!((number(c"asc-devkit"), message()), ((100003, -1), String::new()));
    for bad in [c"../whole", c"whole/.", c"..", c""] {
        assert_eq!(number(bad), (100000, -1));
        assert!(message().contains(&format!("'{}' is no package name", bad.to_str().unwrap())));
    }
    assert_eq!(unsafe { (api.aclsysGetVersionNum)(c"whole".as_ptr(), null_mut()) }, 100000);
    assert_eq!(unsafe { (api.aclsysGetVersionStr)(null(), text.as_mut_ptr()) }, 100000);
}

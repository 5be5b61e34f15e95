//! `sim` with a program that writes what the toolkit would: options reach it, tables and files come of what it wrote.

mod common;

use common::{Ran, Repo};

const LAUNCH: &str = r#"{"kernel":"Add_k_0","tiling_key":0,"soc":"Ascend910B3","mode":"warm","blocks":1,"simulated":1,"mhz":1800.0,"ub_size":196608,"task_us":11.0,"launch_us":1.0,"error":{"class":"broadcast","percent":26.0,"source":"held-out broadcasts"},"bound":"vector","cores":[{"core":0,"cycles":18000,"vec":9000,"scalar":1800,"mte2":4500,"mte3":3600}],"bytes":{"read":100,"write":50,"l2_hit":0,"hbm_read":100,"hbm_write":50},"vec_ops":25.0,"roofs":{"vec_gops":115.2,"l2_gbs":190.0,"hbm_gbs":1400.0}}"#;

fn repo(program: &str) -> Repo {
    let repo = Repo::new();
    for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so", "lib64/libnnopbase.so", "opp/.keep"] {
        repo.write(&format!("toolkit/{file}"), "");
    }
    repo.tool("program", program);
    repo
}

fn sim(repo: &Repo, args: &[&str]) -> Ran {
    let toolkit = repo.path("toolkit");
    repo.xtask_with(&[&["sim"], args].concat(), &[("ASCEND_HOME_PATH", &*toolkit.to_string_lossy())])
}

#[test]
fn what_a_program_launches() {
    let repo = repo(&format!(
        "echo \"hello ${{HOSTCANN_SIM%%:*}} $HOSTCANN_SOC $1\"; echo '{LAUNCH}' >> \"${{HOSTCANN_SIM#*:}}\""
    ));
    let args = ["--cold", "--csv=a.csv", "--trace=a.json", "--html=a.html", "--core=0,2", "--soc=Ascend910B1"];
    let ran = sim(&repo, &[&args[..], &["--", "program", "--flag"]].concat());
    ran.expect(0, &["Finished sim: 1 launch (model)"]);
    assert!(ran.out.starts_with("hello cold,what-if,trace=0+2 Ascend910B1 --flag\n"), "{}", ran.out);
    assert!(
        ran.out.contains("Task Duration 11.00 us (model), of it 1.00 outside of the cores; bound: vector"),
        "{}",
        ran.out
    );
    let error = "  all of these times: ± 26 % (broadcast), mean error of the calibration and hold-outs\n";
    assert!(
        ran.out.contains(error) && ran.out.contains("11.00      10.00  10.00  ± 26 % (broadcast)  vector\n"),
        "{}",
        ran.out
    );
    let file = |name: &str| std::fs::read_to_string(repo.path(name)).expect(name);
    assert!(
        file("a.csv").contains("\nmodel Ascend910B3 warm,program,1,Add_k_0,Add,AI_VECTOR_CORE,11.000,1,10.000,18000,")
    );
    assert!(file("a.json").contains("\"traceEvents\":[]"), "no core was traced");
    assert!(file("a.csv").ends_with(",11.000,broadcast,26\n"), "{}", file("a.csv"));
    assert!(file("a.html").contains("\"kernel\":\"Add_k_0\""));
    assert!(file("a.html").contains("\"error_text\":\"± 26 % (broadcast)\""));
    // Another run begins anew.
    let ran = sim(&repo, &["--json", "--", "program"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("one object");
    let launches = json["runs"][0]["launches"].as_array().expect("launches");
    assert_eq!((launches.len(), &launches[0]["op_summary"]["aiv_vec_ratio"]), (1, &serde_json::json!(0.5)));
    assert_eq!(launches[0]["model"]["task_us"], 11.0);
}

#[test]
fn a_program_that_fails_or_launches_nothing() {
    let ran = sim(&repo("echo hello"), &["--", "program"]);
    ran.expect(33, &["nothing was simulated: no kernel was launched"]);
    let ran = sim(&repo(&format!("echo '{LAUNCH}' >> \"${{HOSTCANN_SIM#*:}}\"; exit 3")), &["--", "program"]);
    ran.expect(30, &["failed: program (exit status: 3)"]);
    assert!(ran.out.contains("Add_k_0"), "what it launched is told all the same: {}", ran.out);
    let ran = sim(&repo("echo x >> \"${HOSTCANN_SIM#*:}\""), &["--", "program"]);
    ran.expect(1, &["line 1 of the model's file is not what is expected"]);
}

/// As another run of the checkout does.
fn locked(repo: &Repo) -> std::fs::File {
    repo.write("target/xtask.lock", "pid 1, test");
    let file = std::fs::File::options().write(true).open(repo.path("target/xtask.lock")).expect("open");
    file.lock().expect("lock");
    file
}

#[test]
fn a_program_of_ones_own_waits_for_nobody_and_gets_what_is_typed() {
    let repo = repo(&format!("read line; echo \"got $line\"; echo '{LAUNCH}' >> \"${{HOSTCANN_SIM#*:}}\""));
    repo.write("input", "hello\n");
    let held = locked(&repo);
    let toolkit = repo.path("toolkit");
    let mut command = repo.command(&["sim", "--", "program"], &[("ASCEND_HOME_PATH", &*toolkit.to_string_lossy())]);
    let input = std::fs::File::open(repo.path("input")).expect("open");
    let output = command.stdin(input).output().expect("xtask runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(out.starts_with("got hello\n") && !err.contains("Waiting"), "{out}{err}");
    let left: Vec<_> = std::fs::read_dir(repo.path("target/xtask/log")).expect("logs").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    drop(held);
}

#[test]
fn cores_that_the_chip_does_not_have() {
    let repo = repo("echo ran");
    let chip = "[Ascend910B3]\nversion.Short_SoC_version = \"Ascend910B\"\nSoCInfo.vector_core_cnt = 40\n";
    repo.write("hostcann/soc/chips.toml", chip);
    for core in ["40", "3,99", "99-100"] {
        let ran = sim(&repo, &["--core", core, "--", "program"]);
        ran.expect(2, &["has the vector cores 0 to 39", "hint: --core takes"]);
        assert_eq!(ran.out, "", "nothing ran");
    }
    let ran = sim(&repo, &["--core", "0-39", "--", "program"]);
    ran.expect(33, &["nothing was simulated"]);
    assert_eq!(ran.out, "ran\n", "no empty table");
}

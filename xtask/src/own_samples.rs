//! The programs of `tests/samples` that launch their kernels themselves: right, with a fault, with errors of the compiler. And
//! tests in Python that compile kernels.

use anyhow::Result;
use xshell::cmd;

use hostcann_cli::base::count::Count;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::base::term::err;
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root;
use hostcann_cli::toolchain::tools;

/// Directory, variant of the program, whether it works, and what is said. Lines are those of the source.
type Case = (&'static str, &'static str, bool, &'static [&'static str]);

const CASES: [Case; 10] = [
    (
        "c_api",
        "0",
        true,
        &[
            "\nin_steps: status 0, 0 of 2048 wrong\n",
            "\nin_order: status 0, 0 of 2048 wrong\n",
            "\nchecked: 2 launches, 0 findings\n",
        ],
    ),
    ("icpu_double", "0", true, &["\nall doubled\n", "\nchecked: 1 launch, 0 findings\n"]),
    (
        "kernel_library",
        "0",
        true,
        &[
            "\nscaled_float: status 0, 0 of 1024 wrong\n",
            "\nscaled_int32_t: status 0, 0 of 1024 wrong\n",
            "\nraised: status 0, 0 of 1024 wrong\n",
            "\nshifted: status 0, 0 of 1024 wrong\n",
            "\nworkspace: status 0, 0 of 1024 wrong\n",
            "\naffine: status 0, 0 of 1024 wrong\n",
            "\nloaded: status 0, 0 of 1024 wrong\n",
            "\nwrong arguments: 107000, ",
            "kernel affine: argument 1 has 8 bytes, its parameter has 1",
            "\nproduct: 207000, ",
            "aclrtlaunch_product: the kernel of ",
            "Product: the kernel of ",
            "kernels of PTO ISA (pto/pto-inst.hpp) are not modelled",
            "\ntiles: 207000\n",
            "\nchecked: 7 launches, 0 findings\n",
        ],
    ),
    (
        "matmul_leaky",
        "0",
        true,
        &["\nplain: 0 of 38400 wrong\n", "\nleaky: 0 of 38400 wrong\n", "\nchecked: 2 launches, 0 findings\n"],
    ),
    ("matmul_leaky", "1", false, &["Matmul::Iterate at ", "another object has not been ended"]),
    ("scaled_sum", "0", true, &["\nthe same bits\n", "\nchecked: 4 launches, 0 findings\n"]),
    (
        "scaled_sum",
        "1",
        false,
        &[
            "kernel sum::add_kernel<float, sum::COUNT>, core 0",
            "scaled_sum.asc:42 (alignment)\n    operand src: ",
            "error 507035\n",
        ],
    ),
    ("scaled_sum", "2", false, &["scaled_sum.asc:80:5: error: ", "‘undeclared’ was not declared"]),
    (
        "scaled_sum",
        "3",
        false,
        &["scaled_sum.asc:82: error: `<<<…>>>` has 1 arguments, expected <<<blocks, ub_size, stream>>>"],
    ),
    ("scaled_sum", "4", false, &["core 3", "scaled_sum.asc:44 (gm-bounds)\n    operand GlobalTensor: ", "argument 2"]),
];

pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>) -> Result<Count> {
    let mut count = Count::default();
    let (xtask, jobs) = (program::own()?, plan.jobs.to_string());
    let chosen = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    for (name, variant, works, said) in CASES.iter().copied().filter(|case| chosen(case.0)) {
        let (sample, step) = (format!("tests/samples/{name}"), format!("sample {name} {variant}"));
        let check = (["0", "4"].contains(&variant) || name == "matmul_leaky").then_some("--check");
        let outcome = cx.step(&step, |cx| {
            let _dir = cx.run.sh.push_dir(&cx.project.home);
            let _language = cx.run.sh.push_env("LC_ALL", "C.UTF-8");
            let line = cmd!(cx.run.sh, "{xtask} sample {sample} -D VARIANT={variant} -j {jobs} {check...}");
            proc::log_run(cx, &step, line)
        })?;
        let missing: Vec<&str> = said.iter().copied().filter(|part| !outcome.text.contains(part)).collect();
        if outcome.ok == works && missing.is_empty() {
            count.passed += 1;
        } else {
            count.failed += 1;
            err!("{}\n{sample}, variant {variant}: {}, without {missing:?}", outcome.text.trim_end(), outcome.status);
        }
    }
    for (name, test) in SCRIPTS.iter().copied().filter(|script| chosen(script.0)) {
        script(cx, plan, &mut count, name, test)?;
    }
    Ok(count)
}

/// What an owner of a board runs, with a stand-in for msprof; the kernel of an extension of torch, without torch.
const SCRIPTS: [(&str, &str); 2] = [
    ("calibration", "scripts/board/test_calibrate.py"),
    ("torch_extension", "tests/forms/torch_extension/tests/test_kernel.py"),
];

/// Tests in Python.
fn script(cx: &mut Ctx, plan: &Plan, count: &mut Count, name: &str, test: &str) -> Result<()> {
    let path = tools::ensure(cx, false)?.path_env()?;
    let file = cx.project.home.join(test);
    let outcome = cx.step(name, |cx| {
        let line = cmd!(cx.run.sh, "python3 {file}").env("PATH", path).env("CMAKE_GENERATOR", "Ninja");
        proc::log_run(cx, name, root::with_root(line, &plan.root))
    })?;
    if outcome.ok {
        count.passed += 1;
    } else {
        count.failed += 1;
        err!("{}\n{test}: {}", outcome.text.trim_end(), outcome.status);
    }
    Ok(())
}

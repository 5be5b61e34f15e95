//! Hardware behaviour that no document settles: exact mode and integers must not depend on it, tbe mode only through its
//! quotient. The switches are read once per process, so each setting runs in a process of its own.

use std::process::Command;
use std::thread;

use anyhow::{Result, ensure};
use fmod_tests::Runtime;

fn run(calls: &str, setting: &[(&str, &str)]) -> Result<()> {
    let mut probe = Command::new(env!("CARGO_BIN_EXE_fmod-probe"));
    let output = probe.arg(calls).envs(setting.iter().copied()).output()?;
    ensure!(output.status.success(), "{setting:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

const DIV: [&str; 4] = ["0", "+1", "-1", "random"];
const FMA: [&str; 2] = ["unfused", "fused"];

fn under(calls: &str, saturation: &str, ftz: &str, settings: &[(&str, &str)]) -> Result<()> {
    if !Runtime::get()?.is_host_toolkit() {
        eprintln!("skipped: a device has one behaviour, and no switches");
        return Ok(());
    }
    let check = |(div, fma): &(&str, &str)| {
        let pairs = [("HOSTCANN_DIV_ULP", *div), ("HOSTCANN_FMA", *fma), ("HOSTCANN_FTZ", ftz)];
        let setting: Vec<_> = pairs.into_iter().chain([("HOSTCANN_SATURATION", saturation)]).collect();
        run(calls, &setting).err().map(|error| error.to_string())
    };
    let failures: Vec<String> = settings.iter().filter_map(check).collect();
    ensure!(failures.is_empty(), "{} of {} settings fail\n{}", failures.len(), settings.len(), failures.join("\n"));
    Ok(())
}

/// Half of the settings of div and fma, so that every two values meet: the other half with an odd `turn`.
fn half(turn: usize) -> [(&'static str, &'static str); 4] {
    std::array::from_fn(|index| (DIV[index], FMA[(index + turn) % 2]))
}

fn all() -> Vec<(&'static str, &'static str)> {
    [half(0), half(1)].concat()
}

#[test]
fn subnormals_kept() -> Result<()> {
    under("switches", "infnan", "off", &half(0))
}

#[test]
fn subnormals_flushed_by_div() -> Result<()> {
    under("switches", "infnan", "div", &half(1))
}

/// Leaves out pairs with an operand or a result that is subnormal in fp32.
#[test]
fn subnormals_flushed() -> Result<()> {
    under("switches", "infnan", "on", &half(0))
}

/// Leaves out infinite and NaN results of the 16-bit types.
#[test]
fn saturating() -> Result<()> {
    under("switches", "saturate", "off", &half(1))
}

/// As both above.
#[test]
fn saturating_and_subnormals_flushed() -> Result<()> {
    under("switches", "saturate", "on", &half(0))
}

/// Quotients, dividends and divisors around the limits of the short way, each in a tile of its own.
#[test]
fn limits_of_the_exact_kernels() -> Result<()> {
    ["off", "div", "on"].into_iter().enumerate().try_for_each(|(turn, ftz)| under("limits", "infnan", ftz, &half(turn)))
}

#[test]
#[ignore = "what the tests above leave out: a minute"]
fn every_setting() -> Result<()> {
    for (saturation, ftz) in
        [("infnan", "off"), ("infnan", "div"), ("infnan", "on"), ("saturate", "off"), ("saturate", "on")]
    {
        under("switches", saturation, ftz, &all())?;
    }
    ["off", "div", "on"].into_iter().try_for_each(|ftz| under("limits", "infnan", ftz, &all()))
}

/// Every layout of the battery, strided results among them: the checker finds nothing.
#[test]
fn the_checker_is_silent() -> Result<()> {
    if Runtime::get()?.is_host_toolkit() {
        run("switches", &[("HOSTCANN_CHECK", "1")])?;
    }
    Ok(())
}

/// Every path, type and precision: the split over cores moves every tile boundary.
#[test]
fn results_do_not_depend_on_the_core_count() -> Result<()> {
    let battery = |cores: &str| -> Result<Vec<String>> {
        let mut probe = Command::new(env!("CARGO_BIN_EXE_fmod-probe"));
        let output = probe.arg("battery").env("HOSTCANN_CORES", cores).output()?;
        ensure!(output.status.success(), "{cores} cores: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
    };
    let usual = battery("40")?;
    ensure!(usual.len() > 400, "the battery has {} calls", usual.len());
    let others = ["1", "2", "3", "7", "20", "47", "48"];
    let check = |cores: &&str| -> Result<()> {
        let other = battery(cores)?;
        let changed: Vec<_> = usual.iter().zip(&other).filter(|(a, b)| a != b).map(|(a, _)| a.as_str()).collect();
        ensure!(changed.is_empty() && usual.len() == other.len(), "{cores} cores change {changed:?}");
        Ok(())
    };
    thread::scope(|scope| {
        let halves: Vec<_> = others.chunks(4).map(|some| scope.spawn(|| some.iter().try_for_each(check))).collect();
        halves.into_iter().try_for_each(|half| half.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?)
    })
}

//! The one engine of the process, configured from the SoC file and the environment.

use crate::base::failure::{Failure, Outcome, codes};
use crate::base::findings::{self, Repeated};
use crate::base::soc::{Soc, soc};
use aicore::{CoreSpec, Engine, Launch, SecondSet, Switches, Watch};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

struct Config {
    spec: CoreSpec,
    switches: Switches,
    threads: usize,
}

fn config() -> Outcome<Config> {
    let soc = soc()?;
    let threads = match crate::base::env::settings()?.threads {
        Some(n) => n,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    Ok(Config { spec: core_spec(soc)?, switches: switches(soc)?, threads })
}

fn core_spec(soc: &Soc) -> Outcome<CoreSpec> {
    let ub_size = soc.required_number("AICoreSpec", "ub_size")? as usize;
    let arch = soc.text("version", "NpuArch")?;
    if arch != "2201" {
        fail!(INVALID_PARAM, "SoC file: [version] NpuArch is {arch}, only 2201 is modelled");
    }
    let cores = soc.required_number("SoCInfo", "vector_core_cnt")? as u32;
    Ok(CoreSpec::npu_2201(soc.text("version", "SoC_version")?, ub_size).with_vector_cores(cores))
}

pub(crate) fn switches(soc: &Soc) -> Outcome<Switches> {
    fn read<T: FromStr<Err = aicore::SwitchError>>(soc: &Soc, key: &str) -> Outcome<T> {
        soc.text("undocumented", key)?.parse().map_err(bad_switch)
    }
    Ok(Switches {
        div_ulp: read(soc, "div_ulp")?,
        fma: read(soc, "fma")?,
        ftz: read(soc, "ftz")?,
        saturation: read(soc, "saturation")?,
        reciprocal: read(soc, "reciprocal")?,
        second_set: match &crate::base::env::settings()?.second_set {
            Some(word) => word.parse().map_err(bad_switch)?,
            None => SecondSet::default(),
        },
        atomic_order: read(soc, "atomic_order")?,
        matmul_order: read(soc, "matmul_order")?,
    })
}

fn bad_switch(error: aicore::SwitchError) -> Failure {
    Failure::new(codes::INVALID_PARAM, format!("SoC file: [undocumented] {error}"))
}

/// Whether an engine can be made; starts no threads.
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment or the SoC file is invalid, or `watchers` fails.
pub fn check() -> Outcome {
    config()?;
    watchers().map(drop)
}

/// Who watches every launch of this process.
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment is invalid, or the trace log or the timing model cannot be
/// opened.
pub fn watchers() -> Outcome<Vec<Arc<dyn Watch>>> {
    let mut all = crate::timing::trace::log()?;
    all.extend(crate::timing::sim::watch(crate::device::stream::with_tasks)?);
    Ok(all)
}

/// Whether casts to 16-bit floats clamp (the saturation switch).
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment or a switch of the SoC file is invalid.
pub fn saturates() -> Outcome<bool> {
    static SATURATES: OnceLock<Outcome<bool>> = OnceLock::new();
    SATURATES.get_or_init(|| Ok(switches(soc()?)?.saturation == aicore::Saturation::Saturate)).clone()
}

/// The engine of the process; it is made at the first call.
///
/// # Errors
///
/// `INVALID_PARAM` where `check` fails.
pub fn engine() -> Outcome<Arc<Engine>> {
    static ENGINE: OnceLock<Outcome<Arc<Engine>>> = OnceLock::new();
    let start = || {
        crate::base::fork::used();
        let c = config()?;
        let watch = watchers()?;
        let engine = Engine::new(c.spec, c.switches, c.threads);
        engine.watch(watch);
        Ok(Arc::new(engine))
    };
    ENGINE.get_or_init(start).clone()
}

/// Runs a launch that nobody checks.
///
/// # Errors
///
/// `INVALID_PARAM` where there is no engine, `RT_FEATURE_NOT_SUPPORT` where the kernel needs what the toolkit does not
/// implement, `RT_VECTOR_CORE_EXCEPTION` after any other fault of the kernel.
pub fn run(launch: &Launch<'_>, repeated: Repeated) -> Outcome {
    let engine = engine()?;
    let number = findings::next_launch();
    engine.run(launch).map_err(|fault| {
        if let Ok(settings) = crate::base::env::settings() {
            findings::keep(settings, number, &fault, true);
        }
        findings::failure(number, &[fault], repeated)
    })
}

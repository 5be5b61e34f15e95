//! What the timing model of the host toolkit knows of a chip, as far as tiles have to do with it. The numbers are the
//! toolkit's (`soc/timing/model.toml` and the SoC's own file); without them tiles are as large as they can be.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::dtype::DType;
use crate::lower::instructions::Instruction;

/// The file of the model. What is not needed here is not read.
#[derive(Clone, Debug, Deserialize)]
pub struct File {
    pub base: BTreeMap<String, Entry>,
    /// Values that differ on a SoC, by its full name.
    #[serde(default)]
    pub soc: BTreeMap<String, BTreeMap<String, Entry>>,
    pub instruction: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Entry {
    pub value: f64,
}

/// Cost of some instructions for some types: `fixed + ii * repeats` cycles.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    pub ops: Vec<String>,
    pub types: Vec<String>,
    pub ii: f64,
    pub fixed: f64,
}

/// A SoC's own file.
#[derive(Clone, Debug, Deserialize)]
pub struct Soc {
    #[serde(rename = "SoCInfo")]
    pub info: SocInfo,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct SocInfo {
    pub vector_core_cnt: i64,
    pub l2_size: i64,
}

/// A parameter that is missing, or no number of 0 or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimingError(pub String);

impl fmt::Display for TimingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TimingError {}

/// The parameters of one SoC: cycles, bytes a cycle.
#[derive(Clone, Debug)]
pub struct Timing {
    pub soc: String,
    /// Cycles of a microsecond.
    pub clock: f64,
    /// What a launch takes beside its cores.
    pub launch_base: f64,
    pub ai_cores: i64,
    pub l2_bytes: i64,
    /// Between the starts of two cores; more for a core whose AI core runs both.
    pub launch_step: f64,
    pub entry_pair: f64,
    pub latency_pair: f64,
    pub sync_all: f64,
    pub scalar_queue: f64,
    pub scalar_vector: f64,
    pub scalar_copy: f64,
    pub scalar_read: f64,
    /// What the count form of a call costs that follows another one, and how much more the first one of a tile does.
    pub count_next: f64,
    pub count_first: f64,
    pub mte2: Engine,
    pub mte3: Engine,
    pub burst: f64,
    pub pair_read: f64,
    pub l2_read: f64,
    pub l2_write: f64,
    pub hbm_read: f64,
    pub hbm_write: f64,
    rows: Vec<Row>,
}

/// Copies of one direction.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    pub rate: f64,
    pub latency: f64,
    pub issue: f64,
}

impl Timing {
    /// Takes the parameters of the SoC `name` from the model's `file`, and its cores and L2 from `soc`.
    ///
    /// # Errors
    ///
    /// A parameter is missing or out of range, or the SoC has no vector core or no L2.
    pub fn of(file: &File, name: &str, soc: &Soc) -> Result<Timing, TimingError> {
        let own = file.soc.get(name);
        let take = |key: &str, least: f64| {
            let entry = own.and_then(|own| own.get(key)).or_else(|| file.base.get(key));
            let value = entry.ok_or_else(|| TimingError(format!("the model's {key} is missing")))?.value;
            if value.is_finite() && value >= least && value < 1e12 {
                return Ok(value);
            }
            Err(TimingError(format!("the model's {key} is {value}, a number of {least} or more is expected")))
        };
        let (any, some) = (0.0, 1e-3);
        let clock = take("clock", some)?;
        // TB/s of the chip to bytes a cycle.
        let shared = |key: &str| Ok(take(key, some)? * 1e6 / clock);
        let engine = |name: &str| {
            Ok(Engine {
                rate: take(&format!("{name}_rate"), some)?,
                latency: take(&format!("{name}_latency"), any)?,
                issue: take(&format!("{name}_issue"), any)?,
            })
        };
        let SocInfo { vector_core_cnt, l2_size } = soc.info;
        if vector_core_cnt < 1 || l2_size < 1 {
            let why = format!(
                "{name} has {vector_core_cnt} vector cores and {l2_size} bytes of L2, more than 0 are expected"
            );
            return Err(TimingError(why));
        }
        Ok(Timing {
            soc: name.to_owned(),
            clock,
            launch_base: take("launch_base", any)? * clock,
            ai_cores: (vector_core_cnt + 1) / 2,
            l2_bytes: l2_size,
            launch_step: take("launch_step", any)? * clock,
            entry_pair: take("entry_pair", any)?,
            latency_pair: take("latency_pair", any)?,
            sync_all: take("sync_all", any)?,
            scalar_queue: take("scalar_queue", any)?,
            scalar_vector: take("scalar_vector", any)?,
            scalar_copy: take("scalar_copy", any)?,
            scalar_read: take("scalar_gm_hit", any)?,
            count_next: take("vector_count_next", any)?,
            count_first: take("vector_count_form", any)? - take("vector_count_next", any)?,
            mte2: engine("mte2")?,
            mte3: engine("mte3")?,
            burst: take("burst", any)?,
            pair_read: take("pair_read", some)?,
            l2_read: shared("l2_read")?,
            l2_write: shared("l2_write")?,
            hbm_read: shared("hbm_read")?,
            hbm_write: shared("hbm_write")?,
            rows: file.instruction.clone(),
        })
    }

    /// Cycles of a repeat, and of the instruction beside them: the first row that names it and its types.
    pub fn instruction(&self, instruction: Instruction) -> Option<(f64, f64)> {
        let Instruction { name, to, from } = instruction;
        let takes = |types: &String| match types.split_once('<') {
            Some((first, second)) => is_type(first, to) && is_type(second, from),
            None => is_type(types, to),
        };
        let row = self.rows.iter().find(|row| row.ops.iter().any(|op| op == name) && row.types.iter().any(takes))?;
        Some((row.ii, row.fixed))
    }
}

fn is_type(text: &str, dtype: DType) -> bool {
    text == "*" || text == dtype.cpp() || text == format!("b{}", 8 * dtype.size())
}

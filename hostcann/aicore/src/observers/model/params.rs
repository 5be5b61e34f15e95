//! The model's parameters: plain data with their sources, and the table of instruction costs.

use super::error_classes;
use crate::{
    base::ins::{Dtype, Opcode},
    instruction::vector::Head,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// By the chip's maker.
    Documented,
    /// A published measurement, or computed from one.
    Measured,
    /// Chosen so that published durations come out.
    Fitted,
    /// Nobody says so; the source gives the reason.
    Inferred,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mark::Documented => "documented",
            Mark::Measured => "measured",
            Mark::Fitted => "fitted",
            Mark::Inferred => "inferred",
        })
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub value: f64,
    pub unit: String,
    pub mark: Mark,
    pub source: String,
}

/// Cost of some instructions for some types: `fixed + ii * repeats` cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionRow {
    /// Names of opcodes.
    pub ops: Vec<String>,
    /// `float`, `half<float` (destination and source) or `*`; b8, b16, b32 and b64 stand for all types of a width.
    pub types: Vec<String>,
    /// Cycles a repeat.
    pub ii: f64,
    pub ii_mark: Mark,
    pub ii_source: String,
    pub fixed: f64,
    pub fixed_mark: Mark,
    pub fixed_source: String,
    /// The row stands for the instructions of a high-level function.
    #[serde(default)]
    pub function: bool,
}

/// How far the model was off for launches of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRow {
    pub class: String,
    /// Percent, of the absolute values.
    pub mean: f64,
    #[serde(default)]
    pub largest: Option<f64>,
    #[serde(default)]
    pub points: Option<u32>,
    /// Nothing was fitted to these measurements.
    pub held_out: bool,
    /// The series of `aicore/tests/model.rs` that says so; empty for held-out ones.
    #[serde(default)]
    pub series: String,
    pub source: String,
}

/// What `soc/model.toml` holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamFile {
    pub base: BTreeMap<String, Entry>,
    /// Values that differ on a SoC, by its full name.
    #[serde(default)]
    pub soc: BTreeMap<String, BTreeMap<String, Entry>>,
    pub instruction: Vec<InstructionRow>,
    #[serde(default)]
    pub error: Vec<ErrorRow>,
}

/// A parameter that is missing, unknown or out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamError(pub String);

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParamError {}

macro_rules! params {
    ($($(#[$doc:meta])* $field:ident,)+) => {
        /// The parameters of one SoC.
        #[derive(Clone, Debug)]
        pub struct Params {
            pub soc: String,
            pub vector_cores: u32,
            pub l2_bytes: u64,
            $($(#[$doc])* pub $field: f64,)+
            pub rows: Vec<InstructionRow>,
            pub errors: Vec<ErrorRow>,
            /// By name, each with its source.
            pub entries: Vec<(String, Entry)>,
        }

        impl Params {
            /// Names of the entries of a parameter file.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),+];

            /// The parameters of a SoC; core count and L2 size are those of its own file.
            ///
            /// # Errors
            ///
            /// A parameter is missing, unknown or out of range, an opcode has no row, or a row names an opcode, a type
            /// or an error class that does not exist.
            pub fn for_soc(file: &ParamFile, soc: &str, vector_cores: u32, l2_bytes: u64) -> Result<Params, ParamError> {
                let own = file.soc.get(soc);
                let mut entries = Vec::new();
                let mut take = |name: &str| -> Result<f64, ParamError> {
                    let entry = own.and_then(|o| o.get(name)).or_else(|| file.base.get(name)).ok_or_else(|| {
                        ParamError(format!("[base] {name} is missing; expected {{ value, unit, mark, source }}"))
                    })?;
                    if !(entry.value >= 0.0 && entry.value.is_finite()) {
                        return Err(ParamError(format!("{name} is {}, expected a number of 0 or more", entry.value)));
                    }
                    entries.push((name.to_owned(), entry.clone()));
                    Ok(entry.value)
                };
                let params = Params {
                    soc: soc.to_owned(),
                    vector_cores,
                    l2_bytes,
                    $($field: take(stringify!($field))?,)+
                    rows: file.instruction.clone(),
                    errors: file.error.clone(),
                    entries,
                };
                params.check(file)?;
                Ok(params)
            }
        }
    };
}

params! {
    /// MHz of the vector cores.
    clock,
    /// µs from the start of a task to its first core, and from the last core to its end.
    launch_base,
    /// µs between the starts of two cores.
    launch_step,
    /// Cycles from the start of a core to the first call of a kernel that matters.
    entry,
    /// More of them when instructions and data have to come from memory.
    entry_cold,
    /// More where the other vector core of the AI core runs, too.
    entry_pair,
    scalar_queue,
    scalar_vector,
    scalar_copy,
    scalar_flag,
    scalar_mask,
    scalar_ub_read,
    scalar_ub_write,
    scalar_gm_hit,
    /// Bytes of the tiling data whose copy is part of the entry.
    tiling_free,
    barrier_all,
    sync_all,
    /// More for an instruction that is given a number of elements: it sets the mask for itself.
    vector_count_form,
    /// The same for one that follows another vector instruction with no flag to wait for in between.
    vector_count_next,
    /// More for a number of elements that ends inside of a repeat.
    vector_partial,
    /// More for a repeat that writes into a bank it reads.
    vector_write_clash,
    mte2_rate,
    mte2_latency,
    mte2_latency_hbm,
    /// More for both engines where the other vector core of the AI core runs, too.
    latency_pair,
    mte2_issue,
    mte3_rate,
    mte3_latency,
    mte3_issue,
    /// The least a row of a copy takes.
    burst,
    /// Factor on rows that start off a 512-byte line.
    unaligned_line,
    /// Factor on what rows that start off a 32-byte block need of the memory.
    unaligned_block,
    /// Bytes a cycle of a core, both directions.
    port,
    /// Bytes a cycle that both vector cores of an AI core read together.
    pair_read,
    /// TB/s of the chip.
    l2_read,
    l2_write,
    hbm_read,
    hbm_write,
    /// Part of the foreign lines in a cold L2 that have to be written back before they are replaced.
    l2_cold_dirty,
    /// Part of the L2 that a launch can fill.
    l2_usable,
    /// Cycles from a call of a Matmul object to the first multiplication, and from the last one to the call's end.
    cube_latency,
    /// Cycles more before an object multiplies for the first time.
    cube_start,
    /// Bytes a cycle that a cube core reads and writes.
    cube_read,
    cube_write,
    /// Cycles more for every row of an operand.
    cube_row,
    /// Passes of a fractal of floats.
    cube_float,
    /// Slowdown of a copy for every other core that moves data of the same line at the same time, through the L2 and past it.
    same_line,
    same_line_past_l2,
}

impl Params {
    fn check(&self, file: &ParamFile) -> Result<(), ParamError> {
        let sections = file.soc.iter().map(|(soc, values)| (soc.as_str(), values));
        for (section, values) in sections.chain([("base", &file.base)]) {
            if let Some(name) = values.keys().find(|k| !Params::NAMES.contains(&k.as_str())) {
                return Err(ParamError(format!(
                    "[{section}] {name} is no parameter; known: {}",
                    Params::NAMES.join(", ")
                )));
            }
        }
        let positive = [
            ("clock", self.clock),
            ("mte2_rate", self.mte2_rate),
            ("mte3_rate", self.mte3_rate),
            ("port", self.port),
            ("pair_read", self.pair_read),
            ("l2_read", self.l2_read),
            ("l2_write", self.l2_write),
            ("hbm_read", self.hbm_read),
            ("hbm_write", self.hbm_write),
            ("cube_read", self.cube_read),
            ("cube_write", self.cube_write),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, v)| *v == 0.0) {
            return Err(ParamError(format!("{name} is 0, expected more")));
        }
        if let Some(row) = self.errors.iter().find(|row| !error_classes::ALL.contains(&row.class.as_str())) {
            let known = error_classes::ALL.join("\", \"");
            return Err(ParamError(format!("[[error]] class \"{}\" is not known; known: \"{known}\"", row.class)));
        }
        for row in &self.rows {
            let known = |op: &&String| Opcode::TABLE.iter().any(|(name, _)| name == op) || op.as_str() == "DataCopy";
            if let Some(op) = row.ops.iter().find(|op| !known(op)) {
                return Err(ParamError(format!("[[instruction]] {op} is no instruction of the vector unit")));
            }
            if let Some(t) = row.types.iter().find(|t| !is_types(t)) {
                return Err(ParamError(format!(
                    "[[instruction]] {}: types \"{t}\" are no data types, no width (b8, b16, b32, b64) and not *",
                    row.ops.join(" ")
                )));
            }
        }
        if let Some((op, _)) =
            Opcode::TABLE.iter().find(|(op, _)| !self.rows.iter().any(|r| r.ops.iter().any(|o| o == op)))
        {
            return Err(ParamError(format!("[[instruction]] {op} has no row")));
        }
        Ok(())
    }

    /// The row of an instruction: the first that names it and its types.
    pub fn row(&self, head: &Head) -> Option<&InstructionRow> {
        self.row_of(head.op.name(), head.dtype, head.stype)
    }

    pub(super) fn row_of(&self, op: &str, dtype: Dtype, stype: Dtype) -> Option<&InstructionRow> {
        self.rows.iter().find(|r| r.ops.iter().any(|o| o == op) && r.types.iter().any(|t| takes(t, dtype, stype)))
    }

    /// Each has two vector cores.
    pub fn ai_cores(&self) -> usize {
        (self.vector_cores as usize).div_ceil(2)
    }

    /// Cycles of some µs.
    pub fn cycles(&self, us: f64) -> f64 {
        us * self.clock
    }

    /// Bytes a cycle of some TB/s.
    pub(super) fn bytes_per_cycle(&self, tbs: f64) -> f64 {
        tbs * 1e6 / self.clock
    }

    /// GB/s that `cores` cores can move to and from the L2: an upper bound for a roofline.
    pub fn l2_gbs(&self, cores: u32) -> f64 {
        let pairs = (cores as usize).saturating_sub(self.ai_cores());
        let shared = (2 * pairs) as f64 / f64::from(cores.max(1));
        let read = self.mte2_rate * (1.0 - shared) + (self.pair_read / 2.0).min(self.mte2_rate) * shared;
        let ports = self.port.min(read + self.mte3_rate) * self.core_gbs(cores);
        ports.min((self.l2_read + self.l2_write) * 1e3)
    }

    /// GB/s of some cores that move a byte a cycle each.
    pub fn core_gbs(&self, cores: u32) -> f64 {
        self.clock * 1e-3 * f64::from(cores)
    }

    /// GB/s of the memory behind the L2, reading.
    pub fn hbm_gbs(&self) -> f64 {
        self.hbm_read * 1e3
    }

    /// 10^9 lanes of 32 bits a second on `cores` cores, one instruction of interval 1 after the other.
    pub fn vector_gops(&self, cores: u32) -> f64 {
        64.0 * self.core_gbs(cores)
    }
}

const WIDTHS: [(&str, usize); 4] = [("b8", 1), ("b16", 2), ("b32", 4), ("b64", 8)];

fn is_types(text: &str) -> bool {
    let one = |t: &str| t == "*" || WIDTHS.iter().any(|(w, _)| *w == t) || Dtype::TABLE.iter().any(|(n, _)| *n == t);
    text.split('<').count() <= 2 && text.split('<').all(one)
}

fn takes(types: &str, dtype: Dtype, stype: Dtype) -> bool {
    let one = |t: &str, d: Dtype| t == "*" || t == d.name() || WIDTHS.iter().any(|(w, n)| *w == t && d.size() == *n);
    match types.split_once('<') {
        Some((to, from)) => one(to, dtype) && one(from, stype),
        None => one(types, dtype),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_in_pairs_move_less_each() {
        let file = toml::from_str(include_str!("../../../../soc/timing/model.toml")).unwrap();
        let p = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap();
        let p = Params { clock: 1000.0, port: 150.0, mte2_rate: 100.0, mte3_rate: 60.0, pair_read: 120.0, ..p };
        assert_eq!((p.l2_gbs(1), p.l2_gbs(20), p.l2_gbs(40)), (150.0, 3000.0, 40.0 * 120.0));
        assert_eq!(p.l2_gbs(30), 30.0 * (100.0 / 3.0 + 60.0 * 2.0 / 3.0 + 60.0));
        // Never more than the L2 has.
        assert_eq!(Params { l2_read: 1.0, l2_write: 0.5, ..p }.l2_gbs(40), 1500.0);
    }
}

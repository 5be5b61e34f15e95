//! Process and context parameters (aclSysParamOpt), of which the determinism level matters to executors.

use crate::base::failure::{Outcome, lock};
use std::sync::Mutex;

/// ACL_OPT_DETERMINISTIC .. ACL_OPT_ENABLE_KERNEL_EARLY_START
const OPTIONS: usize = 4;

pub struct SysParams(Mutex<[Option<i64>; OPTIONS]>);
pub static PROCESS: SysParams = SysParams::new();

impl SysParams {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> SysParams {
        SysParams(Mutex::new([None; OPTIONS]))
    }

    /// Sets the value of an option.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the option does not exist or the value is out of its range.
    pub fn set(&self, option: i32, value: i64) -> Outcome {
        let index = check(option)?;
        let most = if option == 0 { 3 } else { 1 };
        if !(0..=most).contains(&value) {
            fail!(INVALID_PARAM, "value {value} of aclSysParamOpt {option} is out of range, expected 0 to {most}");
        }
        lock(&self.0)[index] = Some(value);
        Ok(())
    }

    /// The value of an option, 0 when nobody has set it.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the option does not exist.
    pub fn get_or_default(&self, option: i32) -> Outcome<i64> {
        Ok(lock(&self.0)[check(option)?].unwrap_or(0))
    }

    /// The value of an option that was set.
    ///
    /// # Errors
    ///
    /// `INVALID_PARAM` where the option does not exist, `RT_SYSPARAMOPT_NOT_SET` where nobody has set it.
    pub fn get(&self, option: i32) -> Outcome<i64> {
        match lock(&self.0)[check(option)?] {
            Some(value) => Ok(value),
            None => fail!(RT_SYSPARAMOPT_NOT_SET, "aclSysParamOpt {option} was not set, set it first"),
        }
    }

    /// The determinism level, 0 when nobody has set it.
    pub fn deterministic_level(&self) -> i64 {
        lock(&self.0)[0].unwrap_or(0)
    }
}

fn check(option: i32) -> Outcome<usize> {
    match usize::try_from(option) {
        Ok(index) if index < OPTIONS => Ok(index),
        _ => fail!(INVALID_PARAM, "aclSysParamOpt {option} does not exist, expected 0 to {}", OPTIONS - 1),
    }
}

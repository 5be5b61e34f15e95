//! The HOSTCANN_* environment variables, read once per process.

use crate::failure::{Failure, Outcome, codes};
use std::sync::OnceLock;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    pub soc: Option<String>,
    pub cores: Option<u32>,
    pub threads: Option<usize>,
    pub div_ulp: Option<String>,
    pub fma: Option<String>,
    pub ftz: Option<String>,
    pub saturation: Option<String>,
}

pub fn settings() -> Outcome<&'static Settings> {
    static SETTINGS: OnceLock<Outcome<Settings>> = OnceLock::new();
    SETTINGS.get_or_init(|| read(|name| std::env::var(name).ok())).as_ref().map_err(Clone::clone)
}

/// An empty variable counts as unset, as with most tools.
fn read(get: impl Fn(&str) -> Option<String>) -> Outcome<Settings> {
    let get = |name: &str| get(name).filter(|v| !v.is_empty());
    let choice = |name: &str, allowed: &[&str]| match get(name) {
        Some(value) if !allowed.contains(&value.as_str()) => Err(bad(name, &value, &allowed.join(", "))),
        value => Ok(value),
    };
    choice("HOSTCANN_LOG", &["error", "warn", "info", "debug"])?;
    Ok(Settings {
        soc: get("HOSTCANN_SOC"),
        cores: number(&get, "HOSTCANN_CORES", 65535)?.map(|n| n as u32),
        threads: number(&get, "HOSTCANN_THREADS", 4096)?.map(|n| n as usize),
        div_ulp: choice("HOSTCANN_DIV_ULP", &["0", "+1", "-1", "random"])?,
        fma: choice("HOSTCANN_FMA", &["unfused", "fused"])?,
        ftz: choice("HOSTCANN_FTZ", &["off", "div", "on"])?,
        saturation: choice("HOSTCANN_SATURATION", &["infnan", "saturate"])?,
    })
}

fn number(get: &impl Fn(&str) -> Option<String>, name: &str, most: u64) -> Outcome<Option<u64>> {
    let Some(text) = get(name) else {
        return Ok(None);
    };
    match text.parse::<u64>() {
        Ok(n) if (1..=most).contains(&n) => Ok(Some(n)),
        _ => Err(bad(name, &text, &format!("a whole number from 1 to {most}"))),
    }
}

fn bad(name: &str, value: &str, allowed: &str) -> Failure {
    Failure::new(
        codes::INVALID_PARAM,
        format!("environment variable {name} is \"{value}\", allowed: {allowed}; correct or unset it"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Outcome<Settings> {
        read(|name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned()))
    }

    #[test]
    fn defaults_and_values() {
        assert_eq!(with(&[]).unwrap(), Settings::default());
        let s = with(&[("HOSTCANN_CORES", "8"), ("HOSTCANN_DIV_ULP", "-1"), ("HOSTCANN_FMA", "")]).unwrap();
        assert_eq!((s.cores, s.div_ulp.as_deref(), s.fma), (Some(8), Some("-1"), None));
    }

    #[test]
    fn bad_values_name_variable_value_and_choices() {
        for (name, value, hint) in [
            ("HOSTCANN_CORES", "0", "1 to 65535"),
            ("HOSTCANN_THREADS", "many", "1 to 4096"),
            ("HOSTCANN_DIV_ULP", "1", "+1"),
            ("HOSTCANN_FMA", "yes", "unfused, fused"),
            ("HOSTCANN_FTZ", "1", "off, div, on"),
            ("HOSTCANN_SATURATION", "inf", "infnan, saturate"),
            ("HOSTCANN_LOG", "trace", "debug"),
        ] {
            let e = with(&[(name, value)]).unwrap_err();
            assert_eq!(e.code, codes::INVALID_PARAM);
            for part in [name, value, hint] {
                assert!(e.message.contains(part), "{}", e.message);
            }
        }
    }
}

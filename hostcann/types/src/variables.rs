//! The `HOSTCANN_*` variables of a toolkit, what they take and what they mean: the runtime reads them, the program sets
//! and checks them, docs/environment.md describes them.

use crate::fault::FaultClass;

/// In front of the name of each of them.
pub const PREFIX: &str = "HOSTCANN_";

/// Behind [`PREFIX`] in names that the toolkit leaves to tests.
pub const OF_TESTS: &str = "TEST_";

/// What `HOSTCANN_FLIP` moves: behaviour that no document states.
pub const SWITCHES: [&str; 7] = ["div_ulp", "fma", "ftz", "saturation", "reciprocal", "atomic_order", "matmul_order"];

/// What a variable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Words(&'static [&'static str]),
    /// A whole number, from the one to the other.
    Number(u64, u64),
    /// `0`, `1` or `strict`, and after a comma classes of findings to leave out (`-`) or to add (`+`).
    Findings,
    /// `0` or `1`, and after a comma switches to leave out (`-`).
    Switches,
    /// Has a reader of its own.
    Other,
}

impl Values {
    /// What may stand before the comma of a list of names.
    pub fn firsts(self) -> &'static [&'static str] {
        match self {
            Values::Findings => &["0", "1", "strict"],
            Values::Switches => &["0", "1"],
            _ => &[],
        }
    }

    /// The signs of names in a list.
    pub fn signs(self) -> &'static [char] {
        match self {
            Values::Findings => &['-', '+'],
            Values::Switches => &['-'],
            _ => &[],
        }
    }

    /// The names in a list.
    pub fn names(self) -> Vec<&'static str> {
        match self {
            Values::Findings => FaultClass::finding_names(),
            Values::Switches => SWITCHES.to_vec(),
            _ => Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Behind [`PREFIX`].
    pub name: &'static str,
    pub values: Values,
    /// One line.
    pub meaning: &'static str,
}

/// In the order of their names.
pub const VARIABLES: [Variable; 22] = [
    variable("ATOMIC_ORDER", Values::Words(&["ascending", "descending"]), "which core adds first"),
    variable("AUTO_SYNC", Values::Words(ON_OFF), "whether the compiler orders scalar and vector instructions"),
    variable("CHECK", Values::Findings, "kernels run with the checker"),
    variable("CHECK_COUNT", Values::Other, "a file that gets a character for every checked launch"),
    variable("CORES", Values::Number(1, 65_535), "the number of vector cores"),
    variable("DIV_ULP", Values::Words(&["0", "+1", "-1", "random"]), "how far Div is from the nearest number"),
    variable("FINDINGS", Values::Other, "a file that gets a line of JSON for every finding and fault"),
    variable("FLIP", Values::Switches, "launches are repeated with each switch moved"),
    variable("FMA", Values::Words(&["unfused", "fused"]), "whether multiply-adds round once"),
    variable("FTZ", Values::Words(&["off", "div", "on"]), "where subnormal numbers become zero"),
    variable("LOG", Values::Words(&["error", "warn", "info", "debug"]), "the least level that is logged"),
    variable("MATMUL_ORDER", Values::Words(&["ascending", "descending"]), "which way products are added up along K"),
    variable("RECIPROCAL", Values::Words(&["documented", "exact"]), "the accuracy of Reciprocal and Rsqrt"),
    variable("SATURATION", Values::Words(&["infnan", "saturate"]), "the saturation mode where a kernel starts"),
    variable("SECOND_SET", Values::Words(&["fault", "counted", "kept"]), "SetFlag of a flag that is set already"),
    variable("SIM", Values::Other, "what the timing model is asked, and a file for its answers"),
    variable("SOC", Values::Other, "the modelled SoC"),
    variable("STOP_ON_FAILURE", Values::Words(ON_OFF), "whether ACL_STOP_ON_FAILURE does what it says"),
    variable("THREADS", Values::Number(1, 4096), "host threads that run cores"),
    variable("TIME_LIMIT", Values::Number(0, 1_000_000), "seconds of processor time for one launch or tiling function"),
    variable("TRACE", Values::Other, "a file that gets every step of every core"),
    variable("VERDICT", Values::Other, "a file that gets a line of JSON for every launch, fault and inner error"),
];

const ON_OFF: &[&str] = &["on", "off"];

const fn variable(name: &'static str, values: Values, meaning: &'static str) -> Variable {
    Variable { name, values, meaning }
}

/// By the name behind [`PREFIX`].
pub fn find(name: &str) -> Option<&'static Variable> {
    const TABLE: &[Variable] = &VARIABLES;
    TABLE.iter().find(|variable| variable.name == name)
}

/// Whether a variable with [`PREFIX`] is neither known nor of tests: a misspelt name would leave a run as it was without
/// a word.
pub fn is_unknown(full: &str) -> bool {
    full.strip_prefix(PREFIX).is_some_and(|name| !name.starts_with(OF_TESTS) && find(name).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_found() {
        assert!(VARIABLES.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert_eq!(find("FMA").map(|variable| variable.values), Some(Values::Words(&["unfused", "fused"])));
        assert!(find("HOSTCANN_FMA").is_none() && find("").is_none());
    }

    #[test]
    fn unknown_names() {
        let unknown = |names: &[&str]| names.iter().filter(|name| is_unknown(name)).count();
        assert_eq!(unknown(&["PATH", "HOSTCANN_CHECK", "HOSTCANN_TEST_PRINTS", "XHOSTCANN_Y"]), 0);
        assert_eq!(unknown(&["HOSTCANN_CHEK", "HOSTCANN_", "HOSTCANN_fma"]), 3);
    }

    #[test]
    fn lists_of_names() {
        assert_eq!(Values::Findings.names()[..2], ["race", "uninitialized"]);
        assert_eq!((Values::Switches.names(), Values::Switches.signs()), (SWITCHES.to_vec(), &['-'][..]));
        assert!(Values::Number(1, 2).firsts().is_empty());
    }

    /// Each of them is a variable that takes two words or more.
    #[test]
    fn switches_are_variables() {
        for switch in SWITCHES {
            let found = find(&switch.to_uppercase()).map(|variable| variable.values);
            assert!(matches!(found, Some(Values::Words(words)) if words.len() > 1), "{switch}: {found:?}");
        }
    }
}

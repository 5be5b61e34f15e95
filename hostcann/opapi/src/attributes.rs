//! Attributes of a single-operator call.

use crate::call::{Outcome, refuse};
use std::collections::BTreeMap;

/// Attributes of a call, numbers and flags as text.
pub struct Attributes(BTreeMap<String, String>);

impl Attributes {
    pub fn new(all: BTreeMap<String, String>) -> Attributes {
        Attributes(all)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// An attribute, or its default, is one of these values.
    pub fn expect(&self, name: &str, default: &str, values: &[&str]) -> Outcome<()> {
        let value = self.get(name).unwrap_or(default);
        if !values.contains(&value) {
            refuse!("attribute [{name}]: expected {} on the host, got {value}", values.join(" or "));
        }
        Ok(())
    }
}
